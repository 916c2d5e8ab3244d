// Sums in kWh, rounded once.
#include "fugu/meter/energy.hpp"

#include <gtest/gtest.h>

namespace fugu::test {
namespace {

TEST(Energy, IsExactToAMillionth) {
  const UnitStep watt_of_kw = *UnitStep::parse("0.001");
  EXPECT_EQ(kwh_text(85'366, watt_of_kw, ReadingUnit::kilowatt, 900), "21.341500");
  EXPECT_EQ(kwh_text(85'366, watt_of_kw, ReadingUnit::kilowatt_hour, 0), "85.366000");
  EXPECT_EQ(kwh_text(1000, {}, ReadingUnit::watt, 60), "0.016667") << "a third is rounded";
  EXPECT_EQ(kwh_text(3000, {}, ReadingUnit::watt, 60), "0.050000");
  EXPECT_EQ(kwh_text(1, {}, ReadingUnit::watt_hour, 0), "0.001000");
  EXPECT_EQ(kwh_text(-1500, {}, ReadingUnit::watt_hour, 0), "-1.500000") << "a roof that feeds in";
  EXPECT_EQ(kwh_text(0, {}, ReadingUnit::watt, 60), "0.000000");
}

TEST(Energy, RoundsHalfUp) {
  const UnitStep half_milliwatt_hour = *UnitStep::parse("0.0005");
  EXPECT_EQ(kwh_text(1, half_milliwatt_hour, ReadingUnit::watt_hour, 0), "0.000001");
  EXPECT_EQ(kwh_text(-1, half_milliwatt_hour, ReadingUnit::watt_hour, 0), "0.000000");
  EXPECT_EQ(kwh_text(-3, half_milliwatt_hour, ReadingUnit::watt_hour, 0), "-0.000001");
}

TEST(Energy, WhatDoesNotFitIsNotGuessed) {
  EXPECT_FALSE(kwh_text(std::int64_t{1} << 62, *UnitStep::parse("1e9"), ReadingUnit::kilowatt_hour, 0));
  EXPECT_FALSE(kwh_text(1, *UnitStep::parse("1e18"), ReadingUnit::kilowatt, 3601));
  EXPECT_EQ(kwh_text(kStepsMax, *UnitStep::parse("0.001"), ReadingUnit::kilowatt_hour, 0), "9007199254740.992000");
}

TEST(Energy, UnitsAreNamed) {
  EXPECT_EQ(parse_reading_unit("kWh"), ReadingUnit::kilowatt_hour);
  EXPECT_EQ(parse_reading_unit("W"), ReadingUnit::watt);
  EXPECT_FALSE(parse_reading_unit("kw"));
}

}  // namespace
}  // namespace fugu::test
