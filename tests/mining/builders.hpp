// Distances for the tests of mining.
#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "fugu/mining/distance_matrix.hpp"

namespace fugu::mining::test {

/// Any symmetric function as distances.
class Function final : public Distances {
 public:
  Function(std::size_t size, std::function<double(std::size_t, std::size_t)> function)
      : size_(size), function_(std::move(function)) {}
  std::size_t size() const override { return size_; }
  double at(std::size_t a, std::size_t b) const override { return a == b ? 0 : function_(a, b); }
  void row(std::size_t item, std::span<double> out) const override {
    for (std::size_t other = 0; other < size_; ++other) out[other] = at(item, other);
  }

 private:
  std::size_t size_;
  std::function<double(std::size_t, std::size_t)> function_;
};

/// Points on a line.
inline Function on_a_line(const std::vector<double>& points) {
  return {points.size(), [points](std::size_t a, std::size_t b) { return std::abs(points[a] - points[b]); }};
}

/// Distances that are what a generator says, from a few values, so that there are many ties.
inline DistanceMatrix from_digits(std::size_t items, const std::vector<unsigned>& digits) {
  DistanceMatrix matrix(items);
  std::size_t pair = 0;
  for (std::size_t a = 1; a < items; ++a) {
    for (std::size_t b = 0; b < a; ++b) matrix.set(a, b, {digits[pair++ % digits.size()], 16});
  }
  return matrix;
}

}  // namespace fugu::mining::test
