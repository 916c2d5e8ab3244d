#include "fugu/report/html.hpp"

#include "document.hpp"

namespace fugu::report {

Page& Page::section(std::string_view heading) {
  body_.element("h2", {}, heading);
  return *this;
}

Page& Page::subsection(std::string_view heading) {
  body_.element("h3", {}, heading);
  return *this;
}

Page& Page::paragraph(std::string_view text) {
  body_.element("p", {}, text);
  return *this;
}

Page& Page::note(std::string_view text, Tone tone) {
  detail::write_note(body_, text, tone);
  return *this;
}

Page& Page::code(std::string_view text) {
  body_.open("pre", {{"tabindex", "0"}});
  body_.element("code", {}, text);
  body_.close();
  return *this;
}

Page& Page::table(const Table& table) {
  detail::write_table(body_, table);
  return *this;
}

template <class Picture>
Page& Page::add_figure(const Picture& picture, std::string_view caption) {
  body_.open("figure");
  body_.open("div", {{"class", "scroll"}, {"tabindex", "0"}});
  body_.trusted(picture.inline_svg(std::string("figure-").append(std::to_string(++figures_))));
  body_.close();
  if (!caption.empty()) body_.element("figcaption", {}, caption);
  body_.close();
  return *this;
}

Page& Page::figure(const Chart& chart, std::string_view caption) { return add_figure(chart, caption); }

Page& Page::figure(const ChartStack& charts, std::string_view caption) { return add_figure(charts, caption); }

std::string Page::html() const {
  return detail::html_document({.title = options_.title, .subtitle = options_.subtitle, .language = options_.language},
                               MarkupWriter(body_).finish());
}

}  // namespace fugu::report
