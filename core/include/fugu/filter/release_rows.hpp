// The text of a releases file: its header, and one row per slot and series.
//
// The writer of releases and the audit share this, so that the audit can ask whether a file is, to the byte, what
// follows from the ledger. That is all the proof it needs: a function of recorded answers is post-processing
// (docs/guarantees/post-processing.md), whatever the function.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/base/budget.hpp"
#include "fugu/base/rational.hpp"
#include "fugu/filter/filter.hpp"
#include "fugu/noise/noise.hpp"
#include "fugu/stream/clock.hpp"
#include "fugu/stream/decimal.hpp"

namespace fugu {

struct ReleaseFormat {
  Clock clock;
  UnitStep unit_step;
  std::vector<std::string> series;
  /// Of the loss rates, which the header names: `loss_rate` counts ε per unit, `loss_rate_rho` ρ per squared unit.
  Currency currency = Currency::epsilon;
  /// Appends the columns `lower,upper`: the true value at the time of the answer lies between them with this
  /// probability over the noise. How far the stream has moved since, where a value is repeated, is not in it.
  std::optional<double> interval;
  /// Filters as for `--filter`, applied to each series on its own. With an interval only those that keep bands, with
  /// estimates only those that do not mix slots.
  std::string filter;
  /// The strategy releases estimates (Release::estimate): they have no scale, so there can be no interval.
  bool estimates = false;
  /// Appends the column `simulated`, 1 in every row: the noise came from a seed, so nothing here is private.
  bool simulated = false;
};

/// What is said about one series in one slot.
struct ReleasedRow {
  std::int64_t steps = 0;
  NoiseKind noise = NoiseKind::laplace;
  Rational parameter;      ///< Laplace scale in steps, or Gaussian variance in squared steps
  bool known = false;      ///< false until the series is released for the first time
  bool sampled = false;    ///< whether an answer of this slot went into it
  bool estimated = false;  ///< made of answers: it has no noise law
  double loss_rate = 0;    ///< ε per step, or ρ per squared step
};

/// Makes rows. Every slot comes once, in order, with every series, whether its rows are wanted or not: filters
/// remember.
class ReleaseRows {
 public:
  /// Cause::usage when the filter or the interval makes no sense.
  static Result<ReleaseRows> make(ReleaseFormat format);

  const ReleaseFormat& format() const { return format_; }
  /// Without a line end, as are rows.
  std::string header() const;
  /// Appends the row of one series to `out`; `time` as the format's clock writes it.
  void append(std::string_view time, std::size_t series, const ReleasedRow& row, std::string& out);

 private:
  explicit ReleaseRows(ReleaseFormat format);

  /// What depends on the noise only, so that it is worked out once for many rows.
  struct NoiseText {
    NoiseKind kind = NoiseKind::laplace;
    Rational parameter{0, 1};
    std::string scale;
    double variance = 0;  // in unit²
    std::int64_t band_steps = 0;
  };
  struct RateText {
    double rate = -1;
    std::string text;
  };

  void describe(const ReleasedRow& row, NoiseText& text) const;
  void append_value(std::size_t series, std::int64_t steps, bool sampled, const NoiseText& noise, std::string& out);
  void append_band(std::size_t series, const ReleasedRow& row, const NoiseText& noise, std::string& out);
  void append_rate(std::size_t series, double rate_per_step, std::string& out);

  ReleaseFormat format_;
  std::vector<std::unique_ptr<Filter>> filters_;  // one per series, or none
  std::vector<NoiseText> noise_;                  // last seen, per series
  std::vector<RateText> rate_;                    // likewise
};

}  // namespace fugu
