// Simulated households: people who come and go, appliances they own and use, what their meters read.
//
// After Gottwalt et al. 2011 (households own appliances, each use is a cycle with power, length and start) and
// Richardson et al. 2010 (somebody has to be active: awake and at home). Uses are events added into the day's slots,
// not states stepped minute by minute. docs/concepts/households.md has the model, its sources and what it is compared
// with.
//
// A household is a function of seed, its number and the parameters: it is the same whatever the number of households,
// threads and slots, and longer horizons continue shorter ones. Nothing here is measured, or fit to protect anything.
//
//     FUGU_ASSIGN(auto street, Neighbourhood::make({.households = 100, .days = 365}, HouseholdParameters::shipped()));
//     while (street.next_day()) use(street.watts(0), street.uses(0));
//
// Memory: about 3 KiB a household plus two days of slots, whatever the horizon. Time: see bench/households_bench.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fugu/simulate/household_parameters.hpp"

namespace fugu {

struct HouseholdOptions {
  std::uint64_t households = 1;  ///< 1 … 1,000,000
  std::int64_t days = 7;         ///< 1 … 36,600
  std::int64_t slot_min = 15;    ///< 1, 15, 30 or 60
  /// The first day, in days since 1970-01-01: decides weekdays and seasons. Default: Monday, 1 January 2024.
  std::int64_t first_day = 19'723;
  std::uint64_t people = 0;  ///< in every household; 0: as the parameters say
  std::uint64_t seed = 1;
  unsigned threads = 0;  ///< 0: as many as there are cores
};

/// One use of an appliance. Minutes count from the beginning of the first day.
struct ApplianceUse {
  std::uint32_t appliance = 0;  ///< in HouseholdParameters::appliances
  std::int32_t power_w = 0;     ///< rated; readings show the mean over the use, ApplianceModel::duty times as much
  std::int64_t start_min = 0;
  std::int64_t end_min = 0;  ///< not included

  friend bool operator==(const ApplianceUse&, const ApplianceUse&) = default;
};

/// All households, a day at a time.
class Neighbourhood {
 public:
  /// An error of Cause::usage names the option that is out of range.
  static Result<Neighbourhood> make(const HouseholdOptions& options, HouseholdParameters parameters);
  Neighbourhood(Neighbourhood&&) noexcept;
  Neighbourhood& operator=(Neighbourhood&&) noexcept;
  ~Neighbourhood();

  /// Goes on to the next day, the first one to begin with. False after the last.
  bool next_day();

  /// The current day, from 0.
  std::int64_t day() const;
  DayType day_type() const;
  /// Mean power in each slot of the current day, in W, rounded.
  std::span<const std::int32_t> watts(std::size_t household) const;
  /// Uses that begin on the current day, by start. Cycling appliances are left out: theirs are no activities.
  std::span<const ApplianceUse> uses(std::size_t household) const;
  /// People who are awake and at home at that minute of the current day, in steps of five minutes.
  std::size_t active_people(std::size_t household, std::size_t minute) const;

  std::size_t people(std::size_t household) const;
  bool owns(std::size_t household, std::size_t appliance) const;

  const HouseholdOptions& options() const;
  const HouseholdParameters& parameters() const;
  std::size_t slots_per_day() const;

 private:
  class Impl;
  explicit Neighbourhood(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace fugu
