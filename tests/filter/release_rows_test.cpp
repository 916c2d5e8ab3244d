// The text of releases: everything is said in the unit of the readings, whatever a step is.
#include "fugu/filter/release_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/builders.hpp"

namespace fugu::test {
namespace {

ReleaseRows rows_of(const std::string& unit_step, const std::string& filter = "") {
  ReleaseFormat format;
  format.unit_step = *UnitStep::parse(unit_step);
  format.series = {"A"};
  format.filter = filter;
  auto rows = ReleaseRows::make(format);
  EXPECT_TRUE(rows) << reason(rows);
  return *std::move(rows);
}

ReleasedRow answer_of(std::int64_t steps, NoiseKind noise, Rational parameter, double loss_rate) {
  return {
      .steps = steps, .noise = noise, .parameter = parameter, .known = true, .sampled = true, .loss_rate = loss_rate};
}

std::string text_of(ReleaseRows rows, const ReleasedRow& row) {
  std::string text;
  rows.append("7", 0, row, text);
  return text;
}

TEST(ReleaseRows, SayEverythingInTheUnit) {
  // 12 steps of 0.25 with Laplace noise of 8 steps: 3 and 2; a change of one unit is four steps.
  EXPECT_EQ(text_of(rows_of("0.25"), answer_of(12, NoiseKind::laplace, {8, 1}, 0.125)), "7,A,3,2,0.5,1");
  EXPECT_EQ(text_of(rows_of("4"), answer_of(12, NoiseKind::laplace, {8, 1}, 0.125)), "7,A,48,32,0.03125,1");
  // A Gaussian's parameter is its variance, its scale the standard deviation.
  EXPECT_EQ(text_of(rows_of("0.25"), answer_of(12, NoiseKind::gaussian, {64, 1}, 0.125)), "7,A,3,2,0.5,1");
  ReleaseFormat in_rho = rows_of("0.25").format();
  in_rho.currency = Currency::rho;
  EXPECT_EQ(text_of(*ReleaseRows::make(in_rho), answer_of(12, NoiseKind::gaussian, {64, 1}, 0.125)), "7,A,3,2,2,1");
}

TEST(ReleaseRows, LeaveEmptyWhatIsNotKnown) {
  EXPECT_EQ(text_of(rows_of("1"), {}), "7,A,,,0,0");
  ReleasedRow estimate = answer_of(5, NoiseKind::laplace, {}, 0);
  estimate.estimated = true;
  EXPECT_EQ(text_of(rows_of("1"), estimate), "7,A,5,,0,1");
}

/// What a filter makes of a few answers, noise of 2 units each, in steps of `step` units.
std::vector<double> filtered(const std::string& step, std::int64_t steps_per_unit, const std::string& filter) {
  ReleaseRows rows = rows_of(step, filter);
  std::vector<double> values;
  for (const std::int64_t value : {100, 140, 90, 160, 95}) {
    const auto scale = static_cast<std::uint64_t>(2 * steps_per_unit);
    std::string text;
    rows.append("0", 0, answer_of(value * steps_per_unit, NoiseKind::laplace, {scale, 1}, 0), text);
    values.push_back(std::stod(text.substr(text.find("A,") + 2)));
  }
  return values;
}

TEST(ReleaseRows, AFilterKnowsTheNoiseInTheUnit) {
  // The same readings and the same noise, on a finer grid: only rounding may differ.
  const auto whole = filtered("1", 1, "kalman:3");
  const auto fine = filtered("0.001", 1000, "kalman:3");
  ASSERT_EQ(whole.size(), fine.size());
  for (std::size_t i = 0; i < whole.size(); ++i) EXPECT_NEAR(whole[i], fine[i], 0.02 * std::abs(whole[i]));
  EXPECT_GT(whole[1], 105);
  EXPECT_LT(whole[1], 135) << "between the answer and the value before";
}

}  // namespace
}  // namespace fugu::test
