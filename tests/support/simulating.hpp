// Runs mechanisms with seeded noise and measures what comes out.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "fugu/comparison/catalogue.hpp"
#include "fugu/simulate/simulation.hpp"
#include "support/builders.hpp"
#include "support/publishing.hpp"

namespace fugu::test {

/// True values of every series, slot by slot.
using TrueStream = std::vector<std::vector<std::int64_t>>;

/// A stream from a function of slot and series.
inline TrueStream stream_of(Slot slots, std::size_t series,
                            const std::function<std::int64_t(Slot, std::size_t)>& value) {
  TrueStream stream;
  for (Slot slot = 0; slot < slots; ++slot) {
    auto& row = stream.emplace_back();
    for (std::size_t i = 0; i < series; ++i) row.push_back(value(slot, i));
  }
  return stream;
}

struct Simulated {
  std::vector<Seen> releases;
  double worst_share = 0;  // of what was promised

  /// Mean |released − true| over slots and series from `first` on.
  double mean_error(const TrueStream& truth, std::size_t first = 0) const {
    double sum = 0;
    std::size_t count = 0;
    for (std::size_t slot = first; slot < truth.size(); ++slot) {
      for (std::size_t i = 0; i < truth[slot].size(); ++i, ++count)
        sum += std::abs(static_cast<double>(releases[slot].values[i].value.steps - truth[slot][i]));
    }
    return sum / static_cast<double>(count);
  }
  /// Slots in which a series was released anew.
  std::vector<Slot> sampled(std::size_t series = 0) const {
    std::vector<Slot> slots;
    for (const Seen& seen : releases) {
      if (seen.values[series].sampled) slots.push_back(seen.slot);
    }
    return slots;
  }
};

inline Simulated simulate_stream(Mechanism mechanism, const TrueStream& truth, std::uint64_t seed,
                                 bool enforced = true) {
  Simulation simulation(std::move(mechanism), std::make_unique<SimulationNoise>(seed), enforced);
  Simulated result;
  for (std::size_t slot = 0; slot < truth.size(); ++slot) {
    const auto release = simulation.step(row_of(static_cast<Slot>(slot), {truth[slot].begin(), truth[slot].end()}));
    EXPECT_TRUE(release) << "slot " << slot << ": " << reason(release);
    if (!release) break;
    result.releases.push_back(seen(**release));
  }
  result.worst_share = simulation.worst_share();
  return result;
}

/// The strategy of that name; those for comparison run without being enforced.
inline Simulated simulate_strategy(std::string_view name, const Definition& definition, const Exposure& exposure,
                                   const TrueStream& truth, std::uint64_t seed,
                                   std::optional<std::uint64_t> every_slots = std::nullopt) {
  auto strategy = make_from_catalogue(name, {.window_slots = definition.window_slots(), .every_slots = every_slots});
  EXPECT_TRUE(strategy) << reason(strategy);
  return simulate_stream({definition, exposure, NoiseKind::laplace, *std::move(strategy)}, truth, seed,
                         !find_in_catalogue(name)->comparison_only);
}

/// Of n series that share no meter.
inline Exposure expose_disjoint(std::size_t series, std::uint64_t sensitivity_steps) {
  return expose(std::vector<std::uint64_t>(series, sensitivity_steps), Exposure::all_disjoint(series));
}

}  // namespace fugu::test
