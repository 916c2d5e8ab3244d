#include "fugu/study/suite.hpp"

#include <gtest/gtest.h>

#include "fugu/study/study.hpp"

namespace fugu {
namespace {

constexpr const char* kWhole = R"(
name = "small"
title = "A title"
description = "What it is"
seed = 3
runs = 7
gamma = 2.5
mechanisms = ["uniform", "hybrid:8"]
metrics = ["mae", "season"]
[[stream]]
season = [40, 80]
amplitude = [10, 100]
[[stream]]
file = "a.csv"
name = "recorded"
series = ["x", "y"]
budgets = "shared"
sensitivity = 10
truncate = true
[[requirement]]
name = "vary-epsilon"
epsilon = [0.1, 1]
w = 120
[[requirement]]
name = "vary-w"
epsilon = 1
w = [40, 120]
)";

TEST(Suite, ReadsTheFourElements) {
  const auto suite = parse_suite("small.toml", kWhole);
  ASSERT_TRUE(suite) << suite.error().message;
  EXPECT_EQ(suite->name, "small");
  EXPECT_EQ(suite->seed, 3U);
  EXPECT_EQ(suite->runs, 7U);
  EXPECT_EQ(suite->gamma.value, 2.5);
  EXPECT_FALSE(suite->gamma.is_share_of_sum);
  EXPECT_TRUE(suite->wants(Measure::season));
  EXPECT_FALSE(suite->wants(Measure::forecast));
  ASSERT_EQ(suite->mechanisms.size(), 2U);
  EXPECT_EQ(suite->mechanisms[1].label, "hybrid:8");
  EXPECT_EQ(suite->mechanisms[1].name, "hybrid");
  EXPECT_EQ(suite->mechanisms[1].every_slots, 8U);
  EXPECT_EQ(suite->mechanisms[1].place.line, 8U);
  ASSERT_EQ(suite->streams.size(), 5U);
  EXPECT_EQ(suite->streams[1].name, "season40-amplitude100");
  EXPECT_EQ(suite->streams[1].amplitude, 100);
  EXPECT_EQ(suite->streams[2].season_slots, 80);
  EXPECT_EQ(suite->streams[4].name, "recorded");
  EXPECT_EQ(suite->streams[4].budgets, SuiteBudgets::shared);
  EXPECT_TRUE(suite->streams[4].truncate);
  ASSERT_EQ(suite->requirements.size(), 4U) << "two experiments that meet in (1, 120) are still two experiments";
  EXPECT_EQ(suite->requirements[3].window_slots, 120U);
}

TEST(Suite, TheGeneratorOfTheAuthorsHasItsOwnShape) {
  const auto suite = parse_suite("s.toml", R"(mechanisms = "uniform"
[[stream]]
generator = "as-published"
season = 80
amplitude = 10
sparsity = 0.5
[[requirement]]
epsilon = 1
w = 1
)");
  ASSERT_TRUE(suite) << suite.error().message;
  EXPECT_EQ(suite->name, "s");
  const auto& options = std::get<ArtificialOptions>(suite->streams[0].source);
  EXPECT_EQ(options.form, ArtificialForm::as_published);
  EXPECT_EQ(options.growth, 1.3);
  EXPECT_EQ(options.level, 2);
  EXPECT_EQ(suite->streams[0].unit_step, "0.001");
  EXPECT_EQ(suite->streams[0].season_slots, 80);
  EXPECT_EQ(suite->streams[0].period_slots, 160U) << "with as much rest in between, seasons start twice as far apart";
}

TEST(Suite, SparseSeriesAndAnomaliesAreStreamsToo) {
  const auto suite = parse_suite("s.toml", R"(mechanisms = "uniform"
metrics = ["anomalies"]
[[stream]]
generator = "sparse"
series = 30
length = 50
amplitude = 20
skew = 1.5
[[stream]]
season = 80
amplitude = 10
anomalies = "plateaus"
[[requirement]]
epsilon = 1
w = 1
)");
  ASSERT_TRUE(suite) << suite.error().message;
  EXPECT_TRUE(suite->wants(Measure::anomalies));
  const auto& sparse = std::get<SparseOptions>(suite->streams[0].source);
  EXPECT_EQ(sparse.series, 30);
  EXPECT_EQ(sparse.skew, 1.5);
  EXPECT_FALSE(suite->streams[0].anomalies);
  EXPECT_EQ(suite->streams[1].anomalies, AnomalyKind::plateaus);
}

struct Bad {
  const char* name;
  std::string replace;
  std::string with;
  const char* message;
};

class BadSuite : public testing::TestWithParam<Bad> {};

TEST_P(BadSuite, SaysWhatAndWhere) {
  std::string text = kWhole;
  const std::size_t at = text.find(GetParam().replace);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, GetParam().replace.size(), GetParam().with);
  const auto suite = parse_suite("bad.toml", text);
  ASSERT_FALSE(suite);
  EXPECT_EQ(suite.error().cause, Cause::bad_input);
  EXPECT_EQ(suite.error().message.find(GetParam().message), 0U) << suite.error().message;
}

const std::string kStreams = R"([[stream]]
season = [40, 80]
amplitude = [10, 100]
)";

INSTANTIATE_TEST_SUITE_P(
    Suite, BadSuite,
    testing::Values(
        Bad{"not_toml", "runs = 7", "runs = = 7", "bad.toml:6:8: found "},
        Bad{"not_a_table", "runs = 7", "[=[a]]", "bad.toml:6:1: found a line that cannot be read; expected TOML"},
        Bad{"letters_beyond_ascii", "runs = 7", "runs\xef\xbb\xbe = 7", "bad.toml:6:5: found "},
        Bad{"unknown_key", "seed = 3", "sed = 3", "bad.toml:5:1: found the key 'sed'; expected one of "},
        Bad{"unknown_key_of_a_stream", "truncate = true", "trunc = true", "bad.toml:19:1: found the key 'trunc'"},
        Bad{"wrong_type", "runs = 7", "runs = \"7\"", "bad.toml:6:8: found a text; expected runs as a whole number"},
        Bad{"no_runs", "runs = 7", "runs = 0",
            "bad.toml:6:8: found 0; expected runs as a whole number from 1 to 1000000"},
        Bad{"nan", "gamma = 2.5", "gamma = nan", "bad.toml:7:9: found nan; expected gamma from"},
        Bad{"two_gammas", "gamma = 2.5", "gamma = 1\ngamma_share = 0.1", "bad.toml:8:15: found gamma and gamma_share"},
        Bad{"metric", "\"season\"", "\"seasons\"", "bad.toml:9:19: found the metric 'seasons'; expected one of mae"},
        Bad{"empty_grid", "[\"uniform\", \"hybrid:8\"]", "[]", "bad.toml:8:14: found an empty list"},
        Bad{"no_mechanisms", "mechanisms = [\"uniform\", \"hybrid:8\"]", "", "bad.toml"},
        Bad{"every", "hybrid:8", "hybrid:x", "bad.toml:8:26: found 'hybrid:x'; expected NAME"},
        Bad{"every_too_long", "hybrid:8", "hybrid:999999999", "bad.toml:8:26: found 'hybrid:999999999'; expected NAME"},
        Bad{"twice", "hybrid:8", "uniform", "bad.toml:8:26: found 'uniform' twice"},
        Bad{"generator", "amplitude = [10, 100]", "amplitude = 10\ngenerator = \"author\"",
            "bad.toml:13:13: found 'author'; expected generator = \"thesis\""},
        Bad{"anomalies", "amplitude = [10, 100]", "amplitude = 10\nanomalies = \"spikes\"",
            "bad.toml:13:13: found 'spikes'; expected anomalies = \"extrema\""},
        Bad{"no_season", kStreams, "[[stream]]\namplitude = 1\n", "bad.toml:10:1: found no season"},
        Bad{"stream_is_no_list", kStreams, "stream = 3\n", "bad.toml:"},
        Bad{"stream_twice", kStreams, kStreams + kStreams,
            "bad.toml:13:1: found a second stream 'season40-amplitude10'"},
        Bad{"budgets", "\"shared\"", "\"split\"", "bad.toml:17:11: found 'split'; expected budgets"},
        Bad{"epsilon", "epsilon = [0.1, 1]", "epsilon = [0.1, -1]", "bad.toml:22:17: found -1; expected epsilon"},
        Bad{"w_too_long", "w = 120", "w = 999999999",
            "bad.toml:23:5: found 999999999; expected w as a whole number from 1 to 16777216"},
        Bad{"no_w", "w = 120\n", "", "bad.toml:20:1: found no w"},
        Bad{"requirement_twice", "name = \"vary-w\"", "name = \"vary-epsilon\"", "bad.toml:24:1: found a requirement"}),
    [](const auto& instance) { return instance.param.name; });

TEST(Suite, WithoutStreamsOrRequirementsTheGridIsEmpty) {
  const auto no_streams = parse_suite("e.toml", "mechanisms = [\"uniform\"]\n[[requirement]]\nepsilon = 1\nw = 2\n");
  ASSERT_FALSE(no_streams);
  EXPECT_NE(no_streams.error().message.find("found no [[stream]]; expected at least one: the grid is empty"),
            std::string::npos);
  const auto nothing = parse_suite("e.toml", "");
  ASSERT_FALSE(nothing);
  EXPECT_NE(nothing.error().message.find("the grid is empty"), std::string::npos) << nothing.error().message;
}

TEST(Suite, ShippedSuitesAreInOrder) {
  std::vector<std::string> names;
  for (const ShippedSuite& shipped : shipped_suites()) {
    const auto suite = find_suite(std::string(shipped.name));
    ASSERT_TRUE(suite) << suite.error().message;
    EXPECT_EQ(suite->name, shipped.name);
    EXPECT_FALSE(suite->description.empty());
    names.emplace_back(shipped.name);
    if (shipped.name == "thesis-real") continue;  // needs data
    const auto study = Study::make(*suite, {});
    EXPECT_TRUE(study) << study.error().message;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"smoke", "anomalies", "artificial-plus", "many-sparse", "policies",
                                             "thesis-artificial", "thesis-real", "unseen"}));
}

TEST(Suite, TheArtificialSuiteIsTheOneOfTheThesis) {
  const auto suite = find_suite("thesis-artificial");
  ASSERT_TRUE(suite);
  EXPECT_EQ(suite->streams.size(), 20U);
  for (const SuiteStream& stream : suite->streams) {
    const auto& options = std::get<ArtificialOptions>(stream.source);
    EXPECT_EQ(options.form, ArtificialForm::authors) << "their very streams, and not others of the same law";
    EXPECT_EQ(options.seed, 12345678U);
  }
  EXPECT_EQ(suite->requirements.size(), 11U);
  EXPECT_EQ(suite->runs, 100U);
  std::vector<std::string> names;
  for (const SuiteMechanism& mechanism : suite->mechanisms) names.push_back(mechanism.label);
  EXPECT_EQ(names, (std::vector<std::string>{"uniform", "sample", "bd", "ba", "fast-w", "dsat-w", "rescuedp", "adapub",
                                             "pegasus"}));
}

TEST(Suite, AnUnknownNameListsTheKnownOnes) {
  const auto suite = find_suite("smok");
  ASSERT_FALSE(suite);
  EXPECT_EQ(suite.error().cause, Cause::usage);
  EXPECT_NE(suite.error().message.find("known are smoke, anomalies"), std::string::npos);
  EXPECT_FALSE(find_suite("./not-there.toml"));
}

}  // namespace
}  // namespace fugu
