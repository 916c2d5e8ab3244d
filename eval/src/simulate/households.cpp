#include "fugu/simulate/households.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <thread>
#include <tuple>

#include "fugu/simulate/dice.hpp"

namespace fugu {

namespace {

constexpr std::int64_t kMinutesPerDay = 1440;
constexpr std::int64_t kStepMin = 5;  // in which people come and go
constexpr std::size_t kStepsPerDay = kMinutesPerDay / kStepMin;
constexpr double kDaysPerYear = 365.25;
constexpr std::int64_t kColdestDay = 15;                 // of the year: the middle of January
constexpr std::size_t kUsesMax = 64;                     // of one appliance on one day
constexpr int kStartTries = 24;                          // to find a start when somebody is active
constexpr std::size_t kWorthAThread = 32;                // households
constexpr std::uint64_t kTraitsDay = ~std::uint64_t{0};  // stands for "no day": what a household is and has
constexpr std::uint64_t kHolidayDay = std::uint64_t{1} << 62;

/// Active people in each step of a day.
using Occupancy = std::array<std::uint8_t, kStepsPerDay>;

/// What a day is for everybody.
struct Day {
  std::int64_t index = 0;
  DayType type = DayType::weekday;
  double winter = 0;                // cosine of the season: 1 in January, −1 in July
  std::size_t light_from_step = 0;  // sunrise and sunset
  std::size_t light_to_step = 0;
};

DayType type_of(std::int64_t days_since_1970) {
  const std::int64_t weekday = ((days_since_1970 + 3) % 7 + 7) % 7;  // 0 is Monday: 1970-01-01 was a Thursday
  if (weekday == 5) return DayType::saturday;
  return weekday == 6 ? DayType::sunday : DayType::weekday;
}

/// Cosine of the season, rounded: the last bit of std::cos differs between platforms.
double winter_of(std::int64_t days_since_1970) {
  const double years = static_cast<double>(days_since_1970 - kColdestDay) / kDaysPerYear;
  return std::round(std::cos(2 * std::numbers::pi * years) * 0x1p20) * 0x1p-20;
}

/// At 50 degrees north, without summer time: the sun rises at 8:10 in January and at 4:10 in July, and sets at 16:25
/// and at 20:25. Deep winter is in December for light; three weeks matter little here.
Day day_of(std::int64_t first_day, std::int64_t index) {
  Day day;
  day.index = index;
  day.type = type_of(first_day + index);
  day.winter = winter_of(first_day + index);
  day.light_from_step = static_cast<std::size_t>((370 + 120 * day.winter) / kStepMin);
  day.light_to_step = static_cast<std::size_t>((1105 - 120 * day.winter) / kStepMin);
  return day;
}

double season_factor(double amplitude, double winter) { return std::max(0.0, 1 + amplitude * winter); }

/// What an appliance model comes down to: the same for every household.
struct Prepared {
  ApplianceKind kind = ApplianceKind::activity;
  double season = 0;
  double season_mean = 1;
  double duration_min = 0;
  double duration_deviation_min = 0;
  double period_min = 0;
  std::array<double, kDayTypes> day_factor = {};             // uses on such a day over the mean of a week
  std::array<std::array<double, 24>, kDayTypes> until = {};  // share of uses that start before the end of each hour
};

double season_mean_of(double amplitude) {
  double sum = 0;
  for (int day = 0; day < 365; ++day) sum += season_factor(amplitude, winter_of(day));
  return sum / 365;
}

void prepare_profile(const StartProfile& profile, Prepared& prepared) {
  std::array<double, kDayTypes> sums = {};
  for (std::size_t type = 0; type < kDayTypes; ++type) {
    for (std::size_t hour = 0; hour < 24; ++hour) {
      sums[type] += profile.weights[type][hour];
      prepared.until[type][hour] = sums[type];
    }
    for (double& share : prepared.until[type]) share /= std::max(sums[type], 1e-300);
  }
  const double mean = (5 * sums[0] + sums[1] + sums[2]) / 7;
  for (std::size_t type = 0; type < kDayTypes; ++type) prepared.day_factor[type] = sums[type] / mean;
}

Prepared prepare(const ApplianceModel& model, const std::vector<StartProfile>& profiles) {
  Prepared prepared;
  prepared.kind = model.kind;
  prepared.season = model.season;
  prepared.season_mean = std::max(season_mean_of(model.season), 1e-9);
  prepared.duration_min = model.duration_min;
  prepared.duration_deviation_min = model.duration_min * model.duration_spread;
  prepared.period_min = model.period_min;
  if (model.kind != ApplianceKind::cycling) prepare_profile(profiles[model.profile], prepared);
  return prepared;
}

/// What all households of a run share. Constant while a day is simulated.
struct Shared {
  HouseholdOptions options;
  HouseholdParameters parameters;
  std::vector<Prepared> appliances;
  std::size_t slots_per_day = 96;
};

std::int64_t minutes(double hours) { return static_cast<std::int64_t>(hours * 60); }

std::int64_t diced_minutes(Dice& dice, const HoursModel& model) {
  return minutes(dice.bell(model.mean, model.deviation));
}

/// Poisson by multiplying uniform variables (Knuth).
std::size_t poisson(Dice& dice, double mean) {
  const double limit = std::exp(-mean);
  std::size_t count = 0;
  for (double product = dice.uniform(); product > limit && count < kUsesMax; product *= dice.uniform()) ++count;
  return count;
}

class Household {
 public:
  Household(const Shared& shared, std::uint64_t number);

  void live(const Shared& shared, const Day& day, std::span<std::int32_t> watts);

  std::size_t people() const { return persons_.size(); }
  bool owns(std::size_t appliance) const {
    return std::any_of(owned_.begin(), owned_.end(), [&](const Owned& each) { return each.appliance == appliance; });
  }
  const std::vector<ApplianceUse>& uses() const { return uses_; }
  const Occupancy& active() const { return active_; }

 private:
  struct Owned {
    std::uint32_t appliance;
    std::int32_t power_w;  // rated
    std::int32_t drawn_w;  // over a use, on average
    double uses_per_day;
    /// When it may start again: the end of the last use, or the next cycle. From the beginning of the current day.
    std::int64_t free_min;
  };
  struct Person {
    bool goes_out;
    std::int64_t awake_until_min;  // of the current day: stayed up past midnight
  };

  bool is_on_holiday(const Shared& shared, const Day& day) const;
  void come_and_go(const PeopleModel& model, const Day& day, Dice& dice);
  void run_cycles(const Prepared& appliance, Owned& owned, Dice& dice);
  void use(const Prepared& appliance, Owned& owned, const Day& day, Dice& dice);
  std::optional<std::int64_t> diced_start(const Prepared& appliance, const Day& day, Dice& dice) const;
  void add_rest(const RestModel& rest, const Day& day);
  void add(std::int64_t start_min, std::int64_t end_min, std::int32_t power_w);
  void read_meter(std::span<std::int32_t> watts);

  std::uint64_t number_;
  std::int64_t slot_min_;
  std::vector<Person> persons_;
  std::vector<Owned> owned_;
  std::vector<std::int32_t> watt_minutes_;  // of each slot of the current day and the next
  std::vector<ApplianceUse> uses_;
  Occupancy active_ = {};
};

std::size_t diced_people(const Shared& shared, Dice& dice) {
  double u = dice.uniform();
  if (shared.options.people > 0) return shared.options.people;
  for (std::size_t size = 1; size < kPeopleMax; ++size) {
    if (u < shared.parameters.size_share[size - 1]) return size;
    u -= shared.parameters.size_share[size - 1];
  }
  return kPeopleMax;
}

Household::Household(const Shared& shared, std::uint64_t number)
    : number_(number), slot_min_(shared.options.slot_min), watt_minutes_(2 * shared.slots_per_day) {
  const HouseholdParameters& parameters = shared.parameters;
  Dice dice(shared.options.seed, number, kTraitsDay);
  const std::size_t people = diced_people(shared, dice);
  for (std::size_t i = 0; i < people; ++i)
    persons_.push_back({dice.uniform() < parameters.people.goes_out[people - 1], 0});
  const double size = static_cast<double>(people) / parameters.reference_people;
  for (std::uint32_t i = 0; i < parameters.appliances.size(); ++i) {
    const ApplianceModel& model = parameters.appliances[i];
    const bool has_one = dice.uniform() < model.ownership[people - 1];
    const double power_w = model.power_w * dice.bell(1, parameters.power_spread);
    const double phase = dice.uniform();
    if (!has_one) continue;
    // std::pow is rounded: its last bit differs between platforms.
    const double growth = std::round(std::pow(size, model.size_exponent) * 0x1p20) * 0x1p-20;
    const std::int32_t rated_w = std::max(1, static_cast<std::int32_t>(std::lround(power_w)));
    owned_.push_back({i, rated_w, static_cast<std::int32_t>(std::lround(rated_w * model.duty)),
                      model.cycles_per_year / kDaysPerYear * growth,
                      static_cast<std::int64_t>(phase * model.period_min)});
  }
}

bool Household::is_on_holiday(const Shared& shared, const Day& day) const {
  const auto week = static_cast<std::uint64_t>(day.index / 7);
  return Dice(shared.options.seed, number_, kHolidayDay + week).uniform() <
         shared.parameters.holiday_weeks * 7 / kDaysPerYear;
}

/// Adds up, for each step, who is awake and not away.
void Household::come_and_go(const PeopleModel& model, const Day& day, Dice& dice) {
  std::array<std::int8_t, kStepsPerDay + 1> change = {};
  const auto mark = [&](std::int64_t from_min, std::int64_t to_min, std::int8_t by) {
    from_min = std::clamp<std::int64_t>(from_min, 0, kMinutesPerDay);
    to_min = std::clamp<std::int64_t>(to_min, from_min, kMinutesPerDay);
    change[static_cast<std::size_t>(from_min / kStepMin)] =
        static_cast<std::int8_t>(change[static_cast<std::size_t>(from_min / kStepMin)] + by);
    change[static_cast<std::size_t>(to_min / kStepMin)] =
        static_cast<std::int8_t>(change[static_cast<std::size_t>(to_min / kStepMin)] - by);
  };
  for (Person& person : persons_) {
    mark(0, person.awake_until_min, 1);
    const bool is_out = person.goes_out && day.type == DayType::weekday;
    const HoursModel& wakes = is_out                         ? model.out_wake
                              : day.type == DayType::weekday ? model.home_wake
                                                             : model.weekend_wake;
    const std::int64_t wake = std::max(diced_minutes(dice, wakes), person.awake_until_min);
    const std::int64_t sleep = std::max(diced_minutes(dice, model.sleep), wake);
    mark(wake, sleep, 1);
    std::int64_t back = wake;
    const auto leave = [&](std::int64_t from_min, std::int64_t to_min) {
      from_min = std::clamp(from_min, back, sleep);
      back = std::clamp(to_min, from_min, sleep);
      mark(from_min, back, -1);
    };
    if (is_out) {
      const std::int64_t from = diced_minutes(dice, model.out_leave);
      leave(from, diced_minutes(dice, model.out_return));
    } else if (dice.uniform() < model.errand_share) {
      const std::int64_t from = diced_minutes(dice, model.errand_start);
      leave(from, from + diced_minutes(dice, model.errand_length));
    }
    if (dice.uniform() < model.evening_share) {
      const std::int64_t from = diced_minutes(dice, model.evening_start);
      leave(from, from + diced_minutes(dice, model.evening_length));
    }
    person.awake_until_min = std::clamp<std::int64_t>(sleep - kMinutesPerDay, 0, kMinutesPerDay / 4);
  }
  int active = 0;
  for (std::size_t step = 0; step < kStepsPerDay; ++step) {
    active += change[step];
    active_[step] = static_cast<std::uint8_t>(active);
  }
}

void Household::run_cycles(const Prepared& appliance, Owned& owned, Dice& dice) {
  const auto length = static_cast<std::int64_t>(appliance.duration_min);
  while (owned.free_min < kMinutesPerDay) {
    add(owned.free_min, owned.free_min + length, owned.power_w);
    owned.free_min += static_cast<std::int64_t>(appliance.period_min * (0.9 + 0.2 * dice.uniform()) + 0.5);
  }
}

/// A minute by the appliance's profile. For an activity, also by who is active: nobody, no use; with everybody it
/// is up to 7/3 times as likely as with one of five. Nothing when nobody seems to be active at any usual time.
std::optional<std::int64_t> Household::diced_start(const Prepared& appliance, const Day& day, Dice& dice) const {
  const auto& until = appliance.until[static_cast<std::size_t>(day.type)];
  const auto all = static_cast<double>(persons_.size() + 2);
  for (int i = 0; i < kStartTries; ++i) {
    const double u = dice.uniform();
    const auto hour = std::min<std::int64_t>(23, std::upper_bound(until.begin(), until.end(), u) - until.begin());
    const std::int64_t minute = hour * 60 + static_cast<std::int64_t>(dice.uniform() * 60);
    if (appliance.kind != ApplianceKind::activity) return minute;
    const std::uint8_t active = active_[static_cast<std::size_t>(minute / kStepMin)];
    if (active > 0 && dice.uniform() * all < active + 2) return minute;
  }
  return std::nullopt;
}

/// Uses of one appliance do not overlap: one that would begin while another runs begins when that ends, if somebody is
/// still active then, or else not at all.
void Household::use(const Prepared& appliance, Owned& owned, const Day& day, Dice& dice) {
  const double mean = owned.uses_per_day * appliance.day_factor[static_cast<std::size_t>(day.type)] *
                      season_factor(appliance.season, day.winter) / appliance.season_mean;
  const std::size_t count = poisson(dice, mean);
  std::array<std::int64_t, kUsesMax> starts;
  std::size_t found = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::optional<std::int64_t> start = diced_start(appliance, day, dice);
    if (start) starts[found++] = *start;
  }
  std::sort(starts.begin(), starts.begin() + static_cast<std::ptrdiff_t>(found));
  for (std::size_t i = 0; i < found; ++i) {
    const std::int64_t start = std::max(starts[i], owned.free_min);
    if (start >= kMinutesPerDay) break;
    if (appliance.kind == ApplianceKind::activity && active_[static_cast<std::size_t>(start / kStepMin)] == 0) continue;
    const double length = dice.bell(appliance.duration_min, appliance.duration_deviation_min);
    const std::int64_t end =
        start + std::clamp<std::int64_t>(static_cast<std::int64_t>(length + 0.5), 1, kMinutesPerDay);
    add(start, end, owned.drawn_w);
    owned.free_min = end;
    const std::int64_t midnight = day.index * kMinutesPerDay;
    uses_.push_back({owned.appliance, owned.power_w, midnight + start, midnight + end});
  }
}

void Household::add(std::int64_t start_min, std::int64_t end_min, std::int32_t power_w) {
  auto slot = static_cast<std::size_t>(start_min / slot_min_);
  std::int64_t slot_end = (static_cast<std::int64_t>(slot) + 1) * slot_min_;
  while (start_min < end_min) {
    const std::int64_t until = std::min(end_min, slot_end);
    watt_minutes_[slot] += power_w * static_cast<std::int32_t>(until - start_min);
    start_min = until;
    slot_end += slot_min_;
    ++slot;
  }
}

void Household::add_rest(const RestModel& rest, const Day& day) {
  std::array<std::array<std::int32_t, kPeopleMax + 1>, 2> power_w;  // by darkness and active people
  for (std::size_t active = 0; active <= kPeopleMax; ++active) {
    const auto people = static_cast<double>(active);
    const double plain = rest.standby_w[persons_.size() - 1] + rest.active_person_w * people;
    const double light = active == 0 ? 0 : rest.light_first_w + rest.light_next_w * (people - 1);
    power_w[0][active] = static_cast<std::int32_t>(std::lround(plain));
    power_w[1][active] = static_cast<std::int32_t>(std::lround(plain + light));
  }
  for (std::size_t step = 0; step < kStepsPerDay; ++step) {
    const bool is_dark = step < day.light_from_step || step >= day.light_to_step;
    const auto start = static_cast<std::int64_t>(step) * kStepMin;
    const std::int32_t watts = power_w[is_dark][active_[step]];
    if (slot_min_ > kStepMin) {
      watt_minutes_[static_cast<std::size_t>(start / slot_min_)] += watts * static_cast<std::int32_t>(kStepMin);
    } else {
      add(start, start + kStepMin, watts);
    }
  }
}

/// Hands out the current day and makes the next the current one.
void Household::read_meter(std::span<std::int32_t> watts) {
  const auto slot_min = static_cast<std::int32_t>(slot_min_);
  for (std::size_t slot = 0; slot < watts.size(); ++slot) watts[slot] = (watt_minutes_[slot] + slot_min / 2) / slot_min;
  const auto middle = watt_minutes_.begin() + static_cast<std::ptrdiff_t>(watts.size());
  std::copy(middle, watt_minutes_.end(), watt_minutes_.begin());
  std::fill(middle, watt_minutes_.end(), 0);
  for (Owned& owned : owned_) owned.free_min = std::max<std::int64_t>(0, owned.free_min - kMinutesPerDay);
}

void Household::live(const Shared& shared, const Day& day, std::span<std::int32_t> watts) {
  Dice dice(shared.options.seed, number_, static_cast<std::uint64_t>(day.index));
  const bool is_away = is_on_holiday(shared, day);
  uses_.clear();
  active_ = {};
  if (!is_away) come_and_go(shared.parameters.people, day, dice);
  for (Owned& owned : owned_) {
    const Prepared& appliance = shared.appliances[owned.appliance];
    if (appliance.kind == ApplianceKind::cycling) {
      run_cycles(appliance, owned, dice);
    } else if (!is_away || appliance.kind == ApplianceKind::timed) {
      use(appliance, owned, day, dice);
    }
  }
  add_rest(shared.parameters.rest, day);
  read_meter(watts);
  std::sort(uses_.begin(), uses_.end(), [](const ApplianceUse& a, const ApplianceUse& b) {
    return std::tie(a.start_min, a.appliance) < std::tie(b.start_min, b.appliance);
  });
}

Result<void> check(const HouseholdOptions& options) {
  const auto error = [](const char* message) { return Error{Cause::usage, message}; };
  if (options.households < 1 || options.households > 1'000'000) return error("households: expected 1 to 1000000");
  if (options.days < 1 || options.days > 36'600) return error("days: expected 1 to 36600");
  if (options.slot_min != 1 && options.slot_min != 15 && options.slot_min != 30 && options.slot_min != 60)
    return error("slot length: expected 1, 15, 30 or 60 minutes");
  if (options.people > kPeopleMax) return error("people: expected 1 to 5, or 0 for as many as households have");
  if (options.first_day < -100'000 || options.first_day > 100'000)
    return error("first day: expected within 270 years of 1970");
  return {};
}

}  // namespace

class Neighbourhood::Impl {
 public:
  Impl(const HouseholdOptions& options, HouseholdParameters parameters) {
    shared_.options = options;
    shared_.parameters = std::move(parameters);
    shared_.slots_per_day = static_cast<std::size_t>(kMinutesPerDay / options.slot_min);
    for (const ApplianceModel& model : shared_.parameters.appliances)
      shared_.appliances.push_back(prepare(model, shared_.parameters.profiles));
    households_.reserve(options.households);
    for (std::uint64_t number = 0; number < options.households; ++number) households_.emplace_back(shared_, number);
    watts_.resize(options.households * shared_.slots_per_day);
  }

  bool next_day() {
    if (day_.index + 1 >= shared_.options.days) return false;
    day_ = day_of(shared_.options.first_day, day_.index + 1);
    const std::size_t threads = threads_worth_starting();
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < threads; ++i) others.emplace_back([this, i, threads] { live(i, threads); });
    live(0, threads);
    for (std::thread& other : others) other.join();
    return true;
  }

  std::span<const std::int32_t> watts(std::size_t household) const {
    return {watts_.data() + household * shared_.slots_per_day, shared_.slots_per_day};
  }
  const Household& household(std::size_t number) const {
    FUGU_CHECK(number < households_.size());
    return households_[number];
  }
  const Day& day() const { return day_; }
  const Shared& shared() const { return shared_; }

 private:
  std::size_t threads_worth_starting() const {
    const unsigned wanted = shared_.options.threads;
    const std::size_t threads = wanted == 0 ? std::max(1U, std::thread::hardware_concurrency()) : wanted;
    return std::clamp<std::size_t>(households_.size() / kWorthAThread, 1, threads);
  }

  /// The part of the households that thread `part` of `parts` looks after.
  void live(std::size_t part, std::size_t parts) {
    const std::size_t slots = shared_.slots_per_day;
    const std::size_t end = households_.size() * (part + 1) / parts;
    for (std::size_t i = households_.size() * part / parts; i < end; ++i)
      households_[i].live(shared_, day_, {watts_.data() + i * slots, slots});
  }

  Shared shared_;
  std::vector<Household> households_;
  std::vector<std::int32_t> watts_;
  Day day_ = {.index = -1};
};

Result<Neighbourhood> Neighbourhood::make(const HouseholdOptions& options, HouseholdParameters parameters) {
  FUGU_TRY(check(options));
  return Neighbourhood(std::make_unique<Impl>(options, std::move(parameters)));
}

Neighbourhood::Neighbourhood(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Neighbourhood::Neighbourhood(Neighbourhood&&) noexcept = default;
Neighbourhood& Neighbourhood::operator=(Neighbourhood&&) noexcept = default;
Neighbourhood::~Neighbourhood() = default;

bool Neighbourhood::next_day() { return impl_->next_day(); }
std::int64_t Neighbourhood::day() const { return impl_->day().index; }
DayType Neighbourhood::day_type() const { return impl_->day().type; }
std::span<const std::int32_t> Neighbourhood::watts(std::size_t household) const { return impl_->watts(household); }
std::span<const ApplianceUse> Neighbourhood::uses(std::size_t household) const {
  return impl_->household(household).uses();
}
std::size_t Neighbourhood::active_people(std::size_t household, std::size_t minute) const {
  FUGU_CHECK(minute < static_cast<std::size_t>(kMinutesPerDay));
  return impl_->household(household).active()[minute / kStepMin];
}
std::size_t Neighbourhood::people(std::size_t household) const { return impl_->household(household).people(); }
bool Neighbourhood::owns(std::size_t household, std::size_t appliance) const {
  return impl_->household(household).owns(appliance);
}
const HouseholdOptions& Neighbourhood::options() const { return impl_->shared().options; }
const HouseholdParameters& Neighbourhood::parameters() const { return impl_->shared().parameters; }
std::size_t Neighbourhood::slots_per_day() const { return impl_->shared().slots_per_day; }

}  // namespace fugu
