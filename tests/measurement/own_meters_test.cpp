#include "fugu/measurement/own_meters.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "fugu/monitoring/monitor.hpp"
#include "fugu/simulate/seeded_bits.hpp"
#include "loadflow/loads.hpp"
#include "network/builders.hpp"

namespace fugu::grid {
namespace {

OwnMeters meters_of(const Network& network, const test::Loads& loads, const OwnMeterOptions& options = {}) {
  SeededBits bits(1);
  return *measure(network, loads.batch(), options, bits);
}

TEST(OwnMeters, SeeWhatCustomersAndLosses) {
  const Network network = *Network::make(test::small_network());
  const OwnMeters meters = meters_of(network, {.stamps = 2, .p_kw = {20, 0}, .q_kvar = {5, 0}}, {.sensors = {2}});
  // By hand: 20 kW at 0.0416 ohm is 29.9 A at 398 V, 3·I²·R = 0.11 kW.
  EXPECT_NEAR(meters.transformer_kw[0], 20.11, 0.01);
  EXPECT_NEAR(meters.transformer_kvar[0], 5.04, 0.01);
  EXPECT_NEAR(meters.transformer_kw[1], 0, 1e-6);
  EXPECT_LT(meters.busbar_v[0], meters.busbar_v[1]);
  ASSERT_EQ(meters.sensor_v.size(), 1u);
  EXPECT_NEAR(meters.busbar_v[0] - meters.sensor_v[0][0], (20 * 0.0416 + 5 * 0.016) * 1000 / 400, 0.05);
  EXPECT_EQ(meters.unsolved, 0u);
}

TEST(OwnMeters, HaveErrorsOfTheirOwn) {
  const Network network = *make_feeder();
  const test::Loads loads = test::random_loads(network, 2000, 3);
  const OwnMeters exact = meters_of(network, loads, {.sensors = {3}});
  const OwnMeters rough = meters_of(network, loads, {.sensors = {3}, .power_sigma = 0.01, .voltage_sigma_v = 0.2});
  double power = 0;
  double voltage = 0;
  for (std::size_t i = 0; i < loads.stamps; ++i) {
    power += std::pow(rough.transformer_kw[i] / exact.transformer_kw[i] - 1, 2);
    voltage += std::pow(rough.sensor_v[0][i] - exact.sensor_v[0][i], 2);
  }
  // Standard deviations of 2000 values are within 8 %: five standard deviations.
  EXPECT_NEAR(std::sqrt(power / 2000), 0.01, 0.0008);
  EXPECT_NEAR(std::sqrt(voltage / 2000), 0.2, 0.016);
}

TEST(OwnMeters, SayNothingWhereTheNetworkCannotCarryTheLoad) {
  const Network network = *Network::make(test::small_network());
  const OwnMeters meters = meters_of(network, {.stamps = 2, .p_kw = {20, 20'000}, .q_kvar = {0, 0}}, {.sensors = {1}});
  EXPECT_EQ(meters.unsolved, 1u);
  EXPECT_FALSE(std::isnan(meters.busbar_v[0]));
  EXPECT_TRUE(std::isnan(meters.transformer_kw[1]));
  EXPECT_TRUE(std::isnan(meters.busbar_v[1]));
  EXPECT_TRUE(std::isnan(meters.sensor_v[0][1]));
}

/// T - A - B - C, and A - D; customers behind cables of their own at C and D.
NetworkData with_a_branch() {
  NetworkData data = test::small_network();
  for (const char* node : {"C", "D", "c1", "c2", "c3"}) data.nodes.push_back({node, 0.4, {}});
  const auto add = [&](const char* from, const char* to) {
    Line line = data.lines.front();
    line.id = std::string(from) + to;
    line.from = from;
    line.to = to;
    data.lines.push_back(line);
  };
  add("B", "C");
  add("A", "D");
  add("C", "c1");
  add("C", "c2");
  add("D", "c3");
  data.customers = {{.id = "1", .node = "c1"}, {.id = "2", .node = "c2"}, {.id = "3", .node = "c3"}};
  return data;
}

TEST(OwnMeters, AreAtTheEndsOfMains) {
  const Network network = *Network::make(with_a_branch());
  const std::uint32_t c = *network.find_node("C");
  // D has one customer behind it, so A-D is a piece of that service cable.
  EXPECT_EQ(main_ends(network, 1), std::vector<std::uint32_t>{c});
  EXPECT_EQ(main_ends(network, 5), std::vector<std::uint32_t>{c});
  NetworkData data = with_a_branch();
  data.customers.push_back({.id = "4", .node = "D"});
  const Network wider = *Network::make(data);
  EXPECT_EQ(main_ends(wider, 5), (std::vector<std::uint32_t>{c, *wider.find_node("D")}));
  EXPECT_TRUE(main_ends(network, 0).empty());
}

TEST(OwnMeters, NeverStandBehindAServiceCable) {
  for (const auto& [name, network] : test::all_networks()) {
    const auto kinds = line_kinds(network);
    for (const std::uint32_t node : main_ends(network, 10))
      EXPECT_EQ(kinds[network.parent_line(node)], LineKind::main) << name;
  }
}

}  // namespace
}  // namespace fugu::grid
