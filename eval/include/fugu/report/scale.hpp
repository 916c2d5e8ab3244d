// From data to pixels, and where to put the ticks. Knows nothing of what is drawn.
#pragma once

#include <string>
#include <vector>

namespace fugu::report {

/// A closed range of data values.
struct Interval {
  double lo = 0.0;
  double hi = 1.0;

  double width() const { return hi - lo; }
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// Maps `domain` (data) linearly to `range` (pixels); range.lo may exceed range.hi, as it does for a vertical axis.
class LinearScale {
 public:
  LinearScale(Interval domain, Interval range) : domain_(domain), range_(range) {}

  double operator()(double value) const;
  const Interval& domain() const { return domain_; }
  const Interval& range() const { return range_; }

 private:
  Interval domain_;
  Interval range_;
};

struct Tick {
  double value = 0.0;
  std::string label;
};

/// `data` made fit to be an axis: finite, and wide enough that its ends are different numbers.
Interval drawable(Interval data);

/// The multiples of a round step (1, 2 or 5 times a power of ten) inside `domain`, at most `count_max` (at least 2) of
/// them, labelled alike: thousands separated; from 100 000 on with k, M, G, T; tiny ones as powers of ten.
std::vector<Tick> nice_ticks(Interval domain, int count_max);

/// Ticks at the powers of ten around `logarithms`: for values that are drawn by their decimal logarithm.
std::vector<Tick> decade_ticks(Interval logarithms);

/// `domain` extended to multiples of a round step, `count_max` (at least 3: values of both signs need that many) of
/// them at most, both ends included.
Interval nice_domain(Interval domain, int count_max);

}  // namespace fugu::report
