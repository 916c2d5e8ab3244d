// The errors of Uniform, Sample and the hybrid against their closed forms, through the whole mechanism.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fugu/mechanism/publisher.hpp"
#include "fugu/noise/law.hpp"
#include "fugu/simulate/simulation.hpp"
#include "fugu/strategy/baselines.hpp"
#include "support/builders.hpp"

namespace fugu::test {
namespace {

/// Each comparison fails by chance with probability 1e-6: 4.9 standard deviations, of a mean of thousands of errors.
constexpr double kDeviations = 4.9;
const std::uint64_t kSeed = seed_or(20'261'116);

struct ErrorCase {
  std::uint64_t window;
  std::uint64_t every;
  double delta;
  std::int64_t slope;  ///< by how many steps the stream moves per slot
};

class BaselineError : public ::testing::TestWithParam<ErrorCase> {};

TEST_P(BaselineError, IsThatOfTheClosedForm) {
  const auto& [window, every, delta, slope] = GetParam();
  constexpr std::uint64_t kSensitivity = 10;
  constexpr Slot kReleases = 4000;
  const Definition definition = define(Protects::w_event, 1, delta, window);
  const NoiseKind kind = delta > 0 ? NoiseKind::gaussian : NoiseKind::laplace;
  Simulation simulation({definition, expose_one(kSensitivity), kind, std::make_unique<EveryKth>(every)},
                        std::make_unique<SimulationNoise>(kSeed, window * 1000 + every));
  // Errors i slots after a release, for every i: those of different releases are independent.
  std::vector<double> sum(every);
  Rational parameter;
  for (Slot slot = 0; slot < kReleases * static_cast<Slot>(every); ++slot) {
    const std::int64_t truth = slope * slot;
    const auto release = simulation.step(row_of(slot, {truth}));
    ASSERT_TRUE(release) << reason(release);
    const ReleasedValue& value = (**release)[0];
    EXPECT_EQ(value.sampled, static_cast<std::uint64_t>(slot) % every == 0);
    parameter = value.value.parameter;
    sum[static_cast<std::size_t>(slot) % every] += std::fabs(static_cast<double>(value.value.steps - truth));
  }
  const double per_window = std::ceil(static_cast<double>(window) / static_cast<double>(every));
  if (delta == 0) {
    EXPECT_NEAR(parameter.to_double(), static_cast<double>(kSensitivity) * per_window, 1e-6);
  }
  const NoiseLaw law{kind, parameter};
  for (std::uint64_t age = 0; age < every; ++age) {
    const auto moved = slope * static_cast<std::int64_t>(age);
    const double expected = law.expected_magnitude_around(moved);
    const double variance = law.variance() + static_cast<double>(moved * moved) - expected * expected;
    const double mean = sum[age] / static_cast<double>(kReleases);
    EXPECT_NEAR(mean, expected, kDeviations * std::sqrt(variance / static_cast<double>(kReleases)))
        << age << " slots after the release (alpha 1e-6, FUGU_TEST_SEED=" << kSeed << ")";
  }
}

INSTANTIATE_TEST_SUITE_P(Baselines, BaselineError,
                         ::testing::Values(ErrorCase{1, 1, 0, 0}, ErrorCase{8, 1, 0, 3}, ErrorCase{8, 8, 0, 0},
                                           ErrorCase{8, 8, 0, 5}, ErrorCase{8, 3, 0, 5}, ErrorCase{8, 1, 1e-6, 0},
                                           ErrorCase{8, 8, 1e-6, 9}),
                         [](const auto& tested) {
                           return "w" + std::to_string(tested.param.window) + "_every" +
                                  std::to_string(tested.param.every) + (tested.param.delta > 0 ? "_gaussian" : "") +
                                  "_slope" + std::to_string(tested.param.slope);
                         });

}  // namespace
}  // namespace fugu::test
