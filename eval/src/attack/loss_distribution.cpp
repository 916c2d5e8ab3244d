#include "fugu/attack/loss_distribution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fugu/base/check.hpp"
#include "fugu/noise/law.hpp"

namespace fugu {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Grid cells per root mean square loss of an answer; fewer where many answers make the work long.
constexpr double kCellsPerLoss = 32;
constexpr double kCellsPerLossMin = 8;
constexpr double kManyAnswers = 64;
double cells_per_loss(double answers) {
  return std::max(kCellsPerLossMin, kCellsPerLoss * std::min(1.0, std::sqrt(kManyAnswers / answers)));
}
/// Losses beyond so many of their standard deviations count as infinite: probability below 10⁻¹⁷ (Hoeffding).
constexpr double kReach = 9;
/// Below this standard deviation a discrete Gaussian is added up integer by integer.
constexpr double kSmallSigma = 64;

/// The loss that an answer can have: exactly for Laplace; for a Gaussian, its standard deviation.
double loss_scale(const ExposedAnswer& answer) { return static_cast<double>(answer.change_steps) / answer.scale_steps; }

/// Beyond this a sum of losses with these squares hardly ever is.
double reach_of(double squares) { return squares / 2 + kReach * std::sqrt(squares); }

/// The law of one answer's loss on the grid: masses at −n … n, and what is beyond.
class AnswerLaw {
 public:
  AnswerLaw(const ExposedAnswer& answer, double step)
      : answer_(answer), step_(step), change_(static_cast<double>(answer.change_steps)) {
    const double loss = loss_scale(answer);
    const double widest = answer.kind == NoiseKind::laplace ? loss : reach_of(loss * loss);
    cells_ = static_cast<std::int64_t>(std::ceil(widest / step * (1 - 1e-12)));
    mass.assign(static_cast<std::size_t>(2 * cells_ + 1), 0.0);
    if (answer.kind == NoiseKind::laplace) {
      add_laplace();
    } else if (answer.scale_steps < kSmallSigma) {
      add_small_gaussian();
    } else {
      add_gaussian();
    }
  }

  std::vector<double> mass;
  double certain = 0;
  /// At least Σ √(p·q) of the answer, which moving masses lowers.
  double affinity_before = 0;

  double affinity() const {
    double sum = 0;
    for (std::int64_t i = -cells_; i <= cells_; ++i)
      sum += mass[static_cast<std::size_t>(i + cells_)] * std::exp(-static_cast<double>(i) * step_ / 2);
    return sum;
  }

 private:
  double& at(std::int64_t i) { return mass[static_cast<std::size_t>(i + cells_)]; }

  /// Outcomes of probability p (it happened) and q (it did not), whose loss lies within cell i, i+1: moved to its ends
  /// so that both probabilities are kept.
  void add(std::int64_t i, double p, double q) {
    affinity_before += std::sqrt(p * q);
    if (i >= cells_) {  // the end of the grid; with reach, beyond it
      const double kept = std::min(p, q * std::exp(static_cast<double>(cells_) * step_));
      at(cells_) += kept;
      certain += p - kept;
      return;
    }
    if (i < -cells_) {
      at(-cells_) += p;
      return;
    }
    const double low = std::exp(static_cast<double>(i) * step_);
    const double upper = std::clamp((p - q * low) / -std::expm1(-step_), 0.0, p);
    at(i) += p - upper;
    at(i + 1) += upper;
  }
  std::int64_t cell_of(double loss) const { return static_cast<std::int64_t>(std::floor(loss / step_)); }

  /// All outcomes strictly between the two true values have losses (2k − c)/λ; the others ±c/λ. Sums over the integers
  /// of a cell are geometric.
  void add_laplace() {
    const double scale = answer_.scale_steps;
    const double half = 1 / (1 + std::exp(-1 / scale));  // P(noise ≥ 0)
    const double edge = change_ / scale;
    const double rare = half * std::exp(-edge);
    add(std::min(cell_of(edge), cells_ - 1), half, rare);
    add(std::max(cell_of(-edge), -cells_), rare, half);
    for (double k = 1; k < change_;) {
      const std::int64_t cell = std::clamp(cell_of((2 * k - change_) / scale), -cells_, cells_ - 1);
      const double end = std::floor((static_cast<double>(cell + 1) * step_ * scale + change_) / 2);
      const double last = std::clamp(end, k, change_ - 1);
      const double sum = -std::expm1(-(last - k + 1) / scale) * half;
      add(cell, sum * std::exp(-(change_ - last) / scale), sum * std::exp(-k / scale));
      k = last + 1;
    }
  }

  double gaussian_loss(double k) const {
    return change_ * (k - change_ / 2) / (answer_.scale_steps * answer_.scale_steps);
  }

  void add_small_gaussian() {
    const double variance = answer_.scale_steps * answer_.scale_steps;
    const double reach = std::ceil(40 * answer_.scale_steps) + 2;
    double total = 0;
    for (double k = -reach; k <= reach; ++k) total += std::exp(-k * k / (2 * variance));
    const auto weight = [&](double k) { return std::exp(-k * k / (2 * variance)) / total; };
    for (double k = -reach; k <= reach + change_; ++k) add(cell_of(gaussian_loss(k)), weight(k - change_), weight(k));
  }

  void add_gaussian() {
    const double sigma = answer_.scale_steps;
    const NoiseLaw law{NoiseKind::gaussian, round_up(static_cast<uint128>(sigma * sigma * 256), 256)};
    // P(noise ≤ k) and P(noise > k), each without cancellation.
    const auto above = [&](double k) {
      const auto n = static_cast<std::int64_t>(k);
      return n >= 0 ? law.exceedance(n) / 2 : 1 - law.exceedance(-n - 1) / 2;
    };
    const auto between = [&](double first, double last) {  // P(first ≤ noise ≤ last)
      return last < 0 ? above(-last - 1) - above(-first) : above(first - 1) - above(last);
    };
    const double lowest = std::floor(change_ / 2 - static_cast<double>(cells_) * step_ * sigma * sigma / change_);
    const double far = 38 * sigma;
    add(-cells_ - 1, between(std::min(lowest, -far) - 1 - change_, lowest - change_),
        between(std::min(lowest, -far) - 1, lowest));
    double k = lowest + 1;
    for (std::int64_t cell = cell_of(gaussian_loss(k)); cell < cells_;) {
      const double last =
          std::max(k, std::floor(change_ / 2 + static_cast<double>(cell + 1) * step_ * sigma * sigma / change_));
      add(cell, between(k - change_, last - change_), between(k, last));
      k = last + 1;
      cell = cell_of(gaussian_loss(k));
    }
    add(cells_, above(k - 1 - change_), above(k - 1));
  }

  const ExposedAnswer& answer_;
  double step_;
  double change_;
  std::int64_t cells_ = 0;
};

}  // namespace

/// Adds answer after answer.
class LossDistribution::Builder {
 public:
  Builder(double step, double reach) : reach_cells_(static_cast<std::size_t>(std::ceil(reach / step)) + 1) {
    result_.step_ = step;
  }

  void add(const AnswerLaw& law) {
    convolve(law.mass);
    result_.certain_ += (1 - result_.certain_) * law.certain;
    result_.affinity_ *= law.affinity();
    result_.affinity_before_ *= law.affinity_before;
  }

  LossDistribution finish() && { return std::move(result_); }

 private:
  void convolve(const std::vector<double>& other) {
    std::vector<double>& mass = result_.mass_;
    std::vector<double> sum(mass.size() + other.size() - 1, 0.0);
    for (std::size_t i = 0; i < other.size(); ++i) {
      if (other[i] == 0) continue;
      for (std::size_t j = 0; j < mass.size(); ++j) sum[i + j] += other[i] * mass[j];
    }
    mass = std::move(sum);
    cut();
  }

  /// What is beyond the reach becomes certain where it points to "it happened"; probabilities stay what they are.
  void cut() {
    std::vector<double>& mass = result_.mass_;
    const std::size_t half = mass.size() / 2;
    if (half <= reach_cells_) return;
    const std::size_t beyond = half - reach_cells_;
    double below = 0;
    double kept = 0;
    for (std::size_t i = 0; i < beyond; ++i) {
      below += mass[i];
      const double above = mass[mass.size() - 1 - i];
      const double share = std::exp(-static_cast<double>(beyond - i) * result_.step_);
      kept += above * share;
      result_.certain_ += above * (1 - share);
    }
    mass.erase(mass.end() - static_cast<std::ptrdiff_t>(beyond), mass.end());
    mass.erase(mass.begin(), mass.begin() + static_cast<std::ptrdiff_t>(beyond));
    mass.front() += below;
    mass.back() += kept;
  }

  LossDistribution result_;
  std::size_t reach_cells_;
};

LossDistribution LossDistribution::of(std::span<const ExposedAnswer> answers) {
  double largest = 0;
  double squares = 0;
  std::size_t telling = 0;
  for (const ExposedAnswer& answer : answers) {
    FUGU_CHECK(answer.scale_steps >= 0);
    if (answer.change_steps == 0 || std::isinf(answer.scale_steps)) continue;
    if (answer.scale_steps == 0) {
      LossDistribution known;
      known.mass_ = {0};
      known.certain_ = 1;
      known.largest_ = kInfinity;
      return known;
    }
    const double loss = loss_scale(answer);
    largest += answer.kind == NoiseKind::laplace ? loss : kInfinity;
    squares += loss * loss;
    ++telling;
  }
  if (telling == 0) return {};
  const auto count = static_cast<double>(telling);
  const double step = std::sqrt(squares / count) / cells_per_loss(count);
  Builder builder(step, std::min(reach_of(squares), largest + count * step));
  for (const ExposedAnswer& answer : answers) {
    if (answer.change_steps == 0 || std::isinf(answer.scale_steps)) continue;
    builder.add(AnswerLaw(answer, step));
  }
  LossDistribution result = std::move(builder).finish();
  result.largest_ = largest;
  return result;
}

double LossDistribution::loss_at(std::size_t i) const {
  return (static_cast<double>(i) - static_cast<double>(mass_.size() / 2)) * step_;
}

double LossDistribution::epsilon_at(double delta) const {
  if (delta <= 0 || certain_ > delta) return largest_;
  if (excess(0) <= delta) return 0;
  double low = 0;
  double high = std::min(largest_, loss_at(mass_.size()));
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (excess(middle) > delta ? low : high) = middle;
  }
  return high;
}

double LossDistribution::excess(double epsilon) const {
  double sum = certain_;
  for (std::size_t i = 0; i < mass_.size(); ++i)
    if (loss_at(i) > epsilon) sum += mass_[i] * -std::expm1(epsilon - loss_at(i));
  return sum;
}

double LossDistribution::advantage() const { return excess(0); }

double LossDistribution::advantage_error() const {
  return std::min(1.0, std::sqrt(std::max(0.0, 2 * (affinity_before_ - affinity_))));
}

double LossDistribution::excess_error(double epsilon) const { return (1 + std::exp(epsilon)) / 2 * advantage_error(); }

double LossDistribution::auc() const {
  // The loss when it did not happen has the mirrored law.
  double below = certain_;  // probability that it is below the current loss: −∞ to begin with
  double sum = certain_;
  for (std::size_t i = 0; i < mass_.size(); ++i) {
    const double here = mass_[mass_.size() - 1 - i];
    sum += mass_[i] * (below + here / 2);
    below += here;
  }
  return std::min(1.0, sum);
}

double LossDistribution::auc_error() const {
  const double gap = affinity_before_ * affinity_before_ - affinity_ * affinity_;
  return std::min(0.5, std::sqrt(std::max(0.0, 2 * gap)) / 2);
}

std::vector<RocPoint> LossDistribution::roc(std::size_t points) const {
  std::vector<RocPoint> curve = {{0, 0}};
  RocPoint now{0, certain_};
  curve.push_back(now);
  const double apart = 1 / static_cast<double>(points);
  for (std::size_t i = mass_.size(); i-- > 0;) {
    now.detection = std::min(1.0, now.detection + mass_[i]);
    now.false_alarm = std::min(1.0, now.false_alarm + mass_[mass_.size() - 1 - i]);  // sums of doubles
    const RocPoint& last = curve.back();
    if (now.detection - last.detection + now.false_alarm - last.false_alarm >= apart) curve.push_back(now);
  }
  curve.push_back({1, 1});
  return curve;
}

}  // namespace fugu
