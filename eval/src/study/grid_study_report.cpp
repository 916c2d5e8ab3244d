#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <set>

#include "fugu/monitoring/requirement.hpp"
#include "fugu/report/number.hpp"
#include "fugu/study/grid_study.hpp"

namespace fugu {

namespace {

using Align = report::Column::Align;
using report::Cell;
using report::Colour;
using report::Point;
using report::Table;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
/// Customers' data are worth their privacy while the estimate's error is at most this part of that without them.
constexpr double kWorthwhile = 0.9;
/// Targets: so many times the error of meters that operators accept.
constexpr std::array<double, 3> kTargets = {1, 3, 10};
/// One cycle of a refrigerator (thesis, Table 6.4).
constexpr double kRefrigeratorW = 140;
constexpr double kRefrigeratorMin = 15;

Cell number(double value, int digits = 3) {
  return {std::isnan(value) ? "–" : report::format_significant(value, digits)};
}

std::string title_of(GridMethod method) {
  switch (method) {
    case GridMethod::load_flow: return "load flow on releases";
    case GridMethod::least_squares: return "least squares";
    case GridMethod::profile: return "with profile";
    case GridMethod::households: return "household filter";
    case GridMethod::households_sensors: return "filter, 3 sensors";
    case GridMethod::boxes: return "sums of boxes";
    case GridMethod::nothing: return "no customer data";
    case GridMethod::nothing_sensors: return "none, 3 sensors";
  }
  return {};
}

constexpr GridMethod kColumns[] = {GridMethod::load_flow,          GridMethod::least_squares,  GridMethod::profile,
                                   GridMethod::households,         GridMethod::boxes,          GridMethod::nothing,
                                   GridMethod::households_sensors, GridMethod::nothing_sensors};

/// Rows by what they are about.
class Rows {
 public:
  Rows(const GridStudy& study, const std::vector<GridMeasures>& measures) : study_(study), measures_(measures) {}

  using Filter = std::function<bool(const GridCell&)>;
  /// Visits rows in the study's order.
  void visit(const Filter& wanted, const std::function<void(const GridCell&, const GridMeasures&)>& use) const {
    for (std::size_t i = 0; i < study_.cells().size() && i < measures_.size(); ++i) {
      if (wanted(study_.cells()[i])) use(study_.cells()[i], measures_[i]);
    }
  }
  const GridMeasures* find(const Filter& wanted) const {
    const GridMeasures* found = nullptr;
    visit(wanted, [&](const GridCell&, const GridMeasures& measures) { found = found ? found : &measures; });
    return found;
  }
  std::vector<GridPlace> places() const {
    std::vector<GridPlace> all;
    visit([](const GridCell& cell) { return cell.part == GridPart::networks; },
          [&](const GridCell& cell, const GridMeasures&) {
            if (std::ranges::find(all, cell.place) == all.end()) all.push_back(cell.place);
          });
    return all;
  }
  /// Voltage errors by scale, ascending.
  std::vector<Point> voltages(GridPart part, const GridPlace& place, GridMethod method) const {
    std::vector<Point> points;
    visit(
        [&](const GridCell& cell) {
          return cell.part == part && cell.place == place && cell.noise == GridNoise::laplace && cell.method == method;
        },
        [&](const GridCell& cell, const GridMeasures& measures) {
          points.push_back({cell.scale_kw, measures.voltage_v});
        });
    return points;
  }

 private:
  const GridStudy& study_;
  const std::vector<GridMeasures>& measures_;
};

/// The largest scale up to which an error stays at or below a limit, between two that were tried on a straight line
/// over their logarithms. Nothing when it is above from the first on; infinite when it never is.
std::optional<double> largest_scale(const std::vector<Point>& errors, double limit) {
  if (errors.empty() || !(errors.front().y <= limit)) return std::nullopt;
  for (std::size_t i = 1; i < errors.size(); ++i) {
    if (errors[i].y <= limit) continue;
    const double part = (limit - errors[i - 1].y) / (errors[i].y - errors[i - 1].y);
    return errors[i - 1].x * std::pow(errors[i].x / errors[i - 1].x, part);
  }
  return std::numeric_limits<double>::infinity();
}

std::string scale_text(const std::optional<double>& scale, double largest) {
  if (!scale) return "none";
  if (std::isinf(*scale)) return "above " + report::format_significant(largest, 2);
  return report::format_significant(*scale, 2);
}

std::string chapter_scenario(const GridCell& cell) {
  std::string text = cell.has_q ? "PQ" : "P only";
  if (cell.noise == GridNoise::meter) return text + ", meters off by 1 %";
  if (cell.noise == GridNoise::none) return text;
  text += ", scale " + report::format_significant(cell.scale_kw) + " kW";
  return cell.has_q ? text + ", " + report::format_significant(cell.scale_kvar) + " kvar" : text;
}

/// Table 6.5, with what estimation makes of the same releases.
Table chapter_table(const Rows& rows) {
  Table table{.caption = "Table 6.5, on a made-up feeder and trace: mean over stamps of the largest error",
              .columns = {{"scenario"},
                          {"method"},
                          {"V", Align::number},
                          {"A", Align::number},
                          {"loading, points", Align::number},
                          {"voltages missed", Align::number},
                          {"invented", Align::number},
                          {"loads missed", Align::number},
                          {"invented", Align::number},
                          {"unsolved", Align::number}}};
  rows.visit([](const GridCell& cell) { return cell.part == GridPart::chapter; },
             [&](const GridCell& cell, const GridMeasures& m) {
               const auto exact = [](double value) { return value < 1e-6 ? Cell{"0"} : number(value, 2); };
               table.rows.push_back({{chapter_scenario(cell)},
                                     {title_of(cell.method)},
                                     exact(m.voltage_v),
                                     exact(m.current_a),
                                     exact(m.loading_points),
                                     number(m.voltage_missed),
                                     number(m.voltage_invented),
                                     number(m.load_missed),
                                     number(m.load_invented),
                                     number(m.unsolved)});
             });
  return table;
}

const GridPlace& trace_place() {
  static const GridPlace place{"feeder", "trace"};
  return place;
}

/// What is still good enough, and what it hides.
Table targets_table(const Rows& rows) {
  const GridMeasures* const meters = rows.find([](const GridCell& cell) {
    return cell.part == GridPart::chapter && !cell.has_q && cell.noise == GridNoise::meter &&
           cell.method == GridMethod::load_flow;
  });
  Table table{
      .caption =
          "Largest scale whose voltage error is within a target, and the epsilon with which it hides a "
          "cycle of a refrigerator (0.14 kW, one quarter hour)",
      .columns = {
          {"target"}, {"V", Align::number}, {"method"}, {"scale, kW", Align::number}, {"epsilon", Align::number}}};
  const grid::Requirement cycle = grid::one_use(kRefrigeratorW, kRefrigeratorMin, 15);
  for (const double target : kTargets) {
    const double limit = target * (meters == nullptr ? kNone : meters->voltage_v);
    for (const GridMethod method : {GridMethod::load_flow, GridMethod::households, GridMethod::nothing}) {
      const auto errors = rows.voltages(GridPart::scales, trace_place(), method);
      const auto scale = largest_scale(errors, limit);
      const bool is_scale = scale && std::isfinite(*scale) && method != GridMethod::nothing;
      std::string found = scale_text(scale, errors.empty() ? 0 : errors.back().x);
      if (method == GridMethod::nothing) found = scale ? "any" : "none";
      table.rows.push_back({{report::format_significant(target, 2) + " × meters off by 1 %"},
                            number(limit),
                            {title_of(method)},
                            {std::move(found)},
                            is_scale ? number(grid::epsilon_at(cycle, *scale), 2) : Cell{"–"}});
    }
  }
  return table;
}

/// Up to which scale customers' data improve on none.
Table frontier_table(const Rows& rows) {
  Table table{.caption =
                  "Up to which scale, in kW, customers' data lower the voltage error by a tenth or more against "
                  "none; and voltage errors in V at 1 kW",
              .columns = {{"network"},
                          {"loads"},
                          {"profile, kW", Align::number},
                          {"filter, kW", Align::number},
                          {"meters 1 %", Align::number}}};
  for (const GridMethod method : kColumns) table.columns.push_back({title_of(method), Align::number});
  for (const GridPlace& place : rows.places()) {
    const auto nothing = rows.voltages(GridPart::networks, place, GridMethod::nothing);
    const auto frontier = [&](GridMethod method) {
      const auto errors = rows.voltages(GridPart::networks, place, method);
      const double limit = nothing.empty() ? kNone : kWorthwhile * nothing.front().y;
      return Cell{scale_text(largest_scale(errors, limit), errors.empty() ? 0 : errors.back().x)};
    };
    const auto at_one = [&](GridNoise noise, GridMethod method) {
      const GridMeasures* const found = rows.find([&](const GridCell& cell) {
        return cell.part == GridPart::networks && cell.place == place && cell.noise == noise && cell.method == method &&
               (noise == GridNoise::meter || cell.scale_kw == 1);
      });
      return number(found == nullptr ? kNone : found->voltage_v, 2);
    };
    std::vector<Cell> row = {{place.network},
                             {place.loads},
                             frontier(GridMethod::profile),
                             frontier(GridMethod::households),
                             at_one(GridNoise::meter, GridMethod::load_flow)};
    for (const GridMethod method : kColumns) row.push_back(at_one(GridNoise::laplace, method));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table policies_table(const Rows& rows) {
  Table table{.caption = "Narwhal by each household's policies, on the made-up feeder: voltage error in V",
              .columns = {{"hidden"}, {"epsilon", Align::number}, {"mean scale, kW", Align::number}}};
  constexpr GridMethod kMethods[] = {GridMethod::load_flow, GridMethod::least_squares, GridMethod::profile,
                                     GridMethod::households, GridMethod::nothing};
  for (const GridMethod method : kMethods) table.columns.push_back({title_of(method), Align::number});
  rows.visit([](const GridCell& cell) { return cell.part == GridPart::policies; },
             [&](const GridCell& cell, const GridMeasures& m) {
               if (cell.method == kMethods[0]) {
                 const char* what = cell.noise == GridNoise::narwhal         ? "every use"
                                    : cell.noise == GridNoise::narwhal_small ? "uses up to 300 W"
                                                                             : "the same, with a floor";
                 table.rows.push_back({{what}, number(cell.scale_kw), number(m.mean_scale_kw)});
               }
               table.rows.back().push_back(number(m.voltage_v));
             });
  return table;
}

/// Every scale of one place: voltages, mains, violations.
Table place_table(const Rows& rows, const GridPlace& place, std::string caption,
                  const std::function<Cell(const GridMeasures&)>& cell_of) {
  Table table{.caption = std::move(caption), .columns = {{"scale, kW", Align::number}}};
  for (const GridMethod method : kColumns) table.columns.push_back({title_of(method), Align::number});
  std::set<double> scales;
  rows.visit(
      [&](const GridCell& cell) {
        return cell.part == GridPart::networks && cell.place == place && cell.noise == GridNoise::laplace;
      },
      [&](const GridCell& cell, const GridMeasures&) { scales.insert(cell.scale_kw); });
  const auto add = [&](Cell first, GridNoise noise, double scale_kw) {
    std::vector<Cell> row = {std::move(first)};
    for (const GridMethod method : kColumns) {
      const GridMeasures* const found = rows.find([&](const GridCell& cell) {
        return cell.part == GridPart::networks && cell.place == place && cell.noise == noise &&
               cell.scale_kw == scale_kw && cell.method == method;
      });
      row.push_back(found == nullptr ? Cell{"–"} : cell_of(*found));
    }
    table.rows.push_back(std::move(row));
  };
  add({"meters 1 %"}, GridNoise::meter, 0);
  for (const double scale : scales) add({report::format_significant(scale)}, GridNoise::laplace, scale);
  return table;
}

// --- Figures ---

std::vector<Point> logarithmic(std::vector<Point> points) {
  for (Point& point : points) point = {std::log10(point.x), std::log10(point.y)};
  return points;
}

report::Axis log_axis(std::string label, std::string unit, double from, double to) {
  return {.label = std::move(label),
          .unit = std::move(unit),
          .lo = std::log10(from),
          .hi = std::log10(to),
          .ticks = report::decade_ticks({std::log10(from), std::log10(to)})};
}

std::vector<Point> by_stamp(const std::vector<double>& values) {
  std::vector<Point> points;
  for (std::size_t i = 0; i < values.size(); ++i) points.push_back({static_cast<double>(i), values[i]});
  return points;
}

report::ChartStack trace_figure(const GridStudy::Trace& trace) {
  std::vector<report::Chart> charts;
  const report::Axis time{.label = "stamp", .unit = "15 min"};
  report::Chart voltage({.title = "Voltages",
                         .description = "Lowest and highest voltage of the made-up trace; both sink below 380 V for 44 "
                                        "quarter hours.",
                         .x = time,
                         .y = {.label = "voltage", .unit = "V"},
                         .height_px = 260});
  std::vector<Point> limit = {{0, 380}, {static_cast<double>(trace.lowest_v.size()) - 1, 380}};
  voltage.add(report::Line({.label = "highest", .colour = Colour::blue}, by_stamp(trace.highest_v)));
  voltage.add(report::Line({.label = "lowest", .colour = Colour::vermilion}, by_stamp(trace.lowest_v)));
  voltage.add(report::Line({.label = "limit", .colour = Colour::slate, .dashed = true}, limit));
  charts.push_back(std::move(voltage));
  report::Chart current({.title = "Currents",
                         .description = "Largest current of any line.",
                         .x = time,
                         .y = {.label = "largest current", .unit = "A"},
                         .height_px = 220});
  current.add(report::Line({.colour = Colour::blue}, by_stamp(trace.largest_a)));
  charts.push_back(std::move(current));
  report::Chart loading({.title = "Loading",
                         .description = "Largest loading of any line.",
                         .x = time,
                         .y = {.label = "largest loading", .unit = "%"},
                         .height_px = 220});
  loading.add(report::Line({.colour = Colour::blue}, by_stamp(trace.largest_percent)));
  charts.push_back(std::move(loading));
  return report::ChartStack(std::move(charts));
}

/// A measure against another, over the scales of the trace.
std::vector<Point> relation(const Rows& rows, GridMethod method, double GridMeasures::* x,
                            const std::function<double(const GridMeasures&)>& y) {
  std::vector<Point> points;
  rows.visit([&](const GridCell& cell) { return cell.part == GridPart::scales && cell.method == method; },
             [&](const GridCell&, const GridMeasures& m) { points.push_back({m.*x, y(m)}); });
  return points;
}

report::Chart sanitization_figure(const Rows& rows) {
  report::Chart chart({.title = "Figure 6.4 (a): sanitization error and errors of the load flow",
                       .description =
                           "Voltage and current error over the mean error of released powers, on logarithmic "
                           "axes.",
                       .x = log_axis("mean error of released kW", "kW", 0.04, 25),
                       .y = log_axis("error", "V or A", 0.1, 1000)});
  const auto current = [](const GridMeasures& m) { return m.current_a; };
  const auto voltage = [](const GridMeasures& m) { return m.voltage_v; };
  chart.add(report::Line({.label = "current, A", .colour = Colour::vermilion},
                         logarithmic(relation(rows, GridMethod::load_flow, &GridMeasures::p_kw, current))));
  chart.add(report::Line({.label = "voltage, V", .colour = Colour::blue},
                         logarithmic(relation(rows, GridMethod::load_flow, &GridMeasures::p_kw, voltage))));
  return chart;
}

report::Chart violations_figure(const Rows& rows) {
  report::Chart chart({.title = "Figure 6.4 (b): errors of the load flow and of what is done with it",
                       .description = "Voltage violations that are missed or invented, over the voltage error.",
                       .x = log_axis("voltage error", "V", 0.1, 20),
                       .y = {.label = "violations missed or invented"}});
  const auto differing = [](const GridMeasures& m) { return m.voltage_missed + m.voltage_invented; };
  std::vector<Point> points = relation(rows, GridMethod::load_flow, &GridMeasures::voltage_v, differing);
  for (Point& point : points) point.x = std::log10(point.x);
  chart.add(report::Line({.label = "load flow on releases", .colour = Colour::blue}, std::move(points)));
  return chart;
}

/// Figure 6.5, and the same of any place.
report::Chart scales_figure(const Rows& rows, GridPart part, const GridPlace& place, const std::string& title,
                            std::optional<double> meters_v) {
  report::Chart chart({.title = title,
                       .description = "Voltage error over the noise scale: load flow on releases grows without bound, "
                                      "the household filter stays below what is known without customers' data.",
                       .x = log_axis("noise scale", "kW", 0.05, 20),
                       .y = log_axis("voltage error", "V", 0.01, 30)});
  constexpr std::pair<GridMethod, Colour> kLines[] = {
      {GridMethod::load_flow, Colour::vermilion}, {GridMethod::least_squares, Colour::ochre},
      {GridMethod::profile, Colour::purple},      {GridMethod::households, Colour::blue},
      {GridMethod::boxes, Colour::green},         {GridMethod::nothing, Colour::slate}};
  for (const auto& [method, colour] : kLines) {
    auto points = rows.voltages(part, place, method);
    if (points.empty()) continue;
    chart.add(report::Line({.label = title_of(method), .colour = colour, .dashed = method == GridMethod::nothing},
                           logarithmic(points)));
  }
  if (meters_v) {
    chart.add(report::Line({.label = "meters off by 1 %", .colour = Colour::ink, .width_px = 1.0, .dashed = true},
                           logarithmic({{0.05, *meters_v}, {20, *meters_v}})));
  }
  return chart;
}

/// Other measures over the scales of the trace.
report::Chart trace_figure_of(const Rows& rows, const std::string& title, report::Axis y,
                              const std::function<double(const GridMeasures&)>& measure) {
  report::Chart chart({.title = title,
                       .description = "Over the noise scale, on the trace.",
                       .x = log_axis("noise scale", "kW", 0.05, 20),
                       .y = std::move(y),
                       .height_px = 320});
  constexpr std::pair<GridMethod, Colour> kLines[] = {{GridMethod::load_flow, Colour::vermilion},
                                                      {GridMethod::households, Colour::blue},
                                                      {GridMethod::nothing, Colour::slate}};
  for (const auto& [method, colour] : kLines) {
    std::vector<Point> points;
    rows.visit(
        [&, wanted = method](const GridCell& cell) { return cell.part == GridPart::scales && cell.method == wanted; },
        [&](const GridCell& cell, const GridMeasures& m) {
          points.push_back({std::log10(cell.scale_kw), measure(m)});
        });
    chart.add(report::Line({.label = title_of(method), .colour = colour, .dashed = method == GridMethod::nothing},
                           std::move(points)));
  }
  return chart;
}

std::optional<double> meters_voltage(const Rows& rows, GridPart part, const GridPlace& place) {
  const GridMeasures* const found = rows.find([&](const GridCell& cell) {
    return cell.part == part && cell.place == place && !cell.has_q && cell.noise == GridNoise::meter &&
           cell.method == GridMethod::load_flow;
  });
  if (found == nullptr) return std::nullopt;
  return found->voltage_v;
}

void add_places(report::Page& page, const Rows& rows) {
  page.section("Every network");
  for (const GridPlace& place : rows.places()) {
    page.subsection(place.network + ", " + place.loads);
    page.figure(scales_figure(rows, GridPart::networks, place, place.network + ", " + place.loads,
                              meters_voltage(rows, GridPart::networks, place)),
                "Voltage error over the noise scale.");
    page.table(place_table(rows, place, "Largest voltage error, V",
                           [](const GridMeasures& m) { return number(m.voltage_v); }));
    page.table(place_table(rows, place, "Largest error of a main's current, A",
                           [](const GridMeasures& m) { return number(m.main_current_a); }));
    page.table(place_table(rows, place, "Voltage violations missed + invented, of those in the truth",
                           [](const GridMeasures& m) {
                             return Cell{report::format_significant(m.voltage_missed) + " + " +
                                         report::format_significant(m.voltage_invented) + " of " +
                                         report::format_significant(m.voltage_violations)};
                           }));
  }
}

}  // namespace

std::vector<Table> grid_tables(const GridStudy& study, const std::vector<GridMeasures>& measures) {
  const Rows rows(study, measures);
  return {chapter_table(rows), targets_table(rows), frontier_table(rows), policies_table(rows)};
}

Result<std::string> grid_page(const GridStudy& study, const std::vector<GridMeasures>& measures) {
  const Rows rows(study, measures);
  FUGU_ASSIGN(const GridStudy::Trace trace, study.trace());
  report::Page page({.title = "Can a grid be run on released numbers?",
                     .subtitle = "Chapter 6 of the thesis, and state estimation from the same releases"});
  page.paragraph(
      "Voltages and currents are computed from released measurements of customers and compared with those from the "
      "truth. Errors are means over stamps of the largest error of any node or line. Every table has the operator "
      "without "
      "any customer data: bills, a public profile and the transformer's own measurement.");
  page.section("The chapter");
  page.figure(trace_figure(trace), "Figure 6.3, on a made-up trace with a voltage drop like the thesis's.");
  page.table(chapter_table(rows));
  page.figure(sanitization_figure(rows), "P only, 20 scales from 0.05 to 20 kW, ten runs each.");
  page.figure(violations_figure(rows), "The same releases.");
  page.figure(scales_figure(rows, GridPart::scales, trace_place(), "Figure 6.5 (a): voltage error",
                            meters_voltage(rows, GridPart::chapter, trace_place())),
              "The thesis's way is the steepest line.");
  page.figure(trace_figure_of(rows, "Figure 6.5 (a): current error", log_axis("current error", "A", 0.1, 1000),
                              [](const GridMeasures& m) { return std::log10(m.current_a); }),
              "The largest error of any line.");
  page.figure(trace_figure_of(rows, "Figure 6.5 (b): loading error", log_axis("loading error", "points", 0.01, 1000),
                              [](const GridMeasures& m) { return std::log10(m.loading_points); }),
              "In percentage points of a line's ampacity.");
  page.figure(trace_figure_of(rows, "Figure 6.5 (c): voltage violations missed or invented",
                              {.label = "violations missed or invented"},
                              [](const GridMeasures& m) { return m.voltage_missed + m.voltage_invented; }),
              "Of 100 stamps and 35 nodes.");
  page.table(targets_table(rows));
  page.section("What customers' data are worth");
  page.table(frontier_table(rows));
  page.section("By what households want hidden");
  page.table(policies_table(rows));
  add_places(page, rows);
  return page.html();
}

}  // namespace fugu
