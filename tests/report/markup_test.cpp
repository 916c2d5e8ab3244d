#include "fugu/report/markup.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "report/balance.hpp"

namespace {

using fugu::report::escape;
using fugu::report::MarkupWriter;
using fugu::test::imbalance;

constexpr const char* kReplacement = "\xEF\xBF\xBD";

TEST(Escape, NeutralisesMarkup) {
  EXPECT_EQ(escape("<a href=\"x\" b='y'>&</a>"), "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;&lt;/a&gt;");
  EXPECT_EQ(escape("ε ≤ 1 😀\t\n"), "ε ≤ 1 😀\t\n");
}

TEST(Escape, ReplacesWhatNoParserAccepts) {
  EXPECT_EQ(escape(std::string_view("a\0b", 3)), std::string("a").append(kReplacement).append("b"));
  EXPECT_EQ(escape("\x1b"), kReplacement);
  EXPECT_EQ(escape("\xff"), kReplacement);
  EXPECT_EQ(escape("\xce"), kReplacement);                                        // the first half of ε
  EXPECT_EQ(escape("\xc0\xaf"), std::string(kReplacement).append(kReplacement));  // overlong
  EXPECT_EQ(escape("\xed\xa0\x80").substr(0, 3), kReplacement);                   // surrogate
  EXPECT_EQ(escape("\xef\xbf\xbf"), kReplacement);                                // U+FFFF
}

TEST(Balance, NoticesBrokenDocuments) {
  EXPECT_EQ(imbalance("<a x=\"1\"><b/>text &lt;</a>\n"), "");
  for (const auto* broken : {"", "text", "<a>", "</a>", "<a><b></a></b>", "<a>&</a>", "<a>></a>", "<a x=\"<\"/>",
                             "<a x=\"&\"></a>", "<a></a><b></b>", "<a", "<a \"b\"></a>", "<a></a>text"})
    EXPECT_NE(imbalance(broken), "") << broken;
}

RC_GTEST_PROP(Escape, AnyTextAndAttributeStaysWellFormed, ()) {
  const auto piece =
      rc::gen::oneOf(rc::gen::element<std::string>("<", ">", "&", "\"", "'", "</a>", "]]>", "<!--", "&#0;"),
                     rc::gen::arbitrary<std::string>());
  std::string hostile;
  for (const auto& part : *rc::gen::container<std::vector<std::string>>(piece)) hostile += part;
  MarkupWriter writer;
  writer.open("a", {{"title", hostile}});
  writer.element("b", {}, hostile);
  writer.empty("c", {{"x", hostile}});
  writer.close();
  const std::string markup = std::move(writer).finish();
  RC_ASSERT(imbalance(markup) == "");
}

}  // namespace
