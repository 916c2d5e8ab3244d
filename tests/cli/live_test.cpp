// fugu publish --follow with times of day: rows ahead of the machine's clock, and slots that the clock closes.
#include "fugu/stream/clock.hpp"
#include "support/released.hpp"

namespace fugu::test {
namespace {

constexpr const char* kReadings =
    "publish --readings - --series-map map.csv --clamp 10 --slot-length 1s --follow --ledger run.ledger --out out.csv "
    "--definition w-event --epsilon 1 --w 8 --mechanism uniform";

class LivePublish : public testing::Test {
 protected:
  LivePublish() { write_file(directory_ / "map.csv", "meter,series\nm1,a\n"); }
  std::string released() const {
    return std::filesystem::exists(directory_ / "out.csv") ? read_file(directory_ / "out.csv") : "";
  }
  std::size_t released_rows() const {
    const std::string text = released();
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }

  const TempDir directory_;
};

TEST_F(LivePublish, ARowAheadOfTheClockReleasesNothing) {
  const Clock seconds(wall_clock_s(), 1);
  const std::string rows = "time,meter,value\n" + seconds.text(-60) + ",m1,1\n" + seconds.text(-59) + ",m1,1\n" +
                           seconds.text(3600) + ",m1,1\n";
  const Finished refused = run_fugu(directory_, std::string(kReadings) + " --grace 2 --gap-max 10000", rows);
  EXPECT_EQ(refused.exit_code, 2) << refused;
  EXPECT_NE(refused.err.find("ahead of this machine's clock"), std::string::npos) << refused;
  EXPECT_EQ(released(), "");
  const Finished dropped =
      run_fugu(directory_, std::string(kReadings) + " --grace 2 --gap-max 10000 --late drop", rows);
  EXPECT_EQ(dropped.exit_code, 0) << dropped;
  EXPECT_NE(dropped.err.find("1 ahead of the clock and dropped"), std::string::npos) << dropped;
  EXPECT_EQ(released_rows(), 3u) << "a header and the two slots before it";
}

TEST_F(LivePublish, TheClockReleasesSlotsWhileTheSourceIsSilent) {
  Process process(fugu_command(std::string(kReadings) + " --close-by-clock --grace 0"),
                  {.directory = directory_.path()});
  ASSERT_TRUE(process.feed("time,meter,value\n" + Clock(wall_clock_s(), 1).text(0) + ",m1,1\n"));
  process.wait_until([&] { return released_rows() >= 4; }, 60);
  EXPECT_GE(released_rows(), 4u) << "a header and three slots from one row, the pipe still open";
}

TEST_F(LivePublish, TheClockClosesReadingsThatAreLive) {
  write_file(directory_ / "s.csv", "time,a\n0,1\n");
  for (const char* source : {"--stream s.csv --follow", "--readings s.csv --series-map map.csv --clamp 1"}) {
    const Finished found = run_fugu(directory_, std::string("publish ") + source +
                                                    " --close-by-clock --definition event --epsilon 1 --sensitivity 1 "
                                                    "--mechanism uniform");
    EXPECT_EQ(found.exit_code, 2) << found;
    EXPECT_NE(found.err.find("--close-by-clock closes slots of live readings"), std::string::npos) << found;
  }
}

}  // namespace
}  // namespace fugu::test
