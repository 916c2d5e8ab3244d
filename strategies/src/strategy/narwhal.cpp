#include "fugu/strategy/narwhal.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>

#include "fugu/accounting/zcdp.hpp"
#include "fugu/base/check.hpp"

namespace fugu {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Plan again when so many slots' worth of rates was asked for and not spent.
constexpr double kUnspentSlots = 4;
// A reserve that is held back shrinks with time; plan again after so many slots to spend it.
constexpr Slot kReviewSlots = 4;
// The share of losses that policies bring which come late, before experience tells, and the experience it counts as.
constexpr double kLateShareAssumed = 0.4;
constexpr double kPoliciesAssumed = 20;
// Running dry costs more than holding back a little too much. Chosen by experiment, as is what is above.
constexpr double kCaution = 1.25;
constexpr double kReserveMax = 0.9;
// The longest busy period that is planned as a whole.
constexpr Slot kWholeSlotsMax = Slot{1} << 20;
// Fewer policies than this are not worth forgetting.
constexpr std::size_t kHeldMin = 1024;

/// What one occurrence of `psi` adds to the loss over `phi` at rate 1, in budgets of `phi`.
double loss_share(const Policy& psi, const Policy& phi) {
  const std::uint64_t slots = std::min(psi.length_slots, common(psi.interval, phi.interval).slots());
  const double budget = phi.epsilon.to_double();
  return budget > 0 ? static_cast<double>(psi.magnitude_steps) * static_cast<double>(slots) / budget : 0;
}

/// Σ weight · length over the terms of a policy, as far as they lie within `slots`: how much it can lose there.
double volume(const Collection& collection, const Policy& phi, Currency currency, Interval slots) {
  double sum = 0;
  for_loss_terms(collection, phi, currency, [&](const LossTerm& term) {
    if (!term.interval.overlaps(slots)) return;
    const std::uint64_t length = std::min(term.length_slots, common(term.interval, slots).slots());
    sum += static_cast<double>(term.weight) * static_cast<double>(length);
  });
  return sum;
}

}  // namespace

Narwhal::Narwhal(NarwhalOptions options, PlannerFactory reference)
    : options_(std::move(options)), reference_(std::move(reference)) {
  if (!options_.objective)
    options_.objective = options_.delta ? PlanObjective::deviation : PlanObjective::absolute_error;
}

void Narwhal::add(MeterId meter, const Policy& policy) {
  pending_.emplace_back(meter, policy);
  Slot& last = reach_.try_emplace(policy.interval.first, policy.interval.last).first->second;
  last = std::max(last, policy.interval.last);
  if (touches_plan(policy)) planned_ = false;
}

void Narwhal::withdraw(MeterId meter, const Policy& policy) {
  take_pending();
  FUGU_CHECK(meter < collections_.size() && collections_[meter].remove(policy));
  --held_;
  // reach_ stays: a busy period that is taken to be longer than it is costs nothing but a larger plan.
  if (touches_plan(policy)) planned_ = false;
}

/// Keeps count of how much of the losses comes from policies that were not known when the interval began. Policies are
/// public, so plans may depend on when they became known.
void Narwhal::learn_lateness(MeterId meter, const Policy& psi) {
  notice_slots_ = std::min(notice_slots_, psi.interval.first - slot_);
  ++learned_;
  losses_ += loss_share(psi, psi);
  if (meter >= collections_.size()) return;
  collections_[meter].for_overlapping(psi.interval, [&](const Policy& phi) {
    losses_ += loss_share(psi, phi) + loss_share(phi, psi);
    if (phi.interval.first < slot_) late_losses_ += loss_share(psi, phi);
  });
}

/// The part of the budget to hold back for policies that may still become known.
double Narwhal::reserve(const Policy& policy) const {
  if (learned_ == 0) return 0;
  // With this much notice everything is known when its interval begins, and nothing of its budget is gone by then.
  if (notice_slots_ >= static_cast<Slot>(policy.interval.slots())) return 0;
  const Slot open = policy.interval.last - std::max(policy.interval.first, plan_now_ + notice_slots_) + 1;
  if (open <= 0) return 0;
  const double assumed = kPoliciesAssumed / static_cast<double>(learned_) * losses_;
  const double late = (late_losses_ + kLateShareAssumed * assumed) / (losses_ + assumed);
  const double share = std::min(kReserveMax, kCaution * late);
  return share * static_cast<double>(open) / static_cast<double>(policy.interval.slots());
}

void Narwhal::take_pending() {
  if (pending_.empty()) return;
  std::stable_sort(pending_.begin(), pending_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  if (pending_.back().first >= collections_.size()) collections_.resize(std::size_t{pending_.back().first} + 1);
  // What is known before the first slot says nothing about notice.
  if (started_)
    for (const auto& [meter, policy] : pending_) learn_lateness(meter, policy);
  for (auto begin = pending_.begin(); begin != pending_.end();) {
    const auto end =
        std::find_if(begin, pending_.end(), [&](const auto& entry) { return entry.first != begin->first; });
    Collection& collection = collections_[begin->first];
    // Adding one by one moves what comes later; a batch is sorted once.
    if (end - begin < 4) {
      for (; begin != end; ++begin) collection.add(begin->second);
    } else {
      std::vector<Policy> all(collection.policies().begin(), collection.policies().end());
      for (; begin != end; ++begin) all.push_back(std::move(begin->second));
      collection.assign(std::move(all));
    }
  }
  held_ += pending_.size();
  pending_.clear();
}

double Narwhal::rate(Slot slot) {
  slot_ = slot;
  take_pending();
  started_ = true;
  if (reserved_ && slot >= plan_now_ + kReviewSlots) planned_ = false;
  if (!planned_ || !plan_slots_.contains(slot)) {
    planned_ = false;
    begin_period(slot);
    if (busy_until(slot) < slot) return asked_ = kInfinity;
    make_plan(slot);
  }
  return asked_ = plan_.rate[static_cast<std::size_t>(slot - plan_slots_.first)];
}

void Narwhal::spent(double rate) {
  if (asked_ == kInfinity && !planned_) return;  // no busy period
  // Nobody's bound reaches a slot that was free; a 0 keeps window sums finite.
  spent_.resize(static_cast<std::size_t>(slot_ - busy_first_), 0.0);
  spent_.push_back(std::isfinite(rate) ? rate : 0.0);
  if (asked_ > 0 && asked_ < kInfinity) unspent_ += std::max(0.0, 1 - rate / asked_);
  if (unspent_ > kUnspentSlots) planned_ = false;
}

/// The last slot of the busy period that holds `slot`; slot − 1 if none does.
Slot Narwhal::busy_until(Slot slot) const {
  Slot until = slot - 1;
  for (const auto& [first, last] : reach_) {
    if (first > std::max(until, slot)) break;
    until = std::max(until, last);
  }
  return until;
}

/// Nothing of the past matters any more once no policy reaches from there into `slot`.
void Narwhal::begin_period(Slot slot) {
  const auto next = reach_.lower_bound(slot);
  if (std::any_of(reach_.begin(), next, [&](const auto& entry) { return entry.second >= slot; })) return;
  reach_.erase(reach_.begin(), next);
  busy_first_ = slot;
  spent_.clear();
  if (held_ > 2 * held_after_forgetting_ + kHeldMin) forget_before(slot);
}

/// Called when as many policies were added as were left last time, so each is looked at twice at most on average.
void Narwhal::forget_before(Slot slot) {
  held_ = 0;
  for (Collection& collection : collections_) {
    std::vector<Policy> open;
    collection.for_overlapping({slot, kPolicySlotMax}, [&](const Policy& policy) { open.push_back(policy); });
    held_ += open.size();
    collection.assign(std::move(open));
  }
  held_after_forgetting_ = held_;
}

void Narwhal::make_plan(Slot slot) {
  const Slot until = busy_until(slot);
  const bool whole = slot == busy_first_ && until - slot < kWholeSlotsMax;
  const Slot last = whole ? until : std::min(until, slot + static_cast<Slot>(options_.horizon_slots) - 1);
  Slot first = slot;
  for (const Collection& collection : collections_)
    collection.for_overlapping({slot, last}, [&](const Policy& phi) { first = std::min(first, phi.interval.first); });
  spent_.resize(static_cast<std::size_t>(slot - busy_first_), 0.0);

  plan_slots_ = {first, last};
  plan_now_ = slot;
  PlanBook book{
      .collections = collections_,
      .slots = plan_slots_,
      .now = slot,
      .currency = currency(),
      .budget = [&](const Collection& collection, const Policy& phi) { return budget_within_plan(collection, phi); }};
  PlanTask task{.objective = *options_.objective,
                .spent = std::span(spent_).subspan(static_cast<std::size_t>(plan_slots_.first - busy_first_)),
                .tolerance = options_.tolerance,
                .sweeps_max = options_.sweeps_max};
  std::vector<double> at_most;
  if (options_.rate_max < kInfinity) {
    at_most.assign(static_cast<std::size_t>(plan_slots_.slots()), options_.rate_max);
    task.at_most = at_most;
  }
  std::vector<double> at_least;
  if (whole && reference_) {
    at_least = reference_rates(plan_slots_);
    task.at_least = at_least;
  }
  reserved_ = false;
  plan_ = solver_.solve(book, task);
  planned_ = true;
  unspent_ = 0;
  ++plans_made_;
}

std::vector<double> Narwhal::reference_rates(Interval period) const {
  const auto planner = reference_();
  for (std::size_t meter = 0; meter < collections_.size(); ++meter)
    collections_[meter].for_overlapping(
        period, [&](const Policy& policy) { planner->add(static_cast<MeterId>(meter), policy); });
  std::vector<double> rates;
  rates.reserve(static_cast<std::size_t>(period.slots()));
  for (Slot slot = period.first; slot <= period.last; ++slot) {
    rates.push_back(std::min(planner->rate(slot), options_.rate_max));
    planner->spent(rates.back());
  }
  return rates;
}

double Narwhal::budget_of(const Policy& policy) const {
  if (!options_.delta) return policy.epsilon.to_double();
  // Few different ε, and a conversion takes microseconds.
  const auto [entry, fresh] = budget_cache_.try_emplace(policy.epsilon.units(), 0.0);
  if (fresh)
    if (const auto epsilon = Epsilon::make(policy.epsilon.to_double()))
      entry->second = zcdp_rho(*epsilon, *options_.delta).to_double();
  return entry->second;
}

/// What a plan may use of a policy's budget: less a reserve for policies not known yet, and, when the policy goes on
/// beyond the plan, less what comes later can use.
double Narwhal::budget_within_plan(const Collection& collection, const Policy& policy) const {
  const double held_back = reserve(policy);
  if (held_back > 0) reserved_ = true;
  const double budget = budget_of(policy) * (1 - held_back);
  if (policy.interval.last <= plan_slots_.last) return budget;
  const double now = volume(collection, policy, currency(), plan_slots_);
  return budget * now / volume(collection, policy, currency(), policy.interval);
}

std::vector<Narwhal::Binding> Narwhal::binding() const {
  std::vector<Binding> found;
  std::size_t index = 0;
  auto price = plan_.prices.begin();
  for (std::size_t meter = 0; meter < collections_.size(); ++meter) {
    collections_[meter].for_overlapping({plan_now_, plan_slots_.last}, [&](const Policy& policy) {
      if (price != plan_.prices.end() && price->constraint == index) {
        found.push_back({static_cast<MeterId>(meter), policy, price->price});
        ++price;
      }
      ++index;
    });
  }
  return found;
}

std::unique_ptr<Narwhal> make_narwhal(const PlannerOptions& options) {
  NarwhalOptions narwhal;
  if (options.delta.value() > 0) narwhal.delta = options.delta;
  narwhal.rate_max = options.rate_max;
  return std::make_unique<Narwhal>(narwhal, [options] { return make_unicorn_ps(options); });
}

}  // namespace fugu
