#include "fugu/report/theme.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace {

using fugu::report::Theme;

/// Relative luminance of #rrggbb as WCAG 2.1 defines it.
double luminance(std::string_view colour) {
  const auto channel = [&](std::size_t at) {
    const double value = std::stoi(std::string(colour.substr(at, 2)), nullptr, 16) / 255.0;
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}

double contrast(std::string_view a, std::string_view b) {
  const double one = luminance(a) + 0.05;
  const double other = luminance(b) + 0.05;
  return std::max(one, other) / std::min(one, other);
}

TEST(Theme, ContrastIsComputedRight) { EXPECT_NEAR(contrast("#ffffff", "#000000"), 21.0, 1e-9); }

TEST(Theme, TextAndSeriesAreLegible) {
  for (const Theme* theme : {&fugu::report::kLight, &fugu::report::kDark}) {
    for (const auto text : {theme->ink, theme->muted, theme->good, theme->bad}) {
      EXPECT_GE(contrast(text, theme->background), 4.5) << text;
      EXPECT_GE(contrast(text, theme->surface), 4.5) << text;
    }
    for (const auto line : theme->series) EXPECT_GE(contrast(line, theme->background), 3.0) << line;
  }
}

TEST(Theme, NumbersInHeatMapsAreLegible) {
  for (const auto& heat : fugu::report::kHeat) EXPECT_GE(contrast(heat.ink, heat.fill), 4.5) << heat.fill;
}

TEST(Theme, StyleFitsInsideMarkup) {
  const std::string css = fugu::report::chart_css();
  EXPECT_EQ(css.find_first_of("<>&"), std::string::npos);
  EXPECT_NE(css.find("prefers-color-scheme:dark"), std::string::npos);
  EXPECT_NE(css.find(fugu::report::fill_class(fugu::report::Colour::ochre).append("{")), std::string::npos);
}

}  // namespace
