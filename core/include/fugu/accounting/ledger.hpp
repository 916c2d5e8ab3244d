// The durable record of what was promised, asked and answered.
//
// A ledger holds a header (definition, exposure, public facts of the run) and then, slot by slot, every answer with
// its kind, noise scale, slots touched and noisy value, and what was made of answers. That is enough to recompute the
// guarantee (audit.hpp) and to resume: the strategy is run again on the recorded answers, so it reaches the state it
// had, releases the same values again and draws no noise a second time.
//
// It contains noisy answers only, no raw value and no secret of a sparse-vector session. It is as sensitive as all
// releases and all decisions together: covered by the promise, yet more than what is published.
//
// Records come in frames, each of whole slots, each durable before what it pays for is released. A frame's seal is the
// SHA-256 of the seal before and of its bytes, so that a frame cannot be changed, dropped, repeated or moved unnoticed.
// The last seal is the head of the chain: whoever kept a head can tell whether a ledger continues it. The first frame
// is the header as text. Where frames lie: ledger_store.hpp.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "fugu/accounting/answer.hpp"
#include "fugu/accounting/definition.hpp"
#include "fugu/accounting/head_file.hpp"
#include "fugu/accounting/ledger_store.hpp"
#include "fugu/accounting/membership.hpp"
#include "fugu/accounting/operator_key.hpp"
#include "fugu/base/result.hpp"
#include "fugu/policy/policy.hpp"

namespace fugu {

/// What a run was about. Two runs may share a ledger only if this is equal, but for the version.
struct LedgerHeader {
  Definition definition;
  Exposure exposure;
  std::vector<std::string> series;
  /// Further public facts by name: strategy, noise, unit-step, clock, filter, …
  std::map<std::string, std::string> facts;
  std::string version;

  std::string to_text() const;
  static Result<LedgerHeader> from_text(std::string_view text);
};

/// The series without a value in the slot that begins. Absence in a stream of totals is public.
struct MissingSeries {
  Slot slot = 0;
  std::vector<SeriesId> series;
};

/// What is released in the slot that is about to end of those series whose release is made of answers instead of being
/// the latest one (Release::estimate): listed when it changed or when the series was asked about in this slot.
struct Estimates {
  struct Entry {
    SeriesId series = 0;
    std::int64_t steps = 0;
    bool sampled = false;  ///< whether an answer of this slot went into it

    friend bool operator==(const Entry&, const Entry&) = default;
  };
  Slot slot = 0;
  std::vector<Entry> entries;  ///< by series, each at most once

  friend bool operator==(const Estimates&, const Estimates&) = default;
};

/// Closes a slot.
struct SlotEnd {
  Slot slot = 0;
  std::int32_t utc_offset_s = 0;
  /// Σ over series of the loss rate of this slot (see Kernel), as the kernel added it up; the audit adds it up again.
  double loss_rate = 0;
};

/// The strategy could not go on within this slot, after it had been given answers: nothing was released of it, and the
/// stream ends here. The answers stay on record, so that running again comes to the same end instead of drawing afresh.
struct Failed {
  Slot slot = 0;
};

/// A new run took over before this slot. True values of earlier slots and open sparse-vector sessions are gone.
struct Resumed {
  Slot slot = 0;
};

/// All releases up to this slot have been handed to the consumer.
struct Delivered {
  Slot slot = 0;
};

/// The stream ended and was released completely. Absent when a run is live, was killed, or the file was cut.
struct StreamEnd {};

/// From `slot` on, before anything is asked in it, a policy holds. Its interval begins at `slot` or later.
struct PolicyStated {
  Slot slot = 0;
  std::string meter;
  /// Signatures (Exposure) of which the meter has one; empty when it may be any.
  std::vector<std::uint32_t> signatures;
  Policy policy;
};

/// From `slot` on a policy that was stated, and whose interval had not begun, holds no more.
struct PolicyWithdrawn {
  Slot slot = 0;
  std::string meter;
  Policy policy;
};

/// The slots from `slot` to before `next_slot` follow with all series missing, and are not handed out: an earlier run
/// may have handed them out, and its record is lost (docs/guarantees/ledger.md, "Rollback").
struct LeftOut {
  Slot slot = 0;
  Slot next_slot = 0;
};

/// The operator's signature of the head before the frame that this record is in.
struct SignedHead {
  Signature signature{};
};

/// From `slot` on readings go through this version of what meters send instead (Counting::versions).
struct VersionUsed {
  Slot slot = 0;
  Digest version{};

  friend bool operator==(const VersionUsed&, const VersionUsed&) = default;
};

using LedgerRecord = std::variant<MissingSeries, Answer, Estimates, SlotEnd, Failed, Resumed, Delivered, StreamEnd,
                                  PolicyStated, PolicyWithdrawn, LeftOut, SignedHead, UnitPlaced, VersionUsed>;

/// Reads a ledger front to back, in constant memory.
class LedgerReader {
 public:
  /// Of a file. Cause::bad_input when the file is no ledger or its header is damaged.
  static Result<LedgerReader> open(const std::string& path);
  static Result<LedgerReader> open(std::unique_ptr<LedgerFrames> frames);
  ~LedgerReader();
  LedgerReader(LedgerReader&&) noexcept;
  LedgerReader& operator=(LedgerReader&&) noexcept;

  const LedgerHeader& header() const;
  /// The next record; nullopt at the end. Cause::bad_input when a frame in the middle is damaged.
  Result<std::optional<LedgerRecord>> next();
  /// The head of the chain with the frame of the last record, and the one before that frame. Slots are counted as far
  /// as their records were read.
  const LedgerHead& head() const;
  const LedgerHead& head_before() const;
  /// The place in the store after the intact frames read so far: of a file, their bytes.
  std::uint64_t intact_bytes() const;
  /// After next() returned nullopt: whether bytes of an unfinished frame follow the last intact one.
  bool torn() const;

 private:
  struct State;
  explicit LedgerReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Appends to a ledger. One writer at a time: the store sees to it.
class LedgerWriter {
 public:
  /// Creates the file `path` with `header`, durably. Cause::usage when the file exists.
  static Result<LedgerWriter> create(const std::string& path, const LedgerHeader& header);
  /// The same in a store that has no frames yet.
  static Result<LedgerWriter> create(std::unique_ptr<LedgerStore> store, const LedgerHeader& header);
  /// Opens an existing file and keeps other writers away from now on; Cause::environment when there is one.
  /// Nothing can be appended before continue_after().
  static Result<LedgerWriter> reopen(const std::string& path);
  /// The same in a store that has frames.
  static LedgerWriter reopen(std::unique_ptr<LedgerStore> store);
  /// Returns once all that an earlier run left in the store is durable: before that, nothing of it may be handed out.
  Result<void> sync();
  /// Continues after what `reader` has read to its end. An unfinished frame is cut off: nothing it would have paid
  /// for was released.
  Result<void> continue_after(const LedgerReader& reader);
  ~LedgerWriter();
  LedgerWriter(LedgerWriter&&) noexcept;
  LedgerWriter& operator=(LedgerWriter&&) noexcept;

  /// From now on the head is noted in `file` whenever a frame is durable, before commit() returns.
  void note_heads_in(HeadFile file);
  /// From now on heads are signed: each by a record in the frame that follows it.
  void sign_heads_with(OperatorKey key);

  void append(const LedgerRecord& record);
  void append(const Answer& answer);
  void append(const Estimates& estimates);
  /// Ends a slot that could not be finished: with a Failed record when answers were given in it, without a trace when
  /// nothing was drawn.
  void abandon_slot(Slot slot);
  /// Bytes appended since the last commit.
  std::size_t pending_bytes() const;
  /// Writes what was appended as one frame and returns once it is on stable storage. Not within a slot.
  Result<void> commit();
  /// Notes, after the releases were handed out, that they were. Not synced: it survives a kill, and after a power cut
  /// its absence only means that the last batch is handed out again. As a frame of its own it also guards the frame
  /// before it, which is then no longer the last one: damage to it is noticed instead of taken for an unfinished write.
  Result<void> mark_delivered(Slot last_slot);
  /// The stream is complete: commits its end, and the signature of that.
  Result<void> finish();
  /// The head of what is durable.
  const LedgerHead& head() const;

 private:
  struct State;
  explicit LedgerWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace fugu
