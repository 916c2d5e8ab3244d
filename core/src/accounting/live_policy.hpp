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

  /// Whether it stays within its limit when the rate of slot `now` grows by `more`. Notes what the windows become.
  /// `sum_now`: where the running sum of its channel up to this slot is (RateSums::up_to).
  bool fits_with(Units more, Slot now, const Units* sum_now, const ExactLoss& exact);
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
  Units best_placement(OpenShape& shape, Slot now, const ExactLoss& exact) const;

  Policy policy_;
  Units limit_ = 0;
  Units closed_ = 0;  // what terms with a past interval contribute
  std::vector<OpenTerm> terms_;
  std::vector<OpenShape> shapes_;
  std::uint32_t signature_ = 0;
  std::uint32_t near_ = 0;
};

}  // namespace fugu
