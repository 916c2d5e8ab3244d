#include "fugu/monitoring/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fugu::grid {
namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

double mean(double sum, std::uint64_t terms) { return terms == 0 ? kNotANumber : sum / static_cast<double>(terms); }

std::size_t index(LineKind kind) { return static_cast<std::size_t>(kind); }

/// Without branches: noise makes them hard to predict.
void add_indicators(ViolationErrors& errors, bool in_truth, bool in_other) {
  errors.in_truth += in_truth;
  errors.in_other += in_other;
  errors.missed += in_truth & !in_other;
  errors.invented += in_other & !in_truth;
}

}  // namespace

ViolationErrors& ViolationErrors::operator+=(const ViolationErrors& more) {
  in_truth += more.in_truth;
  in_other += more.in_other;
  missed += more.missed;
  invented += more.invented;
  return *this;
}

StateComparison::StateComparison(const Monitor& monitor) : monitor_(monitor) {
  for (const Monitor::LineLimit& line : monitor_.line_limits()) {
    ++lines_[index(line.kind)];
    lines_no_ampacity_[index(line.kind)] += line.percent_per_ampere == 0;
  }
}

void StateComparison::add(const GridStates& truth, const GridStates& other) {
  FUGU_CHECK(truth.nodes == monitor_.nodes() && other.nodes == truth.nodes && other.stamps() == truth.stamps());
  FUGU_CHECK(truth.lines == monitor_.line_limits().size() && other.lines == truth.lines);
  for (std::size_t stamp = 0; stamp < truth.stamps(); ++stamp) {
    if (!truth.is_solved(stamp)) {
      ++truth_unsolved_;
    } else if (!other.is_solved(stamp)) {
      ++other_unsolved_;
    } else {
      ++stamps_;
      add_voltages(truth.voltages_v(stamp), other.voltages_v(stamp));
      add_currents(truth.currents_a(stamp), other.currents_a(stamp));
    }
  }
}

void StateComparison::add_voltages(std::span<const double> truth_v, std::span<const double> other_v) {
  double largest_v = 0;
  for (std::size_t node = 0; node < truth_v.size(); ++node) {
    if (node == monitor_.root()) continue;
    const double t = truth_v[node];
    const double o = other_v[node];
    largest_v = std::max(largest_v, std::abs(t - o));
    const bool t_under = monitor_.is_under(t);
    const bool t_over = monitor_.is_over(t);
    const bool o_under = monitor_.is_under(o);
    const bool o_over = monitor_.is_over(o);
    add_indicators(undervoltages_, t_under, o_under);
    add_indicators(overvoltages_, t_over, o_over);
    add_indicators(voltages_, t_under || t_over, o_under || o_over);
  }
  voltage_sum_v_ += largest_v;
}

void StateComparison::add_currents(std::span<const double> truth_a, std::span<const double> other_a) {
  std::array<double, 2> largest_a = {};
  std::array<double, 2> largest_points = {};
  const auto limits = monitor_.line_limits();
  for (std::size_t i = 0; i < limits.size(); ++i) {
    const std::size_t kind = index(limits[i].kind);
    const double error_a = std::abs(truth_a[i] - other_a[i]);
    largest_a[kind] = std::max(largest_a[kind], error_a);
    largest_points[kind] = std::max(largest_points[kind], limits[i].percent_per_ampere * error_a);
    add_indicators(by_kind_[kind].overloads, truth_a[i] > limits[i].most_a, other_a[i] > limits[i].most_a);
  }
  for (std::size_t kind = 0; kind < by_kind_.size(); ++kind) {
    by_kind_[kind].current_a += largest_a[kind];
    by_kind_[kind].loading_points += largest_points[kind];
  }
  all_.current_a += std::max(largest_a[0], largest_a[1]);
  all_.loading_points += std::max(largest_points[0], largest_points[1]);
}

LineErrors StateComparison::line_errors(const LineSums& sums, std::size_t lines, std::size_t lines_no_ampacity) const {
  return {.current_a = mean(sums.current_a, lines == 0 ? 0 : stamps_),
          .loading_points = mean(sums.loading_points, lines == lines_no_ampacity ? 0 : stamps_),
          .overloads = sums.overloads,
          .lines = lines,
          .lines_no_ampacity = lines_no_ampacity};
}

StateErrors StateComparison::errors() const {
  LineSums all = all_;
  for (const LineSums& sums : by_kind_) all.overloads += sums.overloads;
  const std::size_t main = index(LineKind::main);
  const std::size_t service = index(LineKind::service);
  return {
      .stamps = stamps_,
      .truth_unsolved = truth_unsolved_,
      .other_unsolved = other_unsolved_,
      .voltage_v = mean(voltage_sum_v_, stamps_),
      .voltages = voltages_,
      .undervoltages = undervoltages_,
      .overvoltages = overvoltages_,
      .lines = line_errors(all, lines_[main] + lines_[service], lines_no_ampacity_[main] + lines_no_ampacity_[service]),
      .mains = line_errors(by_kind_[main], lines_[main], lines_no_ampacity_[main]),
      .services = line_errors(by_kind_[service], lines_[service], lines_no_ampacity_[service])};
}

PowerComparison::PowerComparison(const Network& network) : customers_(network.customers().size()) {
  for (std::uint32_t i = 0; i < customers_; ++i) {
    if (network.customers()[i].kind == CustomerKind::residential) residential_.push_back(i);
  }
}

void PowerComparison::add(const LoadBatch& truth, const LoadBatch& other) {
  const std::size_t values = truth.stamps * customers_;
  FUGU_CHECK(truth.p_kw.size() == values && truth.q_kvar.size() == values);
  FUGU_CHECK(other.p_kw.size() == values && other.q_kvar.size() == values);
  for (std::size_t row = 0; row < values; row += customers_) {
    for (const std::uint32_t customer : residential_) {
      p_sum_kw_ += std::abs(truth.p_kw[row + customer] - other.p_kw[row + customer]);
      q_sum_kvar_ += std::abs(truth.q_kvar[row + customer] - other.q_kvar[row + customer]);
    }
  }
  values_ += truth.stamps * residential_.size();
}

PowerErrors PowerComparison::errors() const { return {mean(p_sum_kw_, values_), mean(q_sum_kvar_, values_)}; }

}  // namespace fugu::grid
