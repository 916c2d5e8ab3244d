// A run over its files: started, resumed, and refused where something does not fit.
#include "fugu/mechanism/run.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fugu/accounting/audit.hpp"
#include "fugu/strategy/baselines.hpp"
#include "support/builders.hpp"
#include "support/publishing.hpp"
#include "support/temp_dir.hpp"

namespace fugu::test {
namespace {

class RunFolder : public ::testing::Test {
 protected:
  RunFiles files() const { return {.ledger = dir_ / "run.ledger", .releases = dir_ / "out.csv"}; }
  static Mechanism mechanism(const Definition& definition = define(Protects::w_event, 1, 0, 4)) {
    return {definition, expose_one(3), NoiseKind::laplace, std::make_unique<EveryKth>(1)};
  }
  static RunIdentity identity(const std::string& strategy = "uniform") {
    RunIdentity about{.format = {}, .facts = {{"mechanism", strategy}}};
    about.format.series = {"a"};
    return about;
  }
  /// Publishes up to before slot `to` and stops there, as a kill would have it.
  Result<LedgerHead> publish(RunFiles files, Slot to, std::optional<Slot> not_before = {},
                             const RunIdentity& about = identity()) {
    FUGU_ASSIGN(fugu::Run run, fugu::Run::open(std::move(files)));
    FUGU_ASSIGN(Publisher * publisher, run.begin(mechanism(), about, not_before));
    for (Slot slot = publisher->next_slot(); slot < to; ++slot) {
      FUGU_TRY(publisher->publish(row_of(slot, {100 + slot})));
      FUGU_TRY(publisher->flush());
    }
    return publisher->head();
  }
  std::string bytes(const char* name) const { return read_file(dir_ / name); }
  void restore(const char* name, const std::string& content) { write_file(dir_ / name, content); }

  TempDir dir_;
};

TEST_F(RunFolder, StartsAndResumes) {
  ASSERT_TRUE(publish(files(), 3));
  const std::string before = bytes("out.csv");
  const auto head = publish(files(), 7);
  ASSERT_TRUE(head) << reason(head);
  EXPECT_TRUE(bytes("out.csv").starts_with(before));
  EXPECT_EQ(**HeadFile::read(dir_ / "run.ledger.head"), *head);
  EXPECT_EQ(head->slots, 7u);
  {
    auto run = fugu::Run::open(files());
    const auto publisher = run->begin(mechanism(), identity(), {});
    ASSERT_TRUE(publisher && (*publisher)->flush());  // and stops: a frame without a slot
  }
  EXPECT_EQ((*HeadFile::read(dir_ / "run.ledger.head"))->slots, 7u);
  EXPECT_TRUE(audit_ledger(dir_ / "run.ledger", {.open_ended = true})->holds());
}

TEST_F(RunFolder, ARunWithoutSlotsKeepsTheOffsetOfItsFirstStamp) {
  RunIdentity about = identity();
  about.format.clock = Clock(1'700'000'100, 900);
  about.utc_offset_s = 7200;
  ASSERT_TRUE(publish(files(), 0, {}, about));
  {
    const auto run = fugu::Run::open(files());
    ASSERT_TRUE(run) << reason(run);
    EXPECT_EQ(run->earlier()->next_slot, 0);
    EXPECT_EQ(run->earlier()->utc_offset_s, 7200);
  }
  ASSERT_TRUE(publish(files(), 1, {}, about));
  const auto run = fugu::Run::open(files());
  ASSERT_TRUE(run) << reason(run);
  EXPECT_EQ(run->earlier()->utc_offset_s, 0) << "that of the last slot";
}

TEST_F(RunFolder, AnotherIdentityIsRefused) {
  ASSERT_TRUE(publish(files(), 3));
  const auto other = publish(files(), 4, {}, identity("hybrid"));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().cause, Cause::usage);
  EXPECT_NE(reason(other).find("mechanism = uniform there and hybrid here"), std::string::npos) << reason(other);
  auto run = fugu::Run::open(files());
  ASSERT_TRUE(run);
  Mechanism of_two = mechanism();
  of_two.exposure = expose({3, 3}, Exposure::all_disjoint(2));
  RunIdentity about = identity();
  about.format.series = {"a", "b"};
  const auto wider = run->begin(std::move(of_two), about, {});
  ASSERT_FALSE(wider);
  EXPECT_NE(reason(wider).find("number of series = 1 there and 2 here"), std::string::npos) << reason(wider);
}

/// Asks for everything, and notes what it released before: as it knows it, and as readers see it.
class Watching final : public Strategy {
 public:
  explicit Watching(std::vector<std::pair<std::int64_t, std::int64_t>>& seen) : seen_(seen) {}
  Result<void> step(Kernel& kernel, Release& release) override {
    seen_.emplace_back(release[0].value.steps, release.published_steps(0));
    FUGU_ASSIGN(const auto answers, kernel.values(kernel.all(), kernel.total() / kernel.window_slots()));
    release.set(kernel.all(), answers);
    return {};
  }

 private:
  std::vector<std::pair<std::int64_t, std::int64_t>>& seen_;
};

/// Whoever compares with the last release compares with what was published of it: in the run that released it, and in
/// the one that resumes it from the ledger, where answers are on record as they were drawn.
TEST_F(RunFolder, TruncationIsInsideTheLoopAlsoAfterAResume) {
  RunIdentity about = identity("watching");
  about.format.filter = "truncate:0:5";
  const auto publish_watched = [&](Slot to) {
    std::vector<std::pair<std::int64_t, std::int64_t>> watched;
    auto run = fugu::Run::open(files());
    EXPECT_TRUE(run) << reason(run);
    Mechanism watching = mechanism();
    watching.strategy = std::make_unique<Watching>(watched);
    const auto publisher = run->begin(std::move(watching), about, {});
    EXPECT_TRUE(publisher) << reason(publisher);
    for (Slot slot = (*publisher)->next_slot(); slot < to; ++slot) {
      EXPECT_TRUE((*publisher)->publish(row_of(slot, {1000})));
      EXPECT_TRUE((*publisher)->flush());
    }
    return watched;
  };
  const auto first = publish_watched(3);
  const auto resumed = publish_watched(5);
  ASSERT_EQ(first.size(), 3u);
  ASSERT_EQ(resumed.size(), 5u) << "three on record, two live";
  EXPECT_EQ(resumed[0], (std::pair<std::int64_t, std::int64_t>{0, 0})) << "nothing was released yet";
  for (std::size_t slot = 1; slot < 5; ++slot) {
    EXPECT_GT(resumed[slot].first, 500) << "the answer: 1000 and noise of scale 12";
    EXPECT_EQ(resumed[slot].second, 5) << "what readers see of it";
    if (slot < 3) {
      EXPECT_EQ(first[slot], resumed[slot]) << "the same in a replay";
    }
  }
}

TEST_F(RunFolder, AnOlderLedgerIsRecognisedAndNotContinued) {
  ASSERT_TRUE(publish(files(), 3));
  const std::string older = bytes("run.ledger");
  const std::string older_out = bytes("out.csv");
  ASSERT_TRUE(publish(files(), 9));
  // The backup brings back the ledger, and the releases went to somebody who keeps them.
  restore("run.ledger", older);
  restore("out.csv", older_out);
  const auto refused = publish(files(), 12);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().cause, Cause::refused);
  EXPECT_NE(reason(refused).find("the first slot to go on with is 12"), std::string::npos) << reason(refused);
  EXPECT_EQ(bytes("run.ledger"), older) << "a refusal changes nothing";
  EXPECT_EQ(bytes("out.csv"), older_out);

  EXPECT_EQ(publish(files(), 20, 11).error().cause, Cause::refused) << "slot 8 and slot 11 lie in one window";
  EXPECT_EQ(bytes("run.ledger"), older);
  ASSERT_TRUE(publish(files(), 20, 12));
  const auto report = audit_ledger(dir_ / "run.ledger", {.open_ended = true});
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->holds()) << report->findings[0];
  EXPECT_EQ(report->slots_left_out, 9u);
  EXPECT_TRUE(bytes("out.csv").starts_with(older_out));
  EXPECT_EQ(bytes("out.csv").substr(older_out.size(), 3), "12,") << "slots 3 to 11 are left out";
  const std::string out = bytes("out.csv");
  ASSERT_TRUE(publish(files(), 20)) << "from now on as always";
  ASSERT_TRUE(publish(files(), 20, 12)) << "the same command again says nothing new";
  EXPECT_EQ(bytes("out.csv"), out);
  EXPECT_EQ(publish(files(), 20, 11).error().cause, Cause::refused) << "but this is not what was said";
}

TEST_F(RunFolder, AHeadElsewhereRecognisesAFolderThatWasRestored) {
  RunFiles with_head = files();
  with_head.head = dir_ / "elsewhere.head";
  ASSERT_TRUE(publish(with_head, 3));
  const std::string older = bytes("run.ledger");
  ASSERT_TRUE(publish(with_head, 9));
  restore("run.ledger", older);
  std::filesystem::remove(dir_ / "out.csv");
  EXPECT_EQ(publish(with_head, 12).error().cause, Cause::refused);
  with_head.head = dir_ / "mistyped.head";
  EXPECT_EQ(publish(with_head, 12).error().cause, Cause::usage);
}

TEST_F(RunFolder, AHeadWithoutItsLedgerStartsNothing) {
  ASSERT_TRUE(publish(files(), 3));
  std::filesystem::remove(dir_ / "run.ledger");
  std::filesystem::remove(dir_ / "out.csv");
  EXPECT_EQ(publish(files(), 3).error().cause, Cause::refused);
  EXPECT_FALSE(std::filesystem::exists(dir_ / "run.ledger"));
}

TEST_F(RunFolder, ReleasesWithoutTheirLedgerStartNothing) {
  ASSERT_TRUE(publish(files(), 3));
  const std::string out = bytes("out.csv");
  std::filesystem::remove(dir_ / "run.ledger");
  std::filesystem::remove(dir_ / "run.ledger.head");
  const auto refused = publish(files(), 3);
  EXPECT_EQ(refused.error().cause, Cause::refused);
  EXPECT_NE(reason(refused).find("put it back"), std::string::npos) << reason(refused);
  EXPECT_EQ(bytes("out.csv"), out);
  EXPECT_FALSE(std::filesystem::exists(dir_ / "run.ledger"));
}

TEST_F(RunFolder, ALedgerWithoutItsHeadSaysSo) {
  ASSERT_TRUE(publish(files(), 3));
  {
    const auto run = fugu::Run::open(files());
    EXPECT_TRUE(run->earlier()->head_known);
  }
  std::filesystem::remove(dir_ / "run.ledger.head");
  {
    const auto run = fugu::Run::open(files());
    EXPECT_FALSE(run->earlier()->head_known);
  }
  ASSERT_TRUE(publish(files(), 4));
  EXPECT_EQ((*HeadFile::read(dir_ / "run.ledger.head"))->slots, 4u) << "it is made again";
}

TEST_F(RunFolder, AResumedRunNotesTheHeadOfWhatItHandsOut) {
  ASSERT_TRUE(publish(files(), 3));
  const std::string older_head = bytes("run.ledger.head");
  const std::string older_out = bytes("out.csv");
  ASSERT_TRUE(publish(files(), 5));
  // Killed when slots 3 and 4 were durable, before their head was noted and anything of them was handed out.
  restore("run.ledger.head", older_head);
  restore("out.csv", older_out);
  ASSERT_TRUE(publish(files(), 5)) << "hands out what is on record, and is killed";
  EXPECT_GT(bytes("out.csv").size(), older_out.size());
  EXPECT_EQ((*HeadFile::read(dir_ / "run.ledger.head"))->slots, 5u) << "an older ledger would not be recognised";
}

TEST_F(RunFolder, NothingIsLeftOutOfANewStream) {
  EXPECT_EQ(publish(files(), 3, 7).error().cause, Cause::usage);
  EXPECT_FALSE(std::filesystem::exists(dir_ / "run.ledger"));
}

TEST_F(RunFolder, SignsWithTheKeyItWasBegunWith) {
  RunFiles with_key = files();
  with_key.key = *OperatorKey::create(dir_ / "key");
  ASSERT_TRUE(publish(with_key, 3));
  EXPECT_EQ(publish(files(), 4).error().cause, Cause::usage) << "without it the ledger would go on unsigned";
  ASSERT_TRUE(publish(with_key, 5));
  EXPECT_EQ(only<SignedHead>(read_ledger(dir_ / "run.ledger").records).size(), 6u);  // one more for the resumed run
}

TEST_F(RunFolder, ReleasesDoNotFollowASymbolicLink) {
  write_file(dir_ / "precious", "something of somebody");
  std::filesystem::create_symlink(dir_ / "precious", dir_ / "out.csv");
  RunFiles without_ledger{.ledger = "", .releases = dir_ / "out.csv"};
  const auto refused = publish(without_ledger, 3);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().cause, Cause::usage);
  EXPECT_NE(reason(refused).find("symbolic link"), std::string::npos) << reason(refused);
  EXPECT_EQ(bytes("precious"), "something of somebody");
}

TEST_F(RunFolder, ReleasesDoNotFollowALinkThatAnybodyMayHaveMade) {
  const std::filesystem::path everybodys = "/dev/shm";
  if (!std::filesystem::is_directory(everybodys)) GTEST_SKIP() << "there is no " << everybodys;
  const std::filesystem::path link = everybodys / (dir_.path().filename().string() + ".csv");
  std::filesystem::create_symlink(dir_ / "precious", link);
  const auto refused = publish({.ledger = "", .releases = link}, 3);
  std::filesystem::remove(link);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().cause, Cause::usage);
  EXPECT_FALSE(std::filesystem::exists(dir_ / "precious"));
}

TEST_F(RunFolder, LedgerReleasesAndHeadAreThreeFiles) {
  ASSERT_TRUE(publish(files(), 3));
  const std::string ledger = bytes("run.ledger");
  const std::string head = bytes("run.ledger.head");
  std::filesystem::create_hard_link(dir_ / "run.ledger.head", dir_ / "also.head");
  for (const RunFiles& wrong : {RunFiles{.ledger = dir_ / "run.ledger", .releases = dir_ / "run.ledger"},
                                RunFiles{.ledger = dir_ / "run.ledger", .releases = dir_ / "run.ledger.head"},
                                RunFiles{.ledger = dir_ / "run.ledger", .releases = dir_ / "also.head"},
                                RunFiles{.ledger = dir_ / "new", .releases = dir_ / "new.head"},
                                RunFiles{.ledger = dir_ / "new", .releases = "-", .head = dir_ / "new"}}) {
    const auto refused = publish(wrong, 5);
    ASSERT_FALSE(refused) << wrong.releases;
    EXPECT_EQ(refused.error().cause, Cause::usage) << reason(refused);
  }
  EXPECT_EQ(bytes("run.ledger"), ledger);
  EXPECT_EQ(bytes("run.ledger.head"), head);
}

TEST_F(RunFolder, BeginsNothingWithoutNoise) {
  auto run = fugu::Run::open(files());
  ASSERT_TRUE(run);
  const auto refused = run->begin(
      {define(Protects::event, 10, 1e-6), expose_one(3), NoiseKind::none, std::make_unique<EveryKth>(1)}, identity());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().cause, Cause::usage);
  EXPECT_NE(reason(refused).find("noise"), std::string::npos) << reason(refused);
  for (const char* name : {"run.ledger", "run.ledger.head", "out.csv"})
    EXPECT_FALSE(std::filesystem::exists(dir_ / name)) << name;
}

TEST_F(RunFolder, WithoutALedgerOverwritesReleasesOnly) {
  ASSERT_TRUE(publish(files(), 3));
  const auto publish_over = [&](const char* name) -> Result<void> {
    FUGU_ASSIGN(fugu::Run run, fugu::Run::open({.ledger = "", .releases = dir_ / name}));
    FUGU_ASSIGN(Publisher * publisher, run.begin(mechanism(), identity()));
    FUGU_TRY(publisher->publish(row_of(0, {100})));
    return publisher->finish();
  };
  write_file(dir_ / "text", "something of somebody");
  write_file(dir_ / "stream.csv", "time,series\n0,5\n");
  write_file(dir_ / "blank", "\nsomething of somebody");
  for (const char* name : {"run.ledger", "run.ledger.head", "text", "stream.csv", "blank"}) {
    const std::string before = bytes(name);
    const auto refused = publish_over(name);
    ASSERT_FALSE(refused) << name;
    EXPECT_EQ(refused.error().cause, Cause::refused);
    EXPECT_NE(reason(refused).find("found something else than releases"), std::string::npos) << reason(refused);
    EXPECT_EQ(bytes(name), before);
  }
  write_file(dir_ / "empty", "");
  for (const char* name : {"new", "new", "empty"}) {
    EXPECT_TRUE(publish_over(name)) << name;
    EXPECT_EQ(bytes(name).substr(bytes(name).find('\n') + 1, 2), "0,");
  }
}

TEST_F(RunFolder, ALedgerHasOneHeadByWhateverName) {
  std::filesystem::create_directory(dir_ / "real");
  std::filesystem::create_symlink("real/run.ledger", dir_ / "link");
  const RunFiles real{.ledger = dir_ / "real/run.ledger", .releases = dir_ / "out.csv"};
  const RunFiles linked{.ledger = dir_ / "link", .releases = dir_ / "out.csv"};
  ASSERT_TRUE(publish(real, 3));
  const std::string older = bytes("real/run.ledger");
  const auto head = publish(linked, 9);
  ASSERT_TRUE(head) << reason(head);
  EXPECT_FALSE(std::filesystem::exists(dir_ / "link.head"));
  EXPECT_EQ(**HeadFile::read(dir_ / "real/run.ledger.head"), *head);
  restore("real/run.ledger", older);
  std::filesystem::remove(dir_ / "out.csv");
  for (const RunFiles& files : {real, linked}) EXPECT_EQ(publish(files, 12).error().cause, Cause::refused);
}

TEST_F(RunFolder, AFullDiskLeavesNoDraftOfALedger) {
  rlimit usual{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &usual), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  for (const rlim_t largest : {rlim_t{0}, rlim_t{30}}) {
    const rlimit small{largest, usual.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    const auto failed = publish(files(), 3);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &usual), 0);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().cause, Cause::environment) << reason(failed);
    for (const auto& entry : std::filesystem::directory_iterator(dir_.path()))
      EXPECT_EQ(entry.path().filename(), "out.csv") << "left behind";
  }
  std::signal(SIGXFSZ, handler);
  EXPECT_TRUE(publish(files(), 3));
}

TEST_F(RunFolder, LeavesNoMemoryDumps) {
  ::prctl(PR_SET_DUMPABLE, 1);
  ASSERT_TRUE(fugu::Run::open(files()));
  EXPECT_EQ(::prctl(PR_GET_DUMPABLE), 0);
  ::prctl(PR_SET_DUMPABLE, 1);
}

}  // namespace
}  // namespace fugu::test
