#include "fugu/hosting/device.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

namespace fugu::grid {
namespace {

constexpr std::size_t kDay = 96;

std::vector<double> profile(const Device& device, std::size_t days, std::uint64_t number = 0, std::uint64_t seed = 1) {
  std::vector<double> kw(days * kDay);
  add_device(device, seed, number, 15, kw);
  return kw;
}
double kwh(const std::vector<double>& kw) { return std::accumulate(kw.begin(), kw.end(), 0.0) / 4; }

TEST(Device, HasANameBothWays) {
  for (const DeviceKind kind : {DeviceKind::car, DeviceKind::heat_pump, DeviceKind::pv})
    EXPECT_EQ(*parse_device(device_name(kind)), kind);
  EXPECT_EQ(parse_device("boiler").error().message, "found 'boiler'; expected ev, heat-pump or pv");
}

TEST(Device, IsAFunctionOfSeedAndNumber) {
  const Device car{DeviceKind::car, 11};
  EXPECT_EQ(profile(car, 7, 3, 5), profile(car, 7, 3, 5));
  EXPECT_NE(profile(car, 7, 3, 5), profile(car, 7, 4, 5));
  EXPECT_NE(profile(car, 7, 3, 5), profile(car, 7, 3, 6));
  const std::vector<double> week = profile(car, 7);
  const std::vector<double> longer = profile(car, 8);
  EXPECT_TRUE(std::ranges::equal(week, std::span(longer).first(week.size())));
}

TEST(Device, ACarChargesInTheEvening) {
  constexpr std::size_t kDays = 2000;
  const std::vector<double> kw = profile({DeviceKind::car, 11}, kDays);
  EXPECT_LE(*std::ranges::max_element(kw), 11 + 1e-9);
  // 70 % of days, 4 to 16 kWh: standard deviation of a day 5.4 kWh; five of the mean are 0.6.
  EXPECT_NEAR(kwh(kw) / kDays, 7, 0.6);
  std::size_t days = 0;
  for (std::size_t day = 0; day < kDays; ++day) {
    const auto of_day = std::span(kw).subspan(day * kDay, kDay);
    const double energy = std::accumulate(of_day.begin(), of_day.end(), 0.0) / 4;
    if (energy == 0) continue;
    ++days;
    EXPECT_GE(energy, 4 - 1e-9);
    EXPECT_LE(energy, 16 + 1e-9);
    for (std::size_t slot = 0; slot < 60; ++slot) ASSERT_EQ(of_day[slot], 0) << "before 15:00";
    for (std::size_t slot = 90; slot < kDay; ++slot) ASSERT_EQ(of_day[slot], 0) << "after 21:00 and 16/11 h";
  }
  EXPECT_NEAR(static_cast<double>(days) / kDays, 0.7, 0.052);
}

TEST(Device, AFifthOfManyCarsChargeAtOnce) {
  constexpr std::uint64_t kCars = 4000;
  std::vector<double> sum(kDay);
  for (std::uint64_t number = 0; number < kCars; ++number) add_device({DeviceKind::car, 11}, 1, number, 15, sum);
  // Five standard deviations of the share of 4000 are 0.032.
  EXPECT_NEAR(*std::ranges::max_element(sum) / 11 / static_cast<double>(kCars), 0.20, 0.035);
}

TEST(Device, SlowChargingRunsPastMidnight) {
  const std::vector<double> kw = profile({DeviceKind::car, 2.3}, 50);
  EXPECT_NEAR(kwh(kw), kwh(profile({DeviceKind::car, 11}, 50)), 16) << "the same energy, but for the last night";
  bool after_midnight = false;
  for (std::size_t day = 1; day < 50; ++day) after_midnight |= kw[day * kDay] > 0;
  EXPECT_TRUE(after_midnight);
}

TEST(Device, AHeatPumpRunsThreeFifthsOfTheDay) {
  const std::vector<double> kw = profile({DeviceKind::heat_pump, 3}, 10);
  // 16 hours at 60 % and 8 at 40 %: 12.8 hours a day; the last cycle may reach past the end.
  EXPECT_NEAR(kwh(kw), 10 * 12.8 * 3, 3);
  EXPECT_NEAR(*std::ranges::max_element(kw), 3, 1e-9);
  EXPECT_NEAR(*std::ranges::min_element(kw), 0, 1e-9);
}

TEST(Device, PanelsFeedInWhileTheSunShines) {
  const std::vector<double> kw = profile({DeviceKind::pv, 8}, 2);
  EXPECT_EQ(kw[19], 0) << "before 5:00";
  EXPECT_EQ(kw[84], 0) << "after 21:00";
  const double middle = std::cos(std::numbers::pi * 7.5 / 960);  // of the quarter hour that ends at 13:00
  EXPECT_NEAR(kw[51], -8 * 0.85 * middle * middle, 1e-12);
  EXPECT_EQ(kw[51], *std::ranges::min_element(kw));
  EXPECT_NEAR(kw[kDay + 51], kw[51], 1e-12) << "every day is clear";
  EXPECT_EQ(profile({DeviceKind::pv, 8}, 1, 0), profile({DeviceKind::pv, 8}, 1, 9)) << "one sky for all";
}

}  // namespace
}  // namespace fugu::grid
