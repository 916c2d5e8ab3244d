#include "fugu/strategy/fit_to_policies.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fugu/accounting/loss_terms.hpp"
#include "fugu/base/check.hpp"
#include "largest_sum.hpp"

namespace fugu {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Finds the factor of each slot.
class Fit {
 public:
  Fit(const Interval& slots, std::span<const double> rates, std::uint64_t released_slots)
      : slots_(slots),
        rates_(rates),
        first_free_(slots.first + static_cast<Slot>(released_slots)),
        factors_(rates.size(), kInfinity) {
    FUGU_CHECK(rates.size() == slots.slots() && released_slots <= rates.size());
  }

  void add(const Collection& collection) {
    collection.for_overlapping(slots_, [&](const Policy& phi) {
      if (phi.interval.last < first_free_) return;
      const double factor = factor_of(collection, phi);
      const Interval free = common(phi.interval, {first_free_, slots_.last});
      for (Slot slot = free.first; slot <= free.last; ++slot)
        factors_[index_of(slot)] = std::min(factors_[index_of(slot)], factor);
    });
  }

  void apply(std::vector<double>& rates) const {
    for (std::size_t i = index_of(first_free_); i < rates.size(); ++i) {
      if (std::isfinite(factors_[i])) rates[i] *= factors_[i];
    }
  }

 private:
  std::size_t index_of(Slot slot) const { return static_cast<std::size_t>(slot - slots_.first); }

  /// By how much the rates in J may be multiplied at most.
  double factor_of(const Collection& collection, const Policy& phi) {
    const double epsilon = phi.epsilon.to_double();
    if (phi.interval.first >= first_free_) return epsilon / loss(collection, phi, slots_);
    const double free = loss(collection, phi, {first_free_, slots_.last});
    const double released = loss(collection, phi, {slots_.first, first_free_ - 1});
    const double all = loss(collection, phi, slots_);
    // The loss is convex in the factor, so it lies below the chord from 0 to 1; and each unit of the factor beyond 1
    // adds at most what the free slots lose by themselves.
    if (all > epsilon) return std::max(epsilon - released, 0.0) / (all - std::min(released, epsilon));
    return free > 0 ? 1 + (epsilon - all) / free : kInfinity;
  }

  /// L(J) when only the slots `counted` were answered.
  double loss(const Collection& collection, const Policy& phi, const Interval& counted) {
    const Interval within = common(phi.interval, counted);
    sum_before_.assign(1, 0.0);  // from the start of J, so that rounding is relative to what J itself loses
    for (Slot slot = within.first; slot <= within.last; ++slot) {
      const double rate = rates_[index_of(slot)];
      sum_before_.push_back(sum_before_.back() + (std::isinf(rate) ? 0 : rate));  // infinite: nothing to lose
    }
    double loss = 0;
    for_loss_terms(collection, phi, Currency::epsilon, [&](const LossTerm& term) {
      if (!term.interval.overlaps(within)) return;
      const Interval part = common(term.interval, within);
      loss += static_cast<double>(term.weight) * largest_sum(part, term.length_slots, within.first);
    });
    return loss;
  }

  /// The largest sum of rates over up to `length_slots` consecutive slots of `part`.
  double largest_sum(const Interval& part, std::uint64_t length_slots, Slot base) const {
    return fugu::largest_sum(sum_before_, static_cast<std::size_t>(part.first - base),
                             static_cast<std::size_t>(part.last - base) + 1, std::min(length_slots, part.slots()));
  }

  Interval slots_;
  std::span<const double> rates_;
  Slot first_free_;
  std::vector<double> factors_;
  std::vector<double> sum_before_;  // scratch
};

}  // namespace

void fit_to_policies(const PolicyBook& book, const Interval& slots, std::vector<double>& rates,
                     std::uint64_t released_slots) {
  Fit fit(slots, rates, released_slots);
  for (MeterId meter = 0; meter < book.meter_count(); ++meter) fit.add(book.of(meter));
  fit.apply(rates);
}

void fit_to_policies(std::span<const Collection> book, const Interval& slots, std::vector<double>& rates,
                     std::uint64_t released_slots) {
  Fit fit(slots, rates, released_slots);
  for (const Collection& collection : book) fit.add(collection);
  fit.apply(rates);
}

}  // namespace fugu
