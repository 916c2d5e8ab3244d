#include "fugu/hosting/hosting.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "loadflow/loads.hpp"
#include "network/builders.hpp"

namespace fugu::grid {
namespace {

using test::Loads;

/// Two feeders: T-A with 0.3 ohm and T-B with 0.1 ohm, four customers at each end. The transformer is so large that its
/// own drop does not matter.
NetworkData two_feeders() {
  NetworkData data = test::small_network();
  data.lines[1].from = "T";
  data.lines[1].id = "TB";
  for (Line& line : data.lines) {
    line.x_ohm = 0;
    line.c_nf = 0;
    line.length_m = 500;
  }
  data.lines[0].r_ohm = 0.3;
  data.lines[1].r_ohm = 0.1;
  data.transformers[0].rated_kva = 4000;
  data.transformers[0].copper_loss_kw = 10;
  data.transformers[0].iron_loss_kw = 1;
  data.transformers[0].uk_percent = 1;
  data.customers.clear();
  for (int i = 0; i < 4; ++i) {
    data.customers.push_back({.id = "a" + std::to_string(i), .node = "A"});
    data.customers.push_back({.id = "b" + std::to_string(i), .node = "B"});
  }
  return data;
}
Network network_of(const NetworkData& data) { return *Network::make(data); }

/// A day of quarter hours with nothing in it.
Loads no_loads(const Network& network) {
  const std::size_t size = 96 * network.customers().size();
  return {.stamps = 96, .p_kw = std::vector<double>(size, 0), .q_kvar = std::vector<double>(size, 0)};
}

std::vector<ViewHosting> ask(const Network& network, const std::vector<PowerView>& views,
                             const HostingOptions& options) {
  auto answers = ask_hosting(network, views, options);
  if (!answers) ADD_FAILURE() << answers.error().message;
  return answers ? *std::move(answers) : std::vector<ViewHosting>{};
}

/// Panels of which each feeds in 10 kW at noon.
HostingOptions panels(double share) {
  return {.device = {DeviceKind::pv, 10 / 0.85}, .share = share, .draws = 3, .share_steps = 4};
}

TEST(Hosting, ProgressOnlyGrowsUpToItsEnd) {
  const Network network = network_of(two_feeders());
  const Loads loads = no_loads(network);
  std::uint64_t last = 0;
  HostingOptions options = panels(0.5);
  options.progress = [&](std::uint64_t done, std::uint64_t all) {
    EXPECT_GT(done, last);
    EXPECT_LE(done, all);
    EXPECT_EQ(all, 3u * (4 + 2)) << "draws at the share asked for, then at five others";
    last = done;
  };
  ask(network, std::vector<PowerView>{{"true", loads.batch()}}, options);
  EXPECT_GE(last, 3u * 4);
}

TEST(Hosting, FeedersAreWhatBeginsAtTheBusbar) {
  NetworkData data = two_feeders();
  data.customers.push_back({.id = "t", .node = "T"});
  data.customers[0].kind = CustomerKind::industrial;
  const Network network = network_of(data);
  const auto branches = feeders_of(network, FeederSplit::branches);
  ASSERT_EQ(branches.size(), 2u);
  EXPECT_EQ(branches[0].name, "TA");
  EXPECT_EQ(branches[0].nodes, std::vector<std::uint32_t>{1});
  EXPECT_EQ(branches[0].mains, std::vector<std::uint32_t>{0});
  EXPECT_EQ(branches[0].owners, (std::vector<std::uint32_t>{2, 4, 6})) << "a business gets no device";
  EXPECT_EQ(branches[1].name, "TB");
  EXPECT_EQ(branches[1].owners, (std::vector<std::uint32_t>{1, 3, 5, 7}));
  const auto whole = feeders_of(network, FeederSplit::whole);
  ASSERT_EQ(whole.size(), 1u);
  EXPECT_EQ(whole[0].nodes, (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(whole[0].owners.size(), 8u) << "with the one at the busbar";
}

TEST(Hosting, CapacityIsWhatTheVoltageAllows) {
  // 420 V at A need (420 − 400) / 0.3 · 420 W = 28 kW fed in: two of four panels are within limits, three are not. At B
  // it is 84 kW, more than all four.
  const Network network = network_of(two_feeders());
  const Loads loads = no_loads(network);
  const auto half = ask(network, {{"true", loads.batch()}}, panels(0.5)).front().feeders;
  ASSERT_EQ(half.size(), 2u);
  EXPECT_EQ(half[0].draws_out, 0);
  EXPECT_FALSE(half[0].weakest);
  EXPECT_EQ(half[0].capacity, 0.5);
  EXPECT_EQ(half[1].capacity, 1.0);
  const auto most = ask(network, {{"true", loads.batch()}}, panels(0.75)).front().feeders;
  EXPECT_EQ(most[0].draws_out, 1);
  EXPECT_EQ(most[0].draws_by_kind, (std::array<double, kBreachKinds>{0, 1, 0, 0}));
  ASSERT_TRUE(most[0].weakest);
  EXPECT_EQ(most[0].weakest->kind, BreachKind::overvoltage);
  EXPECT_EQ(most[0].weakest->place, "A");
  EXPECT_EQ(most[0].capacity, 0.5) << "whatever share was asked for";
  // 30 kW at A: V² − 400·V − 30 kW · 0.3 ohm = 0.
  EXPECT_NEAR(most[0].highest_v, 200 + std::sqrt(40'000 + 9000), 0.1);
  EXPECT_NEAR(most[0].use, (most[0].highest_v - 400) / 20, 1e-9);
  // Above 28 of 30 kW, while sin² > 0.934: within 1 h 19 min of 13:00, so in the ten quarter hours that have their
  // middle there.
  EXPECT_NEAR(most[0].time_out, 10.0 / 96, 1e-12);
  EXPECT_EQ(most[1].draws_out, 0);
  EXPECT_EQ(ranking_of(most), (std::vector<std::size_t>{0, 1}));
}

TEST(Hosting, CapacityIsWhatMainsCarry) {
  NetworkData data = two_feeders();
  data.lines[1].ampacity_a = 60;  // 90 % of it are 54 A: 37.4 kW at 400 V, a little more with the rise
  const Network network = network_of(data);
  const Loads loads = no_loads(network);
  const auto all = ask(network, {{"true", loads.batch()}}, panels(1)).front().feeders;
  EXPECT_EQ(all[1].capacity, 0.75);
  EXPECT_EQ(all[1].weakest->kind, BreachKind::overload);
  EXPECT_EQ(all[1].weakest->place, "TB");
  // 40 kW at B: V² − 400·V − 40 kW · 0.1 ohm = 0.
  const double v = 200 + std::sqrt(40'000 + 4000);
  EXPECT_NEAR(all[1].highest_loading_percent, 100 * 40'000 / v / std::sqrt(3.0) / 60, 0.1);
  data.lines[1].ampacity_a.reset();
  const Network unknown = network_of(data);
  const auto without = ask(unknown, {{"true", loads.batch()}}, panels(1)).front().feeders;
  EXPECT_EQ(without[1].capacity, 1.0);
  EXPECT_TRUE(std::isnan(without[1].highest_loading_percent));
}

TEST(Hosting, ThereIsNoCapacityWhereLimitsAreBrokenAlready) {
  const Network network = network_of(two_feeders());
  Loads loads = no_loads(network);
  loads.p_kw[0] = 40;  // at A: 400 − 40 kW · 0.3 ohm / 370 V
  const auto feeders = ask(network, {{"true", loads.batch()}}, panels(0)).front().feeders;
  EXPECT_FALSE(feeders[0].capacity);
  EXPECT_EQ(feeders[0].weakest->kind, BreachKind::undervoltage);
  EXPECT_NEAR(feeders[0].time_out, 1.0 / 96, 1e-12);
  EXPECT_EQ(feeders[1].capacity, 1.0);
}

TEST(Hosting, ASlotWithoutSolutionIsABreachOfAll) {
  const Network network = network_of(two_feeders());
  Loads loads = no_loads(network);
  loads.p_kw[0] = 4000;
  const auto feeders = ask(network, {{"true", loads.batch()}}, panels(0)).front().feeders;
  for (const FeederHosting& feeder : feeders) {
    EXPECT_FALSE(feeder.capacity);
    EXPECT_EQ(feeder.draws_by_kind, (std::array<double, kBreachKinds>{0, 0, 0, 1}));
    EXPECT_EQ(feeder.weakest->kind, BreachKind::no_solution);
    EXPECT_GE(feeder.use, kNoSolutionUse);
    EXPECT_NEAR(feeder.time_out, 1.0 / 96, 1e-12);
  }
}

TEST(Hosting, DrawsAreTheSameForEveryView) {
  const Network network = *make_feeder();
  const Loads loads = test::random_loads(network, 96, 2);
  Loads more = loads;
  for (double& kw : more.p_kw) kw += 1;
  const HostingOptions options{.share = 0.4, .draws = 5, .share_steps = 2, .seed = 3};
  const auto both =
      ask(network, {{"one", loads.batch()}, {"more", more.batch()}, {"one again", loads.batch()}}, options);
  const auto alone = ask(network, {{"more", more.batch()}}, options);
  HostingOptions other_seed = options;
  other_seed.seed = 4;
  const auto other = ask(network, {{"one", loads.batch()}}, other_seed);
  for (std::size_t i = 0; i < both[0].feeders.size(); ++i) {
    EXPECT_EQ(both[0].feeders[i].use, both[2].feeders[i].use);
    EXPECT_EQ(both[0].feeders[i].lowest_v, both[2].feeders[i].lowest_v);
    EXPECT_EQ(both[1].feeders[i].use, alone[0].feeders[i].use) << "views do not disturb each other";
    EXPECT_LT(both[1].feeders[i].lowest_v, both[0].feeders[i].lowest_v);
    EXPECT_NE(both[0].feeders[i].use, other[0].feeders[i].use);
  }
}

TEST(Hosting, BatchesMakeNoDifference) {
  // A fortnight is solved in two batches; one device as large as a house makes every slot count.
  const Network network = network_of(two_feeders());
  Loads loads{.stamps = 1344};
  loads.p_kw.assign(loads.stamps * 8, 0);
  loads.q_kvar.assign(loads.stamps * 8, 0);
  const auto fortnight = ask(network, {{"true", loads.batch()}}, panels(0.75)).front().feeders;
  EXPECT_NEAR(fortnight[0].time_out, 10.0 / 96, 1e-12);
  EXPECT_EQ(fortnight[0].draws_out, 1);
}

TEST(Hosting, TheFirstStampMayBeAnyTimeOfDay) {
  const Network network = network_of(two_feeders());
  const Loads loads = no_loads(network);
  HostingOptions options = panels(0.75);
  options.slots_since_midnight = 52;  // from 13:00 to 13:00
  const auto feeders = ask(network, {{"true", loads.batch()}}, options).front().feeders;
  EXPECT_NEAR(feeders[0].time_out, 10.0 / 96, 1e-12);
  Loads afternoon = loads;
  afternoon.stamps = 24;
  afternoon.p_kw.resize(24 * 8);
  afternoon.q_kvar.resize(24 * 8);
  EXPECT_NEAR(ask(network, {{"true", afternoon.batch()}}, options).front().feeders[0].time_out, 5.0 / 24, 1e-12);
}

TEST(Hosting, HeatPumpsDrawReactivePowerToo) {
  NetworkData data = two_feeders();
  data.lines[0].x_ohm = 0.3;
  data.customers.resize(1);
  const Network network = network_of(data);
  const Loads loads = no_loads(network);
  const HostingOptions options{.device = {DeviceKind::heat_pump, 12}, .share = 1, .draws = 1, .share_steps = 1};
  const auto feeders = ask(network, {{"true", loads.batch()}}, options).front().feeders;
  ASSERT_EQ(feeders.size(), 1u);
  // 12 kW at a power factor of 0.95 are 3.94 kvar; they lower the voltage by (P + Q) · 0.3 / V.
  EXPECT_NEAR(feeders[0].lowest_v, 400 - (12'000 + 3944) * 0.3 / 387.6, 0.1);
}

TEST(Hosting, AgreementIsKendallsTau) {
  const auto of = [](std::vector<double> uses) {
    std::vector<FeederHosting> feeders;
    for (const double use : uses) feeders.push_back({.feeder = "", .use = use});
    return feeders;
  };
  EXPECT_EQ(rank_agreement(of({1, 2, 3}), of({10, 20, 30})), 1);
  EXPECT_EQ(rank_agreement(of({1, 2, 3}), of({3, 2, 1})), -1);
  EXPECT_NEAR(rank_agreement(of({1, 2, 3}), of({1, 3, 2})), 1.0 / 3, 1e-12);
  EXPECT_TRUE(std::isnan(rank_agreement(of({1}), of({1}))));
  EXPECT_EQ(ranking_of(of({1, 3, 2})), (std::vector<std::size_t>{1, 2, 0}));
}

TEST(Hosting, QuestionsHaveToMakeSense) {
  const Network network = network_of(two_feeders());
  const Loads loads = no_loads(network);
  Loads shorter = loads;
  shorter.stamps = 95;
  shorter.p_kw.resize(95 * 8);
  shorter.q_kvar.resize(95 * 8);
  const auto message = [&](const std::vector<PowerView>& views, const HostingOptions& options) {
    const auto answers = ask_hosting(network, views, options);
    return answers ? std::string() : answers.error().message;
  };
  const PowerView good{"true", loads.batch()};
  EXPECT_NE(message({}, {}).find("expected loads"), std::string::npos);
  EXPECT_NE(message({good, {"short", shorter.batch()}}, {}).find("same stamps"), std::string::npos);
  EXPECT_NE(message({good}, {.share = 1.5}).find("expected 0 to 1"), std::string::npos);
  EXPECT_NE(message({good}, {.device = {DeviceKind::car, 0}}).find("kW above 0"), std::string::npos);
  EXPECT_NE(message({good}, {.draws = 0}).find("at least 1"), std::string::npos);
  EXPECT_NE(message({good}, {.tolerated_draws = 1}).find("0 to less than 1"), std::string::npos);
  NetworkData businesses = two_feeders();
  for (Customer& customer : businesses.customers) customer.kind = CustomerKind::industrial;
  EXPECT_NE(ask_hosting(network_of(businesses), std::vector{good}, {}).error().message.find("residential customers"),
            std::string::npos);
}

}  // namespace
}  // namespace fugu::grid
