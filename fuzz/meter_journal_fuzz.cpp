// Any bytes as the rows of a meter's journal, with time stamps and with slot numbers. Slots that are accepted follow
// each other.
#include <cstddef>
#include <cstdint>
#include <string>

#include "fugu/base/check.hpp"
#include "fugu/distributional/meter_sender.hpp"

using namespace fugu;

namespace {

void read(const std::string& header, const std::string& rows, const Clock& clock) {
  const auto slots = SentSlots::read(Input::from_memory("m.journal", header + "\n" + rows), header, clock);
  if (!slots) FUGU_CHECK(!slots.error().message.empty());
  if (slots) FUGU_CHECK(slots->next() >= slots->first);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 10'000) return 0;
  const std::string rows(reinterpret_cast<const char*>(data), size);
  read("fugu-meter-journal,1,0123,900", rows, Clock(0, 900));
  read("fugu-meter-journal,1,0123,slots", rows, Clock());
  (void)SentSlots::read(Input::from_memory("m.journal", rows), "fugu-meter-journal,1,0123,900", Clock(0, 900));
  return 0;
}
