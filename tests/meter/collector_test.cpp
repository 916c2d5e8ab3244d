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
  EXPECT_EQ(collector.take(0, report(3, 1, 1, 9)), Collector::Taken::duplicate);
  EXPECT_EQ(collector.take(0, report(1000, 1, 2, 1)), Collector::Taken::conflict);
  EXPECT_EQ(collector.account(0).sum_steps, 1500);
  EXPECT_EQ(collector.account(0).duplicates, 3);
}

TEST(Collector, CountsLostReportsUntilTheyCome) {
  Collector collector = make_collector(1, {.first_slot = 0, .slots = 10});
  collector.take(0, report(0, 1, 1, 1));
  collector.take(0, report(5000, 1, 1, 1));
  EXPECT_EQ(collector.account(0).lost, 4999);
  EXPECT_EQ(collector.take(0, report(4999, 1, 1, 1)), Collector::Taken::counted);
  EXPECT_EQ(collector.account(0).lost, 4998);
  EXPECT_EQ(collector.take(0, report(7, 1, 1, 1)), Collector::Taken::counted) << "however late";
  EXPECT_EQ(collector.account(0).lost, 4997);
}

TEST(Collector, WhatCameBeforeTheFirstReportOfALogIsNotLost) {
  Collector collector = make_collector(1, {.first_slot = 0, .slots = 10});
  collector.take(0, report(5000, 1, 1, 1));
  collector.take(0, report(5002, 1, 1, 1));
  EXPECT_EQ(collector.account(0).lost, 1);
}

/// All reports of a gateway, shuffled, some twice.
std::vector<Gateway::Outgoing> delivered(const Gateway& gateway, unsigned seed) {
  std::vector<Gateway::Outgoing> reports = gateway.outbox();
  std::mt19937 random(seed);
  for (std::size_t i = 0; i < gateway.outbox().size(); i += 17) reports.push_back(gateway.outbox()[i]);
  std::shuffle(reports.begin(), reports.end(), random);
  return reports;
}

// Three days, of which one is the window: readings of the other days come with stamps in it, and its own leave it.
TEST(Collector, SumsOverWholePeriodsAreExact) {
  constexpr Slot kDay = 100;
  constexpr std::size_t kMeters = 30;
  std::vector<MeterRules> all = {published_rules(5), published_rules(5), published_rules(5), lagged_rules()};
  all[1].parts = 2;
  all[2].ring = true;
  for (MeterRules rules : all) {
    rules = with_periods(rules, kDay);
    auto gateway = Gateway::make(rules, make_keys(kMeters));
    run_slots(*gateway, 0, 3 * kDay);
    gateway->drain();
    for (const bool ring : {true, false}) {
      auto collector = Collector::make(rules.scheme, kMeters,
                                       {.first_slot = kDay, .slots = kDay, .ring = ring, .parts = rules.parts});
      for (const auto& [meter, sent] : delivered(*gateway, 1)) {
        ASSERT_NE(collector->take(meter, sent), Collector::Taken::conflict);
      }
      EXPECT_FALSE(collector->cut_period());
      std::uint64_t outside = 0;
      for (NameTable::Id meter = 0; meter < kMeters; ++meter) {
        const auto account = collector->account(meter);
        EXPECT_EQ(account.sum_steps, load_sum(meter, kDay, 2 * kDay));
        EXPECT_TRUE(account.complete);
        EXPECT_EQ(account.lost, 0);
        EXPECT_EQ(account.reports, kDay * rules.parts);
        std::int64_t recorded = 0;
        for (const std::int64_t value : collector->recorded(meter)) recorded += value;
        EXPECT_EQ(recorded, account.sum_steps - account.outside_steps);
        outside += account.outside;
      }
      EXPECT_EQ(outside == 0, ring || rules.ring);
    }
  }
}

// The broken twin: by stamps alone, a day has what was moved into it and lacks what was moved out.
TEST(Collector, SumsByStampsAreNotExactAndSaySo) {
  constexpr Slot kDay = 100;
  auto gateway = Gateway::make(lagged_rules(), make_keys(20));
  run_slots(*gateway, 0, 3 * kDay);
  gateway->drain();
  auto collector = Collector::make(gateway->rules().scheme, 20, {.first_slot = kDay, .slots = kDay});
  for (const auto& [meter, sent] : gateway->outbox()) collector->take(meter, sent);
  int wrong = 0;
  for (NameTable::Id meter = 0; meter < 20; ++meter) {
    wrong += collector->account(meter).sum_steps != load_sum(meter, kDay, 2 * kDay) ? 1 : 0;
    EXPECT_FALSE(collector->account(meter).complete);
  }
  EXPECT_GT(wrong, 10);
}

TEST(Collector, ARingTakesOnlyReportsThatSayWhoseTheyAre) {
  Collector collector = make_collector(1, {.first_slot = 96, .slots = 96, .ring = true});
  EXPECT_EQ(collector.take(0, report(0, 100, 5, 100)), Collector::Taken::no_period);
  EXPECT_EQ(collector.account(0).sum_steps, 0);
  Report own = report(0, 95, 5, 97);
  own.period = 96;
  EXPECT_EQ(collector.take(0, own), Collector::Taken::counted);
  EXPECT_EQ(collector.recorded(0)[95], 5);
  Report other = report(1, 97, 7, 97);
  other.period = 0;
  EXPECT_EQ(collector.take(0, other), Collector::Taken::outside);
  EXPECT_EQ(collector.account(0).sum_steps, 5);
}

// Each report alone, also the last, and the row that closes the period: whichever is lost, the sum is not complete.
TEST(Collector, ALostReportShowsWhicheverItIs) {
  auto gateway = Gateway::make(with_periods(published_rules(1), 20), make_keys(1));
  run_slots(*gateway, 0, 20);
  gateway->drain();
  const auto& sent = gateway->outbox();
  ASSERT_EQ(sent.size(), 21);
  for (std::size_t lost = 0; lost <= sent.size(); ++lost) {
    Collector collector = make_collector(1, {.first_slot = 0, .slots = 20});
    for (std::size_t i = 0; i < sent.size(); ++i)
      if (i != lost) collector.take(0, sent[i].report);
    const bool nothing_lost = lost == sent.size();
    const bool closing_lost = lost == sent.size() - 1;
    EXPECT_EQ(collector.account(0).complete, nothing_lost) << lost;
    EXPECT_EQ(collector.account(0).lost, nothing_lost || closing_lost ? 0 : 1) << lost;
  }
}

// Sums are complete when closed periods fill the window: a whole period that is missing, wherever it lies, and a meter
// of which nothing came, are not.
TEST(Collector, ALostPeriodShowsWhicheverItIs) {
  auto gateway = Gateway::make(with_periods(lagged_rules(), 20), make_keys(1));
  run_slots(*gateway, 0, 60);
  gateway->drain();
  for (const Slot lost : {-1, 0, 20, 40}) {
    auto collector = Collector::make(gateway->rules().scheme, 2, {.first_slot = 0, .slots = 60});
    for (const auto& [meter, sent] : gateway->outbox())
      if (sent.period != lost) collector->take(meter, sent);
    EXPECT_EQ(collector->account(0).complete, lost == -1) << lost;
    EXPECT_FALSE(collector->account(1).complete) << "nothing came";
  }
}

// 2,000 times the largest reading do not fit into a sum. The meter gets none; the program goes on.
TEST(Collector, ASumThatDoesNotFitIsNotASum) {
  for (const std::optional<Slot> period : {std::optional<Slot>(0), std::optional<Slot>()}) {
    Collector collector = make_collector(2, {.first_slot = 0, .slots = 20});
    bool refused = false;
    for (std::uint64_t number = 0; number < 2000; ++number) {
      Report large = report(number, 1, kStepsMax, 1);
      large.period = period;
      refused = collector.take(0, large) == Collector::Taken::too_large || refused;
    }
    EXPECT_EQ(refused, period.has_value());
    EXPECT_FALSE(collector.account(0).complete);
    EXPECT_EQ(collector.take(1, report(0, 2, 5, 2)), Collector::Taken::counted);
    EXPECT_EQ(collector.estimates()[2].timely_steps, 5);
  }
}

TEST(Collector, AWindowOfPartsOfPeriodsIsFound) {
  auto gateway = Gateway::make(with_periods(published_rules(1), 20), make_keys(1));
  run_slots(*gateway, 0, 60);
  gateway->drain();
  const auto cuts = [&](Slot first, Slot slots) {
    Collector collector = make_collector(1, {.first_slot = first, .slots = slots});
    for (const auto& [meter, sent] : gateway->outbox()) collector.take(meter, sent);
    return collector.cut_period().has_value();
  };
  EXPECT_FALSE(cuts(20, 20));
  EXPECT_FALSE(cuts(0, 60));
  EXPECT_FALSE(cuts(60, 15)) << "nothing is known of periods to come";
  EXPECT_TRUE(cuts(20, 25));
  EXPECT_TRUE(cuts(10, 30));
  EXPECT_TRUE(cuts(25, 10)) << "within a period";
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
  gateway->drain();
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
  gateway->drain();
  Collector collector = make_collector(1, {.first_slot = -200, .slots = 500});
  for (const auto& [meter, sent] : delivered(*gateway, 2)) collector.take(meter, sent);
  std::vector<std::int64_t> readings;
  for (Slot slot = 0; slot < 99; ++slot) readings.push_back(load_steps(0, slot));
  const auto values = *collector.readings(0);
  const auto got = order_free_statistics({values.begin(), values.end()});
  const auto wanted = order_free_statistics(readings);
  EXPECT_EQ(got.count, 99);
  EXPECT_EQ(got.minimum, *std::min_element(readings.begin(), readings.end()));
  EXPECT_EQ(got.maximum, wanted.maximum);
  EXPECT_EQ(got.median, wanted.median);
  EXPECT_DOUBLE_EQ(got.variance, wanted.variance);
  EXPECT_EQ(histogram(values, -200, 500, 7), histogram(readings, -200, 500, 7));
}

// With two parts, every minimum and median would be one of parts.
TEST(Collector, PartsAreNotReadings) {
  MeterRules rules = published_rules(2);
  rules.parts = 2;
  auto gateway = Gateway::make(rules, make_keys(1));
  run_slots(*gateway, 0, 9);
  gateway->drain();
  Collector collector = make_collector(1, {.first_slot = -99, .slots = 300, .parts = 2});
  for (const auto& [meter, sent] : gateway->outbox()) collector.take(meter, sent);
  EXPECT_EQ(collector.account(0).reports, 18);
  const auto refused = collector.readings(0);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("divided into 2 parts"), std::string::npos);
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
