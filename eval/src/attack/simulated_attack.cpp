// Plays attacks: noise is drawn, the attacker computes the likelihood ratio, and is right or not.
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "fugu/attack/attack.hpp"
#include "fugu/base/check.hpp"
#include "fugu/simulate/simulation_noise.hpp"

namespace fugu {

namespace {

constexpr double kNormal95 = 1.959963984540054;

/// To 2⁻²⁰ steps, upwards.
Rational to_rational(double value) {
  constexpr std::uint64_t kParts = 1 << 20;
  return round_up(static_cast<uint128>(std::ceil(value * kParts)), kParts);
}

/// What the attacker sees and how he weighs it, answer by answer.
class Table {
 public:
  explicit Table(std::vector<ExposedAnswer> answers) : answers_(std::move(answers)) {
    for (const ExposedAnswer& answer : answers_) {
      if (is_silent(answer) || answer.scale_steps == 0) {
        parameters_.push_back({});
      } else if (answer.kind == NoiseKind::gaussian) {
        parameters_.push_back(to_rational(answer.scale_steps * answer.scale_steps));
      } else {
        parameters_.push_back(to_rational(answer.scale_steps));
      }
    }
  }
  std::size_t size() const { return answers_.size(); }

  /// The noise of an answer, in steps.
  std::int64_t draw(std::size_t i, Noise& noise) const {
    if (is_silent(answers_[i]) || answers_[i].scale_steps == 0) return 0;
    return answers_[i].kind == NoiseKind::gaussian ? noise.gaussian(parameters_[i]) : noise.laplace(parameters_[i]);
  }
  /// log P(seen | changed) / P(seen | not), when the answer was `above` steps above what it would be without.
  double log_ratio(std::size_t i, std::int64_t above) const {
    const ExposedAnswer& answer = answers_[i];
    if (is_silent(answer)) return 0;
    const auto k = static_cast<double>(above);
    const auto change = static_cast<double>(answer.change_steps);
    if (answer.scale_steps == 0) return above == 0 ? -kKnown : kKnown;
    const double parameter = parameters_[i].to_double();
    if (answer.kind == NoiseKind::gaussian) return change * (k - change / 2) / parameter;
    return (std::fabs(k) - std::fabs(k - change)) / parameter;
  }
  std::int64_t change(std::size_t i) const { return static_cast<std::int64_t>(answers_[i].change_steps); }

 private:
  static constexpr double kKnown = 1e6;  // as good as certain
  static bool is_silent(const ExposedAnswer& answer) {
    return std::isinf(answer.scale_steps) || answer.change_steps == 0;
  }
  std::vector<ExposedAnswer> answers_;
  std::vector<Rational> parameters_;
};

/// Share of pairs in which the first is larger, ties counting half.
double mann_whitney(std::vector<double>& with, std::vector<double>& without) {
  std::sort(with.begin(), with.end());
  std::sort(without.begin(), without.end());
  double wins = 0;
  for (const double score : with) {
    const auto [first, last] = std::equal_range(without.begin(), without.end(), score);
    wins += static_cast<double>(first - without.begin()) + static_cast<double>(last - first) / 2;
  }
  return wins / static_cast<double>(with.size()) / static_cast<double>(without.size());
}

/// `score(happened)`: the log-likelihood ratio of one play.
SimulatedAttack play(std::size_t runs, const std::function<double(bool)>& score) {
  FUGU_CHECK(runs > 0);
  std::vector<double> with(runs);
  std::vector<double> without(runs);
  double right = 0;
  for (std::size_t run = 0; run < runs; ++run) {
    with[run] = score(true);
    without[run] = score(false);
    // Who is undecided tosses a coin.
    right += with[run] > 0 ? 1 : with[run] == 0 ? 0.5 : 0;
    right += without[run] < 0 ? 1 : without[run] == 0 ? 0.5 : 0;
  }
  const auto count = static_cast<double>(runs);
  SimulatedAttack result;
  result.auc = mann_whitney(with, without);
  // Var ≤ A(1 − A)/min(m, n) (van Dantzig 1951); of a mean of 2n outcomes, n of each kind, at most p(1 − p)/2n.
  const double auc_half = kNormal95 * std::sqrt(result.auc * (1 - result.auc) / count) + 1 / count;
  result.auc_low = std::max(0.0, result.auc - auc_half);
  result.auc_high = std::min(1.0, result.auc + auc_half);
  result.accuracy = right / (2 * count);
  const double accuracy_half =
      kNormal95 * std::sqrt(result.accuracy * (1 - result.accuracy) / (2 * count)) + 1 / (2 * count);
  result.accuracy_low = std::max(0.0, result.accuracy - accuracy_half);
  result.accuracy_high = std::min(1.0, result.accuracy + accuracy_half);
  return result;
}

}  // namespace

SimulatedAttack simulate_known_placement(const PlacedSecret& secret, const SlotNoise& noise, std::size_t runs,
                                         std::uint64_t seed) {
  const Table table(exposed_answers(secret, noise));
  SimulationNoise draws(seed);
  return play(runs, [&](bool happened) {
    double sum = 0;
    for (std::size_t i = 0; i < table.size(); ++i)
      sum += table.log_ratio(i, table.draw(i, draws) + (happened ? table.change(i) : 0));
    return sum;
  });
}

SimulatedAttack simulate_unknown_placement(const Policy& policy, const SlotNoise& noise, std::size_t runs,
                                           std::uint64_t seed) {
  if (!policy.interval.overlaps(noise.slots)) return {};
  // The whole interval: an occurrence may begin before the release does.
  const Interval within = common(policy.interval, noise.slots);
  const std::size_t series = noise.scales_steps.size();
  const PlacedSecret everywhere{within.first, std::vector<std::uint64_t>(within.slots(), policy.magnitude_steps),
                                false};
  const Table table(exposed_answers(everywhere, noise));
  const auto slots = static_cast<std::int64_t>(within.slots());
  const auto length = static_cast<std::int64_t>(policy.length_slots);
  const std::int64_t before = within.first - policy.interval.first;
  const std::int64_t starts = static_cast<std::int64_t>(policy.interval.slots()) - length + 1;

  SimulationNoise draws(seed);
  std::vector<double> sums(static_cast<std::size_t>(slots) + 1);
  const auto covered = [&](std::int64_t start) {  // as indices of released slots: first, end
    const std::int64_t first = std::clamp<std::int64_t>(start - before, 0, slots);
    return std::pair(first, std::clamp<std::int64_t>(start - before + length, first, slots));
  };
  // Occurrences that touch no released slot change nothing: they are counted, not tried one by one.
  const std::int64_t first_seen = std::max<std::int64_t>(0, before - length + 1);
  const std::int64_t last_seen = std::min(starts - 1, before + slots - 1);
  const auto unseen = static_cast<double>(starts - std::max<std::int64_t>(0, last_seen - first_seen + 1));
  double turn = 0;
  return play(runs, [&](bool happened) {
    // Evenly, by steps of the golden ratio. The attacker is not told.
    turn += 0.6180339887498949;
    turn -= std::floor(turn);
    const auto [first, end] = covered(static_cast<std::int64_t>(turn * static_cast<double>(starts)));
    for (std::int64_t slot = 0; slot < slots; ++slot) {
      double ratio = 0;
      for (std::size_t s = 0; s < series; ++s) {
        const std::size_t i = static_cast<std::size_t>(slot) * series + s;
        const std::int64_t moved = happened && slot >= first && slot < end ? table.change(i) : 0;
        ratio += table.log_ratio(i, table.draw(i, draws) + moved);
      }
      sums[static_cast<std::size_t>(slot) + 1] = sums[static_cast<std::size_t>(slot)] + ratio;
    }
    double most = unseen > 0 ? 0 : -1e300;
    const auto ratio_from = [&](std::int64_t start) {
      const auto [from, to] = covered(start);
      return sums[static_cast<std::size_t>(to)] - sums[static_cast<std::size_t>(from)];
    };
    for (std::int64_t start = first_seen; start <= last_seen; ++start) most = std::max(most, ratio_from(start));
    double sum = unseen > 0 ? unseen * std::exp(-most) : 0;  // 0 · ∞ where true values tell against every start
    for (std::int64_t start = first_seen; start <= last_seen; ++start) sum += std::exp(ratio_from(start) - most);
    return most + std::log(sum / static_cast<double>(starts));
  });
}

}  // namespace fugu
