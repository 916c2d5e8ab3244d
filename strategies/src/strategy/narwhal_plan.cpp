#include "fugu/strategy/narwhal_plan.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "dual_ascent.hpp"
#include "fugu/base/check.hpp"

namespace fugu {

using detail::DualAscent;
using detail::SlotBoxes;
using detail::WindowSums;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// What a plan leaves unspent so that no rounding, here or in the accountant, makes it more than the budget.
constexpr double kMargin = 1e-12;
// A reference that is over budget by more than rounding is no reference.
constexpr double kReferenceOver = 1e-12;
// Less than this part of a budget is nothing: its noise would drown everything.
constexpr double kExhausted = 1e-3;
// As is a rate below this part of the mean.
constexpr double kStarved = 1e-4;
constexpr std::uint32_t kSweepsPerLook = 5;
// Books up to this size, or with at most so many policies per slot, are kept in memory as bounds.
constexpr std::size_t kStoredPolicies = 10'000;
constexpr std::size_t kStoredPoliciesPerSlot = 4;
constexpr int kRoundsMax = 64;
constexpr std::uint32_t kSweepsPerRound = 12;
constexpr int kFillPasses = 3;
// How far rates may rise before all bounds are looked at again. Larger: more of them are looked at every time.
constexpr double kRoomToRise = 1.25;

/// What a plan may spend of a budget. Besides the margin: a window sum that is a difference of prefix sums over
/// n slots is off by at most n·2^-53 of the whole sum, which is at most n/length windows; the accountant rounds each
/// slot up to a multiple of 2^-48.
double spendable(double budget, std::uint32_t width, std::span<const PlanTerm> terms) {
  const auto slots = static_cast<double>(width);
  std::uint32_t shortest = width;
  for (const PlanTerm& term : terms) shortest = std::min(shortest, term.length);
  const double rounding = slots * slots / static_cast<double>(shortest) * 0x1p-53;
  return std::max(0.0, budget * (1 - kMargin - rounding) - slots * 0x1p-48);
}

/// Converting 128 bits takes ten times as long, and few weights need them.
double to_double(uint128 weight) {
  const auto low = static_cast<std::uint64_t>(weight);
  return low == weight ? static_cast<double>(low) : static_cast<double>(weight);
}

void append_terms(const Collection& collection, const Policy& phi, Currency currency, Interval slots,
                  std::vector<PlanTerm>& out) {
  for_loss_terms(collection, phi, currency, [&](const LossTerm& term) {
    if (!term.interval.overlaps(slots)) return;
    const Interval within = common(term.interval, slots);
    out.push_back({.first = static_cast<std::uint32_t>(within.first - slots.first),
                   .last = static_cast<std::uint32_t>(within.last - slots.first),
                   .length = static_cast<std::uint32_t>(std::min(term.length_slots, within.slots())),
                   .weight = to_double(term.weight)});
  });
}

/// One bound, wherever it comes from.
struct Bound {
  std::uint32_t first;
  std::uint32_t last;
  std::span<const PlanTerm> terms;
  double budget;

  std::uint32_t width() const { return last - first + 1; }
};

/// Bounds in memory.
struct StoredBounds {
  const PlanConstraints* constraints;

  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t i = 0; i < constraints->size(); ++i)
      visit(Bound{constraints->first(i), constraints->last(i), constraints->terms(i), constraints->budget(i)});
  }
};

/// Bounds that are made anew from the policies whenever they are looked at.
struct BookBounds {
  const PlanBook* book;

  /// Calls visit(collection, policy) for every policy that has slots to plan.
  template <class Visit>
  void for_each_policy(Visit&& visit) const {
    const Interval planned{std::max(book->now, book->slots.first), book->slots.last};
    for (const Collection& collection : book->collections)
      collection.for_overlapping(planned, [&](const Policy& phi) { visit(collection, phi); });
  }

  template <class Visit>
  void for_each(Visit&& visit) const {
    std::vector<PlanTerm> terms;
    for_each_policy([&](const Collection& collection, const Policy& phi) { visit(bound_of(collection, phi, terms)); });
  }

  Bound bound_of(const Collection& collection, const Policy& phi, std::vector<PlanTerm>& terms) const {
    terms.clear();
    append_terms(collection, phi, book->currency, book->slots, terms);
    const Interval within = common(phi.interval, book->slots);
    return {static_cast<std::uint32_t>(within.first - book->slots.first),
            static_cast<std::uint32_t>(within.last - book->slots.first), terms, book->budget(collection, phi)};
  }
};

/// Of a book's bounds those that can bind while no rate is above a ceiling: the others keep their budget even at the
/// ceiling, and losses only grow with rates. In a large book, with a ceiling near the best rates, that is hardly any.
class BindingBounds {
 public:
  struct Candidate {
    std::size_t index;  // among all of the book
    const Collection* collection;
    const Policy* phi;
  };

  BindingBounds(const BookBounds& all, std::span<const double> ceiling) : all_(all) {
    const CanBind can_bind(ceiling);
    std::vector<PlanTerm> terms;
    std::size_t index = 0;
    all.for_each_policy([&](const Collection& collection, const Policy& phi) {
      if (can_bind(all.bound_of(collection, phi, terms))) candidates_.push_back({index, &collection, &phi});
      ++index;
    });
  }
  /// Of those that can bind below a higher ceiling.
  BindingBounds(const BindingBounds& wider, std::span<const double> ceiling) : all_(wider.all_) {
    const CanBind can_bind(ceiling);
    wider.for_each_candidate([&](const Bound& bound, const Candidate& candidate) {
      if (can_bind(bound)) candidates_.push_back(candidate);
    });
  }

  const Candidate& candidate(std::size_t position) const { return candidates_[position]; }

  /// Calls visit(bound, candidate).
  template <class Visit>
  void for_each_candidate(Visit&& visit) const {
    std::vector<PlanTerm> terms;
    for (const Candidate& candidate : candidates_)
      visit(all_.bound_of(*candidate.collection, *candidate.phi, terms), candidate);
  }
  template <class Visit>
  void for_each(Visit&& visit) const {
    for_each_candidate([&](const Bound& bound, const Candidate&) { visit(bound); });
  }

 private:
  class CanBind {
   public:
    explicit CanBind(std::span<const double> ceiling) : slots_(static_cast<std::uint32_t>(ceiling.size())) {
      windows_.assign(ceiling.data(), 0, slots_ - 1);
    }
    bool operator()(const Bound& bound) const {
      return windows_.loss(bound.terms) > spendable(bound.budget, slots_, bound.terms);
    }

   private:
    WindowSums windows_;
    std::uint32_t slots_;
  };

  BookBounds all_;
  std::vector<Candidate> candidates_;
};

/// The most violated bounds, a few for each stretch of time, so that one bad hour does not hide the rest of the day.
class Violations {
 public:
  struct Entry {
    double over;
    BindingBounds::Candidate bound;
  };

  explicit Violations(std::size_t slots)
      : slots_per_stretch_((slots + kStretches - 1) / kStretches), stretches_(slots / slots_per_stretch_ + 1) {}

  void clear() {
    for (auto& stretch : stretches_) stretch.clear();
    worst_ = 0;
  }
  void note(std::uint32_t first, const Entry& entry) {
    worst_ = std::max(worst_, entry.over);
    auto& stretch = stretches_[first / slots_per_stretch_];
    if (stretch.size() < kPerStretch) {
      stretch.push_back(entry);
      return;
    }
    const auto least = std::min_element(stretch.begin(), stretch.end(),
                                        [](const Entry& a, const Entry& b) { return a.over < b.over; });
    if (least->over < entry.over) *least = entry;
  }
  double worst() const { return worst_; }

  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const auto& stretch : stretches_)
      for (const Entry& entry : stretch) visit(entry);
  }

 private:
  static constexpr std::size_t kStretches = 512;
  static constexpr std::size_t kPerStretch = 4;

  std::size_t slots_per_stretch_;
  std::vector<std::vector<Entry>> stretches_;
  double worst_ = 0;
};

/// Calls visit(t, weight) for every slot of the bound: the weights of all terms that hold t and begin at or after
/// `from`, where there are any. `change` is memory to work in.
template <class Visit>
void for_slot_weights(const Bound& bound, std::size_t from, std::vector<double>& change, Visit&& visit) {
  change.assign(bound.width() + 1, 0.0);
  for (const PlanTerm& term : bound.terms) {
    if (term.first < from) continue;
    change[term.first - bound.first] += term.weight;
    change[term.last + 1 - bound.first] -= term.weight;
  }
  double weight = 0;
  for (std::uint32_t t = 0; t < bound.width(); ++t) {
    weight += change[t];
    if (weight > 0) visit(bound.first + t, weight);
  }
}

/// x_t ≤ budget / (weights of all terms that hold t) cuts nothing off: a window around t loses at least that.
template <class Bounds>
void cap_by_single_slots(const Bounds& bounds, std::vector<double>& at_most) {
  std::vector<double> change;
  bounds.for_each([&](const Bound& bound) {
    for_slot_weights(bound, 0, change,
                     [&](std::uint32_t t, double weight) { at_most[t] = std::min(at_most[t], bound.budget / weight); });
  });
}

/// With rates of the past, a bound has less to give: where only terms that begin after the past hold t, they must do
/// with what the other terms have left.
template <class Bounds>
void cap_by_past(const Bounds& bounds, std::span<const double> spent, std::vector<double>& at_most) {
  std::vector<double> past(at_most.size(), 0.0);
  std::copy(spent.begin(), spent.end(), past.begin());
  WindowSums windows;
  std::vector<double> change;
  bounds.for_each([&](const Bound& bound) {
    if (bound.first >= spent.size()) return;
    windows.assign(past.data(), bound.first, bound.last);
    double left = spendable(bound.budget, bound.width(), bound.terms) - windows.loss(bound.terms);
    if (left < kExhausted * bound.budget) left = 0;
    for_slot_weights(bound, spent.size(), change,
                     [&](std::uint32_t t, double weight) { at_most[t] = std::min(at_most[t], left / weight); });
  });
}

/// The rate from now on at which no window of a term sums up to more than its largest one of the past does. `sums`:
/// [t], of the rates before slot t.
double rate_for_nothing(const PlanTerm& term, std::span<const double> sums) {
  const std::size_t now = sums.size() - 1;
  if (term.first >= now) return 0;
  const std::size_t past = now - term.first;
  double largest = 0;
  for (std::size_t end = term.first + 1; end <= now; ++end)
    largest = std::max(
        largest, sums[end] - sums[std::max<std::size_t>(term.first, end - std::min<std::size_t>(end, term.length))]);
  double rate = kInfinity;  // the least of windows that reach back by some slots
  for (std::size_t back = 0; back <= past && back < term.length; ++back)
    rate = std::min(rate, (largest - (sums[now] - sums[now - back])) / static_cast<double>(term.length - back));
  return std::max(0.0, rate * (1 - kMargin));
}

/// Rates from now on that add to no loss, because the past has lost as much: feasible whatever is left of budgets.
template <class Bounds>
std::vector<double> rates_for_nothing(const Bounds& bounds, std::span<const double> spent, std::size_t slots) {
  std::vector<double> sums(1, 0.0);
  for (const double rate : spent) sums.push_back(sums.back() + rate);
  std::vector<double> rates(slots, kInfinity);
  bounds.for_each([&](const Bound& bound) {
    for (const PlanTerm& term : bound.terms) {
      if (term.last < spent.size()) continue;
      const double rate = rate_for_nothing(term, sums);
      for (std::size_t t = std::max<std::size_t>(term.first, spent.size()); t <= term.last; ++t)
        rates[t] = std::min(rates[t], rate);
    }
  });
  return rates;
}

/// Makes rates feasible, and spends what they leave.
class Repair {
 public:
  /// x_t ← lower_t + s_t · (x_t − lower_t), where s_t is the least of all bounds that hold t that each of them needs on
  /// its own. Feasible if `lower` is; never below it.
  template <class Bounds>
  void shrink(const Bounds& bounds, std::span<const double> lower, std::vector<double>& rate) {
    factor_.assign(rate.size(), 1.0);
    bounds.for_each([&](const Bound& bound) {
      windows_.assign(rate.data(), bound.first, bound.last);
      const double loss = windows_.loss(bound.terms);
      const double budget = spendable(bound.budget, bound.width(), bound.terms);
      if (loss <= budget) return;
      windows_.assign(lower.data(), bound.first, bound.last);
      const double kept = windows_.loss(bound.terms);
      lower_factor(bound, kept >= budget ? 0.0 : (budget - kept) / (loss - kept));
    });
    for (std::size_t t = 0; t < rate.size(); ++t)
      if (factor_[t] < 1) rate[t] = lower[t] + factor_[t] * (rate[t] - lower[t]);
  }

  /// x_t ← x_t · least (budget / loss) of all bounds that hold t, in slots that are planned, up to the ceiling. From
  /// feasible rates: feasible, and no rate falls.
  template <class Bounds>
  void grow(const Bounds& bounds, std::span<const double> weight, std::span<const double> ceiling,
            std::vector<double>& rate) {
    factor_.assign(rate.size(), kInfinity);
    bounds.for_each([&](const Bound& bound) {
      windows_.assign(rate.data(), bound.first, bound.last);
      const double loss = windows_.loss(bound.terms);
      const double budget = spendable(bound.budget, bound.width(), bound.terms);
      if (loss > 0) lower_factor(bound, std::max(1.0, budget / loss));
    });
    for (std::size_t t = 0; t < rate.size(); ++t)
      if (weight[t] > 0 && factor_[t] < kInfinity)
        rate[t] = std::max(rate[t], std::min(rate[t] * factor_[t], ceiling[t]));
  }

 private:
  void lower_factor(const Bound& bound, double factor) {
    for (std::uint32_t t = bound.first; t <= bound.last; ++t) factor_[t] = std::min(factor_[t], factor);
  }

  WindowSums windows_;
  std::vector<double> factor_;
};

double objective_of(const SlotBoxes& boxes, PlanObjective objective, std::span<const double> rate) {
  double sum = 0;
  for (std::size_t t = 0; t < rate.size(); ++t)
    if (boxes.weight[t] > 0) sum += boxes.weight[t] * plan_cost(objective, rate[t]);
  return sum;
}

}  // namespace

double plan_cost(PlanObjective objective, double rate) {
  switch (objective) {
    case PlanObjective::absolute_error: return 1 / rate;
    case PlanObjective::variance: return 1 / (rate * rate);
    case PlanObjective::deviation: return 1 / std::sqrt(rate);
  }
  return 0;
}

double plan_loss(const PlanConstraints& constraints, std::size_t index, std::span<const double> rate) {
  WindowSums windows;
  windows.assign(rate.data(), constraints.first(index), constraints.last(index));
  return windows.loss(constraints.terms(index));
}

void PlanConstraints::reset(Interval slots) {
  FUGU_CHECK(slots.first <= slots.last && slots.slots() < (std::uint64_t{1} << 31));
  slots_ = slots;
  first_.clear();
  last_.clear();
  budget_.clear();
  term_begin_.assign(1, 0);
  terms_.clear();
}

void PlanConstraints::add(const Collection& collection, const Policy& phi, Currency currency, double budget) {
  const Interval within = common(phi.interval, slots_);
  first_.push_back(static_cast<std::uint32_t>(within.first - slots_.first));
  last_.push_back(static_cast<std::uint32_t>(within.last - slots_.first));
  budget_.push_back(budget);
  append_terms(collection, phi, currency, slots_, terms_);
  term_begin_.push_back(terms_.size());
}

struct PlanSolver::Workspace {
  SlotBoxes boxes;
  std::vector<char> covered;
  DualAscent ascent;
  Repair repair;
  PlanConstraints constraints;
  std::vector<double> candidate;
  std::vector<double> kept;     // of the candidate, at least
  std::vector<double> lower;    // rates that are feasible: of the reference, or of the past and what comes for nothing
  std::vector<double> ceiling;  // of rates: only bounds that can bind below it are looked at

  template <class Bounds>
  void open(const Bounds& bounds, const PlanTask& task, std::size_t slots);
  template <class Bounds>
  void take_reference(const Bounds& bounds, const PlanTask& task);
  template <class Bounds>
  void take_for_nothing(const Bounds& bounds, const PlanTask& task);
  template <class Bounds>
  void consider(const Bounds& bounds, const PlanConstraints& working, const PlanTask& task, Plan& plan);
  template <class Bounds, class Visit>
  void for_cap_prices(const Bounds& bounds, Visit&& visit) const;
  void close(const PlanTask& task, Plan& plan) const;
  void drop_starved(Plan& plan) const;

  /// Of the bounds in `all` those that can bind near the current rates, by way of `near`, which is kept while it holds.
  const BindingBounds& near_rates(const BindingBounds& all, std::optional<BindingBounds>& near);
  void find_violations(const BindingBounds& bounds, double enough, Violations& violations);

  Plan solve_stored(const PlanConstraints& stored, const PlanTask& task);
  Plan solve_streamed(const PlanBook& book, const PlanTask& task);
};

/// Boxes from the task and the bounds.
template <class Bounds>
void PlanSolver::Workspace::open(const Bounds& bounds, const PlanTask& task, std::size_t slots) {
  boxes.at_most.assign(slots, kInfinity);
  boxes.at_least.assign(slots, 0.0);
  boxes.weight.assign(slots, 1.0);
  if (!task.weight.empty()) std::copy(task.weight.begin(), task.weight.end(), boxes.weight.begin());
  cap_by_single_slots(bounds, boxes.at_most);
  covered.assign(slots, 1);
  for (std::size_t t = 0; t < slots; ++t) covered[t] = boxes.at_most[t] < kInfinity;
  if (!task.spent.empty()) cap_by_past(bounds, task.spent, boxes.at_most);
  for (std::size_t t = 0; t < slots; ++t) {
    if (!task.at_most.empty()) boxes.at_most[t] = std::min(boxes.at_most[t], task.at_most[t]);
    if (covered[t] && boxes.at_most[t] > 0) continue;
    boxes.weight[t] = 0;
    boxes.at_most[t] = 0;
  }
  if (!task.at_least.empty()) take_reference(bounds, task);
  for (std::size_t t = 0; t < task.spent.size(); ++t) {
    boxes.weight[t] = 0;
    boxes.at_least[t] = boxes.at_most[t] = task.spent[t];
  }
  lower = boxes.at_least;
  if (!task.spent.empty()) take_for_nothing(bounds, task);
  ceiling = boxes.at_most;
}

template <class Bounds>
void PlanSolver::Workspace::take_for_nothing(const Bounds& bounds, const PlanTask& task) {
  const std::vector<double> for_nothing = rates_for_nothing(bounds, task.spent, lower.size());
  for (std::size_t t = task.spent.size(); t < lower.size(); ++t) {
    if (boxes.weight[t] == 0) continue;
    lower[t] = task.at_most.empty() ? for_nothing[t] : std::min(for_nothing[t], task.at_most[t]);
    boxes.at_most[t] = std::max(boxes.at_most[t], lower[t]);
  }
}

template <class Bounds>
void PlanSolver::Workspace::take_reference(const Bounds& bounds, const PlanTask& task) {
  candidate.assign(boxes.weight.size(), 0.0);
  for (std::size_t t = 0; t < candidate.size(); ++t)
    if (boxes.weight[t] > 0) candidate[t] = std::min(task.at_least[t], std::nextafter(kInfinity, 0.0));
  std::vector<double> factor(candidate.size(), 1.0);
  WindowSums windows;
  bounds.for_each([&](const Bound& bound) {
    windows.assign(candidate.data(), bound.first, bound.last);
    const double loss = windows.loss(bound.terms);
    if (loss <= bound.budget * (1 + kReferenceOver)) return;
    for (std::uint32_t t = bound.first; t <= bound.last; ++t) factor[t] = std::min(factor[t], bound.budget / loss);
  });
  for (std::size_t t = 0; t < candidate.size(); ++t) {
    if (boxes.weight[t] == 0) continue;
    boxes.at_least[t] = factor[t] * candidate[t];
    if (!task.at_most.empty()) boxes.at_least[t] = std::min(boxes.at_least[t], task.at_most[t]);
    boxes.at_most[t] = std::max(boxes.at_most[t], boxes.at_least[t]);
  }
}

/// Makes a plan of the current rates and keeps it if it is the best so far; raises the bounds of the objective.
template <class Bounds>
void PlanSolver::Workspace::consider(const Bounds& bounds, const PlanConstraints& working, const PlanTask& task,
                                     Plan& plan) {
  candidate.assign(ascent.rates().begin(), ascent.rates().end());
  kept.resize(candidate.size());
  for (std::size_t t = 0; t < candidate.size(); ++t) kept[t] = std::min(lower[t], candidate[t]);
  repair.shrink(bounds, kept, candidate);
  for (int pass = 0; pass < kFillPasses; ++pass) repair.grow(bounds, boxes.weight, ceiling, candidate);
  const double objective = objective_of(boxes, task.objective, candidate);
  if (plan.rate.empty() || objective < plan.objective) {
    plan.objective = objective;
    plan.rate = candidate;
  }
  plan.bound_at_least = std::max(plan.bound_at_least, ascent.bound(working, false));
  plan.bound = std::max(plan.bound, ascent.bound(working, true));
  plan.gap = plan.objective > 0 ? std::max(0.0, 1 - plan.bound_at_least / plan.objective) : 0;
}

/// Calls visit(position, price) for bounds that cap slots: what one more unit of their budget would be worth to slots
/// whose rate they cap all by themselves. Bounds that cap a slot alike share what that is worth.
template <class Bounds, class Visit>
void PlanSolver::Workspace::for_cap_prices(const Bounds& bounds, Visit&& visit) const {
  std::vector<double> worth(boxes.at_most.size());
  for (std::size_t t = 0; t < worth.size(); ++t) worth[t] = ascent.price_of_top(t);
  if (std::ranges::all_of(worth, [](double price) { return price == 0; })) return;
  std::vector<double> change;
  const auto for_caps = [&](const Bound& bound, auto&& act) {
    for_slot_weights(bound, 0, change, [&](std::uint32_t t, double weight) {
      if (worth[t] > 0 && bound.budget / weight <= boxes.at_most[t]) act(t, weight);
    });
  };
  std::vector<double> capping(worth.size(), 0.0);
  bounds.for_each([&](const Bound& bound) { for_caps(bound, [&](std::uint32_t t, double) { ++capping[t]; }); });
  std::size_t position = 0;
  bounds.for_each([&](const Bound& bound) {
    double price = 0;
    for_caps(bound, [&](std::uint32_t t, double weight) { price += worth[t] / (weight * capping[t]); });
    visit(position++, price);
  });
}

/// What the past has left may be next to nothing: a release that is repeated is worth more than such an answer.
void PlanSolver::Workspace::drop_starved(Plan& plan) const {
  double sum = 0;
  std::size_t planned = 0;
  for (std::size_t t = 0; t < plan.rate.size(); ++t) {
    if (boxes.weight[t] == 0) continue;
    sum += plan.rate[t];
    ++planned;
  }
  for (std::size_t t = 0; t < plan.rate.size(); ++t)
    if (boxes.weight[t] > 0 && plan.rate[t] * static_cast<double>(planned) < kStarved * sum) plan.rate[t] = 0;
}

void PlanSolver::Workspace::close(const PlanTask& task, Plan& plan) const {
  if (!task.spent.empty()) drop_starved(plan);
  for (std::size_t t = 0; t < plan.rate.size(); ++t)
    if (!covered[t]) plan.rate[t] = kInfinity;
}

Plan PlanSolver::Workspace::solve_streamed(const PlanBook& book, const PlanTask& task) {
  const BookBounds all{&book};
  const auto slots = static_cast<std::size_t>(book.slots.slots());
  open(all, task, slots);
  const BindingBounds can_bind(all, ceiling);
  std::optional<BindingBounds> near;
  constraints.reset(book.slots);
  ascent.start(boxes, task.objective);
  Plan plan;
  const double enough = task.tolerance / 4;
  Violations violations(slots);
  std::vector<std::size_t> origin;  // of each bound in memory: its position in the book
  for (int round = 0; round < kRoundsMax && plan.sweeps < task.sweeps_max; ++round) {
    find_violations(round == 0 ? can_bind : near_rates(can_bind, near), enough, violations);
    if (violations.worst() <= enough) break;
    violations.for_each([&](const Violations::Entry& entry) {
      const auto& [index, collection, phi] = entry.bound;
      if (std::find(origin.begin(), origin.end(), index) != origin.end()) return;
      constraints.add(*collection, *phi, book.currency, book.budget(*collection, *phi));
      origin.push_back(index);
    });
    for (std::uint32_t i = 0; i < kSweepsPerRound; ++i)
      if (ascent.sweep(constraints, plan.sweeps++ % 2 == 0) <= enough / 2) break;
  }
  const BindingBounds& left = near_rates(can_bind, near);
  consider(left, constraints, task, plan);
  std::map<std::size_t, double> prices;  // by position in the book
  for (std::size_t i = 0; i < constraints.size(); ++i) prices[origin[i]] += ascent.price(i);
  // A bound that caps a slot at its top can bind there, so it is among those that are left.
  for_cap_prices(left, [&](std::size_t i, double price) { prices[left.candidate(i).index] += price; });
  for (const auto& [index, price] : prices)
    if (price > 0) plan.prices.push_back({index, price});
  close(task, plan);
  return plan;
}

const BindingBounds& PlanSolver::Workspace::near_rates(const BindingBounds& all, std::optional<BindingBounds>& near) {
  const std::span<const double> rates = ascent.rates();
  if (near && std::ranges::equal(rates, ceiling, std::less_equal())) return *near;
  for (std::size_t t = 0; t < ceiling.size(); ++t)
    ceiling[t] = std::min(boxes.at_most[t], kRoomToRise * rates[t]);  // no rate is below at_least
  near.reset();                                                       // its memory is wanted
  return near.emplace(all, ceiling);
}

void PlanSolver::Workspace::find_violations(const BindingBounds& bounds, double enough, Violations& violations) {
  violations.clear();
  const std::span<const double> rates = ascent.rates();
  WindowSums windows;
  windows.assign(rates.data(), 0, static_cast<std::uint32_t>(rates.size() - 1));
  bounds.for_each_candidate([&](const Bound& bound, const BindingBounds::Candidate& origin) {
    const double over = windows.loss(bound.terms) / bound.budget - 1;
    if (over > enough) violations.note(bound.first, {over, origin});
  });
}

Plan PlanSolver::Workspace::solve_stored(const PlanConstraints& stored, const PlanTask& task) {
  const StoredBounds bounds{&stored};
  open(bounds, task, stored.slot_count());
  ascent.start(boxes, task.objective);
  Plan plan;
  while (plan.sweeps < task.sweeps_max) {
    for (std::uint32_t i = 0; i < kSweepsPerLook; ++i) ascent.sweep(stored, plan.sweeps++ % 2 == 0);
    consider(bounds, stored, task, plan);
    if (plan.gap <= task.tolerance) break;
  }
  std::vector<double> prices;
  for (std::size_t i = 0; i < stored.size(); ++i) prices.push_back(ascent.price(i));
  for_cap_prices(bounds, [&](std::size_t i, double price) { prices[i] += price; });
  for (std::size_t i = 0; i < stored.size(); ++i)
    if (prices[i] > 0) plan.prices.push_back({i, prices[i]});
  close(task, plan);
  return plan;
}

PlanSolver::PlanSolver() : workspace_(std::make_unique<Workspace>()) {}
PlanSolver::~PlanSolver() = default;
PlanSolver::PlanSolver(PlanSolver&&) noexcept = default;
PlanSolver& PlanSolver::operator=(PlanSolver&&) noexcept = default;

Plan PlanSolver::solve(const PlanConstraints& constraints, const PlanTask& task) {
  return workspace_->solve_stored(constraints, task);
}

Plan PlanSolver::solve(const PlanBook& book, const PlanTask& task) {
  const BookBounds bounds{&book};
  std::size_t policies = 0;
  bounds.for_each_policy([&](const Collection&, const Policy&) { ++policies; });
  if (policies > kStoredPolicies && policies > kStoredPoliciesPerSlot * book.slots.slots())
    return workspace_->solve_streamed(book, task);
  PlanConstraints& constraints = workspace_->constraints;
  constraints.reset(book.slots);
  bounds.for_each_policy([&](const Collection& collection, const Policy& phi) {
    constraints.add(collection, phi, book.currency, book.budget(collection, phi));
  });
  return workspace_->solve_stored(constraints, task);
}

}  // namespace fugu
