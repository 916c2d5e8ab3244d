#include "fugu/attack/detection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fugu/base/check.hpp"

namespace fugu {

namespace {

constexpr double kClaim = 0.5;
constexpr double kNormal95 = 1.959963984540054;

/// The claims: peaks of at least kClaim that nothing within `apart` slots exceeds.
std::vector<std::size_t> claims_of(std::span<const double> scores, std::size_t apart) {
  std::vector<std::size_t> claims;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (!(scores[i] >= kClaim)) continue;
    const std::size_t first = i > apart ? i - apart : 0;
    const std::size_t last = std::min(scores.size() - 1, i + apart);
    bool peak = true;
    // Of equal scores (repeated releases) the first counts.
    for (std::size_t j = first; j <= last && peak; ++j)
      peak = j < i ? !(scores[j] >= scores[i]) : !(scores[j] > scores[i]);
    if (peak) claims.push_back(i);
  }
  return claims;
}

std::size_t distance(std::size_t a, std::size_t b) { return a > b ? a - b : b - a; }

/// Which slots are within `distance` of a start.
std::vector<char> near_starts(std::size_t slots, std::span<const std::size_t> starts, std::size_t distance) {
  std::vector<char> near(slots, 0);
  for (const std::size_t start : starts) {
    const std::size_t first = start > distance ? start - distance : 0;
    const std::size_t end = std::min(slots, start + distance + 1);
    for (std::size_t i = first; i < end; ++i) near[i] = 1;
  }
  return near;
}

/// For each use, the share of slots farther than a use away from any that score less.
void rank_uses(std::span<const double> scores, std::span<const std::size_t> starts, std::size_t length,
               DetectionCount& count) {
  const std::vector<char> near = near_starts(scores.size(), starts, length);
  std::vector<double> others;
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (near[i] == 0 && !std::isnan(scores[i])) others.push_back(scores[i]);
  if (others.empty()) return;
  std::sort(others.begin(), others.end());
  for (const std::size_t start : starts) {
    if (std::isnan(scores[start])) continue;
    const auto [first, last] = std::equal_range(others.begin(), others.end(), scores[start]);
    count.auc_sum += (static_cast<double>(first - others.begin()) + static_cast<double>(last - first) / 2) /
                     static_cast<double>(others.size());
    ++count.ranked;
  }
}

/// Over the slots that have a score.
double variance_of(std::span<const double> scores) {
  double sum = 0, squares = 0, count = 0;
  for (const double score : scores) {
    if (std::isnan(score)) continue;
    sum += score;
    squares += score * score;
    ++count;
  }
  return count == 0 ? 0 : std::max(0.0, squares / count - sum / count * (sum / count));
}

}  // namespace

std::vector<double> matched_filter(std::span<const double> values, double height, std::size_t length_slots) {
  FUGU_CHECK(length_slots > 0 && height > 0);
  const std::size_t size = values.size();
  const std::size_t around = (length_slots + 1) / 2;
  std::vector<double> scores(size, std::numeric_limits<double>::quiet_NaN());
  std::vector<double> sums(size + 1, 0.0);
  std::vector<std::size_t> gaps(size + 1, 0);
  for (std::size_t i = 0; i < size; ++i) {
    const bool gap = !std::isfinite(values[i]);
    sums[i + 1] = sums[i] + (gap ? 0 : values[i]);
    gaps[i + 1] = gaps[i] + (gap ? 1 : 0);
  }
  for (std::size_t start = 0; start + length_slots <= size; ++start) {
    const std::size_t end = start + length_slots;
    const std::size_t first = start > around ? start - around : 0;
    const std::size_t last = std::min(size, end + around);
    const std::size_t outside = last - first - length_slots;
    if (outside == 0 || gaps[last] != gaps[first]) continue;
    const double inside_sum = sums[end] - sums[start];
    const double level = (sums[last] - sums[first] - inside_sum) / static_cast<double>(outside);
    scores[start] = (inside_sum / static_cast<double>(length_slots) - level) / height;
  }
  return scores;
}

std::vector<double> combined_scores(std::span<const std::vector<double>> by_series) {
  const std::size_t slots = by_series.empty() ? 0 : by_series[0].size();
  std::vector<double> sums(slots, std::numeric_limits<double>::quiet_NaN());
  std::vector<double> weights(slots, 0.0);
  for (const std::vector<double>& scores : by_series) {
    FUGU_CHECK(scores.size() == slots);
    const double variance = variance_of(scores);
    const double weight = variance > 0 ? 1 / variance : 0;
    for (std::size_t i = 0; i < slots; ++i) {
      if (std::isnan(scores[i])) continue;
      sums[i] = (std::isnan(sums[i]) ? 0 : sums[i]) + weight * scores[i];
      weights[i] += weight;
    }
  }
  for (std::size_t i = 0; i < slots; ++i)
    if (weights[i] > 0) sums[i] /= weights[i];
  return sums;
}

double DetectionCount::auc_half_width() const {
  const double area = auc();
  return kNormal95 * std::sqrt(std::max(0.0, area * (1 - area)) / static_cast<double>(ranked));
}

DetectionCount& DetectionCount::operator+=(const DetectionCount& other) {
  uses += other.uses;
  claims += other.claims;
  hits += other.hits;
  chance_hits += other.chance_hits;
  auc_sum += other.auc_sum;
  ranked += other.ranked;
  return *this;
}

DetectionCount judge_claims(std::span<const double> scores, std::span<const std::size_t> starts,
                            std::size_t length_slots) {
  DetectionCount count;
  count.uses = starts.size();
  if (scores.empty()) return count;
  const std::size_t tolerance = std::max<std::size_t>(1, length_slots / 2);
  const std::vector<std::size_t> claims = claims_of(scores, length_slots);
  count.claims = claims.size();
  std::vector<char> found(starts.size(), 0);
  const std::vector<char> near = near_starts(scores.size(), starts, tolerance);
  count.chance_hits = static_cast<double>(claims.size()) *
                      static_cast<double>(std::count(near.begin(), near.end(), 1)) / static_cast<double>(scores.size());
  for (const std::size_t claim : claims) {
    if (near[claim] == 0) continue;
    for (std::size_t u = 0; u < starts.size(); ++u) {
      if (found[u] != 0 || distance(starts[u], claim) > tolerance) continue;
      found[u] = 1;
      ++count.hits;
      break;
    }
  }
  rank_uses(scores, starts, length_slots, count);
  return count;
}

}  // namespace fugu
