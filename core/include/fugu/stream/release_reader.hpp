// Reads released values back: CSV with the columns that filter/release_rows.hpp writes, and no others. What is not
// known may be anything, so a file with another column is not read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fugu/base/budget.hpp"
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
  /// Of the rate, as the header names it: `loss_rate` is ε per unit, `loss_rate_rho` is ρ per squared unit.
  Currency currency = Currency::epsilon;
  bool sampled = true;
  std::optional<double> lower;  ///< the error band, when the file has one
  std::optional<double> upper;
  bool simulated = false;  ///< noise from a seed: not private, and no evidence
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
  /// The row that next() returned, for messages.
  Location row() const { return lines_.at(1); }
  /// Known so far.
  const std::vector<std::string>& series() const { return series_; }

 private:
  /// What the header says.
  struct Columns {
    std::size_t count = 0;
    Currency currency = Currency::epsilon;
    std::optional<std::size_t> lower;  ///< column of the lower bound; the upper follows
    bool simulated = false;            ///< the last column
  };
  static std::optional<Columns> columns_of(std::string_view header);

  ReleaseReader(LineReader lines, Options options, const Columns& columns);

  Result<Slot> slot_of(std::string_view time, std::size_t column);
  Result<SeriesId> series_of(std::string_view name, std::size_t column);
  Result<double> number(std::string_view field, std::string_view line, std::string_view what) const;

  LineReader lines_;
  std::optional<Clock> clock_;
  bool series_fixed_;
  std::vector<std::string> series_;
  Columns columns_;
  std::string last_time_;
  Slot last_slot_ = -1;
};

}  // namespace fugu
