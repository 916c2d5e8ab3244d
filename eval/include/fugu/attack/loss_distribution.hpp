// How well two streams can be told apart from noisy answers: the law of the log-likelihood ratio, and what follows.
//
// An answer is a number plus discrete Laplace or discrete Gaussian noise; under one stream the number is `change_steps`
// larger. By Neyman and Pearson no test beats the log-likelihood ratio, which is a sum over answers. Its law under the
// second stream, the privacy-loss distribution, is computed by convolution on a grid.
//
// Error: masses are moved to the two grid points around their loss so that both probabilities are kept. That makes the
// streams easier to tell apart, never harder: advantage() and auc() are upper bounds, above the truth by at most
// advantage_error() and auc_error(). Rounding of doubles, below 10⁻⁸, is not counted.
// Cost: for n answers of equal loss about n² multiplications times 4000 (32 cells per loss) while n is below 300 or so,
// and growing with n^1.5 beyond, where cells become wider: 672 answers take about half a second.
// docs/guarantees/attack.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fugu/noise/noise.hpp"

namespace fugu {

/// A noisy number that a secret changes.
struct ExposedAnswer {
  NoiseKind kind = NoiseKind::laplace;
  double scale_steps = 0;  ///< Laplace's λ or the Gaussian's σ; 0: the true value; infinite: says nothing
  std::uint64_t change_steps = 0;
};

/// A test that says "it happened" too often when it did not (false), and often enough when it did (right).
struct RocPoint {
  double false_alarm = 0;
  double detection = 0;
};

class LossDistribution {
 public:
  static LossDistribution of(std::span<const ExposedAnswer> answers);

  /// The largest loss there is, Σ change/scale for Laplace answers, exactly up to doubles; infinite for others.
  double largest() const { return largest_; }
  /// The smallest ε for which the answers are (ε, delta)-indistinguishable, rounded up; largest() for 0.
  double epsilon_at(double delta) const;

  /// Largest difference between detection and false alarms: 0 for guessing, 1 for certainty.
  double advantage() const;
  double advantage_error() const;
  /// Probability that the better-looking of two streams, one of each kind, is the right one: ½ for guessing.
  double auc() const;
  double auc_error() const;
  /// The largest detection − e^epsilon · false_alarm: the δ that goes with this ε.
  double excess(double epsilon) const;
  double excess_error(double epsilon) const;

  /// From (0, 0) to (1, 1), about `points` of them.
  std::vector<RocPoint> roc(std::size_t points = 200) const;

 private:
  class Builder;

  double loss_at(std::size_t i) const;

  // Probability of loss (i − n)·step when it happened, for i = 0 … 2n. When it did not, the law is mirrored: noise is
  // symmetric.
  std::vector<double> mass_ = {1};
  double step_ = 1;
  double certain_ = 0;  // probability of an infinite loss
  double largest_ = 0;
  double affinity_ = 1;         // Σ √(p·q) on the grid
  double affinity_before_ = 1;  // before masses were moved, at most
};

}  // namespace fugu
