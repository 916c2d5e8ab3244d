// fugu grid capacity: questions about cars, heat pumps and panels, through true and released loads.
#include "fugu/network/feeder.hpp"
#include "fugu/network/network_reader.hpp"
#include "support/released.hpp"

namespace fugu::test {
namespace {

class GridCapacityCli : public testing::Test {
 protected:
  /// A network and its files, in folders of one letter.
  void make(const std::string& name, std::uint64_t seed) const {
    ASSERT_TRUE(grid::write_network(*grid::make_feeder({.seed = seed}), directory_ / name));
    const Finished loads =
        run_fugu(directory_, "grid loads " + name + " --days 2 --p-only --out " + name + ".csv --measured " + name +
                                 "-own.csv --readings " + name + "-r.csv --series-map " + name + "-m.csv");
    ASSERT_EQ(loads.exit_code, 0) << loads;
  }
  void publish(const std::string& name, const std::string& epsilon) const {
    const Finished published =
        run_fugu(directory_, "publish --readings " + name + "-r.csv --series-map " + name +
                                 "-m.csv --clamp 20 --unit-step 0.001 --definition event --epsilon " + epsilon +
                                 " --mechanism uniform --ledger " + name + ".ledger --out " + name + "-p.csv");
    ASSERT_EQ(published.exit_code, 0) << published;
  }
  Finished capacity(const std::string& options) const {
    return run_fugu(directory_, "grid capacity " + options + " --draws 10 --steps 2");
  }

  TempDir directory_;
};

TEST_F(GridCapacityCli, NamesTheFeedersOfANetwork) {
  make("a", 1);
  const Finished finished = capacity("a --loads a.csv");
  ASSERT_EQ(finished.exit_code, 0) << finished;
  const auto rows = lines_of(finished.out);
  ASSERT_EQ(rows.size(), 3u) << finished;
  EXPECT_TRUE(rows[0].starts_with("feeder")) << finished;
  EXPECT_EQ(words(rows[1])[0], "T-J1");
  EXPECT_EQ(words(rows[2])[0], "T-J7");
  EXPECT_EQ(capacity("a --loads a.csv --threads 1").out, finished.out);
  EXPECT_NE(capacity("a --loads a.csv --seed 2").out, finished.out);
  EXPECT_NE(capacity("a --loads a.csv --device pv").out, finished.out);
  EXPECT_EQ(capacity("a --loads a.csv --kw 11").out, finished.out) << "is what a car has";
}

TEST_F(GridCapacityCli, SetsReleasedLoadsBesideTrueOnes) {
  make("a", 1);
  make("b", 2);
  publish("a", "10000");
  publish("b", "10000");
  const Finished finished = capacity(
      "a b/ --loads a.csv b.csv --released a-p.csv b-p.csv --measured a-own.csv b-own.csv --ledger a.ledger b.ledger");
  ASSERT_EQ(finished.exit_code, 0) << finished;
  const auto rows = lines_of(finished.out);
  ASSERT_EQ(rows.size(), 13u) << finished;
  for (const auto& [row, name] : {std::pair(1, "true"), {2, "released"}, {3, "estimated"}, {4, "no"}}) {
    EXPECT_EQ(words(rows[static_cast<std::size_t>(row)])[1], name);
    EXPECT_EQ(words(rows[static_cast<std::size_t>(row)])[0], words(rows[1])[0]);
  }
  EXPECT_EQ(words(rows[5])[0], words(rows[1])[0] == "a" ? "b" : "a") << "each network is one feeder";
  // Noise of 2 W changes nothing; that kvar are not released does, unless they are estimated.
  EXPECT_NE(rows.back().find("is first, as with true loads; Kendall's tau 1.00 over 2 feeders"), std::string::npos);
  EXPECT_NE(words(rows[2])[5], words(rows[1])[5]);
  EXPECT_EQ(words(rows[3])[5], words(rows[1])[5]);
}

TEST_F(GridCapacityCli, WithoutATruthNothingIsSaidToAgreeWithIt) {
  make("a", 1);
  publish("a", "10000");
  const Finished finished = capacity("a --released a-p.csv --measured a-own.csv");
  ASSERT_EQ(finished.exit_code, 0) << finished;
  EXPECT_EQ(finished.out.find("first, "), std::string::npos) << finished;
  EXPECT_EQ(finished.out.find("Kendall"), std::string::npos) << finished;
  EXPECT_NE(finished.out.find("\nreleased: 'T-J1' is first\n"), std::string::npos) << finished;
  EXPECT_NE(finished.out.find("cannot be said without true loads (--loads)"), std::string::npos) << finished;
}

TEST_F(GridCapacityCli, CustomersOfWhomNothingIsKnownAreEstimatedWhenAllowed) {
  make("a", 1);
  publish("a", "10000");
  const std::string files = "a --loads a.csv --released a-p.csv";  // businesses are in a-own.csv, which is missing
  const Finished refused = capacity(files);
  EXPECT_EQ(refused.exit_code, 2) << refused;
  EXPECT_NE(refused.err.find("--allow-unmeasured"), std::string::npos) << refused;
  const Finished finished = capacity(files + " --allow-unmeasured");
  ASSERT_EQ(finished.exit_code, 0) << finished;
  const auto rows = lines_of(finished.out);
  EXPECT_EQ(words(rows[1])[1], "true");
  EXPECT_EQ(words(rows[2])[1], "estimated");
  EXPECT_EQ(words(rows[3])[1], "no");
  EXPECT_EQ(finished.out.find("released"), std::string::npos) << finished;
}

TEST_F(GridCapacityCli, SaysWhyThereIsNoCapacity) {
  make("a", 1);
  const std::string why = "\nCapacity none: with these loads the feeder is out of limits without any device\n";
  EXPECT_EQ(capacity("a --loads a.csv").out.find(why), std::string::npos);
  std::string heavy = "time";
  std::string row;
  for (const std::string& name : fields_of(lines_of(read_file(directory_ / "a.csv"))[0])) {
    if (name == "time") continue;
    heavy += "," + name;
    row += name.ends_with(".p") ? ",20" : ",5";
  }
  write_file(directory_ / "heavy.csv", heavy + "\n0" + row + "\n1" + row + "\n");
  const Finished finished = capacity("a --loads heavy.csv");
  ASSERT_EQ(finished.exit_code, 0) << finished;
  EXPECT_NE(finished.out.find(why), std::string::npos) << finished;
}

TEST_F(GridCapacityCli, FoldersOfOneNameAreShownAsTheyWereGiven) {
  make("a", 1);
  std::filesystem::create_directory(directory_ / "old");
  ASSERT_TRUE(grid::write_network(*grid::make_feeder({.seed = 1}), directory_ / "old/a"));
  const Finished finished = capacity("a old/a/ --loads a.csv a.csv");
  ASSERT_EQ(finished.exit_code, 0) << finished;
  const auto rows = lines_of(finished.out);
  EXPECT_EQ(words(rows[1])[0], "a");
  EXPECT_EQ(words(rows[2])[0], "old/a/");
}

TEST_F(GridCapacityCli, RefusesFilesOfAnotherNetworkOrRun) {
  make("a", 1);
  publish("a", "100");
  make("b", 3);
  publish("b", "100");
  const auto refused = [&](const std::string& options, const std::string& message) {
    const Finished finished = capacity(options);
    EXPECT_EQ(finished.exit_code, 2) << options << "\n" << finished;
    EXPECT_NE(finished.err.find(message), std::string::npos) << options << "\n" << finished;
    EXPECT_EQ(finished.out, "");
  };
  const std::string released = "a --loads a.csv --released a-p.csv ";
  EXPECT_EQ(capacity(released + "--measured a-own.csv --ledger a.ledger").exit_code, 0);
  refused(released, "4 customers have no measurement");
  // Feeders of equal shape have equal names, so what differs is who is protected, or what the ledger says.
  refused(released + "--measured b-own.csv", "already");
  refused(released + "--measured a-own.csv --ledger b.ledger", "ledger");
  std::string changed = read_file(directory_ / "a-p.csv");
  const std::size_t value = changed.find(".p,", changed.find('\n')) + 3;
  changed.replace(value, changed.find(',', value) - value, "1.5");
  write_file(directory_ / "a-p.csv", changed);
  EXPECT_EQ(capacity(released + "--measured a-own.csv").exit_code, 0) << "the twin: nobody looks without the ledger";
  refused(released + "--measured a-own.csv --ledger a.ledger", "does not follow from the ledger");
}

TEST_F(GridCapacityCli, LoadsHaveToBeOfTheSameSlots) {
  make("a", 1);
  ASSERT_EQ(run_fugu(directory_, "grid loads a --days 1 --out short.csv").exit_code, 0);
  publish("a", "100");
  const Finished finished = capacity("a --loads short.csv --released a-p.csv --measured a-own.csv");
  EXPECT_EQ(finished.exit_code, 2) << finished;
  EXPECT_NE(finished.err.find("are of different slots"), std::string::npos) << finished;
}

TEST_F(GridCapacityCli, SaysWhatIsWrong) {
  make("a", 1);
  std::filesystem::create_directory(directory_ / "old");
  for (const auto& [options, message] :
       {std::pair{"a", "expected --loads, or --released, or both"},
        {"a --loads a.csv a.csv", "--loads: expected as many files as networks, 1"},
        {"a --loads a.csv --measured a-own.csv", "go with --released"},
        {"a --loads a.csv --device boiler", "--device: found 'boiler'; expected ev, heat-pump or pv"},
        {"a --loads a.csv --share 2", "expected 0 to 1"},
        {"a --loads a.csv --slot-length 7m", "expected whole minutes that divide an hour (--slot-length"},
        {"a --loads a.csv --kw -3", "--kw: expected a number of kW above 0"},
        {"a --loads a.csv --kw 0", "--kw: expected a number of kW above 0"},
        {"a old/../a --loads a.csv a.csv", "found the network 'old/../a' twice; expected once"},
        {"a --loads a.csv --allow-unmeasured", "--allow-unmeasured goes with --released"}}) {
    const Finished finished = capacity(options);
    EXPECT_EQ(finished.exit_code, 2) << options << "\n" << finished;
    EXPECT_NE(finished.err.find(message), std::string::npos) << options << "\n" << finished;
  }
  for (const auto& [options, message] : {std::pair{"--draws 0", "--draws: Value 0 not in range 1 to 10000"},
                                         {"--draws 10001", "--draws: Value 10001 not in range 1 to 10000"},
                                         {"--steps 101", "--steps: Value 101 not in range 1 to 100"}}) {
    const Finished finished = run_fugu(directory_, std::string("grid capacity a --loads a.csv ") + options);
    EXPECT_EQ(finished.exit_code, 2) << options << "\n" << finished;
    EXPECT_NE(finished.err.find(message), std::string::npos) << options << "\n" << finished;
  }
}

}  // namespace
}  // namespace fugu::test
