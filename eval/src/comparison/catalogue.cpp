#include "fugu/comparison/catalogue.hpp"

#include <algorithm>
#include <vector>

#include "fugu/comparison/clairvoyant.hpp"
#include "fugu/comparison/conference_planners.hpp"
#include "fugu/comparison/division_as_published.hpp"
#include "fugu/comparison/dsat_as_published.hpp"
#include "fugu/comparison/fast_as_published.hpp"
#include "fugu/comparison/groups_of_one.hpp"
#include "fugu/comparison/rescuedp_as_published.hpp"

namespace fugu {

namespace {

using Made = Result<std::unique_ptr<Strategy>>;
using Parameters = const StrategyParameters&;
using Published = const PublishedParameters&;

template <Allocation allocation>
Made make_division(Parameters, Published published) {
  return std::make_unique<DivisionAsPublished>(allocation, published.unit_steps);
}

Made make_rescuedp(Parameters, Published published) {
  if (!published.true_variance)
    return Error{
        Cause::usage,
        "rescuedp-as-published needs the variance of the whole true stream: it leaks it, and is for simulation "
        "only"};
  return std::make_unique<RescueDpAsPublished>(*published.true_variance, published.unit_steps);
}

Made make_groups_of_one(Parameters, Published) { return std::make_unique<GroupsOfOne>(); }

Made make_conference_7(Parameters parameters, Published) {
  if (parameters.delta.value() > 0) return Error{Cause::usage, "conference-7 has no form with δ > 0: choose δ = 0"};
  return std::make_unique<PlannedStrategy>(
      [](const Kernel& kernel) { return make_conference_theorem_7(planner_options(kernel)); });
}

Made make_conference_9(Parameters parameters, Published) {
  if (parameters.delta.value() > 0) return Error{Cause::usage, "conference-9 has no form with δ > 0: choose δ = 0"};
  return std::make_unique<PlannedStrategy>([](const Kernel&) { return make_conference_theorem_9(); });
}

Made make_conference_11(Parameters parameters, Published) {
  if (parameters.delta.value() == 0)
    return Error{Cause::usage, "conference-11 needs δ > 0 and Laplace noise: it is a rule for δ > 0"};
  return std::make_unique<PlannedStrategy>(
      [](const Kernel& kernel) { return make_conference_theorem_11_in_rho(planner_options(kernel)); });
}

Made make_unicorn_star(Parameters, Published) {
  return std::make_unique<ClairvoyantStrategy>(
      [](const Kernel& kernel) { return make_unicorn_ps(planner_options(kernel)); });
}

constexpr CatalogueEntry kForComparison[] = {
    {{.name = "bd-as-published",
      .summary = "bd with the decision noise of the published code",
      .error = "that of bd, where the sensitivity is 1",
      .status = "BREAKS its promise",
      .page = "docs/guarantees/bd-ba.md",
      .example = "--mechanism bd-as-published --definition w-event --epsilon 1 --w 96 --sensitivity 10 --seed 1",
      .serves = Serves::windows,
      .make = nullptr},
     true,
     false,
     make_division<Allocation::distribution>},
    {{.name = "ba-as-published",
      .summary = "ba with the decision noise of the published code",
      .error = "that of ba, where the sensitivity is 1",
      .status = "BREAKS its promise",
      .page = "docs/guarantees/bd-ba.md",
      .example = "--mechanism ba-as-published --definition w-event --epsilon 1 --w 96 --sensitivity 10 --seed 1",
      .serves = Serves::windows,
      .make = nullptr},
     true,
     false,
     make_division<Allocation::absorption>},
    {{.name = "bd-grouped-as-published",
      .summary = "bd-grouped with the budget of the published code, which is 0",
      .error = "infinite",
      .status = "is useless",
      .page = "docs/guarantees/bd-ba.md",
      .example =
          "--mechanism bd-grouped-as-published --definition w-event --epsilon 1 --w 96 --sensitivity 10 --seed 1",
      .serves = Serves::windows,
      .make = nullptr},
     true,
     false,
     [](Parameters, Published) -> Made { return std::make_unique<GroupedDivisionAsPublished>(); }},
    {{.name = "dsat-w-as-published",
      .summary = "dsat-w with the window, the threshold and the split of the published code",
      .error = "less noise than the promise needs",
      .status = "can break its promise",
      .page = "docs/guarantees/dsat.md",
      .example = "--mechanism dsat-w-as-published --definition w-event --epsilon 1 --w 96 --sensitivity 10 --seed 1",
      .serves = Serves::windows,
      .make = nullptr},
     true,
     false,
     [](Parameters, Published published) -> Made { return std::make_unique<DsatAsPublished>(published.unit_steps); }},
    {{.name = "fast-w-as-published",
      .summary = "fast-w as the VLDB 2023 benchmark ran it: blocks of ε/2, a fixed filter, a slot lost",
      .error = "that of a filter which knows nothing of the noise; 0 in one slot of w + 1",
      .status = "is kept as published, flaws included",
      .page = "docs/guarantees/fast.md",
      .example = "--mechanism fast-w-as-published --definition w-event --epsilon 1 --w 96 --sensitivity 1 --seed 1",
      .serves = Serves::windows,
      .make = nullptr,
      .estimates = true},
     true,
     false,
     [](Parameters, Published published) -> Made { return std::make_unique<FastAsPublished>(published.unit_steps); }},
    {{.name = "rescuedp-as-published",
      .summary = "rescuedp as the VLDB 2023 benchmark ran it: tuned on the true stream, grouped sums lost",
      .error = "grows with the amplitude, whatever ε is",
      .status = "is NOT private",
      .page = "docs/guarantees/rescuedp.md",
      .example = "--mechanism rescuedp-as-published --true-variance 100 --definition w-event --epsilon 1 --w 96 "
                 "--sensitivity 1 --seed 1",
      .serves = Serves::windows,
      .make = nullptr,
      .estimates = true,
      .takes = "true_variance"},
     true,
     true,
     make_rescuedp},
    {{.name = "pegasus-as-published",
      .summary = "pegasus as the VLDB 2023 benchmark ran it: every group a single slot",
      .error = "1.25 times that of uniform",
      .status = "is kept as published, flaws included",
      .page = "docs/guarantees/pegasus.md",
      .example = "--mechanism pegasus-as-published --definition w-event --epsilon 1 --w 96 --sensitivity 1 --seed 1",
      .serves = Serves::windows,
      .make = nullptr,
      .estimates = true},
     true,
     false,
     make_groups_of_one},
    {{.name = "adapub-as-published",
      .summary = "adapub as the VLDB 2023 benchmark ran it: every group a single slot, series on their own",
      .error = "1.25 times that of uniform",
      .status = "is kept as published, flaws included",
      .page = "docs/guarantees/adapub.md",
      .example = "--mechanism adapub-as-published --definition w-event --epsilon 1 --w 96 --sensitivity 1 --seed 1",
      .serves = Serves::windows,
      .make = nullptr,
      .estimates = true},
     true,
     false,
     make_groups_of_one},
    {{.name = "conference-7",
      .summary = "conference paper, Theorem 7: w-event with w the longest pattern",
      .error = "less noise than the promise needs",
      .status = "BREAKS its promise",
      .page = "docs/guarantees/conference-rules.md",
      .example = "--policies policies.csv --exact-when-idle --mechanism conference-7 --seed 1",
      .serves = Serves::policies,
      .make = nullptr},
     true,
     false,
     make_conference_7},
    {{.name = "conference-9",
      .summary = "conference paper, Theorems 8 and 9: scale Δ_t·max T/min ε",
      .error = "less noise than the promise needs",
      .status = "BREAKS its promise",
      .page = "docs/guarantees/conference-rules.md",
      .example = "--policies policies.csv --exact-when-idle --mechanism conference-9 --seed 1",
      .serves = Serves::policies,
      .make = nullptr},
     true,
     false,
     make_conference_9},
    {{.name = "conference-11",
      .summary = "conference paper, Theorem 11: the form with δ > 0",
      .error = "less noise than the promise needs",
      .status = "BREAKS its promise",
      .page = "docs/guarantees/conference-rules.md",
      .example =
          "--policies policies.csv --exact-when-idle --delta 1e-6 --noise laplace --mechanism conference-11 --seed 1",
      .serves = Serves::policies,
      .make = nullptr},
     true,
     false,
     make_conference_11},
    {{.name = "unicorn-star",
      .summary = "unicorn that looks at the true stream to decide",
      .error = "what perfect decisions would be worth",
      .status = "is NOT private",
      .page = "docs/guarantees/unicorn.md",
      .example = "--policies policies.csv --exact-when-idle --mechanism unicorn-star --seed 1",
      .serves = Serves::policies,
      .make = nullptr},
     true,
     true,
     make_unicorn_star},
};

std::vector<CatalogueEntry> all_entries() {
  std::vector<CatalogueEntry> entries;
  for (const StrategyKind& kind : strategy_kinds()) entries.push_back({kind});
  entries.insert(entries.end(), std::begin(kForComparison), std::end(kForComparison));
  return entries;
}

}  // namespace

std::span<const CatalogueEntry> catalogue() {
  static const std::vector<CatalogueEntry> kEntries = all_entries();
  return kEntries;
}

const CatalogueEntry* find_in_catalogue(std::string_view name) {
  const auto found = std::ranges::find(catalogue(), name, &CatalogueEntry::name);
  return found == catalogue().end() ? nullptr : &*found;
}

Result<std::unique_ptr<Strategy>> make_from_catalogue(std::string_view name, const StrategyParameters& parameters,
                                                      const PublishedParameters& published) {
  const CatalogueEntry* entry = find_in_catalogue(name);
  if (entry == nullptr) return unknown_strategy(name);
  FUGU_TRY(check_serves(*entry, parameters));
  return entry->comparison_only ? entry->make_published(parameters, published) : entry->make(parameters);
}

}  // namespace fugu
