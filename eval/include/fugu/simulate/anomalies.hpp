// Anomalies put into a stream, with the slots they are in: to ask whether somebody finds them in what was released.
// Two of those that the VLDB 2023 benchmark puts into its streams. Its extrema all have the same value: then they are
// each other's neighbours, and how many there are decides whether they are found. Here they differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace fugu {

enum class AnomalyKind : std::uint8_t {
  extrema,   ///< one slot in a hundred has 1.5 to 2.5 times the largest value of the stream
  plateaus,  ///< three seasons in ten are cut off at a tenth of the largest value
};

/// `extrema`, `plateaus`; nullopt for anything else.
std::optional<AnomalyKind> parse_anomaly_kind(std::string_view name);

/// Changes the values of one series. By slot: whether it was changed. Equal seeds give equal anomalies.
std::vector<bool> add_anomalies(AnomalyKind kind, std::size_t season_slots, std::uint64_t seed,
                                std::vector<double>& values);

}  // namespace fugu
