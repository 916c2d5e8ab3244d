// The progress line: drawn on a terminal, taken away at the end, absent otherwise.
#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>

#include <thread>

#include "support/released.hpp"

namespace fugu::test {
namespace {

constexpr const char* kCommand =
    "publish --stream - --definition event --epsilon 1 --sensitivity 1 --mechanism uniform --ledger run.ledger "
    "--out out.csv";
constexpr const char* kWipe = "\r\033[K";

/// Feeds a stream that takes half a second.
void feed_slowly(Process& process) {
  process.feed("time,load\n");
  for (int part = 0; part < 5; ++part) {
    std::string rows;
    for (int i = 0; i < 2000; ++i) rows += std::to_string(part * 2000 + i) + ",5\n";
    process.feed(rows);
    std::this_thread::sleep_for(std::chrono::milliseconds(110));
  }
  process.close_input();
}

/// A pseudo-terminal: what is written to `terminal` can be read from `screen`.
struct Terminal {
  Terminal() {
    screen = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    EXPECT_GE(screen, 0);
    ::grantpt(screen);
    ::unlockpt(screen);
    terminal = ::open(::ptsname(screen), O_RDWR | O_NOCTTY | O_CLOEXEC);
    termios settings{};
    ::tcgetattr(terminal, &settings);
    ::cfmakeraw(&settings);
    ::tcsetattr(terminal, TCSANOW, &settings);
  }
  ~Terminal() {
    ::close(screen);
    ::close(terminal);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  std::string read_screen() const {
    std::string text;
    std::array<char, 4096> block{};
    for (;;) {
      const ssize_t got = ::read(screen, block.data(), block.size());
      if (got <= 0) return text;
      text.append(block.data(), static_cast<std::size_t>(got));
    }
  }

  int screen = -1;
  int terminal = -1;
};

TEST(Progress, IsDrawnOnATerminalAndTakenAway) {
  const TempDir directory;
  const Terminal terminal;
  const int descriptor = terminal.terminal;
  Process process(fugu_command(kCommand),
                  {.directory = directory.path(), .in_child = [descriptor] { ::dup2(descriptor, STDERR_FILENO); }});
  feed_slowly(process);
  const Finished finished = process.wait();
  ASSERT_EQ(finished.exit_code, 0) << finished;
  const std::string screen = terminal.read_screen();
  const std::string last_words = "fugu: released 10000 slots of 1 series under event";
  EXPECT_NE(screen.find("slots released"), std::string::npos) << screen;
  const std::size_t end = screen.find(last_words);
  ASSERT_NE(end, std::string::npos) << screen;
  EXPECT_EQ(screen.substr(0, end).rfind(kWipe), end - 4) << "the line is taken away before the last words: " << screen;
  EXPECT_EQ(screen.find("slots released", end), std::string::npos);
  EXPECT_EQ(screen.find(kWipe, end), std::string::npos) << "and they stay";
  EXPECT_EQ(lines_of(read_file(directory / "out.csv")).size(), 10'001u) << "nothing of it in the results";
}

TEST(Progress, IsSilentElsewhere) {
  const TempDir directory;
  Process process(fugu_command(kCommand), {.directory = directory.path()});
  feed_slowly(process);
  const Finished finished = process.wait();
  ASSERT_EQ(finished.exit_code, 0) << finished;
  const auto said = lines_of(finished.err);
  ASSERT_EQ(said.size(), 2u) << finished;
  EXPECT_EQ(said[0], "fugu: released 10000 slots of 1 series under event, ε = 1");
  EXPECT_TRUE(said[1].starts_with("fugu: head of the ledger: ")) << finished;
  EXPECT_EQ(finished.out, "");
}

TEST(Progress, AnErrorStandsOnItsOwnLine) {
  const TempDir directory;
  const Terminal terminal;
  const int descriptor = terminal.terminal;
  Process broken(fugu_command(kCommand),
                 {.directory = directory.path(), .in_child = [descriptor] { ::dup2(descriptor, STDERR_FILENO); }});
  broken.feed("time,load\n");
  for (int i = 0; i < 4; ++i) {
    std::string rows;
    for (int row = 0; row < 1000; ++row) rows += std::to_string(i * 1000 + row) + ",5\n";
    broken.feed(rows);
    std::this_thread::sleep_for(std::chrono::milliseconds(110));
  }
  broken.feed("4000,text\n");
  EXPECT_EQ(broken.wait().exit_code, 2);
  const std::string screen = terminal.read_screen();
  const std::size_t error = screen.find("fugu: error: standard input:4002");
  ASSERT_NE(error, std::string::npos) << screen;
  EXPECT_EQ(screen.substr(0, error).rfind(kWipe), error - 4) << screen;
}

TEST(Progress, OfABenchShowsWhatIsLeft) {
  const TempDir directory;
  write_file(directory / "long.toml",
             "mechanisms = [\"uniform\"]\nruns = 4000\n[[stream]]\nlength = 1000\nseason = 40\namplitude = 10\n"
             "[[requirement]]\nepsilon = [0.5, 1]\nw = 40\n");
  const Terminal terminal;
  const int descriptor = terminal.terminal;
  Process process(fugu_command("bench --suite long.toml --no-report --threads 1"),
                  {.directory = directory.path(), .in_child = [descriptor] { ::dup2(descriptor, STDERR_FILENO); }});
  const Finished finished = process.wait();
  ASSERT_EQ(finished.exit_code, 0) << finished;
  const std::string screen = terminal.read_screen();
  EXPECT_NE(screen.find("%  "), std::string::npos) << screen;
  EXPECT_NE(screen.find(" runs"), std::string::npos) << screen;
  const std::size_t end = screen.find("fugu: 8 cells in ");
  ASSERT_NE(end, std::string::npos) << screen;
  EXPECT_EQ(screen.substr(0, end).rfind(kWipe), end - 4) << screen;
}

TEST(Progress, OfGridCapacityCountsDraws) {
  const TempDir directory;
  ASSERT_EQ(run_fugu(directory, "grid generate --out street").exit_code, 0);
  ASSERT_EQ(run_fugu(directory, "grid loads street --days 2 --out loads.csv").exit_code, 0);
  const Terminal terminal;
  const int descriptor = terminal.terminal;
  Process process(fugu_command("grid capacity street --loads loads.csv --draws 300 --steps 2 --threads 1"),
                  {.directory = directory.path(), .in_child = [descriptor] { ::dup2(descriptor, STDERR_FILENO); }});
  const Finished finished = process.wait();
  ASSERT_EQ(finished.exit_code, 0) << finished;
  const std::string screen = terminal.read_screen();
  EXPECT_NE(screen.find(" draws of street"), std::string::npos) << screen;
  EXPECT_TRUE(screen.ends_with(kWipe)) << screen;
}

}  // namespace
}  // namespace fugu::test
