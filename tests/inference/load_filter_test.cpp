#include "fugu/inference/load_filter.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "../../grid/src/inference/filter_step.hpp"
#include "fugu/base/avx2.hpp"
#include "homes.hpp"

namespace fugu::grid {
namespace {

constexpr std::size_t kBins = HouseholdModel::kBins;

const HouseholdModel& model() {
  static const HouseholdModel learned = *HouseholdModel::learn(test::made_up_homes(40, 14));
  return learned;
}

/// Another way to the same: each bin in many points, no closed forms.
struct ByPoints {
  std::vector<double> weights{model().marginal(0).begin(), model().marginal(0).end()};

  void predict(std::size_t hour) {
    std::vector<double> next(kBins);
    for (std::size_t from = 0; from < kBins; ++from) {
      for (std::size_t to = 0; to < kBins; ++to)
        next[to] += weights[from] * model().transitions(hour)[from * kBins + to];
    }
    weights = next;
  }

  /// `log_likelihood` of a load, up to a constant.
  Moments take(const std::function<double(double load)>& log_likelihood) {
    constexpr int kPoints = 4000;
    double most = -1e300;
    for (const double edge : model().edges()) most = std::max(most, log_likelihood(edge));
    double sum = 0;
    double mean = 0;
    double square = 0;
    for (std::size_t i = 0; i < kBins; ++i) {
      const double low = model().edges()[i];
      const double width = model().edges()[i + 1] - low;
      double bin = 0;
      for (int k = 0; k < kPoints; ++k) {
        const double load = low + width * (k + 0.5) / kPoints;
        const double weight = weights[i] * std::exp(log_likelihood(load) - most) / kPoints;
        bin += weight;
        mean += weight * load;
        square += weight * load * load;
      }
      weights[i] = bin;
      sum += bin;
    }
    for (double& weight : weights) weight /= sum;
    return {mean / sum, square / sum - mean / sum * (mean / sum)};
  }
};

constexpr double kLevelKw = 0.5;
constexpr double kYearlyKwh = kLevelKw * 8'760;

void expect_as_by_points(NoiseKind law, double scale) {
  LoadFilter filter(model(), kYearlyKwh);
  ByPoints points;
  const double answers[] = {0.4, 0.7, -1.5, 2.4, 0.1, 9.0};
  for (std::size_t slot = 0; slot < std::size(answers); ++slot) {
    const Moments found = filter.step(NoisyAnswer{answers[slot], scale, law});
    if (slot > 0) points.predict(slot / 4);
    const double y = answers[slot] / kLevelKw;
    const double s = scale / kLevelKw;
    const Moments wanted = points.take([&](double load) {
      return law == NoiseKind::laplace ? -std::abs(y - load) / s : -0.5 * (y - load) * (y - load) / (s * s);
    });
    EXPECT_NEAR(found.mean, kLevelKw * wanted.mean, 2e-4 * (1 + std::abs(found.mean))) << scale << ' ' << slot;
    EXPECT_NEAR(found.variance, kLevelKw * kLevelKw * wanted.variance, 2e-3 * (wanted.variance + 1e-3))
        << scale << ' ' << slot;
  }
}

TEST(LoadFilter, IsBayesForLaplaceNoise) {
  for (const double scale : {0.02, 0.2, 1.0, 30.0}) expect_as_by_points(NoiseKind::laplace, scale);
}

TEST(LoadFilter, IsBayesForGaussianNoise) {
  for (const double scale : {0.05, 0.2, 1.0, 30.0}) expect_as_by_points(NoiseKind::gaussian, scale);
}

TEST(LoadFilter, AnswersFarOutsideSayWhatTheEndOfTheBinsSays) {
  for (const NoiseKind law : {NoiseKind::laplace, NoiseKind::gaussian}) {
    for (const double value : {-1e6, 1e6}) {
      LoadFilter filter(model(), kYearlyKwh);
      const Moments found = filter.step(NoisyAnswer{value, 0.1, law});
      ASSERT_TRUE(std::isfinite(found.mean) && std::isfinite(found.variance));
      const double end = kLevelKw * (value < 0 ? model().edges().front() : model().edges().back());
      EXPECT_NEAR(found.mean, end, 0.2);
      EXPECT_TRUE(std::isfinite(filter.step(NoisyAnswer{0.5, 0.1, law}).mean));
    }
  }
}

TEST(LoadFilter, BothKindsOfProcessorsGiveTheSame) {
  if (!fugu::detail::has_avx2()) GTEST_SKIP() << "one kind only";
  detail::BinWeights plain;
  std::ranges::copy(model().marginal(3), plain.of.begin());
  detail::BinWeights vectors = plain;
  for (std::size_t i = 0; i < 200; ++i) {
    detail::predict_portable(model().transitions(i % 24).data(), plain);
    detail::predict_avx2(model().transitions(i % 24).data(), vectors);
    const double value = 3 * std::sin(static_cast<double>(i));
    const double scale = std::exp(std::cos(7 * static_cast<double>(i)));
    const auto a = detail::weigh_portable(model().edges().data(), value, scale, plain);
    const auto b = detail::weigh_avx2(model().edges().data(), value, scale, vectors);
    ASSERT_EQ(a.weight, b.weight);
    ASSERT_EQ(a.load, b.load);
    ASSERT_EQ(a.square, b.square);
    ASSERT_EQ(plain.of, vectors.of);
  }
}

TEST(LoadFilter, ExactAnswersAreTheTruth) {
  LoadFilter filter(model(), kYearlyKwh);
  const Moments found = filter.step(NoisyAnswer{0.77, 0});
  EXPECT_DOUBLE_EQ(found.mean, 0.77);
  EXPECT_EQ(found.variance, 0);
  // And tell something about the next slot.
  LoadFilter without(model(), kYearlyKwh);
  without.step(std::nullopt);
  EXPECT_LT(filter.step(std::nullopt).variance, without.step(std::nullopt).variance);
}

TEST(LoadFilter, WithoutAnswersItKnowsTheUsualDay) {
  LoadFilter filter(model(), kYearlyKwh);
  double evening = 0;
  double day = 0;
  for (std::size_t slot = 0; slot < 96; ++slot) {
    const double mean = filter.step(std::nullopt).mean;
    (slot >= 70 && slot < 86 ? evening : day) += mean;
  }
  EXPECT_GT(evening / 16, 1.6 * day / 80);
}

TEST(LoadFilter, LearnsTheLevelOfWhoHasNoBill) {
  const double truth = 3 * model().level_kw();
  Dice dice(5, 1, 1);
  LoadFilter filter(model(), std::nullopt);
  for (std::size_t slot = 0; slot < 30 * 96; ++slot) {
    const double load = truth * model().mean(slot % 96 / 4);
    filter.step(NoisyAnswer{load + dice.bell(0, 1), 1.0});
  }
  EXPECT_NEAR(filter.level_kw(), truth, 0.15 * truth);
}

/// Loads drawn from the model itself: then the filter's mean and variance are those of what it does not know.
TEST(LoadFilter, StatesItsErrorRightly) {
  Dice dice(11, 2, 3);
  const auto draw_bin = [&](std::span<const double> law) {
    double left = dice.uniform();
    std::size_t bin = 0;
    while (bin + 1 < kBins && left >= law[bin]) left -= law[bin++];
    return bin;
  };
  for (const double scale : {0.1, 0.5, 2.0}) {
    LoadFilter filter(model(), kYearlyKwh);
    std::size_t bin = 0;
    double squares = 0;
    double stated = 0;
    constexpr std::size_t kSlots = 40'000;
    for (std::size_t slot = 0; slot < kSlots; ++slot) {
      const std::size_t hour = slot % 96 / 4;
      bin = draw_bin(slot == 0 ? model().marginal(0) : model().transitions(hour).subspan(bin * kBins, kBins));
      const double low = model().edges()[bin];
      const double load = kLevelKw * (low + dice.uniform() * (model().edges()[bin + 1] - low));
      const double noise = -scale * std::log1p(-dice.uniform()) + scale * std::log1p(-dice.uniform());
      const Moments found = filter.step(NoisyAnswer{load + noise, scale});
      squares += (found.mean - load) * (found.mean - load);
      stated += found.variance;
    }
    EXPECT_NEAR(squares / stated, 1, 0.08) << scale;
    EXPECT_LT(squares / kSlots, 2 * scale * scale) << scale;  // better than the answer alone
  }
}

}  // namespace
}  // namespace fugu::grid
