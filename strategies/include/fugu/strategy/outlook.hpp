// What a strategy would do with the policies of a book, before anything is released.
//
// Noise depends on policies alone, so all of it can be known in advance: how much each slot gets, whether that keeps
// what every policy was promised, on whom it hangs, and what it would be if one of them wished for something else.
// `fugu plan` prints what is computed here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/accounting/definition.hpp"
#include "fugu/base/result.hpp"
#include "fugu/noise/noise.hpp"
#include "fugu/policy/book.hpp"
#include "fugu/strategy/planner.hpp"
#include "fugu/strategy/published_planners.hpp"

namespace fugu {

/// Which slots are released, what is known when, and what holds besides the policies.
struct OutlookOptions {
  Interval slots = {};
  /// Absent: every policy is known from the start. Else each becomes known this many slots before it begins.
  std::optional<std::uint64_t> notice_slots = {};
  /// A floor's: no slot is answered at a higher rate, and slots without a policy at this one. Absent: policies alone.
  std::optional<double> floor_rate = {};
  /// Above 0: rates are ρ per squared step (planner.hpp), and noise is Gaussian.
  Delta delta = Delta::zero();
};

/// A rule that can be planned without data.
struct OutlookStrategy {
  std::string_view name;  ///< as in the catalogue of strategies
  std::unique_ptr<Planner> planner;
};
/// Cause::usage with the names that are known when there is none of that name, when it decides by the data, or when it
/// has no form for this δ.
Result<OutlookStrategy> make_outlook_strategy(std::string_view name, const PlannerOptions& options);

/// A policy that becomes known, or is taken back, when slot `known` is about to be released.
struct Announcement {
  Slot known = 0;
  MeterId meter = 0;
  Policy policy;
  bool withdrawn = false;
};
/// The policies of a book that are relevant in `options.slots`, in the order in which they become known.
std::vector<Announcement> announcements(const PolicyBook& book, const OutlookOptions& options);

/// Answers at a lower rate than this have more noise than can be drawn, and are not given.
double smallest_rate(Delta delta);

/// Asks the planner about every slot. Infinite where nothing asks for noise; 0 where the last release is repeated.
/// `announced` is in the order of `known`.
std::vector<double> rates_as_announced(Planner& planner, std::span<const Announcement> announced,
                                       const OutlookOptions& options);
/// The same for announcements(book, options).
std::vector<double> planned_rates(Planner& planner, const PolicyBook& book, const OutlookOptions& options);

/// Whether a policy is relevant, slot by slot.
std::vector<char> relevant_slots(const PolicyBook& book, const Interval& slots);

/// How much of its promise a policy loses: L(J) over ε, or over the ρ that ε and δ allow. With δ > 0 a shape counts as
/// its envelope, as it is charged.
struct PolicyUse {
  MeterId meter = 0;
  Policy policy;
  double use = 0;
};
struct BookUse {
  std::optional<PolicyUse> worst;  ///< absent when no policy overlaps the slots
  std::size_t policies = 0;        ///< that overlap the slots
  std::size_t over = 0;            ///< that lose more than they were promised, rounding aside
};
/// What rounding of sums of doubles may add to a use that is exactly 1.
inline constexpr double kUseRounding = 1e-9;
inline bool keeps_promise(double use) { return use <= 1 + kUseRounding; }

/// The exact worst loss of every policy at these rates, one per slot of `slots`; other slots count as not answered.
/// Series are answered at rate / series_per_meter(series) of the exposure; without one there is a single series.
/// Cost: Σ over policies of Σ over those of the same meter that overlap it of the slots they share; for each that has a
/// shape, times its entries.
/// `visit` gets each policy that overlaps the slots, in the order of the book, with its use.
void for_policy_uses(const PolicyBook& book, const Interval& slots, std::span<const double> rates, Delta delta,
                     const std::function<void(MeterId, const Policy&, double use)>& visit,
                     const Exposure* exposure = nullptr);
/// The same, summed up.
BookUse check_rates(const PolicyBook& book, const Interval& slots, std::span<const double> rates, Delta delta,
                    const Exposure* exposure = nullptr);

/// The noise that goes with rates under this δ.
inline NoiseKind noise_for(Delta delta) { return delta.value() > 0 ? NoiseKind::gaussian : NoiseKind::laplace; }

/// Noise scale in steps at a rate: Laplace's λ or the Gaussian's σ. 0 for an infinite rate.
double scale_at(double rate, NoiseKind noise);
/// Expected magnitude of noise of that scale.
double expected_error(double scale, NoiseKind noise);

/// The scale of what is shown in each slot: where a release is repeated, the scale it was released with. NaN before the
/// first release.
std::vector<double> shown_scales(std::span<const double> rates, NoiseKind noise);

/// In steps, over relevant slots. Of repeated releases only the noise is counted, not what the stream moved since.
struct ScaleSummary {
  std::uint64_t slots = 0;
  std::uint64_t relevant_slots = 0;
  std::uint64_t repeated_slots = 0;  ///< of the relevant ones
  double mean = 0;
  double median = 0;
  double high = 0;  ///< 95 of 100 slots have at most this scale
  double largest = 0;
  double mean_error = 0;
};
/// All spans are about the same slots.
ScaleSummary summarize_scales(std::span<const double> rates, std::span<const double> scales,
                              std::span<const char> relevant, NoiseKind noise);

/// A policy that holds the noise up, in the best plan that the policies permit: were it the only one whose ε grows by a
/// hundredth (or, with δ > 0, its ρ), the expected error would fall by `share` hundredths.
struct BindingPolicy {
  MeterId meter = 0;
  Policy policy;
  double share = 0;
};
/// Largest share first. The shares of all add up to 1, or ½ with δ > 0, less what hangs on a floor, and to within a few
/// hundredths: a plan at a relative gap g from the best has prices that are up to 2·√g off in sum. Of policies that
/// limit a slot alike, each has a part of the share. Everything counts as known in advance. (Narwhal, which adds no
/// more noise to any slot than unicorn-ps would, is a little off that best plan.)
std::vector<BindingPolicy> binding_policies(const PolicyBook& book, const OutlookOptions& options);

/// What Narwhal's error would be if one policy were another. Plans the neighbourhood of the policy only: the slots
/// that are connected to it by policies without a gap, or in large books a few days around it.
class WhatIf {
 public:
  WhatIf(const PolicyBook& book, const OutlookOptions& options);
  ~WhatIf();
  WhatIf(WhatIf&&) noexcept;
  WhatIf& operator=(WhatIf&&) noexcept;

  /// By how much Σ expected error over all slots would change, in steps, if `policy` of the book were `instead`; or,
  /// when that is absent, were not there.
  double change(MeterId meter, const Policy& policy, const std::optional<Policy>& instead);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// The same wish, or wishes, with every ε multiplied by `factor` > 0, rounded down.
Policy with_scaled_epsilon(Policy policy, double factor);
PolicyBook with_scaled_epsilons(const PolicyBook& book, double factor);

}  // namespace fugu
