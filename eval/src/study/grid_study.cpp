#include "fugu/study/grid_study.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <mutex>
#include <span>

#include "fugu/inference/state_estimator.hpp"
#include "fugu/measurement/own_meters.hpp"
#include "fugu/monitoring/comparison.hpp"
#include "fugu/monitoring/measurement.hpp"
#include "fugu/network/feeder.hpp"
#include "fugu/network/network_reader.hpp"
#include "fugu/simulate/exponentials.hpp"
#include "fugu/simulate/households.hpp"
#include "fugu/simulate/seeded_bits.hpp"
#include "fugu/strategy/outlook.hpp"
#include "fugu/study/collections.hpp"
#include "fugu/study/grid_loads.hpp"

namespace fugu {

namespace {

using grid::GridEstimate;
using grid::GridStates;
using grid::Network;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint64_t kChapterRuns = 10;  // as the thesis
constexpr std::size_t kTraceStamps = 100;
constexpr std::string_view kTrace = "trace";
constexpr double kCarShare = 0.4;
constexpr std::size_t kSensors = 3;
constexpr double kSensorSigmaV = 0.2;
/// Under a floor at event level with ε = 1: what a household can change in a quarter hour.
constexpr double kFloorScaleKw = 10;
constexpr double kStepKw = 0.001;
/// An appliance up to here is a small one.
constexpr std::uint64_t kSmallW = 300;

/// The undervoltage of the trace: the level above sinks to 92 % for half a day.
std::vector<double> trace_source_pu() {
  std::vector<double> source_pu;
  for (std::size_t stamp = 0; stamp < kTraceStamps; ++stamp) {
    const double t = static_cast<double>(stamp);
    const double depth = std::clamp(std::min((t - 14) / 22, (86 - t) / 22), 0.0, 1.0);
    source_pu.push_back(1 - 0.08 * depth);
  }
  return source_pu;
}

const std::vector<std::string>& recorded_networks() {
  static const std::vector<std::string> names = {"ieee_eulv",       "simbench_rural1",   "simbench_rural2",
                                                 "simbench_rural3", "simbench_semiurb4", "simbench_semiurb5",
                                                 "simbench_urban6"};
  return names;
}

Result<Network> network_named(const std::string& name, const std::string& data_folder) {
  if (name == "feeder") return grid::make_feeder();
  return grid::read_network(data_folder + "/lvgrid/" + name);
}

GridLoadOptions load_options(const GridPlace& place, const GridStudyOptions& options) {
  GridLoadOptions made{.data_folder = options.data_folder, .days = options.days, .seed = options.seed, .threads = 1};
  made.part = LoadPart::evaluated;
  if (place.loads == kTrace) {
    made.days = 2;
  } else if (place.loads == "cars") {
    made.ev_share = kCarShare;
  } else if (place.loads != "simulated") {
    made.source = *parse_load_source(place.loads);
  }
  return made;
}

/// Residential customers whose service cables begin at the same node.
std::vector<grid::SumOfCustomers> boxes_of(const Network& network) {
  const auto kinds = grid::line_kinds(network);
  std::map<std::uint32_t, grid::SumOfCustomers> boxes;
  for (std::uint32_t i = 0; i < network.customers().size(); ++i) {
    if (network.customers()[i].kind != grid::CustomerKind::residential) continue;
    std::uint32_t node = network.customer_nodes()[i];
    while (node != network.root() && kinds[network.parent_line(node)] == grid::LineKind::service)
      node = network.parent(node);
    boxes[node].customers.push_back(i);
  }
  std::vector<grid::SumOfCustomers> sums;
  for (auto& [node, sum] : boxes) sums.push_back(std::move(sum));
  return sums;
}

/// The truth of one place, and what everybody knows about it.
struct Place {
  std::uint64_t seed;  // of its homes
  Network network;
  grid::Monitor monitor;
  GridLoads loads;
  std::vector<double> source_pu;  // empty: as the transformer says
  grid::HouseholdModel model;
  grid::OwnMeters meters;
  std::vector<double> busbar_pu;
  GridStates states;
  std::vector<grid::SumOfCustomers> boxes;
  std::vector<bool> is_protected;  // by customer

  grid::LoadBatch truth() const {
    grid::LoadBatch batch = loads.batch(0, loads.stamps);
    batch.voltage_pu = source_pu;
    return batch;
  }
};

/// Every run has homes of its own: one street may have a neighbour who is easy to tell, and another none.
Result<Place> make_place(const GridPlace& which, GridStudyOptions options, std::uint64_t run) {
  options.seed += run;
  FUGU_ASSIGN(const Network bare, network_named(which.network, options.data_folder));
  const GridLoadOptions wanted = load_options(which, options);
  FUGU_ASSIGN(GridLoads loads, make_grid_loads(bare, wanted));
  std::vector<double> source_pu;
  if (which.loads == kTrace) {
    loads.stamps = kTraceStamps;
    loads.p_kw.resize(kTraceStamps * loads.customers);
    loads.q_kvar.resize(kTraceStamps * loads.customers);
    source_pu = trace_source_pu();
  }
  grid::NetworkData data = bare.data();
  std::vector<bool> is_protected;
  for (std::size_t i = 0; i < data.customers.size(); ++i) {
    if (loads.yearly_kwh[i] > 0) data.customers[i].yearly_kwh = loads.yearly_kwh[i];  // somebody may be away
    is_protected.push_back(data.customers[i].kind == grid::CustomerKind::residential);
  }
  // The checks of usual values were made when the network was read; a bill may be unusual.
  FUGU_ASSIGN(Network network, Network::make(std::move(data), {.usual_values = false}));
  FUGU_ASSIGN(grid::Monitor monitor, grid::Monitor::make(network));
  FUGU_ASSIGN(grid::HouseholdModel model, learn_homes(wanted));
  Place place{.seed = options.seed,
              .network = std::move(network),
              .monitor = std::move(monitor),
              .loads = std::move(loads),
              .source_pu = std::move(source_pu),
              .model = std::move(model),
              .meters = {},
              .busbar_pu = {},
              .states = {},
              .boxes = {},
              .is_protected = std::move(is_protected)};
  place.boxes = boxes_of(place.network);
  SeededBits bits(options.seed, 1);
  FUGU_ASSIGN(place.meters, grid::measure(place.network, place.truth(),
                                          {.sensors = grid::main_ends(place.network, kSensors),
                                           .power_sigma = grid::kMeasurementSigma,
                                           .voltage_sigma_v = kSensorSigmaV,
                                           .threads = 1},
                                          bits));
  FUGU_ASSIGN(const grid::LoadFlowSolverPtr solver, grid::make_solver(place.network, {.threads = 1}));
  grid::LoadFlow flow;
  FUGU_TRY(solver->solve(place.truth(), flow));
  place.monitor.observe(flow, place.states);
  // The busbar's voltage is a reference that operators measure well; all methods have it.
  for (std::size_t stamp = 0; stamp < flow.stamps(); ++stamp)
    place.busbar_pu.push_back(std::abs(flow.row(stamp)[place.network.root()]));
  return place;
}

/// What is released about customers, one row a stamp.
struct Released {
  std::vector<double> shown_kw;  // a repeated value stays
  std::vector<double> p_kw;      // not a number where a value is repeated: nothing new was said
  std::vector<double> p_scale_kw;
  std::vector<double> q_kvar;
  std::vector<double> q_scale_kvar;
};

/// Noise scale of each slot of a household, in kW: 0 for the truth, not a number where the last value is repeated.
using Scales = std::vector<std::vector<double>>;

/// By the policies of the households whose loads these are.
Result<Scales> narwhal_scales(const Place& place, const GridCell& cell, const GridStudyOptions& options) {
  const auto households = static_cast<std::uint64_t>(std::ranges::count(place.is_protected, true));
  FUGU_ASSIGN(Collections wishes, simulate_collections({.households = households,
                                                        .days = options.days,
                                                        .first_day = HouseholdOptions().first_day,
                                                        .allow_none = true,
                                                        .seed = place.seed,
                                                        .threads = 1}));
  OutlookOptions outlook{.slots = {0, static_cast<Slot>(place.loads.stamps) - 1}};
  if (cell.noise == GridNoise::narwhal_floor) outlook.floor_rate = kStepKw / kFloorScaleKw;
  Scales scales;
  for (std::size_t i = 0; i < households; ++i) {
    if (cell.noise != GridNoise::narwhal)
      std::erase_if(wishes.policies[i], [](const Policy& policy) { return policy.magnitude_steps > kSmallW; });
    const PolicyBook book = wishes.book(i, Budget::round_down(cell.scale_kw));
    FUGU_ASSIGN(const OutlookStrategy narwhal,
                make_outlook_strategy("narwhal", {.sensitivity_steps = wishes.sensitivity_w}));
    scales.emplace_back();
    for (const double rate : planned_rates(*narwhal.planner, book, outlook))
      scales.back().push_back(rate > 0 ? kStepKw * scale_at(rate, NoiseKind::laplace) : kNone);
  }
  return scales;
}

/// The same in every slot.
Scales constant_scales(const Place& place, double scale_kw) {
  return Scales(static_cast<std::size_t>(std::ranges::count(place.is_protected, true)),
                std::vector<double>(place.loads.stamps, scale_kw));
}

Result<Scales> scales_of(const Place& place, const GridCell& cell, const GridStudyOptions& options) {
  switch (cell.noise) {
    case GridNoise::none:
    case GridNoise::meter: return constant_scales(place, 0);
    case GridNoise::laplace: return constant_scales(place, cell.scale_kw);
    case GridNoise::narwhal:
    case GridNoise::narwhal_small:
    case GridNoise::narwhal_floor: break;
  }
  return narwhal_scales(place, cell, options);
}

double laplace(Exponentials& noise, double scale) {
  const auto [first, second] = noise.next_pair();
  return scale * (first - second);
}

/// Draws that belong to what a cell releases and not to what is made of it: so methods are compared on the same noise.
std::uint64_t noise_seed(const GridCell& cell, const GridStudyOptions& options, std::uint64_t run) {
  const std::string what = std::string(name_of(cell.part)) + cell.place.network + cell.place.loads +
                           (cell.has_q ? "pq" : "p") + std::string(name_of(cell.noise)) +
                           std::to_string(cell.scale_kw) + std::to_string(run);
  return XXH3_64bits_withSeed(what.data(), what.size(), options.seed);
}

/// Values of one quantity of all customers, with noise for those who are protected.
void release(const Place& place, const std::vector<double>& truth, const Scales& scales, Exponentials& noise,
             std::vector<double>& value, std::vector<double>& scale) {
  value = truth;
  scale.assign(truth.size(), 0.0);
  const std::size_t customers = place.loads.customers;
  std::size_t household = 0;
  for (std::size_t i = 0; i < customers; ++i) {
    if (!place.is_protected[i]) continue;
    for (std::size_t stamp = 0; stamp < place.loads.stamps; ++stamp) {
      const std::size_t at = stamp * customers + i;
      scale[at] = scales[household][stamp];
      // A draw a slot, also where none is needed: cells that differ in scales alone have the same draws.
      const double drawn = laplace(noise, std::isnan(scale[at]) ? 0 : scale[at]);
      value[at] = std::isnan(scale[at]) ? kNone : truth[at] + drawn;
    }
    ++household;
  }
}

/// A value that is not new stays what it was; 0 before the first one.
std::vector<double> with_repeats(const std::vector<double>& values, std::size_t customers) {
  std::vector<double> shown = values;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (std::isnan(shown[i])) shown[i] = i < customers ? 0 : shown[i - customers];
  }
  return shown;
}

Result<Released> release_cell(const Place& place, const GridCell& cell, const Scales& scales,
                              const GridStudyOptions& options, std::uint64_t run) {
  Released released;
  Exponentials noise(noise_seed(cell, options, run));
  release(place, place.loads.p_kw, scales, noise, released.p_kw, released.p_scale_kw);
  if (cell.has_q)
    release(place, place.loads.q_kvar, constant_scales(place, cell.scale_kvar), noise, released.q_kvar,
            released.q_scale_kvar);
  if (cell.noise == GridNoise::meter) {
    SeededBits bits(noise_seed(cell, options, run));
    FUGU_TRY(grid::add_measurement_error(released.p_kw, bits));
    FUGU_TRY(grid::add_measurement_error(released.q_kvar, bits));
  }
  released.shown_kw = with_repeats(released.p_kw, place.loads.customers);
  return released;
}

/// One released sum per junction box instead of its customers.
struct BoxSums {
  std::vector<std::vector<double>> value;
  std::vector<std::vector<double>> scale;
};

BoxSums release_boxes(const Place& place, const GridCell& cell, const GridStudyOptions& options, std::uint64_t run) {
  BoxSums sums;
  Exponentials noise(noise_seed(cell, options, run), 1);
  for (const grid::SumOfCustomers& box : place.boxes) {
    auto& value = sums.value.emplace_back();
    for (std::size_t stamp = 0; stamp < place.loads.stamps; ++stamp) {
      double sum = laplace(noise, cell.scale_kw);
      for (const std::uint32_t customer : box.customers)
        sum += place.loads.p_kw[stamp * place.loads.customers + customer];
      value.push_back(sum);
    }
    sums.scale.emplace_back(place.loads.stamps, cell.scale_kw);
  }
  return sums;
}

bool has_sensors(GridMethod method) {
  return method == GridMethod::households_sensors || method == GridMethod::nothing_sensors;
}

grid::Prior prior_of(GridMethod method) {
  switch (method) {
    case GridMethod::load_flow:
    case GridMethod::least_squares: return grid::Prior::releases;
    case GridMethod::profile: return grid::Prior::releases_and_profile;
    case GridMethod::households:
    case GridMethod::households_sensors: return grid::Prior::households;
    case GridMethod::boxes:
    case GridMethod::nothing:
    case GridMethod::nothing_sensors: return grid::Prior::profile;
  }
  return grid::Prior::releases;
}

/// Nothing about protected customers.
void forget_customers(const Place& place, std::vector<double>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (place.is_protected[i % place.loads.customers]) values[i] = kNone;
  }
}

/// Powers and voltages that a method leads to.
Result<GridEstimate> estimate(const Place& place, const GridCell& cell, const GridStudyOptions& options,
                              Released released, std::uint64_t run) {
  GridEstimate made{.stamps = place.loads.stamps};
  const grid::LoadFlowOptions load_flow{.voltage_at = grid::VoltageAt::busbar, .threads = 1};
  if (cell.method == GridMethod::load_flow) {
    FUGU_ASSIGN(const grid::LoadFlowSolverPtr solver, grid::make_solver(place.network, load_flow));
    made.p_kw = std::move(released.shown_kw);
    made.q_kvar = cell.has_q ? std::move(released.q_kvar) : std::vector<double>(made.p_kw.size());
    FUGU_TRY(solver->solve(made.batch(place.busbar_pu), made.flow));
    return made;
  }
  grid::StateEstimatorOptions wanted{.prior = prior_of(cell.method), .model = &place.model, .load_flow = load_flow};
  grid::GridKnowledge known{.stamps = place.loads.stamps,
                            .p_kw = released.p_kw,
                            .p_scale_kw = released.p_scale_kw,
                            .transformer_p_kw = place.meters.transformer_kw,
                            .transformer_q_kvar = place.meters.transformer_kvar,
                            .voltage_pu = place.busbar_pu};
  if (prior_of(cell.method) == grid::Prior::profile) forget_customers(place, released.p_kw);
  if (cell.has_q) {
    known.q_kvar = released.q_kvar;
    known.q_scale_kvar = released.q_scale_kvar;
    if (prior_of(cell.method) == grid::Prior::profile) forget_customers(place, released.q_kvar);
  }
  if (has_sensors(cell.method)) {
    wanted.sensors = place.meters.sensors;
    for (const auto& sensor : place.meters.sensor_v) known.sensor_v.emplace_back(sensor);
  }
  BoxSums sums;
  if (cell.method == GridMethod::boxes) {
    wanted.sums = place.boxes;
    sums = release_boxes(place, cell, options, run);
    for (const auto& value : sums.value) known.sum_value.emplace_back(value);
    for (const auto& scale : sums.scale) known.sum_scale.emplace_back(scale);
  }
  FUGU_ASSIGN(auto estimator, grid::StateEstimator::make(place.network, std::move(wanted)));
  FUGU_TRY(estimator.estimate(known, made));
  return made;
}

GridMeasures measure_errors(const Place& place, const GridEstimate& made, const Released& released) {
  GridStates states;
  place.monitor.observe(made.flow, states);
  grid::StateComparison comparison(place.monitor);
  comparison.add(place.states, states);
  const grid::StateErrors errors = comparison.errors();
  grid::PowerComparison powers(place.network);
  powers.add(place.truth(), made.batch());
  const auto count = [](std::uint64_t value) { return static_cast<double>(value); };
  double scale_sum = 0;
  double answers = 0;
  double slots = 0;
  for (std::size_t i = 0; i < released.p_kw.size(); ++i) {
    if (!place.is_protected[i % place.loads.customers]) continue;
    ++slots;
    if (std::isnan(released.p_scale_kw[i])) continue;
    ++answers;
    scale_sum += released.p_scale_kw[i];
  }
  return {.mean_scale_kw = scale_sum / answers,
          .new_answers = answers / slots,
          .p_kw = powers.errors().p_kw,
          .q_kvar = powers.errors().q_kvar,
          .voltage_v = errors.voltage_v,
          .current_a = errors.lines.current_a,
          .main_current_a = errors.mains.current_a,
          .service_current_a = errors.services.current_a,
          .loading_points = errors.lines.loading_points,
          .main_loading_points = errors.mains.loading_points,
          .voltage_violations = count(errors.voltages.in_truth),
          .voltage_missed = count(errors.voltages.missed),
          .voltage_invented = count(errors.voltages.invented),
          .load_violations = count(errors.lines.overloads.in_truth),
          .load_missed = count(errors.lines.overloads.missed),
          .load_invented = count(errors.lines.overloads.invented),
          .stamps = count(errors.stamps),
          .unsolved = count(errors.truth_unsolved + errors.other_unsolved)};
}

std::uint64_t runs_of(const GridCell& cell, const GridStudyOptions& options) {
  return cell.place.loads == kTrace ? kChapterRuns : options.runs;
}

constexpr GridMethod kChapterMethods[] = {GridMethod::load_flow, GridMethod::households, GridMethod::nothing};
constexpr GridMethod kAllMethods[] = {GridMethod::load_flow,  GridMethod::least_squares,      GridMethod::profile,
                                      GridMethod::households, GridMethod::households_sensors, GridMethod::boxes,
                                      GridMethod::nothing,    GridMethod::nothing_sensors};
constexpr double kNetworkScalesKw[] = {0.1, 0.2, 0.5, 1, 2, 4.5, 9.7};

/// Table 6.5, from top to bottom.
void add_chapter(std::vector<GridCell>& cells) {
  const GridCell row{.part = GridPart::chapter,
                     .place = {"feeder", std::string(kTrace)},
                     .has_q = true,
                     .noise = GridNoise::none,
                     .scale_kw = 0,
                     .scale_kvar = 0,
                     .method = GridMethod::load_flow};
  std::vector<GridCell> rows(8, row);
  rows[1].noise = GridNoise::meter;
  for (const std::size_t event : {2U, 3U}) {
    rows[event].noise = GridNoise::laplace;
    rows[event].scale_kw = event == 2 ? 9.70 : 97;
    rows[event].scale_kvar = event == 2 ? 6.74 : 67.4;
  }
  for (std::size_t p_only = 4; p_only < rows.size(); ++p_only) rows[p_only].has_q = false;
  rows[5].noise = GridNoise::meter;
  for (const std::size_t appliance : {6U, 7U}) {
    rows[appliance].noise = GridNoise::laplace;
    rows[appliance].scale_kw = appliance == 6 ? 0.14 : 9.7;
  }
  for (GridCell cell : rows) {
    for (const GridMethod method : kChapterMethods) {
      cell.method = method;
      cells.push_back(cell);
    }
  }
}

void add_scales(std::vector<GridCell>& cells) {
  constexpr int kScales = 20;
  for (int i = 0; i < kScales; ++i) {
    // From 0.05 to 20 kW, rounded to what a table shows.
    const double exact = 0.05 * std::pow(400, static_cast<double>(i) / (kScales - 1));
    const double scale_kw = std::round(exact * 1000) / 1000;
    for (const GridMethod method : kChapterMethods)
      cells.push_back(
          {GridPart::scales, {"feeder", std::string(kTrace)}, false, GridNoise::laplace, scale_kw, 0, method});
  }
}

void add_network(const GridPlace& place, std::vector<GridCell>& cells) {
  for (const GridMethod method : {GridMethod::load_flow, GridMethod::households})
    cells.push_back({GridPart::networks, place, false, GridNoise::meter, 0, 0, method});
  cells.push_back({GridPart::networks, place, true, GridNoise::meter, 0, 0, GridMethod::load_flow});
  for (const double scale_kw : kNetworkScalesKw) {
    for (const GridMethod method : kAllMethods)
      cells.push_back({GridPart::networks, place, false, GridNoise::laplace, scale_kw, 0, method});
  }
}

void add_policies(std::vector<GridCell>& cells) {
  for (const GridNoise noise : {GridNoise::narwhal, GridNoise::narwhal_small, GridNoise::narwhal_floor}) {
    for (const double epsilon : {0.5, 1.0, 2.0}) {
      for (const GridMethod method : {GridMethod::load_flow, GridMethod::least_squares, GridMethod::profile,
                                      GridMethod::households, GridMethod::nothing})
        cells.push_back({GridPart::policies, {"feeder", "simulated"}, false, noise, epsilon, 0, method});
    }
  }
}

bool has_recorded(const std::string& data_folder, const char* what) {
  return !data_folder.empty() && std::filesystem::exists(data_folder + "/" + what);
}

std::vector<GridPlace> places(const std::string& data_folder) {
  std::vector<std::string> networks = {"feeder"};
  if (has_recorded(data_folder, "lvgrid"))
    networks.insert(networks.end(), recorded_networks().begin(), recorded_networks().end());
  std::vector<std::string> loads = {"simulated", "cars"};
  if (has_recorded(data_folder, "citylearn_fontana")) loads.emplace_back("citylearn");
  if (has_recorded(data_folder, "sgsc_newcastle")) loads.emplace_back("sgsc");
  std::vector<GridPlace> all;
  for (const std::string& network : networks) {
    for (const std::string& load : loads) all.push_back({network, load});
  }
  return all;
}

}  // namespace

std::string_view name_of(GridPart part) {
  constexpr std::string_view kNames[] = {"chapter", "scales", "networks", "policies"};
  return kNames[static_cast<std::size_t>(part)];
}

std::string_view name_of(GridNoise noise) {
  constexpr std::string_view kNames[] = {"none", "meter", "laplace", "narwhal", "narwhal-small", "narwhal-floor"};
  return kNames[static_cast<std::size_t>(noise)];
}

std::string_view name_of(GridMethod method) {
  constexpr std::string_view kNames[] = {"load-flow",          "least-squares", "profile", "households",
                                         "households-sensors", "boxes",         "nothing", "nothing-sensors"};
  return kNames[static_cast<std::size_t>(method)];
}

std::vector<GridColumn> grid_columns() {
  return {{"mean_scale_kw", &GridMeasures::mean_scale_kw},
          {"new_answers", &GridMeasures::new_answers},
          {"p_kw", &GridMeasures::p_kw},
          {"q_kvar", &GridMeasures::q_kvar},
          {"voltage_v", &GridMeasures::voltage_v},
          {"current_a", &GridMeasures::current_a},
          {"main_current_a", &GridMeasures::main_current_a},
          {"service_current_a", &GridMeasures::service_current_a},
          {"loading_points", &GridMeasures::loading_points},
          {"main_loading_points", &GridMeasures::main_loading_points},
          {"voltage_violations", &GridMeasures::voltage_violations},
          {"voltage_missed", &GridMeasures::voltage_missed},
          {"voltage_invented", &GridMeasures::voltage_invented},
          {"load_violations", &GridMeasures::load_violations},
          {"load_missed", &GridMeasures::load_missed},
          {"load_invented", &GridMeasures::load_invented},
          {"stamps", &GridMeasures::stamps},
          {"unsolved", &GridMeasures::unsolved}};
}

/// Made when they are wanted, once each.
class GridStudy::Places {
 public:
  explicit Places(GridStudyOptions options) : options_(std::move(options)) {}

  const GridStudyOptions& options() const { return options_; }

  Result<const Place*> at(const GridPlace& which, std::uint64_t run) {
    Entry* entry = nullptr;
    {
      const std::lock_guard lock(mutex_);
      entry = &entries_[{which, run}];
    }
    const std::lock_guard lock(entry->mutex);
    if (!entry->place) entry->place.emplace(make_place(which, options_, run));
    if (!*entry->place) return entry->place->error();
    return &**entry->place;
  }

 private:
  struct Entry {
    std::mutex mutex;
    std::optional<Result<Place>> place;
  };
  GridStudyOptions options_;
  std::mutex mutex_;
  std::map<std::pair<GridPlace, std::uint64_t>, Entry> entries_;
};

GridStudy::GridStudy(std::unique_ptr<Places> places, std::vector<GridCell> cells)
    : places_(std::move(places)), cells_(std::move(cells)) {}
GridStudy::GridStudy(GridStudy&&) noexcept = default;
GridStudy& GridStudy::operator=(GridStudy&&) noexcept = default;
GridStudy::~GridStudy() = default;

const GridStudyOptions& GridStudy::options() const { return places_->options(); }

Result<GridStudy> GridStudy::make(const GridStudyOptions& options) {
  if (options.days < 2 || options.days > 366) return Error{Cause::usage, "days: expected 2 to 366"};
  if (!options.data_folder.empty() && places(options.data_folder) == places(""))
    return Error{Cause::usage,
                 "data: " + options.data_folder +
                     " holds none of lvgrid, citylearn_fontana and sgsc_newcastle; expected a folder with "
                     "recorded networks or homes"};
  if (options.runs < 1) return Error{Cause::usage, "runs: expected at least 1"};
  std::vector<GridCell> cells;
  add_chapter(cells);
  add_scales(cells);
  add_policies(cells);
  for (const GridPlace& place : places(options.data_folder)) add_network(place, cells);
  return GridStudy(std::make_unique<Places>(options), std::move(cells));
}

Result<GridMeasures> GridStudy::run(const GridCell& cell) const {
  const std::uint64_t runs = runs_of(cell, options());
  GridMeasures sum{};
  for (std::uint64_t run = 0; run < runs; ++run) {
    // The thesis has one trace, and ten draws of noise for it.
    FUGU_ASSIGN(const Place* const place, places_->at(cell.place, cell.place.loads == kTrace ? 0 : run));
    FUGU_ASSIGN(const Scales scales, scales_of(*place, cell, options()));
    FUGU_ASSIGN(const Released released, release_cell(*place, cell, scales, options(), run));
    FUGU_ASSIGN(const GridEstimate made, estimate(*place, cell, options(), released, run));
    const GridMeasures measured = measure_errors(*place, made, released);
    for (const GridColumn& column : grid_columns()) sum.*column.value += measured.*column.value;
  }
  for (const GridColumn& column : grid_columns()) sum.*column.value /= static_cast<double>(runs);
  return sum;
}

Result<GridStudy::Trace> GridStudy::trace() const {
  FUGU_ASSIGN(const Place* const place, places_->at({"feeder", std::string(kTrace)}, 0));
  const auto& limits = place->monitor.line_limits();
  Trace trace;
  for (std::size_t stamp = 0; stamp < place->states.stamps(); ++stamp) {
    const auto voltages = place->states.voltages_v(stamp);
    const auto currents = place->states.currents_a(stamp);
    double percent = 0;
    for (std::size_t i = 0; i < limits.size(); ++i)
      percent = std::max(percent, limits[i].percent_per_ampere * currents[i]);
    trace.lowest_v.push_back(*std::ranges::min_element(voltages));
    trace.highest_v.push_back(*std::ranges::max_element(voltages));
    trace.largest_a.push_back(*std::ranges::max_element(currents));
    trace.largest_percent.push_back(percent);
  }
  return trace;
}

}  // namespace fugu
