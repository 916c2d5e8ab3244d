// Any bytes as a table of household figures: no crash, and what is accepted can be lived by.
#include <cstddef>
#include <cstdint>
#include <string>

#include "fugu/base/check.hpp"
#include "fugu/simulate/households.hpp"

using namespace fugu;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto table = HouseholdParameters::read(Input::from_memory("table.csv", {reinterpret_cast<const char*>(data), size}));
  if (!table) {
    FUGU_CHECK(table.error().message.starts_with("table.csv"));
    return 0;
  }
  auto street = Neighbourhood::make({.households = 3, .days = 9, .slot_min = 30}, *std::move(table));
  FUGU_CHECK(street.has_value());
  while (street->next_day()) {
    for (const std::int32_t watts : street->watts(2)) FUGU_CHECK(watts >= 0);
  }
  return 0;
}
