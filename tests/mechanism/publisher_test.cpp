// The publisher: charge, make durable, release; and after a restart the same again, once.
#include "fugu/mechanism/publisher.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fugu/accounting/audit.hpp"
#include "fugu/strategy/baselines.hpp"
#include "fugu/strategy/registry.hpp"
#include "support/builders.hpp"
#include "support/ledger_stores.hpp"
#include "support/publishing.hpp"
#include "support/strategies.hpp"
#include "support/temp_dir.hpp"

namespace fugu::test {
namespace {

std::vector<SlotRow> wavy(std::size_t series, Slot slots) {
  std::vector<SlotRow> rows;
  for (Slot slot = 0; slot < slots; ++slot) {
    std::vector<std::optional<std::int64_t>> values;
    for (std::size_t i = 0; i < series; ++i) {
      values.emplace_back((slot * 37 + static_cast<Slot>(i) * 11) % 50);
      if ((slot + static_cast<Slot>(i)) % 7 == 3) values.back() = std::nullopt;
    }
    rows.push_back(row_of(slot, values));
    rows.back().utc_offset_s = slot % 5 == 0 ? 3600 : 7200;
  }
  return rows;
}

/// One run into `ledger` over rows [from, to), started anew or resumed; what it handed out, recorded slots included.
std::vector<Seen> run_part(const Recipe& recipe, const std::vector<SlotRow>& rows, Slot to, const std::string& ledger,
                           bool finish) {
  Collector sink;
  std::optional<Publisher> publisher;
  if (std::filesystem::exists(ledger)) {
    auto writer = LedgerWriter::reopen(ledger);
    auto reader = LedgerReader::open(ledger);
    EXPECT_TRUE(writer && reader);
    auto resumed =
        Publisher::resume(recipe.make(), std::make_unique<SecureNoise>(), sink, *std::move(writer), *std::move(reader));
    EXPECT_TRUE(resumed) << reason(resumed);
    if (!resumed) return {};
    publisher.emplace(*std::move(resumed));
  } else {
    auto writer = LedgerWriter::create(ledger, header_of(recipe.definition, recipe.exposure));
    EXPECT_TRUE(writer) << reason(writer);
    publisher.emplace(recipe.make(), std::make_unique<SecureNoise>(), sink, *std::move(writer));
  }
  for (Slot slot = publisher->next_slot(); slot < to; ++slot) {
    const auto done = publisher->publish(rows[static_cast<std::size_t>(slot)]);
    EXPECT_TRUE(done) << "slot " << slot << ": " << reason(done);
    EXPECT_TRUE(publisher->flush());
  }
  EXPECT_TRUE(finish ? publisher->finish() : publisher->flush());
  return sink.emitted;
}

/// Asks for everything in every slot and takes no for an answer.
std::unique_ptr<Strategy> greedy() {
  return strategy_of([](Kernel& kernel, Release& release) -> Result<void> {
    const auto answers = kernel.values(kernel.all(), kernel.total() / 2);
    if (answers) release.set(kernel.all(), *answers);
    const auto more = kernel.sum(kernel.all(), kernel.total() / 3);
    if (!more && more.error().cause != Cause::refused) return more.error();
    return {};
  });
}

struct ResumeCase {
  std::string name;
  std::function<std::unique_ptr<Strategy>()> make;
};

class Resume : public ::testing::TestWithParam<ResumeCase> {
 protected:
  static Recipe recipe(double delta) {
    return {define(Protects::w_event, 2, delta, 4), expose({10, 5}, {{0, 1}, {1}}), GetParam().make,
            delta > 0 ? NoiseKind::gaussian : NoiseKind::laplace};
  }
};

TEST_P(Resume, AtEveryBoundaryReleasesTheSameAndKeepsThePromise) {
  constexpr Slot kSlots = 14;
  const auto rows = wavy(2, kSlots);
  for (const double delta : {0.0, 1e-5}) {
    for (Slot cut = 0; cut <= kSlots; ++cut) {
      const TempDir dir;
      const std::string ledger = dir / "ledger";
      const auto before = run_part(recipe(delta), rows, cut, ledger, false);
      ASSERT_EQ(before.size(), static_cast<std::size_t>(cut));
      const auto after = run_part(recipe(delta), rows, kSlots, ledger, true);
      ASSERT_EQ(after.size(), static_cast<std::size_t>(kSlots)) << "cut at " << cut;
      EXPECT_TRUE(std::equal(before.begin(), before.end(), after.begin())) << "cut at " << cut;
      const auto report = audit_ledger(ledger);
      ASSERT_TRUE(report);
      EXPECT_TRUE(report->holds()) << "cut at " << cut << ": " << report->findings[0];
    }
  }
}

TEST_P(Resume, AfterEverySlotReleasesTheSame) {
  constexpr Slot kSlots = 14;
  const auto rows = wavy(2, kSlots);
  const TempDir dir;
  std::vector<Seen> before;
  for (Slot to = 1; to <= kSlots; ++to) {
    const auto releases = run_part(recipe(0), rows, to, dir / "ledger", to == kSlots);
    ASSERT_EQ(releases.size(), static_cast<std::size_t>(to));
    EXPECT_TRUE(std::equal(before.begin(), before.end(), releases.begin())) << "slot " << to;
    before = releases;
  }
  const auto report = audit_ledger(dir / "ledger");
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->holds()) << report->findings[0];
}

/// A replay leaves the accountant where the live run had it, slot by slot: both are charged by the same call.
TEST_P(Resume, ChargesTheReplayAsTheLiveRun) {
  constexpr Slot kSlots = 14;
  const auto rows = wavy(2, kSlots);
  for (const double delta : {0.0, 1e-5}) {
    std::vector<Budget> left;
    Recipe watched = recipe(delta);
    watched.strategy = [&left, inner = watched.strategy]() -> std::unique_ptr<Strategy> {
      return std::make_unique<WatchedBudget>(inner(), left);
    };
    const TempDir dir;
    run_part(watched, rows, kSlots, dir / "ledger", false);
    const std::vector<Budget> live = std::exchange(left, {});
    ASSERT_EQ(live.size(), static_cast<std::size_t>(kSlots));
    run_part(watched, rows, kSlots, dir / "ledger", true);
    EXPECT_EQ(left, live) << "δ = " << delta;
  }
}

TEST_P(Resume, RefusesTheLedgerOfAnotherStrategy) {
  const auto rows = wavy(2, 6);
  const TempDir dir;
  const Recipe other{define(Protects::w_event, 2, 0, 4), expose({10, 5}, {{0, 1}, {1}}), [] {
                       return strategy_of([](Kernel& kernel, Release&) -> Result<void> {
                         FUGU_TRY(kernel.sum(kernel.all(), kernel.total() / 1000));
                         return {};
                       });
                     }};
  run_part(other, rows, 6, dir / "ledger", false);
  const std::string bytes = read_file(dir / "ledger");
  Collector sink;
  auto resumed = Publisher::resume(recipe(0).make(), std::make_unique<SecureNoise>(), sink,
                                   *LedgerWriter::reopen(dir / "ledger"), *LedgerReader::open(dir / "ledger"));
  ASSERT_FALSE(resumed);
  EXPECT_EQ(resumed.error().cause, Cause::bad_input);
  EXPECT_EQ(read_file(dir / "ledger"), bytes);
}

std::string name_of_case(const ::testing::TestParamInfo<ResumeCase>& tested) { return tested.param.name; }

std::vector<ResumeCase> resume_cases() {
  std::vector<ResumeCase> cases{
      {"sparse_vector", [] { return std::unique_ptr<Strategy>(std::make_unique<SparseVector>(30)); }},
      {"smoothing", [] { return std::unique_ptr<Strategy>(std::make_unique<Smoothing>()); }},
      {"busy", [] { return std::unique_ptr<Strategy>(std::make_unique<Busy>(200)); }},
      {"greedy", greedy},
  };
  for (const StrategyKind& kind : strategy_kinds()) {
    if (!serves(kind, Serves::windows)) continue;
    std::string name(kind.name);
    std::replace(name.begin(), name.end(), '-', '_');
    cases.push_back({name, [&kind] { return *kind.make({.window_slots = 4, .every_slots = 3}); }});
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Strategies, Resume, ::testing::ValuesIn(resume_cases()), name_of_case);

TEST(Publisher, EstimatesAreOnRecordWhereTheyChangeOrAnAnswerWentIn) {
  const Recipe recipe{define(Protects::w_event, 2, 0, 4), expose({10, 5}, {{0}, {1}}),
                      [] { return std::make_unique<Smoothing>(); }};
  const TempDir dir;
  const std::string ledger = dir / "ledger";
  const auto releases = publish_all(recipe, wavy(2, 12), ledger);
  std::size_t entries = 0;
  for (const Estimates& estimates : only<Estimates>(read_ledger(ledger).records)) {
    for (const Estimates::Entry& entry : estimates.entries) {
      const ReleasedValue& released = releases[static_cast<std::size_t>(estimates.slot)].values[entry.series];
      EXPECT_TRUE(released.estimated);
      EXPECT_EQ(released.value.steps, entry.steps);
      EXPECT_EQ(released.sampled, entry.sampled);
      ++entries;
    }
  }
  EXPECT_EQ(entries, 22u);  // series 0 misses slot 10, series 1 misses slot 2: repeated, and not on record
  AuditReport report = *audit_ledger(ledger);
  ASSERT_TRUE(compare_with_ledger(as_rows(releases), ledger, report));
  EXPECT_TRUE(report.holds()) << report.findings[0];
  std::vector<ReleaseRecord> changed = as_rows(releases);
  changed[7].value += 1;
  ASSERT_TRUE(compare_with_ledger(changed, ledger, report));
  EXPECT_FALSE(report.holds());
}

TEST(Publisher, ALedgerWithAnotherEstimateIsNotResumed) {
  const Recipe recipe{define(Protects::w_event, 2, 0, 4), expose_one(1), [] { return std::make_unique<Smoothing>(); }};
  const TempDir dir;
  publish_all(recipe, wavy(1, 12), dir / "ledger");
  std::vector<LedgerRecord> records = read_ledger(dir / "ledger").records;
  for (LedgerRecord& record : records) {
    if (auto* estimates = std::get_if<Estimates>(&record); estimates != nullptr && estimates->slot == 5)
      estimates->entries[0].steps += 1;
  }
  write_ledger(dir / "changed", header_of(recipe.definition, recipe.exposure), {records});
  for (const char* name : {"ledger", "changed"}) {
    Collector sink;
    const auto resumed = Publisher::resume(recipe.make(), std::make_unique<SecureNoise>(), sink,
                                           *LedgerWriter::reopen(dir / name), *LedgerReader::open(dir / name));
    EXPECT_EQ(resumed.has_value(), std::string(name) == "ledger") << reason(resumed);
  }
}

TEST(Publisher, ASessionIsPaidForAgainAfterARestart) {
  const Recipe recipe{define(Protects::w_event, 1, 0, 50), expose_one(1),
                      [] { return std::make_unique<SparseVector>(1'000'000'000); }};
  const auto rows = wavy(1, 9);
  const TempDir dir;
  for (const Slot to : {3, 6, 9}) run_part(recipe, rows, to, dir / "ledger", to == 9);
  std::vector<std::uint64_t> sessions;
  for (const Answer& answer : only<Answer>(read_ledger(dir / "ledger").records)) sessions.push_back(answer.session);
  EXPECT_EQ(sessions, (std::vector<std::uint64_t>{1, 1, 1, 2, 2, 2, 3, 3, 3}));
  const auto report = audit_ledger(dir / "ledger");
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->holds());
  EXPECT_NEAR(report->worst_loss, 0.75, 1e-9);
}

TEST(Publisher, NothingBeforeARestartIsRemembered) {
  std::vector<bool> granted;
  const Recipe recipe{define(Protects::event, 1), expose_one(1), [&granted] {
                        return strategy_of(
                            [&granted](Kernel& kernel, Release&) -> Result<void> {
                              const Slot first = std::max<Slot>(0, kernel.slot() - 2);
                              const auto answer = kernel.deviation(kernel.all(), first, kernel.total() / 100);
                              granted.push_back(answer.has_value());
                              return {};
                            },
                            {2});
                      }};
  const auto rows = wavy(1, 8);
  const TempDir dir;
  run_part(recipe, rows, 4, dir / "ledger", false);
  granted.clear();
  run_part(recipe, rows, 8, dir / "ledger", true);
  // Four replayed, two that reach back before the restart, two that do not.
  EXPECT_EQ(granted, (std::vector<bool>{true, true, true, true, false, false, true, true}));
}

/// A stream from memory that makes its reader wait now and then, and may end with an error.
class MemorySource final : public SlotSource {
 public:
  MemorySource(std::vector<SlotRow> rows, bool fails) : rows_(std::move(rows)), fails_(fails) {}
  Result<bool> next(SlotRow& row) override {
    if (next_ == rows_.size()) {
      if (fails_) return Error{Cause::bad_input, "line 9: text where a number belongs"};
      return false;
    }
    row = rows_[next_++];
    return true;
  }
  bool would_wait() override { return next_ % 4 == 1; }
  const std::vector<std::string>& series() const override { return names_; }

 private:
  std::vector<SlotRow> rows_;
  bool fails_;
  std::size_t next_ = 0;
  std::vector<std::string> names_ = {"a", "b"};
};

/// Fails in slot `at`, after or before it has asked for something; never when `at` is negative.
struct Failing {
  Slot at;
  bool after_asking;

  std::unique_ptr<Strategy> operator()() const {
    return strategy_of([failing = *this](Kernel& kernel, Release& release) -> Result<void> {
      const Error error{Cause::environment, "no more"};
      if (kernel.slot() == failing.at && !failing.after_asking) return error;
      FUGU_ASSIGN(const auto answers, kernel.values(kernel.all(), kernel.total() / 10));
      if (kernel.slot() == failing.at) return error;
      release.set(kernel.all(), answers);
      return {};
    });
  }
};

class FailingStrategy : public ::testing::Test {
 protected:
  /// Publishes until the strategy fails in slot 5; what was handed out before.
  std::vector<Seen> publish_until_failure(bool after_asking) {
    Collector sink;
    const Recipe recipe{definition_, expose_one(1), Failing{5, after_asking}};
    auto writer = LedgerWriter::create(ledger_, header_of(definition_, recipe.exposure));
    EXPECT_TRUE(writer) << reason(writer);
    Publisher publisher(recipe.make(), std::make_unique<SecureNoise>(), sink, *std::move(writer));
    MemorySource source(rows_, false);
    const auto done = publisher.run(source, {});
    EXPECT_FALSE(done);
    EXPECT_EQ(reason(done), "no more");
    EXPECT_EQ(only<SlotEnd>(read_ledger(ledger_).records).size(), 5u);
    const auto report = audit_ledger(ledger_, {.open_ended = true});
    EXPECT_TRUE(report && report->holds());
    EXPECT_EQ(sink.emitted.size(), 5u);
    return sink.emitted;
  }

  Definition definition_ = define(Protects::w_event, 1, 0, 10);
  std::vector<SlotRow> rows_ = wavy(1, 9);
  TempDir dir_;
  std::string ledger_ = dir_ / "ledger";
};

TEST_F(FailingStrategy, LeavesTheSlotsBeforeAndGoesOnWhenNothingWasDrawn) {
  const auto before = publish_until_failure(false);
  const auto after = run_part({definition_, expose_one(1), Failing{-1, false}}, rows_, 9, ledger_, true);
  ASSERT_EQ(after.size(), 9u);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), after.begin()));
  EXPECT_TRUE(audit_ledger(ledger_)->holds());
}

TEST_F(FailingStrategy, ComesToTheSameEndWhenAnswersWereDrawn) {
  publish_until_failure(true);
  EXPECT_EQ(only<Answer>(read_ledger(ledger_).records).size(), 5u);  // nothing is asked of slot 3, which is missing
  const std::string bytes = read_file(ledger_);
  for (const Slot at : {5, -1}) {  // the same strategy fails again; another does not fit
    Collector sink;
    const Recipe recipe{definition_, expose_one(1), Failing{at, true}};
    const auto resumed = Publisher::resume(recipe.make(), std::make_unique<SecureNoise>(), sink,
                                           *LedgerWriter::reopen(ledger_), *LedgerReader::open(ledger_));
    ASSERT_FALSE(resumed);
    EXPECT_EQ(resumed.error().cause, at == 5 ? Cause::environment : Cause::bad_input);
    EXPECT_EQ(read_file(ledger_), bytes);
  }
}

TEST(Publisher, ASlotBeyondTheHorizonEndsTheStreamForGood) {
  Collector sink;
  const Recipe recipe{define(Protects::user, 1, 0, 10), expose_one(1), [] { return std::make_unique<EveryKth>(4); }};
  Publisher publisher(recipe.make(), std::make_unique<SecureNoise>(), sink);
  const auto rows = wavy(1, 12);
  for (std::size_t slot = 0; slot < 10; ++slot) ASSERT_TRUE(publisher.publish(rows[slot]));
  // Slot 10 would only repeat slot 8, but nothing was promised about it.
  for (const std::size_t slot : {10u, 11u}) {
    const auto refused = publisher.publish(rows[slot]);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().cause, Cause::refused);
  }
  EXPECT_FALSE(publisher.finish());
  EXPECT_TRUE(publisher.flush()) << "what was paid for before can still be handed out";
  EXPECT_EQ(sink.emitted.size(), 10u);
}

/// Asks for the distance to a reference so far away that plain arithmetic would wrap around.
class FarReference final : public Strategy {
 public:
  Result<void> step(Kernel& kernel, Release& release) override {
    const std::vector<std::int64_t> reference{std::numeric_limits<std::int64_t>::min() + 100};
    FUGU_ASSIGN(const NoisyValue answer, kernel.distance(kernel.all(), reference, kernel.total()));
    release.set(0, answer);
    return {};
  }
};

TEST(Publisher, AStatisticIsCutOffAndDoesNotWrapAround) {
  Collector sink;
  const Recipe recipe{define(Protects::event, 1, 0, 1), expose_one(1), [] { return std::make_unique<FarReference>(); }};
  Publisher publisher(recipe.make(), std::make_unique<SecureNoise>(), sink);
  for (Slot slot = 0; slot < 2; ++slot) ASSERT_TRUE(publisher.publish(row_of(slot, {{99 + slot}})));
  ASSERT_TRUE(publisher.flush());
  // Two values one step apart give the same statistic, up to noise of scale 1: beyond 1000 with probability e^-1000.
  for (const Seen& release : sink.emitted)
    EXPECT_NEAR(static_cast<double>(release.values[0].value.steps - (std::int64_t{1} << 61)), 0, 1000);
}

/// Looks at the ledger on disk whenever releases are handed out.
class Suspicious final : public Collector {
 public:
  explicit Suspicious(std::string ledger) : ledger_(std::move(ledger)) {}
  Result<void> emit() override {
    const ReadLedger read = read_ledger(ledger_);
    EXPECT_FALSE(read.damaged || read.torn);
    std::vector<Slot> paid;
    for (const SlotEnd& end : only<SlotEnd>(read.records)) paid.push_back(end.slot);
    for (const Seen& release : prepared)
      EXPECT_TRUE(std::find(paid.begin(), paid.end(), release.slot) != paid.end()) << "slot " << release.slot;
    checked += prepared.size();
    return Collector::emit();
  }

  std::size_t checked = 0;

 private:
  std::string ledger_;
};

TEST(Publisher, ReleasesNothingBeforeItIsPaidForOnDisk) {
  for (const bool fails : {false, true}) {
    const TempDir dir;
    const Recipe recipe{define(Protects::w_event, 2, 0, 4), expose({10, 5}, {{0, 1}, {1}}),
                        [] { return std::make_unique<Busy>(); }};
    auto writer = LedgerWriter::create(dir / "ledger", header_of(recipe.definition, recipe.exposure));
    ASSERT_TRUE(writer);
    Suspicious sink(dir / "ledger");
    Publisher publisher(recipe.make(), std::make_unique<SecureNoise>(), sink, *std::move(writer));
    MemorySource source(wavy(2, 30), fails);
    const auto done = publisher.run(source, {.live = true});
    EXPECT_EQ(done.has_value(), !fails);
    EXPECT_EQ(sink.checked, 30u);  // also what came before an error
    EXPECT_EQ(only<StreamEnd>(read_ledger(dir / "ledger").records).size(), fails ? 0u : 1u);
  }
}

/// Notes when releases are handed out.
class Noting final : public Collector {
 public:
  explicit Noting(std::vector<std::string>& events) : events_(events) {}
  Result<void> emit() override {
    events_.emplace_back("emit");
    return Collector::emit();
  }

 private:
  std::vector<std::string>& events_;
};

TEST(Publisher, ReplayedSlotsAreHandedOutAfterTheirFramesAreDurable) {
  const TempDir dir;
  const Recipe recipe{define(Protects::event, 1), expose_one(1), [] { return std::make_unique<EveryKth>(1); }};
  publish_all(recipe, wavy(1, 5), dir / "ledger");
  std::vector<std::string> events;
  Noting sink(events);
  auto resumed = Publisher::resume(
      recipe.make(), std::make_unique<SecureNoise>(), sink,
      LedgerWriter::reopen(std::make_unique<ObservedStore>(*open_ledger_file(dir / "ledger"), events)),
      *LedgerReader::open(dir / "ledger"));
  ASSERT_TRUE(resumed) << reason(resumed);
  ASSERT_EQ(sink.emitted.size(), 5u);
  const auto emit = std::find(events.begin(), events.end(), "emit");
  EXPECT_NE(std::find(events.begin(), emit, "sync"), emit) << "handed out before it was durable";
}

/// After a loss: what follows lies in no window with what was lost, and is replayed as it was.
TEST(Publisher, LeavesSlotsOutAfterALoss) {
  const TempDir dir;
  const Recipe recipe{define(Protects::w_event, 2, 0, 4), expose({10, 5}, {{0, 1}, {1}}),
                      [] { return std::make_unique<Busy>(); }};
  const auto rows = wavy(2, 40);
  const auto before = run_part(recipe, rows, 6, dir / "ledger", false);
  std::vector<Seen> after;
  {
    Collector sink;
    auto publisher = Publisher::resume(recipe.make(), std::make_unique<SecureNoise>(), sink,
                                       *LedgerWriter::reopen(dir / "ledger"), *LedgerReader::open(dir / "ledger"));
    ASSERT_TRUE(publisher);
    EXPECT_EQ(publisher->leave_out_before(22, 19).error().cause, Cause::refused);
    EXPECT_EQ(publisher->leave_out_before(8, -1).error().cause, Cause::refused) << "slots on record are not forgotten";
    ASSERT_TRUE(publisher->leave_out_before(23, 19));
    EXPECT_EQ(publisher->next_slot(), 23);
    for (Slot slot = 23; slot < 40; ++slot) ASSERT_TRUE(publisher->publish(rows[static_cast<std::size_t>(slot)]));
    ASSERT_TRUE(publisher->finish());
    after = sink.emitted;
  }
  ASSERT_EQ(after.size(), 6u + 17u) << "slots 6 to 22 are not handed out";
  EXPECT_TRUE(std::equal(before.begin(), before.end(), after.begin()));
  EXPECT_EQ(after[6].slot, 23);
  const auto report = audit_ledger(dir / "ledger");
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->holds()) << report->findings[0];
  EXPECT_EQ(report->slots_left_out, 17u);
  EXPECT_EQ(run_part(recipe, rows, 40, dir / "ledger", true), after) << "the same again";
}

TEST(Publisher, KilledWhileLeavingSlotsOutItLeavesOutTheRest) {
  const TempDir dir;
  const Recipe recipe{define(Protects::w_event, 2, 0, 4), expose({10, 5}, {{0, 1}, {1}}),
                      [] { return std::make_unique<EveryKth>(1); }};
  const auto rows = wavy(2, 40);
  std::vector<LedgerRecord> records;
  run_part(recipe, rows, 6, dir / "whole", false);
  for (const LedgerRecord& record : read_ledger(dir / "whole").records) records.push_back(record);
  records.emplace_back(Resumed{6});
  records.emplace_back(LeftOut{6, 23});
  for (Slot slot = 6; slot < 10; ++slot) {
    records.emplace_back(MissingSeries{slot, {0, 1}});
    records.emplace_back(SlotEnd{slot, 0, 0});
  }
  write_ledger(dir / "ledger", header_of(recipe.definition, recipe.exposure), {records});
  const auto released = run_part(recipe, rows, 40, dir / "ledger", true);
  ASSERT_EQ(released.size(), 6u + 17u);
  EXPECT_EQ(released[6].slot, 23) << "slots 10 to 22 may have been handed out by what was lost";
  EXPECT_TRUE(audit_ledger(dir / "ledger")->holds());
}

TEST(Publisher, AFailureWhileLeavingSlotsOutEndsIt) {
  const TempDir dir;
  const Recipe recipe{define(Protects::w_event, 2, 0, 4), expose_one(1), Failing{25, false}};
  const auto rows = wavy(1, 50);
  run_part(recipe, rows, 6, dir / "ledger", false);
  Collector sink;
  auto publisher = Publisher::resume(recipe.make(), std::make_unique<SecureNoise>(), sink,
                                     *LedgerWriter::reopen(dir / "ledger"), *LedgerReader::open(dir / "ledger"));
  ASSERT_TRUE(publisher) << reason(publisher);
  EXPECT_EQ(reason(publisher->leave_out_before(40, 19)), "no more");
  const auto after = publisher->publish(rows[25]);
  ASSERT_FALSE(after) << "the strategy may have been left in any state";
  EXPECT_EQ(reason(after), "no more");
}

TEST(Publisher, GoesOnAfterNoLossThatCountsForEver) {
  const auto discounted =
      Definition::make({.protects = Protects::discounted_exp, .epsilon = *Epsilon::make(1), .discount = 0.5});
  for (const Definition& definition : {define(Protects::user, 1, 0, 1000), *discounted, define_swellfish_idle()}) {
    EXPECT_EQ(check_after_loss(definition, 5, 1'000'000).error().cause, Cause::refused) << definition.text();
  }
  EXPECT_TRUE(check_after_loss(define(Protects::event, 1), 5, 6));
  EXPECT_FALSE(check_after_loss(define(Protects::event, 1), 5, 5));
  EXPECT_EQ(check_after_loss(define(Protects::event, 1), 5, Slot{1} << 50).error().cause, Cause::usage);
}

TEST(Publisher, WorksWithoutALedger) {
  Collector sink;
  const Recipe recipe{define(Protects::event, 1), expose_one(1), [] { return std::make_unique<EveryKth>(1); }};
  Publisher publisher(recipe.make(), std::make_unique<SecureNoise>(), sink);
  for (const SlotRow& row : wavy(1, 5)) ASSERT_TRUE(publisher.publish(row));
  EXPECT_TRUE(sink.emitted.empty());
  ASSERT_TRUE(publisher.finish());
  EXPECT_EQ(sink.emitted.size(), 5u);
}

TEST(Publisher, PublishesNothingWithoutNoise) {
  for (const Definition& definition :
       {define(Protects::event, 10, 1e-6), define(Protects::event, 10), define_swellfish_idle()}) {
    Collector sink;
    const Recipe recipe{definition, expose_one(1), [] { return std::make_unique<EveryKth>(1); }, NoiseKind::none};
    Publisher publisher(recipe.make(), std::make_unique<SecureNoise>(), sink);
    const auto refused = publisher.publish(row_of(0, {1000}));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().cause, Cause::usage) << reason(refused);
    EXPECT_FALSE(publisher.finish());
    EXPECT_TRUE(publisher.flush());
    EXPECT_TRUE(sink.emitted.empty());
  }
}

}  // namespace
}  // namespace fugu::test
