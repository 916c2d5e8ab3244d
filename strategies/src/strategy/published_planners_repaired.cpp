// The conference paper's rates, made to keep what they promise.
#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "fugu/base/check.hpp"
#include "fugu/strategy/dominant_secrets.hpp"
#include "fugu/strategy/fit_to_policies.hpp"
#include "fugu/strategy/published_planners.hpp"

namespace fugu {

namespace {

struct MeterPolicy {
  MeterId meter;
  Policy policy;
};

/// Slots that no policy connects with those before and after: planned together, independent of all others.
struct Run {
  Slot last = 0;
  std::vector<MeterPolicy> policies;
};

class RepairedConferencePlanner final : public Planner {
 public:
  void add(MeterId meter, const Policy& policy) override {
    Slot first = policy.interval.first;
    Run merged{policy.interval.last, {{meter, policy}}};
    for (auto at = first_reaching(policy.interval.first); at != runs_.end() && at->first <= policy.interval.last;) {
      first = std::min(first, at->first);
      merged.last = std::max(merged.last, at->second.last);
      absorb(merged.policies, at->second.policies);
      at = runs_.erase(at);
    }
    runs_.emplace(first, std::move(merged));
    if (running_ && first == run_first_) plan_is_stale_ = true;
  }

  void withdraw(MeterId meter, const Policy& policy) override {
    const auto at = first_reaching(policy.interval.first);
    FUGU_CHECK(at != runs_.end());
    auto& policies = at->second.policies;
    const auto found = std::find_if(policies.begin(), policies.end(), [&](const MeterPolicy& candidate) {
      return candidate.meter == meter && candidate.policy == policy;
    });
    FUGU_CHECK(found != policies.end());
    *found = std::move(policies.back());
    policies.pop_back();
    if (running_ && at->first == run_first_) {
      plan_is_stale_ = true;  // what was released in it stays counted, so it stays one run
    } else {
      const Run rest = std::move(at->second);
      runs_.erase(at);
      for (const MeterPolicy& other : rest.policies) add(other.meter, other.policy);  // it may fall apart
    }
  }

  double rate(Slot slot) override {
    while (!runs_.empty() && runs_.begin()->second.last < slot) {
      runs_.erase(runs_.begin());
      running_ = false;
    }
    if (runs_.empty() || runs_.begin()->first > slot) return std::numeric_limits<double>::infinity();
    if (!running_) begin_run();
    if (plan_is_stale_) plan();
    current_ = static_cast<std::size_t>(slot - run_first_);
    return rates_[current_];
  }

  void spent(double rate) override {
    if (!running_) return;
    rates_[current_] = rate;
    released_slots_ = current_ + 1;
  }

 private:
  using Runs = std::map<Slot, Run>;

  /// The first run that ends in or after `slot`.
  Runs::iterator first_reaching(Slot slot) {
    auto at = runs_.upper_bound(slot);
    if (at != runs_.begin() && std::prev(at)->second.last >= slot) --at;
    return at;
  }

  static void absorb(std::vector<MeterPolicy>& into, std::vector<MeterPolicy>& from) {
    if (into.size() < from.size()) into.swap(from);
    into.insert(into.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  }

  void begin_run() {
    running_ = true;
    run_first_ = runs_.begin()->first;
    released_slots_ = 0;
    rates_.clear();
    plan_is_stale_ = true;
  }

  /// Theorem 9's rates for what is not released yet, fitted.
  void plan() {
    const Run& run = runs_.begin()->second;
    const Interval slots{run_first_, run.last};
    RelevantPolicies relevant(RelevantPolicies::Affected::ignored);
    for (const MeterPolicy& known : run.policies) relevant.add(known.meter, known.policy);
    DominantSecrets secrets;
    rates_.resize(slots.slots());
    for (std::size_t i = 0; i < rates_.size(); ++i) {
      relevant.advance(run_first_ + static_cast<Slot>(i));
      if (relevant.changed()) secrets.update(relevant);
      if (i >= released_slots_) rates_[i] = secrets.rate();
    }
    const std::vector<Collection> collections = by_meter(run.policies);
    fit_to_policies(collections, slots, rates_, released_slots_);
    plan_is_stale_ = false;
  }

  /// One collection for each meter that has a policy in the run.
  static std::vector<Collection> by_meter(const std::vector<MeterPolicy>& policies) {
    std::map<MeterId, std::vector<Policy>> of;
    for (const MeterPolicy& known : policies) of[known.meter].push_back(known.policy);
    std::vector<Collection> collections(of.size());
    auto collection = collections.begin();
    for (auto& [meter, list] : of) (collection++)->assign(std::move(list));
    return collections;
  }

  Runs runs_;  // by first slot; those that have ended are gone
  bool running_ = false;
  bool plan_is_stale_ = false;
  // Of the first run, when it has begun:
  Slot run_first_ = 0;
  std::size_t current_ = 0;
  std::size_t released_slots_ = 0;
  std::vector<double> rates_;  // first what was spent, then what is planned
};

}  // namespace

std::unique_ptr<Planner> make_conference_repaired() { return std::make_unique<RepairedConferencePlanner>(); }

}  // namespace fugu
