// What must hold in a simulated world, said a second time: from the definitions and from what was seen, with no code of
// accountants, audit, reader or membership. Every window, every answer, every placement, one by one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "fugu/accounting/answer.hpp"
#include "fugu/accounting/definition.hpp"
#include "fugu/policy/policy.hpp"

namespace fugu::test {

/// By series, how many meters of one household count into it.
using Counts = std::map<SeriesId, std::uint64_t>;

struct HeldPolicy {
  std::string unit;
  Policy policy;
};

/// δ of a mechanism with this ρ at ε: Canonne, Kamath, Steinke 2020, Corollary 13, by search over α.
inline long double delta_of(long double rho, long double epsilon) {
  const auto log_delta = [&](long double log_above_one) {
    const long double a = 1 + std::exp(log_above_one);
    return (a - 1) * (a * rho - epsilon) - std::log(a - 1) + a * std::log1p(-1 / a);
  };
  long double best = -12;
  for (const long double step : {0.1L, 0.001L}) {
    const long double middle = best;
    const int reach = step == 0.1L ? 280 : 100;
    for (int i = -reach; i <= reach; ++i) {
      const long double x = middle + static_cast<long double>(i) * step;
      if (x >= -12 && log_delta(x) < log_delta(best)) best = x;
    }
  }
  return std::min(1.0L, std::exp(log_delta(best)));
}

/// One household: where it counted in each slot, and what answers give away of it.
class UnitLoss {
 public:
  UnitLoss(const Definition& definition, std::uint64_t change_steps, const std::map<Slot, Counts>& where,
           const std::vector<Answer>& answers)
      : definition_(definition), change_steps_(change_steps), where_(where), answers_(answers) {}

  bool keeps_promise() const {
    if (definition_.protects() == Protects::swellfish) return true;
    const long double epsilon = definition_.epsilon().value();
    if (definition_.discount()) return worst_discounted() <= epsilon * kRounding;
    if (pure()) return worst() <= epsilon * kRounding;
    return delta_of(worst(), epsilon) <= static_cast<long double>(definition_.delta().value()) * (1 + 1e-4L);
  }

  /// Of any window: ε, or ρ.
  long double worst() const {
    if (definition_.protects() == Protects::user) return loss(0, last_slot());
    const auto window = static_cast<Slot>(definition_.window_slots());
    long double worst = 0;
    for (Slot first = 0; first <= last_slot(); ++first) worst = std::max(worst, loss(first, first + window - 1));
    return worst;
  }

  /// L(J) of a policy of this household, where `policies` are all it has.
  long double policy_loss(const Policy& phi, const std::vector<Policy>& policies) const {
    std::map<Slot, long double> rate;
    for (Slot slot = phi.interval.first; slot <= phi.interval.last; ++slot) rate[slot] = rate_of(slot);
    long double total = 0;
    for (const Policy& psi : policies) {
      long double worst = 0;
      const auto length = static_cast<Slot>(psi.length_slots);
      for (Slot start = psi.interval.first; start + length - 1 <= psi.interval.last; ++start) {
        long double placed = 0;
        for (Slot slot = start; slot < start + length; ++slot) {
          if (rate.contains(slot)) placed += static_cast<long double>(psi.magnitude_steps) * rate[slot];
        }
        worst = std::max(worst, placed);
      }
      total += worst;
    }
    return total;
  }

  static constexpr long double kRounding = 1 + 1e-9L;

 private:
  bool pure() const { return definition_.delta().value() == 0; }
  Slot last_slot() const { return where_.empty() ? 0 : where_.rbegin()->first; }
  static bool is_true_value(const Answer& answer) { return answer.parameter[0].num == 0; }

  std::uint64_t meters(Slot slot, SeriesId series) const {
    const auto at = where_.find(slot);
    if (at == where_.end()) return 0;
    const auto found = at->second.find(series);
    return found == at->second.end() ? 0 : found->second;
  }
  /// By how much the statistic changes when the household changes all it can in one slot.
  long double change(const Answer& answer, Slot slot) const {
    std::uint64_t total = 0;
    for (const SeriesId series : answer.series) total += meters(slot, series);
    return static_cast<long double>(gain(answer.statistic) * total * change_steps_);
  }
  long double cost(const Answer& answer, Rational parameter, long double change) const {
    const long double p = parameter.to_double();
    if (answer.noise == NoiseKind::gaussian) return change * change / (2 * p);
    return pure() ? change / p : change * change / (2 * p * p);
  }
  long double session_cost(const Answer& like, long double change) const {
    const long double e = change / like.parameter[0].to_double() + 2 * change / like.parameter[1].to_double();
    return pure() ? e : e * e / 2;
  }

  long double loss(Slot first, Slot last) const {
    long double total = 0;
    std::map<std::uint64_t, long double> largest;                   // of comparisons in one slot each, by session
    std::map<std::uint64_t, std::map<Slot, long double>> together;  // of comparisons over several slots
    std::map<std::uint64_t, const Answer*> like;
    for (const Answer& answer : answers_) {
      const Slot from = std::max(answer.first_slot, first);
      const Slot to = std::min(answer.slot, last);
      if (from > to) continue;
      if (answer.is_comparison()) {
        like[answer.session] = &answer;
        for (Slot slot = from; slot <= to; ++slot) {
          if (answer.statistic == Statistic::deviation)
            together[answer.session][slot] = change(answer, slot);
          else
            largest[answer.session] = std::max(largest[answer.session], change(answer, slot));
        }
      } else if (answer.statistic == Statistic::value) {
        for (std::size_t i = 0; i < answer.series.size(); ++i)
          total += cost(answer, answer.parameter_of(i),
                        static_cast<long double>(meters(answer.slot, answer.series[i]) * change_steps_));
      } else {
        long double sum = 0;
        for (Slot slot = from; slot <= to; ++slot) sum += change(answer, slot);
        total += cost(answer, answer.parameter[0], sum);
      }
    }
    for (const auto& [session, most] : largest) total += session_cost(*like[session], most);
    for (const auto& [session, slots] : together) {
      long double sum = 0;
      for (const auto& each : slots) sum += each.second;
      total += session_cost(*like[session], sum);
    }
    return total;
  }

  long double worst_discounted() const {
    long double worst = 0;
    for (Slot now = 0; now <= last_slot(); ++now) {
      long double sum = 0;
      for (Slot slot = 0; slot <= now; ++slot) sum += weight(static_cast<long double>(now - slot)) * loss(slot, slot);
      worst = std::max(worst, sum);
    }
    return worst;
  }
  long double weight(long double age) const {
    const Discount discount = *definition_.discount();
    const long double factor = discount.factor;
    return discount.kind == Discount::Kind::exponential ? std::pow(factor, age) : 1 / (1 + factor * age);
  }

  /// What one step in every series of the household costs in this slot.
  long double rate_of(Slot slot) const {
    long double rate = 0;
    std::set<std::uint64_t> sessions;
    for (const Answer& answer : answers_) {
      if (slot < answer.first_slot || slot > answer.slot || is_true_value(answer)) continue;
      long double reached = 0;
      for (std::size_t i = 0; i < answer.series.size(); ++i) {
        if (meters(slot, answer.series[i]) == 0) continue;
        const bool own_scale = answer.statistic == Statistic::value && !answer.is_comparison();
        reached += own_scale ? 1 / static_cast<long double>(answer.parameter_of(i).to_double()) : 1;
      }
      if (answer.is_comparison()) {
        if (!sessions.insert(answer.session).second) continue;
        reached *= 1 / answer.parameter[0].to_double() + 2 / answer.parameter[1].to_double();
      } else if (answer.statistic != Statistic::value) {
        reached /= answer.parameter[0].to_double();
      }
      rate += static_cast<long double>(gain(answer.statistic)) * reached;
    }
    return rate;
  }

  const Definition& definition_;
  std::uint64_t change_steps_;
  const std::map<Slot, Counts>& where_;
  const std::vector<Answer>& answers_;
};

/// Remembers all that happened and all that anybody saw, and says what is wrong with it.
class Model {
 public:
  Model(Definition definition, std::uint64_t change_steps)
      : definition_(std::move(definition)), change_steps_(change_steps) {}

  // --- What happened ---
  /// In `slot` households counted like this, and the sums were these. A slot that was not recorded can happen again.
  void happened(Slot slot, const std::map<std::string, Counts>& counts, std::vector<std::int64_t> sums) {
    for (auto& [unit, where] : where_) where.erase(slot);
    for (const auto& [unit, count] : counts) where_[unit][slot] = count;
    sums_[slot] = std::move(sums);
    unreadable_.erase(slot);
  }
  void holds_policy(const std::string& unit, const Policy& policy) { policies_.push_back({unit, policy}); }
  void takes_back(std::size_t index) { policies_.erase(policies_.begin() + static_cast<std::ptrdiff_t>(index)); }
  const std::vector<HeldPolicy>& policies() const { return policies_; }
  /// When `slot` was about to be published, somebody had stated what nobody could read.
  void could_not_read(Slot slot) { unreadable_.insert(slot); }
  /// The last slot that has begun according to honest clocks.
  void time_is(Slot slot) { now_ = std::max(now_, slot); }

  // --- What was seen ---
  /// One row of the releases: `rest` is all after time and series.
  void saw(Slot slot, const std::string& series, const std::string& rest) {
    const auto [at, is_new] = seen_[slot].emplace(series, rest);
    if (!is_new && at->second != rest) wrong("slot " + std::to_string(slot) + " was handed out with two values");
    if (slot > now_) wrong("slot " + std::to_string(slot) + " was handed out before it began");
  }
  Slot last_seen() const { return seen_.empty() ? -1 : seen_.rbegin()->first; }
  const std::map<Slot, std::map<std::string, std::string>>& seen() const { return seen_; }

  void wrong(std::string what) { violations_.push_back(std::move(what)); }
  const std::vector<std::string>& violations() const { return violations_; }

  /// Every answer behind what was handed out, also of ledgers that are lost.
  void judge(const std::vector<Answer>& answers) {
    for (const Answer& answer : answers) judge_true_value(answer);
    for (const auto& [unit, where] : where_) judge(unit, where, answers);
  }
  /// The largest loss of any household under a definition of windows.
  long double worst_loss(const std::vector<Answer>& answers) const {
    long double worst = 0;
    for (const auto& [unit, where] : where_)
      worst = std::max(worst, UnitLoss(definition_, change_steps_, where, answers).worst());
    return worst;
  }

 private:
  void judge(const std::string& unit, const std::map<Slot, Counts>& where, const std::vector<Answer>& answers) {
    const bool has_policies = definition_.protects() == Protects::swellfish;
    const Definition* windows = has_policies ? definition_.floor() : &definition_;
    if (windows != nullptr && !UnitLoss(*windows, change_steps_, where, answers).keeps_promise())
      wrong("household " + unit + " lost more than was promised");
    if (!has_policies) return;
    std::vector<Policy> own;
    for (const HeldPolicy& held : policies_)
      if (held.unit == unit) own.push_back(held.policy);
    const UnitLoss loss(definition_, change_steps_, where, answers);
    for (const Policy& policy : own) {
      const long double epsilon = policy.epsilon.to_double();
      if (loss.policy_loss(policy, own) > epsilon * UnitLoss::kRounding)
        wrong("a policy of " + unit + " from slot " + std::to_string(policy.interval.first) + " on was broken");
    }
  }

  void judge_true_value(const Answer& answer) {
    for (std::size_t i = 0; i < answer.series.size(); ++i) {
      if (answer.is_comparison() || answer.parameter_of(i).num != 0) continue;
      const std::string slot = std::to_string(answer.slot);
      if (!definition_.exact_when_idle()) wrong("a true value in slot " + slot);
      if (unreadable_.contains(answer.slot)) wrong("a true value while policies could not be read, slot " + slot);
      if (answer.values[i] != sums_[answer.slot][answer.series[i]]) wrong("slot " + slot + " has another sum");
      for (const HeldPolicy& held : policies_) {
        const auto& where = where_[held.unit];
        const auto at = where.find(answer.slot);
        if (held.policy.interval.contains(answer.slot) && at != where.end() && at->second.contains(answer.series[i]))
          wrong("a true value although a policy of " + held.unit + " is relevant, slot " + slot);
      }
    }
  }

  Definition definition_;
  std::uint64_t change_steps_;
  std::map<std::string, std::map<Slot, Counts>> where_;
  std::map<Slot, std::vector<std::int64_t>> sums_;
  std::vector<HeldPolicy> policies_;
  std::set<Slot> unreadable_;
  Slot now_ = -1;
  std::map<Slot, std::map<std::string, std::string>> seen_;
  std::vector<std::string> violations_;
};

}  // namespace fugu::test
