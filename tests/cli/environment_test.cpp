// Full disks, closed pipes, second writers: exit code 4, a message, what was released stays valid, and with space (or a
// consumer) again the same command goes on.
#include <sys/resource.h>

#include <csignal>
#include <thread>

#include "support/released.hpp"

namespace fugu::test {
namespace {

constexpr const char* kPromise =
    " --definition w-event --epsilon 1 --w 8 --sensitivity 3 --mechanism uniform --slot-length 1h";
constexpr int kSlots = 400;

std::string stream(int slots = kSlots) {
  std::string text = "time,load\n";
  for (int slot = 0; slot < slots; ++slot) text += std::to_string(slot) + "," + std::to_string(1000 + slot % 24) + "\n";
  return text;
}

/// No file may grow beyond this: writing fails as on a full disk, in the middle of a write.
std::function<void()> disk_of(rlim_t bytes) {
  return [bytes] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, bytes};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  };
}

class FullDisk : public testing::TestWithParam<int> {};

TEST_P(FullDisk, ReleasesStayValidAndTheRunGoesOn) {
  const TempDir directory;
  const std::string command = "publish --stream - --follow --ledger run.ledger --out out.csv" + std::string(kPromise);
  const ProcessOptions small{.directory = directory.path(), .in_child = disk_of(static_cast<rlim_t>(GetParam()))};
  const std::string text = stream();
  {
    Process process(fugu_command(command), small);
    // In small portions, so that there are many frames and the limit is met in the middle of one.
    std::string_view rest = text;
    while (!rest.empty()) {
      const std::size_t seen = read_file(directory / "out.csv").size();
      if (!process.feed(rest.substr(0, 300))) break;
      rest.remove_prefix(std::min<std::size_t>(300, rest.size()));
      process.wait_until([&] { return read_file(directory / "out.csv").size() > seen || !process.err().empty(); }, 5);
      if (!process.err().empty()) break;
    }
    const Finished finished = process.wait();
    EXPECT_EQ(finished.exit_code, 4) << finished;
    EXPECT_NE(finished.err.find("failed"), std::string::npos) << finished;
  }
  std::string out = read_file(directory / "out.csv");
  if (std::filesystem::exists(directory / "run.ledger")) {
    out = out.substr(0, out.rfind('\n') + 1);
    write_file(directory / "seen.csv", out);
    expect_audit_holds(directory,
                       "--ledger run.ledger --open" + std::string(out.empty() ? "" : " --released seen.csv"));
  } else {
    EXPECT_EQ(out, "");
  }
  const Finished finished = run_fugu(directory, command, text);
  ASSERT_EQ(finished.exit_code, 0) << finished;
  EXPECT_TRUE(read_file(directory / "out.csv").starts_with(out));
  const AuditVerdict verdict = expect_audit_holds(directory, "--ledger run.ledger --released out.csv");
  EXPECT_EQ(verdict.slots, kSlots);
  EXPECT_EQ(verdict.answers, kSlots);
}

INSTANTIATE_TEST_SUITE_P(Bytes, FullDisk, testing::Values(0, 5, 100, 400, 1000, 1500, 2001, 2999),
                         testing::PrintToStringParamName());

TEST(Device, FullOutput) {
  const TempDir directory;
  write_file(directory / "s.csv", stream());
  for (const char* ledger : {"", " --ledger run.ledger"}) {
    const std::string command = "publish --stream s.csv --out /dev/full" + std::string(kPromise) + ledger;
    for (int time = 0; time < 2; ++time) {  // the second time with the ledger there already
      const Finished finished = run_fugu(directory, command);
      EXPECT_EQ(finished.exit_code, 4) << finished;
      EXPECT_NE(finished.err.find("/dev/full: writing failed"), std::string::npos) << finished;
    }
  }
  expect_audit_holds(directory, "--ledger run.ledger --open");
  // To another place: nothing is lost, nothing paid twice.
  const Finished finished =
      run_fugu(directory, "publish --stream s.csv --ledger run.ledger --out out.csv" + std::string(kPromise));
  ASSERT_EQ(finished.exit_code, 0) << finished;
  EXPECT_EQ(expect_audit_holds(directory, "--ledger run.ledger --released out.csv").answers, kSlots);
  EXPECT_EQ(lines_of(read_file(directory / "out.csv")).size(), 1u + kSlots);
}

TEST(Device, AFullDiskLeavesNoEmptyFilesAndTheRetryIsTaken) {
  const TempDir directory;
  const ProcessOptions full{.directory = directory.path(), .in_child = disk_of(0)};
  for (const char* command :
       {"meter keys --meter a --out m.keys --collector-out c.keys", "simulate artificial --out s.csv",
        "simulate households --households 2 --days 1 --readings r.csv --policies p.csv"}) {
    const Finished finished = run(fugu_command(command), {}, full);
    EXPECT_EQ(finished.exit_code, 4) << command << "\n" << finished;
    EXPECT_NE(finished.err.find("File too large"), std::string::npos) << finished;
    EXPECT_TRUE(std::filesystem::is_empty(directory.path())) << command;
    const Finished again = run_fugu(directory, command);
    EXPECT_EQ(again.exit_code, 0) << again;
    for (const auto& file : std::filesystem::directory_iterator(directory.path())) std::filesystem::remove(file);
  }
  // The second of two files that belong together.
  write_file(directory / "c.keys", "there");
  EXPECT_EQ(run_fugu(directory, "meter keys --meter a --out m.keys --collector-out c.keys").exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(directory / "m.keys"));
}

TEST(Device, APageThatCannotBeWrittenSaysWhy) {
  const TempDir directory;
  write_file(directory / "p.csv", "meter,start,end,length,magnitude,epsilon\na,0,3,1,2,1\n");
  write_file(directory / "r.csv", "time,series,value,scale,loss_rate,sampled\n0,load,5.5,2,0.5,1\n");
  const Finished finished = run_fugu(directory, "attack --released r.csv --policies p.csv --html missing/x.html");
  EXPECT_EQ(finished.exit_code, 4) << finished;
  EXPECT_NE(finished.err.find("missing/x.html: opening failed: No such file"), std::string::npos) << finished;
}

TEST(Device, LedgerThatCannotBeWritten) {
  const TempDir directory;
  write_file(directory / "s.csv", stream());
  for (const char* ledger : {"/dev/full", "missing/run.ledger", "/proc/run.ledger"}) {
    const Finished finished =
        run_fugu(directory, "publish --stream s.csv --out out.csv --ledger " + std::string(ledger) + kPromise);
    EXPECT_TRUE(finished.exit_code == 4 || finished.exit_code == 2) << ledger << "\n" << finished;
    EXPECT_EQ(read_file(directory / "out.csv"), "") << "nothing is released that is not recorded";
  }
}

TEST(Device, OutputThatCannotBeOpened) {
  const TempDir directory;
  write_file(directory / "s.csv", stream());
  for (const char* command : {"publish --stream s.csv --out missing/out.csv",
                              "publish --stream s.csv --ledger run.ledger --out missing/out.csv"}) {
    const Finished finished = run_fugu(directory, command + std::string(kPromise));
    EXPECT_EQ(finished.exit_code, 4) << finished;
    EXPECT_NE(finished.err.find("missing/out.csv"), std::string::npos) << finished;
  }
  EXPECT_EQ(run_fugu(directory, "simulate artificial --out missing/out.csv").exit_code, 4);
  EXPECT_EQ(run_fugu(directory, "simulate artificial --out /dev/full").exit_code, 4);
}

TEST(Device, NamesTooLongToExist) {
  const TempDir directory;
  write_file(directory / "s.csv", stream());
  const std::string name(300, 'x');
  for (const std::string& option : {"--ledger " + name, "--ledger run.ledger --out " + name}) {
    const Finished finished = run_fugu(directory, "publish --stream s.csv " + option + kPromise);
    EXPECT_EQ(finished.exit_code, 4) << finished;
  }
}

TEST(Pipe, ConsumerGoesAway) {
  for (const char* ledger : {"", " --ledger run.ledger"}) {
    const TempDir directory;
    const std::string command = "publish --stream - --follow" + std::string(ledger) + kPromise;
    const std::string text = stream();
    std::string seen;
    {
      Process process(fugu_command(command), {.directory = directory.path()});
      process.feed(text.substr(0, 500));
      ASSERT_TRUE(process.wait_until([&] { return process.out().size() > 200; }));
      seen = process.out();
      process.close_output();
      process.feed(text.substr(500));
      const Finished finished = process.wait();
      EXPECT_EQ(finished.exit_code, 4) << finished;
      EXPECT_NE(finished.err.find("writing failed"), std::string::npos) << finished;
    }
    if (*ledger == '\0') continue;
    expect_audit_holds(directory, "--ledger run.ledger --open");
    const Finished finished = run_fugu(directory, command, text);
    ASSERT_EQ(finished.exit_code, 0) << finished;
    // The two parts overlap at most; together they are one release of each slot.
    std::vector<std::string> all = lines_of(seen.substr(0, seen.rfind('\n') + 1));
    for (const std::string& line : lines_of(finished.out)) {
      const std::size_t slot = std::strtoul(line.c_str(), nullptr, 10);
      if (line.starts_with("time")) continue;
      if (slot + 1 < all.size()) {
        EXPECT_EQ(line, all[slot + 1]);
      } else {
        ASSERT_EQ(slot + 1, all.size());
        all.push_back(line);
      }
    }
    EXPECT_EQ(all.size(), 1u + kSlots);
    EXPECT_EQ(expect_audit_holds(directory, "--ledger run.ledger").answers, kSlots);
  }
}

TEST(Pipe, HeadTakesOneLine) {
  const TempDir directory;
  write_file(directory / "s.csv", stream(200'000));
  const std::string command = std::string(FUGU_BINARY) + " publish --stream s.csv" + kPromise;
  const Finished finished = run({"bash", "-c", command + " | head -1; echo ${PIPESTATUS[0]}"}, {}, {directory.path()});
  EXPECT_EQ(finished.out, "time,series,value,scale,loss_rate,sampled\n4\n") << finished;
}

TEST(Pipe, ANamedPipeAsOutput) {
  const TempDir directory;
  write_file(directory / "s.csv", stream(20));
  const std::string command =
      std::string(FUGU_BINARY) + " publish --stream s.csv --ledger run.ledger --out fifo" + kPromise + " & ";
  const Finished first = run({"bash", "-c", "mkfifo fifo; " + command + "cat fifo; wait $!"}, {}, {directory.path()});
  EXPECT_EQ(first.exit_code, 0) << first;
  EXPECT_EQ(lines_of(first.out).size(), 21u);
  write_file(directory / "s.csv", stream(30));
  const Finished second = run({"bash", "-c", command + "cat fifo; wait $!"}, {}, {directory.path()});
  EXPECT_EQ(second.exit_code, 0) << second;
  write_file(directory / "all.csv", first.out + second.out);
  EXPECT_EQ(expect_audit_holds(directory, "--ledger run.ledger --released all.csv").answers, 30u);
}

TEST(Writers, OneAtATime) {
  const TempDir directory;
  const std::string command = "publish --stream - --follow --ledger run.ledger --out out.csv" + std::string(kPromise);
  Process first(fugu_command(command), {.directory = directory.path()});
  first.feed("time,load\n0,1000\n1,1001\n");
  ASSERT_TRUE(first.wait_until([&] { return lines_of(read_file(directory / "out.csv"), true).size() == 3; }));
  const std::string out = read_file(directory / "out.csv");
  const std::string ledger = read_file(directory / "run.ledger");
  const Finished second = run_fugu(directory, command, stream());
  EXPECT_EQ(second.exit_code, 4) << second;
  EXPECT_NE(second.err.find("another fugu is writing to this ledger"), std::string::npos) << second;
  EXPECT_EQ(read_file(directory / "out.csv"), out);
  EXPECT_EQ(read_file(directory / "run.ledger"), ledger);
  first.feed("2,1002\n");
  EXPECT_EQ(first.wait().exit_code, 0);
  expect_audit_holds(directory, "--ledger run.ledger --released out.csv");
}

TEST(Writers, TwoThatStartTogether) {
  const TempDir directory;
  const std::string command = "publish --stream - --follow --ledger run.ledger --out out.csv" + std::string(kPromise);
  Process first(fugu_command(command), {.directory = directory.path()});
  Process second(fugu_command(command), {.directory = directory.path()});
  second.feed("time,load\n");  // both wait for their first row, neither has a ledger
  first.feed("time,load\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  first.feed("0,1000\n1,1001\n");
  ASSERT_TRUE(first.wait_until([&] { return lines_of(read_file(directory / "out.csv"), true).size() == 3; }));
  const std::string out = read_file(directory / "out.csv");
  second.feed("0,1000\n1,1001\n");
  const Finished late = second.wait();
  EXPECT_TRUE(late.exit_code == 2 || late.exit_code == 4) << late;
  EXPECT_EQ(read_file(directory / "out.csv"), out) << "what the other one released stays";
  first.feed("2,1002\n");
  EXPECT_EQ(first.wait().exit_code, 0);
  EXPECT_TRUE(read_file(directory / "out.csv").starts_with(out));
  expect_audit_holds(directory, "--ledger run.ledger --released out.csv");
}

/// What was there stays until the new file is whole; a link stays a link.
TEST(Environment, AnOutputTakesItsPlaceWhenItIsWhole) {
  const TempDir directory;
  write_file(directory / "real.csv", "precious\n");
  std::filesystem::create_symlink("real.csv", directory / "link.csv");
  const ProcessOptions small{.directory = directory.path(), .in_child = disk_of(8192)};
  const std::string command = "simulate artificial --length 2000 --out link.csv";
  const Finished failed = run(fugu_command(command), {}, small);
  EXPECT_EQ(failed.exit_code, 4) << failed;
  EXPECT_EQ(read_file(directory / "real.csv"), "precious\n");
  EXPECT_FALSE(std::filesystem::exists(directory / "real.csv.new"));
  ASSERT_EQ(run_fugu(directory, command).exit_code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(directory / "link.csv"));
  EXPECT_EQ(lines_of(read_file(directory / "real.csv")).size(), 2001u);
  const Finished nowhere =
      run_fugu(directory, "simulate households --households 2 --days 1 --totals real.csv --readings no/where.csv");
  EXPECT_EQ(nowhere.exit_code, 4) << nowhere;
  EXPECT_EQ(lines_of(read_file(directory / "real.csv")).size(), 2001u);
  std::filesystem::create_symlink("target", directory / "one");
  std::filesystem::create_symlink("target", directory / "two");
  const Finished same = run_fugu(directory, "simulate households --households 1 --days 1 --totals one --log two");
  EXPECT_EQ(same.exit_code, 2) << same;
}

}  // namespace
}  // namespace fugu::test
