// The worst loss of a policy straight from the definition, and random books to try rules on.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

#include "fugu/policy/book.hpp"
#include "fugu/strategy/planner.hpp"

namespace fugu::test {

inline Policy policy_of(Slot first, Slot last, std::uint64_t length_slots, std::uint64_t magnitude_steps,
                        double epsilon = 1) {
  return {.interval = {first, last},
          .length_slots = length_slots,
          .magnitude_steps = magnitude_steps,
          .epsilon = Budget::round_down(epsilon)};
}

/// A book whose meters are called m0, m1, …
inline PolicyBook book_of(const std::vector<std::vector<Policy>>& meters) {
  PolicyBook book;
  for (std::size_t i = 0; i < meters.size(); ++i) book.assign(book.meter("m" + std::to_string(i)), meters[i]);
  return book;
}

/// From lo up to and without hi, the same at every size: small books hide what overlaps do.
template <class Number>
Number any_in(Number lo, Number hi) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<Number>(lo, hi));
}

/// One to three meters, everything within the first 30 slots, with gaps, nesting and repetitions.
inline PolicyBook random_book() {
  std::vector<std::vector<Policy>> meters(any_in<std::size_t>(1, 4));
  for (auto& policies : meters) {
    const int count = any_in(0, 9);
    for (int i = 0; i < count; ++i) {
      const Slot first = any_in<Slot>(0, 30);
      const Slot last = any_in<Slot>(first, 30);
      const auto length = any_in<std::uint64_t>(1, static_cast<std::uint64_t>(last - first) + 2);
      const auto magnitude = any_in<std::uint64_t>(1, 20);
      const double epsilon = *rc::gen::element(0.25, 0.5, 1.0, 1.0, 3.0);
      policies.push_back(policy_of(first, last, length, magnitude, epsilon));
    }
  }
  return book_of(meters);
}

/// Every place an occurrence of every policy of the meter can take, one by one. rates[t] belongs to slot t.
inline double reference_loss(const Collection& collection, const Policy& phi, const std::vector<double>& rates) {
  double loss = 0;
  for (const Policy& psi : collection.policies()) {
    double worst = 0;
    const Slot length = static_cast<Slot>(psi.length_slots);
    for (Slot start = psi.interval.first; start + length - 1 <= psi.interval.last; ++start) {
      double placed = 0;
      for (Slot slot = start; slot < start + length; ++slot) {
        if (phi.interval.contains(slot) && static_cast<std::size_t>(slot) < rates.size())
          placed += static_cast<double>(psi.magnitude_steps) * rates[static_cast<std::size_t>(slot)];
      }
      worst = std::max(worst, placed);
    }
    loss += worst;
  }
  return loss;
}

/// The largest L(J)/ε of all policies: the promise holds when it is at most 1.
inline double reference_use(const PolicyBook& book, const std::vector<double>& rates) {
  double worst = 0;
  for (MeterId meter = 0; meter < book.meter_count(); ++meter) {
    for (const Policy& phi : book.of(meter).policies())
      worst = std::max(worst, reference_loss(book.of(meter), phi, rates) / phi.epsilon.to_double());
  }
  return worst;
}

/// Tells a planner the whole book.
inline void add_all(Planner& planner, const PolicyBook& book) {
  for (MeterId meter = 0; meter < book.meter_count(); ++meter) {
    for (const Policy& policy : book.of(meter).policies()) planner.add(meter, policy);
  }
}

/// The rates of slots 0 … slots − 1, all of them spent as planned.
inline std::vector<double> plan(Planner& planner, Slot slots) {
  std::vector<double> rates;
  for (Slot slot = 0; slot < slots; ++slot) {
    rates.push_back(planner.rate(slot));
    planner.spent(rates.back());
  }
  return rates;
}

}  // namespace fugu::test
