#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "fugu/monitoring/comparison.hpp"
#include "fugu/monitoring/measurement.hpp"
#include "fugu/monitoring/monitor.hpp"
#include "fugu/simulate/seeded_bits.hpp"
#include "loadflow/loads.hpp"
#include "network/builders.hpp"

namespace fugu::grid {
namespace {

using test::Loads;
using test::random_loads;
using test::solved;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// T - A - B: TA is a main of 100 A, AB the service cable of customer b with 50 A. Resistances only, 0.1 ohm each.
NetworkData three_nodes() {
  NetworkData data = test::small_network();
  for (Line& line : data.lines) {
    line.r_ohm = 0.1;
    line.x_ohm = 0;
    line.c_nf = 0;
  }
  data.lines[0].ampacity_a = 100;
  data.lines[1].ampacity_a = 50;
  data.customers = {{.id = "a", .node = "A", .kind = CustomerKind::industrial}, {.id = "b", .node = "B"}};
  return data;
}

Network network_of(const NetworkData& data, NetworkRules rules = {}) { return *Network::make(data, rules); }
Monitor monitor_of(const Network& network, const MonitoringLimits& limits = {}) {
  return *Monitor::make(network, limits);
}

/// Three nodes and two lines.
GridStates states_of(std::vector<double> voltage_v, std::vector<double> current_a) {
  return {.nodes = 3, .lines = 2, .voltage_v = std::move(voltage_v), .current_a = std::move(current_a)};
}

/// Three stamps for the three nodes. Limits are 380 and 420 V, 90 A and 45 A; some values lie exactly there.
GridStates true_states() { return states_of({400, 390, 379, 400, 380, 420, 400, 370, 400}, {91, 10, 90, 46, 50, 45}); }
GridStates other_states() {
  return states_of({410, 386, 381, 400, 379, 421, 400, 425, 400}, {89, 14, 95, 44, 50, 45.5});
}

StateErrors compare(const Monitor& monitor, const GridStates& truth, const GridStates& other) {
  StateComparison comparison(monitor);
  comparison.add(truth, other);
  return comparison.errors();
}

void expect_violations(const ViolationErrors& errors, const std::vector<std::uint64_t>& expected, const char* what) {
  EXPECT_EQ((std::vector{errors.in_truth, errors.in_other, errors.missed, errors.invented}), expected) << what;
}

std::vector<std::string> service_cables(const Network& network) {
  std::vector<std::string> ids;
  const auto kinds = line_kinds(network);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i] == LineKind::service) ids.push_back(network.lines()[i].id);
  }
  return ids;
}

TEST(LineKinds, AServiceCableHasOneCustomerBelow) {
  NetworkData data = three_nodes();
  EXPECT_EQ(service_cables(network_of(data)), std::vector<std::string>{"AB"});
  data.customers.erase(data.customers.begin());
  EXPECT_EQ(service_cables(network_of(data)), (std::vector<std::string>{"TA", "AB"})) << "one cable in two pieces";
  data.customers.push_back({.id = "second", .node = "B"});
  EXPECT_TRUE(service_cables(network_of(data)).empty()) << "two at one node: a sum";
  data.customers = {{.id = "a", .node = "A"}};
  EXPECT_EQ(service_cables(network_of(data)), std::vector<std::string>{"TA"}) << "AB serves nobody";
  std::swap(data.lines[0].from, data.lines[0].to);
  EXPECT_EQ(service_cables(network_of(data)), std::vector<std::string>{"TA"}) << "which end is first does not matter";
}

TEST(LineKinds, LinesOfALoopAreMains) {
  NetworkData data = three_nodes();
  data.customers.erase(data.customers.begin());
  data.lines.push_back(data.lines[0]);
  data.lines[2].id = "TB";
  data.lines[2].to = "B";
  EXPECT_TRUE(service_cables(network_of(data, {.radial = false})).empty());
  data.lines[1].is_closed = false;
  EXPECT_EQ(service_cables(network_of(data)), std::vector<std::string>{"TB"}) << "an open line joins nothing";
}

TEST(LineKinds, AGeneratedFeederHasOneForEachCustomer) {
  const Network network = *make_feeder();
  const auto ids = service_cables(network);
  ASSERT_EQ(ids.size(), 25u);
  for (const std::string& id : ids) EXPECT_NE(id.find("-C"), std::string::npos) << id;
}

/// The European feeder draws cables as chains of short pieces. Without going along the chain, only the last piece of
/// each counts.
TEST(LineKinds, ChainsOfTheEuropeanFeederAreServiceCables) {
  for (const auto& [name, network] : test::all_networks()) {
    if (name != "ieee_eulv") continue;
    EXPECT_GT(service_cables(network).size(), 3 * network.customers().size());
  }
}

/// Customer b draws 20 kW over 0.2 ohm from 400 V: v² - 400·v + 4000 = 0, so B has 389.7367 V, and A half the drop,
/// 394.8683 V. The current is 20000/(√3·389.7367) = 29.628 A.
TEST(Monitor, ThreeNodesByHand) {
  NetworkData data = three_nodes();
  data.lines[1].ampacity_a = 30;
  const Network network = network_of(data);
  const LoadFlow flow = solved(make_sweep(network, {.voltage_at = VoltageAt::busbar}), {1, {0, 20}, {0, 0}, {}});
  const Monitor monitor = monitor_of(network, {.under_percent = 2});
  GridStates states;
  monitor.observe(flow, states);
  EXPECT_NEAR(states.voltages_v(0)[0], 400, 1e-6);
  EXPECT_NEAR(states.voltages_v(0)[1], 394.8683, 1e-4);
  EXPECT_NEAR(states.voltages_v(0)[2], 389.7367, 1e-4);
  EXPECT_NEAR(states.currents_a(0)[0], 29.628, 1e-3);
  EXPECT_NEAR(states.currents_a(0)[1], 29.628, 1e-3);
  const auto found = monitor.violations(states, 700);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0], (Violation{700, ViolationKind::undervoltage, 2, states.voltages_v(0)[2]})) << "392 V";
  EXPECT_EQ(found[1].kind, ViolationKind::service_loading);
  EXPECT_EQ(found[1].place, 1u);
  EXPECT_NEAR(found[1].value, 98.76, 0.01);
}

/// Algorithm 4 prints |V_i - V_j|/R1. Voltages between phases give √3 times the current that way; without X, it is
/// larger by |R + jX|/R again (7 % for NAYY 4x150).
TEST(Monitor, CurrentsHaveXAndOnePhase) {
  NetworkData data = three_nodes();
  data.lines[0].r_ohm = 0.0208;
  data.lines[0].x_ohm = 0.008;
  const Network network = network_of(data);
  const LoadFlow flow = solved(make_sweep(network, {.voltage_at = VoltageAt::busbar}), {1, {20, 0}, {0, 0}, {}});
  GridStates states;
  monitor_of(network).observe(flow, states);
  const double ours_a = states.currents_a(0)[0];
  EXPECT_NEAR(ours_a, 20000 / (std::numbers::sqrt3 * states.voltages_v(0)[1]), 1e-4) << "from power and voltage";
  const double printed_a = 400 * std::abs(flow.row(0)[0] - flow.row(0)[1]) / 0.0208;
  EXPECT_NEAR(printed_a / ours_a, std::numbers::sqrt3 * std::hypot(0.0208, 0.008) / 0.0208, 1e-6);
}

TEST(Monitor, CountsPlacesAndTimes) {
  const Monitor monitor = monitor_of(network_of(three_nodes()));
  const std::vector<Violation> expected = {{10, ViolationKind::undervoltage, 2, 379},
                                           {10, ViolationKind::main_loading, 0, 91},
                                           {11, ViolationKind::service_loading, 1, 92},
                                           {12, ViolationKind::undervoltage, 1, 370}};
  EXPECT_EQ(monitor.violations(true_states(), 10), expected) << "380 V, 420 V, 90 A and 45 A are within limits";
  ViolationCounts counts;
  monitor.count(true_states(), counts);
  monitor.count(other_states(), counts);
  EXPECT_EQ(counts.undervoltages, 3u);
  EXPECT_EQ(counts.overvoltages, 2u);
  EXPECT_EQ(counts.main_overloads, 2u);
  EXPECT_EQ(counts.service_overloads, 2u);
  EXPECT_EQ(counts.under_by_node, (std::vector<std::uint64_t>{0, 2, 1}));
  EXPECT_EQ(counts.over_by_node, (std::vector<std::uint64_t>{0, 1, 1}));
  EXPECT_EQ(counts.overload_by_line, (std::vector<std::uint64_t>{2, 2}));
  EXPECT_EQ(counts.stamps, 6u);
  EXPECT_EQ(counts.stamps_unsolved, 0u);
}

TEST(Monitor, ExactlyAtALimitIsWithin) {
  const Monitor monitor = monitor_of(network_of(three_nodes()));
  EXPECT_TRUE(monitor.violations(states_of({0, 380, 420}, {90, 45})).empty()) << "nor is the busbar looked at";
  const auto above = [](double value) { return std::nextafter(value, 1e9); };
  EXPECT_EQ(monitor.violations(states_of({400, 380, above(420)}, {90, 45})).size(), 1u);
  EXPECT_EQ(monitor.violations(states_of({400, std::nextafter(380.0, 0), 420}, {90, 45})).size(), 1u);
  EXPECT_EQ(monitor.violations(states_of({400, 380, 420}, {above(90), above(45)})).size(), 2u);
}

TEST(Monitor, LimitsThatMakeNoSenseAreRefused) {
  const Network network = network_of(three_nodes());
  for (const double bad : {0.0, -5.0, kNan, std::numeric_limits<double>::infinity()}) {
    EXPECT_FALSE(Monitor::make(network, {.under_percent = bad})) << bad;
    EXPECT_FALSE(Monitor::make(network, {.over_percent = bad})) << bad;
    EXPECT_FALSE(Monitor::make(network, {.loading_percent = bad})) << bad;
  }
  EXPECT_FALSE(Monitor::make(network, {.under_percent = 100}));
  EXPECT_TRUE(Monitor::make(network, {.over_percent = 100, .loading_percent = 150}));
}

/// The metrics of true_states() and other_states(), by hand.
TEST(StateComparison, ThreeStampsByHand) {
  const StateErrors errors = compare(monitor_of(network_of(three_nodes())), true_states(), other_states());
  EXPECT_EQ(errors.stamps, 3u);
  EXPECT_DOUBLE_EQ(errors.voltage_v, (4 + 1 + 55) / 3.0);
  EXPECT_DOUBLE_EQ(errors.mains.current_a, (2 + 5 + 0) / 3.0);
  EXPECT_DOUBLE_EQ(errors.services.current_a, (4 + 2 + 0.5) / 3);
  EXPECT_DOUBLE_EQ(errors.lines.current_a, (4 + 5 + 0.5) / 3);
  EXPECT_DOUBLE_EQ(errors.mains.loading_points, (2 + 5 + 0) / 3.0);
  EXPECT_DOUBLE_EQ(errors.services.loading_points, (8 + 4 + 1) / 3.0);
  EXPECT_DOUBLE_EQ(errors.lines.loading_points, (8 + 5 + 1) / 3.0);
  expect_violations(errors.voltages, {2, 3, 1, 2}, "either");
  expect_violations(errors.undervoltages, {2, 1, 2, 1}, "under");
  expect_violations(errors.overvoltages, {0, 2, 0, 2}, "over");
  expect_violations(errors.mains.overloads, {1, 1, 1, 1}, "mains");
  expect_violations(errors.services.overloads, {1, 1, 1, 1}, "services");
  expect_violations(errors.lines.overloads, {2, 2, 2, 2}, "lines");
  EXPECT_EQ(errors.voltages.differing(), 3u);
}

/// Wrong readings of each definition. The example above has to tell them from the right one, or it shows nothing.
TEST(StateComparison, WrongReadingsGiveOtherNumbers) {
  const Monitor monitor = monitor_of(network_of(three_nodes()));
  const GridStates truth = true_states();
  const GridStates other = other_states();
  const StateErrors errors = compare(monitor, truth, other);
  double with_busbar_v = 0;
  double largest_of_all_v = 0;
  double mean_of_nodes_v = 0;
  double largest_a_of_sum = 0;
  for (std::size_t stamp = 0; stamp < 3; ++stamp) {
    std::vector<double> error_v;
    for (std::size_t node = 0; node < 3; ++node) {
      error_v.push_back(std::abs(truth.voltages_v(stamp)[node] - other.voltages_v(stamp)[node]));
    }
    with_busbar_v += std::max({error_v[0], error_v[1], error_v[2]}) / 3;
    largest_of_all_v = std::max({largest_of_all_v, error_v[1], error_v[2]});
    mean_of_nodes_v += (error_v[1] + error_v[2]) / 6;
    largest_a_of_sum += truth.currents_a(stamp)[0] - other.currents_a(stamp)[0];
  }
  EXPECT_NE(errors.voltage_v, with_busbar_v);
  EXPECT_NE(errors.voltage_v, largest_of_all_v);
  EXPECT_NE(errors.voltage_v, mean_of_nodes_v);
  EXPECT_NE(errors.mains.current_a, std::abs(largest_a_of_sum) / 3) << "signed errors cancel out";
  EXPECT_NE(errors.lines.current_a, std::max(errors.mains.current_a, errors.services.current_a)) << "largest first";
  EXPECT_NE(errors.lines.loading_points, errors.lines.current_a);
  // Differences of totals do not tell what was found.
  EXPECT_NE(errors.voltages.differing(), errors.voltages.in_other - errors.voltages.in_truth);
  EXPECT_NE(errors.voltages.differing(), errors.undervoltages.differing() + errors.overvoltages.differing());
  EXPECT_EQ(errors.lines.overloads.in_truth, errors.lines.overloads.in_other) << "as many, and none of them right";
}

TEST(StateComparison, TheTruthHasNoErrors) {
  const StateErrors errors = compare(monitor_of(network_of(three_nodes())), true_states(), true_states());
  EXPECT_EQ(errors.voltage_v, 0);
  EXPECT_EQ(errors.lines.current_a, 0);
  EXPECT_EQ(errors.lines.loading_points, 0);
  expect_violations(errors.voltages, {2, 2, 0, 0}, "voltages");
  expect_violations(errors.lines.overloads, {2, 2, 0, 0}, "lines");
}

TEST(StateComparison, StampsWithoutConvergenceAreCountedAndLeftOut) {
  const Monitor monitor = monitor_of(network_of(three_nodes()));
  const auto spoil = [](GridStates states, std::size_t stamp) {
    for (std::size_t node = 0; node < 3; ++node) states.voltage_v[3 * stamp + node] = kNan;
    for (std::size_t line = 0; line < 2; ++line) states.current_a[2 * stamp + line] = kNan;
    return states;
  };
  const StateErrors errors = compare(monitor, spoil(true_states(), 0), spoil(spoil(other_states(), 0), 2));
  EXPECT_EQ(errors.stamps, 1u);
  EXPECT_EQ(errors.truth_unsolved, 1u) << "both failed: counted once";
  EXPECT_EQ(errors.other_unsolved, 1u);
  EXPECT_EQ(errors.voltage_v, 1) << "not divided by all three";
  EXPECT_EQ(errors.lines.current_a, 5);
  expect_violations(errors.voltages, {0, 2, 0, 2}, "of the second stamp");
  ViolationCounts counts;
  monitor.count(spoil(true_states(), 0), counts);
  EXPECT_EQ(counts.stamps, 3u);
  EXPECT_EQ(counts.stamps_unsolved, 1u);
  EXPECT_EQ(counts.undervoltages, 1u) << "nothing is known of the first";
  const GridStates none = spoil(spoil(spoil(true_states(), 0), 1), 2);
  EXPECT_TRUE(std::isnan(compare(monitor, none, true_states()).voltage_v)) << "no error is not an error of 0";
}

/// From 400 V over 0.2 ohm no more than 200 kW arrive.
TEST(StateComparison, OverloadedLoadFlowsAreLeftOut) {
  const Network network = network_of(three_nodes());
  const Monitor monitor = monitor_of(network);
  const auto states = [&](std::vector<double> p_kw) {
    GridStates result;
    monitor.observe(
        solved(make_sweep(network, {.voltage_at = VoltageAt::busbar}), {2, std::move(p_kw), {0, 0, 0, 0}, {}}), result);
    return result;
  };
  const StateErrors errors = compare(monitor, states({0, 20, 0, 20}), states({0, 20, 0, 250}));
  EXPECT_EQ(errors.stamps, 1u);
  EXPECT_EQ(errors.other_unsolved, 1u);
  EXPECT_EQ(errors.voltage_v, 0);
}

TEST(StateComparison, LinesWithoutAmpacityHaveCurrentsOnly) {
  NetworkData data = three_nodes();
  data.lines[1].ampacity_a.reset();
  const StateErrors errors = compare(monitor_of(network_of(data)), true_states(), other_states());
  EXPECT_EQ(errors.lines.lines, 2u);
  EXPECT_EQ(errors.lines.lines_no_ampacity, 1u);
  EXPECT_DOUBLE_EQ(errors.lines.current_a, (4 + 5 + 0.5) / 3);
  EXPECT_DOUBLE_EQ(errors.lines.loading_points, (2 + 5 + 0) / 3.0) << "of the main alone";
  EXPECT_TRUE(std::isnan(errors.services.loading_points)) << "not 0";
  expect_violations(errors.services.overloads, {0, 0, 0, 0}, "services");
  expect_violations(errors.lines.overloads, {1, 1, 1, 1}, "lines");
  data.customers.push_back({.id = "second", .node = "B"});
  const StateErrors without = compare(monitor_of(network_of(data)), true_states(), other_states());
  EXPECT_EQ(without.services.lines, 0u);
  EXPECT_TRUE(std::isnan(without.services.current_a)) << "no service cables";
}

TEST(StateComparison, BatchesMakeNoDifference) {
  const Monitor monitor = monitor_of(network_of(three_nodes()));
  const auto part = [](const GridStates& states, std::size_t from, std::size_t to) {
    const auto at = [](std::size_t index) { return static_cast<std::ptrdiff_t>(index); };
    return states_of({states.voltage_v.begin() + at(3 * from), states.voltage_v.begin() + at(3 * to)},
                     {states.current_a.begin() + at(2 * from), states.current_a.begin() + at(2 * to)});
  };
  StateComparison batches(monitor);
  for (const auto& [from, to] : {std::pair<std::size_t, std::size_t>{0, 1}, {1, 1}, {1, 3}}) {
    batches.add(part(true_states(), from, to), part(other_states(), from, to));
  }
  const StateErrors whole = compare(monitor, true_states(), other_states());
  EXPECT_EQ(batches.errors().stamps, 3u);
  EXPECT_EQ(batches.errors().voltage_v, whole.voltage_v);
  EXPECT_EQ(batches.errors().lines.loading_points, whole.lines.loading_points);
  EXPECT_EQ(batches.errors().voltages.differing(), whole.voltages.differing());
}

/// Only b is residential: |3 - 5| and |4 - 1| kW, |1 - 1| and |2 - 3| kvar.
TEST(PowerComparison, ByHandOverResidentialCustomers) {
  const Loads truth = {2, {10, 3, 20, 4}, {5, 1, 5, 2}, {}};
  const Loads other = {2, {90, 5, 90, 1}, {9, 1, 9, 3}, {}};
  NetworkData data = three_nodes();
  PowerComparison comparison(network_of(data));
  EXPECT_TRUE(std::isnan(comparison.errors().p_kw));
  comparison.add(truth.batch(), other.batch());
  EXPECT_DOUBLE_EQ(comparison.errors().p_kw, 2.5);
  EXPECT_DOUBLE_EQ(comparison.errors().q_kvar, 0.5);
  data.customers[0].kind = CustomerKind::residential;  // what a comparison that takes all customers would see
  PowerComparison all(network_of(data));
  all.add(truth.batch(), other.batch());
  EXPECT_DOUBLE_EQ(all.errors().p_kw, (80 + 2 + 70 + 3) / 4.0);
}

TEST(Measurement, POnlyLosesTheReactivePower) {
  const Network network = *make_feeder();
  const Monitor monitor = monitor_of(network);
  const Loads truth = random_loads(network, 96, 5);
  GridStates true_grid;
  monitor.observe(solved(make_solver(network), truth), true_grid);
  const auto errors = [&](MeasurementScenario scenario) {
    Loads measured = truth;
    apply_scenario(scenario, measured.q_kvar);
    PowerComparison powers(network);
    powers.add(truth.batch(), measured.batch());
    GridStates grid;
    monitor.observe(solved(make_solver(network), measured), grid);
    return std::pair{powers.errors(), compare(monitor, true_grid, grid)};
  };
  const auto [pq_powers, pq] = errors(MeasurementScenario::pq);
  EXPECT_EQ(pq_powers.q_kvar, 0);
  EXPECT_EQ(pq.voltage_v, 0);
  const auto [p_powers, p_only] = errors(MeasurementScenario::p_only);
  EXPECT_EQ(p_powers.p_kw, 0);
  EXPECT_NEAR(p_powers.q_kvar, 0.85, 0.05) << "mean of |5·(0.5·u - 0.1)|";
  EXPECT_GT(p_only.voltage_v, 0.1);
  EXPECT_GT(p_only.lines.current_a, 1);
  EXPECT_EQ(p_only.stamps, 96u);
  EXPECT_EQ(p_only.mains.lines, 10u);
  EXPECT_EQ(p_only.services.lines, 25u);
}

/// 200,000 draws: the mean of z is within 4.5/√n of 0, that of z² within 4.5·√(2/n) of 1; false alarms 1 in 70,000
/// each.
TEST(Measurement, ErrorsAreRelativeGaussian) {
  const std::size_t n = 200'000;
  std::vector<double> values(n, -50.0);
  SeededBits bits(1);
  ASSERT_TRUE(add_measurement_error(values, bits));
  double sum = 0;
  double squares = 0;
  double beyond_two = 0;
  for (const double value : values) {
    const double z = (value / -50 - 1) / 0.01;
    sum += z / n;
    squares += z * z / n;
    beyond_two += (std::abs(z) > 2) / static_cast<double>(n);
  }
  EXPECT_NEAR(sum, 0, 4.5 / std::sqrt(n));
  EXPECT_NEAR(squares, 1, 4.5 * std::sqrt(2.0 / n));
  EXPECT_NEAR(beyond_two, 0.0455, 4.5 * std::sqrt(0.0455 / n)) << "a uniform law of the same variance has none";
}

TEST(Measurement, ErrorsFollowTheSeed) {
  const auto drawn = [](std::uint64_t seed, double sigma) {
    std::vector<double> values = {1, 2, 0, -4, 5};
    SeededBits bits(seed);
    EXPECT_TRUE(add_measurement_error(values, bits, sigma));
    return values;
  };
  EXPECT_EQ(drawn(1, 0.01), drawn(1, 0.01));
  EXPECT_NE(drawn(1, 0.01), drawn(2, 0.01));
  EXPECT_EQ(drawn(1, 0.01)[2], 0) << "0 kvar stays 0";
  EXPECT_EQ(drawn(1, 0), (std::vector<double>{1, 2, 0, -4, 5}));
  const std::vector<double> five = drawn(1, 0.01);
  EXPECT_NE(five[4], 5) << "the last of an odd number";
  SeededBits bits(1);
  std::vector<double> values = {1};
  for (const double sigma : {-0.01, kNan, std::numeric_limits<double>::infinity()}) {
    EXPECT_FALSE(add_measurement_error(values, bits, sigma));
  }
  EXPECT_EQ(values[0], 1);
}

}  // namespace
}  // namespace fugu::grid
