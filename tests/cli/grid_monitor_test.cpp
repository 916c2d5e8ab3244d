// fugu grid monitor through the real program: from readings to voltages, and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "support/process.hpp"

namespace fugu::test {
namespace {

namespace fs = std::filesystem;

/// A street with a week of loads, released with a ledger. Made once: tests only read it.
const TempDir& street() {
  static const TempDir made;
  static const bool done = [] {
    for (const char* command :
         {"grid generate --out street", "grid generate --customers 12 --seed 9 --out other",
          "grid loads street --days 3 --out true.csv --measured own.csv --readings readings.csv --series-map map.csv "
          "--households households.csv --bills bills.csv --power-error 0.01 --sensors 2",
          "publish --readings readings.csv --series-map map.csv --households households.csv --clamp=-12:12 --unit-step "
          "0.001 --definition event --epsilon 100 --mechanism uniform --ledger run.ledger --out released.csv",
          "publish --readings readings.csv --series-map map.csv --households households.csv --clamp=-12:12 --unit-step "
          "0.001 --definition event --epsilon 100 --mechanism uniform --ledger second.ledger --out second.csv"}) {
      const Finished finished = run_fugu(made, command);
      EXPECT_EQ(finished.exit_code, 0) << command << "\n" << finished;
    }
    return true;
  }();
  EXPECT_TRUE(done);
  return made;
}

constexpr const char* kFiles = "street --released released.csv --measured own.csv --bills bills.csv ";

Finished monitor(const std::string& options) { return run_fugu(street(), "grid monitor " + options); }

/// The cells of a row of a printed table.
std::vector<std::string> row(const std::string& text, const std::string& name, std::size_t which = 0) {
  for (const std::string& line : lines_of(text)) {
    if (!line.starts_with(name + "  ") || which-- > 0) continue;
    std::vector<std::string> cells;
    std::string cell;
    for (const char c : line.substr(name.size()) + " ") {
      if (c != ' ') {
        cell += c;
      } else if (!cell.empty()) {
        cells.push_back(std::move(cell));
        cell.clear();
      }
    }
    return cells;
  }
  ADD_FAILURE() << "no row " << name << " in\n" << text;
  return std::vector<std::string>(9, "nan");
}

TEST(GridMonitor, EstimationIsNearerToTheTruthThanReleasesAndThanNoCustomerData) {
  const Finished finished = monitor(std::string(kFiles) + "--ledger run.ledger --truth true.csv");
  ASSERT_EQ(finished.exit_code, 0) << finished;
  EXPECT_NE(finished.out.find("288 stamps from 0 to 287"), std::string::npos) << finished;
  const double released = std::stod(row(finished.out, "released", 1)[0]);
  const double estimated = std::stod(row(finished.out, "estimated", 1)[0]);
  const double nothing = std::stod(row(finished.out, "no customer data", 1)[0]);
  EXPECT_LT(estimated, nothing) << finished;
  EXPECT_LT(2 * nothing, released) << finished;
}

TEST(GridMonitor, WithoutATruthItPrintsNoError) {
  const Finished finished = monitor(kFiles);
  ASSERT_EQ(finished.exit_code, 0) << finished;
  EXPECT_EQ(finished.out.find("truth"), std::string::npos) << finished;
  EXPECT_EQ(row(finished.out, "estimated").size(), 8U) << finished;
}

TEST(GridMonitor, WritesViolationsEstimatesAndAMap) {
  const Finished finished =
      monitor(std::string(kFiles) + "--under 1 --violations violations.csv --estimate estimate.csv --map map.html");
  ASSERT_EQ(finished.exit_code, 0) << finished;
  const auto violations = lines_of(read_file(street() / "violations.csv"));
  EXPECT_EQ(violations[0], "time,view,kind,place,value");
  const auto too_low = [&](const std::string& view) {
    return std::ranges::count_if(violations, [&](const std::string& line) {
      return line.find("," + view + ",undervoltage,") != std::string::npos;
    });
  };
  EXPECT_EQ(std::to_string(too_low("estimated")), row(finished.out, "estimated")[0]) << finished;
  EXPECT_EQ(std::to_string(too_low("released")), row(finished.out, "released")[0]) << finished;
  EXPECT_GT(too_low("estimated"), 0);
  const auto estimate = lines_of(read_file(street() / "estimate.csv"));
  EXPECT_TRUE(estimate[0].starts_with("time,C1.p,C1.q,C2.p,"));
  EXPECT_EQ(estimate.size(), 289U);
  const std::string map = read_file(street() / "map.html");
  EXPECT_NE(map.find("no customer data"), std::string::npos);
  EXPECT_EQ(map.find("true values"), std::string::npos);
  // What was estimated can be looked at like measured loads.
  const Finished again = monitor("street --measured estimate.csv");
  EXPECT_EQ(again.exit_code, 0) << again;
}

TEST(GridMonitor, LiveOrInOneGoTheEstimateIsTheSame) {
  // The first two days alone, then all three: an estimate depends on what was, not on what comes.
  const auto first_days = [](const char* from, const char* to, const std::string& first_time_after) {
    std::string kept;
    for (const std::string& line : lines_of(read_file(street() / from))) {
      if (line.substr(0, line.find(',')) == first_time_after) break;
      kept += line + "\n";
    }
    write_file(street() / to, kept);
  };
  first_days("released.csv", "released-2.csv", "192");
  first_days("own.csv", "own-2.csv", "192");
  ASSERT_EQ(monitor("street --released released-2.csv --measured own-2.csv --estimate two.csv").exit_code, 0);
  ASSERT_EQ(monitor("street --released released.csv --measured own.csv --estimate three.csv").exit_code, 0);
  const std::string two = read_file(street() / "two.csv");
  EXPECT_EQ(read_file(street() / "three.csv").substr(0, two.size()), two);
}

TEST(GridMonitor, APublicSampleTakesThePlaceOfSimulatedHomes) {
  ASSERT_EQ(run_fugu(street(), "grid loads street --days 7 --part sample --p-only --out homes.csv").exit_code, 0);
  const Finished finished = monitor(std::string(kFiles) + "--homes homes.csv --truth true.csv");
  ASSERT_EQ(finished.exit_code, 0) << finished;
  write_file(street() / "short.csv", "time,a\n0,1\n1,2\n");
  const Finished refused = monitor(std::string(kFiles) + "--homes short.csv");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("--homes: household 1 of the public sample"), std::string::npos) << refused;
}

void expect_refused(const std::string& options, int exit_code, const std::string& part) {
  const Finished finished = monitor(options);
  EXPECT_EQ(finished.exit_code, exit_code) << options << "\n" << finished;
  EXPECT_NE(finished.err.find(part), std::string::npos) << options << "\n" << finished;
  EXPECT_EQ(finished.out, "") << options;
}

TEST(GridMonitor, RefusesWhatBelongsElsewhere) {
  expect_refused("other --released released.csv --measured own.csv", 2, "are of nobody in this network");
  expect_refused(std::string(kFiles) + "--ledger second.ledger", 2, "released.csv");
  std::string forged = read_file(street() / "released.csv");
  const std::size_t digit = forged.find_last_of("0123456789", forged.find(",0.48,"));
  forged[digit] = forged[digit] == '5' ? '6' : '5';
  write_file(street() / "forged.csv", forged);
  expect_refused("street --released forged.csv --measured own.csv --ledger run.ledger", 2, "forged.csv");
  std::string cut;
  for (const std::string& line : lines_of(read_file(street() / "released.csv")))
    if (!line.starts_with("100,")) cut += line + "\n";
  write_file(street() / "cut.csv", cut);
  const std::string files = "street --released cut.csv --measured own.csv ";
  EXPECT_EQ(monitor(files).exit_code, 0) << "the twin: nobody looks without the ledger";
  expect_refused(files + "--ledger run.ledger", 2, "cut.csv: lacks 1 of the slots from its first to its last");
}

TEST(GridMonitor, WithoutCustomerDataNothingOfTheReleaseIsUsed) {
  // Exact values are rows of a release with scale 0.
  std::string exact;
  for (const std::string& line : lines_of(read_file(street() / "released.csv"))) {
    const std::size_t scale = line.rfind(",0.48,");
    exact += (scale == std::string::npos ? line : line.substr(0, scale) + ",0,inf,1") + "\n";
  }
  write_file(street() / "exact.csv", exact);
  const auto without = [&](const char* released) {
    const Finished finished = monitor(std::string("street --measured own.csv --bills bills.csv --truth true.csv ") +
                                      "--released " + released);
    EXPECT_EQ(finished.exit_code, 0) << finished;
    return row(finished.out, "no customer data", 1);
  };
  EXPECT_EQ(without("exact.csv"), without("released.csv"));
}

TEST(GridMonitor, SaysWhenMetersContradictLoads) {
  std::string flipped;
  for (const std::string& line : lines_of(read_file(street() / "own.csv"))) {
    const std::size_t value = line.find(',') + 1;
    flipped += flipped.empty() ? line + "\n" : line.substr(0, value) + "-" + line.substr(value) + "\n";
  }
  write_file(street() / "flipped.csv", flipped);
  const Finished finished = monitor("street --released released.csv --measured flipped.csv --bills bills.csv");
  EXPECT_EQ(finished.exit_code, 0) << finished;
  EXPECT_NE(finished.err.find("contradicts what customers draw at 288 of 288 stamps"), std::string::npos) << finished;
  EXPECT_EQ(monitor(kFiles).err.find("contradicts"), std::string::npos);
}

TEST(GridMonitor, SaysWhatIsWrong) {
  expect_refused("street", 2, "--released, --measured or both");
  expect_refused("nowhere --measured own.csv", 2, "nowhere");
  expect_refused("street --released nothing.csv", 2, "nothing.csv");
  expect_refused(std::string(kFiles) + "--under 120", 2, "undervoltage");
  expect_refused(std::string(kFiles) + "--map own.csv", 2, "must be different files");
  expect_refused(std::string(kFiles) + "--ledger run.ledger --violations run.ledger", 2, "must be different files");
  expect_refused(std::string(kFiles) + "--ledger run.ledger --map run.ledger.head", 2,
                 "the head of --ledger and --map must be different files");
  expect_refused(std::string(kFiles) + "--slot-length 7m", 2, "divide an hour");
  write_file(street() / "bills-bad.csv", "customer,yearly_kwh\nC1,x\nnobody,3\nC2,-1\nC3,5\nC3,6\n");
  const Finished bills = monitor("street --released released.csv --measured own.csv --bills bills-bad.csv");
  EXPECT_EQ(bills.exit_code, 2);
  for (const char* part : {"4 mistakes", "'x'", "'nobody'", "'C2'", "two bills of 'C3'"})
    EXPECT_NE(bills.err.find(part), std::string::npos) << part << "\n" << bills;
  write_file(street() / "late.csv", "time,C1.p\n100000,1\n100001,1\n");
  expect_refused(std::string(kFiles) + "--truth late.csv", 2, "--truth: 24 customers have no measurement");
}

TEST(GridMonitor, TimesNeedAnOffsetAndTwoSlots) {
  const std::string offset = "a slot number, or a time with its offset, such as 2026-03-02T00:00:00+01:00";
  write_file(street() / "noon.csv", "time,C1.p\n2026-03-02T00:00:00,1\n2026-03-02T00:15:00,1\n");
  expect_refused("street --measured noon.csv", 2, "noon.csv:2:1: found '2026-03-02T00:00:00'; expected " + offset);
  expect_refused(std::string(kFiles) + "--truth noon.csv", 2, offset);
  expect_refused(std::string(kFiles) + "--homes noon.csv", 2, offset);
  write_file(street() / "second.csv", "time,C1.p\n2026-03-02T00:00:00Z,1\n2026-03-02T00:15:00,1\n");
  expect_refused("street --measured second.csv", 2, "second.csv:3:1: found '2026-03-02T00:15:00'; expected " + offset);
  write_file(street() / "one.csv", "time,C1.p\n2026-03-02T00:00:00Z,1\n");
  expect_refused("street --measured one.csv", 2, "one.csv: found one time stamp alone");
}

TEST(GridMonitor, ALoadThatNoNetworkCarriesIsNamedAndTheRestIsLookedAt) {
  std::string truth = read_file(street() / "true.csv");
  const auto lines = lines_of(truth);
  const std::string& sixth = lines[6];
  const std::size_t from = truth.find("\n" + sixth + "\n") + 1;
  std::string heavy = "5";
  for (std::size_t i = 0; i < static_cast<std::size_t>(std::ranges::count(sixth, ',')); ++i) heavy += ",99999";
  write_file(street() / "heavy.csv", truth.replace(from, sixth.size(), heavy));
  const Finished finished = monitor("street --measured heavy.csv");
  EXPECT_EQ(finished.exit_code, 0) << finished;
  EXPECT_NE(finished.err.find("released: no solution at 5 at node '"), std::string::npos) << finished;
  EXPECT_EQ(row(finished.out, "released").back(), "1") << finished;
  // All of them: nothing known is not nothing wrong.
  std::string all = lines[0] + "\n";
  for (int stamp = 0; stamp < 8; ++stamp) {
    all += std::to_string(stamp);
    for (std::ptrdiff_t i = 0; i < std::ranges::count(sixth, ','); ++i) all += ",700";
    all += "\n";
  }
  write_file(street() / "all-heavy.csv", all);
  const Finished nothing = monitor("street --measured all-heavy.csv --violations unsolved.csv");
  EXPECT_EQ(nothing.exit_code, 0) << nothing;
  EXPECT_EQ(row(nothing.out, "released"), (std::vector<std::string>{"–", "–", "–", "–", "–", "–", "–", "8"}))
      << nothing;
  EXPECT_NE(nothing.err.find(" stamps of all views have no solution"), std::string::npos) << nothing;
  EXPECT_NE(read_file(street() / "unsolved.csv").find("7,released,unsolved,"), std::string::npos);
}

}  // namespace
}  // namespace fugu::test
