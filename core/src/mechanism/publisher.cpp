#include "fugu/mechanism/publisher.hpp"

#include <algorithm>

#include "fugu/accounting/definition_kind.hpp"
#include "replay.hpp"

namespace fugu {

namespace {

// Flushing costs a disk sync: done for this many slots or ledger bytes at once, unless the source would wait.
constexpr std::size_t kFlushSlots = 65536;
constexpr std::size_t kFlushBytes = 1 << 20;
constexpr std::size_t kPoliciesAtOnce = 1 << 16;
// A later slot to go on with is most likely a typo.
constexpr auto kLeftOutSlotsMax = static_cast<Slot>(2 * kLargestWindowSlots);

std::optional<Error> error_of(const Result<void>& result) {
  return result ? std::nullopt : std::optional(result.error());
}

}  // namespace

Result<void> check_mechanism(const Mechanism& mechanism) {
  if (mechanism.noise == NoiseKind::none)
    return Error{Cause::usage, "a mechanism without noise would release true values: choose Laplace or Gaussian noise"};
  if (mechanism.exposure.varies() && !mechanism.strategy->values_only())
    return Error{Cause::usage,
                 "the sensitivity varies over time, and the strategy compares slots or follows policies, for which it "
                 "knows one sensitivity only: choose a strategy that asks for values only"};
  return {};
}

Publisher::Publisher(Mechanism mechanism, std::unique_ptr<SecureNoise> noise, ReleaseSink& sink,
                     std::unique_ptr<LedgerWriter> ledger)
    : definition_(mechanism.definition),
      noise_(noise.get()),
      ledger_(std::move(ledger)),
      stopped_(error_of(check_mechanism(mechanism))),
      runner_(std::move(mechanism), std::move(noise), ledger_.get()),
      sink_(&sink) {}

Publisher::Publisher(Mechanism mechanism, std::unique_ptr<SecureNoise> noise, ReleaseSink& sink)
    : Publisher(std::move(mechanism), std::move(noise), sink, std::unique_ptr<LedgerWriter>()) {}

Publisher::Publisher(Mechanism mechanism, std::unique_ptr<SecureNoise> noise, ReleaseSink& sink, LedgerWriter ledger)
    : Publisher(std::move(mechanism), std::move(noise), sink, std::make_unique<LedgerWriter>(std::move(ledger))) {}

Result<Publisher> Publisher::resume(Mechanism mechanism, std::unique_ptr<SecureNoise> noise, ReleaseSink& sink,
                                    LedgerWriter ledger, LedgerReader reader) {
  FUGU_TRY(check_mechanism(mechanism));
  Publisher publisher(std::move(mechanism), std::move(noise), sink, std::move(ledger));
  Replay replay(std::move(reader));
  FUGU_TRY(publisher.ledger_->sync());
  for (;;) {
    auto rerun = publisher.runner_.rerun(replay);
    if (!rerun && rerun.error().cause == Cause::refused) FUGU_TRY(sink.emit());  // ended there before, too
    FUGU_ASSIGN(const Release* release, std::move(rerun));
    if (release == nullptr) break;
    publisher.utc_offset_s_ = release->utc_offset_s();
    if (replay.is_left_out(release->slot())) {
      sink.leave_out(*release);
      continue;
    }
    sink.prepare(*release);
    publisher.last_slot_ = release->slot();
    if (release->slot() % static_cast<Slot>(kFlushSlots) == 0) FUGU_TRY(sink.emit());  // all of it is paid for
  }
  FUGU_TRY(sink.emit());
  FUGU_TRY(publisher.ledger_->continue_after(replay.reader()));
  if (publisher.last_slot_ >= 0) FUGU_TRY(publisher.ledger_->mark_delivered(publisher.last_slot_));
  publisher.runner_.forget();
  publisher.ledger_->append(LedgerRecord(Resumed{publisher.next_slot()}));
  // A run that was killed while it left slots out has said up to where.
  FUGU_TRY(publisher.run_without_values_before(replay.left_out_before()));
  return publisher;
}

Result<void> check_after_loss(const Definition& definition, Slot last_handed_out, Slot next) {
  if (!definition.kind().forgets)
    return Error{Cause::refused, "slots up to " + std::to_string(last_handed_out) +
                                     " may have been handed out, and what they lost is unknown: under " +
                                     definition.text() +
                                     " it counts for ever, so nothing more can be released of this stream"};
  const Slot first = last_handed_out + static_cast<Slot>(definition.window_slots());
  if (next < first)
    return Error{Cause::refused, "slots up to " + std::to_string(last_handed_out) +
                                     " may have been handed out, and what they lost is unknown: under " +
                                     definition.text() + " the first slot to go on with is " + std::to_string(first)};
  if (next - last_handed_out > kLeftOutSlotsMax)
    return Error{Cause::usage, "slot " + std::to_string(next) + " is more than " + std::to_string(kLeftOutSlotsMax) +
                                   " slots ahead: start a new stream instead"};
  return {};
}

Result<void> Publisher::leave_out_before(Slot next, Slot last_handed_out) {
  FUGU_TRY(check_after_loss(definition_, std::max(last_handed_out, next_slot() - 1), next));
  FUGU_CHECK(ledger_ != nullptr);
  ledger_->append(LedgerRecord(LeftOut{next_slot(), next}));
  return run_without_values_before(next);
}

Result<void> Publisher::run_without_values_before(Slot next) {
  if (next <= next_slot()) return {};
  while (next_slot() < next) {
    const Slot slot = next_slot();
    auto release = runner_.run_without_values(utc_offset_s_);
    if (!release) {
      ledger_->abandon_slot(slot);
      stopped_ = release.error();
      return std::move(release).error();
    }
    sink_->leave_out(**release);
    if (ledger_->pending_bytes() >= kFlushBytes) FUGU_TRY(flush());
  }
  return flush();
}

Result<void> Publisher::publish(const SlotRow& row) {
  if (stopped_) return *stopped_;
  if (auto placed = runner_.place_units(row); !placed) {
    stopped_ = placed.error();
    return placed;
  }
  for (bool more = true; more;) {
    auto taken = runner_.take_policies(kPoliciesAtOnce);
    if (!taken) {
      stopped_ = taken.error();
      return std::move(taken).error();
    }
    more = *taken;
    if (more && ledger_) FUGU_TRY(flush());
  }
  auto release = runner_.run(row);
  if (!release) {
    if (ledger_) ledger_->abandon_slot(row.slot);
    stopped_ = release.error();
    return std::move(release).error();
  }
  sink_->prepare(**release);
  last_slot_ = row.slot;
  ++pending_slots_;
  const bool full = pending_slots_ >= kFlushSlots || (ledger_ && ledger_->pending_bytes() >= kFlushBytes);
  return full ? flush() : Result<void>();
}

Result<void> Publisher::flush() {
  if (failure_) return *failure_;
  auto done = hand_out();
  if (!done) failure_ = done.error();
  return done;
}

Result<void> Publisher::hand_out() {
  if (ledger_) FUGU_TRY(ledger_->commit());
  noise_->renew_bits();  // a copy of this process, such as a restored machine, must not draw the same noise next
  FUGU_TRY(sink_->emit());
  if (ledger_ && pending_slots_ > 0) FUGU_TRY(ledger_->mark_delivered(last_slot_));
  pending_slots_ = 0;
  return {};
}

Result<void> Publisher::finish() {
  if (stopped_) return *stopped_;
  FUGU_TRY(flush());
  return ledger_ ? ledger_->finish() : Result<void>();
}

Result<void> Publisher::run(SlotSource& source, const RunOptions& options) {
  SlotRow row;
  for (;;) {
    if (options.live && source.would_wait()) FUGU_TRY(flush());
    auto more = source.next(row);
    if (more && !*more) return finish();
    auto done = more ? publish(row) : Result<void>(std::move(more).error());
    if (!done) {
      FUGU_TRY(flush());  // what was paid for before the error is still handed out
      return done;
    }
    if (options.progress) options.progress(row.slot);
  }
}

}  // namespace fugu
