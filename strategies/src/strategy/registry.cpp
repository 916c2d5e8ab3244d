#include "fugu/strategy/registry.hpp"

#include "fugu/strategy/baselines.hpp"
#include "fugu/strategy/budget_division.hpp"
#include "fugu/strategy/discounted.hpp"
#include "fugu/strategy/dsat.hpp"
#include "fugu/strategy/fast.hpp"
#include "fugu/strategy/narwhal.hpp"
#include "fugu/strategy/planned.hpp"
#include "fugu/strategy/published_planners.hpp"
#include "fugu/strategy/rescuedp.hpp"
#include "fugu/strategy/slot_groups.hpp"

namespace fugu {

namespace {

using Made = Result<std::unique_ptr<Strategy>>;
using Parameters = const StrategyParameters&;

/// Of the decision's and the answer's rate, what the decision gets when Narwhal samples adaptively.
constexpr double kNarwhalDecisionPart = 0.125;
/// Half of ε for decisions, as the thesis has it.
constexpr double kUnicornAnswerShare = 0.5;
/// A plan of that many slots takes some seconds.
constexpr std::uint64_t kLargestPlanSlots = 100'000;

/// One of the published rules, by the name it has among them.
Made follow(std::string_view planner) {
  for (const PublishedPlanner& published : published_planners()) {
    if (published.name != planner) continue;
    return std::make_unique<PlannedStrategy>(
        [make = published.make](const Kernel& kernel) { return make(planner_options(kernel)); });
  }
  FUGU_CHECK(false);
  return Error{};
}

std::unique_ptr<Planner> make_narwhal_planner(const Kernel& kernel) { return make_narwhal(planner_options(kernel)); }

/// It is printed for δ = 0 and has no other form.
Made make_conference_repaired_strategy(Parameters parameters) {
  if (parameters.delta.value() > 0)
    return Error{Cause::usage, "conference-repaired has no form with δ > 0: choose δ = 0"};
  return follow("conference-repaired");
}

Made make_uniform(Parameters parameters) {
  if (parameters.policies) return follow("w-event-uniform");
  return std::make_unique<EveryKth>(1, parameters.split);
}

Made make_sample(Parameters parameters) {
  if (parameters.policies) return follow("w-event-sample");
  return std::make_unique<EveryKth>(parameters.window_slots, parameters.split);
}

Made make_hybrid(Parameters parameters) {
  if (!parameters.every_slots || *parameters.every_slots < 1)
    return Error{Cause::usage, "hybrid needs K: it releases every K-th slot, K at least 1"};
  return std::make_unique<EveryKth>(*parameters.every_slots, parameters.split);
}

/// Decisions and answers at the rates that a DecidingPlanner says.
Made decide_by(MakePlanner make_planner) {
  return std::make_unique<AdaptiveStrategy>(
      std::move(make_planner), [](const Planner& planner, double rate, double parts) {
        const double decision = static_cast<const DecidingPlanner&>(planner).decision_rate() * parts;
        return RateSplit{.decision = decision, .answer = rate, .decision_counts = false};
      });
}

Made make_unicorn(Parameters) {
  return decide_by(
      [](const Kernel& kernel) { return make_unicorn_allocation(kUnicornAnswerShare, planner_options(kernel)); });
}

/// BD or BA.
template <Allocation allocation>
Made make_division(Parameters parameters) {
  if (parameters.policies)
    return decide_by([](const Kernel& kernel) { return make_w_event_division(allocation, planner_options(kernel)); });
  return std::make_unique<BudgetDivision>(BudgetDivisionOptions{.allocation = allocation});
}

template <Allocation allocation>
Made make_grouped_division(Parameters) {
  return std::make_unique<BudgetDivision>(BudgetDivisionOptions{.allocation = allocation, .grouped = true});
}

template <Allocation allocation, IdleSlots idle>
Made make_tes_division_strategy(Parameters) {
  return decide_by([](const Kernel& kernel) { return make_tes_division(allocation, idle, planner_options(kernel)); });
}

Made make_narwhal_strategy(Parameters) { return std::make_unique<PlannedStrategy>(make_narwhal_planner); }

Made make_narwhal_adaptive(Parameters) {
  return std::make_unique<AdaptiveStrategy>(make_narwhal_planner, [](const Planner&, double rate, double) {
    return RateSplit{.decision = rate * kNarwhalDecisionPart, .answer = rate * (1 - kNarwhalDecisionPart)};
  });
}

Made make_equal(Parameters parameters) {
  if (parameters.every_slots && *parameters.every_slots < 1)
    return Error{Cause::usage, "equal releases every K-th slot: K must be at least 1"};
  return std::make_unique<SpendAll>(parameters.every_slots.value_or(1));
}

Made make_planned(Parameters parameters) {
  if (!parameters.horizon_slots || *parameters.horizon_slots < 1 || *parameters.horizon_slots > kLargestPlanSlots)
    return Error{Cause::usage, "planned needs N: how many slots there will be, from 1 to " +
                                   std::to_string(kLargestPlanSlots) + " (use equal for a stream without end)"};
  std::vector<double> weights(*parameters.horizon_slots, 1.0);
  for (std::size_t slot = 0; parameters.noise_weight && slot < weights.size(); ++slot)
    weights[slot] = parameters.noise_weight(static_cast<Slot>(slot));
  return std::make_unique<PlannedShares>(plan_discounted(*parameters.discount, weights, parameters.least).shares);
}

Made make_published(Parameters parameters) {
  FUGU_ASSIGN(PublishedShares made, PublishedShares::make(parameters.discount));
  return std::make_unique<PublishedShares>(std::move(made));
}

constexpr StrategyKind kKinds[] = {
    {"uniform",
     "every slot is released, each with the same share of the window's budget",
     "noise of scale sensitivity·w/ε in every slot, and no delay; that over its part where a split divides ε between "
     "the series of a household; with policies w is the longest interval",
     "proved",
     "docs/guarantees/baselines.md",
     "--mechanism uniform --definition w-event --epsilon 1 --w 96 --sensitivity 10",
     Serves::windows | Serves::policies,
     make_uniform,
     false,
     {},
     true,
     true},
    {"sample",
     "one slot per window is released with the whole budget and repeated until the next",
     "noise of scale sensitivity/ε, plus what the stream moves within w − 1 slots",
     "proved",
     "docs/guarantees/baselines.md",
     "--mechanism sample --definition w-event --epsilon 1 --w 96 --sensitivity 10",
     Serves::windows | Serves::policies,
     make_sample,
     false,
     {},
     true,
     true},
    {"hybrid",
     "every K-th slot is released and repeated in between: from uniform (K = 1) to sample (K = w, which a larger K "
     "counts as)",
     "noise of scale sensitivity·⌈w/K⌉/ε, plus what the stream moves within K − 1 slots", "proved",
     "docs/guarantees/baselines.md",
     "--mechanism hybrid --every 4 --definition w-event --epsilon 1 --w 96 --sensitivity 10", Serves::windows,
     make_hybrid, false, "every_slots", true, true},
    {"bd", "budget distribution: released anew when the stream has moved, with half of what the window has left",
     "that of the last release while the stream stands still; noise of scale 2·sensitivity/(what is left) after a jump",
     "proved", "docs/guarantees/bd-ba.md", "--mechanism bd --definition w-event --epsilon 1 --w 96 --sensitivity 10",
     Serves::windows | Serves::policies, make_division<Allocation::distribution>},
    {"ba", "budget absorption: released anew when the stream has moved, with the shares of the unused slots before",
     "that of the last release while the stream stands still; noise of scale 2·sensitivity·w/(n·ε) after n quiet slots",
     "proved", "docs/guarantees/bd-ba.md", "--mechanism ba --definition w-event --epsilon 1 --w 96 --sensitivity 10",
     Serves::windows | Serves::policies, make_division<Allocation::absorption>},
    {"bd-grouped", "bd, where series with similar releases decide on their own and are released as one sum",
     "as bd; n similar series have an n-th of the noise, and what they differ by", "proved", "docs/guarantees/bd-ba.md",
     "--mechanism bd-grouped --definition w-event --epsilon 1 --w 96 --sensitivity 10 --budgets own", Serves::windows,
     make_grouped_division<Allocation::distribution>},
    {"ba-grouped", "ba, where series with similar releases decide on their own and are released as one sum",
     "as ba; n similar series have an n-th of the noise, and what they differ by", "proved", "docs/guarantees/bd-ba.md",
     "--mechanism ba-grouped --definition w-event --epsilon 1 --w 96 --sensitivity 10 --budgets own", Serves::windows,
     make_grouped_division<Allocation::absorption>},
    {"dsat-w",
     "released anew when a noisy threshold is exceeded, which moves so that about 0.15·w samples fall in a window",
     "noise of scale sensitivity·c/((1−k)·ε) with c = ⌈0.15·w⌉, plus what the stream moves unnoticed", "proved",
     "docs/guarantees/dsat.md", "--mechanism dsat-w --definition w-event --epsilon 1 --w 96 --sensitivity 10",
     Serves::windows, [](Parameters) -> Made { return std::make_unique<Dsat>(); }},
    {"fast-w", "samples more often while the stream moves; a Kalman filter joins samples and prediction",
     "noise of a sample, of scale sensitivity·0.15·w/ε, smoothed over samples, plus what moves between them", "proved",
     "docs/guarantees/fast.md", "--mechanism fast-w --definition w-event --epsilon 1 --w 96 --sensitivity 10",
     Serves::windows, [](Parameters) -> Made { return std::make_unique<FastW>(); }, true},
    {"rescuedp", "samples and spends by how the stream moves; small similar series are asked as one sum",
     "as fast-w; the noise of series that are asked together is divided by how many they are", "proved",
     "docs/guarantees/rescuedp.md", "--mechanism rescuedp --definition w-event --epsilon 1 --w 96 --sensitivity 10",
     Serves::windows, [](Parameters) -> Made { return std::make_unique<RescueDp>(); }, true},
    {"pegasus", "perturbs every slot, groups slots that are alike, releases the group's median",
     "noise of scale 1.25·sensitivity·w/ε divided by √n in the n-th slot of a group; little more while it moves",
     "proved", "docs/guarantees/pegasus.md",
     "--mechanism pegasus --definition w-event --epsilon 1 --w 96 --sensitivity 10", Serves::windows,
     [](Parameters) -> Made { return std::make_unique<SlotGroups>(SlotGroupsOptions::pegasus()); }, true},
    {"adapub", "pegasus with a threshold that follows the stream, and similar series asked as one sum",
     "as pegasus; the noise of series that are asked together is divided by how many they are", "proved",
     "docs/guarantees/adapub.md", "--mechanism adapub --definition w-event --epsilon 1 --w 96 --sensitivity 10",
     Serves::windows, [](Parameters) -> Made { return std::make_unique<SlotGroups>(SlotGroupsOptions::adapub()); },
     true},
    {"smooth", "uniform, smoothed over groups of slots that its own noisy values show to be alike: costs nothing",
     "noise of scale sensitivity·w/ε divided by √n in the n-th slot of a group; little more than uniform while it "
     "moves",
     "proved", "docs/guarantees/smooth.md",
     "--mechanism smooth --definition w-event --epsilon 1 --w 96 --sensitivity 10", Serves::windows,
     [](Parameters) -> Made { return std::make_unique<SlotGroups>(SlotGroupsOptions::smooth()); }, true},
    {"narwhal", "spends what the policies leave where it helps most: the best plan the exact definition permits",
     "least mean noise over all slots, within the certified gap; never more noise than unicorn-ps in any slot while "
     "everything is known in advance; a profile is planned as if it were at its largest in every slot: safe, with more "
     "noise than it needs",
     "proved", "docs/guarantees/narwhal.md",
     "--policies policies.csv --floor event:1 --mechanism narwhal --sensitivity 10", Serves::policies,
     make_narwhal_strategy},
    {"narwhal-adaptive", "narwhal that asks first whether the stream moved, and releases anew only then",
     "narwhal's noise on the slots that are released; a release that would only add noise is repeated", "proved",
     "docs/guarantees/narwhal.md",
     "--policies policies.csv --floor event:1 --mechanism narwhal-adaptive --sensitivity 10", Serves::policies,
     make_narwhal_adaptive},
    {"unicorn-ps", "releases every slot; budget over the slots that policies may affect (thesis, Algorithm 9)",
     "noise of scale Δ_t·δ(J)/ε and less where budget was saved", "proved", "docs/guarantees/unicorn.md",
     "--policies policies.csv --floor event:1 --mechanism unicorn-ps --sensitivity 10", Serves::policies,
     [](Parameters) { return follow("unicorn-ps"); }},
    {"unicorn-is", "releases once per interval with the whole budget (thesis, 7.3.3)",
     "noise of scale Δ_t/ε, plus what the stream moves until the next release", "proved", "docs/guarantees/unicorn.md",
     "--policies policies.csv --floor event:1 --mechanism unicorn-is --sensitivity 10", Serves::policies,
     [](Parameters) { return follow("unicorn-is"); }},
    {"unicorn", "unicorn-ps that spends half on asking whether the stream moved (thesis, Algorithm 8)",
     "twice the noise of unicorn-ps on the slots that are released", "proved", "docs/guarantees/unicorn.md",
     "--policies policies.csv --floor event:1 --mechanism unicorn --sensitivity 10", Serves::policies, make_unicorn},
    {"tes-uniform", "uniform with the sensitivity that is relevant now",
     "noise of scale Δ_t·w/ε, w the longest interval", "proved", "docs/guarantees/tes-tenat.md",
     "--policies policies.csv --floor event:1 --mechanism tes-uniform --sensitivity 10", Serves::policies,
     [](Parameters) { return follow("tes-uniform"); }},
    {"tes-sample", "sample with the sensitivity that is relevant now (thesis, Table 7.4)",
     "noise of scale Δ_t/ε, plus what the stream moves within w − 1 slots", "proved", "docs/guarantees/tes-tenat.md",
     "--policies policies.csv --floor event:1 --mechanism tes-sample --sensitivity 10", Serves::policies,
     [](Parameters) { return follow("tes-sample"); }},
    {"tes-sample-idle", "tes-sample that also releases every slot in which no policy is relevant",
     "as tes-sample where policies are relevant; elsewhere that of the floor, or none", "proved",
     "docs/guarantees/tes-tenat.md",
     "--policies policies.csv --floor event:1 --mechanism tes-sample-idle --sensitivity 10", Serves::policies,
     [](Parameters) { return follow("tes-sample-idle"); }},
    {"tes-bd", "bd with w the longest interval and the sensitivity that is relevant now (thesis, Table 7.4)",
     "noise of scale 2·Δ_t/(what is left) on the slots that are released; slots without a policy use budget up, too",
     "proved", "docs/guarantees/tes-tenat.md",
     "--policies policies.csv --floor event:1 --mechanism tes-bd --sensitivity 10", Serves::policies,
     make_tes_division_strategy<Allocation::distribution, IdleSlots::scheduled>},
    {"tes-bd-idle", "tes-bd that releases every slot in which no policy is relevant, and counts nothing for it",
     "noise of scale 2·Δ_t/(what is left) on the slots that are released", "proved", "docs/guarantees/tes-tenat.md",
     "--policies policies.csv --floor event:1 --mechanism tes-bd-idle --sensitivity 10", Serves::policies,
     make_tes_division_strategy<Allocation::distribution, IdleSlots::free>},
    {"tes-ba", "ba with w the longest interval and the sensitivity that is relevant now (thesis, Table 7.4)",
     "noise of scale 2·Δ_t·w/(n·ε) on the slots that are released, after n quiet slots", "proved",
     "docs/guarantees/tes-tenat.md", "--policies policies.csv --floor event:1 --mechanism tes-ba --sensitivity 10",
     Serves::policies, make_tes_division_strategy<Allocation::absorption, IdleSlots::scheduled>},
    {"tes-ba-idle", "tes-ba that releases every slot in which no policy is relevant, and absorbs its share",
     "as tes-ba; what idle slots save leads to one exact release and long silence after it", "proved",
     "docs/guarantees/tes-tenat.md", "--policies policies.csv --floor event:1 --mechanism tes-ba-idle --sensitivity 10",
     Serves::policies, make_tes_division_strategy<Allocation::absorption, IdleSlots::free>},
    {"tenat-uniform", "uniform over the slots that policies may affect, at full sensitivity",
     "noise of scale sensitivity·δ(J)/ε", "proved", "docs/guarantees/tes-tenat.md",
     "--policies policies.csv --floor event:1 --mechanism tenat-uniform --sensitivity 10", Serves::policies,
     [](Parameters) { return follow("tenat-uniform"); }},
    {"tenat-sample", "unicorn-is at full sensitivity",
     "noise of scale sensitivity/ε, plus what the stream moves until the next release", "proved",
     "docs/guarantees/tes-tenat.md",
     "--policies policies.csv --floor event:1 --mechanism tenat-sample --sensitivity 10", Serves::policies,
     [](Parameters) { return follow("tenat-sample"); }},
    {"conference-repaired", "the conference paper's rule with the smallest scaling that makes it sound",
     "noise of scale Δ_t·max T/min ε times what the exact loss exceeds ε by", "proved",
     "docs/guarantees/conference-rules.md",
     "--policies policies.csv --floor event:1 --mechanism conference-repaired --sensitivity 10", Serves::policies,
     make_conference_repaired_strategy},
    {"equal", "spends in every slot all that past losses leave: the discounted bound is met with equality",
     "noise of scale sensitivity/ε first, then sensitivity/((1−α)·ε), or a scale that grows like log t", "proved",
     "docs/guarantees/discounted.md",
     "--mechanism equal --definition discounted-exp --alpha 0.9 --epsilon 1 --sensitivity 10", Serves::discounted,
     make_equal, false, "every_slots", true},
    {"planned", "the schedule of least mean (or largest) error that the discounted bound permits, for a known horizon",
     "least mean noise over the horizon, within the certified gap; after its end as equal", "proved",
     "docs/guarantees/discounted.md",
     "--mechanism planned --horizon 365 --definition discounted-hyp --beta 0.1 --epsilon 1 --sensitivity 10",
     Serves::discounted, make_planned, false, "horizon_slots", true},
    {"published",
     "the schedules of the discounted paper: Corollaries 12 and 16, and 8 at user level",
     "noise of scale sensitivity/((1−α)·ε), or growing like √k; at user level sensitivity·π²k²/(6ε)",
     "proved where it is not refused",
     "docs/guarantees/discounted.md",
     "--mechanism published --definition discounted-exp --alpha 0.9 --epsilon 1 --sensitivity 10",
     Serves::discounted | Serves::user,
     make_published,
     false,
     {},
     true},
};

}  // namespace

std::span<const StrategyKind> strategy_kinds() { return kKinds; }

const StrategyKind* find_strategy(std::string_view name) {
  for (const StrategyKind& kind : kKinds) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

Error unknown_strategy(std::string_view name) {
  std::string known;
  for (const StrategyKind& kind : kKinds) known += (known.empty() ? "" : ", ") + std::string(kind.name);
  return {Cause::usage, "there is no mechanism '" + std::string(name) + "'; known are " + known};
}

Result<void> check_serves(const StrategyKind& kind, const StrategyParameters& parameters) {
  const std::string name(kind.name);
  if (parameters.split.is_given() && (!kind.splits || parameters.policies))
    return Error{Cause::usage,
                 name + (parameters.policies ? " with policies" : "") +
                     " takes no split between the series of a household: that is for uniform, sample and hybrid under "
                     "event, w-event and user"};
  if (parameters.policies && !serves(kind, Serves::policies))
    return Error{Cause::usage, name + " does not know policies: use narwhal, or another of swellfish"};
  if (parameters.discount && !serves(kind, Serves::discounted))
    return Error{Cause::usage, name +
                                   " spends by windows or policies, which a discounted definition does not have: "
                                   "use equal, planned or published"};
  if (parameters.policies || parameters.discount) return {};
  if (kind.serves == Serves::policies) return Error{Cause::usage, name + " needs policies: it follows what they say"};
  if (!serves(kind, parameters.user_level ? Serves::windows | Serves::user : Serves::windows))
    return Error{Cause::usage, name + " is for the definitions discounted-exp and discounted-hyp" +
                                   (serves(kind, Serves::user) ? " (and user)" : "")};
  return {};
}

Result<std::unique_ptr<Strategy>> make_strategy(std::string_view name, const StrategyParameters& parameters) {
  const StrategyKind* kind = find_strategy(name);
  if (kind == nullptr) return unknown_strategy(name);
  FUGU_TRY(check_serves(*kind, parameters));
  return kind->make(parameters);
}

}  // namespace fugu
