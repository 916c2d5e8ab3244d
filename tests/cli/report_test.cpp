// fugu report: what it says of the releases is so, and it destroys nothing it reads.
#include <tuple>

#include "report/balance.hpp"
#include "support/released.hpp"

namespace fugu::test {
namespace {

/// Three series over a day of quarter hours, published and filtered.
class ReportCommand : public testing::Test {
 protected:
  void SetUp() override {
    std::string stream = "time,north,south,west\n";
    for (int slot = 0; slot < 96; ++slot) {
      char row[80];
      std::snprintf(row, sizeof row, "2026-03-02T%02d:%02d:00+01:00,%d,7,9\n", slot / 4, 15 * (slot % 4), slot % 5);
      stream += row;
    }
    write_file(directory_ / "s.csv", stream);
    const Finished published =
        run_fugu(directory_,
                 "publish --stream s.csv --definition w-event --epsilon 1 --w 96 --sensitivity 1 --mechanism uniform "
                 "--filter truncate:0:10 --out r.csv --ledger r.ledger");
    ASSERT_EQ(published.exit_code, 0) << published;
  }

  Finished report(const std::string& options, const std::string& run = "a=r.csv,r.ledger") {
    return run_fugu(directory_, "report --stream s.csv --run " + run + " " + options);
  }

  TempDir directory_;
};

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST_F(ReportCommand, DrawsEverySeriesInTheTimesThereAre) {
  const Finished finished = report("--out page.html --picture p.svg");
  ASSERT_EQ(finished.exit_code, 0) << finished;
  const std::string page = read_file(directory_ / "page.html");
  EXPECT_EQ(imbalance(page), "");
  for (const char* name : {"north", "south", "west"})
    EXPECT_NE(page.find(std::string("From 2026-03-02T00:00:00+01:00 to 2026-03-02T23:45:00+01:00 of ").append(name)),
              std::string::npos)
        << name;
  EXPECT_EQ(count_of(page, "<svg"), 3u);
  EXPECT_NE(page.find("time, from 2026-03-02T00:00:00+01:00"), std::string::npos);
  EXPECT_NE(read_file(directory_ / "p.svg").find("north"), std::string::npos);
}

/// An hour of minutes has round times five minutes apart; slots that never begin at one are numbered.
TEST_F(ReportCommand, AxesHaveRoundTimesOrNone) {
  for (const auto& [second, tick, label] :
       {std::tuple{"00", ">10:10<", ">time, from 2026"}, std::tuple{"07", ">10<", ">slot<"}}) {
    std::string stream = "time,load\n";
    for (int minute = 5; minute < 45; ++minute) {
      char row[80];
      std::snprintf(row, sizeof row, "2026-03-02T10:%02d:%s+01:00,%d\n", minute, second, minute);
      stream += row;
    }
    write_file(directory_ / "m.csv", stream);
    const Finished published = run_fugu(directory_,
                                        "publish --stream m.csv --definition event --epsilon 1 --sensitivity 1 "
                                        "--mechanism uniform --out m-released.csv");
    ASSERT_EQ(published.exit_code, 0) << published;
    ASSERT_EQ(run_fugu(directory_, "report --stream m.csv --run a=m-released.csv --picture m.svg").exit_code, 0);
    const std::string picture = read_file(directory_ / "m.svg");
    EXPECT_NE(picture.find(tick), std::string::npos) << tick;
    EXPECT_NE(picture.find(label), std::string::npos) << label;
  }
}

TEST_F(ReportCommand, SaysThatThePredictionKnowsNoFilter) {
  const Finished finished = report("--out page.html");
  EXPECT_NE(finished.out.find("Filtered: a (truncate:0:10)"), std::string::npos) << finished;
  EXPECT_NE(read_file(directory_ / "page.html").find("before the filter"), std::string::npos);
  EXPECT_EQ(report("", "a=r.csv").out.find("Filtered"), std::string::npos) << "nobody says so";
}

TEST_F(ReportCommand, SaysHowManySeriesAreNotDrawn) {
  std::string stream = "time";
  std::string row = "0";
  for (int series = 0; series < 20; ++series) {
    stream.append(",s").append(std::to_string(series));
    row += ",1";
  }
  write_file(directory_ / "many.csv", stream + "\n" + row + "\n");
  ASSERT_EQ(run_fugu(directory_,
                     "publish --stream many.csv --definition event --epsilon 1 --sensitivity 1 --mechanism uniform "
                     "--out many-released.csv")
                .exit_code,
            0);
  const Finished finished = run_fugu(directory_, "report --stream many.csv --run a=many-released.csv --out page.html");
  ASSERT_EQ(finished.exit_code, 0) << finished;
  const std::string page = read_file(directory_ / "page.html");
  EXPECT_EQ(count_of(page, "<svg"), 12u);
  EXPECT_NE(page.find("Slots 0 to 0 of s0"), std::string::npos);
  EXPECT_NE(page.find("Not drawn: 8 more of the 20 series"), std::string::npos);
}

TEST_F(ReportCommand, DrawsSlotsThatAreThere) {
  EXPECT_EQ(report("--first-slot 95 --slots 1").exit_code, 0);
  for (const auto& [options, message] :
       {std::pair("--slots 0", "--slots"), std::pair("--slots -4", "--slots"),
        std::pair("--first-slot -4", "--first-slot"), std::pair("--first-slot 99999", "end with slot 95"),
        std::pair("--first-slot 96", "end with slot 95")}) {
    const Finished finished = report(std::string(options) + " --out page.html");
    EXPECT_EQ(finished.exit_code, 2) << finished;
    EXPECT_NE(finished.err.find(message), std::string::npos) << finished;
  }
}

TEST_F(ReportCommand, DestroysNothingItReads) {
  const std::string ledger = read_file(directory_ / "r.ledger");
  const std::string released = read_file(directory_ / "r.csv");
  for (const char* options : {"--out r.ledger", "--out s.csv", "--out ./r.csv", "--picture r.csv", "--picture r.ledger",
                              "--out x --picture ./x"}) {
    const Finished finished = report(options);
    EXPECT_EQ(finished.exit_code, 2) << finished;
    EXPECT_NE(finished.err.find("must be different files"), std::string::npos) << finished;
  }
  EXPECT_EQ(read_file(directory_ / "r.ledger"), ledger);
  EXPECT_EQ(read_file(directory_ / "r.csv"), released);
  EXPECT_FALSE(std::filesystem::exists(directory_ / "x"));
}

}  // namespace
}  // namespace fugu::test
