// A policy whose interval has begun: its loss, kept up to date slot by slot.
#pragma once

#include <vector>

#include "exact_loss.hpp"

namespace fugu {

/// Of one of the signatures its meter may have. The terms of its loss are there while it is awake (policy_index.hpp).
class LivePolicy {
 public:
  using Units = RateSums::Units;

  /// `near`: where the policy is in its meter's collection, or was. `limit`: its ε, weighted.
  void begin(const Policy& policy, std::uint32_t signature, std::size_t near, Units limit) {
    policy_ = policy;
    signature_ = signature;
    near_ = static_cast<std::uint32_t>(near);
    limit_ = limit;
  }

  const Policy& policy() const { return policy_; }
  std::uint32_t signature() const { return signature_; }
  std::uint32_t near() const { return near_; }
  Units limit() const { return limit_; }

  /// Computes the terms anew.
  void rebuild(const Collection& collection, const RateSums& rates, Currency currency);
  void forget_terms();

  /// Whether it stays within its limit when the rate of this slot grows by `more`. Notes what the windows become.
  bool fits_with(Units more, const RateSums& rates, const ExactLoss& exact);
  /// What fits_with() was last asked about has come true.
  void confirm(Slot now) {
    for (OpenTerm& term : terms_) {
      if (term.interval.contains(now)) term.largest = term.candidate;
    }
  }
  /// How much more the rate of this slot may grow; exact where it is below `enough`.
  Units room(Units enough, const RateSums& rates, const ExactLoss& exact);
  /// Up to which running sum of rates it surely stays within its limit, by the terms as they are; 0 if unknown.
  Units safe_until(Units now) const;

 private:
  /// A term whose interval has not ended.
  struct OpenTerm {
    Interval interval;
    std::uint64_t length_slots;
    std::uint64_t weight;
    std::uint64_t largest;    // window sum so far
    std::uint64_t candidate;  // what it becomes with the staged answer
  };
  /// A neighbour with a shape: the largest weighted sum over alternatives and placements.
  struct OpenShape {
    Policy policy;
    Interval within;               // what of its interval lies in J
    Units largest;                 // over occurrences that ended before the current slot
    std::vector<Slot> next_start;  // per alternative: the first occurrence that is not among them
  };

  void add_term(const LossTerm& term, const RateSums& rates);
  Units best_placement(OpenShape& shape, const RateSums& rates, const ExactLoss& exact) const;

  Policy policy_;
  Units limit_ = 0;
  Units closed_ = 0;  // what terms with a past interval contribute
  std::vector<OpenTerm> terms_;
  std::vector<OpenShape> shapes_;
  std::uint32_t signature_ = 0;
  std::uint32_t near_ = 0;
};

/// Takes weight · rate away from what is left; false when that is not enough, or the rate is one that was cut off.
inline bool take_weighted(uint128& left, std::uint64_t weight, std::uint64_t rate) {
  const uint128 product = static_cast<uint128>(weight) * rate;
  if (rate == kTooMuchRate || product > left) return false;
  left -= product;
  return true;
}

// In every slot, for every policy that is awake.
inline bool LivePolicy::fits_with(Units more, const RateSums& rates, const ExactLoss& exact) {
  if (closed_ > limit_) return false;
  const Slot now = rates.slot();
  const Units* sum_now = rates.up_to(signature_, now);
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
    const Units placed = best_placement(shape, rates, exact);
    if (placed > left) return false;
    left -= placed;
  }
  return true;
}

}  // namespace fugu
