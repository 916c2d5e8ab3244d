// The rules of the conference paper as printed. They BREAK their promise: to be measured against, never to be released
// with. Witnesses: docs/guarantees/conference-rules.md. The repaired rule is make_conference_repaired().
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "fugu/strategy/outlook.hpp"
#include "fugu/strategy/planner.hpp"
#include "fugu/strategy/published_planners.hpp"

namespace fugu {

/// Theorem 7: w-event with w = longest pattern. Answers every slot. For the paper's Δ give
/// largest_temporal_sensitivity_steps(book) as sensitivity_steps.
std::unique_ptr<Planner> make_conference_theorem_7(const PlannerOptions& options);
/// Theorems 8 and 9: scale Δ_t · max T / min ε.
std::unique_ptr<Planner> make_conference_theorem_9();
/// Theorem 11 prints the global sensitivity, and is proved "analogous to Theorem 8", which has that of the slot.
enum class Theorem11 : std::uint8_t {
  as_printed,  ///< Δ, one for all slots
  as_argued,   ///< Δ_t of each meter's relevant policies, the largest scale over the meters, as in Theorem 9
};
/// Theorem 11: scale Δ · max (2/ε)·√(T·ln(e + ε/δ)), of Laplace noise under a promise with δ > 0. So these rates are
/// 1/scale, not ρ as elsewhere under such a promise.
std::unique_ptr<Planner> make_conference_theorem_11(const PlannerOptions& options,
                                                    Theorem11 reading = Theorem11::as_printed);
/// The same, with the rates that a strategy asks the kernel for where rates count ρ: scale 1/x costs x²/2.
std::unique_ptr<Planner> make_conference_theorem_11_in_rho(const PlannerOptions& options);

/// A rule that can be planned without data, sound or not.
struct ComparedOutlook : OutlookStrategy {
  bool comparison_only = false;  ///< breaks its promise: shown to be compared with
};
/// make_outlook_strategy() with conference-7 and conference-9 on top.
Result<ComparedOutlook> make_compared_outlook(std::string_view name, const PlannerOptions& options);

}  // namespace fugu
