// Swellfish: L(J) ≤ ε for every policy of every meter.
#pragma once

#include <limits>
#include <map>
#include <queue>
#include <vector>

#include "cost.hpp"
#include "fugu/accounting/loss_terms.hpp"
#include "fugu/accounting/policy_accountant.hpp"
#include "fugu/stream/agenda.hpp"

namespace fugu {

/// Rates are kept per *channel*: one for each signature, and one for each series that no signature consists of alone.
/// A rate is the loss of a change by a fixed number of reference steps, as an integer of Budget units; its running sums
/// over time turn every window sum into a difference. Weights are integers, too, so losses are exact.
///
/// Most policies *sleep*. A policy cannot be over while (sum of its weights) · (all rates since its interval began) is
/// at most its ε, nor while Σ weight · length · (the largest rate since then) is. So it waits in a queue until the
/// running sum has come so far that the first no longer says so, then in another until a rate is so large that the
/// second does not. Then its loss is computed exactly, and it sleeps on if there is room. One that is near its ε is
/// *awake*: its window maxima are kept up to date slot by slot.
class SwellfishAccountant final : public PolicyAccountant {
 public:
  SwellfishAccountant(const Definition& definition, const Exposure& exposure, Reach reach);

  Result<MeterId> state(std::string_view meter, std::span<const std::uint32_t> signatures,
                        const Policy& policy) override;
  Result<MeterId> withdraw(std::string_view meter, const Policy& policy) override;
  const PolicyBook& book() const override { return book_; }
  bool idle(SeriesId series) const override;

  Currency currency() const override { return currency_; }
  Budget total() const override;
  std::uint64_t window_slots() const override { return floor_ ? floor_->window_slots() : 1; }
  Slot horizon() const override { return floor_ ? floor_->horizon() : kNoHorizon; }
  void advance(Slot slot) override;
  Budget available() override;
  Budget available(std::span<const SeriesId> series) override;
  Budget worst() const override { return floor_ ? floor_->worst() : Budget(); }
  Result<void> admit(const Answer& answer) override;
  Result<void> charge(const Answer& answer) override;
  void commit() override;
  std::unique_ptr<Accountant> follow(std::uint32_t signature, const Exposure& unit) const override;

 private:
  using Units = uint128;  // of rates (Budget units), or of weight times rate
  using LiveId = std::uint32_t;
  static constexpr LiveId kNone = ~LiveId{0};
  static constexpr Slot kNever = std::numeric_limits<Slot>::max();

  /// One term of a policy's loss whose interval has not ended.
  struct Row {
    Interval interval;
    std::uint64_t length_slots;
    std::uint64_t weight;
    std::uint64_t best;       // largest window sum so far
    std::uint64_t candidate;  // what it becomes with the staged answer
  };
  /// A neighbour with a shape: the largest weighted sum over alternatives and placements.
  struct ShapeRow {
    Policy policy;
    Interval within;               // what of its interval lies in J
    Units best;                    // over occurrences that ended before the current slot
    std::vector<Slot> next_start;  // per alternative: the first occurrence that is not among them
  };
  enum class State : std::uint8_t { free, asleep, awake };
  /// A policy whose interval has begun, for one of the signatures its meter may have.
  struct Live {
    Policy policy;
    Units limit = 0;   // ε, weighted
    Units closed = 0;  // what terms with a past interval contribute
    std::vector<Row> rows;
    std::vector<ShapeRow> shapes;
    MeterId meter = 0;
    std::uint32_t signature = 0;
    std::uint32_t version = 0;     // of its entry in a queue
    std::uint32_t near = 0;        // where it was in its meter's collection when it began
    std::uint64_t rate_limit = 0;  // Σ weight · length · this ≤ limit: no loss while no rate is above
    std::uint32_t position = 0;    // in awake_
    LiveId next_of_meter = kNone;  // list
    State state = State::free;
  };
  struct Sleeper {
    Units until;  // running sum of its channel, or rate in one slot, up to which it may sleep
    LiveId live;
    std::uint32_t version;
    friend bool operator<(const Sleeper& a, const Sleeper& b) { return a.until > b.until; }  // earliest on top
  };
  struct Meter {
    std::vector<std::uint32_t> signatures;
    LiveId first_live = kNone;  // list
    std::uint32_t next = 0;     // where its next policy was in its collection
    Slot begins_at = kNever;    // that policy, unless it was taken back; the meter is on the agenda for then
  };
  /// What is kept for one channel.
  struct Watch {
    std::vector<Units> sums = {0};  // [index(slot)]: Σ of rates up to and including the slot
    std::vector<LiveId> awake;
    std::priority_queue<Sleeper> asleep;                 // by running sum
    std::priority_queue<Sleeper> asleep_rate;            // by rate
    std::uint64_t relevant = 0;                          // policies whose interval contains the current slot
    Units sum_before() const { return sums.end()[-2]; }  // the current slot
  };
  struct Staged {
    std::span<const SignatureLoss> losses;  // per channel, of each newly touched slot; kept in cost_
    Slot first = 0;
    Slot last = -1;  // last < first: nothing
    std::uint64_t session = 0;
    Slot session_first = 0;
  };
  struct Session {
    Slot first;
    Slot last;
  };

  // Rates.
  std::size_t index(Slot slot) const { return static_cast<std::size_t>(slot - history_first_ + 1); }
  Units sum(std::uint32_t channel, Slot first, Slot last) const;
  Units best_window(std::uint32_t channel, const Interval& interval, std::uint64_t length_slots) const;
  Units best_placement(ShapeRow& row, std::uint32_t signature) const;
  Units placed(const Profile& profile, Slot start, const Interval& within, std::uint32_t signature) const;
  void add_rates(const Staged& staged, bool add);
  void trim_history();

  // Life of a policy.
  void wake_at(MeterId meter, Slot slot);
  void begin_policies(std::vector<MeterId>& meters);
  void begin_policies(MeterId meter);
  void end_policies(const std::vector<LiveId>& ended);
  void make_live(MeterId meter, std::uint32_t signature, const Policy& policy, std::size_t near);
  void release(LiveId id);
  void put_to_sleep(LiveId id);
  void wake(LiveId id);
  void keep_awake(LiveId id);
  /// The running sum will come to `sum`: computes exactly what the policy has lost, and lets it sleep on if that leaves
  /// room for more than one such step.
  void settle(LiveId id, Units sum);
  void rebuild(Live& live) const;
  void add_row(Live& live, const LossTerm& term) const;
  /// Wakes what may be over when the channel's running sum reaches `sum` in this slot.
  void wake_up_to(std::uint32_t signature, Units sum);
  /// Whether the policy can sleep until a slot's rate exceeds its limit. `rate`: this slot's, so far and to come.
  bool sleeps_by_rate(const Live& live, Units rate) const;
  static bool is_due(const std::priority_queue<Sleeper>& queue, Units reached) {
    return !queue.empty() && queue.top().until < reached;
  }
  void forget_stale(std::priority_queue<Sleeper>& queue) const;
  void refresh_neighbours(MeterId meter, const Policy& policy);
  Budget budget_of(Budget epsilon);

  // Losses.
  /// Whether the policy stays within its limit when its channel's rate in this slot grows by `more`. Leaves the window
  /// sums in the rows' candidates.
  bool fits_with(Live& live, Units more) const;
  /// How much more its channel's rate may grow in this slot; exact where it is below `enough`.
  Units room(Live& live, Units enough) const;
  /// The least room of any policy on the channels that these series touch.
  Units least_room(std::span<const SeriesId> series);
  Result<void> admit_true_value(const Answer& answer) const;
  void stage(const Answer& answer);
  void stage_comparison(const Answer& answer);
  /// Wakes what may be over with this loss in this slot.
  void wake_for(const SignatureLoss& entry);
  /// Whether nobody who is awake is over with it. `added`: it is among the sums.
  bool fits_awake(const SignatureLoss& entry, bool added);
  bool fits_now();
  bool fits_in_past();
  /// Tries the staged answer with its rates added to the sums, for what is not computed row by row.
  bool fits_when_added();
  void rebuild_all();
  /// The staged answer, which touches this slot alone, holds.
  void add_to_slot();
  Error refusal(const Answer& answer) const;

  Definition definition_;
  Exposure exposure_;
  Currency currency_;
  unsigned weight_shift_;
  std::unique_ptr<Accountant> floor_;
  std::uint64_t reach_slots_;
  Exposure channels_;
  std::vector<std::uint32_t> channel_of_series_;
  CostTable cost_;

  PolicyBook book_;
  std::vector<Meter> meters_;
  bool has_shapes_ = false;    // some policy has one
  Agenda<MeterId> beginning_;  // meters that have a policy that begins then
  Agenda<LiveId> ending_;
  Agenda<LiveId> leaving_;  // with a reach: answers may still touch slots of an interval that has ended
  std::vector<Live> lives_;
  std::vector<LiveId> free_;
  std::vector<Watch> watches_;  // per channel: the signatures, then series, for which no policy is live
  std::map<Budget, Budget> budgets_;

  Slot current_ = -1;
  Slot history_first_ = 0;
  std::map<std::uint64_t, Session> sessions_;
  Staged staged_;
};

}  // namespace fugu
