// What the kernel answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "fugu/accounting/answer.hpp"

namespace fugu {

/// One noisy number and the law of the noise in it.
struct NoisyValue {
  std::int64_t steps = 0;
  NoiseKind noise = NoiseKind::laplace;
  Rational parameter;  ///< Laplace scale in steps, or Gaussian variance in squared steps
};

/// The noisy values of some series, in the order in which they were asked for.
class NoisyValues {
 public:
  std::size_t size() const { return size_; }
  /// Nothing where the total is missing.
  std::optional<NoisyValue> operator[](std::size_t index) const {
    std::optional<NoisyValue> value;
    if (has(index)) copy(index, value.emplace());
    return value;
  }
  /// The same without a detour, for where there are many.
  bool has(std::size_t index) const { return place_ == nullptr || place_[index] != kMissing; }
  void copy(std::size_t index, NoisyValue& to) const {
    const std::size_t at = place_ == nullptr ? index : place_[index];
    to = {answer_->values[at], answer_->noise, answer_->parameter_of(at)};
  }

 private:
  friend class RunningKernel;
  static constexpr std::uint32_t kMissing = ~std::uint32_t{0};
  NoisyValues(const Answer& answer, std::span<const std::uint32_t> places)
      : answer_(&answer),
        place_(places.empty() ? nullptr : places.data()),
        size_(places.empty() ? answer.series.size() : places.size()) {}

  const Answer* answer_;
  const std::uint32_t* place_;  // in the answer; nullptr: the same
  std::size_t size_;
};

}  // namespace fugu
