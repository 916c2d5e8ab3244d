#include "fugu/simulate/anomalies.hpp"

#include <algorithm>

#include "fugu/base/check.hpp"
#include "fugu/simulate/dice.hpp"

namespace fugu {

namespace {

constexpr double kExtremumShare = 0.01;  // of the slots
constexpr double kExtremum = 1.5;        // times the largest value, at least; up to 1 more
constexpr double kPlateauShare = 0.3;    // of the seasons
constexpr double kPlateau = 0.1;         // times the largest value

}  // namespace

std::optional<AnomalyKind> parse_anomaly_kind(std::string_view name) {
  if (name == "extrema") return AnomalyKind::extrema;
  if (name == "plateaus") return AnomalyKind::plateaus;
  return std::nullopt;
}

std::vector<bool> add_anomalies(AnomalyKind kind, std::size_t season_slots, std::uint64_t seed,
                                std::vector<double>& values) {
  FUGU_CHECK(!values.empty() && season_slots >= 1);
  const double largest = *std::ranges::max_element(values);
  std::vector<bool> changed(values.size(), false);
  Dice dice(seed, 0, static_cast<std::uint64_t>(kind));
  bool cut = false;
  for (std::size_t t = 0; t < values.size(); ++t) {
    if (kind == AnomalyKind::plateaus) {
      if (t % season_slots == 0) cut = dice.uniform() < kPlateauShare;
      changed[t] = cut && values[t] > kPlateau * largest;
      if (changed[t]) values[t] = kPlateau * largest;
    } else {
      changed[t] = dice.uniform() < kExtremumShare;
      if (changed[t]) values[t] = (kExtremum + dice.uniform()) * largest;
    }
  }
  return changed;
}

}  // namespace fugu
