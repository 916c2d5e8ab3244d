// fugu plan: tables and words about the noise.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "fugu/attack/attack.hpp"
#include "fugu/policy/dominance.hpp"
#include "fugu/report/number.hpp"
#include "fugu/strategy/policy_facts.hpp"
#include "fugu/strategy/tenat.hpp"
#include "fugu/stream/location.hpp"
#include "plan_run.hpp"

namespace fugu::cli {

namespace {

// What a policy may have.
constexpr double kEpsilonMax = 0x1p15;
constexpr double kEpsilonMin = 1e-12;

std::string number(double value) { return report::format_significant(value); }

std::string percent(double share) {
  const double value = 100 * share;
  const double magnitude = std::abs(value);
  return magnitude < 0.005 ? "0 %" : report::format_fixed(value, magnitude < 1 ? 2 : magnitude < 10 ? 1 : 0) + " %";
}

/// A use that is more than 1 does not read as 1.
std::string use_text(double use) {
  constexpr int kDigits = 3;
  constexpr int kDigitsMax = 12;
  if (keeps_promise(use)) return number(use);
  int digits = kDigits;
  while (digits < kDigitsMax && use - 1 < 0.5 * std::pow(10, 1 - digits)) ++digits;
  return report::format_significant(use, digits);
}

struct EpsilonRange {
  double smallest = 0;
  double largest = 0;

  std::string text() const {
    return smallest == largest ? short_number(smallest) : short_number(smallest) + " … " + short_number(largest);
  }
};

std::vector<double> distinct_epsilons(const PolicyBook& book) {
  std::set<double> seen;
  for (MeterId meter = 0; meter < book.meter_count(); ++meter)
    for (const Policy& policy : book.of(meter).policies()) seen.insert(policy.epsilon.to_double());
  return {seen.begin(), seen.end()};
}

EpsilonRange epsilons_of(const PolicyBook& book) {
  const std::vector<double> all = distinct_epsilons(book);
  return {all.front(), all.back()};
}

}  // namespace

// --- Noise --------------------------------------------------------------------------------------------------------

/// Over all series and the slots in which one of their policies is relevant, in units.
double PlanRun::mean_error(const PlannedNoise& planned) const {
  double sum = 0;
  double values = 0;
  for (std::size_t p = 0; p < outlook_.parts.size(); ++p) {
    const PlanPart& part = outlook_.parts[p];
    const ScaleSummary& summary = planned.parts[p].summary;
    const auto slots = static_cast<double>(summary.relevant_slots);
    sum += summary.mean_error * slots * part.weight(noise());
    for (const SeriesGroup& group : part.groups) values += slots * static_cast<double>(group.series.size());
  }
  return values > 0 ? outlook_.in_units(sum / values) : 0;
}

/// The groups of series that policies are about, those with the most noise first.
std::vector<PlanRun::ShownGroup> PlanRun::groups_by_noise() const {
  std::vector<ShownGroup> groups;
  for (std::size_t p = 0; p < outlook_.parts.size(); ++p) {
    if (outlook_.parts[p].book.empty()) continue;
    for (const SeriesGroup& group : outlook_.parts[p].groups) groups.push_back({p, group});
  }
  const auto scale = [&](const ShownGroup& shown) {
    return outlook_.strategies.front().parts[shown.part].summary.mean * shown.group.factor(noise());
  };
  std::stable_sort(groups.begin(), groups.end(),
                   [&](const ShownGroup& a, const ShownGroup& b) { return scale(a) > scale(b); });
  return groups;
}

std::string PlanRun::verdict(const PlannedNoise& strategy, const PlannedPart& planned) const {
  if (!planned.use.worst) return "nothing to keep";
  if (planned.asked_for) return "held back, asks for " + use_text(*planned.asked_for) + " of 1";
  if (keeps_promise(planned.use.worst->use)) return "holds";
  FUGU_CHECK(strategy.comparison_only);
  return "BREAKS, " + use_text(planned.use.worst->use) + " of 1";
}

report::Table PlanRun::strategies_table() const {
  using Align = report::Column::Align;
  report::Table table{.caption = noise_caption(),
                      .columns = {{"strategy", Align::text},
                                  {"mean scale", Align::number},
                                  {"median", Align::number},
                                  {"95 %", Align::number},
                                  {"largest", Align::number},
                                  {"expected error", Align::number},
                                  {"repeated", Align::number},
                                  {delta() > 0 ? "worst use" : "worst loss/ε", Align::number},
                                  {"verdict", Align::text}}};
  std::vector<ShownGroup> groups = groups_by_noise();
  const bool differ = groups.size() > 1;
  if (differ) table.columns.insert(table.columns.begin() + 1, {"series", Align::text});
  if (groups.size() > arguments_.top) groups.resize(arguments_.top);
  for (const PlannedNoise& strategy : outlook_.strategies) {
    for (const auto& [part, group] : groups) {
      const PlannedPart& planned = strategy.parts[part];
      const ScaleSummary& summary = planned.summary;
      const auto relevant = static_cast<double>(std::max<std::uint64_t>(1, summary.relevant_slots));
      const bool holds = !planned.use.worst || keeps_promise(planned.use.worst->use);
      const auto scale = [&](double steps) { return number(outlook_.in_units(steps * group.factor(noise()))); };
      std::vector<report::Cell> row = {{strategy.name},
                                       {scale(summary.mean)},
                                       {scale(summary.median)},
                                       {scale(summary.high)},
                                       {scale(summary.largest)},
                                       {scale(summary.mean_error)},
                                       {percent(static_cast<double>(summary.repeated_slots) / relevant)},
                                       {planned.use.worst ? use_text(planned.use.worst->use) : "–"},
                                       {verdict(strategy, planned), holds ? report::Tone::good : report::Tone::bad}};
      if (differ) row.insert(row.begin() + 1, {outlook_.names_of(group)});
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

/// What the scales are of.
std::string PlanRun::noise_caption() const {
  return "Noise" + std::string(outlook_.series.size() > 1 ? " of each series" : "") + " over relevant slots" +
         (outlook_.unit.empty() ? "" : ", in " + outlook_.unit);
}

/// What the table cannot say by itself.
std::vector<std::string> PlanRun::remarks() const {
  std::string repeating;
  std::string held_back;
  std::string breaking;
  const auto add = [](std::string& names, const std::string& name) { names += (names.empty() ? "" : ", ") + name; };
  for (const PlannedNoise& strategy : outlook_.strategies) {
    const auto any = [&](auto&& has) { return std::any_of(strategy.parts.begin(), strategy.parts.end(), has); };
    if (any([](const PlannedPart& part) { return 10 * part.summary.repeated_slots > part.summary.relevant_slots; }))
      add(repeating, strategy.name);
    if (any([](const PlannedPart& part) { return part.asked_for.has_value(); })) add(held_back, strategy.name);
    if (strategy.comparison_only) add(breaking, strategy.name);
  }
  std::vector<std::string> lines;
  if (!repeating.empty())
    lines.push_back("repeated (" + repeating +
                    "): an earlier release is shown again; what the stream moved since comes on top of the error.");
  if (!held_back.empty())
    lines.push_back("held back (" + held_back +
                    "): it asks for more than is promised. The accountant gives it what is left, and where nothing is "
                    "left an earlier release is repeated: the row shows what publish would then do.");
  if (!breaking.empty())
    lines.push_back("for comparison only (" + breaking + "): publish does not release with it, see fugu describe.");
  if (const std::size_t groups = groups_by_noise().size(); groups > arguments_.top)
    lines.push_back(std::to_string(groups - arguments_.top) + " other groups of series have less noise with " +
                    outlook_.strategies.front().name + ": --top shows more, --out has all.");
  std::size_t without = 0;
  for (const PlanPart& part : outlook_.parts) {
    if (!part.book.empty()) continue;
    for (const SeriesGroup& group : part.groups) without += group.series.size();
  }
  if (without > 0) lines.push_back("No policy is about " + std::to_string(without) + " of the series.");
  return lines;
}

// --- Who binds, and what everybody would gain ----------------------------------------------------------------------

std::string_view PlanRun::meter_name(const BindingInPart& bound) const {
  return outlook_.parts[bound.part].book.name(bound.meter);
}

/// The policies that bind most; with --meter, those of this meter, and then also those that do not bind.
std::vector<BindingInPart> PlanRun::policies_to_explain() const {
  std::vector<BindingInPart> chosen;
  for (const BindingInPart& bound : outlook_.binding) {
    if (chosen.size() >= arguments_.top) break;
    if (arguments_.meter.empty() || meter_name(bound) == arguments_.meter) chosen.push_back(bound);
  }
  if (arguments_.meter.empty()) return chosen;
  for (std::size_t p = 0; p < outlook_.parts.size(); ++p) {
    const PolicyBook& book = outlook_.parts[p].book;
    const auto meter = book.find(arguments_.meter);
    if (!meter) continue;
    for (const Policy& policy : book.of(*meter).policies()) {
      if (chosen.size() >= arguments_.top) break;
      const bool listed = std::any_of(chosen.begin(), chosen.end(), [&](const BindingInPart& other) {
        return other.part == p && other.policy == policy;
      });
      if (!listed && policy.interval.overlaps(outlook_.options.slots)) chosen.push_back({{*meter, policy, 0}, p});
    }
  }
  return chosen;
}

/// When there are no policies to explain.
std::string PlanRun::why_nothing_is_explained() const {
  const bool any_relevant = std::ranges::any_of(outlook_.parts, [](const PlanPart& part) {
    return std::ranges::any_of(part.relevant, [](char one) { return one != 0; });
  });
  if (any_relevant && arguments_.meter.empty()) return "No policy binds: the floor asks for more noise than they do.";
  const Interval& slots = outlook_.options.slots;
  return "No policy" + (arguments_.meter.empty() ? "" : " of meter " + shown_name(arguments_.meter)) +
         " is relevant from " + outlook_.time_text(slots.first) + " to " + outlook_.time_text(slots.last) + ".";
}

report::Table PlanRun::binding_table() const {
  using Align = report::Column::Align;
  report::Table table{.caption = "Who binds: the share of the noise that hangs on a policy, in the best plan there is",
                      .columns = {{"share", Align::number},
                                  {"meter", Align::text},
                                  {"start", Align::number},
                                  {"end", Align::number},
                                  {"length", Align::number},
                                  {"magnitude", Align::number},
                                  {"ε", Align::number},
                                  {"δ(J)", Align::number},
                                  {"dominated by", Align::text}}};
  for (const BindingInPart& bound : policies_to_explain()) {
    const Policy& policy = outlook_.as_stated(bound.part, bound.meter, bound.policy);
    table.rows.push_back({{percent(bound.share)},
                          {std::string(meter_name(bound))},
                          {outlook_.short_time_text(policy.interval.first)},
                          {outlook_.short_time_text(policy.interval.last)},
                          {std::to_string(policy.length_slots)},
                          {outlook_.unit_step.text(static_cast<std::int64_t>(policy.magnitude_steps))},
                          {short_number(policy.epsilon.to_double())},
                          {std::to_string(affected_slots(outlook_.parts[bound.part].stated.of(bound.meter), policy))},
                          {dominating(bound, policy)}});
  }
  return table;
}

/// Another policy of the meter that is promised no less: the first in its collection; of two equal ones the second is
/// dominated.
std::string PlanRun::dominating(const BindingInPart& bound, const Policy& policy) const {
  const auto policies = outlook_.parts[bound.part].stated.of(bound.meter).policies();
  for (const Policy& other : policies) {
    if (&other == &policy || !dominates_throughout(other, policy)) continue;
    if (dominates_throughout(policy, other) && &policy < &other) continue;
    return outlook_.short_time_text(other.interval.first) + " to " + outlook_.short_time_text(other.interval.last);
  }
  return "–";
}

// --- What the policies are like ------------------------------------------------------------------------------------

report::Table PlanRun::facts_table() const {
  using Align = report::Column::Align;
  report::Table table{.caption = "What the policies are like: what rules that look at them can gain over uniform",
                      .columns = {{"meter", Align::text},
                                  {"policies", Align::number},
                                  {"longest interval", Align::number},
                                  {"largest δ(J)", Align::number},
                                  {"TeS effect", Align::number},
                                  {"TeNAT effect", Align::number},
                                  {"dominates", Align::number}}};
  const Interval& slots = outlook_.options.slots;
  const std::uint64_t sensitivity = outlook_.rules->planner.sensitivity_steps * outlook_.rules->parts;
  const auto row = [&](std::string name, const CollectionFacts& facts, std::string dominates) {
    table.rows.push_back({{std::move(name)},
                          {std::to_string(facts.policies)},
                          {std::to_string(facts.longest_interval_slots)},
                          {std::to_string(facts.most_affected_slots)},
                          {number(facts.tes_effect)},
                          {number(facts.tenat_effect)},
                          {std::move(dominates)}});
  };
  struct Described {
    std::string name;
    CollectionFacts facts;
    double dominates = 0;
  };
  std::vector<Described> all;
  for (const PlanPart& part : outlook_.parts) {
    const std::vector<std::uint64_t> dominated = dominated_slots(part.book, slots);
    const auto relevant = static_cast<double>(std::ranges::count_if(part.relevant, [](char one) { return one != 0; }));
    for (MeterId meter = 0; meter < part.book.meter_count(); ++meter) {
      const std::string name(part.book.name(meter));
      if (!arguments_.meter.empty() && name != arguments_.meter) continue;
      const CollectionFacts facts = facts_of(part.book.of(meter), slots, sensitivity);
      if (facts.policies > 0) all.push_back({name, facts, static_cast<double>(dominated[meter]) / relevant});
    }
  }
  std::ranges::stable_sort(
      all, [](const Described& a, const Described& b) { return a.facts.tes_effect > b.facts.tes_effect; });
  if (all.size() > arguments_.top) all.resize(arguments_.top);
  for (const Described& meter : all) row(meter.name, meter.facts, percent(meter.dominates));
  if (outlook_.parts.size() == 1 && outlook_.parts[0].book.meter_count() > 1)
    row("(all)", facts_of(outlook_.parts[0].book, slots, sensitivity), "");
  return table;
}

std::string PlanRun::facts_words() const {
  return "TeS effect: the mean over all slots of what is relevant then over the sensitivity, which is the error of "
         "tes-uniform over that of uniform. TeNAT effect: the mean of the largest relevant δ(J), in how many slots of "
         "an interval something can differ, over the longest interval. When all policies have the same ε, this is the "
         "error of tenat-uniform over that of uniform. "
         "Dominates: the share of the relevant slots in which no other meter has anything larger, longer or stricter.";
}

/// What Narwhal's expected errors add up to over the relevant slots of the whole plan and all series, everything known
/// in advance.
Result<void> PlanRun::weigh_parts() {
  FUGU_ASSIGN(const PlannedNoise narwhal, plan("narwhal", 1, Known::in_advance));
  for (std::size_t p = 0; p < outlook_.parts.size(); ++p) {
    const PlanPart& part = outlook_.parts[p];
    const PlannedPart& planned = narwhal.parts[p];
    const ScaleSummary all = summarize_scales(planned.rates, planned.scales, part.relevant, noise());
    part_errors_.push_back(all.mean_error * static_cast<double>(all.relevant_slots) * part.weight(noise()));
  }
  return {};
}

/// What the shares of a part add up to when nothing else holds the noise up: 1, or ½ with δ > 0, to within the
/// tolerance of the plan. Without a floor that is their sum; with one, less hangs on the policies.
double PlanRun::sum_of_shares(std::span<const BindingPolicy> binding) const {
  double sum = 0;
  for (const BindingPolicy& bound : binding) sum += bound.share;
  return floor() == nullptr ? sum : std::max(sum, delta() > 0 ? 0.5 : 1.0);
}

void PlanRun::find_binding() {
  const double total = std::accumulate(part_errors_.begin(), part_errors_.end(), 0.0);
  for (std::size_t p = 0; p < outlook_.parts.size(); ++p) {
    if (outlook_.parts[p].book.empty()) continue;
    std::vector<BindingPolicy> binding = binding_policies(outlook_.parts[p].book, outlook_.rules->outlook_in_parts());
    const double whole = sum_of_shares(binding);
    for (BindingPolicy& bound : binding) {
      bound.share /= whole;
      if (total > 0) bound.share *= part_errors_[p] / total;
      outlook_.binding.push_back({std::move(bound), p});
    }
  }
  std::stable_sort(outlook_.binding.begin(), outlook_.binding.end(),
                   [](const BindingPolicy& a, const BindingPolicy& b) { return a.share > b.share; });
}

namespace {

Interval interval_later(const Policy& policy) {
  const auto later = static_cast<Slot>(policy.interval.slots());
  return {policy.interval.first + later, policy.interval.last + later};
}

/// A change of one policy, as planners are told of it; absent when it makes no sense for it.
struct Wish {
  const char* name;
  std::function<std::optional<Policy>(Policy)> make;
};

const std::vector<Wish>& other_wishes() {
  static const std::vector<Wish> kWishes = {
      {"half as long",
       [](Policy policy) -> std::optional<Policy> {
         if (policy.length_slots < 2) return std::nullopt;
         policy.length_slots = (policy.length_slots + 1) / 2;
         return policy;
       }},
      {"half as large",
       [](Policy policy) -> std::optional<Policy> {
         if (policy.magnitude_steps < 2) return std::nullopt;
         policy.magnitude_steps = (policy.magnitude_steps + 1) / 2;
         return policy;
       }},
      {"one interval later",
       [](Policy policy) -> std::optional<Policy> {
         policy.interval = interval_later(policy);
         return policy;
       }},
      {"ε doubled",
       [](Policy policy) -> std::optional<Policy> {
         policy.epsilon += policy.epsilon;
         return policy;
       }},
  };
  return kWishes;
}

}  // namespace

PlanRun::Gains PlanRun::gains() const {
  Gains gains;
  using Align = report::Column::Align;
  report::Table& table = gains.table;
  table = {.caption = "What everybody would gain: change of the total expected error over all slots if one policy were",
           .columns = {{"meter", Align::text}, {"start", Align::number}, {"end", Align::number}}};
  for (const Wish& wish : other_wishes()) table.columns.push_back({wish.name, Align::number});
  table.columns.push_back({"withdrawn", Align::number});
  const double total = std::accumulate(part_errors_.begin(), part_errors_.end(), 0.0);
  const std::vector<BindingInPart> explained = policies_to_explain();
  // Where nobody says that the stream ends with the last policy, one that moves later does not leave it.
  OutlookOptions options = outlook_.rules->outlook_in_parts();
  for (const BindingInPart& bound : explained)
    options.slots.last = std::max(options.slots.last, std::min(stream_last_, interval_later(bound.policy).last));
  std::map<std::size_t, WhatIf> what_ifs;
  for (const BindingInPart& bound : explained) {
    const PlanPart& part = outlook_.parts[bound.part];
    WhatIf& what_if = what_ifs.try_emplace(bound.part, part.book, options).first->second;
    const double weight =
        part.weight(noise()) / total / static_cast<double>(outlook_.rules->parts);  // scales are in parts
    std::vector<report::Cell> row = {{std::string(meter_name(bound))},
                                     {outlook_.short_time_text(bound.policy.interval.first)},
                                     {outlook_.short_time_text(bound.policy.interval.last)}};
    for (const Wish& wish : other_wishes()) {
      const auto other = wish.make(bound.policy);
      const double change = other ? what_if.change(bound.meter, bound.policy, other) * weight : 0;
      row.push_back({other ? percent(change) : "–"});
      constexpr double kNoticeable = 0.001;
      if (other && other->interval == bound.policy.interval && change > kNoticeable) gains.loosening_costs = true;
    }
    row.push_back({percent(what_if.change(bound.meter, bound.policy, std::nullopt) * weight)});
    table.rows.push_back(std::move(row));
  }
  return gains;
}

/// What an observer could still learn. The promises say it; nobody should have to know what ε is.
std::vector<std::string> PlanRun::plain_words() const {
  std::vector<double> shown = distinct_epsilons(outlook_.book);
  constexpr std::size_t kShownMax = 5;
  if (shown.size() > kShownMax) shown = {shown.front(), shown[shown.size() / 2], shown.back()};
  const std::string unless =
      delta() > 0 ? ", unless something happens that has a probability of at most " + short_number(delta()) : "";
  std::vector<std::string> words;
  for (const double epsilon : shown)
    words.push_back("ε = " + short_number(epsilon) +
                    ": who thinks it is 50:50 whether what the policy hides happened can get from the releases to at "
                    "most " +
                    odds_text(surest_belief(epsilon)) + unless +
                    ". Of two such secrets in intervals that do not overlap, "
                    "taken together: " +
                    odds_text(surest_belief(2 * epsilon)) + ".");
  words.push_back(
      "That holds for all a meter hides within the interval of one of its policies, taken together, whatever else is "
      "known about the household. What no policy names is not hidden by them.");
  if (floor() != nullptr)
    words.push_back("Everybody else is promised " + floor()->text() + ": from 50:50 to at most " +
                    odds_text(surest_belief(floor()->epsilon().value())) + unless + ".");
  return words;
}

/// Who shares a budget: the noise follows from it.
std::string PlanRun::series_fact() const {
  const std::string count = std::to_string(outlook_.series.size());
  if (map_) return count + ", with the meters that " + arguments_.series_map + " says";
  if (arguments_.series.empty())
    return "1; for a stream of more give --series: with shared budgets each has as many times the noise";
  if (outlook_.series.size() == 1) return "1";
  return count + (arguments_.definition.budgets == "own" ? ", each with a budget of its own: no meter counts into two"
                                                         : ", budgets shared: a meter may count into all of them");
}

/// When policies become known, and what of the plan does not take that into account.
std::string PlanRun::known_fact() const {
  const std::string in_advance = "; who binds and what others would gain: all known in advance";
  if (arguments_.notice)
    return std::to_string(*arguments_.notice) + " slots before a policy begins" +
           (late_.empty() ? "" : ", whatever the file says") + in_advance;
  if (late_.empty()) return "everything in advance";
  return "as the file says, " + std::to_string(late_.size()) + (late_.size() == 1 ? " policy" : " policies") +
         " stated or taken back while the stream runs" + in_advance;
}

std::vector<PlanRun::Fact> PlanRun::facts() const {
  const std::vector<char> shown = relevant_slots(outlook_.book, outlook_.shown);
  const auto relevant = std::count_if(shown.begin(), shown.end(), [](char one) { return one != 0; });
  std::vector<Fact> lines;
  lines.push_back(
      {"policies", std::to_string(outlook_.book.size()) + " of " + std::to_string(outlook_.book.meter_count()) +
                       (outlook_.book.meter_count() == 1 ? " meter" : " meters") + ", ε = " +
                       epsilons_of(outlook_.book).text() + (delta() > 0 ? ", δ = " + short_number(delta()) : "")});
  lines.push_back({"slots", outlook_.time_text(outlook_.shown.first) + " to " +
                                outlook_.time_text(outlook_.shown.last) + "; in " + std::to_string(relevant) + " of " +
                                std::to_string(outlook_.shown.slots()) + " a policy is relevant (" +
                                percent(static_cast<double>(relevant) / static_cast<double>(outlook_.shown.slots())) +
                                ")" + (ends_at_horizon_ ? "; the plan ends at the floor's horizon" : "")});
  lines.push_back({"series", series_fact()});
  lines.push_back(
      {"otherwise", (floor() != nullptr           ? floor()->text() + ", for everybody"
                     : policies().exact_when_idle ? "the true value where no policy is relevant"
                                                  : "not said (--floor or --exact-when-idle): the policies alone")});
  lines.push_back({"known", known_fact()});
  lines.push_back({"noise", delta() > 0 ? "Gaussian; its scale is σ" : "Laplace"});
  return lines;
}

// --- The error that is wanted --------------------------------------------------------------------------------------

Result<double> PlanRun::mean_error_at(double factor) const {
  FUGU_ASSIGN(const PlannedNoise planned, plan(outlook_.strategies.front().name, factor, Known::as_stated));
  return mean_error(planned);
}

/// By what every ε can be multiplied at least: policies have no smaller ε, and there is no more noise to be drawn.
double PlanRun::smallest_factor() const {
  double largest_scale = 0;
  const PlannedNoise& strategy = outlook_.strategies.front();
  for (std::size_t p = 0; p < outlook_.parts.size(); ++p)
    for (const SeriesGroup& group : outlook_.parts[p].groups)
      for (const double scale : strategy.parts[p].scales)
        largest_scale = std::max(largest_scale, std::isfinite(scale) ? scale * group.factor(noise()) : 0.0);
  // Scales grow no faster than ε falls: ρ(f·ε) ≥ f²·ρ(ε) for f < 1. Twice that leaves room for another plan.
  const double by_noise = 2 * largest_scale / scale_at(smallest_rate(outlook_.options.delta), noise());
  return std::min(1.0, std::max(kEpsilonMin / epsilons_of(outlook_.book).smallest, by_noise));
}

/// By what to multiply every ε; nothing when no ε that can be chosen is enough.
Result<std::optional<double>> PlanRun::find_factor(double error_now) const {
  const double target = *arguments_.target_error;
  const double largest = kEpsilonMax / epsilons_of(outlook_.book).largest;
  if (floor() == nullptr && delta() == 0) {  // rates are proportional to ε
    const double factor = std::max(error_now / target, smallest_factor());
    return factor <= largest ? std::optional(factor) : std::nullopt;
  }
  FUGU_ASSIGN(const double error_least, mean_error_at(largest));
  if (error_least > target) return std::optional<double>();
  double high = std::log(largest);
  const double lowest = std::log(smallest_factor());
  double low = std::min(0.0, high);
  for (;; low = std::max(low - 2, lowest)) {
    FUGU_ASSIGN(const double error, mean_error_at(std::exp(low)));
    if (error >= target) break;
    if (low == lowest) return std::optional(smallest_factor());
    high = low;
  }
  constexpr int kHalvings = 30;
  for (int i = 0; i < kHalvings && high - low > 1e-5; ++i) {
    const double middle = (low + high) / 2;
    FUGU_ASSIGN(const double error, mean_error_at(std::exp(middle)));
    (error > target ? low : high) = middle;
  }
  return std::optional(std::exp(high));
}

Result<PlanRun::Target> PlanRun::solve_target() const {
  const PlannedNoise& strategy = outlook_.strategies.front();
  const double error_now = mean_error(strategy);
  const std::string wanted = outlook_.with_unit(number(*arguments_.target_error));
  const EpsilonRange now = epsilons_of(outlook_.book);
  FUGU_ASSIGN(const std::optional<double> factor, find_factor(error_now));
  Target target;
  if (!factor) {
    FUGU_ASSIGN(const double least, mean_error_at(kEpsilonMax / now.largest));
    target.words.push_back(
        floor() != nullptr
            ? "An expected error of " + wanted + " cannot be reached: the floor (" + floor()->text() +
                  ") alone leads to " + outlook_.with_unit(number(least)) + ", whatever the policies' ε"
            : "An expected error of " + wanted + " cannot be reached with ε up to " + number(kEpsilonMax));
    return target;
  }
  const EpsilonRange then{now.smallest * *factor, now.largest * *factor};
  FUGU_ASSIGN(const double error_then, mean_error_at(*factor));
  // Where a strategy changes its mind, the error jumps: then it is the first below what is wanted.
  const bool jumps = std::abs(error_then / *arguments_.target_error - 1) > 0.01;
  const bool ends = jumps && *factor <= smallest_factor();
  target.reached = true;
  target.words.push_back("With " + strategy.name + " the expected error is " + outlook_.with_unit(number(error_now)) +
                         "; it is " + (jumps ? "below " : "") + wanted +
                         (ends ? " even with the smallest ε that can be kept," : "") +
                         " when every ε is multiplied by " + short_number(*factor) + ": ε = " + then.text() +
                         " instead of " + now.text() + ".");
  target.words.push_back("An observer could then get from 50:50 to at most " + odds_text(surest_belief(then.largest)) +
                         " instead of " + odds_text(surest_belief(now.largest)) + ".");
  return target;
}

}  // namespace fugu::cli
