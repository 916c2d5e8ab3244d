#include "value_order.hpp"

#include <algorithm>
#include <array>

#include "fugu/base/avx2.hpp"

namespace fugu::detail {

namespace {

/// Loops over all of it that need no branches: where noise falls cannot be predicted, and a search would wait for one
/// value after the other.
[[gnu::always_inline]] inline void replace(OrderedValues& values, std::uint8_t place, double value, ValueOrder& order) {
  using Rank = std::uint8_t;
  std::uint8_t* const ordered = order.data() + 1;
  std::int64_t below = values[place] < value ? -1 : 0;  // the old one does not count
  for (std::size_t i = 0; i < kOrdered; ++i) below += values[i] < value ? 1 : 0;
  const auto to = static_cast<int>(below);
  Rank at = 0;
  for (Rank rank = 0; rank < kOrdered; ++rank) at = static_cast<Rank>(at | (ordered[rank] == place ? rank : 0));
  const int from = at;
  // Those from one rank to the other move by one. In masks, as compilers make branches of conditions.
  const int down = (to - from) >> 31;
  const auto first = static_cast<Rank>(from + ((to - from) & down));
  const auto moving = static_cast<Rank>(((to - from) ^ down) - down);
  const std::uint8_t* const neighbours = ordered + (down | 1);
  std::array<std::uint8_t, kOrdered> moved;
  for (std::size_t rank = 0; rank < kOrdered; ++rank) {
    const bool moves = static_cast<Rank>(static_cast<Rank>(rank) - first) <= moving;
    const std::uint8_t stays = ordered[rank];
    const std::uint8_t comes = neighbours[rank];
    moved[rank] = moves ? comes : stays;
  }
  std::copy(moved.begin(), moved.end(), ordered);
  ordered[to] = place;
  values[place] = value;  // last: reading next to what was just written has to wait
}

}  // namespace

void replace_portable(OrderedValues& values, std::uint8_t place, double value, ValueOrder& order) {
  replace(values, place, value, order);
}
FUGU_AVX2 void replace_avx2(OrderedValues& values, std::uint8_t place, double value, ValueOrder& order) {
  replace(values, place, value, order);
}

}  // namespace fugu::detail
