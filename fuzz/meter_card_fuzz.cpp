// Any bytes as cards of meters: as they are, and with the checksum that makes them a whole card. What is accepted must
// be its own text.
#include <xxhash.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include "fugu/base/check.hpp"
#include "fugu/distributional/meter_card.hpp"

using namespace fugu;

namespace {

void read(std::string text) {
  const auto cards = read_cards(Input::from_memory("all.cards", std::move(text)));
  if (!cards) {
    FUGU_CHECK(!cards.error().message.empty());
    return;
  }
  std::string again;
  for (const MeterCard& card : *cards) again += card.text();
  const auto back = read_cards(Input::from_memory("all.cards", again));
  FUGU_CHECK(back.has_value() && back->size() == cards->size() && back->back().text() == cards->back().text());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 10'000) return 0;
  std::string text(reinterpret_cast<const char*>(data), size);
  read(text);
  char end[32];
  std::snprintf(end, sizeof end, "end,%016llx\n",
                static_cast<unsigned long long>(XXH3_64bits(text.data(), text.size())));
  read(text.append(end));
  return 0;
}
