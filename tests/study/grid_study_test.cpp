#include "fugu/study/grid_study.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace fugu {
namespace {

const GridStudy& study() {
  static const GridStudy made = *GridStudy::make({.days = 4, .runs = 4});
  return made;
}

GridMeasures run(GridPart part, const GridPlace& place, GridNoise noise, double scale_kw, GridMethod method,
                 bool has_q = false) {
  for (const GridCell& cell : study().cells()) {
    if (cell.part == part && cell.place == place && cell.has_q == has_q && cell.noise == noise &&
        cell.scale_kw == scale_kw && cell.method == method)
      return *study().run(cell);
  }
  ADD_FAILURE() << "no such cell";
  return {};
}

const GridPlace kTrace{"feeder", "trace"};
const GridPlace kFeeder{"feeder", "simulated"};

TEST(GridStudy, WithoutNoiseTheLoadFlowIsTheTruth) {
  const GridMeasures exact = run(GridPart::chapter, kTrace, GridNoise::none, 0, GridMethod::load_flow, true);
  EXPECT_LT(exact.voltage_v, 1e-6);
  EXPECT_EQ(exact.voltage_missed + exact.voltage_invented, 0);
  EXPECT_EQ(exact.stamps, 100);
}

TEST(GridStudy, TheTraceHasAnUndervoltageLikeTheThesis) {
  const GridStudy::Trace trace = *study().trace();
  ASSERT_EQ(trace.lowest_v.size(), 100U);
  EXPECT_GE(std::ranges::count_if(trace.highest_v, [](double v) { return v < 380; }), 40);
  EXPECT_GT(*std::ranges::min_element(trace.lowest_v), 355);
  EXPECT_GT(trace.lowest_v.front(), 395);
  const GridMeasures exact = run(GridPart::chapter, kTrace, GridNoise::none, 0, GridMethod::load_flow, true);
  EXPECT_NEAR(exact.voltage_violations, 1'555, 200);  // the thesis has 1,555
}

TEST(GridStudy, ReleasesTakenForTheTruthGoWrongInProportionToTheNoise) {
  const double at_one = run(GridPart::networks, kFeeder, GridNoise::laplace, 1, GridMethod::load_flow).voltage_v;
  const double at_ten = run(GridPart::networks, kFeeder, GridNoise::laplace, 9.7, GridMethod::load_flow).voltage_v;
  EXPECT_GT(at_ten, 6 * at_one);
}

TEST(GridStudy, EstimationStaysBelowNoCustomerDataAtUsefulScales) {
  const double nothing = run(GridPart::networks, kFeeder, GridNoise::laplace, 1, GridMethod::nothing).voltage_v;
  for (const double scale : {0.1, 0.5, 1.0}) {
    const double filter = run(GridPart::networks, kFeeder, GridNoise::laplace, scale, GridMethod::households).voltage_v;
    EXPECT_LT(filter, 0.9 * nothing) << scale;
  }
  const double filter = run(GridPart::networks, kFeeder, GridNoise::laplace, 9.7, GridMethod::households).voltage_v;
  EXPECT_LT(filter, 1.05 * nothing);
}

TEST(GridStudy, MethodsSeeTheSameNoise) {
  const auto of = [](GridMethod method) { return run(GridPart::networks, kFeeder, GridNoise::laplace, 2, method); };
  EXPECT_EQ(of(GridMethod::load_flow).mean_scale_kw, 2);
  EXPECT_NEAR(of(GridMethod::load_flow).p_kw, 2, 0.1);  // the mean magnitude of Laplace noise is its scale
  EXPECT_LT(of(GridMethod::households).p_kw, 0.5);
}

TEST(GridStudy, NarwhalHidesLessWhereLessIsHidden) {
  const auto scale = [](GridNoise noise, double epsilon) {
    return run(GridPart::policies, kFeeder, noise, epsilon, GridMethod::load_flow).mean_scale_kw;
  };
  EXPECT_LT(scale(GridNoise::narwhal_small, 1), scale(GridNoise::narwhal, 1));
  EXPECT_NEAR(scale(GridNoise::narwhal, 2), 0.5 * scale(GridNoise::narwhal, 1), 1e-3 * scale(GridNoise::narwhal, 1));
  EXPECT_GE(scale(GridNoise::narwhal_floor, 1), 10);
}

TEST(GridStudy, OptionsOutOfRangeAreRefused) {
  EXPECT_FALSE(GridStudy::make({.days = 1}).has_value());
  EXPECT_FALSE(GridStudy::make({.runs = 0}).has_value());
}

}  // namespace
}  // namespace fugu
