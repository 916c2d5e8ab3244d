// The best schedule for a known horizon, by Newton's method on what counts in each slot.
//
// Let S = A·x be what counts, slot by slot: A has ones on its diagonal and a(j) below. In terms of S the bounds are
// S ≤ 1, a box, and the objective Σ w/x with x = A⁻¹·S is smooth. y = A⁻ᵀ(w/x²), the negative gradient, is also what
// prices the bounds: for y ≥ 0 every x within the bounds has Σ w/x ≥ 2·Σ√(w·c) − Σ y with c = Aᵀ·y.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "fugu/accounting/discount_modes.hpp"
#include "fugu/strategy/discounted.hpp"

namespace fugu {

namespace {

using Vector = std::vector<double>;

constexpr double kGapWanted = 1e-6;
constexpr int kNewtonSteps = 200;
constexpr int kConjugateSteps = 50;
constexpr double kConjugatePrecision = 1e-6;
constexpr double kSmallestStep = 1e-10;
constexpr double kAtTheBound = 1e-9;

double dot(const Vector& a, const Vector& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

/// A, its inverse and their transposes, applied in O(slots · modes): the discount as the accountant keeps it.
class DiscountMatrix {
 public:
  explicit DiscountMatrix(const Discount& discount) {
    for (const DiscountMode& mode : discount_modes(discount)) {
      weight_.push_back(std::ldexp(static_cast<double>(mode.weight), -112));
      ratio_.push_back(1 - std::ldexp(static_cast<double>(mode.forgets), -64));
    }
  }

  Vector times(Vector x) const { return run<false>(std::move(x)); }
  Vector solve(Vector s) const { return run<true>(std::move(s)); }
  // Turned around, the transpose of a matrix like A is A itself.
  Vector transposed_times(const Vector& y) const { return turned(times(turned(y))); }
  Vector transposed_solve(const Vector& c) const { return turned(solve(turned(c))); }

 private:
  static Vector turned(const Vector& v) { return {v.rbegin(), v.rend()}; }

  template <bool kSolve>
  Vector run(Vector v) const {
    Vector state(weight_.size());
    for (double& value : v) {
      const double earlier = std::accumulate(state.begin(), state.end(), 0.0);
      const double spent = kSolve ? value - earlier : value;
      value = kSolve ? spent : spent + earlier;
      for (std::size_t m = 0; m < state.size(); ++m) state[m] = (state[m] + weight_[m] * spent) * ratio_[m];
    }
    return v;
  }

  Vector weight_;
  Vector ratio_;
};

class MeanErrorPlan {
 public:
  MeanErrorPlan(const Discount& discount, std::span<const double> weights)
      : matrix_(discount), weights_(weights.begin(), weights.end()) {}

  DiscountedPlan solve();

 private:
  std::size_t slots() const { return weights_.size(); }
  double cost(const Vector& shares) const;
  /// y, for the current shares.
  Vector prices() const;
  double gap(const Vector& prices) const;
  /// Where S may move: not where it is at its bound and wants beyond.
  std::vector<char> free_slots(const Vector& prices) const;
  /// The Newton step of S on the free slots, by conjugate gradients.
  Vector newton_step(const Vector& prices) const;
  /// Moves along `step`, within the bounds, as far as it helps. False when it does not.
  bool move(const Vector& step);

  DiscountMatrix matrix_;
  Vector weights_;
  Vector counted_;  // S
  Vector shares_;   // x
  double cost_ = 0;
};

double MeanErrorPlan::cost(const Vector& shares) const {
  double sum = 0;
  for (std::size_t t = 0; t < slots(); ++t) sum += shares[t] > 0 ? weights_[t] / shares[t] : HUGE_VAL;
  return sum;
}

Vector MeanErrorPlan::prices() const {
  Vector gradient(slots());
  for (std::size_t t = 0; t < slots(); ++t) gradient[t] = weights_[t] / (shares_[t] * shares_[t]);
  return matrix_.transposed_solve(gradient);
}

double MeanErrorPlan::gap(const Vector& prices) const {
  Vector positive = prices;
  for (double& price : positive) price = std::max(price, 0.0);
  const Vector load = matrix_.transposed_times(positive);
  double bound = 0;
  for (std::size_t t = 0; t < slots(); ++t) bound += 2 * std::sqrt(weights_[t] * load[t]) - positive[t];
  return std::max(0.0, (cost_ - bound) / cost_);
}

std::vector<char> MeanErrorPlan::free_slots(const Vector& prices) const {
  std::vector<char> is_free(slots());
  for (std::size_t t = 0; t < slots(); ++t) is_free[t] = counted_[t] < 1 - kAtTheBound || prices[t] <= 0;
  return is_free;
}

Vector MeanErrorPlan::newton_step(const Vector& prices) const {
  const std::vector<char> is_free = free_slots(prices);
  const auto on_free = [&](Vector v) {
    for (std::size_t t = 0; t < v.size(); ++t) v[t] = is_free[t] != 0 ? v[t] : 0;
    return v;
  };
  Vector curvature(slots());
  for (std::size_t t = 0; t < slots(); ++t) curvature[t] = 2 * weights_[t] / std::pow(shares_[t], 3);
  const auto hessian = [&](const Vector& v) {
    Vector u = matrix_.solve(v);
    for (std::size_t t = 0; t < u.size(); ++t) u[t] *= curvature[t];
    return on_free(matrix_.transposed_solve(u));
  };
  // The inverse if all slots were free: close enough that two or three steps are the rule.
  const auto precondition = [&](const Vector& v) {
    Vector u = matrix_.transposed_times(v);
    for (std::size_t t = 0; t < u.size(); ++t) u[t] /= curvature[t];
    return on_free(matrix_.times(std::move(u)));
  };
  Vector step(slots());
  Vector rest = on_free(prices);
  Vector direction = precondition(rest);
  double size = dot(rest, direction);
  const double first_size = size;
  for (int i = 0; i < kConjugateSteps && size > kConjugatePrecision * first_size; ++i) {
    const Vector bent = hessian(direction);
    const double length = size / dot(direction, bent);
    for (std::size_t t = 0; t < slots(); ++t) {
      step[t] += length * direction[t];
      rest[t] -= length * bent[t];
    }
    const Vector next = precondition(rest);
    const double next_size = dot(rest, next);
    for (std::size_t t = 0; t < slots(); ++t) direction[t] = next[t] + next_size / size * direction[t];
    size = next_size;
  }
  return step;
}

bool MeanErrorPlan::move(const Vector& step) {
  for (double length = 1; length > kSmallestStep; length /= 2) {
    Vector counted = counted_;
    for (std::size_t t = 0; t < slots(); ++t) counted[t] = std::min(1.0, counted[t] + length * step[t]);
    Vector shares = matrix_.solve(counted);
    const double cost = this->cost(shares);
    if (!(cost < cost_)) continue;
    counted_ = std::move(counted);
    shares_ = std::move(shares);
    cost_ = cost;
    return true;
  }
  return false;
}

DiscountedPlan MeanErrorPlan::solve() {
  // From below: the same share everywhere. Bounds that matter are met many at a time on the way up.
  counted_ = matrix_.times(Vector(slots(), 1.0));
  const double largest = *std::max_element(counted_.begin(), counted_.end());
  for (double& value : counted_) value /= largest;
  shares_.assign(slots(), 1 / largest);
  cost_ = cost(shares_);
  Vector y = prices();
  double certified = gap(y);
  for (int i = 0; i < kNewtonSteps && certified > kGapWanted && move(newton_step(y)); ++i) {
    y = prices();
    certified = gap(y);
  }
  return {.shares = shares_, .objective = cost_, .gap = certified};
}

/// All errors equal: x = w·τ. A slot where Σ a·x = 1 bounds the smallest x/w of every other schedule by τ as well.
DiscountedPlan largest_error_plan(const Discount& discount, std::span<const double> weights) {
  Vector shares(weights.begin(), weights.end());
  const Vector counted = DiscountMatrix(discount).times(shares);
  const double largest = *std::max_element(counted.begin(), counted.end());
  for (double& share : shares) share /= largest;
  return {.shares = std::move(shares), .objective = largest, .gap = 0};
}

}  // namespace

DiscountedPlan plan_discounted(const Discount& discount, std::span<const double> weights, PlanLeast least) {
  FUGU_CHECK(!weights.empty() && std::all_of(weights.begin(), weights.end(), [](double w) { return w > 0; }));
  return least == PlanLeast::mean_error ? MeanErrorPlan(discount, weights).solve()
                                        : largest_error_plan(discount, weights);
}

}  // namespace fugu
