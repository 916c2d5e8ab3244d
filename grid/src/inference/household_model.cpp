#include "fugu/inference/household_model.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace fugu::grid {
namespace {

/// Around zero, bins are about equally wide up to this load; above they grow in proportion to it.
constexpr double kLinearLoad = 0.3;
/// Loads may be that much beyond the sample's.
constexpr double kMargin = 1.25;
/// How many transitions of all hours together weigh as much as one seen at that hour, from that bin.
constexpr double kPooledTransitions = 10;
/// The same for what is likely at that hour, against transitions of all hours.
constexpr double kMarginalTransitions = 2;
/// Nothing that lies within the bins is impossible.
constexpr double kAnywhere = 1e-5;

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  std::size_t count = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    sum += value;
    ++count;
  }
  return sum / static_cast<double>(count);
}

void normalise(std::span<double> weights) {
  double sum = 0;
  for (const double weight : weights) sum += weight;
  for (double& weight : weights) weight /= sum;
}

}  // namespace

void HouseholdModel::choose_edges(double least, double most) {
  const double from = std::asinh(std::min(0.0, kMargin * least) / kLinearLoad);
  const double to = std::asinh(kMargin * most / kLinearLoad);
  edges_.clear();
  for (std::size_t i = 0; i <= kBins; ++i) {
    const double part = static_cast<double>(i) / static_cast<double>(kBins);
    edges_.push_back(kLinearLoad * std::sinh(from + part * (to - from)));
  }
}

std::size_t HouseholdModel::bin_of(double load) const {
  const auto above = std::upper_bound(edges_.begin() + 1, edges_.end() - 1, load);
  return static_cast<std::size_t>(above - edges_.begin()) - 1;
}

void HouseholdModel::count(const std::vector<double>& kw, double level_kw, std::vector<double>& pairs) {
  std::size_t before = kBins;  // none
  for (std::size_t slot = 0; slot < kw.size(); ++slot) {
    const std::size_t bin = std::isnan(kw[slot]) ? kBins : bin_of(kw[slot] / level_kw);
    const std::size_t at = hour(slot % slots_per_day());
    if (bin != kBins) {
      ++marginals_[at * kBins + bin];
      means_[at] += kw[slot] / level_kw;
      variances_[at] += kw[slot] / level_kw * (kw[slot] / level_kw);
      if (before != kBins) ++pairs[(at * kBins + before) * kBins + bin];
    }
    before = bin;
  }
}

Result<HouseholdModel> HouseholdModel::learn(const HouseholdSample& sample) {
  if (sample.slot_min < 1 || 24 * 60 % sample.slot_min != 0 || sample.slot_min > 60)
    return Error{Cause::usage,
                 "slots of " + std::to_string(sample.slot_min) + " minutes; expected a length that divides an hour"};
  HouseholdModel model;
  model.slot_min_ = sample.slot_min;
  std::vector<double> levels_kw;
  double least = 0;
  double most = 0;
  double log_sum = 0;
  double log_squares = 0;
  for (std::size_t i = 0; i < sample.kw.size(); ++i) {
    const double level_kw = mean_of(sample.kw[i]);
    if (sample.kw[i].size() < 2 * model.slots_per_day() || !(level_kw > 0) || !std::isfinite(level_kw))
      return Error{Cause::bad_input, "household " + std::to_string(i + 1) +
                                         " of the public sample; expected a mean load above 0 kW, over at least two "
                                         "days"};
    levels_kw.push_back(level_kw);
    model.level_kw_ += level_kw;
    log_sum += std::log(level_kw);
    log_squares += std::log(level_kw) * std::log(level_kw);
    for (const double kw : sample.kw[i]) {
      if (std::isnan(kw)) continue;
      least = std::min(least, kw / level_kw);
      most = std::max(most, kw / level_kw);
    }
  }
  if (levels_kw.empty()) return Error{Cause::bad_input, "no households in the public sample; expected at least one"};
  const double households = static_cast<double>(levels_kw.size());
  model.level_kw_ /= households;
  model.level_log_deviation_ =
      std::sqrt(std::max(0.0, log_squares / households - log_sum / households * (log_sum / households)));
  model.choose_edges(least, most);

  model.marginals_.assign(kHoursPerDay * kBins, 0.0);
  std::vector<double> pairs(kHoursPerDay * kBins * kBins);
  for (std::size_t i = 0; i < sample.kw.size(); ++i) model.count(sample.kw[i], levels_kw[i], pairs);

  std::vector<double> pooled(kBins * kBins);
  for (std::size_t i = 0; i < pairs.size(); ++i) pooled[i % pooled.size()] += pairs[i];
  model.transitions_ = std::move(pairs);
  for (std::size_t at = 0; at < kHoursPerDay; ++at) {
    const auto marginal = std::span(model.marginals_).subspan(at * kBins, kBins);
    double seen = 0;
    for (const double times : marginal) seen += times;
    if (seen == 0)
      return Error{Cause::bad_input, "no load between " + std::to_string(at) + ":00 and " + std::to_string(at + 1) +
                                         ":00 in the public sample; expected whole days"};
    model.means_[at] /= seen;
    model.variances_[at] = model.variances_[at] / seen - model.means_[at] * model.means_[at];
    for (double& times : marginal) times += kAnywhere * seen;
    normalise(marginal);
    for (std::size_t from = 0; from < kBins; ++from) {
      const auto row = std::span(model.transitions_).subspan((at * kBins + from) * kBins, kBins);
      double times = kMarginalTransitions;
      for (std::size_t to = 0; to < kBins; ++to) times += pooled[from * kBins + to];
      for (std::size_t to = 0; to < kBins; ++to) {
        const double usual = (pooled[from * kBins + to] + kMarginalTransitions * marginal[to]) / times;
        row[to] += kPooledTransitions * usual;
      }
      normalise(row);
    }
  }
  return model;
}

}  // namespace fugu::grid
