// The strategies by name: what the command line and the benchmarks choose from.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "fugu/base/result.hpp"
#include "fugu/mechanism/mechanism.hpp"
#include "fugu/strategy/discounted.hpp"

namespace fugu {

/// Parameters a strategy may need. What is absent was not given.
struct StrategyParameters {
  /// Whether it will run under a swellfish definition.
  bool policies = false;
  /// Whether it will run at user level.
  bool user_level = false;
  std::optional<Discount> discount = std::nullopt;          ///< of discounted definitions
  std::uint64_t window_slots = 1;                           ///< of other definitions
  std::optional<std::uint64_t> every_slots = std::nullopt;  ///< hybrid, equal: release every k-th slot
  /// planned: how many slots there will be, and what the plan makes small.
  std::optional<std::uint64_t> horizon_slots = std::nullopt;
  PlanLeast least = PlanLeast::mean_error;
  Delta delta = Delta::zero();
  /// rescuedp-as-published, in benchmarks only: the variance of the whole true stream, in squared steps. Not private.
  std::optional<double> true_variance = std::nullopt;
  /// Published forms: how many steps are one unit of the data. Their constants are in that unit.
  double unit_steps = 1;
};

/// Which definitions a strategy is for.
enum class Serves : std::uint8_t {
  windows = 1,     ///< event, user, w-event
  policies = 2,    ///< swellfish
  both = 3,        ///< the two above
  discounted = 4,  ///< discounted-exp, discounted-hyp
  user = 8,        ///< user level, of the windows
  windows_or_user = 9,
  discounted_or_user = 12,
};

/// One line of the catalogue.
struct StrategyKind {
  std::string_view name;
  std::string_view summary;  ///< one line
  std::string_view error;    ///< expected error, in words
  std::string_view status;   ///< proved, reviewed or experimental
  std::string_view page;     ///< guarantee page
  std::string_view example;  ///< options for `fugu publish`
  Serves serves;
  /// Breaks its promise, or has none: runs in simulations only, to be compared with.
  bool comparison_only;
  Result<std::unique_ptr<Strategy>> (*make)(const StrategyParameters& parameters);
  /// Releases estimates made of several answers: no scale is stated, no error band, and filters that mix are refused.
  bool estimates = false;
  /// Sees something of the true stream that it does not pay for: no promise at all. comparison_only.
  bool leaks = false;
};

/// Whether the strategy is for one of `which`.
constexpr bool serves(const StrategyKind& kind, Serves which) {
  return (static_cast<unsigned>(kind.serves) & static_cast<unsigned>(which)) != 0;
}

std::span<const StrategyKind> strategy_kinds();

/// nullptr when there is none of that name.
const StrategyKind* find_strategy(std::string_view name);

/// Cause::usage with the list of names when there is no such strategy, or what is missing when a parameter is.
Result<std::unique_ptr<Strategy>> make_strategy(std::string_view name, const StrategyParameters& parameters);

}  // namespace fugu
