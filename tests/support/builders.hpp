// Short ways to say what tests say often.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fugu/accounting/definition.hpp"
#include "fugu/stream/source.hpp"

namespace fugu::test {

/// A definition; for user level `window_slots` is the horizon.
inline Definition define(Protects protects, double epsilon, double delta = 0,
                         std::optional<std::uint64_t> window_slots = std::nullopt) {
  return *Definition::make({.protects = protects,
                            .epsilon = *Epsilon::make(epsilon),
                            .delta = *Delta::make(delta),
                            .window_slots = window_slots});
}

/// Policies, and what holds besides them: a floor, or true values where no policy is relevant.
inline Definition define_swellfish(const Definition& floor) {
  return *Definition::make({.protects = Protects::swellfish,
                            .epsilon = PromisedEpsilon::of_each_policy(),
                            .delta = floor.delta(),
                            .floor = std::make_shared<const Definition>(floor),
                            .exact_when_idle = false});
}
inline Definition define_swellfish_idle(double delta = 0) {
  return *Definition::make({.protects = Protects::swellfish,
                            .epsilon = PromisedEpsilon::of_each_policy(),
                            .delta = *Delta::make(delta),
                            .exact_when_idle = true});
}

inline Exposure expose(std::vector<std::uint64_t> sensitivity_steps, std::vector<std::vector<SeriesId>> signatures) {
  return *Exposure::make({.sensitivity_steps = std::move(sensitivity_steps), .signatures = std::move(signatures)});
}

/// One series that every meter counts into.
inline Exposure expose_one(std::uint64_t sensitivity_steps) { return expose({sensitivity_steps}, {{0}}); }

/// nullopt is a missing total.
inline SlotRow row_of(Slot slot, const std::vector<std::optional<std::int64_t>>& steps) {
  SlotRow row;
  row.slot = slot;
  for (const auto& value : steps) row.values.push_back(value ? Raw(*value) : Raw());
  return row;
}

/// The seed of a randomised test: FUGU_TEST_SEED when it is set, `usual` otherwise.
inline std::uint64_t seed_or(std::uint64_t usual) {
  const char* given = std::getenv("FUGU_TEST_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : usual;
}

/// For the failure message of a Result.
template <class T>
std::string reason(const Result<T>& result) {
  return result ? "no error" : result.error().message;
}

}  // namespace fugu::test
