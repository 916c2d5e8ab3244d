#include "fugu/study/adaptive_runs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>

#include "fugu/simulate/exponentials.hpp"
#include "fugu/strategy/published_planners.hpp"
#include "fugu/strategy/release_allowance.hpp"
#include "fugu/strategy/tenat.hpp"

namespace fugu {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kUnicornAnswerShare = 0.5;

/// Laplace noise as the kernel and SimulationNoise make it: the scale is 2^58 over a whole number.
class Draws {
 public:
  Draws(std::uint64_t seed, std::uint64_t stream) : exponentials_(seed, stream) {}

  /// What the kernel makes of a rate: 0 when it gives no answer, because the scale would be above 2^40 steps.
  static double granted(double rate) {
    const double units = rate * 0x1p58;
    if (!(units >= 0x1p18)) return 0;
    return static_cast<double>(units >= 0x1p63 ? std::uint64_t{1} << 63 : static_cast<std::uint64_t>(units)) * 0x1p-58;
  }
  /// At a rate that was granted.
  std::int64_t laplace(double rate) {
    const auto [first, second] = exponentials_.next_pair();
    const double scale = 1 / rate;
    return static_cast<std::int64_t>(first * scale) - static_cast<std::int64_t>(second * scale);
  }

 private:
  Exponentials exponentials_;
};

/// BD and BA (DivisionPlanner).
class DivisionRule {
 public:
  DivisionRule(const HouseholdTimeline& timeline, Allocation allocation, IdleSlots idle_slots,
               std::uint64_t global_steps, Budget epsilon)
      : allocation_(allocation),
        idle_slots_(idle_slots),
        epsilon_(epsilon),
        window_slots_(timeline.longest_interval_slots()),
        global_steps_(global_steps),
        allowance_(allocation, epsilon / 2, timeline.longest_interval_slots(), 1) {}

  void begin(const HouseholdTimeline&, const HouseholdTimeline::Piece& piece) {
    steps_ = static_cast<double>(global_steps_ > 0 ? global_steps_ : piece.sensitivity_steps);
    decision_rate_ = epsilon_.to_double() / 2 / static_cast<double>(window_slots_) / steps_;
  }
  bool idle() const { return steps_ == 0; }
  bool may_show_idle(Slot slot) {
    if (idle_slots_ == IdleSlots::free) return true;
    allowance_.advance(slot);
    candidate_ = allowance_.candidate(0);
    return allocation_ == Allocation::distribution || candidate_.units() > 0;
  }
  void released_idle(bool moved) {
    if (idle_slots_ == IdleSlots::scheduled && moved && candidate_.units() > 0) allowance_.spend(0, candidate_);
  }
  double rate(Slot slot) {
    allowance_.advance(slot);
    candidate_ = allowance_.candidate(0);
    return candidate_.to_double() / steps_;
  }
  double decision_rate() const { return decision_rate_; }
  void spent(double rate) {
    if (rate > 0 && candidate_.units() > 0) allowance_.spend(0, candidate_);
  }

 private:
  Allocation allocation_;
  IdleSlots idle_slots_;
  Budget epsilon_;
  std::uint64_t window_slots_;
  std::uint64_t global_steps_;  // 0: the slot's own
  ReleaseAllowance allowance_;
  double steps_ = 0;
  double decision_rate_ = 0;
  Budget candidate_;
};

/// Algorithm 9 (AffectedSlotsPlanner).
class UnicornRule {
 public:
  UnicornRule(const HouseholdTimeline& timeline, double answer_share, Budget epsilon)
      : answer_share_(answer_share), epsilon_(epsilon.to_double()), accounts_(timeline.places()) {}

  void begin(const HouseholdTimeline& timeline, const HouseholdTimeline::Piece& piece) {
    relevant_ = timeline.relevant(piece);
    steps_ = static_cast<double>(piece.sensitivity_steps);
    double smallest_share = kInfinity;
    for (const auto& policy : relevant_) {
      Account& account = accounts_[policy.place];
      if (policy.begins)
        account = {.share = epsilon_ / static_cast<double>(policy.affected_slots),
                   .answered_till = answered_ + policy.affected_slots};
      smallest_share = std::min(smallest_share, account.share);
    }
    decision_rate_ = (1 - answer_share_) * smallest_share / steps_;
  }
  bool idle() const { return relevant_.empty(); }
  bool may_show_idle(Slot) const { return true; }
  void released_idle(bool) {}
  double rate(Slot slot) {
    double rate = kInfinity;
    for (const auto& policy : relevant_) {
      const Account& account = accounts_[policy.place];
      const double uniform = answer_share_ * account.share;
      if (steps_ == 0 || uniform >= rate * steps_) continue;
      double allowance = uniform;
      if (answered_ < account.answered_till) {
        const auto slots_left = static_cast<double>(policy.last - slot + 1);
        allowance = std::max(uniform, (answer_share_ * epsilon_ - account.spent) / slots_left);
      }
      rate = std::min(rate, allowance / steps_);
    }
    return rate;
  }
  double decision_rate() const { return decision_rate_; }
  void spent(double rate) {
    if (rate <= 0) return;
    ++answered_;
    for (const auto& policy : relevant_) accounts_[policy.place].spent += rate * steps_;
  }

 private:
  double answer_share_;
  double epsilon_;
  std::span<const HouseholdTimeline::Relevant> relevant_;
  double steps_ = 0;
  double decision_rate_ = 0;
  std::uint64_t answered_ = 0;
  /// Of a relevant policy.
  struct Account {
    double share = 0;                 // ε / δ(J)
    double spent = 0;                 // by answers in its interval
    std::uint64_t answered_till = 0;  // answers of the run with which δ(J) are in its interval
  };
  std::vector<Account> accounts_;  // by place
};

/// How a strategy finds out that the stream has moved.
enum class Decides : std::uint8_t { by_noisy_distance, by_the_truth };

/// AdaptiveStrategy and ClairvoyantStrategy on one series.
template <Decides decides, class Rule>
std::size_t follow(Rule rule, const HouseholdTimeline& timeline, Draws draws, std::span<const std::int64_t> truth,
                   std::vector<std::int64_t>& released, std::vector<double>* rates) {
  bool known = false;
  std::int64_t shown = 0;
  std::size_t sampled = 0;
  released.resize(truth.size());
  if (rates != nullptr) rates->assign(truth.size(), 0.0);
  for (const auto& piece : timeline.pieces()) {
    rule.begin(timeline, piece);
    for (Slot slot = piece.first; slot <= piece.last; ++slot) {
      const auto t = static_cast<std::size_t>(slot);
      const bool present = truth[t] != kMissingSteps;
      double lost = 0;
      if (rule.idle()) {
        if (rule.may_show_idle(slot) && present) {
          rule.released_idle(!known || shown != truth[t]);
          shown = truth[t];
          known = true;
          ++sampled;
          lost = kInfinity;
        }
      } else {
        const double rate = rule.rate(slot);
        bool answer = rate > 0;
        if (answer && known && present) {
          const std::int64_t moved = std::abs(truth[t] - shown);
          if constexpr (decides == Decides::by_the_truth) {
            answer = static_cast<double>(moved) > 1 / rate;
          } else {
            lost = Draws::granted(rule.decision_rate());
            answer = lost > 0 && static_cast<double>(moved + draws.laplace(lost)) > 1 / rate;
          }
        }
        // Of a value that is missing there is no answer, but what it would have cost counts as spent.
        const double granted = !answer ? 0 : present ? Draws::granted(rate) : rate;
        answer = granted > 0;
        if (answer && present) {
          shown = truth[t] + draws.laplace(granted);
          known = true;
          ++sampled;
          lost += granted;
        }
        rule.spent(answer ? rate : 0);
      }
      released[t] = shown;
      if (rates != nullptr) (*rates)[t] = lost;
    }
  }
  return sampled;
}

}  // namespace

HouseholdTimeline::HouseholdTimeline(const Collection& collection, std::size_t slots) : slots_(slots) {
  // Where the relevant policies change: begins before ends of the slot before.
  const auto horizon = static_cast<Slot>(slots);
  std::map<Slot, std::pair<std::vector<const Policy*>, std::vector<const Policy*>>> changes;  // (begin, end) there
  changes[0];
  for (const Policy& policy : collection.policies()) {
    if (policy.interval.first >= horizon) continue;
    longest_interval_slots_ = std::max(longest_interval_slots_, policy.interval.slots());
    changes[policy.interval.first].first.push_back(&policy);
    if (policy.interval.last + 1 < horizon) changes[policy.interval.last + 1].second.push_back(&policy);
  }
  std::vector<std::pair<const Policy*, Relevant>> now;
  std::vector<std::uint32_t> free;
  for (auto at = changes.begin(); at != changes.end(); ++at) {
    for (auto& [policy, relevant] : now) relevant.begins = false;
    for (const Policy* ended : at->second.second) {
      const auto found = std::ranges::find(now, ended, &std::pair<const Policy*, Relevant>::first);
      free.push_back(found->second.place);
      now.erase(found);
    }
    for (const Policy* policy : at->second.first) {
      if (free.empty()) free.push_back(static_cast<std::uint32_t>(places_++));
      const std::uint64_t affected = affected_slots(collection, *policy);
      now.push_back(
          {policy, {.place = free.back(), .begins = true, .last = policy->interval.last, .affected_slots = affected}});
      free.pop_back();
    }
    const auto next = std::next(at);
    Piece piece{.first = at->first,
                .last = (next == changes.end() ? horizon : next->first) - 1,
                .relevant_begin = relevant_.size()};
    for (const auto& [policy, relevant] : now) {
      piece.sensitivity_steps += policy->magnitude_steps;
      relevant_.push_back(relevant);
    }
    piece.relevant_end = relevant_.size();
    pieces_.push_back(piece);
  }
}

namespace {

bool is_division(std::string_view strategy) {
  constexpr std::array<std::string_view, 6> kDivisions = {"bd", "ba", "tes-bd", "tes-ba", "tes-bd-idle", "tes-ba-idle"};
  return std::ranges::find(kDivisions, strategy) != kDivisions.end();
}

}  // namespace

bool is_adaptive_rule(std::string_view strategy) {
  return is_division(strategy) || strategy == "unicorn" || strategy == "unicorn-star";
}

std::size_t run_adaptive(const HouseholdTimeline& timeline, const AdaptiveRun& run, std::span<const std::int64_t> truth,
                         std::vector<std::int64_t>& released, std::vector<double>* rates) {
  FUGU_CHECK(is_adaptive_rule(run.strategy) && truth.size() == timeline.slots());
  const Budget epsilon = Budget::round_down(run.epsilon);
  const Draws draws(run.seed, run.run);
  if (run.strategy == "unicorn")
    return follow<Decides::by_noisy_distance>(UnicornRule(timeline, kUnicornAnswerShare, epsilon), timeline, draws,
                                              truth, released, rates);
  if (run.strategy == "unicorn-star")
    return follow<Decides::by_the_truth>(UnicornRule(timeline, 1, epsilon), timeline, draws, truth, released, rates);
  const bool is_distribution = run.strategy == "bd" || run.strategy.starts_with("tes-bd");
  const Allocation allocation = is_distribution ? Allocation::distribution : Allocation::absorption;
  const IdleSlots idle_slots = run.strategy.ends_with("-idle") ? IdleSlots::free : IdleSlots::scheduled;
  const std::uint64_t global_steps = run.strategy.starts_with("tes-") ? 0 : run.sensitivity_steps;
  return follow<Decides::by_noisy_distance>(DivisionRule(timeline, allocation, idle_slots, global_steps, epsilon),
                                            timeline, draws, truth, released, rates);
}

}  // namespace fugu
