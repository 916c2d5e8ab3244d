// Any bytes, plain or gzip, as readings: no crash, slots are consecutive and never missing, and one thread with small
// blocks says the same as two.
#include <cstddef>
#include <cstdint>
#include <string>

#include "fugu/base/check.hpp"
#include "fugu/stream/readings_reader.hpp"

using namespace fugu;

namespace {

struct Outcome {
  Slot slots = 0;
  std::uint64_t rows = 0;
  std::string error;
};

Outcome read_all(const std::string& bytes, unsigned threads, std::size_t block_size) {
  ReadingsOptions options;
  options.clamp = {-10, 10};
  options.slot_s = 900;
  options.gap_slots_max = 100;
  options.threads = threads;
  options.block_size = block_size;
  auto map = SeriesMap::read(Input::from_memory("map.csv", "meter,series\na,x\nb,x\nb,y\n"));
  auto reader = ReadingsReader::open(Input::from_memory("r.csv", bytes), *std::move(map), options);
  if (!reader) return {0, 0, reader.error().message};
  Outcome outcome;
  SlotRow row;
  Slot last = 0;
  while (true) {
    const auto more = reader->next(row);
    outcome.rows = reader->counters().rows;
    if (!more) outcome.error = more.error().message;
    if (!more || !*more) return outcome;
    FUGU_CHECK(outcome.slots == 0 || row.slot == last + 1);
    for (Raw value : row.values) FUGU_CHECK(!value.missing());
    last = row.slot;
    ++outcome.slots;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const Outcome one = read_all(bytes, 1, 7);
  const Outcome two = read_all(bytes, 2, 64);
  FUGU_CHECK(one.slots == two.slots && one.rows == two.rows && one.error == two.error);
  return 0;
}
