// Names as small numbers: each distinct name gets the next id, from 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fugu {

/// A hash table with open addressing, made for looking up millions of short names: one of at most 16 bytes is compared
/// without leaving its table entry. Lookups from several threads at once are safe while no one adds.
class NameTable {
 public:
  using Id = std::uint32_t;

  /// The id of `name`, new if it was not known.
  Id intern(std::string_view name);
  /// The id of `name`, if it is known.
  std::optional<Id> find(std::string_view name) const noexcept;

  std::size_t size() const { return begins_.size() - 1; }
  /// The name with that id; `id` < size(). Valid until the next intern().
  std::string_view name(Id id) const noexcept { return {text_.data() + begins_[id], begins_[id + 1] - begins_[id]}; }

 private:
  // Identifies a name of at most 16 bytes by its size and two overlapping words; for longer ones the words are hashes.
  struct Key {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::uint32_t size = 0;
  };
  struct Entry {  // flat, to take 24 bytes
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::uint32_t size = 0;
    Id id = kFree;

    Key key() const { return {first, last, size}; }
    bool has(const Key& key) const { return first == key.first && last == key.last && size == key.size; }
  };
  static constexpr Id kFree = ~Id{0};

  static Key key_of(std::string_view name) noexcept;
  static std::uint64_t hash(const Key& key) noexcept;
  std::size_t position(const Key& key, std::string_view name) const noexcept;
  bool is_full() const { return 2 * (size() + 1) > entries_.size(); }
  void grow();

  std::vector<Entry> entries_ = std::vector<Entry>(16);  // a power of two
  std::string text_;                                     // all names, one after the other
  std::vector<std::size_t> begins_ = {0};                // where they begin, and the end of the last
};

}  // namespace fugu
