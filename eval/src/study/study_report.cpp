#include "fugu/study/study_report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "fugu/report/number.hpp"
#include "fugu/report/svg.hpp"

namespace fugu {

namespace {

using Align = report::Column::Align;
using report::format_fixed;
using report::format_prefixed;
using report::format_significant;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kExampleStreams = 4;
constexpr std::size_t kExampleMechanisms = 3;
constexpr std::size_t kExampleSlots = 400;
constexpr std::size_t kHeatColumnsMax = 24;
/// With more columns than this, a cell has room for three characters.
constexpr std::size_t kHeatColumnsWide = 15;
/// More lines than this nobody can tell apart.
constexpr std::size_t kCurvesMax = 6;
constexpr std::size_t kCurveChartsMax = 60;
constexpr double kHeatRowPx = 25;
/// Up to these multiples of the best error a cell has the colour of its place in the list; the first is "better than
/// every mechanism", which only yardsticks and forms without a promise can be.
constexpr std::array<double, report::kHeatLevels - 1> kHeatSteps = {0.9995, 1.0005, 1.1, 1.5, 2, 5, 10};
constexpr std::array<std::string_view, report::kHeatLevels> kHeatNames = {
    "below 1", "best", "up to 1.1", "up to 1.5", "up to 2", "up to 5", "up to 10", "above 10"};

/// The results as a cube: streams × requirements × (mechanisms, then yardsticks).
class Cube {
 public:
  Cube(const Study& study, const std::vector<CellResult>& results) : study_(study), results_(results) {
    FUGU_CHECK(results.size() == study.cells().size());
    rows_ = study.cells().size() / (streams() * requirements());
  }

  const Study& study() const { return study_; }
  std::size_t streams() const { return study_.streams().size(); }
  std::size_t requirements() const { return study_.suite().requirements.size(); }
  /// Mechanisms and yardsticks.
  std::size_t rows() const { return rows_; }
  const Cell& row(std::size_t row) const { return study_.cells()[row]; }
  bool is_yardstick(std::size_t row) const { return this->row(row).strategy == nullptr; }
  /// A mechanism that keeps its promise: the others are shown beside these, never as the best.
  bool is_private(std::size_t row) const { return !is_yardstick(row) && !this->row(row).strategy->comparison_only; }

  const CellResult& at(std::size_t stream, std::size_t requirement, std::size_t row) const {
    return results_[index(stream, requirement, row)];
  }
  const Cell& cell(std::size_t stream, std::size_t requirement, std::size_t row) const {
    return study_.cells()[index(stream, requirement, row)];
  }
  /// The smallest MAE of any mechanism that keeps its promise.
  double best_mae(std::size_t stream, std::size_t requirement) const {
    double best = kNone;
    for (std::size_t i = 0; i < rows_; ++i) {
      if (is_private(i) && !(best <= at(stream, requirement, i).mae)) best = at(stream, requirement, i).mae;
    }
    return best;
  }
  /// δ_MAE of the thesis: the error as a multiple of the best mechanism's.
  double deterioration(std::size_t stream, std::size_t requirement, std::size_t row) const {
    const double mae = at(stream, requirement, row).mae;
    const double best = best_mae(stream, requirement);
    return best > 0 ? mae / best : mae > 0 ? std::numeric_limits<double>::infinity() : 1;
  }
  /// Rows ordered by MAE in one place, those that keep their promise only.
  std::vector<std::size_t> ranked(std::size_t stream, std::size_t requirement) const {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < rows_; ++i) {
      if (is_private(i)) order.push_back(i);
    }
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return at(stream, requirement, i).mae; });
    return order;
  }

  template <class Visit>
  void for_all(Visit&& visit) const {
    for (std::size_t stream = 0; stream < streams(); ++stream) {
      for (std::size_t requirement = 0; requirement < requirements(); ++requirement) visit(stream, requirement);
    }
  }

 private:
  std::size_t index(std::size_t stream, std::size_t requirement, std::size_t row) const {
    return (stream * requirements() + requirement) * rows_ + row;
  }

  const Study& study_;
  const std::vector<CellResult>& results_;
  std::size_t rows_ = 0;
};

std::string short_text(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::string describe_requirement(const SuiteRequirement& requirement) {
  std::string text = "ε = " + short_text(requirement.epsilon);
  if (requirement.window_slots) text += ", w = " + std::to_string(*requirement.window_slots);
  if (requirement.policies)
    text += ", " + std::to_string(requirement.policies->meters) +
            (requirement.policies->meters == 1 ? " household" : " households");
  return text;
}

/// Requirements that belong together: those of one experiment, in order.
struct Experiment {
  std::string title;
  std::vector<std::size_t> requirements;
  bool varies_w = false;
};

std::vector<Experiment> experiments_of(const Study& study) {
  std::vector<Experiment> experiments;
  std::vector<std::string> names;
  const auto& requirements = study.suite().requirements;
  for (std::size_t i = 0; i < requirements.size(); ++i) {
    const auto known = std::ranges::find(names, requirements[i].experiment);
    const auto at = static_cast<std::size_t>(known - names.begin());
    if (known == names.end()) {
      names.push_back(requirements[i].experiment);
      experiments.emplace_back();
    }
    experiments[at].requirements.push_back(i);
  }
  for (Experiment& experiment : experiments) {
    const SuiteRequirement& first = requirements[experiment.requirements.front()];
    const auto same_epsilon = [&](std::size_t i) { return requirements[i].epsilon == first.epsilon; };
    const auto same_w = [&](std::size_t i) { return requirements[i].window_slots == first.window_slots; };
    experiment.varies_w = !std::ranges::all_of(experiment.requirements, same_w);
    const bool varies_epsilon = !std::ranges::all_of(experiment.requirements, same_epsilon);
    experiment.title = first.experiment;
    if (experiment.varies_w && !varies_epsilon)
      experiment.title = "w varies, ε = " + short_text(first.epsilon);
    else if (varies_epsilon && !experiment.varies_w)
      experiment.title = "ε varies, " + describe_requirement(first).substr(describe_requirement(first).find(", ") + 2);
  }
  return experiments;
}

std::string column_label(const Experiment& experiment, const SuiteRequirement& requirement) {
  if (experiment.varies_w) return std::to_string(requirement.window_slots.value_or(0));
  return short_text(requirement.epsilon);
}

std::string axis_label(const Experiment& experiment) { return experiment.varies_w ? "w in slots" : "ε"; }

std::size_t heat_of(double deterioration) {
  return static_cast<std::size_t>(std::ranges::lower_bound(kHeatSteps, deterioration) - kHeatSteps.begin());
}

/// At most three characters where cells are narrow.
std::string heat_label(double deterioration, bool narrow) {
  if (!std::isfinite(deterioration)) return "∞";
  if (narrow) {
    if (deterioration < 9.95) return format_fixed(deterioration, 1);
    return deterioration < 999.5 ? format_fixed(deterioration, 0) : ">1k";
  }
  if (deterioration >= 999.5) return format_prefixed(deterioration);
  return deterioration < 10 ? format_fixed(deterioration, 2) : format_fixed(deterioration, deterioration < 100 ? 1 : 0);
}

// --- Heat maps ------------------------------------------------------------------------------------------------------

/// Streams that share a picture: artificial ones that differ in amplitude only, or a handful of others.
struct StreamGroup {
  std::string title;
  std::vector<std::size_t> streams;
};

std::string family_of(const SuiteStream& stream) {
  const auto* options = std::get_if<ArtificialOptions>(&stream.source);
  if (options == nullptr) return "";
  std::string family = "season " + std::to_string(options->season_slots);
  const double usual_growth = artificial_defaults(options->form).growth;
  if (options->growth != usual_growth) family += ", growth " + short_text(options->growth);
  if (options->level > 0) family += ", level " + short_text(options->level);
  if (options->sparsity > 0) family += ", sparsity " + short_text(options->sparsity);
  return family;
}

std::vector<StreamGroup> groups_of(const Study& study, std::size_t columns_each) {
  const std::size_t streams_max = std::max<std::size_t>(1, kHeatColumnsMax / columns_each);
  std::vector<StreamGroup> groups;
  for (std::size_t i = 0; i < study.streams().size(); ++i) {
    const std::string family = family_of(study.streams()[i].facts());
    const auto fits = [&](const StreamGroup& group) {
      return group.title == family && group.streams.size() < streams_max;
    };
    auto group = std::ranges::find_if(groups, fits);
    if (group == groups.end()) group = groups.insert(groups.end(), {family, {}});
    group->streams.push_back(i);
  }
  return groups;
}

std::string group_heading(const SuiteStream& stream) {
  return family_of(stream).empty() ? stream.name : "amplitude " + short_text(*stream.amplitude);
}

report::Chart heat_map(const Cube& cube, const Experiment& experiment, const StreamGroup& group) {
  const auto& requirements = cube.study().suite().requirements;
  const double top = static_cast<double>(cube.rows());
  const bool narrow = group.streams.size() * experiment.requirements.size() > kHeatColumnsWide;
  std::vector<report::HeatCell> cells;
  std::vector<report::Tick> columns;
  std::vector<report::Tick> rows;
  double x = 0;
  for (const std::size_t stream : group.streams) {
    const double start = x;
    for (const std::size_t requirement : experiment.requirements) {
      for (std::size_t row = 0; row < cube.rows(); ++row) {
        const double y = top - 1 - static_cast<double>(row);
        const double deterioration = cube.deterioration(stream, requirement, row);
        cells.push_back({.x = {x, x + 1},
                         .y = {y, y + 1},
                         .heat = heat_of(deterioration),
                         .label = heat_label(deterioration, narrow),
                         .hint = cube.row(row).label + ", " + group_heading(cube.study().streams()[stream].facts()) +
                                 ", " + describe_requirement(requirements[requirement]) + ": MAE " +
                                 format_significant(cube.at(stream, requirement, row).mae)});
      }
      columns.push_back({x + 0.5, column_label(experiment, requirements[requirement])});
      x += 1;
    }
    cells.push_back(
        {.x = {start, x}, .y = {top, top + 1}, .label = group_heading(cube.study().streams()[stream].facts())});
    x += 0.25;  // a gap between streams
  }
  for (std::size_t row = 0; row < cube.rows(); ++row)
    rows.push_back({top - 0.5 - static_cast<double>(row), cube.row(row).label});
  report::Chart chart({.title = group.title.empty() ? experiment.title : group.title + ": " + experiment.title,
                       .description = "Mean absolute error of each mechanism as a multiple of the best one's.",
                       .x = {.label = axis_label(experiment), .lo = 0.0, .hi = x - 0.25, .ticks = std::move(columns)},
                       .y = {.lo = 0.0, .hi = top + 1, .ticks = std::move(rows)},
                       .height_px = 95 + kHeatRowPx * (top + 1)});
  chart.add(report::HeatMap(std::move(cells)));
  return chart;
}

report::Chart heat_key() {
  std::vector<report::HeatCell> cells;
  for (std::size_t i = 0; i < kHeatNames.size(); ++i) {
    const auto x = static_cast<double>(i);
    cells.push_back({.x = {x, x + 1}, .y = {0, 1}, .heat = i, .label = std::string(kHeatNames[i])});
  }
  report::Chart chart(
      {.description = "The colours of the heat maps, from better than the best to above ten times.",
       .x = {.label = "error as a multiple of the best mechanism's", .lo = 0.0, .hi = 8.0, .ticks = {{-1, ""}}},
       .y = {.lo = 0.0, .hi = 1.0, .ticks = {{-1, ""}}},
       .height_px = 160});
  chart.add(report::HeatMap(std::move(cells)));
  return chart;
}

void add_heat_maps(report::Page& page, const Cube& cube, const std::vector<Experiment>& experiments) {
  page.section("Deterioration");
  page.paragraph(
      "How many times the best mechanism's mean absolute error each one has: 1 is best (thesis, figure 5.2). The best "
      "is taken among mechanisms that keep their promise. Below 1 means that not looking at the data is better than "
      "every one of them (the last rows), or that a promise is broken.");
  page.figure(heat_key(), "");
  for (const Experiment& experiment : experiments) {
    for (const StreamGroup& group : groups_of(cube.study(), experiment.requirements.size()))
      page.figure(heat_map(cube, experiment, group), "");
  }
}

// --- Curves ---------------------------------------------------------------------------------------------------------

/// The geometric mean of δ_MAE over all streams and requirements.
double mean_deterioration(const Cube& cube, std::size_t row) {
  double logarithms = 0;
  cube.for_all([&](std::size_t stream, std::size_t requirement) {
    logarithms += std::log(cube.deterioration(stream, requirement, row));
  });
  return std::exp(logarithms / static_cast<double>(cube.streams() * cube.requirements()));
}

/// The rows that are drawn as curves: the first two mechanisms of the suite (its baselines), the best of the others
/// that keep their promise, and the best constant.
std::vector<std::size_t> curve_rows(const Cube& cube) {
  std::vector<std::size_t> others;
  std::vector<std::size_t> shown;
  for (std::size_t row = 0; row < cube.rows(); ++row) {
    if (cube.is_private(row)) (shown.size() < 2 ? shown : others).push_back(row);
  }
  std::map<std::size_t, double> mean;
  for (const std::size_t row : others) mean[row] = mean_deterioration(cube, row);
  std::ranges::stable_sort(others, {}, [&](std::size_t row) { return mean[row]; });
  others.resize(std::min(others.size(), kCurvesMax - shown.size()));
  shown.insert(shown.end(), others.begin(), others.end());
  for (std::size_t row = 0; row < cube.rows(); ++row) {
    if (cube.is_yardstick(row) && cube.row(row).yardstick == Yardstick::best_constant) shown.push_back(row);
  }
  return shown;
}

report::Line::Options line_style(const Cube& cube, std::size_t row, std::size_t place) {
  constexpr std::array<report::Colour, kCurvesMax> kColours = {report::Colour::blue,  report::Colour::vermilion,
                                                               report::Colour::green, report::Colour::purple,
                                                               report::Colour::ochre, report::Colour::ink};
  const std::string& label = cube.row(row).label;
  if (cube.is_yardstick(row)) return {.label = label, .colour = report::Colour::slate, .width_px = 1, .dashed = true};
  return {.label = label, .colour = kColours[place], .width_px = 2};
}

report::Chart curves(const Cube& cube, const Experiment& experiment, std::size_t stream,
                     const std::vector<std::size_t>& rows) {
  const auto& requirements = cube.study().suite().requirements;
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -lowest;
  std::vector<report::Tick> columns;
  for (const std::size_t requirement : experiment.requirements) {
    const SuiteRequirement& at = requirements[requirement];
    const double x = experiment.varies_w ? static_cast<double>(at.window_slots.value_or(0)) : at.epsilon;
    columns.push_back({x, column_label(experiment, at)});
  }
  std::vector<report::Line> lines;
  for (const std::size_t row : rows) {
    std::vector<report::Point> points;
    for (std::size_t i = 0; i < experiment.requirements.size(); ++i) {
      const double mae = std::log10(cube.at(stream, experiment.requirements[i], row).mae);
      points.push_back({columns[i].value, mae});
      if (!std::isfinite(mae)) continue;
      lowest = std::min(lowest, mae);
      highest = std::max(highest, mae);
    }
    std::ranges::stable_sort(points, {}, &report::Point::x);
    lines.emplace_back(line_style(cube, row, lines.size()), std::move(points));
  }
  if (!(lowest <= highest)) lowest = highest = 0;
  report::Chart chart({.title = cube.study().streams()[stream].facts().name + ": " + experiment.title,
                       .description = "Mean absolute error of each mechanism, on a logarithmic scale.",
                       .x = {.label = axis_label(experiment), .ticks = std::move(columns)},
                       .y = {.label = "MAE", .ticks = report::decade_ticks({lowest, highest})},
                       .height_px = 330});
  for (report::Line& line : lines) chart.add(std::move(line));
  return chart;
}

void add_curves(report::Page& page, const Cube& cube, const std::vector<Experiment>& experiments) {
  page.section("Error over the requirement");
  page.paragraph(
      "The baselines, the mechanisms with the least deterioration overall, and the best constant. The heat maps and "
      "tables have all.");
  const std::vector<std::size_t> rows = curve_rows(cube);
  std::size_t charts = 0;
  for (std::size_t stream = 0; stream < cube.streams(); ++stream) {
    for (const Experiment& experiment : experiments) {
      if (experiment.requirements.size() < 2 || ++charts > kCurveChartsMax) continue;
      page.figure(curves(cube, experiment, stream, rows), "");
    }
  }
  if (charts > kCurveChartsMax)
    page.note("The first " + std::to_string(kCurveChartsMax) + " of " + std::to_string(charts) +
              " pictures; results.csv has all numbers.");
}

// --- Examples -------------------------------------------------------------------------------------------------------

Result<report::Chart> example_chart(const Cube& cube, const Cell& cell, const CellResult& result) {
  FUGU_ASSIGN(const ExampleRun run, cube.study().example(cell, kExampleSlots));
  std::vector<report::Point> truth, released;
  std::vector<report::Span> band;
  for (std::size_t t = 0; t < run.truth.size(); ++t) {
    const auto x = static_cast<double>(t);
    truth.push_back({x, run.truth[t]});
    released.push_back({x, run.released[t]});
    band.push_back({x, run.released[t] - run.half_width[t], run.released[t] + run.half_width[t]});
  }
  // Estimates have no band.
  const bool has_band = std::ranges::any_of(run.half_width, [](double width) { return !std::isnan(width); });
  report::Chart chart({.title = cell.label + ", MAE " + format_significant(result.mae),
                       .description = has_band ? "True and released values, with the band that holds 95 % of the noise."
                                               : "True and released values.",
                       .x = {.label = "slot"},
                       .height_px = 250});
  if (has_band) chart.add(report::Band({.label = "95 % of the noise", .shape = report::Shape::steps}, std::move(band)));
  chart.add(report::Line({.label = "released", .shape = report::Shape::steps}, std::move(released)));
  chart.add(report::Line({.label = "true", .colour = report::Colour::ink, .width_px = 1.25}, std::move(truth)));
  return chart;
}

Result<void> add_examples(report::Page& page, const Cube& cube) {
  page.section("Examples");
  page.paragraph(
      "The first run of the best mechanisms, on some of the streams: the first series, its first slots. A small error "
      "does not mean that the season is still there.");
  const std::size_t shown = std::min(kExampleStreams, cube.streams());
  const std::size_t requirement = cube.requirements() - 1;
  for (std::size_t i = 0; i < shown; ++i) {
    const std::size_t stream = shown == 1 ? 0 : i * (cube.streams() - 1) / (shown - 1);
    std::vector<report::Chart> charts;
    for (const std::size_t row : cube.ranked(stream, requirement)) {
      if (charts.size() == kExampleMechanisms) break;
      FUGU_ASSIGN(report::Chart chart,
                  example_chart(cube, cube.cell(stream, requirement, row), cube.at(stream, requirement, row)));
      charts.push_back(std::move(chart));
    }
    if (charts.empty()) continue;
    page.subsection(cube.study().streams()[stream].facts().name);
    page.figure(report::ChartStack(std::move(charts)),
                describe_requirement(cube.study().suite().requirements[requirement]) + ".");
  }
  return {};
}

// --- Tables ---------------------------------------------------------------------------------------------------------

/// The worst verdict that any cell of a row has.
Verdict worst_verdict(const Cube& cube, std::size_t row) {
  Verdict worst = cube.at(0, 0, row).verdict;
  cube.for_all([&](std::size_t stream, std::size_t requirement) {
    const Verdict& verdict = cube.at(stream, requirement, row).verdict;
    if (verdict.kind == Verdict::Kind::breaks || verdict.kind == Verdict::Kind::leaks) worst.kind = verdict.kind;
    if (!(worst.worst_share >= verdict.worst_share)) worst.worst_share = verdict.worst_share;
  });
  return worst;
}

/// `kind` is null for yardsticks. Without an accountant nothing keeps a form from breaking its promise: that it did not
/// in these runs is no proof.
report::Cell verdict_cell(const Verdict& verdict, const CatalogueEntry* kind) {
  if (verdict.kind == Verdict::Kind::holds && kind != nullptr && kind->comparison_only)
    return {"not seen to break here", report::Tone::plain};
  std::string text(name_of(verdict.kind));
  if (verdict.kind == Verdict::Kind::breaks) text = "BREAKS, " + format_significant(verdict.worst_share) + " times ε";
  if (verdict.kind == Verdict::Kind::leaks) text = "LEAKS the stream";
  const report::Tone tone = verdict.kind == Verdict::Kind::holds     ? report::Tone::good
                            : verdict.kind == Verdict::Kind::no_data ? report::Tone::plain
                                                                     : report::Tone::bad;
  return {std::move(text), tone};
}

report::Table summary_of(const Cube& cube) {
  report::Table table{.caption =
                          "All streams and requirements. Deterioration is the geometric mean over them; answered is "
                          "the share of slots with "
                          "an answer of their own; worse than: in how many cells not looking at the data is better.",
                      .columns = {{"mechanism", Align::text},
                                  {"best in", Align::number},
                                  {"deterioration", Align::number},
                                  {"worse than zero", Align::number},
                                  {"worse than a constant", Align::number},
                                  {"answered", Align::number},
                                  {"verdict", Align::text}}};
  std::size_t zero = 0, constant = 0;
  for (std::size_t row = 0; row < cube.rows(); ++row) {
    if (!cube.is_yardstick(row)) continue;
    if (cube.row(row).yardstick == Yardstick::zero) zero = row;
    if (cube.row(row).yardstick == Yardstick::best_constant) constant = row;
  }
  const double cells = static_cast<double>(cube.streams() * cube.requirements());
  const auto percent = [&](double count) { return format_fixed(count / cells * 100, 0) + " %"; };
  for (std::size_t row = 0; row < cube.rows(); ++row) {
    double best = 0, worse_than_zero = 0, worse_than_constant = 0, sampled = 0;
    cube.for_all([&](std::size_t stream, std::size_t requirement) {
      const CellResult& result = cube.at(stream, requirement, row);
      best += cube.is_private(row) && result.mae == cube.best_mae(stream, requirement) ? 1 : 0;
      worse_than_zero += result.mae > cube.at(stream, requirement, zero).mae ? 1 : 0;
      worse_than_constant += result.mae > cube.at(stream, requirement, constant).mae ? 1 : 0;
      sampled += result.sampled_share;
    });
    table.rows.push_back({{cube.row(row).label},
                          {cube.is_private(row) ? percent(best) : "–"},
                          {format_significant(mean_deterioration(cube, row))},
                          {percent(worse_than_zero)},
                          {percent(worse_than_constant)},
                          {percent(sampled)},
                          verdict_cell(worst_verdict(cube, row), cube.row(row).strategy)});
  }
  return table;
}

void add_verdicts(report::Page& page, const Cube& cube) {
  page.section("Verdicts");
  report::Table table{.caption = "Forms that are here to be compared with: they run without an accountant.",
                      .columns = {{"mechanism", Align::text},
                                  {"known", Align::text},
                                  {"worst window, times ε", Align::number},
                                  {"verdict", Align::text},
                                  {"page", Align::text}}};
  for (std::size_t row = 0; row < cube.rows(); ++row) {
    const CatalogueEntry* kind = cube.row(row).strategy;
    if (kind == nullptr || !kind->comparison_only) continue;
    const Verdict verdict = worst_verdict(cube, row);
    table.rows.push_back({{cube.row(row).label},
                          {std::string(kind->status)},
                          {format_significant(verdict.worst_share)},
                          verdict_cell(verdict, kind),
                          {std::string(kind->page)}});
  }
  page.paragraph(
      "Mechanisms that fugu publish offers ran under its accountant, which refuses what would break the promise: their "
      "verdict is “holds”.");
  if (table.rows.empty()) return;
  page.paragraph(
      "The forms below ran without it. Their verdict says what the worst window of these runs used, and no more: one "
      "that breaks its promise need not do so on every stream.");
  page.table(table);
}

/// Its name; of several series also what their errors depend on.
std::string describe_stream(const PreparedStream& stream) {
  if (stream.series() == 1) return stream.facts().name;
  return stream.facts().name + ": " + std::to_string(stream.series()) +
         (stream.facts().budgets == SuiteBudgets::own ? " series with budgets of their own"
                                                      : " series that share the budget");
}

void add_error_tables(report::Page& page, const Cube& cube) {
  page.section("Mean absolute errors");
  page.paragraph("In brackets the 0.95 quantile over runs. All numbers, and the other metrics, are in results.csv.");
  for (std::size_t stream = 0; stream < cube.streams(); ++stream) {
    report::Table table{.caption = describe_stream(cube.study().streams()[stream]),
                        .columns = {{"mechanism", Align::text}}};
    for (const SuiteRequirement& requirement : cube.study().suite().requirements)
      table.columns.push_back({describe_requirement(requirement), Align::number});
    for (std::size_t row = 0; row < cube.rows(); ++row) {
      auto& cells = table.rows.emplace_back();
      cells.push_back({cube.row(row).label});
      for (std::size_t requirement = 0; requirement < cube.requirements(); ++requirement) {
        const CellResult& result = cube.at(stream, requirement, row);
        const bool best = cube.is_private(row) && result.mae == cube.best_mae(stream, requirement);
        std::string text = format_significant(result.mae);
        if (!cube.is_yardstick(row)) text += " (" + format_significant(result.mae_p95) + ")";
        cells.push_back({std::move(text), best ? report::Tone::good : report::Tone::plain});
      }
    }
    page.table(table);
  }
}

void add_measures(report::Page& page, const Cube& cube) {
  constexpr std::array<std::pair<std::string_view, Measure>, CellResult::kAnalyses> kColumns = {
      {{"autocorrelation at the period", Measure::season},
       {"season kept", Measure::season},
       {"level error", Measure::level},
       {"amplitude kept", Measure::amplitude},
       {"peak error in slots", Measure::peak},
       {"changes found", Measure::changes},
       {"forecast MAE", Measure::forecast},
       {"anomalies found, kNN", Measure::anomalies},
       {"anomalies found, LOF", Measure::anomalies}}};
  const Suite& suite = cube.study().suite();
  if (!suite.wants_any_measure()) return;
  page.section("What analyses make of the releases");
  page.paragraph(
      "Means over all streams and requirements. Season and amplitude: 1 is kept, 0 is gone. Changes found is an F1 "
      "score. The forecast is made by a model that was fitted to the release. Anomalies found: 1 is all, 0.5 as many "
      "as by guessing. docs/concepts/metrics.md has the formulas.");
  report::Table table{.columns = {{"mechanism", Align::text}}};
  for (const auto& [name, measure] : kColumns) {
    if (suite.wants(measure)) table.columns.push_back({std::string(name), Align::number});
  }
  for (std::size_t row = 0; row < cube.rows(); ++row) {
    auto& cells = table.rows.emplace_back();
    cells.push_back({cube.row(row).label});
    for (std::size_t i = 0; i < kColumns.size(); ++i) {
      if (!suite.wants(kColumns[i].second)) continue;
      double sum = 0, count = 0;
      cube.for_all([&](std::size_t stream, std::size_t requirement) {
        const double value = cube.at(stream, requirement, row).analyses[i];
        if (std::isnan(value)) return;
        sum += value;
        count += 1;
      });
      cells.push_back({format_significant(count > 0 ? sum / count : kNone)});
    }
  }
  page.table(table);
}

/// "1 stream", "2 streams".
std::string counted(std::uint64_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

report::Table study_summary(const Study& study, const std::vector<CellResult>& results) {
  return summary_of(Cube(study, results));
}

Result<std::string> study_page(const Study& study, const std::vector<CellResult>& results) {
  const Cube cube(study, results);
  const Suite& suite = study.suite();
  const std::vector<Experiment> experiments = experiments_of(study);
  report::Page page({.title = suite.title, .subtitle = suite.description});
  page.note("This page shows true streams. It is for those who may see them.");
  page.paragraph(counted(study.streams().size(), "stream") + ", " + counted(suite.requirements.size(), "requirement") +
                 ", " + counted(suite.runs, "run") + " of each mechanism with seed " + std::to_string(suite.seed) +
                 ", fugu " FUGU_VERSION
                 ". The last rows of every table are yardsticks "
                 "that do not look at the data: zero, the best constant (the median of the true stream), and the last "
                 "value that was public (the first of the stream).");
  page.table(summary_of(cube));
  add_heat_maps(page, cube, experiments);
  add_curves(page, cube, experiments);
  FUGU_TRY(add_examples(page, cube));
  add_measures(page, cube);
  add_verdicts(page, cube);
  add_error_tables(page, cube);
  return page.html();
}

std::string deterioration_csv(const Study& study, const std::vector<CellResult>& results) {
  const Cube cube(study, results);
  std::string csv = "mechanism,stream,experiment,epsilon,w,deterioration\n";
  cube.for_all([&](std::size_t stream, std::size_t requirement) {
    const SuiteRequirement& at = study.suite().requirements[requirement];
    for (std::size_t row = 0; row < cube.rows(); ++row) {
      csv.append(cube.row(row).label).append(",").append(study.streams()[stream].facts().name).append(",");
      csv.append(at.experiment).append(",").append(short_text(at.epsilon)).append(",");
      if (at.window_slots) csv.append(std::to_string(*at.window_slots));
      csv.append(",").append(short_text(cube.deterioration(stream, requirement, row))).append("\n");
    }
  });
  return csv;
}

}  // namespace fugu
