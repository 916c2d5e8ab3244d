// Reads released values back: CSV with header `time,series,value,scale,loss_rate,sampled` and perhaps more columns.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fugu/base/result.hpp"
#include "fugu/stream/clock.hpp"
#include "fugu/stream/line_reader.hpp"
#include "fugu/stream/slot.hpp"

namespace fugu {

/// One row, in the stream's unit.
struct ReleaseRecord {
  Slot slot = 0;
  SeriesId series = 0;
  bool known = true;  ///< false when nothing has been released of the series yet: the value is empty
  double value = 0;
  /// Laplace scale or Gaussian standard deviation; 0 for a true value; none for an estimate made of several answers.
  std::optional<double> scale = 0;
  double loss_rate = 0;  ///< infinity for a true value
  bool sampled = true;
  std::optional<double> lower;  ///< the error band, when the file has one
  std::optional<double> upper;
};

/// Rows ascend by slot. Memory: one line and the names of the series.
class ReleaseReader {
 public:
  struct Options {
    /// How times map to slots. Without it, slots are numbered from 0 in the order of their appearance.
    std::optional<Clock> clock;
    /// Names that may occur, in the order of their ids. Without it, ids are given by first appearance.
    std::vector<std::string> series;
  };
  static Result<ReleaseReader> open(Input input, Options options);

  /// False at the end. Errors name file, line and column.
  Result<bool> next(ReleaseRecord& record);
  /// Known so far.
  const std::vector<std::string>& series() const { return series_; }

 private:
  ReleaseReader(LineReader lines, Options options, std::size_t columns, std::optional<std::size_t> lower);

  Result<Slot> slot_of(std::string_view time, std::size_t column);
  Result<SeriesId> series_of(std::string_view name, std::size_t column);
  Result<double> number(std::string_view field, std::string_view line, std::string_view what) const;

  LineReader lines_;
  std::optional<Clock> clock_;
  bool series_fixed_;
  std::vector<std::string> series_;
  std::size_t columns_;
  std::optional<std::size_t> lower_;  // column of the lower bound; the upper follows
  std::string last_time_;
  Slot last_slot_ = -1;
};

}  // namespace fugu
