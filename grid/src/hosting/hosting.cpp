#include "fugu/hosting/hosting.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

namespace fugu::grid {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
/// Stamps that are solved at once: a week of quarter hours.
constexpr std::size_t kBatch = 672;

/// Of a draw: one seed for who gets a device, and for when it is used.
std::uint64_t seed_of(std::uint64_t seed, std::size_t draw) {
  std::seed_seq all{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                    static_cast<std::uint32_t>(draw)};
  return std::mt19937_64(all)();
}

/// In the order in which they get a device, each order as likely as any other.
std::vector<std::uint32_t> shuffled(std::vector<std::uint32_t> owners, std::mt19937_64& words) {
  for (std::size_t left = owners.size(); left > 1; --left)
    std::swap(owners[left - 1], owners[words() % left]);  // not exactly even, which does not matter for few of 2⁶⁴
  return owners;
}

struct Place {
  BreachKind kind;
  std::uint32_t index;  // node or line
  std::uint64_t stamps = 0;
};

/// What is known about one feeder while draws pass.
struct Tally {
  std::uint64_t draws_out = 0;
  std::uint64_t stamps_out = 0;
  std::array<std::uint64_t, kBreachKinds> draws_by_kind = {};
  std::vector<Place> places = {};  // every one that could be out of limits
  double lowest_v = kNone;
  double highest_v = kNone;
  double highest_loading_percent = kNone;
  double use_sum = 0;
  // Of the draw that is looked at.
  std::array<bool, kBreachKinds> has = {};
  double use = 0;
};

/// Looks at one feeder's states.
class Watch {
 public:
  Watch(const Network& network, const Monitor& monitor, const MonitoringLimits& limits, const Feeder& feeder)
      : network_(network), monitor_(monitor), limits_(limits), feeder_(feeder) {
    for (const std::uint32_t node : feeder.nodes) {
      tally_.places.push_back({BreachKind::undervoltage, node});
      tally_.places.push_back({BreachKind::overvoltage, node});
    }
    for (const std::uint32_t line : feeder.mains) tally_.places.push_back({BreachKind::overload, line});
  }

  void look(const GridStates& states);
  void end_draw();
  FeederHosting outcome(std::size_t draws, std::size_t stamps) const;
  std::uint64_t draws_out() const { return tally_.draws_out; }

 private:
  bool look_at_voltages(std::span<const double> voltage_v);
  bool look_at_mains(std::span<const double> current_a);
  void note(BreachKind kind, Place* place);

  const Network& network_;
  const Monitor& monitor_;
  const MonitoringLimits& limits_;
  const Feeder& feeder_;
  Tally tally_;
};

void Watch::note(BreachKind kind, Place* place) {
  tally_.has[static_cast<std::size_t>(kind)] = true;
  if (place != nullptr) ++place->stamps;
}

bool Watch::look_at_voltages(std::span<const double> voltage_v) {
  const double nominal_v = network_.nominal_v();
  bool is_out = false;
  for (std::size_t i = 0; i < feeder_.nodes.size(); ++i) {
    const double v = voltage_v[feeder_.nodes[i]];
    tally_.lowest_v = std::fmin(tally_.lowest_v, v);  // fmin and fmax pass over NaN
    tally_.highest_v = std::fmax(tally_.highest_v, v);
    const double below = 100 * (nominal_v - v) / (nominal_v * limits_.under_percent);
    const double above = 100 * (v - nominal_v) / (nominal_v * limits_.over_percent);
    tally_.use = std::max({tally_.use, below, above});
    if (monitor_.is_under(v)) note(BreachKind::undervoltage, &tally_.places[2 * i]);
    if (monitor_.is_over(v)) note(BreachKind::overvoltage, &tally_.places[2 * i + 1]);
    is_out |= monitor_.is_under(v) || monitor_.is_over(v);
  }
  return is_out;
}

bool Watch::look_at_mains(std::span<const double> current_a) {
  bool is_out = false;
  for (std::size_t i = 0; i < feeder_.mains.size(); ++i) {
    const std::uint32_t line = feeder_.mains[i];
    const Monitor::LineLimit& limit = monitor_.line_limits()[line];
    if (!std::isfinite(limit.most_a)) continue;
    const double percent = current_a[line] * limit.percent_per_ampere;
    tally_.highest_loading_percent = std::fmax(tally_.highest_loading_percent, percent);
    tally_.use = std::max(tally_.use, percent / limits_.loading_percent);
    if (current_a[line] <= limit.most_a) continue;
    note(BreachKind::overload, &tally_.places[2 * feeder_.nodes.size() + i]);
    is_out = true;
  }
  return is_out;
}

void Watch::look(const GridStates& states) {
  for (std::size_t stamp = 0; stamp < states.stamps(); ++stamp) {
    if (!states.is_solved(stamp)) {
      note(BreachKind::no_solution, nullptr);
      tally_.use = std::max(tally_.use, kNoSolutionUse);
      ++tally_.stamps_out;
      continue;
    }
    const bool voltages_out = look_at_voltages(states.voltages_v(stamp));
    const bool mains_out = look_at_mains(states.currents_a(stamp));
    tally_.stamps_out += voltages_out || mains_out;
  }
}

void Watch::end_draw() {
  bool is_out = false;
  for (std::size_t kind = 0; kind < kBreachKinds; ++kind) {
    tally_.draws_by_kind[kind] += tally_.has[kind];
    is_out |= std::exchange(tally_.has[kind], false);
  }
  tally_.draws_out += is_out;
  tally_.use_sum += std::exchange(tally_.use, 0);
}

FeederHosting Watch::outcome(std::size_t draws, std::size_t stamps) const {
  const auto all_draws = static_cast<double>(draws);
  FeederHosting result{.feeder = feeder_.name,
                       .draws_out = static_cast<double>(tally_.draws_out) / all_draws,
                       .time_out = static_cast<double>(tally_.stamps_out) / (all_draws * static_cast<double>(stamps)),
                       .lowest_v = tally_.lowest_v,
                       .highest_v = tally_.highest_v,
                       .highest_loading_percent = tally_.highest_loading_percent,
                       .use = tally_.use_sum / all_draws};
  for (std::size_t kind = 0; kind < kBreachKinds; ++kind)
    result.draws_by_kind[kind] = static_cast<double>(tally_.draws_by_kind[kind]) / all_draws;
  const auto most = std::ranges::max_element(tally_.places, {}, &Place::stamps);
  if (most != tally_.places.end() && most->stamps > 0) {
    const bool is_line = most->kind == BreachKind::overload;
    result.weakest = {most->kind, is_line ? network_.lines()[most->index].id : network_.nodes()[most->index].id};
  } else if (tally_.stamps_out > 0) {
    result.weakest = {BreachKind::no_solution, ""};
  }
  return result;
}

/// Adds devices to views and looks at what comes of it.
class Trial {
 public:
  Trial(const Network& network, std::vector<Feeder> feeders, const Monitor& monitor, LoadFlowSolver& solver,
        std::span<const PowerView> views, const HostingOptions& options)
      : network_(network),
        feeders_(std::move(feeders)),
        monitor_(monitor),
        solver_(solver),
        views_(views),
        options_(options),
        customers_(network.customers().size()),
        stamps_(views.front().loads.stamps),
        added_kw_(stamps_ * customers_) {}

  Result<std::vector<ViewHosting>> run();

 private:
  using Watches = std::vector<std::vector<Watch>>;  // by view and feeder
  using Open = std::vector<std::vector<bool>>;      // likewise: no more draws than tolerated were out so far

  Watches new_watches() const;
  /// All draws with devices at that share of each feeder's customers.
  Result<Watches> draw_all(double share);
  void place_devices(double share, std::size_t draw);
  Result<void> look(const PowerView& view, std::vector<Watch>& watches);
  /// Closes what has too many draws out at that share. Draws that cannot change that any more are not computed. `done`
  /// draws were before.
  Result<void> close_beyond(double share, std::uint64_t done, Open& is_open);
  /// `done` of all draws of all shares, counting those that did not have to be computed.
  void tell(std::uint64_t done) const;
  /// From no devices up.
  Result<void> find_capacities(std::vector<ViewHosting>& answers);

  const Network& network_;
  std::vector<Feeder> feeders_;
  const Monitor& monitor_;
  LoadFlowSolver& solver_;
  std::span<const PowerView> views_;
  const HostingOptions& options_;
  std::size_t customers_;
  std::size_t stamps_;
  std::vector<double> added_kw_;  // by the devices of one draw: one row a stamp
  std::vector<double> device_kw_;
  std::vector<double> p_kw_;
  std::vector<double> q_kvar_;
  LoadFlow flow_;
  GridStates states_;
};

void Trial::place_devices(double share, std::size_t draw) {
  std::ranges::fill(added_kw_, 0.0);
  const std::uint64_t seed = seed_of(options_.seed, draw);
  std::mt19937_64 words(seed);
  for (const Feeder& feeder : feeders_) {
    const std::vector<std::uint32_t> owners = shuffled(feeder.owners, words);
    const auto count = static_cast<std::size_t>(std::llround(share * static_cast<double>(owners.size())));
    for (const std::uint32_t owner : std::span(owners).first(count)) {
      device_kw_.assign(options_.slots_since_midnight + stamps_, 0);
      add_device(options_.device, seed, owner, options_.slot_min, device_kw_);
      for (std::size_t stamp = 0; stamp < stamps_; ++stamp)
        added_kw_[stamp * customers_ + owner] = device_kw_[options_.slots_since_midnight + stamp];
    }
  }
}

Result<void> Trial::look(const PowerView& view, std::vector<Watch>& watches) {
  const double kvar_per_kw = reactive_share(options_.device.kind);
  for (std::size_t first = 0; first < stamps_; first += kBatch) {
    const std::size_t count = std::min(kBatch, stamps_ - first);
    const std::size_t from = first * customers_;
    const std::size_t size = count * customers_;
    p_kw_.assign(&view.loads.p_kw[from], &view.loads.p_kw[from] + size);
    q_kvar_.assign(&view.loads.q_kvar[from], &view.loads.q_kvar[from] + size);
    for (std::size_t i = 0; i < size; ++i) {
      p_kw_[i] += added_kw_[from + i];
      q_kvar_[i] += kvar_per_kw * added_kw_[from + i];
    }
    const auto& known = view.loads.voltage_pu;
    FUGU_TRY(solver_.solve({count, p_kw_, q_kvar_, known.empty() ? known : known.subspan(first, count)}, flow_));
    monitor_.observe(flow_, states_);
    for (Watch& watch : watches) watch.look(states_);
  }
  for (Watch& watch : watches) watch.end_draw();
  return {};
}

void Trial::tell(std::uint64_t done) const {
  if (options_.progress) options_.progress(done, options_.draws * (options_.share_steps + 2));
}

Trial::Watches Trial::new_watches() const {
  Watches watches(views_.size());
  for (auto& of_view : watches) {
    for (const Feeder& feeder : feeders_) of_view.emplace_back(network_, monitor_, options_.limits, feeder);
  }
  return watches;
}

Result<Trial::Watches> Trial::draw_all(double share) {
  Watches watches = new_watches();
  for (std::size_t draw = 0; draw < options_.draws; ++draw) {
    place_devices(share, draw);
    for (std::size_t view = 0; view < views_.size(); ++view) FUGU_TRY(look(views_[view], watches[view]));
    tell(draw + 1);
  }
  return watches;
}

Result<void> Trial::close_beyond(double share, std::uint64_t done, Open& is_open) {
  const std::size_t draws = share > 0 ? options_.draws : 1;  // without devices they are all alike
  const double most_draws = options_.tolerated_draws * static_cast<double>(draws);
  const auto any_open = [](const std::vector<bool>& feeders) {
    return std::ranges::find(feeders, true) != feeders.end();
  };
  Watches watches = new_watches();
  for (std::size_t draw = 0; draw < draws && std::ranges::any_of(is_open, any_open); ++draw) {
    place_devices(share, draw);
    for (std::size_t view = 0; view < views_.size(); ++view) {
      if (!any_open(is_open[view])) continue;
      FUGU_TRY(look(views_[view], watches[view]));
      for (std::size_t i = 0; i < feeders_.size(); ++i) {
        if (static_cast<double>(watches[view][i].draws_out()) > most_draws) is_open[view][i] = false;
      }
    }
    tell(done + draw + 1);
  }
  return {};
}

Result<void> Trial::find_capacities(std::vector<ViewHosting>& answers) {
  Open is_open(views_.size(), std::vector<bool>(feeders_.size(), true));
  for (std::size_t step = 0; step <= options_.share_steps; ++step) {
    const double share = static_cast<double>(step) / static_cast<double>(options_.share_steps);
    FUGU_TRY(close_beyond(share, options_.draws * (step + 1), is_open));
    for (std::size_t view = 0; view < views_.size(); ++view) {
      for (std::size_t i = 0; i < feeders_.size(); ++i) {
        if (is_open[view][i]) answers[view].feeders[i].capacity = share;
      }
    }
  }
  return {};
}

Result<std::vector<ViewHosting>> Trial::run() {
  FUGU_ASSIGN(const Watches watches, draw_all(options_.share));
  std::vector<ViewHosting> answers;
  for (std::size_t view = 0; view < views_.size(); ++view) {
    answers.push_back({views_[view].name, {}});
    for (const Watch& watch : watches[view]) answers.back().feeders.push_back(watch.outcome(options_.draws, stamps_));
  }
  FUGU_TRY(find_capacities(answers));
  return answers;
}

Result<void> check(const Network& network, std::span<const PowerView> views, const HostingOptions& options) {
  const auto usage = [](std::string message) { return Error{Cause::usage, std::move(message)}; };
  if (!network.is_radial()) return usage("hosting capacity: expected a radial network");
  if (views.empty()) return usage("hosting capacity: expected loads");
  const std::size_t size = views.front().loads.stamps * network.customers().size();
  for (const PowerView& view : views) {
    if (view.loads.stamps == 0 || view.loads.stamps != views.front().loads.stamps || view.loads.p_kw.size() != size ||
        view.loads.q_kvar.size() != size)
      return usage("hosting capacity: expected views of the same stamps, at least one, and all customers");
  }
  if (!(options.share >= 0 && options.share <= 1)) return usage("share of customers with a device: expected 0 to 1");
  if (!(options.device.kw > 0) || !std::isfinite(options.device.kw))
    return usage("power of a device: expected a number of kW above 0");
  if (options.draws < 1 || options.share_steps < 1) return usage("draws and steps of the share: expected at least 1");
  if (!(options.tolerated_draws >= 0 && options.tolerated_draws < 1))
    return usage("tolerated share of draws: expected 0 to less than 1");
  if (options.slot_min < 1) return usage("slot length: expected at least a minute");
  return {};
}

}  // namespace

std::string_view breach_name(BreachKind kind) {
  constexpr std::array<std::string_view, kBreachKinds> kNames = {"undervoltage", "overvoltage", "overload",
                                                                 "no solution"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<Feeder> feeders_of(const Network& network, FeederSplit split) {
  std::vector<Feeder> feeders;
  if (split == FeederSplit::whole) feeders.push_back({.name = ""});
  std::vector<std::size_t> feeder_of(network.nodes().size(), 0);
  const std::vector<LineKind> kinds = line_kinds(network);
  for (const std::uint32_t node : network.order().subspan(1)) {  // parents first
    const std::uint32_t line = network.parent_line(node);
    if (split == FeederSplit::branches) {
      const bool begins = network.parent(node) == network.root();
      feeder_of[node] = begins ? feeders.size() : feeder_of[network.parent(node)];
      if (begins) feeders.push_back({.name = network.lines()[line].id});
    }
    Feeder& feeder = feeders[feeder_of[node]];
    feeder.nodes.push_back(node);
    if (kinds[line] == LineKind::main) feeder.mains.push_back(line);
  }
  for (std::uint32_t i = 0; i < network.customers().size(); ++i) {
    const std::uint32_t node = network.customer_nodes()[i];
    const bool is_at_busbar = node == network.root();
    if (network.customers()[i].kind != CustomerKind::residential) continue;
    if (split == FeederSplit::whole || !is_at_busbar) feeders[feeder_of[node]].owners.push_back(i);
  }
  std::erase_if(feeders, [](const Feeder& feeder) { return feeder.owners.empty(); });
  return feeders;
}

Result<std::vector<ViewHosting>> ask_hosting(const Network& network, std::span<const PowerView> views,
                                             const HostingOptions& options) {
  FUGU_TRY(check(network, views, options));
  FUGU_ASSIGN(const Monitor monitor, Monitor::make(network, options.limits));
  FUGU_ASSIGN(const LoadFlowSolverPtr solver, make_solver(network, {.threads = options.threads}));
  std::vector<Feeder> feeders = feeders_of(network, options.split);
  if (feeders.empty()) return Error{Cause::usage, "hosting capacity: expected a feeder with residential customers"};
  return Trial(network, std::move(feeders), monitor, *solver, views, options).run();
}

std::vector<std::size_t> ranking_of(std::span<const FeederHosting> feeders) {
  std::vector<std::size_t> order(feeders.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return feeders[i].use; });
  return order;
}

double rank_agreement(std::span<const FeederHosting> a, std::span<const FeederHosting> b) {
  FUGU_CHECK(a.size() == b.size());
  if (a.size() < 2) return kNone;
  const auto sign = [](double difference) { return difference > 0 ? 1 : difference < 0 ? -1 : 0; };
  double sum = 0;
  double pairs = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = i + 1; j < a.size(); ++j) {
      sum += sign(a[i].use - a[j].use) * sign(b[i].use - b[j].use);
      ++pairs;
    }
  }
  return sum / pairs;
}

}  // namespace fugu::grid
