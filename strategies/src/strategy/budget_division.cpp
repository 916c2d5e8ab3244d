#include "fugu/strategy/budget_division.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "fugu/strategy/series_blocks.hpp"

namespace fugu {

namespace {

/// Series are grouped anew every so many slots, as the benchmark of the published mechanisms does.
constexpr Slot kRegroupSlots = 10;

/// A share of fewer units than this is not worth asking for: split among a meter's series it would come to nothing.
constexpr std::uint64_t kLeastShareUnits = 1 << 12;

/// Of a noisy distance: the scale of its Laplace noise, or the Gaussian's standard deviation.
double noise_steps(const NoisyValue& value) {
  const double parameter = value.parameter.to_double();
  return value.noise == NoiseKind::gaussian ? std::sqrt(parameter) : parameter;
}

/// ⌊a/n + ½⌋
std::int64_t divide_nearest(std::int64_t a, std::int64_t n) {
  const std::int64_t doubled = 2 * (a / n) * n;  // split to stay in range
  const std::int64_t rest = 2 * a - doubled + n;
  return a / n + (rest >= 0 ? rest / (2 * n) : -((2 * n - 1 - rest) / (2 * n)));
}

}  // namespace

BudgetDivision::BudgetDivision(const BudgetDivisionOptions& options) : options_(options) {}
BudgetDivision::~BudgetDivision() = default;

std::size_t BudgetDivision::summed_series() const {
  std::size_t count = 0;
  for (const Group& group : groups_) {
    for (const Part& part : group.parts) count += part.summed ? part.members.end - part.members.first : 0;
  }
  return count;
}

// --- Shares -------------------------------------------------------------------------------------------------------

void BudgetDivision::prepare(const Kernel& kernel) {
  const std::uint64_t window = kernel.window_slots();
  const Budget total = kernel.total();
  noise_.emplace(kernel);
  members_.assign(kernel.all().begin(), kernel.all().end());
  weights_.assign(members_.size(), 0);
  // Half of the budget for w decisions; less when a mean over many series can be had as exactly as one release for it.
  decision_ = total / 2 / window;
  if (!options_.grouped) {
    double weight = 0;
    for (const SeriesId id : members_)
      weight += noise_->weight(kernel.exposure().sensitivity_steps(id), kernel.series_per_meter(id));
    const double distance_weight = noise_->weight(reach_.change_steps(kernel.exposure(), members_));
    const double enough = noise_->share_for(distance_weight, weight * noise_->factor(total));
    decision_ = std::min(decision_, Budget::round_down(enough));
  }
  per_window_ = total - Budget::from_units(decision_.units() * window);
  first_share_ = per_window_ / 2 / window;
  if (options_.grouped) blocks_ = std::make_unique<SeriesBlocks>(kernel.exposure());
  allowance_.emplace(options_.allocation, per_window_, window, options_.grouped ? blocks_->series.size() : 1);
  Group everything;
  everything.members = {0, members_.size()};
  everything.parts.push_back({everything.members, false, 0});
  everything.accounts.resize(options_.grouped ? blocks_->series.size() : 1);
  std::iota(everything.accounts.begin(), everything.accounts.end(), 0u);
  groups_.push_back(std::move(everything));
  weigh(kernel.exposure());
  reference_.assign(members_.size(), 0);
}

Budget BudgetDivision::candidate(const Group& group) const {
  Budget least = per_window_;
  for (const std::uint32_t account : group.accounts) least = std::min(least, allowance_->candidate(account));
  return least;
}

void BudgetDivision::spend(const Group& group, Budget share) {
  for (const std::uint32_t account : group.accounts) allowance_->spend(account, share);
}

// --- A slot -------------------------------------------------------------------------------------------------------

Result<void> BudgetDivision::step(Kernel& kernel, Release& release) {
  if (groups_.empty()) prepare(kernel);
  allowance_->advance(kernel.slot());
  if (options_.grouped && kernel.slot() > 0 && kernel.slot() % kRegroupSlots == 0) regroup(kernel, release);
  for (Group& group : groups_) FUGU_TRY(or_repeat(consider(kernel, release, group)));
  return {};
}

std::span<const SeriesId> BudgetDivision::series_of(const Members& members) const {
  return std::span(members_).subspan(members.first, members.end - members.first);
}

BudgetDivision::View BudgetDivision::look_at(const Kernel& kernel, const Release& release, const Group& group) const {
  if (kernel.all_present())
    return {group.members.end - group.members.first, group.weight, group.weight_largest, group.newcomer};
  View view;
  for (const SeriesId id : series_of(group.members)) {
    if (!kernel.present(id)) continue;
    ++view.present;
    view.weight += weights_[id];
    view.weight_largest = std::max(view.weight_largest, weights_[id]);
    view.newcomer = view.newcomer || !release[id].known;
  }
  return view;
}

void BudgetDivision::remember(const Release& release, Group& group) {
  reference_.resize(members_.size());
  group.newcomer = false;
  for (std::size_t i = group.members.first; i < group.members.end; ++i) {
    reference_[i] = release.published_steps(members_[i]);
    group.newcomer = group.newcomer || !release[members_[i]].known;
  }
}

Result<void> BudgetDivision::consider(Kernel& kernel, Release& release, Group& group) {
  const Budget share = candidate(group);
  if (share.units() == 0 || (share.units() < kLeastShareUnits && kernel.slot() > 0)) return {};
  const View view = look_at(kernel, release, group);
  if (view.present == 0) return {};
  const double factor = noise_->factor(share);
  const bool each_drawable = noise_->drawable(view.weight_largest * factor);
  if (view.newcomer && share >= first_share_ && (each_drawable || kernel.slot() == 0)) {
    FUGU_TRY(release_each(kernel, release, series_of(group.members), share));
    spend(group, share);
    remember(release, group);
    return {};
  }
  FUGU_ASSIGN(const Moved moved, ask_distance(kernel, group));
  if (group.measure_spread) group.spread_steps = std::max(0.0, moved.steps);
  group.measure_spread = false;

  const double each_steps = each_drawable ? view.weight * factor : std::numeric_limits<double>::infinity();
  double parts_steps = std::numeric_limits<double>::infinity();
  if (group.any_summed) {
    const double part_factor = noise_->factor(share / group.parts_per_meter);
    double weight = 0;
    for (const Part& part : group.parts) weight += part.weight;
    if (noise_->drawable(weight * part_factor)) parts_steps = weight * part_factor + group.spread_steps;
  }
  if (moved.steps <= std::min(each_steps, parts_steps) + moved.noise_steps) return {};
  if (parts_steps < each_steps) {
    FUGU_TRY(release_parts(kernel, release, group, share));
  } else {
    FUGU_TRY(release_each(kernel, release, series_of(group.members), share));
  }
  spend(group, share);
  remember(release, group);
  return {};
}

Result<BudgetDivision::Moved> BudgetDivision::ask_distance(Kernel& kernel, const Group& group) const {
  // All in their own order are asked for by the kernel's list, which it knows at a glance.
  const std::span<const SeriesId> series = options_.grouped ? series_of(group.members) : kernel.all();
  return ask_distance(kernel, series, std::span(reference_).subspan(group.members.first, series.size()), decision_);
}

Result<BudgetDivision::Moved> BudgetDivision::ask_distance(Kernel& kernel, std::span<const SeriesId> series,
                                                           std::span<const std::int64_t> reference,
                                                           Budget share) const {
  FUGU_ASSIGN(const NoisyValue distance, kernel.distance(series, reference, share));
  return Moved{static_cast<double>(distance.steps), noise_steps(distance)};
}

Result<void> BudgetDivision::release_each(Kernel& kernel, Release& release, std::span<const SeriesId> series,
                                          Budget share) const {
  const bool everything = series.size() == kernel.all().size();  // which the kernel knows best
  const std::span<const SeriesId> asked = everything ? kernel.all() : series;
  FUGU_ASSIGN(const auto answers, kernel.values(asked, share));
  release.set(asked, answers);
  return {};
}

Result<void> BudgetDivision::release_sum(Kernel& kernel, Release& release, std::span<const SeriesId> series,
                                         Budget share) const {
  const auto present = std::count_if(series.begin(), series.end(), [&](SeriesId id) { return kernel.present(id); });
  if (present == 0) return {};
  FUGU_ASSIGN(const NoisyValue sum, kernel.sum(series, share));
  const std::int64_t part_steps = divide_nearest(sum.steps, present);
  for (const SeriesId id : series) {
    if (kernel.present(id)) release.estimate(id, part_steps, true);
  }
  return {};
}

Result<void> BudgetDivision::release_parts(Kernel& kernel, Release& release, Group& group, Budget share) {
  const Budget part_share = share / group.parts_per_meter;
  for (const Part& part : group.parts) {
    const std::span<const SeriesId> series = series_of(part.members);
    FUGU_TRY(part.summed ? release_sum(kernel, release, series, part_share)
                         : release_each(kernel, release, series, part_share));
  }
  group.measure_spread = true;
  return {};
}

// --- Groups -------------------------------------------------------------------------------------------------------

void BudgetDivision::regroup(const Kernel& kernel, const Release& release) {
  // Two series are alike if even the best release would not tell them apart.
  const double factor = noise_->factor(per_window_ / 2);
  const auto per_meter = reach_.series_per_meter(kernel.exposure(), kernel.all());
  tolerance_steps_.resize(members_.size());
  for (const SeriesId id : kernel.all())
    tolerance_steps_[id] = noise_->weight(kernel.exposure().sensitivity_steps(id), per_meter[id]) * factor;
  find_parts(release);
  form_groups(kernel.exposure());
  weigh(kernel.exposure());
  for (Group& group : groups_) remember(release, group);
}

void BudgetDivision::find_parts(const Release& release) {
  ordered_.clear();
  published_.clear();
  for (SeriesId id = 0; id < members_.size(); ++id) {
    ordered_.push_back(id);
    published_.push_back(release.published_steps(id));
  }
  const auto before = [&](SeriesId a, SeriesId b) {
    if (release[a].known != release[b].known) return release[a].known;
    return published_[a] != published_[b] ? published_[a] < published_[b] : a < b;
  };
  std::sort(ordered_.begin(), ordered_.end(), before);
  found_.clear();
  for (std::size_t first = 0; first < ordered_.size();) {
    const bool known = release[ordered_[first]].known;
    const auto lowest = static_cast<double>(published_[ordered_[first]]);
    double tolerance = tolerance_steps_[ordered_[first]];
    std::size_t end = first + 1;
    for (; end < ordered_.size() && known && release[ordered_[end]].known; ++end) {
      tolerance = std::min(tolerance, tolerance_steps_[ordered_[end]]);
      if (static_cast<double>(published_[ordered_[end]]) - lowest > tolerance) break;
    }
    found_.push_back({{first, end}, end - first > 1, 0});
    first = end;
  }
}

void BudgetDivision::form_groups(const Exposure& exposure) {
  // Series of one part decide together, and so do those that share a meter, and all that are like no other.
  UnionFind sets(blocks_->series.size());
  constexpr std::uint32_t kNone = ~0u;
  std::uint32_t loner = kNone;
  for (const Part& part : found_) {
    const std::uint32_t block = blocks_->of_series[ordered_[part.members.first]];
    if (!part.summed) {
      if (loner != kNone) sets.unite(block, loner);
      loner = block;
      continue;
    }
    for (std::size_t i = part.members.first; i < part.members.end; ++i)
      sets.unite(blocks_->of_series[ordered_[i]], block);
  }
  std::vector<std::uint32_t> group_of_root(blocks_->series.size(), kNone);
  groups_.clear();
  for (std::uint32_t block = 0; block < blocks_->series.size(); ++block) {
    std::uint32_t& group = group_of_root[sets.find(block)];
    if (group == kNone) {
      group = static_cast<std::uint32_t>(groups_.size());
      groups_.emplace_back();
    }
    groups_[group].accounts.push_back(block);
  }
  // Members in order of group and part; those that are like no other are the last part of their group.
  std::vector<std::vector<Members>> sums(groups_.size());
  std::vector<std::vector<SeriesId>> loners(groups_.size());
  for (const Part& part : found_) {
    const SeriesId any = ordered_[part.members.first];
    const std::uint32_t group = group_of_root[sets.find(blocks_->of_series[any])];
    if (part.summed) {
      sums[group].push_back(part.members);
    } else {
      loners[group].push_back(any);
    }
  }
  members_.clear();
  std::vector<std::uint64_t> parts_of(exposure.signature_count(), 0);
  std::vector<std::size_t> counted_in(exposure.signature_count(), 0);
  std::size_t part_number = 0;
  const auto add_part = [&](Group& group, std::span<const SeriesId> series, bool summed) {
    const std::size_t first = members_.size();
    members_.insert(members_.end(), series.begin(), series.end());
    std::sort(members_.begin() + static_cast<std::ptrdiff_t>(first), members_.end());
    group.parts.push_back({{first, members_.size()}, summed, 0});
    group.any_summed = group.any_summed || summed;
    ++part_number;
    for (const SeriesId id : series) {
      for (const std::uint32_t signature : exposure.signatures_of(id)) {
        if (counted_in[signature] == part_number) continue;
        counted_in[signature] = part_number;
        group.parts_per_meter = std::max(group.parts_per_meter, ++parts_of[signature]);
      }
    }
  };
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const std::size_t first = members_.size();
    for (const Members& sum : sums[g])
      add_part(groups_[g], std::span(ordered_).subspan(sum.first, sum.end - sum.first), true);
    if (!loners[g].empty()) add_part(groups_[g], loners[g], false);
    groups_[g].members = {first, members_.size()};
  }
}

void BudgetDivision::weigh(const Exposure& exposure) {
  for (Group& group : groups_) {
    for (Part& part : group.parts) {
      const std::span<const SeriesId> series = series_of(part.members);
      if (part.summed) {
        part.weight = noise_->weight(reach_.change_steps(exposure, series));
        continue;
      }
      const auto per_meter = reach_.series_per_meter(exposure, series);
      part.weight = 0;
      for (std::size_t i = 0; i < series.size(); ++i)
        part.weight += noise_->weight(exposure.sensitivity_steps(series[i]), per_meter[i]);
    }
    const std::span<const SeriesId> series = series_of(group.members);
    const auto per_meter = reach_.series_per_meter(exposure, series);
    for (std::size_t i = 0; i < series.size(); ++i) {
      const double weight = noise_->weight(exposure.sensitivity_steps(series[i]), per_meter[i]);
      weights_[series[i]] = weight;
      group.weight += weight;
      group.weight_largest = std::max(group.weight_largest, weight);
    }
  }
}

}  // namespace fugu
