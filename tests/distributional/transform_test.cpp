// What meters send has the law that was promised, whatever their readings are like.
#include "fugu/distributional/transform.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "fugu/simulate/seeded_bits.hpp"
#include "support/stat_check.hpp"

namespace fugu::test {
namespace {

constexpr ClampRange kClamp{0, 100};
constexpr double kAlarm = 1e-6;  // of each statistical check

/// Readings in which single values are frequent, and others spread.
std::vector<std::int64_t> lumpy(std::uint64_t seed, std::size_t count = 3000) {
  SeededBits bits(seed);
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t kind = uniform_below(bits, 10);
    values.push_back(kind < 5 ? 0 : kind < 8 ? 7 : 20 + static_cast<std::int64_t>(uniform_below(bits, 60)));
  }
  return values;
}

/// A reading that follows the learned law.
std::int64_t draw_from(const MeterProfile& profile, BitSource& bits) {
  double left = static_cast<double>(bits.take64() >> 11) * 0x1p-53;
  std::int64_t last = kClamp.lo;
  for (std::int64_t value = kClamp.lo; value <= kClamp.hi; ++value) {
    const double p = profile.probability(value);
    if (p > 0) last = value;
    if (left < p) return value;
    left -= p;
  }
  return last;
}

DistributionalPlan capped(std::int64_t spread = 20, double alpha = 2) {
  return {.form = DistributionalForm::capped,
          .clamp = kClamp,
          .epsilon = 1,
          .alpha = alpha,
          .spread_steps = spread,
          .half_width_steps = 4 * spread};
}

TEST(MeterProfile, LearnsFrequentValuesAndTheRest) {
  const MeterProfile profile = MeterProfile::learn(lumpy(1), kClamp);
  EXPECT_NEAR(profile.probability(0), 0.5, 0.05);
  EXPECT_NEAR(profile.probability(7), 0.3, 0.05);
  EXPECT_EQ(profile.probability(3), 0);
  double sum = 0;
  for (std::int64_t value = 0; value <= 100; ++value) sum += profile.probability(value);
  EXPECT_NEAR(sum, 1, 1e-12);
  SeededBits bits(2);
  const double ranks = static_cast<double>(ReferenceLaw::kRanks);
  double between = 0;
  for (int i = 0; i < 10'000; ++i) between += static_cast<double>(profile.rank(3, bits)) / ranks / 10'000;
  EXPECT_NEAR(between, profile.probability(0), 5 * 0.1 / std::sqrt(10'000)) << "where 0 and 7 meet, on average";
  double highest = 0;
  for (int i = 0; i < 100; ++i) highest += static_cast<double>(profile.rank(100, bits)) / ranks / 100;
  EXPECT_GT(highest, 0.99) << "among the highest,";
  EXPECT_LT(highest, 0.9999) << "but not always the very highest: that would be a swing beyond all others";
}

TEST(MeterProfile, RanksOfAllValuesFillAllRanks) {
  // With one bit source that always draws the lowest number there is, ranks are where each value begins: they must
  // begin where the value before ends.
  const MeterProfile profile = MeterProfile::learn(lumpy(5), kClamp);
  SeededBits bits(6);
  std::uint64_t last_highest = 0;
  for (std::int64_t value = 0; value <= 100; ++value) {
    if (profile.probability(value) == 0) continue;
    std::uint64_t lowest = ReferenceLaw::kRanks;
    std::uint64_t highest = 0;
    for (int i = 0; i < 200; ++i) {
      const std::uint64_t rank = profile.rank(value, bits);
      lowest = std::min(lowest, rank);
      highest = std::max(highest, rank);
    }
    EXPECT_GE(lowest, last_highest);
    last_highest = highest;
  }
}

TEST(MeterProfile, IsItsText) {
  const MeterProfile profile = MeterProfile::learn(lumpy(1), kClamp);
  const auto back = MeterProfile::parse(profile.text(), kClamp);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->text(), profile.text());
  for (const char* wrong : {"", "1", "1,2,0:5:4294967295;", "1,2,5:0:4294967296;", "1,2,0:101:4294967296;",
                            "200,0,0:5:4294967296;", "1,2,0:5:4294967296", "1,2,3:4:1;0:2:4294967295;"})
    EXPECT_FALSE(MeterProfile::parse(wrong, kClamp)) << wrong;
}

/// How often each value around the mean is sent, in bins of a quarter of the spread.
template <class Send>
std::vector<std::uint64_t> histogram_of(const DistributionalTransform& transform, std::uint64_t seed, Send&& send) {
  constexpr int kDraws = 100'000;
  const std::int64_t half = transform.plan().half_width_steps;
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(2 * half + 1));
  SeededBits bits(seed);
  for (int i = 0; i < kDraws; ++i)
    ++counts[static_cast<std::size_t>(send(bits) - transform.profiles()[0].mean_steps() + half)];
  return counts;
}

::testing::AssertionResult fits_reference(const DistributionalTransform& transform,
                                          const std::vector<std::uint64_t>& counts, const ReferenceLaw& law) {
  // Bins wide enough for chi-square.
  std::vector<std::uint64_t> observed(1);
  std::vector<double> expected(1);
  const std::int64_t half = transform.plan().half_width_steps;
  for (std::int64_t k = -half; k <= half; ++k) {
    observed.back() += counts[static_cast<std::size_t>(k + half)];
    expected.back() += law.probability(k);
    if (expected.back() > 0.01 && k < half) {
      observed.push_back(0);
      expected.push_back(0);
    }
  }
  return fits_law(observed, expected, {kAlarm, "fixed"});
}

TEST(CappedTransform, SendsThePublicLawWhateverTheReadingsAreLike) {
  std::uint64_t seed = 100;
  for (const double alpha : {2.0, 1.0}) {
    const auto law = ReferenceLaw::make(alpha, 20, 80);
    ASSERT_TRUE(law);
    const std::vector<std::vector<std::int64_t>> households = {
        lumpy(1), {50}, std::vector<std::int64_t>{0, 100}, {10, 11, 12, 13, 90}};
    for (const auto& readings : households) {
      for (const double sample : {1.0, 0.3}) {
        DistributionalPlan plan = capped(20, alpha);
        plan.sample = sample;
        const auto transform = DistributionalTransform::make(plan, {MeterProfile::learn(readings, kClamp)});
        ASSERT_TRUE(transform);
        const auto counts = histogram_of(*transform, ++seed, [&](BitSource& bits) {
          return transform->of_reading(0, draw_from(transform->profiles()[0], bits), bits);
        });
        EXPECT_TRUE(fits_reference(*transform, counts, *law)) << "seed " << seed;
        const auto absent =
            histogram_of(*transform, ++seed, [&](BitSource& bits) { return transform->of_absent(0, bits); });
        EXPECT_TRUE(fits_reference(*transform, absent, *law)) << "missing readings show, seed " << seed;
      }
    }
  }
}

TEST(CappedTransform, BrokenTwinsAreCaught) {
  const auto law = ReferenceLaw::make(2, 20, 80);
  const auto transform = DistributionalTransform::make(capped(), {MeterProfile::learn(lumpy(1), kClamp)});
  ASSERT_TRUE(law && transform);
  const MeterProfile& profile = transform->profiles()[0];
  // One rank per value instead of a fresh one within those of the value: Equation 8 where the law is not continuous.
  const auto fixed = histogram_of(*transform, 7, [&](BitSource& bits) {
    SeededBits same(1);
    return profile.mean_steps() + law->at(profile.rank(draw_from(profile, bits), same));
  });
  EXPECT_FALSE(fits_reference(*transform, fixed, *law));
  // A profile that was learned from somebody else.
  const auto wrong = histogram_of(*transform, 8, [&](BitSource& bits) {
    return transform->of_reading(0, static_cast<std::int64_t>(uniform_below(bits, 101)), bits);
  });
  EXPECT_FALSE(fits_reference(*transform, wrong, *law));
}

TEST(CappedTransform, FollowsTheReadingWithoutBias) {
  // What is sent, given the reading, swings as far as the reading does, on average: topping up adds no slope.
  const auto transform = DistributionalTransform::make(capped(), {MeterProfile::learn({20, 40, 60, 80}, kClamp)});
  ASSERT_TRUE(transform);
  EXPECT_EQ(transform->squeezed(), 1U) << "a standard deviation of 22.4 where 20 is allowed";
  const auto wide = DistributionalTransform::make(capped(40), {MeterProfile::learn({20, 40, 60, 80}, kClamp)});
  ASSERT_TRUE(wide);
  EXPECT_EQ(wide->squeezed(), 0U);
  SeededBits bits(4);
  double sum = 0;
  constexpr int kDraws = 100'000;
  for (int i = 0; i < kDraws; ++i)
    sum += static_cast<double>(wide->of_reading(0, 80, bits) - wide->of_reading(0, 20, bits));
  // The mean normal score of the upper quarter is 1.271, so 22.4 · 2 · 1.271 = 56.8; false alarm below 1e-6.
  EXPECT_NEAR(sum / kDraws, 56.8, 5 * 57 / std::sqrt(kDraws) + 0.3);
}

TEST(Transforms, StayWithinWhatIsPaidFor) {
  SeededBits bits(9);
  for (const auto form : {DistributionalForm::capped, DistributionalForm::hidden, DistributionalForm::bernoulli}) {
    DistributionalPlan plan = capped(5);
    plan.form = form;
    plan.half_width_steps = 40;
    if (form == DistributionalForm::hidden) plan.delta = 1e-3;
    std::vector<MeterProfile> profiles;
    if (form != DistributionalForm::bernoulli) profiles.push_back(MeterProfile::learn(lumpy(1), kClamp));
    const auto transform = DistributionalTransform::make(plan, profiles);
    ASSERT_TRUE(transform);
    std::int64_t lowest = 1'000;
    std::int64_t highest = -1'000;
    for (int i = 0; i < 20'000; ++i) {
      const std::int64_t sent =
          i % 50 == 0 ? transform->of_absent(0, bits)
                      : transform->of_reading(0, static_cast<std::int64_t>(uniform_below(bits, 101)), bits);
      lowest = std::min(lowest, sent);
      highest = std::max(highest, sent);
    }
    EXPECT_LE(highest - lowest, transform->change_steps());
    EXPECT_GE(lowest, transform->range().lo);
    EXPECT_LE(highest, transform->range().hi);
  }
}

TEST(BernoulliTransform, IsAnExactCoin) {
  DistributionalPlan plan{.form = DistributionalForm::bernoulli, .clamp = {-20, 80}};
  const auto transform = DistributionalTransform::make(plan, {});
  ASSERT_TRUE(transform);
  SeededBits bits(12);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(transform->of_reading(0, -20, bits), -20);
    ASSERT_EQ(transform->of_reading(0, 80, bits), 80);
  }
  std::array<std::uint64_t, 2> counts{};
  for (int i = 0; i < 100'000; ++i) ++counts[transform->of_reading(0, 10, bits) == 80 ? 1 : 0];
  EXPECT_TRUE(fits_law(counts, std::array{0.7, 0.3}, {kAlarm, "12"}));
  // A missing reading is a reading of 0: nobody can tell which.
  int high = 0;
  for (int i = 0; i < 10'000; ++i) {
    const std::int64_t sent = transform->of_absent(0, bits);
    ASSERT_TRUE(sent == -20 || sent == 80);
    high += sent == 80 ? 1 : 0;
  }
  EXPECT_NEAR(high, 2000, 5 * 40);  // five standard deviations
  EXPECT_EQ(transform->change_steps(), 100);
}

/// A normal draw rounded to the grid.
std::vector<double> rounded_normal(double sd, int reach) {
  const auto below = [&](double x) { return std::erfc(-x / sd / std::numbers::sqrt2) / 2; };
  std::vector<double> law;
  for (int k = -reach; k <= reach; ++k) law.push_back(below(k + 0.5) - below(k - 0.5));
  return law;
}

TEST(HiddenTransform, SumsThatAreRoundedGiveOnlySumsAway) {
  // Two households with variances 4 and 32, or both with 18: after rounding, is the sum's law the same? 36 / 36.
  constexpr int kReach = 60;
  const auto sum_of = [&](double a, double b) {
    const auto x = rounded_normal(std::sqrt(a), kReach);
    const auto y = rounded_normal(std::sqrt(b), kReach);
    std::vector<double> sum(x.size() + y.size() - 1);
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::size_t j = 0; j < y.size(); ++j) sum[i + j] += x[i] * y[j];
    return sum;
  };
  const auto distance = [](const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += std::fabs(a[i] - b[i]);
    return sum / 2;
  };
  EXPECT_LT(distance(sum_of(4, 32), sum_of(18, 18)), 1e-14);
  // Below two steps of standard deviation it shows.
  EXPECT_GT(distance(sum_of(0.09, 35.91), sum_of(18, 18)), 1e-5);
}

TEST(HiddenTransform, SendsItsOwnMeanAndVariance) {
  DistributionalPlan plan = capped(30);
  plan.form = DistributionalForm::hidden;
  plan.half_width_steps = hidden_half_width(30);
  plan.delta = 1e-6;
  const auto transform = DistributionalTransform::make(plan, {MeterProfile::learn(lumpy(1), kClamp)});
  ASSERT_TRUE(transform);
  const double sd = std::sqrt(std::ceil(transform->profiles()[0].variance_steps()));  // whole squared steps
  EXPECT_EQ(transform->sd_steps(0), sd);
  const auto reach = static_cast<int>(plan.half_width_steps);
  const auto law = rounded_normal(sd, reach);
  const auto counts = histogram_of(*transform, 31, [&](BitSource& bits) {
    return transform->of_reading(0, draw_from(transform->profiles()[0], bits), bits);
  });
  std::vector<std::uint64_t> observed(1);
  std::vector<double> expected(1);
  for (std::size_t i = 0; i < law.size(); ++i) {
    observed.back() += counts[i];
    expected.back() += law[i];
    if (expected.back() > 0.01 && i + 1 < law.size()) {
      observed.push_back(0);
      expected.push_back(0);
    }
  }
  // The last bin may be tiny: joined with the one before.
  observed[observed.size() - 2] += observed.back();
  expected[expected.size() - 2] += expected.back();
  observed.pop_back();
  expected.pop_back();
  EXPECT_TRUE(fits_law(observed, expected, {kAlarm, "31"}));
}

}  // namespace
}  // namespace fugu::test
