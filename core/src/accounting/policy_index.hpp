// Which policies can be over by what is asked now: what makes the accountant of policies fast.
//
// Most policies *sleep*. A policy cannot be over while (sum of its weights) · (all rates since its interval began) is
// at most its ε, nor while Σ weight · length · (the largest rate since then) is. So it waits in a queue until the
// running sum has come so far that the first no longer says so, then in another until a rate is so large that the
// second does not. Then its loss is computed exactly, and it sleeps on if there is room. One that is near its ε is
// *awake*: its window maxima are kept up to date slot by slot.
#pragma once

#include <queue>
#include <vector>

#include "cost.hpp"
#include "fugu/stream/agenda.hpp"
#include "live_policy.hpp"

namespace fugu {

class PolicyIndex {
 public:
  using Units = RateSums::Units;

  /// All outlive the index. `reach_slots`: how far back answers may touch slots.
  PolicyIndex(const PolicyBook& book, const RateSums& rates, const ExactLoss& exact, std::uint64_t reach_slots)
      : book_(book), rates_(rates), exact_(exact), reach_slots_(reach_slots), channels_(rates.channels()) {}

  // --- Life of policies -----------------------------------------------------------------------------------------

  /// A policy in the book begins in this slot, for a signature that its meter may have. `near`, `limit`: as in
  /// LivePolicy.
  void begin(MeterId meter, std::uint32_t signature, const Policy& policy, std::size_t near, Units limit);
  /// The slot before this one has ended, and policies with it.
  void end_policies();
  /// A policy that has not begun came into the book, or left it.
  void refresh_neighbours(MeterId meter, const Policy& policy);
  /// Whether the interval of some policy of this signature contains the current slot.
  bool is_relevant(std::uint32_t signature) const { return channels_[signature].relevant > 0; }
  /// The first slot whose rates matter to a policy that is kept; `otherwise` if that is earlier.
  Slot earliest_slot(Slot otherwise) const;

  // --- What may be asked ----------------------------------------------------------------------------------------

  /// Wakes what may be over with this loss in this slot.
  void wake_for(const SignatureLoss& entry);
  /// Whether nobody who is awake is over with it. `added`: it is among the sums.
  bool fits_awake(const SignatureLoss& entry, bool added);
  /// What was asked about holds, and is among the sums.
  void confirm(std::uint32_t channel);
  /// The least that the rate of this slot may still grow on one of these channels; `enough` if that is less.
  Units least_room(std::uint32_t channel, Units enough);

  /// Whether every policy that is kept is within its ε, by the exact loss. The index plays no part.
  bool all_fit_exactly() const;
  /// Rates of earlier slots have changed.
  void rebuild_all();

 private:
  using LiveId = std::uint32_t;
  static constexpr LiveId kNone = ~LiveId{0};

  enum class State : std::uint8_t { free, asleep, awake };
  struct Live {
    LivePolicy policy;
    MeterId meter = 0;
    std::uint32_t version = 0;     // of its entry in a queue
    std::uint64_t rate_limit = 0;  // Σ weight · length · this ≤ limit: no loss while no rate is above
    std::uint32_t position = 0;    // among those awake
    LiveId next_of_meter = kNone;  // list
    State state = State::free;
  };
  struct Sleeper {
    Units until;  // running sum of its channel, or rate in one slot, up to which it may sleep
    LiveId live;
    std::uint32_t version;
    friend bool operator<(const Sleeper& a, const Sleeper& b) { return a.until > b.until; }  // earliest on top
  };
  using Sleepers = std::priority_queue<Sleeper>;
  struct Channel {
    std::vector<LiveId> awake;
    Sleepers by_sum;
    Sleepers by_rate;
    std::uint64_t relevant = 0;  // policies whose interval contains the current slot
  };

  static bool is_due(const Sleepers& queue, Units reached) { return !queue.empty() && queue.top().until < reached; }
  void put_to_sleep(LiveId id);
  void rebuild(LivePolicy& policy, MeterId meter);
  void keep_awake(LiveId id);
  /// The running sum will come to `sum`: computes exactly what the policy has lost, and lets it sleep on if that leaves
  /// room for more than one such step.
  void settle(LiveId id, Units sum);
  /// Wakes what may be over when the channel's running sum reaches `sum` in this slot.
  void wake_up_to(std::uint32_t channel, Units sum);
  /// The next that is due and still sleeps by this entry; kNone when there is none.
  LiveId take_due(Sleepers& queue, Units reached);
  /// Whether the policy can sleep until a slot's rate exceeds its limit. `rate`: this slot's, so far and to come.
  bool sleeps_by_rate(const Live& live, Units rate) const;
  void end(const std::vector<LiveId>& ended);
  void release(LiveId id);
  void forget_stale(Sleepers& queue) const;

  const PolicyBook& book_;
  const RateSums& rates_;
  const ExactLoss& exact_;
  std::uint64_t reach_slots_;
  std::vector<Channel> channels_;
  std::vector<Live> lives_;
  std::vector<LiveId> free_;
  std::vector<LiveId> first_of_meter_;  // list
  Agenda<LiveId> ending_;
  Agenda<LiveId> leaving_;  // with a reach: answers may still touch slots of an interval that has ended
};

// In every slot.

inline void PolicyIndex::end_policies() {
  const Slot now = rates_.slot();
  ending_.run_until(now, [this](const std::vector<LiveId>& ended) { end(ended); });
  if (reach_slots_ == 0) return;
  leaving_.run_until(now, [this](const std::vector<LiveId>& left) {
    for (const LiveId id : left) release(id);
  });
}

[[gnu::always_inline]] inline void PolicyIndex::wake_for(const SignatureLoss& entry) {
  const Channel& channel = channels_[entry.signature];
  const Units sum = rates_.now(entry.signature) + entry.loss.units();
  if (is_due(channel.by_sum, sum) || is_due(channel.by_rate, sum - rates_.before_now(entry.signature)))
    wake_up_to(entry.signature, sum);
}

[[gnu::always_inline]] inline bool PolicyIndex::fits_awake(const SignatureLoss& entry, bool added) {
  const Channel& channel = channels_[entry.signature];
  if (channel.relevant == 0) return true;
  if (entry.loss.units() == kTooMuchRate) return false;  // cut off: the true loss may be anything
  const Units more = added ? 0 : entry.loss.units();
  const Slot now = rates_.slot();
  const Units* sum_now = rates_.up_to(entry.signature, now);
  for (const LiveId id : channel.awake) {
    LivePolicy& policy = lives_[id].policy;
    if (policy.policy().interval.last >= now && !policy.fits_with(more, now, sum_now, exact_)) return false;
  }
  return true;
}

[[gnu::always_inline]] inline void PolicyIndex::confirm(std::uint32_t channel) {
  const Slot now = rates_.slot();
  for (const LiveId id : channels_[channel].awake) lives_[id].policy.confirm(now);
}

}  // namespace fugu
