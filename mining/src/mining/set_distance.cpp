#include "fugu/mining/set_distance.hpp"

#include <algorithm>
#include <cstddef>
#include <unordered_map>

#include "fugu/base/avx2.hpp"

namespace fugu::mining {

namespace {

/// How much of two sets of these sizes differs, when they have `common` elements in common.
Fraction distance_of(std::size_t size_a, std::size_t size_b, std::size_t common) {
  const std::size_t all = size_a + size_b - common;
  if (all == 0) return {0, 1};
  return {static_cast<std::uint32_t>(all - common), static_cast<std::uint32_t>(all)};
}

// The loops below run over all pairs, so each is compiled twice, the second time for AVX2.

[[gnu::always_inline]] inline void add_loop(const std::uint8_t* from, std::uint8_t* to, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) to[i] = static_cast<std::uint8_t>(to[i] + from[i]);
}
void add(const std::uint8_t* from, std::uint8_t* to, std::size_t size) { add_loop(from, to, size); }
FUGU_AVX2 void add_avx2(const std::uint8_t* from, std::uint8_t* to, std::size_t size) { add_loop(from, to, size); }

[[gnu::always_inline]] inline void flush_loop(std::uint8_t* from, std::uint16_t* to, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) to[i] = static_cast<std::uint16_t>(to[i] + from[i]);
  std::fill_n(from, size, std::uint8_t{0});
}
void flush(std::uint8_t* from, std::uint16_t* to, std::size_t size) { flush_loop(from, to, size); }
FUGU_AVX2 void flush_avx2(std::uint8_t* from, std::uint16_t* to, std::size_t size) { flush_loop(from, to, size); }

/// Distances of a set of `size` elements to sets of `sizes`, with which it has `common` elements in common.
[[gnu::always_inline]] inline void write_loop(const std::uint16_t* sizes, std::uint16_t size, std::uint16_t* common,
                                              std::span<DistanceMatrix::Narrow> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto all = static_cast<std::uint16_t>(size + sizes[i] - common[i]);
    out[i].num = static_cast<std::uint16_t>(all - common[i]);
    out[i].den = static_cast<std::uint16_t>(all == 0 ? 1 : all);
    common[i] = 0;
  }
}
void write(const std::uint16_t* sizes, std::uint16_t size, std::uint16_t* common,
           std::span<DistanceMatrix::Narrow> out) {
  write_loop(sizes, size, common, out);
}
FUGU_AVX2 void write_avx2(const std::uint16_t* sizes, std::uint16_t size, std::uint16_t* common,
                          std::span<DistanceMatrix::Narrow> out) {
  write_loop(sizes, size, common, out);
}

/// Counts, for one set after the other, what it has in common with each set before it. An element that many sets have
/// is a column of bytes, one a set, and columns are added many sets at a time; of other elements there are lists of the
/// sets that have them.
class Counter {
 public:
  explicit Counter(std::span<const ElementSet> sets) : sets_(sets), bytes_(sets.size()), common_(sets.size()) {
    std::unordered_map<std::uint32_t, std::size_t> sets_with;
    for (const ElementSet& set : sets) {
      sizes_.push_back(static_cast<std::uint16_t>(set.size()));
      for (const std::uint32_t element : set) ++sets_with[element];
    }
    constexpr std::size_t kRare = 64;  // one set in so many: a list is quicker
    for (const auto& [element, count] : sets_with) {
      if (count * kRare < sets.size()) {
        places_[element] = {false, lists_.size()};
        lists_.emplace_back();
      } else {
        places_[element] = {true, columns_.size()};
        columns_.emplace_back(sets.size());
      }
    }
  }

  /// To be called for set 0, 1, 2, …
  void row(std::size_t item, std::span<DistanceMatrix::Narrow> out) {
    std::size_t added = 0;
    for (const std::uint32_t element : sets_[item]) {
      const auto [is_column, index] = places_.find(element)->second;
      if (is_column) {
        (is_fast_ ? add_avx2 : add)(columns_[index].data(), bytes_.data(), item);
        columns_[index][item] = 1;
        if (++added % 255 == 0) flush_bytes(item);  // more would not fit a byte
      } else {
        for (const std::uint32_t other : lists_[index]) ++common_[other];
        lists_[index].push_back(static_cast<std::uint32_t>(item));
      }
    }
    flush_bytes(item);
    (is_fast_ ? write_avx2 : write)(sizes_.data(), sizes_[item], common_.data(), out);
  }

 private:
  struct Place {
    bool is_column;
    std::size_t index;
  };

  void flush_bytes(std::size_t size) { (is_fast_ ? flush_avx2 : flush)(bytes_.data(), common_.data(), size); }

  const bool is_fast_ = detail::has_avx2();
  std::span<const ElementSet> sets_;
  std::vector<std::uint16_t> sizes_;
  std::unordered_map<std::uint32_t, Place> places_;
  std::vector<std::vector<std::uint8_t>> columns_;
  std::vector<std::vector<std::uint32_t>> lists_;
  std::vector<std::uint8_t> bytes_;    // counts of what was added since they were flushed
  std::vector<std::uint16_t> common_;  // with each set before the one at hand
};

}  // namespace

Fraction jaccard_distance(const ElementSet& a, const ElementSet& b) {
  std::size_t common = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    common += a[i] == b[j];
    const bool next_a = a[i] <= b[j];
    j += b[j] <= a[i];
    i += next_a;
  }
  return distance_of(a.size(), b.size(), common);
}

DistanceMatrix jaccard_distances(std::span<const ElementSet> sets) {
  DistanceMatrix matrix(sets.size());
  constexpr std::size_t kNarrowSize = 32'767;  // two such sets have fewer than 2^16 elements
  if (std::ranges::all_of(sets, [](const ElementSet& set) { return set.size() <= kNarrowSize; })) {
    Counter counter(sets);
    for (std::size_t item = 0; item < sets.size(); ++item) counter.row(item, matrix.narrow_row(item));
    return matrix;
  }
  for (std::size_t a = 1; a < sets.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) matrix.set(a, b, jaccard_distance(sets[a], sets[b]));
  }
  return matrix;
}

}  // namespace fugu::mining
