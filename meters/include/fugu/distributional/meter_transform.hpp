// One meter's side of distributional privacy: it sends other values than its readings, and adds its constants itself.
//
//     FUGU_ASSIGN(auto meter, MeterTransform::make(state));    // state of this meter alone, prepared at the meter
//     meter.start(clock);
//     meter.sent(slot, reading_steps);                         // instead of the reading; nothing: it is missing
//
// Guarantee: all that the meter ever sends, seen by itself, has the promise of the state: it is what a stream over one
// meter would release, constants and all, so whoever gets it need not be trusted with what readings are like. A value
// follows from key, time and reading: asked again, it is the same, whatever was forgotten in between. Single readings
// are protected from whoever gets the values only if the plan has a reading_epsilon. docs/guarantees/distributional.md.
#pragma once

#include <memory>
#include <utility>

#include "fugu/distributional/meter_card.hpp"

namespace fugu {

class MeterTransform {
 public:
  /// Cause::usage when the state is not of one meter in one series, or hidden: its variance is worth more noise than
  /// topping up to the largest one, as capped does.
  static Result<MeterTransform> make(DistributionalState state);

  const DistributionalState& state() const { return stream_->state(); }
  std::string_view meter() const { return state().meter_name(0); }
  MeterCard card() const;

  void start(const Clock& clock) { stream_->start(clock); }
  /// In steps. The reading is clamped first.
  std::int64_t sent(Slot slot, std::optional<std::int64_t> reading_steps);

 private:
  explicit MeterTransform(std::unique_ptr<DistributionalStream> stream) : stream_(std::move(stream)) {}

  std::unique_ptr<DistributionalStream> stream_;
};

/// A map of one meter that counts into a series of the same name. Errors: those of a name.
Result<SeriesMap> map_of_one_meter(std::string_view meter);

}  // namespace fugu
