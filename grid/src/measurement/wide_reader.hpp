// Reads what an operator measures: CSV, `time,SERIES…`, one row a slot. Private to measurement. The values are the
// operator's own, so they are plain numbers: no reading of a protected stream comes this way.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fugu/base/result.hpp"
#include "fugu/stream/clock.hpp"
#include "fugu/stream/line_reader.hpp"

namespace fugu::grid::detail {

/// kW or kvar. What is beyond is no power, whatever the network and the noise.
inline constexpr double kMostPower = 1e9;

class WideReader {
 public:
  static Result<WideReader> open(const std::string& path, const Clock& clock);

  const std::vector<std::string>& series() const { return series_; }
  /// The next row, whose slot is later than the one before. Empty cells are not a number. False at the end.
  /// Powers beyond kMostPower and voltages (`.v`) beyond 1e6 V are errors.
  Result<bool> next();
  Slot slot() const { return slot_; }
  const std::vector<double>& values() const { return values_; }

 private:
  WideReader(LineReader lines, const Clock& clock, std::vector<std::string> series)
      : lines_(std::move(lines)), clock_(clock), series_(std::move(series)), values_(series_.size()) {}

  LineReader lines_;
  Clock clock_;
  std::vector<std::string> series_;
  std::vector<double> values_;
  Slot slot_ = 0;
  bool has_row_ = false;
};

}  // namespace fugu::grid::detail
