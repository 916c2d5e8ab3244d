#include "fugu/distributional/learning.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fugu {

namespace {

using Values = std::vector<std::int64_t>;

/// Of one meter: what all its circumstances have in common.
struct Level {
  std::int64_t mean_steps = 0;
  double variance_steps = 0;  ///< around the means of the circumstances
};

Level level_of(std::span<const Values> by_circumstance, const ClampRange& clamp) {
  double sum = 0;
  double count = 0;
  double squares = 0;
  for (const Values& values : by_circumstance) {
    const double part = std::accumulate(values.begin(), values.end(), 0.0);
    const auto size = static_cast<double>(values.size());
    for (const std::int64_t value : values) {
      const double deviation = static_cast<double>(value) - part / size;
      squares += deviation * deviation;
    }
    sum += part;
    count += size;
  }
  return {std::clamp<std::int64_t>(std::llround(sum / count), clamp.lo, clamp.hi), squares / count};
}

}  // namespace

Result<Learned> learn_profiles(MeterReadings& readings, const NameTable& meters,
                               const std::vector<NameTable::Id>& wanted, const DistributionalPlan& plan) {
  const Circumstances& circumstances = plan.circumstances;
  const std::size_t count = circumstances.count();
  const Clock& clock = readings.format().clock;
  if (!circumstances.none() && !clock.has_time() && !readings.empty())
    return Error{
        Cause::usage,
        "slot numbers do not say which hour it is: learn from readings with time stamps, or by no circumstances"};
  if (plan.slot_s && clock.slot_s() != *plan.slot_s && !readings.empty())
    return Error{Cause::refused,
                 "found past readings of " +
                     (clock.has_time() ? "slots of " + slot_length_text(clock.slot_s()) : std::string("slot numbers")) +
                     "; expected slots of " + slot_length_text(*plan.slot_s) + ", as of all meters of the state"};
  std::vector<Values> values(wanted.size() * count);
  std::vector<std::optional<std::size_t>> place(meters.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) place[wanted[i]] = i * count;
  MeterReadings::Row row;
  while (true) {
    FUGU_ASSIGN(const bool more, readings.next(row));
    if (!more) break;
    if (!row.value_steps || !place[row.meter]) continue;
    const std::size_t circumstance = circumstances.none() ? 0 : circumstances.at(clock.start_of(row.slot));
    values[*place[row.meter] + circumstance].push_back(std::clamp(*row.value_steps, plan.clamp.lo, plan.clamp.hi));
  }
  Learned learned;
  learned.until_s = readings.end_s();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::span<Values> of_meter(values.data() + i * count, count);
    const auto [least, most] = std::minmax_element(
        of_meter.begin(), of_meter.end(), [](const Values& a, const Values& b) { return a.size() < b.size(); });
    if (most->empty()) {
      return Error{Cause::bad_input, "found no past reading of meter " + shown_name(meters.name(wanted[i])) +
                                         "; expected some of each meter that is new in the series map"};
    }
    const bool few = std::any_of(of_meter.begin(), of_meter.end(),
                                 [](const Values& v) { return !v.empty() && v.size() < kFewReadings; });
    if (few) ++learned.meters_with_few;
    if (least->empty()) ++learned.meters_with_unlearned;
    const Level level = level_of(of_meter, plan.clamp);
    for (Values& part : of_meter) {
      if (part.empty()) {
        learned.profiles.push_back(MeterProfile::unlearned(level.mean_steps, level.variance_steps));
        continue;
      }
      const MeterProfile profile = MeterProfile::learn(std::move(part), plan.clamp);
      learned.profiles.push_back(plan.one_level ? profile.at_level(level.mean_steps, level.variance_steps) : profile);
    }
  }
  return learned;
}

}  // namespace fugu
