#include "audit_answers.hpp"

#include <algorithm>
#include <cmath>

namespace fugu::audit {

std::uint64_t reaction(Statistic statistic) { return statistic == Statistic::deviation ? 2 : 1; }

std::uint64_t slots_touched(const Answer& answer) {
  return static_cast<std::uint64_t>(answer.slot - answer.first_slot) + 1;
}

bool names_known_series(const Answer& answer, const Exposure& exposure) {
  return std::all_of(answer.series.begin(), answer.series.end(),
                     [&](SeriesId series) { return series < exposure.series_count(); });
}

bool has_known_loss(const Answer& answer, bool pure) {
  return answer.noise != NoiseKind::gaussian || !(pure || answer.is_comparison());
}

Units loss_of(const Answer& answer, Rational p, bool pure, std::uint64_t change, std::uint64_t slots, unsigned bits) {
  if (answer.noise == NoiseKind::none) return change == 0 ? 0 : kTooMuch;
  if (!has_known_loss(answer, pure)) return kTooMuch;
  if (answer.noise == NoiseKind::gaussian) return Fraction({slots, slots, change, change, p.den}, {2, p.num}).up(bits);
  Fraction loss({change, p.den}, {p.num});
  if (answer.is_comparison()) loss += Fraction({2, change, answer.parameter[1].den}, {answer.parameter[1].num});
  return (pure ? loss.times(slots) : loss.half_square(slots)).up(bits);
}

double rate_of(const Answer& answer, std::size_t index, bool pure) {
  const auto g = static_cast<double>(reaction(answer.statistic));
  const auto n = static_cast<double>(slots_touched(answer));
  if (answer.is_comparison()) {
    const double e = g / answer.parameter[0].to_double() + 2 * g / answer.parameter[1].to_double();
    return pure ? e : e * e / 2 * n;
  }
  const double p = answer.parameter_of(index).to_double();
  if (answer.noise == NoiseKind::gaussian) return g * g * n / (2 * p);
  return pure ? g / p : g * g * n / (2 * p * p);
}

std::map<std::size_t, std::uint64_t> changes(const Answer& answer, const Exposure& exposure, SignatureRange range,
                                             Change change) {
  std::map<std::size_t, std::uint64_t> steps;
  for (const SeriesId series : answer.series) {
    const std::uint64_t each = change == Change::one_step ? 1 : exposure.sensitivity_steps(series);
    for (const std::uint32_t g : exposure.signatures_of(series)) {
      if (range.contains(g)) steps[g] += reaction(answer.statistic) * each;
    }
  }
  return steps;
}

std::string in_slot(Slot slot) { return "slot " + std::to_string(slot) + ": "; }

bool nearly(double a, double b) {
  if (!std::isfinite(a) || !std::isfinite(b)) return a == b;
  return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

}  // namespace fugu::audit
