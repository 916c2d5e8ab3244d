#include "fugu/stream/name_table.hpp"

#include <cstring>
#include <utility>

#include "fugu/base/check.hpp"
#include "fugu/base/rational.hpp"

namespace fugu {
namespace {

constexpr std::size_t kInlineMax = 16;
constexpr std::uint64_t kOdd1 = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio
constexpr std::uint64_t kOdd2 = 0xc2b2ae3d27d4eb4f;

template <class Word>
std::uint64_t load(const char* from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

// The two halves of the full product, folded: every bit of the result depends on every bit of both factors.
std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const uint128 product = static_cast<uint128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

}  // namespace

NameTable::Key NameTable::key_of(std::string_view name) noexcept {
  const char* const data = name.data();
  const std::size_t size = name.size();
  Key key{0, 0, static_cast<std::uint32_t>(size)};
  if (size >= 8) {
    key.first = load<std::uint64_t>(data);
    key.last = load<std::uint64_t>(data + size - 8);
    if (size <= kInlineMax) return key;
    std::uint64_t state = mix(key.first ^ kOdd1, key.last ^ kOdd2);
    for (std::size_t at = 8; at + 8 < size; at += 8) state = mix(state ^ load<std::uint64_t>(data + at), kOdd1);
    key.first = state;
  } else if (size >= 4) {
    key.first = load<std::uint32_t>(data);
    key.last = load<std::uint32_t>(data + size - 4);
  } else if (size > 0) {
    key.first = static_cast<unsigned char>(data[0]);
    key.last = load<unsigned char>(data + size / 2) << 8 | load<unsigned char>(data + size - 1);
  }
  return key;
}

std::uint64_t NameTable::hash(const Key& key) noexcept {
  return mix(key.first ^ kOdd1, key.last ^ kOdd2 ^ key.size) * kOdd1;
}

// Where `name` is, or the free entry where it belongs.
std::size_t NameTable::position(const Key& key, std::string_view name_text) const noexcept {
  const std::size_t mask = entries_.size() - 1;
  for (std::size_t at = hash(key) >> 32;; ++at) {
    const Entry& entry = entries_[at & mask];
    if (entry.id == kFree) return at & mask;
    if (entry.has(key) && (key.size <= kInlineMax || name(entry.id) == name_text)) return at & mask;
  }
}

NameTable::Id NameTable::intern(std::string_view name) {
  const Key key = key_of(name);
  std::size_t at = position(key, name);
  if (entries_[at].id != kFree) return entries_[at].id;
  FUGU_CHECK(size() < kFree);
  if (is_full()) {
    grow();
    at = position(key, name);
  }
  const auto id = static_cast<Id>(size());
  text_ += name;
  begins_.push_back(text_.size());
  entries_[at] = {key.first, key.last, key.size, id};
  return id;
}

std::optional<NameTable::Id> NameTable::find(std::string_view name) const noexcept {
  const Entry& entry = entries_[position(key_of(name), name)];
  if (entry.id == kFree) return std::nullopt;
  return entry.id;
}

void NameTable::grow() {
  std::vector<Entry> old(2 * entries_.size());
  std::swap(old, entries_);
  for (const Entry& entry : old) {
    if (entry.id != kFree) entries_[position(entry.key(), name(entry.id))] = entry;
  }
}

}  // namespace fugu
