// The truth, readable. EVALUATION ONLY: for metrics, benchmarks and demos that own the data. Never used by the
// publishing path; the service does not link it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fugu/base/rational.hpp"
#include "fugu/base/result.hpp"
#include "fugu/stream/slot.hpp"
#include "fugu/stream/source.hpp"

namespace fugu {

/// The true values of one slot, in the stream's unit.
struct TruthRow {
  Slot slot = 0;
  std::int32_t utc_offset_s = 0;              ///< of the slot's time stamp
  std::vector<std::optional<double>> values;  ///< one per series; empty where the stream has none
};

/// Reads a SlotSource in the clear: value = steps × unit step.
class TruthStream {
 public:
  /// `source` must outlive this object.
  TruthStream(SlotSource& source, Rational unit_step) : source_(source), unit_step_(unit_step) {}

  /// Fills `row` with the next slot. False at the end of the stream; errors are the source's.
  Result<bool> next(TruthRow& row);

  /// What a true value is, in steps; 0 where it is missing.
  static std::int64_t steps(const Raw& value) { return value.missing() ? 0 : value.reveal(RawKey()); }

  /// The series in the order of TruthRow::values.
  const std::vector<std::string>& series() const { return source_.series(); }

 private:
  SlotSource& source_;
  Rational unit_step_;
  SlotRow raw_row_;
};

}  // namespace fugu
