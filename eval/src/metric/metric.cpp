#include "fugu/metric/metric.hpp"

#include <algorithm>
#include <cmath>

namespace fugu {

void StableSum::add(double term) {
  const double sum = sum_ + term;
  compensation_ += std::abs(sum_) >= std::abs(term) ? (sum_ - sum) + term : (term - sum) + sum_;
  sum_ = sum;
}

Result<ErrorAccumulator> ErrorAccumulator::make(const Options& options) {
  if (!(options.sanity_bound > 0.0) || std::isinf(options.sanity_bound))
    return Error{Cause::usage, "the sanity bound of the relative error must be positive and finite"};
  return ErrorAccumulator(options);
}

void ErrorAccumulator::add(std::optional<double> truth, double released) {
  FUGU_CHECK(std::isfinite(released));
  if (!truth) {
    ++slots_skipped_;
    return;
  }
  FUGU_CHECK(std::isfinite(*truth));
  const double error = std::abs(released - *truth);
  ++slots_;
  absolute_.add(error);
  squared_.add(error * error);
  relative_.add(error / std::max(std::abs(*truth), options_.sanity_bound));
}

std::optional<ErrorSummary> ErrorAccumulator::summary() const {
  if (slots_ == 0) return std::nullopt;
  const double count = static_cast<double>(slots_);
  const double mae = absolute_.value() / count;
  return ErrorSummary{
      .slots = slots_,
      .slots_skipped = slots_skipped_,
      .mae = mae,
      // Equal when all errors are; rounding must not turn that into "below".
      .rmse = std::max(mae, std::sqrt(squared_.value() / count)),
      .mre = relative_.value() / count,
  };
}

Result<std::vector<double>> quantiles(std::vector<double> values, std::span<const double> probabilities) {
  if (values.empty()) return Error{Cause::usage, "quantiles need at least one value"};
  if (std::ranges::any_of(values, [](double value) { return std::isnan(value); }))
    return Error{Cause::usage, "quantiles need numbers, one of the values is NaN"};
  std::ranges::sort(values);

  std::vector<double> result;
  result.reserve(probabilities.size());
  for (const double probability : probabilities) {
    if (!(probability >= 0.0 && probability <= 1.0))
      return Error{Cause::usage, "the probability of a quantile must lie between 0 and 1"};
    const double position = probability * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    const double share = position - static_cast<double>(below);
    // No arithmetic between equal or hit values: infinities stay infinities.
    const bool between = share > 0.0 && values[below] != values[above];
    result.push_back(between ? std::lerp(values[below], values[above], share) : values[below]);
  }
  return result;
}

}  // namespace fugu
