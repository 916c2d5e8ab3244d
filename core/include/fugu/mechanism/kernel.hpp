// The kernel: the only place where noise meets data. This is the strategy's view of it, and all of it.
//
// A strategy never holds a true value. It asks the kernel, names what it is willing to spend, and gets noisy integers
// back. For every request the kernel works out the noise that the spending allows, has the accountant charge every
// slot and series the request touches, draws the noise, writes the answer to the ledger, and only then returns it.
// A strategy that asks too much is refused; one with a bug loses accuracy, not privacy.
//
// What a strategy may know besides answers is public by the threat model (docs/guarantees/threat-model.md): the
// slot, the parameters of the definition, and which *totals* are missing altogether.
//
// True values, accountant, noise and ledger are in RunningKernel (core/src/mechanism/running_kernel.hpp), the one class
// behind this interface. Its header is not installed, and only a SlotRunner makes one. There is no switch that turns
// the accountant off: evaluation runs the same kernel with an accountant of its own (slot_runner.hpp says how).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "fugu/accounting/accountant.hpp"
#include "fugu/accounting/answer.hpp"
#include "fugu/base/result.hpp"
#include "fugu/mechanism/noisy_values.hpp"

namespace fugu {

/// A sparse-vector session: "tell me when this exceeds a noisy threshold". The noise of the threshold is drawn once
/// and stays inside the kernel; comparisons that answer "no" cost nothing beyond the session's share; the first "yes"
/// ends it. Made by Kernel::open_threshold().
class Threshold {
 public:
  bool open() const { return open_; }
  /// The threshold is public and may move between comparisons; its noise and what the session costs stay.
  void move_to(std::int64_t threshold_steps) { steps_ = std::clamp(threshold_steps, -kFarSteps, kFarSteps); }

 private:
  friend class RunningKernel;
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
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;
  virtual ~Kernel() = default;

  // --- Public facts ---------------------------------------------------------------------------------------------

  Slot slot() const { return slot_; }
  /// All series, in order.
  std::span<const SeriesId> all() const { return all_; }
  /// Whether the total of a series is there in this slot.
  bool present(SeriesId series) const { return missing_[series] == 0; }
  bool all_present() const { return !any_missing_; }
  /// The first slot that a deviation request may reach back to now.
  virtual Slot earliest_slot() const = 0;
  /// What may be spent within one window of the definition, and that window's length. Under a swellfish definition:
  /// what the floor says.
  Budget total() const { return total_; }
  std::uint64_t window_slots() const { return window_slots_; }
  /// The most that one more request in this slot may cost, so that nothing promised can break whatever is asked later.
  virtual Budget available() const = 0;
  /// The same of a request about these series alone, which may have more left than others.
  virtual Budget available(std::span<const SeriesId> series) const = 0;
  Currency currency() const { return currency_; }
  NoiseKind noise() const { return noise_kind_; }
  const Definition& definition() const { return definition_; }
  const Exposure& exposure() const { return exposure_; }
  /// Into how many series the meter counts that counts into `series` and most others.
  std::uint64_t series_per_meter(SeriesId series) const { return exposure_.series_per_meter(series); }

  // --- Requests -------------------------------------------------------------------------------------------------
  // `share` is the most a request may cost any one meter (see Accountant for the currency); it sets the noise, which is
  // proportional to each series' sensitivity. Cause::refused when the accountant says no or the share is zero,
  // Cause::usage only when it needs more noise than can be drawn. NoisyValues are valid until the next request.

  /// The value of each series; nullopt where the total is missing (which costs nothing). A meter that counts into
  /// several of them pays for all: the share is split among those.
  virtual Result<NoisyValues> values(std::span<const SeriesId> series, Budget share) = 0;
  /// As above at a rate instead of a share: ε per step, or ρ per squared step, that one meter loses at most. Each
  /// series is answered at rate / series_per_meter(series).
  virtual Result<NoisyValues> values_at(std::span<const SeriesId> series, double rate) = 0;
  /// The true values, where the definition permits it: all of the series must be idle.
  virtual Result<NoisyValues> true_values(std::span<const SeriesId> series) = 0;
  /// The sum of some series.
  virtual Result<NoisyValue> sum(std::span<const SeriesId> series, Budget share) = 0;
  /// Σ |value − reference| over some series; `reference` is public and in the same order.
  virtual Result<NoisyValue> distance(std::span<const SeriesId> series, std::span<const std::int64_t> reference,
                                      Budget share) = 0;
  virtual Result<NoisyValue> distance_at(std::span<const SeriesId> series, std::span<const std::int64_t> reference,
                                         double rate) = 0;
  /// Σ over some series of Σ |value − mean| over the slots from `first_slot` to now, floored per series. Each slot
  /// reached is charged the share.
  virtual Result<NoisyValue> deviation(std::span<const SeriesId> series, Slot first_slot, Budget share) = 0;

  /// Opens a session on a statistic of some series: Statistic::sum, distance, or deviation from `first_slot` on.
  /// Costs nothing until the first comparison, then `share` for every window the session is asked in (sum, distance)
  /// or for every slot it reaches (deviation). In ρ a session on a deviation of n slots is asked once, and costs each
  /// of them 2n − 1 shares. Always Laplace noise. Proof: docs/guarantees/{sparse-vector,approximate}.md.
  virtual Result<Threshold> open_threshold(Statistic statistic, std::span<const SeriesId> series,
                                           std::int64_t threshold_steps, Budget share, Slot first_slot = 0) = 0;
  /// Whether the statistic now exceeds the session's noisy threshold. `reference` for Statistic::distance only.
  virtual Result<bool> exceeds(Threshold& threshold, std::span<const std::int64_t> reference = {}) = 0;
  /// Gives a session up before its threshold was exceeded: its noise is forgotten. What it cost stays spent.
  virtual void close(Threshold& threshold) = 0;

 private:
  friend class RunningKernel;
  Kernel(const Definition& definition, Exposure exposure, NoiseKind noise)
      : definition_(definition), exposure_(std::move(exposure)), noise_kind_(noise) {}

  // Public facts, kept here so that asking for them costs no call.
  Definition definition_;
  Exposure exposure_;
  NoiseKind noise_kind_;
  Budget total_;
  std::uint64_t window_slots_ = 1;
  Currency currency_ = Currency::epsilon;
  Slot slot_ = -1;
  std::vector<SeriesId> all_;
  std::vector<unsigned char> missing_;
  bool any_missing_ = false;
};

}  // namespace fugu
