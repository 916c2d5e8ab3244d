// The strategies by name: what the command line and the benchmarks choose from.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "fugu/base/result.hpp"
#include "fugu/mechanism/mechanism.hpp"
#include "fugu/strategy/discounted.hpp"
#include "fugu/strategy/share_split.hpp"

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
  /// planned: how much noise a slot gets for the same share, where sensitivities vary. Absent: always the same.
  std::function<double(Slot slot)> noise_weight = {};
  Delta delta = Delta::zero();
  ShareSplit split = {};  ///< for those that take one: StrategyKind::splits
};

/// Definitions that a strategy is for. Several are joined by |.
enum class Serves : std::uint8_t {
  windows = 1,     ///< event, user, w-event
  policies = 2,    ///< swellfish
  discounted = 4,  ///< discounted-exp, discounted-hyp
  user = 8,        ///< user level alone, of the windows
};
constexpr Serves operator|(Serves a, Serves b) {
  return static_cast<Serves>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

/// One line of the registry.
struct StrategyKind {
  std::string_view name;
  std::string_view summary;  ///< one line
  std::string_view error;    ///< expected error, in words
  std::string_view status;   ///< proved, reviewed or experimental
  std::string_view page;     ///< guarantee page
  std::string_view example;  ///< options for `fugu publish`
  Serves serves;
  Result<std::unique_ptr<Strategy>> (*make)(const StrategyParameters& parameters);
  /// Releases estimates made of several answers: no scale is stated, no error band, and filters that mix are refused.
  bool estimates = false;
  /// Which of every_slots and horizon_slots it takes, by that name; empty for neither.
  std::string_view takes = {};
  /// What the strategy says of itself when it runs without policies (Strategy::values_only).
  bool values_only = false;
  /// Whether it takes a split between the series of a household; not when it runs with policies.
  bool splits = false;
};

/// Whether the strategy is for one of `which`.
constexpr bool serves(const StrategyKind& kind, Serves which) {
  return (static_cast<unsigned>(kind.serves) & static_cast<unsigned>(which)) != 0;
}

/// All of them keep every definition they run under: the kernel sees to it. Forms that were published with flaws are no
/// part of this library.
std::span<const StrategyKind> strategy_kinds();

/// nullptr when there is none of that name.
const StrategyKind* find_strategy(std::string_view name);

/// Whether a strategy is for the definition that the parameters are about, and takes the split if there is one;
/// Cause::usage says which others it is for.
Result<void> check_serves(const StrategyKind& kind, const StrategyParameters& parameters);
/// The error when there is no strategy of that name: with the names there are.
Error unknown_strategy(std::string_view name);

/// Cause::usage with the list of names when there is no such strategy, or what is missing when a parameter is.
Result<std::unique_ptr<Strategy>> make_strategy(std::string_view name, const StrategyParameters& parameters);

}  // namespace fugu
