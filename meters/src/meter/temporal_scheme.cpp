#include "fugu/meter/temporal_scheme.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

namespace fugu {

namespace {

constexpr double kDeltaMin = 1e-13;
constexpr Slot kLagMax = 100'000;

Result<void> check(const LaggedPromise& promise) {
  if (!(promise.epsilon > 0) || !std::isfinite(promise.epsilon))
    return Error{Cause::usage, "epsilon: expected a number above 0"};
  if (!(promise.delta > kDeltaMin && promise.delta < 1))
    return Error{Cause::usage,
                 "delta: expected a number below 1 and above 1e-13, where the rounding of weights begins to show"};
  if (promise.moved_slots < 1 || promise.moved_slots > kLagMax)
    return Error{Cause::usage, "the slots a reading may be moved by: expected 1 to 100,000"};
  if (promise.parts < 1) return Error{Cause::usage, "parts: expected at least 1"};
  return {};
}

/// Why no lag was enough: the longest is too short, or what tables can hold is too coarse, however long the lag.
Error no_lag_for(const LaggedPromise& promise, double b, double least_delta) {
  const double report_delta = promise.delta / promise.parts;
  const auto moved = static_cast<double>(promise.moved_slots);
  const double needed_slots = b * std::log(moved * std::tanh(1 / (2 * b)) / report_delta) + moved;
  if (needed_slots > kLagMax) return {Cause::usage, "this epsilon and delta need a lag above 100,000 slots"};
  std::array<char, 200> text;
  std::snprintf(text.data(), text.size(),
                "delta: too small for this epsilon, move and number of parts: the weights of the shifts are whole "
                "multiples of 2^-62, and rounding them costs up to %.2g whatever the lag; expected more than that",
                least_delta);
  return {Cause::usage, text.data()};
}

}  // namespace

TemporalScheme::TemporalScheme(double b, ShiftLaw shift, ShiftLaw delay, Slot lag_slots,
                               std::optional<LaggedPromise> promise)
    : b_(b), shift_(std::move(shift)), delay_(std::move(delay)), lag_slots_(lag_slots), promise_(promise) {}

Result<TemporalScheme> TemporalScheme::published(double b, std::optional<double> lambda) {
  FUGU_ASSIGN(ShiftLaw shift, ShiftLaw::rounded_laplace(b));
  FUGU_ASSIGN(ShiftLaw delay, ShiftLaw::rounded_exponential(lambda ? 1 / *lambda : b));
  return TemporalScheme(b, std::move(shift), std::move(delay), 0, std::nullopt);
}

Result<TemporalScheme> TemporalScheme::lagged(const LaggedPromise& promise) {
  FUGU_TRY(check(promise));
  const auto parts = static_cast<double>(promise.parts);
  const double report_epsilon = promise.epsilon / parts;
  const double report_delta = promise.delta / parts;
  const double b = static_cast<double>(promise.moved_slots) / report_epsilon;
  double least_delta = 1;  // of a report, among the lags tried
  const auto keeps = [&](Slot lag) -> Result<bool> {
    FUGU_ASSIGN(const ShiftLaw law, ShiftLaw::truncated_laplace(b, lag));
    const double delta = law.delta(promise.moved_slots, report_epsilon);
    least_delta = std::min(least_delta, delta);
    return delta <= report_delta;
  };
  // δ falls with the lag: bisection. A lag of moved_slots − 1 is too short, as nothing could come from both.
  Slot too_short = promise.moved_slots - 1;
  Slot enough = promise.moved_slots;
  while (true) {
    FUGU_ASSIGN(const bool good, keeps(enough));
    if (good) break;
    if (enough == kLagMax) return no_lag_for(promise, b, least_delta * parts);
    too_short = std::exchange(enough, std::min(2 * enough, kLagMax));
  }
  while (enough - too_short > 1) {
    const Slot middle = too_short + (enough - too_short) / 2;
    FUGU_ASSIGN(const bool good, keeps(middle));
    (good ? enough : too_short) = middle;
  }
  FUGU_ASSIGN(ShiftLaw shift, ShiftLaw::truncated_laplace(b, enough));
  FUGU_ASSIGN(ShiftLaw none, ShiftLaw::truncated_laplace(b, 0));
  return TemporalScheme(b, std::move(shift), std::move(none), enough, promise);
}

TemporalScheme::Dispatch TemporalScheme::dispatch(Slot slot, std::uint64_t shift_word, std::uint64_t delay_word) const {
  const Slot shift = shift_.draw(shift_word);
  if (is_lagged()) return {slot + shift, slot + shift + lag_slots_};
  return {slot + shift, slot + (shift >= 0 ? shift : delay_.draw(delay_word))};
}

ShiftLaw TemporalScheme::arrival() const {
  // Lagged arrivals are the shift and a constant, which changes nothing about what can be told apart.
  return is_lagged() ? shift_ : shift_.delayed_where_negative(delay_);
}

Slot TemporalScheme::hold_slots_max() const {
  return is_lagged() ? lag_slots_ + shift_.highest() : std::max(shift_.highest(), delay_.highest());
}

double TemporalScheme::sampling_variance_share() const {
  double squares = 0;
  for (Slot shift = is_lagged() ? shift_.lowest() : 0; shift <= shift_.highest(); ++shift)
    squares += shift_.probability(shift) * shift_.probability(shift);
  return 1 - squares / timely_share();
}

std::string TemporalScheme::text() const {
  std::array<char, 160> text;
  if (promise_) {
    std::snprintf(text.data(), text.size(), "lagged epsilon=%.17g delta=%.17g moved=%lld parts=%u lag=%lld",
                  promise_->epsilon, promise_->delta, static_cast<long long>(promise_->moved_slots), promise_->parts,
                  static_cast<long long>(lag_slots_));
  } else {
    std::snprintf(text.data(), text.size(), "published b=%.17g delay=%zu:%.17g", b_, delay_.bytes(),
                  delay_.probability(0));
  }
  return text.data();
}

}  // namespace fugu
