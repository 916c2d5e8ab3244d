#include "fugu/meter/gateway.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "fugu/meter/keyed_words.hpp"

namespace fugu {

namespace {

constexpr unsigned kPartsMax = 16;
/// A reading's weight in the recent mean and variance.
constexpr double kRecent = 1.0 / 16;

Result<std::size_t> queue_for(const MeterRules& rules) {
  const std::size_t needed = (static_cast<std::size_t>(rules.scheme.hold_slots_max()) + 1) * rules.parts;
  if (rules.queue_max == 0) return needed;
  if (rules.scheme.is_lagged() && rules.queue_max < needed) {
    return Error{Cause::refused, "a queue of " + std::to_string(rules.queue_max) +
                                     " reports can get full, and what then goes out early breaks the promise; the lag "
                                     "needs " +
                                     std::to_string(needed)};
  }
  return rules.queue_max;
}

Result<void> check(const MeterRules& rules) {
  if (rules.parts < 1 || rules.parts > kPartsMax) return Error{Cause::usage, "parts: expected 1 to 16"};
  if (rules.ring_slots < 0) return Error{Cause::usage, "the ring: expected at least 1 slot, or 0 for none"};
  if (rules.divide_below_steps && !(*rules.divide_below_steps > 0))
    return Error{Cause::usage, "the deviation below which readings are divided: expected a number above 0"};
  if (rules.divide_below_steps && rules.parts < 2)
    return Error{Cause::usage, "dividing below a deviation needs at least 2 parts"};
  const auto& promise = rules.scheme.promise();
  if (!promise) return {};
  if (rules.divide_below_steps)
    return Error{Cause::refused, "the number of parts would show when the load is steady; divide always, or never"};
  if (rules.ring_slots != 0)
    return Error{Cause::refused, "a ring would show on which side of its ends a reading was taken"};
  if (promise->parts != rules.parts)
    return Error{Cause::refused, "the promise was made for " + std::to_string(promise->parts) + " parts a reading"};
  return {};
}

/// Ring-moving: back into the period of `slot`.
Slot wrapped(Slot stamp, Slot slot, Slot period) {
  const auto remainder = [&](Slot value) { return (value % period + period) % period; };
  return period == 0 ? stamp : slot - remainder(slot) + remainder(stamp);
}

}  // namespace

Gateway::Gateway(MeterRules rules, MeterKeyFile keys, std::size_t queue_max)
    : rules_(std::move(rules)), keys_(std::move(keys)), queue_max_(queue_max), states_(keys_.meters.size()) {
  // Draws that two releases of the same readings share would let their differences tell more than ε₁ + ε₂: every set of
  // rules has shift keys of its own.
  const std::string message = "K" + rules_text();
  for (MeterKeys& keys_of_one : keys_.keys)
    keys_of_one.shift = *SecretKey::parse(to_hex(hash_(keys_of_one.shift, message)));
}

Result<Gateway> Gateway::make(MeterRules rules, MeterKeyFile keys) {
  FUGU_TRY(check(rules));
  FUGU_ASSIGN(const std::size_t queue_max, queue_for(rules));
  return Gateway(std::move(rules), std::move(keys), queue_max);
}

unsigned Gateway::parts_now(State& state, std::int64_t value_steps) {
  const auto value = static_cast<double>(value_steps);
  if (!state.last_slot) state.mean = value;
  const double difference = value - state.mean;
  state.mean += kRecent * difference;
  state.variance = (1 - kRecent) * (state.variance + kRecent * difference * difference);
  if (!rules_.divide_below_steps) return rules_.parts;
  return std::sqrt(state.variance) < *rules_.divide_below_steps ? rules_.parts : 1;
}

Gateway::Measured Gateway::measure(MeterId meter, Slot slot, std::int64_t value_steps) {
  FUGU_CHECK(value_steps >= -kStepsMax && value_steps <= kStepsMax);
  State& state = states_[meter];
  if (state.last_slot && *state.last_slot >= slot) {
    ++counters_.seen;
    return Measured::seen;
  }
  const unsigned parts = parts_now(state, value_steps);
  state.last_slot = slot;
  ++counters_.readings;
  if (parts > 1) ++counters_.divided;
  std::array<detail::PartWords, kPartsMax> words;
  for (unsigned part = 0; part < parts; ++part)
    words[part] = detail::part_words(hash_, keys_.keys[meter].shift, keys_.meters.name(meter), slot, part);
  std::array<std::int64_t, kPartsMax> values;
  detail::divide(value_steps, {words.data(), parts}, {values.data(), parts});
  for (unsigned part = 0; part < parts; ++part) {
    const auto [stamp, send] = rules_.scheme.dispatch(slot, words[part].shift, words[part].delay);
    enqueue(meter, {send, wrapped(stamp, slot, rules_.ring_slots), values[part], words[part].order}, slot);
  }
  return Measured::queued;
}

void Gateway::enqueue(MeterId meter, Queued report, Slot now) {
  std::vector<Queued>& queue = states_[meter].queue;
  if (queue.capacity() < queue_max_) queue.reserve(std::min<std::size_t>(queue_max_, queue.capacity() * 2 + 4));
  queue.insert(
      std::upper_bound(queue.begin(), queue.end(), report, [](const Queued& a, const Queued& b) { return b < a; }),
      report);
  if (queue.size() > queue_max_) {
    send(meter, queue.back(), now);
    queue.pop_back();
    ++counters_.early;
  }
  counters_.queued_most = std::max<std::uint64_t>(counters_.queued_most, queue.size());
}

void Gateway::send(MeterId meter, const Queued& report, Slot now) {
  Outgoing out{meter, {now, states_[meter].next_number++, report.stamp, report.value_steps, {}}};
  out.report.mac = report_mac(hash_, keys_.keys[meter].report, keys_.meters.name(meter), out.report);
  outbox_.push_back(out);
}

void Gateway::end_slot(Slot slot) {
  for (MeterId meter = 0; meter < states_.size(); ++meter) {
    std::vector<Queued>& queue = states_[meter].queue;
    while (!queue.empty() && queue.back().send <= slot) {
      send(meter, queue.back(), slot);
      queue.pop_back();
    }
  }
}

std::optional<Slot> Gateway::next_due() const {
  std::optional<Slot> next;
  for (const State& state : states_) {
    if (!state.queue.empty() && (!next || state.queue.back().send < *next)) next = state.queue.back().send;
  }
  return next;
}

}  // namespace fugu
