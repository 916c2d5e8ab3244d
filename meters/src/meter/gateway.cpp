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
  if (rules.ring && !rules.periods.any()) return Error{Cause::usage, "a ring needs periods"};
  if (rules.divide_below_steps && !(*rules.divide_below_steps > 0))
    return Error{Cause::usage, "the deviation below which readings are divided: expected a number above 0"};
  if (rules.divide_below_steps && rules.parts < 2)
    return Error{Cause::usage, "dividing below a deviation needs at least 2 parts"};
  const auto& promise = rules.scheme.promise();
  if (!promise) return {};
  if (rules.divide_below_steps)
    return Error{Cause::refused, "the number of parts would show when the load is steady; divide always, or never"};
  if (rules.ring) {
    return Error{Cause::refused,
                 "a ring would show when stamps do not fit arrivals; let reports carry their period without a ring, "
                 "which makes sums over it exact as well"};
  }
  if (promise->parts != rules.parts)
    return Error{Cause::refused, "the promise was made for " + std::to_string(promise->parts) + " parts a reading"};
  return {};
}

/// Ring-moving: back into the period.
Slot wrapped(Slot stamp, const Period& period) {
  const Slot slots = period.end - period.start;
  return period.start + ((stamp - period.start) % slots + slots) % slots;
}

}  // namespace

Gateway::Gateway(MeterRules rules, MeterKeyFile keys, std::size_t queue_max)
    : rules_(std::move(rules)),
      keys_(std::move(keys)),
      queue_max_(queue_max),
      agreement_(sha256({agreement_text(rules_.scheme, rules_.parts, rules_.format)})),
      states_(keys_.meters.size()) {
  for (MeterKeys& keys_of_one : keys_.keys) keys_of_one.shift = shift_key_of(keys_of_one);
}

// Draws that two releases of the same readings share would let their differences tell more than ε₁ + ε₂: every set of
// rules has shift keys of its own.
SecretKey Gateway::shift_key_of(const MeterKeys& keys) {
  return *SecretKey::parse(to_hex(hash_(keys.shift, "K" + rules_text())));
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
  if (keys_.keys[meter].removed) {
    ++counters_.removed;
    return Measured::removed;
  }
  if (state.last_slot && *state.last_slot >= slot) {
    ++counters_.seen;
    return Measured::seen;
  }
  const std::optional<Period> period = rules_.periods.at(slot);
  if (rules_.periods.any() && !period) return Measured::no_period;
  const unsigned parts = parts_now(state, value_steps);
  state.last_slot = slot;
  ++counters_.readings;
  if (parts > 1) ++counters_.divided;
  std::array<detail::PartWords, kPartsMax> words;
  const Period of_calendar = rules_.periods.is_calendar() ? *period : Period{};
  for (unsigned part = 0; part < parts; ++part) {
    words[part] = detail::part_words(hash_, keys_.keys[meter].shift, keys_.meters.name(meter), slot, part, of_calendar);
  }
  std::array<std::int64_t, kPartsMax> values;
  detail::divide(value_steps, {words.data(), parts}, {values.data(), parts});
  for (unsigned part = 0; part < parts; ++part) {
    const auto [stamp, send] = rules_.scheme.dispatch(slot, words[part].shift, words[part].delay);
    const Slot moved = rules_.ring ? wrapped(stamp, *period) : stamp;
    enqueue(meter, {send, moved, values[part], words[part].order, period ? period->start : 0}, slot);
  }
  if (period) {
    if (state.open.empty() || state.open.back().period.start != period->start) state.open.push_back({*period});
    state.open.back().reports += parts;
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
  Report out{now, 0, report.stamp, report.value_steps, {}};
  if (rules_.periods.any()) out.period = report.period;
  sign_and_send(meter, out);
}

void Gateway::sign_and_send(MeterId meter, Report report) {
  report.number = states_[meter].next_number++;
  report.mac = report_mac(hash_, keys_.keys[meter].report, agreement_, keys_.meters.name(meter), report);
  outbox_.push_back({meter, report});
}

void Gateway::end_slot(Slot slot) {
  over_ = std::max(over_.value_or(slot), slot);
  send_due(slot);
  close_periods(slot);
}

void Gateway::drain() {
  while (waits()) {
    std::optional<Slot> next;
    for (const State& state : states_)
      if (!state.queue.empty()) next = std::min(next.value_or(state.queue.back().send), state.queue.back().send);
    send_due(*next);
    close_periods(*next);
  }
}

void Gateway::send_due(Slot now) {
  for (MeterId meter = 0; meter < states_.size(); ++meter) {
    std::vector<Queued>& queue = states_[meter].queue;
    while (!queue.empty() && queue.back().send <= now) {
      send(meter, queue.back(), now);
      queue.pop_back();
    }
  }
}

bool Gateway::State::has_queued(const OpenPeriod& open_period) const {
  return std::any_of(queue.begin(), queue.end(),
                     [&](const Queued& queued) { return queued.period == open_period.period.start; });
}

void Gateway::close_periods(Slot now) {
  for (MeterId meter = 0; meter < states_.size(); ++meter) {
    State& state = states_[meter];
    std::erase_if(state.open, [&](const OpenPeriod& open) {
      if (!over_ || open.period.end > *over_ + 1 || state.has_queued(open)) return false;
      Report closing{now, 0, open.period.end, 0, {}};
      closing.period = open.period.start;
      closing.closes_after = open.reports;
      sign_and_send(meter, closing);
      return true;
    });
  }
}

bool Gateway::waits() const {
  return std::any_of(states_.begin(), states_.end(), [](const State& state) { return !state.queue.empty(); });
}

std::optional<Slot> Gateway::next_due() const {
  std::optional<Slot> next;
  const auto take = [&](Slot due) { next = std::min(next.value_or(due), due); };
  for (const State& state : states_) {
    if (!state.queue.empty()) take(state.queue.back().send);
    for (const OpenPeriod& open : state.open)
      if (!state.has_queued(open)) take(open.period.end - 1);
  }
  return next;
}

Result<void> Gateway::adopt(const MeterKeyFile& keys, const std::string& name) {
  for (MeterId meter = 0; meter < keys_.meters.size(); ++meter) {
    if (keys.meters.find(keys_.meters.name(meter))) continue;
    return found_but_expected({name, 0, 0}, "no meter " + shown_name(keys_.meters.name(meter)),
                              "every meter of before; remove one by a row with - for both keys (fugu meter keys "
                              "--remove), so that what waits can be sent");
  }
  for (NameTable::Id id = 0; id < keys.meters.size(); ++id) {
    const auto meter = keys_.meters.find(keys.meters.name(id));
    if (meter && same_secret(keys_.keys[*meter].report.bytes(), keys.keys[id].report.bytes())) continue;
    if (keys.keys[id].since != (meter ? states_[*meter].progress() : MeterProgress{}))
      return not_where_keys_begin({name, 0, 0}, keys.meters.name(id));
  }
  for (NameTable::Id id = 0; id < keys.meters.size(); ++id) {
    const MeterId meter = keys_.meters.intern(keys.meters.name(id));
    if (meter == keys_.keys.size()) {
      keys_.keys.push_back(keys.keys[id]);
      states_.emplace_back();
    }
    keys_.keys[meter] = keys.keys[id];
    keys_.keys[meter].shift = shift_key_of(keys.keys[id]);
  }
  return {};
}

}  // namespace fugu
