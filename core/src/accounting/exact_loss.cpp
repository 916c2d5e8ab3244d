#include "exact_loss.hpp"

namespace fugu {

ExactLoss::Units ExactLoss::of(const Collection& collection, const Policy& phi, std::uint32_t signature) const {
  Units loss = 0;
  const auto add_term = [&](const LossTerm& term) {
    const Units window = rates_.largest_window(signature, term.interval, term.length_slots);
    loss = add_weighted(loss, static_cast<std::uint64_t>(term.weight), narrow(window));
  };
  if (currency_ == Currency::rho) {
    for_loss_terms(collection, phi, currency_, add_term);
    return loss;
  }
  collection.for_overlapping(phi.interval, [&](const Policy& psi) {
    const Interval within = common(phi.interval, psi.interval);
    if (!psi.shape) return add_term({within, psi.length_slots, psi.magnitude_steps});
    const Units placed = of_worst_placement(psi, within, signature);
    loss = loss > kUnlimited || placed > kUnlimited - loss ? kTooMuch : loss + placed;
  });
  return loss;
}

/// The largest over alternatives and starts.
ExactLoss::Units ExactLoss::of_worst_placement(const Policy& psi, const Interval& within,
                                               std::uint32_t signature) const {
  Units worst = 0;
  for (const Profile& profile : psi.shape->alternatives) {
    const auto length = static_cast<Slot>(profile.lanes[0].steps.size());
    for (Slot start = psi.interval.first; start + length - 1 <= psi.interval.last; ++start)
      worst = std::max(worst, of_placement(profile, start, within, signature));
  }
  return worst;
}

ExactLoss::Units ExactLoss::of_placement(const Profile& profile, Slot start, const Interval& within,
                                         std::uint32_t signature) const {
  Units total = 0;
  for (const Lane& lane : profile.lanes) {
    const std::uint32_t channel = lane.series ? channel_of_series_[*lane.series] : signature;
    const Slot end = std::min({within.last, rates_.slot(), start + static_cast<Slot>(lane.steps.size()) - 1});
    for (Slot slot = std::max(within.first, start); slot <= end; ++slot)
      total =
          add_weighted(total, lane.steps[static_cast<std::size_t>(slot - start)], narrow(rates_.rate(channel, slot)));
  }
  return total;
}

}  // namespace fugu
