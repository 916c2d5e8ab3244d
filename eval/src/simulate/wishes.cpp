#include "fugu/simulate/wishes.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "fugu/simulate/dice.hpp"

namespace fugu {

namespace {

constexpr Slot kSlotsPerDay = 96;

/// One kind of appliance: how often compared with others, for how long, how much, and when it is usually used.
struct Appliance {
  double share;
  std::uint64_t length_slots;
  double power_kw;
  double usual_hour;
  double spread_hours;
};

constexpr Appliance kAppliances[] = {
    {0.21, 1, 1.2, 12.5, 5.0},    // microwave
    {0.16, 1, 1.8, 9.0, 4.0},     // kettle
    {0.12, 3, 2.1, 12.0, 2.0},    // stove
    {0.11, 10, 0.12, 20.0, 2.0},  // television
    {0.10, 10, 0.11, 17.0, 4.0},  // computer
    {0.08, 16, 0.2, 15.0, 4.0},   // games
    {0.06, 8, 1.0, 10.0, 3.0},    // dishwasher
    {0.05, 4, 2.2, 18.0, 1.5},    // oven
    {0.04, 8, 0.5, 11.0, 3.0},    // washing machine
    {0.04, 2, 1.8, 7.0, 1.0},     // hair, iron
    {0.03, 7, 2.0, 14.0, 3.0},    // dryer
};

const Appliance& choose(double u) {
  for (const Appliance& appliance : kAppliances) {
    if (u < appliance.share) return appliance;
    u -= appliance.share;
  }
  return kAppliances[0];
}

Policy wish_for(const Appliance& appliance, Dice& dice, const WishOptions& options, std::uint64_t day) {
  const double hour = std::fmod(dice.bell(appliance.usual_hour, appliance.spread_hours) + 24, 24);
  const auto length = static_cast<Slot>(appliance.length_slots);
  const Slot start = static_cast<Slot>(day) * kSlotsPerDay + static_cast<Slot>(hour * 4);
  const Slot first = std::max<Slot>(0, start - 3 * length / 2);
  Policy policy;
  policy.interval = {first, first + 4 * length - 1};
  policy.length_slots = appliance.length_slots;
  policy.magnitude_steps =
      static_cast<std::uint64_t>(std::ceil(appliance.power_kw * static_cast<double>(options.steps_per_kw) - 1e-9));
  policy.epsilon = Budget::round_down(options.epsilon);
  return policy;
}

}  // namespace

std::vector<Policy> simulated_wishes(const WishOptions& options, std::uint64_t meter, std::uint64_t day) {
  Dice dice(options.seed, meter, day);
  const double expected = options.uses_per_day * (0.7 + 0.6 * dice.uniform());
  const auto uses = static_cast<std::size_t>(expected + dice.uniform());
  std::vector<Policy> wishes;
  for (std::size_t i = 0; i < uses; ++i) wishes.push_back(wish_for(choose(dice.uniform()), dice, options, day));
  std::stable_sort(wishes.begin(), wishes.end(), [](const Policy& a, const Policy& b) {
    return a.interval.first != b.interval.first ? a.interval.first < b.interval.first
                                                : a.interval.last < b.interval.last;
  });
  // The same appliance twice at once is one wish.
  wishes.erase(std::unique(wishes.begin(), wishes.end()), wishes.end());
  return wishes;
}

std::vector<Policy> simulated_wishes_of_days(const WishOptions& options, std::uint64_t meter, std::uint64_t days) {
  std::vector<Policy> wishes;
  for (std::uint64_t day = 0; day < days; ++day) {
    const std::vector<Policy> of_day = simulated_wishes(options, meter, day);
    wishes.insert(wishes.end(), of_day.begin(), of_day.end());
  }
  const auto key = [](const Policy& wish) {
    return std::tuple(wish.interval.first, wish.interval.last, wish.length_slots, wish.magnitude_steps);
  };
  std::sort(wishes.begin(), wishes.end(), [&](const Policy& a, const Policy& b) { return key(a) < key(b); });
  // One of a day's last may be equal to one of the next day.
  wishes.erase(std::unique(wishes.begin(), wishes.end()), wishes.end());
  return wishes;
}

}  // namespace fugu
