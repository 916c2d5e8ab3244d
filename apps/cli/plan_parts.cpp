#include "plan_parts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fugu/comparison/conference_planners.hpp"
#include "fugu/simulate/simulation.hpp"
#include "fugu/strategy/planned.hpp"
#include "fugu/strategy/series_blocks.hpp"
#include "policy_options.hpp"

namespace fugu::cli {

namespace {

/// What a plan announces, as events.
class PlannedFeed final : public PolicyFeed {
 public:
  /// `book` has the names of the meters. Both outlive the feed.
  PlannedFeed(const PolicyBook& book, std::span<const Announcement> announced) : book_(book), announced_(announced) {}

  Result<const PolicyEvent*> next(Slot slot, const PolicyBook&) override {
    if (next_ >= announced_.size() || announced_[next_].known > slot) return nullptr;
    const Announcement& news = announced_[next_++];
    event_ = {.meter = std::string(book_.name(news.meter)), .policy = news.policy, .withdrawn = news.withdrawn};
    return &event_;
  }

 private:
  const PolicyBook& book_;
  std::span<const Announcement> announced_;
  std::size_t next_ = 0;
  PolicyEvent event_;
};

/// Notes what each slot has really cost.
class WatchedPlanner final : public Planner {
 public:
  WatchedPlanner(std::unique_ptr<Planner> rule, double idle_rate, std::vector<double>& rates)
      : rule_(std::move(rule)), idle_rate_(idle_rate), rates_(rates) {}

  void add(MeterId meter, const Policy& policy) override { rule_->add(meter, policy); }
  void withdraw(MeterId meter, const Policy& policy) override { rule_->withdraw(meter, policy); }
  double rate(Slot slot) override { return wanted_ = rule_->rate(slot); }
  void spent(double rate) override {
    rates_.push_back(std::isinf(wanted_) ? idle_rate_ : rate);
    rule_->spent(rate);
  }

 private:
  std::unique_ptr<Planner> rule_;
  double idle_rate_;
  double wanted_ = 0;
  std::vector<double>& rates_;
};

/// What publish gives a rule that asks for more than it may have, in parts of a step. What the stream is does not
/// matter: it is 0.
Result<std::vector<double>> rates_under_accountant(OutlookStrategy rule, const PolicyBook& book,
                                                   std::span<const Announcement> announced, const PlanRules& rules) {
  FUGU_ASSIGN(const Exposure exposure,
              Exposure::make({.sensitivity_steps = {rules.planner.sensitivity_steps * rules.parts},
                              .signatures = Exposure::all_shared(1)}));
  std::vector<double> rates;
  const double idle_rate = rules.outlook_in_parts().floor_rate.value_or(std::numeric_limits<double>::infinity());
  Simulation simulation({rules.definition, exposure, noise_for(rules.outlook.delta),
                         std::make_unique<PlannedStrategy>([&](const Kernel&) {
                           return std::make_unique<WatchedPlanner>(std::move(rule.planner), idle_rate, rates);
                         }),
                         std::make_unique<PlannedFeed>(book, announced)},
                        std::make_unique<SimulationNoise>(1));
  SlotRow row{.values = {Raw(0)}};
  for (; row.slot <= rules.outlook.slots.last; ++row.slot) FUGU_TRY(simulation.step(row));
  return rates;
}

}  // namespace

double SeriesGroup::factor(NoiseKind noise) const {
  return noise == NoiseKind::laplace ? static_cast<double>(series_per_meter)
                                     : std::sqrt(static_cast<double>(series_per_meter));
}

double PlanPart::weight(NoiseKind noise) const {
  double sum = 0;
  for (const SeriesGroup& group : groups) sum += group.factor(noise) * static_cast<double>(group.series.size());
  return sum;
}

std::vector<PlanPart> plan_parts(const PolicyBook& book, std::span<const StatedPolicy> late, const SeriesMap* map,
                                 const PlanRules& rules) {
  const Exposure& exposure = rules.exposure;
  const SeriesBlocks blocks(exposure);
  std::vector<PlanPart> parts(map == nullptr ? 1 : blocks.series.size());
  const auto part_of = [&](std::uint32_t block) { return map == nullptr ? 0u : block; };
  for (SeriesId series = 0; series < exposure.series_count(); ++series) {
    std::vector<SeriesGroup>& groups = parts[part_of(blocks.of_series[series])].groups;
    auto group = std::find_if(groups.begin(), groups.end(), [&](const SeriesGroup& other) {
      return other.series_per_meter == exposure.series_per_meter(series);
    });
    if (group == groups.end()) group = groups.insert(group, {.series_per_meter = exposure.series_per_meter(series)});
    group->series.push_back(series);
  }
  for (PlanPart& part : parts)
    std::stable_sort(part.groups.begin(), part.groups.end(), [](const SeriesGroup& a, const SeriesGroup& b) {
      return a.series_per_meter > b.series_per_meter;
    });

  std::vector<std::vector<SeriesId>> signatures;
  for (std::size_t g = 0; g < exposure.signature_count(); ++g) signatures.push_back(exposure.signature(g));
  const UnitSignatures membership(map, std::move(signatures));
  const auto for_parts_of = [&](std::string_view meter, const auto& act) {
    const std::vector<std::uint32_t> of = membership.of(meter);
    for (std::uint32_t p = 0; p < parts.size(); ++p) {
      if (of.empty() || part_of(blocks.of_signature[of[0]]) == p) act(parts[p], parts[p].book.meter(meter));
    }
  };
  for (MeterId meter = 0; meter < book.meter_count(); ++meter) {
    std::vector<Policy> policies;
    const auto stated = book.of(meter).policies();
    for (const Policy& policy : stated) policies.push_back(rules.as_planned(policy));
    for_parts_of(book.name(meter), [&](PlanPart& part, MeterId of_part) {
      part.book.assign(of_part, policies);
      part.stated.assign(part.stated.meter(book.name(meter)), {stated.begin(), stated.end()});
    });
  }
  for (const StatedPolicy& stated : late) {
    const Policy policy = rules.as_planned(stated.policy);
    for_parts_of(stated.meter, [&](PlanPart& part, MeterId of_part) {
      part.late.push_back({stated.known, of_part, policy, stated.withdrawn});
    });
  }
  for (PlanPart& part : parts) part.relevant = relevant_slots(part.book, rules.outlook.slots);
  return parts;
}

std::vector<Announcement> announcements_with(const PolicyBook& book, std::span<const Announcement> late,
                                             const OutlookOptions& options) {
  if (late.empty()) return announcements(book, options);
  PolicyBook early = book;
  for (const Announcement& news : late)
    if (news.withdrawn) early.add(news.meter, news.policy);
  for (const Announcement& news : late)
    if (!news.withdrawn) early.remove(news.meter, news.policy);
  std::vector<Announcement> announced = announcements(early, options);
  for (const Announcement& news : late)
    if (news.policy.interval.overlaps(options.slots)) announced.push_back(news);
  std::ranges::stable_sort(announced, {}, &Announcement::known);
  return announced;
}

OutlookOptions PlanRules::outlook_in_parts() const {
  OutlookOptions options = outlook;
  if (options.floor_rate) *options.floor_rate /= static_cast<double>(parts);
  return options;
}

Result<PlannedPart> plan_part(const std::string& strategy, const PolicyBook& stated, const PolicyBook& book,
                              std::span<const Announcement> announced, const PlanRules& rules) {
  const PlannerOptions options = in_parts(rules.planner, rules.parts);
  FUGU_ASSIGN(ComparedOutlook rule, make_compared_outlook(strategy, options));
  PlannedPart planned;
  const auto take = [&](std::vector<double> rates_in_parts) {
    planned.rates = std::move(rates_in_parts);
    for (double& rate : planned.rates) rate *= static_cast<double>(rules.parts);
    planned.use = check_rates(stated, rules.outlook.slots, planned.rates, rules.outlook.delta, &rules.exposure);
  };
  take(rates_as_announced(*rule.planner, announced, rules.outlook_in_parts()));
  if (rule.comparison_only || !planned.use.worst || keeps_promise(planned.use.worst->use)) return planned;
  planned.asked_for = planned.use.worst->use;
  FUGU_ASSIGN(rule, make_compared_outlook(strategy, options));  // as new
  FUGU_ASSIGN(std::vector<double> granted, rates_under_accountant(std::move(rule), book, announced, rules));
  take(std::move(granted));
  return planned;
}

}  // namespace fugu::cli
