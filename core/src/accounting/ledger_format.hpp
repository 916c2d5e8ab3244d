// The bytes of a ledger: framing and the encoding of records, shared by reader and writer.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "fugu/accounting/ledger.hpp"

namespace fugu::ledger_format {

inline constexpr std::string_view kMagic = "fuguled2";
inline constexpr std::string_view kMagicBefore = "fuguled1";
inline constexpr std::size_t kFrameHeadBytes = 8 + sizeof(Digest);
inline constexpr std::uint32_t kLargestFrameBytes = 1u << 30;

/// What chains a frame to the one before: SHA-256 of that one's seal (zeros before the first) and the payload.
Digest seal_of(std::string_view payload, const Digest& before);
/// What goes before a payload in a file: its length, a check of the length, the seal. The check depends on the place in
/// the file, so that a frame that was moved there is no frame that was never finished.
std::string frame_head(const Digest& seal, std::size_t payload_bytes, std::uint64_t position);
/// The payload's length, and its seal; nullopt when the length does not pass its check.
std::optional<std::uint32_t> parse_frame_head(const char* bytes, std::uint64_t position, Digest& seal);
/// What to say about a frame that was changed, and what not to do about it.
Error damaged_at(const std::string& name, std::uint64_t position);

/// Encodes the records of one frame. Repeats of series and parameters within a frame take no space.
class Encoder {
 public:
  void add(const LedgerRecord& record);
  void add(const Answer& answer);
  void add(const Estimates& estimates);
  const std::string& bytes() const { return bytes_; }
  bool within_slot() const { return bytes_.size() != closed_bytes_; }
  bool has_open_answers() const { return open_answers_; }
  void discard_open_slot();
  void clear();

 private:
  void put(const MissingSeries& record);
  void put(const Answer& answer);
  void put(const Estimates& record);
  void put(const SlotEnd& record);
  void put(const Failed& record);
  void put(const Resumed& record);
  void put(const Delivered& record);
  void put(const StreamEnd&);
  void put(const PolicyStated& record);
  void put(const PolicyWithdrawn& record);
  void put(const LeftOut& record);
  void put(const SignedHead& record);
  void put(const UnitPlaced& record);
  void put(const VersionUsed& record);
  void put_policy(const Policy& policy);
  void put_slot(Slot slot);

  std::string bytes_;
  std::size_t closed_bytes_ = 0;  // up to the last record that is not within a slot
  Slot closed_slot_ = 0;          // slot_ at that point
  bool open_answers_ = false;     // whether an answer came since
  Slot slot_ = 0;
  std::vector<SeriesId> series_;
  std::vector<Rational> parameter_;
  std::vector<Estimates::Entry> estimated_;
  SlotEnd end_;
};

/// Decodes the records of one frame; the mirror of Encoder.
class Decoder {
 public:
  void start(std::string_view payload);
  bool at_end() const { return rest_.empty(); }
  /// nullopt when the bytes make no sense.
  std::optional<LedgerRecord> next();

 private:
  bool get(std::uint64_t& value);
  bool get_signed(std::int64_t& value);
  bool get_slot(Slot& slot);
  bool get_series(std::vector<SeriesId>& series);
  bool get_text(std::string& text);
  bool get_bytes(std::span<unsigned char> bytes);
  bool get_lane(Lane& lane);
  bool get_policy(Policy& policy);
  std::optional<LedgerRecord> get_policy_stated();
  std::optional<LedgerRecord> get_policy_withdrawn();
  std::optional<LedgerRecord> get_left_out();
  std::optional<LedgerRecord> get_signed_head();
  std::optional<LedgerRecord> get_unit_placed();
  std::optional<LedgerRecord> get_version_used();
  std::optional<LedgerRecord> get_answer();
  std::optional<LedgerRecord> get_estimates();
  std::optional<LedgerRecord> get_slot_end();
  template <class Record>
  std::optional<LedgerRecord> get_slot_only();

  std::string_view rest_;
  Slot slot_ = 0;
  std::vector<SeriesId> series_;
  std::vector<Rational> parameter_;
  std::vector<Estimates::Entry> estimated_;
  SlotEnd end_;
};

}  // namespace fugu::ledger_format
