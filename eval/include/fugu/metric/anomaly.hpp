// Whether anomalies of the true stream are still found in a released one: two detectors that give every slot a score,
// and how well a score tells anomalies from the rest. Evaluation only: it needs to know where the anomalies are.
//
//     roc_auc(knn_scores(released, 10), is_anomaly);  // 1: all found before anything else, ½: as good as guessing
//
// Both detectors look at values alone, not at their order, as in the VLDB 2023 benchmark. Formulas:
// docs/concepts/metrics.md. Cost: O(slots · (log slots + neighbours)).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace fugu {

/// By slot: the distance to the `neighbours`-th nearest of the other values. With fewer others, to the furthest.
std::vector<double> knn_scores(std::span<const double> values, std::size_t neighbours);

/// By slot: the local outlier factor (Breunig et al. 2000), how much denser the nearest values lie than this one does.
/// About 1 within a crowd. Of equally near values exactly `neighbours` count; values that are all equal have density
/// 10^10, as in scikit-learn.
std::vector<double> lof_scores(std::span<const double> values, std::size_t neighbours);

/// Area under the curve of hits against false alarms: the probability that an anomaly has a larger score than a slot
/// that is none, where equal scores count half. NaN when all slots are anomalies, or none.
double roc_auc(std::span<const double> scores, const std::vector<bool>& is_anomaly);

}  // namespace fugu
