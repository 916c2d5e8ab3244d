#include "fugu/mining/distance_matrix.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "fugu/base/check.hpp"

namespace fugu::mining {

namespace {

/// Where the distances from `item` to the items before it start.
std::size_t row_start(std::size_t item) { return item % 2 == 0 ? item / 2 * (item - 1) : (item - 1) / 2 * item; }

bool is_narrow(Fraction fraction) {
  constexpr std::uint32_t kMax = std::numeric_limits<std::uint16_t>::max();
  return fraction.num <= kMax && fraction.den <= kMax;
}

Fraction reduced(Fraction fraction) {
  const std::uint32_t divisor = std::gcd(fraction.num, fraction.den);
  return {fraction.num / divisor, fraction.den / divisor};
}

template <class Stored>
double as_double(Stored fraction) {
  return static_cast<double>(fraction.num) / static_cast<double>(fraction.den);
}

template <class Stored>
void fill_row(const std::vector<Stored>& pairs, std::size_t item, std::span<double> out) {
  const Stored* const before = pairs.data() + row_start(item);
  for (std::size_t other = 0; other < item; ++other) out[other] = as_double(before[other]);
  out[item] = 0;
  std::size_t place = row_start(item + 1) + item;
  for (std::size_t other = item + 1; other < out.size(); place += other++) out[other] = as_double(pairs[place]);
}

}  // namespace

DistanceMatrix::DistanceMatrix(std::size_t items) : items_(items), narrow_(items == 0 ? 0 : row_start(items)) {}

Fraction DistanceMatrix::fraction(std::size_t a, std::size_t b) const {
  FUGU_CHECK(a < items_ && b < items_);
  if (a == b) return {};
  const std::size_t place = row_start(std::max(a, b)) + std::min(a, b);
  if (!wide_.empty()) return wide_[place];
  return {narrow_[place].num, narrow_[place].den};
}

void DistanceMatrix::row(std::size_t item, std::span<double> out) const {
  FUGU_CHECK(item < items_ && out.size() == items_);
  wide_.empty() ? fill_row(narrow_, item, out) : fill_row(wide_, item, out);
}

void DistanceMatrix::set(std::size_t a, std::size_t b, Fraction distance) {
  FUGU_CHECK(a != b && a < items_ && b < items_ && distance.den > 0);
  if (!is_narrow(distance)) distance = reduced(distance);
  if (wide_.empty() && !is_narrow(distance)) widen();
  const std::size_t place = row_start(std::max(a, b)) + std::min(a, b);
  if (wide_.empty()) {
    narrow_[place] = {static_cast<std::uint16_t>(distance.num), static_cast<std::uint16_t>(distance.den)};
  } else {
    wide_[place] = distance;
  }
}

std::span<DistanceMatrix::Narrow> DistanceMatrix::narrow_row(std::size_t item) {
  FUGU_CHECK(item < items_ && wide_.empty());
  return {narrow_.data() + (item == 0 ? 0 : row_start(item)), item};
}

void DistanceMatrix::widen() {
  wide_.reserve(narrow_.size());
  for (const Narrow fraction : std::exchange(narrow_, {})) wide_.push_back({fraction.num, fraction.den});
}

}  // namespace fugu::mining
