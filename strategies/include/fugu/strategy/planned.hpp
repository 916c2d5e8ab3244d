// Strategies that follow a plan made from policies.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "fugu/mechanism/mechanism.hpp"
#include "fugu/strategy/planner.hpp"
#include "fugu/strategy/published_planners.hpp"

namespace fugu {

/// Makes a planner for a promise that counts ε or ρ.
using MakePlanner = std::function<std::unique_ptr<Planner>(const Kernel&)>;

/// The rate at which a change by the whole sensitivity costs `share`, with room for rounding.
double rate_of_share(Budget share, std::uint64_t sensitivity_steps, Currency currency);
/// The rate that the floor gives each slot of its window; infinite without a floor.
double floor_rate(const Kernel& kernel);

/// In how many parts of a step planners are told of magnitudes. A policy that names series counts for a fraction of a
/// step where each series gets rate / series_per_meter(series): in these parts it is a whole number, or one that is
/// rounded up by less than a millionth of a step. With δ > 0 shapes are charged as their envelope: whole steps.
std::uint64_t planned_parts(const Exposure& exposure, Currency currency);

/// What a published rule is told about the run of this kernel, in parts of a step.
PlannerOptions planner_options(const Kernel& kernel);
/// The same in parts, of options in steps.
PlannerOptions in_parts(PlannerOptions options, std::uint64_t parts);

/// What a planner is told instead of a policy, with its magnitude in parts of a step. Instead of one with a shape: its
/// envelope, with the magnitude it counts for where each series gets rate / series_per_meter(series).
Policy as_planned(const Exposure& exposure, Currency currency, std::uint64_t parts, Policy policy);

/// Answers every slot at the rate its planner says, within what the floor and the accountant allow. Where no policy is
/// relevant: the true value if that was chosen, else as much as the floor gives each slot of its window.
///
/// Series that share a meter are planned together; groups of series that share none have plans of their own.
///
/// Guarantee: keeps every policy, whatever the planner says (the kernel sees to it). When the planner wants more than
/// is left, it gets what is left, unless that is but a crumb. Cost: the planner's, and O(series) per slot.
class PlannedStrategy : public Strategy {
 public:
  explicit PlannedStrategy(MakePlanner make_planner) : make_planner_(std::move(make_planner)) {}

  Result<void> step(Kernel& kernel, Release& release) override;
  void stated(const Kernel& kernel, MeterId meter, std::span<const std::uint32_t> signatures,
              const Policy& policy) override;
  void withdrawn(const Kernel& kernel, MeterId meter, std::span<const std::uint32_t> signatures,
                 const Policy& policy) override;

 protected:
  /// Series that are planned together.
  struct Block {
    std::vector<SeriesId> series;
    std::unique_ptr<Planner> planner;
  };
  /// Decides about a slot in which policies are relevant, of which the planner says `rate`. Returns what it spent.
  /// Rates are losses per step here, whatever parts of it the planner counts in.
  virtual Result<double> release_relevant(Kernel& kernel, Release& release, const Block& block, double rate);
  /// Answers at `rate`, or at what these series have left when that is less; 0 when that is next to nothing and the
  /// last release is repeated.
  static Result<double> release_at(Kernel& kernel, Release& release, const Block& block, double rate);
  /// Whether each series has a release to compare with, and a value now; then `reference` becomes what readers see of
  /// the releases.
  static bool comparable(const Kernel& kernel, const Release& release, const Block& block,
                         std::vector<std::int64_t>& reference);
  /// Σ over the series of the magnitude of the noise of answers at `rate`.
  static double expected_noise(const Kernel& kernel, const Block& block, double rate);
  double parts() const { return rate_parts_; }

 private:
  void prepare(const Kernel& kernel);
  /// Whether readers see something else than before.
  Result<bool> release_idle(Kernel& kernel, Release& release, const Block& block) const;

  MakePlanner make_planner_;
  std::vector<Block> blocks_;
  std::vector<std::uint32_t> block_of_signature_;
  std::vector<std::vector<std::uint32_t>> blocks_of_meter_;
  double floor_rate_ = 0;    // of one slot; infinite without a floor
  std::uint64_t parts_ = 1;  // of a step, that planners count in: their rates are losses per part
  double rate_parts_ = 1;    // the same number
};

/// What a slot pays for deciding and for answering.
struct RateSplit {
  double decision = 0;
  double answer = 0;
  bool decision_counts = true;  ///< whether the planner is told of both, or of answers only
};

/// PlannedStrategy that first asks how far the stream has moved from the last release, and releases anew only when that
/// is more than the noise it would add: the idea of Unicorn, with exact accounting. What a repeated release saves, the
/// planner can spend later.
class AdaptiveStrategy final : public PlannedStrategy {
 public:
  /// Rates per step; the planner's own are per part of a step, of which there are `parts`.
  using Split = std::function<RateSplit(const Planner&, double rate, double parts)>;
  AdaptiveStrategy(MakePlanner make_planner, Split split)
      : PlannedStrategy(std::move(make_planner)), split_(std::move(split)) {}

 protected:
  Result<double> release_relevant(Kernel& kernel, Release& release, const Block& block, double rate) override;

 private:
  Split split_;
  std::vector<std::int64_t> reference_;
};

}  // namespace fugu
