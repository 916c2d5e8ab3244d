// Normal laws of customers' powers, and what measurements that tie them together say about all at once. Private to
// inference.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "fugu/inference/load_filter.hpp"

namespace fugu::grid {

/// P and Q of a customer: means, variances and their covariance.
struct PairLaw {
  double p = 0;
  double q = 0;
  double pp = 0;
  double pq = 0;
  double qq = 0;
};

/// Of two independent opinions about the same value. A variance of 0 wins.
Moments product(const Moments& first, const Moments& second);

/// Measurements of one stamp, each linear in all customers' P and Q.
class NormalUpdate {
 public:
  void clear();
  /// `slopes`: by customer, of P and of Q. `missed`: measured minus expected. `variance` above 0.
  void add(std::span<const double> slopes, double missed, double variance);
  /// The laws given the measurements. Customers are taken to be independent before; afterwards they are not, and only
  /// each one's own law is kept. Returns the largest deviation of a measurement from what was expected, in standard
  /// deviations of both; 0 without measurements.
  double apply(std::span<PairLaw> laws);

 private:
  std::size_t count_ = 0;
  std::vector<double> slopes_;  // [measurement][customer][P, Q]
  std::vector<double> missed_;
  std::vector<double> variances_;
  std::vector<double> spread_;  // covariance of each P and Q with each measurement: [measurement][customer][P, Q]
  std::vector<double> root_;    // Cholesky factor of the measurements' covariance
  std::vector<double> solution_;
};

}  // namespace fugu::grid
