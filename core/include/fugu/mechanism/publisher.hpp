// Publishes a stream with a mechanism.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "fugu/accounting/ledger.hpp"
#include "fugu/mechanism/slot_runner.hpp"
#include "fugu/noise/noise.hpp"
#include "fugu/stream/source.hpp"

namespace fugu {

/// Where releases go. Formatting is split from writing, because nothing may be written before it is paid for.
class ReleaseSink {
 public:
  virtual ~ReleaseSink() = default;
  /// Takes note of a release. Must not let any of it be seen yet.
  virtual void prepare(const Release& release) = 0;
  /// Takes note of a slot that is not handed out, now or later. Filters remember it.
  virtual void leave_out(const Release& /*release*/) {}
  /// Hands everything prepared to the consumer.
  virtual Result<void> emit() = 0;
};

/// Whether a stream of which slots up to `last_handed_out` were handed out, and their record lost, may go on at `next`:
/// what was lost and what is to come must lie in no window together. Cause::refused, saying which slot is the first,
/// when they do, and under definitions that never forget. Proof: docs/guarantees/ledger.md, "Rollback".
Result<void> check_after_loss(const Definition& definition, Slot last_handed_out, Slot next);

/// Cause::usage for a mechanism without noise (where a definition permits true values, the strategy asks for them:
/// Kernel::true_values), and for sensitivities that vary over time with a strategy that does not ask for values only.
Result<void> check_mechanism(const Mechanism& mechanism);

/// Publishes a stream with secure noise. Charge, make durable, then release: in that order, always.
///
/// Guarantee: a release reaches the sink only after the answers behind it are in the ledger on stable storage; after
/// a crash at any point, resuming hands out the same values for slots already paid for and never pays or draws for
/// them again. (docs/guarantees/ledger.md)
class Publisher {
 public:
  /// A mechanism that check_mechanism() does not accept publishes nothing: publish(), finish() and resume() return its
  /// error.
  ///
  /// Without a ledger: the promise holds for this one run; a second run over the same stream spends again.
  Publisher(Mechanism mechanism, std::unique_ptr<SecureNoise> noise, ReleaseSink& sink);
  /// With a new ledger.
  Publisher(Mechanism mechanism, std::unique_ptr<SecureNoise> noise, ReleaseSink& sink, LedgerWriter ledger);
  /// Takes over from an earlier run: every recorded slot is run again from `reader` and handed to the sink, which knows
  /// what it has handed out before. Then the ledger is continued.
  /// Nothing is handed out before all of `ledger` is durable: the run before may have been killed between the two.
  static Result<Publisher> resume(Mechanism mechanism, std::unique_ptr<SecureNoise> noise, ReleaseSink& sink,
                                  LedgerWriter ledger, LedgerReader reader);

  /// Goes on at `next` after a part of the ledger was lost, in which slots up to `last_handed_out` may have been handed
  /// out. The slots before `next` are recorded as missing, cost nothing and are not handed out. As check_after_loss().
  Result<void> leave_out_before(Slot next, Slot last_handed_out);

  /// The slot that publish() expects next.
  Slot next_slot() const { return runner_.next_slot(); }
  std::uint64_t units_moved() const { return runner_.units_moved(); }  ///< in this run
  /// Whether everybody could count like this from the next slot on. A source that follows a map asks first: rows that
  /// count in a way that is refused end the stream.
  Result<void> check_counting(const Counting& counting) const { return runner_.check_counting(counting); }
  /// Runs one slot. Its release is handed out by a later flush(), which happens on its own every now and then. A slot
  /// that fails ends the stream: answers it was given stay on record, and only what came before can still be flushed.
  Result<void> publish(const SlotRow& row);
  /// Makes durable what was asked and hands out all releases so far. Once it has failed it fails for good: nobody knows
  /// how much of a failed write arrived, and writing it again could put half a record in the middle of a file.
  Result<void> flush();
  /// The stream is complete: flushes and closes the ledger.
  Result<void> finish();
  /// The head of what is durable in the ledger; there must be one.
  const LedgerHead& head() const { return ledger_->head(); }

  struct RunOptions {
    /// Flush whenever the source would have to wait, so that a slot is out as soon as it is complete. Otherwise slots
    /// go out in large batches, which costs fewer disk syncs.
    bool live = false;
    /// Called after every slot.
    std::function<void(Slot)> progress = {};
  };
  /// Publishes everything `source` yields. After an error, what was paid for before it has still been handed out.
  Result<void> run(SlotSource& source, const RunOptions& options);

 private:
  Publisher(Mechanism mechanism, std::unique_ptr<SecureNoise> noise, ReleaseSink& sink,
            std::unique_ptr<LedgerWriter> ledger);

  Result<void> hand_out();
  /// Runs the slots before `next` without values and without handing them out.
  Result<void> run_without_values_before(Slot next);

  Definition definition_;
  SecureNoise* noise_;                    // the runner's
  std::unique_ptr<LedgerWriter> ledger_;  // before runner_, which points to it
  std::optional<Error> stopped_;          // of a slot: the stream has ended there; or it must not begin
  SlotRunner runner_;
  ReleaseSink* sink_;
  std::size_t pending_slots_ = 0;
  Slot last_slot_ = -1;            // the last one prepared for the sink
  std::int32_t utc_offset_s_ = 0;  // of the last slot
  std::optional<Error> failure_;   // of a flush
};

}  // namespace fugu
