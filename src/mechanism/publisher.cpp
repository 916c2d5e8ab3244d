#include "fugu/mechanism/publisher.hpp"

#include <algorithm>

#include "replay.hpp"

namespace fugu {

namespace {

// Flushing costs a disk sync: done for this many slots or ledger bytes at once, unless the source would wait.
constexpr std::size_t kFlushSlots = 65536;
constexpr std::size_t kFlushBytes = 1 << 20;
constexpr std::size_t kPoliciesAtOnce = 1 << 16;

}  // namespace

SlotRunner::SlotRunner(Mechanism mechanism, std::unique_ptr<Noise> noise, LedgerWriter* ledger, bool enforced)
    : strategy_(std::move(mechanism.strategy)),
      policies_(std::move(mechanism.policies)),
      ledger_(ledger),
      kernel_({mechanism.definition, mechanism.exposure, mechanism.noise, strategy_->reach(), enforced},
              std::move(noise), ledger),
      release_(mechanism.exposure.series_count()) {}

[[gnu::always_inline]] inline Result<void> SlotRunner::finish(Replay* replay) {
  FUGU_TRY(strategy_->step(kernel_, release_));
  if (kernel_.any_charged()) release_.set_loss_rates(kernel_.loss_rates());
  if (replay != nullptr || ledger_ != nullptr) FUGU_TRY(record_estimates(replay));
  kernel_.end(release_.utc_offset_s_);
  return {};
}

Result<void> SlotRunner::record_estimates(Replay* replay) {
  const Estimates& estimates = release_.estimates();
  if (estimates.entries.empty()) return {};
  if (replay != nullptr) {
    FUGU_ASSIGN(const Estimates recorded, replay->take<Estimates>());
    if (recorded != estimates) return Replay::mismatch();
  } else {
    ledger_->append(estimates);
  }
  return {};
}

Result<const PolicyEvent*> SlotRunner::next_policy() {
  if (passed_over_.empty()) return policies_->next(next_slot());
  event_ = std::move(passed_over_.front());
  passed_over_.pop_front();
  return &event_;
}

Result<MeterId> SlotRunner::hold(const PolicyEvent& event) {
  FUGU_ASSIGN(const MeterId meter, kernel_.state(event));
  event.withdrawn ? strategy_->withdrawn(kernel_, meter, event.signatures, event.policy)
                  : strategy_->stated(kernel_, meter, event.signatures, event.policy);
  policies_->accepted(event);
  return meter;
}

Result<void> SlotRunner::consider(const PolicyEvent& event) {
  const auto admitted = policies_->admit(event, next_slot());
  if (!admitted) return policies_->refused(event, admitted.error());
  const auto held = hold(event);
  if (!held) return policies_->refused(event, held.error());
  if (ledger_ == nullptr) return {};
  if (event.withdrawn) {
    ledger_->append(LedgerRecord(PolicyWithdrawn{next_slot(), event.meter, event.policy}));
  } else {
    ledger_->append(LedgerRecord(PolicyStated{next_slot(), event.meter, event.signatures, event.policy}));
  }
  return {};
}

Result<bool> SlotRunner::take_policies(std::size_t at_most) {
  if (policies_ == nullptr) return false;
  for (std::size_t taken = 0; taken < at_most; ++taken) {
    FUGU_ASSIGN(const PolicyEvent* event, next_policy());
    if (event == nullptr) return false;
    FUGU_TRY(consider(*event));
  }
  return true;
}

/// Looks for an event on record among those the feed gives; false when it is gone.
Result<bool> SlotRunner::find_stated(const PolicyEvent& event) {
  const auto found = std::find_if(passed_over_.begin(), passed_over_.end(),
                                  [&](const PolicyEvent& other) { return other.says_the_same(event); });
  if (found != passed_over_.end()) {
    event_ = std::move(*found);
    passed_over_.erase(found);
    return true;
  }
  for (;;) {
    FUGU_ASSIGN(const PolicyEvent* next, policies_->next(kPolicySlotMax));
    if (next == nullptr) return false;
    event_ = *next;
    if (event_.says_the_same(event)) return true;
    passed_over_.push_back(event_);
  }
}

Result<void> SlotRunner::replay_policy(const PolicyEvent& event, Slot slot) {
  if (policies_ == nullptr || slot != next_slot()) return Replay::mismatch();
  FUGU_ASSIGN(const bool still_stated, find_stated(event));
  if (!still_stated)
    return Error{Cause::bad_input, "a policy of meter " + event.meter +
                                       " is on record in the ledger, but no longer stated: policies may be added or "
                                       "withdrawn, not deleted or changed"};
  if (!event.withdrawn && event_.signatures != event.signatures)
    return Error{Cause::bad_input,
                 "meter " + event.meter + " counts into other series than when its policy was recorded in the ledger"};
  const PolicyEvent again = event_;
  FUGU_TRY(hold(again));
  return {};
}

Result<const Release*> SlotRunner::run(const SlotRow& row) {
  if (policies_ != nullptr) FUGU_TRY(take_policies(~std::size_t{0}));
  release_.start(row.slot, row.utc_offset_s);
  FUGU_TRY(kernel_.begin(row));
  FUGU_TRY(finish(nullptr));
  return &release_;
}

Result<const Release*> SlotRunner::rerun(Replay& replay) {
  std::vector<SeriesId> missing;
  for (;;) {
    FUGU_ASSIGN(const LedgerRecord* record, replay.peek());
    if (record == nullptr) return nullptr;
    if (const auto* absent = std::get_if<MissingSeries>(record)) {
      missing = absent->series;
      for (const SeriesId id : missing) {
        if (id >= release_.values_.size()) return Replay::mismatch();
      }
    } else if (const auto* resumed = std::get_if<Resumed>(record)) {
      if (resumed->slot != next_slot()) return Replay::mismatch();
      forget();
    } else if (const auto* stated = std::get_if<PolicyStated>(record)) {
      FUGU_TRY(replay_policy({stated->meter, stated->signatures, stated->policy, false, 0}, stated->slot));
    } else if (const auto* withdrawn = std::get_if<PolicyWithdrawn>(record)) {
      FUGU_TRY(replay_policy({withdrawn->meter, {}, withdrawn->policy, true, 0}, withdrawn->slot));
    } else if (std::holds_alternative<Answer>(*record) || std::holds_alternative<Estimates>(*record) ||
               std::holds_alternative<SlotEnd>(*record)) {
      break;
    }
    replay.pop();
  }
  release_.start(next_slot(), 0);
  FUGU_TRY(kernel_.begin_replay(release_.slot(), missing, replay));
  FUGU_TRY(finish(&replay));
  FUGU_ASSIGN(const SlotEnd end, replay.take<SlotEnd>());
  if (end.slot != release_.slot()) return Replay::mismatch();
  release_.utc_offset_s_ = end.utc_offset_s;
  return &release_;
}

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

Simulation::Simulation(Mechanism mechanism, std::unique_ptr<SimulationNoise> noise, bool enforced)
    : runner_(std::move(mechanism), std::move(noise), nullptr, enforced) {}

double Simulation::worst_share() const {
  const Kernel& kernel = runner_.kernel_;
  return kernel.accountant_->worst().to_double() / kernel.total().to_double();
}

}  // namespace fugu
