// Filters: what may be done to a released value for free.
//
// Guarantee: post-processing: costs nothing. A filter sees released estimates and public parameters, never a Raw
// (tests/compile_fail/filter_*.cpp), so whatever it computes is as private as what it was given.
//
// A filter is streaming and belongs to one series: feed it that series' releases slot by slot, each slot once. There
// is nothing to save: a resumed run replays the releases.
//
//     FUGU_ASSIGN(auto filter, make_filter_chain("truncate:0:5000,kalman:25"));
//     Estimate better = filter->apply({.value = -3.0, .variance = 200.0, .sampled = true});
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fugu/base/result.hpp"
#include "fugu/filter/kalman_state.hpp"

namespace fugu {

/// One released value of one series, in the stream's own unit.
struct Estimate {
  double value = 0.0;
  double variance = 0.0;  ///< of the noise in `value`, in unit²; 0 for a true value
  bool sampled = true;    ///< false when an earlier answer was repeated in this slot
};

/// The contract of every filter. `sampled` passes through unchanged: it says what the strategy did.
class Filter {
 public:
  virtual ~Filter() = default;

  /// The filtered estimate of the next slot. Value and variance must be finite, the variance not
  /// negative.
  Estimate apply(const Estimate& released);

  /// The specification that makes this filter, parameters included: `truncate:0:5000`.
  virtual std::string name() const = 0;

  /// Whether a slot's result depends on other slots too.
  virtual bool mixes_slots() const = 0;
  /// Whether the filter makes an error band of an error band when it is applied to both bounds: it looks at one slot
  /// only, never turns an order around, and leaves a true value within the query's range where it is.
  virtual bool keeps_bands() const = 0;

 protected:
  Filter() = default;
  Filter(const Filter&) = default;
  Filter& operator=(const Filter&) = default;
  Filter(Filter&&) = default;
  Filter& operator=(Filter&&) = default;

 private:
  virtual Estimate next(const Estimate& released) = 0;
};

/// Clamps to the query's range [lo, hi] and, when a step is given, rounds to the nearest multiple of it first (ties
/// away from zero).
///
/// Postcondition: the value is in [lo, hi] and on the grid; applying it twice changes nothing. When the truth lies in
/// the range, clamping never moves a value away from it. The variance stays, as an upper bound: clamping cannot widen
/// a distribution. A value that rounding moved gets step²/12 on top (rounding error taken as uniform).
/// Bias: where the truth is near a bound, clamped noise no longer averages out.
class Truncate final : public Filter {
 public:
  struct Options {
    double lo = 0.0;                            ///< may be -infinity
    double hi = 0.0;                            ///< may be infinity; not below lo
    std::optional<double> step = std::nullopt;  ///< positive; finite bounds must then be multiples of it
  };
  static Result<Truncate> make(const Options& options);

  std::string name() const override;
  bool mixes_slots() const override { return false; }
  bool keeps_bands() const override { return true; }

 private:
  explicit Truncate(const Options& options) : options_(options) {}
  Estimate next(const Estimate& released) override;

  Options options_;
};

/// Plain mean of the last `window_slots` released values, repeats included, as the papers do it; of fewer at the start
/// of the stream. A repeat adds no information, so over a strategy that samples rarely this delays rather than smooths:
/// Kalman is then the better choice.
///
/// The variance counts an answer and its repeats as one fully correlated value and different answers as independent.
/// That is exact on the kernel's answers; behind another filter that mixes answers it is an approximation.
/// Memory and time per slot: O(window_slots).
class MovingAverage final : public Filter {
 public:
  static constexpr std::int64_t kWindowSlotsMax = 1'000'000;

  struct Options {
    std::int64_t window_slots = 1;  ///< 1 … kWindowSlotsMax
  };
  static Result<MovingAverage> make(const Options& options);

  std::string name() const override;
  bool mixes_slots() const override { return true; }
  bool keeps_bands() const override { return false; }

 private:
  explicit MovingAverage(const Options& options) : options_(options) {}
  Estimate next(const Estimate& released) override;

  struct Entry {
    double value;
    double deviation;  // square root of the variance
    bool sampled;
  };

  Options options_;
  std::vector<Entry> ring_;
  std::size_t oldest_ = 0;
};

/// Scalar Kalman filter for a random walk: the truth moves by independent steps of variance `process_variance` per
/// slot, an answer measures it with the variance of its noise. A repeat (`sampled == false`) is no measurement: the
/// filter only predicts, so its variance grows by `process_variance`.
///
/// Without a process variance the filter learns one from the answers: for successive answers z, z' with noise variances
/// R, R' that lie n slots apart, (z' − z)² − R − R' has expectation n·process_variance; the estimate is the sum of the
/// former over the sum of the latter, and not below 0.
///
/// The variance that comes out is the model's. It is right when the truth does walk randomly and understates the error
/// when it jumps; a band that must hold whatever the truth does has to be built from the unfiltered answer.
/// Memory and time per slot: O(1).
class Kalman final : public Filter {
 public:
  struct Options {
    std::optional<double> process_variance = std::nullopt;  ///< unit² per slot, not negative; empty: learned
  };
  static Result<Kalman> make(const Options& options);

  std::string name() const override;
  bool mixes_slots() const override { return true; }
  bool keeps_bands() const override { return false; }

 private:
  explicit Kalman(const Options& options) : options_(options) {}
  Estimate next(const Estimate& released) override;
  double process_variance() const;

  Options options_;
  KalmanState state_;
  MovementVariance learned_;
  double slots_since_answer_ = 0.0;
};

/// Filters applied one after the other, the first one to the release. An empty chain changes nothing.
class FilterChain final : public Filter {
 public:
  FilterChain() = default;
  explicit FilterChain(std::vector<std::unique_ptr<Filter>> filters) : filters_(std::move(filters)) {}

  std::string name() const override;
  /// When any of them does.
  bool mixes_slots() const override;
  /// When all of them do.
  bool keeps_bands() const override;

 private:
  Estimate next(const Estimate& released) override;

  std::vector<std::unique_ptr<Filter>> filters_;
};

/// What `fugu describe` and error messages say about a filter.
struct FilterKind {
  std::string_view name;
  std::string_view usage;  ///< its specification, optional parts in brackets
  std::string_view example;
  std::string_view description;  ///< one line
};

/// All filters make_filter() knows.
std::span<const FilterKind> filter_kinds();

/// What every filter promises.
inline constexpr std::string_view kFilterGuarantee = "post-processing: costs nothing";

/// Makes one filter from its specification, `name[:parameter…]`: `truncate` (negative values to 0), `truncate:LO:HI`,
/// `truncate:LO:HI:STEP`, `moving-average:SLOTS`, `kalman` (learned), `kalman:VARIANCE`. LO and HI may be -inf and inf.
/// Anything else is an error of Cause::usage that says what would be right.
Result<std::unique_ptr<Filter>> make_filter(std::string_view spec);

/// Makes a chain from specifications separated by commas: `truncate,kalman:25`.
Result<std::unique_ptr<Filter>> make_filter_chain(std::string_view specs);

}  // namespace fugu
