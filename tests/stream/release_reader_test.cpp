#include "fugu/stream/release_reader.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace fugu {
namespace {

std::string with_header(std::string_view rows) {
  std::string text = "time,series,value,scale,loss_rate,sampled\n";
  text.append(rows);
  return text;
}

Result<std::vector<ReleaseRecord>> read_all(const std::string& text, ReleaseReader::Options options = {}) {
  FUGU_ASSIGN(ReleaseReader reader, ReleaseReader::open(Input::from_memory("r.csv", text), std::move(options)));
  std::vector<ReleaseRecord> records;
  ReleaseRecord record;
  for (;;) {
    FUGU_ASSIGN(const bool more, reader.next(record));
    if (!more) return records;
    records.push_back(record);
  }
}

TEST(ReleaseReader, ReadsRowsInTheStreamsUnit) {
  const auto rows = read_all(with_header("7,a,12.5,3,0.25,1\n7,b,,,0,0\n8,a,12.5,3,0,0\n"), {Clock(), {}});
  ASSERT_TRUE(rows) << rows.error().message;
  ASSERT_EQ(rows->size(), 3u);
  EXPECT_EQ((*rows)[0].slot, 7);
  EXPECT_EQ((*rows)[0].value, 12.5);
  EXPECT_EQ((*rows)[0].scale, 3);
  EXPECT_EQ((*rows)[0].loss_rate, 0.25);
  EXPECT_TRUE((*rows)[0].sampled);
  EXPECT_EQ((*rows)[1].series, 1u);
  EXPECT_FALSE((*rows)[1].known);
  EXPECT_FALSE((*rows)[2].sampled);
}

TEST(ReleaseReader, AnEstimateHasNoScale) {
  const auto rows = read_all(with_header("0,a,12.5,,0.25,1\n0,b,3,0,inf,1\n"));
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_TRUE((*rows)[0].known);
  EXPECT_EQ((*rows)[0].value, 12.5);
  EXPECT_FALSE((*rows)[0].scale.has_value());
  EXPECT_EQ((*rows)[1].scale, 0);
}

TEST(ReleaseReader, NumbersSlotsByAppearanceWithoutAClock) {
  const auto rows = read_all(with_header("2026-01-01T00:00:00Z,a,1,1,1,1\n2026-01-01T00:15:00Z,a,1,1,1,1\n"));
  ASSERT_TRUE(rows);
  EXPECT_EQ((*rows)[0].slot, 0);
  EXPECT_EQ((*rows)[1].slot, 1);
}

TEST(ReleaseReader, KnowsTheBandAndATrueValue) {
  const auto rows = read_all("time,series,value,scale,loss_rate,sampled,lower,upper\n0,a,5,0,inf,1,4,6\n");
  ASSERT_TRUE(rows);
  EXPECT_EQ((*rows)[0].lower, 4);
  EXPECT_EQ((*rows)[0].upper, 6);
  EXPECT_TRUE(std::isinf((*rows)[0].loss_rate));
}

TEST(ReleaseReader, KnowsTheCurrencyAndWhetherItWasSimulated) {
  const auto pure = read_all(with_header("0,a,5,2,0.5,1\n"));
  ASSERT_TRUE(pure);
  EXPECT_EQ((*pure)[0].currency, Currency::epsilon);
  EXPECT_FALSE((*pure)[0].simulated);
  const auto rho = read_all("time,series,value,scale,loss_rate_rho,sampled,lower,upper,simulated\n0,a,5,1,2,1,4,6,1\n");
  ASSERT_TRUE(rho) << rho.error().message;
  EXPECT_EQ((*rho)[0].currency, Currency::rho);
  EXPECT_EQ((*rho)[0].upper, 6);
  EXPECT_TRUE((*rho)[0].simulated);
}

TEST(ReleaseReader, TheFirstTimeMayBeEmptyWithoutAClock) {
  const auto rows = read_all(with_header(",a,1,1,1,1\n,b,1,1,1,1\n1,a,1,1,1,1\n"));
  ASSERT_TRUE(rows);
  EXPECT_EQ((*rows)[0].slot, 0);
  EXPECT_EQ((*rows)[1].slot, 0);
  EXPECT_EQ((*rows)[2].slot, 1);
}

TEST(ReleaseReader, NamesFileLineAndWhatIsWrong) {
  const struct {
    std::string text;
    std::string message;
    ReleaseReader::Options options = {};
  } cases[] = {
      {"", "r.csv"},
      {"time,load\n", "r.csv:1:1: found another header"},
      {with_header("0,a,1,1,1\n"), "r.csv:2:1: found 5 fields; expected 6 fields"},
      {with_header("0,a,x,1,1,1\n"), "r.csv:2:5: found text where a number belongs"},
      {with_header("0,a,nan,1,1,1\n"), "r.csv:2:5"},
      {with_header("0,a,1,1,1,2\n"), "expected 0 or 1"},
      {with_header("0,a,1,1,0,2\n"), "expected 0 or 1"},
      {with_header("zero,a,1,1,1,1\n"), "r.csv:2:1", {Clock(), {}}},
      {with_header("1,a,1,1,1,1\n0,a,1,1,1,1\n"), "ascending", {Clock(), {}}},
      {with_header("1970-01-01T00:00:00Z,a,1,1,1,1\n"), "before the stream's first slot", {Clock(900, 900), {}}},
      {"time,series,value,scale,loss_rate,sampled,load\n", "r.csv:1:1: found another header"},
      {"time,series,value,scale,loss_rate,sampled,upper,lower\n", "r.csv:1:1: found another header"},
      {"time,series,value,scale,loss_rate,sampled,simulated,lower,upper\n", "r.csv:1:1: found another header"},
      {"time,series,value,scale,loss_rate_rhos,sampled\n", "r.csv:1:1: found another header"},
      {"time,series,value,scale,loss_rate,sampled,simulated\n0,a,1,1,1,1,7\n", "expected 1"},
      {with_header("0,c,1,1,1,1\n"), "a series of the stream", {Clock(), {"a", "b"}}},
  };
  for (const auto& [text, message, options] : cases) {
    const auto rows = read_all(text, options);
    ASSERT_FALSE(rows) << text;
    EXPECT_EQ(rows.error().cause, Cause::bad_input);
    EXPECT_NE(rows.error().message.find(message), std::string::npos) << rows.error().message;
  }
}

}  // namespace
}  // namespace fugu
