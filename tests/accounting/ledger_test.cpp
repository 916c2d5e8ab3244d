// The ledger: what goes in comes out; what was damaged is noticed; what was cut off is continued.
#include "fugu/accounting/ledger.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "../core/src/accounting/ledger_format.hpp"
#include "support/ledger_tools.hpp"
#include "support/temp_dir.hpp"

namespace fugu::test {
namespace {

// --- Encoding ---------------------------------------------------------------------------------------------------

template <class T>
T any() {
  return *rc::gen::arbitrary<T>();
}

std::vector<SeriesId> some_series(bool or_none) {
  std::vector<SeriesId> series;
  const int count = *rc::gen::inRange(or_none ? 0 : 1, 5);
  for (int i = 0; i < count; ++i) series.push_back(*rc::gen::inRange(0, 4) == 0 ? any<SeriesId>() : SeriesId(i));
  return series;
}

Rational some_parameter() {
  const auto positive = [] {
    return any<bool>() ? 1 + *rc::gen::inRange<std::uint64_t>(0, 9) : any<std::uint64_t>() | 1;
  };
  return {positive(), positive()};
}

Slot some_slot() { return any<bool>() ? *rc::gen::inRange<Slot>(0, 100) : any<Slot>() & 0x7fff'ffff'ffff'ffff; }

Answer some_answer() {
  Answer answer;
  answer.statistic = static_cast<Statistic>(*rc::gen::inRange(0, 4));
  answer.noise = static_cast<NoiseKind>(*rc::gen::inRange(0, 3));
  answer.slot = some_slot();
  answer.first_slot = any<bool>() ? answer.slot : *rc::gen::inRange<Slot>(0, answer.slot);
  if (any<bool>()) answer.session = any<std::uint64_t>() | 1;
  answer.series = some_series(false);
  const bool per_series = answer.statistic == Statistic::value && !answer.is_comparison();
  const std::size_t parameters = answer.is_comparison() ? 2 : per_series && any<bool>() ? answer.series.size() : 1;
  for (std::size_t i = 0; i < parameters; ++i)
    answer.parameter.push_back(answer.noise == NoiseKind::none ? Rational{0, 1} : some_parameter());
  for (std::size_t i = 0; i < (per_series ? answer.series.size() : 1); ++i)
    answer.values.push_back(any<bool>() ? any<std::int64_t>() : *rc::gen::inRange(-5, 6));
  return answer;
}

Lane some_lane(std::size_t slots) {
  Lane lane;
  if (any<bool>()) lane.series = *rc::gen::inRange<SeriesId>(0, ~SeriesId{0});
  for (std::size_t i = 0; i < slots; ++i)
    lane.steps.push_back(any<bool>() ? *rc::gen::inRange<std::uint64_t>(0, 9) : kMagnitudeStepsMax);
  return lane;
}

std::shared_ptr<const Shape> some_shape(std::uint64_t length_slots) {
  const auto shape = std::make_shared<Shape>();
  shape->alternatives.resize(*rc::gen::inRange<std::size_t>(1, 4));
  for (Profile& profile : shape->alternatives) {
    const auto slots = *rc::gen::inRange<std::size_t>(1, static_cast<std::size_t>(length_slots) + 1);
    const int lanes = *rc::gen::inRange(1, 4);
    for (int i = 0; i < lanes; ++i) profile.lanes.push_back(some_lane(slots));
  }
  return shape;
}

Policy some_policy() {
  Policy policy;
  policy.interval.first = any<bool>() ? *rc::gen::inRange<Slot>(0, 100) : kPolicySlotMax;
  policy.interval.last = policy.interval.first + (any<bool>() ? *rc::gen::inRange<Slot>(0, 100) : kPolicySlotMax);
  policy.length_slots = *rc::gen::inRange<std::uint64_t>(1, std::min<std::uint64_t>(policy.interval.slots(), 20) + 1);
  policy.magnitude_steps = any<bool>() ? *rc::gen::inRange<std::uint64_t>(1, 5000) : kMagnitudeStepsMax;
  policy.epsilon = Budget::from_units(any<std::uint64_t>());
  if (any<bool>()) policy.shape = some_shape(policy.length_slots);
  return policy;
}

std::string some_name() { return *rc::gen::container<std::string>(rc::gen::arbitrary<char>()); }

Estimates some_estimates() {
  Estimates estimates{some_slot(), {}};
  for (const SeriesId series : some_series(true))
    estimates.entries.push_back({series, any<bool>() ? any<std::int64_t>() : *rc::gen::inRange(-5, 6), any<bool>()});
  return estimates;
}

LeftOut some_left_out() {
  const Slot slot = *rc::gen::inRange<Slot>(0, kPolicySlotMax);
  return {slot, slot + *rc::gen::inRange<Slot>(0, kPolicySlotMax)};
}

SignedHead some_signed_head() {
  SignedHead head;
  for (unsigned char& byte : head.signature) byte = any<unsigned char>();
  return head;
}

Digest some_digest() {
  Digest digest;
  for (unsigned char& byte : digest) byte = any<unsigned char>();
  return digest;
}

LedgerRecord some_record() {
  switch (*rc::gen::inRange(0, 18)) {
    case 0: return MissingSeries{some_slot(), some_series(true)};
    case 1: return SlotEnd{some_slot(), *rc::gen::inRange<std::int32_t>(-86400, 86401), any<double>()};
    case 2: return Resumed{some_slot()};
    case 3: return Delivered{some_slot()};
    case 4: return StreamEnd{};
    case 5: return Failed{some_slot()};
    case 6: return PolicyStated{some_slot(), some_name(), some_series(true), some_policy()};
    case 7: return PolicyWithdrawn{some_slot(), some_name(), some_policy()};
    case 8: return some_estimates();
    case 9: return some_left_out();
    case 10: return some_signed_head();
    case 11: return UnitPlaced{some_slot(), some_name(), std::nullopt, {some_name(), some_name()}};
    case 12: return UnitPlaced{some_slot(), some_name(), *rc::gen::inRange<std::uint32_t>(0, ~std::uint32_t{0})};
    case 13: return VersionUsed{some_slot(), some_digest()};
    default: return some_answer();
  }
}

std::vector<LedgerRecord> decode(std::string_view bytes) {
  ledger_format::Decoder decoder;
  decoder.start(bytes);
  std::vector<LedgerRecord> records;
  while (!decoder.at_end()) {
    auto record = decoder.next();
    if (!record) break;
    records.push_back(*std::move(record));
  }
  return records;
}

RC_GTEST_PROP(LedgerFormat, RecordsComeBackAsTheyWere, ()) {
  std::vector<LedgerRecord> records;
  const int count = *rc::gen::inRange(0, 20);
  for (int i = 0; i < count; ++i)  // repeats, because they are abbreviated
    records.push_back(!records.empty() && *rc::gen::inRange(0, 3) == 0 ? records.back() : some_record());
  ledger_format::Encoder encoder;
  for (const LedgerRecord& record : records) encoder.add(record);
  RC_ASSERT(same(decode(encoder.bytes()), records));
}

RC_GTEST_PROP(LedgerFormat, ARecordThatIsCutIsNone, ()) {
  std::vector<LedgerRecord> records;
  std::vector<std::size_t> ends;
  ledger_format::Encoder encoder;
  const int count = *rc::gen::inRange(1, 4);
  for (int i = 0; i < count; ++i) {
    records.push_back(some_record());
    encoder.add(records.back());
    ends.push_back(encoder.bytes().size());
  }
  for (std::size_t cut = 0; cut < encoder.bytes().size(); ++cut) {
    const auto whole = std::upper_bound(ends.begin(), ends.end(), cut) - ends.begin();
    RC_ASSERT(same(decode(encoder.bytes().substr(0, cut)), {records.begin(), records.begin() + whole}));
  }
}

/// Whether a ledger that states this policy is read.
bool is_read(const Policy& policy) {
  ledger_format::Encoder encoder;
  encoder.add(PolicyStated{5, "m1", {0}, policy});
  encoder.add(SlotEnd{5, 0, 0});  // something has to follow: counts are checked against the bytes that are left
  return !decode(encoder.bytes()).empty();
}

TEST(LedgerFormat, PoliciesThatNobodyCanStateAreRefused) {
  const auto with = [](auto change) {
    Policy policy{.interval = {10, 19}, .length_slots = 10, .magnitude_steps = 1, .epsilon = Budget::from_units(1)};
    change(policy);
    return policy;
  };
  const auto shaped = [&](std::vector<Lane> lanes) {
    return with([&](Policy& policy) {
      policy.shape = std::make_shared<const Shape>(Shape{.alternatives = {Profile{.lanes = std::move(lanes)}}});
    });
  };
  EXPECT_TRUE(is_read(with([](Policy&) {})));
  EXPECT_FALSE(is_read(with([](Policy& policy) { policy.length_slots = 0; })));
  EXPECT_FALSE(is_read(with([](Policy& policy) { policy.length_slots = 11; })));
  EXPECT_FALSE(is_read(with([](Policy& policy) { policy.magnitude_steps = 0; })));
  EXPECT_TRUE(is_read(with([](Policy& policy) { policy.magnitude_steps = kMagnitudeStepsMax; })));
  EXPECT_FALSE(is_read(with([](Policy& policy) { policy.magnitude_steps = kMagnitudeStepsMax + 1; })));
  EXPECT_TRUE(is_read(with([](Policy& policy) { policy.interval = {kPolicySlotMax, 2 * kPolicySlotMax}; })));
  EXPECT_FALSE(is_read(with([](Policy& policy) { policy.interval = {kPolicySlotMax + 1, kPolicySlotMax + 10}; })));
  EXPECT_FALSE(is_read(with([](Policy& policy) { policy.interval = {0, kPolicySlotMax + 1}; })));

  const std::vector<std::uint64_t> ten(10, 1);
  EXPECT_TRUE(is_read(shaped({{.series = {}, .steps = ten}, {.series = {}, .steps = ten}})));
  EXPECT_FALSE(is_read(shaped({}))) << "a profile without lanes";
  EXPECT_FALSE(is_read(shaped({{.series = {}, .steps = {}}}))) << "a lane without slots";
  EXPECT_FALSE(is_read(shaped({{.series = {}, .steps = ten}, {.series = {}, .steps = {1}}})))
      << "lanes of different lengths";
  EXPECT_FALSE(is_read(shaped({{.series = {}, .steps = std::vector<std::uint64_t>(11, 1)}})))
      << "longer than the policy's length";
  EXPECT_TRUE(is_read(shaped({{.series = {}, .steps = {kMagnitudeStepsMax}}})));
  EXPECT_FALSE(is_read(shaped({{.series = {}, .steps = {kMagnitudeStepsMax + 1}}})));
}

RC_GTEST_PROP(LedgerFormat, ADiscardedSlotLeavesNoTrace, ()) {
  ledger_format::Encoder encoder;
  std::vector<LedgerRecord> kept;
  const int slots = *rc::gen::inRange(1, 6);
  for (Slot slot = 0; slot < slots; ++slot) {
    std::vector<LedgerRecord> open;
    const int answers = *rc::gen::inRange(0, 3);
    for (int i = 0; i < answers; ++i) {
      Answer answer = some_answer();
      answer.slot = answer.first_slot = slot;
      if (any<bool>()) answer.series = {0};
      if (answer.statistic == Statistic::value) answer.statistic = Statistic::sum;
      answer.parameter.resize(answer.is_comparison() ? 2 : 1);
      answer.values.assign(1, 1);
      open.emplace_back(answer);
    }
    for (const LedgerRecord& record : open) encoder.add(record);
    if (any<bool>()) {
      encoder.discard_open_slot();
      continue;
    }
    kept.insert(kept.end(), open.begin(), open.end());
    kept.emplace_back(SlotEnd{slot, 0, 0.5});
    encoder.add(kept.back());
  }
  encoder.discard_open_slot();
  RC_ASSERT(same(decode(encoder.bytes()), kept));
}

RC_GTEST_PROP(LedgerFormat, AnyBytesAreDecodedOrRefused, ()) {
  const auto bytes = *rc::gen::container<std::string>(rc::gen::arbitrary<char>());
  decode(bytes);
}

RC_GTEST_PROP(LedgerFormat, HeadersComeBackWithOddNames, ()) {
  const auto name = rc::gen::container<std::string>(rc::gen::arbitrary<char>());
  LedgerHeader header = header_of(define(Protects::w_event, 0.3, 1e-7, 5), expose({3, 1, 7}, {{0, 2}, {1}, {}}));
  header.series = {*name, *name, *name};
  header.facts = {{"unit-step", *name}, {"filter", ""}, {"clock", *name}};
  const auto back = LedgerHeader::from_text(header.to_text());
  RC_ASSERT(back.has_value());
  RC_ASSERT(back->series == header.series);
  RC_ASSERT(back->facts == header.facts);
  RC_ASSERT(back->to_text() == header.to_text());
}

TEST(LedgerHeader, KeepsEveryKindOfPromiseExactly) {
  for (const Definition& definition :
       {define(Protects::event, 0.1), define(Protects::user, 1 / 3.0, 1e-300, std::uint64_t{1} << 40),
        define(Protects::w_event, 32768, 0.999999, 16777216)}) {
    const LedgerHeader header = header_of(definition, expose({1, std::uint64_t{1} << 40}, {{0, 1}}));
    const auto back = LedgerHeader::from_text(header.to_text());
    ASSERT_TRUE(back);
    EXPECT_EQ(back->definition.protects(), definition.protects());
    EXPECT_EQ(back->definition.epsilon().value(), definition.epsilon().value());
    EXPECT_EQ(back->definition.delta().value(), definition.delta().value());
    EXPECT_EQ(back->definition.window_slots(), definition.window_slots());
    EXPECT_EQ(back->exposure.sensitivity_steps(1), std::uint64_t{1} << 40);
  }
}

TEST(LedgerHeader, KeepsPoliciesWithWhatHoldsBesides) {
  for (const Definition& definition :
       {define_swellfish_idle(), define_swellfish_idle(1e-9), define_swellfish(define(Protects::event, 0.1)),
        define_swellfish(define(Protects::w_event, 1 / 3.0, 1e-300, 16777216)),
        define_swellfish(define(Protects::user, 32768, 0.999999, std::uint64_t{1} << 40))}) {
    const LedgerHeader header = header_of(definition, expose({1, 7}, {{0, 1}}));
    const auto back = LedgerHeader::from_text(header.to_text());
    ASSERT_TRUE(back) << header.to_text();
    EXPECT_EQ(back->to_text(), header.to_text());
    EXPECT_EQ(back->definition.protects(), Protects::swellfish);
    EXPECT_EQ(back->definition.delta().value(), definition.delta().value());
    EXPECT_EQ(back->definition.exact_when_idle(), definition.exact_when_idle());
    ASSERT_EQ(back->definition.floor() == nullptr, definition.floor() == nullptr);
    if (definition.floor() == nullptr) continue;
    EXPECT_EQ(back->definition.floor()->protects(), definition.floor()->protects());
    EXPECT_EQ(back->definition.floor()->epsilon().value(), definition.floor()->epsilon().value());
    EXPECT_EQ(back->definition.floor()->delta().value(), definition.delta().value());
    EXPECT_EQ(back->definition.floor()->window_slots(), definition.floor()->window_slots());
  }
}

TEST(LedgerHeader, RefusesPromisesThatMakeNoSense) {
  const std::string rest = "delta 0\nseries 1 a\nsignature 0\n";
  const auto accepts = [&](const std::string& lines) { return LedgerHeader::from_text(lines + rest).has_value(); };
  EXPECT_TRUE(accepts("definition swellfish\nidle exact\n"));
  EXPECT_TRUE(accepts("definition swellfish\nfloor event 1 1\n"));
  for (const std::string lines :
       {"definition swellfish\n", "definition swellfish\nidle exact\nfloor event 1 1\n",
        "definition swellfish\nidle noisy\n", "definition swellfish\nidle exact\nepsilon 1\n",
        "definition swellfish\nidle exact\nwindow 1\n", "definition swellfish\nfloor\n",
        "definition swellfish\nfloor event 1\n", "definition swellfish\nfloor event 1 2\n",
        "definition swellfish\nfloor event 1 1 1\n", "definition swellfish\nfloor event -1 1\n",
        "definition swellfish\nfloor event nan 1\n", "definition swellfish\nfloor w-event 1 0\n",
        "definition swellfish\nfloor swellfish 1 1\n", "definition swellfish\nfloor event 1 1\nfloor event 2 1\n",
        "definition event\nepsilon 1\nwindow 1\nidle exact\n",
        "definition event\nepsilon 1\nwindow 1\nfloor event 1 1\n", "definition event\nepsilon 1\n",
        "definition event\nwindow 1\n", "definition blowfish\nidle exact\n"})
    EXPECT_FALSE(accepts(lines)) << lines;
}

TEST(LedgerHeader, RefusesDamage) {
  const std::string text = header_of(define(Protects::event, 1), expose_one(1)).to_text();
  for (std::size_t length = 0; length < text.size(); ++length) {
    const auto cut = LedgerHeader::from_text(text.substr(0, length));
    // A cut between two lines leaves a header that lacks something.
    EXPECT_TRUE(!cut || cut->to_text() != text) << length;
  }
  EXPECT_FALSE(LedgerHeader::from_text("epsilon 1\nnonsense\n"));
  EXPECT_FALSE(LedgerHeader::from_text(text + "series 1 %4\n"));
  EXPECT_FALSE(LedgerHeader::from_text(text + "series 1 %zz\n"));
  EXPECT_FALSE(LedgerHeader::from_text(text + "epsilon -1\n"));
  ASSERT_TRUE(LedgerHeader::from_text(text + "sensitivities 0 1\n"));
  EXPECT_FALSE(LedgerHeader::from_text(text + "sensitivities zero 1\n"));
  EXPECT_FALSE(LedgerHeader::from_text(text + "sensitivities 0 1x\n"));
  EXPECT_FALSE(LedgerHeader::from_text(text + "sensitivities 0 1 1\n"));
}

// --- Files ------------------------------------------------------------------------------------------------------

Answer value_answer(Slot slot, std::int64_t value) {
  Answer answer;
  answer.slot = answer.first_slot = slot;
  answer.series = {0};
  answer.parameter = {{7, 2}};
  answer.values = {value};
  return answer;
}

/// A header and four frames of one to three slots.
std::vector<std::vector<LedgerRecord>> small_frames() {
  std::vector<std::vector<LedgerRecord>> frames;
  Slot slot = 0;
  for (int length = 1; length <= 4; ++length) {
    std::vector<LedgerRecord>& frame = frames.emplace_back();
    for (int i = 0; i < 1 + length % 3; ++i, ++slot) {
      frame.emplace_back(value_answer(slot, 10 * slot - 3));
      frame.emplace_back(SlotEnd{slot, 3600, 2.0 / 7});
    }
    frame.emplace_back(Delivered{slot - 1});
  }
  frames.back().emplace_back(StreamEnd{});
  return frames;
}

class LedgerFile : public ::testing::Test {
 protected:
  void SetUp() override {
    write_ledger(path_, header_, frames_);
    bytes_ = read_file(path_);
    std::uint64_t offset = ledger_format::kMagic.size();
    starts_.push_back(offset);
    // Frame boundaries, found by reading as many records as each frame holds.
    auto reader = LedgerReader::open(path_);
    ASSERT_TRUE(reader);
    starts_.push_back(reader->intact_bytes());
    for (const auto& frame : frames_) {
      for (std::size_t i = 0; i < frame.size(); ++i) {
        const auto record = reader->next();
        ASSERT_TRUE(record && *record);
      }
      starts_.push_back(reader->intact_bytes());
    }
    ASSERT_EQ(starts_.back(), bytes_.size());
  }

  std::vector<LedgerRecord> all_records() const {
    std::vector<LedgerRecord> all;
    for (const auto& frame : frames_) all.insert(all.end(), frame.begin(), frame.end());
    return all;
  }
  std::size_t records_before_frame(std::size_t frame) const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < frame; ++i) count += frames_[i].size();
    return count;
  }
  std::string frame_bytes(std::size_t piece) const {
    return bytes_.substr(starts_[piece], starts_[piece + 1] - starts_[piece]);
  }
  /// The records are a prefix of the true ones, made of whole frames.
  void expect_whole_frames(const std::vector<LedgerRecord>& records, const std::string& where) const {
    const auto all = all_records();
    ASSERT_LE(records.size(), all.size()) << where;
    EXPECT_TRUE(same(records, {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(records.size())})) << where;
    bool whole = false;
    for (std::size_t frame = 0; frame <= frames_.size(); ++frame)
      whole = whole || records.size() == records_before_frame(frame);
    EXPECT_TRUE(whole) << where;
  }

  TempDir dir_;
  std::string path_ = dir_ / "run.ledger";
  std::string copy_ = dir_ / "copy.ledger";
  LedgerHeader header_ = header_of(define(Protects::w_event, 1, 0, 4), expose_one(1));
  std::vector<std::vector<LedgerRecord>> frames_ = small_frames();
  std::string bytes_;
  std::vector<std::uint64_t> starts_;  // of the header's frame and of each other, and the end
};

TEST_F(LedgerFile, ComesBackAsWritten) {
  const ReadLedger read = read_ledger(path_);
  EXPECT_TRUE(read.opened);
  EXPECT_FALSE(read.damaged);
  EXPECT_FALSE(read.torn);
  EXPECT_TRUE(same(read.records, all_records()));
}

TEST_F(LedgerFile, NoticesEveryFlippedBit) {
  const std::uint64_t last_frame = starts_[starts_.size() - 2];
  for (std::size_t byte = 0; byte < bytes_.size(); ++byte) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = bytes_;
      changed[byte] = static_cast<char>(changed[byte] ^ (1 << bit));
      write_file(copy_, changed);
      const ReadLedger read = read_ledger(copy_);
      const std::string where = "byte " + std::to_string(byte) + ", bit " + std::to_string(bit);
      if (byte < starts_[1]) {
        EXPECT_FALSE(read.opened) << where;
      } else if (byte < last_frame) {
        EXPECT_TRUE(read.damaged) << where;
      } else {
        EXPECT_TRUE(read.damaged || read.torn) << where;
      }
      expect_whole_frames(read.records, where);
      if (read.opened) {
        EXPECT_LE(read.records.size(), records_before_frame(frames_.size() - 1)) << where;
      }
    }
  }
}

TEST_F(LedgerFile, NoticesAFrameThatIsGone) {
  for (std::size_t piece = 0; piece + 2 < starts_.size(); ++piece) {  // without the last there is just an earlier file
    write_file(copy_, bytes_.substr(0, starts_[piece]) + bytes_.substr(starts_[piece + 1]));
    const ReadLedger read = read_ledger(copy_);
    EXPECT_TRUE(!read.opened || read.damaged || read.torn) << piece;
    expect_whole_frames(read.records, "without frame " + std::to_string(piece));
  }
}

TEST_F(LedgerFile, NoticesAFrameThatComesTwice) {
  for (std::size_t piece = 0; piece + 1 < starts_.size(); ++piece) {
    write_file(copy_, bytes_.substr(0, starts_[piece + 1]) + frame_bytes(piece) + bytes_.substr(starts_[piece + 1]));
    const ReadLedger read = read_ledger(copy_);
    EXPECT_TRUE(!read.opened || read.damaged || read.torn) << piece;
    expect_whole_frames(read.records, "twice frame " + std::to_string(piece));
  }
}

TEST_F(LedgerFile, NoticesFramesThatChangedPlaces) {
  for (std::size_t a = 0; a + 1 < starts_.size(); ++a) {
    for (std::size_t b = a + 1; b + 1 < starts_.size(); ++b) {
      std::string changed = bytes_.substr(0, starts_[0]);
      for (std::size_t piece = 0; piece + 1 < starts_.size(); ++piece)
        changed += frame_bytes(piece == a ? b : piece == b ? a : piece);
      write_file(copy_, changed);
      const ReadLedger read = read_ledger(copy_);
      EXPECT_TRUE(!read.opened || read.damaged) << a << " and " << b;
      expect_whole_frames(read.records, "swapped");
    }
  }
}

TEST_F(LedgerFile, CutAnywhereKeepsWholeFramesAndGoesOn) {
  for (std::size_t length = 0; length < bytes_.size(); ++length) {
    write_file(copy_, bytes_.substr(0, length));
    const std::string where = "cut at " + std::to_string(length);
    const ReadLedger read = read_ledger(copy_);
    ASSERT_EQ(read.opened, length >= starts_[1]) << where;
    if (!read.opened) continue;
    EXPECT_FALSE(read.damaged) << where;
    const bool at_boundary = std::find(starts_.begin(), starts_.end(), length) != starts_.end();
    EXPECT_EQ(read.torn, !at_boundary) << where;
    expect_whole_frames(read.records, where);

    auto writer = LedgerWriter::reopen(copy_);
    ASSERT_TRUE(writer) << where;
    auto reader = LedgerReader::open(copy_);
    ASSERT_TRUE(reader) << where;
    for (;;) {
      const auto record = reader->next();
      ASSERT_TRUE(record) << where;
      if (!*record) break;
    }
    ASSERT_TRUE(writer->continue_after(*reader)) << where;
    writer->append(LedgerRecord(Resumed{77}));
    ASSERT_TRUE(writer->commit()) << where;
    std::vector<LedgerRecord> expected = read.records;
    expected.emplace_back(Resumed{77});
    const ReadLedger again = read_ledger(copy_);
    EXPECT_FALSE(again.damaged || again.torn) << where;
    EXPECT_TRUE(same(again.records, expected)) << where;
  }
}

TEST_F(LedgerFile, ATailOfZerosIsAnUnfinishedFrame) {
  for (const std::size_t zeros : std::vector<std::size_t>{1, 39, 40, 41, 5000}) {
    write_file(copy_, bytes_ + std::string(zeros, '\0'));
    const ReadLedger read = read_ledger(copy_);
    EXPECT_TRUE(read.torn) << zeros;
    EXPECT_FALSE(read.damaged) << zeros;
    EXPECT_TRUE(same(read.records, all_records()));
    write_file(copy_, bytes_ + std::string(zeros + 40, '\0') + "x");
    EXPECT_TRUE(read_ledger(copy_).damaged) << zeros;
  }
}

TEST_F(LedgerFile, HasOneWriterAtATime) {
  auto first = LedgerWriter::reopen(path_);
  ASSERT_TRUE(first);
  const auto second = LedgerWriter::reopen(path_);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().cause, Cause::environment);
  first = Error{Cause::usage, "closed"};
  EXPECT_TRUE(LedgerWriter::reopen(path_));
}

TEST_F(LedgerFile, IsLockedFromItsCreationOn) {
  const auto creator = LedgerWriter::create(copy_, header_);
  ASSERT_TRUE(creator);
  const auto second = LedgerWriter::reopen(copy_);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().cause, Cause::environment);
}

TEST_F(LedgerFile, IsNotCreatedOverAnother) {
  const auto again = LedgerWriter::create(path_, header_);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().cause, Cause::usage);
  EXPECT_EQ(read_file(path_), bytes_);
  EXPECT_FALSE(std::filesystem::exists(path_ + ".new"));
}

TEST_F(LedgerFile, IsNotReadableByOthers) {
  const auto mode = std::filesystem::status(path_).permissions();
  EXPECT_EQ(mode & (std::filesystem::perms::group_all | std::filesystem::perms::others_all),
            std::filesystem::perms::none);
}

TEST_F(LedgerFile, FailsWhereThereIsNoDirectory) {
  const auto writer = LedgerWriter::create(dir_ / "nowhere/run.ledger", header_);
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.error().cause, Cause::environment);
  EXPECT_EQ(LedgerReader::open(dir_ / "nothing").error().cause, Cause::usage);
}

/// While it lives, files cannot grow beyond `bytes`: a disk that is full, for one process.
class FullDisk {
 public:
  explicit FullDisk(std::uint64_t bytes) : handler_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &usual_);
    rlimit small = usual_;
    small.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &usual_);
    ::signal(SIGXFSZ, handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit usual_{};
  void (*handler_)(int);
};

TEST_F(LedgerFile, AfterAFullDiskOnlyANewRunGoesOn) {
  auto writer = LedgerWriter::create(copy_, header_);
  ASSERT_TRUE(writer);
  for (const LedgerRecord& record : frames_[0]) writer->append(record);
  ASSERT_TRUE(writer->commit());
  const std::uint64_t intact = std::filesystem::file_size(copy_);
  for (const LedgerRecord& record : frames_[1]) writer->append(record);
  {
    const FullDisk full(intact + 5);
    const auto failed = writer->commit();
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().cause, Cause::environment);
  }
  // There is room again, but half a frame lies before.
  EXPECT_FALSE(writer->commit());
  EXPECT_EQ(std::filesystem::file_size(copy_), intact + 5);
  const ReadLedger read = read_ledger(copy_);
  EXPECT_TRUE(read.torn);
  EXPECT_TRUE(same(read.records, frames_[0]));
}

TEST_F(LedgerFile, DoesNotEndWithinASlot) {
  auto writer = LedgerWriter::create(copy_, header_);
  ASSERT_TRUE(writer);
  writer->append(value_answer(0, 1));
  EXPECT_DEATH(static_cast<void>(writer->commit()), "broken invariant");
  writer->abandon_slot(0);
  EXPECT_TRUE(writer->commit());
}

TEST_F(LedgerFile, AnswersOfASlotThatFailsStayOnRecord) {
  auto writer = LedgerWriter::create(copy_, header_);
  ASSERT_TRUE(writer);
  writer->append(LedgerRecord(MissingSeries{0, {0}}));
  writer->abandon_slot(0);
  EXPECT_EQ(writer->pending_bytes(), 0u) << "nothing was drawn, so nothing is left to remember";
  writer->append(value_answer(0, 1));
  writer->abandon_slot(0);
  ASSERT_TRUE(writer->commit());
  const ReadLedger read = read_ledger(copy_);
  ASSERT_EQ(read.records.size(), 2u);
  EXPECT_TRUE(std::holds_alternative<Answer>(read.records[0]));
  EXPECT_TRUE(std::holds_alternative<Failed>(read.records[1]));
}

TEST_F(LedgerFile, OfAnOlderVersionIsNamedAsSuch) {
  write_file(copy_, "fuguled1" + bytes_.substr(8));
  const auto reader = LedgerReader::open(copy_);
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().cause, Cause::bad_input);
  EXPECT_NE(reader.error().message.find("older version"), std::string::npos) << reason(reader);
}

TEST_F(LedgerFile, ADamagedOneGivesNoAdviceThatSpendsTwice) {
  std::string changed = bytes_;
  changed[starts_[2] + 50] = static_cast<char>(changed[starts_[2] + 50] ^ 1);
  write_file(copy_, changed);
  auto reader = LedgerReader::open(copy_);
  ASSERT_TRUE(reader);
  for (;;) {
    const auto record = reader->next();
    if (!record) {
      EXPECT_EQ(record.error().message.find("from a backup"), std::string::npos) << reason(record);
      EXPECT_NE(record.error().message.find("fresh noise"), std::string::npos) << reason(record);
      return;
    }
    ASSERT_TRUE(record->has_value()) << "the damage was not noticed";
  }
}

TEST_F(LedgerFile, RewritingItGivesOtherHeads) {
  // An ε = 10 run rewritten as ε = 1, frame by frame and in order: it reads well, but continues no head that was kept.
  const auto heads_of = [](const std::string& path) {
    std::vector<Digest> heads;
    auto reader = LedgerReader::open(path);
    while (*reader->next()) {
      if (heads.empty() || heads.back() != reader->head().seal) heads.push_back(reader->head().seal);
    }
    return heads;
  };
  write_ledger(copy_, header_of(define(Protects::w_event, 0.5, 0, 4), expose_one(1)), frames_);
  const auto before = heads_of(path_);
  const auto after = heads_of(copy_);
  ASSERT_EQ(before.size(), frames_.size());
  ASSERT_EQ(after.size(), frames_.size());
  for (const Digest& head : before) EXPECT_EQ(std::count(after.begin(), after.end(), head), 0);
}

TEST_F(LedgerFile, OtherFilesAreNotLedgers) {
  for (const std::string& bytes : {std::string(), std::string("fuguled"), std::string("time,a\n0,1\n")}) {
    write_file(copy_, bytes);
    const auto reader = LedgerReader::open(copy_);
    ASSERT_FALSE(reader);
    EXPECT_EQ(reader.error().cause, Cause::bad_input);
  }
}

}  // namespace
}  // namespace fugu::test
