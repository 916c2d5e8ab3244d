#include "fugu/strategy/outlook.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <utility>

#include "fugu/accounting/loss_terms.hpp"
#include "fugu/accounting/zcdp.hpp"
#include "fugu/base/check.hpp"
#include "fugu/strategy/narwhal.hpp"
#include "largest_sum.hpp"

namespace fugu {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::size_t index_of(const Interval& slots, Slot slot) { return static_cast<std::size_t>(slot - slots.first); }

NarwhalOptions narwhal_options(Delta delta) {
  NarwhalOptions options;
  if (delta.value() > 0) options.delta = delta;
  return options;
}

/// Names in the catalogue of strategies that differ from those of the planner.
std::string_view planner_name(std::string_view strategy) {
  if (strategy == "uniform") return "w-event-uniform";
  if (strategy == "sample") return "w-event-sample";
  return strategy;
}

std::string_view strategy_name(std::string_view planner) {
  if (planner == "w-event-uniform") return "uniform";
  if (planner == "w-event-sample") return "sample";
  return planner;
}

/// The conference paper's rule is for δ = 0.
bool has_form_with(const PublishedPlanner& published, Delta delta) {
  return delta.value() == 0 || published.name != "conference-repaired";
}

/// What a policy may lose, in the currency of its promise.
class Budgets {
 public:
  explicit Budgets(Delta delta) : delta_(delta) {}

  double of(const Policy& policy) {
    if (delta_.value() == 0) return policy.epsilon.to_double();
    const auto [entry, fresh] = rho_.try_emplace(policy.epsilon.units(), 0.0);
    if (fresh)
      if (const auto epsilon = Epsilon::make(policy.epsilon.to_double()))
        entry->second = zcdp_rho(*epsilon, delta_).to_double();
    return entry->second;
  }

 private:
  Delta delta_;
  std::map<std::uint64_t, double> rho_;  // by units of ε: there are few, and a conversion takes microseconds
};

/// Computes L(J).
class LossMeter {
 public:
  LossMeter(const Interval& slots, std::span<const double> rates, Currency currency, const Exposure* exposure)
      : slots_(slots), rates_(rates), currency_(currency), exposure_(exposure) {}

  double loss(const Collection& collection, const Policy& phi) {
    const Interval within = common(phi.interval, slots_);
    sum_before_.assign(1, 0.0);  // from the start of J, so that rounding is relative to what J itself loses
    for (Slot slot = within.first; slot <= within.last; ++slot) {
      const double rate = rates_[index_of(slots_, slot)];
      if (std::isinf(rate)) return kInfinity;  // the true value, in a slot that is promised something
      sum_before_.push_back(sum_before_.back() + rate);
    }
    double loss = 0;
    if (currency_ == Currency::rho) {
      for_loss_terms(collection, phi, currency_, [&](const LossTerm& term) {
        if (!term.interval.overlaps(within)) return;
        loss +=
            static_cast<double>(term.weight) * largest_sum(common(term.interval, within), term.length_slots, within);
      });
      return loss;
    }
    collection.for_overlapping(within, [&](const Policy& psi) {
      if (psi.shape) {
        loss += worst_placement(psi, within);
      } else {
        const Interval part = common(psi.interval, within);
        loss += static_cast<double>(psi.magnitude_steps) * largest_sum(part, psi.length_slots, within);
      }
    });
    return loss;
  }

 private:
  /// The largest loss over alternatives and starts of what lies in `within`.
  double worst_placement(const Policy& psi, const Interval& within) const {
    double worst = 0;
    for (const Profile& profile : psi.shape->alternatives) {
      const auto length = static_cast<Slot>(profile.lanes[0].steps.size());
      const Slot first = std::max(psi.interval.first, within.first - length + 1);
      const Slot last = std::min(psi.interval.last - length + 1, within.last);
      for (Slot start = first; start <= last; ++start) worst = std::max(worst, placed(profile, start, within));
    }
    return worst;
  }

  double placed(const Profile& profile, Slot start, const Interval& within) const {
    double loss = 0;
    for (const Lane& lane : profile.lanes) {
      const std::uint64_t shared_by =
          lane.series && exposure_ != nullptr ? exposure_->series_per_meter(*lane.series) : 1;
      const Interval part = common({start, start + static_cast<Slot>(lane.steps.size()) - 1}, within);
      double of_lane = 0;
      for (Slot slot = part.first; slot <= part.last; ++slot)
        of_lane +=
            static_cast<double>(lane.steps[static_cast<std::size_t>(slot - start)]) * rates_[index_of(slots_, slot)];
      loss += of_lane / static_cast<double>(shared_by);
    }
    return loss;
  }

  /// The largest sum of rates over up to `length_slots` consecutive slots of `part`.
  double largest_sum(const Interval& part, std::uint64_t length_slots, const Interval& within) const {
    return fugu::largest_sum(sum_before_, index_of(within, part.first), index_of(within, part.last) + 1,
                             std::min(length_slots, part.slots()));
  }

  Interval slots_;
  std::span<const double> rates_;
  Currency currency_;
  const Exposure* exposure_;
  std::vector<double> sum_before_;
};

/// Σ expected error over slots: what plans make small.
double total_error(std::span<const double> rates, NoiseKind noise) {
  double sum = 0;
  for (const double scale : shown_scales(rates, noise))
    if (std::isfinite(scale)) sum += expected_error(scale, noise);
  return sum;
}

double quantile(std::span<const double> sorted, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::min(sorted.size(), std::max<std::size_t>(rank, 1)) - 1];
}

}  // namespace

Result<OutlookStrategy> make_outlook_strategy(std::string_view name, const PlannerOptions& options) {
  if (name == "narwhal") return OutlookStrategy{"narwhal", make_narwhal(options)};
  std::string known = "narwhal";
  for (const PublishedPlanner& published : published_planners()) {
    if (!has_form_with(published, options.delta)) continue;
    const std::string_view strategy = strategy_name(published.name);
    if (published.name == planner_name(name)) return OutlookStrategy{strategy, published.make(options)};
    known.append(", ").append(strategy);
  }
  return Error{Cause::usage,
               "there is no strategy '" + std::string(name) + "' that can be planned without data; known are " + known};
}

std::vector<Announcement> announcements(const PolicyBook& book, const OutlookOptions& options) {
  std::vector<Announcement> announced;
  const auto notice = static_cast<Slot>(std::min<std::uint64_t>(options.notice_slots.value_or(0), kPolicySlotMax));
  for (MeterId meter = 0; meter < book.meter_count(); ++meter) {
    book.of(meter).for_overlapping(options.slots, [&](const Policy& policy) {
      Slot known = options.slots.first;
      if (options.notice_slots) known = std::max(known, policy.interval.first - notice);
      announced.push_back({.known = known, .meter = meter, .policy = policy});
    });
  }
  std::ranges::stable_sort(announced, {}, &Announcement::known);
  return announced;
}

double smallest_rate(Delta delta) {
  return delta.value() > 0 ? 0x1p-61 : 0x1p-40;  // a variance of 2^60, a scale of 2^40 steps (kernel.cpp)
}

std::vector<double> rates_as_announced(Planner& planner, std::span<const Announcement> announced,
                                       const OutlookOptions& options) {
  std::size_t next = 0;
  std::vector<double> rates;
  rates.reserve(options.slots.slots());
  const double floor_rate = options.floor_rate.value_or(kInfinity);
  const double smallest = smallest_rate(options.delta);
  for (Slot slot = options.slots.first; slot <= options.slots.last; ++slot) {
    for (; next < announced.size() && announced[next].known <= slot; ++next) {
      const Announcement& news = announced[next];
      news.withdrawn ? planner.withdraw(news.meter, news.policy) : planner.add(news.meter, news.policy);
    }
    const double wanted = planner.rate(slot);
    rates.push_back(std::min(wanted, floor_rate));
    if (rates.back() < smallest) rates.back() = 0;
    planner.spent(std::isinf(wanted) ? 0 : rates.back());
  }
  return rates;
}

std::vector<double> planned_rates(Planner& planner, const PolicyBook& book, const OutlookOptions& options) {
  return rates_as_announced(planner, announcements(book, options), options);
}

std::vector<char> relevant_slots(const PolicyBook& book, const Interval& slots) {
  std::vector<std::int64_t> change(slots.slots() + 1, 0);
  for (MeterId meter = 0; meter < book.meter_count(); ++meter) {
    book.of(meter).for_overlapping(slots, [&](const Policy& policy) {
      const Interval within = common(policy.interval, slots);
      ++change[index_of(slots, within.first)];
      --change[index_of(slots, within.last) + 1];
    });
  }
  std::vector<char> relevant;
  std::int64_t policies = 0;
  for (std::size_t i = 0; i < slots.slots(); ++i) relevant.push_back((policies += change[i]) > 0);
  return relevant;
}

void for_policy_uses(const PolicyBook& book, const Interval& slots, std::span<const double> rates, Delta delta,
                     const std::function<void(MeterId, const Policy&, double)>& visit, const Exposure* exposure) {
  FUGU_CHECK(rates.size() == slots.slots());
  LossMeter losses(slots, rates, delta.value() == 0 ? Currency::epsilon : Currency::rho, exposure);
  Budgets budgets(delta);
  for (MeterId meter = 0; meter < book.meter_count(); ++meter) {
    const Collection& collection = book.of(meter);
    collection.for_overlapping(
        slots, [&](const Policy& phi) { visit(meter, phi, losses.loss(collection, phi) / budgets.of(phi)); });
  }
}

BookUse check_rates(const PolicyBook& book, const Interval& slots, std::span<const double> rates, Delta delta,
                    const Exposure* exposure) {
  BookUse result;
  const auto count = [&](MeterId meter, const Policy& phi, double use) {
    ++result.policies;
    if (!keeps_promise(use)) ++result.over;
    if (!result.worst || use > result.worst->use) result.worst = PolicyUse{meter, phi, use};
  };
  for_policy_uses(book, slots, rates, delta, count, exposure);
  return result;
}

double scale_at(double rate, NoiseKind noise) {
  return noise == NoiseKind::laplace ? 1 / rate : std::sqrt(1 / (2 * rate));
}

double expected_error(double scale, NoiseKind noise) {
  return noise == NoiseKind::laplace ? scale : scale * std::sqrt(2 / std::numbers::pi);
}

std::vector<double> shown_scales(std::span<const double> rates, NoiseKind noise) {
  std::vector<double> scales;
  scales.reserve(rates.size());
  double shown = std::numeric_limits<double>::quiet_NaN();
  for (const double rate : rates) {
    if (rate > 0) shown = scale_at(rate, noise);
    scales.push_back(shown);
  }
  return scales;
}

ScaleSummary summarize_scales(std::span<const double> rates, std::span<const double> scales,
                              std::span<const char> relevant, NoiseKind noise) {
  FUGU_CHECK(rates.size() == scales.size() && rates.size() == relevant.size());
  ScaleSummary summary{.slots = rates.size()};
  std::vector<double> seen;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    if (relevant[i] == 0) continue;
    ++summary.relevant_slots;
    if (rates[i] == 0) ++summary.repeated_slots;
    if (std::isnan(scales[i])) continue;
    seen.push_back(scales[i]);
    summary.mean += scales[i];
    summary.mean_error += expected_error(scales[i], noise);
  }
  if (seen.empty()) return summary;
  std::sort(seen.begin(), seen.end());
  summary.mean /= static_cast<double>(seen.size());
  summary.mean_error /= static_cast<double>(seen.size());
  summary.median = quantile(seen, 0.5);
  summary.high = quantile(seen, 0.95);
  summary.largest = seen.back();
  return summary;
}

std::vector<BindingPolicy> binding_policies(const PolicyBook& book, const OutlookOptions& options) {
  NarwhalOptions narwhal = narwhal_options(options.delta);
  // As a limit of the plan, the floor leaves nothing unspent: each busy period is planned once.
  narwhal.rate_max = options.floor_rate.value_or(kInfinity);
  Narwhal planner(narwhal);  // with a reference, prices would be about it as well
  for (const Announcement& news : announcements(book, {.slots = options.slots})) planner.add(news.meter, news.policy);
  Budgets budgets(options.delta);
  std::vector<BindingPolicy> binding;
  double error = 0;
  for (Slot slot = options.slots.first; slot <= options.slots.last; ++slot) {
    const std::uint64_t plans = planner.plans_made();
    planner.spent(planner.rate(slot));
    if (planner.plans_made() == plans) continue;
    for (const Narwhal::Binding& bound : planner.binding()) {
      // What a hundredth more would bring, so that policies with different ε compare.
      binding.push_back({bound.meter, bound.policy, bound.price * budgets.of(bound.policy)});
    }
    error += planner.plan().objective;
  }
  for (BindingPolicy& policy : binding) policy.share /= error;
  std::stable_sort(binding.begin(), binding.end(),
                   [](const BindingPolicy& a, const BindingPolicy& b) { return a.share > b.share; });
  return binding;
}

class WhatIf::Impl {
 public:
  Impl(const PolicyBook& book, const OutlookOptions& options)
      : book_(book), options_(options), relevant_(relevant_slots(book, options.slots)) {}

  double change(MeterId meter, const Policy& policy, const std::optional<Policy>& instead) {
    const Interval slots = neighbourhood(policy, instead);
    const PolicyBook before = policies_in(slots);
    PolicyBook after = before;
    FUGU_CHECK(after.remove(meter, policy));
    if (instead && instead->interval.overlaps(options_.slots)) after.add(meter, *instead);
    const auto known = before_.find({slots.first, slots.last});
    const double error_before =
        known != before_.end() ? known->second : before_[{slots.first, slots.last}] = error_of(before, slots);
    return error_of(after, slots) - error_before;
  }

 private:
  // Plans of more policies than this take seconds; a cut then takes so many slots on either side.
  static constexpr std::size_t kPoliciesMax = 50'000;
  static constexpr Slot kCutSlots = 192;
  // Differences between plans need plans that are better than those which are shown.
  static constexpr double kTolerance = 0.002;
  static constexpr std::uint32_t kSweepsMax = 400;

  /// All slots whose plan the change can reach.
  Interval neighbourhood(const Policy& policy, const std::optional<Policy>& instead) const {
    Interval hull = policy.interval;
    if (instead) hull = {std::min(hull.first, instead->interval.first), std::max(hull.last, instead->interval.last)};
    Interval near = common(hull, options_.slots);
    const Interval cut{near.first - kCutSlots, near.last + kCutSlots};
    while (near.first > options_.slots.first && is_relevant(near.first - 1)) --near.first;
    while (near.last < options_.slots.last && is_relevant(near.last + 1)) ++near.last;
    if (count_in(near) <= kPoliciesMax) return near;
    Interval reached = common(cut, options_.slots);
    for (MeterId meter = 0; meter < book_.meter_count(); ++meter) {
      book_.of(meter).for_overlapping(common(cut, options_.slots), [&](const Policy& other) {
        reached = {std::min(reached.first, other.interval.first), std::max(reached.last, other.interval.last)};
      });
    }
    return common(reached, options_.slots);
  }

  bool is_relevant(Slot slot) const { return relevant_[index_of(options_.slots, slot)] != 0; }

  std::size_t count_in(const Interval& slots) const {
    std::size_t count = 0;
    for (MeterId meter = 0; meter < book_.meter_count(); ++meter) count += book_.of(meter).count_overlapping(slots);
    return count;
  }

  PolicyBook policies_in(const Interval& slots) const {
    PolicyBook part;
    for (MeterId meter = 0; meter < book_.meter_count(); ++meter) {
      std::vector<Policy> policies;
      book_.of(meter).for_overlapping(slots, [&](const Policy& policy) {
        if (slots.contains(policy.interval) || !cut_off(policy, slots)) policies.push_back(policy);
      });
      part.assign(part.meter(book_.name(meter)), std::move(policies));
    }
    return part;
  }

  /// Reaches over the edge of a cut, rather than over the end of the stream.
  bool cut_off(const Policy& policy, const Interval& slots) const {
    return !slots.contains(common(policy.interval, options_.slots));
  }

  double error_of(const PolicyBook& part, const Interval& slots) const {
    NarwhalOptions narwhal = narwhal_options(options_.delta);
    narwhal.rate_max = options_.floor_rate.value_or(kInfinity);
    narwhal.tolerance = kTolerance;
    narwhal.sweeps_max = kSweepsMax;
    OutlookOptions options = options_;
    options.slots = slots;
    options.notice_slots.reset();
    const PlannerOptions reference{.delta = options_.delta};
    const auto planner = std::make_unique<Narwhal>(narwhal, [reference] { return make_unicorn_ps(reference); });
    return total_error(planned_rates(*planner, part, options), noise_for(options_.delta));
  }

  const PolicyBook& book_;
  OutlookOptions options_;
  std::vector<char> relevant_;
  std::map<std::pair<Slot, Slot>, double> before_;  // error of the neighbourhoods seen
};

WhatIf::WhatIf(const PolicyBook& book, const OutlookOptions& options) : impl_(std::make_unique<Impl>(book, options)) {}
WhatIf::~WhatIf() = default;
WhatIf::WhatIf(WhatIf&&) noexcept = default;
WhatIf& WhatIf::operator=(WhatIf&&) noexcept = default;

double WhatIf::change(MeterId meter, const Policy& policy, const std::optional<Policy>& instead) {
  return impl_->change(meter, policy, instead);
}

Policy with_scaled_epsilon(Policy policy, double factor) {
  policy.epsilon = Budget::round_down(policy.epsilon.to_double() * factor);
  return policy;
}

PolicyBook with_scaled_epsilons(const PolicyBook& book, double factor) {
  PolicyBook scaled;
  for (MeterId meter = 0; meter < book.meter_count(); ++meter) {
    std::vector<Policy> policies(book.of(meter).policies().begin(), book.of(meter).policies().end());
    for (Policy& policy : policies) policy = with_scaled_epsilon(std::move(policy), factor);
    scaled.assign(scaled.meter(book.name(meter)), std::move(policies));
  }
  return scaled;
}

}  // namespace fugu
