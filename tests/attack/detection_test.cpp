// The plain attack: finds what is there, guesses where there is nothing; and the log it is judged by.
#include "fugu/attack/detection.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace fugu::test {
namespace {

/// A slow load with uses of `height` for `length` slots at the starts.
std::vector<double> load_with_uses(const std::vector<std::size_t>& starts, double height, std::size_t length,
                                   double noise) {
  std::vector<double> values(2000);
  std::mt19937_64 random(3);
  std::exponential_distribution<double> exponential(1);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = 10 + 3 * std::sin(static_cast<double>(i) / 40) +
                noise * (exponential(random) - exponential(random));  // Laplace
  for (const std::size_t start : starts)
    for (std::size_t i = start; i < start + length; ++i) values[i] += height;
  return values;
}

TEST(Detection, FindsUsesInALoadWithoutNoiseAndNoneInNoise) {
  std::vector<std::size_t> starts;
  for (std::size_t start = 50; start < 1900; start += 61) starts.push_back(start);
  const auto judge = [&](double noise) {
    return judge_claims(matched_filter(load_with_uses(starts, 2, 4, noise), 2, 4), starts, 4);
  };
  const DetectionCount clear = judge(0.01);
  EXPECT_EQ(clear.uses, starts.size());
  EXPECT_EQ(clear.recall(), 1);
  EXPECT_EQ(clear.precision(), 1);
  EXPECT_GT(clear.auc(), 0.999);
  const DetectionCount hidden = judge(400);
  EXPECT_LT(hidden.precision(), 0.2);
  EXPECT_NEAR(hidden.precision(), hidden.chance_precision(), 0.06);  // about 4 standard deviations of 400 claims
  EXPECT_NEAR(hidden.auc(), 0.5, 2.6 * hidden.auc_half_width());     // five standard deviations: 10⁻⁶
  EXPECT_GT(judge(1).auc(), hidden.auc());
}

TEST(Detection, ManySeriesShowAUseOnceAndAQuietOneDecides) {
  std::vector<std::size_t> starts;
  for (std::size_t start = 50; start < 1900; start += 61) starts.push_back(start);
  const auto scores = [&](double noise) { return matched_filter(load_with_uses(starts, 2, 4, noise), 2, 4); };
  const std::vector<double> clear = scores(0.01);
  const std::vector<double> hidden = scores(400);
  const DetectionCount both = judge_claims(combined_scores(std::vector{hidden, clear}), starts, 4);
  EXPECT_EQ(both.uses, starts.size());
  EXPECT_EQ(both.ranked, starts.size());
  EXPECT_EQ(both.recall(), 1);
  EXPECT_EQ(both.precision(), 1);
  const std::vector<double> alone = combined_scores(std::vector<std::vector<double>>{hidden});
  for (std::size_t i = 0; i < alone.size(); ++i)
    EXPECT_TRUE(std::isnan(hidden[i]) || std::abs(alone[i] - hidden[i]) <= 1e-12 * std::abs(hidden[i])) << i;
}

TEST(Detection, CombinedScoresTakeWhatThereIs) {
  const double gap = std::nan("");
  // Variances 1, 2/9 and 0.
  const std::vector<std::vector<double>> by_series = {{-1, 1, gap, gap}, {0.5, -0.5, 0.5, gap}, {0, 0, 0, gap}};
  const std::vector<double> scores = combined_scores(by_series);
  EXPECT_NEAR(scores[1], (1 * 1 + 4.5 * -0.5) / 5.5, 1e-12);
  EXPECT_NEAR(scores[2], 0.5, 1e-12);
  EXPECT_TRUE(std::isnan(scores[3]));
  EXPECT_EQ(combined_scores(std::span(by_series).subspan(2))[0], 0);
  EXPECT_TRUE(combined_scores({}).empty());
}

TEST(Detection, GapsAndShortStreamsSayNothing) {
  const double gap = std::nan("");
  const std::vector<double> scores = matched_filter(std::vector<double>{1, 1, gap, 1, 3, 1}, 2, 1);
  EXPECT_TRUE(std::isnan(scores[1]));
  EXPECT_TRUE(std::isnan(scores[2]));
  EXPECT_EQ(scores[4], 1);
  EXPECT_TRUE(std::isnan(matched_filter(std::vector<double>{1, 1}, 2, 2)[0]));  // nothing around it
  EXPECT_EQ(judge_claims({}, {}, 3).claims, 0u);
  EXPECT_TRUE(std::isnan(judge_claims({}, {}, 3).auc()));
}

TEST(Detection, EqualValuesAreOneClaim) {
  // A repeated release: the peak is flat.
  const DetectionCount count =
      judge_claims(std::vector<double>{0, 0.9, 0.9, 0.9, 0, 0}, std::vector<std::size_t>{2}, 3);
  EXPECT_EQ(count.claims, 1u);
  EXPECT_EQ(count.hits, 1u);
}

Result<std::vector<LoggedUse>> read(const std::string& text, const Clock& clock = {}) {
  return read_use_log(Input::from_memory("uses.csv", text), clock, 15);
}

TEST(UseLog, SlotsThatAUseTouches) {
  const auto uses = read("meter,appliance,start,minutes,kw\nh0,oven,14,2,2.1\nh1,stove,30,15,1\n");
  ASSERT_TRUE(uses) << uses.error().message;
  EXPECT_EQ((*uses)[0].first, 0);
  EXPECT_EQ((*uses)[0].length_slots, 2u);
  EXPECT_EQ((*uses)[1].first, 2);
  EXPECT_EQ((*uses)[1].length_slots, 1u);
  const auto timed = read("meter,appliance,start,minutes,kw\nh0,oven,1970-01-01T00:50:00Z,20,2.1\n", Clock(3600, 1800));
  ASSERT_TRUE(timed) << timed.error().message;
  EXPECT_EQ((*timed)[0].first, -1);
  EXPECT_EQ((*timed)[0].length_slots, 2u);
}

TEST(UseLog, BadRowsAreNamed) {
  const std::string header = "meter,appliance,start,minutes,kw\n";
  const std::pair<std::string, std::string> cases[] = {
      {"meter,start\n", "uses.csv:1:1: found another header"},
      {header + "h0,oven,3,5\n", "uses.csv:2:1: found 4 fields"},
      {header + ",oven,3,5,1\n", "uses.csv:2:1:"},
      {header + "h0,oven,soon,5,1\n", "uses.csv:2:9:"},
      {header + "h0,oven,3,0,1\n", "minutes, a whole number from 1"},
      {header + "h0,oven,3,5,-1\n", "power, a number above 0"},
      {header + "h0,oven,3,5,nan\n", "power, a number above 0"},
  };
  for (const auto& [text, message] : cases) {
    const auto uses = read(text);
    ASSERT_FALSE(uses) << text;
    EXPECT_NE(uses.error().message.find(message), std::string::npos) << uses.error().message;
  }
}

}  // namespace
}  // namespace fugu::test
