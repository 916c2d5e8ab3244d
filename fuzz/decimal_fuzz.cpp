// Any text as a value on several grids: no crash, and what is accepted survives printing and parsing.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fugu/base/check.hpp"
#include "fugu/stream/decimal.hpp"

using namespace fugu;

namespace {

void check_grid(const UnitStep& unit, std::string_view text) {
  std::int64_t steps = 0;
  if (unit.steps(text, steps) != DecimalFault::none) return;
  FUGU_CHECK(steps >= -kStepsMax && steps <= kStepsMax);
  std::int64_t again = 0;
  FUGU_CHECK(unit.steps(unit.text(steps), again) == DecimalFault::none && again == steps);
  std::int64_t away = 0;
  if (unit.steps(text, away, Rounding::away) != DecimalFault::none) return;
  const std::int64_t further = steps < 0 || away < 0 ? steps - away : away - steps;
  FUGU_CHECK(further == 0 || further == 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const char* unit : {"1", "0.001", "0.25", "1e18", "999999999e-18"}) check_grid(*UnitStep::parse(unit), text);
  if (const auto unit = UnitStep::parse(text)) {
    const auto again = UnitStep::parse(unit->text(1));
    FUGU_CHECK(again && *again == *unit);
  }
  return 0;
}
