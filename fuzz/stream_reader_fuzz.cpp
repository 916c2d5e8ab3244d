// Any bytes, plain or gzip, as a wide stream: no crash, slots are consecutive, and small blocks say the same as large
// ones.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "fugu/base/check.hpp"
#include "fugu/stream/stream_reader.hpp"

using namespace fugu;

namespace {

struct Outcome {
  Slot slots = 0;
  std::string error;
};

Outcome read_all(const std::string& bytes, std::size_t block_size) {
  StreamOptions options;
  options.gap_slots_max = 100;
  options.block_size = block_size;
  auto reader = StreamReader::open(Input::from_memory("s.csv", bytes), options);
  if (!reader) return {0, reader.error().message};
  Outcome outcome;
  SlotRow row;
  Slot last = 0;
  while (true) {
    const auto more = reader->next(row);
    if (!more) outcome.error = more.error().message;
    if (!more || !*more) return outcome;
    FUGU_CHECK(row.values.size() == reader->series().size());
    FUGU_CHECK(outcome.slots == 0 || row.slot == last + 1);
    FUGU_CHECK(!reader->clock().text(row.slot, row.utc_offset_s).empty());
    last = row.slot;
    ++outcome.slots;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const Outcome large = read_all(bytes, BlockReader::kBlockSize);
  const Outcome small = read_all(bytes, 7);
  FUGU_CHECK(large.slots == small.slots && large.error == small.error);
  return 0;
}
