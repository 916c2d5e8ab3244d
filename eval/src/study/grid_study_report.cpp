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
/// The scale at which places and methods are compared in words.
constexpr double kCommonScaleKw = 1;

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

std::string description_of(GridMethod method) {
  switch (method) {
    case GridMethod::load_flow:
      return "The thesis's way. Released kW are taken for the truth, and kvar for 0 where none are released. A load "
             "flow "
             "gives voltages and currents.";
    case GridMethod::least_squares:
      return "Released values with their variance, and the transformer's own measurement: each customer is corrected "
             "by "
             "its share of the uncertainty, then comes the load flow.";
    case GridMethod::profile:
      return "The same, and each home's bill with the usual day of homes, all as if noise and loads were normal.";
    case GridMethod::households:
      return "Instead, a filter for each household that knows the exact law of the noise and, from a public sample of "
             "homes, how loads move from slot to slot; then the transformer's measurement.";
    case GridMethod::boxes:
      return "Not customers but the sums of junction boxes are released, with noise of the same scale. Bills, profile "
             "and "
             "transformer share them out.";
    case GridMethod::nothing:
      return "Nothing is released about households: bills, profile and the transformer's measurement alone. What "
             "customers' data have to beat to be worth their privacy.";
    case GridMethod::households_sensors:
      return "The household filter, and three voltage sensors of the operator at the ends of mains.";
    case GridMethod::nothing_sensors: return "No customer data, and the same three sensors.";
  }
  return {};
}

constexpr GridMethod kColumns[] = {GridMethod::load_flow,          GridMethod::least_squares,  GridMethod::profile,
                                   GridMethod::households,         GridMethod::boxes,          GridMethod::nothing,
                                   GridMethod::households_sensors, GridMethod::nothing_sensors};

/// The error of meters that operators accept. Without kvar most of what it leads to is no error of meters.
std::string yardstick(bool has_q) { return has_q ? "meters off by 1 %, PQ" : "meters off by 1 %, P only"; }

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
  /// At one scale; not a number where there is no such row.
  double voltage_at(const GridPlace& place, double scale_kw, GridMethod method) const {
    const GridMeasures* const found = find([&](const GridCell& cell) {
      return cell.part == GridPart::networks && cell.place == place && cell.noise == GridNoise::laplace &&
             cell.scale_kw == scale_kw && cell.method == method;
    });
    return found == nullptr ? kNone : found->voltage_v;
  }
  /// Of a load flow on what meters off by 1 % say.
  double yardstick_v(GridPart part, const GridPlace& place, bool has_q) const {
    const GridMeasures* const found = find([&](const GridCell& cell) {
      return cell.part == part && cell.place == place && cell.has_q == has_q && cell.noise == GridNoise::meter &&
             cell.method == GridMethod::load_flow;
    });
    return found == nullptr ? kNone : found->voltage_v;
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

/// Up to which scale a method lowers the voltage error by a tenth or more against no customer data.
std::optional<double> frontier(const Rows& rows, const GridPlace& place, GridMethod method) {
  const auto nothing = rows.voltages(GridPart::networks, place, GridMethod::nothing);
  const double limit = nothing.empty() ? kNone : kWorthwhile * nothing.front().y;
  return largest_scale(rows.voltages(GridPart::networks, place, method), limit);
}

std::string scale_text(const std::optional<double>& scale, double largest) {
  if (!scale) return "none";
  if (std::isinf(*scale)) return "above " + report::format_significant(largest, 2);
  return report::format_significant(*scale, 2);
}

std::string chapter_scenario(const GridCell& cell) {
  std::string text = cell.has_q ? "PQ" : "P only";
  if (cell.noise == GridNoise::meter) return yardstick(cell.has_q);
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
  const double p_only_v = rows.yardstick_v(GridPart::chapter, trace_place(), false);
  const double pq_v = rows.yardstick_v(GridPart::chapter, trace_place(), true);
  Table table{
      .caption =
          "Largest scale whose voltage error is within a target, and the epsilon with which it hides a cycle of "
          "a refrigerator (0.14 kW, one quarter hour). Beside a target stands what it would be with PQ",
      .columns = {{"target"},
                  {"V", Align::number},
                  {"with PQ, V", Align::number},
                  {"method"},
                  {"scale, kW", Align::number},
                  {"epsilon", Align::number}}};
  const grid::Requirement cycle = grid::one_use(kRefrigeratorW, kRefrigeratorMin, 15);
  for (const double target : kTargets) {
    const double limit = target * p_only_v;
    for (const GridMethod method : {GridMethod::load_flow, GridMethod::households, GridMethod::nothing}) {
      const auto errors = rows.voltages(GridPart::scales, trace_place(), method);
      const auto scale = largest_scale(errors, limit);
      const bool is_scale = scale && std::isfinite(*scale) && method != GridMethod::nothing;
      std::string found = scale_text(scale, errors.empty() ? 0 : errors.back().x);
      if (method == GridMethod::nothing) found = scale ? "any" : "none";
      table.rows.push_back({{report::format_significant(target, 2) + " × " + yardstick(false)},
                            number(limit),
                            number(target * pq_v),
                            {title_of(method)},
                            {std::move(found)},
                            is_scale ? number(grid::epsilon_at(cycle, *scale), 2) : Cell{"–"}});
    }
  }
  return table;
}

/// Up to which scale customers' data improve on none.
Table frontier_table(const Rows& rows) {
  Table table{
      .caption =
          "Up to which scale, in kW, customers' data lower the voltage error by a tenth or more against none; and "
          "voltage errors, in V, of a load flow on what meters say that are off by 1 %",
      .columns = {{"network"}, {"loads"}}};
  for (const GridMethod method : {GridMethod::profile, GridMethod::households})
    table.columns.push_back({title_of(method) + ", kW", Align::number});
  for (const bool has_q : {false, true}) table.columns.push_back({yardstick(has_q) + ", V", Align::number});
  for (const GridPlace& place : rows.places()) {
    std::vector<Cell> row = {{place.network}, {place.loads}};
    for (const GridMethod method : {GridMethod::profile, GridMethod::households}) {
      const auto errors = rows.voltages(GridPart::networks, place, method);
      row.push_back({scale_text(frontier(rows, place, method), errors.empty() ? 0 : errors.back().x)});
    }
    for (const bool has_q : {false, true}) row.push_back(number(rows.yardstick_v(GridPart::networks, place, has_q), 2));
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Every method at the scale that the conclusion is about.
Table methods_table(const Rows& rows) {
  Table table{.caption = "Voltage errors, in V, at a scale of " + report::format_significant(kCommonScaleKw, 1) + " kW",
              .columns = {{"network"}, {"loads"}}};
  for (const GridMethod method : kColumns) table.columns.push_back({title_of(method), Align::number});
  for (const GridPlace& place : rows.places()) {
    std::vector<Cell> row = {{place.network}, {place.loads}};
    for (const GridMethod method : kColumns) row.push_back(number(rows.voltage_at(place, kCommonScaleKw, method), 2));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table descriptions_table() {
  Table table{.caption = "What is made of the releases", .columns = {{"method"}, {"in words"}}};
  for (const GridMethod method : kColumns) table.rows.push_back({{title_of(method)}, {description_of(method)}});
  return table;
}

// --- The conclusion ---

/// A place whose rows are there, at the common scale.
struct Worth {
  GridPlace place;
  double filter;     ///< voltage error over that without customers' data
  double load_flow;  ///< the same of the thesis's way
  std::optional<double> frontier_kw;
};

std::vector<Worth> worths(const Rows& rows) {
  std::vector<Worth> all;
  for (const GridPlace& place : rows.places()) {
    const auto ratio = [&](GridMethod method) {
      return rows.voltage_at(place, kCommonScaleKw, method) /
             rows.voltage_at(place, kCommonScaleKw, GridMethod::nothing);
    };
    const Worth worth{.place = place,
                      .filter = ratio(GridMethod::households),
                      .load_flow = ratio(GridMethod::load_flow),
                      .frontier_kw = frontier(rows, place, GridMethod::households)};
    if (std::isfinite(worth.filter) && std::isfinite(worth.load_flow)) all.push_back(worth);
  }
  return all;
}

std::string of_places(std::ptrdiff_t count, std::size_t all) {
  return "in " + std::to_string(count) + " of " + std::to_string(all) + " places";
}

std::string filter_conclusion(const std::vector<Worth>& all) {
  const auto better = std::ranges::count_if(all, [](const Worth& worth) { return worth.filter <= kWorthwhile; });
  return "At a noise scale of " + report::format_significant(kCommonScaleKw, 1) +
         " kW the household filter lowers the voltage error by a tenth or more against no customer data " +
         of_places(better, all.size()) + " (a place is a network with a source of loads).";
}

std::string frontier_conclusion(const std::vector<Worth>& all, double largest_kw) {
  const auto nowhere = std::ranges::count_if(all, [](const Worth& worth) { return !worth.frontier_kw; });
  const auto first = std::ranges::min_element(all, {}, &Worth::frontier_kw);
  const auto last = std::ranges::max_element(all, {}, &Worth::frontier_kw);
  const auto up_to = [&](const Worth& worth) {
    const bool is_last = std::isinf(*worth.frontier_kw);
    return "up to " + report::format_significant(is_last ? largest_kw : *worth.frontier_kw, 2) + " kW" +
           (is_last ? ", the largest that was tried" : "") + " (" + worth.place.network + ", " + worth.place.loads +
           ")";
  };
  if (!last->frontier_kw) return "It does so nowhere, not even at the smallest scale that was tried.";
  const std::string everywhere =
      nowhere > 0 ? "Not even at the smallest scale that was tried does it so " + of_places(nowhere, all.size())
                  : "It does so in every place " + up_to(*first);
  return everywhere + "; at the best place it does " + up_to(*last) + ".";
}

std::string load_flow_conclusion(const std::vector<Worth>& all) {
  const auto worse = std::ranges::count_if(all, [](const Worth& worth) { return worth.load_flow > 1; });
  const auto [least, most] = std::ranges::minmax(all, {}, &Worth::load_flow);
  return "At " + report::format_significant(kCommonScaleKw, 1) +
         " kW a load flow on releases has a larger error than no customer data " + of_places(worse, all.size()) +
         ": it is " + report::format_significant(least.load_flow, 2) + " to " +
         report::format_significant(most.load_flow, 2) + " times as large.";
}

/// How much of the yardstick is the meter.
std::optional<std::string> yardstick_conclusion(const Rows& rows) {
  const GridMeasures* const exact = rows.find([](const GridCell& cell) {
    return cell.part == GridPart::chapter && !cell.has_q && cell.noise == GridNoise::none &&
           cell.method == GridMethod::load_flow;
  });
  const double p_only_v = rows.yardstick_v(GridPart::chapter, trace_place(), false);
  const double pq_v = rows.yardstick_v(GridPart::chapter, trace_place(), true);
  if (exact == nullptr || std::isnan(p_only_v) || std::isnan(pq_v)) return std::nullopt;
  const auto volts = [](double value) { return report::format_significant(value, 2) + " V"; };
  return "Figures with P only lack the kvar. On the trace a load flow is off by " + volts(exact->voltage_v) +
         " for that reason alone, before any noise; with meters off by 1 % by " + volts(p_only_v) +
         ". With kvar as well (PQ), such meters lead to " + volts(pq_v) + ".";
}

/// Voltage errors over those without customers' data, of all places together.
Table ratios_table(const Rows& rows) {
  constexpr GridMethod kMethods[] = {GridMethod::load_flow, GridMethod::least_squares, GridMethod::profile,
                                     GridMethod::boxes, GridMethod::households};
  Table table{.caption =
                  "Voltage error as a multiple of that without customer data: geometric mean over all places, and "
                  "the household filter's smallest and largest",
              .columns = {{"scale, kW", Align::number}}};
  for (const GridMethod method : kMethods) table.columns.push_back({title_of(method), Align::number});
  table.columns.push_back({"smallest", Align::number});
  table.columns.push_back({"largest", Align::number});
  const std::vector<GridPlace> places = rows.places();
  for (const Point& at : rows.voltages(GridPart::networks, places.front(), GridMethod::nothing)) {
    std::vector<Cell> row = {number(at.x)};
    std::vector<double> ratios;
    for (const GridMethod method : kMethods) {
      ratios.clear();
      double logarithms = 0;
      for (const GridPlace& place : places) {
        ratios.push_back(rows.voltage_at(place, at.x, method) / rows.voltage_at(place, at.x, GridMethod::nothing));
        logarithms += std::log(ratios.back());
      }
      row.push_back(number(std::exp(logarithms / static_cast<double>(ratios.size())), 2));
    }
    row.push_back(number(std::ranges::min(ratios), 2));  // of the last method, the filter
    row.push_back(number(std::ranges::max(ratios), 2));
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
  Table table{.caption = std::move(caption), .columns = {{"released"}}};
  for (const GridMethod method : kColumns) table.columns.push_back({title_of(method), Align::number});
  std::set<double> scales;
  rows.visit(
      [&](const GridCell& cell) {
        return cell.part == GridPart::networks && cell.place == place && cell.noise == GridNoise::laplace;
      },
      [&](const GridCell& cell, const GridMeasures&) { scales.insert(cell.scale_kw); });
  const auto add = [&](Cell first, GridNoise noise, double scale_kw, bool has_q) {
    std::vector<Cell> row = {std::move(first)};
    for (const GridMethod method : kColumns) {
      const GridMeasures* const found = rows.find([&](const GridCell& cell) {
        return cell.part == GridPart::networks && cell.place == place && cell.has_q == has_q && cell.noise == noise &&
               cell.scale_kw == scale_kw && cell.method == method;
      });
      row.push_back(found == nullptr ? Cell{"–"} : cell_of(*found));
    }
    table.rows.push_back(std::move(row));
  };
  for (const bool has_q : {false, true}) add({yardstick(has_q)}, GridNoise::meter, 0, has_q);
  for (const double scale : scales)
    add({"scale " + report::format_significant(scale, 2) + " kW"}, GridNoise::laplace, scale, false);
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
report::Chart scales_figure(const Rows& rows, GridPart part, const GridPlace& place, const std::string& title) {
  constexpr double kFromKw = 0.05;
  constexpr double kToKw = 20;
  constexpr std::pair<GridMethod, Colour> kLines[] = {
      {GridMethod::load_flow, Colour::vermilion}, {GridMethod::least_squares, Colour::ochre},
      {GridMethod::profile, Colour::purple},      {GridMethod::households, Colour::blue},
      {GridMethod::boxes, Colour::green},         {GridMethod::nothing, Colour::slate}};
  double from_v = 0.01;
  std::vector<report::Line> lines;
  const auto add = [&](report::Line::Options options, const std::vector<Point>& points) {
    for (const Point& point : points) {
      while (point.y > 0 && point.y < from_v) from_v /= 10;
    }
    lines.emplace_back(std::move(options), logarithmic(points));
  };
  for (const auto& [method, colour] : kLines) {
    const auto points = rows.voltages(part, place, method);
    if (points.empty()) continue;
    add({.label = title_of(method), .colour = colour, .dashed = method == GridMethod::nothing}, points);
  }
  for (const bool has_q : {false, true}) {
    const double error_v = rows.yardstick_v(part == GridPart::scales ? GridPart::chapter : part, place, has_q);
    if (std::isnan(error_v)) continue;
    add({.label = yardstick(has_q), .colour = Colour::ink, .width_px = 1.0, .dashed = !has_q},
        {{kFromKw, error_v}, {kToKw, error_v}});
  }
  report::Chart chart({.title = title,
                       .description = "Voltage error of each method over the noise scale.",
                       .x = log_axis("noise scale", "kW", kFromKw, kToKw),
                       .y = log_axis("voltage error", "V", from_v, 30)});
  for (report::Line& line : lines) chart.add(std::move(line));
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

void add_places(report::Page& page, const Rows& rows) {
  page.section("Every network");
  for (const GridPlace& place : rows.places()) {
    page.subsection(place.network + ", " + place.loads);
    page.figure(scales_figure(rows, GridPart::networks, place, place.network + ", " + place.loads),
                "Voltage error over the noise scale.");
    page.table(place_table(rows, place, "Largest voltage error, V",
                           [](const GridMeasures& m) { return number(m.voltage_v); }));
    page.table(place_table(rows, place, "Largest error of a main's current, A",
                           [](const GridMeasures& m) { return number(m.main_current_a); }));
    const GridMeasures* const any =
        rows.find([&](const GridCell& cell) { return cell.part == GridPart::networks && cell.place == place; });
    page.table(place_table(rows, place,
                           "Voltage violations missed, of " +
                               report::format_significant(any == nullptr ? 0 : any->voltage_violations) +
                               " in the truth",
                           [](const GridMeasures& m) { return number(m.voltage_missed); }));
    page.table(place_table(rows, place, "Voltage violations invented",
                           [](const GridMeasures& m) { return number(m.voltage_invented); }));
  }
}

}  // namespace

std::vector<Table> grid_tables(const GridStudy& study, const std::vector<GridMeasures>& measures) {
  const Rows rows(study, measures);
  return {chapter_table(rows), targets_table(rows), frontier_table(rows),
          methods_table(rows), ratios_table(rows),  policies_table(rows)};
}

std::vector<std::string> grid_conclusions(const GridStudy& study, const std::vector<GridMeasures>& measures) {
  const Rows rows(study, measures);
  std::vector<std::string> sentences;
  const std::vector<Worth> all = worths(rows);
  if (!all.empty()) {
    const double largest = rows.voltages(GridPart::networks, all.front().place, GridMethod::households).back().x;
    sentences = {filter_conclusion(all), frontier_conclusion(all, largest), load_flow_conclusion(all)};
  }
  if (auto sentence = yardstick_conclusion(rows)) sentences.push_back(std::move(*sentence));
  return sentences;
}

Result<std::string> grid_page(const GridStudy& study, const std::vector<GridMeasures>& measures) {
  const Rows rows(study, measures);
  FUGU_ASSIGN(const GridStudy::Trace trace, study.trace());
  report::Page page({.title = "Can a grid be run on released numbers?",
                     .subtitle = "Chapter 6 of the thesis, and state estimation from the same releases"});
  page.section("In short");
  for (const std::string& sentence : grid_conclusions(study, measures)) page.paragraph(sentence);
  page.section("What is compared");
  page.paragraph(
      "Voltages and currents are computed from released measurements of customers and compared with those from the "
      "truth. Errors are means over stamps of the largest error of any node or line. Noise of the given scale is on "
      "the "
      "kW of households; industrial customers are not protected. All methods know the busbar's voltage.");
  page.table(descriptions_table());
  page.section("The chapter");
  page.figure(trace_figure(trace), "Figure 6.3, on a made-up trace with a voltage drop like the thesis's.");
  page.table(chapter_table(rows));
  page.figure(sanitization_figure(rows), "P only, 20 scales from 0.05 to 20 kW, ten runs each.");
  page.figure(violations_figure(rows), "The same releases.");
  page.figure(scales_figure(rows, GridPart::scales, trace_place(), "Figure 6.5 (a): voltage error"),
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
  page.table(methods_table(rows));
  page.table(ratios_table(rows));
  page.section("By what households want hidden");
  page.table(policies_table(rows));
  add_places(page, rows);
  return page.html();
}

}  // namespace fugu
