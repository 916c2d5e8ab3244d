// Temporal sensitivity and policy-affected slots: the two numbers the thesis builds its rules on, and its composition
// theorem as a check.
//
// For comparison with the exact loss (loss_terms.hpp), which is never larger: docs/guarantees/tes-tenat.md.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fugu/policy/book.hpp"

namespace fugu {

/// Δ_t: the sum of the magnitudes relevant in `slot`, by which one meter can change a series in it.
std::uint64_t temporal_sensitivity_steps(const Collection& collection, Slot slot);
/// The largest of all meters.
std::uint64_t temporal_sensitivity_steps(const PolicyBook& book, Slot slot);
/// The largest of all meters and slots. O(n log n) in the policies.
std::uint64_t largest_temporal_sensitivity_steps(const PolicyBook& book);

/// δ(J), bounded by Algorithm 6: in how many slots of policy `phi`'s interval two neighbouring streams can differ.
/// `phi` is a member of `collection`.
std::uint64_t affected_slots(const Collection& collection, const Policy& phi);

/// Theorem 10 over a finished sequence: the largest of Σ TOP_δ(J) {Δ_t · rate_t | t ∈ J} / ε over all policies, with
/// Δ_t of the policy's own meter. The theorem's condition holds when this is at most 1. rates[i] belongs to slot
/// slots.first + i; what lies outside counts as not answered. Cost: Σ |J| times the logarithm of the longest.
double tenat_use(const PolicyBook& book, const Interval& slots, std::span<const double> rates);

/// What Theorem 10 still allows, slot by slot, for one meter whose policies are all known in advance. Never more than
/// the exact accountant allows, and often less.
///
/// Cost of a slot: the relevant policies, times log δ(J) when something was spent. Memory: δ(J) − 1 numbers for each.
class TenatAccountant {
 public:
  explicit TenatAccountant(const Collection& collection);

  /// Moves to `slot`, which is after the current one.
  void advance(Slot slot);
  /// The largest ε_t = Δ_t · rate_t of the current slot with which the condition still holds; infinite when no policy
  /// is relevant.
  double available() const;
  /// The current slot costs ε_t: at most available().
  void spend(double epsilon_t);

 private:
  struct Relevant {
    Slot last = 0;
    double epsilon = 0;
    std::uint64_t others_slots = 0;  // δ(J) − 1: how many slots besides the current one count
    std::vector<double> largest;     // what the costliest of them cost, cheapest on top
    double largest_sum = 0;
  };
  struct Start {
    Slot first = 0;
    Relevant state;
  };

  std::vector<Start> to_come_;  // ordered by first slot
  std::size_t next_ = 0;
  std::vector<Relevant> relevant_;
};

}  // namespace fugu
