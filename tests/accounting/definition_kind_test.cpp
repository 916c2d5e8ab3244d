// A definition is one row: one that fugu does not have is published, recorded, read back, resumed and audited from
// here.
#include "fugu/accounting/definition_kind.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "../core/src/accounting/audit_promise.hpp"
#include "../core/src/accounting/definition_table.hpp"
#include "support/publishing.hpp"
#include "support/strategies.hpp"
#include "support/temp_dir.hpp"

namespace fugu::test {
namespace {

using audit::SignatureRange;
using audit::Units;

// Every second slot: whatever a meter did in w slots t, t + 2, t + 4, … of either parity.

Result<void> check(Definition::Options& options) {
  if (!options.window_slots) return Error{Cause::usage, "every-second needs w"};
  return {};
}

/// Slots of one parity are a stream of their own, protected as w-event protects it.
class EverySecondAccountant final : public Accountant {
 public:
  EverySecondAccountant(const Definition& definition, const Exposure& exposure) : definition_(definition) {
    Definition::Options options = definition.options();
    options.protects = Protects::w_event;
    for (auto& half : halves_) half = make_accountant(*Definition::make(options), exposure);
  }

  Currency currency() const override { return halves_[0]->currency(); }
  Budget total() const override { return halves_[0]->total(); }
  std::uint64_t window_slots() const override { return definition_.window_slots(); }
  void advance(Slot slot) override {
    slot_ = slot;
    half().advance(slot / 2);
  }
  Budget available() override { return half().available(); }
  Budget available(std::span<const SeriesId> series) override { return half().available(series); }
  Budget worst() const override { return std::max(halves_[0]->worst(), halves_[1]->worst()); }
  Result<void> admit(const Answer& answer) override {
    if (answer.statistic != Statistic::value) return Error{Cause::refused, "every-second gives values only"};
    Answer of_half = answer;
    of_half.slot = of_half.first_slot = answer.slot / 2;
    return half().admit(of_half);
  }
  void commit() override { half().commit(); }
  std::unique_ptr<Accountant> follow(std::uint32_t, const Exposure&) const override { return nullptr; }
  Result<void> check_move(std::string_view) const override { return Error{Cause::refused, "nobody moves"}; }

 private:
  Accountant& half() { return *halves_[static_cast<std::size_t>(slot_ % 2)]; }

  Definition definition_;
  std::array<std::unique_ptr<Accountant>, 2> halves_;
  Slot slot_ = 0;
};

/// Adds up w slots in steps of two, from every slot on.
class EverySecondAudit final : public audit::PromiseAudit {
 public:
  EverySecondAudit(const Definition& definition, const Exposure& exposure, std::size_t slots)
      : definition_(definition), exposure_(exposure), slots_(slots) {}

  using PromiseAudit::add;
  void begin_pass(SignatureRange range) override {
    range_ = range;
    losses_.assign(range.count, std::vector<Units>(slots_));
  }
  void add(const Answer& answer) override {
    for (const auto& [g, steps] : audit::changes(answer, exposure_, range_, audit::Change::whole_sensitivity))
      add(g, answer.slot, audit::loss_of(answer, answer.parameter[0], true, steps, 1));
  }
  void add(std::size_t signature, Slot slot, Units loss) override {
    losses_[signature - range_.first][static_cast<std::size_t>(slot)] += loss;
  }
  void end_pass() override {
    for (const std::vector<Units>& losses : losses_) {
      for (std::size_t start = 0; start < slots_; ++start) {
        const std::size_t end = std::min(slots_, start + 2 * static_cast<std::size_t>(definition_.window_slots()));
        Units sum = 0;
        for (std::size_t slot = start; slot < end; slot += 2) sum += losses[slot];
        worst_ = std::max(worst_, sum);
      }
    }
  }
  void judge(AuditReport& report) const override {
    audit::judge_worst_window(audit::up_to_long_double(worst_), definition_, report);
  }

 private:
  const Definition& definition_;
  const Exposure& exposure_;
  std::size_t slots_;
  SignatureRange range_;
  std::vector<std::vector<Units>> losses_;
  Units worst_ = 0;
};

constinit const DefinitionKind kEverySecond{
    .name = "every-second",
    .summary = "protects whatever a meter did in w slots of which each is two after the one before",
    .promise = "for tests",
    .page = "",
    .example = "",
    .parameter = {.name = "every-second-w", .symbol = "w", .help = "", .missing = ""},
    .check = check,
    .accountant = [](const Definition& definition, const Exposure& exposure, Reach) -> std::unique_ptr<Accountant> {
      return std::make_unique<EverySecondAccountant>(definition, exposure);
    },
    .audit = [](const Definition& definition, const Exposure& exposure,
                std::size_t slots) -> std::unique_ptr<audit::PromiseAudit> {
      return std::make_unique<EverySecondAudit>(definition, exposure, slots);
    },
};
const bool kAdded = (add_definition(kEverySecond), true);

/// Asks for all there is in every slot and takes no for an answer.
std::unique_ptr<Strategy> greedy() {
  return strategy_of([](Kernel& kernel, Release& release) -> Result<void> {
    const auto answers = kernel.values(kernel.all(), kernel.total());
    if (answers) release.set(kernel.all(), *answers);
    return {};
  });
}

std::vector<Slot> slots_with_answers(const std::string& ledger) {
  std::vector<Slot> slots;
  for (const Answer& answer : only<Answer>(read_ledger(ledger).records)) slots.push_back(answer.slot);
  return slots;
}

class EverySecond : public ::testing::Test {
 protected:
  TempDir dir_;
  std::string ledger_ = dir_ / "run.ledger";
  Recipe recipe_{define(kEverySecond, 1, 0, 3), expose_one(5), greedy};
};

TEST_F(EverySecond, has_a_name_and_a_text) {
  EXPECT_TRUE(kAdded);
  EXPECT_EQ(recipe_.definition.text(), "every-second, ε = 1, w = 3");
  ASSERT_TRUE(protects_named("every-second"));
  EXPECT_EQ(&protects_named("every-second")->kind(), &kEverySecond);
  EXPECT_FALSE(Definition::make({.protects = kEverySecond, .epsilon = *Epsilon::make(1)}));
  EXPECT_FALSE(
      Definition::make({.protects = kEverySecond, .epsilon = *Epsilon::make(1), .window_slots = 3, .discount = 0.5}));
}

TEST_F(EverySecond, is_read_back_from_a_header) {
  const std::string text = header_of(recipe_.definition, recipe_.exposure).to_text();
  EXPECT_NE(text.find("\ndefinition every-second\nepsilon 1\ndelta 0\nwindow 3\n"), std::string::npos) << text;
  const auto back = LedgerHeader::from_text(text);
  ASSERT_TRUE(back) << reason(back);
  EXPECT_EQ(back->definition.protects(), Protects(kEverySecond));
  EXPECT_EQ(back->to_text(), text);
}

TEST_F(EverySecond, publishes_resumes_and_is_audited) {
  {
    Collector sink;
    auto writer = LedgerWriter::create(ledger_, header_of(recipe_.definition, recipe_.exposure));
    ASSERT_TRUE(writer) << reason(writer);
    Publisher publisher(recipe_.make(), std::make_unique<SecureNoise>(), sink, *std::move(writer));
    for (Slot slot = 0; slot < 4; ++slot) ASSERT_TRUE(publisher.publish(row_of(slot, {slot})));
    ASSERT_TRUE(publisher.flush());
  }
  Collector sink;
  auto writer = LedgerWriter::reopen(ledger_);
  auto reader = LedgerReader::open(ledger_);
  ASSERT_TRUE(writer && reader);
  recipe_.definition = reader->header().definition;
  auto publisher =
      Publisher::resume(recipe_.make(), std::make_unique<SecureNoise>(), sink, *std::move(writer), *std::move(reader));
  ASSERT_TRUE(publisher) << reason(publisher);
  for (Slot slot = 4; slot < 15; ++slot) ASSERT_TRUE(publisher->publish(row_of(slot, {slot})));
  ASSERT_TRUE(publisher->finish());

  EXPECT_EQ(slots_with_answers(ledger_), (std::vector<Slot>{0, 1, 6, 7, 12, 13}));
  const auto report = audit_ledger(ledger_, {});
  ASSERT_TRUE(report) << reason(report);
  EXPECT_TRUE(report->holds()) << report->findings.front();
  EXPECT_EQ(report->definition, "every-second, ε = 1, w = 3");
  EXPECT_NEAR(report->worst_loss, 1, 1e-9);

  const auto stated = audit_stated_rates(source_of(as_rows(sink.emitted)), recipe_.definition, recipe_.exposure, 1);
  ASSERT_TRUE(stated) << reason(stated);
  EXPECT_TRUE(stated->holds());
}

TEST_F(EverySecond, is_audited_by_its_own_rule) {
  const auto published = [&](Protects protects, std::uint64_t window) {
    const std::string path = dir_ / "other.ledger";
    publish_all({define(protects, 1, 0, window), recipe_.exposure, greedy},
                {row_of(0, {1}), row_of(1, {1}), row_of(2, {1}), row_of(3, {1})}, path);
    return only<Answer>(read_ledger(path).records);
  };
  // In every slot, which w-event with w = 1 permits, and every-second with w = 2 does not.
  std::vector<LedgerRecord> records;
  for (const Answer& answer : published(Protects::w_event, 1)) {
    records.emplace_back(answer);
    records.emplace_back(SlotEnd{.slot = answer.slot, .utc_offset_s = {}, .loss_rate = 0.2});
  }
  records.emplace_back(StreamEnd{});
  write_ledger(ledger_, header_of(define(kEverySecond, 1, 0, 2), recipe_.exposure), {records});
  const auto report = audit_ledger(ledger_, {});
  ASSERT_TRUE(report) << reason(report);
  EXPECT_FALSE(report->holds());
  EXPECT_NEAR(report->worst_loss, 2, 1e-9);
}

TEST_F(EverySecond, cannot_go_on_after_a_loss_unless_it_says_so) {
  EXPECT_EQ(check_after_loss(recipe_.definition, 3, 100).error().cause, Cause::refused);
}

TEST(DefinitionTable, has_every_name_once) {
  std::set<std::string_view> parameters;
  for (const DefinitionKind* kind : definition_kinds()) {
    EXPECT_EQ(&protects_named(kind->name)->kind(), kind);
    const std::string_view parameter = kind->parameter.name;
    EXPECT_TRUE(parameter.empty() || parameters.insert(parameter).second) << parameter;
  }
  EXPECT_DEATH(add_definition(kEverySecond), "");
}

TEST(DefinitionTable, makes_no_definition_of_a_row_that_is_not_in_it) {
  const DefinitionKind lax = kEverySecond;  // another row, though of the same name
  EXPECT_DEATH((void)Definition::make({.protects = lax, .epsilon = *Epsilon::make(1), .window_slots = 3}), "");
}

}  // namespace
}  // namespace fugu::test
