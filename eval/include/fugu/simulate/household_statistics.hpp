// What a household's load is like, in seven figures: to set simulated households beside recorded ones.
//
//     LoadStatistics load;
//     load.add_day(hours_kw);                       // day after day; NaN where a value is missing
//     const HouseholdFigures figures = load.figures();
//
// docs/concepts/households.md has the table of simulated and recorded sets. Evaluation only: it reads the truth.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "fugu/base/result.hpp"

namespace fugu {

inline constexpr std::size_t kDayHours = 24;

/// NaN where there is too little load to say.
struct HouseholdFigures {
  double mean_kw = 0;
  double night_share = 0;   ///< mean from 2 to 5 o'clock over the mean of all hours
  double hour_to_hour = 0;  ///< autocorrelation of hourly load at one hour
  double day_to_day = 0;    ///< autocorrelation of daily energy at one day
  double hour_spread = 0;   ///< standard deviation of hourly load over its mean
  double day_spread = 0;    ///< standard deviation of daily energy over its mean
  double peak_share = 0;    ///< hour of the mean day with the largest load, over the mean of all hours
};

/// The figures by name, in the order of tables.
struct HouseholdFigure {
  const char* name;
  double HouseholdFigures::* value;
};
inline constexpr std::array<HouseholdFigure, 7> kHouseholdFigures = {{
    {"mean kW", &HouseholdFigures::mean_kw},
    {"night", &HouseholdFigures::night_share},
    {"hour to hour", &HouseholdFigures::hour_to_hour},
    {"day to day", &HouseholdFigures::day_to_day},
    {"hour spread", &HouseholdFigures::hour_spread},
    {"day spread", &HouseholdFigures::day_spread},
    {"peak", &HouseholdFigures::peak_share},
}};

/// Adds one household up, a day at a time. Memory does not grow with the days.
class LoadStatistics {
 public:
  void add_day(std::span<const double, kDayHours> hours_kw);
  HouseholdFigures figures() const;

 private:
  /// Sums of a sequence with gaps, enough for mean, variance and autocorrelation at lag one.
  struct Sequence {
    double count = 0, sum = 0, squares = 0;
    double pairs = 0, firsts = 0, seconds = 0, products = 0;  // of neighbours that are both there
    double last = 0;
    bool has_last = false;

    void add(double value);  // NaN: a gap
    double mean() const { return sum / count; }
    double variance() const { return squares / count - mean() * mean(); }
    double autocorrelation() const;
  };
  Sequence hours_;
  Sequence days_;
  std::array<double, kDayHours> hour_sums_ = {};
  std::array<double, kDayHours> hour_counts_ = {};
};

/// Of each figure the median over the households: real ones include a few that are unlike all others.
HouseholdFigures median_figures(std::span<const HouseholdFigures> households);

/// A set of households and what the median one is like.
struct HouseholdSet {
  std::string name;
  std::size_t households = 0;
  HouseholdFigures median;
};

/// The recorded sets of docs/concepts/households.md that are in `data_folder`; an error names their files when none is.
Result<std::vector<HouseholdSet>> read_household_sets(const std::string& data_folder);

}  // namespace fugu
