// Fewer points, same picture: what a long stream looks like at screen resolution.
#pragma once

#include <cstddef>
#include <vector>

#include "fugu/report/scale.hpp"

namespace fugu::report {

/// A point of a line; a y that is not finite is a gap.
struct Point {
  double x = 0.0;
  double y = 0.0;
};

/// A slice of a band; a bound that is not finite is a gap.
struct Span {
  double x = 0.0;
  double lower = 0.0;
  double upper = 0.0;
};

/// Keeps, for each of `columns` equal parts of `domain`, the first, lowest, highest and last point, so no peak is lost.
/// A part with gaps only stays one gap. Streams of up to 4 points per column are returned as they are.
/// Points must be ordered by x.
std::vector<Point> downsample(std::vector<Point> points, const Interval& domain, std::size_t columns);

/// The same for bands: each part becomes its widest extent.
std::vector<Span> downsample(std::vector<Span> spans, const Interval& domain, std::size_t columns);

}  // namespace fugu::report
