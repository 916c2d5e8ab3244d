#include "fugu/report/svg.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "fugu/report/number.hpp"
#include "report/balance.hpp"

namespace {

using namespace fugu::report;
using fugu::test::count;
using fugu::test::imbalance;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<Point> wave(std::size_t points) {
  std::vector<Point> wave;
  for (std::size_t i = 0; i < points; ++i)
    wave.push_back({static_cast<double>(i), std::sin(static_cast<double>(i) / 50.0)});
  return wave;
}

/// The d attribute of the n-th path (from 0) of a picture.
std::string path(const std::string& svg, int n) {
  std::size_t at = 0;
  for (int i = 0; i <= n; ++i) at = svg.find(" d=\"", at + 1);
  return svg.substr(at + 4, svg.find('"', at + 4) - at - 4);
}

TEST(Downsample, LeavesShortStreamsAlone) { EXPECT_EQ(downsample(wave(400), {0.0, 399.0}, 100).size(), 400U); }

TEST(Downsample, KeepsASpikeOfOneSlotInAMillion) {
  auto points = wave(1'000'000);
  points[123'456].y = 99.0;
  points[654'321].y = -77.0;
  const auto kept = downsample(points, {0.0, 999'999.0}, 800);
  EXPECT_LE(kept.size(), 4U * 801U);
  EXPECT_TRUE(std::ranges::is_sorted(kept, {}, &Point::x));
  EXPECT_EQ(std::ranges::max(kept, {}, &Point::y).x, 123'456.0);
  EXPECT_EQ(std::ranges::min(kept, {}, &Point::y).x, 654'321.0);
  EXPECT_EQ(kept.front().x, 0.0);
  EXPECT_EQ(kept.back().x, 999'999.0);
}

TEST(Downsample, KeepsLongGapsAndForgetsThoseBelowAPixel) {
  auto points = wave(100'000);
  for (std::size_t i = 50'000; i < 60'000; ++i) points[i].y = kNan;
  points[10].y = kNan;
  const auto kept = downsample(points, {0.0, 99'999.0}, 100);
  const auto gaps = std::ranges::count_if(kept, [](const Point& point) { return std::isnan(point.y); });
  EXPECT_GE(gaps, 9);
  EXPECT_LE(gaps, 10);
}

TEST(Downsample, BandsKeepTheirWidestExtent) {
  std::vector<Span> spans;
  for (int i = 0; i < 100'000; ++i) spans.push_back({static_cast<double>(i), -1.0, 1.0});
  spans[777].upper = 50.0;
  spans[888].lower = -60.0;
  const auto kept = downsample(spans, {0.0, 99'999.0}, 100);
  EXPECT_LE(kept.size(), 202U);
  EXPECT_EQ(std::ranges::max(kept, {}, &Span::upper).upper, 50.0);
  EXPECT_EQ(std::ranges::min(kept, {}, &Span::lower).lower, -60.0);
}

TEST(Chart, HasEverythingAReaderNeeds) {
  Chart chart({.title = "North <feeder>",
               .description = "Load & band",
               .x = {.label = "time", .unit = "slot"},
               .y = {.label = "load", .unit = "kW"}});
  chart.add(Band({.label = "95 % band"}, {{0.0, 1.0, 3.0}, {1.0, 2.0, 4.0}}));
  chart.add(Line({.label = "released", .shape = Shape::steps}, {{0.0, 2.0}, {1.0, 3.0}}));
  chart.add(Line({.label = "truth", .colour = Colour::ink, .dashed = true}, {{0.0, 2.5}, {1.0, 2.5}}));
  for (const std::string& svg : {chart.inline_svg("one"), chart.standalone_svg()}) {
    EXPECT_EQ(imbalance(svg), "");
    for (const auto* part : {"role=\"img\"", "<title id=", "<desc id=", "Load &amp; band", "North &lt;feeder&gt;",
                             "95 % band", "released", "truth", "time (slot)", "load (kW)", "stroke-dasharray"})
      EXPECT_NE(svg.find(part), std::string::npos) << part;
    for (const auto* outside : {"<script", "href", "@import", "src="})
      EXPECT_EQ(svg.find(outside), std::string::npos) << outside;
  }
  EXPECT_NE(chart.standalone_svg().find("fugu-card"), std::string::npos);
  EXPECT_EQ(chart.inline_svg("one").find("<style"), std::string::npos);
  EXPECT_NE(chart.inline_svg("one").find("aria-labelledby=\"one-title one-desc\""), std::string::npos);
}

TEST(Chart, StepsHoldAValueUntilTheNext) {
  Chart straight({});
  straight.add(Line({}, {{0.0, 0.0}, {1.0, 1.0}, {2.0, 1.0}}));
  Chart steps({});
  steps.add(Line({.shape = Shape::steps}, {{0.0, 0.0}, {1.0, 1.0}, {2.0, 1.0}}));
  EXPECT_EQ(count(path(straight.inline_svg("a"), 0), "L"), 2U);
  EXPECT_EQ(count(path(steps.inline_svg("a"), 0), "L"), 3U);  // one corner more, none where the value repeats
}

TEST(Chart, GapsBreakLinesAndBands) {
  Chart chart({});
  chart.add(Band({}, {{0.0, 0.0, 1.0}, {1.0, 0.0, 1.0}, {2.0, kNan, 1.0}, {3.0, 0.0, 1.0}, {4.0, 0.0, 1.0}}));
  chart.add(Line({}, {{0.0, 0.0}, {1.0, 1.0}, {2.0, kNan}, {3.0, 1.0}, {4.0, kNan}, {5.0, 2.0}}));
  const std::string svg = chart.inline_svg("a");
  EXPECT_EQ(count(path(svg, 0), "M"), 2U);
  EXPECT_EQ(count(path(svg, 0), "Z"), 2U);
  EXPECT_EQ(count(path(svg, 1), "M"), 3U);
  EXPECT_EQ(count(path(svg, 1), "h0"), 2U);  // the two lonely points
}

TEST(Chart, ExplicitTicksReplaceNumbersAndDoNotOverlap) {
  std::vector<Tick> ticks;
  for (int i = 0; i < 100; ++i) ticks.push_back({static_cast<double>(i), "2026-03-29T01:45:00+01:00"});
  Chart chart({.x = {.ticks = ticks}});
  chart.add(Line({}, wave(100)));
  const std::string svg = chart.inline_svg("a");
  EXPECT_GE(count(svg, "2026-03-29"), 2U);
  EXPECT_LE(count(svg, "2026-03-29"), 5U);
}

TEST(Chart, FixedBoundsWin) {
  Chart chart({.y = {.lo = 0.0, .hi = 10.0}});
  chart.add(Line({}, {{0.0, -1000.0}, {1.0, 1000.0}}));
  const std::string svg = chart.inline_svg("a");
  EXPECT_NE(svg.find(">10</text>"), std::string::npos);
  EXPECT_EQ(svg.find("000</text>"), std::string::npos);
}

TEST(Chart, AnEmptyChartIsAChart) {
  EXPECT_EQ(imbalance(Chart({}).standalone_svg()), "");
  Chart nothing({.title = "t"});
  nothing.add(Line({.label = "none"}, {})).add(Band({.label = "none"}, {{0.0, kNan, kNan}}));
  EXPECT_EQ(imbalance(nothing.inline_svg("x")), "");
}

TEST(Chart, LongStreamsStaySmall) {
  Chart chart({});
  chart.add(Line({}, wave(2'000'000)));
  EXPECT_LT(chart.inline_svg("a").size(), 100'000U);
}

TEST(Chart, ManyLongLegendEntriesGetRowsOfTheirOwn) {
  Chart chart({.width_px = 320.0, .height_px = 240.0});
  for (int i = 0; i < 10; ++i) chart.add(Line({.label = std::string(500, 'w')}, wave(10)));
  const std::string svg = chart.standalone_svg();
  EXPECT_EQ(imbalance(svg), "");
  EXPECT_EQ(count(svg, "w…"), 10U);
}

TEST(Chart, BoxPlotsGoFromQuartileToQuartile) {
  Chart chart({.x = {.lo = 0.0, .hi = 2.0}, .y = {.lo = 0.0, .hi = 10.0}});
  chart.add(BoxPlots({.label = "Uniform", .width = 1}, {{1, 0, 2, 5, 8, 10, "zone <1>"}}));
  const std::string svg = chart.standalone_svg();
  EXPECT_EQ(imbalance(svg), "");
  EXPECT_EQ(count(svg, "class=\"fugu-box "), 1U);
  EXPECT_NE(svg.find("<title>zone &lt;1&gt;</title>"), std::string::npos);
  const auto number_after = [&](const char* name, std::size_t from) {
    return std::stod(svg.substr(svg.find(name, from) + std::string_view(name).size()));
  };
  const std::size_t box = svg.find("class=\"fugu-box ");
  const double box_px = number_after(" height=\"", box);
  EXPECT_GT(box_px, 50);
  // The whiskers stand out by a third of the box on either side: (10 − 8) to (8 − 2).
  const std::string whiskers = svg.substr(0, box);
  const std::size_t d = whiskers.rfind(" d=\"");
  double x = 0, top = 0, upper = 0;
  ASSERT_EQ(std::sscanf(whiskers.c_str() + d, " d=\"M%lf %lfL%*f %lf", &x, &top, &upper), 3) << whiskers.substr(d, 80);
  EXPECT_NEAR(upper - top, box_px / 3, 0.1);
}

TEST(Scale, DecadesCoverTheLogarithms) {
  const auto ticks = decade_ticks({-1.5, 0.3});
  ASSERT_EQ(ticks.size(), 4U);
  EXPECT_EQ(ticks.front().label, "0.01");
  EXPECT_EQ(ticks.back().label, "10");
  const auto large = decade_ticks({3, 6});
  ASSERT_EQ(large.size(), 4U);
  EXPECT_EQ(large.front().label, format_count(1000)) << "as on linear axes";
  EXPECT_EQ(large.back().label, format_count(1'000'000));
}

TEST(Chart, DotsAreNotJoined) {
  Chart chart({.title = "dots"});
  chart.add(Dots({.label = "samples"}, {{2.0, 1.0}, {1.0, 3.0}, {kNan, 2.0}, {3.0, kNan}}));
  const std::string svg = chart.standalone_svg();
  EXPECT_EQ(imbalance(svg), "");
  EXPECT_NE(svg.find("stroke-opacity"), std::string::npos);
  EXPECT_EQ(count(svg, "h0"), 2U + 3U) << "what is not finite is left out; three dots in the legend";
}

TEST(Chart, BoxesShowTheirLabelWhereItFits) {
  Chart chart({});
  chart.add(Boxes({.label = "wishes"}, {{.x = {0, 10}, .y = {0, 2}, .label = "2.1", .hint = "an <oven>"},
                                        {.x = {10, 10.01}, .y = {0, 0.001}, .label = "no room"}}));
  const std::string svg = chart.standalone_svg();
  EXPECT_EQ(imbalance(svg), "");
  EXPECT_EQ(count(svg, "class=\"fugu-box"), 2U) << "thin ones are drawn, too";
  EXPECT_EQ(count(svg, ">2.1<"), 1U);
  EXPECT_EQ(count(svg, "no room"), 0U);
  EXPECT_EQ(count(svg, "<title>an &lt;oven&gt;</title>"), 1U);
  EXPECT_EQ(count(svg, ">wishes<"), 1U);
}

TEST(Chart, ShadesHaveAnEntryInTheLegendOnlyWhenThereAreSome) {
  const auto picture = [](std::vector<Interval> parts) {
    Chart chart({});
    chart.add(Shades({.label = "night"}, std::move(parts)));
    chart.add(Line({}, wave(10)));
    return chart.standalone_svg();
  };
  EXPECT_EQ(count(picture({{2, 4}}), ">night<"), 1U);
  EXPECT_EQ(count(picture({}), ">night<"), 0U);
}

TEST(ChartStack, AlignsItsPlots) {
  std::vector<Chart> charts;
  for (const double height : {1.0, 1e6}) {  // labels of different width
    charts.push_back(Chart({.title = "a chart", .description = "of a line.", .x = {.lo = 0.0, .hi = 10.0}}));
    charts.back().add(Line({}, {{0.0, 0.0}, {10.0, height}}));
  }
  const ChartStack stack(std::move(charts));
  const std::string svg = stack.standalone_svg();
  EXPECT_EQ(imbalance(svg), "");
  EXPECT_EQ(count(svg, "<svg"), 1U);
  EXPECT_EQ(count(svg, "<style"), 1U);
  const auto left = [&](int n) { return path(svg, n).substr(0, path(svg, n).find(' ')); };
  EXPECT_EQ(left(0), left(1));
  EXPECT_EQ(imbalance(stack.inline_svg("id")), "");
}

RC_GTEST_PROP(Chart, SurvivesAnyTextAndNumbers, ()) {
  const auto text = *rc::gen::arbitrary<std::string>() + *rc::gen::element<std::string>("<>&\"'", "</svg>", "]]>", "");
  const auto number = rc::gen::oneOf(rc::gen::arbitrary<double>(),
                                     rc::gen::element(kNan, std::numeric_limits<double>::infinity(), 0.0,
                                                      -std::numeric_limits<double>::infinity(), 1e308, -1e308));
  std::vector<Point> points;
  std::vector<Span> spans;
  for (int i = 0; i < *rc::gen::inRange(0, 30); ++i) {
    points.push_back({static_cast<double>(i), *number});
    spans.push_back({static_cast<double>(i), *number, *number});
  }
  const Shape shape = *rc::gen::element(Shape::straight, Shape::steps);
  Chart chart({.title = text, .description = text, .x = {.label = text, .unit = text}, .y = {.label = text}});
  chart.add(Band({.label = text, .shape = shape}, spans)).add(Line({.label = text, .shape = shape}, points));
  for (const std::string& svg : {chart.standalone_svg(), chart.inline_svg("id")}) {
    RC_ASSERT(imbalance(svg) == "");
    for (int i = 0; i < 2 && svg.find(" d=\"") != std::string::npos; ++i) {
      const std::string drawn = path(svg, i);
      RC_ASSERT(drawn.find("nan") == std::string::npos);
      RC_ASSERT(drawn.find("inf") == std::string::npos);
    }
  }
}

TEST(HeatMap, ColoursCellsAndWritesWhatFits) {
  Chart chart({.x = {.lo = 0.0, .hi = 2.0}, .y = {.lo = 0.0, .hi = 2.0}});
  chart.add(HeatMap({{.x = {0, 1}, .y = {0, 1}, .heat = 1, .label = "1.00", .hint = "uniform <best>"},
                     {.x = {1, 2}, .y = {0, 1}, .heat = 7, .label = std::string(400, 'm')},
                     {.x = {0, 2}, .y = {1, 2}, .label = "amplitude 10"}}));
  const std::string svg = chart.standalone_svg();
  EXPECT_EQ(imbalance(svg), "");
  EXPECT_EQ(count(svg, "class=\"fugu-heat-1\""), 1U);
  EXPECT_EQ(count(svg, "class=\"fugu-heat-7\""), 1U);
  EXPECT_NE(svg.find(">1.00<"), std::string::npos);
  EXPECT_NE(svg.find("uniform &lt;best&gt;"), std::string::npos);
  EXPECT_NE(svg.find(">amplitude 10<"), std::string::npos);
  EXPECT_EQ(svg.find("mmmm"), std::string::npos) << "a number that does not fit is left out, not cut";
}

}  // namespace
