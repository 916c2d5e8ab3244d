// The loss of one policy, as docs/guarantees/swellfish.md writes it. Nothing is remembered and nothing is skipped: this
// is what the index of policies has to agree with.
#pragma once

#include "fugu/accounting/loss_terms.hpp"
#include "fugu/policy/book.hpp"
#include "rate_sums.hpp"

namespace fugu {

// A rate or a sum that cannot be counted: more than any ε.
constexpr std::uint64_t kTooMuchRate = ~std::uint64_t{0};
constexpr uint128 kTooMuch = ~uint128{0};
/// The largest sum that is not kTooMuch.
constexpr uint128 kUnlimited = kTooMuch - 1;

inline std::uint64_t narrow(uint128 units) {
  return units > kTooMuchRate ? kTooMuchRate : static_cast<std::uint64_t>(units);
}

/// sum + weight · rate, or kTooMuch when that exceeds `limit` or the rate is one that was cut off.
inline uint128 add_weighted(uint128 sum, std::uint64_t weight, std::uint64_t rate, uint128 limit = kUnlimited) {
  if (rate == kTooMuchRate || sum > limit) return kTooMuch;
  const uint128 product = static_cast<uint128>(weight) * rate;
  return product > limit - sum ? kTooMuch : sum + product;
}

class ExactLoss {
 public:
  using Units = RateSums::Units;

  /// `rates` outlives this.
  ExactLoss(const RateSums& rates, std::vector<std::uint32_t> channel_of_series, Currency currency)
      : rates_(rates), channel_of_series_(std::move(channel_of_series)), currency_(currency) {}

  Currency currency() const { return currency_; }

  /// L(J) of policy `phi` of this collection, whose meter has this signature, by the rates so far. kTooMuch when it
  /// cannot be counted.
  Units of(const Collection& collection, const Policy& phi, std::uint32_t signature) const;
  /// What one occurrence of a profile that starts then adds to it, of which `within` counts.
  Units of_placement(const Profile& profile, Slot start, const Interval& within, std::uint32_t signature) const;

 private:
  Units of_worst_placement(const Policy& psi, const Interval& within, std::uint32_t signature) const;

  const RateSums& rates_;
  std::vector<std::uint32_t> channel_of_series_;
  Currency currency_;
};

}  // namespace fugu
