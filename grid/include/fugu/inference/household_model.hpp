// How loads of households behave: a Markov chain over bins of load, one transition matrix for each hour of the day.
//
// Learned by counting in a public sample: recorded households whose owners agreed, or simulated ones. Never in what
// protected meters read. Loads are in parts of a household's mean load, its *level*, so that one chain serves large
// households and small ones. docs/concepts/state-estimation.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fugu/base/result.hpp"

namespace fugu::grid {

inline constexpr std::size_t kHoursPerDay = 24;
/// A bill is of another year, and weather differs: a level is off by so much, as a standard deviation over the level.
inline constexpr double kBillDeviation = 0.15;

/// Loads of households over the same slots, of which the first begins at midnight.
struct HouseholdSample {
  std::int64_t slot_min = 15;                ///< divides a day
  std::vector<std::vector<double>> kw = {};  ///< by household, then by slot; not a number where it is missing
};

/// Constant once made: threads may share it.
class HouseholdModel {
 public:
  static constexpr std::size_t kBins = 32;

  /// Needs households with a mean load above 0 kW, each over at least two days.
  static Result<HouseholdModel> learn(const HouseholdSample& sample);

  std::int64_t slot_min() const { return slot_min_; }
  std::size_t slots_per_day() const { return static_cast<std::size_t>(24 * 60 / slot_min_); }
  std::size_t hour(std::size_t slot_of_day) const { return slot_of_day * kHoursPerDay / slots_per_day(); }

  /// Ends of the bins, in parts of the level: kBins + 1 of them, ascending.
  std::span<const double> edges() const { return edges_; }
  /// The bin of a load, in parts of the level; the first or last one for a load beyond all.
  std::size_t bin_of(double load) const;
  /// How likely each bin is at that hour, whatever was before.
  std::span<const double> marginal(std::size_t hour) const { return row(marginals_, hour); }
  /// From each bin (a row) to each in the next slot, which lies in that hour.
  std::span<const double> transitions(std::size_t hour) const {
    return std::span(transitions_).subspan(hour * kBins * kBins, kBins * kBins);
  }
  /// Mean and variance at that hour, in parts of the level and of its square.
  double mean(std::size_t hour) const { return means_[hour]; }
  double variance(std::size_t hour) const { return variances_[hour]; }
  /// Of a household whose bill is not known: the mean of all, and by how much a level's logarithm deviates from its.
  double level_kw() const { return level_kw_; }
  double level_log_deviation() const { return level_log_deviation_; }

 private:
  static std::span<const double> row(std::span<const double> all, std::size_t hour) {
    return all.subspan(hour * kBins, kBins);
  }
  void choose_edges(double least, double most);
  void count(const std::vector<double>& kw, double level_kw, std::vector<double>& pairs);

  std::int64_t slot_min_ = 15;
  double level_kw_ = 0;
  double level_log_deviation_ = 0;
  std::vector<double> edges_;
  std::vector<double> marginals_;
  std::vector<double> transitions_;
  std::array<double, kHoursPerDay> means_ = {};
  std::array<double, kHoursPerDay> variances_ = {};
};

}  // namespace fugu::grid
