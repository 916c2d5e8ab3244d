#include "user_accountant.hpp"

#include <algorithm>

namespace fugu {

UserAccountant::UserAccountant(const Definition& definition, const Exposure& exposure)
    : definition_(definition),
      exposure_(exposure),
      currency_(currency_of(definition)),
      total_(total_budget(definition)),
      horizon_(definition.window_slots()),
      spent_(exposure.signature_count()),
      cost_(exposure_, currency_) {}

void UserAccountant::advance(Slot slot) {
  FUGU_CHECK(slot >= current_);
  current_ = slot;
}

Budget UserAccountant::available() { return left(worst()); }

Budget UserAccountant::available(std::span<const SeriesId> series) {
  return left(largest_of(exposure_, series, [&](std::uint32_t g) { return spent_[g]; }));
}

Result<void> UserAccountant::admit(const Answer& answer) {
  FUGU_CHECK(answer.slot == current_ && answer.first_slot >= 0 && answer.first_slot <= answer.slot);
  staged_slots_ = 0;
  if (current_ >= horizon())
    return Error{Cause::refused, "slot " + std::to_string(current_) + " is beyond the horizon of " +
                                     std::to_string(horizon_) + " slots that was promised"};
  std::uint64_t slots = static_cast<std::uint64_t>(answer.slot - answer.first_slot) + 1;
  staged_session_ = answer.session;
  if (answer.is_comparison()) {
    const auto known = sessions_.find(answer.session);
    const std::uint64_t before =
        known == sessions_.end() ? 0 : static_cast<std::uint64_t>(known->second.last - known->second.first) + 1;
    staged_span_ = {known == sessions_.end() ? answer.first_slot : known->second.first, answer.slot};
    // Single-slot comparisons of one session cost once; longer ones once per slot newly reached.
    slots = answer.statistic != Statistic::deviation ? (before == 0 ? 1 : 0) : slots - before;
    if (slots == 0) {
      staged_ = {};
      return {};
    }
    const std::uint64_t weight =
        session_weight_equal(answer.statistic == Statistic::deviation ? before + slots : slots);
    staged_ = cost_.of_comparison(answer, weight).entries;
  } else {
    staged_ = cost_.of_answer(answer).entries;
  }
  for (const SignatureLoss& entry : staged_) {
    if (spent_[entry.signature] + times(entry.loss, slots) > total_)
      return Error{Cause::refused, "the privacy budget is spent: a " + std::string(name_of(answer.statistic)) +
                                       " answer in slot " + std::to_string(current_) + " would break the promise"};
  }
  staged_slots_ = slots;
  return {};
}

void UserAccountant::commit() {
  if (staged_session_ != 0) sessions_[staged_session_] = staged_span_;
  for (const SignatureLoss& entry : staged_) spent_[entry.signature] += times(entry.loss, staged_slots_);
  staged_ = {};
  staged_session_ = 0;
}

std::unique_ptr<Accountant> UserAccountant::follow(std::uint32_t signature, const Exposure& unit) const {
  auto made = std::make_unique<UserAccountant>(definition_, unit);
  made->spent_ = {spent_[signature]};
  made->current_ = current_;
  return made;  // without sessions: whoever moves pays for one that goes on as for a new one
}

}  // namespace fugu
