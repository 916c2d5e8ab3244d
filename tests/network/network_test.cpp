#include "fugu/network/network.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "network/builders.hpp"

namespace fugu::grid {
namespace {

using test::small_network;

std::string mistakes_of(const NetworkData& data, NetworkRules rules = {}) {
  const auto network = Network::make(data, rules);
  return network ? "none" : network.error().message;
}

std::string spoiled(const std::function<void(NetworkData&)>& spoil) {
  NetworkData data = small_network();
  spoil(data);
  return mistakes_of(data);
}

TEST(Network, KnowsItsTree) {
  const auto network = Network::make(small_network());
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_TRUE(network->is_radial());
  EXPECT_EQ(network->root(), 0u);
  EXPECT_EQ(std::vector(network->order().begin(), network->order().end()), (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(network->parent(0), Network::kNone);
  EXPECT_EQ(network->parent(2), 1u);
  EXPECT_EQ(network->parent_line(2), 1u);
  EXPECT_EQ(network->customer_nodes()[0], 2u);
  EXPECT_EQ(network->find_node("B"), 2u);
  EXPECT_DOUBLE_EQ(network->nominal_v(), 400);
}

TEST(Network, ParentsComeFirstWhereverTheRootIs) {
  NetworkData data = small_network();
  data.transformers[0].lv_node = "B";
  const auto network = Network::make(data);
  ASSERT_TRUE(network);
  EXPECT_EQ(std::vector(network->order().begin(), network->order().end()), (std::vector<std::uint32_t>{2, 1, 0}));
  EXPECT_EQ(network->parent(0), 1u);
}

struct Mistake {
  const char* name;
  std::function<void(NetworkData&)> spoil;
  std::string expected;
};

class OneMistake : public testing::TestWithParam<Mistake> {};

TEST_P(OneMistake, IsNamed) { EXPECT_EQ(spoiled(GetParam().spoil), GetParam().expected); }

INSTANTIATE_TEST_SUITE_P(
    Network, OneMistake,
    testing::Values(
        Mistake{"NoResistance", [](auto& d) { d.lines[0].r_ohm = kMissing; }, "line 'TA' lacks r_ohm"},
        Mistake{"ZeroResistance", [](auto& d) { d.lines[0].r_ohm = 0; }, "line 'TA' has r_ohm 0; expected more than 0"},
        Mistake{"NegativeResistance", [](auto& d) { d.lines[0].r_ohm = -0.1; },
                "line 'TA' has r_ohm -0.1; expected more than 0"},
        Mistake{"NegativeReactance", [](auto& d) { d.lines[1].x_ohm = -0.1; },
                "line 'AB' has x_ohm -0.1; expected 0 or more"},
        Mistake{"InfiniteReactance", [](auto& d) { d.lines[1].x_ohm = std::numeric_limits<double>::infinity(); },
                "line 'AB' has x_ohm inf; expected a finite number"},
        Mistake{"Milliohm", [](auto& d) { d.lines[0].r_ohm = 20.8; },
                "line 'TA' has r_ohm 20.8, that is 208 ohm per km; usual are 0.02 to 10 ohm per km: a wrong unit?"},
        Mistake{"Kiloohm", [](auto& d) { d.lines[0].r_ohm = 0.0000208; },
                "line 'TA' has r_ohm 2.08e-05, that is 0.000208 ohm per km; usual are 0.02 to 10 ohm per km: a wrong "
                "unit?"},
        Mistake{"Picofarad", [](auto& d) { d.lines[0].c_nf = 26100; },
                "line 'TA' has c_nf 26100, that is 2.61e+05 nF per km; usual are 4 to 2000 nF per km: a wrong unit?"},
        Mistake{"Microfarad", [](auto& d) { d.lines[0].c_nf = 0.0261; },
                "line 'TA' has c_nf 0.0261, that is 0.261 nF per km; usual are 4 to 2000 nF per km: a wrong unit?"},
        Mistake{"Kiloampere", [](auto& d) { d.lines[0].ampacity_a = 0.27; },
                "line 'TA' has ampacity_a 0.27; usual are 10 to 2000 A: a wrong unit?"},
        Mistake{"Volt", [](auto& d) { d.transformers[0].hv_kv = 10000; },
                "transformer 't' has hv_kv 10000; usual are 2 to 150 kV: a wrong unit?"},
        Mistake{"Megavolt",
                [](auto& d) {
                  d.transformers[0].rated_kva = 0.25;
                  d.transformers[0].copper_loss_kw = 0;
                  d.transformers[0].iron_loss_kw = 0;
                },
                "transformer 't' has rated_kva 0.25; usual are 10 to 4000 kVA: a wrong unit?"},
        Mistake{"UkAsFraction",
                [](auto& d) {
                  d.transformers[0].uk_percent = 0.04;
                  d.transformers[0].copper_loss_kw = 0;
                },
                "transformer 't' has uk_percent 0.04; usual are 1 to 20 %: a wrong unit?"},
        Mistake{"IronLossInWatt", [](auto& d) { d.transformers[0].iron_loss_kw = 425; },
                "transformer 't' has iron_loss_kw 425, that is 170 kW per 100 kVA of rated power; usual are 0.02 to 2 "
                "kW per 100 kVA of rated power: a wrong unit?"},
        Mistake{"MoreLossThanImpedance", [](auto& d) { d.transformers[0].copper_loss_kw = 11; },
                "transformer 't' has copper_loss_kw 11; expected at most uk_percent of rated_kva, 10"},
        Mistake{"SourceInPercent", [](auto& d) { d.transformers[0].source_pu = 105; },
                "transformer 't' has source_pu 105; usual are 0.8 to 1.2 parts of hv_kv: a wrong unit?"},
        Mistake{"Tap", [](auto& d) { d.transformers[0].tap_percent = 45; },
                "transformer 't' has tap_percent 45; expected -30 to 30"},
        Mistake{"OtherLevel", [](auto& d) { d.transformers[0].lv_kv = 0.69; },
                "transformer 't' has lv_kv 0.69; expected about the nominal_kv of its node, 0.4"},
        Mistake{"TwoLevels", [](auto& d) { d.nodes[2].nominal_kv = 0.69; },
                "line 'AB' joins 0.4 kV and 0.69 kV; expected one nominal_kv at both ends"},
        Mistake{"DoubleLine", [](auto& d) { d.lines[1].id = "TA"; },
                "line 'TA' is there twice; expected an id of its own"},
        Mistake{"DoubleCustomer", [](auto& d) { d.customers.push_back(d.customers[0]); },
                "customer 'c' is there twice; expected an id of its own"},
        Mistake{"NoId", [](auto& d) { d.customers[0].id = ""; }, "customer '' has no id"},
        Mistake{"OddId", [](auto& d) { d.customers[0].id = "a,b"; },
                "customer 'a,b' has a comma, a quote or an unprintable character in its id"},
        Mistake{"BlankBeforeId", [](auto& d) { d.customers[0].id = " c"; },
                "customer ' c' has a blank at the start or end of its id; remove it"},
        Mistake{"BlankAfterId", [](auto& d) { d.lines[1].id = "AB "; },
                "line 'AB ' has a blank at the start or end of its id; remove it"},
        Mistake{"CustomerNamedLikeTheTransformersSeries", [](auto& d) { d.customers[0].id = "transformer"; },
                "customer 'transformer' has the id under which the transformer is measured (transformer.p, .q, .v); "
                "rename it"},
        Mistake{"NodeNamedLikeTheTransformersSeries",
                [](auto& d) {
                  d.nodes[2].id = "transformer";
                  d.lines[1].to = "transformer";
                  d.customers[0].node = "transformer";
                },
                "node 'transformer' has the id under which the transformer is measured (transformer.p, .q, .v); "
                "rename it"},
        Mistake{"UnknownNode", [](auto& d) { d.customers[0].node = "Z"; },
                "customer 'c' names node 'Z', which is not there"},
        Mistake{"UnknownRoot", [](auto& d) { d.transformers[0].lv_node = "Z"; },
                "transformer 't' names node 'Z', which is not there"},
        Mistake{"Island", [](auto& d) { d.lines[0].is_closed = false; },
                "2 nodes have no connection to the transformer: 'A', 'B'"},
        Mistake{"LineToItself",
                [](auto& d) {
                  d.lines.push_back(d.lines[0]);
                  d.lines[2].id = "TT";
                  d.lines[2].to = "T";
                },
                "line 'TT' joins node 'T' with itself"},
        Mistake{"Loop",
                [](auto& d) {
                  d.lines.push_back(d.lines[0]);
                  d.lines[2].id = "TB";
                  d.lines[2].to = "B";
                },
                "line 'TB' closes a loop between node 'T' and node 'B'; expected a radial network"},
        Mistake{"NoTransformer", [](auto& d) { d.transformers.clear(); },
                "the network has 0 transformers; expected one, which feeds it"},
        Mistake{"NoCustomers", [](auto& d) { d.customers.clear(); }, "the network has no customers"},
        Mistake{"Phase", [](auto& d) { d.customers[0].phase = 4; },
                "customer 'c' has phase 4; expected 1, 2, 3 or nothing"},
        Mistake{"Watt", [](auto& d) { d.customers[0].contracted_kw = 14000; },
                "customer 'c' has contracted_kw 14000; usual are 0.5 to 400 kW: a wrong unit?"},
        Mistake{"PowerFactor", [](auto& d) { d.customers[0].power_factor = 95; },
                "customer 'c' has power_factor 95; expected 0.01 to 1"},
        Mistake{"Position", [](auto& d) { d.nodes[0].position = Position{1, kMissing}; }, "node 'T' lacks y_m"}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(Network, ListsEveryMistakeAtOnce) {
  NetworkData data = small_network();
  data.nodes.push_back({"far", 0.4, {}});
  data.lines[0].r_ohm = -1;
  data.lines[1].c_nf = kMissing;
  data.lines.push_back({.id = "X", .from = "B", .to = "nowhere", .length_m = 10, .r_ohm = 0.002, .x_ohm = 0});
  data.transformers[0].uk_percent = kMissing;
  data.customers[0].yearly_kwh = 3.5;
  EXPECT_EQ(mistakes_of(data),
            "6 mistakes:\n"
            "  line 'TA' has r_ohm -1; expected more than 0\n"
            "  line 'AB' lacks c_nf\n"
            "  transformer 't' lacks uk_percent\n"
            "  customer 'c' has yearly_kwh 3.5; usual are 50 to 2e+06 kWh: a wrong unit?\n"
            "  line 'X' names node 'nowhere', which is not there\n"
            "  1 node has no connection to the transformer: 'far'");
}

TEST(Network, BlanksWithinIdsAndATransformerOfThatNameAreFine) {
  NetworkData data = small_network();
  data.customers[0].id = "Main street 7";
  data.transformers[0].id = "transformer";
  data.lines[0].id = "transformer";
  EXPECT_EQ(mistakes_of(data), "none");
}

TEST(Network, AWrongVoltageOfAllNodesIsOneMistake) {
  NetworkData data = test::small_network();
  data.transformers[0].lv_kv = 400;
  for (Node& node : data.nodes) node.nominal_kv = 400;
  EXPECT_EQ(mistakes_of(data), "transformer 't' has lv_kv 400; usual are 0.1 to 1.5 kV: a wrong unit?");
  data.transformers[0].lv_kv = 0.4;
  EXPECT_EQ(mistakes_of(data).substr(0, 11), "4 mistakes:") << "here they are wrong by themselves";
}

TEST(Network, RulesCanBeRelaxed) {
  NetworkData data = small_network();
  data.lines.push_back(data.lines[0]);
  data.lines[2].id = "TB";
  data.lines[2].to = "B";
  EXPECT_NE(mistakes_of(data), "none");
  const auto meshed = Network::make(data, {.radial = false});
  ASSERT_TRUE(meshed);
  EXPECT_FALSE(meshed->is_radial());
  EXPECT_EQ(meshed->parent(2), 0u) << "the shortest path";
  data.lines[2].is_closed = false;
  EXPECT_TRUE(Network::make(data)) << "an open line closes no loop";
  data.lines[0].r_ohm = 20;
  EXPECT_TRUE(Network::make(data, {.usual_values = false}));
  data.lines[0].r_ohm = -20;
  EXPECT_FALSE(Network::make(data, {.usual_values = false})) << "negative is never right";
}

/// Whatever the value, as long as it was usual, it is not after a change of unit.
TEST(Network, AThousandTimesTooMuchOrTooLittleIsNeverUsual) {
  const auto accepts = [](auto member, double value) {
    NetworkData data = small_network();
    data.lines[0].*member = value;
    return Network::make(data).has_value();
  };
  for (const auto member : {&Line::r_ohm, &Line::x_ohm, &Line::c_nf}) {
    for (double value = 1e-6; value < 1e6; value *= 1.3) {
      if (!accepts(member, value)) continue;
      EXPECT_FALSE(accepts(member, value * 1000));
      EXPECT_FALSE(accepts(member, value / 1000));
    }
  }
}

}  // namespace
}  // namespace fugu::grid
