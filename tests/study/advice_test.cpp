// Advice is checked against what it predicts: closed forms by hand, runs with other seeds, the study engine.
#include "fugu/study/advice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <numeric>

#include "fugu/noise/law.hpp"
#include "support/temp_dir.hpp"

namespace fugu {
namespace {

constexpr StreamFacts kDay{.amplitude = 500, .period_slots = 40, .length_slots = 400};

Advisor advisor_of(const AdviceOptions& options) {
  auto advisor = Advisor::make(options);
  EXPECT_TRUE(advisor) << advisor.error().message;
  return *std::move(advisor);
}

Advice rank(const Advisor& advisor, const AdviceRequirement& requirement) {
  auto advice = advisor.rank(requirement);
  EXPECT_TRUE(advice) << advice.error().message;
  return *std::move(advice);
}

const Prediction& find(const Advice& advice, std::string_view name) {
  const auto found = std::ranges::find_if(advice.ranked, [&](const Prediction& each) {
    return each.label == name || (each.strategy != nullptr && each.strategy->name == name);
  });
  EXPECT_NE(found, advice.ranked.end()) << name;
  return *found;
}

/// The mean over runs that a study of the same stream measures, with standard error.
struct Measured {
  double mean = 0;
  double standard_error = 0;
};

/// Writes the first made-up stream to a file, so that a study and a sample see the same values.
class AdviceOnFile : public testing::Test {
 protected:
  void SetUp() override {
    const auto values = generate_artificial({.length_slots = 400, .season_slots = 40, .amplitude = 300, .growth = 1.1});
    std::string text = "slot,load\n";
    for (std::size_t t = 0; t < values->size(); ++t)
      text.append(std::to_string(t)).append(",").append(std::to_string(std::llround((*values)[t]))).append("\n");
    test::write_file(folder_ / "s.csv", text);
  }
  AdviceOptions sample(AdviceMetric metric = AdviceMetric::mae, std::uint64_t seed = 1) const {
    return {.stream = PublicSample{folder_ / "s.csv", 1, 40}, .metric = metric, .gamma = 10, .seed = seed};
  }
  Measured study(const std::string& mechanism, const AdviceRequirement& requirement, std::uint64_t runs,
                 double CellResult::* measure) const {
    std::vector<double> values;
    // Runs of one study share a cell: blocks with seeds of their own tell how far means differ.
    constexpr std::uint64_t kBlocks = 16;
    for (std::uint64_t block = 0; block < kBlocks; ++block) {
      auto suite = parse_suite("t.toml", "gamma = 10\nmechanisms = [\"" + mechanism +
                                             "\"]\n[[stream]]\nfile = \"s.csv\"\n[[requirement]]\nepsilon = " +
                                             std::to_string(requirement.epsilon) +
                                             "\nw = " + std::to_string(requirement.window_slots) + "\n");
      EXPECT_TRUE(suite) << suite.error().message;
      const auto made = Study::make(
          *std::move(suite),
          {.data_folder = folder_ / "", .seed = 1000 + block, .runs = std::max<std::uint64_t>(1, runs / kBlocks)});
      EXPECT_TRUE(made) << made.error().message;
      EXPECT_TRUE(made->run({.threads = 1}, [&](std::size_t cell, const CellResult& result) -> Result<void> {
        if (cell == 0) values.push_back(result.*measure);
        return {};
      }));
    }
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / kBlocks;
    double squares = 0;
    for (const double value : values) squares += (value - mean) * (value - mean);
    return {mean, std::sqrt(squares / (kBlocks - 1) / kBlocks)};
  }

  test::TempDir folder_;
};

TEST(Advice, UniformIsItsNoiseWhateverTheStream) {
  const Advice advice = rank(advisor_of({.stream = kDay, .sensitivity = 2}), {.epsilon = 0.5, .window_slots = 12});
  const Prediction& uniform = find(advice, "uniform");
  EXPECT_TRUE(uniform.closed_form);
  EXPECT_NEAR(uniform.error, (NoiseLaw{NoiseKind::laplace, {48, 1}}.expected_magnitude()), 1e-4);
  EXPECT_EQ(uniform.staleness_part, 0);
  EXPECT_EQ(uniform.samples_per_window, 12);
  EXPECT_GT(uniform.spread, 0) << "the law is exact, a run is not";
}

TEST(Advice, SampleByHand) {
  test::TempDir folder;
  test::write_file(folder / "s.csv", "slot,x\n0,100\n1,103\n2,100\n3,90\n4,\n5,96\n");
  const PublicSample sample{folder / "s.csv", std::nullopt, std::nullopt};
  const NoiseLaw law{NoiseKind::laplace, {1, 1}};
  const auto around = [&](std::int64_t offset) { return law.expected_magnitude_around(offset); };
  const auto of = [&](AdviceMetric metric) {
    return find(rank(advisor_of({.stream = sample, .metric = metric, .gamma = 95}), {.epsilon = 1, .window_slots = 3}),
                "sample");
  };
  // Released in slots 0 and 3; slot 4 has no truth. A budget of 1 is a scale of 1 but for its rounding.
  const double sum = around(0) + around(3) + around(0) + around(0) + around(6);
  EXPECT_NEAR(of(AdviceMetric::mae).error, sum / 5, 1e-6);
  EXPECT_NEAR(of(AdviceMetric::rmse).error, std::sqrt(law.variance() + (9 + 36) / 5.0), 1e-6);
  const double relative = around(0) / 100 + around(3) / 103 + around(0) / 100 + around(0) / 95 + around(6) / 96;
  EXPECT_NEAR(of(AdviceMetric::mre).error, relative / 5, 1e-8);
}

TEST_F(AdviceOnFile, ClosedFormsAreWhatAStudyMeasures) {
  const AdviceRequirement requirement{.epsilon = 0.5, .window_slots = 20};
  const Advice mae = rank(advisor_of(sample()), requirement);
  const Advice mre = rank(advisor_of(sample(AdviceMetric::mre)), requirement);
  const std::string hybrid = "hybrid:" + std::to_string(*find(mae, "hybrid").every_slots);
  for (const std::string& name : {std::string("uniform"), std::string("sample"), hybrid}) {
    const Prediction& predicted = find(mae, name.substr(0, name.find(':')));
    ASSERT_TRUE(predicted.closed_form);
    const Measured measured = study(name, requirement, 480, &CellResult::mae);
    // 16 means of 30 runs each: six standard errors of a t with 15 degrees of freedom, false alarms below 3e-5.
    EXPECT_NEAR(predicted.error, measured.mean, 6 * measured.standard_error) << name;
    EXPECT_LT(measured.standard_error, 0.02 * measured.mean) << "too blunt a test";
    // A prediction that forgets what the stream moves is found out.
    const bool stands_still = name == "uniform";
    EXPECT_EQ(std::abs(predicted.noise_part - measured.mean) < 6 * measured.standard_error, stands_still) << name;
  }
  const Measured measured = study("uniform", requirement, 480, &CellResult::mre);
  EXPECT_NEAR(find(mre, "uniform").error, measured.mean, 6 * measured.standard_error);
}

TEST_F(AdviceOnFile, SimulatedOnesAreWhatAStudyMeasuresWithOtherSeeds) {
  const AdviceRequirement requirement{.epsilon = 0.5, .window_slots = 20};
  const Advice advice = rank(advisor_of(sample()), requirement);
  for (const char* name : {"ba", "dsat-w", "fast-w", "pegasus"}) {
    const Prediction& predicted = find(advice, name);
    EXPECT_FALSE(predicted.closed_form);
    const Measured measured = study(name, requirement, 128, &CellResult::mae);
    EXPECT_NEAR(predicted.error, measured.mean, 6 * std::hypot(measured.standard_error, predicted.standard_error))
        << name;
  }
}

TEST_F(AdviceOnFile, TheBestStepOfTheHybridIsTheBestOfAll) {
  const AdviceRequirement requirement{.epsilon = 0.5, .window_slots = 20};
  const Advice advice = rank(advisor_of(sample()), requirement);
  const Prediction& best = find(advice, "hybrid");
  for (const std::uint64_t k : {2U, 3U, 4U, 5U, 7U, 10U, 15U, 19U}) {
    const Measured other = study("hybrid:" + std::to_string(k), requirement, 160, &CellResult::mae);
    EXPECT_LE(best.error, other.mean + 6 * other.standard_error) << k;
  }
  EXPECT_GT(*best.every_slots, 1U);
  EXPECT_LT(*best.every_slots, 20U);
}

TEST(Advice, OnlyWhatMayBePublishedIsListed) {
  const Advice advice = rank(advisor_of({.stream = kDay}), {.epsilon = 1, .window_slots = 8});
  ASSERT_GE(advice.ranked.size(), 10U);
  for (std::size_t i = 0; i < advice.ranked.size(); ++i) {
    const Prediction& each = advice.ranked[i];
    EXPECT_GE(each.error, advice.ranked[i == 0 ? 0 : i - 1].error);
    if (each.strategy == nullptr) continue;
    EXPECT_NE(each.strategy->serves, Serves::policies) << each.label;
  }
}

TEST(Advice, NothingBeatsZeroWhenTheNoiseIsLargerThanTheStream) {
  const StreamFacts tiny{.amplitude = 10, .period_slots = 40, .length_slots = 400, .growth = 1.5};
  const Advice advice = rank(advisor_of({.stream = tiny}), {.epsilon = 0.1, .window_slots = 120});
  EXPECT_FALSE(advice.looking_helps());
  EXPECT_EQ(advice.ranked.front().strategy, nullptr);
  const Advice easy = rank(advisor_of({.stream = kDay}), {.epsilon = 10, .window_slots = 10});
  EXPECT_TRUE(easy.looking_helps());
}

TEST_F(AdviceOnFile, EpsilonOfATargetHoldsWithOtherSeeds) {
  constexpr double kTarget = 15;
  const auto found = advisor_of(sample()).solve_epsilon(kTarget, 20);
  ASSERT_TRUE(found);
  ASSERT_TRUE(found->reached);
  const Prediction other = find(rank(advisor_of(sample(AdviceMetric::mae, 99)), found->requirement), found->label);
  EXPECT_LE(other.error, kTarget + 6 * other.standard_error);
  AdviceRequirement less = found->requirement;
  less.epsilon *= 0.97;
  for (const Prediction& each : rank(advisor_of(sample(AdviceMetric::mae, 99)), less).ranked)
    EXPECT_TRUE(each.strategy == nullptr || each.error + 6 * each.standard_error > kTarget) << each.label;
}

TEST_F(AdviceOnFile, WindowOfATargetIsTheLongest) {
  constexpr double kTarget = 15;
  const Advisor advisor = advisor_of(sample());
  const auto found = advisor.solve_window(kTarget, 1);
  ASSERT_TRUE(found);
  ASSERT_TRUE(found->reached);
  AdviceRequirement requirement = found->requirement;
  EXPECT_LE(find(rank(advisor, requirement), found->label).error, kTarget);
  ++requirement.window_slots;
  EXPECT_GT(rank(advisor, requirement).best_strategy()->error, kTarget);
}

TEST_F(AdviceOnFile, TargetsThatCannotBeReached) {
  const auto window = advisor_of(sample()).solve_window(0.01, 0.1);
  ASSERT_TRUE(window);
  EXPECT_FALSE(window->reached);
  EXPECT_NEAR(window->closest, 10, 0.1) << "noise of scale 10 in a window of one slot";
  EXPECT_GT(advisor_of(sample(AdviceMetric::forecast_mae)).exact_error(), 0) << "the future is not known";
  EXPECT_EQ(advisor_of(sample(AdviceMetric::season_kept)).exact_error(), 0);
}

TEST_F(AdviceOnFile, RunsWithoutAnErrorReachNoTinyTarget) {
  constexpr double kTarget = 1e-6;
  const Advisor advisor = advisor_of(sample());
  const auto found = advisor.solve_epsilon(kTarget, 20);
  ASSERT_TRUE(found);
  ASSERT_TRUE(found->reached);
  EXPECT_EQ(found->label, "uniform") << "all others are judged by runs, which cannot show so little";
  EXPECT_NEAR(found->requirement.epsilon, 20 * std::log(2 / kTarget), 4) << "2·e^(−ε/w) of the discrete Laplace";
  EXPECT_FALSE(found->too_rare_to_tell.empty());
  const auto window = advisor.solve_window(kTarget, 1000);
  ASSERT_TRUE(window);
  EXPECT_EQ(window->label, "uniform");
  EXPECT_EQ(window->requirement.window_slots, static_cast<std::uint64_t>(1000 / std::log(2 / kTarget)));

  const Advice advice = rank(advisor, found->requirement);
  const Prediction& smooth = find(advice, "smooth");
  ASSERT_EQ(smooth.error, 0);
  EXPECT_EQ(smooth.runs_with_error, 0U);
  EXPECT_GT(smooth.unseen_error, kTarget);
  EXPECT_FALSE(told_apart(smooth, find(advice, "uniform")));
  EXPECT_TRUE(told_apart(smooth, find(advice, "zero")));
  EXPECT_EQ(advice.best_strategy()->label, "uniform") << "whose error is known";
}

TEST_F(AdviceOnFile, TargetsThatRunsCannotShowInAMetricOfAnalyses) {
  const Advisor advisor = advisor_of(sample(AdviceMetric::changes_found));
  const auto tiny = advisor.solve_epsilon(1e-6, 20);
  ASSERT_TRUE(tiny);
  EXPECT_FALSE(tiny->reached);
  EXPECT_FALSE(tiny->too_rare_to_tell.empty());
  EXPECT_GT(tiny->closest, 0);
  // Twelve changes: at most 5 of 128 runs go wrong unseen, and miss all changes then.
  const auto coarse = advisor.solve_window(0.05, 30'000);
  ASSERT_TRUE(coarse);
  EXPECT_TRUE(coarse->reached) << "no error in 128 runs is enough for a coarse target";
  EXPECT_EQ(coarse->requirement.window_slots, 400U);
}

TEST_F(AdviceOnFile, EveryMetricHasARanking) {
  for (const char* name : {"mae", "rmse", "mre", "season_autocorrelation", "season_kept", "level_error",
                           "amplitude_kept", "peak_error_slots", "changes_found", "forecast_mae"}) {
    const auto metric = find_advice_metric(name);
    ASSERT_TRUE(metric) << name;
    EXPECT_EQ(name_of(*metric), name);
    const Advice advice = rank(advisor_of(sample(*metric)), {.epsilon = 1, .window_slots = 10});
    for (const Prediction& each : advice.ranked) EXPECT_TRUE(std::isfinite(each.error)) << name << " " << each.label;
  }
  EXPECT_FALSE(find_advice_metric("accuracy"));
}

TEST(Advice, SeveralSeriesAndDelta) {
  StreamFacts facts = kDay;
  facts.series = 3;
  facts.length_slots = 80;
  const auto uniform = [&](SuiteBudgets budgets, double delta) {
    AdviceOptions options{.stream = facts, .budgets = budgets};
    options.delta = *Delta::make(delta);
    return find(rank(advisor_of(options), {.epsilon = 1, .window_slots = 10}), "uniform").error;
  };
  EXPECT_NEAR(uniform(SuiteBudgets::shared, 0) / uniform(SuiteBudgets::own, 0), 3, 0.02);
  EXPECT_LT(uniform(SuiteBudgets::shared, 1e-6), 5 * uniform(SuiteBudgets::own, 1e-6));
}

TEST(Advice, WindowsFarBeyondTheStream) {
  const Advisor advisor = advisor_of({.stream = kDay});
  const Advice advice = rank(advisor, {.epsilon = 1, .window_slots = 5'000});
  for (const Prediction& each : advice.ranked) EXPECT_TRUE(std::isfinite(each.error)) << each.label;
  EXPECT_LE(*find(advice, "hybrid").every_slots, 400U) << "a step beyond the stream is a single release, as Sample's";
  EXPECT_DOUBLE_EQ(find(advice, "sample").samples_per_window, 1) << "all the stream has";
  EXPECT_FALSE(advisor.rank({.epsilon = 1, .window_slots = 1'000'000'000})) << "more than can be promised";
  EXPECT_FALSE(advisor.rank({.epsilon = 1, .window_slots = 0}));
  EXPECT_FALSE(advisor.rank({.epsilon = 0, .window_slots = 1}));
}

TEST(Advice, AHugeWindowCostsNoMoreThanItsStream) {
  const Advisor advisor = advisor_of({.stream = kDay});
  const std::clock_t begin = std::clock();
  rank(advisor, {.epsilon = 1, .window_slots = 10'000'000});
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  EXPECT_LT(seconds, 20) << "0.3 s; minutes when every run sets up its whole window";
}

TEST(Advice, TellsPredictionsApart) {
  const Prediction a{.label = "a", .error = 10, .standard_error = 1, .by_stream = {10}};
  const Prediction b{.label = "b", .error = 12, .standard_error = 1, .by_stream = {12}};
  EXPECT_FALSE(told_apart(a, b)) << "two is less than twice √2";
  const Prediction c{.label = "c", .error = 10, .standard_error = 5, .by_stream = {5, 15}};
  const Prediction d{.label = "d", .error = 12, .standard_error = 5, .by_stream = {7.1, 16.9}};
  EXPECT_TRUE(told_apart(c, d)) << "the streams differ, the difference does not";
}

TEST(Advice, SaysWhatIsWrong) {
  const auto error_of = [](const AdviceOptions& options) {
    const auto made = Advisor::make(options);
    return made ? std::string() : made.error().message;
  };
  EXPECT_NE(error_of({.stream = StreamFacts{.amplitude = -1, .period_slots = 1}}).find("amplitude must be positive"),
            std::string::npos);
  EXPECT_NE(error_of({.stream = StreamFacts{.amplitude = 0.1, .period_slots = 10}}).find("unit step"),
            std::string::npos);
  test::TempDir folder;
  test::write_file(folder / "two.csv", "t,a,b\n0,1,2\n");
  const auto of_file = [&](const char* name, std::optional<std::size_t> series) {
    return error_of({.stream = PublicSample{folder / name, series, std::nullopt}});
  };
  EXPECT_NE(of_file("two.csv", 3).find("found 2 series; expected 3"), std::string::npos);
  EXPECT_EQ(of_file("two.csv", 2), "");
  EXPECT_NE(of_file("none.csv", 1).find("none.csv"), std::string::npos);
  test::write_file(folder / "empty.csv", "t,a\n");
  EXPECT_NE(of_file("empty.csv", 1).find("no slots"), std::string::npos);
  test::write_file(folder / "gaps.csv", "t,a\n0,\n1,\n");
  EXPECT_NE(of_file("gaps.csv", 1).find("only missing values"), std::string::npos);
}

}  // namespace
}  // namespace fugu
