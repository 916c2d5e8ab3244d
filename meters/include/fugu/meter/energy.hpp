// Sums of readings as energy, for bills.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fugu/stream/decimal.hpp"

namespace fugu {

/// What a reading is a number of: energy in its slot, or mean power over it.
enum class ReadingUnit : std::uint8_t { watt, kilowatt, watt_hour, kilowatt_hour };

/// W, kW, Wh or kWh.
std::optional<ReadingUnit> parse_reading_unit(std::string_view text);
/// Power needs the length of a slot to become energy.
constexpr bool is_power(ReadingUnit unit) { return unit == ReadingUnit::watt || unit == ReadingUnit::kilowatt; }

/// A sum of readings in kWh, with six decimals, rounded half up once, at the end. `slot_s` > 0 where the unit is power.
/// Nothing when the sum is too large to be written so: beyond 9.2·10^12 kWh, or with a step of very many digits.
std::optional<std::string> kwh_text(std::int64_t sum_steps, const UnitStep& step, ReadingUnit unit,
                                    std::int64_t slot_s);

}  // namespace fugu
