// What policies are like, in the numbers that the papers describe them by: TeS and TeNAT effects, affected slots,
// dominance. For people who plan; no promise rests on them. docs/guarantees/tes-tenat.md, docs/concepts/policies.md.
#pragma once

#include <cstdint>
#include <vector>

#include "fugu/policy/book.hpp"

namespace fugu {

/// Of one collection, or of several together: in each slot the one that asks for most counts.
///
/// The TeS effect is the time-variant share of Definition 7.3.2, the mean over slots of Δ_t / ΔQ; the TeNAT effect the
/// mean of (largest δ(J) of the relevant policies, 0 when there is none) / w. The thesis defines the numerator of the
/// latter over all policies in Definition 7.3.3, where it would not depend on time, and over the relevant ones in Table
/// 7.3 and Theorem 14: the latter is meant. Its w is the longest pattern in the definition, the largest δ(J) in
/// Theorem 14, and the longest J in Theorem 11, the only one with which the w-event rules are sound.
struct CollectionFacts {
  std::size_t policies = 0;                  ///< that overlap the slots
  std::uint64_t longest_interval_slots = 0;  ///< the sound w
  std::uint64_t most_affected_slots = 0;     ///< largest δ(J): w of Theorems 13 and 14 as printed
  double tes_effect = 0;                     ///< MAE of TeSUniform over that of Uniform (Theorem 13)
  double tenat_effect = 0;                   ///< of TeNATUniform (Theorem 14), with the sound w
  double tenat_effect_printed = 0;           ///< with the largest δ(J) as w
};
CollectionFacts facts_of(const Collection& collection, const Interval& slots, std::uint64_t sensitivity_steps);
CollectionFacts facts_of(const PolicyBook& book, const Interval& slots, std::uint64_t sensitivity_steps);

/// By meter: in how many of the slots its dominant secret (dominance.hpp) dominates those of all other meters. Slots in
/// which it has nothing relevant do not count. A shape counts as its envelope. Cost: Σ |J|.
std::vector<std::uint64_t> dominated_slots(const PolicyBook& book, const Interval& slots);

}  // namespace fugu
