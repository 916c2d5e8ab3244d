#include "policy_audit.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <set>

namespace fugu::audit {

namespace {

/// By how much the shape changes a series in a slot at most. Lanes about the same series add up.
Units largest_change(const Shape& shape) {
  Units largest = 0;
  for (const Profile& profile : shape.alternatives) {
    const std::size_t slots = profile.lanes.empty() ? 0 : profile.lanes[0].steps.size();
    for (std::size_t slot = 0; slot < slots; ++slot) {
      Units everywhere = 0;
      std::map<SeriesId, Units> named;
      for (const Lane& lane : profile.lanes) {
        if (slot >= lane.steps.size()) continue;
        (lane.series ? named[*lane.series] : everywhere) += lane.steps[slot];
      }
      Units most = 0;
      for (const auto& [series, steps] : named) most = std::max(most, steps);
      largest = std::max(largest, everywhere + most);
    }
  }
  return largest;
}

std::uint64_t longest_alternative(const Shape& shape) {
  std::size_t longest = 1;
  for (const Profile& profile : shape.alternatives) {
    for (const Lane& lane : profile.lanes) longest = std::max(longest, lane.steps.size());
  }
  return longest;
}

/// The largest ρ, rounded down, for which the audit's own conversion gives at most δ at this ε.
Units rho_allowed(double epsilon, double log_delta_promised) {
  long double kept = 0;
  long double broken = 1;
  while (log_delta(broken, epsilon) <= log_delta_promised) broken *= 2;
  for (int i = 0; i < 70; ++i) {
    const long double middle = (kept + broken) / 2;
    (log_delta(middle, epsilon) <= log_delta_promised ? kept : broken) = middle;
  }
  return static_cast<Units>(std::floor(std::ldexp(kept, kRateBits)));
}

}  // namespace

std::vector<SeriesId> named_series(const PoliciesHeld& policies, const Exposure& exposure) {
  std::set<SeriesId> named;
  for (std::uint32_t position = 0; position < policies.positions(); ++position) {
    const Policy& policy = policies.policy(position);
    if (!policy.shape || !policies.in_force(position)) continue;
    for (const Profile& profile : policy.shape->alternatives) {
      for (const Lane& lane : profile.lanes) {
        if (lane.series && *lane.series < exposure.series_count()) named.insert(*lane.series);
      }
    }
  }
  return {named.begin(), named.end()};
}

PolicyAudit::PolicyAudit(const PoliciesHeld& policies, const Exposure& exposure, Delta delta)
    : policies_(policies), exposure_(exposure), delta_(delta), broken_(policies.positions()) {}

// --- A meter's policies -------------------------------------------------------------------------------------------

Units PolicyAudit::allowance(const Policy& policy) {
  static_assert(Budget::kFractionBits <= kRateBits && 64 + kRateBits - Budget::kFractionBits <= 128);
  if (pure()) return static_cast<Units>(policy.epsilon.units()) << (kRateBits - Budget::kFractionBits);
  const auto [found, is_new] = allowance_in_rho_.try_emplace(policy.epsilon.units(), 0);
  if (is_new) found->second = rho_allowed(policy.epsilon.to_double(), std::log(delta_.value()));
  return found->second;
}

PolicyAudit::Box PolicyAudit::box_of(std::uint32_t position) {
  const Policy& policy = policies_.policy(position);
  Box box{policy.interval, policy.length_slots, policy.magnitude_steps, allowance(policy), position};
  if (policy.shape) {
    box.length_slots = longest_alternative(*policy.shape);
    box.steps = largest_change(*policy.shape);
  }
  return box;
}

void PolicyAudit::gather(MeterId meter) {
  boxes_.clear();
  for (const std::uint32_t position : policies_.of(meter)) boxes_.push_back(box_of(position));
  std::sort(boxes_.begin(), boxes_.end(), [](const Box& a, const Box& b) {
    return a.interval.first != b.interval.first ? a.interval.first < b.interval.first : a.position < b.position;
  });
  latest_.resize(boxes_.size());
  Slot latest = -1;
  for (std::size_t i = 0; i < boxes_.size(); ++i) latest_[i] = latest = std::max(latest, boxes_[i].interval.last);
}

void PolicyAudit::find_overlapping(const Interval& interval) {
  overlapping_.clear();
  const auto reached = std::lower_bound(latest_.begin(), latest_.end(), interval.first) - latest_.begin();
  for (auto i = static_cast<std::size_t>(reached); i < boxes_.size(); ++i) {
    if (boxes_[i].interval.first > interval.last) break;
    if (boxes_[i].interval.last >= interval.first) overlapping_.push_back(&boxes_[i]);
  }
}

// --- Losses -------------------------------------------------------------------------------------------------------

bool PolicyAudit::in_signature(SeriesId series, std::size_t signature) const {
  const std::vector<SeriesId>& members = exposure_.signature(signature);
  return std::binary_search(members.begin(), members.end(), series);
}

Units PolicyAudit::loss_of_profile(const Profile& profile, Slot start, const Interval& interval,
                                   const View& view) const {
  Units loss = 0;
  for (const Lane& lane : profile.lanes) {
    if (lane.series && !in_signature(*lane.series, view.signature)) continue;  // not where the meter counts
    const RateColumn& column = lane.series ? view.rates.of_series(*lane.series) : view.column();
    for (std::size_t i = 0; i < lane.steps.size(); ++i) {
      const Slot slot = start + static_cast<Slot>(i);
      if (lane.steps[i] > 0 && interval.contains(slot)) loss = add(loss, multiply(lane.steps[i], column.at(slot)));
    }
  }
  return loss;
}

PolicyAudit::Placed PolicyAudit::place_shape(const Box& box, const Interval& interval, const View& view) const {
  const Shape& shape = *policies_.policy(box.position).shape;
  const Interval shared = view.column().within(common(box.interval, interval));
  Placed best{0, box.interval.first, 0};
  for (std::size_t a = 0; a < shape.alternatives.size(); ++a) {
    const Profile& profile = shape.alternatives[a];
    const auto length = profile.lanes.empty() ? Slot{1} : static_cast<Slot>(profile.lanes[0].steps.size());
    // Placements that share a slot with the interval, in which something was released.
    const Slot first = std::max(box.interval.first, shared.first - length + 1);
    const Slot last = std::min(box.interval.last - length + 1, shared.last);
    for (Slot start = first; start <= last; ++start) {
      const Units loss = loss_of_profile(profile, start, interval, view);
      if (loss > best.loss) best = {loss, start, a};
    }
  }
  return best;
}

Units PolicyAudit::worst_placement_loss(const Box& box, const Interval& interval, const View& view) const {
  if (pure() && policies_.policy(box.position).shape) return place_shape(box, interval, view).loss;
  const Units weight = pure() ? box.steps : multiply(box.steps, box.steps);
  return multiply(weight, view.column().largest(common(box.interval, interval), box.length_slots));
}

PolicyAudit::Placed PolicyAudit::worst_placement(const Box& box, const Interval& interval, const View& view) const {
  if (pure() && policies_.policy(box.position).shape) return place_shape(box, interval, view);
  const Slot best = view.column().argmax(common(box.interval, interval), box.length_slots);
  // The occurrence lies in the policy's own interval; what sticks out of the other one does not count.
  const Slot last_start = box.interval.last - static_cast<Slot>(std::min(box.length_slots, box.interval.slots())) + 1;
  return {worst_placement_loss(box, interval, view), std::min(best, last_start), 0};
}

Units PolicyAudit::bound(const Interval& interval, const View& view) const {
  Units changes = 0;
  Units loss = 0;
  for (const Box* box : overlapping_) {
    changes = add(changes, box->steps);
    loss = add(loss, multiply(box->steps, view.column().sum(common(box->interval, interval))));
  }
  return pure() ? loss : multiply(changes, loss);  // (Σ d)² ≤ (Σ all d) · Σ d, slot by slot
}

Units PolicyAudit::closer_bound_in_rho(const Interval& interval, const View& view) const {
  // Of each product of two changes, half is counted with the window of the one and half with that of the other.
  Units changes = 0;
  Units loss = 0;
  for (const Box* box : overlapping_) {
    changes = add(changes, box->steps);
    const Units rate = view.column().largest(common(box->interval, interval), box->length_slots);
    loss = add(loss, multiply(box->steps, rate));
  }
  return multiply(changes, loss);
}

Units PolicyAudit::loss_in_rho(const Interval& interval, const View& view) const {
  // The square of a sum, with each product of two changes over as many slots as the two can share.
  Units loss = 0;
  for (std::size_t i = 0; i < overlapping_.size(); ++i) {
    const Box& psi = *overlapping_[i];
    const Interval within = common(psi.interval, interval);
    loss = add(loss, worst_placement_loss(psi, interval, view));
    for (std::size_t j = i + 1; j < overlapping_.size(); ++j) {
      const Box& chi = *overlapping_[j];
      if (!chi.interval.overlaps(within)) continue;
      const std::uint64_t shared_slots = std::min(psi.length_slots, chi.length_slots);
      const Units rate = view.column().largest(common(within, chi.interval), shared_slots);
      loss = add(loss, multiply(multiply(2 * psi.steps, chi.steps), rate));
    }
  }
  return loss;
}

Units PolicyAudit::exact_loss(const Interval& interval, const View& view) const {
  if (!pure()) return loss_in_rho(interval, view);
  Units loss = 0;
  for (const Box* box : overlapping_) loss = add(loss, worst_placement_loss(*box, interval, view));
  return loss;
}

// --- Verdicts -----------------------------------------------------------------------------------------------------

long double PolicyAudit::ratio(Units loss, Units allowed) {
  if (loss == 0) return 0;
  if (allowed == 0 || loss == kUnbounded) return std::numeric_limits<long double>::infinity();
  return static_cast<long double>(loss) / static_cast<long double>(allowed);
}

bool PolicyAudit::is_broken(Units loss, const Box& box) const {
  if (loss <= box.allowed) return false;
  if (pure() || loss == kUnbounded) return true;
  // The allowance was found by search; what counts is the conversion itself.
  return log_delta(loss_as_number(loss), policies_.policy(box.position).epsilon.to_double()) > std::log(delta_.value());
}

double PolicyAudit::loss_as_stated(Units loss, const Policy& policy) const {
  if (pure()) return static_cast<double>(loss_as_number(loss));
  if (loss == kUnbounded) return 1;
  return std::exp(log_delta(loss_as_number(loss), policy.epsilon.to_double()));
}

void PolicyAudit::note_broken(Units loss, const Box& box, AuditReport& report) {
  if (broken_[box.position]) return;
  broken_[box.position] = true;
  const Policy& policy = policies_.policy(box.position);
  char lost[64];
  std::snprintf(lost, sizeof lost, "%s = %.6g", pure() ? "ε" : "δ", loss_as_stated(loss, policy));
  report.add("the promise is broken: " + describe(policy, policies_.name(policies_.meter(box.position))) + " loses " +
             lost);
}

bool PolicyAudit::is_harmless(Units at_most, Units allowed) const {
  return at_most <= allowed && ratio(at_most, allowed) <= worst_ratio_;
}

bool PolicyAudit::all_are_harmless(const View& view) const {
  Units changes = 0;
  Units loss = 0;
  Units allowed = kUnbounded;
  for (const Box& box : boxes_) {
    changes = add(changes, box.steps);
    loss = add(loss, multiply(box.steps, view.column().sum(box.interval)));
    allowed = std::min(allowed, box.allowed);
  }
  if (!pure()) loss = multiply(changes, loss);
  return is_harmless(loss, allowed);
}

void PolicyAudit::judge_meter(const View& view, AuditReport& report) {
  if (all_are_harmless(view)) return;
  for (const Box& phi : boxes_) {
    find_overlapping(phi.interval);
    if (is_harmless(bound(phi.interval, view), phi.allowed)) continue;
    if (!pure() && is_harmless(closer_bound_in_rho(phi.interval, view), phi.allowed)) continue;
    const Units loss = exact_loss(phi.interval, view);
    if (is_broken(loss, phi)) note_broken(loss, phi, report);
    if (const long double share = ratio(loss, phi.allowed); share > worst_ratio_) {
      worst_ratio_ = share;
      worst_of_pass_ = Worst{phi.position, view.signature, loss};
    }
  }
}

void PolicyAudit::judge(const LossRates& rates, AuditReport& report) {
  worst_of_pass_.reset();
  for (MeterId meter = 0; meter < policies_.meter_count(); ++meter) {
    bool gathered = false;
    for (const std::uint32_t g : policies_.signatures(policies_.group(meter))) {
      if (!rates.range().contains(g)) continue;
      if (!gathered) gather(meter);
      gathered = true;
      judge_meter({rates, g}, report);
    }
  }
  if (worst_of_pass_) describe_worst({rates, worst_of_pass_->signature});
}

void PolicyAudit::describe_worst(const View& view) {
  const MeterId meter = policies_.meter(worst_of_pass_->position);
  const Policy& policy = policies_.policy(worst_of_pass_->position);
  WorstPolicy worst{.meter = std::string(policies_.name(meter)),
                    .policy = policy,
                    .loss = loss_as_stated(worst_of_pass_->loss, policy),
                    .promised = pure() ? policy.epsilon.to_double() : delta_.value(),
                    .measure = pure() ? "ε" : "δ",
                    .ratio = static_cast<double>(worst_ratio_),
                    .series = exposure_.signature(view.signature),
                    .placement = {}};
  gather(meter);
  find_overlapping(policy.interval);
  for (const Box* box : overlapping_) {
    const Placed placed = worst_placement(*box, policy.interval, view);
    worst.placement.push_back({policies_.policy(box->position), placed.start, placed.alternative,
                               static_cast<double>(loss_as_number(placed.loss))});
  }
  worst_policy_ = std::move(worst);
}

void PolicyAudit::finish(AuditReport& report) const {
  report.policies = policies_.size();
  report.worst_policy = worst_policy_;
}

}  // namespace fugu::audit
