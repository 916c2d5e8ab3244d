// The audit: honest ledgers hold, forged ones do not, and the worst window is the worst window.
#include "fugu/accounting/audit.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "../../core/src/accounting/audit_windows.hpp"
#include "fugu/accounting/zcdp.hpp"
#include "fugu/strategy/baselines.hpp"
#include "fugu/strategy/budget_division.hpp"
#include "random_requests.hpp"
#include "support/ledger_tools.hpp"
#include "support/publishing.hpp"
#include "support/reference_loss.hpp"
#include "support/strategies.hpp"
#include "support/temp_dir.hpp"

namespace fugu::test {
namespace {

std::string all_findings(const AuditReport& report) {
  std::string text;
  for (const std::string& finding : report.findings) text += finding + "\n";
  return text;
}

// --- Honest runs --------------------------------------------------------------------------------------------------

std::function<std::unique_ptr<Strategy>()> random_strategy() {
  const auto k = *rc::gen::inRange<std::uint64_t>(1, 9);
  switch (*rc::gen::inRange(0, 4)) {
    case 0: return [] { return std::make_unique<BudgetDivision>(BudgetDivisionOptions{}); };
    case 1: return [] { return std::make_unique<SparseVector>(20); };
    case 2: return [] { return std::make_unique<Busy>(); };
    default: return [k] { return std::make_unique<EveryKth>(k); };
  }
}

std::vector<SlotRow> random_stream(std::size_t series, Slot slots) {
  std::vector<SlotRow> rows;
  for (Slot slot = 0; slot < slots; ++slot) {
    std::vector<std::optional<std::int64_t>> values;
    for (std::size_t i = 0; i < series; ++i) {
      values.emplace_back(*rc::gen::inRange(-1000, 1000));
      if (*rc::gen::inRange(0, 6) == 0) values.back() = std::nullopt;
    }
    rows.push_back(row_of(slot, values));
  }
  return rows;
}

ReferenceLoss reference_of(const std::string& ledger, const LedgerHeader& header) {
  ReferenceLoss reference(header.definition, header.exposure);
  for (const Answer& answer : only<Answer>(read_ledger(ledger).records)) reference.add(answer);
  return reference;
}

RC_GTEST_PROP(Audit, HonestRunsHold, ()) {
  const Definition definition = random_definition();
  const Exposure exposure = random_exposure(1000);
  const bool gaussian = definition.delta().value() > 0 && *rc::gen::arbitrary<bool>();
  const Recipe recipe{definition, exposure, random_strategy(), gaussian ? NoiseKind::gaussian : NoiseKind::laplace};
  const Slot longest = definition.protects() == Protects::user ? static_cast<Slot>(definition.window_slots()) : 30;
  const Slot slots = *rc::gen::inRange<Slot>(1, longest + 1);
  const auto rows = random_stream(exposure.series_count(), slots);
  const Slot flush_every = *rc::gen::inRange<Slot>(1, 10);
  const TempDir dir;
  const std::string ledger = dir / "ledger";
  const auto releases = publish_all(recipe, rows, ledger, [&](Slot slot) { return slot % flush_every == 0; });
  RC_ASSERT(releases.size() == rows.size());

  auto report = audit_ledger(ledger);
  RC_ASSERT(report.has_value());
  RC_LOG(all_findings(*report));
  RC_ASSERT(report->holds());
  RC_ASSERT(report->worst_loss <= report->promised);
  RC_ASSERT(report->slots == rows.size());
  RC_ASSERT(compare_with_ledger(as_rows(releases), ledger, *report).has_value());
  RC_LOG(all_findings(*report));
  RC_ASSERT(report->holds());
}

TEST(Audit, UniformAndSampleSpendAllOfThePromise) {
  for (const double delta : {0.0, 1e-6, 1e-12}) {
    for (const std::uint64_t k : {std::uint64_t{1}, std::uint64_t{5}}) {
      const TempDir dir;
      const Recipe recipe{define(Protects::w_event, 0.7, delta, 5), expose_one(100),
                          [k] { return std::make_unique<EveryKth>(k); },
                          delta > 0 ? NoiseKind::gaussian : NoiseKind::laplace};
      std::vector<SlotRow> rows;
      for (Slot slot = 0; slot < 20; ++slot) rows.push_back(row_of(slot, {slot * 10}));
      publish_all(recipe, rows, dir / "ledger");
      const auto report = audit_ledger(dir / "ledger");
      ASSERT_TRUE(report);
      EXPECT_TRUE(report->holds()) << all_findings(*report);
      EXPECT_NEAR(report->worst_loss / report->promised, 1, 1e-6);
      EXPECT_EQ(report->worst_last_slot - report->worst_first_slot, 4);
    }
  }
}

// --- The worst window ---------------------------------------------------------------------------------------------

RC_GTEST_PROP(Audit, FindsTheWorstWindow, ()) {
  const Definition definition = random_definition();
  const Exposure exposure = random_exposure(1000);
  const auto total = definition.delta().value() > 0 ? zcdp_rho(definition.epsilon(), definition.delta()).to_double()
                                                    : definition.epsilon().value();
  RandomRequests requests(definition, exposure, total, 6);
  std::vector<LedgerRecord> records;
  const Slot slots = *rc::gen::inRange<Slot>(1, 25);
  for (Slot slot = 0; slot < slots; ++slot) {
    const int asked = *rc::gen::inRange(0, 4);
    for (int i = 0; i < asked; ++i) records.emplace_back(requests.next(slot));
    records.emplace_back(SlotEnd{slot, 0, 0});
  }
  records.emplace_back(StreamEnd{});
  const TempDir dir;
  const LedgerHeader header = header_of(definition, exposure);
  write_ledger(dir / "ledger", header, {records});
  const auto report = audit_ledger(dir / "ledger");
  RC_ASSERT(report.has_value());
  const auto worst = reference_of(dir / "ledger", header).worst();
  RC_LOG() << definition.text() << ": " << report->worst_loss << " against " << worst.exact << "\n";
  for (const Answer& answer : only<Answer>(records)) {
    RC_LOG() << name_of(answer.statistic) << " of " << answer.first_slot << " to " << answer.slot << ", session "
             << answer.session << ", parameter " << answer.parameter[0].to_double() << "\n";
  }
  if (definition.delta().value() == 0) {
    RC_ASSERT(std::abs(report->worst_loss - static_cast<double>(worst.exact)) <=
              1e-9 * static_cast<double>(worst.exact));
  } else {
    const double delta = zcdp_delta(static_cast<double>(worst.exact), definition.epsilon().value());
    if (delta > 1e-290) RC_ASSERT(std::abs(std::log(report->worst_loss / delta)) <= 1e-6);
  }
  const bool user_beyond =
      definition.protects() == Protects::user && static_cast<std::uint64_t>(slots) > definition.window_slots();
  const bool broken = all_findings(*report).find("the promise is broken") != std::string::npos;
  const long double promised = total;
  if (worst.exact > promised * (1 + 1e-6L)) RC_ASSERT(broken || report->findings_total > AuditReport::kFindingsMax);
  if (worst.exact < promised * (1 - 1e-6L)) RC_ASSERT(!broken);
  RC_ASSERT(!user_beyond || report->findings_total > 0u);
}

// --- Forgeries ----------------------------------------------------------------------------------------------------

/// An honest ledger: w-event, ε = 1, w = 3, ten slots of one value each with scale 4. A quarter of each window is left.
class Forgery : public ::testing::Test {
 protected:
  static constexpr Slot kSlots = 10;
  struct SlotRecords {
    std::vector<Answer> answers;
    SlotEnd end;
  };

  static Answer value_answer(Slot slot, std::uint64_t scale = 4) {
    Answer answer;
    answer.slot = answer.first_slot = slot;
    answer.series = {0};
    answer.parameter = {{scale, 1}};
    answer.values = {100 + slot};
    return answer;
  }
  static Answer comparison(Slot slot, std::uint64_t session, bool above) {
    Answer answer;
    answer.statistic = Statistic::distance;
    answer.slot = answer.first_slot = slot;
    answer.session = session;
    answer.series = {0};
    answer.parameter = {{16, 1}, {32, 1}};  // 1/16 + 2/32 = 1/8
    answer.values = {above ? 1 : 0};
    return answer;
  }

  void SetUp() override {
    for (Slot slot = 0; slot < kSlots; ++slot) slots_.push_back({{value_answer(slot)}, {slot, 0, 0.25}});
  }

  std::vector<LedgerRecord> records() const {
    std::vector<LedgerRecord> all;
    for (const SlotRecords& slot : slots_) {
      for (const Answer& answer : slot.answers) all.emplace_back(answer);
      all.emplace_back(slot.end);
    }
    all.emplace_back(Delivered{kSlots - 1});
    all.emplace_back(StreamEnd{});
    return all;
  }
  void write(const std::vector<LedgerRecord>& all) { write_ledger(ledger_, header_, {all}); }
  AuditReport audit(const AuditOptions& options = {}) {
    const auto report = audit_ledger(ledger_, options);
    EXPECT_TRUE(report) << reason(report);
    return report ? *report : AuditReport{};
  }
  void expect_finding(const std::string& words) {
    const AuditReport report = audit();
    EXPECT_FALSE(report.holds());
    EXPECT_NE(all_findings(report).find(words), std::string::npos) << all_findings(report);
  }
  void expect_finding_in(const std::vector<LedgerRecord>& all, const std::string& words) {
    write(all);
    expect_finding(words);
  }

  TempDir dir_;
  std::string ledger_ = dir_ / "ledger";
  LedgerHeader header_ = header_of(define(Protects::w_event, 1, 0, 3), expose_one(1));
  std::vector<SlotRecords> slots_;
};

TEST_F(Forgery, TheOriginalHolds) {
  write(records());
  const AuditReport report = audit();
  EXPECT_TRUE(report.holds()) << all_findings(report);
  EXPECT_EQ(report.worst_loss, 0.75);
  EXPECT_EQ(report.answers, 10u);
}

TEST_F(Forgery, AFalsifiedRate) {
  slots_[4].end.loss_rate = 0.2;
  expect_finding_in(records(), "slot 4: the stated total rate");
}

TEST_F(Forgery, AnInfiniteRate) {
  slots_[4].end.loss_rate = std::numeric_limits<double>::infinity();
  expect_finding_in(records(), "slot 4: the stated total rate");
}

TEST_F(Forgery, ADecisionLeftOutOfTheTotal) {
  Answer decision = value_answer(4, 100);
  decision.statistic = Statistic::distance;
  slots_[4].answers.insert(slots_[4].answers.begin(), decision);
  expect_finding_in(records(), "slot 4: the stated total rate");
}

TEST_F(Forgery, AnAnswerRemoved) {
  slots_[4].answers.clear();
  expect_finding_in(records(), "slot 4: the stated total rate");
}

TEST_F(Forgery, AnAnswerRecordedTwice) {
  slots_[4].answers.push_back(slots_[4].answers[0]);
  expect_finding_in(records(), "slot 4: the stated total rate");
}

TEST_F(Forgery, AScaleTooSmall) {
  slots_[4].answers[0].parameter = {{1, 1}};
  slots_[4].end.loss_rate = 1;
  expect_finding_in(records(), "the promise is broken");
}

TEST_F(Forgery, AMultiSlotAnswerChargedToOneSlot) {
  // Charged to slot 6 alone it would just fit: 3/4 of the window and 2/8. It touches four slots.
  Answer deviation = value_answer(6, 8);
  deviation.statistic = Statistic::deviation;
  deviation.first_slot = 3;
  slots_[6].answers.push_back(deviation);
  slots_[6].end.loss_rate += 0.25;
  write(records());
  const AuditReport report = audit();
  EXPECT_NE(all_findings(report).find("the promise is broken"), std::string::npos);
  EXPECT_EQ(report.worst_loss, 1.5);
}

TEST_F(Forgery, AMultiSlotAnswerStatedAsOneSlotWithGaussianNoise) {
  header_ = header_of(define(Protects::w_event, 1, 1e-3, 3), expose_one(1));
  for (SlotRecords& slot : slots_) {
    slot.answers[0].noise = NoiseKind::gaussian;
    slot.answers[0].parameter = {{1000, 1}};
    slot.end.loss_rate = 1.0 / 2000;
  }
  Answer deviation = slots_[6].answers[0];
  deviation.statistic = Statistic::deviation;
  deviation.first_slot = 3;
  slots_[6].answers.push_back(deviation);
  slots_[6].end.loss_rate += 4 * 4.0 / 2000;
  write(records());
  EXPECT_TRUE(audit().holds()) << all_findings(audit());
  std::filesystem::remove(ledger_);
  slots_[6].end.loss_rate = 1.0 / 2000 + 4.0 / 2000;
  expect_finding_in(records(), "slot 6: the stated total rate");
}

TEST_F(Forgery, ADeviationSessionThatGoesOn) {
  for (const double delta : {0.0, 1e-3}) {
    header_ = header_of(define(Protects::w_event, 1, delta, 3), expose_one(1));
    for (const Slot slot : {4, 5}) {
      Answer comparison = value_answer(slot, 4000);
      comparison.statistic = Statistic::deviation;
      comparison.first_slot = 4;
      comparison.session = 1;
      comparison.parameter = {{4000, 1}, {8000, 1}};
      slots_[static_cast<std::size_t>(slot)].answers.push_back(comparison);
    }
    std::filesystem::remove(ledger_);
    write(records());
    const bool found = all_findings(audit()).find("slot 5: session 1 on a deviation goes on") != std::string::npos;
    EXPECT_EQ(found, delta > 0) << all_findings(audit());
    for (const Slot slot : {4, 5}) slots_[static_cast<std::size_t>(slot)].answers.pop_back();
  }
}

TEST_F(Forgery, GaussianNoiseUnderAPurePromise) {
  slots_[4].answers[0].noise = NoiseKind::gaussian;
  expect_finding_in(records(), "the promise is broken");
}

TEST_F(Forgery, ComparisonsWithGaussianNoiseUnderAnyPromise) {
  slots_[4].answers.push_back(comparison(4, 1, false));
  slots_[4].answers[1].noise = NoiseKind::gaussian;
  slots_[4].end.loss_rate += 0.125;
  expect_finding_in(records(), "slot 4: an answer has Gaussian noise, which keeps no pure promise");
  EXPECT_NE(all_findings(audit()).find("the promise is broken"), std::string::npos);
  header_ = header_of(define(Protects::w_event, 1, 1e-3, 3), expose_one(1));
  std::filesystem::remove(ledger_);
  expect_finding_in(records(), "slot 4: an answer has Gaussian noise, which keeps no promise about comparisons");
}

TEST_F(Forgery, ASessionWithANumberThatNoRunComesTo) {
  slots_[4].answers.push_back(comparison(4, std::uint64_t{1} << 63, false));
  slots_[4].end.loss_rate += 0.125;
  expect_finding_in(records(), "slot 4: a session has a number that no run comes to");
}

TEST_F(Forgery, ASessionThatChangesItsNoise) {
  for (const Slot slot : {3, 4}) {
    slots_[static_cast<std::size_t>(slot)].answers.push_back(comparison(slot, 1, false));
    slots_[static_cast<std::size_t>(slot)].end.loss_rate += 0.125;
  }
  slots_[4].answers[1].noise = NoiseKind::gaussian;
  expect_finding_in(records(), "slot 4: session 1 changes its question");
}

TEST_F(Forgery, GaussianNoiseUnderAPurePromiseWhereNoPolicyIsRelevant) {
  header_ = header_of(define_swellfish_idle(), expose_one(1));
  slots_[4].answers[0].noise = NoiseKind::gaussian;
  slots_[4].end.loss_rate = 1.0 / 8;
  expect_finding_in(records(), "slot 4: an answer has Gaussian noise");
}

TEST_F(Forgery, ASlotFarAwayIsAFindingAndTakesNoMemory) {
  for (const Slot far : {Slot{1} << 40, std::numeric_limits<Slot>::max()}) {
    for (const bool failed : {false, true}) {
      auto all = records();
      all.pop_back();
      if (failed) {
        all.emplace_back(Failed{far});
      } else {
        all.emplace_back(SlotEnd{far, 0, 0});
      }
      all.emplace_back(StreamEnd{});
      std::filesystem::remove(ledger_);
      expect_finding_in(all, "slots 10 to " + std::to_string(far - 1) + " are missing; what follows was not audited");
      EXPECT_EQ(audit().slots, 10u);
      AuditReport report;
      EXPECT_TRUE(compare_with_ledger(std::vector<ReleaseRecord>{}, ledger_, report));
    }
  }
}

TEST_F(Forgery, ManyLossesTooLargeToCountAreNotNone) {
  audit::LossTable table(1, 1);
  for (int i = 0; i < 4; ++i) table.add_to_slots(0, 0, audit::Units{1} << 126);
  EXPECT_GE(table.worst().loss, audit::kLargestLoss);
  audit::LossTable windows(1, 1);
  for (int i = 0; i < 4; ++i) windows.add_to_windows_with(0, 0, audit::Units{1} << 126);
  EXPECT_GE(windows.worst().loss, audit::kLargestLoss);
}

TEST_F(Forgery, ARepeatedSlot) {
  slots_.insert(slots_.begin() + 5, slots_[4]);
  expect_finding_in(records(), "slot 4: closed twice");
}

TEST_F(Forgery, ARepeatedSlotPaysTwice) {
  slots_.insert(slots_.begin() + 5, slots_[4]);
  slots_.insert(slots_.begin() + 5, slots_[4]);
  expect_finding_in(records(), "the promise is broken");
}

TEST_F(Forgery, AMissingSlot) {
  slots_.erase(slots_.begin() + 4);
  expect_finding_in(records(), "slots 4 to 4 are missing");
}

TEST_F(Forgery, AnAnswerInTheWrongPlace) {
  slots_[4].answers[0].slot = slots_[4].answers[0].first_slot = 2;
  expect_finding_in(records(), "slot 2: an answer is recorded out of place");
}

TEST_F(Forgery, AnAnswerAboutASeriesThatIsNotThere) {
  slots_[4].answers[0].series = {1};
  expect_finding_in(records(), "names a series that does not exist");
}

TEST_F(Forgery, AnEstimateOfASeriesThatIsNotThere) {
  auto all = records();
  all.insert(all.begin() + 1, Estimates{0, {{1, 5, true}}});
  expect_finding_in(all, "slot 0: an estimate names a series that does not exist");
}

TEST_F(Forgery, AnEstimateInTheWrongPlace) {
  auto all = records();
  all.insert(all.begin() + 1, Estimates{3, {{0, 5, true}}});
  expect_finding_in(all, "slot 3: estimates are recorded out of place");
}

TEST_F(Forgery, AnswersOfASlotThatIsNeverClosed) {
  auto all = records();
  all.insert(all.end() - 1, value_answer(kSlots, 1));
  expect_finding_in(all, "never closed");
}

TEST_F(Forgery, ASessionThatGoesOnAfterItsThresholdWasExceeded) {
  for (const Slot slot : {3, 4, 5}) {
    slots_[static_cast<std::size_t>(slot)].answers.push_back(comparison(slot, 1, slot == 4));
    slots_[static_cast<std::size_t>(slot)].end.loss_rate += 0.125;
  }
  expect_finding_in(records(), "slot 5: session 1 goes on");
}

TEST_F(Forgery, ASessionThatEndsInTimeIsFine) {
  for (const Slot slot : {2, 3, 4, 5}) {
    slots_[static_cast<std::size_t>(slot)].answers.push_back(comparison(slot, 1, slot == 5));
    slots_[static_cast<std::size_t>(slot)].end.loss_rate += 0.125;
  }
  write(records());
  const AuditReport report = audit();
  EXPECT_TRUE(report.holds()) << all_findings(report);
  EXPECT_EQ(report.worst_loss, 0.875);
}

TEST_F(Forgery, EveryWindowPaysForTheFirstComparisonThatItHolds) {
  for (const Slot slot : {3, 4}) {
    slots_[static_cast<std::size_t>(slot)].answers.push_back(comparison(slot, 1, false));
    slots_[static_cast<std::size_t>(slot)].end.loss_rate += 0.125;
  }
  slots_[6].answers[0].parameter = {{2, 1}};
  slots_[6].end.loss_rate = 0.5;
  expect_finding_in(records(), "the promise is broken: slots 4 to 6");  // which do not hold the comparison of slot 3
  EXPECT_EQ(audit().worst_loss, 1.125);
}

TEST_F(Forgery, ADeltaThatIsMissedByLittle) {
  for (SlotRecords& slot : slots_) {
    slot.answers[0].noise = NoiseKind::gaussian;
    slot.answers[0].parameter = {{10, 1}};
    slot.end.loss_rate = 1.0 / 20;
  }
  const auto audited = [&](double delta) {
    header_ = header_of(define(Protects::w_event, 1, delta, 3), expose_one(1));
    std::filesystem::remove(ledger_);
    write(records());
    return audit();
  };
  const double lost = audited(0.5).worst_loss;
  EXPECT_TRUE(audited(lost * (1 + 1e-6)).holds());
  EXPECT_FALSE(audited(lost * (1 - 1e-6)).holds());
}

TEST(AuditArithmetic, RoundsUp) {
  EXPECT_TRUE(audit::Fraction({1}, {3}).up(2) == audit::Units{2});
  EXPECT_TRUE(audit::Fraction({3}, {4}).up(2) == audit::Units{3});
}

TEST_F(Forgery, ASessionThatGoesOnAfterARestart) {
  std::vector<LedgerRecord> all;
  for (Slot slot = 0; slot < 4; ++slot) {
    if (slot == 2) all.emplace_back(Resumed{2});
    all.emplace_back(comparison(slot, 1, false));
    all.emplace_back(SlotEnd{slot, 0, 0.125});
  }
  all.emplace_back(StreamEnd{});
  expect_finding_in(all, "slot 2: session 1 goes on");
}

TEST_F(Forgery, ASessionThatChangesItsQuestion) {
  for (const Slot slot : {3, 4}) {
    slots_[static_cast<std::size_t>(slot)].answers.push_back(comparison(slot, 1, false));
    slots_[static_cast<std::size_t>(slot)].end.loss_rate += 0.125;
  }
  slots_[4].answers[1].statistic = Statistic::sum;
  expect_finding_in(records(), "slot 4: session 1 changes its question");
}

TEST_F(Forgery, ATruncatedFile) {
  write(records());
  const std::string whole = read_file(ledger_);
  for (std::size_t cut = 1; cut < 30; ++cut) {
    write_file(ledger_, std::string_view(whole).substr(0, whole.size() - cut));
    expect_finding("it was truncated");
    EXPECT_TRUE(audit({.open_ended = true}).holds());
  }
}

TEST_F(Forgery, AFileCutBetweenTwoFrames) {
  auto all = records();
  all.pop_back();
  write(all);
  expect_finding("no end record");
  EXPECT_TRUE(audit({.open_ended = true}).holds());
}

TEST_F(Forgery, DamageInTheMiddle) {
  write_ledger(ledger_, header_, {records(), {Resumed{kSlots}}});
  std::string bytes = read_file(ledger_);
  bytes[bytes.size() - 60] ^= 1;
  write_file(ledger_, bytes);
  expect_finding("damaged at byte");
}

TEST_F(Forgery, AtItsHorizonAStreamNeedsNoEnd) {
  auto all = records();
  all.pop_back();
  header_ = header_of(define(Protects::user, 100, 0, kSlots), expose_one(1));
  write(all);
  EXPECT_TRUE(audit().holds()) << all_findings(audit());
  std::filesystem::remove(ledger_);
  header_ = header_of(define(Protects::user, 100, 0, kSlots + 1), expose_one(1));
  expect_finding_in(all, "no end record");
}

TEST_F(Forgery, MoreSlotsThanTheHorizon) {
  header_ = header_of(define(Protects::user, 100, 0, 9), expose_one(1));
  expect_finding_in(records(), "more slots were released than the horizon");
}

// --- Released rows against the ledger -----------------------------------------------------------------------------

class ForgedRows : public Forgery {
 protected:
  void SetUp() override {
    Forgery::SetUp();
    // Every second slot repeats.
    for (std::size_t slot = 1; slot < slots_.size(); slot += 2) {
      slots_[slot].answers.clear();
      slots_[slot].end.loss_rate = 0;
    }
    write(records());
    for (Slot slot = 0; slot < kSlots; ++slot) {
      const bool sampled = slot % 2 == 0;
      const Slot from = slot - slot % 2;
      rows_.push_back({.slot = slot,
                       .series = 0,
                       .known = true,
                       .value = static_cast<double>(100 + from),
                       .scale = 4,
                       .loss_rate = sampled ? 0.25 : 0,
                       .sampled = sampled,
                       .lower = std::nullopt,
                       .upper = std::nullopt});
    }
  }
  AuditReport compare() {
    AuditReport report;
    const auto done = compare_with_ledger(rows_, ledger_, report);
    EXPECT_TRUE(done) << reason(done);
    return report;
  }
  void expect_row_finding(const std::string& words) {
    const AuditReport report = compare();
    EXPECT_FALSE(report.holds());
    EXPECT_NE(all_findings(report).find(words), std::string::npos) << all_findings(report);
  }

  std::vector<ReleaseRecord> rows_;
};

TEST_F(ForgedRows, TheOriginalsFit) { EXPECT_TRUE(compare().holds()) << all_findings(compare()); }

TEST_F(ForgedRows, AFalsifiedRate) {
  rows_[4].loss_rate = 0.1;
  expect_row_finding("slot 4: series a: the stated loss rate");
}

TEST_F(ForgedRows, AnInfiniteRate) {
  rows_[4].loss_rate = std::numeric_limits<double>::infinity();
  expect_row_finding("slot 4: series a: the stated loss rate");
}

TEST_F(ForgedRows, AFalsifiedScale) {
  rows_[4].scale = 3;
  expect_row_finding("slot 4: series a: the stated scale");
}

TEST_F(ForgedRows, AFalsifiedValue) {
  rows_[4].value += 1;
  expect_row_finding("slot 4: series a: the released value");
}

TEST_F(ForgedRows, ARepeatThatIsNotTheLastAnswer) {
  rows_[5].value += 1;
  expect_row_finding("slot 5: series a: the released value");
}

/// The same stream, but what is released of slots 4 and 5 is made of answers.
class ForgedEstimates : public ForgedRows {
 protected:
  void SetUp() override {
    ForgedRows::SetUp();
    std::filesystem::remove(ledger_);
    std::vector<LedgerRecord> all;
    for (const LedgerRecord& record : records()) {
      const auto* end = std::get_if<SlotEnd>(&record);
      if (end != nullptr && end->slot == 4) all.emplace_back(Estimates{4, {{0, 77, true}}});
      all.push_back(record);
    }
    write(all);
    for (const std::size_t slot : {4u, 5u}) {
      rows_[slot].value = 77;
      rows_[slot].scale.reset();
    }
  }
};

TEST_F(ForgedEstimates, TheOriginalsFit) {
  EXPECT_TRUE(compare().holds()) << all_findings(compare());
  const AuditReport report = audit();
  EXPECT_TRUE(report.holds()) << all_findings(report);
  EXPECT_TRUE(std::any_of(report.not_checked.begin(), report.not_checked.end(), [](const std::string& what) {
    return what.starts_with("that recorded estimates follow from the answers");
  }));
}

TEST_F(ForgedEstimates, AFalsifiedEstimate) {
  rows_[4].value += 1;
  expect_row_finding("slot 4: series a: the released value is not the recorded estimate");
}

TEST_F(ForgedEstimates, ARepeatThatIsNotTheLastEstimate) {
  rows_[5].value = 104;  // the answer of slot 4
  expect_row_finding("slot 5: series a: the released value is not the recorded estimate");
}

TEST_F(ForgedEstimates, AScaleThatAnEstimateDoesNotHave) {
  rows_[4].scale = 4;
  expect_row_finding("slot 4: series a: the stated scale");
}

TEST_F(ForgedEstimates, AnAnswerWithoutAScale) {
  rows_[6].scale.reset();
  expect_row_finding("slot 6: series a: the stated scale");
}

TEST_F(ForgedEstimates, AFalsifiedFlag) {
  rows_[4].sampled = false;
  expect_row_finding("slot 4: series a: the sampled flag");
}

TEST_F(ForgedRows, AFilteredValueIsWhatTheFilterMakesOfAnswers) {
  header_.facts["filter"] = "truncate:0:105";
  std::filesystem::remove(ledger_);
  write(records());
  for (ReleaseRecord& row : rows_) row.value = std::min(row.value, 105.0);
  EXPECT_TRUE(compare().holds()) << all_findings(compare());
  rows_[8].value = 106;
  expect_row_finding("slot 8: series a: the released value is not what the filter makes of the recorded answers");
}

TEST_F(ForgedRows, AFilterRemembersSlotsThatAreNotInTheFile) {
  header_.facts["filter"] = "moving-average:4";
  std::filesystem::remove(ledger_);
  write(records());
  // Answers 100, 102, 104, each repeated once. The mean of slots 1 to 4 is 102.
  rows_ = {rows_[4]};
  rows_[0].value = 102;
  EXPECT_TRUE(compare().holds()) << all_findings(compare());
}

TEST_F(ForgedRows, AnAnswerAboutASeriesThatIsNotThereIsPassedOver) {
  slots_[4].answers[0].series = {1u << 30};
  std::filesystem::remove(ledger_);
  write(records());
  expect_row_finding("slot 4: series a: the sampled flag");
}

TEST_F(ForgedRows, ASeriesThatTheLedgerDoesNotHave) {
  AuditReport report;
  const std::string text = "time,series,value,scale,loss_rate,sampled\n0,a,100,4,0.25,1\n0,z,100,4,0.25,1\n";
  ASSERT_TRUE(compare_with_ledger(text, ledger_, report));
  EXPECT_EQ(all_findings(report), "slot 0: a row names a series that the ledger does not have\n");
}

TEST_F(ForgedRows, WhatIsNoFileOfReleases) {
  for (const char* text : {"", "time,load\n"}) {
    AuditReport report;
    const auto compared = compare_with_ledger(text, ledger_, report);
    ASSERT_FALSE(compared);
    EXPECT_EQ(compared.error().cause, Cause::bad_input);
  }
}

TEST_F(ForgedRows, AFalsifiedFlag) {
  rows_[5].sampled = true;
  expect_row_finding("slot 5: series a: the sampled flag");
}

TEST_F(ForgedRows, AValueThatWasNeverAnswered) {
  rows_[4].known = false;
  expect_row_finding("slot 4: series a: released without an answer");
}

TEST_F(ForgedRows, ASlotThatIsNotInTheLedger) {
  ReleaseRecord more = rows_.back();
  more.slot = kSlots;
  rows_.push_back(more);
  expect_row_finding("slot 10: released, but not paid for");
}

TEST_F(ForgedRows, ARowTwice) {
  rows_.insert(rows_.begin() + 5, rows_[4]);
  expect_row_finding("repeated");
}

TEST_F(ForgedRows, ASlotAgainLater) {
  rows_.push_back(rows_[4]);
  expect_row_finding("released twice");
}

TEST_F(ForgedRows, ASlotThatTheLedgerClosesTwiceIsReleasedOnceAtMost) {
  slots_.insert(slots_.begin() + 5, slots_[4]);
  std::filesystem::remove(ledger_);
  write(records());
  rows_.insert(rows_.begin() + 5, rows_[4]);
  expect_row_finding("slot 4: a row is repeated");
  rows_.erase(rows_.begin() + 5);
  expect_row_finding("slot 5: released, but not paid for in the ledger at this point");
}

TEST_F(ForgedRows, LostRowsAreNoBreachAndCounted) {
  rows_.erase(rows_.begin() + 6, rows_.begin() + 9);
  rows_.erase(rows_.begin());
  rows_.pop_back();
  EXPECT_TRUE(compare().holds());
  EXPECT_EQ(compare().slots_not_in_file, 5u);
}

// --- Stated rates only --------------------------------------------------------------------------------------------

TEST_F(ForgedRows, StatedRatesAreAddedUp) {
  const auto report = audit_stated_rates(source_of(rows_), header_.definition, header_.exposure, 1);
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->holds());
  EXPECT_EQ(report->definition, header_.definition.text());
  EXPECT_NEAR(report->worst_loss, 0.5, 1e-8);
  rows_[4].loss_rate = 0.9;
  const auto broken = audit_stated_rates(source_of(rows_), header_.definition, header_.exposure, 1);
  ASSERT_TRUE(broken);
  EXPECT_FALSE(broken->holds());
}

TEST_F(ForgedRows, AStatedTrueValueBreaksThePromise) {
  rows_[4].loss_rate = std::numeric_limits<double>::infinity();
  const auto report = audit_stated_rates(source_of(rows_), header_.definition, header_.exposure, 1);
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->holds());
}

TEST_F(ForgedRows, ANegativeRateDoesNotMakeRoom) {
  rows_[4].loss_rate = 1.2;
  rows_[5].loss_rate = -1;
  const auto report = audit_stated_rates(source_of(rows_), header_.definition, header_.exposure, 1);
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->holds());
}

TEST_F(ForgedRows, ARateBelowWhatTheScaleCosts) {
  rows_[4].loss_rate = 0.2499;
  const auto report = audit_stated_rates(source_of(rows_), header_.definition, header_.exposure, 1);
  ASSERT_TRUE(report);
  EXPECT_EQ(all_findings(*report), "slot 4: the stated loss rate is below what the stated scale costs\n");
}

TEST_F(ForgedRows, ARateInRhoBelowWhatTheScaleCosts) {
  for (ReleaseRecord& row : rows_) {
    row.currency = Currency::rho;
    row.loss_rate = row.sampled ? 1.0 / 32 : 0;
  }
  const Definition approximate = define(Protects::w_event, 1, 1e-3, 3);
  const auto honest = audit_stated_rates(source_of(rows_), approximate, header_.exposure, 1);
  ASSERT_TRUE(honest);
  EXPECT_EQ(all_findings(*honest).find("below what"), std::string::npos);
  rows_[4].loss_rate = 1.0 / 33;
  const auto report = audit_stated_rates(source_of(rows_), approximate, header_.exposure, 1);
  ASSERT_TRUE(report);
  EXPECT_NE(all_findings(*report).find("slot 4: the stated loss rate is below what"), std::string::npos);
}

TEST_F(ForgedRows, RatesInAnotherCurrencyAreRefused) {
  for (ReleaseRecord& row : rows_) row.currency = Currency::rho;
  const auto pure = audit_stated_rates(source_of(rows_), header_.definition, header_.exposure, 1);
  ASSERT_FALSE(pure);
  EXPECT_EQ(pure.error().cause, Cause::usage);
  const Definition approximate = define(Protects::w_event, 1, 1e-3, 3);
  EXPECT_TRUE(audit_stated_rates(source_of(rows_), approximate, header_.exposure, 1));
  rows_[7].currency = Currency::epsilon;
  EXPECT_FALSE(audit_stated_rates(source_of(rows_), approximate, header_.exposure, 1));
}

TEST_F(ForgedRows, SimulatedRatesAreRefused) {
  rows_[0].simulated = true;
  const auto report = audit_stated_rates(source_of(rows_), header_.definition, header_.exposure, 1);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().cause, Cause::refused);
}

TEST_F(ForgedRows, StatedRatesBeyondTheHorizon) {
  const auto report = audit_stated_rates(source_of(rows_), define(Protects::user, 100, 0, 9), header_.exposure, 1);
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->holds());
}

}  // namespace
}  // namespace fugu::test
