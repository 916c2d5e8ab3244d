#include "fugu/inference/state_estimator.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "fugu/inference/measured_knowledge.hpp"
#include "fugu/measurement/own_meters.hpp"
#include "fugu/monitoring/comparison.hpp"
#include "fugu/network/feeder.hpp"
#include "fugu/simulate/exponentials.hpp"
#include "fugu/simulate/seeded_bits.hpp"
#include "homes.hpp"

namespace fugu::grid {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kStamps = 2 * 96;

/// A street whose homes are like those of the model, with what its operator measures.
struct Street {
  Network network = *make_feeder({.customers = 20, .industrial = 0});
  HouseholdModel model = *HouseholdModel::learn(test::made_up_homes(40, 14, 1));
  Monitor monitor = *Monitor::make(network);
  std::vector<double> p_kw;
  std::vector<double> q_kvar;
  OwnMeters meters;
  GridStates states;

  Street() {
    const HouseholdSample homes = test::made_up_homes(customers(), 2, 2);
    NetworkData data = network.data();
    for (std::size_t i = 0; i < customers(); ++i) {
      double sum = 0;
      for (const double kw : homes.kw[i]) sum += kw;
      data.customers[i].yearly_kwh = sum / kStamps * 8'760;
    }
    network = *Network::make(data);
    for (std::size_t stamp = 0; stamp < kStamps; ++stamp) {
      for (std::size_t i = 0; i < customers(); ++i) {
        p_kw.push_back(homes.kw[i][stamp]);
        q_kvar.push_back((0.2 + 0.01 * static_cast<double>(i)) * homes.kw[i][stamp]);
      }
    }
    SeededBits bits(1);
    meters = *measure(network, truth(), {.sensors = main_ends(network, 3), .power_sigma = 0.01}, bits);
    states = states_of(p_kw, q_kvar);
  }
  std::size_t customers() const { return network.customers().size(); }
  LoadBatch truth() const { return {.stamps = kStamps, .p_kw = p_kw, .q_kvar = q_kvar}; }
  GridStates states_of(std::span<const double> p, std::span<const double> q) const {
    LoadFlow flow;
    EXPECT_TRUE((*make_solver(network))->solve({.stamps = kStamps, .p_kw = p, .q_kvar = q}, flow).has_value());
    GridStates made;
    monitor.observe(flow, made);
    return made;
  }
  double voltage_error(const GridStates& other) const {
    StateComparison comparison(monitor);
    comparison.add(states, other);
    return comparison.errors().voltage_v;
  }
};

const Street& street() {
  static const Street made;
  return made;
}

struct Released {
  std::vector<double> value;
  std::vector<double> scale;
};

Released with_noise(const std::vector<double>& truth, double scale, std::uint64_t seed = 7) {
  Exponentials noise(seed);
  Released released{truth, std::vector<double>(truth.size(), scale)};
  for (double& value : released.value) {
    const auto [first, second] = noise.next_pair();
    value += scale * (first - second);
  }
  return released;
}

GridKnowledge known_of(const Released& released) {
  return {.stamps = kStamps,
          .p_kw = released.value,
          .p_scale_kw = released.scale,
          .transformer_p_kw = street().meters.transformer_kw,
          .transformer_q_kvar = street().meters.transformer_kvar};
}

GridEstimate estimated(const GridKnowledge& known, StateEstimatorOptions options) {
  options.model = &street().model;
  auto estimator = StateEstimator::make(street().network, std::move(options));
  EXPECT_TRUE(estimator.has_value());
  GridEstimate estimate;
  const auto done = estimator->estimate(known, estimate);
  EXPECT_TRUE(done.has_value()) << (done ? "" : done.error().message);
  return estimate;
}

double error_of(const GridKnowledge& known, const StateEstimatorOptions& options) {
  GridStates states;
  street().monitor.observe(estimated(known, options).flow, states);
  return street().voltage_error(states);
}

TEST(StateEstimator, ExactAnswersLeadToTheTruth) {
  Released exact = with_noise(street().p_kw, 0);
  Released exact_q = with_noise(street().q_kvar, 0);
  GridKnowledge known = known_of(exact);
  known.q_kvar = exact_q.value;
  known.q_scale_kvar = exact_q.scale;
  EXPECT_LT(error_of(known, {}), 1e-6);
}

TEST(StateEstimator, KnowsMoreThanReleasesAndThanNoCustomerData) {
  Released nothing{std::vector<double>(street().p_kw.size(), kNone), std::vector<double>(street().p_kw.size(), kNone)};
  const double without = error_of(known_of(nothing), {.prior = Prior::profile});
  for (const double scale : {0.1, 0.3}) {
    const Released released = with_noise(street().p_kw, scale);
    const std::vector<double> no_q(street().q_kvar.size());
    const double load_flow = street().voltage_error(street().states_of(released.value, no_q));
    const double least_squares = error_of(known_of(released), {.prior = Prior::releases});
    const double profile = error_of(known_of(released), {.prior = Prior::releases_and_profile});
    const double filter = error_of(known_of(released), {.prior = Prior::households});
    EXPECT_LT(least_squares, load_flow) << scale;
    EXPECT_LT(profile, least_squares) << scale;
    EXPECT_LT(filter, profile) << scale;
    EXPECT_LT(filter, 0.9 * without) << scale;
  }
}

TEST(StateEstimator, UnderHugeNoiseItIsAsIfThereWereNoCustomerData) {
  Released nothing{std::vector<double>(street().p_kw.size(), kNone), std::vector<double>(street().p_kw.size(), kNone)};
  const double without = error_of(known_of(nothing), {.prior = Prior::profile});
  const Released released = with_noise(street().p_kw, 1000);
  EXPECT_NEAR(error_of(known_of(released), {.prior = Prior::households}), without, 0.03 * without);
  EXPECT_NEAR(error_of(known_of(released), {.prior = Prior::releases_and_profile}), without, 0.01 * without);
}

TEST(StateEstimator, SensorsAndSumsHelp) {
  const Released released = with_noise(street().p_kw, 2);
  const double plain = error_of(known_of(released), {});
  GridKnowledge known = known_of(released);
  for (const auto& sensor : street().meters.sensor_v) known.sensor_v.push_back(sensor);
  EXPECT_LT(error_of(known, {.sensor_sigma_v = 0.01, .sensors = street().meters.sensors}), 0.8 * plain);

  // The sum of the first half of the customers, all but exactly.
  SumOfCustomers half{.name = "half"};
  for (std::uint32_t i = 0; i < street().customers() / 2; ++i) half.customers.push_back(i);
  std::vector<double> sums(kStamps);
  for (std::size_t stamp = 0; stamp < kStamps; ++stamp) {
    for (const std::uint32_t i : half.customers) sums[stamp] += street().p_kw[stamp * street().customers() + i];
  }
  const std::vector<double> scale(kStamps, 0.001);
  known = known_of(released);
  known.sum_value.push_back(sums);
  known.sum_scale.push_back(scale);
  const StateEstimatorOptions options{.sums = {half}};
  EXPECT_LT(error_of(known, options), plain);
  const GridEstimate estimate = estimated(known, options);
  for (std::size_t stamp = 0; stamp < kStamps; stamp += 17) {
    double sum = 0;
    for (const std::uint32_t i : half.customers) sum += estimate.p_kw[stamp * street().customers() + i];
    EXPECT_NEAR(sum, sums[stamp], 0.1);
  }
}

TEST(StateEstimator, NoiseOfTheTransformerIsTakenIntoAccount) {
  const Released released = with_noise(street().p_kw, 1);
  const Released noised = with_noise(street().meters.transformer_kw, 5, 9);
  GridKnowledge known = known_of(released);
  known.transformer_p_kw = noised.value;
  const double believed = error_of(known, {});
  known.transformer_p_scale_kw = noised.scale;
  EXPECT_LT(error_of(known, {}), 0.7 * believed);
}

TEST(StateEstimator, StatesHowFarItMayBeOff) {
  const Released released = with_noise(street().p_kw, 0.5);
  const GridEstimate estimate = estimated(known_of(released), {});
  double squares = 0;
  double stated = 0;
  for (std::size_t i = 0; i < street().p_kw.size(); ++i) {
    squares += std::pow(estimate.p_kw[i] - street().p_kw[i], 2);
    stated += std::pow(estimate.p_deviation_kw[i], 2);
  }
  EXPECT_NEAR(squares / stated, 1, 0.35);
}

TEST(StateEstimator, BatchesAndThreadsMakeNoDifference) {
  const Released released = with_noise(street().p_kw, 0.5);
  const GridKnowledge known = known_of(released);
  const GridEstimate whole = estimated(known, {.load_flow = {.threads = 1}});
  const GridEstimate threaded = estimated(known, {.load_flow = {.threads = 3}});
  EXPECT_EQ(whole.p_kw, threaded.p_kw);
  EXPECT_EQ(whole.q_kvar, threaded.q_kvar);
  auto estimator = StateEstimator::make(street().network, {.model = &street().model, .load_flow = {.threads = 1}});
  std::vector<double> pieces;
  constexpr std::size_t kPiece = 40;
  for (std::size_t first = 0; first < kStamps; first += kPiece) {
    const std::size_t count = std::min(kPiece, kStamps - first);
    const std::size_t customers = street().customers();
    GridEstimate piece;
    ASSERT_TRUE(estimator
                    ->estimate({.stamps = count,
                                .p_kw = known.p_kw.subspan(first * customers, count * customers),
                                .p_scale_kw = known.p_scale_kw.subspan(first * customers, count * customers),
                                .transformer_p_kw = known.transformer_p_kw.subspan(first, count),
                                .transformer_q_kvar = known.transformer_q_kvar.subspan(first, count)},
                               piece)
                    .has_value());
    pieces.insert(pieces.end(), piece.p_kw.begin(), piece.p_kw.end());
  }
  EXPECT_EQ(pieces, whole.p_kw);
}

TEST(StateEstimator, GapsAreNotFilledWithZeros) {
  Released released = with_noise(street().p_kw, 0.3);
  std::vector<double> transformer = street().meters.transformer_kw;
  for (std::size_t stamp = 60; stamp < 90; ++stamp) {
    transformer[stamp] = kNone;
    for (std::size_t i = 0; i < street().customers(); ++i) released.value[stamp * street().customers() + i] = kNone;
  }
  GridKnowledge known = known_of(released);
  known.transformer_p_kw = transformer;
  const GridEstimate estimate = estimated(known, {});
  for (std::size_t stamp = 60; stamp < 90; ++stamp) {
    double sum = 0;
    double truth = 0;
    for (std::size_t i = 0; i < street().customers(); ++i) {
      sum += estimate.p_kw[stamp * street().customers() + i];
      truth += street().p_kw[stamp * street().customers() + i];
    }
    EXPECT_NEAR(sum, truth, 0.5 * truth);
  }
}

TEST(StateEstimator, RepeatedReleasesKeepTheirLastAnswer) {
  Released released = with_noise(street().p_kw, 0.01);
  for (std::size_t i = street().customers(); i < released.value.size(); ++i) released.value[i] = kNone;
  GridKnowledge known = known_of(released);
  known.transformer_p_kw = {};
  known.transformer_q_kvar = {};
  const GridEstimate estimate = estimated(known, {.prior = Prior::releases});
  for (std::size_t i = 0; i < street().customers(); ++i)
    EXPECT_EQ(estimate.p_kw[5 * street().customers() + i], released.value[i]);
}

TEST(StateEstimator, WhatDoesNotFitIsRefused) {
  EXPECT_FALSE(StateEstimator::make(street().network, {.prior = Prior::households}).has_value());
  EXPECT_TRUE(StateEstimator::make(street().network, {.prior = Prior::releases}).has_value());
  const Released released = with_noise(street().p_kw, 1);
  GridKnowledge known = known_of(released);
  known.p_kw = known.p_kw.first(known.p_kw.size() - 1);
  auto estimator = StateEstimator::make(street().network, {.model = &street().model});
  GridEstimate estimate;
  EXPECT_FALSE(estimator->estimate(known, estimate).has_value());
  known = known_of(released);
  known.sensor_v.push_back(street().meters.sensor_v[0]);  // a sensor that the options do not know
  EXPECT_FALSE(estimator->estimate(known, estimate).has_value());
}

TEST(StateEstimator, AStampWithoutSolutionIsListedAndTheOthersAreSolved) {
  Released released = with_noise(street().p_kw, 0);
  for (std::size_t i = 0; i < street().customers(); ++i) released.value[3 * street().customers() + i] = 1e5;
  GridKnowledge known = known_of(released);
  const GridEstimate estimate = estimated(known, {.prior = Prior::releases});
  ASSERT_EQ(estimate.flow.failures.size(), 1U);
  EXPECT_EQ(estimate.flow.failures[0].stamp, 3U);
  EXPECT_TRUE(std::isfinite(estimate.flow.row(4)[1].real()));
}

TEST(MeasuredKnowledge, KnowsWhereInTheDayItBegins) {
  const Network& network = street().network;
  Measurements measurements{.stamps = 2, .customers = street().customers()};
  measurements.p_kw.assign(2 * street().customers(), 1.0);
  measurements.p_scale_kw = measurements.p_kw;
  measurements.first_slot = 5;
  EXPECT_EQ(MeasuredKnowledge(network, measurements).options(15).first_slot_of_day, 5U);
  EXPECT_EQ(MeasuredKnowledge(network, measurements).options(15).load_flow.voltage_at, VoltageAt::source);
  measurements.time = {Clock(-3600, 900), 3600};  // midnight in an offset of an hour
  EXPECT_EQ(MeasuredKnowledge(network, measurements).options(15).first_slot_of_day, 5U);
  measurements.transformer_v.shown = {kNone, 398};
  measurements.transformer_v.answer = {kNone, 398};
  const MeasuredKnowledge knowledge(network, measurements);
  EXPECT_EQ(knowledge.voltages_filled(), 1U);
  EXPECT_EQ(knowledge.options(15).load_flow.voltage_at, VoltageAt::busbar);
  EXPECT_DOUBLE_EQ(knowledge.batch(0, 2).voltage_pu[0], 1);
  EXPECT_DOUBLE_EQ(knowledge.batch(0, 2).voltage_pu[1], 398 / 400.0);
}

}  // namespace
}  // namespace fugu::grid
