#include "fugu/stream/series_map.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "fugu/stream/series_map_file.hpp"
#include "support/temp_dir.hpp"
#include "text.hpp"

namespace fugu {
namespace {

using Sets = std::vector<std::vector<SeriesId>>;

Result<SeriesMap> read(std::string text) { return SeriesMap::read(Input::from_memory("map.csv", std::move(text))); }

std::string error_of(std::string text) {
  const auto map = read(std::move(text));
  if (map) return "no error";
  EXPECT_EQ(map.error().cause, Cause::bad_input);
  return map.error().message;
}

TEST(SeriesMap, KeepsTheOrderOfFirstAppearance) {
  const auto map = read("meter,series\nm2,city\nm1,feeder b\nm1,city\nm3,feeder a\n");
  ASSERT_TRUE(map) << map.error().message;
  EXPECT_EQ(map->series(), (std::vector<std::string>{"city", "feeder b", "feeder a"}));
  EXPECT_EQ(map->meter_count(), 3u);
  EXPECT_EQ(map->meter("m1"), 1u);
  EXPECT_EQ(map->meter("m4"), std::nullopt);
  EXPECT_EQ(map->meter(""), std::nullopt);
  EXPECT_EQ(map->meter_name(1), "m1");
  EXPECT_TRUE(std::ranges::equal(map->series_of(1), std::vector<SeriesId>{0, 1}));
  EXPECT_EQ(map->meters_in(0), 2u);
  EXPECT_EQ(map->meters_in(2), 1u);
}

TEST(SeriesMap, ColumnsInEitherOrder) {
  const auto map = read("series,meter\r\ncity,m1\r\n");
  ASSERT_TRUE(map) << map.error().message;
  EXPECT_EQ(map->meter_name(0), "m1");
}

TEST(SeriesMap, SignaturesAreWhatOneMeterCanTouch) {
  const auto map = read("meter,series\na,x\na,y\nb,y\nc,z\nd,y\nd,x\ne,z\n");
  ASSERT_TRUE(map) << map.error().message;
  EXPECT_EQ(map->signatures(), (Sets{{0, 1}, {2}}));
}

TEST(SeriesMap, BadInput) {
  EXPECT_EQ(error_of(""), "map.csv: found an empty file; expected a header `meter,series`");
  EXPECT_EQ(error_of("meter,zone\nm,z\n"), "map.csv:1:1: found other columns; expected a header `meter,series`");
  EXPECT_EQ(error_of("meter,series\n"), "map.csv: found no rows; expected a meter and its series in each row");
  EXPECT_EQ(error_of("meter,series\nm\n"), "map.csv:2:1: found 1 field; expected 2 fields");
  EXPECT_EQ(error_of("meter,series\nm,s,t\n"), "map.csv:2:1: found 3 fields; expected 2 fields");
  EXPECT_EQ(error_of("meter,series\n,s\n"), "map.csv:2:1: found nothing; expected a meter id");
  EXPECT_EQ(error_of("meter,series\nm,\n"), "map.csv: found no rows; expected a meter and its series in each row");
  EXPECT_EQ(error_of("meter,series\nm,\"s\"\n"), "map.csv:2:3: found a quote; expected a series name without quotes");
  EXPECT_EQ(error_of("meter,series\nm,s\tt\n"),
            "map.csv:2:3: found a control character; expected a series name of printable characters");
  EXPECT_EQ(error_of("meter,series\na,b\xff\n"),
            "map.csv:2:3: found bytes that are not UTF-8; expected a series name in UTF-8");
  EXPECT_EQ(error_of("meter,series\nm,s\nn,t\nn,s\nm,s\nn,t\n"),
            "map.csv:5:1: found a meter and series that an earlier row has; expected each pair once");
}

TEST(SeriesMap, AHouseholdIsTheUnit) {
  auto map = read("meter,series\nimport,north\nexport,north\nboiler,city\nother,south\n");
  ASSERT_TRUE(map) << map.error().message;
  EXPECT_EQ(map->signatures().size(), 3u);
  EXPECT_EQ(map->meters_of_one_unit(), (std::vector<std::uint64_t>{1, 1, 1}));
  const auto read = map->read_households(
      Input::from_memory("homes.csv", "meter,household\nimport,h1\nexport,h1\nboiler,h1\nnot-here,h2\n"));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(map->unit_count(), 2u);
  EXPECT_EQ(map->unit_name(map->unit_of(*map->meter("boiler"))), "h1");
  EXPECT_EQ(map->unit_name(map->unit_of(*map->meter("other"))), "other");
  EXPECT_EQ(map->signatures(), (Sets{{0, 1}, {2}}));
  EXPECT_EQ(map->meters_of_one_unit(), (std::vector<std::uint64_t>{2, 1, 1}));
}

TEST(SeriesMap, BadHouseholds) {
  const auto error = [](std::string households) {
    auto map = read("meter,series\na,x\nb,x\n");
    const auto read = map->read_households(Input::from_memory("homes.csv", std::move(households)));
    return read ? "no error" : read.error().message;
  };
  EXPECT_EQ(error("meter,home\na,h\n"), "homes.csv:1:1: found other columns; expected a header `meter,household`");
  EXPECT_EQ(error("meter,household\na,h\na,i\n"),
            "homes.csv:3:1: found a meter that an earlier row has; expected each meter once");
  EXPECT_EQ(error("meter,household\na,\n"), "homes.csv:2:3: found nothing; expected a household name");
  EXPECT_EQ(error("meter,household\na,b\n"),
            "homes.csv: found household 'b', which is also the id of a meter that is not in it; expected another name, "
            "or a row that puts the meter into it");
  EXPECT_EQ(error("household,meter\nb,a\nb,b\n"), "no error");
  // The meter may be in another household, or not in the map yet.
  for (const char* households : {"meter,household\na,b\nb,c\n", "meter,household\na,new\nnew,c\n"})
    EXPECT_NE(error(households).find("which is also the id of a meter that is not in it"), std::string::npos);
}

TEST(SeriesMap, ARowWithoutASeriesIsAMeterThatCountsNowhere) {
  const auto map = read("meter,series\na,x\nb,\nc,x\n");
  ASSERT_TRUE(map) << map.error().message;
  EXPECT_EQ(map->meter_count(), 3u);
  EXPECT_TRUE(map->series_of(*map->meter("b")).empty());
  EXPECT_EQ(map->signatures(), (Sets{{0}}));
}

TEST(SeriesMap, ReadAgainKeepsIds) {
  const auto first = read("meter,series\na,x\nb,y\nc,y\n");
  const auto next = SeriesMap::read_again(Input::from_memory("map.csv", "meter,series\nd,y\nc,x\nb,y\n"), *first);
  ASSERT_TRUE(next) << next.error().message;
  EXPECT_EQ(next->series(), first->series());
  for (const char* name : {"a", "b", "c"}) EXPECT_EQ(next->meter(name), first->meter(name));
  EXPECT_EQ(next->meter("d"), 3u);
  EXPECT_TRUE(next->series_of(0).empty()) << "a is gone";
  EXPECT_TRUE(std::ranges::equal(next->series_of(2), std::vector<SeriesId>{0}));
  EXPECT_EQ(next->meters_in(0), 1u);
  const auto other = SeriesMap::read_again(Input::from_memory("map.csv", "meter,series\na,z\n"), *first);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message,
            "map.csv:2:1: found a series that the stream did not begin with; expected one of the series of the first "
            "map: another set of series needs another ledger");
}

/// A map and its households in files, followed from the state they have when it begins.
class FollowedMap : public ::testing::Test {
 protected:
  void SetUp() override {
    test::write_file(paths_.map, "meter,series\na,x\nb,y\n");
    test::write_file(paths_.households, "meter,household\na,h\n");
  }
  SeriesMapFile follow() {
    return SeriesMapFile({.paths = paths_,
                          .read = versions_of(paths_),
                          .check = [](const SeriesMap&) { return Result<void>(); },
                          .warn = [this](const std::string& message) { warnings_.push_back(message); }});
  }
  static bool counts_into(const std::optional<SeriesMap>& map, const char* meter, SeriesId series) {
    return map && std::ranges::equal(map->series_of(*map->meter(meter)), std::vector<SeriesId>{series});
  }

  test::TempDir directory_;
  SeriesMapPaths paths_{directory_ / "map.csv", directory_ / "households.csv"};
  std::vector<std::string> warnings_;
};

TEST_F(FollowedMap, HalfAFileChangesNothingUntilItIsWhole) {
  const auto map = read_series_map(paths_);
  ASSERT_TRUE(map);
  SeriesMapFile file = follow();
  EXPECT_FALSE(file.look(*map));
  for (const char* half : {"meter,series\na,x\nb,x", "meter,series\na,x\nb,x\nc", "meter,series\na,x\nb,x\nc,y"}) {
    test::write_file(paths_.map, half);
    EXPECT_FALSE(file.look(*map)) << half;
  }
  EXPECT_EQ(warnings_.size(), 1u) << "it is said once";
  EXPECT_NE(warnings_.at(0).find("a last line without an end"), std::string::npos) << warnings_[0];
  test::write_file(paths_.map, "meter,series\na,x\nb,x\nc,y\n");
  EXPECT_TRUE(counts_into(file.look(*map), "b", 0));
  EXPECT_EQ(warnings_.size(), 1u);
  test::write_file(paths_.map, test::gzip("meter,series\na,y\nb,x"));
  EXPECT_FALSE(file.look(*map));
  EXPECT_EQ(warnings_.size(), 2u) << "another half is said again";
}

TEST_F(FollowedMap, HalfAFileOfHouseholdsChangesNothing) {
  const auto map = read_series_map(paths_);
  SeriesMapFile file = follow();
  test::write_file(paths_.households, "meter,household\na,h\nb,h");
  EXPECT_FALSE(file.look(*map));
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_NE(warnings_[0].find("households.csv:3"), std::string::npos) << warnings_[0];
  test::write_file(paths_.households, "meter,household\na,h\nb,h2\n");
  EXPECT_TRUE(file.look(*map));
}

TEST_F(FollowedMap, AChangeWhileTheFilesAreReadIsSeen) {
  SeriesMapFile file = follow();
  const auto map = read_series_map(paths_);
  test::write_file(paths_.map, "meter,series\na,x\nb,x\nc,y\n");
  EXPECT_TRUE(counts_into(file.look(*map), "b", 0));
}

RC_GTEST_PROP(SeriesMap, AgreesWithPlainMaps, ()) {
  const auto pairs = *rc::gen::container<std::set<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(0, 30), rc::gen::inRange(0, 6)));
  RC_PRE(!pairs.empty());
  std::string text = "meter,series\n";
  std::map<std::string, std::set<std::string>> expected;
  for (const auto& [meter, series] : pairs) {
    const std::string name = std::string(static_cast<std::size_t>(meter), 'm') + std::to_string(meter);
    text += name + ",s" + std::to_string(series) + "\n";
    expected[name].insert("s" + std::to_string(series));
  }
  const auto map = read(text);
  RC_ASSERT(map.has_value());
  RC_ASSERT(map->meter_count() == expected.size());
  std::set<std::set<std::string>> sets;
  for (const auto& [name, series] : expected) {
    const auto meter = map->meter(name);
    RC_ASSERT(meter.has_value());
    std::set<std::string> found;
    for (SeriesId id : map->series_of(*meter)) found.insert(map->series()[id]);
    RC_ASSERT(found == series);
    sets.insert(series);
  }
  std::set<std::set<std::string>> maximal;
  for (const auto& set : sets) {
    const bool covered = std::any_of(sets.begin(), sets.end(), [&](const auto& other) {
      return other != set && std::includes(other.begin(), other.end(), set.begin(), set.end());
    });
    if (!covered) maximal.insert(set);
  }
  std::set<std::set<std::string>> signatures;
  for (const auto& signature : map->signatures()) {
    std::set<std::string> names;
    for (SeriesId id : signature) names.insert(map->series()[id]);
    signatures.insert(names);
  }
  RC_ASSERT(signatures == maximal);
  RC_ASSERT(map->signatures().size() == maximal.size());
}

RC_GTEST_PROP(NameTable, AgreesWithAPlainMap, ()) {
  const auto bytes = rc::gen::container<std::string>(rc::gen::element('a', 'b', '\0', '\xff'));
  const auto names = *rc::gen::container<std::vector<std::string>>(rc::gen::resize(40, bytes));
  NameTable table;
  std::map<std::string, NameTable::Id> expected;
  for (const auto& name : names) {
    const auto known = expected.find(name);
    RC_ASSERT(table.find(name).has_value() == (known != expected.end()));
    const NameTable::Id id = table.intern(name);
    RC_ASSERT(id == expected.emplace(name, static_cast<NameTable::Id>(expected.size())).first->second);
    RC_ASSERT(table.name(id) == name);
  }
  RC_ASSERT(table.size() == expected.size());
}

TEST(NameTable, ManyNames) {
  NameTable table;
  for (int i = 0; i < 100'000; ++i) table.intern("a rather long name of a meter " + std::to_string(i));
  for (int i = 0; i < 100'000; ++i) table.intern(std::to_string(i));
  EXPECT_EQ(table.size(), 200'000u);
  for (int i = 0; i < 100'000; ++i) {
    ASSERT_EQ(table.find("a rather long name of a meter " + std::to_string(i)), i);
    ASSERT_EQ(table.find(std::to_string(i)), i + 100'000);
  }
  EXPECT_EQ(table.find("a rather long name of a meter "), std::nullopt);
}

}  // namespace
}  // namespace fugu
