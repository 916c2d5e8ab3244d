#include "fugu/hosting/device.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <string>

namespace fugu::grid {
namespace {

constexpr double kMinutesPerDay = 1440;

struct DeviceRow {
  DeviceKind kind;
  std::string_view name;
  double usual_kw;
  double reactive_share;
};
constexpr double kTanOfHeatPump = 0.3287;  // power factor 0.95
constexpr std::array<DeviceRow, 3> kDevices = {{
    {DeviceKind::car, "ev", 11, 0},
    {DeviceKind::heat_pump, "heat-pump", 3, kTanOfHeatPump},
    {DeviceKind::pv, "pv", 8, 0},
}};
const DeviceRow& row_of(DeviceKind kind) { return kDevices[static_cast<std::size_t>(kind)]; }

/// Numbers from 0 to 1 for one device on one day: from a generator that the standard fixes, the same on every machine.
class Dice {
 public:
  Dice(std::uint64_t seed, std::uint64_t number, std::uint64_t day) {
    std::seed_seq all{low(seed), high(seed), low(number), high(number), low(day)};
    words_.seed(all);
  }
  double uniform() { return static_cast<double>(words_() >> 11) * 0x1p-53; }

 private:
  static std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
  static std::uint32_t high(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }
  std::mt19937_64 words_;
};

/// Slots of a stream, in minutes from its first midnight.
struct Slots {
  std::int64_t slot_min;
  std::span<double> p_kw;

  /// Draws `kw` from one minute to another, both fractions; what lies outside the stream is left out.
  void add(double from_min, double to_min, double kw) const {
    const auto length = static_cast<double>(slot_min);
    const auto first = static_cast<std::size_t>(std::max(0.0, from_min / length));
    for (std::size_t slot = first; slot < p_kw.size(); ++slot) {
      const double begin = static_cast<double>(slot) * length;
      if (begin >= to_min) break;
      p_kw[slot] += kw * (std::min(begin + length, to_min) - std::max(begin, from_min)) / length;
    }
  }
  std::uint64_t days() const {
    return static_cast<std::uint64_t>(
        std::ceil(static_cast<double>(p_kw.size()) * static_cast<double>(slot_min) / kMinutesPerDay));
  }
};

void add_car(double kw, std::uint64_t seed, std::uint64_t number, const Slots& slots) {
  constexpr double kChargesOn = 0.7;  // of all days
  constexpr double kLeastKwh = 4;
  constexpr double kMostKwh = 16;
  constexpr double kArrival_min = 18 * 60;
  constexpr double kSpread_min = 180;  // triangle: nobody comes more than three hours earlier or later
  for (std::uint64_t day = 0; day < slots.days(); ++day) {
    Dice dice(seed, number, day);
    const bool charges = dice.uniform() < kChargesOn;
    const double earlier = dice.uniform();
    const double later = dice.uniform();
    const double kwh = kLeastKwh + (kMostKwh - kLeastKwh) * dice.uniform();
    if (!charges) continue;
    const double from_min = static_cast<double>(day) * kMinutesPerDay + kArrival_min + kSpread_min * (later - earlier);
    slots.add(from_min, from_min + 60 * kwh / kw, kw);
  }
}

void add_heat_pump(double kw, std::uint64_t seed, std::uint64_t number, const Slots& slots) {
  constexpr double kCycle_min = 60;
  constexpr double kOnByDay = 0.6;
  constexpr double kOnByNight = 0.4;
  constexpr int kCyclesPerDay = 24;
  constexpr int kNightFrom = 22;
  constexpr int kNightTo = 6;
  const double phase_min = kCycle_min * Dice(seed, number, 0).uniform();
  for (std::uint64_t day = 0; day < slots.days(); ++day) {
    for (int cycle = 0; cycle < kCyclesPerDay; ++cycle) {
      const double from_min = static_cast<double>(day) * kMinutesPerDay + cycle * kCycle_min + phase_min;
      const bool is_night = cycle >= kNightFrom || cycle < kNightTo;
      slots.add(from_min, from_min + kCycle_min * (is_night ? kOnByNight : kOnByDay), kw);
    }
  }
}

void add_pv(double kw, const Slots& slots) {
  constexpr double kSunrise_min = 5 * 60;
  constexpr double kDaylight_min = 16 * 60;
  constexpr double kMostOfRated = 0.85;  // heat and angles take the rest
  for (std::size_t slot = 0; slot < slots.p_kw.size(); ++slot) {
    const double middle_min = (static_cast<double>(slot) + 0.5) * static_cast<double>(slots.slot_min);
    const double since_sunrise_min = std::fmod(middle_min, kMinutesPerDay) - kSunrise_min;
    if (since_sunrise_min <= 0 || since_sunrise_min >= kDaylight_min) continue;
    const double height = std::sin(std::numbers::pi * since_sunrise_min / kDaylight_min);
    slots.p_kw[slot] -= kw * kMostOfRated * height * height;
  }
}

}  // namespace

Result<DeviceKind> parse_device(std::string_view text) {
  for (const DeviceRow& row : kDevices) {
    if (row.name == text) return row.kind;
  }
  return Error{Cause::usage, "found '" + std::string(text) + "'; expected ev, heat-pump or pv"};
}

std::string_view device_name(DeviceKind kind) { return row_of(kind).name; }
double usual_device_kw(DeviceKind kind) { return row_of(kind).usual_kw; }
double reactive_share(DeviceKind kind) { return row_of(kind).reactive_share; }

void add_device(const Device& device, std::uint64_t seed, std::uint64_t number, std::int64_t slot_min,
                std::span<double> p_kw) {
  const Slots slots{slot_min, p_kw};
  switch (device.kind) {
    case DeviceKind::car: add_car(device.kw, seed, number, slots); break;
    case DeviceKind::heat_pump: add_heat_pump(device.kw, seed, number, slots); break;
    case DeviceKind::pv: add_pv(device.kw, slots); break;
  }
}

}  // namespace fugu::grid
