// The laws of time shifts, and what they promise: audited by summing their mass, with broken twins that must be caught.
#include "fugu/meter/temporal_scheme.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "fugu/noise/bits.hpp"
#include "fugu/noise/law.hpp"
#include "fugu/simulate/seeded_bits.hpp"
#include "support/stat_check.hpp"

namespace fugu::test {
namespace {

constexpr double kRounding = 1e-14;

TEST(ShiftLaw, RoundedLaplaceIsAsPrinted) {
  for (const double b : {0.1, 0.5, 1.0, 2.0, 30.0}) {
    const auto law = ShiftLaw::rounded_laplace(b);
    ASSERT_TRUE(law);
    EXPECT_NEAR(law->probability(0), 1 - std::exp(-1 / (2 * b)), 1e-15);
    for (Slot k = 1; k < 10; ++k) {
      const auto x = static_cast<double>(k);
      const double printed = (std::exp(-(2 * x - 1) / (2 * b)) - std::exp(-(2 * x + 1) / (2 * b))) / 2;
      EXPECT_NEAR(law->probability(k), printed, 1e-15);
      EXPECT_EQ(law->weight(k), law->weight(-k));
    }
  }
}

TEST(ShiftLaw, TruncatedLaplaceIsTheDiscreteLaplaceWithinItsReach) {
  const NoiseLaw whole{NoiseKind::laplace, {3, 2}};
  const auto law = ShiftLaw::truncated_laplace(1.5, 12);
  ASSERT_TRUE(law);
  EXPECT_EQ(law->highest(), 12);
  EXPECT_EQ(law->lowest(), -12);
  const double inside = 1 - whole.exceedance(12);
  for (Slot k = 1; k <= 12; ++k) {
    const double both_sides = (whole.exceedance(k - 1) - whole.exceedance(k)) / inside;
    EXPECT_NEAR(2 * law->probability(k), both_sides, 1e-9);
  }
}

TEST(ShiftLaw, WeightsAddUpAndTailsAgree) {
  for (const auto& law :
       {*ShiftLaw::rounded_laplace(0.01), *ShiftLaw::rounded_laplace(7), *ShiftLaw::rounded_laplace(1000),
        *ShiftLaw::rounded_exponential(2), *ShiftLaw::truncated_laplace(1, 0), *ShiftLaw::truncated_laplace(2, 30)}) {
    std::uint64_t sum = 0;
    for (Slot k = law.lowest(); k <= law.highest(); ++k) {
      EXPECT_NEAR(law.at_least(k) - law.at_least(k + 1), law.probability(k), 1e-15);
      sum += law.weight(k);
    }
    EXPECT_EQ(sum, ShiftLaw::kTotal);
    EXPECT_EQ(law.draw(0), law.lowest());
    EXPECT_EQ(law.draw(~std::uint64_t{0}), law.highest());
  }
}

TEST(ShiftLaw, DrawsFitTheLaw) {
  SeededBits bits(20'261'115);
  for (const auto& law : {*ShiftLaw::rounded_laplace(1), *ShiftLaw::rounded_exponential(2)}) {
    constexpr Slot kReach = 6;
    std::vector<std::uint64_t> observed(2 * kReach + 1);
    std::vector<double> expected(2 * kReach + 1);
    for (int i = 0; i < 200'000; ++i)
      ++observed[static_cast<std::size_t>(std::clamp(law.draw(bits.take64()), -kReach, kReach) + kReach)];
    for (Slot k = law.lowest(); k <= law.highest(); ++k)
      expected[static_cast<std::size_t>(std::clamp(k, -kReach, kReach) + kReach)] += law.probability(k);
    std::erase_if(observed, [](std::uint64_t count) { return count == 0; });
    std::erase_if(expected, [](double share) { return share == 0; });
    EXPECT_TRUE(fits_law(observed, expected, {1e-6, "20261115"}));
  }
}

TEST(ShiftLaw, RefusesScalesItCannotServe) {
  for (const double b : {0.0, -1.0, 0.001, 2000.0, std::nan("")}) {
    EXPECT_FALSE(ShiftLaw::rounded_laplace(b));
    EXPECT_FALSE(ShiftLaw::rounded_exponential(b));
    EXPECT_FALSE(ShiftLaw::truncated_laplace(b, 3));
  }
  EXPECT_FALSE(ShiftLaw::truncated_laplace(1, -1));
}

// One of the twenty printed digits is off: for b = 1 and the last but one slot the paper has 0.1013, and its own
// equation 7 gives 0.10122.
TEST(ShiftLaw, AnEpsilonBeyondAllDoublesLeavesWhatOnlyOneCanReach) {
  const auto law = *ShiftLaw::truncated_laplace(0.5, 20);
  double only_one = 0;
  for (Slot shift = 11; shift <= 20; ++shift) only_one += law.probability(shift);
  for (const double epsilon : {60.0, 710.0, 1e5}) {
    EXPECT_NEAR(law.delta(10, epsilon), only_one, only_one * 1e-12) << epsilon;
    EXPECT_EQ(law.delta(10, epsilon), law.delta(10, 60)) << epsilon;
  }
}

TEST(Published, WeightsOfTableTwo) {
  const std::map<double, std::vector<double>> table = {{0.5, {0.7746, 0.1949, 0.0264, 0.0036, 0.0005}},
                                                       {1.0, {0.5647, 0.2751, 0.1012, 0.0372, 0.0137}},
                                                       {1.5, {0.4417, 0.2716, 0.1395, 0.0716, 0.0368}},
                                                       {2.0, {0.3623, 0.2509, 0.1522, 0.0923, 0.0560}}};
  for (const auto& [b, weights] : table) {
    const auto scheme = TemporalScheme::published(b);
    for (std::size_t k = 0; k < weights.size(); ++k) {
      const double weight = scheme->weight_of_slot_before(static_cast<Slot>(k));
      EXPECT_EQ(std::round(weight * 1e4) / 1e4, weights[k]) << "b = " << b << ", slot " << k << " before: " << weight;
    }
  }
}

TEST(Published, StampsAloneKeepOneOverBPerSlotMoved) {
  EXPECT_LE(TemporalScheme::published(1)->shift().delta(1, 1), 0x1p-52) << "as the page says";
  for (const double b : {0.25, 1.0, 2.0, 10.0}) {
    const auto scheme = TemporalScheme::published(b);
    for (const Slot moved : {1, 2, 7}) {
      const double epsilon = static_cast<double>(moved) / b;
      // What the end of the table leaves over: a weight below 1 of 2^62, seen from as far away.
      EXPECT_LE(scheme->shift().delta(moved, epsilon), kRounding + 0x1p-60 * std::exp(epsilon));
      EXPECT_GT(scheme->shift().delta(moved, 0.99 * epsilon), 1e-6) << "1/b is not larger than needed";
    }
  }
}

// The broken twin of the lagged form: the same auditor, looking at arrivals of the published one, finds that no ε will
// do, because what arrives at once cannot have been measured later.
TEST(Published, ArrivalsHaveNoPromise) {
  for (const double b : {0.5, 1.0, 2.0, 10.0}) {
    const auto scheme = TemporalScheme::published(b);
    const ShiftLaw arrival = scheme->arrival();
    EXPECT_EQ(arrival.lowest(), 0);
    const double at_once = arrival.probability(0);
    for (const double epsilon : {1 / b, 10 / b, 700.0}) EXPECT_GE(arrival.delta(1, epsilon), at_once);
    EXPECT_GT(at_once, 0.05);
  }
}

/// δ of two independent reports whose stamps are moved in opposite directions, by summing over all pairs of arrivals.
double swapped_pair_delta(const ShiftLaw& law, Slot moved, double epsilon) {
  double delta = 0;
  for (Slot i = law.lowest() - moved; i <= law.highest() + moved; ++i) {
    for (Slot j = law.lowest() - moved; j <= law.highest() + moved; ++j) {
      const double here = law.probability(i) * law.probability(j);
      const double there = law.probability(i - moved) * law.probability(j + moved);
      delta += std::max(0.0, here - std::exp(epsilon) * there);
    }
  }
  return delta;
}

TEST(Lagged, KeepsItsPromiseWithTheSmallestLag) {
  for (const double epsilon : {0.1, 0.5, 1.0, 2.0}) {
    for (const double delta : {1e-3, 1e-6, 1e-9}) {
      for (const Slot moved : {1, 4}) {
        const auto scheme = TemporalScheme::lagged({.epsilon = epsilon, .delta = delta, .moved_slots = moved});
        ASSERT_TRUE(scheme);
        const double audited = scheme->arrival().delta(moved, epsilon);
        EXPECT_LE(audited, delta);
        // Every shorter move is covered, too.
        for (Slot less = 1; less < moved; ++less) EXPECT_LE(scheme->arrival().delta(less, epsilon), delta);
        // In doubles, and without the code under test: mass that only one of the two can reach, and too high ratios.
        double summed = 0;
        const ShiftLaw& law = scheme->shift();
        for (Slot k = law.lowest(); k <= law.highest(); ++k)
          summed += std::max(0.0, law.probability(k) - std::exp(epsilon) * law.probability(k - moved));
        EXPECT_NEAR(audited, summed, 1e-14);
        const auto shorter = ShiftLaw::truncated_laplace(scheme->b(), scheme->lag_slots() - 1);
        EXPECT_GT(shorter->delta(moved, epsilon), delta) << "a shorter lag would do";
      }
    }
  }
}

TEST(Lagged, TwoReadingsThatChangePlacesCostTwice) {
  const auto scheme = TemporalScheme::lagged({.epsilon = 1, .delta = 1e-4});
  const double pair = swapped_pair_delta(scheme->shift(), 1, 2);
  EXPECT_LE(pair, 2e-4 + kRounding);
  EXPECT_GT(swapped_pair_delta(scheme->shift(), 1, 1), 0.01) << "ε of one reading does not cover a pair";
}

TEST(Lagged, PartsShareThePromise) {
  const auto whole = TemporalScheme::lagged({.epsilon = 1, .delta = 1e-6});
  const auto parts = TemporalScheme::lagged({.epsilon = 1, .delta = 1e-6, .parts = 2});
  EXPECT_GT(parts->lag_slots(), whole->lag_slots());
  EXPECT_DOUBLE_EQ(parts->b(), 2);
  EXPECT_LE(parts->arrival().delta(1, 0.5), 0.5e-6);
}

TEST(Lagged, ArrivalsSayWhatStampsSay) {
  const auto scheme = TemporalScheme::lagged({.epsilon = 1, .delta = 1e-6});
  SeededBits bits(3);
  for (int i = 0; i < 10'000; ++i) {
    const auto [stamp, send] = scheme->dispatch(100, bits.take64(), bits.take64());
    EXPECT_EQ(send, stamp + scheme->lag_slots());
    EXPECT_GE(send, 100);
    EXPECT_LE(send, 100 + scheme->hold_slots_max());
  }
  EXPECT_EQ(scheme->timely_share(), 1);
}

TEST(Published, NothingArrivesBeforeItWasMeasured) {
  const auto scheme = TemporalScheme::published(2);
  SeededBits bits(4);
  for (int i = 0; i < 10'000; ++i) {
    const auto [stamp, send] = scheme->dispatch(100, bits.take64(), bits.take64());
    EXPECT_GE(send, 100);
    if (stamp >= 100) {
      EXPECT_EQ(send, stamp);
    }
  }
  EXPECT_NEAR(scheme->timely_share(), 1 - std::exp(-0.25) / 2, 1e-15);
}

TEST(Lagged, RefusesPromisesThatMakeNoSense) {
  EXPECT_FALSE(TemporalScheme::lagged({.epsilon = 0, .delta = 1e-6}));
  EXPECT_FALSE(TemporalScheme::lagged({.epsilon = 1, .delta = 0}));
  EXPECT_FALSE(TemporalScheme::lagged({.epsilon = 1, .delta = 1}));
  EXPECT_FALSE(TemporalScheme::lagged({.epsilon = 1, .delta = 1e-6, .moved_slots = 0}));
  EXPECT_FALSE(TemporalScheme::lagged({.epsilon = 1e-4, .delta = 1e-6}));
  EXPECT_FALSE(TemporalScheme::published(0));
}

// The lag was never the trouble: the tables cannot hold smaller weights.
TEST(Lagged, ATinyDeltaIsRefusedForItsRealCause) {
  for (const LaggedPromise& promise : {LaggedPromise{.epsilon = 1, .delta = 1.1e-13, .moved_slots = 60, .parts = 16},
                                       LaggedPromise{.epsilon = 20, .delta = 1.1e-13}}) {
    const auto coarse = TemporalScheme::lagged(promise);
    ASSERT_FALSE(coarse);
    EXPECT_NE(coarse.error().message.find("whole multiples of 2^-62"), std::string::npos) << coarse.error().message;
  }
  EXPECT_NE(TemporalScheme::lagged({.epsilon = 1, .delta = 1e-20}).error().message.find("rounding"), std::string::npos);
  const auto long_lag = TemporalScheme::lagged({.epsilon = 100, .delta = 1e-6, .moved_slots = 99'000});
  ASSERT_FALSE(long_lag);
  EXPECT_NE(long_lag.error().message.find("a lag above 100,000 slots"), std::string::npos) << long_lag.error().message;
}

}  // namespace
}  // namespace fugu::test
