#include "policy_index.hpp"

#include <algorithm>
#include <utility>

namespace fugu {

// --- Life of policies -----------------------------------------------------------------------------------------------

void PolicyIndex::begin(MeterId meter, std::uint32_t signature, const Policy& policy, std::size_t near, Units limit) {
  if (free_.empty()) {
    free_.push_back(static_cast<LiveId>(lives_.size()));
    lives_.emplace_back();
  }
  const LiveId id = free_.back();
  free_.pop_back();
  if (meter >= first_of_meter_.size()) first_of_meter_.resize(book_.meter_count(), kNone);
  Live& live = lives_[id];
  live.policy.begin(policy, signature, near, limit);
  live.meter = meter;
  live.next_of_meter = std::exchange(first_of_meter_[meter], id);
  ++channels_[signature].relevant;
  ending_.schedule(policy.interval.last + 1, id);
  put_to_sleep(id);
}

void PolicyIndex::end(const std::vector<LiveId>& ended) {
  for (const LiveId id : ended) {
    --channels_[lives_[id].policy.signature()].relevant;
    if (reach_slots_ == 0) {
      release(id);
    } else {
      leaving_.schedule(rates_.slot() + static_cast<Slot>(reach_slots_), id);
    }
  }
}

void PolicyIndex::release(LiveId id) {
  Live& live = lives_[id];
  Channel& channel = channels_[live.policy.signature()];
  if (live.state == State::awake) {
    const LiveId last = channel.awake.back();
    channel.awake[live.position] = last;
    lives_[last].position = live.position;
    channel.awake.pop_back();
  }
  LiveId* link = &first_of_meter_[live.meter];
  while (*link != id) link = &lives_[*link].next_of_meter;
  *link = live.next_of_meter;
  live.state = State::free;
  ++live.version;
  live.policy.forget_terms();
  free_.push_back(id);
  forget_stale(channel.by_sum);
  forget_stale(channel.by_rate);
}

/// Entries of policies that ended in their sleep stay in the queue until their time comes; not too many of them.
void PolicyIndex::forget_stale(Sleepers& queue) const {
  if (queue.size() <= 64 || queue.size() <= 2 * lives_.size()) return;
  std::vector<Sleeper> kept;
  for (; !queue.empty(); queue.pop()) {
    if (lives_[queue.top().live].version == queue.top().version) kept.push_back(queue.top());
  }
  queue = Sleepers(std::less<Sleeper>(), std::move(kept));
}

void PolicyIndex::refresh_neighbours(MeterId meter, const Policy& policy) {
  if (meter >= first_of_meter_.size()) return;
  for (LiveId id = first_of_meter_[meter]; id != kNone; id = lives_[id].next_of_meter) {
    Live& live = lives_[id];
    if (!live.policy.policy().interval.overlaps(policy.interval)) continue;
    live.state == State::awake ? rebuild(live.policy, meter) : put_to_sleep(id);
  }
}

Slot PolicyIndex::earliest_slot(Slot otherwise) const {
  for (const Live& live : lives_) {
    if (live.state != State::free) otherwise = std::min(otherwise, live.policy.policy().interval.first);
  }
  return otherwise;
}

// --- Asleep and awake -----------------------------------------------------------------------------------------------

void PolicyIndex::put_to_sleep(LiveId id) {
  Live& live = lives_[id];
  const Policy& policy = live.policy.policy();
  Units weights = 0;
  Units slot_weights = 0;
  bool shaped = false;
  const auto weigh = [&](Units weight, std::uint64_t length_slots) {
    weights += weight;
    slot_weights += weight * length_slots;
  };
  const Collection& collection = book_.of(live.meter);
  if (exact_.currency() == Currency::epsilon) {
    const auto weigh_policy = [&](const Policy& psi) {
      weigh(psi.magnitude_steps, std::min(psi.length_slots, common(policy.interval, psi.interval).slots()));
      shaped = shaped || psi.shape;
    };
    collection.for_overlapping(policy.interval, weigh_policy, live.policy.near());
  } else {
    for_loss_terms(collection, policy, exact_.currency(),
                   [&](const LossTerm& term) { weigh(term.weight, term.length_slots); });
  }
  if (shaped) {  // the bounds are for plain policies
    rebuild(live.policy, live.meter);
    return keep_awake(id);
  }
  live.rate_limit = narrow(live.policy.limit() / slot_weights);
  live.state = State::asleep;
  const Units begun = *rates_.up_to(live.policy.signature(), policy.interval.first - 1);
  channels_[live.policy.signature()].by_sum.push({begun + live.policy.limit() / weights, id, ++live.version});
}

void PolicyIndex::rebuild(LivePolicy& policy, MeterId meter) {
  policy.rebuild(book_.of(meter), rates_, exact_.currency());
}

void PolicyIndex::keep_awake(LiveId id) {
  Live& live = lives_[id];
  Channel& channel = channels_[live.policy.signature()];
  ++live.version;
  live.state = State::awake;
  live.position = static_cast<std::uint32_t>(channel.awake.size());
  channel.awake.push_back(id);
}

void PolicyIndex::settle(LiveId id, Units sum) {
  Live& live = lives_[id];
  rebuild(live.policy, live.meter);
  const Units now = rates_.now(live.policy.signature());
  const Units ahead = sum > now ? sum - now : 1;
  const Units until = live.policy.safe_until(now);
  if (until < std::max(sum, now) + ahead) return keep_awake(id);  // it would be back at once
  live.policy.forget_terms();
  channels_[live.policy.signature()].by_sum.push({until, id, ++live.version});
}

PolicyIndex::LiveId PolicyIndex::take_due(Sleepers& queue, Units reached) {
  while (is_due(queue, reached)) {
    const Sleeper sleeper = queue.top();
    queue.pop();
    if (lives_[sleeper.live].version == sleeper.version) return sleeper.live;
  }
  return kNone;
}

void PolicyIndex::wake_up_to(std::uint32_t signature, Units sum) {
  Channel& channel = channels_[signature];
  const Units rate = sum - rates_.before_now(signature);
  for (LiveId id; (id = take_due(channel.by_rate, rate)) != kNone;) settle(id, sum);
  for (LiveId id; (id = take_due(channel.by_sum, sum)) != kNone;) {
    Live& live = lives_[id];
    if (sleeps_by_rate(live, rate)) {
      channel.by_rate.push({live.rate_limit, id, ++live.version});
    } else {
      settle(id, sum);
    }
  }
}

bool PolicyIndex::sleeps_by_rate(const Live& live, Units rate) const {
  if (rate > live.rate_limit) return false;
  const Interval& interval = live.policy.policy().interval;
  const Units* sums = rates_.up_to(live.policy.signature(), interval.first - 1);
  const Units* before = rates_.up_to(live.policy.signature(), std::min(rates_.slot() - 1, interval.last));
  for (; sums < before; ++sums) {
    if (sums[1] - sums[0] > live.rate_limit) return false;
  }
  return true;
}

// --- What may be asked ----------------------------------------------------------------------------------------------

PolicyIndex::Units PolicyIndex::least_room(std::uint32_t signature, Units enough) {
  Channel& channel = channels_[signature];
  Units least = enough;
  std::size_t seen = 0;
  const auto ask_awake = [&] {
    for (; seen < channel.awake.size(); ++seen)
      least = std::min(least, lives_[channel.awake[seen]].policy.room(least, rates_, exact_));
  };
  ask_awake();
  // Only what would wake at that rate can have less room.
  const Units now = rates_.now(signature);
  const Units before = rates_.before_now(signature);
  for (;;) {
    if (is_due(channel.by_sum, now + least)) {
      wake_up_to(signature, channel.by_sum.top().until + 1);
    } else if (is_due(channel.by_rate, now + least - before)) {
      wake_up_to(signature, before + channel.by_rate.top().until + 1);
    } else {
      return least;
    }
    ask_awake();
  }
}

bool PolicyIndex::all_fit_exactly() const {
  return std::all_of(lives_.begin(), lives_.end(), [&](const Live& live) {
    const LivePolicy& kept = live.policy;
    return live.state == State::free ||
           exact_.of(book_.of(live.meter), kept.policy(), kept.signature()) <= kept.limit();
  });
}

void PolicyIndex::rebuild_all() {
  for (LiveId id = 0; id < lives_.size(); ++id) {
    Live& live = lives_[id];
    if (live.state == State::free) continue;
    rebuild(live.policy, live.meter);
    if (live.state == State::asleep) keep_awake(id);
  }
}

}  // namespace fugu
