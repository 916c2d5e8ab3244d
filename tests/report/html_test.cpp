#include "fugu/report/html.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "report/balance.hpp"

namespace {

using namespace fugu::report;
using fugu::test::count;
using fugu::test::imbalance;

Chart small_chart(const std::string& text) {
  Chart chart({.title = text, .description = text});
  chart.add(Line({.label = text}, {{0.0, 1.0}, {1.0, 2.0}}));
  return chart;
}

Page full_page(const std::string& text) {
  Page page({.title = text, .subtitle = text});
  page.section(text).subsection(text).paragraph(text).note(text, Tone::bad).code(text);
  page.table({.caption = text,
              .columns = {{text}, {text, Column::Align::number}},
              .rows = {{{text, Tone::good}, {text}}, {{text}, {text, Tone::bad}}}});
  page.figure(small_chart(text), text).figure(small_chart(text), text);
  return page;
}

TEST(Page, IsWellFormedAndSelfContained) {
  const std::string html = full_page("plain").html();
  EXPECT_TRUE(html.starts_with("<!DOCTYPE html>"));
  EXPECT_EQ(imbalance(html), "");
  for (const auto* outside : {"<script", "href=", "src=", "@import", "url(http"})
    EXPECT_EQ(html.find(outside), std::string::npos) << outside;
  EXPECT_NE(html.find("default-src &#39;none&#39;"), std::string::npos);
  EXPECT_NE(html.find("lang=\"en\""), std::string::npos);
}

TEST(Page, FiguresHaveIdsOfTheirOwn) {
  const std::string html = full_page("plain").html();
  EXPECT_EQ(count(html, "id=\"figure-1-title\""), 1U);
  EXPECT_EQ(count(html, "id=\"figure-2-title\""), 1U);
}

TEST(Page, AlignsNumbersAndMarksVerdicts) {
  Page page({.title = "t"});
  page.table({.columns = {{"strategy"}, {"MAE", Column::Align::number}, {"audit"}},
              .rows = {{{"uniform"}, {"1.5"}, {"holds", Tone::good}}}});
  const std::string html = page.html();
  EXPECT_NE(html.find("<td>uniform</td>"), std::string::npos);
  EXPECT_NE(html.find("<td class=\"number\">1.5</td>"), std::string::npos);
  EXPECT_NE(html.find("<td class=\"good\">holds</td>"), std::string::npos);
  EXPECT_NE(html.find("<th class=\"number\" scope=\"col\">MAE</th>"), std::string::npos);
}

TEST(Page, CanBePrintedTwice) {
  const Page page = full_page("plain");
  EXPECT_EQ(page.html(), page.html());
}

RC_GTEST_PROP(Page, SurvivesAnyText, (const std::string& text)) {
  const std::string hostile =
      *rc::gen::element<std::string>("<script>alert(1)</script>", "</style>", "\"><img>", "<!--", "&amp", "") + text;
  const std::string html = full_page(hostile).html();
  RC_ASSERT(imbalance(html) == "");
  RC_ASSERT(html.find("<script") == std::string::npos);
  RC_ASSERT(html.find("<img") == std::string::npos);
}

}  // namespace
