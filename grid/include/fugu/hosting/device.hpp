// What customers add to their load: electric cars, heat pumps, solar panels. Made up from plain, public assumptions,
// which docs/how-to/ask-for-hosting-capacity.md lists; nothing here is measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "fugu/base/result.hpp"

namespace fugu::grid {

enum class DeviceKind : std::uint8_t {
  car,        ///< charges at full power after it came home, around 18:00; 7 kWh a day on average
  heat_pump,  ///< on a cold day: cycles of an hour, on for 60 % of it by day and for 40 % from 22:00 to 6:00
  pv,         ///< feeds in on a clear summer day: the same sky for everyone
};

/// `ev`, `heat-pump` or `pv`. Fails with cause usage.
Result<DeviceKind> parse_device(std::string_view text);
/// The same, backwards.
std::string_view device_name(DeviceKind kind);

struct Device {
  DeviceKind kind = DeviceKind::car;
  double kw = 11;  ///< rated: charging, electric, or the most that is fed in
};
/// What people buy: 11 kW, 3 kW and 8 kW.
double usual_device_kw(DeviceKind kind);

/// kvar for each kW that it draws.
double reactive_share(DeviceKind kind);

/// Adds what one device draws to each slot; negative: feeds in. The first slot begins at midnight. A device is a
/// function of its number and the seed: longer streams continue shorter ones, and it does not matter which others there
/// are.
void add_device(const Device& device, std::uint64_t seed, std::uint64_t number, std::int64_t slot_min,
                std::span<double> p_kw);

}  // namespace fugu::grid
