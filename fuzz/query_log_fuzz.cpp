// Any bytes as a log of queries: no crash, and each query starts after the one before it.
#include <cstddef>
#include <cstdint>
#include <string>

#include "fugu/base/check.hpp"
#include "fugu/sql/log_reader.hpp"

using namespace fugu;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  querylog::LogReader reader(Input::from_memory("log", {reinterpret_cast<const char*>(data), size}));
  std::uint64_t line = 0;
  while (true) {
    const auto query = reader.next();
    if (!query || !*query) return 0;
    FUGU_CHECK((*query)->line > line);
    FUGU_CHECK((*query)->text.size() <= size * (size + 1));  // a parameter may stand at many places
    line = (*query)->line;
  }
}
