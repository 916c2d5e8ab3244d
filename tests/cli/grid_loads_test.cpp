// fugu grid loads: the files of a network's customers and of its operator.
#include <algorithm>
#include <cmath>
#include <optional>

#include "fugu/network/feeder.hpp"
#include "fugu/network/network_reader.hpp"
#include "support/released.hpp"

namespace fugu::test {
namespace {

class GridLoadsCli : public testing::Test {
 protected:
  void SetUp() override {
    network_ = *grid::make_feeder();
    ASSERT_TRUE(grid::write_network(*network_, directory_ / "net"));
  }
  Finished loads(const std::string& options) const { return run_fugu(directory_, "grid loads net " + options); }
  std::vector<std::string> lines(const std::string& file) const { return lines_of(read_file(directory_ / file)); }

  TempDir directory_;
  std::optional<grid::Network> network_;
};

TEST_F(GridLoadsCli, WritesTheTruthOfEveryCustomer) {
  const Finished finished = loads("--days 2");
  ASSERT_EQ(finished.exit_code, 0) << finished;
  const auto rows = lines_of(finished.out);
  ASSERT_EQ(rows.size(), 1u + 2 * 96);
  EXPECT_TRUE(rows[0].starts_with("time,C1.p,C1.q,C2.p,C2.q,")) << rows[0];
  EXPECT_EQ(fields_of(rows[0]).size(), 1u + 2 * 25);
  EXPECT_EQ(fields_of(rows[192])[0], "191");
  EXPECT_EQ(loads("--days 2 --threads 1").out, finished.out);
  EXPECT_NE(loads("--days 2 --seed 2").out, finished.out);
}

TEST_F(GridLoadsCli, ProtectedCustomersAreInReadingsAndAllOthersAreMeasured) {
  const Finished finished = loads(
      "--days 1 --measured own.csv --sensors 2 --readings r.csv --series-map m.csv --households h.csv --out all.csv");
  ASSERT_EQ(finished.exit_code, 0) << finished;
  const auto map = lines("m.csv");
  const auto homes = lines("h.csv");
  EXPECT_EQ(map.size(), 1u + 2 * 21) << "residential customers";
  EXPECT_EQ(homes.size(), map.size());
  const std::string measured = lines("own.csv")[0];
  EXPECT_TRUE(measured.starts_with("time,transformer.p,transformer.q,transformer.v,J")) << measured;
  EXPECT_EQ(fields_of(measured).size(), 1u + 3 + 2 + 2 * 4);
  EXPECT_EQ(lines("r.csv").size(), 1u + 96 * 2 * 21);
  for (const grid::Customer& customer : network_->customers()) {
    const bool is_protected = customer.kind == grid::CustomerKind::residential;
    EXPECT_EQ(measured.find("," + customer.id + ".p,") == std::string::npos, is_protected);
    EXPECT_EQ(std::ranges::count(map, customer.id + ".q," + customer.id + ".q"), is_protected ? 1 : 0);
    EXPECT_EQ(std::ranges::count(homes, customer.id + ".q," + customer.id), is_protected ? 1 : 0);
  }
  ASSERT_EQ(loads("--days 1 --p-only --protect all --readings r.csv --measured own.csv --out all2.csv").exit_code, 0);
  EXPECT_EQ(lines("own.csv")[0], "time,transformer.p,transformer.q,transformer.v");
  EXPECT_EQ(lines("r.csv").size(), 1u + 96 * 25);
  EXPECT_EQ(read_file(directory_ / "all2.csv"), read_file(directory_ / "all.csv")) << "the truth has kvar all the same";
}

TEST_F(GridLoadsCli, TheTransformerCarriesWhatCustomersDraw) {
  ASSERT_EQ(loads("--days 1 --out all.csv --measured own.csv").exit_code, 0);
  ASSERT_EQ(loads("--days 1 --out all.csv --measured rough.csv --power-error 0.01 --voltage-error 0.2").exit_code, 0);
  const auto all = lines("all.csv");
  const auto own = lines("own.csv");
  const auto rough = lines("rough.csv");
  double deviation = 0;
  for (std::size_t row = 1; row < all.size(); ++row) {
    double kw = 0;
    const auto fields = fields_of(all[row]);
    for (std::size_t i = 1; i < fields.size(); i += 2) kw += std::stod(fields[i]);
    const double transformer = std::stod(fields_of(own[row])[1]);
    EXPECT_GE(transformer, kw - 0.001);
    EXPECT_LE(transformer, kw * 1.05) << "losses";
    deviation += std::pow(std::stod(fields_of(rough[row])[1]) / transformer - 1, 2);
  }
  EXPECT_NEAR(std::sqrt(deviation / 96), 0.01, 0.004) << "five standard deviations";
}

TEST_F(GridLoadsCli, WhatItWritesCanBePublished) {
  ASSERT_EQ(loads("--days 1 --readings r.csv --series-map m.csv --households h.csv").exit_code, 0);
  const Finished finished =
      run_fugu(directory_,
               "publish --readings r.csv --series-map m.csv --households h.csv --clamp 20 --unit-step 0.001 "
               "--definition event --epsilon 1 --mechanism uniform --ledger l.ledger --out released.csv");
  ASSERT_EQ(finished.exit_code, 0) << finished;
  EXPECT_EQ(lines("released.csv").size(), 1u + 96 * 42);
  // Two registers of one household share a budget: 20 kW in each of two series.
  EXPECT_NEAR(std::stod(fields_of(lines("released.csv")[1])[3]), 40, 0.01);
  ASSERT_EQ(loads("--days 1 --p-only --stream homes.csv").exit_code, 0);
  EXPECT_EQ(fields_of(lines("homes.csv")[0]).size(), 1u + 21);
  const Finished stream = run_fugu(directory_,
                                   "publish --stream homes.csv --sensitivity 2 --budgets own --unit-step 0.001 "
                                   "--definition event --epsilon 1 --mechanism uniform --out own.csv");
  ASSERT_EQ(stream.exit_code, 0) << stream;
  EXPECT_NEAR(std::stod(fields_of(lines("own.csv")[1])[3]), 2, 0.01) << "one register a household";
}

TEST_F(GridLoadsCli, WithAStartEveryFileHasTimesAndRecurringWishesArePublished) {
  ASSERT_EQ(loads("--days 1 --start 2026-03-02T00:00:00+01:00 --out all.csv --measured own.csv --readings r.csv "
                  "--series-map m.csv --households h.csv --stream homes.csv")
                .exit_code,
            0);
  for (const char* file : {"all.csv", "own.csv", "r.csv", "homes.csv"}) {
    EXPECT_TRUE(lines(file)[1].starts_with("2026-03-02T00:00:00+01:00,")) << file;
    EXPECT_TRUE(lines(file).back().starts_with("2026-03-02T23:45:00+01:00,")) << file;
  }
  const std::string customer = fields_of(lines("h.csv")[1])[1];
  const Finished wished = run_fugu(directory_,
                                   "grid requirement --appliance refrigerator --epsilon 0.5 --policies w.jsonl "
                                   "--tan-phi 0.5 --from 06:00 --to 22:00 --until 2026-03-03 --customer " +
                                       customer);
  ASSERT_EQ(wished.exit_code, 0) << wished;
  EXPECT_NE(wished.out.find("The wishes ask for noise of scale 0.84 in kW and in kvar"), std::string::npos) << wished;
  const Finished published = run_fugu(
      directory_,
      "publish --readings r.csv --series-map m.csv --households h.csv --clamp 20 --unit-step 0.001 "
      "--slot-length 15m --policies w.jsonl --exact-when-idle --mechanism narwhal --ledger l.ledger --out o.csv");
  ASSERT_EQ(published.exit_code, 0) << published;
  std::size_t hidden = 0;
  for (const std::string& line : lines("o.csv")) {
    const auto fields = fields_of(line);
    if (!fields[0].starts_with("2026-03-02T12:00") || !fields[1].starts_with(customer + ".")) continue;
    EXPECT_NEAR(std::stod(fields[3]), 0.84, 1e-6) << "what the requirement says: " << line;
    ++hidden;
  }
  EXPECT_EQ(hidden, 2U) << "both registers";
  const Finished monitored =
      run_fugu(directory_, "grid monitor net --released o.csv --measured own.csv --ledger l.ledger --truth all.csv");
  EXPECT_EQ(monitored.exit_code, 0) << monitored;
}

TEST_F(GridLoadsCli, SaysWhatIsWrongAndWritesNothing) {
  for (const auto& [options, message] :
       {std::pair{"--days 0", "days: expected 1 to 3660"},
        {"--slot-length 10s", "slot length: expected 1, 15, 30 or 60 minutes"},
        {"--source gefcom", "--source: found 'gefcom'; expected simulated, citylearn, sgsc, ieee or simbench"},
        {"--source sgsc", "recorded loads: expected the data folder they lie in"},
        {"--part half", "--part: found 'half'; expected all, evaluated or sample"},
        {"--sensors 3", "--measured, which is missing"},
        {"--measured x --voltage-error -1", "--voltage-error: expected a number of volts, 0 to 100"},
        {"--measured x --voltage-error 1e300", "--voltage-error: expected a number of volts, 0 to 100"},
        {"--measured x --power-error 1e300", "--power-error: expected a part of the value, 0 to 1"},
        {"--out x --start 2026-03-02T01:00:00+01:00", "which is no midnight"},
        {"--out x --start 2026-03-02T00:00:00", "--start: expected an offset"},
        {"--protect nobody", "--protect: expected residential or all"},
        {"--out x --readings x", "must be different files"},
        {"--out - --readings -", "only one file can go to standard output"}}) {
    const Finished finished = loads(options);
    EXPECT_EQ(finished.exit_code, 2) << options << "\n" << finished;
    EXPECT_NE(finished.err.find(message), std::string::npos) << options << "\n" << finished;
    EXPECT_FALSE(std::filesystem::exists(directory_ / "x")) << options;
  }
}

}  // namespace
}  // namespace fugu::test
