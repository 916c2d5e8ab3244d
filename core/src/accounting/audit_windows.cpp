#include "audit_windows.hpp"

#include <algorithm>

#include "fugu/accounting/definition_kind.hpp"

namespace fugu::audit {

void LossTable::add_to_slots(Slot first, Slot last, Units loss) {
  for (Slot slot = first; slot <= last; ++slot) {
    Units& sum = per_slot_[index(slot)];
    sum = std::min(sum + std::min(loss, kLargestLoss), kLargestLoss);
  }
}

WorstWindow LossTable::worst() const {
  WorstWindow worst;
  Units in_slots = 0;
  int128 in_window = 0;
  const std::size_t width_slots = index(width());
  for (std::size_t slot = 0; slot < std::min(width_slots, per_slot_.size()); ++slot) in_slots += per_slot_[slot];
  for (std::size_t start = 0; start < per_slot_.size(); ++start) {
    in_window += change_[start];
    const Units total = in_slots + static_cast<Units>(in_window);
    if (total > worst.loss) worst = {total, static_cast<Slot>(start)};
    in_slots -= per_slot_[start];
    if (start + width_slots < per_slot_.size()) in_slots += per_slot_[start + width_slots];
  }
  return worst;
}

WindowAudit::WindowAudit(const Definition& definition, const Exposure& exposure, std::size_t slots)
    : definition_(definition),
      exposure_(exposure),
      slots_(slots),
      pure_(definition.delta().value() == 0),
      window_(definition.kind().has_horizon ? std::max<std::size_t>(1, slots) : definition.window_slots()) {}

void WindowAudit::begin_pass(SignatureRange range) {
  range_ = range;
  tables_.assign(range.count, LossTable(slots_, window_));
  asked_.clear();
}

Units WindowAudit::loss_of_value(std::uint64_t change, Rational p, const Answer& answer) {
  const bool known = cached_change_ == change && cached_noise_ == answer.noise && cached_parameter_.num == p.num &&
                     cached_parameter_.den == p.den;
  if (!known) {
    cached_change_ = change;
    cached_parameter_ = p;
    cached_noise_ = answer.noise;
    cached_loss_ = loss_of(answer, p, pure_, change, 1);
  }
  return cached_loss_;
}

void WindowAudit::add_value(const Answer& answer) {
  for (std::size_t i = 0; i < answer.series.size(); ++i) {
    const SeriesId series = answer.series[i];
    const Units loss = loss_of_value(exposure_.sensitivity_steps(series, answer.slot), answer.parameter_of(i), answer);
    for (const std::uint32_t g : exposure_.signatures_of(series)) {
      if (range_.contains(g)) tables_[g - range_.first].add_to_slots(answer.slot, answer.slot, loss);
    }
  }
}

void WindowAudit::add_comparison(const Answer& answer) {
  // Windows that hold an earlier comparison of the session have paid for it.
  const auto [found, is_new] = asked_.try_emplace(answer.session, answer.slot);
  const Slot from = is_new ? 0 : found->second + 1;
  if (!is_new && answer.slot < from) return;
  found->second = answer.slot;
  for (const auto& [g, change] : changes(answer, exposure_, range_, Change::whole_sensitivity))
    tables_[g - range_.first].add_to_windows_with(answer.slot, from,
                                                  loss_of(answer, answer.parameter[0], pure_, change, 1));
}

void WindowAudit::add(const Answer& answer) {
  if (answer.is_comparison()) {
    if (answer.statistic != Statistic::deviation) add_comparison(answer);
    return;
  }
  if (answer.statistic == Statistic::value) {
    add_value(answer);
    return;
  }
  for (const auto& [g, change] : changes(answer, exposure_, range_, Change::whole_sensitivity)) {
    LossTable& table = tables_[g - range_.first];
    const std::uint64_t steps = change;
    if (pure_) {
      table.add_to_slots(answer.first_slot, answer.slot, loss_of(answer, answer.parameter[0], true, steps, 1));
    } else {
      table.add_by_overlap(answer.first_slot, answer.slot,
                           [&](std::uint64_t m) { return loss_of(answer, answer.parameter[0], false, steps, m); });
    }
  }
}

void WindowAudit::add(std::size_t signature, Slot slot, Units loss) {
  tables_[signature - range_.first].add_to_slots(slot, slot, loss);
}

void WindowAudit::add_session(const Session& session) {
  const Answer& answer = session.like;
  for (const auto& [g, change] : changes(answer, exposure_, range_, Change::whole_sensitivity)) {
    const std::uint64_t steps = change;
    tables_[g - range_.first].add_by_overlap(session.first, session.last, [&](std::uint64_t m) {
      return loss_of(answer, answer.parameter[0], pure_, steps, m);
    });
  }
}

void WindowAudit::add(const Sessions& sessions) {
  for (const auto& [id, session] : sessions) {
    if (session.like.statistic == Statistic::deviation && session.last < static_cast<Slot>(slots_))
      add_session(session);
  }
}

void WindowAudit::end_pass() {
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    const WorstWindow candidate = tables_[i].worst();
    if (candidate.loss <= worst_.loss) continue;
    worst_ = candidate;
    worst_signature_ = range_.first + i;
  }
  tables_.clear();
}

void WindowAudit::judge(AuditReport& report) const {
  if (definition_.kind().has_horizon && report.slots > definition_.window_slots())
    report.add("more slots were released than the horizon of " + std::to_string(definition_.window_slots()));
  const Slot end = static_cast<Slot>(slots_);
  if (worst_.loss > 0) report.worst_series = exposure_.signature(worst_signature_);
  report.worst_first_slot = worst_.first_slot;
  report.worst_last_slot = worst_.first_slot + static_cast<Slot>(std::min<std::uint64_t>(window_, slots_)) - 1;
  report.worst_last_slot = std::min(report.worst_last_slot, std::max<Slot>(0, end - 1));
  judge_worst_window(up_to_long_double(worst_.loss), definition_, report);
}

}  // namespace fugu::audit
