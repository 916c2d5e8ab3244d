// Series that are connected by meters belong together.
#pragma once

#include <cstdint>
#include <vector>

#include "fugu/accounting/definition.hpp"

namespace fugu {

/// Sets to be united, smallest bookkeeping: the root of each member stands for its set.
class UnionFind {
 public:
  explicit UnionFind(std::size_t members);
  std::uint32_t find(std::uint32_t member);
  void unite(std::uint32_t a, std::uint32_t b) { root_[find(a)] = find(b); }

 private:
  std::vector<std::uint32_t> root_;
};

/// No meter counts into two blocks: what is spent in one costs nobody in another.
struct SeriesBlocks {
  explicit SeriesBlocks(const Exposure& exposure);

  std::vector<std::vector<SeriesId>> series;  ///< of each block, in order
  std::vector<std::uint32_t> of_series;
  std::vector<std::uint32_t> of_signature;
};

}  // namespace fugu
