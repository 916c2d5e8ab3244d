// The rules that studies run by the hundred thousand release what Simulation releases, bit by bit.
#include "fugu/study/adaptive_runs.hpp"

#include <cmath>

#include "fugu/comparison/catalogue.hpp"
#include "fugu/mechanism/publisher.hpp"
#include "fugu/simulate/simulation.hpp"
#include "fugu/strategy/outlook.hpp"
#include "fugu/strategy/registry.hpp"
#include "fugu/study/collections.hpp"

namespace fugu {
namespace {

constexpr const char* kRules[] = {"bd",          "ba",          "tes-bd",  "tes-ba",
                                  "tes-bd-idle", "tes-ba-idle", "unicorn", "unicorn-star"};

/// Twenty days of two households, and a load that moves, with gaps.
class AdaptiveRuns : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = simulate_collections({.households = 2, .days = 20, .seed = 5, .threads = 1});
    ASSERT_TRUE(made) << made.error().message;
    collections_ = *std::move(made);
    for (std::size_t t = 0; t < 20 * 96; ++t) {
      const auto day = static_cast<double>(t) / 96 * 6.283185;
      truth_.push_back(t % 500 > 490 ? kMissingSteps : std::llround(500'000 + 200'000 * std::sin(day)));
    }
  }

  struct Releases {
    std::vector<std::int64_t> values;
    std::vector<double> rates;
    std::size_t sampled = 0;
  };

  Releases simulated(const AdaptiveRun& run, std::size_t household) const {
    const auto definition = Definition::make(
        {.protects = Protects::swellfish, .epsilon = PromisedEpsilon::of_each_policy(), .exact_when_idle = true});
    const auto exposure =
        Exposure::make({.sensitivity_steps = {run.sensitivity_steps}, .signatures = Exposure::all_shared(1)});
    auto strategy = make_from_catalogue(run.strategy, {.policies = true});
    EXPECT_TRUE(definition && exposure && strategy);
    Mechanism mechanism{*definition, *exposure, NoiseKind::laplace, *std::move(strategy)};
    mechanism.policies =
        std::make_unique<CollectionFeed>(collections_.policies[household], Budget::round_down(run.epsilon), "h");
    Simulation simulation(std::move(mechanism), std::make_unique<SimulationNoise>(run.seed, run.run),
                          !find_in_catalogue(run.strategy)->comparison_only);
    Releases releases;
    SlotRow row{.values = {Raw()}};
    for (std::size_t t = 0; t < truth_.size(); ++t) {
      row.slot = static_cast<Slot>(t);
      row.values[0] = raw_of(truth_[t]);
      const auto release = simulation.step(row);
      EXPECT_TRUE(release);
      const ReleasedValue& value = (*release)->values()[0];
      releases.values.push_back(value.known ? value.value.steps : 0);
      releases.rates.push_back((*release)->loss_rates()[0]);
      releases.sampled += value.sampled ? 1 : 0;
    }
    return releases;
  }

  Releases fast(const AdaptiveRun& run, std::size_t household) const {
    const PolicyBook book = collections_.book(household, Budget::round_down(1));
    const HouseholdTimeline timeline(book.of(0), truth_.size());
    Releases releases;
    releases.sampled = run_adaptive(timeline, run, truth_, releases.values, &releases.rates);
    return releases;
  }

  Collections collections_;
  std::vector<std::int64_t> truth_;
};

TEST_F(AdaptiveRuns, ReleaseWhatSimulationReleases) {
  for (const char* rule : kRules) {
    for (const double epsilon : {0.01, 1.0, 10.0}) {
      for (std::size_t household = 0; household < 2; ++household) {
        const AdaptiveRun run{.strategy = rule,
                              .epsilon = epsilon,
                              .sensitivity_steps = collections_.sensitivity_w,
                              .seed = 11,
                              .run = household};
        const Releases expected = simulated(run, household);
        const Releases found = fast(run, household);
        EXPECT_EQ(found.values, expected.values) << rule << " " << epsilon;
        EXPECT_EQ(found.sampled, expected.sampled) << rule << " " << epsilon;
        ASSERT_EQ(found.rates.size(), expected.rates.size());
        for (std::size_t t = 0; t < truth_.size(); ++t) {
          if (std::isinf(expected.rates[t])) {
            EXPECT_EQ(found.rates[t], expected.rates[t]) << rule << " slot " << t;
          } else {
            EXPECT_NEAR(found.rates[t], expected.rates[t], 1e-12 * expected.rates[t]) << rule << " slot " << t;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace fugu
