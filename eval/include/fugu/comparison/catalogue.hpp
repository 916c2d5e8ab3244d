// All strategies by name: those that keep their promise, and forms published with flaws, to be compared with.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "fugu/strategy/registry.hpp"

namespace fugu {

/// What published forms need besides StrategyParameters.
struct PublishedParameters {
  /// How many steps are one unit of the data. Their constants are in that unit.
  double unit_steps = 1;
  /// rescuedp-as-published: the variance of the whole true stream, in squared steps. Not private.
  std::optional<double> true_variance = std::nullopt;
};

/// One line of the catalogue. `make` is for those that keep their promise only.
struct CatalogueEntry : StrategyKind {
  /// Breaks its promise, or has none: runs in simulations only, without enforcement, to be compared with.
  bool comparison_only = false;
  /// Sees something of the true stream that it does not pay for: no promise at all. comparison_only.
  bool leaks = false;
  Result<std::unique_ptr<Strategy>> (*make_published)(const StrategyParameters&, const PublishedParameters&) = nullptr;
};

/// First those of strategy_kinds(), then those for comparison.
std::span<const CatalogueEntry> catalogue();

/// nullptr when there is none of that name.
const CatalogueEntry* find_in_catalogue(std::string_view name);

/// As make_strategy(), of both kinds. The error for an unknown name lists those that keep their promise.
Result<std::unique_ptr<Strategy>> make_from_catalogue(std::string_view name, const StrategyParameters& parameters,
                                                      const PublishedParameters& published = {});

}  // namespace fugu
