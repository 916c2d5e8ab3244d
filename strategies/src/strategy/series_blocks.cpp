#include "fugu/strategy/series_blocks.hpp"

#include <numeric>

namespace fugu {

UnionFind::UnionFind(std::size_t members) : root_(members) { std::iota(root_.begin(), root_.end(), 0u); }

std::uint32_t UnionFind::find(std::uint32_t member) {
  while (root_[member] != member) member = root_[member] = root_[root_[member]];
  return member;
}

SeriesBlocks::SeriesBlocks(const Exposure& exposure) {
  UnionFind sets(exposure.series_count());
  for (std::size_t g = 0; g < exposure.signature_count(); ++g) {
    for (const SeriesId member : exposure.signature(g)) sets.unite(member, exposure.signature(g)[0]);
  }
  constexpr std::uint32_t kNone = ~0u;
  std::vector<std::uint32_t> block_of_root(exposure.series_count(), kNone);
  for (SeriesId id = 0; id < exposure.series_count(); ++id) {
    std::uint32_t& block = block_of_root[sets.find(id)];
    if (block == kNone) {
      block = static_cast<std::uint32_t>(series.size());
      series.emplace_back();
    }
    series[block].push_back(id);
    of_series.push_back(block);
  }
  for (std::size_t g = 0; g < exposure.signature_count(); ++g) {
    const auto& members = exposure.signature(g);
    of_signature.push_back(members.empty() ? 0 : of_series[members[0]]);
  }
}

}  // namespace fugu
