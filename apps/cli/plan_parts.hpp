// Which series of a stream are planned together, and what a strategy would do there: as `fugu publish` does it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fugu/accounting/definition.hpp"
#include "fugu/policy/policy_reader.hpp"
#include "fugu/strategy/outlook.hpp"
#include "fugu/strategy/planned.hpp"
#include "fugu/stream/series_map.hpp"

namespace fugu::cli {

/// Series with the same noise.
struct SeriesGroup {
  std::uint64_t series_per_meter = 1;  ///< into how many series a meter counts that counts into one of these
  std::vector<SeriesId> series = {};

  /// By how much their scale is larger than that of a series which shares no meter with others.
  double factor(NoiseKind noise) const;
};

/// Series that one plan is made for: those that meters connect; without a series map, where any policy may be about
/// any series, all.
struct PlanPart {
  PolicyBook stated;                     ///< what meters state in the end
  PolicyBook book;                       ///< what the planner is told of it, in parts of a step
  std::vector<Announcement> late = {};   ///< what of it, and what is taken back again, it is told only on the way
  std::vector<char> relevant = {};       ///< one per slot
  std::vector<SeriesGroup> groups = {};  ///< most noise first

  /// Σ over its series of their factor.
  double weight(NoiseKind noise) const;
};

/// What all strategies are planned under.
struct PlanRules {
  Definition definition;
  Exposure exposure;
  PlannerOptions planner;  ///< in steps
  OutlookOptions outlook;  ///< in steps
  Currency currency = Currency::epsilon;
  std::uint64_t parts = 1;  ///< of a step, that planners count in

  Policy as_planned(const Policy& stated) const { return fugu::as_planned(exposure, currency, parts, stated); }
  /// For planners, which count in parts of a step.
  OutlookOptions outlook_in_parts() const;
};

/// `late` in the order of the file; `map` may be nullptr. Cost: one copy of every policy for each part its meter may
/// count into.
std::vector<PlanPart> plan_parts(const PolicyBook& book, std::span<const StatedPolicy> late, const SeriesMap* map,
                                 const PlanRules& rules);

/// One strategy in one part, over all slots, for a series that shares no meter with others.
struct PlannedPart {
  std::vector<double> rates = {};
  std::vector<double> scales = {};    ///< in steps
  ScaleSummary summary = {};          ///< of the slots that are shown
  BookUse use = {};                   ///< of all slots
  std::optional<double> asked_for{};  ///< what the use would be, when the accountant had to hold the rule back
};

/// Everything of a book in the order in which it becomes known, when `late` does only while the stream runs.
std::vector<Announcement> announcements_with(const PolicyBook& book, std::span<const Announcement> late,
                                             const OutlookOptions& options);

/// Rates per step, and use. A rule that asks for more than is promised is run under the accountant, as publish would;
/// one for comparison is not. `book` and `announced` are in parts of a step, `stated` is what meters said.
Result<PlannedPart> plan_part(const std::string& strategy, const PolicyBook& stated, const PolicyBook& book,
                              std::span<const Announcement> announced, const PlanRules& rules);

}  // namespace fugu::cli
