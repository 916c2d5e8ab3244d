#include "fugu/stream/clock.hpp"

#include <array>
#include <charconv>
#include <chrono>

namespace fugu {

Clock::Clock(std::int64_t origin_s, std::int64_t slot_s) : origin_s_(origin_s), slot_s_(slot_s) {
  FUGU_CHECK(slot_s > 0);
}

std::optional<Slot> Clock::slot_at(std::int64_t instant_s) const {
  FUGU_CHECK(has_time());
  const std::int64_t elapsed_s = instant_s - origin_s_;
  if (elapsed_s % slot_s_ != 0) return std::nullopt;
  return elapsed_s / slot_s_;
}

Slot Clock::slot_around(std::int64_t instant_s) const {
  FUGU_CHECK(has_time());
  const std::int64_t elapsed_s = instant_s - origin_s_;
  return elapsed_s / slot_s_ - (elapsed_s % slot_s_ < 0 ? 1 : 0);
}

std::int64_t Clock::start_of(Slot slot) const {
  FUGU_CHECK(has_time());
  std::int64_t elapsed_s = 0;
  std::int64_t start_s = 0;
  FUGU_CHECK(!__builtin_mul_overflow(slot, slot_s_, &elapsed_s));
  FUGU_CHECK(!__builtin_add_overflow(elapsed_s, origin_s_, &start_s));
  return start_s;
}

TimeFault Clock::parse(std::string_view text, std::optional<std::int32_t> default_offset_s, Tick& tick) const noexcept {
  if (!has_time()) {
    const auto slot = parse_slot_number(text);
    if (!slot) return TimeFault::not_a_number;
    tick = {*slot, 0};
    return TimeFault::none;
  }
  Stamp stamp;
  if (auto fault = parse_stamp(text, default_offset_s, stamp); fault != TimeFault::none) return fault;
  const auto slot = slot_at(stamp.instant_s);
  if (!slot) return TimeFault::off_grid;
  tick = {*slot, stamp.utc_offset_s};
  return TimeFault::none;
}

std::string Clock::expected(TimeFault fault) const {
  if (fault == TimeFault::not_a_number) return "a slot number such as 0, 1, 2, as in the first row";
  if (fault != TimeFault::off_grid) return std::string(expected_stamp(fault));
  return "the start of a slot, a multiple of " + std::to_string(slot_s_) + " s from " + text(0);
}

std::size_t Clock::format(Slot slot, std::int32_t utc_offset_s, std::span<char, kStampTextMax> out) const noexcept {
  if (has_time()) return format_stamp({start_of(slot), utc_offset_s}, out);
  const auto [end, error] = std::to_chars(out.data(), out.data() + out.size(), slot);
  FUGU_CHECK(error == std::errc());
  return static_cast<std::size_t>(end - out.data());
}

std::string Clock::text(Slot slot, std::int32_t utc_offset_s) const {
  std::array<char, kStampTextMax> buffer;
  return {buffer.data(), format(slot, utc_offset_s, buffer)};
}

std::int64_t wall_clock_s() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::floor<std::chrono::seconds>(now).count();
}

std::optional<Slot> parse_slot_number(std::string_view text) noexcept {
  if (text.empty() || text.front() == '-') return std::nullopt;
  Slot slot = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, slot);
  if (stop != end || error != std::errc() || slot > kSlotMax) return std::nullopt;
  return slot;
}

}  // namespace fugu
