// The kernel at work: what is behind the strategy's view of it. Private to the runner of slots, which makes it.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "fugu/accounting/ledger.hpp"
#include "fugu/accounting/membership.hpp"
#include "fugu/accounting/policy_accountant.hpp"
#include "fugu/mechanism/kernel.hpp"
#include "fugu/noise/noise.hpp"
#include "fugu/policy/feed.hpp"
#include "fugu/stream/source.hpp"
#include "replay.hpp"

namespace fugu {

/// Holds the true values of a run and the only way to them: a request is charged, then drawn, then on record. During a
/// replay it is charged in the same way, and what would have been drawn is taken from the record.
class RunningKernel final : public Kernel {
 public:
  struct Options {
    Definition definition;
    Exposure exposure;
    NoiseKind noise = NoiseKind::laplace;
    /// How many slots before the current one deviation requests may reach.
    Reach reach;
  };
  /// `accountant`: of this definition and exposure. `ledger`: nullptr for none.
  RunningKernel(Options options, std::unique_ptr<Accountant> accountant, std::unique_ptr<Noise> noise,
                LedgerWriter* ledger);

  // --- The strategy's view ----------------------------------------------------------------------------------------

  Slot earliest_slot() const override;
  Budget available() const override { return accountant().available(); }
  Budget available(std::span<const SeriesId> series) const override { return accountant().available(series); }
  Result<NoisyValues> values(std::span<const SeriesId> series, Budget share) override;
  Result<NoisyValues> values_at(std::span<const SeriesId> series, double rate) override;
  Result<NoisyValues> true_values(std::span<const SeriesId> series) override;
  Result<NoisyValue> sum(std::span<const SeriesId> series, Budget share) override;
  Result<NoisyValue> distance(std::span<const SeriesId> series, std::span<const std::int64_t> reference,
                              Budget share) override;
  Result<NoisyValue> distance_at(std::span<const SeriesId> series, std::span<const std::int64_t> reference,
                                 double rate) override;
  Result<NoisyValue> deviation(std::span<const SeriesId> series, Slot first_slot, Budget share) override;
  Result<Threshold> open_threshold(Statistic statistic, std::span<const SeriesId> series, std::int64_t threshold_steps,
                                   Budget share, Slot first_slot) override;
  Result<bool> exceeds(Threshold& threshold, std::span<const std::int64_t> reference) override;
  void close(Threshold& threshold) override;

  // --- The runner's view ------------------------------------------------------------------------------------------

  /// A policy becomes known or is taken back, between slots.
  Result<MeterId> state(const PolicyEvent& event);
  /// A unit counts into other series from the next slot on.
  Result<void> place(const UnitPlaced& placed);
  const Membership& membership() const { return membership_; }
  Result<void> check_counting(const Counting& counting) const { return membership_.check(counting, *accountant_); }
  /// Under a swellfish definition only.
  const PolicyBook& policies_in_force() const { return policies_->book(); }
  // Life of a slot.
  Result<void> begin(const SlotRow& row);
  Result<void> begin_replay(Slot slot, const std::vector<SeriesId>& missing, Replay& replay);
  void end(std::int32_t utc_offset_s);
  /// From now on nothing before `slot` is remembered.
  void forget_before(Slot slot);
  /// By series, of this slot so far.
  std::span<const double> loss_rates() const { return rate_; }

 private:
  Result<void> start_slot(Slot slot);
  void note_missing();
  void record_missing();
  void remember();
  std::size_t memory_position(Slot slot) const { return static_cast<std::size_t>(slot) & (memory_slots_ - 1); }

  /// Brought to this slot when it is first needed: in many slots a strategy asks for nothing.
  Accountant& accountant() const {
    if (accounted_slot_ != slot_) accountant_->advance(accounted_slot_ = slot_);
    return *accountant_;
  }
  /// Charges an answer before it is drawn. The only place where anything is charged, live or in a replay.
  Result<void> charge(Answer& answer);
  /// In a replay: fills in what was drawn for this very question.
  Result<void> take_recorded(Answer& answer);
  /// What a request is about.
  struct Scope {
    std::span<const SeriesId> series;
    bool is_all;  // they are all(): then what belongs to them lies in one piece
  };
  void add_loss(const Scope& scope, double loss_rate);
  void add_noise(Answer& answer);

  /// What was asked for last, of values or of one number. Asking for the same again changes nothing but the slot, and
  /// asking at another rate one parameter: that makes the usual slot cheap.
  struct Request {
    enum class Price : std::uint8_t { none, share, rate, free };
    Price price = Price::none;
    Budget share;
    double rate = 0;
    std::vector<SeriesId> series;  // as asked: values with those that were missing
    bool of_all = false;           // that is all()
    bool complete = false;         // none was missing
    Answer answer;
    double loss_rate = 0;               // of one number, or of values with one parameter
    std::vector<std::uint32_t> places;  // of values: where in the answer each of `series` is; empty when complete
  };
  bool is_all(std::span<const SeriesId> series) const {
    return series.data() == all_.data() && series.size() == all_.size();
  }
  bool is_same(const Request& request, std::span<const SeriesId> series, Request::Price price) const;
  void start_values(std::span<const SeriesId> series);
  void add_value(SeriesId series, Rational parameter);
  void end_values(Request::Price price, bool same_for_all);
  Result<NoisyValues> ask_values();
  /// Exact, because a rate is a dyadic fraction: scale 1/rate, or variance 1/(2·rate).
  Result<Rational> parameter_at(double rate) const;
  Result<Rational> parameter_for(std::uint64_t change_steps, std::uint64_t slots, Budget share) const;
  /// The same for a value in one slot. Remembers the last: series that are asked one by one are asked alike.
  Result<Rational> parameter_of_value(std::uint64_t change_steps, Budget share);
  /// gain · Σ sensitivity over the series that one meter reaches, for the meter that reaches most.
  std::uint64_t largest_change(Statistic statistic, std::span<const SeriesId> series);
  /// Into how many of `asked` the meter counts that counts into a series and most others of them; in the same order.
  std::vector<std::uint64_t> series_per_meter_within(std::span<const SeriesId> asked);
  void clear_by_signature(std::span<const SeriesId> series);
  Result<NoisyValue> ask_single(Statistic statistic, std::span<const SeriesId> series,
                                std::span<const std::int64_t> reference, Slot first_slot, Budget share);
  void start_single(Statistic statistic, std::span<const SeriesId> series, Slot first_slot, Rational parameter);
  Result<NoisyValue> finish_single(std::span<const std::int64_t> reference, Slot first_slot);
  Result<void> check_remembered(Slot first_slot) const;
  void check_series(std::span<const SeriesId> series) const;

  // True values, and what may be computed from them before noise is added.
  std::int64_t reveal(const Raw& value) const { return value.reveal(RawKey()); }
  std::int64_t evaluate(Statistic statistic, const Scope& scope, std::span<const std::int64_t> reference,
                        Slot first_slot) const;
  std::uint64_t distance_of_all(std::span<const std::int64_t> reference) const;
  int128 deviation_of(SeriesId series, Slot first_slot) const;

  Reach reach_;
  std::unique_ptr<Accountant> accountant_;
  PolicyAccountant* policies_ = nullptr;  // the same, when it is one
  Slot horizon_ = Accountant::kNoHorizon;
  Membership membership_;
  std::unique_ptr<Noise> noise_;
  LedgerWriter* ledger_;
  Replay* replay_ = nullptr;

  std::vector<double> rate_;
  bool any_charged_ = false;          // in this slot: otherwise all of rate_ is 0
  mutable Slot accounted_slot_ = -1;  // the accountant's
  static constexpr std::int64_t kMissing = std::numeric_limits<std::int64_t>::min();  // in memory_
  Slot remembered_from_ = 0;
  std::span<const Raw> now_;  // true values of this slot
  std::size_t memory_slots_;  // 0, or a power of two that holds the reach and the current slot, in whole blocks
  /// True values: [series][slot mod memory_slots_], and once more behind that, so that those of consecutive slots lie
  /// one after the other.
  std::vector<std::int64_t> memory_;
  Slot last_missing_slot_ = -1;           // the last slot with a missing total
  std::uint64_t largest_remembered_ = 0;  // magnitude of a value that ever was in memory_

  /// Drawn for the threshold of an open session.
  struct ThresholdNoise {
    std::uint64_t session = 0;  // 0: none
    std::int64_t steps = 0;
  };
  bool is_drawn(const Threshold& threshold) const {
    return threshold.request_.session != 0 && threshold.noise_ < threshold_noise_.size() &&
           threshold_noise_[threshold.noise_].session == threshold.request_.session;
  }
  void keep_noise(Threshold& threshold, std::int64_t steps);
  void forget_noise(const Threshold& threshold);

  std::vector<std::uint64_t> by_signature_;  // for sums over some series; all 0 in between
  std::vector<ThresholdNoise> threshold_noise_;
  std::vector<std::size_t> free_noise_;  // unused places of it
  std::uint64_t next_session_ = 1;

  struct LastParameter {
    std::uint64_t change_steps = 0;
    Budget share;
    Rational parameter;
  };
  LastParameter last_parameter_;
  std::uint64_t next_form_ = 1;
  Request values_request_;
  Request single_request_;
};

// --- Life of a slot -------------------------------------------------------------------------------------------------
// Inline, because in many slots this is all there is.

// Made out of line, so that what runs in every slot stays small.
Error beyond_horizon(Slot slot, std::uint64_t horizon_slots);

inline Result<void> RunningKernel::start_slot(Slot slot) {
  FUGU_CHECK(slot == slot_ + 1);
  if (slot >= horizon_) return beyond_horizon(slot, window_slots());
  slot_ = slot;
  // Values of other sensitivities cost something else, and need other noise.
  if (exposure_.varies() && exposure_.over_time().changes_in(slot)) values_request_.price = Request::Price::none;
  if (policies_ != nullptr) accountant();  // what is idle in this slot is asked without it
  if (any_charged_) std::fill(rate_.begin(), rate_.end(), 0.0);
  any_charged_ = false;
  return {};
}

inline Result<void> RunningKernel::begin(const SlotRow& row) {
  FUGU_CHECK(row.values.size() == all_.size());
  replay_ = nullptr;
  FUGU_TRY(start_slot(row.slot));
  now_ = row.values;
  note_missing();
  if (memory_slots_ > 0) remember();
  if (any_missing_ && ledger_ != nullptr) record_missing();
  return {};
}

inline void RunningKernel::note_missing() {
  const bool any_before = any_missing_;
  any_missing_ = std::any_of(now_.begin(), now_.end(), [](const Raw& value) { return value.missing(); });
  if (any_missing_) last_missing_slot_ = slot_;
  if (!any_missing_ && !any_before) return;
  for (std::size_t i = 0; i < now_.size(); ++i) missing_[i] = now_[i].missing() ? 1 : 0;
}

inline void RunningKernel::remember() {
  const auto magnitude = [](std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    return value < 0 ? 0 - bits : bits;
  };
  std::int64_t* now = &memory_[memory_position(slot_)];
  for (const Raw& value : now_) {
    now[0] = now[memory_slots_] = value.missing() ? kMissing : reveal(value);
    if (!value.missing()) largest_remembered_ = std::max(largest_remembered_, magnitude(now[0]));
    now += 2 * memory_slots_;
  }
}

inline void RunningKernel::end(std::int32_t utc_offset_s) {
  if (ledger_ == nullptr || replay_ != nullptr) return;
  const double total = std::accumulate(rate_.begin(), rate_.end(), 0.0);
  ledger_->append(LedgerRecord(SlotEnd{slot_, utc_offset_s, total}));
}

}  // namespace fugu
