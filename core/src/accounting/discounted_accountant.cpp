#include "discounted_accountant.hpp"

#include <algorithm>

namespace fugu {

namespace {

constexpr uint128 kOneUnit = uint128{1} << 48;  // of a Budget, in those of a state
constexpr uint128 kLargestState = (uint128{1} << 112) - kOneUnit;

Budget round_up(uint128 state) {
  return Budget::from_units(static_cast<std::uint64_t>((std::min(state, kLargestState) + kOneUnit - 1) >> 48));
}

}  // namespace

DiscountedAccountant::DiscountedAccountant(const Definition& definition, const Exposure& exposure)
    : definition_(definition),
      exposure_(exposure),
      total_(total_budget(definition)),
      modes_(discount_modes(*definition.discount())),
      states_(exposure.signature_count() * modes_.size()),
      earlier_(exposure.signature_count()),
      now_(exposure.signature_count()),
      cost_(exposure_, Currency::epsilon) {}

void DiscountedAccountant::advance(Slot slot) {
  FUGU_CHECK(slot >= current_);
  while (current_ < slot) step();
}

void DiscountedAccountant::step() {
  ++current_;
  uint128* state = states_.data();
  for (std::size_t g = 0; g < now_.size(); ++g, state += modes_.size()) {
    const std::uint64_t units = now_[g].units();
    uint128 sum = 0;
    for (std::size_t m = 0; m < modes_.size(); ++m) sum += state[m] = modes_[m].step(state[m], units);
    if (sum > kLargestState) {  // a step adds at most 2^111 to each: nothing has overflowed
      for (std::size_t m = 0; m < modes_.size(); ++m) state[m] = std::min(state[m], kLargestState);
    }
    earlier_[g] = round_up(sum);
    now_[g] = Budget();
  }
}

Budget DiscountedAccountant::available() {
  Budget worst;
  for (std::size_t g = 0; g < now_.size(); ++g) worst = std::max(worst, counted(g));
  return left(worst);
}

Budget DiscountedAccountant::available(std::span<const SeriesId> series) {
  return left(largest_of(exposure_, series, [&](std::uint32_t g) { return counted(g); }));
}

Result<void> DiscountedAccountant::admit(const Answer& answer) {
  FUGU_CHECK(answer.slot == current_ && answer.first_slot >= 0 && answer.first_slot <= answer.slot);
  staged_slots_ = static_cast<std::uint64_t>(answer.slot - answer.first_slot) + 1;
  staged_ = answer.is_comparison() ? cost_.of_comparison(answer, 1).entries : cost_.of_answer(answer).entries;
  for (const SignatureLoss& entry : staged_) {
    if (counted(entry.signature) + times(entry.loss, staged_slots_) <= total_) continue;
    staged_ = {};
    return Error{Cause::refused, "what past slots still count leaves too little in slot " + std::to_string(current_) +
                                     ": a " + std::string(name_of(answer.statistic)) +
                                     " answer would break the promise"};
  }
  return {};
}

void DiscountedAccountant::commit() {
  for (const SignatureLoss& entry : staged_) {
    Budget& now = now_[entry.signature];
    now += times(entry.loss, staged_slots_);
    worst_ = std::max(worst_, counted(entry.signature));
  }
  staged_ = {};
}

std::unique_ptr<Accountant> DiscountedAccountant::follow(std::uint32_t signature, const Exposure& unit) const {
  auto made = std::make_unique<DiscountedAccountant>(definition_, unit);
  const auto column = states_.begin() + static_cast<std::ptrdiff_t>(signature * modes_.size());
  made->states_.assign(column, column + static_cast<std::ptrdiff_t>(modes_.size()));
  made->earlier_ = {earlier_[signature]};
  made->now_ = {now_[signature]};
  made->current_ = current_;
  return made;
}

}  // namespace fugu
