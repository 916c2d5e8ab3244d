#include "fugu/simulate/artificial.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace {

using fugu::ArtificialOptions;
using fugu::generate_artificial;

std::vector<double> generate(const ArtificialOptions& options) {
  auto values = generate_artificial(options);
  EXPECT_TRUE(values.has_value()) << (values ? "" : values.error().message);
  return *std::move(values);
}

double autocorrelation(const std::vector<double>& values, std::size_t lag) {
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  double covariance = 0.0;
  double variance = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    variance += (values[i] - mean) * (values[i] - mean);
    if (i + lag < values.size()) covariance += (values[i] - mean) * (values[i + lag] - mean);
  }
  return covariance / variance;
}

/// The lag, from half a season to one and a half, at which the stream is most like itself.
std::size_t dominant_lag(const std::vector<double>& values, std::size_t season_slots) {
  std::size_t best = season_slots / 2;
  for (std::size_t lag = best; lag <= season_slots * 3 / 2; ++lag)
    if (autocorrelation(values, lag) > autocorrelation(values, best)) best = lag;
  return best;
}

double share_at(const std::vector<double>& values, double level) {
  return static_cast<double>(std::ranges::count(values, level)) / static_cast<double>(values.size());
}

TEST(Artificial, IsTheSameStreamOnEveryPlatform) {
  const std::vector<double> values =
      generate({.length_slots = 12, .season_slots = 8, .amplitude = 1000.0, .decimals = 3, .seed = 7});
  const std::vector<double> golden = {
      296.296, 444.444, 666.667, 1000.0,  666.667, 444.444,  // 6 slots: 1000/1.5³ … 1000 … 1000/1.5²
      264.927, 397.39,  596.085, 894.128, 596.085, 397.39};
  EXPECT_EQ(values, golden);
}

TEST(Artificial, SeedsMatter) {
  EXPECT_EQ(generate({.seed = 5}), generate({.seed = 5}));
  EXPECT_NE(generate({.seed = 5}), generate({.seed = 6}));
}

TEST(Artificial, GrowsAndShrinksByTheGrowthFactor) {
  // Long enough for one season only, at full precision.
  const std::vector<double> values =
      generate({.length_slots = 30, .season_slots = 40, .amplitude = 1e6, .growth = 1.3, .decimals = 6});
  const auto peak = std::ranges::max_element(values) - values.begin();
  ASSERT_GT(peak, 15);
  ASSERT_LT(peak, 25);
  EXPECT_EQ(values[static_cast<std::size_t>(peak)], 1e6);
  for (std::size_t i = 1; i <= static_cast<std::size_t>(peak); ++i)
    EXPECT_NEAR(values[i] / values[i - 1], 1.3, 1e-6) << i;
  for (std::size_t i = 1; i <= 4; ++i) {  // symmetric, around a peak of one slot or of two
    const auto at = static_cast<std::size_t>(peak);
    const std::size_t plateau = values[at + 1] == values[at] ? 1 : 0;
    EXPECT_EQ(values[at - i], values[at + plateau + i]);
  }
}

TEST(Artificial, SeasonShowsInTheAutocorrelation) {
  for (const std::int64_t season_slots : {40, 60, 80, 120}) {
    const auto values =
        generate({.length_slots = 4000, .season_slots = season_slots, .growth = 1.1, .decimals = 6, .seed = 3});
    const auto season = static_cast<std::size_t>(season_slots);
    EXPECT_NEAR(static_cast<double>(dominant_lag(values, season)), static_cast<double>(season), 2.0);
  }
}

TEST(Artificial, SparsityIsTheShareOfDowntime) {
  for (const double sparsity : {0.0, 0.25, 0.5, 0.9}) {
    // A growth so small that no slot of a season rounds down to the level.
    const auto values = generate({.length_slots = 100'000,
                                  .season_slots = 40,
                                  .amplitude = 1e6,
                                  .level = 50.0,
                                  .sparsity = sparsity,
                                  .growth = 1.2,
                                  .decimals = 6});
    EXPECT_NEAR(share_at(values, 50.0), sparsity, 0.005) << sparsity;
  }
}

TEST(Artificial, SparsityStretchesTheSeason) {
  const auto values = generate({.length_slots = 4000, .season_slots = 40, .sparsity = 0.5, .growth = 1.1});
  EXPECT_NEAR(static_cast<double>(dominant_lag(values, 80)), 80.0, 4.0);
}

TEST(Artificial, SeasonsBeyondTheRangeOfADoubleStayFinite) {
  // 100^50000 is far beyond a double.
  const auto values = generate({.length_slots = 200'000, .season_slots = 100'000, .amplitude = 10.0, .growth = 100.0});
  EXPECT_EQ(*std::ranges::max_element(values), 10.0);
  EXPECT_EQ(*std::ranges::min_element(values), 0.0);
  EXPECT_TRUE(std::ranges::all_of(values, [](double value) { return std::isfinite(value); }));
}

RC_GTEST_PROP(Artificial, HasExactLengthMinimumAndMaximum, ()) {
  const ArtificialOptions options{
      .length_slots = *rc::gen::inRange(1, 2000),
      .season_slots = *rc::gen::inRange(2, 200),
      .amplitude = *rc::gen::inRange(1, 10'000) * 1.0,
      .level = *rc::gen::inRange(0, 1000) * 1.0,
      .sparsity = *rc::gen::inRange(0, 95) / 100.0,
      .growth = 1.0 + *rc::gen::inRange(1, 100) / 100.0,
      .decimals = *rc::gen::inRange(0, 7),
      .seed = *rc::gen::arbitrary<std::uint64_t>(),
  };
  const auto values = generate(options);
  RC_ASSERT(values.size() == static_cast<std::size_t>(options.length_slots));
  RC_ASSERT(*std::ranges::max_element(values) == options.level + options.amplitude);
  RC_ASSERT(*std::ranges::min_element(values) >= options.level);
}

TEST(Artificial, RefusesWhatMakesNoSense) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const std::pair<ArtificialOptions, const char*> cases[] = {
      {{.length_slots = 0}, "length"},   {{.length_slots = -5}, "length"},
      {{.season_slots = 1}, "season"},   {{.season_slots = 2'000'000}, "season"},
      {{.amplitude = 0.0}, "amplitude"}, {{.amplitude = -1.0}, "amplitude"},
      {{.amplitude = nan}, "amplitude"}, {{.amplitude = infinity}, "amplitude"},
      {{.level = -1.0}, "level"},        {{.level = nan}, "level"},
      {{.sparsity = -0.1}, "sparsity"},  {{.sparsity = 1.0}, "sparsity"},
      {{.sparsity = nan}, "sparsity"},   {{.growth = 1.0}, "growth"},
      {{.growth = infinity}, "growth"},  {{.decimals = -1}, "decimals"},
      {{.decimals = 7}, "decimals"},
  };
  for (const auto& [options, name] : cases) {
    const auto values = generate_artificial(options);
    ASSERT_FALSE(values.has_value()) << name;
    EXPECT_EQ(values.error().cause, fugu::Cause::usage);
    EXPECT_TRUE(values.error().message.starts_with(name)) << values.error().message;
  }
}

/// Mean error of publishing 0, and of the best constant: the median.
std::pair<double, double> yardsticks(std::vector<double> values) {
  double zero = 0.0, constant = 0.0;
  for (const double value : values) zero += value;
  std::ranges::sort(values);
  for (const double value : values) constant += std::abs(value - values[values.size() / 2]);
  const auto count = static_cast<double>(values.size());
  return {zero / count, constant / count};
}

TEST(Artificial, AsPublishedHasTheErrorsOfTheAuthorsStreams) {
  // Measured on their streams of season 80: 398 and 392 at amplitude 10,000, 2.4 and 0.39 at 10. One stream of 1,000
  // slots holds about 12 seasons, whose peaks vary by a factor of two: the mean over 50 streams is compared.
  double zero = 0.0, constant = 0.0, zero_small = 0.0;
  constexpr int kStreams = 50;
  for (int seed = 1; seed <= kStreams; ++seed) {
    ArtificialOptions options{.season_slots = 80,
                              .amplitude = 10'000,
                              .level = 2,
                              .growth = 1.3,
                              .form = fugu::ArtificialForm::as_published,
                              .decimals = 3,
                              .seed = static_cast<std::uint64_t>(seed)};
    const auto [of_zero, of_constant] = yardsticks(generate(options));
    options.amplitude = 10;
    zero += of_zero / kStreams, constant += of_constant / kStreams;
    zero_small += yardsticks(generate(options)).first / kStreams;
  }
  EXPECT_NEAR(zero, 398, 60);
  EXPECT_NEAR(constant, 392, 60);
  EXPECT_NEAR(zero_small, 2.4, 0.06);
}

// --- The authors' own streams ---------------------------------------------------------------------------------------

TEST(JavaRandom, IsJavas) {
  // What `new Random(42)` gives in Java: nextDouble(), and then of a new one nextGaussian() twice.
  EXPECT_DOUBLE_EQ(fugu::JavaRandom(42).uniform(), 0.7275636800328681);
  fugu::JavaRandom random(42);
  EXPECT_DOUBLE_EQ(random.normal(), 1.1419053154730547);
  EXPECT_DOUBLE_EQ(random.normal(), 0.9194079489827879);
}

ArtificialOptions authors(std::int64_t season_slots, double amplitude) {
  ArtificialOptions options = fugu::artificial_defaults(fugu::ArtificialForm::authors);
  options.season_slots = season_slots;
  options.amplitude = amplitude;
  return options;
}

TEST(Artificial, TheAuthorsStreamsAreMadeValueByValue) {
  // Made by their code's rules in another language.
  const std::vector<double> values = generate(authors(80, 10'000));
  ASSERT_EQ(values.size(), 1000U);
  EXPECT_EQ(values[0], 2.034);
  EXPECT_EQ(values[1], 2.076);
  EXPECT_EQ(values[39], 3925.180);
  EXPECT_EQ(values[999], 2714.763);
  EXPECT_NEAR(std::ranges::max(values), 5962.069, 1e-9) << "another of the 100 streams has the largest value";
  EXPECT_NEAR(std::ranges::min(values), 1.957, 1e-9) << "a season ends below its start";
  EXPECT_NEAR(generate(authors(40, 1000))[2], 4.122, 1e-9);
  EXPECT_NEAR(generate(authors(120, 1000))[2], 2.000, 1e-9);
}

TEST(Artificial, TheAuthorsStreamsHaveTheirYardsticks) {
  const auto [zero, constant] = yardsticks(generate(authors(80, 10'000)));
  EXPECT_NEAR(zero, 397.9, 0.05);
  EXPECT_NEAR(constant, 392.0, 0.05);
  const auto [zero_small, constant_small] = yardsticks(generate(authors(80, 10)));
  EXPECT_NEAR(zero_small, 2.396, 0.001);
  EXPECT_NEAR(constant_small, 0.392, 0.001);
}

TEST(Artificial, TheAuthorsStreamsHaveNoDowntime) {
  ArtificialOptions options = authors(80, 10);
  options.sparsity = 0.5;
  EXPECT_FALSE(generate_artificial(options));
  options.sparsity = 0;
  options.season_slots = 3;
  EXPECT_FALSE(generate_artificial(options)) << "shorter seasons would be diced again for ever";
}

}  // namespace
