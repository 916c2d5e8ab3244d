#include "fugu/measurement/measurements.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <random>
#include <tuple>

#include "network/builders.hpp"
#include "support/temp_dir.hpp"

namespace fugu::grid {
namespace {

using fugu::test::TempDir;
using fugu::test::write_file;

const double kNan = std::nan("");

/// Customers c and d.
Network network() {
  NetworkData data = test::small_network();
  data.customers = {{.id = "c", .node = "B"}, {.id = "d", .node = "A"}};
  return *Network::make(data);
}

/// EXPECT_EQ for values that may be none.
void expect_values(const std::vector<double>& found, const std::vector<double>& expected, const char* what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_TRUE(found[i] == expected[i] || (std::isnan(found[i]) && std::isnan(expected[i])))
        << what << "[" << i << "]: " << found[i] << ", expected " << expected[i];
}

constexpr const char* kHeader = "time,series,value,scale,loss_rate,sampled\n";

class MeasurementsTest : public testing::Test {
 protected:
  std::string released(const std::string& rows, const std::string& header = kHeader) {
    write_file(folder_ / "released.csv", header + rows);
    return folder_ / "released.csv";
  }
  std::string measured(const std::string& text) {
    write_file(folder_ / "measured.csv", text);
    return folder_ / "measured.csv";
  }
  static Result<Measurements> read(const std::string& released, const std::string& measured = "",
                                   MatchRules rules = {}) {
    return read_measurements(network(), {.released = {.path = released}, .measured = {.path = measured}}, rules);
  }
  static Measurements good(const Result<Measurements>& result) {
    if (!result) ADD_FAILURE() << result.error().message;
    return result ? *result : Measurements{};
  }
  static std::string mistakes(const Result<Measurements>& result) {
    return result ? std::string() : result.error().message;
  }

  TempDir folder_;
};

TEST_F(MeasurementsTest, ARepeatedReleaseIsShownAndSaysNothingNew) {
  const Measurements found =
      good(read(released("0,c.p,1.5,0.5,2,1\n0,d.p,,0,0,0\n"
                         "1,c.p,1.5,0.5,0,0\n1,d.p,3,0,inf,1\n"
                         "2,c.p,1.5,,0,1\n2,d.p,4,2,0.5,1\n")));
  EXPECT_EQ(found.stamps, 3u);
  expect_values(found.p_kw, {1.5, kNan, kNan, 3, kNan, 4}, "answers");
  expect_values(found.p_scale_kw, {0.5, kNan, kNan, 0, kNan, 2}, "scales");
  expect_values(found.shown_p_kw, {1.5, kNan, 1.5, 3, 1.5, 4}, "shown");
  expect_values(found.shown_q_kvar, std::vector<double>(6, kNan), "kvar");
  EXPECT_EQ(found.counts.answers, 3u);
  EXPECT_EQ(found.counts.repeated, 1u);
  EXPECT_EQ(found.counts.estimates, 1u) << "a value without scale is made of several answers";
  EXPECT_EQ(found.counts.gaps, 1u) << "nothing had been released of d";
  EXPECT_EQ(found.has_q, (std::vector<bool>{false, false}));
  EXPECT_EQ(found.noise, NoiseKind::laplace);
  EXPECT_FALSE(found.simulated);
}

TEST_F(MeasurementsTest, WhatTheOperatorMeasuresIsExact) {
  const Measurements found = good(
      read(released("0,c.p,1,2,0.5,1\n1,c.p,2,2,0.5,1\n"), measured("time,d.p,d.q,transformer.p,transformer.v,B.v\n"
                                                                    "0,5,1,,400,399\n1,6,,7,401,398\n")));
  expect_values(found.p_kw, {1, 5, 2, 6}, "kW");
  expect_values(found.p_scale_kw, {2, 0, 2, 0}, "scales");
  expect_values(found.q_kvar, {kNan, 1, kNan, kNan}, "kvar");
  expect_values(found.transformer_p_kw.shown, {kNan, 7}, "transformer");
  expect_values(found.transformer_v.answer, {400, 401}, "busbar");
  EXPECT_FALSE(found.transformer_q_kvar.is_there());
  ASSERT_EQ(found.sensors.size(), 1u);
  EXPECT_EQ(found.sensors.front().node, 2u);
  expect_values(found.sensors.front().series.shown, {399, 398}, "sensor");
  EXPECT_EQ(found.counts.gaps, 2u);
}

TEST_F(MeasurementsTest, SumsAreSeriesOfTheirOwn) {
  const auto map = SeriesMap::read(Input::from_memory("map.csv", "meter,series\nc.p,box\nd.p,box\n"));
  const auto found = good(
      read_measurements(network(), {.released = {.path = released("0,box,8,1,1,1\n1,box,8,1,0,0\n")}, .map = &*map}));
  ASSERT_EQ(found.sums.size(), 1u);
  EXPECT_EQ(found.sums.front().of.customers, (std::vector<std::uint32_t>{0, 1}));
  expect_values(found.sums.front().series.answer, {8, kNan}, "answers");
  expect_values(found.sums.front().series.shown, {8, 8}, "shown");
  expect_values(found.p_kw, std::vector<double>(4, kNan), "nobody's own");
  EXPECT_NE(plain_loads(network(), found).error().message.find("customer 'c' has no kW of its own"), std::string::npos);
}

TEST_F(MeasurementsTest, OnlyTheTimeThatFilesShareIsRead) {
  const Measurements found =
      good(read(released("2,c.p,1,2,1,1\n3,c.p,2,2,1,1\n4,c.p,3,2,1,1\n"), measured("time,d.p\n0,5\n1,5\n2,6\n4,7\n")));
  EXPECT_EQ(found.first_slot, 2);
  EXPECT_EQ(found.stamps, 3u);
  expect_values(found.p_kw, {1, 6, 2, kNan, 3, 7}, "kW; slot 3 has no row");
  EXPECT_EQ(found.counts.released_left_out, 0u);
  EXPECT_EQ(found.counts.measured_left_out, 2u);
  EXPECT_EQ(found.counts.gaps, 1u);
}

TEST_F(MeasurementsTest, StampsOfBothFilesMeet) {
  const auto clock = [](std::int64_t origin_s, std::int64_t slot_s) { return RunClock{Clock(origin_s, slot_s), 0}; };
  const std::string rows = "1970-01-01T01:00:00Z,c.p,1,2,1,1\n1970-01-01T01:15:00Z,c.p,2,2,1,1\n";
  const MeasurementFiles files = {
      .released = {released(rows), clock(3600, 900)},
      .measured = {measured("time,d.p\n1970-01-01T00:45:00Z,5\n1970-01-01T01:00:00Z,6\n1970-01-01T01:15:00Z,7\n"),
                   clock(2700, 900)}};
  expect_values(good(read_measurements(network(), files)).p_kw, {1, 6, 2, 7}, "kW");
  MeasurementFiles hourly = files;
  hourly.measured = {measured("time,d.p\n1970-01-01T00:00:00Z,5\n1970-01-01T01:00:00Z,6\n"), clock(0, 3600)};
  EXPECT_EQ(mistakes(read_measurements(network(), hourly)),
            "the release has slots of 900 s, the measured file has slots of 3600 s; expected the same");
  MeasurementFiles shifted = files;
  shifted.measured = {measured("time,d.p\n1970-01-01T01:05:00Z,5\n1970-01-01T01:20:00Z,6\n"), clock(3900, 900)};
  EXPECT_NE(mistakes(read_measurements(network(), shifted)).find("begin within those of the release"),
            std::string::npos);
  MeasurementFiles later = files;
  later.measured = {measured("time,d.p\n1970-01-02T01:00:00Z,5\n1970-01-02T01:15:00Z,6\n"), clock(90'000, 900)};
  EXPECT_NE(mistakes(read_measurements(network(), later)).find("have no slot in common"), std::string::npos);
  MeasurementFiles numbered = files;
  numbered.measured = {measured("time,d.p\n0,5\n1,6\n"), {}};
  EXPECT_NE(mistakes(read_measurements(network(), numbered)).find("has slot numbers"), std::string::npos);
}

TEST_F(MeasurementsTest, MistakesOfNamesAndTimesComeTogether) {
  const std::string message = mistakes(read(released("0,x.p,1,2,1,1\n"), measured("time,d.p,y.p\n5,1,2\n")));
  for (const char* part : {"4 mistakes:", "'x.p'", "'y.p'", "1 customer has no measurement: 'c'", "no slot in common"})
    EXPECT_NE(message.find(part), std::string::npos) << part << " is not in\n" << message;
}

TEST_F(MeasurementsTest, ARowThatIsThereTwiceIsAMistake) {
  EXPECT_NE(mistakes(read(released("0,c.p,1,2,1,1\n0,d.p,1,2,1,1\n0,c.p,2,2,1,1\n")))
                .find("1 rows are of a slot and series that had one before"),
            std::string::npos);
}

TEST_F(MeasurementsTest, NumbersThatMakeNoSenseAreNotPassedOn) {
  for (const char* row : {"0,c.p,inf,2,1,1\n", "0,c.p,1,inf,1,1\n", "0,c.p,1,-2,1,1\n", "0,c.p,1e308,2,1,1\n",
                          "0,c.p,-1.1e9,2,1,1\n", "0,c.p,1,1.1e9,1,1\n"}) {
    const std::string message = mistakes(read(released(row), measured("time,d.p\n0,1\n")));
    EXPECT_NE(message.find("released.csv:2:1: found a value or scale of series 'c.p' that is too large, or a negative"),
              std::string::npos)
        << row << message;
  }
  EXPECT_EQ(mistakes(read(released("0,c.p,-1e9,1e9,1,1\n"), measured("time,d.p\n0,1\n"))), "");
  for (const auto& [name, value, expected] : {std::tuple("d.q", "1e308", "at most 1e9 kW or kvar"),
                                              {"transformer.p", "-1.1e9", "at most 1e9 kW or kvar"},
                                              {"B.v", "1.1e6", "at most 1e6 V"}}) {
    const std::string message = mistakes(
        read(released("0,c.p,1,2,1,1\n"), measured(std::string("time,d.p,") + name + "\n0,1," + value + "\n")));
    EXPECT_NE(message.find("measured.csv:2:5: found a value of series '" + std::string(name) + "' that no network has"),
              std::string::npos)
        << message;
    EXPECT_NE(message.find(expected), std::string::npos) << message;
  }
  EXPECT_NE(mistakes(read(released("0,c.p,1,2,1,1\n"), measured("time,d.p\n0,nan\n"))).find("text where a number"),
            std::string::npos);
}

TEST_F(MeasurementsTest, UnitsThatAreOffAreFound) {
  const auto with = [&](const std::string& name, const std::string& value) {
    return mistakes(read(released("0,c.p,1,2,1,1\n"), measured("time,d.p," + name + "\n0,1," + value + "\n")));
  };
  EXPECT_EQ(with("transformer.v", "400"), "");
  EXPECT_NE(with("transformer.v", "231").find("expected volts between phases"), std::string::npos) << "to earth";
  EXPECT_NE(with("B.v", "0.4").find("series 'B.v' is far from the nominal 400 V"), std::string::npos) << "kV";
  EXPECT_EQ(with("transformer.p", "200"), "");
  EXPECT_NE(with("transformer.p", "200000").find("expected kW"), std::string::npos) << "W";
  EXPECT_NE(with("d.q", "3000").find("series 'd.q'"), std::string::npos);
}

TEST_F(MeasurementsTest, MessagesHoldNoValue) {
  const std::string message =
      mistakes(read(released("0,c.p,123.25,2,1,1\n0,c.p,123.25,2,1,1\n"), measured("time,d.p,B.v\n0,456.75,777.5\n")));
  for (const char* value : {"123.25", "456.75", "777.5"}) EXPECT_EQ(message.find(value), std::string::npos) << message;
}

TEST_F(MeasurementsTest, KnowsSimulatedAndGaussianReleases) {
  EXPECT_TRUE(good(read(released("0,c.p,1,2,1,1,1\n0,d.p,1,2,1,1,1\n",
                                 "time,series,value,scale,loss_rate,sampled,simulated\n")))
                  .simulated);
  EXPECT_EQ(
      good(read(released("0,c.p,1,2,1,1\n0,d.p,1,2,1,1\n", "time,series,value,scale,loss_rate_rho,sampled\n"))).noise,
      NoiseKind::gaussian);
}

TEST_F(MeasurementsTest, FilesHaveToBeThere) {
  EXPECT_EQ(mistakes(read("", "")), "expected releases, or a file of measured values, or both");
  EXPECT_NE(mistakes(read(released(""))).find("found no release"), std::string::npos);
  EXPECT_NE(mistakes(read("", measured("time,c.p,d.p\n"))).find("found no row"), std::string::npos);
  EXPECT_NE(mistakes(read("", measured("t,c.p\n"))).find("found another header"), std::string::npos);
  EXPECT_NE(mistakes(read("", measured("time,c.p,d.p\n1,1,1\n1,1,1\n"))).find("ascending times"), std::string::npos);
}

TEST_F(MeasurementsTest, ATimeFarAheadIsATypo) {
  EXPECT_NE(mistakes(read("", measured("time,c.p,d.p\n0,1,1\n900719925474099,1,1\n"))).find("is a time mistyped?"),
            std::string::npos);
  EXPECT_NE(mistakes(read(released("0,c.p,1,2,1,1\n0,d.p,1,2,1,1\n99999999999,c.p,1,2,1,1\n"))).find("mistyped"),
            std::string::npos);
  EXPECT_EQ(good(read("", measured("time,c.p,d.p\n0,1,1\n9999,1,1\n"))).stamps, 10'000u) << "an outage";
}

/// Whatever became of the files: a value is an answer with a finite scale, or shown, or none.
void expect_sound(const Measurements& found) {
  const std::size_t size = found.stamps * 2;
  ASSERT_EQ(found.p_kw.size(), size);
  for (std::size_t i = 0; i < size; ++i) {
    ASSERT_EQ(std::isnan(found.p_kw[i]), std::isnan(found.p_scale_kw[i]));
    ASSERT_FALSE(std::isinf(found.shown_p_kw[i]) || found.p_scale_kw[i] < 0 || std::isinf(found.p_scale_kw[i]));
    ASSERT_TRUE(std::isnan(found.p_kw[i]) || found.p_kw[i] == found.shown_p_kw[i]);
  }
}

TEST_F(MeasurementsTest, SpoiltFilesAreReadOrRefused) {
  const std::string rows = kHeader + std::string("0,c.p,1.5,0.5,2,1\n1,c.p,1.5,0.5,0,0\n2,c.p,-2.5,0.5,2,1\n");
  const std::string own = "time,d.p,d.q,transformer.v\n0,5,1,400\n1,6,,401\n2,,2,\n";
  const std::string letters = "0123456789.,-+eEinfcdpqv\n\r\xff";
  std::mt19937 dice(19);
  std::size_t read_well = 0;
  constexpr std::size_t kRounds = 400;
  for (std::size_t round = 0; round < kRounds; ++round) {
    std::string files[2] = {rows, own};
    for (std::size_t i = 1 + dice() % 2; i > 0; --i) {
      std::string& text = files[dice() % 2];
      const std::size_t at = dice() % text.size();
      switch (dice() % 3) {
        case 0: text[at] = letters[dice() % letters.size()]; break;
        case 1: text.insert(at, 1, letters[dice() % letters.size()]); break;
        default: text.erase(at, 1 + dice() % 4);
      }
    }
    const auto found = read(released(files[0], ""), measured(files[1]), {.allow_unmeasured = true});
    if (!found) {
      ASSERT_FALSE(found.error().message.empty());
      continue;
    }
    ++read_well;
    expect_sound(*found);
  }
  EXPECT_GT(read_well, kRounds / 50) << "some changes are harmless";
  EXPECT_LT(read_well, kRounds * 9 / 10);
}

TEST_F(MeasurementsTest, PlainLoadsFillGapsWithTheValueBefore) {
  const Measurements found = good(
      read(released("0,c.p,,0,0,0\n1,c.p,-1,2,1,1\n2,c.p,-1,2,0,0\n"), measured("time,d.p,d.q\n0,5,1\n1,,\n2,6,2\n")));
  const PlainLoads loads = *plain_loads(network(), found);
  EXPECT_EQ(loads.p_kw, (std::vector<double>{0, 5, -1, 5, -1, 6})) << "noise may fall below 0: nothing is cut off";
  EXPECT_EQ(loads.q_kvar, (std::vector<double>{0, 1, 0, 1, 0, 2}));
  EXPECT_EQ(loads.filled, 3u);
}

}  // namespace
}  // namespace fugu::grid
