// The random words of one part of a reading, and how a reading is divided with them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "fugu/base/rational.hpp"
#include "fugu/meter/keyed_hash.hpp"
#include "fugu/meter/periods.hpp"
#include "fugu/stream/slot.hpp"

namespace fugu::detail {

struct PartWords {
  std::uint64_t shift = 0;
  std::uint64_t delay = 0;
  std::uint64_t cut = 0;
  std::uint64_t order = 0;
};

/// HMAC-SHA-256 of slot, part and meter under the meter's shift key for the gateway's rules; and of the slot's period
/// where that is a calendar's (otherwise it is empty): a calendar is not among the rules, as it may grow.
inline PartWords part_words(KeyedHash& hash, const SecretKey& shift_key, std::string_view meter, Slot slot,
                            unsigned part, const Period& of_calendar) {
  const bool has_period = of_calendar.start != of_calendar.end;
  std::string message = has_period ? "C" : "S";
  const auto append = [&](Slot value) {
    for (int i = 0; i < 8; ++i) message += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i));
  };
  append(slot);
  if (has_period) append(of_calendar.start);
  if (has_period) append(of_calendar.end);
  message += static_cast<char>(part);
  message += meter;  // last: all before it has a fixed length
  const KeyedHash::Digest digest = hash(shift_key, message);
  return {word_of(digest, 0), word_of(digest, 1), word_of(digest, 2), word_of(digest, 3)};
}

/// Divides `value` at uniform random points; the parts have its sign and add up to it. With two parts the first is
/// uniform on 0 … value.
inline void divide(std::int64_t value, std::span<const PartWords> words, std::span<std::int64_t> parts) {
  const auto size = static_cast<std::uint64_t>(value < 0 ? -value : value);
  for (std::size_t i = 0; i + 1 < parts.size(); ++i)
    parts[i] = static_cast<std::int64_t>(static_cast<uint128>(words[i].cut) * (size + 1) >> 64);
  parts.back() = static_cast<std::int64_t>(size);
  std::sort(parts.begin(), parts.end() - 1);
  for (std::size_t i = parts.size() - 1; i > 0; --i) parts[i] -= parts[i - 1];
  if (value < 0)
    for (std::int64_t& part : parts) part = -part;
}

}  // namespace fugu::detail
