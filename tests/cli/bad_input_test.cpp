// Bad input and wrong usage: the exit code, a message that names file and line, and never a reading's value.
#include <zlib.h>

#include "support/released.hpp"

namespace fugu::test {
namespace {

/// Stands for a reading. No message may show it, whole or in part.
constexpr const char* kSecret = "7341";
constexpr const char* kPromise = " --definition w-event --epsilon 1 --w 4";

struct Bad {
  std::string name;
  std::string content;
  std::string where;          ///< what the message must begin to say: file, and line where there is one
  std::string options = "";   ///< besides the usual
  int slots_released = 0;     ///< before the error
  std::string repaired = "";  ///< the same input without its fault; the run then goes on
  int slots_in_all = 0;
};

void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.name; }

void expect_discreet(const Finished& finished) {
  EXPECT_EQ(finished.err.find(kSecret), std::string::npos) << "shows a reading: " << finished.err;
}

/// The input as a file, without a ledger.
void expect_rejected(const TempDir& directory, const std::string& command, const std::string& where,
                     int exit_code = 2) {
  const Finished finished = run_fugu(directory, command);
  EXPECT_EQ(finished.exit_code, exit_code) << command << "\n" << finished;
  EXPECT_NE(finished.err.find(where), std::string::npos) << "expected to name " << where << "\n" << finished;
  expect_discreet(finished);
}

/// With a ledger: what was released before the error stays, is paid for, and the repaired input continues it.
void expect_released_before(const TempDir& directory, const std::string& input, const std::string& command,
                            const Bad& bad, std::size_t series) {
  const Finished finished = run_fugu(directory, command + " --ledger run.ledger --out out.csv");
  EXPECT_EQ(finished.exit_code, 2) << finished;
  expect_discreet(finished);
  const std::string out = read_file(directory / "out.csv");
  if (bad.slots_released > 0) {
    EXPECT_EQ(lines_of(out).size(), 1 + static_cast<std::size_t>(bad.slots_released) * series) << out;
    const AuditVerdict verdict = expect_audit_holds(directory, "--ledger run.ledger --open --released out.csv");
    EXPECT_EQ(verdict.slots, static_cast<std::uint64_t>(bad.slots_released));
    EXPECT_EQ(run_fugu(directory, "audit --ledger run.ledger").exit_code, 1) << "not finished";
  }
  if (bad.repaired.empty()) return;
  write_file(directory / input, bad.repaired);
  const Finished resumed = run_fugu(directory, command + " --ledger run.ledger --out out.csv");
  ASSERT_EQ(resumed.exit_code, 0) << resumed;
  EXPECT_TRUE(read_file(directory / "out.csv").starts_with(out));
  EXPECT_EQ(lines_of(read_file(directory / "out.csv")).size(), 1 + static_cast<std::size_t>(bad.slots_in_all) * series);
  expect_audit_holds(directory, "--ledger run.ledger --released out.csv");
}

class BadStream : public testing::TestWithParam<Bad> {};

TEST_P(BadStream, IsNamedAndWhatWasReleasedStays) {
  const Bad& bad = GetParam();
  const TempDir directory;
  write_file(directory / "s.csv", bad.content);
  const std::string command =
      "publish --stream s.csv --mechanism uniform --sensitivity 3 " + bad.options + std::string(kPromise);
  expect_rejected(directory, command, bad.where);
  expect_released_before(directory, "s.csv", command, bad, 1);
}

std::string gzip_of(const std::string& text) {
  std::string packed(compressBound(text.size()) + 64, '\0');
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

/// Rows that do not compress to nothing.
std::string long_stream(int slots) {
  std::string text = "time,load\n";
  std::uint32_t state = 1;
  for (int slot = 0; slot < slots; ++slot) {
    state = state * 1664525u + 1013904223u;
    text.append(std::to_string(slot)).append(",").append(std::to_string(state % 90000)).append("\n");
  }
  return text;
}

const std::string kGood = "time,load\n0,7341\n1,7341\n2,7341\n3,7341\n";

INSTANTIATE_TEST_SUITE_P(
    Files, BadStream,
    testing::Values(
        Bad{.name = "empty_file", .content = "", .where = "s.csv"},
        Bad{.name = "no_header", .content = "0,7341\n1,7341\n", .where = "s.csv:1"},
        Bad{.name = "unknown_first_column", .content = "when,load\n0,7341\n", .where = "s.csv:1"},
        Bad{.name = "no_series", .content = "time\n0\n", .where = "s.csv:1"},
        Bad{.name = "series_twice", .content = "time,load,load\n0,7341,7341\n", .where = "s.csv:1:11"},
        Bad{.name = "empty_series_name", .content = "time,,load\n0,7341,7341\n", .where = "s.csv:1"},
        Bad{.name = "row_too_short",
            .content = "time,load\n0,7341\n1,7341\n2\n",
            .where = "s.csv:4",
            .slots_released = 2,
            .repaired = kGood,
            .slots_in_all = 4},
        Bad{.name = "row_too_long",
            .content = "time,load\n0,7341\n1,7341\n2,7341,7341\n",
            .where = "s.csv:4",
            .slots_released = 2,
            .repaired = kGood,
            .slots_in_all = 4},
        Bad{.name = "slot_twice",
            .content = "time,load\n0,7341\n1,7341\n1,7341\n",
            .where = "s.csv:4",
            .slots_released = 2,
            .repaired = kGood,
            .slots_in_all = 4},
        Bad{.name = "backwards",
            .content = "time,load\n0,7341\n1,7341\n0,7341\n",
            .where = "s.csv:4",
            .slots_released = 2,
            .repaired = kGood,
            .slots_in_all = 4},
        Bad{.name = "far_ahead",
            .content = "time,load\n0,7341\n1,7341\n900000000,7341\n",
            .where = "s.csv:4",
            .slots_released = 2},
        Bad{.name = "text",
            .content = "time,load\n0,7341\n1,7341\n2,7341kW\n",
            .where = "s.csv:4:3",
            .slots_released = 2,
            .repaired = kGood,
            .slots_in_all = 4},
        Bad{.name = "nan",
            .content = "time,load\n0,7341\n1,7341\n2,NaN\n",
            .where = "s.csv:4:3",
            .slots_released = 2,
            .repaired = kGood,
            .slots_in_all = 4},
        Bad{.name = "infinity",
            .content = "time,load\n0,7341\n1,7341\n2,-inf\n",
            .where = "s.csv:4:3",
            .slots_released = 2,
            .repaired = kGood,
            .slots_in_all = 4},
        Bad{.name = "hexadecimal", .content = "time,load\n0,0x7341\n", .where = "s.csv:2:3"},
        Bad{.name = "too_large", .content = "time,load\n0,7341e30\n", .where = "s.csv:2:3"},
        Bad{.name = "quoted", .content = "time,load\n0,\"7341\"\n", .where = "s.csv:2:3"},
        Bad{.name = "value_as_time",
            .content = "time,load\n0,7341\n1,7341\n7341.5,2\n",
            .where = "s.csv:4",
            .slots_released = 2},
        Bad{.name = "off_grid",
            .content = "time,load\n2026-01-01T00:00:00Z,7341\n2026-01-01T00:15:00Z,7341\n2026-01-01T00:31:00Z,7341\n",
            .where = "s.csv:4",
            .slots_released = 2,
            .repaired = "time,load\n2026-01-01T00:00:00Z,7341\n2026-01-01T00:15:00Z,7341\n2026-01-01T00:30:00Z,7341\n",
            .slots_in_all = 3},
        Bad{.name = "no_offset",
            .content = "time,load\n2026-01-01T00:00:00,7341\n2026-01-01T00:15:00,7341\n",
            .where = "s.csv:2"},
        Bad{.name = "no_such_day",
            .content = "time,load\n2026-02-30T00:00:00Z,7341\n2026-02-30T00:15:00Z,7341\n",
            .where = "s.csv:2"},
        Bad{.name = "number_among_stamps",
            .content = "time,load\n2026-01-01T00:00:00Z,7341\n2026-01-01T00:15:00Z,7341\n2,7341\n",
            .where = "s.csv:4",
            .slots_released = 2},
        Bad{.name = "one_stamp_only", .content = "time,load\n2026-01-01T00:00:00Z,7341\n", .where = "s.csv"},
        Bad{.name = "gzip_cut_in_its_head", .content = gzip_of(kGood).substr(0, 7), .where = "s.csv"},
        Bad{.name = "gzip_cut_at_its_end",
            .content = gzip_of(kGood).substr(0, gzip_of(kGood).size() - 5),
            .where = "s.csv"},
        Bad{.name = "gzip_damaged",
            .content = gzip_of(kGood).replace(gzip_of(kGood).size() - 6, 1, "?"),
            .where = "s.csv"}),
    [](const auto& each) { return each.param.name; });

TEST(BadGzip, RowsBeforeTheCutAreReleased) {
  const TempDir directory;
  const std::string whole = gzip_of(long_stream(30'000));
  write_file(directory / "s.csv", whole.substr(0, whole.size() / 2));
  const std::string command =
      "publish --stream s.csv --mechanism uniform --sensitivity 3 --ledger run.ledger --out out.csv" +
      std::string(kPromise);
  const Finished finished = run_fugu(directory, command);
  EXPECT_EQ(finished.exit_code, 2) << finished;
  EXPECT_NE(finished.err.find("s.csv"), std::string::npos) << finished;
  const std::string out = read_file(directory / "out.csv");
  EXPECT_GT(lines_of(out).size(), 1000u);
  expect_audit_holds(directory, "--ledger run.ledger --open --released out.csv");
  write_file(directory / "s.csv", whole);
  EXPECT_EQ(run_fugu(directory, command).exit_code, 0);
  EXPECT_TRUE(read_file(directory / "out.csv").starts_with(out));
  EXPECT_EQ(expect_audit_holds(directory, "--ledger run.ledger --released out.csv").answers, 30'000u);
}

class BadReadings : public testing::TestWithParam<Bad> {};

TEST_P(BadReadings, IsNamedAndWhatWasReleasedStays) {
  const Bad& bad = GetParam();
  const TempDir directory;
  write_file(directory / "r.csv", bad.content);
  write_file(directory / "map.csv", "meter,series\na,north\nb,north\nb,south\n");
  const std::string command =
      "publish --readings r.csv --series-map map.csv --clamp 7500 --grace 1 --mechanism uniform " + bad.options +
      std::string(kPromise);
  expect_rejected(directory, command, bad.where);
  expect_released_before(directory, "r.csv", command, bad, 2);
}

// With a grace of one slot, slot s is released when a reading for s + 2 has come.
const std::string kReadings = "time,meter,value\n0,a,7341\n1,b,7341\n2,a,7341\n3,b,7341\n";
const std::string kRepaired = kReadings + "4,a,7341\n";

INSTANTIATE_TEST_SUITE_P(
    Files, BadReadings,
    testing::Values(
        Bad{.name = "empty_file", .content = "", .where = "r.csv"},
        Bad{.name = "unknown_column", .content = "time,meter,value,colour\n0,a,7341,red\n", .where = "r.csv:1:18"},
        Bad{.name = "column_missing", .content = "time,meter\n0,a\n", .where = "r.csv:1"},
        Bad{.name = "ragged_row",
            .content = kReadings + "4,a\n",
            .where = "r.csv:6",
            .slots_released = 2,
            .repaired = kRepaired,
            .slots_in_all = 5},
        Bad{.name = "text",
            .content = kReadings + "4,a,7341kW\n",
            .where = "r.csv:6:5",
            .slots_released = 2,
            .repaired = kRepaired,
            .slots_in_all = 5},
        Bad{.name = "nan",
            .content = kReadings + "4,a,nan\n",
            .where = "r.csv:6:5",
            .slots_released = 2,
            .repaired = kRepaired,
            .slots_in_all = 5},
        Bad{.name = "infinity",
            .content = kReadings + "4,a,inf\n",
            .where = "r.csv:6:5",
            .slots_released = 2,
            .repaired = kRepaired,
            .slots_in_all = 5},
        Bad{.name = "unknown_meter",
            .content = kReadings + "4,x,7341\n",
            .where = "r.csv:6:3",
            .slots_released = 2,
            .repaired = kRepaired,
            .slots_in_all = 5},
        Bad{.name = "value_as_meter", .content = kReadings + "4,7341,a\n", .where = "r.csv:6", .slots_released = 2},
        Bad{.name = "late",
            .content = kReadings + "1,a,7341\n",
            .where = "r.csv:6",
            .slots_released = 2,
            .repaired = kRepaired,
            .slots_in_all = 5},
        Bad{.name = "far_ahead", .content = kReadings + "9000000,a,7341\n", .where = "r.csv:6", .slots_released = 2},
        Bad{.name = "beyond_the_clamp_strict",
            .content = kReadings + "4,a,73410\n",
            .where = "r.csv:6",
            .options = "--strict",
            .slots_released = 3,
            .repaired = kRepaired,
            .slots_in_all = 5},
        Bad{.name = "off_grid",
            .content = "time,meter,value\n2026-01-01T00:00:00Z,a,7341\n2026-01-01T00:20:00Z,a,7341\n",
            .where = "r.csv:3",
            .options = "--slot-length 15m"},
        Bad{.name = "no_slot_length", .content = "time,meter,value\n2026-01-01T00:00:00Z,a,7341\n", .where = "r.csv"}),
    [](const auto& each) { return each.param.name; });

TEST(BadReading, BeyondTheClampIsClampedWithOneWarning) {
  const TempDir directory;
  write_file(directory / "r.csv", "time,meter,value\n0,a,5\n1,a,73410\n1,b,73411\n2,a,5\n");
  write_file(directory / "map.csv", "meter,series\na,north\nb,north\n");
  const Finished finished = run_fugu(directory,
                                     "publish --readings r.csv --series-map map.csv --clamp 10 --definition event "
                                     "--epsilon 60 --mechanism uniform --ledger run.ledger --out out.csv");
  EXPECT_EQ(finished.exit_code, 0) << finished;
  EXPECT_NE(finished.err.find("warning: r.csv:3"), std::string::npos) << finished;
  EXPECT_EQ(finished.err.find("r.csv:4"), std::string::npos) << finished;
  EXPECT_NE(finished.err.find("2 clamped"), std::string::npos) << finished;
  expect_discreet(finished);
  // Twice the clamp, up to noise of scale 1/6: once in e^60 this fails without a fault.
  const double value = std::strtod(fields_of(lines_of(read_file(directory / "out.csv"))[2])[2].c_str(), nullptr);
  EXPECT_NEAR(value, 20, 10);
}

TEST(BadSeriesMap, IsNamed) {
  const std::vector<std::pair<std::string, std::string>> cases = {{"", "map.csv"},
                                                                  {"meter\na\n", "map.csv:1"},
                                                                  {"meter,series\na\n", "map.csv:2"},
                                                                  {"meter,series\na,north\na,north\n", "map.csv:3"}};
  for (const auto& [content, where] : cases) {
    const TempDir directory;
    write_file(directory / "r.csv", kReadings);
    write_file(directory / "map.csv", content);
    expect_rejected(
        directory,
        "publish --readings r.csv --series-map map.csv --clamp 10 --mechanism uniform" + std::string(kPromise), where);
  }
}

/// A whole command line and what its message must name.
struct Usage {
  std::string command;
  std::string names;
  int exit_code = 2;
};

TEST(Usage, EachMistakeIsNamed) {
  const TempDir directory;
  write_file(directory / "s.csv", kGood);
  write_file(directory / "r.csv", kReadings);
  write_file(directory / "map.csv", "meter,series\na,north\nb,north\n");
  write_file(directory / "stamps.csv", "timestamp,load\n0,5\n");
  write_file(directory / "local.csv", "time,load\n2026-01-01T00:00:00,5\n");
  write_file(directory / "minus.csv", "time,load\n-5,5\n");
  write_file(directory / "broken.toml", "name = = 3\n");
  const std::string stream = "publish --stream s.csv ";
  const std::string uniform = stream + "--mechanism uniform --sensitivity 3 ";
  const std::string promise = kPromise;
  const std::string readings = "publish --readings r.csv --series-map map.csv --clamp 10 --mechanism uniform ";
  // Three of a meter together change 1.8, which it can; then 2.2, which it cannot.
  write_file(directory / "p.csv", "meter,start,end,length,magnitude,epsilon,group\na,0,3,1,0.6,1,3\na,0,2,1,2.2,1,\n");
  write_file(directory / "group.csv", "meter,start,end,length,magnitude,epsilon,group\na,0,3,1,1.5,1,3\n");
  const std::vector<Usage> cases = {
      {"", "expected a command"},
      {"publicise", "publicise"},
      {"help publicise", "publicise"},
      {"describe publicise", "publicise"},
      {uniform + promise + " --colour red", "--colour"},
      {"publish --mechanism uniform --sensitivity 3" + promise, "--stream"},
      {uniform + "--readings r.csv --series-map map.csv --clamp 10" + promise, "--stream"},
      {"publish --stream missing.csv --mechanism uniform --sensitivity 3" + promise, "missing.csv"},
      {"publish --stream . --mechanism uniform --sensitivity 3" + promise, "."},
      // Options that would change nothing.
      {uniform + promise + " --clamp 5", "belong to --readings"},
      {uniform + promise + " --grace 3", "belong to --readings"},
      {uniform + promise + " --strict", "belong to --readings"},
      {uniform + promise + " --late drop", "belong to --readings"},
      {uniform + promise + " --series-map map.csv", "belong to --readings"},
      {uniform + promise + " --notice 5", "--notice"},
      {uniform + promise + " --smallest-epsilon 3", "--smallest-epsilon"},
      {uniform + promise + " --repeats keep", "--repeats"},
      {readings + promise + " --time-column when", "--time-column"},
      {readings + promise + " --budgets own", "--budgets"},
      {stream + "--policies p.csv --floor event:1 --sensitivity 2 --unit-step 0.1 --mechanism narwhal",
       "p.csv:3:9: found magnitude"},
      {stream + "--policies p.csv --exact-when-idle --mechanism narwhal --notice -1", "--notice"},
      {stream + "--policies p.csv --exact-when-idle --mechanism narwhal --most-overlapping -1", "--most-overlapping"},
      {stream + "--policies p.csv --exact-when-idle --mechanism narwhal --most-overlapping 0", "--most-overlapping"},
      {stream + "--policies group.csv --floor event:1 --sensitivity 2 --unit-step 0.1 --mechanism narwhal",
       "group.csv:2:9: found magnitude '1.5' of 3 individuals; expected at most 2 together"},
      {"plan --policies group.csv --floor event:1 --sensitivity 2 --unit-step 0.1",
       "group.csv:2:9: found magnitude '1.5' of 3 individuals; expected at most 2 together"},
      // The promise.
      {uniform + "--definition w-event --w 4", "--epsilon is missing"},
      {uniform + "--definition w-event --w 4 --epsilon 0", "--epsilon"},
      {uniform + "--definition w-event --w 4 --epsilon -1", "--epsilon"},
      {uniform + "--definition w-event --w 4 --epsilon nan", "--epsilon"},
      {uniform + "--definition w-event --w 4 --epsilon inf", "--epsilon"},
      {uniform + "--definition w-event --w 4 --epsilon strong", "--epsilon"},
      {uniform + "--definition w-event --epsilon 1", "--w is missing"},
      {uniform + "--definition w-event --epsilon 1 --w 0", "--w"},
      {uniform + "--definition w-event --epsilon 1 --w -4", "--w"},
      {uniform + "--definition w-event --epsilon 1 --w 99999999999999999999999", "w must be"},
      {uniform + "--definition user --epsilon 1", "--horizon is missing"},
      {uniform + "--definition user --epsilon 1 --horizon 0", "--horizon"},
      {uniform + "--definition event --epsilon 1 --w 4", "--w belongs to"},
      {uniform + promise + " --delta 1", "--delta"},
      {uniform + promise + " --delta 1.5", "--delta"},
      {uniform + promise + " --delta -0.1", "--delta"},
      {uniform + promise + " --delta nan", "--delta"},
      {uniform + "--definition strong --epsilon 1", "--definition"},
      {uniform + "--epsilon 1", "--definition is missing"},
      {stream + "--mechanism uniform" + promise, "--sensitivity is missing"},
      {stream + "--mechanism uniform --sensitivity -3" + promise, "--sensitivity"},
      {stream + "--mechanism uniform --sensitivity 0" + promise, "--sensitivity"},
      {stream + "--mechanism uniform --sensitivity nan" + promise, "--sensitivity"},
      {stream + "--mechanism uniform --sensitivity 1,2" + promise, "--sensitivity"},
      {stream + "--mechanism uniform --sensitivity 1e30" + promise, "--sensitivity"},
      {"publish --readings r.csv --series-map map.csv --clamp 10 --sensitivity 3 --mechanism uniform" + promise,
       "--sensitivity"},
      {"publish --readings r.csv --clamp 10 --mechanism uniform" + promise, "--series-map"},
      {"publish --readings r.csv --series-map map.csv --mechanism uniform" + promise, "--clamp"},
      {"publish --readings r.csv --series-map map.csv --clamp 0 --mechanism uniform" + promise, "--clamp"},
      {"publish --readings r.csv --series-map map.csv --clamp 5:1 --mechanism uniform" + promise, "--clamp"},
      {uniform + promise + " --unit-step 0", "unit step"},
      {uniform + promise + " --unit-step -1", "unit step"},
      {uniform + promise + " --slot-length soon", "length"},
      {uniform + promise + " --utc-offset noon", "offset"},
      {uniform + promise + " --budgets lavish", "--budgets"},
      // The mechanism.
      {stream + "--sensitivity 3" + promise, "--mechanism is missing"},
      {stream + "--sensitivity 3 --mechanism magic" + promise, "magic"},
      {stream + "--sensitivity 3 --mechanism hybrid" + promise, "--every"},
      {stream + "--sensitivity 3 --mechanism hybrid --every 0" + promise, "--every"},
      {uniform + promise + " --every 4", "--every"},
      {uniform + promise + " --noise gaussian", "--delta"},
      {uniform + promise + " --noise loud", "--noise"},
      {uniform + promise + " --filter magic", "magic"},
      {uniform + promise + " --filter moving-average:0", "moving-average"},
      {uniform + promise + " --filter truncate:5:1", "truncate"},
      {uniform + promise + " --interval 1.5", "--interval"},
      {uniform + promise + " --interval 0", "--interval"},
      {uniform + promise + " --interval nan", "--interval"},
      {uniform + promise + " --interval 0.95 --filter kalman", "--interval"},
      {uniform + promise + " --interval 0.95 --filter truncate,moving-average:3", "--interval"},
      // Noise that anybody can subtract.
      {uniform + promise + " --seed 1 --ledger run.ledger", "--seed", 3},
      {uniform + promise + " --seed 1 --follow", "--seed", 3},
      {uniform + promise + " --out ./s.csv", "--stream and --out must be different files"},
      {uniform + promise + " --ledger new --out new", "--out and --ledger must be different files"},
      {uniform + promise + " --seed minus", "--seed"},
      // Other commands.
      {"audit", "--ledger"},
      {"audit --ledger s.csv", "s.csv"},
      {"audit --released s.csv --sensitivity 3" + promise, "s.csv"},
      {"metrics --stream s.csv", "--released"},
      {"metrics --stream s.csv --released missing.csv", "missing.csv"},
      {"publish --stream stamps.csv --mechanism uniform --sensitivity 3" + promise, "'timestamp'"},
      {"publish --stream local.csv --mechanism uniform --sensitivity 3" + promise, "--utc-offset"},
      {"publish --stream minus.csv --mechanism uniform --sensitivity 3" + promise,
       "found time written as a number; expected a slot number"},
      {"bench --suite broken.toml --out b", "broken.toml:1:"},
      {"bench --suite broken.toml --out b", "found no TOML while"},
      {"metrics --stream s.csv --released s.csv", "s.csv"},
      {"report --stream s.csv --run nonsense --out report.html", "--run"},
      {"simulate", "expected a command"},
      {"simulate artificial --name a,b", "--name"},
      {"simulate artificial --length 99999999999999", "--length"},
      {"simulate policies --days 99999999999999", "--days"},
      {"distributional prepare --series-map map.csv --clamp 10 --out x --spread 1", "--epsilon is missing"},
      {"distributional prepare --series-map map.csv --clamp 10 --out x --epsilon 1", "--spread is missing"},
      {"simulate artificial --length -5", "length"},
      {"simulate artificial --sparsity 2", "sparsity"},
      {"simulate artificial --start yesterday", "--start"},
  };
  for (const Usage& usage : cases) {
    const Finished finished = run_fugu(directory, usage.command);
    EXPECT_EQ(finished.exit_code, usage.exit_code) << "fugu " << usage.command << "\n" << finished;
    EXPECT_NE(finished.err.find(usage.names), std::string::npos)
        << "fugu " << usage.command << "\nshould name " << usage.names << "\n"
        << finished;
    EXPECT_TRUE(finished.err.starts_with("fugu: ")) << finished;
    expect_discreet(finished);
    EXPECT_FALSE(std::filesystem::exists(directory / "run.ledger")) << "fugu " << usage.command;
    if (HasFailure()) remove_ledger(directory);
  }
}

TEST(Usage, AllMistakesAtOnce) {
  const TempDir directory;
  write_file(directory / "s.csv", kGood);
  const Finished finished =
      run_fugu(directory, "publish --stream s.csv --mechanism uniform --sensitivity 1 --definition w-event --delta 2");
  EXPECT_EQ(finished.exit_code, 2);
  for (const char* each : {"--epsilon", "--delta", "--w"}) {
    EXPECT_NE(finished.err.find(each), std::string::npos) << each << "\n" << finished;
  }
}

TEST(RoundedSensitivity, IsSaid) {
  const TempDir directory;
  write_file(directory / "s.csv", "time,load\n0,1\n1,2\n2,3\n");
  const std::string publish = std::string("publish --stream s.csv --mechanism uniform --out o.csv").append(kPromise);
  const std::string advise = std::string("advise --sample s.csv --epsilon 1 --w 4");
  for (const std::string& command : {publish, advise}) {
    const Finished rounded = run_fugu(directory, command + " --sensitivity 0.001");
    EXPECT_EQ(rounded.exit_code, 0) << rounded;
    EXPECT_NE(rounded.err.find("--sensitivity: 0.001 is no multiple of the unit step and counts as 1"),
              std::string::npos)
        << rounded;
    const Finished exact = run_fugu(directory, command + " --sensitivity 0.3 --unit-step 0.1");
    EXPECT_EQ(exact.err.find("--sensitivity"), std::string::npos) << exact;
  }
}

/// Whatever is to be read and is not there, or is a folder: wrong usage, in the same words.
TEST(MissingInput, IsWrongUsageForEveryCommand) {
  const TempDir directory;
  write_file(directory / "s.csv", "time,load\n0,1\n1,2\n2,3\n");
  write_file(directory / "p.csv", "meter,start,end,length,magnitude,epsilon\na,0,2,1,1,1\n");
  ASSERT_EQ(run_fugu(directory, std::string("publish --stream s.csv --sensitivity 1 --mechanism uniform --ledger l "
                                            "--out r.csv")
                                    .append(kPromise))
                .exit_code,
            0);
  const std::string promise = std::string(kPromise).append(" --sensitivity 1 --mechanism uniform --out o.csv");
  for (const std::string name : {"none", "none/none", "."}) {
    for (const std::string& command :
         {"audit --ledger " + name,
          "audit --ledger l --released " + name,
          "audit --released r.csv --policies " + name,
          "audit distributional --state " + name,
          "publish --stream " + name + promise,
          "publish --readings s.csv --clamp 1 --mechanism uniform --out o.csv" + std::string(kPromise) +
              " --series-map " + name,
          "publish --stream s.csv --exact-when-idle --mechanism narwhal --out o.csv --policies " + name,
          "plan --policies " + name,
          "plan --policies p.csv --series-map " + name,
          "attack --policies p.csv --released " + name,
          "attack --released r.csv --policies " + name,
          "metrics --released r.csv --stream " + name,
          "metrics --stream s.csv --released " + name,
          "report --stream s.csv --out o.html --run a=r.csv," + name,
          "report --stream s.csv --out o.html --run a=" + name,
          "report --run a=r.csv --out o.html --stream " + name,
          "advise --sensitivity 1 --epsilon 1 --w 4 --sample " + name,
          "meter keys --out k --collector-out c --readings " + name,
          "meter report --readings s.csv --b 1 --state g --out o --keys " + name,
          "meter collect --reports s.csv --slots 4 --b 1 --out o --keys " + name}) {
      const Finished finished = run_fugu(directory, command);
      EXPECT_EQ(finished.exit_code, 2) << command << "\n" << finished;
      EXPECT_NE(finished.err.find(name + ": "), std::string::npos) << command << "\n" << finished;
    }
  }
}

struct Misspelled {
  const char* command;
  const char* found;
  const char* right;  ///< what would be
};

TEST(WrongUsage, SaysWhatWasFoundAndWhatWouldBeRight) {
  const TempDir directory;
  for (const Misspelled& wrong : {
           Misspelled{"audt", "no command 'audt' of fugu;", "known are plan, publish, audit"},
           Misspelled{"audit nosuch", "no command 'nosuch' of fugu audit", "known are temporal, distributional, or"},
           Misspelled{"audit run.ledger", "'run.ledger'", "fugu audit --ledger run.ledger"},
           Misspelled{"study nosuch --out x", "no command 'nosuch' of fugu study", "swellfish-thesis, temporal"},
           Misspelled{"meter nosuch", "no command 'nosuch' of fugu meter", "known are keys, report, collect, lag"},
           Misspelled{"simulate nosuch", "no command 'nosuch' of fugu simulate", "artificial, policies, households"},
           Misspelled{"distributional nosuch", "no command 'nosuch' of fugu distributional", "known are prepare"},
           Misspelled{"meter", "fugu meter: expected a command", "keys, report, collect, lag"},
           Misspelled{"", "fugu: expected a command", "plan, publish"},
           Misspelled{"audit temporal nosuch", "fugu audit temporal: found 'nosuch'",
                      "fugu audit temporal --epsilon 1"},
           Misspelled{"plan policies.csv", "fugu plan: found 'policies.csv'", "for example: fugu plan --policies"},
           Misspelled{"publish --steam s.csv", "'--steam'", "did you mean --stream?"},
           Misspelled{"publish --out=o --steam=s.csv", "'--steam'", "for example: fugu publish --stream totals.csv"},
           Misspelled{"audit --ledgr run.ledger", "'--ledgr'", "did you mean --ledger?"},
           Misspelled{"meter lag --epsilon 1", "fugu meter lag: found option '--epsilon'", "fugu meter lag --help"},
           Misspelled{"publish -x", "'-x'", "which it does not have\n"},
           Misspelled{"audit -- --ledger run.ledger", "'--ledger' after --", "expected it before"},
           Misspelled{"advise --w 1e7", "--w: found '1e7'", "expected a whole number"},
           Misspelled{"advise --epsilon one", "--epsilon: found 'one'", "expected a number"},
           Misspelled{"advise --epsilon", "--epsilon: found nothing", "expected a number"},
           Misspelled{"publish --stream", "--stream: found nothing after it", "fugu publish --stream totals.csv"},
           Misspelled{"publish --stream a --stream b", "--stream: found more than once", "expected once"},
           Misspelled{"describe uniform sample", "found 'sample'", "no more words"},
       }) {
    const Finished finished = run_fugu(directory, wrong.command);
    EXPECT_EQ(finished.exit_code, 2) << wrong.command << "\n" << finished;
    EXPECT_NE(finished.err.find(wrong.found), std::string::npos) << wrong.command << "\n" << finished;
    EXPECT_NE(finished.err.find(wrong.right), std::string::npos) << wrong.command << "\n" << finished;
    EXPECT_NE(finished.err.find("see: fugu "), std::string::npos) << wrong.command << "\n" << finished;
    EXPECT_EQ(finished.out, "") << wrong.command;
  }
}

TEST(WrongUsage, UnsignedNumbersDoNotWrapAround) {
  const TempDir directory;
  write_file(directory / "s.csv", kGood);
  const std::string publish = "publish --stream s.csv --sensitivity 3 --epsilon 1 --definition w-event";
  const std::string unsigned_range = "expected a whole number from 0 to 18446744073709551615";
  for (const auto& [command, message] :
       {std::pair(publish + " --w 4 --mechanism hybrid --every -1", "--every: found '-1'; " + unsigned_range),
        std::pair(publish + " --w 4 --mechanism hybrid --every 18446744073709551616",
                  "--every: found '18446744073709551616'; " + unsigned_range),
        std::pair(std::string("bench --suite smoke --seed -1"), "--seed: found '-1'; " + unsigned_range),
        std::pair(std::string("advise --amplitude 10 --period 9 --sensitivity 1 --epsilon 1 --w 9 --seed -1"),
                  "--seed: found '-1'; " + unsigned_range),
        std::pair(std::string("simulate artificial --seed -1"), "--seed: found '-1'; " + unsigned_range)}) {
    const Finished finished = run_fugu(directory, command);
    EXPECT_EQ(finished.exit_code, 2) << command << finished;
    EXPECT_NE(finished.err.find(message), std::string::npos) << command << finished;
    EXPECT_EQ(finished.out, "") << command;
  }
}

}  // namespace
}  // namespace fugu::test
