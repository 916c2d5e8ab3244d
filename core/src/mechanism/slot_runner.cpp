// One slot after the other: the kernel's part and the runner's, side by side because in many slots they are all there
// is.
#include "fugu/mechanism/slot_runner.hpp"

#include <algorithm>
#include <numeric>

#include "replay.hpp"

namespace fugu {

namespace {

// Made out of line, so that what runs in every slot stays small.
[[gnu::cold, gnu::noinline]] Error beyond_horizon(Slot slot, std::uint64_t horizon_slots) {
  return {Cause::refused, "slot " + std::to_string(slot) + " is beyond the horizon of " +
                              std::to_string(horizon_slots) + " slots that was promised"};
}

std::uint64_t magnitude(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  return value < 0 ? 0 - bits : bits;
}

}  // namespace

// --- Kernel: policies -----------------------------------------------------------------------------------------------

Result<MeterId> Kernel::state(const PolicyEvent& event) {
  FUGU_CHECK(policies_ != nullptr);
  return event.withdrawn ? policies_->withdraw(event.meter, event.policy)
                         : policies_->state(event.meter, event.signatures, event.policy);
}

// --- Kernel: life of a slot -----------------------------------------------------------------------------------------

inline Result<void> Kernel::start_slot(Slot slot) {
  FUGU_CHECK(slot == slot_ + 1);
  if (slot >= horizon_) return beyond_horizon(slot, window_slots());
  slot_ = slot;
  if (policies_ != nullptr) accountant();  // what is idle in this slot is asked without it
  if (any_charged_) std::fill(rate_.begin(), rate_.end(), 0.0);
  any_charged_ = false;
  return {};
}

inline Result<void> Kernel::begin(const SlotRow& row) {
  FUGU_CHECK(row.values.size() == all_.size());
  replay_ = nullptr;
  FUGU_TRY(start_slot(row.slot));
  now_ = row.values;
  note_missing();
  if (memory_slots_ > 0) remember();
  if (any_missing_ && ledger_ != nullptr) record_missing();
  return {};
}

inline void Kernel::note_missing() {
  const bool any_before = any_missing_;
  any_missing_ = std::any_of(now_.begin(), now_.end(), [](const Raw& value) { return value.missing(); });
  if (any_missing_) last_missing_slot_ = slot_;
  if (!any_missing_ && !any_before) return;
  for (std::size_t i = 0; i < now_.size(); ++i) missing_[i] = now_[i].missing() ? 1 : 0;
}

void Kernel::record_missing() {
  MissingSeries absent{slot_, {}};
  std::copy_if(all_.begin(), all_.end(), std::back_inserter(absent.series), [&](auto s) { return missing_[s] != 0; });
  ledger_->append(LedgerRecord(std::move(absent)));
}

inline void Kernel::remember() {
  std::int64_t* now = &memory_[memory_position(slot_)];
  for (const Raw& value : now_) {
    now[0] = now[memory_slots_] = value.missing() ? kMissing : reveal(value);
    if (!value.missing()) largest_remembered_ = std::max(largest_remembered_, magnitude(now[0]));
    now += 2 * memory_slots_;
  }
}

Result<void> Kernel::begin_replay(Slot slot, const std::vector<SeriesId>& missing, Replay& replay) {
  replay_ = &replay;
  now_ = {};  // there are no true values to look at
  FUGU_TRY(start_slot(slot));
  std::fill(missing_.begin(), missing_.end(), 0);
  for (const SeriesId series : missing) missing_[series] = 1;
  any_missing_ = !missing.empty();
  return {};
}

inline void Kernel::end(std::int32_t utc_offset_s) {
  if (ledger_ == nullptr || replay_ != nullptr) return;
  const double total = std::accumulate(rate_.begin(), rate_.end(), 0.0);
  ledger_->append(LedgerRecord(SlotEnd{slot_, utc_offset_s, total}));
}

void Kernel::forget_before(Slot slot) {
  remembered_from_ = slot;
  threshold_noise_.clear();
  free_noise_.clear();
}

// --- Runner ---------------------------------------------------------------------------------------------------------

SlotRunner::SlotRunner(Mechanism mechanism, std::unique_ptr<Noise> noise, LedgerWriter* ledger, bool enforced)
    : strategy_(std::move(mechanism.strategy)),
      policies_(std::move(mechanism.policies)),
      admission_(mechanism.admission),
      listener_(mechanism.listener),
      ledger_(ledger),
      kernel_({mechanism.definition, mechanism.exposure, mechanism.noise, strategy_->reach(), enforced},
              std::move(noise), ledger),
      release_(mechanism.exposure.series_count()) {}

inline Result<void> SlotRunner::finish(Replay* replay) {
  FUGU_TRY(strategy_->step(kernel_, release_));
  release_.loss_rates_ = kernel_.loss_rates();
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
  if (passed_over_.empty()) return policies_->next(next_slot(), kernel_.policies_->book());
  event_ = std::move(passed_over_.front());
  passed_over_.pop_front();
  return &event_;
}

Result<MeterId> SlotRunner::hold(const PolicyEvent& event) {
  FUGU_ASSIGN(const MeterId meter, kernel_.state(event));
  event.withdrawn ? strategy_->withdrawn(kernel_, meter, event.signatures, event.policy)
                  : strategy_->stated(kernel_, meter, event.signatures, event.policy);
  if (listener_ != nullptr) listener_->accepted(event);
  return meter;
}

/// What was known before the first slot needs no notice.
Result<void> SlotRunner::judge(const PolicyEvent& event) const {
  if (event.judged || !admission_ || next_slot() == 0) return {};
  static const Collection kNothing;
  const PolicyBook& book = kernel_.policies_->book();
  const auto meter = book.find(event.meter);
  const Collection& collection = meter ? book.of(*meter) : kNothing;
  return event.withdrawn ? admit_withdrawal(collection, event.policy, next_slot())
                         : admit(*admission_, collection, event.policy, next_slot());
}

Result<void> SlotRunner::go_on_without(const PolicyEvent& event, const Error& why) {
  if (listener_ == nullptr || event.judged) return why;
  listener_->refused(event, why);
  return {};
}

/// Who stated what cannot be read is protected by the floor, as everybody. A true value would expose them.
Result<void> SlotRunner::go_on_without_reading(const Error& why) {
  if (kernel_.definition().exact_when_idle())
    return Error{why.cause, why.message + ". Slot " + std::to_string(next_slot()) +
                                " and later ones are held back: no true value is released while the policies cannot be "
                                "read as a whole"};
  if (listener_ == nullptr) return why;
  listener_->unreadable(why);
  return {};
}

Result<void> SlotRunner::consider(const PolicyEvent& event) {
  const auto admitted = judge(event);
  if (!admitted) return go_on_without(event, admitted.error());
  const auto held = hold(event);
  if (!held) return go_on_without(event, held.error());
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
    const auto event = next_policy();
    if (event && *event == nullptr) return false;
    FUGU_TRY(event ? consider(**event) : go_on_without_reading(event.error()));
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
    FUGU_ASSIGN(const PolicyEvent* next, policies_->next(kPolicySlotMax, kernel_.policies_->book()));
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
    return Error{Cause::bad_input, "a policy of meter " + event.meter + ", slots " +
                                       std::to_string(event.policy.interval.first) + " to " +
                                       std::to_string(event.policy.interval.last) +
                                       ", is on record in the ledger, but no longer stated: policies may be added or "
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

}  // namespace fugu
