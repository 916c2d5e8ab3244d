#include "fugu/mechanism/publisher.hpp"

#include "replay.hpp"

namespace fugu {

namespace {

// Flushing costs a disk sync: done for this many slots or ledger bytes at once, unless the source would wait.
constexpr std::size_t kFlushSlots = 65536;
constexpr std::size_t kFlushBytes = 1 << 20;
constexpr std::size_t kPoliciesAtOnce = 1 << 16;

}  // namespace

Publisher::Publisher(Mechanism mechanism, std::unique_ptr<SecureNoise> noise, ReleaseSink& sink,
                     std::unique_ptr<LedgerWriter> ledger)
    : ledger_(std::move(ledger)), runner_(std::move(mechanism), std::move(noise), ledger_.get()), sink_(&sink) {}

Publisher::Publisher(Mechanism mechanism, std::unique_ptr<SecureNoise> noise, ReleaseSink& sink)
    : Publisher(std::move(mechanism), std::move(noise), sink, std::unique_ptr<LedgerWriter>()) {}

Publisher::Publisher(Mechanism mechanism, std::unique_ptr<SecureNoise> noise, ReleaseSink& sink, LedgerWriter ledger)
    : Publisher(std::move(mechanism), std::move(noise), sink, std::make_unique<LedgerWriter>(std::move(ledger))) {}

Result<Publisher> Publisher::resume(Mechanism mechanism, std::unique_ptr<SecureNoise> noise, ReleaseSink& sink,
                                    LedgerWriter ledger, LedgerReader reader) {
  Publisher publisher(std::move(mechanism), std::move(noise), sink, std::move(ledger));
  Replay replay(std::move(reader));
  for (;;) {
    auto rerun = publisher.runner_.rerun(replay);
    if (!rerun && rerun.error().cause == Cause::refused) FUGU_TRY(sink.emit());  // ended there before, too
    FUGU_ASSIGN(const Release* release, std::move(rerun));
    if (release == nullptr) break;
    sink.prepare(*release);
    publisher.last_slot_ = release->slot();
    if (release->slot() % static_cast<Slot>(kFlushSlots) == 0) FUGU_TRY(sink.emit());  // all of it is paid for
  }
  FUGU_TRY(sink.emit());
  FUGU_TRY(publisher.ledger_->continue_after(replay.reader()));
  if (publisher.last_slot_ >= 0) FUGU_TRY(publisher.ledger_->mark_delivered(publisher.last_slot_));
  publisher.runner_.forget();
  publisher.ledger_->append(LedgerRecord(Resumed{publisher.next_slot()}));
  return publisher;
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
  FUGU_TRY(sink_->emit());
  if (ledger_ && pending_slots_ > 0) FUGU_TRY(ledger_->mark_delivered(last_slot_));
  pending_slots_ = 0;
  return {};
}

Result<void> Publisher::finish() {
  if (stopped_) return *stopped_;
  FUGU_TRY(flush());
  if (!ledger_) return {};
  ledger_->append(LedgerRecord(StreamEnd{}));
  return ledger_->commit();
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
