// fugu grid monitor: voltages and loadings from released numbers, and what state estimation makes of them.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "fugu/inference/measured_knowledge.hpp"
#include "fugu/monitoring/comparison.hpp"
#include "fugu/monitoring/monitor.hpp"
#include "fugu/report/network_map.hpp"
#include "fugu/stream/decimal.hpp"
#include "grid.hpp"
#include "grid_estimate.hpp"
#include "output_stream.hpp"
#include "table.hpp"

namespace fugu::cli {

namespace {

/// Stamps that are looked at together: a week of quarter hours.
constexpr std::size_t kBatch = 672;

constexpr const char* kExamples = R"(
Views, each with its own load flow:
  released          releases taken for the truth, as the thesis does; wants kW of every customer
  estimated         state estimation: a filter for each household that knows the law of the noise and what homes are
                    like, then the transformer, voltage sensors and released sums
  no customer data  bills (--bills, or yearly_kwh of the network), public profiles and the operator's own measurements alone: what
                    customers' data have to beat to be worth their privacy
  true              with --truth, for evaluation only
What is made of the release is post-processing and costs no privacy. What comes from --measured is under no epsilon:
estimates and maps made with it are for the operator (docs/guarantees/threat-model.md). How estimation works:
docs/concepts/state-estimation.md.

Examples
  fugu grid loads street --days 7 --out true.csv --measured own.csv --readings readings.csv --series-map map.csv \
                  --households households.csv --bills bills.csv
  fugu publish --readings readings.csv --series-map map.csv --households households.csv --clamp -12:12 \
               --unit-step 0.001 --definition event --epsilon 10 --mechanism uniform --ledger run.ledger --out released.csv
  fugu grid monitor street --released released.csv --measured own.csv --bills bills.csv --ledger run.ledger --map street.html
  fugu grid monitor street --released released.csv --measured own.csv --bills bills.csv --truth true.csv
)";

struct Arguments {
  NetworkOptions network;
  OperatorFiles files;
  grid::MonitoringLimits limits;
  std::string truth;
  std::string violations;
  std::string estimate;
  std::string map;
};

using Solved = Result<const grid::LoadFlow*>;

/// What somebody knows of the grid, batch by batch.
struct View {
  std::string name;
  std::function<Solved(std::size_t first, std::size_t count)> solve;
  grid::ViolationCounts counts = {};
  std::optional<grid::StateComparison> errors = {};
  double lowest_v = std::numeric_limits<double>::infinity();
  double highest_v = 0;
  double highest_percent = 0;  // of mains
  grid::GridStates kept = {};  // for the map

  void keep(const grid::GridStates& states) {
    kept.nodes = states.nodes;
    kept.lines = states.lines;
    kept.voltage_v.insert(kept.voltage_v.end(), states.voltage_v.begin(), states.voltage_v.end());
    kept.current_a.insert(kept.current_a.end(), states.current_a.begin(), states.current_a.end());
  }
};

class MonitorRun {
 public:
  static Outcome run(const Arguments& arguments);

 private:
  MonitorRun(const Arguments& arguments, const OperatorView& known, const Estimation& estimation, grid::Monitor monitor)
      : arguments_(arguments), known_(known), estimation_(estimation), monitor_(std::move(monitor)) {}

  const grid::Network& network() const { return known_.network; }
  std::size_t stamps() const { return known_.measurements.stamps; }
  std::string time_of(std::size_t stamp) const {
    const RunClock& time = known_.measurements.time;
    return time.clock.text(known_.measurements.first_slot + static_cast<Slot>(stamp), time.utc_offset_s);
  }

  Result<void> add_views();
  Result<void> add_truth();
  Result<void> add_plain(std::string name, grid::PlainLoads loads);
  Result<void> add_estimated(std::string name, grid::Prior prior);
  Result<void> open_files();
  Result<void> look();
  Result<void> look_at(View& view, std::size_t first, std::size_t count);
  void count_contradictions(const std::vector<double>& surprise);
  void warn_about_contradictions() const;
  void note_failures(const View& view, const grid::LoadFlow& flow, std::size_t first);
  void note_extremes(View& view, const grid::GridStates& states) const;
  void write_violations(const View& view, const grid::GridStates& states, const grid::LoadFlow& flow,
                        std::size_t first);
  void write_estimate(std::size_t first, std::size_t count);
  void print() const;
  void print_errors() const;
  Result<void> write_map() const;

  const Arguments& arguments_;
  const OperatorView& known_;
  const Estimation& estimation_;
  grid::Monitor monitor_;
  std::vector<View> views_;
  std::shared_ptr<grid::GridEstimate> estimated_;  // the latest batch
  grid::GridStates first_states_;                  // of the first view, the latest batch
  std::optional<OutputStream> violations_;
  std::optional<OutputStream> estimate_;
  std::uint64_t failures_ = 0;        // stamps without a solution, of all views
  std::uint64_t contradictions_ = 0;  // stamps
};

/// Where the busbar's voltage is measured, that is where it is known.
Result<void> MonitorRun::add_plain(std::string name, grid::PlainLoads loads) {
  const auto voltage_at = estimation_.knowledge(grid::Prior::releases).options(known_.slot_min).load_flow.voltage_at;
  FUGU_ASSIGN(grid::LoadFlowSolverPtr made, grid::make_solver(network(), {.voltage_at = voltage_at}));
  const std::shared_ptr<grid::LoadFlowSolver> solver = std::move(made);
  const auto powers = std::make_shared<const grid::PlainLoads>(std::move(loads));
  const auto flow = std::make_shared<grid::LoadFlow>();
  const auto solve = [=, this](std::size_t first, std::size_t count) -> Solved {
    const std::size_t customers = network().customers().size();
    const auto rows = [&](const std::vector<double>& values) {
      return std::span(values).subspan(first * customers, count * customers);
    };
    const grid::LoadBatch batch{
        .stamps = count,
        .p_kw = rows(powers->p_kw),
        .q_kvar = rows(powers->q_kvar),
        .voltage_pu = estimation_.knowledge(grid::Prior::releases).batch(first, count).voltage_pu};
    FUGU_TRY(solver->solve(batch, *flow));
    return flow.get();
  };
  views_.push_back({.name = std::move(name), .solve = solve});
  return {};
}

Result<void> MonitorRun::add_estimated(std::string name, grid::Prior prior) {
  FUGU_ASSIGN(grid::StateEstimator made, estimation_.estimator(prior));
  const auto estimator = std::make_shared<grid::StateEstimator>(std::move(made));
  const auto estimate = std::make_shared<grid::GridEstimate>();
  if (prior == grid::Prior::households) estimated_ = estimate;
  const auto solve = [=, this](std::size_t first, std::size_t count) -> Solved {
    FUGU_TRY(estimator->estimate(estimation_.knowledge(prior).batch(first, count), *estimate));
    if (prior == grid::Prior::households) count_contradictions(estimate->surprise);
    return &estimate->flow;
  };
  views_.push_back({.name = std::move(name), .solve = solve});
  return {};
}

/// Where measurements begin, by another clock; before all slots when that cannot be said.
Slot first_slot_in(const Clock& clock, const grid::Measurements& measurements) {
  constexpr Slot kNowhere = std::numeric_limits<Slot>::min() / 2;
  if (clock.has_time() != measurements.time.clock.has_time()) return kNowhere;
  if (!clock.has_time()) return measurements.first_slot;
  return clock.slot_at(measurements.time.clock.start_of(measurements.first_slot)).value_or(kNowhere);
}

/// The truth has everything of everybody, at the same slots.
Result<void> MonitorRun::add_truth() {
  if (arguments_.truth.empty()) return {};
  OperatorFiles files{.measured = arguments_.truth, .slot_length = arguments_.files.slot_length};
  const auto read = read_operator_view(network(), files);
  if (!read) return Error{read.error().cause, "--truth: " + read.error().message};
  const OperatorView& truth = *read;
  const grid::Measurements& here = known_.measurements;
  const grid::Measurements& there = truth.measurements;
  const Slot behind = first_slot_in(there.time.clock, here) - there.first_slot;
  const bool fits = here.time.clock.slot_s() == there.time.clock.slot_s() && behind >= 0 &&
                    static_cast<std::size_t>(behind) + here.stamps <= there.stamps;
  if (!fits)
    return Error{
        Cause::bad_input,
        arguments_.truth + ": does not have the slots of the other files; expected all of them, at their times"};
  FUGU_ASSIGN(grid::PlainLoads loads, grid::plain_loads(network(), there));
  const auto skipped = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(behind) * network().customers().size());
  loads.p_kw.erase(loads.p_kw.begin(), loads.p_kw.begin() + skipped);
  loads.q_kvar.erase(loads.q_kvar.begin(), loads.q_kvar.begin() + skipped);
  return add_plain("true", std::move(loads));
}

Result<void> MonitorRun::add_views() {
  FUGU_TRY(add_truth());
  const auto& has_p = known_.measurements.has_p;
  if (std::ranges::find(has_p, false) == has_p.end()) {
    FUGU_ASSIGN(grid::PlainLoads loads, grid::plain_loads(network(), known_.measurements));
    FUGU_TRY(add_plain("released", std::move(loads)));
  } else {
    note("some customers have no kW of their own: there is no view that takes releases for the truth");
  }
  FUGU_TRY(add_estimated("estimated", grid::Prior::households));
  FUGU_TRY(add_estimated("no customer data", grid::Prior::profile));
  if (arguments_.truth.empty()) return {};
  for (View& view : views_) {
    if (&view != &views_.front()) view.errors.emplace(monitor_);
  }
  return {};
}

/// Rare ones are chance; loads of homes have heavy tails.
void MonitorRun::count_contradictions(const std::vector<double>& surprise) {
  constexpr double kMostDeviations = 6;
  contradictions_ +=
      static_cast<std::uint64_t>(std::ranges::count_if(surprise, [](double each) { return each > kMostDeviations; }));
}

void MonitorRun::warn_about_contradictions() const {
  constexpr std::uint64_t kRare = 100;  // one in so many is
  if (contradictions_ * kRare <= stamps()) return;
  warn("what the operator measures contradicts what customers draw at " + std::to_string(contradictions_) + " of " +
       std::to_string(stamps()) + " stamps, by more than noise and meters explain: a wrong sign, unit or network?");
}

/// The first few are said one by one.
void MonitorRun::note_failures(const View& view, const grid::LoadFlow& flow, std::size_t first) {
  constexpr std::uint64_t kMost = 5;
  for (const grid::NoConvergence& failure : flow.failures) {
    if (++failures_ > kMost) continue;
    const std::string at = failure.node ? " at node '" + network().nodes()[*failure.node].id + "'" : "";
    note(view.name + ": no solution at " + time_of(first + failure.stamp) + at +
         ": more load than the network can carry");
  }
}

void MonitorRun::note_extremes(View& view, const grid::GridStates& states) const {
  const auto limits = monitor_.line_limits();
  for (std::size_t stamp = 0; stamp < states.stamps(); ++stamp) {
    if (!states.is_solved(stamp)) continue;
    const auto [lowest, highest] = std::ranges::minmax(states.voltages_v(stamp));
    view.lowest_v = std::min(view.lowest_v, lowest);
    view.highest_v = std::max(view.highest_v, highest);
    for (std::size_t line = 0; line < limits.size(); ++line) {
      if (limits[line].kind == grid::LineKind::main)
        view.highest_percent =
            std::max(view.highest_percent, limits[line].percent_per_ampere * states.currents_a(stamp)[line]);
    }
  }
}

Result<void> MonitorRun::look_at(View& view, std::size_t first, std::size_t count) {
  FUGU_ASSIGN(const grid::LoadFlow* const flow, view.solve(first, count));
  grid::GridStates states;
  monitor_.observe(*flow, states);
  note_failures(view, *flow, first);
  monitor_.count(states, view.counts);
  note_extremes(view, states);
  if (view.errors) view.errors->add(first_states_, states);
  if (violations_) write_violations(view, states, *flow, first);
  if (!arguments_.map.empty()) view.keep(states);
  if (&view == &views_.front()) first_states_ = std::move(states);
  return {};
}

/// Stamps without a solution are rows as well: nothing is known about them, which is not that nothing is wrong.
void MonitorRun::write_violations(const View& view, const grid::GridStates& states, const grid::LoadFlow& flow,
                                  std::size_t first) {
  constexpr const char* kKinds[] = {"undervoltage", "overvoltage", "main-loading", "service-loading"};
  for (const grid::Violation& violation : monitor_.violations(states, first)) {
    const bool is_node =
        violation.kind == grid::ViolationKind::undervoltage || violation.kind == grid::ViolationKind::overvoltage;
    const std::string& place = is_node ? network().nodes()[violation.place].id : network().lines()[violation.place].id;
    std::fprintf(violations_->get(), "%s,%s,%s,%s,%.2f\n", time_of(violation.stamp).c_str(), view.name.c_str(),
                 kKinds[static_cast<std::size_t>(violation.kind)], place.c_str(), violation.value);
  }
  for (const grid::NoConvergence& failure : flow.failures) {
    const std::string place = failure.node ? network().nodes()[*failure.node].id : std::string();
    std::fprintf(violations_->get(), "%s,%s,unsolved,%s,\n", time_of(first + failure.stamp).c_str(), view.name.c_str(),
                 place.c_str());
  }
}

void MonitorRun::write_estimate(std::size_t first, std::size_t count) {
  if (!estimate_) return;
  const std::size_t customers = network().customers().size();
  for (std::size_t stamp = 0; stamp < count; ++stamp) {
    std::fputs(time_of(first + stamp).c_str(), estimate_->get());
    for (std::size_t i = 0; i < customers; ++i) {
      const std::size_t at = stamp * customers + i;
      std::fprintf(estimate_->get(), ",%.3f,%.3f", estimated_->p_kw[at], estimated_->q_kvar[at]);
    }
    std::fputc('\n', estimate_->get());
  }
}

Result<void> MonitorRun::open_files() {
  if (!arguments_.violations.empty()) {
    FUGU_ASSIGN(OutputStream file, OutputStream::open(arguments_.violations));
    violations_.emplace(std::move(file));
    std::fputs("time,view,kind,place,value\n", violations_->get());
  }
  if (!arguments_.estimate.empty()) {
    FUGU_ASSIGN(OutputStream file, OutputStream::open(arguments_.estimate));
    estimate_.emplace(std::move(file));
    std::fputs("time", estimate_->get());
    for (const grid::Customer& customer : network().customers())
      std::fprintf(estimate_->get(), ",%s.p,%s.q", customer.id.c_str(), customer.id.c_str());
    std::fputc('\n', estimate_->get());
  }
  return {};
}

Result<void> MonitorRun::look() {
  FUGU_TRY(open_files());
  for (std::size_t first = 0; first < stamps(); first += kBatch) {
    const std::size_t count = std::min(kBatch, stamps() - first);
    for (View& view : views_) FUGU_TRY(look_at(view, first, count));
    write_estimate(first, count);
  }
  for (std::optional<OutputStream>* file : {&violations_, &estimate_}) {
    if (*file) FUGU_TRY((*file)->finish());
  }
  if (failures_ > 0)
    note(std::to_string(failures_) + " stamps of all views have no solution: nothing is known about them");
  return {};
}

void MonitorRun::print() const {
  using Align = report::Column::Align;
  report::Table table{.columns = {{"view"},
                                  {"too low", Align::number},
                                  {"too high", Align::number},
                                  {"mains over", Align::number},
                                  {"services over", Align::number},
                                  {"lowest V", Align::number},
                                  {"highest V", Align::number},
                                  {"mains %", Align::number},
                                  {"unsolved", Align::number}}};
  const auto lines = monitor_.line_limits();
  const auto knows_loading = [&](grid::LineKind kind) {
    return std::ranges::any_of(lines,
                               [&](const auto& line) { return line.kind == kind && line.percent_per_ampere > 0; });
  };
  for (const View& view : views_) {
    const bool is_solved = view.counts.stamps_unsolved < view.counts.stamps;
    const auto count = [&](std::uint64_t value, bool is_known = true) {
      return report::Cell{is_solved && is_known ? std::to_string(value) : "–"};
    };
    const auto number = [&](double value, bool is_known = true) {
      return report::Cell{is_solved && is_known ? short_number(std::round(10 * value) / 10) : "–"};
    };
    table.rows.push_back({{view.name},
                          count(view.counts.undervoltages),
                          count(view.counts.overvoltages),
                          count(view.counts.main_overloads, knows_loading(grid::LineKind::main)),
                          count(view.counts.service_overloads, knows_loading(grid::LineKind::service)),
                          number(view.lowest_v),
                          number(view.highest_v),
                          number(view.highest_percent, knows_loading(grid::LineKind::main)),
                          {std::to_string(view.counts.stamps_unsolved)}});
  }
  std::printf("%zu stamps from %s to %s; violations are pairs of a place and a stamp\n\n", stamps(), time_of(0).c_str(),
              time_of(stamps() - 1).c_str());
  print_table(table);
}

void MonitorRun::print_errors() const {
  if (arguments_.truth.empty()) return;
  using Align = report::Column::Align;
  report::Table table{.columns = {{"error against the truth"},
                                  {"V", Align::number},
                                  {"A, mains", Align::number},
                                  {"A, services", Align::number},
                                  {"loading, points", Align::number},
                                  {"voltages missed", Align::number},
                                  {"invented", Align::number},
                                  {"loads missed", Align::number},
                                  {"invented", Align::number}}};
  for (const View& view : views_) {
    if (!view.errors) continue;
    const grid::StateErrors errors = view.errors->errors();
    grid::ViolationErrors voltages = errors.undervoltages;  // too high instead of too low is missed and invented
    voltages += errors.overvoltages;
    const auto number = [](double value) {
      char text[32];
      std::snprintf(text, sizeof text, "%.3g", value);
      return report::Cell{std::isnan(value) ? "–" : text};
    };
    const auto count = [](std::uint64_t value) { return report::Cell{std::to_string(value)}; };
    table.rows.push_back({{view.name},
                          number(errors.voltage_v),
                          number(errors.mains.current_a),
                          number(errors.services.current_a),
                          number(errors.lines.loading_points),
                          count(voltages.missed),
                          count(voltages.invented),
                          count(errors.lines.overloads.missed),
                          count(errors.lines.overloads.invented)});
  }
  std::printf("\nMeans over stamps of the largest error; a service cable's current is what its customer draws\n\n");
  print_table(table);
}

Result<void> MonitorRun::write_map() const {
  if (arguments_.map.empty()) return {};
  report::NetworkMap map{.network = network(),
                         .title = "Network " + name_of_network(arguments_.network.folder),
                         .subtitle = size_of(network()),
                         .limits = arguments_.limits};
  for (std::size_t stamp = 0; stamp < stamps(); ++stamp) map.times.push_back(time_of(stamp));
  for (const View& view : views_) map.views.push_back({view.name, &view.kept});
  map.first_is_truth = !arguments_.truth.empty();
  if (map.first_is_truth) map.notes.emplace_back("This page holds true values: it is not for publication.");
  if (!arguments_.files.measured.empty())
    map.notes.emplace_back("This page holds what the operator measures itself, which is under no epsilon.");
  if (known_.measurements.simulated)
    map.notes.emplace_back("The noise of the release came from a seed: it is not private.");
  FUGU_ASSIGN(const std::string page, report::network_map_page(map));
  return write_file(arguments_.map, page);
}

/// What is written must not destroy what is read.
Result<void> check_files(const Arguments& arguments) {
  const std::string& ledger = arguments.files.ledger;
  const std::string head = ledger.empty() ? "" : path_written(ledger) + ".head";  // as fugu publish names it
  FUGU_TRY(check_different({{"--released", arguments.files.released},
                            {"--measured", arguments.files.measured},
                            {"--truth", arguments.truth},
                            {"--bills", arguments.files.bills},
                            {"--series-map", arguments.files.series_map},
                            {"--ledger", ledger},
                            {"the head of --ledger", head},
                            {"--homes", arguments.files.homes},
                            {"--violations", arguments.violations},
                            {"--estimate", arguments.estimate},
                            {"--map", arguments.map}}));
  return check_not_of_network(
      arguments.network.folder,
      {{"--violations", arguments.violations}, {"--estimate", arguments.estimate}, {"--map", arguments.map}});
}

Outcome MonitorRun::run(const Arguments& arguments) {
  FUGU_TRY(check_files(arguments));
  FUGU_ASSIGN(grid::Network bare, arguments.network.read());
  FUGU_ASSIGN(const grid::Network network, billed(std::move(bare), arguments.files.bills));
  FUGU_ASSIGN(grid::Monitor monitor, grid::Monitor::make(network, arguments.limits));
  FUGU_ASSIGN(const OperatorView known, read_operator_view(network, arguments.files));
  FUGU_ASSIGN(const Estimation estimation, Estimation::make(known, arguments.files));
  note_unknown_ampacities(network, arguments.network.folder);
  note_simulated_homes(arguments.files.homes);
  MonitorRun run(arguments, known, estimation, std::move(monitor));
  FUGU_TRY(run.add_views());
  FUGU_TRY(run.look());
  run.warn_about_contradictions();
  run.print();
  run.print_errors();
  if (!arguments.files.measured.empty() && !(arguments.estimate.empty() && arguments.map.empty()))
    note("estimates and maps made with --measured are under no epsilon: they are for the operator");
  FUGU_TRY(run.write_map());
  return kDone;
}

}  // namespace

void prepare_grid_monitor(CLI::App& command, Outcome& outcome) {
  auto arguments = std::make_shared<Arguments>();
  command.footer(kExamples);
  arguments->network.add_to(command);
  arguments->files.add_to(command);
  command.add_option("--under", arguments->limits.under_percent, "Voltage limit, % below nominal")
      ->capture_default_str();
  command.add_option("--over", arguments->limits.over_percent, "Voltage limit, % above nominal")->capture_default_str();
  command.add_option("--loading", arguments->limits.loading_percent, "Loading limit, % of a line's ampacity")
      ->capture_default_str();
  command.add_option(
      "--truth", arguments->truth,
      "True kW and kvar of every customer, CSV wide: for evaluation. Prints errors, which are not private");
  command.add_option("--violations", arguments->violations, "Every violation of every view, CSV");
  command.add_option("--estimate", arguments->estimate, "Estimated kW and kvar of every customer, CSV wide");
  command.add_option("--map", arguments->map, "The views on an HTML page, with a slider over time");
  command.callback([arguments, &outcome] { outcome = MonitorRun::run(*arguments); });
}

}  // namespace fugu::cli
