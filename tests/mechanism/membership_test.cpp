// Who counts where, from the first slot to a resumed run: what the publisher records, charges and refuses.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "fugu/accounting/audit.hpp"
#include "fugu/mechanism/publisher.hpp"
#include "fugu/strategy/registry.hpp"
#include "fugu/stream/readings_reader.hpp"
#include "support/builders.hpp"
#include "support/policy_feed.hpp"
#include "support/publishing.hpp"
#include "support/strategies.hpp"
#include "support/temp_dir.hpp"

namespace fugu::test {
namespace {

constexpr const char* kBefore = "meter,series\nm1,north\nm2,south\nm3,north\nm4,south\n";
constexpr const char* kMoved = "meter,series\nm1,south\nm2,south\nm3,north\nm4,south\n";

SeriesMap map_of(const std::string& text) {
  const std::vector<std::string> series = {"north", "south"};  // whichever row comes first
  auto map = SeriesMap::read(Input::from_memory("map.csv", text), series);
  EXPECT_TRUE(map) << reason(map);
  return *std::move(map);
}

SlotRow row_with(Slot slot, const SeriesMap* map) {
  SlotRow row = row_of(slot, {100 + slot, 200 - slot});
  if (map != nullptr) row.counting = Counting{map, 10};
  return row;
}

/// North is asked for with the whole ε in slot 3, south in slot 8.
std::unique_ptr<Strategy> one_after_the_other() {
  return strategy_of([](Kernel& kernel, Release& release) -> Result<void> {
    const SeriesId series = kernel.slot() == 3 ? 0 : 1;
    if (kernel.slot() != 3 && kernel.slot() != 8) return {};
    const auto answers = kernel.values({&series, 1}, kernel.total());
    if (answers) release.set({&series, 1}, *answers);
    return {};
  });
}

Recipe recipe() { return {define(Protects::w_event, 1, 0, 10), expose({10, 10}, {{0}, {1}}), one_after_the_other}; }

/// Publishes slots [0, 5) with one map, then resumes and publishes [5, 12) with another.
std::vector<Seen> publish_in_two_runs(const std::string& ledger, const SeriesMap& first, const SeriesMap& second) {
  Collector sink;
  {
    auto writer = LedgerWriter::create(ledger, header_of(recipe().definition, recipe().exposure));
    EXPECT_TRUE(writer) << reason(writer);
    Publisher publisher(recipe().make(), std::make_unique<SecureNoise>(), sink, *std::move(writer));
    for (Slot slot = 0; slot < 5; ++slot) EXPECT_TRUE(publisher.publish(row_with(slot, slot == 0 ? &first : nullptr)));
    EXPECT_TRUE(publisher.flush());
  }
  sink.emitted.clear();
  auto publisher = Publisher::resume(recipe().make(), std::make_unique<SecureNoise>(), sink,
                                     *LedgerWriter::reopen(ledger), *LedgerReader::open(ledger));
  EXPECT_TRUE(publisher) << reason(publisher);
  for (Slot slot = 5; slot < 12; ++slot) EXPECT_TRUE(publisher->publish(row_with(slot, slot == 5 ? &second : nullptr)));
  EXPECT_TRUE(publisher->finish());
  return sink.emitted;
}

TEST(PublisherMembership, ResumingWithAnotherMapDoesNotSpendTwice) {
  const TempDir dir;
  const auto stayed = publish_in_two_runs(dir / "stayed.ledger", map_of(kBefore), map_of(kBefore));
  EXPECT_TRUE(stayed[8].values[1].sampled) << "nobody moved: south may be asked";
  const auto moved = publish_in_two_runs(dir / "moved.ledger", map_of(kBefore), map_of(kMoved));
  EXPECT_FALSE(moved[8].values[1].sampled) << "m1 has lost ε in the north within this window";
  for (const char* ledger : {"stayed.ledger", "moved.ledger"}) {
    const auto report = audit_ledger(dir / ledger);
    ASSERT_TRUE(report) << reason(report);
    EXPECT_TRUE(report->holds()) << report->findings.front();
  }
}

TEST(PublisherMembership, TheAuditSeesWhoMoved) {
  const TempDir dir;
  // The same two answers of the whole ε in one window, as the run without a move has them; only m1 is said to move.
  publish_in_two_runs(dir / "stayed.ledger", map_of(kBefore), map_of(kBefore));
  std::vector<LedgerRecord> records = read_ledger(dir / "stayed.ledger").records;
  for (auto at = records.begin(); at != records.end(); ++at) {
    if (!std::holds_alternative<Resumed>(*at)) continue;
    records.insert(std::next(at), UnitPlaced{5, "m1", 1});
    break;
  }
  write_ledger(dir / "forged.ledger", header_of(recipe().definition, recipe().exposure), {records});
  const auto report = audit_ledger(dir / "forged.ledger");
  ASSERT_TRUE(report) << reason(report);
  EXPECT_FALSE(report->holds());
  EXPECT_DOUBLE_EQ(report->worst_loss, 2);
}

TEST(PublisherMembership, TheAuditSeesAMeterThatChangesHouseholds) {
  const TempDir dir;
  publish_in_two_runs(dir / "stayed.ledger", map_of(kBefore), map_of(kBefore));
  std::vector<LedgerRecord> records = read_ledger(dir / "stayed.ledger").records;
  for (auto at = records.begin(); at != records.end(); ++at) {
    if (!std::holds_alternative<Resumed>(*at)) continue;
    at = records.insert(std::next(at), UnitPlaced{5, "m1", std::nullopt});
    records.insert(std::next(at), UnitPlaced{5, "new name", 1, {"m1"}});
    break;
  }
  write_ledger(dir / "forged.ledger", header_of(recipe().definition, recipe().exposure), {records});
  const auto report = audit_ledger(dir / "forged.ledger");
  ASSERT_TRUE(report) << reason(report);
  ASSERT_FALSE(report->holds());
  EXPECT_NE(report->findings.front().find("a meter changes households"), std::string::npos) << report->findings.front();
}

/// Resumes with these versions of what readings go through, and publishes two slots more.
Result<void> go_on_with(const std::string& ledger, const SeriesMap& map, std::span<const Digest> versions) {
  Collector sink;
  FUGU_ASSIGN(LedgerWriter writer, LedgerWriter::reopen(ledger));
  FUGU_ASSIGN(LedgerReader reader, LedgerReader::open(ledger));
  FUGU_ASSIGN(Publisher publisher, Publisher::resume(recipe().make(), std::make_unique<SecureNoise>(), sink,
                                                     std::move(writer), std::move(reader)));
  SlotRow row = row_with(publisher.next_slot(), &map);
  row.counting->versions = versions;
  const auto checked = publisher.check_counting(*row.counting);
  const auto published = publisher.publish(row);
  EXPECT_EQ(checked.has_value(), published.has_value()) << "whoever asks first learns what happens";
  FUGU_TRY(published);
  FUGU_TRY(publisher.publish(row_with(publisher.next_slot(), nullptr)));
  return publisher.flush();
}

TEST(PublisherVersions, ALedgerGoesOnWithADescendantOfItsLastVersionOnly) {
  const TempDir dir;
  const std::string ledger = dir / "run.ledger";
  const SeriesMap map = map_of(kBefore);
  const auto version = [](const char* text) { return sha256({text}); };
  const std::vector<Digest> line = {version("a"), version("b"), version("c")};
  const std::span<const Digest> all = line;
  ASSERT_TRUE(LedgerWriter::create(ledger, header_of(recipe().definition, recipe().exposure)));
  ASSERT_TRUE(go_on_with(ledger, map, all.first(1)));
  ASSERT_TRUE(go_on_with(ledger, map, all.first(1)));
  ASSERT_TRUE(go_on_with(ledger, map, all)) << "changed twice in between";
  const std::vector<VersionUsed> expected = {{0, version("a")}, {4, version("c")}};
  EXPECT_EQ(only<VersionUsed>(read_ledger(ledger).records), expected);

  const std::vector<Digest> restored = {version("a"), version("b"), version("another c")};
  const auto slots = [&] { return only<SlotEnd>(read_ledger(ledger).records).size(); };
  for (const std::span<const Digest> other : {all.first(1), all.first(2), std::span<const Digest>(restored), {}}) {
    const auto refused = go_on_with(ledger, map, other);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().cause, Cause::refused);
    EXPECT_NE(refused.error().message.find("latest state"), std::string::npos) << refused.error().message;
    EXPECT_EQ(slots(), 6U);
  }
  ASSERT_TRUE(go_on_with(ledger, map, all));
  EXPECT_EQ(slots(), 8U);
  const auto report = audit_ledger(ledger, {.open_ended = true});
  ASSERT_TRUE(report) << reason(report);
  EXPECT_TRUE(report->holds()) << report->findings.front();
  EXPECT_EQ(report->versions, expected);
}

TEST(PublisherVersions, TheAuditSeesAVersionOutOfPlace) {
  const TempDir dir;
  const SeriesMap map = map_of(kBefore);
  publish_in_two_runs(dir / "run.ledger", map, map);
  std::vector<LedgerRecord> records = read_ledger(dir / "run.ledger").records;
  records.insert(records.begin(), VersionUsed{3, sha256({"a"})});
  write_ledger(dir / "forged.ledger", header_of(recipe().definition, recipe().exposure), {records});
  const auto report = audit_ledger(dir / "forged.ledger");
  ASSERT_TRUE(report) << reason(report);
  EXPECT_FALSE(report->holds());
}

TEST(PublisherMembership, ALedgerWithUnitsIsNotContinuedWithoutThem) {
  const TempDir dir;
  const std::string ledger = dir / "run.ledger";
  const SeriesMap map = map_of(kBefore);
  publish_in_two_runs(ledger, map, map);
  Collector sink;
  auto publisher = Publisher::resume(recipe().make(), std::make_unique<SecureNoise>(), sink,
                                     *LedgerWriter::reopen(ledger), *LedgerReader::open(ledger));
  ASSERT_TRUE(publisher) << reason(publisher);
  const auto done = publisher->publish(row_with(12, nullptr));
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().cause, Cause::bad_input);
}

TEST(PublisherMembership, NoMechanismEndsTheStreamWhenMetersMove) {
  const SeriesMap before = map_of(kBefore);
  const SeriesMap moved = map_of(kMoved);
  for (const StrategyKind& kind : strategy_kinds()) {
    if (!serves(kind, Serves::windows)) continue;
    SCOPED_TRACE(kind.name);
    const TempDir dir;
    const Recipe how{define(Protects::w_event, 20, 0, 10), expose({10, 10}, {{0}, {1}}), [&] {
                       return *make_strategy(kind.name, {.window_slots = 10, .every_slots = 3, .horizon_slots = 100});
                     }};
    Collector sink;
    auto writer = LedgerWriter::create(dir / "run.ledger", header_of(how.definition, how.exposure));
    Publisher publisher(how.make(), std::make_unique<SecureNoise>(), sink, *std::move(writer));
    for (Slot slot = 0; slot < 120; ++slot) {
      const auto done = publisher.publish(row_with(slot, slot % 7 == 0 ? (slot % 2 == 0 ? &before : &moved) : nullptr));
      ASSERT_TRUE(done) << "slot " << slot << ": " << reason(done);
    }
    ASSERT_TRUE(publisher.finish());
    const auto report = audit_ledger(dir / "run.ledger");
    ASSERT_TRUE(report) << reason(report);
    EXPECT_TRUE(report->holds()) << report->findings.front();
  }
}

TEST(PublisherMembership, APolicyOfAMeterThatMovedIsPlannedWhereItIsNow) {
  const SeriesMap before = map_of(kBefore);
  const SeriesMap moved = *SeriesMap::read(Input::from_memory("map.csv", kMoved), before.series());
  const auto policy = [](Slot first, Slot last) {
    return Policy{.interval = {first, last}, .magnitude_steps = 5, .epsilon = Budget::round_down(1)};
  };
  for (const StrategyKind& kind : strategy_kinds()) {
    if (!serves(kind, Serves::policies)) continue;
    SCOPED_TRACE(kind.name);
    Collector sink;
    Publisher publisher(
        {define_swellfish_idle(), expose({10, 10}, {{0}, {1}}), NoiseKind::laplace,
         *make_strategy(kind.name, {.policies = true, .every_slots = 2}),
         std::make_unique<ListFeed>(std::vector<KnownEvent>{{0, {.meter = "m1", .policy = policy(1, 1)}},
                                                            {4, {.meter = "m1", .policy = policy(5, 6)}}})},
        std::make_unique<SecureNoise>(), sink);
    for (Slot slot = 0; slot < 8; ++slot) {
      const auto done = publisher.publish(row_with(slot, slot == 0 ? &before : slot == 3 ? &moved : nullptr));
      ASSERT_TRUE(done) << "slot " << slot << ": " << reason(done);
    }
  }
}

}  // namespace
}  // namespace fugu::test
