// The policies whose interval contains the current slot, of all meters, ready to be scanned.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "fugu/base/check.hpp"
#include "fugu/policy/book.hpp"
#include "fugu/stream/agenda.hpp"

namespace fugu {

/// Follows the stream slot by slot. Relevant policies stand in columns, so that a rule reads only what it needs; a
/// policy that has ended leaves nothing behind.
///
/// Cost: adding and indexing is amortised constant for policies that come in order of their first slot, and O(n log n)
/// for n that come in any order before the first slot. A slot costs O(1), plus one pass over one column when a policy
/// ends in it, plus what overlaps each policy that begins in it. Memory: about 50 bytes for a policy to come and 150
/// for a relevant one.
class RelevantPolicies {
 public:
  /// Whether affected_slots() is wanted: it is most of the work when a policy begins.
  enum class Affected : std::uint8_t { ignored, counted };
  /// How a meter's loss grows with its temporal sensitivity, for spent(): squared where rates count ρ.
  enum class Loss : std::uint8_t { linear, squared };
  explicit RelevantPolicies(Affected affected, Loss loss = Loss::linear) : affected_(affected), loss_(loss) {}

  /// A policy that begins after the current slot.
  void add(MeterId meter, const Policy& policy);
  /// Takes back one that was added and has not begun; false when there is none.
  bool withdraw(MeterId meter, const Policy& policy);
  /// Moves to `slot`, which is after the current one.
  void advance(Slot slot) {
    FUGU_CHECK(!slot_ || slot > *slot_);
    slot_ = slot;
    changed_ = false;
    if (earliest_last_ < slot) remove_ended();
    // Before new policies begin: those will see the arrivals among what is to come.
    if (!arrivals_.empty()) apply_arrivals();
    agenda_.run_until(slot, [this](std::vector<MeterId>& due) { begin_policies(due); });
  }
  /// The current slot was answered at this rate: adds what each meter lost to each of its relevant policies. 0: it was
  /// not answered.
  void record_spent(double rate) {
    if (!(rate > 0)) return;
    ++answered_;
    // A change by nothing loses nothing even to a true value, whose rate is infinite.
    for (std::size_t i = 0; i < meters_.size(); ++i) {
      const double by = change(meters_[i]);
      if (by > 0) spent_[i] += rate * by;
    }
  }

  Slot slot() const { return *slot_; }
  bool empty() const { return meters_.empty(); }
  std::size_t size() const { return meters_.size(); }
  /// Whether anything below, except for spent() and answered_slots(), differs from the slot before.
  bool changed() const { return changed_; }

  /// Columns: relevant policy i, in no particular order, from 0 to size() − 1.
  MeterId meter(std::size_t i) const { return meters_[i]; }
  Interval interval(std::size_t i) const { return records_[i].interval; }
  std::uint64_t length_slots(std::size_t i) const { return records_[i].length_slots; }
  double epsilon(std::size_t i) const { return records_[i].epsilon; }
  /// δ(J) of Algorithm 6 over the policies of its meter known by now (docs/guarantees/tes-tenat.md), if counted.
  std::uint64_t affected_slots(std::size_t i) const { return counts_[i].affected_slots; }
  /// ε / δ(J), if counted: what each slot may cost when all cost the same.
  double epsilon_per_affected_slot(std::size_t i) const { return epsilon_per_affected_slot_[i]; }
  /// Σ rate · temporal sensitivity (or its square) of its meter over the slots of its interval so far: at least what it
  /// has lost.
  double spent(std::size_t i) const { return spent_[i]; }
  /// How many slots of its interval were answered so far.
  std::uint64_t answered_slots(std::size_t i) const { return answered_ - counts_[i].answered_before; }

  /// Temporal sensitivity of a meter in the current slot: the sum of its relevant magnitudes.
  std::uint64_t sensitivity_steps(MeterId meter) const { return sensitivities_[meter].steps; }
  /// What a rate is multiplied with to get the meter's loss: its sensitivity, or the square of it.
  double change(MeterId meter) const { return sensitivities_[meter].change; }
  /// The same for another sensitivity.
  double change_of(std::uint64_t steps) const {
    const auto by = static_cast<double>(steps);
    return loss_ == Loss::squared ? by * by : by;
  }
  /// The largest over all meters. Looks at every relevant policy.
  std::uint64_t largest_sensitivity_steps() const;
  std::size_t meter_count() const { return collections_.size(); }

 private:
  struct Record {
    Interval interval;
    std::uint64_t length_slots;
    std::uint64_t magnitude_steps;
    double epsilon;
    bool operator==(const Record&) const = default;
  };
  struct Sensitivity {
    std::uint64_t steps = 0;
    double change = 0;
  };
  struct Counts {
    std::int64_t affected_sum;  // of Algorithm 6 before it is capped at |J|
    std::uint64_t affected_slots;
    std::uint64_t answered_before;
  };
  /// One meter's policies that have not ended.
  struct Upcoming {
    std::vector<Record> to_come;  // from `next` on; ordered by first slot if `ordered`
    std::size_t next = 0;
    bool ordered = true;
    std::vector<Record>
        begun;  // when affected slots are counted; some may have ended since a policy of the meter began last
    Slot wakes_at = kNever;
  };
  /// A policy that came or went while others of its meter were relevant: their δ(J) changes.
  struct Arrival {
    MeterId meter;
    Interval interval;
    std::uint64_t length_slots;
    std::int64_t sign;
  };
  static constexpr Slot kNever = kPolicySlotMax + 1;

  static Record record_of(const Policy& policy);
  static std::uint64_t reach(const Interval& interval, const Interval& other, std::uint64_t other_length_slots);
  static void insert(Upcoming& upcoming, const Record& record, bool keep_ordered);
  static void order(Upcoming& upcoming);
  void set_sensitivity(MeterId meter, std::uint64_t steps) { sensitivities_[meter] = {steps, change_of(steps)}; }
  void wake_at(MeterId meter, Slot slot);
  void remember_arrival(MeterId meter, const Record& record, std::int64_t sign);
  void apply_arrivals();
  void remove_ended();
  void remove(std::size_t i);
  void begin_policies(std::vector<MeterId>& meters);
  void begin_policies(MeterId meter);
  void begin_policy(MeterId meter, const Record& record, std::uint64_t affected_sum);
  static std::uint64_t affected_sum_of(const Record& record, const Upcoming& upcoming);
  /// After its affected_sum has changed.
  void update_affected(std::size_t i);

  Affected affected_;
  Loss loss_;
  std::optional<Slot> slot_;
  std::vector<Upcoming> collections_;       // by meter
  std::vector<Sensitivity> sensitivities_;  // by meter
  Agenda<MeterId> agenda_;                  // meters that have a policy that begins then
  std::vector<Arrival> arrivals_;
  std::vector<char> has_arrival_;  // by meter
  bool changed_ = true;
  Slot earliest_last_ = kNever;  // of the relevant policies
  std::uint64_t answered_ = 0;

  // Columns: alone what is read in every slot, together what is not.
  std::vector<MeterId> meters_;
  std::vector<Slot> last_;
  std::vector<double> epsilon_per_affected_slot_;
  std::vector<double> spent_;
  std::vector<Record> records_;
  std::vector<Counts> counts_;
};

}  // namespace fugu
