// What one household's load was, given noisy answers about it and what households are like.
//
// A Bayes filter: after each slot it has the law of the load, over the bins of a HouseholdModel, given all answers so
// far. The law of the noise in an answer is known exactly, so its likelihood is integrated over
// each bin in closed form. Post-processing of answers: it costs nothing. docs/concepts/state-estimation.md.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "fugu/inference/household_model.hpp"
#include "fugu/noise/noise.hpp"

namespace fugu::grid {

/// A value and the noise in it: of a Laplace law its scale, of a Gaussian one its standard deviation; 0: none.
struct NoisyAnswer {
  double value;
  double scale;
  NoiseKind law = NoiseKind::laplace;

  double variance() const { return (law == NoiseKind::laplace ? 2 : 1) * scale * scale; }
};

struct Moments {
  double mean;
  double variance;
};

namespace detail {

/// Probabilities of bins, or what becomes them.
struct alignas(32) BinWeights {
  std::array<double, HouseholdModel::kBins> of = {};
};

}  // namespace detail

/// The mean load of a household, which answers tell little by little.
class LevelEstimate {
 public:
  /// From a bill, or from what is usual.
  LevelEstimate(const HouseholdModel& model, std::optional<double> yearly_kwh);

  double kw() const { return mean_; }
  void learn(const HouseholdModel& model, std::size_t hour, const NoisyAnswer& answer);

 private:
  double mean_;
  double precision_;  // of the mean
};

/// One household, slot after slot. The model outlives it.
class LoadFilter {
 public:
  /// `first_slot_of_day`: where the day is in its first slot.
  LoadFilter(const HouseholdModel& model, std::optional<double> yearly_kwh, std::size_t first_slot_of_day = 0);

  /// Mean and variance of the load in the next slot, in kW; `answer` is nothing when nothing new was said about it.
  Moments step(const std::optional<NoisyAnswer>& answer);
  /// The household's mean load, as far as it is known.
  double level_kw() const { return level_.kw(); }

 private:
  void predict(std::size_t hour);
  Moments take(const std::optional<NoisyAnswer>& answer);  // in parts of the level
  Moments usual() const;

  const HouseholdModel* model_;
  LevelEstimate level_;
  bool knows_bill_;
  std::size_t slot_of_day_;
  bool started_ = false;
  detail::BinWeights weights_;  // probabilities of the bins
};

}  // namespace fugu::grid
