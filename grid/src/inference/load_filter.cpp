#include "fugu/inference/load_filter.hpp"

#include <algorithm>

#include "filter_step.hpp"
#include "fugu/base/avx2.hpp"

namespace fugu::grid {
namespace {

/// A household that is above its usual load stays there for hours: so many slots in a row tell as much as one.
constexpr double kSlotsAlike = 8;
/// A level is above 0, whatever the noise says: at least this part of the usual one.
constexpr double kLeastLevel = 0.02;
constexpr double kHoursPerYear = 8'760;

}  // namespace

LevelEstimate::LevelEstimate(const HouseholdModel& model, std::optional<double> yearly_kwh)
    : mean_(yearly_kwh ? *yearly_kwh / kHoursPerYear : model.level_kw()) {
  const double deviation = mean_ * (yearly_kwh ? kBillDeviation : model.level_log_deviation() + kBillDeviation);
  precision_ = 1 / (deviation * deviation);
}

void LevelEstimate::learn(const HouseholdModel& model, std::size_t hour, const NoisyAnswer& answer) {
  const double usual = model.mean(hour);
  const double variance = answer.variance() + kSlotsAlike * model.variance(hour) * mean_ * mean_;
  const double gained = usual * usual / variance;
  precision_ += gained;
  mean_ += gained / precision_ * (answer.value / usual - mean_);
  mean_ = std::max(mean_, kLeastLevel * model.level_kw());
}

LoadFilter::LoadFilter(const HouseholdModel& model, std::optional<double> yearly_kwh, std::size_t first_slot_of_day)
    : model_(&model), level_(model, yearly_kwh), knows_bill_(yearly_kwh.has_value()), slot_of_day_(first_slot_of_day) {}

void LoadFilter::predict(std::size_t hour) {
  if (!started_) {
    std::ranges::copy(model_->marginal(hour), weights_.of.begin());
    started_ = true;
    return;
  }
  const auto step = fugu::detail::has_avx2() ? detail::predict_avx2 : detail::predict_portable;
  step(model_->transitions(hour).data(), weights_);
}

/// Without an answer. Within a bin, the load is equally likely everywhere.
Moments LoadFilter::usual() const {
  const auto edges = model_->edges();
  double mean = 0;
  double square = 0;
  for (std::size_t i = 0; i < weights_.of.size(); ++i) {
    const double low = edges[i];
    const double high = edges[i + 1];
    mean += weights_.of[i] * 0.5 * (low + high);
    square += weights_.of[i] * (low * low + low * high + high * high) / 3;
  }
  return {mean, square - mean * mean};
}

Moments LoadFilter::take(const std::optional<NoisyAnswer>& answer) {
  if (!answer) return usual();
  if (answer->scale == 0) {
    weights_.of.fill(0);
    weights_.of[model_->bin_of(answer->value)] = 1;
    return {answer->value, 0};
  }
  const auto weigh_laplace = fugu::detail::has_avx2() ? detail::weigh_avx2 : detail::weigh_portable;
  const auto weigh = answer->law == NoiseKind::laplace ? weigh_laplace : detail::weigh_normal;
  const detail::BinSums sums = weigh(model_->edges().data(), answer->value, answer->scale, weights_);
  const double beside = sums.load / sums.weight;
  return {answer->value + beside, std::max(0.0, sums.square / sums.weight - beside * beside)};
}

Moments LoadFilter::step(const std::optional<NoisyAnswer>& answer) {
  const std::size_t hour = model_->hour(slot_of_day_);
  slot_of_day_ = (slot_of_day_ + 1) % model_->slots_per_day();
  predict(hour);
  const double level = level_.kw();
  std::optional<NoisyAnswer> in_levels;
  if (answer) {
    in_levels = {answer->value / level, answer->scale / level, answer->law};
    if (!knows_bill_) level_.learn(*model_, hour, *answer);
  }
  const Moments found = take(in_levels);
  return {found.mean * level, found.variance * level * level};
}

}  // namespace fugu::grid
