#include "fugu/attack/attack.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "fugu/base/check.hpp"

namespace fugu {

namespace {

/// What rounding of sums of doubles may add to a loss that is exactly ε.
constexpr double kLossRounding = 1e-9;

/// Loss per step, or per squared step, of one answer.
double rate_of(double scale, NoiseKind kind) {
  if (std::isinf(scale)) return 0;
  return kind == NoiseKind::laplace ? 1 / scale : 0.5 / (scale * scale);
}

double rate_in(const SlotNoise& noise, Slot slot) {
  double sum = 0;
  for (const std::vector<double>& scales : noise.scales_steps)
    sum += rate_of(scales[static_cast<std::size_t>(slot - noise.slots.first)], noise.kind);
  return sum;
}

/// The start of the `length` consecutive slots within `slots` in which rates add up to most.
Slot costliest_start(const SlotNoise& noise, const Interval& slots, std::uint64_t length) {
  const auto width = static_cast<Slot>(std::min(length, slots.slots()));
  // Infinite rates are counted, not added: ∞ − ∞ is no number.
  double sum = 0;
  int infinite = 0;
  const auto change = [&](Slot slot, int sign) {
    const double rate = rate_in(noise, slot);
    if (std::isinf(rate)) {
      infinite += sign;
    } else {
      sum += sign * rate;
    }
  };
  for (Slot slot = slots.first; slot < slots.first + width; ++slot) change(slot, 1);
  Slot best = slots.first;
  auto best_sum = std::pair(infinite, sum);
  for (Slot start = slots.first + 1; start + width - 1 <= slots.last; ++start) {
    change(start - 1, -1);
    change(start + width - 1, 1);
    if (std::pair(infinite, sum) > best_sum) {
      best_sum = {infinite, sum};
      best = start;
    }
  }
  return best;
}

/// Adds the policy's occurrence to a secret that spans `hull`, placed within `within`.
void place(const Policy& policy, const Interval& within, const SlotNoise& noise, PlacedSecret& secret) {
  secret.has_envelopes = secret.has_envelopes || policy.shape != nullptr;
  const Slot start = costliest_start(noise, within, policy.length_slots);
  const Slot last = std::min(within.last, start + static_cast<Slot>(policy.length_slots) - 1);
  for (Slot slot = start; slot <= last; ++slot)
    secret.change_steps[static_cast<std::size_t>(slot - secret.first)] += policy.magnitude_steps;
}

PlacedSecret empty_secret(const Interval& slots) {
  return {slots.first, std::vector<std::uint64_t>(slots.slots(), 0), false};
}

}  // namespace

double surest_belief(double epsilon) { return 1 / (1 + std::exp(-epsilon)); }

std::string odds_text(double belief) {
  char text[64];
  const int decimals = belief < 0.995 ? 0 : belief < 0.9995 ? 1 : belief < 0.99995 ? 2 : belief < 1 ? 3 : 0;
  std::snprintf(text, sizeof text, "%.*f:%.*f", decimals, 100 * belief, decimals, 100 - 100 * belief);
  return text;
}

AttackBound attack_bound(double epsilon, double delta) {
  const double miss = (1 - delta) / (1 + std::exp(epsilon));
  return {.belief = surest_belief(epsilon), .accuracy = 1 - miss, .auc = 1 - (1 - delta) * miss};
}

double detection_bound(double false_alarm, double epsilon, double delta) {
  const double steep = std::exp(epsilon) * false_alarm + delta;
  const double flat = 1 - std::exp(-epsilon) * (1 - false_alarm - delta);
  return std::min({1.0, steep, flat});
}

AttackMeasures measure_attack(const LossDistribution& loss, double epsilon, double delta) {
  AttackMeasures measures;
  measures.largest_loss = loss.epsilon_at(delta);
  measures.belief = surest_belief(measures.largest_loss);
  measures.advantage = loss.advantage();
  measures.advantage_error = loss.advantage_error();
  measures.auc = loss.auc();
  measures.auc_error = loss.auc_error();
  measures.excess = loss.excess(epsilon);
  measures.excess_error = loss.excess_error(epsilon);
  // Without δ the largest loss decides, which is exact.
  measures.within = measures.largest_loss <= epsilon * (1 + kLossRounding);
  measures.exceeds = !measures.within && (delta == 0 || measures.excess > delta + measures.excess_error);
  return measures;
}

SlotNoise SlotNoise::from_rates(const Interval& slots, NoiseKind kind, std::span<const double> rates) {
  FUGU_CHECK(rates.size() == slots.slots());
  std::vector<double> scales;
  scales.reserve(rates.size());
  for (const double rate : rates) scales.push_back(kind == NoiseKind::laplace ? 1 / rate : std::sqrt(0.5 / rate));
  return {slots, kind, {std::move(scales)}};
}

PlacedSecret place_alone(const Policy& policy, const SlotNoise& noise) {
  if (!policy.interval.overlaps(noise.slots)) return {};
  const Interval within = common(policy.interval, noise.slots);
  PlacedSecret secret = empty_secret(within);
  place(policy, within, noise, secret);
  return secret;
}

PlacedSecret place_together(const Collection& collection, const Policy& policy, const SlotNoise& noise) {
  if (!policy.interval.overlaps(noise.slots)) return {};
  const Interval hull = common(policy.interval, noise.slots);
  PlacedSecret secret = empty_secret(hull);
  collection.for_overlapping(hull,
                             [&](const Policy& other) { place(other, common(other.interval, hull), noise, secret); });
  return secret;
}

std::vector<ExposedAnswer> exposed_answers(const PlacedSecret& secret, const SlotNoise& noise) {
  std::vector<ExposedAnswer> answers;
  for (std::size_t i = 0; i < secret.change_steps.size(); ++i) {
    if (secret.change_steps[i] == 0) continue;
    for (const std::vector<double>& scales : noise.scales_steps)
      answers.push_back(
          {noise.kind, scales[static_cast<std::size_t>(secret.first - noise.slots.first) + i], secret.change_steps[i]});
  }
  return answers;
}

PolicyAttack attack_policy(const Collection& collection, const Policy& policy, const SlotNoise& noise, double delta) {
  const double epsilon = policy.epsilon.to_double();
  const auto measure = [&](const PlacedSecret& secret) {
    AttackMeasures measures = measure_attack(LossDistribution::of(exposed_answers(secret, noise)), epsilon, delta);
    measures.exceeds = measures.exceeds && !secret.has_envelopes;
    return measures;
  };
  return {.policy = policy,
          .alone = measure(place_alone(policy, noise)),
          .together = measure(place_together(collection, policy, noise))};
}

std::vector<PolicyAttack> attack_book_at_rates(const PolicyBook& book, const Interval& slots,
                                               std::span<const double> rates, NoiseKind kind, double delta) {
  const SlotNoise noise = SlotNoise::from_rates(slots, kind, rates);
  std::vector<PolicyAttack> attacks;
  for (MeterId meter = 0; meter < book.meter_count(); ++meter) {
    for (const Policy& policy : book.of(meter).policies()) {
      if (!policy.interval.overlaps(slots)) continue;
      attacks.push_back(attack_policy(book.of(meter), policy, noise, delta));
      attacks.back().meter = meter;
    }
  }
  return attacks;
}

}  // namespace fugu
