#include "document.hpp"

#include <openssl/evp.h>

#include "fugu/base/check.hpp"
#include "fugu/base/digest.hpp"

namespace fugu::report::detail {

namespace {

std::string_view tone_class(Tone tone) {
  switch (tone) {
    case Tone::good: return "good";
    case Tone::bad: return "bad";
    case Tone::plain: break;
  }
  return "plain";
}

constexpr std::string_view kPageCss =
    "*{box-sizing:border-box}\n"
    "html{color-scheme:light dark;-webkit-text-size-adjust:100%}\n"
    "body{margin:0 auto;padding:2.5rem 1.5rem 4rem;max-width:74rem;background:var(--background);color:var(--ink);"
    "font:1rem/1.55 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}\n"
    "h1{font-size:1.9rem;line-height:1.2;margin:0 0 .3rem;letter-spacing:-.01em}\n"
    "h2{font-size:1.35rem;line-height:1.3;margin:2.6rem 0 .6rem;padding-top:1rem;border-top:1px solid var(--border)}\n"
    "h3{font-size:1.08rem;margin:1.8rem 0 .4rem}\n"
    "h1,h2,h3,p,figcaption,caption{overflow-wrap:anywhere}\n"
    "td,th{overflow-wrap:break-word}\n"
    "p{margin:.6rem 0;max-width:46rem}\n"
    ".subtitle{color:var(--muted);font-size:1.08rem;margin:0 0 1.6rem}\n"
    ".note{border-left:4px solid var(--accent);background:var(--surface);padding:.7rem 1rem;border-radius:0 6px 6px "
    "0}\n"
    ".note.good{border-color:var(--good)}\n"
    ".note.bad{border-color:var(--bad)}\n"
    "pre{background:var(--surface);border:1px solid var(--border);border-radius:6px;padding:.8rem 1rem;overflow-x:auto;"
    "font:.875rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}\n"
    "figure{margin:1.6rem 0}\n"
    "figure{max-width:64rem}\n"
    "figure .scroll{margin:0}\n"
    "figure svg{display:block;width:100%;height:auto}\n"
    "figcaption,caption{color:var(--muted);font-size:.92rem;text-align:left}\n"
    "figcaption{margin-top:.5rem}\n"
    "caption{padding:0 0 .5rem}\n"
    ".scroll{overflow-x:auto;margin:1.4rem 0}\n"
    "table{border-collapse:collapse;width:100%;font-size:.95rem}\n"
    "th,td{padding:.5rem .6rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--border)}\n"
    "thead th{vertical-align:bottom;background:var(--surface);border-bottom:2px solid var(--border);font-weight:600}\n"
    "td.number,th.number{text-align:right;font-variant-numeric:tabular-nums}\n"
    "td.number{white-space:nowrap}\n"
    "td:first-child{min-width:8rem}\n"
    "td.good{color:var(--good);font-weight:600}\n"
    "td.bad{color:var(--bad);font-weight:600}\n"
    "@media print{body{max-width:none;padding:0;font-size:10pt}figure,tr,.note,pre{break-inside:avoid}"
    "h2,h3{break-after:avoid}pre{white-space:pre-wrap}.scroll{overflow:visible}figure svg{min-width:0!important}"
    "body{-webkit-print-color-adjust:exact;print-color-adjust:exact}}\n";

std::string content_policy(std::string_view script) {
  std::string policy = "default-src 'none'; style-src 'unsafe-inline'";
  if (!script.empty()) policy += "; script-src 'sha256-" + base64(as_text(sha256({script}))) + "'";
  return policy;
}

}  // namespace

std::string theme_variables(const Theme& theme) {
  std::string css;
  const auto set = [&css](std::string_view name, std::string_view value) {
    css.append("--").append(name).append(":").append(value).append(";");
  };
  set("background", theme.background);
  set("ink", theme.ink);
  set("muted", theme.muted);
  set("border", theme.border);
  set("surface", theme.surface);
  set("good", theme.good);
  set("bad", theme.bad);
  set("accent", theme.series[static_cast<std::size_t>(Colour::blue)]);
  return css;
}

std::string html_document(const Document& document, std::string_view body) {
  MarkupWriter page;
  page.trusted("<!DOCTYPE html>\n");
  page.open("html", {{"lang", std::string(document.language)}});
  page.open("head");
  page.empty("meta", {{"charset", "utf-8"}});
  page.empty("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
  page.empty("meta", {{"http-equiv", "Content-Security-Policy"}, {"content", content_policy(document.script)}});
  page.element("title", {}, document.title);
  page.open("style");
  page.trusted(":root{" + theme_variables(kLight) + "}\n");
  page.trusted("@media screen and (prefers-color-scheme:dark){:root{" + theme_variables(kDark) + "}\n}\n");
  page.trusted(kPageCss);
  page.trusted(chart_css());
  page.trusted(document.style);
  page.close();
  page.close();
  page.open("body");
  page.open("main");
  page.element("h1", {}, document.title);
  if (!document.subtitle.empty()) page.element("p", {{"class", "subtitle"}}, document.subtitle);
  page.trusted(body);
  page.close();
  if (!document.script.empty()) {
    page.open("script");
    page.trusted(document.script);
    page.close();
  }
  page.close();
  page.close();
  return std::move(page).finish();
}

void write_note(MarkupWriter& markup, std::string_view text, Tone tone) {
  markup.element("p", {{"class", std::string("note ").append(tone_class(tone))}, {"role", "note"}}, text);
}

void write_table(MarkupWriter& markup, const Table& table) {
  const auto attributes = [](const Column& column, Tone tone, bool header) {
    std::vector<Attribute> result;
    const bool number = column.align == Column::Align::number;
    if (number || tone != Tone::plain) {
      std::string classes = number ? "number" : "";
      if (tone != Tone::plain) classes.append(number ? " " : "").append(tone_class(tone));
      result.push_back({"class", std::move(classes)});
    }
    if (header) result.push_back({"scope", "col"});
    return result;
  };
  // Wide tables scroll on their own rather than the page; keyboards reach them, too.
  markup.open("div", {{"class", "scroll"}, {"tabindex", "0"}});
  markup.open("table");
  if (!table.caption.empty()) markup.element("caption", {}, table.caption);
  markup.open("thead");
  markup.open("tr");
  for (const Column& column : table.columns) markup.element("th", attributes(column, Tone::plain, true), column.header);
  markup.close();
  markup.close();
  markup.open("tbody");
  for (const auto& row : table.rows) {
    FUGU_CHECK(row.size() == table.columns.size());
    markup.open("tr");
    for (std::size_t i = 0; i < row.size(); ++i)
      markup.element("td", attributes(table.columns[i], row[i].tone, false), row[i].text);
    markup.close();
  }
  markup.close();
  markup.close();
  markup.close();
}

std::string base64(std::string_view bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');  // a zero comes after it
  const int size =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                      reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(size));
  return text;
}

}  // namespace fugu::report::detail
