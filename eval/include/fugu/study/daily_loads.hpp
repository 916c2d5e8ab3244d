// Real households at the same time of day, day after day: are days independent (figure 2 of the paper on distributional
// privacy), and what law do readings have (figure 3, left)? Evaluation only. docs/studies/distributional.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fugu/base/result.hpp"

namespace fugu {

inline constexpr std::size_t kDailyLoadDays = 88;
inline constexpr std::size_t kHalfHours = 48;

/// A household's load in one half hour of the day, on kDailyLoadDays days in a row.
struct DailyLoad {
  std::string household;
  std::size_t half_hour = 0;  ///< of the day, from midnight
  std::vector<double> kwh;    ///< by day
};
/// Of ten real households: DATA/sgsc_newcastle/load_kwh_10.csv.gz. Their first days in a row with a reading at that
/// time.
Result<std::vector<DailyLoad>> read_daily_loads(const std::string& data_folder);

/// Autocorrelation over days, as figure 2 has it.
struct DailyAutocorrelation {
  std::string household;
  std::string time;
  std::vector<double> by_lag;  ///< from 1 day on
};
inline constexpr std::size_t kAutocorrelationPairs = 50;
/// At midnight, 7 am and 6 pm.
std::vector<DailyAutocorrelation> daily_autocorrelations(const std::vector<DailyLoad>& loads);
/// The share of all lags beyond the 95 % band of independent normal values.
double share_outside_band(const std::vector<DailyAutocorrelation>& all);

/// Correlation of values and their normal scores: 1 for a normal law. It is what equation 8 keeps of a reading.
double score_correlation(std::span<const double> values);
/// Below it `count` values are not normal, at a level of 5 %: found by drawing normal values.
double least_normal_score_correlation(std::size_t count, std::uint64_t seed);
/// Whether a mixture of two lognormal laws describes the values better than one of them, by Bayes's criterion. What is
/// below a watt hour counts as one.
bool is_mixture(std::span<const double> kwh);

/// What law the readings of a household have, over the half hours of a day.
struct LoadShape {
  std::string household;
  std::size_t half_hours = 0;  ///< with enough days
  std::size_t not_normal = 0;
  std::size_t mixtures = 0;
  double least = 1, noon = 0, largest = 0;  ///< score correlations; noon is 0 without enough days
};
std::vector<LoadShape> load_shapes(const std::vector<DailyLoad>& loads, std::uint64_t seed);

}  // namespace fugu
