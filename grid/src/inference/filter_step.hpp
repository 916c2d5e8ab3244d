// The two loops of the filter in which its time goes, compiled for two kinds of processors. Private to inference.
#pragma once

#include "fugu/inference/load_filter.hpp"

namespace fugu::grid::detail {

/// Of a load that is one of the bins: sum of the weights, and of load and squared load about the answer's value.
struct BinSums {
  double weight;
  double load;
  double square;
};

/// The next slot's weights: each bin's, shared out by its row of `transitions`.
void predict_portable(const double* transitions, BinWeights& weights);
void predict_avx2(const double* transitions, BinWeights& weights);

/// Multiplies each weight by how likely an answer `value` is for a load in that bin, up to one factor for all bins.
/// Laplace noise of `scale`.
BinSums weigh_portable(const double* edges, double value, double scale, BinWeights& weights);
BinSums weigh_avx2(const double* edges, double value, double scale, BinWeights& weights);
/// Gaussian noise of that standard deviation.
BinSums weigh_normal(const double* edges, double value, double deviation, BinWeights& weights);

}  // namespace fugu::grid::detail
