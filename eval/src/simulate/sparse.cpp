#include "fugu/simulate/sparse.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "fugu/simulate/dice.hpp"

namespace fugu {

namespace {

constexpr double kValuesMax = 1e9;
/// From here on a Poisson number is a rounded normal one, as far as a benchmark can tell.
constexpr double kManyEvents = 50;

Result<void> validate(const SparseOptions& options) {
  const auto error = [](const char* message) { return Error{Cause::usage, message}; };
  // Written so that NaN fails.
  if (!(options.series >= 1 && options.series <= 1'000'000)) return error("series must be 1 to 1000000");
  if (!(options.length_slots >= 1)) return error("length must be at least 1 slot");
  if (!(options.season_slots >= 2 && options.season_slots <= 1'000'000))
    return error("season must be 2 to 1000000 slots");
  if (!(options.amplitude > 0.0 && options.amplitude <= 1e9)) return error("amplitude must be above 0, at most 1e9");
  if (!(options.skew >= 0.0 && options.skew <= 10.0)) return error("skew must be 0 to 10");
  if (!(static_cast<double>(options.series) * static_cast<double>(options.length_slots) <= kValuesMax))
    return error("series times length must be at most 1e9");
  return {};
}

/// By multiplying uniform numbers until they fall below e^(−mean) (Knuth).
double poisson(double mean, Dice& dice) {
  if (mean >= kManyEvents) return std::max(0.0, std::round(dice.bell(mean, std::sqrt(mean))));
  const double end = std::exp(-mean);
  double events = 0;
  for (double product = dice.uniform(); product > end; product *= dice.uniform()) ++events;
  return events;
}

}  // namespace

Result<std::vector<double>> generate_sparse(const SparseOptions& options) {
  FUGU_TRY(validate(options));
  const auto series = static_cast<std::size_t>(options.series);
  const auto slots = static_cast<std::size_t>(options.length_slots);
  std::vector<double> values(series * slots);
  for (std::size_t s = 0; s < series; ++s) {
    const double peak = options.amplitude * std::pow(static_cast<double>(s + 1), -options.skew);
    Dice dice(options.seed, s, 0);
    for (std::size_t t = 0; t < slots; ++t) {
      const double phase = static_cast<double>(t) / static_cast<double>(options.season_slots);
      values[t * series + s] = poisson(peak * (1 - std::cos(2 * std::numbers::pi * phase)) / 2, dice);
    }
  }
  return values;
}

}  // namespace fugu
