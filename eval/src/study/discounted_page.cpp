// The report of the discounted study.
#include <algorithm>
#include <array>
#include <cmath>

#include "fugu/accounting/definition_kind.hpp"
#include "fugu/report/html.hpp"
#include "fugu/report/number.hpp"
#include "fugu/report/svg.hpp"
#include "fugu/study/discounted_study.hpp"

namespace fugu {

namespace {

using report::Axis;
using report::Chart;
using report::Colour;
using report::Line;
using report::Point;
using Align = report::Column::Align;
using Schedule = DiscountedSchedule;

constexpr const char* kEquals = "\u00a0=\u00a0";  // does not break over two lines of a table

struct Drawn {
  Schedule schedule;
  Colour colour;
  const char* label;
  bool dashed = false;
};

constexpr std::array kDrawn = {Drawn{Schedule::published, Colour::vermilion, "published"},
                               Drawn{Schedule::equal, Colour::blue, "equal (ours, online)"},
                               Drawn{Schedule::planned, Colour::green, "planned (ours, horizon known)", true}};

/// Errors differ by powers of ten: they are drawn as logarithms.
double drawn_error(double relative_error) { return std::log10(relative_error); }

/// A chart of errors. An axis that fits them can be made once all lines are known.
class ErrorChart {
 public:
  void add(Line::Options style, std::vector<Point> points) {
    for (const Point& point : points) {
      if (!std::isfinite(point.y)) continue;
      lowest_ = std::min(lowest_, point.y);
      highest_ = std::max(highest_, point.y);
    }
    lines_.emplace_back(std::move(style), std::move(points));
  }
  Chart make(std::string title, std::string description, Axis x) {
    Chart chart({.title = std::move(title),
                 .description = std::move(description),
                 .x = std::move(x),
                 .y = {.label = "expected relative error", .ticks = report::decade_ticks({lowest_, highest_})},
                 .height_px = 300});
    for (Line& line : lines_) chart.add(std::move(line));
    return chart;
  }

 private:
  double lowest_ = HUGE_VAL;
  double highest_ = -HUGE_VAL;
  std::vector<Line> lines_;
};

class DiscountedPage {
 public:
  explicit DiscountedPage(const DiscountedStudy& study)
      : study_(study),
        page_({.title = "Discounted differential privacy",
               .subtitle = "Daily averages of households: the schedules of Farokhi's paper and ours"}) {}

  Result<std::string> html();

 private:
  Result<void> compute();
  void add_population(std::size_t population);
  void add_histogram(std::size_t population);
  void add_averages(std::size_t population);
  void add_over_time(std::size_t population, Protects protects, double factor, const std::string& title);
  void add_over_factor(std::size_t population, Protects protects, const std::string& title);
  void add_table(std::size_t population);
  const DiscountedCourse* find(std::size_t population, Protects protects, double factor, Schedule schedule) const;

  const DiscountedStudy& study_;
  std::vector<DiscountedCourse> courses_;  // by cell
  report::Page page_;
};

Result<void> DiscountedPage::compute() {
  for (const DiscountedCell& cell : study_.cells()) {
    FUGU_ASSIGN(DiscountedCourse course, study_.course(cell));
    courses_.push_back(std::move(course));
  }
  return {};
}

const DiscountedCourse* DiscountedPage::find(std::size_t population, Protects protects, double factor,
                                             Schedule schedule) const {
  for (std::size_t i = 0; i < courses_.size(); ++i) {
    const DiscountedCell& cell = study_.cells()[i];
    if (cell.population == population && cell.protects == protects && cell.factor == factor &&
        cell.schedule == schedule && !cell.count_protected)
      return &courses_[i];
  }
  return nullptr;
}

std::vector<Point> over_days(const DiscountedCourse& course) {
  std::vector<Point> points;
  for (std::size_t day = 0; day < course.relative_error.size(); ++day)
    points.push_back({static_cast<double>(day + 1), drawn_error(course.relative_error[day])});
  return points;
}

void DiscountedPage::add_histogram(std::size_t population) {
  const Population& shown = study_.populations()[population];
  std::vector<report::Box> boxes;
  std::int64_t most = 0;
  for (std::size_t kwh = 0; kwh < shown.days_by_kwh.size(); ++kwh) {
    const std::int64_t days = shown.days_by_kwh[kwh];
    most = std::max(most, days);
    if (days == 0) continue;
    boxes.push_back({.x = {static_cast<double>(kwh), static_cast<double>(kwh + 1)},
                     .y = {0, static_cast<double>(days)},
                     .hint = std::to_string(kwh) + " to " + std::to_string(kwh + 1) + " kWh: " + std::to_string(days)});
  }
  Chart chart({.title = "Days of single households",
               .description = "How many days of households had how much consumption, before they are clamped.",
               .x = {.label = "consumption of a household on a day", .unit = "kWh", .lo = 0},
               .y = {.label = "days of households", .lo = 0},
               .height_px = 260});
  chart.add(report::Boxes({.colour = Colour::blue}, std::move(boxes)));
  const double clamp_kwh = study_.options().clamp_kwh;
  if (clamp_kwh < static_cast<double>(shown.days_by_kwh.size()))
    chart.add(Line({.label = "clamp", .colour = Colour::vermilion, .dashed = true},
                   {{clamp_kwh, 0}, {clamp_kwh, static_cast<double>(most)}}));
  page_.figure(chart, "Days of all households (figure 1, left). The largest is " +
                          report::format_fixed(shown.largest_kwh, 1) +
                          " kWh: noise that was made for it would be made for a number that is read off the data.");
}

void DiscountedPage::add_averages(std::size_t population) {
  const Population& shown = study_.populations()[population];
  std::vector<Point> averages;
  for (std::size_t day = 0; day < shown.days(); ++day)
    averages.push_back({static_cast<double>(day + 1),
                        static_cast<double>(shown.sum_steps[day]) / 100 / static_cast<double>(shown.households[day])});
  Chart chart({.title = "Average day of a household",
               .description = "True daily consumption, averaged over the households present.",
               .x = {.label = "day"},
               .y = {.label = "consumption", .unit = "kWh", .lo = 0},
               .height_px = 260});
  chart.add(Line({.colour = Colour::ink}, std::move(averages)));
  const auto [least, most] = std::ranges::minmax_element(shown.households);
  page_.figure(chart, "What is to be reported (figure 1, right). Households present: " + std::to_string(*least) +
                          " to " + std::to_string(*most) + ".");
}

void DiscountedPage::add_over_time(std::size_t population, Protects protects, double factor, const std::string& title) {
  ErrorChart chart;
  const auto add = [&](Line::Options style, const DiscountedCourse& course) {
    if (!course.has_data()) style.label.append(": no data");
    chart.add(std::move(style), over_days(course));
  };
  if (protects == Protects::user) {
    add({.label = "published, no end (Corollary 8)", .colour = Colour::vermilion},
        *find(population, Protects::user, 0, Schedule::published));
    add({.label = "the same share every day", .colour = Colour::ochre},
        *find(population, Protects::user, 0, Schedule::uniform));
    add({.label = "single days protected only", .colour = Colour::slate, .dashed = true},
        *find(population, Protects::event, 0, Schedule::uniform));
  } else {
    for (const Drawn& drawn : kDrawn)
      add({.label = drawn.label, .colour = drawn.colour, .dashed = drawn.dashed},
          *find(population, protects, factor, drawn.schedule));
  }
  page_.figure(chart.make(title, "Expected relative error of each day's average, by schedule.", {.label = "day"}), "");
}

void DiscountedPage::add_over_factor(std::size_t population, Protects protects, const std::string& title) {
  const bool logarithmic = protects == Protects::discounted_hyp;
  Axis x{.label = logarithmic ? "discounting coefficient β" : "discount factor α"};
  std::array<std::vector<Point>, kDrawn.size()> points;
  for (std::size_t i = 0; i < courses_.size(); ++i) {
    const DiscountedCell& cell = study_.cells()[i];
    if (cell.population != population || cell.protects != protects || cell.count_protected) continue;
    const double at = logarithmic ? std::log10(cell.factor) : cell.factor;
    for (std::size_t k = 0; k < kDrawn.size(); ++k) {
      if (kDrawn[k].schedule != cell.schedule) continue;
      if (k == 0) x.ticks.push_back({at, result_number(cell.factor)});
      // What breaks its promise is left out, and what has no data.
      points[k].push_back({at, courses_[i].worst_share <= 1 ? drawn_error(courses_[i].mean_error()) : NAN});
    }
  }
  ErrorChart chart;
  for (std::size_t k = 0; k < kDrawn.size(); ++k)
    chart.add({.label = kDrawn[k].label, .colour = kDrawn[k].colour, .dashed = kDrawn[k].dashed}, std::move(points[k]));
  page_.figure(chart.make(title, "Mean expected relative error over all days, by schedule.", std::move(x)),
               logarithmic ? "Published schedules that break their definition are left out." : "");
}

void DiscountedPage::add_table(std::size_t population) {
  report::Table table{.caption = "Expected relative error of the average",
                      .columns = {{"definition"},
                                  {"schedule"},
                                  {"number of households"},
                                  {"mean", Align::number},
                                  {"first day", Align::number},
                                  {"last day", Align::number},
                                  {"certified gap", Align::number},
                                  {"verdict"}}};
  for (std::size_t i = 0; i < courses_.size(); ++i) {
    const DiscountedCell& cell = study_.cells()[i];
    if (cell.population != population) continue;
    const DiscountedCourse& course = courses_[i];
    std::string definition(name_of(cell.protects));
    if (cell.factor > 0)
      definition.append(", ").append(cell.protects.kind().parameter.symbol) += kEquals + result_number(cell.factor);
    std::vector<report::Cell> row = {
        {definition}, {std::string(name_of(cell.schedule))}, {cell.count_protected ? "protected" : "public"}};
    if (course.has_data()) {
      const bool holds = course.worst_share <= 1;
      for (const double error : {course.mean_error(), course.relative_error.front(), course.relative_error.back()})
        row.push_back({report::format_significant(100 * error) + " %"});
      row.push_back({cell.schedule == Schedule::planned ? report::format_significant(course.gap, 1) : "–"});
      row.push_back({holds ? "holds" : "BREAKS: " + report::format_significant(course.worst_share, 4) + " of 1",
                     holds ? report::Tone::good : report::Tone::bad});
    } else {
      row.insert(row.end(), 4, {"–"});
      row.push_back({"no data"});
    }
    table.rows.push_back(std::move(row));
  }
  page_.table(table);
}

void DiscountedPage::add_population(std::size_t population) {
  page_.section("Households: " + study_.populations()[population].name);
  add_histogram(population);
  add_averages(population);
  add_over_time(population, Protects::user, 0, "Plain differential privacy (figure 2, left)");
  add_over_time(population, Protects::discounted_exp, 0.9, "Exponential discounting, α = 0.9 (figure 2, middle)");
  add_over_time(population, Protects::discounted_hyp, 1, "Hyperbolic discounting, β = 1 (figure 2, right)");
  add_over_factor(population, Protects::discounted_exp, "Mean error over the discount factor (figure 3, left)");
  add_over_factor(population, Protects::discounted_hyp, "Mean error over the coefficient (figure 3, right)");
  add_table(population);
}

Result<std::string> DiscountedPage::html() {
  FUGU_TRY(compute());
  const DiscountedStudyOptions& options = study_.options();
  page_.note("This page shows true averages. It is for those who may see them.");
  page_.paragraph(
      "ε = " + report::format_significant(options.epsilon) + "; a household's day counts up to " +
      report::format_significant(options.clamp_kwh) +
      " kWh, a public bound (the paper read its 200 kWh off the data, which is not private). Errors are "
      "expectations under the noise that the kernel would draw. Where the number of households is protected "
      "as well, it is a second series that shares the budget, and the error is the mean of " +
      std::to_string(options.runs) + " runs with seed " + std::to_string(options.seed) + ".");
  page_.paragraph(
      "published: Corollaries 8, 12 and 16 as printed. equal: all that past losses leave, every day. planned: the "
      "least mean error over all days, with the certified distance from the best; planned-largest: the least error of "
      "the worst day. docs/guarantees/discounted.md has the proofs.");
  const auto missing = std::ranges::count_if(courses_, [](const DiscountedCourse& one) { return !one.has_data(); });
  if (missing > 0)
    page_.note("No data for " + std::to_string(missing) + " of " + std::to_string(courses_.size()) +
               " schedules: some day needs more noise than can be drawn (scale 2^40 steps of 0.01 kWh), or less budget "
               "than can be counted.");
  page_.table(study_.days_table());
  for (std::size_t population = 0; population < study_.populations().size(); ++population) add_population(population);
  return page_.html();
}

}  // namespace

report::Table DiscountedStudy::days_table() const {
  report::Table table{.caption = "Days of single households before they are clamped",
                      .columns = {{"households"},
                                  {"days of households", Align::number},
                                  {"mean, kWh", Align::number},
                                  {"largest, kWh", Align::number},
                                  {"above " + result_number(options_.clamp_kwh) + " kWh", Align::number},
                                  {"cut off by the clamp", Align::number}}};
  for (const Population& population : populations_) {
    std::int64_t days = 0;
    for (const std::int64_t count : population.days_by_kwh) days += count;
    const auto share = [](double part, double whole) { return report::format_fixed(100 * part / whole, 2) + " %"; };
    table.rows.push_back({{population.name},
                          {report::format_count(days)},
                          {report::format_fixed(population.all_kwh / static_cast<double>(days), 1)},
                          {report::format_fixed(population.largest_kwh, 1)},
                          {share(static_cast<double>(population.days_above_clamp), static_cast<double>(days))},
                          {share(population.cut_kwh, population.all_kwh)}});
  }
  return table;
}

Result<std::string> DiscountedStudy::page() const { return DiscountedPage(*this).html(); }

}  // namespace fugu
