#include "fugu/stream/decimal.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "fugu/base/rational.hpp"

namespace fugu {
namespace {

UnitStep step(std::string_view text) {
  const auto result = UnitStep::parse(text);
  EXPECT_TRUE(result.has_value()) << text;
  return *result;
}

std::int64_t steps(std::string_view unit, std::string_view text, Rounding rounding = Rounding::half_up) {
  std::int64_t steps = 0;
  EXPECT_EQ(step(unit).steps(text, steps, rounding), DecimalFault::none) << text;
  return steps;
}

DecimalFault fault_of(std::string_view text, std::string_view unit = "1") {
  std::int64_t steps = 0;
  return step(unit).steps(text, steps);
}

TEST(UnitStep, ConvertsExactly) {
  EXPECT_EQ(steps("1", "0"), 0);
  EXPECT_EQ(steps("1", "-0"), 0);
  EXPECT_EQ(steps("1", "+17"), 17);
  EXPECT_EQ(steps("0.001", "0.123"), 123);
  EXPECT_EQ(steps("0.1", "12.3"), 123);
  EXPECT_EQ(steps("0.1", ".3"), 3);
  EXPECT_EQ(steps("0.1", "3."), 30);
  EXPECT_EQ(steps("0.25", "1.5"), 6);
  EXPECT_EQ(steps("1000", "1e3"), 1);
  EXPECT_EQ(steps("1", "12E+2"), 1200);
  EXPECT_EQ(steps("1e-3", "12e-2"), 120);
  EXPECT_EQ(steps("1", "0e999999999999"), 0);
  EXPECT_EQ(steps("1", "1e-999999999999"), 0);
  EXPECT_EQ(steps("1", "9007199254740992"), kStepsMax);
  EXPECT_EQ(steps("1", "-9007199254740992.49"), -kStepsMax);
}

RC_GTEST_PROP(UnitStep, RoundingMovesWithTheValue, ()) {
  // Two values n steps apart stay n steps apart, whatever their signs: otherwise rounding could double a change that
  // the sensitivity allows. Quarters of a step make ties common; the odd unit takes the slow path.
  const auto quarters = *rc::gen::inRange<std::int64_t>(-400, 400);
  const auto moved = *rc::gen::inRange<std::int64_t>(-100, 100);
  for (const char* unit : {"1", "0.1", "3"}) {
    const std::int64_t scale = std::string_view(unit) == "3" ? 3 : 1;
    const std::string exponent = std::string_view(unit) == "0.1" ? "e-3" : "e-2";
    const auto text = [&](std::int64_t n) { return std::to_string(n * 25 * scale) + exponent; };
    RC_ASSERT(steps(unit, text(quarters + 4 * moved)) == steps(unit, text(quarters)) + moved);
  }
}

TEST(UnitStep, RoundsHalfUp) {
  EXPECT_EQ(steps("1", "0.5"), 1);
  EXPECT_EQ(steps("1", "-0.5"), 0);
  EXPECT_EQ(steps("1", "-1.5"), -1);
  EXPECT_EQ(steps("1", "-0.50000000000000000000000000000000000001"), -1);
  EXPECT_EQ(steps("1", "-0.51"), -1);
  EXPECT_EQ(steps("3", "-1.5"), 0);
  EXPECT_EQ(steps("3", "-1.5000000000000000000000000000000000001"), -1);
  EXPECT_EQ(steps("1", "0.49999999999999999999999999999999999999"), 0);
  EXPECT_EQ(steps("1", "0.50000000000000000000000000000000000001"), 1);
  EXPECT_EQ(steps("0.25", "0.125"), 1);
  EXPECT_EQ(steps("0.25", "0.1249999999999999999999999999999999"), 0);
  EXPECT_EQ(steps("3", "1.5"), 1);
  EXPECT_EQ(steps("3", "1.4999999999999999999999999999999999"), 0);
  EXPECT_EQ(steps("3", "4.5"), 2);
}

TEST(UnitStep, RoundsMagnitudesAway) {
  EXPECT_EQ(steps("1", "1", Rounding::away), 1);
  EXPECT_EQ(steps("1", "1.000000000000000000000000000000000001", Rounding::away), 2);
  EXPECT_EQ(steps("1", "-1.1", Rounding::away), -2);
  EXPECT_EQ(steps("0.25", "0.26", Rounding::away), 2);
  EXPECT_EQ(steps("1", "1e-400", Rounding::away), 1);
}

TEST(UnitStep, KnowsWhatItHolds) {
  for (const auto& [unit, text] : {std::pair{"1", "17"},
                                   {"1", "-3."},
                                   {"1", "1.000"},
                                   {"1", "12e2"},
                                   {"1", "1.25e2"},
                                   {"0.001", "0.25"},
                                   {"0.001", "-7"},
                                   {"0.25", "1.75"},
                                   {"0.25", "3"},
                                   {"3", "-9"},
                                   {"1000", "5000"},
                                   {"1000", "5e3"},
                                   {"1", "0.0000000000000"},
                                   {"1000", "0"},
                                   {"7", "7e17"},
                                   {"1", "0e-300"}})
    EXPECT_TRUE(step(unit).holds(text)) << text << " on " << unit;
  for (const auto& [unit, text] : {std::pair{"1", "0.3"},
                                   {"1", "-12.001"},
                                   {"1", "1e-3"},
                                   {"0.001", "0.1234"},
                                   {"0.25", "0.3"},
                                   {"0.25", "0.125"},
                                   {"3", "10"},
                                   {"1000", "1500"},
                                   {"7", "1e17"},
                                   {"1", "1.00000000000000000000000000000000000001"}})
    EXPECT_FALSE(step(unit).holds(text)) << text << " on " << unit;
}

TEST(UnitStep, SaysWhichStepWouldKeepAValue) {
  EXPECT_EQ(step("1").rounding_text("48.593"),
            "values are not multiples of the unit step 1 and get rounded: a unit step of 0.001 would keep the first, "
            "others may have more digits");
  EXPECT_EQ(step("0.25").rounding_text("2.2", Rounding::away),
            "magnitudes are not multiples of the unit step 0.25 and get rounded up: a unit step of 0.01 would keep the "
            "first, "
            "others may have more digits");
  EXPECT_NE(step("1").rounding_text("0.1234567890123").find("a unit step of 0.000001 would keep more"),
            std::string::npos);
  EXPECT_NE(step("1000").rounding_text("1500").find("a unit step of 1 would keep the first"), std::string::npos);
}

RC_GTEST_PROP(UnitStep, HoldsMultiples, ()) {
  const auto number = *rc::gen::inRange<std::int64_t>(-5000, 5000);
  const auto exponent = *rc::gen::inRange(-4, 3);
  std::int64_t tenthousandths = number;
  for (int i = -4; i < exponent; ++i) tenthousandths *= 10;
  const std::string text = step("0.0001").text(tenthousandths);
  const std::string with_exponent = std::to_string(number).append("e").append(std::to_string(exponent));
  for (const auto& [unit, size] :
       {std::pair{"1", 10'000}, {"0.01", 100}, {"0.25", 2500}, {"3", 30'000}, {"20", 200'000}}) {
    RC_ASSERT(step(unit).holds(text) == (tenthousandths % size == 0));
    RC_ASSERT(step(unit).holds(with_exponent) == (tenthousandths % size == 0));
  }
}

TEST(UnitStep, WhatIsWrongHasAName) {
  EXPECT_EQ(fault_of(""), DecimalFault::empty);
  for (const char* nan : {"nan", "NaN", "-NAN"}) EXPECT_EQ(fault_of(nan), DecimalFault::nan) << nan;
  for (const char* inf : {"inf", "-Inf", "+INFINITY"}) EXPECT_EQ(fault_of(inf), DecimalFault::infinite) << inf;
  EXPECT_EQ(fault_of("0x1F"), DecimalFault::hexadecimal);
  for (const char* text : {"-", "+", ".", "e3", "1e", "1e+", "1.2.3", "1 ", " 1", "1,5", "--1", "abc", "1e5x", "0x"}) {
    EXPECT_EQ(fault_of(text), DecimalFault::text) << text;
  }
  for (const char* large : {"9007199254740993", "-1e16", "1e999999999999", "9007199254740992.5",
                            "123456789012345678901234567890123456789012345678901234567890"}) {
    EXPECT_EQ(fault_of(large), DecimalFault::too_large) << large;
  }
  EXPECT_EQ(fault_of("9007199254740993", "0.7"), DecimalFault::too_large);
}

TEST(UnitStep, RefusesStepsThatAreNone) {
  for (const char* bad :
       {"", "0", "-1", "x", "0.0000000000000000001", "1e19", "2e18", "999999999e10", "1234567890.1", "nan", "inf"}) {
    const auto result = UnitStep::parse(bad);
    ASSERT_FALSE(result.has_value()) << bad;
    EXPECT_EQ(result.error().cause, Cause::usage);
  }
}

TEST(UnitStep, PrintsTheShortestText) {
  EXPECT_EQ(step("0.1").text(123), "12.3");
  EXPECT_EQ(step("0.1").text(120), "12");
  EXPECT_EQ(step("0.001").text(-5), "-0.005");
  EXPECT_EQ(step("0.001").text(100), "0.1");
  EXPECT_EQ(step("0.25").text(6), "1.5");
  EXPECT_EQ(step("0.25").text(-8), "-2");
  EXPECT_EQ(step("100").text(7), "700");
  EXPECT_EQ(step("100").text(0), "0");
  EXPECT_EQ(step("0.01").text(0), "0");
  EXPECT_EQ(step("1").text(INT64_MIN), "-9223372036854775808");
  EXPECT_EQ(step("1e18").text(INT64_MIN), "-9223372036854775808000000000000000000");
  EXPECT_EQ(step("999999999e-18").text(INT64_MIN).size(), 30u);
}

TEST(UnitStep, AsADouble) {
  EXPECT_EQ(step("0.1").to_double(), 0.1);
  EXPECT_EQ(step("2.5e3").to_double(), 2500.0);
}

rc::Gen<std::string> unit_text() {
  return rc::gen::map(
      rc::gen::tuple(rc::gen::inRange(1, 1'000'000'000), rc::gen::inRange(-18, 9)),
      [](const auto& parts) { return std::to_string(std::get<0>(parts)) + "e" + std::to_string(std::get<1>(parts)); });
}

RC_GTEST_PROP(UnitStep, PrintedThenParsedIsTheSame, ()) {
  const UnitStep unit = step(*unit_text());
  const auto value = *rc::gen::inRange<std::int64_t>(-kStepsMax, kStepsMax + 1);
  std::int64_t again = 0;
  RC_ASSERT(unit.steps(unit.text(value), again) == DecimalFault::none);
  RC_ASSERT(again == value);
  RC_ASSERT(unit.steps(unit.text(value), again, Rounding::away) == DecimalFault::none);
  RC_ASSERT(again == value);
}

// Against division in 128 bits, for values and steps that share a number of decimals.
RC_GTEST_PROP(UnitStep, RoundsLikeWholeNumbers, ()) {
  const auto unit = *rc::gen::inRange<std::int64_t>(1, 100'000);
  const auto value = *rc::gen::inRange<std::int64_t>(-1'000'000'000'000, 1'000'000'000'000);
  const UnitStep thousandth = step("0.001");
  const UnitStep grid = step(thousandth.text(unit));
  std::int64_t found = 0;
  RC_ASSERT(grid.steps(thousandth.text(value), found) == DecimalFault::none);
  // Ties go upwards: for a negative value towards zero.
  const std::int64_t expected = value < 0 ? -((-2 * value + unit - 1) / (2 * unit)) : (2 * value + unit) / (2 * unit);
  RC_ASSERT(found == expected);
}

// The path for plain decimals and powers of ten agrees with the general one, which an exponent forces.
RC_GTEST_PROP(UnitStep, FastAndGeneralPathAgree, ()) {
  const UnitStep unit = step("1e" + std::to_string(*rc::gen::inRange(-18, 19)));
  const std::string digits = *rc::gen::container<std::string>(rc::gen::inRange<char>('0', '9' + 1));
  const std::string fraction = *rc::gen::container<std::string>(rc::gen::inRange<char>('0', '9' + 1));
  const std::string text = digits + "." + fraction;
  std::int64_t fast = 0;
  std::int64_t general = 0;
  const DecimalFault fast_fault = unit.steps(text, fast);
  RC_ASSERT(fast_fault == unit.steps(text + "e0", general));
  RC_ASSERT(fast == general);
}

}  // namespace
}  // namespace fugu
