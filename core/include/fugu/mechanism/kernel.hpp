// The kernel: the only place where noise meets data.
//
// A strategy never holds a true value. It asks the kernel, names what it is willing to spend, and gets noisy integers
// back. For every request the kernel works out the noise that the spending allows, has the accountant charge every
// slot and series the request touches, draws the noise, writes the answer to the ledger, and only then returns it.
// A strategy that asks too much is refused; one with a bug loses accuracy, not privacy.
//
// What a strategy may know besides answers is public by the threat model (docs/guarantees/threat-model.md): the
// slot, the parameters of the definition, and which *totals* are missing altogether.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "fugu/accounting/accountant.hpp"
#include "fugu/accounting/ledger.hpp"
#include "fugu/accounting/membership.hpp"
#include "fugu/accounting/policy_accountant.hpp"
#include "fugu/base/result.hpp"
#include "fugu/noise/noise.hpp"
#include "fugu/policy/feed.hpp"
#include "fugu/stream/source.hpp"

namespace fugu {

/// One noisy number and the law of the noise in it.
struct NoisyValue {
  std::int64_t steps = 0;
  NoiseKind noise = NoiseKind::laplace;
  Rational parameter;  ///< Laplace scale in steps, or Gaussian variance in squared steps
};

/// The noisy values of some series, in the order in which they were asked for.
class NoisyValues {
 public:
  std::size_t size() const { return size_; }
  /// Nothing where the total is missing.
  std::optional<NoisyValue> operator[](std::size_t index) const {
    std::optional<NoisyValue> value;
    if (has(index)) copy(index, value.emplace());
    return value;
  }
  /// The same without a detour, for where there are many.
  bool has(std::size_t index) const { return place_ == nullptr || place_[index] != kMissing; }
  void copy(std::size_t index, NoisyValue& to) const {
    const std::size_t at = place_ == nullptr ? index : place_[index];
    to.steps = answer_->values[at];
    to.noise = answer_->noise;
    to.parameter = answer_->parameter_of(at);
  }

 private:
  friend class Kernel;
  static constexpr std::uint32_t kMissing = ~std::uint32_t{0};
  NoisyValues(const Answer& answer, std::span<const std::uint32_t> places)
      : answer_(&answer),
        place_(places.empty() ? nullptr : places.data()),
        size_(places.empty() ? answer.series.size() : places.size()) {}

  const Answer* answer_;
  const std::uint32_t* place_;  // in the answer; nullptr: the same
  std::size_t size_;
};

/// A sparse-vector session: "tell me when this exceeds a noisy threshold". The noise of the threshold is drawn once
/// and stays inside the kernel; comparisons that answer "no" cost nothing beyond the session's share; the first "yes"
/// ends it. Made by Kernel::open_threshold().
class Threshold {
 public:
  bool open() const { return open_; }
  /// The threshold is public and may move between comparisons; its noise and what the session costs stay.
  void move_to(std::int64_t threshold_steps) { steps_ = std::clamp(threshold_steps, -kFarSteps, kFarSteps); }

 private:
  friend class Kernel;
  static constexpr std::int64_t kFarSteps = std::int64_t{1} << 62;  // no statistic gets there, noise included
  Answer request_;         // what is asked in each slot; its session once asked
  Slot first_slot_ = 0;    // Statistic::deviation: start of the group
  std::size_t noise_ = 0;  // where the kernel keeps the threshold's
  std::int64_t steps_ = 0;
  double loss_rate_ = 0;  // of a comparison in one slot
  bool of_all_ = false;   // whether it is about all series
  bool open_ = true;
};

class Kernel {
 public:
  struct Options {
    Definition definition;
    Exposure exposure;
    NoiseKind noise = NoiseKind::laplace;
    /// How many slots before the current one deviation requests may reach.
    Reach reach;
    /// False in simulations of rules that break their promise: nothing is refused, and nothing is promised.
    bool enforced = true;
  };

  // --- Public facts ---------------------------------------------------------------------------------------------

  Slot slot() const { return slot_; }
  /// All series, in order.
  std::span<const SeriesId> all() const { return all_; }
  /// Whether the total of a series is there in this slot.
  bool present(SeriesId series) const { return missing_[series] == 0; }
  bool all_present() const { return !any_missing_; }
  /// The first slot that a deviation request may reach back to now.
  Slot earliest_slot() const;
  /// What may be spent within one window of the definition, and that window's length. Under a swellfish definition:
  /// what the floor says.
  Budget total() const { return total_; }
  std::uint64_t window_slots() const { return window_slots_; }
  /// The most that one more request in this slot may cost, so that nothing promised can break whatever is asked later.
  Budget available() const { return accountant().available(); }
  /// The same of a request about these series alone, which may have more left than others.
  Budget available(std::span<const SeriesId> series) const { return accountant().available(series); }
  Currency currency() const { return currency_; }
  NoiseKind noise() const { return options_.noise; }
  const Definition& definition() const { return options_.definition; }
  const Exposure& exposure() const { return options_.exposure; }
  /// Into how many series the meter counts that counts into `series` and most others.
  std::uint64_t crowd(SeriesId series) const { return options_.exposure.crowd(series); }

  // --- Requests -------------------------------------------------------------------------------------------------
  // `share` is the most a request may cost any one meter (see Accountant for the currency); it sets the noise, which is
  // proportional to each series' sensitivity. Cause::refused when the accountant says no or the share is zero,
  // Cause::usage only when it needs more noise than can be drawn. NoisyValues are valid until the next request.

  /// The value of each series; nullopt where the total is missing (which costs nothing). A meter that counts into
  /// several of them pays for all: the share is split among those.
  Result<NoisyValues> values(std::span<const SeriesId> series, Budget share);
  /// As above at a rate instead of a share: ε per step, or ρ per squared step, that one meter loses at most. Each
  /// series is answered at rate / crowd(series).
  Result<NoisyValues> values_at(std::span<const SeriesId> series, double rate);
  /// The true values, where the definition permits it: all of the series must be idle.
  Result<NoisyValues> true_values(std::span<const SeriesId> series);
  /// The sum of some series.
  Result<NoisyValue> sum(std::span<const SeriesId> series, Budget share);
  /// Σ |value − reference| over some series; `reference` is public and in the same order.
  Result<NoisyValue> distance(std::span<const SeriesId> series, std::span<const std::int64_t> reference, Budget share);
  Result<NoisyValue> distance_at(std::span<const SeriesId> series, std::span<const std::int64_t> reference,
                                 double rate);
  /// Σ over some series of Σ |value − mean| over the slots from `first_slot` to now, floored per series. Each slot
  /// reached is charged the share.
  Result<NoisyValue> deviation(std::span<const SeriesId> series, Slot first_slot, Budget share);

  /// The distance without noise, uncharged: what a rule that leaks would look at. In simulations that enforce
  /// nothing only; elsewhere the program ends.
  std::int64_t true_distance(std::span<const SeriesId> series, std::span<const std::int64_t> reference) const;

  /// Opens a session on a statistic of some series: Statistic::sum, distance, or deviation from `first_slot` on.
  /// Costs nothing until the first comparison, then `share` for every window the session is asked in (sum, distance)
  /// or for every slot it reaches (deviation). In ρ a session on a deviation of n slots is asked once, and costs each
  /// of them 2n − 1 shares. Always Laplace noise. Proof: docs/guarantees/{sparse-vector,approximate}.md.
  Result<Threshold> open_threshold(Statistic statistic, std::span<const SeriesId> series, std::int64_t threshold_steps,
                                   Budget share, Slot first_slot = 0);
  /// Whether the statistic now exceeds the session's noisy threshold. `reference` for Statistic::distance only.
  Result<bool> exceeds(Threshold& threshold, std::span<const std::int64_t> reference = {});
  /// Gives a session up before its threshold was exceeded: its noise is forgotten. What it cost stays spent.
  void close(Threshold& threshold);

 private:
  friend class SlotRunner;
  friend class Simulation;

  Kernel(Options options, std::unique_ptr<Noise> noise, LedgerWriter* ledger);

  // Policies and units, between slots.
  Result<MeterId> state(const PolicyEvent& event);
  Result<void> place(const UnitPlaced& placed);

  // Life of a slot, driven by the SlotRunner.
  Result<void> begin(const SlotRow& row);
  Result<void> begin_replay(Slot slot, const std::vector<SeriesId>& missing, class Replay& replay);
  void end(std::int32_t utc_offset_s);
  void forget_before(Slot slot);
  std::size_t memory_position(Slot slot) const { return static_cast<std::size_t>(slot) & (memory_slots_ - 1); }
  /// By series, of this slot so far.
  std::span<const double> loss_rates() const { return rate_; }

  Result<void> start_slot(Slot slot);
  void note_missing();
  void record_missing();
  void remember();
  /// Brought to this slot when it is first needed: in many slots a strategy asks for nothing.
  Accountant& accountant() const {
    if (accounted_slot_ != slot_) accountant_->advance(accounted_slot_ = slot_);
    return *accountant_;
  }
  /// Charges an answer that is to be drawn, or takes it from the replay.
  Result<void> admit(Answer& answer) { return replay_ != nullptr ? replay_answer(answer) : charge(answer); }
  Result<void> replay_answer(Answer& answer);
  Result<void> charge(const Answer& answer);
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
  std::vector<std::uint64_t> crowds_within(std::span<const SeriesId> asked);
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

  Options options_;
  std::unique_ptr<Accountant> accountant_;
  Budget total_;  // the accountant's, as are the next three
  std::uint64_t window_slots_ = 1;
  Currency currency_ = Currency::epsilon;
  Slot horizon_ = Accountant::kNoHorizon;
  PolicyAccountant* policies_ = nullptr;  // the same, when it is one
  Membership membership_;
  std::unique_ptr<Noise> noise_;
  LedgerWriter* ledger_;
  class Replay* replay_ = nullptr;

  std::vector<SeriesId> all_;
  std::vector<unsigned char> missing_;
  bool any_missing_ = false;
  std::vector<double> rate_;
  bool any_charged_ = false;  // in this slot: otherwise all of rate_ is 0
  Slot slot_ = -1;
  mutable Slot accounted_slot_ = -1;                                                  // the accountant's
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

}  // namespace fugu
