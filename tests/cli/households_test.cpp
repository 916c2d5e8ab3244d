// fugu simulate households: its files are what the other commands read, and what makes no sense is said.
#include <filesystem>
#include <set>

#include "fugu/simulate/household_parameters.hpp"
#include "support/released.hpp"

namespace fugu::test {
namespace {

class SimulateHouseholds : public testing::Test {
 protected:
  Finished simulate(const std::string& options) { return run_fugu(directory_, "simulate households " + options); }
  std::vector<std::string> lines(const std::string& name) const { return lines_of(read_file(directory_ / name)); }
  void expect_error(const std::string& options, const std::string& part) {
    const Finished finished = simulate(options);
    EXPECT_EQ(finished.exit_code, 2) << options << finished;
    EXPECT_NE(finished.err.find(part), std::string::npos) << options << finished;
  }

  TempDir directory_;
};

TEST_F(SimulateHouseholds, WritesWhatPublishReads) {
  for (const std::string time : {"", " --start 2026-03-27T00:00:00+01:00"}) {
    const Finished made = simulate(
        "--households 12 --days 3 --zones 2 --readings r.csv --series-map m.csv --policies p.csv --epsilon 0.1..1" +
        time);
    ASSERT_EQ(made.exit_code, 0) << made;
    const Finished published =
        run_fugu(directory_, std::string("publish --readings r.csv --series-map m.csv --clamp 0:20 --unit-step 0.001 "
                                         "--policies p.csv --floor event:1 --mechanism narwhal --out out.csv")
                                 .append(time.empty() ? "" : " --slot-length 15m"));
    ASSERT_EQ(published.exit_code, 0) << published;
    EXPECT_EQ(lines("out.csv").size(), 1u + 3 * 96 * 2);
    EXPECT_EQ(lines("r.csv").size(), 1u + 3 * 96 * 12);
    std::filesystem::remove(directory_ / "out.csv");
  }
}

TEST_F(SimulateHouseholds, HaveTwoRegistersWhenAsked) {
  const std::string made = "simulate households --households 3 --days 1 ";
  ASSERT_EQ(run_fugu(directory_, made + "--readings one.csv").exit_code, 0);
  const Finished two = run_fugu(directory_, made +
                                                "--tan-phi 0.3 --readings two.csv --series-map map.csv --household-map "
                                                "households.csv --policies p.csv");
  ASSERT_EQ(two.exit_code, 0) << two;
  const auto one = lines_of(read_file(directory_ / "one.csv"));
  const auto both = lines_of(read_file(directory_ / "two.csv"));
  ASSERT_EQ(both.size(), 2 * one.size() - 1);
  for (std::size_t i = 1; i < one.size(); ++i) {
    const auto plain = fields_of(one[i]);
    const auto p = fields_of(both[2 * i - 1]);
    const auto q = fields_of(both[2 * i]);
    EXPECT_EQ(p, (std::vector<std::string>{plain[0], plain[1] + ".p", plain[2]}));
    EXPECT_EQ(q[1], plain[1] + ".q");
    EXPECT_NEAR(std::stod(q[2]), 0.3 * std::stod(plain[2]), 0.0005001);
  }
  // One budget for both, and policies that name the household.
  write_file(directory_ / "clamps.csv", "series,clamp\n*.p,12\n*.q,4\n");
  const Finished published = run_fugu(
      directory_,
      "publish --readings two.csv --series-map map.csv --households households.csv --clamp-by-series clamps.csv "
      "--unit-step 0.001 --policies p.csv --floor event:1 --mechanism narwhal --ledger run.ledger --out out.csv");
  ASSERT_EQ(published.exit_code, 0) << published;
  expect_audit_holds(directory_, "--ledger run.ledger --released out.csv");
  for (const char* wrong : {"--tan-phi 11", "--tan-phi 0.3 --zones 2", "--household-map h.csv"})
    EXPECT_EQ(run_fugu(directory_, made + wrong).exit_code, 2) << wrong;
}

TEST_F(SimulateHouseholds, TwoOutputsIntoOneFileAreRefused) {
  expect_error("--households 2 --days 1 --readings r.csv --policies ./r.csv", "must be different files");
  EXPECT_FALSE(std::filesystem::exists(directory_ / "r.csv"));
  write_file(directory_ / "figures.csv", "mine\n");
  expect_error("--parameters figures.csv --totals figures.csv", "--parameters and --totals must be different files");
  EXPECT_EQ(read_file(directory_ / "figures.csv"), "mine\n");
}

TEST_F(SimulateHouseholds, TotalsAreTheSumsOfTheReadings) {
  ASSERT_EQ(simulate("--households 5 --days 1 --slot-length 1h --readings r.csv --totals t.csv").exit_code, 0);
  const auto readings = lines("r.csv");
  const auto totals = lines("t.csv");
  ASSERT_EQ(totals.size(), 25u);
  EXPECT_EQ(totals[0], "time,load");
  for (std::size_t slot = 0; slot < 24; ++slot) {
    double sum = 0;
    for (std::size_t i = 0; i < 5; ++i) sum += std::stod(fields_of(readings[1 + slot * 5 + i])[2]);
    EXPECT_NEAR(std::stod(fields_of(totals[1 + slot])[1]), sum, 1e-9);
  }
}

TEST_F(SimulateHouseholds, SameSeedSameBytesWhateverTheThreads) {
  const std::string files = " --readings r.csv --log l.csv --policies p.csv --dominant d.csv --facts f.csv";
  std::vector<std::string> first;
  for (const std::string threads : {"1", "2", "5"}) {
    ASSERT_EQ(simulate("--households 200 --days 8 --seed 9 --threads " + threads + files).exit_code, 0);
    std::vector<std::string> now;
    for (const char* name : {"r.csv", "l.csv", "p.csv", "d.csv", "f.csv"}) now.push_back(read_file(directory_ / name));
    if (first.empty()) first = now;
    EXPECT_TRUE(now == first) << threads << " threads";
  }
  ASSERT_EQ(simulate("--households 200 --days 8 --seed 10" + files).exit_code, 0);
  EXPECT_NE(read_file(directory_ / "r.csv"), first[0]);
}

TEST_F(SimulateHouseholds, LogsUsesOfActivitiesOnly) {
  ASSERT_EQ(simulate("--households 30 --days 7 --start 2026-06-01T00:00:00Z --log l.csv").exit_code, 0);
  const auto rows = lines("l.csv");
  ASSERT_GT(rows.size(), 1000u);
  EXPECT_EQ(rows[0], "meter,appliance,start,minutes,kw");
  std::set<std::string> appliances;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const auto fields = fields_of(rows[i]);
    ASSERT_EQ(fields.size(), 5u);
    appliances.insert(fields[1]);
    EXPECT_TRUE(fields[2].starts_with("2026-06-0")) << fields[2];
  }
  EXPECT_TRUE(appliances.contains("washing-machine"));
  EXPECT_FALSE(appliances.contains("refrigerator"));
  EXPECT_FALSE(appliances.contains("freezer"));
}

TEST_F(SimulateHouseholds, HolidaysAreReadyMade) {
  ASSERT_EQ(simulate("--households 3 --days 21 --policies p.csv --dominant d.csv --holiday-week 2").exit_code, 0);
  double largest = 0;
  for (const std::string& row : lines("p.csv")) {
    if (row.starts_with("h")) largest = std::max(largest, std::stod(fields_of(row)[4]));
  }
  const auto rows = lines("d.csv");
  ASSERT_EQ(rows.size(), 4u);
  const auto fields = fields_of(rows[1]);
  EXPECT_EQ(fields[0], "h0");
  EXPECT_EQ(fields[1], "672");
  EXPECT_EQ(fields[2], "1343");
  EXPECT_EQ(fields[3], "672");
  EXPECT_EQ(std::stod(fields[4]), largest);
  EXPECT_EQ(fields[5], "0.1");
  write_file(directory_ / "both.csv", read_file(directory_ / "p.csv") + rows[1] + "\n");
  EXPECT_EQ(run_fugu(directory_, "plan --policies both.csv --unit-step 0.001").exit_code, 0);
}

TEST_F(SimulateHouseholds, ReadingsGoToStandardOutputWhenNothingElseIsAskedFor) {
  const Finished finished = simulate("--households 2 --days 1 --slot-length 1h");
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_EQ(lines_of(finished.out).size(), 1u + 2 * 24);
}

TEST_F(SimulateHouseholds, SaysWhatTheyAreLike) {
  const Finished finished = simulate("--households 40 --days 14 --statistics");
  EXPECT_EQ(finished.exit_code, 0) << finished;
  const auto rows = lines_of(finished.out);
  ASSERT_EQ(rows.size(), 2u) << finished;
  for (const char* figure : {"mean kW", "night", "hour to hour", "day to day", "hour spread", "day spread", "peak"})
    EXPECT_NE(rows[0].find(figure), std::string::npos) << figure;
  EXPECT_TRUE(rows[1].starts_with("simulated")) << rows[1];
  // Beside files, at any length of slots, and for a day that says little.
  EXPECT_EQ(simulate("--households 40 --days 14 --slot-length 1h --statistics --log l.csv").out, finished.out);
  EXPECT_GT(lines("l.csv").size(), 40u);
  EXPECT_NE(simulate("--households 3 --days 1 --statistics").out.find("–"), std::string::npos);
}

TEST_F(SimulateHouseholds, SetsThemBesideRecordedOnes) {
  std::filesystem::create_directory(directory_ / "data");
  std::filesystem::create_directory(directory_ / "data/uci_household");
  std::string text = "timestamp,total_kwh,kitchen_kwh\n";
  for (int day = 16; day <= 18; ++day) {
    for (int hour = 0; hour < 24; ++hour) {
      char row[64];
      std::snprintf(row, sizeof row, "2006-12-%02dT%02d:00,%d,9\n", day, hour, hour == 20 ? 25 : 1);
      text += row;
    }
  }
  write_file(directory_ / "data/uci_household/load_kwh.csv.gz", text);
  const Finished finished = simulate("--households 5 --days 7 --statistics --data data");
  EXPECT_EQ(finished.exit_code, 0) << finished;
  const auto rows = lines_of(finished.out);
  ASSERT_EQ(rows.size(), 4u) << finished;
  EXPECT_TRUE(rows[2].starts_with("recorded")) << rows[2];
  EXPECT_TRUE(rows[3].starts_with("UCI Sceaux")) << rows[3];
  EXPECT_NE(rows[3].find("2.00"), std::string::npos) << "mean of 23 hours of 1 and one of 25";
  EXPECT_NE(rows[3].find("12.50"), std::string::npos) << "peak";
  write_file(directory_ / "data/uci_household/load_kwh.csv.gz", "timestamp,total_kwh\n2006-12-16T17:00,\n");
  expect_error("--days 7 --statistics --data data", "load_kwh.csv.gz: found no load of a household");
}

TEST_F(SimulateHouseholds, RefusesWhatMakesNoSense) {
  expect_error("--households 0", "households: expected 1 to");
  expect_error("--days 0", "days: expected 1 to");
  expect_error("--slot-length 10m", "slot length: expected 1, 15, 30 or 60 minutes");
  expect_error("--slot-length 30s", "slot length: expected 1, 15, 30 or 60 minutes");
  expect_error("--slot-length soon", "--slot-length");
  expect_error("--interval 4T", "--interval: interval rule: expected conference or thesis");
  expect_error("--beyond wrap", "expected clip or drop");
  expect_error("--epsilon 0", "--epsilon: expected a number above 0");
  expect_error("--epsilon 1..0.1", "the smaller one first");
  expect_error("--epsilon 0.1..", "--epsilon: expected");
  expect_error("--start 2026-02-30T00:00:00Z", "--start: expected");
  expect_error("--start yesterday", "--start: expected");
  expect_error("--start 2026-03-02T00:15:00Z", "--start: expected a midnight");
  expect_error("--start 2199-06-01T00:00:00Z --days 1000", "before the year 2201");
  expect_error("--people 6", "people: expected 1 to 5");
  expect_error("--households 5 --zones 6", "--zones: expected 1 to");
  expect_error("--households 5 --zones 0", "--zones: expected 1 to");
  expect_error("--days 6 --dominant d.csv", "--holiday-week: expected");
  expect_error("--days 14 --holiday-week 3 --dominant d.csv", "--holiday-week: expected");
  expect_error("--log - --policies -", "only one file, or --statistics, can go to standard output");
  expect_error("--statistics --readings -", "only one file, or --statistics, can go to standard output");
  expect_error("--data .", "--data: expected --statistics");
  expect_error("--statistics --data nowhere", "nowhere: found no recorded households; expected one of sgsc_newcastle/");
}

TEST_F(SimulateHouseholds, NamesTheBadRowOfATable) {
  std::string table(shipped_household_table());
  const std::string row = "appliance,oven,power,2125";
  table.replace(table.find(row), row.size(), "appliance,oven,power,lots");
  write_file(directory_ / "t.csv", table);
  const auto line =
      std::count(table.begin(), table.begin() + static_cast<std::ptrdiff_t>(table.find("power,lots")), '\n') + 1;
  expect_error("--parameters t.csv", std::string("t.csv:").append(std::to_string(line)).append(":22: found 'lots'"));
  write_file(directory_ / "t.csv", shipped_household_table());
  EXPECT_EQ(simulate("--days 1 --households 2 --parameters t.csv").out, simulate("--days 1 --households 2").out);
  EXPECT_NE(simulate("--parameters nowhere.csv").exit_code, 0);
}

}  // namespace
}  // namespace fugu::test
