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
  for (const auto& [options, message] :
       {std::pair{"a", "expected --loads, or --released, or both"},
        {"a --loads a.csv a.csv", "--loads: expected as many files as networks, 1"},
        {"a --loads a.csv --measured a-own.csv", "go with --released"},
        {"a --loads a.csv --device boiler", "--device: found 'boiler'; expected ev, heat-pump or pv"},
        {"a --loads a.csv --share 2", "expected 0 to 1"},
        {"a --loads a.csv --slot-length 7m", "expected whole minutes that divide an hour (--slot-length"},
        {"a --loads a.csv --kw -3", "expected a number of kW above 0"}}) {
    const Finished finished = capacity(options);
    EXPECT_EQ(finished.exit_code, 2) << options << "\n" << finished;
    EXPECT_NE(finished.err.find(message), std::string::npos) << options << "\n" << finished;
  }
}

}  // namespace
}  // namespace fugu::test
