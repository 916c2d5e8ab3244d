#include "live_policy.hpp"

namespace fugu {

namespace {

/// Takes weight · rate away from what is left; false when that is not enough, or the rate is one that was cut off.
bool take_weighted(uint128& left, std::uint64_t weight, std::uint64_t rate) {
  const uint128 product = static_cast<uint128>(weight) * rate;
  if (rate == kTooMuchRate || product > left) return false;
  left -= product;
  return true;
}

}  // namespace

void LivePolicy::forget_terms() {
  terms_.clear();
  shapes_.clear();
}

void LivePolicy::rebuild(const Collection& collection, const RateSums& rates, Currency currency) {
  forget_terms();
  closed_ = 0;
  if (currency != Currency::epsilon) {
    for_loss_terms(collection, policy_, currency, [&](const LossTerm& term) { add_term(term, rates); });
    return;
  }
  const auto add = [&](const Policy& psi) {
    const Interval within = common(policy_.interval, psi.interval);
    if (psi.shape) {
      shapes_.push_back({psi, within, 0, {}});
    } else {
      add_term({within, std::min(psi.length_slots, within.slots()), psi.magnitude_steps}, rates);
    }
  };
  collection.for_overlapping(policy_.interval, add, near_);
}

[[gnu::always_inline]] inline void LivePolicy::add_term(const LossTerm& term, const RateSums& rates) {
  const auto weight = static_cast<std::uint64_t>(term.weight);
  const std::uint64_t largest = narrow(rates.largest_window(signature_, term.interval, term.length_slots));
  if (term.interval.last < rates.slot()) {
    closed_ = add_weighted(closed_, weight, largest);
  } else {
    terms_.push_back({term.interval, term.length_slots, weight, largest, largest});
  }
}

// In every slot, for every policy that is awake.
bool LivePolicy::fits_with(Units more, Slot now, const Units* sum_now, const ExactLoss& exact) {
  if (closed_ > limit_) return false;
  const Units sum = *sum_now + more;
  Units left = limit_ - closed_;
  std::size_t terms = terms_.size();
  for (std::size_t i = 0; i < terms; ++i) {
    OpenTerm& term = terms_[i];
    if (term.interval.last < now) {  // has ended: its maximum is final
      const OpenTerm ended = term;
      term = terms_.back();
      terms_.pop_back();
      --terms;
      --i;
      closed_ = add_weighted(closed_, ended.weight, ended.largest);
      if (!take_weighted(left, ended.weight, ended.largest)) return false;
    } else if (term.interval.first <= now) {
      const Slot from = std::max(term.interval.first, now - static_cast<Slot>(term.length_slots) + 1);
      term.candidate = std::max(term.largest, narrow(sum - sum_now[from - 1 - now]));
      if (!take_weighted(left, term.weight, term.candidate)) return false;
    }
  }
  for (OpenShape& shape : shapes_) {
    const Units placed = best_placement(shape, now, exact);
    if (placed > left) return false;
    left -= placed;
  }
  return true;
}

LivePolicy::Units LivePolicy::best_placement(OpenShape& shape, Slot now, const ExactLoss& exact) const {
  Units best = shape.largest;
  const auto& alternatives = shape.policy.shape->alternatives;
  shape.next_start.resize(alternatives.size(), shape.policy.interval.first);
  for (std::size_t a = 0; a < alternatives.size(); ++a) {
    const auto length = static_cast<Slot>(alternatives[a].lanes[0].steps.size());
    const Slot last = std::min({shape.policy.interval.last - length + 1, shape.within.last, now});
    // Occurrences that ended before this slot are settled: they are looked at once more and never again.
    Slot& next = shape.next_start[a];
    next = std::max(next, shape.within.first - length + 1);
    for (; next <= last && next + length - 1 < now; ++next)
      shape.largest = std::max(shape.largest, exact.of_placement(alternatives[a], next, shape.within, signature_));
    for (Slot start = next; start <= last; ++start)
      best = std::max(best, exact.of_placement(alternatives[a], start, shape.within, signature_));
  }
  return std::max(best, shape.largest);
}

LivePolicy::Units LivePolicy::safe_until(Units now) const {
  Units loss = closed_;
  Units open_weights = 0;  // of terms that can still grow: by no more than the rates that are added
  for (const OpenTerm& term : terms_) {
    loss = add_weighted(loss, term.weight, term.largest, limit_);
    open_weights += term.weight;
  }
  const bool can_tell = shapes_.empty() && loss <= limit_ && open_weights > 0;
  return can_tell ? now + (limit_ - loss) / open_weights : 0;
}

LivePolicy::Units LivePolicy::room(Units enough, const RateSums& rates, const ExactLoss& exact) {
  const Slot now = rates.slot();
  const Units* sum_now = rates.up_to(signature_, now);
  // The loss as a function of what is added is a maximum of lines: assume that all windows ending now are the largest
  // of their term, solve, and drop those that are not at the solution, which only gets smaller, until none is left.
  if (policy_.interval.last < now) return enough;
  if (closed_ > limit_) return 0;
  std::vector<const OpenTerm*> open;
  Units fixed = closed_;
  Units slope = 0;
  for (OpenShape& shape : shapes_) {
    const Units placed = best_placement(shape, now, exact);
    if (fixed > limit_ || placed > limit_ - fixed) return 0;
    fixed += placed;
    if (!shape.within.contains(now)) continue;
    std::uint64_t steepest = 0;
    for (const Profile& profile : shape.policy.shape->alternatives)
      steepest = std::max<std::uint64_t>(steepest, profile.lanes.size() * shape.policy.magnitude_steps);
    slope += steepest;
  }
  Units base = 0;  // of open terms, with windows that end now
  const auto window_now = [&](const OpenTerm& term) {
    const Slot from = std::max(term.interval.first, now - static_cast<Slot>(term.length_slots) + 1);
    return *sum_now - sum_now[from - 1 - now];
  };
  for (const OpenTerm& term : terms_) {
    if (term.interval.contains(now)) {
      open.push_back(&term);
      base += window_now(term) * term.weight;
      slope += term.weight;
    } else {
      fixed += static_cast<Units>(term.weight) * term.largest;
    }
  }
  for (;;) {
    if (slope == 0) return enough;
    if (fixed + base >= limit_) return 0;
    const Units more = (limit_ - fixed - base) / slope;
    const auto smaller = [&](const OpenTerm* term) {
      if (window_now(*term) + more >= term->largest) return false;
      fixed += static_cast<Units>(term->weight) * term->largest;
      base -= window_now(*term) * term->weight;
      slope -= term->weight;
      return true;
    };
    if (std::erase_if(open, smaller) == 0) return std::min(more, enough);
  }
}

}  // namespace fugu
