// What rates lose, by trying every placement, and a plain UnicornPS. Shares no code with the planner.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "fugu/strategy/planner.hpp"

namespace fugu::test {

using Rates = std::vector<double>;  // by slot, from 0

inline Policy policy(Slot first, Slot last, std::uint64_t length, std::uint64_t magnitude, double epsilon = 1) {
  return {.interval = {first, last},
          .length_slots = length,
          .magnitude_steps = magnitude,
          .epsilon = Budget::round_down(epsilon)};
}

/// The largest Σ x over a run of at most `length` slots, all within every interval.
inline double largest_run(const std::vector<Interval>& intervals, std::uint64_t length, const Rates& x) {
  Slot first = 0;
  Slot last = static_cast<Slot>(x.size()) - 1;
  for (const Interval& interval : intervals) {
    first = std::max(first, interval.first);
    last = std::min(last, interval.last);
  }
  double most = 0;
  for (Slot start = first; start <= last; ++start) {
    double sum = 0;
    for (Slot t = start; t <= last && t < start + static_cast<Slot>(length); ++t) sum += x[static_cast<std::size_t>(t)];
    most = std::max(most, sum);
  }
  return most;
}

/// L(J) of the definition: every policy of the meter occurs once, where it hurts most.
inline double pure_loss(const std::vector<Policy>& meter, const Policy& phi, const Rates& x) {
  double loss = 0;
  for (const Policy& psi : meter) {
    double worst = 0;
    const Slot length = static_cast<Slot>(psi.length_slots);
    for (Slot start = psi.interval.first; start + length - 1 <= psi.interval.last; ++start) {
      double sum = 0;
      for (Slot t = start; t < start + length; ++t)
        if (phi.interval.contains(t) && t < static_cast<Slot>(x.size())) sum += x[static_cast<std::size_t>(t)];
      worst = std::max(worst, sum);
    }
    loss += static_cast<double>(psi.magnitude_steps) * worst;
  }
  return loss;
}

/// Σ (Σ of changes)², bounded term by term.
inline double rho_loss(const std::vector<Policy>& meter, const Policy& phi, const Rates& x) {
  double loss = 0;
  for (std::size_t i = 0; i < meter.size(); ++i) {
    for (std::size_t j = 0; j < meter.size(); ++j) {
      const auto length = std::min(meter[i].length_slots, meter[j].length_slots);
      loss += static_cast<double>(meter[i].magnitude_steps) * static_cast<double>(meter[j].magnitude_steps) *
              largest_run({phi.interval, meter[i].interval, meter[j].interval}, length, x);
    }
  }
  return loss;
}

/// Thesis, Algorithms 6, 7 and 9, one Δ per slot: the largest sum of magnitudes any meter has relevant there.
class PlainUnicornPs final : public Planner {
 public:
  void add(MeterId meter, const Policy& policy) override {
    if (meter >= meters_.size()) meters_.resize(std::size_t{meter} + 1);
    meters_[meter].push_back(policy);
  }
  void withdraw(MeterId, const Policy&) override {}

  double rate(Slot slot) override {
    if (budgets_.empty()) first_ = slot;
    double budget = std::numeric_limits<double>::infinity();
    double sensitivity = 0;
    for (const auto& meter : meters_) {
      double sum = 0;
      for (const Policy& phi : meter) {
        if (!phi.interval.contains(slot)) continue;
        sum += static_cast<double>(phi.magnitude_steps);
        budget = std::min(budget, allocation(meter, phi, slot));
      }
      sensitivity = std::max(sensitivity, sum);
    }
    budgets_.push_back(sensitivity > 0 ? budget : 0);
    return sensitivity > 0 ? budget / sensitivity : std::numeric_limits<double>::infinity();
  }
  void spent(double) override {}

 private:
  double allocation(const std::vector<Policy>& meter, const Policy& phi, Slot slot) const {
    std::uint64_t affected = 0;
    for (const Policy& psi : meter)
      if (psi.interval.overlaps(phi.interval))
        affected += std::min(psi.length_slots, common(psi.interval, phi.interval).slots());
    affected = std::min(affected, phi.interval.slots());
    Rates used(budgets_.begin() + (phi.interval.first - first_), budgets_.end());
    std::sort(used.rbegin(), used.rend());
    const double epsilon = phi.epsilon.to_double();
    double left = epsilon;
    for (std::size_t i = 0; i < std::min<std::size_t>(affected, used.size()); ++i) left -= used[i];
    if (used.size() >= affected) left = used.back();
    return std::max(epsilon / static_cast<double>(affected), left / static_cast<double>(phi.interval.last - slot + 1));
  }

  std::vector<std::vector<Policy>> meters_;
  Rates budgets_;
  Slot first_ = 0;
};

/// Random policies of a few meters over `slots` slots.
inline std::vector<std::pair<MeterId, Policy>> random_book(std::mt19937_64& random, Slot slots, std::size_t policies) {
  const auto below = [&](std::uint64_t n) { return static_cast<Slot>(random() % n); };
  const auto meters = 1 + random() % 3;
  std::vector<std::pair<MeterId, Policy>> book;
  for (std::size_t i = 0; i < policies; ++i) {
    const Slot first = below(static_cast<std::uint64_t>(slots));
    const Slot last = first + below(std::min<std::uint64_t>(20, static_cast<std::uint64_t>(slots - first)));
    const auto length = 1 + random() % static_cast<std::uint64_t>(last - first + 1);
    const double epsilon = std::exp2(static_cast<double>(below(5)) - 2);
    book.emplace_back(static_cast<MeterId>(random() % meters),
                      policy(first, last, length, 1 + random() % 3000, epsilon));
  }
  return book;
}

inline std::vector<Policy> of_meter(const std::vector<std::pair<MeterId, Policy>>& book, MeterId meter) {
  std::vector<Policy> found;
  for (const auto& [id, policy] : book)
    if (id == meter) found.push_back(policy);
  return found;
}

/// The largest loss / budget of all policies.
inline double worst_share(const std::vector<std::pair<MeterId, Policy>>& book, const Rates& x,
                          const std::function<double(const Policy&)>& rho = nullptr) {
  double worst = 0;
  for (const auto& [id, phi] : book) {
    const auto meter = of_meter(book, id);
    const double share = rho ? rho_loss(meter, phi, x) / rho(phi) : pure_loss(meter, phi, x) / phi.epsilon.to_double();
    worst = std::max(worst, share);
  }
  return worst;
}

}  // namespace fugu::test
