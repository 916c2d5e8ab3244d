#include "fugu/study/grid_loads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <set>

#include "fugu/network/feeder.hpp"
#include "fugu/network/network_reader.hpp"
#include "support/temp_dir.hpp"

namespace fugu {
namespace {

namespace fs = std::filesystem;
using test::TempDir;

grid::Network feeder() { return *grid::make_feeder(); }

GridLoads loads_of(const GridLoadOptions& options, const grid::Network& network = feeder()) {
  auto loads = make_grid_loads(network, options);
  if (!loads) ADD_FAILURE() << loads.error().message;
  return loads ? *std::move(loads) : GridLoads{};
}

/// One customer after the other.
std::vector<double> column(const GridLoads& loads, std::size_t customer) {
  std::vector<double> kw;
  for (std::size_t stamp = 0; stamp < loads.stamps; ++stamp)
    kw.push_back(loads.p_kw[stamp * loads.customers + customer]);
  return kw;
}

/// A folder with a recorded source, hourly: home i has 100·i + hour of the week, in the second week 0.5 more. Of home 2
/// one hour of the first week is missing.
std::string recorded_folder(const TempDir& folder) {
  fs::create_directories(folder / "citylearn_fontana");
  std::string text = "timestamp,b01_kwh,b02_kwh,b03_kwh,b07_kwh\n2016-07-31T23:00,9999,9999,9999,9999\n";
  for (int hour = 0; hour < 2 * 168; ++hour) {
    const double value = hour % 168 + (hour < 168 ? 0 : 0.5);
    char stamp[32];
    std::snprintf(stamp, sizeof stamp, "2016-08-%02dT%02d:00", 1 + hour / 24, hour % 24);
    text += std::string(stamp) + "," + std::to_string(100 + value) + "," +
            (hour == 5 ? "" : std::to_string(200 + value)) + "," + std::to_string(300 + value) + ",7777\n";
  }
  test::write_file(folder / "citylearn_fontana/load_kwh_17.csv.gz", text);
  return folder.path().string();
}

TEST(GridLoads, AreTheSameForEqualSeedsAndAnyNumberOfThreads) {
  const GridLoads one = loads_of({.days = 2, .ev_share = 0.5, .seed = 7, .threads = 1});
  const GridLoads two = loads_of({.days = 2, .ev_share = 0.5, .seed = 7, .threads = 2});
  const GridLoads other = loads_of({.days = 2, .ev_share = 0.5, .seed = 8});
  EXPECT_EQ(one.p_kw, two.p_kw);
  EXPECT_EQ(one.q_kvar, two.q_kvar);
  EXPECT_EQ(one.cars, two.cars);
  EXPECT_NE(one.p_kw, other.p_kw);
  EXPECT_NE(one.cars, other.cars);
}

TEST(GridLoads, ContinueShorterOnes) {
  const GridLoads shorter = loads_of({.days = 1});
  const GridLoads longer = loads_of({.days = 3});
  ASSERT_EQ(shorter.stamps, 96u);
  EXPECT_TRUE(std::ranges::equal(shorter.p_kw, std::span(longer.p_kw).first(shorter.p_kw.size())));
}

TEST(GridLoads, AreWholeWattsAndLagging) {
  const GridLoads loads = loads_of({.days = 7});
  for (std::size_t i = 0; i < loads.p_kw.size(); ++i) {
    ASSERT_EQ(loads.p_kw[i], std::round(loads.p_kw[i] * 1000) / 1000);
    ASSERT_GE(loads.p_kw[i], 0);
    // Factors of the feeder are 0.97 and 0.9: 0.25 and 0.48 kvar per kW, a tenth more or less.
    ASSERT_GE(loads.q_kvar[i], loads.p_kw[i] * 0.25 * 0.9 - 0.001);
    ASSERT_LE(loads.q_kvar[i], loads.p_kw[i] * 0.4844 * 1.1 + 0.001);
  }
}

TEST(GridLoads, PowerFactorsThatAreNotKnownAreDrawn) {
  grid::NetworkData data = feeder().data();
  for (grid::Customer& customer : data.customers) customer.power_factor.reset();
  const GridLoads loads = loads_of({.days = 7}, *grid::Network::make(data));
  std::set<double> shares;
  for (std::size_t i = 0; i < loads.customers; ++i) {
    double p = 0;
    double q = 0;
    for (std::size_t stamp = 0; stamp < loads.stamps; ++stamp) {
      p += loads.p_kw[stamp * loads.customers + i];
      q += loads.q_kvar[stamp * loads.customers + i];
    }
    const double factor = p / std::hypot(p, q);
    EXPECT_GT(factor, 0.88);
    EXPECT_LT(factor, 0.995);
    shares.insert(factor);
  }
  EXPECT_EQ(shares.size(), loads.customers) << "each customer has its own";
}

TEST(GridLoads, BusinessesWorkOnWeekdays) {
  const grid::Network network = feeder();
  const GridLoads loads = loads_of({.days = 7}, network);
  for (std::size_t i = 0; i < loads.customers; ++i) {
    if (network.customers()[i].kind != grid::CustomerKind::industrial) continue;
    const std::vector<double> kw = column(loads, i);
    const double monday_noon = kw[46];
    EXPECT_GT(monday_noon, 0.3 * 55 * 0.5);
    EXPECT_LT(monday_noon, 0.3 * 55 * 1.7);
    EXPECT_LT(kw[5 * 96 + 46], monday_noon / 2) << "Saturday";
    EXPECT_LT(kw[8], monday_noon / 2) << "night";
  }
}

TEST(GridLoads, TheBillIsTheSeriesScaledToAYear) {
  const GridLoads loads = loads_of({.days = 2});
  const std::vector<double> kw = column(loads, 3);
  EXPECT_NEAR(loads.yearly_kwh[3], std::accumulate(kw.begin(), kw.end(), 0.0) / 4 * 365 / 2, 1e-9);
}

TEST(GridLoads, MoreCarsAreAddedToThoseThatAreThere) {
  const grid::Network network = feeder();
  const GridLoads none = loads_of({.days = 14});
  const GridLoads few = loads_of({.days = 14, .ev_share = 0.3});
  const GridLoads all = loads_of({.days = 14, .ev_share = 1});
  EXPECT_TRUE(none.cars.empty());
  EXPECT_EQ(few.cars.size(), 6u) << "of 21 residential customers";
  EXPECT_EQ(all.cars.size(), 21u);
  EXPECT_TRUE(std::ranges::includes(all.cars, few.cars));
  double kwh = 0;
  for (std::size_t i = 0; i < none.customers; ++i) {
    const bool owns = std::ranges::binary_search(few.cars, i);
    EXPECT_EQ(column(none, i) == column(few, i), !owns);
    for (std::size_t stamp = 0; stamp < none.stamps; ++stamp)
      kwh += (all.p_kw[stamp * none.customers + i] - none.p_kw[stamp * none.customers + i]) / 4;
  }
  for (const std::uint32_t owner : few.cars) EXPECT_EQ(column(few, owner), column(all, owner));
  EXPECT_NEAR(kwh / (21 * 14), 7, 1) << "a day and car; five standard deviations";
  EXPECT_EQ(none.q_kvar, all.q_kvar) << "cars draw active power alone";
}

TEST(GridLoads, RecordedHomesBeginOnMondayAndHoldTheirHours) {
  const TempDir folder;
  const GridLoads loads =
      loads_of({.source = LoadSource::citylearn, .data_folder = recorded_folder(folder), .days = 14});
  const grid::Network network = feeder();
  for (std::size_t i = 0; i < loads.customers; ++i) {
    if (network.customers()[i].kind != grid::CustomerKind::residential) continue;
    const std::vector<double> kw = column(loads, i);
    const double home = std::floor(kw[0] / 100) * 100;
    EXPECT_TRUE(home == 100 || home == 200 || home == 300) << "7777 is clipped, 9999 a Sunday: " << kw[0];
    const double first = kw[0] - home;  // 0 or 0.5: which week it begins with
    for (std::size_t stamp = 0; stamp < kw.size(); ++stamp) {
      const std::size_t hour = stamp / 4 % 168;
      const double of_week = home == 200 && hour == 5 ? 0.5 : stamp / 4 < 168 ? first : 0.5 - first;
      ASSERT_EQ(kw[stamp], home + static_cast<double>(hour) + of_week) << "stamp " << stamp;
    }
  }
  EXPECT_GT(loads.filled, 0u);
}

TEST(GridLoads, PartsShareNoHome) {
  const TempDir folder;
  const std::string data = recorded_folder(folder);
  const grid::Network network = feeder();
  const auto homes = [&](LoadPart part, std::uint64_t seed) {
    const GridLoads loads =
        loads_of({.source = LoadSource::citylearn, .data_folder = data, .part = part, .seed = seed});
    std::set<double> found;
    for (std::size_t i = 0; i < loads.customers; ++i) {
      if (network.customers()[i].kind == grid::CustomerKind::residential) found.insert(std::floor(loads.p_kw[i] / 100));
    }
    return found;
  };
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    EXPECT_EQ(homes(LoadPart::evaluated, seed), (std::set<double>{1, 3}));
    EXPECT_EQ(homes(LoadPart::sample, seed), (std::set<double>{2}));
    EXPECT_EQ(homes(LoadPart::all, seed), (std::set<double>{1, 2, 3})) << "the broken twin: nothing is kept apart";
  }
}

TEST(GridLoads, NothingOfTheSampleIsDrawnAsInTheOtherPart) {
  const grid::Network network = feeder();
  const auto of = [&](LoadPart part, double ev_share) {
    return loads_of({.part = part, .ev_share = ev_share}, network);
  };
  const GridLoads evaluated = of(LoadPart::evaluated, 0);
  const GridLoads evaluated_cars = of(LoadPart::evaluated, 1);
  const GridLoads sample = of(LoadPart::sample, 0);
  const GridLoads sample_cars = of(LoadPart::sample, 1);
  for (std::size_t i = 0; i < evaluated.customers; ++i) {
    EXPECT_NE(column(evaluated, i), column(sample, i)) << "homes and businesses";
    if (network.customers()[i].kind != grid::CustomerKind::residential) continue;
    std::vector<double> car = column(evaluated_cars, i);
    std::vector<double> car_of_sample = column(sample_cars, i);
    for (std::size_t stamp = 0; stamp < evaluated.stamps; ++stamp) {
      car[stamp] = std::round(1000 * (car[stamp] - column(evaluated, i)[stamp]));
      car_of_sample[stamp] = std::round(1000 * (car_of_sample[stamp] - column(sample, i)[stamp]));
    }
    EXPECT_NE(car, car_of_sample);
  }
}

TEST(GridLoads, AGapThatNoWeekFillsIsAnError) {
  const TempDir folder;
  fs::create_directories(folder / "lvgrid/ieee_eulv");
  std::string text = "minute,p001_kw\n";
  for (int minute = 0; minute < 1440; ++minute) text += std::to_string(minute) + (minute == 700 ? ",\n" : ",1\n");
  test::write_file(folder / "lvgrid/ieee_eulv/profiles_1min_kw_100.csv.gz", text);
  const auto loads = make_grid_loads(feeder(), {.source = LoadSource::ieee, .data_folder = folder.path().string()});
  ASSERT_FALSE(loads);
  EXPECT_NE(loads.error().message.find("found a home without a value at some time of the week, 'p001'"),
            std::string::npos)
      << loads.error().message;
}

TEST(GridLoads, LongerSlotsAreMeans) {
  const TempDir folder;
  fs::create_directories(folder / "lvgrid/ieee_eulv");
  std::string text = "minute,p001_kw\n";
  for (int minute = 0; minute < 1440; ++minute)
    text += std::to_string(minute) + "," + std::to_string(minute % 15) + "\n";
  test::write_file(folder / "lvgrid/ieee_eulv/profiles_1min_kw_100.csv.gz", text);
  const GridLoads loads = loads_of({.source = LoadSource::ieee, .data_folder = folder.path().string(), .days = 2});
  const grid::Network network = feeder();
  for (std::size_t i = 0; i < loads.customers; ++i) {
    if (network.customers()[i].kind != grid::CustomerKind::residential) continue;
    EXPECT_EQ(column(loads, i), std::vector<double>(192, 7));
  }
}

TEST(GridLoads, ErrorsNameWhatIsWrong) {
  const auto message = [](const GridLoadOptions& options) {
    const auto loads = make_grid_loads(feeder(), options);
    return loads ? std::string() : loads.error().message;
  };
  EXPECT_EQ(message({.days = 0}), "days: expected 1 to 3660");
  EXPECT_EQ(message({.slot_min = 7}), "slot length: expected 1, 15, 30 or 60 minutes");
  EXPECT_EQ(message({.ev_share = 1.5}), "share of customers with a car: expected 0 to 1");
  EXPECT_EQ(message({.ev_kw = 0}), "charging power: expected a number of kW above 0");
  EXPECT_EQ(message({.source = LoadSource::sgsc}), "recorded loads: expected the data folder they lie in");
  const TempDir empty;
  EXPECT_NE(message({.source = LoadSource::sgsc, .data_folder = empty.path().string()})
                .find("expected a data folder with sgsc_newcastle/load_kwh_10.csv.gz"),
            std::string::npos);
  EXPECT_FALSE(parse_load_source("gefcom"));
  EXPECT_FALSE(parse_load_part("half"));
}

TEST(GridLoads, EveryRecordedSourceFillsEveryNetwork) {
  if (!fs::exists(fs::path(FUGU_SHARED_DATA) / "lvgrid")) GTEST_SKIP() << "no recorded data here";
  const auto network = grid::read_network((fs::path(FUGU_SHARED_DATA) / "lvgrid/simbench_rural1").string());
  ASSERT_TRUE(network) << network.error().message;
  for (const LoadSource source : {LoadSource::citylearn, LoadSource::sgsc, LoadSource::ieee, LoadSource::simbench}) {
    const GridLoads loads = loads_of({.source = source, .data_folder = FUGU_SHARED_DATA, .days = 14}, *network);
    ASSERT_EQ(loads.p_kw.size(), loads.stamps * loads.customers);
    for (std::size_t i = 0; i < loads.customers; ++i) {
      EXPECT_GT(loads.yearly_kwh[i], 200) << network->customers()[i].id;
      EXPECT_LT(loads.yearly_kwh[i], 100'000) << network->customers()[i].id;
    }
  }
}

}  // namespace
}  // namespace fugu
