// Which series behave alike, judged by what was released of them.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace fugu {

/// Pearson's correlation of two equally long rows. Rows that do not move at all are alike (1) when both do not, and not
/// (0) when one does.
double pearson_correlation(std::span<const double> a, std::span<const double> b);

/// The last few values of a series. What they amount to is worked out when one is added: it is asked for more often.
class ShortHistory {
 public:
  static constexpr std::size_t kLength = 6;
  /// Of at most `length` values, 1 to kLength.
  explicit ShortHistory(std::size_t length = kLength);
  void add(double value);
  std::size_t count() const { return count_; }
  bool full() const { return count_ == length_; }
  /// Oldest first.
  std::span<const double> values() const { return {values_.data(), count_}; }
  /// Of at least one.
  double latest() const { return values_[count_ - 1]; }
  /// 0 while there is no value, as are the next two.
  double mean() const { return mean_; }
  /// Σ (value − mean)².
  double squares() const { return squares_; }
  double variance() const { return variance_; }

 private:
  std::array<double, kLength> values_{};
  double mean_ = 0;
  double squares_ = 0;
  double variance_ = 0;
  std::uint32_t length_;
  std::uint32_t count_ = 0;
};

/// When two series may be perturbed as one.
struct SimilarityRule {
  double smallest_correlation = 0.5;
  /// Between the means of their histories.
  double largest_distance = 0;
  /// A history with at most this variance does not move: there is nothing but noise to correlate. Two of them are
  /// alike, one that moves and one that does not are not.
  double still_variance = 0;
};

namespace detail {
bool move_alike(const ShortHistory& a, const ShortHistory& b, const SimilarityRule& rule);
}

/// Histories of the same length. False while one of them is not full.
inline bool are_similar(const ShortHistory& a, const ShortHistory& b, const SimilarityRule& rule) {
  return a.full() && b.full() && std::abs(a.mean() - b.mean()) <= rule.largest_distance &&
         detail::move_alike(a, b, rule);
}

}  // namespace fugu
