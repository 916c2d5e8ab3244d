#include "fugu/report/downsample.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace fugu::report {

namespace {

constexpr std::size_t kPointsPerColumn = 4;
constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

bool drawn(const Point& point) { return std::isfinite(point.y); }
bool drawn(const Span& span) { return std::isfinite(span.lower) && std::isfinite(span.upper); }

void summarise(const Point* begin, const Point* end, std::vector<Point>& out) {
  const Point* first = std::find_if(begin, end, [](const Point& point) { return drawn(point); });
  if (first == end) {
    out.push_back({begin->x, kGap});
    return;
  }
  std::array<const Point*, kPointsPerColumn> kept = {first, first, first, first};
  for (const Point* point = first; point != end; ++point) {
    if (!drawn(*point)) continue;
    if (point->y < kept[1]->y) kept[1] = point;
    if (point->y > kept[2]->y) kept[2] = point;
    kept[3] = point;
  }
  std::sort(kept.begin(), kept.end());
  for (std::size_t i = 0; i < kept.size(); ++i)
    if (i == 0 || kept[i] != kept[i - 1]) out.push_back(*kept[i]);
}

void summarise(const Span* begin, const Span* end, std::vector<Span>& out) {
  const Span* first = std::find_if(begin, end, [](const Span& span) { return drawn(span); });
  if (first == end) {
    out.push_back({begin->x, kGap, kGap});
    return;
  }
  Span widest = *first;
  double last_x = first->x;
  for (const Span* span = first; span != end; ++span) {
    if (!drawn(*span)) continue;
    widest.lower = std::min(widest.lower, span->lower);
    widest.upper = std::max(widest.upper, span->upper);
    last_x = span->x;
  }
  out.push_back(widest);
  if (last_x != widest.x) out.push_back({last_x, widest.lower, widest.upper});
}

template <class Item>
std::vector<Item> by_column(std::vector<Item> items, const Interval& domain, std::size_t columns) {
  if (items.size() <= kPointsPerColumn * columns) return items;
  const auto column_of = [&](const Item& item) {
    const double share = (item.x - domain.lo) / domain.width();
    return std::floor(std::clamp(share, 0.0, 1.0) * static_cast<double>(columns));
  };
  std::vector<Item> out;
  const Item* begin = items.data();
  const Item* const end = items.data() + items.size();
  while (begin != end) {
    const double column = column_of(*begin);
    const Item* next = std::find_if(begin, end, [&](const Item& item) { return column_of(item) != column; });
    summarise(begin, next, out);
    begin = next;
  }
  return out;
}

}  // namespace

std::vector<Point> downsample(std::vector<Point> points, const Interval& domain, std::size_t columns) {
  return by_column(std::move(points), domain, columns);
}

std::vector<Span> downsample(std::vector<Span> spans, const Interval& domain, std::size_t columns) {
  return by_column(std::move(spans), domain, columns);
}

}  // namespace fugu::report
