// Any text as a time: no crash, and what is accepted survives printing and parsing.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fugu/base/check.hpp"
#include "fugu/stream/clock.hpp"

using namespace fugu;

namespace {

void check_clock(const Clock& clock, std::string_view text) {
  Tick tick;
  const TimeFault fault = clock.parse(text, 3600, tick);
  if (fault != TimeFault::none) {
    FUGU_CHECK(!clock.expected(fault).empty());
    return;
  }
  Tick again;
  const TimeFault second = clock.parse(clock.text(tick.slot, tick.utc_offset_s), std::nullopt, again);
  FUGU_CHECK(second == TimeFault::none && again.slot == tick.slot && again.utc_offset_s == tick.utc_offset_s);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_clock(Clock(), text);
  check_clock(Clock(0, 1), text);
  check_clock(Clock(1774745100, 900), text);
  static_cast<void>(parse_duration(text).has_value());
  static_cast<void>(parse_utc_offset(text).has_value());
  return 0;
}
