// Any bytes as a releases file: rows or an error, nothing else.
#include <cstddef>
#include <cstdint>

#include "fugu/base/check.hpp"
#include "fugu/stream/release_reader.hpp"

namespace {

void read_all(const std::string& bytes, fugu::ReleaseReader::Options options) {
  auto reader = fugu::ReleaseReader::open(fugu::Input::from_memory("fuzz", bytes), std::move(options));
  if (!reader) return;
  fugu::ReleaseRecord record;
  fugu::Slot last = 0;
  for (auto more = reader->next(record); more && *more; more = reader->next(record)) {
    FUGU_CHECK(record.slot >= last);
    FUGU_CHECK(record.series < reader->series().size());
    last = record.slot;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  read_all(bytes, {});
  read_all(bytes, {fugu::Clock(), {"a", "b"}});
  return 0;
}
