#include "fugu/mechanism/slot_runner.hpp"

#include <algorithm>

#include "replay.hpp"
#include "running_kernel.hpp"

namespace fugu {

SlotRunner::SlotRunner(Mechanism&& mechanism, std::unique_ptr<Noise> noise, LedgerWriter* ledger)
    : SlotRunner(std::move(mechanism),
                 make_accountant(mechanism.definition, mechanism.exposure, mechanism.strategy->reach()),
                 std::move(noise), ledger) {}

SlotRunner::SlotRunner(Mechanism&& mechanism, std::unique_ptr<Accountant> accountant, std::unique_ptr<Noise> noise,
                       LedgerWriter* ledger)
    : strategy_(std::move(mechanism.strategy)),
      policies_(std::move(mechanism.policies)),
      admission_(mechanism.admission),
      listener_(mechanism.listener),
      ledger_(ledger),
      kernel_(
          std::make_unique<RunningKernel>(RunningKernel::Options{mechanism.definition, std::move(mechanism.exposure),
                                                                 mechanism.noise, strategy_->reach()},
                                          std::move(accountant), std::move(noise), ledger)),
      release_(kernel_->exposure().series_count(), std::move(mechanism.published)) {}

SlotRunner::SlotRunner(SlotRunner&&) noexcept = default;
SlotRunner& SlotRunner::operator=(SlotRunner&&) noexcept = default;
SlotRunner::~SlotRunner() = default;

void SlotRunner::forget() { kernel_->forget_before(next_slot()); }

inline Result<void> SlotRunner::finish(Replay* replay) {
  FUGU_TRY(strategy_->step(*kernel_, release_));
  release_.loss_rates_ = kernel_->loss_rates();
  if (replay != nullptr || ledger_ != nullptr) FUGU_TRY(record_estimates(replay));
  kernel_->end(release_.utc_offset_s_);
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
  if (passed_over_.empty()) return policies_->next(next_slot(), kernel_->policies_in_force());
  event_ = std::move(passed_over_.extract(passed_over_.begin()).mapped());
  return &event_;
}

Result<MeterId> SlotRunner::hold(const PolicyEvent& event) {
  FUGU_ASSIGN(const MeterId meter, kernel_->state(event));
  event.withdrawn ? strategy_->withdrawn(*kernel_, meter, event.signatures, event.policy)
                  : strategy_->stated(*kernel_, meter, event.signatures, event.policy);
  if (listener_ != nullptr) listener_->accepted(event);
  return meter;
}

/// What was known before the first slot needs no notice.
Result<void> SlotRunner::judge(const PolicyEvent& event) const {
  if (event.judged || !admission_ || next_slot() == 0) return {};
  static const Collection kNothing;
  const PolicyBook& book = kernel_->policies_in_force();
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
  if (kernel_->definition().exact_when_idle())
    return Error{why.cause, why.message + ". Slot " + std::to_string(next_slot()) +
                                " and later ones are held back: no true value is released while the policies cannot be "
                                "read as a whole"};
  if (listener_ == nullptr) return why;
  listener_->unreadable(why);
  return {};
}

/// Where the source says who counts where, that decides, and not the feed. Whoever counts nowhere now may count
/// anywhere when the policy begins.
Result<void> SlotRunner::consider(const PolicyEvent& event) {
  if (kernel_->membership().empty()) return take(event);
  const auto placed = kernel_->membership().signature_of(event.meter);
  PolicyEvent here = event;
  here.signatures = placed ? std::vector<std::uint32_t>{*placed} : std::vector<std::uint32_t>{};
  return take(here);
}

Result<void> SlotRunner::take(const PolicyEvent& event) {
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
  const auto [first, last] = passed_over_.equal_range(event.meter);
  const auto found = std::find_if(first, last, [&](const auto& other) { return other.second.says_the_same(event); });
  if (found != last) {
    event_ = std::move(passed_over_.extract(found).mapped());
    return true;
  }
  for (;;) {
    FUGU_ASSIGN(const PolicyEvent* next, policies_->next(kPolicySlotMax, kernel_->policies_in_force()));
    if (next == nullptr) return false;
    event_ = *next;
    if (event_.says_the_same(event)) return true;
    passed_over_.emplace(event_.meter, event_);
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
  PolicyEvent again = event_;
  again.signatures = event.signatures;  // it may have moved since
  FUGU_TRY(hold(again));
  return {};
}

Result<void> SlotRunner::check_counting(const Counting& counting) const {
  FUGU_TRY(check_versions(counting.versions));
  return kernel_->check_counting(counting);
}

Result<void> SlotRunner::check_versions(std::span<const Digest> versions) const {
  if (!version_ || std::find(versions.begin(), versions.end(), *version_) != versions.end()) return {};
  return Error{Cause::refused,
               "the state that readings go through is not the latest: the ledger was written with one that it does not "
               "descend from. What was drawn since then would be drawn, and lost, a second time. Put back the latest "
               "state; an earlier one must not be used or changed again"};
}

void SlotRunner::use_version(std::span<const Digest> versions) {
  if (versions.empty() || version_ == versions.back()) return;
  version_ = versions.back();
  if (ledger_ != nullptr) ledger_->append(LedgerRecord(VersionUsed{next_slot(), *version_}));
}

Result<void> SlotRunner::place_now(const SlotRow& row) {
  // A ledger that says where units count is continued by a source that says so, too: nobody moves unnoticed.
  if (!row.counting)
    return Error{Cause::bad_input,
                 "the ledger says where each household counts, but the stream does not: publish readings with their "
                 "map, as before"};
  FUGU_TRY(check_versions(row.counting->versions));
  FUGU_ASSIGN(const std::vector<UnitPlaced> changes, kernel_->membership().changes_to(*row.counting, next_slot()));
  use_version(row.counting->versions);
  for (const UnitPlaced& placed : changes) {
    FUGU_TRY(kernel_->place(placed));
    if (ledger_ != nullptr) ledger_->append(LedgerRecord(placed));
  }
  if (must_place_ || placed_in_ >= 0) units_moved_ += changes.size();  // else they are placed for the first time
  placed_in_ = row.slot;
  must_place_ = false;
  return {};
}

Result<const Release*> SlotRunner::run(const SlotRow& row) {
  FUGU_TRY(place_units(row));
  if (policies_ != nullptr) FUGU_TRY(take_policies(~std::size_t{0}));
  release_.start(row.slot, row.utc_offset_s);
  FUGU_TRY(kernel_->begin(row));
  FUGU_TRY(finish(nullptr));
  return &release_;
}

Result<const Release*> SlotRunner::run_without_values(std::int32_t utc_offset_s) {
  const SlotRow row{next_slot(), utc_offset_s, std::vector<Raw>(release_.values_.size())};
  release_.start(row.slot, row.utc_offset_s);
  FUGU_TRY(kernel_->begin(row));
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
    } else if (const auto* placed = std::get_if<UnitPlaced>(record)) {
      FUGU_TRY(kernel_->place(*placed));
      must_place_ = true;
    } else if (const auto* used = std::get_if<VersionUsed>(record)) {
      if (used->slot != next_slot()) return Replay::mismatch();
      version_ = used->version;
      must_place_ = true;
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
  FUGU_TRY(kernel_->begin_replay(release_.slot(), missing, replay));
  FUGU_TRY(finish(&replay));
  FUGU_ASSIGN(const SlotEnd end, replay.take<SlotEnd>());
  if (end.slot != release_.slot()) return Replay::mismatch();
  release_.utc_offset_s_ = end.utc_offset_s;
  return &release_;
}

}  // namespace fugu
