// What leaves the house: one record per slot.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fugu/accounting/ledger.hpp"
#include "fugu/filter/published_steps.hpp"
#include "fugu/mechanism/kernel.hpp"
#include "fugu/stream/slot.hpp"

namespace fugu {

/// What is published of one series in one slot. A function of noisy answers and public facts only.
struct ReleasedValue {
  NoisyValue value;
  bool known = false;    ///< false until the series is released for the first time
  bool sampled = false;  ///< whether an answer of this slot went into it; false when an earlier release is repeated
  /// Made of answers instead of being the latest one: value.steps holds, its noise law does not. No error band follows
  /// from it.
  bool estimated = false;
};

/// One slot. What a strategy does not set is repeated from the slot before.
class Release {
 public:
  explicit Release(std::size_t series_count, PublishedSteps published = {})
      : published_(std::move(published)), values_(series_count), recorded_(series_count) {}

  Slot slot() const { return slot_; }
  std::int32_t utc_offset_s() const { return utc_offset_s_; }
  std::span<const ReleasedValue> values() const { return values_; }
  const ReleasedValue& operator[](SeriesId series) const { return values_[series]; }
  /// What readers see of the latest release of a series: after truncation, if there is one. A strategy that compares
  /// the stream with its last release compares with this. 0 while the series is not known.
  std::int64_t published_steps(SeriesId series) const {
    return values_[series].known ? published_.of(values_[series].value.steps) : 0;
  }
  /// By series: what the answers of this slot lose per step that the true value changes. ε per step, or ρ per squared
  /// step under a promise with δ > 0. Known when the slot is over.
  std::span<const double> loss_rates() const { return loss_rates_; }

  void set(SeriesId series, const NoisyValue& value) { sample(series).value = value; }
  /// Sets those series for which there is an answer.
  void set(std::span<const SeriesId> series, const NoisyValues& answers) {
    FUGU_CHECK(series.size() == answers.size());
    for (std::size_t i = 0; i < series.size(); ++i) {
      if (answers.has(i)) answers.copy(i, sample(series[i]).value);
    }
  }
  /// Releases what was made of this and earlier answers: a smoothed or predicted value, a member's part of a sum. Costs
  /// nothing, as post-processing does not (docs/guarantees/post-processing.md). It is on record in the ledger.
  void estimate(SeriesId series, std::int64_t steps, bool sampled) {
    ReleasedValue& released = values_[series];
    released.value.steps = steps;
    released.known = released.estimated = true;
    released.sampled = sampled;
    any_sampled_ |= sampled;
  }

 private:
  friend class SlotRunner;
  /// Where an answer of this slot goes.
  ReleasedValue& sample(SeriesId series) {
    ReleasedValue& released = values_[series];
    released.known = released.sampled = true;
    released.estimated = false;
    any_sampled_ = true;
    return released;
  }
  void start(Slot slot, std::int32_t utc_offset_s) {
    slot_ = slot;
    utc_offset_s_ = utc_offset_s;
    if (!any_sampled_) return;
    for (ReleasedValue& value : values_) value.sampled = false;
    any_sampled_ = false;
  }
  /// Those estimates of this slot that belong on record; called once, when the loss rates are known.
  const Estimates& estimates();

  PublishedSteps published_;
  Slot slot_ = -1;
  std::int32_t utc_offset_s_ = 0;
  std::vector<ReleasedValue> values_;
  std::span<const double> loss_rates_;  // the kernel's
  bool any_sampled_ = false;
  std::vector<std::optional<std::int64_t>> recorded_;  // the estimate that is on record, where the last one is
  Estimates estimates_;
};

}  // namespace fugu
