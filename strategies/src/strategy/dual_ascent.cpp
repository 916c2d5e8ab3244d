#include "dual_ascent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fugu::detail {

namespace {

// A bound that is over budget by less than this is left alone: plans are made to about one percent.
constexpr double kOverBudget = 1e-3;
constexpr int kPlacementsPerVisit = 2;
constexpr int kNewtonSteps = 2;
constexpr double kSettled = 1e-4;
// Prices of bounds that leave (almost) nothing to spend would grow without limit.
constexpr double kBudgetFloor = 1e-5;
constexpr double kRatioMax = 100;

constexpr double exponent(PlanObjective objective) {
  switch (objective) {
    case PlanObjective::absolute_error: return 1;
    case PlanObjective::variance: return 2;
    case PlanObjective::deviation: return 0.5;
  }
  return 1;
}

/// The x that makes w·x^(−p) + c·x least, from p·w/c.
template <PlanObjective kObjective>
double least_at(double ratio) {
  if constexpr (kObjective == PlanObjective::absolute_error) return std::sqrt(ratio);
  if constexpr (kObjective == PlanObjective::variance) return std::cbrt(ratio);
  if constexpr (kObjective == PlanObjective::deviation) return std::cbrt(ratio * ratio);
}

/// r^(p+1)
template <PlanObjective kObjective>
double power_above(double r) {
  if constexpr (kObjective == PlanObjective::absolute_error) return r * r;
  if constexpr (kObjective == PlanObjective::variance) return r * r * r;
  if constexpr (kObjective == PlanObjective::deviation) return r * std::sqrt(r);
}

double least_at(PlanObjective objective, double ratio) {
  switch (objective) {
    case PlanObjective::absolute_error: return least_at<PlanObjective::absolute_error>(ratio);
    case PlanObjective::variance: return least_at<PlanObjective::variance>(ratio);
    case PlanObjective::deviation: return least_at<PlanObjective::deviation>(ratio);
  }
  return ratio;
}

}  // namespace

void WindowSums::assign(const double* rates, std::uint32_t first, std::uint32_t last) {
  first_ = first;
  prefix_.resize(last - first + 2);
  double sum = 0;
  prefix_[0] = 0;
  for (std::uint32_t t = first; t <= last; ++t) prefix_[t - first + 1] = sum += rates[t];
}

double WindowSums::largest(const PlanTerm& term, std::uint32_t& start) const {
  const double* begin = prefix_.data() + (term.first - first_);
  const double* end = begin + term.length;
  const std::uint32_t windows = term.last - term.first + 2 - term.length;
  start = 0;
  double most = end[0] - begin[0];
  for (std::uint32_t s = 1; s < windows; ++s) {
    const double sum = end[s] - begin[s];
    if (sum > most) {
      most = sum;
      start = s;
    }
  }
  start += term.first - first_;
  return most;
}

double WindowSums::loss(std::span<const PlanTerm> terms) const {
  double loss = 0;
  std::uint32_t start = 0;
  for (const PlanTerm& term : terms) loss += term.weight * largest(term, start);
  return loss;
}

double WindowSums::loss(std::span<const PlanTerm> terms, std::vector<double>& coefficients) const {
  coefficients.assign(prefix_.size(), 0.0);
  double loss = 0;
  for (const PlanTerm& term : terms) {
    std::uint32_t start = 0;
    loss += term.weight * largest(term, start);
    coefficients[start] += term.weight;
    coefficients[start + term.length] -= term.weight;
  }
  double sum = 0;
  for (double& value : coefficients) value = sum += value;
  coefficients.pop_back();
  return loss;
}

void DualAscent::start(const SlotBoxes& boxes, PlanObjective objective) {
  boxes_ = &boxes;
  objective_ = objective;
  const std::size_t slots = boxes.weight.size();
  load_.assign(slots, 0.0);
  rate_ = boxes.at_most;
  unit_.resize(slots);
  per_unit_.resize(slots);
  for (std::size_t t = 0; t < slots; ++t) {
    unit_[t] = exponent(objective) * boxes.weight[t];
    per_unit_[t] = unit_[t] > 0 ? 1 / unit_[t] : 0;
  }
  rows_.clear();
  pool_.clear();
}

void DualAscent::append_rows(const PlanConstraints& constraints) {
  std::size_t pool = pool_.size();
  for (std::size_t i = rows_.size(); i < constraints.size(); ++i) {
    rows_.emplace_back().pool = pool;
    pool += std::size_t{constraints.width(i)} * kCutsMax;
  }
  pool_.resize(pool);
}

double DualAscent::sweep(const PlanConstraints& constraints, bool forward) {
  append_rows(constraints);
  double worst = 0;
  const std::size_t size = constraints.size();
  for (std::size_t i = 0; i < size; ++i) worst = std::max(worst, visit(constraints, forward ? i : size - 1 - i));
  return worst;
}

double DualAscent::visit(const PlanConstraints& constraints, std::size_t index) {
  Row& row = rows_[index];
  const std::uint32_t first = constraints.first(index);
  const std::uint32_t width = constraints.width(index);
  const double budget = constraints.budget(index);
  double over_at_first = 0;
  for (int placement = 0; placement < kPlacementsPerVisit; ++placement) {
    windows_.assign(rate_.data(), first, constraints.last(index));
    const double over = windows_.loss(constraints.terms(index), coefficients_) / budget - 1;
    if (placement == 0) over_at_first = over;
    if (over > kOverBudget)
      add_cut(row, width);
    else if (placement > 0)
      break;
    if (row.cuts == 0) return over_at_first;
    settle_all(row, first, width, budget);
  }
  return over_at_first;
}

void DualAscent::settle_all(Row& row, std::uint32_t first, std::uint32_t width, double budget) {
  // Newest first: it is the one that is wrong.
  for (std::uint32_t cut = row.cuts; cut-- > 0;) {
    const double* coefficients = pool_.data() + row.pool + std::size_t{cut} * width + row.begin[cut];
    const std::size_t begin = std::size_t{first} + row.begin[cut];
    const std::size_t slots = row.end[cut] - row.begin[cut];
    const int steps = cut + 1 == row.cuts ? kNewtonSteps : 1;
    switch (objective_) {
      case PlanObjective::absolute_error:
        settle<PlanObjective::absolute_error>(row.price[cut], coefficients, begin, slots, budget, steps);
        break;
      case PlanObjective::variance:
        settle<PlanObjective::variance>(row.price[cut], coefficients, begin, slots, budget, steps);
        break;
      case PlanObjective::deviation:
        settle<PlanObjective::deviation>(row.price[cut], coefficients, begin, slots, budget, steps);
        break;
    }
  }
  drop_free_cuts(row, width);
}

/// Finds the price at which the cut is met with equality, by Newton's method on (a·x)^(−(p+1)): as a function of the
/// price that is exactly linear where this cut alone decides, and concave where others help.
template <PlanObjective kObjective>
void DualAscent::settle(double& price, const double* coefficients, std::size_t first, std::size_t width, double budget,
                        int steps) {
  const double* const unit = unit_.data() + first;
  const double* const per_unit = per_unit_.data() + first;
  const double* const at_least = boxes_->at_least.data() + first;
  const double* const at_most = boxes_->at_most.data() + first;
  double* const load = load_.data() + first;
  double* const rate = rate_.data() + first;
  for (int step = 0; step < steps; ++step) {
    double total = 0;      // a·x
    double low = 0;        // of it at lower ends: does not move when the price rises
    double top = 0;        // at upper ends: does not move when it falls
    double slope = 0;      // (p+1) · −d (a·x) / d price, as if nothing were at an upper end
    double top_slope = 0;  // of it at upper ends
    double delay = 0;      // slope · price that upper ends take to begin to move
    for (std::size_t t = 0; t < width; ++t) {
      const double loss = coefficients[t] * rate[t];
      const double moving = rate[t] > at_least[t] ? loss : 0.0;
      const double per_load = power_above<kObjective>(rate[t]) * per_unit[t];  // 1 / load, inside of the box
      const double steep = moving * coefficients[t] * per_load;
      const bool at_top = rate[t] >= at_most[t];
      total += loss;
      low += loss - moving;
      slope += steep;
      delay += moving - moving * load[t] * per_load;
      top += at_top ? moving : 0.0;
      top_slope += at_top ? steep : 0.0;
    }
    const double over = total - budget;
    if (std::abs(over) <= kSettled * budget || (over < 0 && price == 0)) return;
    double change = -0.5 * price;  // for want of a slope: everything is at an end
    if (over > 0) {
      if (slope == 0) return;
      const double ratio = std::min((total - low) / std::max(budget - low, kBudgetFloor * budget), kRatioMax);
      change = ((total - low) * (power_above<kObjective>(ratio) - 1) + delay) / slope;
    } else if (slope > top_slope) {
      const double inside = total - low - top;
      change = inside * (power_above<kObjective>(inside / (budget - low - top)) - 1) / (slope - top_slope);
    }
    change = std::max(change, -price);
    price += change;
    for (std::size_t t = 0; t < width; ++t) {
      load[t] = std::max(load[t] + change * coefficients[t], 0.0);
      // In this order a slot that is not planned, 0/0, gets its fixed rate.
      rate[t] = std::max(at_least[t], std::min(at_most[t], least_at<kObjective>(unit[t] / load[t])));
    }
  }
}

void DualAscent::add_cut(Row& row, std::uint32_t width) {
  if (row.cuts == kCutsMax) merge_cheapest(row, width);
  std::copy(coefficients_.begin(), coefficients_.end(),
            pool_.begin() + static_cast<std::ptrdiff_t>(row.pool + std::size_t{row.cuts} * width));
  std::uint32_t begin = 0;
  std::uint32_t end = width;
  while (coefficients_[begin] == 0 && begin + 1 < end) ++begin;
  while (coefficients_[end - 1] == 0 && end - 1 > begin) --end;
  row.begin[row.cuts] = begin;
  row.end[row.cuts] = end;
  row.price[row.cuts++] = 0;
}

/// Two cuts of one bound become their mixture, which is a cut too; the load stays the same.
void DualAscent::merge_cheapest(Row& row, std::uint32_t width) {
  std::uint32_t a = 0;
  std::uint32_t b = 1;
  if (row.price[b] < row.price[a]) std::swap(a, b);
  for (std::uint32_t cut = 2; cut < row.cuts; ++cut) {
    if (row.price[cut] < row.price[a]) {
      b = a;
      a = cut;
    } else if (row.price[cut] < row.price[b]) {
      b = cut;
    }
  }
  double* const into = pool_.data() + row.pool + std::size_t{std::min(a, b)} * width;
  double* const from = pool_.data() + row.pool + std::size_t{std::max(a, b)} * width;
  const std::uint32_t kept = std::min(a, b);
  const std::uint32_t gone = std::max(a, b);
  const double total = row.price[kept] + row.price[gone];
  const double share = row.price[kept] / total;
  for (std::uint32_t t = 0; t < width; ++t) into[t] = share * into[t] + (1 - share) * from[t];
  row.price[kept] = total;
  row.price[gone] = 0;
  row.begin[kept] = std::min(row.begin[kept], row.begin[gone]);
  row.end[kept] = std::max(row.end[kept], row.end[gone]);
  drop_free_cuts(row, width);
}

void DualAscent::drop_free_cuts(Row& row, std::uint32_t width) {
  std::uint32_t kept = 0;
  double* const pool = pool_.data() + row.pool;
  for (std::uint32_t cut = 0; cut < row.cuts; ++cut) {
    if (row.price[cut] == 0) continue;
    if (kept != cut) {
      std::copy_n(pool + std::size_t{cut} * width, width, pool + std::size_t{kept} * width);
      row.price[kept] = row.price[cut];
      row.begin[kept] = row.begin[cut];
      row.end[kept] = row.end[cut];
    }
    ++kept;
  }
  row.cuts = kept;
}

double DualAscent::bound(const PlanConstraints& constraints, bool free_below) {
  // Afresh: what the steps have added up has rounded.
  std::fill(load_.begin(), load_.end(), 0.0);
  double paid = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    const std::uint32_t width = constraints.width(i);
    for (std::uint32_t cut = 0; cut < row.cuts; ++cut) {
      paid += row.price[cut] * constraints.budget(i);
      const double* const coefficients = pool_.data() + row.pool + std::size_t{cut} * width;
      double* const load = load_.data() + constraints.first(i);
      for (std::uint32_t t = 0; t < width; ++t) load[t] += row.price[cut] * coefficients[t];
    }
  }
  double value = -paid;
  for (std::size_t t = 0; t < load_.size(); ++t) {
    const double weight = boxes_->weight[t];
    double rate = boxes_->at_most[t];
    if (weight > 0) {
      rate = std::min(rate, least_at(objective_, unit_[t] / load_[t]));
      if (!free_below) rate = std::max(rate, boxes_->at_least[t]);
      value += weight * plan_cost(objective_, rate);
    }
    value += load_[t] * rate;
  }
  return value;
}

double DualAscent::price(std::size_t constraint) const {
  const Row& row = rows_[constraint];
  double sum = 0;
  for (std::uint32_t cut = 0; cut < row.cuts; ++cut) sum += row.price[cut];
  return sum;
}

double DualAscent::price_of_top(std::size_t slot) const {
  const double rate = rate_[slot];
  if (unit_[slot] == 0 || rate < boxes_->at_most[slot]) return 0;
  return std::max(0.0, unit_[slot] * plan_cost(objective_, rate) / rate - load_[slot]);
}

}  // namespace fugu::detail
