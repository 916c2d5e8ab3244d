// The collector's side: what counts, when, and how exactly.
#include "fugu/meter/collector.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "build.hpp"

namespace fugu::test {
namespace {

Report report(std::uint64_t number, Slot stamp, std::int64_t value, Slot arrival) {
  Report made{arrival, number, stamp, value, {}};
  made.mac[0] = static_cast<std::uint8_t>(2 * value);
  return made;
}

Collector make_collector(std::size_t meters, CollectorOptions options) {
  return *Collector::make(*TemporalScheme::published(1), meters, options);
}

TEST(Collector, CountsTimelyReportsAndRecordsAll) {
  Collector collector = make_collector(2, {.first_slot = 10, .slots = 5});
  EXPECT_EQ(collector.take(0, report(0, 12, 100, 12)), Collector::Taken::counted);
  EXPECT_EQ(collector.take(1, report(0, 12, 7, 12)), Collector::Taken::counted);
  EXPECT_EQ(collector.take(0, report(1, 12, 30, 14)), Collector::Taken::counted) << "shifted to an earlier time";
  EXPECT_EQ(collector.take(0, report(2, 9, 5, 12)), Collector::Taken::outside);
  const auto estimates = collector.estimates();
  EXPECT_EQ(estimates[2].timely_steps, 107);
  EXPECT_EQ(estimates[2].reports, 2);
  EXPECT_DOUBLE_EQ(estimates[2].estimate, 107 * 2 / (2 - std::exp(-0.5)));
  EXPECT_EQ(collector.recorded(0)[2], 130);
  EXPECT_EQ(collector.account(0).sum_steps, 130);
  EXPECT_EQ(collector.account(0).outside, 1);
  EXPECT_EQ(collector.account(0).outside_steps, 5);
}

TEST(Collector, DropsDuplicatesWhenverTheyCome) {
  Collector collector = make_collector(1, {.first_slot = 0, .slots = 2000});
  for (std::uint64_t number = 0; number < 1500; ++number)
    EXPECT_EQ(collector.take(0, report(number, 1, 1, 1)), Collector::Taken::counted);
  EXPECT_EQ(collector.take(0, report(1499, 1, 1, 1)), Collector::Taken::duplicate);
  EXPECT_EQ(collector.take(0, report(600, 1, 1, 9)), Collector::Taken::duplicate);
  EXPECT_EQ(collector.take(0, report(3, 1, 1, 9)), Collector::Taken::too_late);
  EXPECT_EQ(collector.take(0, report(1000, 1, 2, 1)), Collector::Taken::conflict);
  EXPECT_EQ(collector.account(0).sum_steps, 1500);
  EXPECT_EQ(collector.account(0).duplicates, 2);
  EXPECT_EQ(collector.account(0).too_late, 1);
}

TEST(Collector, CountsLostReportsUntilTheyCome) {
  Collector collector = make_collector(1, {.first_slot = 0, .slots = 10});
  collector.take(0, report(0, 1, 1, 1));
  collector.take(0, report(5000, 1, 1, 1));
  EXPECT_EQ(collector.account(0).lost, 4999);
  EXPECT_EQ(collector.take(0, report(4999, 1, 1, 1)), Collector::Taken::counted);
  EXPECT_EQ(collector.account(0).lost, 4998);
}

/// All reports of a gateway, shuffled, some twice.
std::vector<Gateway::Outgoing> delivered(const Gateway& gateway, unsigned seed) {
  std::vector<Gateway::Outgoing> reports = gateway.outbox();
  std::mt19937 random(seed);
  for (std::size_t i = 0; i < gateway.outbox().size(); i += 17) reports.push_back(gateway.outbox()[i]);
  std::shuffle(reports.begin(), reports.end(), random);
  return reports;
}

TEST(Collector, AccumulationOverAClosedRingIsExact) {
  constexpr Slot kSlots = 300;
  constexpr std::size_t kMeters = 30;
  for (const unsigned parts : {1U, 2U}) {
    MeterRules rules = published_rules(5);
    rules.parts = parts;
    auto gateway = Gateway::make(rules, make_keys(kMeters));
    run_slots(*gateway, 0, kSlots);
    drain(*gateway);
    for (const bool ring : {true, false}) {
      auto collector = Collector::make(rules.scheme, kMeters, {.first_slot = 0, .slots = kSlots, .ring = ring});
      for (const auto& [meter, sent] : delivered(*gateway, 1)) {
        ASSERT_NE(collector->take(meter, sent), Collector::Taken::conflict);
      }
      std::uint64_t outside = 0;
      for (NameTable::Id meter = 0; meter < kMeters; ++meter) {
        std::int64_t truth = 0;
        for (Slot slot = 0; slot < kSlots; ++slot) truth += load_steps(meter, slot);
        const auto account = collector->account(meter);
        EXPECT_EQ(account.sum_steps + account.outside_steps, truth);
        std::int64_t recorded = 0;
        for (const std::int64_t value : collector->recorded(meter)) recorded += value;
        EXPECT_EQ(recorded, account.sum_steps);
        EXPECT_EQ(account.lost, 0);
        EXPECT_EQ(account.reports, kSlots * parts);
        outside += account.outside;
      }
      EXPECT_EQ(outside == 0, ring);
    }
  }
}

// The broken twin: one report of one step less, and the accumulation shows it.
TEST(Collector, ALostStepShows) {
  auto gateway = Gateway::make(published_rules(1), make_keys(1));
  run_slots(*gateway, 0, 20);
  drain(*gateway);
  Collector collector = make_collector(1, {.first_slot = 0, .slots = 20, .ring = true});
  for (std::size_t i = 0; i + 1 < gateway->outbox().size(); ++i) collector.take(0, gateway->outbox()[i].report);
  collector.take(0, report(40, 3, 1, 3));
  EXPECT_EQ(collector.account(0).lost, 40 - 19);
}

TEST(Collector, EstimatesAreUnbiasedAndAsUncertainAsTheySay) {
  constexpr std::size_t kMeters = 400;
  constexpr Slot kSlots = 200;
  constexpr std::int64_t kLoad = 1000;
  const auto scheme = *TemporalScheme::published(1);
  auto gateway = Gateway::make({.scheme = scheme}, make_keys(kMeters, 100));
  for (Slot slot = 0; slot < kSlots; ++slot) {
    for (NameTable::Id meter = 0; meter < kMeters; ++meter) gateway->measure(meter, slot, kLoad);
    gateway->end_slot(slot);
  }
  auto collector = Collector::make(scheme, kMeters, {.first_slot = 0, .slots = kSlots});
  for (const auto& [meter, sent] : gateway->outbox()) collector->take(meter, sent);
  const auto estimates = collector->estimates();
  double mean = 0, squares = 0, said = 0, smoothed = 0;
  constexpr double kTruth = kMeters * kLoad;
  constexpr Slot kFrom = 40;  // the first slots lack what came before them
  for (Slot slot = kFrom; slot < kSlots; ++slot) {
    const SlotEstimate& estimate = estimates[static_cast<std::size_t>(slot)];
    mean += estimate.estimate / (kSlots - kFrom);
    squares += std::pow(estimate.estimate - kTruth, 2) / (kSlots - kFrom);
    said += estimate.variance / (kSlots - kFrom);
    smoothed += std::pow(estimate.smoothed - kTruth, 2) / (kSlots - kFrom);
  }
  // Neighbouring slots are negatively correlated, so the mean lies closer than independent ones would; the keys are
  // fixed.
  EXPECT_NEAR(mean, kTruth, 4 * std::sqrt(said / (kSlots - kFrom)));
  EXPECT_NEAR(squares / said, 1, 0.35) << "160 draws: a chi-square variable leaves this once in 1,000";
  // Over the 60 other sets of keys with salts below 60 this ratio is 0.34 ± 0.06: four deviations more.
  EXPECT_LT(smoothed / squares, 0.6) << "the Kalman filter helps where the load is steady";
}

TEST(Collector, LaggedEstimatesAreComplete) {
  const auto rules = lagged_rules();
  auto gateway = Gateway::make(rules, make_keys(10));
  run_slots(*gateway, 0, 100);
  drain(*gateway);
  auto collector = Collector::make(rules.scheme, 10, {.first_slot = -50, .slots = 250});
  std::int64_t truth = 0;
  for (NameTable::Id meter = 0; meter < 10; ++meter)
    for (Slot slot = 0; slot < 100; ++slot) truth += load_steps(meter, slot);
  for (const auto& [meter, sent] : gateway->outbox()) collector->take(meter, sent);
  double sum = 0;
  for (const SlotEstimate& estimate : collector->estimates()) sum += estimate.estimate;
  EXPECT_EQ(sum, static_cast<double>(truth));
}

TEST(Collector, StatisticsDoNotDependOnTheOrder) {
  auto gateway = Gateway::make(published_rules(2), make_keys(1));
  run_slots(*gateway, 0, 99);
  drain(*gateway);
  Collector collector = make_collector(1, {.first_slot = 0, .slots = 99});
  for (const auto& [meter, sent] : delivered(*gateway, 2)) collector.take(meter, sent);
  std::vector<std::int64_t> readings;
  for (Slot slot = 0; slot < 99; ++slot) readings.push_back(load_steps(0, slot));
  const auto values = collector.values(0);
  const auto got = order_free_statistics({values.begin(), values.end()});
  const auto wanted = order_free_statistics(readings);
  EXPECT_EQ(got.count, 99);
  EXPECT_EQ(got.minimum, *std::min_element(readings.begin(), readings.end()));
  EXPECT_EQ(got.maximum, wanted.maximum);
  EXPECT_EQ(got.median, wanted.median);
  EXPECT_DOUBLE_EQ(got.variance, wanted.variance);
  EXPECT_EQ(histogram(values, -200, 500, 7), histogram(readings, -200, 500, 7));
}

TEST(Collector, StatisticsOfAFewValues) {
  const auto statistics = order_free_statistics({4, 1, 3, 8});
  EXPECT_EQ(statistics.median, 3.5);
  EXPECT_EQ(statistics.mean, 4);
  EXPECT_EQ(statistics.variance, 6.5);
  const std::vector<std::int64_t> values = {-5, 0, 9, 10, 99};
  EXPECT_EQ(histogram(values, 0, 10, 2), (std::vector<std::uint64_t>{3, 2}));
}

TEST(Collector, RefusesAWindowOfNothing) {
  EXPECT_FALSE(Collector::make(*TemporalScheme::published(1), 1, {.first_slot = 0, .slots = 0}));
}

}  // namespace
}  // namespace fugu::test
