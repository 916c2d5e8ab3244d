// Which series behave alike, judged by what was released of them.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace fugu {

/// Pearson's correlation of two equally long rows. Rows that do not move at all are alike (1) when both do not, and not
/// (0) when one does.
double pearson_correlation(std::span<const double> a, std::span<const double> b);

/// The last few values of a series, oldest first.
class ShortHistory {
 public:
  static constexpr std::size_t kLength = 6;
  void add(double value);
  std::size_t count() const { return count_; }
  double mean() const;
  std::span<const double> last(std::size_t count) const { return {values_.data() + (count_ - count), count}; }

 private:
  std::array<double, kLength> values_{};
  std::size_t count_ = 0;
};

/// When two series may be perturbed as one.
struct SimilarityRule {
  double smallest_correlation = 0.5;
  /// Between the means of their histories.
  double largest_distance = 0;
  /// A history with at most this variance does not move: there is nothing but noise to correlate. Two of them are
  /// alike, one that moves and one that does not are not.
  double still_variance = 0;
  /// How many of the latest values are looked at.
  std::size_t values = ShortHistory::kLength;
};

/// False while there are fewer values than the rule looks at.
bool are_similar(const ShortHistory& a, const ShortHistory& b, const SimilarityRule& rule);

}  // namespace fugu
