// Loss rates as the audit adds them up: what the answers about a slot lose when a meter changes it by one step.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "audit_answers.hpp"
#include "fugu/policy/policy.hpp"

namespace fugu::audit {

/// More than anything that is compared with it: true values, and losses too large to count.
inline constexpr Units kUnbounded = ~Units{0};

/// Both saturate at kUnbounded. Rates are in units of 2^-84, and so are their products with changes.
Units add(Units a, Units b);
Units multiply(Units a, Units b);
/// From units of 2^-84; infinite when unbounded.
long double loss_as_number(Units loss);

/// The rate of one set of series, slot by slot: ε per step, or ρ per squared step. Filled, sealed, then asked.
class RateColumn {
 public:
  explicit RateColumn(std::size_t slots) : sums_(slots + 1) {}

  void add(Slot first, Slot last, Units rate);
  void seal();

  /// The part of `interval` that has slots at all; empty (last before first) when there is none.
  Interval within(const Interval& interval) const;
  /// Rates of one slot, or added up over an interval; kUnbounded where nothing bounds them.
  Units at(Slot slot) const { return sum({slot, slot}); }
  Units sum(const Interval& interval) const;
  /// The largest sum over `length_slots` consecutive slots of `interval`, or over all of it when that is shorter.
  Units largest(const Interval& interval, std::uint64_t length_slots) const;
  /// Where such a window begins (the first of equals).
  Slot argmax(const Interval& interval, std::uint64_t length_slots) const;

 private:
  /// Sums over all windows of one length, as a tree of maxima: level k has one entry for 8^(k+1) starts.
  using Maxima = std::vector<std::vector<Units>>;

  static std::size_t index(Slot slot) { return static_cast<std::size_t>(slot); }
  std::size_t slots() const { return sums_.size() - 1; }
  Units window(std::size_t start, std::size_t length) const { return sums_[start + length] - sums_[start]; }
  const Maxima& maxima(std::size_t length) const;

  std::vector<Units> sums_;  // until sealed: rates of slot t at t + 1; then: of all slots before t at t
  mutable std::unordered_map<std::size_t, Maxima> maxima_;  // by length of the window
  mutable std::size_t maxima_slots_ = 0;
};

/// The rates of a range of signatures, and of single series that shapes of policies name.
class LossRates {
 public:
  LossRates(const Exposure& exposure, bool pure, std::size_t slots, SignatureRange range,
            const std::vector<SeriesId>& named_series);

  /// Answers below `slots`, in order.
  void add(const Answer& answer);
  /// Sessions are charged in each slot they touch.
  void add(const Sessions& sessions);
  /// Without answers: a rate as it was stated.
  void add_stated(SeriesId series, Slot slot, Units rate);
  void seal();

  SignatureRange range() const { return range_; }
  const RateColumn& of_signature(std::size_t g) const { return by_signature_[g - range_.first]; }
  /// Only of named series.
  const RateColumn& of_series(SeriesId series) const { return by_series_.at(series); }

 private:
  void add_value(const Answer& answer);
  /// Other answers: `times` for what a change in several slots at once costs.
  void add_statistic(const Answer& answer, const Interval& slots, std::uint64_t times);
  void add_to_series(SeriesId series, const Interval& slots, Units rate);

  const Exposure& exposure_;
  bool pure_;
  std::size_t slots_;
  SignatureRange range_;
  std::vector<RateColumn> by_signature_;
  std::map<SeriesId, RateColumn> by_series_;
  std::map<std::uint64_t, Slot> asked_;  // session, last slot it was asked in
  // The last rate of a value: streams repeat themselves.
  Rational cached_parameter_{0, 1};
  NoiseKind cached_noise_ = NoiseKind::none;
  Units cached_rate_ = kTooMuch;
};

}  // namespace fugu::audit
