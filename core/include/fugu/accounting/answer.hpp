// One request to the kernel and what came back: the unit that is charged, recorded and audited.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "fugu/base/rational.hpp"
#include "fugu/noise/noise.hpp"
#include "fugu/stream/slot.hpp"

namespace fugu {

/// What was asked of the true values. The comment says what it touches and its gain: by how many steps the answer
/// changes at most when one touched value changes by one step.
enum class Statistic : std::uint8_t {
  value,      ///< each series at `slot`, one noisy number per series; gain 1 each
  sum,        ///< Σ over the series at `slot`; gain 1
  distance,   ///< Σ |series − a public reference| at `slot`; gain 1
  deviation,  ///< Σ over series and slots first_slot…slot of |value − mean over these slots|, floored; gain 2
};

std::string_view name_of(Statistic statistic);

/// Gain of a statistic as documented above.
constexpr std::uint64_t gain(Statistic statistic) { return statistic == Statistic::deviation ? 2 : 1; }

/// A request and its noisy results. Everything here may be shown to whoever may see releases and decisions.
struct Answer {
  Statistic statistic = Statistic::value;
  NoiseKind noise = NoiseKind::laplace;
  Slot first_slot = 0;  ///< earliest slot touched; equal to `slot` for all but `deviation`
  Slot slot = 0;        ///< the current slot: latest slot touched
  /// 0, or the sparse-vector session this is a comparison of ("does the statistic exceed the noisy threshold?").
  std::uint64_t session = 0;
  std::vector<SeriesId> series;
  /// Laplace scale or Gaussian variance, in steps or squared steps. Statistic::value: one per series, or a single one
  /// for all. Otherwise one; a comparison has two, {scale of the threshold's noise, scale of the statistic's noise}.
  std::vector<Rational> parameter;
  /// Statistic::value: one per series. Otherwise one; a comparison gives 1 (above) or 0 (not above).
  std::vector<std::int64_t> values;
  /// Not recorded. Answers that carry the same number, unless it is 0, differ in slots, session and values only and,
  /// but for comparisons, reach over equally many slots: what one of them costs, the next one costs.
  std::uint64_t form = 0;

  bool is_comparison() const { return session != 0; }
  Rational parameter_of(std::size_t index) const { return parameter[parameter.size() == 1 ? 0 : index]; }
};

}  // namespace fugu
