#include "fugu/report/scale.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fugu/report/number.hpp"
#include "si_prefix.hpp"

namespace fugu::report {

namespace {

/// factor · 10^exponent.
struct Step {
  double factor = 1.0;
  int exponent = 0;
  double value() const { return times(1.0); }

  /// The double closest to `count` steps: dividing by an exact power of ten beats multiplying by an inexact one.
  double times(double count) const {
    const double power = std::pow(10.0, std::abs(exponent));
    return exponent < 0 ? count * factor / power : count * factor * power;
  }
};

Step larger(const Step& step) {
  if (step.factor == 1.0) return {2.0, step.exponent};
  if (step.factor == 2.0) return {5.0, step.exponent};
  return {1.0, step.exponent + 1};
}

/// The smallest round step of which `domain` holds at most `count_max` multiples wherever it starts.
Step nice_step(const Interval& domain, int count_max) {
  const double smallest = domain.width() / std::max(1, count_max - 1);
  // The width is a difference: of a narrow domain far from zero little of it is exact.
  const double off = std::max(std::abs(domain.lo), std::abs(domain.hi)) / domain.width() * 0x1p-50;
  Step step{1.0, static_cast<int>(std::floor(std::log10(smallest)))};
  while (step.value() < smallest * (1.0 - std::max(1e-9, off))) step = larger(step);
  return step;
}

constexpr double kPrefixFrom = 1e5;

/// Of a step: the ends of a nice domain are ticks despite the rounding of that many steps.
double tolerance(double steps) { return std::max(1e-9, std::abs(steps) * 0x1p-50); }
std::pair<double, double> steps_within(Interval domain, double step) {
  const double lo = domain.lo / step;
  const double hi = domain.hi / step;
  return {std::ceil(lo - tolerance(lo)), std::floor(hi + tolerance(hi))};
}
std::pair<double, double> steps_around(Interval domain, double step) {
  const double lo = domain.lo / step;
  const double hi = domain.hi / step;
  return {std::floor(lo + tolerance(lo)), std::ceil(hi - tolerance(hi))};
}

/// One way of writing for all ticks of an axis, so that they can be compared at a glance.
std::string label(double value, const Step& step, double largest) {
  if (value == 0.0) return "0";
  if (largest < 1e-3 || largest >= 1e15) {
    const int exponent = static_cast<int>(std::floor(std::log10(largest) + 1e-9));
    return format_power(value, exponent, std::max(0, exponent - step.exponent));
  }
  if (largest >= kPrefixFrom) {
    const auto prefix = std::ranges::find_if(kSiPrefixes, [&](const SiPrefix& p) { return largest >= p.magnitude; });
    const int decimals = std::max(0, prefix->exponent - step.exponent);
    return format_fixed(value / prefix->magnitude, decimals).append(prefix->symbol);
  }
  return format_fixed(value, std::max(0, -step.exponent));
}

}  // namespace

double LinearScale::operator()(double value) const {
  return range_.lo + (value - domain_.lo) / domain_.width() * range_.width();
}

Interval drawable(Interval data) {
  constexpr double kLargest = 1e100;
  if (!std::isfinite(data.lo) || !std::isfinite(data.hi) || data.lo > data.hi) return {0.0, 1.0};
  data.lo = std::clamp(data.lo, -kLargest, kLargest);
  data.hi = std::clamp(data.hi, -kLargest, kLargest);
  const double largest = std::max(std::abs(data.lo), std::abs(data.hi));
  if (data.width() > 1e-9 * largest && data.width() > 1e-100) return data;
  const double margin = largest > 1e-90 ? 0.1 * largest : 1.0;
  return {data.lo - margin, data.hi + margin};
}

std::vector<Tick> nice_ticks(Interval domain, int count_max) {
  domain = drawable(domain);
  const Step step = nice_step(domain, count_max);
  const double largest = std::max(std::abs(domain.lo), std::abs(domain.hi));
  const auto [first, last] = steps_within(domain, step.value());
  std::vector<Tick> ticks;
  for (double count = first; count <= last; ++count) {
    const double value = step.times(count);
    ticks.push_back({value, label(value, step, largest)});
  }
  return ticks;
}

std::vector<Tick> decade_ticks(Interval logarithms) {
  std::vector<Tick> ticks;
  for (double exponent = std::floor(logarithms.lo); exponent <= std::ceil(logarithms.hi); ++exponent)
    ticks.push_back({exponent, format_significant(std::pow(10.0, exponent), 1)});
  return ticks;
}

Interval nice_domain(Interval domain, int count_max) {
  domain = drawable(domain);
  for (Step step = nice_step(domain, count_max);; step = larger(step)) {
    const auto [first, last] = steps_around(domain, step.value());
    if (last - first + 1.0 <= std::max(3, count_max)) return {step.times(first), step.times(last)};
  }
}

}  // namespace fugu::report
