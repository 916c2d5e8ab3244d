#include "ledger_format.hpp"

#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace fugu::ledger_format {

namespace {

enum Tag : char {
  kMissing = 'M',
  kAnswer = 'A',
  kEstimates = 'V',
  kSlotEnd = 'S',
  kFailed = 'F',
  kResumed = 'R',
  kDelivered = 'D',
  kStreamEnd = 'E',
  kPolicyStated = 'P',
  kPolicyWithdrawn = 'W',
  kLeftOut = 'L',
  kSignedHead = 'H',
  kUnitPlaced = 'U',
  kVersionUsed = 'T'
};

// Flags of an answer; the low two bits are the statistic.
constexpr unsigned kGaussian = 1 << 2;
constexpr unsigned kSameSeries = 1 << 3;
constexpr unsigned kSameParameter = 1 << 4;
constexpr unsigned kSession = 1 << 5;
constexpr unsigned kReachesBack = 1 << 6;
constexpr unsigned kExact = 1 << 7;

// Flags of estimates.
constexpr unsigned kSameEntries = 1 << 0;  // the same series and sampled flags as before; only the steps follow

// Flags of a slot end.
constexpr unsigned kSameOffset = 1 << 0;
constexpr unsigned kSameRate = 1 << 1;

void put_varint(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

void put_signed(std::string& out, std::int64_t value) {
  put_varint(out, (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
}

template <class T>
void put_fixed(std::string& out, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) out.push_back(static_cast<char>(value >> (8 * i)));
}

template <class T>
T get_fixed(const char* bytes) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) value |= static_cast<T>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  return value;
}

void put_series(std::string& out, const std::vector<SeriesId>& series) {
  put_varint(out, series.size());
  for (const SeriesId id : series) put_varint(out, id);
}

void put_text(std::string& out, std::string_view text) {
  put_varint(out, text.size());
  out += text;
}

bool same_but_for_steps(const std::vector<Estimates::Entry>& a, const std::vector<Estimates::Entry>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Estimates::Entry& x, const Estimates::Entry& y) {
    return x.series == y.series && x.sampled == y.sampled;
  });
}

bool same(const std::vector<Rational>& a, const std::vector<Rational>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].num != b[i].num || a[i].den != b[i].den) return false;
  }
  return true;
}

}  // namespace

Digest seal_of(std::string_view payload, const Digest& before) { return sha256({as_text(before), payload}); }

namespace {

std::uint32_t check_of(std::string_view length, std::uint64_t position) {
  return static_cast<std::uint32_t>(XXH3_64bits_withSeed(length.data(), length.size(), position));
}

}  // namespace

std::string frame_head(const Digest& seal, std::size_t payload_bytes, std::uint64_t position) {
  std::string head;
  put_fixed(head, static_cast<std::uint32_t>(payload_bytes));
  put_fixed(head, check_of(head, position));
  head += as_text(seal);
  return head;
}

std::optional<std::uint32_t> parse_frame_head(const char* bytes, std::uint64_t position, Digest& seal) {
  if (get_fixed<std::uint32_t>(bytes + 4) != check_of({bytes, 4}, position)) return std::nullopt;
  std::memcpy(seal.data(), bytes + 8, seal.size());
  return get_fixed<std::uint32_t>(bytes);
}

Error damaged_at(const std::string& name, std::uint64_t position) {
  return {Cause::bad_input, name + ": damaged at byte " + std::to_string(position) +
                                ": a frame does not continue the chain. Put back a copy that has everything handed "
                                "out so far; going on from an older one would draw fresh noise for slots that were "
                                "handed out (docs/guarantees/ledger.md, \"Rollback\")"};
}

void Encoder::clear() {
  bytes_.clear();
  closed_bytes_ = 0;
  closed_slot_ = 0;
  open_answers_ = false;
  slot_ = 0;
  series_.clear();
  parameter_.clear();
  estimated_.clear();
  end_ = {};
}

void Encoder::add(const LedgerRecord& record) {
  std::visit([this](const auto& r) { put(r); }, record);
  const bool within_slot = std::holds_alternative<MissingSeries>(record) || std::holds_alternative<Answer>(record) ||
                           std::holds_alternative<Estimates>(record);
  if (within_slot) return;
  closed_bytes_ = bytes_.size();
  closed_slot_ = slot_;
  open_answers_ = false;
}

void Encoder::discard_open_slot() {
  bytes_.resize(closed_bytes_);
  slot_ = closed_slot_;
  open_answers_ = false;
  // The reader will not have seen what was discarded: the next answer spells everything out.
  series_.clear();
  parameter_.clear();
  estimated_.clear();
}

void Encoder::add(const Answer& answer) { put(answer); }
void Encoder::add(const Estimates& estimates) { put(estimates); }

void Encoder::put_slot(Slot slot) {
  put_signed(bytes_, slot - slot_);
  slot_ = slot;
}

void Encoder::put(const MissingSeries& record) {
  bytes_.push_back(kMissing);
  put_slot(record.slot);
  put_series(bytes_, record.series);
}

void Encoder::put(const Answer& answer) {
  open_answers_ = true;
  unsigned flags = static_cast<unsigned>(answer.statistic);
  if (answer.noise == NoiseKind::gaussian) flags |= kGaussian;
  if (answer.noise == NoiseKind::none) flags |= kExact;
  if (answer.series == series_) flags |= kSameSeries;
  if (same(answer.parameter, parameter_)) flags |= kSameParameter;
  if (answer.session != 0) flags |= kSession;
  if (answer.first_slot != answer.slot) flags |= kReachesBack;
  bytes_.push_back(kAnswer);
  bytes_.push_back(static_cast<char>(flags));
  put_slot(answer.slot);
  if (flags & kReachesBack) put_varint(bytes_, static_cast<std::uint64_t>(answer.slot - answer.first_slot));
  if (flags & kSession) put_varint(bytes_, answer.session);
  if (!(flags & kSameSeries)) {
    put_series(bytes_, answer.series);
    series_ = answer.series;
  }
  if (!(flags & kSameParameter)) {
    put_varint(bytes_, answer.parameter.size());
    for (const Rational& p : answer.parameter) {
      put_varint(bytes_, p.num);
      put_varint(bytes_, p.den);
    }
    parameter_ = answer.parameter;
  }
  for (const std::int64_t value : answer.values) put_signed(bytes_, value);
}

void Encoder::put(const Estimates& record) {
  const bool same_entries = !record.entries.empty() && same_but_for_steps(record.entries, estimated_);
  bytes_.push_back(kEstimates);
  bytes_.push_back(static_cast<char>(same_entries ? kSameEntries : 0));
  put_slot(record.slot);
  if (!same_entries) {
    put_varint(bytes_, record.entries.size());
    for (const Estimates::Entry& entry : record.entries)
      put_varint(bytes_, (std::uint64_t{entry.series} << 1) | (entry.sampled ? 1 : 0));
    estimated_ = record.entries;
  }
  for (const Estimates::Entry& entry : record.entries) put_signed(bytes_, entry.steps);
}

void Encoder::put(const SlotEnd& record) {
  unsigned flags = 0;
  if (record.utc_offset_s == end_.utc_offset_s) flags |= kSameOffset;
  if (std::bit_cast<std::uint64_t>(record.loss_rate) == std::bit_cast<std::uint64_t>(end_.loss_rate))
    flags |= kSameRate;
  bytes_.push_back(kSlotEnd);
  bytes_.push_back(static_cast<char>(flags));
  put_slot(record.slot);
  if (!(flags & kSameOffset)) put_signed(bytes_, record.utc_offset_s);
  if (!(flags & kSameRate)) put_fixed(bytes_, std::bit_cast<std::uint64_t>(record.loss_rate));
  end_ = record;
}

void Encoder::put(const Failed& record) {
  bytes_.push_back(kFailed);
  put_slot(record.slot);
}

void Encoder::put(const Resumed& record) {
  bytes_.push_back(kResumed);
  put_slot(record.slot);
}

void Encoder::put(const Delivered& record) {
  bytes_.push_back(kDelivered);
  put_slot(record.slot);
}

void Encoder::put(const StreamEnd&) { bytes_.push_back(kStreamEnd); }

void Encoder::put(const PolicyStated& record) {
  bytes_.push_back(kPolicyStated);
  put_slot(record.slot);
  put_text(bytes_, record.meter);
  put_series(bytes_, record.signatures);
  put_policy(record.policy);
}

void Encoder::put(const UnitPlaced& record) {
  bytes_.push_back(kUnitPlaced);
  put_slot(record.slot);
  put_text(bytes_, record.unit);
  put_varint(bytes_, record.signature ? std::uint64_t{*record.signature} + 1 : 0);
  put_varint(bytes_, record.meters.size());
  for (const std::string& meter : record.meters) put_text(bytes_, meter);
}

void Encoder::put(const VersionUsed& record) {
  bytes_.push_back(kVersionUsed);
  put_slot(record.slot);
  bytes_ += as_text(record.version);
}

void Encoder::put(const PolicyWithdrawn& record) {
  bytes_.push_back(kPolicyWithdrawn);
  put_slot(record.slot);
  put_text(bytes_, record.meter);
  put_policy(record.policy);
}

void Encoder::put(const LeftOut& record) {
  bytes_.push_back(kLeftOut);
  put_slot(record.slot);
  put_varint(bytes_, static_cast<std::uint64_t>(record.next_slot - record.slot));
}

void Encoder::put(const SignedHead& record) {
  bytes_.push_back(kSignedHead);
  bytes_ += as_text(record.signature);
}

void Encoder::put_policy(const Policy& policy) {
  put_varint(bytes_, static_cast<std::uint64_t>(policy.interval.first));
  put_varint(bytes_, static_cast<std::uint64_t>(policy.interval.last - policy.interval.first));
  put_varint(bytes_, policy.length_slots);
  put_varint(bytes_, policy.magnitude_steps);
  put_varint(bytes_, policy.epsilon.units());
  put_varint(bytes_, policy.shape ? policy.shape->alternatives.size() : 0);
  if (!policy.shape) return;
  for (const Profile& profile : policy.shape->alternatives) {
    put_varint(bytes_, profile.lanes.size());
    for (const Lane& lane : profile.lanes) {
      put_varint(bytes_, lane.series ? std::uint64_t{*lane.series} + 1 : 0);
      put_varint(bytes_, lane.steps.size());
      for (const std::uint64_t steps : lane.steps) put_varint(bytes_, steps);
    }
  }
}

void Decoder::start(std::string_view payload) {
  rest_ = payload;
  slot_ = 0;
  series_.clear();
  parameter_.clear();
  estimated_.clear();
  end_ = {};
}

bool Decoder::get(std::uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return shift < 63 || byte <= 1;
  }
  return false;
}

bool Decoder::get_signed(std::int64_t& value) {
  std::uint64_t raw = 0;
  if (!get(raw)) return false;
  value = static_cast<std::int64_t>(raw >> 1) ^ -static_cast<std::int64_t>(raw & 1);
  return true;
}

bool Decoder::get_slot(Slot& slot) {
  std::int64_t step = 0;
  if (!get_signed(step) || __builtin_add_overflow(slot_, step, &slot_) || slot_ < 0) return false;
  slot = slot_;
  return true;
}

bool Decoder::get_series(std::vector<SeriesId>& series) {
  std::uint64_t count = 0;
  if (!get(count) || count > rest_.size()) return false;  // each id takes a byte at least
  series.clear();
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t id = 0;
    if (!get(id) || id > ~SeriesId{0}) return false;
    series.push_back(static_cast<SeriesId>(id));
  }
  return true;
}

std::optional<LedgerRecord> Decoder::get_answer() {
  if (rest_.empty()) return std::nullopt;
  const auto flags = static_cast<unsigned char>(rest_.front());
  rest_.remove_prefix(1);
  Answer answer;
  answer.statistic = static_cast<Statistic>(flags & 3);
  answer.noise = flags & kExact ? NoiseKind::none : flags & kGaussian ? NoiseKind::gaussian : NoiseKind::laplace;
  if (!get_slot(answer.slot)) return std::nullopt;
  std::uint64_t back = 0;
  if ((flags & kReachesBack) && (!get(back) || back > static_cast<std::uint64_t>(answer.slot))) return std::nullopt;
  answer.first_slot = answer.slot - static_cast<Slot>(back);
  if ((flags & kSession) && !get(answer.session)) return std::nullopt;
  if (!(flags & kSameSeries) && !get_series(series_)) return std::nullopt;
  answer.series = series_;
  if (!(flags & kSameParameter)) {
    std::uint64_t count = 0;
    if (!get(count) || count > rest_.size()) return std::nullopt;
    parameter_.resize(static_cast<std::size_t>(count));
    for (Rational& p : parameter_) {
      if (!get(p.num) || !get(p.den) || p.den == 0) return std::nullopt;
    }
  }
  answer.parameter = parameter_;
  // A scale of zero is how a true value is recorded, and nothing else is.
  for (const Rational& p : answer.parameter) {
    if ((p.num == 0) != (answer.noise == NoiseKind::none)) return std::nullopt;
  }
  const bool per_series = answer.statistic == Statistic::value && !answer.is_comparison();
  if (answer.series.empty()) return std::nullopt;
  const std::size_t expected = answer.is_comparison() ? 2 : 1;
  if (answer.parameter.size() != expected && !(per_series && answer.parameter.size() == answer.series.size()))
    return std::nullopt;
  answer.values.resize(per_series ? answer.series.size() : 1);
  for (std::int64_t& value : answer.values) {
    if (!get_signed(value)) return std::nullopt;
  }
  return answer;
}

std::optional<LedgerRecord> Decoder::get_estimates() {
  if (rest_.empty()) return std::nullopt;
  const auto flags = static_cast<unsigned char>(rest_.front());
  rest_.remove_prefix(1);
  Estimates record;
  if (!get_slot(record.slot)) return std::nullopt;
  if (!(flags & kSameEntries)) {
    std::uint64_t count = 0;
    if (!get(count) || count > rest_.size()) return std::nullopt;
    estimated_.resize(static_cast<std::size_t>(count));
    for (Estimates::Entry& entry : estimated_) {
      std::uint64_t packed = 0;
      if (!get(packed) || packed >> 1 > ~SeriesId{0}) return std::nullopt;
      entry = {static_cast<SeriesId>(packed >> 1), 0, (packed & 1) != 0};
    }
  }
  record.entries = estimated_;
  for (Estimates::Entry& entry : record.entries) {
    if (!get_signed(entry.steps)) return std::nullopt;
  }
  return record;
}

std::optional<LedgerRecord> Decoder::get_slot_end() {
  if (rest_.empty()) return std::nullopt;
  const auto flags = static_cast<unsigned char>(rest_.front());
  rest_.remove_prefix(1);
  if (!get_slot(end_.slot)) return std::nullopt;
  if (!(flags & kSameOffset)) {
    std::int64_t offset = 0;
    if (!get_signed(offset) || offset < -86400 || offset > 86400) return std::nullopt;
    end_.utc_offset_s = static_cast<std::int32_t>(offset);
  }
  if (!(flags & kSameRate)) {
    if (rest_.size() < 8) return std::nullopt;
    end_.loss_rate = std::bit_cast<double>(get_fixed<std::uint64_t>(rest_.data()));
    rest_.remove_prefix(8);
  }
  return end_;
}

bool Decoder::get_text(std::string& text) {
  std::uint64_t size = 0;
  if (!get(size) || size > rest_.size()) return false;
  text = rest_.substr(0, static_cast<std::size_t>(size));
  rest_.remove_prefix(static_cast<std::size_t>(size));
  return true;
}

bool Decoder::get_bytes(std::span<unsigned char> bytes) {
  if (rest_.size() < bytes.size()) return false;
  std::memcpy(bytes.data(), rest_.data(), bytes.size());
  rest_.remove_prefix(bytes.size());
  return true;
}

bool Decoder::get_lane(Lane& lane) {
  std::uint64_t series = 0;
  std::uint64_t slots = 0;
  if (!get(series) || series > ~SeriesId{0} || !get(slots) || slots > rest_.size()) return false;
  if (series > 0) lane.series = static_cast<SeriesId>(series - 1);
  lane.steps.resize(static_cast<std::size_t>(slots));
  for (std::uint64_t& steps : lane.steps) {
    if (!get(steps) || steps > kMagnitudeStepsMax) return false;
  }
  return true;
}

bool Decoder::get_policy(Policy& policy) {
  std::uint64_t first = 0;
  std::uint64_t more = 0;
  std::uint64_t epsilon = 0;
  std::uint64_t alternatives = 0;
  if (!get(first) || !get(more) || !get(policy.length_slots) || !get(policy.magnitude_steps) || !get(epsilon) ||
      !get(alternatives))
    return false;
  constexpr auto kSlotMax = static_cast<std::uint64_t>(kPolicySlotMax);
  if (first > kSlotMax || more > kSlotMax || policy.length_slots < 1 || policy.length_slots > more + 1 ||
      policy.magnitude_steps < 1 || policy.magnitude_steps > kMagnitudeStepsMax || alternatives > rest_.size())
    return false;
  policy.interval = {static_cast<Slot>(first), static_cast<Slot>(first + more)};
  policy.epsilon = Budget::from_units(epsilon);
  if (alternatives == 0) return true;
  auto shape = std::make_shared<Shape>();
  shape->alternatives.resize(static_cast<std::size_t>(alternatives));
  for (Profile& profile : shape->alternatives) {
    std::uint64_t lanes = 0;
    if (!get(lanes) || lanes < 1 || lanes > rest_.size()) return false;
    profile.lanes.resize(static_cast<std::size_t>(lanes));
    for (Lane& lane : profile.lanes) {
      if (!get_lane(lane) || lane.steps.empty() || lane.steps.size() != profile.lanes[0].steps.size() ||
          lane.steps.size() > policy.length_slots)
        return false;
    }
  }
  policy.shape = std::move(shape);
  return true;
}

std::optional<LedgerRecord> Decoder::get_policy_stated() {
  PolicyStated record;
  if (!get_slot(record.slot) || !get_text(record.meter) || !get_series(record.signatures) || !get_policy(record.policy))
    return std::nullopt;
  return record;
}

std::optional<LedgerRecord> Decoder::get_unit_placed() {
  UnitPlaced record;
  std::uint64_t signature = 0;
  if (!get_slot(record.slot) || !get_text(record.unit) || !get(signature) || signature > ~std::uint32_t{0})
    return std::nullopt;
  if (signature > 0) record.signature = static_cast<std::uint32_t>(signature - 1);
  std::uint64_t meters = 0;
  if (!get(meters)) return std::nullopt;
  for (std::string meter; meters > 0; --meters) {  // one by one: the count may be wrong
    if (!get_text(meter)) return std::nullopt;
    record.meters.push_back(std::move(meter));
  }
  return record;
}

std::optional<LedgerRecord> Decoder::get_policy_withdrawn() {
  PolicyWithdrawn record;
  if (!get_slot(record.slot) || !get_text(record.meter) || !get_policy(record.policy)) return std::nullopt;
  return record;
}

std::optional<LedgerRecord> Decoder::get_left_out() {
  LeftOut record;
  std::uint64_t slots = 0;
  if (!get_slot(record.slot) || record.slot > kPolicySlotMax || !get(slots) ||
      slots > static_cast<std::uint64_t>(kPolicySlotMax))
    return std::nullopt;
  record.next_slot = record.slot + static_cast<Slot>(slots);
  return record;
}

std::optional<LedgerRecord> Decoder::get_signed_head() {
  SignedHead record;
  if (!get_bytes(record.signature)) return std::nullopt;
  return record;
}

std::optional<LedgerRecord> Decoder::get_version_used() {
  VersionUsed record;
  if (!get_slot(record.slot) || !get_bytes(record.version)) return std::nullopt;
  return record;
}

template <class Record>
std::optional<LedgerRecord> Decoder::get_slot_only() {
  Record record;
  if (!get_slot(record.slot)) return std::nullopt;
  return record;
}

std::optional<LedgerRecord> Decoder::next() {
  if (rest_.empty()) return std::nullopt;
  const char tag = rest_.front();
  rest_.remove_prefix(1);
  switch (tag) {
    case kMissing: {
      MissingSeries record;
      if (!get_slot(record.slot) || !get_series(record.series)) return std::nullopt;
      return record;
    }
    case kAnswer: return get_answer();
    case kEstimates: return get_estimates();
    case kSlotEnd: return get_slot_end();
    case kFailed: return get_slot_only<Failed>();
    case kResumed: return get_slot_only<Resumed>();
    case kDelivered: return get_slot_only<Delivered>();
    case kStreamEnd: return StreamEnd{};
    case kPolicyStated: return get_policy_stated();
    case kPolicyWithdrawn: return get_policy_withdrawn();
    case kLeftOut: return get_left_out();
    case kSignedHead: return get_signed_head();
    case kUnitPlaced: return get_unit_placed();
    case kVersionUsed: return get_version_used();
    default: return std::nullopt;
  }
}

}  // namespace fugu::ledger_format
