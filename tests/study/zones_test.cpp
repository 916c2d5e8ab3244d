// Zones for studies: real ones as they are, gaps and zeros included; simulated ones the same for everybody.
#include "fugu/study/zones.hpp"

#include <cmath>
#include <filesystem>

#include "fugu/study/collections.hpp"
#include "support/released.hpp"
#include "zone_files.hpp"

namespace fugu::test {
namespace {

namespace fs = std::filesystem;

class Zones : public ::testing::Test {
 protected:
  void write(const std::string& text) {
    fs::create_directories(directory_ / "gefcom2012");
    write_file(directory_ / "gefcom2012/load_kw.csv.gz", text);  // plain text is read as well
  }
  std::string message_of(const ZoneOptions& options) {
    const auto zones = make_zones(options);
    return zones ? "" : zones.error().message;
  }
  TempDir directory_;
};

TEST_F(Zones, GapsStayGapsAndZerosStayZeros) {
  write(zone_header(20) + zone_hours(48, 20, [](std::size_t hour, std::size_t zone) -> std::string {
          if (zone == 0 && hour == 5) return "";
          if (zone == 1 && hour == 7) return "0";
          if (zone == 2 && hour >= 24) return "";  // ends early
          return std::to_string(100 * (zone + 1) + hour * 4);
        }));
  const auto zones = make_zones({.data_folder = directory_.path().string()});
  ASSERT_TRUE(zones) << zones.error().message;
  ASSERT_EQ(zones->zones.size(), kZones);
  EXPECT_EQ(zones->slot_min, 15);
  EXPECT_FALSE(zones->simulated);
  ASSERT_EQ(zones->slots(), 48U * 4);
  const Zone& first = zones->zones[0];
  EXPECT_EQ(first.name, "zone1");
  EXPECT_EQ(first.kw[0], 100);
  EXPECT_EQ(first.kw[1], 101) << "on a straight line to the next hour";
  EXPECT_EQ(first.kw[3], 103);
  EXPECT_EQ(first.kw[16], 116);
  for (std::size_t t = 17; t < 24; ++t) EXPECT_TRUE(std::isnan(first.kw[t])) << "never across a gap: slot " << t;
  EXPECT_EQ(first.kw[24], 124);
  EXPECT_EQ(first.present(), 48U * 4 - 3 - 7);
  EXPECT_EQ(first.watts()[17], kMissingSteps);
  EXPECT_EQ(first.watts()[1], 101'000);
  EXPECT_EQ(zones->zones[1].zeros(), 1U);
  EXPECT_EQ(zones->zones[1].kw[28], 0);
  EXPECT_EQ(zones->zones[2].present(), 24U * 4 - 3);
  EXPECT_EQ(zones->by_mean().front(), 0U);
  EXPECT_EQ(zones->by_mean().back(), 19U);
}

TEST_F(Zones, BadFoldersSayWhatIsWrong) {
  const std::string folder = directory_.path().string();
  EXPECT_NE(message_of({.data_folder = folder}).find("expected a data folder with gefcom2012/load_kw.csv.gz"),
            std::string::npos);
  const auto one = [](std::size_t, std::size_t) { return std::string("1"); };
  write(zone_header(19) + zone_hours(24, 19, one));
  EXPECT_NE(message_of({.data_folder = folder}).find("load_kw.csv.gz:1: found no column zone20_kw"), std::string::npos)
      << message_of({.data_folder = folder});
  write(zone_header(20) +
        zone_hours(24, 20, [](std::size_t, std::size_t zone) { return std::string(zone == 13 ? "" : "1"); }));
  EXPECT_NE(message_of({.data_folder = folder}).find("found no value in the column zone14_kw"), std::string::npos);
  write(zone_header(20) +
        zone_hours(24, 20, [](std::size_t hour, std::size_t) { return std::string(hour == 3 ? "x7" : "1"); }));
  const std::string broken = message_of({.data_folder = folder});
  EXPECT_NE(broken.find("load_kw.csv.gz:5:"), std::string::npos) << broken;
  EXPECT_EQ(broken.find("x7"), std::string::npos) << "no readings in messages";
  write(zone_header(20) + zone_hours(24, 20, one));
  EXPECT_NE(message_of({.data_folder = folder, .days = 2}).find("expected at most 1"), std::string::npos);
  EXPECT_NE(message_of({.days = -1}).find("days: expected at least 1"), std::string::npos);
}

TEST_F(Zones, SimulatedOnesHaveTheSizesOfTheRealOnesAndDependOnTheSeedOnly) {
  const ZoneOptions options{.days = 3, .seed = 4, .threads = 1, .households_per_zone = 3};
  const auto zones = make_zones(options);
  ASSERT_TRUE(zones) << zones.error().message;
  EXPECT_TRUE(zones->simulated);
  EXPECT_EQ(zones->slots(), 3U * 96);
  EXPECT_NEAR(zones->zones[3].mean_kw(), 500, 25);
  EXPECT_NEAR(zones->zones[17].mean_kw(), 214'220, 10'000);
  ZoneOptions others = options;
  others.threads = 3;
  const auto again = make_zones(others);
  ASSERT_TRUE(again);
  for (std::size_t i = 0; i < kZones; ++i) EXPECT_EQ(again->zones[i].digest(), zones->zones[i].digest());
  others.seed = 5;
  EXPECT_NE(make_zones(others)->zones[0].digest(), zones->zones[0].digest());
}

TEST_F(Zones, RealOnes) {
  if (!fs::exists(fs::path(FUGU_SHARED_DATA) / "gefcom2012")) GTEST_SKIP() << "no recorded data here";
  const auto zones = make_zones({.data_folder = FUGU_SHARED_DATA});
  ASSERT_TRUE(zones) << zones.error().message;
  EXPECT_EQ(zones->slots(), 39'600U * 4);
  EXPECT_EQ(zones->zones[0].present(), 4U * 39'582 - 2 * 3) << "one gap in all zones, and the end";
  EXPECT_EQ(zones->zones[13].present(), 4U * 35'064 - 3) << "ends early";
  EXPECT_EQ(zones->zones[8].zeros(), 5U) << "two hours next to each other, and the line between them";
  EXPECT_NEAR(zones->zones[3].mean_kw(), 500, 1);
}

TEST(Collections, FollowTheIntervalRule) {
  const auto made = simulate_collections({.households = 3, .days = 14, .threads = 1});
  ASSERT_TRUE(made) << made.error().message;
  ASSERT_EQ(made->policies.size(), 3U);
  std::size_t whole = 0;
  for (const Policy& policy : made->policies[1]) {
    EXPECT_GE(policy.interval.first, 0);
    EXPECT_LT(policy.interval.last, 14 * 96);
    whole += policy.interval.slots() == 4 * policy.length_slots ? 1 : 0;
  }
  EXPECT_GT(whole + 10, made->policies[1].size()) << "four times T, but where the horizon cuts it";
  EXPECT_GT(made->sensitivity_w, 10'000U);
  const auto dropped = simulate_collections({.households = 3, .days = 14, .beyond = HorizonRule::drop, .threads = 1});
  ASSERT_TRUE(dropped);
  EXPECT_LT(dropped->policies[1].size(), made->policies[1].size());
}

TEST(Collections, NoHouseholdIsLeftWithoutPolicies) {
  const auto none = simulate_collections({.households = 0, .days = 14});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().cause, Cause::usage);
  // In a day there is somebody all of whose intervals leave it.
  const auto dropped = simulate_collections({.households = 200, .days = 1, .beyond = HorizonRule::drop, .threads = 1});
  ASSERT_FALSE(dropped);
  EXPECT_NE(dropped.error().message.find("has no policy whose interval lies within 1 days"), std::string::npos)
      << dropped.error().message;
}

}  // namespace
}  // namespace fugu::test
