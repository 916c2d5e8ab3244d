// Any bytes as the state of a distributional stream: as they are, and with the checksum or hash that makes them whole.
// What is accepted must be its own text.
#include <xxhash.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include "fugu/base/check.hpp"
#include "fugu/base/digest.hpp"
#include "fugu/distributional/state.hpp"

using namespace fugu;

namespace {

void read(std::string text) {
  const auto state = DistributionalState::read(Input::from_memory("s.state", std::move(text)));
  if (!state) {
    FUGU_CHECK(!state.error().message.empty());
    return;
  }
  const auto again = DistributionalState::read(Input::from_memory("s.state", state->text()));
  FUGU_CHECK(again.has_value() && again->text() == state->text());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 10'000) return 0;
  std::string text(reinterpret_cast<const char*>(data), size);
  read(text);
  char end[32];
  std::snprintf(end, sizeof end, "end,%016llx\n",
                static_cast<unsigned long long>(XXH3_64bits(text.data(), text.size())));
  read(text + end);
  read(text + "end," + to_hex(sha256({text})) + "\n");
  return 0;
}
