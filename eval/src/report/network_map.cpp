#include "fugu/report/network_map.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "document.hpp"
#include "fugu/base/check.hpp"
#include "fugu/monitoring/comparison.hpp"
#include "fugu/report/network_drawing.hpp"
#include "fugu/report/number.hpp"
#include "network_map_parts.hpp"

namespace fugu::report {

namespace {

using detail::kLoadingClasses;
using detail::kVoltageClasses;

constexpr double kMargin = 30;  // around a drawing, for marks and names
constexpr std::size_t kViewsPerRow = 3;
constexpr std::size_t kNamedNodesMax = 40;  // names of more would cover each other

/// With two digits, for a file that is not read by people.
std::string px(double value) {
  std::string text = std::to_string(std::llround(100 * value));
  const bool is_negative = text.front() == '-';
  if (is_negative) text.erase(0, 1);
  if (text.size() < 3) text.insert(0, 3 - text.size(), '0');
  text.insert(text.size() - 2, ".");
  return is_negative ? "-" + text : text;
}

std::string volts(double value) { return format_fixed(value, 1) + " V"; }
/// What a colour stands for; without one of its ends it is a violation.
std::string range_text(const std::string& from, const std::string& to, std::string_view unit) {
  if (from.empty()) return std::string("below ").append(to).append(unit).append(": violation");
  if (to.empty()) return std::string("above ").append(from).append(unit).append(": violation");
  return std::string(from).append(" to ").append(to).append(unit);
}
std::string percent(double value) { return format_significant(value, 3) + " %"; }

// --- The drawing. The script finds nodes and lines by their place in it. ---

class DrawingWriter {
 public:
  DrawingWriter(MarkupWriter& svg, const grid::Network& network)
      : svg_(svg), network_(network), drawing_(draw_network(network)), has_customer_(network.nodes().size()) {
    for (const std::uint32_t node : network.customer_nodes()) has_customer_[node] = true;
    const double area = std::max(drawing_.width, 100.0) * std::max(drawing_.height, 100.0);
    radius_ = std::clamp(0.17 * std::sqrt(area / static_cast<double>(has_customer_.size())), 3.2, 7.0);
  }

  void write() {
    const std::string box = px(-kMargin) + " " + px(-kMargin) + " " + px(drawing_.width + 2 * kMargin) + " " +
                            px(drawing_.height + 2 * kMargin);
    svg_.open("svg", {{"class", "network"},
                      {"viewBox", box},
                      {"style", "--scale:" + px(radius_ / 7)},
                      {"role", "img"},
                      {"aria-label", "Drawing of the network: " + std::to_string(network_.nodes().size()) + " nodes, " +
                                         std::to_string(network_.lines().size()) + " lines"}});
    svg_.element("g", {{"class", "halos"}}, "");
    write_lines();
    write_busbar();
    write_nodes();
    if (network_.nodes().size() <= kNamedNodesMax) write_names();
    svg_.element("g", {{"class", "marks"}}, "");
    svg_.close();
  }

  bool is_geographic() const { return drawing_.is_geographic; }

 private:
  void write_lines() {
    svg_.open("g", {{"class", "lines"}});
    for (std::size_t i = 0; i < network_.lines().size(); ++i) {
      const auto [from, to] = network_.line_ends()[i];
      const Place& a = drawing_.nodes[from];
      const Place& b = drawing_.nodes[to];
      std::vector<Attribute> attributes = {{"x1", px(a.x)}, {"y1", px(a.y)}, {"x2", px(b.x)}, {"y2", px(b.y)}};
      if (!network_.lines()[i].is_closed) attributes.push_back({"class", "open"});
      svg_.empty("line", attributes);
    }
    svg_.close();
  }

  void write_busbar() {
    const Place& at = drawing_.nodes[network_.root()];
    const double half = 2.6 * radius_;
    svg_.empty("rect", {{"class", "busbar"},
                        {"x", px(at.x - half)},
                        {"y", px(at.y - 0.5 * radius_)},
                        {"width", px(2 * half)},
                        {"height", px(radius_)},
                        {"rx", px(0.4 * radius_)}});
  }

  void write_nodes() {
    svg_.open("g", {{"class", "nodes"}});
    for (std::size_t node = 0; node < has_customer_.size(); ++node) {
      const Place& at = drawing_.nodes[node];
      svg_.empty("circle", {{"cx", px(at.x)}, {"cy", px(at.y)}, {"r", px(radius_ * (has_customer_[node] ? 1 : 0.7))}});
    }
    svg_.close();
  }

  /// Beside a node, or below it where no line goes further down.
  void write_names() {
    std::vector<bool> has_child(has_customer_.size());
    for (const std::uint32_t node : network_.order()) {
      if (node != network_.root()) has_child[network_.parent(node)] = true;
    }
    svg_.open("g", {{"class", "names"}});
    for (std::size_t node = 0; node < has_customer_.size(); ++node) {
      const Place& at = drawing_.nodes[node];
      const Place beside = {at.x + radius_ + 2, at.y - radius_};
      const Place below = {at.x, at.y + radius_ + 11};
      const Place& text_at = has_child[node] ? beside : below;
      svg_.element("text",
                   {{"x", px(text_at.x)}, {"y", px(text_at.y)}, {"text-anchor", has_child[node] ? "start" : "middle"}},
                   network_.nodes()[node].id);
    }
    svg_.close();
  }

  MarkupWriter& svg_;
  const grid::Network& network_;
  NetworkDrawing drawing_;
  std::vector<bool> has_customer_;
  double radius_;
};

// --- Numbers of a view over all stamps. ---

struct Extreme {
  double value;
  std::size_t stamp;
  std::size_t place;
};

/// Of the stamps that converged.
struct ViewFacts {
  std::optional<Extreme> lowest_v;
  std::optional<Extreme> highest_v;
  std::optional<Extreme> highest_percent;  ///< of lines with an ampacity
};

ViewFacts facts_of(const grid::Monitor& monitor, const grid::GridStates& states) {
  ViewFacts facts;
  const auto take_lowest = [](std::optional<Extreme>& best, const Extreme& candidate) {
    if (!best || candidate.value < best->value) best = candidate;
  };
  const auto take_highest = [](std::optional<Extreme>& best, const Extreme& candidate) {
    if (!best || candidate.value > best->value) best = candidate;
  };
  for (std::size_t stamp = 0; stamp < states.stamps(); ++stamp) {
    if (!states.is_solved(stamp)) continue;
    for (std::size_t node = 0; node < states.nodes; ++node) {
      if (node == monitor.root()) continue;
      const Extreme here = {states.voltages_v(stamp)[node], stamp, node};
      take_lowest(facts.lowest_v, here);
      take_highest(facts.highest_v, here);
    }
    for (std::size_t line = 0; line < states.lines; ++line) {
      const double factor = monitor.line_limits()[line].percent_per_ampere;
      if (factor > 0) take_highest(facts.highest_percent, {factor * states.currents_a(stamp)[line], stamp, line});
    }
  }
  return facts;
}

class PageWriter {
 public:
  PageWriter(const NetworkMap& map, const grid::Monitor& monitor) : map_(map), monitor_(monitor) {
    for (const MapView& view : map.views) {
      FUGU_CHECK(view.states->nodes == map.network.nodes().size());
      FUGU_CHECK(view.states->lines == map.network.lines().size());
      FUGU_CHECK(view.states->stamps() == stamps());
    }
    FUGU_CHECK(map.times.empty() || map.times.size() == stamps());
    FUGU_CHECK(map.values_max > 0);
    const std::size_t values = stamps() * map.views.size() * (map.network.nodes().size() + map.network.lines().size());
    step_ = std::max<std::size_t>((values + map.values_max - 1) / map.values_max, 1);
  }

  std::string write() && {
    for (const std::string& note : map_.notes) detail::write_note(body_, note, Tone::plain);
    write_remarks();
    if (stamps() > 0) write_controls();
    write_views();
    write_legend();
    if (stamps() > 0) write_totals();
    body_.open("script", {{"type", "application/json"}, {"id", "map-data"}});
    body_.trusted(detail::network_map_data(map_, monitor_, step_));
    body_.close();
    const std::string markup = std::move(body_).finish();
    return detail::html_document({.title = map_.title,
                                  .subtitle = map_.subtitle,
                                  .style = detail::network_map_style(),
                                  .script = detail::network_map_script()},
                                 markup);
  }

 private:
  std::size_t stamps() const { return map_.views.empty() ? 0 : map_.views.front().states->stamps(); }
  /// Whether there is a truth, and something else.
  bool is_compared() const { return map_.first_is_truth && map_.views.size() > 1; }
  std::string time(std::size_t stamp) const {
    return map_.times.empty() ? "stamp " + std::to_string(stamp) : map_.times[stamp];
  }

  /// What the page does not show.
  void write_remarks() {
    const auto lines = map_.network.lines();
    const auto no_ampacity = std::ranges::count_if(lines, [](const grid::Line& line) { return !line.ampacity_a; });
    if (no_ampacity > 0 && stamps() > 0) {
      const std::string which =
          static_cast<std::size_t>(no_ampacity) == lines.size()
              ? "No line has an ampacity"
              : std::to_string(no_ampacity) + " of " + std::to_string(lines.size()) + " lines have no ampacity";
      detail::write_note(body_, which + ". Such lines have currents, but no loading, and overloads there are not seen.",
                         Tone::plain);
    }
    if (step_ > 1) {
      detail::write_note(body_,
                         "To keep this page small, the drawing shows one of " + std::to_string(step_) + " stamps, " +
                             format_count(static_cast<std::int64_t>((stamps() + step_ - 1) / step_)) + " of " +
                             format_count(static_cast<std::int64_t>(stamps())) +
                             ". Violations between them are in the table below, but not in the drawing.",
                         Tone::plain);
    }
    if (stamps() == 0) return;
    body_.open("noscript");
    detail::write_note(
        body_, "This page needs JavaScript to show voltages and currents. Nothing is loaded from outside.", Tone::bad);
    body_.close();
  }

  void write_controls() {
    body_.open("section", {{"class", "controls"}, {"aria-label", "Time"}});
    body_.open("div", {{"class", "buttons"}});
    const auto button = [&](const char* id, const char* text, const char* hint) {
      body_.element("button", {{"type", "button"}, {"id", id}, {"title", hint}, {"aria-label", hint}}, text);
    };
    button("play", "▶", "Play or pause (space)");
    button("back", "‹", "One stamp back (left arrow)");
    button("forward", "›", "One stamp forward (right arrow)");
    button("previous-violation", "« violation", "The stamp before with a violation in any view (p)");
    button("next-violation", "violation »", "The next stamp with a violation in any view (n)");
    body_.element("output", {{"id", "time"}}, "");
    body_.close();
    body_.empty("input", {{"type", "range"},
                          {"id", "slider"},
                          {"min", "0"},
                          {"max", std::to_string((stamps() - 1) / step_)},
                          {"value", "0"},
                          {"aria-label", "Time stamp"}});
    body_.open("figure", {{"class", "strip"}});
    body_.empty(
        "svg", {{"id", "strip"}, {"role", "img"}, {"aria-label", "Lowest and highest voltage of each view over time"}});
    body_.element("figcaption", {{"id", "strip-key"}}, "");
    body_.close();
    body_.close();
  }

  void write_views() {
    const std::size_t views = stamps() > 0 ? map_.views.size() : 1;
    // At most three beside each other, in rows that are as full as possible: four stand in two rows of two.
    const std::size_t rows = (views + kViewsPerRow - 1) / kViewsPerRow;
    const std::size_t columns = (views + rows - 1) / rows;
    body_.open("div", {{"class", "views"}, {"style", "--columns:" + std::to_string(columns)}});
    for (std::size_t i = 0; i < views; ++i) {
      body_.open("section", {{"class", "view"}});
      if (stamps() > 0) {
        body_.element("h2", {}, map_.views[i].name);
        body_.element("dl", {{"class", "facts"}, {"aria-live", "off"}}, "");
      }
      // The same drawing for each view; the script makes the others.
      if (i == 0) {
        DrawingWriter drawing(body_, map_.network);
        drawing.write();
        is_geographic_ = drawing.is_geographic();
      }
      body_.close();
    }
    body_.close();
    body_.element("div", {{"id", "tip"}, {"role", "status"}, {"hidden", ""}}, "");
  }

  void write_sign(const std::string& sign, const std::string& css_class) {
    if (sign == "line") {
      body_.empty("line", {{"x1", "-11"}, {"x2", "11"}, {"y1", "0"}, {"y2", "0"}, {"class", css_class}});
    } else if (css_class == "invented") {
      body_.empty("path", {{"d", "M0-11 11 0 0 11-11 0z"}, {"class", css_class}});
    } else {
      body_.empty("circle", {{"r", sign == "node" ? "7" : "6.5"}, {"class", css_class}});
    }
  }

  /// `sign` is a line, a node or a mark, drawn once in each of the classes.
  void legend_entry(const std::string& sign, std::initializer_list<std::string> css_classes, const std::string& text) {
    body_.open("span", {{"class", "entry"}});
    body_.open("svg", {{"viewBox", "-12 -12 24 24"}, {"aria-hidden", "true"}, {"style", "--scale:1"}});
    body_.open("g", {{"class", sign + "s"}, {"stroke-width", "2"}});
    for (const std::string& css_class : css_classes) write_sign(sign, css_class);
    body_.close();
    body_.close();
    body_.element("span", {}, text);
    body_.close();
  }

  void write_legend() {
    body_.open("section", {{"class", "legend"}, {"aria-label", "Legend"}});
    if (stamps() > 0) {
      write_voltage_legend();
      write_loading_legend();
      write_mark_legend();
    }
    write_shape_legend();
    body_.close();
  }

  void write_voltage_legend() {
    const double nominal_v = map_.network.nominal_v();
    const double under_v = nominal_v * map_.limits.under_percent / 100;
    const double over_v = nominal_v * map_.limits.over_percent / 100;
    const double edges_v[kVoltageClasses - 1] = {-under_v,   -under_v * 2 / 3, -under_v / 3,
                                                 over_v / 3, over_v * 2 / 3,   over_v};
    body_.open("div");
    body_.element("h3", {}, "Voltage");
    for (std::size_t i = 0; i < kVoltageClasses; ++i) {
      const std::string below = i == 0 ? "" : format_fixed(nominal_v + edges_v[i - 1], 1);
      const std::string above = i + 1 == kVoltageClasses ? "" : format_fixed(nominal_v + edges_v[i], 1);
      legend_entry("node", {"v" + std::to_string(i)}, range_text(below, above, " V"));
    }
    body_.close();
  }

  void write_loading_legend() {
    body_.open("div");
    body_.element("h3", {}, "Loading of lines");
    const double limit_percent = map_.limits.loading_percent;
    for (std::size_t i = 0; i < kLoadingClasses; ++i) {
      const std::string below = format_significant(limit_percent * static_cast<double>(i) / 3, 2);
      const bool is_last = i + 1 == kLoadingClasses;
      const std::string above = is_last ? "" : format_significant(limit_percent * static_cast<double>(i + 1) / 3, 2);
      legend_entry("line", {"l" + std::to_string(i)}, range_text(below, above, " %"));
    }
    legend_entry("line", {"l-none"}, "no ampacity: not known");
    body_.close();
  }

  void write_mark_legend() {
    body_.open("div");
    body_.element("h3", {}, "Violations");
    if (is_compared()) {
      const std::string truth = map_.views.front().name;
      legend_entry("mark", {"violation"}, "violation, also in " + truth);
      legend_entry("mark", {"missed"}, "missed: a violation in " + truth + ", not here");
      legend_entry("mark", {"invented"}, "invented: a violation here, not in " + truth);
      legend_entry("mark", {"missed", "invented"},
                   "both: too low in " + truth + " and too high here, or too high there and too low here");
    } else {
      legend_entry("mark", {"violation"}, "violation");
    }
    legend_entry("node", {"unsolved"}, "grey: the load flow did not converge");
    body_.close();
  }

  void write_shape_legend() {
    body_.open("div");
    body_.element("h3", {}, "Drawing");
    body_.element(
        "p", {},
        std::string("Bar: busbar of the transformer. Large circles: nodes with customers. Dashed: open lines. ") +
            (is_geographic_ ? "Nodes stand where their coordinates are, north is up."
                            : "Not to scale: each row is one line further from the busbar."));
    body_.element("p", {},
                  stamps() > 0 ? "Point at a node or line for its numbers in all views. Keys: left and right "
                                 "arrow, space, n and p for the next and previous violation, Home, End."
                               : "Point at a node or line to see what it is.");
    body_.close();
  }

  void write_totals() {
    using Align = Column::Align;
    Table table{.caption = "Over all " + format_count(static_cast<std::int64_t>(stamps())) +
                           " stamps. A violation is a pair of place and stamp; the busbar is not looked at.",
                .columns = {{"view"}, {"violations", Align::number}}};
    const auto add = [&](std::initializer_list<Column> more) {
      table.columns.insert(table.columns.end(), more.begin(), more.end());
    };
    if (is_compared()) add({{"missed", Align::number}, {"invented", Align::number}});
    add({{"no convergence", Align::number},
         {"lowest voltage", Align::number},
         {"where and when"},
         {"highest voltage", Align::number},
         {"where and when"},
         {"highest loading", Align::number},
         {"where and when"}});
    for (std::size_t i = 0; i < map_.views.size(); ++i) table.rows.push_back(totals_of(i));
    detail::write_table(body_, table);
  }

  std::vector<Cell> totals_of(std::size_t view) const {
    const grid::GridStates& states = *map_.views[view].states;
    std::vector<Cell> row = {{map_.views[view].name}};
    const auto count = [&](std::uint64_t number) { row.push_back({format_count(static_cast<std::int64_t>(number))}); };
    grid::ViolationCounts counts;
    monitor_.count(states, counts);
    count(counts.undervoltages + counts.overvoltages + counts.main_overloads + counts.service_overloads);
    if (is_compared() && view == 0) {
      row.insert(row.end(), {{"–"}, {"–"}});
    } else if (is_compared()) {
      // Too high where the truth is too low is both missed and invented.
      grid::StateComparison comparison(monitor_);
      comparison.add(*map_.views.front().states, states);
      const grid::StateErrors errors = comparison.errors();
      grid::ViolationErrors all = errors.undervoltages;
      for (const grid::ViolationErrors& more : {errors.overvoltages, errors.lines.overloads}) all += more;
      count(all.missed);
      count(all.invented);
    }
    count(counts.stamps_unsolved);
    const ViewFacts facts = facts_of(monitor_, states);
    const auto extreme = [&](const std::optional<Extreme>& found, const auto& text, const auto& places) {
      row.push_back({found ? text(found->value) : "–"});
      row.push_back({found ? places[found->place].id + ", " + time(found->stamp) : "–"});
    };
    extreme(facts.lowest_v, volts, map_.network.nodes());
    extreme(facts.highest_v, volts, map_.network.nodes());
    extreme(facts.highest_percent, percent, map_.network.lines());
    return row;
  }

  const NetworkMap& map_;
  const grid::Monitor& monitor_;
  std::size_t step_;
  MarkupWriter body_;
  bool is_geographic_ = false;
};

}  // namespace

Result<std::string> network_map_page(const NetworkMap& map) {
  FUGU_ASSIGN(const grid::Monitor monitor, grid::Monitor::make(map.network, map.limits));
  return PageWriter(map, monitor).write();
}

}  // namespace fugu::report
