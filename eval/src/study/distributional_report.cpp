// The page of the distributional study.
#include <algorithm>
#include <cmath>

#include "fugu/report/number.hpp"
#include "fugu/report/svg.hpp"
#include "fugu/study/distributional_study.hpp"

namespace fugu {

namespace {

using report::Chart;
using report::Colour;
using report::format_fixed;
using report::format_significant;
using Align = report::Column::Align;

constexpr std::size_t kBernoulli = 1;  // in distributional_cases()

std::vector<report::Point> qq_points(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  std::vector<report::Point> points;
  const auto count = static_cast<double>(values.size());
  constexpr std::size_t kTail = 50;  // all of these at both ends, and some between
  const std::size_t stride = values.size() / 400 + 1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i >= kTail && i + kTail < values.size() && i % stride != 0) continue;
    points.push_back({-normal_upper_quantile((static_cast<double>(i) + 0.5) / count), values[i]});
  }
  return points;
}

Chart qq_chart(const DistributionalRow& row) {
  Chart chart({.title = "Q–Q plot against the normal law",
               .description = "Ordered sums against normal quantiles; a straight line is a normal law.",
               .x = {.label = "normal quantile"},
               .y = {.label = "sum over all meters"}});
  chart.add(
      report::Dots({.label = "sum of readings", .colour = Colour::vermilion, .size_px = 4}, qq_points(row.readings)));
  chart.add(report::Line({.label = "sum of what is sent", .colour = Colour::blue}, qq_points(row.sent)));
  return chart;
}

Chart scatter_chart(const DistributionalRow& row) {
  constexpr std::size_t kShown = 3000;
  std::vector<report::Point> points;
  for (std::size_t i = 0; i < std::min(kShown, row.readings.size()); ++i)
    points.push_back({row.readings[i], row.sent[i]});
  Chart chart({.title = "Sum of readings and sum of what is sent",
               .description = "Each dot is one sample.",
               .x = {.label = "sum of readings"},
               .y = {.label = "sum of what is sent"}});
  chart.add(report::Dots({.colour = Colour::blue, .size_px = 3}, std::move(points)));
  return chart;
}

Chart mixture_chart() {
  const ReadingMixture mixture;
  std::vector<report::Point> points;
  for (std::int64_t step = 0; step <= ReadingMixture::kSteps; ++step)
    points.push_back(
        {static_cast<double>(step) / ReadingMixture::kSteps, mixture.probability(step) * ReadingMixture::kSteps});
  Chart chart({.title = "The law of readings",
               .description = "Density of the lognormal mixture.",
               .x = {.label = "reading"},
               .y = {.label = "density"}});
  chart.add(report::Line({.colour = Colour::ink}, std::move(points)));
  return chart;
}

Chart watch_chart(const WatchCurve& curve) {
  std::vector<report::Tick> ticks;
  const auto points = [&](const std::vector<double>& values) {
    std::vector<report::Point> line;
    for (std::size_t i = 0; i < values.size(); ++i) line.push_back({std::log10(curve.slots[i]), values[i]});
    return line;
  };
  for (int power = 0; power <= 3; ++power)
    ticks.push_back({static_cast<double>(power), report::format_count(std::llround(std::pow(10, power)))});
  Chart chart({.title = "An adversary who knows everybody else",
               .description = "Advantage in telling two households apart, by slots watched.",
               .x = {.label = "slots watched", .ticks = ticks},
               .y = {.label = "advantage", .lo = 0, .hi = 1}});
  const std::vector<double> bound(curve.slots.size(), curve.bound);
  chart.add(report::Line({.label = "bound for ε = 1", .colour = Colour::ink, .dashed = true}, points(bound)));
  chart.add(report::Line({.label = "no constants", .colour = Colour::vermilion}, points(curve.off)));
  chart.add(report::Line({.label = "constants drawn anew in each slot", .colour = Colour::ochre, .dashed = true},
                         points(curve.redrawn)));
  chart.add(report::Line({.label = "constants drawn once", .colour = Colour::blue, .width_px = 3}, points(curve.once)));
  return chart;
}

Chart autocorrelation_chart(const std::vector<DailyAutocorrelation>& households) {
  const double band = 1.96 / std::sqrt(static_cast<double>(kAutocorrelationPairs));
  Chart chart({.title = "Autocorrelation over days of the first household",
               .description = "At midnight, 7 am and 6 pm, with the 95 % band of independent normal values.",
               .x = {.label = "lag", .unit = "days"},
               .y = {.label = "autocorrelation"}});
  const auto lags = static_cast<double>(kDailyLoadDays - kAutocorrelationPairs);
  chart.add(report::Band({.label = "95 % band", .colour = Colour::slate}, {{1, -band, band}, {lags, -band, band}}));
  constexpr Colour kColours[] = {Colour::blue, Colour::vermilion, Colour::green};
  std::size_t drawn = 0;
  for (const DailyAutocorrelation& one : households) {
    if (one.household != households.front().household || drawn == std::size(kColours)) continue;
    std::vector<report::Point> points;
    for (std::size_t i = 0; i < one.by_lag.size(); ++i) points.push_back({static_cast<double>(i + 1), one.by_lag[i]});
    chart.add(report::Line({.label = one.time, .colour = kColours[drawn++]}, std::move(points)));
  }
  return chart;
}

/// Figure 3, left: the first household.
Chart scatter_by_time(const std::vector<DailyLoad>& loads) {
  std::vector<report::Point> points;
  for (const DailyLoad& load : loads) {
    if (load.household != loads.front().household) continue;
    for (const double kwh : load.kwh) points.push_back({static_cast<double>(load.half_hour) / 2, kwh});
  }
  std::vector<report::Tick> ticks;
  for (int hour = 0; hour <= 24; hour += 3) ticks.push_back({static_cast<double>(hour), std::to_string(hour)});
  Chart chart({.title = "Load by time of day of the first household",
               .description = "A dot is one half hour of one day: where they are dense, that load is likely.",
               .x = {.label = "time of day", .unit = "h", .lo = 0, .hi = 24, .ticks = ticks},
               .y = {.label = "load", .unit = "kWh", .lo = 0}});
  chart.add(report::Dots({.colour = Colour::blue, .size_px = 3}, std::move(points)));
  return chart;
}

void add_households(report::Page& page, const std::vector<DailyLoad>& loads, std::uint64_t seed) {
  page.section("Are days independent?");
  const auto autocorrelations = daily_autocorrelations(loads);
  page.figure(autocorrelation_chart(autocorrelations),
              "Figure 2 on other households: half hours of the same time of day.");
  page.paragraph("Over all households, times and lags, " + format_fixed(100 * share_outside_band(autocorrelations), 1) +
                 " % lie outside of the 95 % band; 5 % would for independent normal values.");
  page.section("What law do readings follow?");
  page.figure(scatter_by_time(loads),
              "Figure 3, left, on another household: half hours of " + std::to_string(kDailyLoadDays) + " days.");
  page.table(load_shapes_table(load_shapes(loads, seed)));
}

report::Table constants_table(const DistributionalStudyOptions& options) {
  report::Table table{.caption =
                          "Capped and hidden (δ = 10⁻⁶, half of ε each) where a meter deviates by 0.2 at most: "
                          "mean error of the constant, and standard deviation added in each slot",
                      .columns = {{"ε", Align::number},
                                  {"constant, capped", Align::number},
                                  {"constant, hidden", Align::number},
                                  {"added, capped", Align::number},
                                  {"added, hidden", Align::number}}};
  const ReadingMixture mixture;
  const auto meters = static_cast<double>(options.meters);
  for (const double epsilon : {0.1, 0.5, 1.0, 2.0}) {
    DistributionalPlan plan{.form = DistributionalForm::capped,
                            .clamp = {0, ReadingMixture::kSteps},
                            .epsilon = epsilon,
                            .spread_steps = 200,
                            .half_width_steps = 1600};
    const auto capped = ParameterNoise::make(plan, 1);
    plan.form = DistributionalForm::hidden;
    plan.delta = 1e-6;
    const auto hidden = ParameterNoise::make(plan, 1);
    FUGU_CHECK(capped && hidden);
    constexpr double kUnit = 1.0 / ReadingMixture::kSteps;
    table.rows.push_back({{format_significant(epsilon)},
                          {format_fixed(capped->mean_scale()->to_double() * kUnit, 1)},
                          {format_fixed(hidden->mean_scale()->to_double() * kUnit, 1)},
                          {format_fixed(std::sqrt(meters * (0.2 * 0.2 - mixture.sd() * mixture.sd())), 2)},
                          {format_fixed(std::sqrt(static_cast<double>(hidden->variance_shift_steps())) * kUnit, 2)}});
  }
  return table;
}

}  // namespace

report::Table distributional_summary(const std::vector<DistributionalRow>& rows) {
  const auto cases = distributional_cases();
  FUGU_CHECK(rows.size() == cases.size());
  report::Table table{.caption =
                          "Sums over all meters: correlation of what was read and what is sent, their standard "
                          "deviations, and how far from normal the second is",
                      .columns = {{"what is sent"},
                                  {"correlation", Align::number},
                                  {"sd read", Align::number},
                                  {"sd sent", Align::number},
                                  {"expected", Align::number},
                                  {"ratio", Align::number},
                                  {"mean off", Align::number},
                                  {"skewness", Align::number},
                                  {"kurtosis", Align::number}}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const DistributionalRow& row = rows[i];
    table.rows.push_back({{cases[i].name},
                          {format_fixed(row.correlation, 2)},
                          {format_fixed(row.sd_readings, 2)},
                          {format_fixed(row.sd_sent, 2)},
                          {format_fixed(row.sd_expected, 2)},
                          {format_fixed(row.sd_sent / row.sd_readings, 2)},
                          {format_fixed(row.mean_difference, 2)},
                          {format_fixed(row.skewness, 2)},
                          {format_fixed(row.kurtosis, 2)}});
  }
  return table;
}

report::Table load_shapes_table(const std::vector<LoadShape>& shapes) {
  report::Table table{.caption =
                          "Readings of a household at the same time of day: half hours in which they are not normal "
                          "(level 5 %), in which two lognormal laws describe them better than one, and the correlation "
                          "with normal scores that equation 8 keeps",
                      .columns = {{"household"},
                                  {"half hours", Align::number},
                                  {"not normal", Align::number},
                                  {"mixture", Align::number},
                                  {"correlation, least", Align::number},
                                  {"at noon", Align::number},
                                  {"largest", Align::number}}};
  for (const LoadShape& shape : shapes) {
    table.rows.push_back({{shape.household},
                          {std::to_string(shape.half_hours)},
                          {std::to_string(shape.not_normal)},
                          {std::to_string(shape.mixtures)},
                          {format_fixed(shape.least, 2)},
                          {format_fixed(shape.noon, 2)},
                          {format_fixed(shape.largest, 2)}});
  }
  return table;
}

std::vector<StudyPicture> distributional_pictures(const std::vector<DistributionalRow>& rows, const WatchCurve& curve,
                                                  const std::vector<DailyLoad>& loads) {
  std::vector<StudyPicture> pictures = {
      {"distributional-qq.svg", qq_chart(rows[kDrawnCase]).standalone_svg()},
      {"distributional-scatter.svg", scatter_chart(rows[kDrawnCase]).standalone_svg()},
      {"distributional-watch.svg", watch_chart(curve).standalone_svg()}};
  if (!loads.empty()) pictures.push_back({"distributional-day.svg", scatter_by_time(loads).standalone_svg()});
  return pictures;
}

std::string distributional_page(const DistributionalStudyOptions& options, const std::vector<DistributionalRow>& rows,
                                const WatchCurve& curve, const std::vector<DailyLoad>& loads) {
  const auto bound = std::sqrt(static_cast<double>(options.meters)) / 2;
  report::Page page({.title = "Distributional privacy",
                     .subtitle = report::format_count(static_cast<std::int64_t>(options.meters)) + " meters, " +
                                 report::format_count(static_cast<std::int64_t>(options.samples)) + " samples"});
  page.note(
      "The paper prints no parameters of its mixture. Ours is fitted to three of its numbers, so that the correlation "
      "0.7 and, for 1,000 meters, the standard deviations 4.82 and 9.15 agree by construction; everything else is "
      "found."
      " Standard deviations of sums grow with the root of the number of meters.");
  page.section("What meters send").table(distributional_summary(rows));
  page.paragraph("Bernoulli: the bound on the standard deviation is √n/2 = " + format_fixed(bound, 2) + "; found is " +
                 format_fixed(rows[kBernoulli].sd_sent, 2) + ".");
  page.figure(mixture_chart(), "Figure 3, right: the law of readings as fitted.");
  page.figure(qq_chart(rows[kDrawnCase]),
              "Figure 4, left: sums of readings are almost normal, and what is sent is normal.");
  page.figure(scatter_chart(rows[kDrawnCase]),
              "Figure 4, right: sums of readings and of what is sent in the same slot.");
  page.section("What the constants cost").table(constants_table(options));
  page.paragraph(
      "Capped, every meter's spread is raised to the public one, which costs no ε; hidden, one constant variance hides "
      "the sum of all. With few meters or a small ε the first adds less, otherwise the second. Besides, the kernel's "
      "noise in each slot is for twice the width of what a meter sends: 8 spreads capped at four of them, 16 hidden.");
  page.section("An adversary")
      .figure(watch_chart(curve),
              "Two households whose means are as far apart as can be; per-slot noise for event level, "
              "ε = 1; 200 trials each, so that a point is off by 0.07 or less, mostly.");
  if (!loads.empty()) add_households(page, loads, options.seed);
  return page.html();
}

}  // namespace fugu
