// What simulated households are made of: a table of figures, each with the source it comes from.
//
// CSV with header `section,name,quantity,value,unit,source`, one figure a row; data/households.csv is the one that
// comes with fugu and docs/concepts/households.md says what each quantity means. A value is a number, a list of numbers
// separated by blanks, or a word. Every row names its source; `assumed` where nobody published the figure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/base/result.hpp"
#include "fugu/stream/input.hpp"

namespace fugu {

/// Households have 1 … kPeopleMax people.
inline constexpr std::size_t kPeopleMax = 5;
/// By household size: [0] is for one person.
using BySize = std::array<double, kPeopleMax>;

enum class DayType : std::uint8_t { weekday, saturday, sunday };
inline constexpr std::size_t kDayTypes = 3;

enum class ApplianceKind : std::uint8_t {
  activity,  ///< somebody who is awake and at home starts it
  timed,     ///< a clock starts it, whoever is at home
  cycling,   ///< a thermostat does, all year round: a refrigerator. No activity, so neither logged nor a policy
};

/// When uses start: a weight for each hour of a day. The sum of a day's weights, compared with other days', says how
/// many uses there are.
struct StartProfile {
  std::string name;
  std::array<std::array<double, 24>, kDayTypes> weights = {};  ///< by DayType
};

struct ApplianceModel {
  std::string name;
  ApplianceKind kind = ApplianceKind::activity;
  BySize ownership = {};       ///< probability that a household has one
  double power_w = 0;          ///< rated: what it draws while it is on
  double duty = 1;             ///< share of a use in which a thermostat or a programme has it on; not for cycling
  double duration_min = 0;     ///< of a use, on average
  double duration_spread = 0;  ///< standard deviation over the mean
  double cycles_per_year = 0;  ///< of a household of reference_people; not for cycling
  double size_exponent = 0;    ///< cycles grow with (people / reference_people) to this power
  double season = 0;           ///< amplitude of a cosine over the year, largest in January; below 0 counts as 0
  double period_min = 0;       ///< from cycle to cycle; cycling only
  std::size_t profile = 0;     ///< in HouseholdParameters::profiles; not for cycling
};

/// A time of day, or a length, in hours: bell-shaped.
struct HoursModel {
  double mean = 0;
  double deviation = 0;
};

/// A person's day: awake from wake to sleep, at home but for work or school, an errand, an evening out.
struct PeopleModel {
  BySize goes_out = {};  ///< probability of leaving for work or school on weekdays
  HoursModel out_wake, out_leave, out_return;
  HoursModel home_wake, weekend_wake, sleep;
  double errand_share = 0;
  HoursModel errand_start, errand_length;
  double evening_share = 0;
  HoursModel evening_start, evening_length;
};

/// What is not an appliance of its own.
struct RestModel {
  BySize standby_w = {};
  double active_person_w = 0;
  double light_first_w = 0;  ///< in the dark, when somebody is active
  double light_next_w = 0;   ///< for each further active person
};

struct HouseholdParameters {
  BySize size_share = {};  ///< of all households; sums to 1
  double reference_people = 0;
  double holiday_weeks = 0;  ///< a year
  double power_spread = 0;
  PeopleModel people;
  RestModel rest;
  std::vector<StartProfile> profiles;
  std::vector<ApplianceModel> appliances;

  /// `FILE:LINE:COLUMN: found …; expected …` for a row that is wrong, is there twice, or is not known. What is missing
  /// is named too.
  static Result<HouseholdParameters> read(Input input);
  /// The table that comes with fugu.
  static const HouseholdParameters& shipped();
};

/// data/households.csv as text.
std::string_view shipped_household_table();

}  // namespace fugu
