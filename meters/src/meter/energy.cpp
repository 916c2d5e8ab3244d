#include "fugu/meter/energy.hpp"

#include <array>
#include <cstdio>
#include <numeric>

#include "fugu/base/check.hpp"

namespace fugu {

namespace {

constexpr std::int64_t kMicro = 1'000'000;
constexpr std::int64_t kSecondsPerHour = 3600;

/// Multiplies exactly; false when that does not fit.
bool multiply(Rational& into, Rational with) {
  const auto reduce = [](std::uint64_t& num, std::uint64_t& den) {
    const std::uint64_t common = std::gcd(num, den);
    num /= common;
    den /= common;
  };
  reduce(into.num, with.den);
  reduce(with.num, into.den);
  return !__builtin_mul_overflow(into.num, with.num, &into.num) &&
         !__builtin_mul_overflow(into.den, with.den, &into.den);
}

}  // namespace

std::optional<ReadingUnit> parse_reading_unit(std::string_view text) {
  if (text == "W") return ReadingUnit::watt;
  if (text == "kW") return ReadingUnit::kilowatt;
  if (text == "Wh") return ReadingUnit::watt_hour;
  if (text == "kWh") return ReadingUnit::kilowatt_hour;
  return std::nullopt;
}

std::optional<std::string> kwh_text(std::int64_t sum_steps, const UnitStep& step, ReadingUnit unit,
                                    std::int64_t slot_s) {
  FUGU_CHECK(!is_power(unit) || slot_s > 0);
  const bool is_thousandth = unit == ReadingUnit::watt || unit == ReadingUnit::watt_hour;
  // Millionths of a kWh in a step, exactly.
  Rational micro{static_cast<std::uint64_t>(is_thousandth ? kMicro / 1000 : kMicro), 1};
  if (is_power(unit) && !multiply(micro, {static_cast<std::uint64_t>(slot_s), kSecondsPerHour})) return std::nullopt;
  if (!multiply(micro, step.to_rational())) return std::nullopt;
  const bool negative = sum_steps < 0;
  const auto size = negative ? 0 - static_cast<std::uint64_t>(sum_steps) : static_cast<std::uint64_t>(sum_steps);
  const uint128 product = static_cast<uint128>(size) * micro.num;
  if (product >> 126 != 0) return std::nullopt;
  // Half up, also below zero: a sum and its opposite differ where they lie between two values.
  const uint128 twice = 2 * product + (negative ? micro.den - 1 : micro.den);
  const uint128 rounded = twice / (2 * static_cast<uint128>(micro.den));
  if (rounded >> 63 != 0) return std::nullopt;
  const auto millionths = static_cast<std::uint64_t>(rounded);
  std::array<char, 48> text;
  std::snprintf(text.data(), text.size(), "%s%llu.%06llu", negative && millionths != 0 ? "-" : "",
                static_cast<unsigned long long>(millionths / kMicro),
                static_cast<unsigned long long>(millionths % kMicro));
  return text.data();
}

}  // namespace fugu
