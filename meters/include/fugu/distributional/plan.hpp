// Distributional privacy: which form, with which public parameters, and the noise that hides the parameters of a law.
//
// Whoever sees a stream long enough learns the law of what is released. A form decides what that law can depend on:
//
//   capped     meters send mean + draw from one public law: the sum over meters of their means, and nothing else
//   hidden     meters send a Gaussian with their own mean and variance: the sums of means and of variances
//   bernoulli  meters send either end of the clamp: the means of all meters, and nothing else
//
// A law is that of a reading in given public circumstances (see Circumstances): a household has as many laws as there
// are circumstances, and ε covers all of them together.
//
// Guarantee: capped and hidden: two households with whatever laws make the laws of the release (ε, δ)-alike, δ = 0 when
// capped. bernoulli: households with the same mean make the same law; the mean is not protected.
// docs/guarantees/distributional.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fugu/base/rational.hpp"
#include "fugu/base/result.hpp"
#include "fugu/distributional/circumstances.hpp"
#include "fugu/noise/noise.hpp"
#include "fugu/stream/aggregator.hpp"
#include "fugu/stream/decimal.hpp"

namespace fugu {

enum class DistributionalForm : std::uint8_t { capped, hidden, bernoulli };
std::string_view name_of(DistributionalForm form);

struct DistributionalPlan {
  DistributionalForm form = DistributionalForm::capped;
  ClampRange clamp = {};
  UnitStep unit_step = {};
  double epsilon = 0;  ///< no default; not used by bernoulli
  double delta = 0;    ///< hidden: between 0 and 1; otherwise 0
  /// hidden: the part of ε that the mean gets; the variance has the rest.
  double mean_share = 0.5;
  double alpha = 2;               ///< capped: of the public law, see ReferenceLaw
  std::int64_t spread_steps = 0;  ///< capped: spread of the public law; hidden: largest standard deviation of a meter
  /// How far what is sent can be from the mean. Per-slot noise is for twice this.
  std::int64_t half_width_steps = 0;
  /// The share of slots in which a meter sends what belongs to its reading; otherwise it sends a draw of its law.
  double sample = 1;
  /// What laws are learned for.
  Circumstances circumstances = {};
  /// A meter has one mean, and hidden one variance, in all circumstances: fewer constants, so smaller ones, but totals
  /// do not follow the circumstances either.
  bool one_level = false;
  /// capped: each value that a meter sends has noise of its own, so that a reading is this well protected from whoever
  /// gets the value, too; 0 for none.
  double reading_epsilon = 0;
  /// Of the slots that laws are learned from, in seconds: those of longer or shorter ones are other laws. Nothing when
  /// slots are numbers, and for bernoulli, which learns nothing.
  std::optional<std::int64_t> slot_s = {};

  /// How many means a meter has, and a series constants.
  std::size_t levels() const { return one_level ? 1 : circumstances.count(); }
  std::size_t level_in(std::size_t circumstance) const { return one_level ? 0 : circumstance; }

  /// Scale of the noise that a meter adds to each value: nothing when reading_epsilon is 0. Errors: Cause::usage.
  Result<std::optional<Rational>> reading_scale() const;

  /// Every problem at once. Errors: Cause::usage.
  Result<void> check() const;
  /// One line; equal for equal plans.
  std::string text() const;
  static Result<DistributionalPlan> parse(std::string_view text);
};

/// As it is written on a command line: 15m, 1h, 90s.
std::string slot_length_text(std::int64_t slot_s);

/// The smallest standard deviation that hidden sends, so that rounding to the grid does not show.
inline constexpr std::int64_t kHiddenSdMinSteps = 2;
/// The smallest half width that hidden allows: a normal draw is beyond once in 10^15 times.
std::int64_t hidden_half_width(std::int64_t spread_steps);

/// Drawn once for each series, and then part of every slot: ζ_μ in steps and ζ_σ² in squared steps.
struct SeriesConstants {
  std::int64_t mean_steps = 0;
  std::int64_t variance_steps = 0;  ///< never negative
  friend bool operator==(const SeriesConstants&, const SeriesConstants&) = default;
};

/// The laws of the constants. `series_per_meter`: a meter that counts into several series is protected in all of them
/// together, and in all circumstances, so each gets its part of ε and δ. Hidden a meter must count into one series
/// only: Cause::refused otherwise.
class ParameterNoise {
 public:
  static Result<ParameterNoise> make(const DistributionalPlan& plan, std::uint64_t series_per_meter);

  SeriesConstants draw(Noise& noise) const;

  /// Discrete Laplace; nothing where the form has no such constant.
  const std::optional<Rational>& mean_scale() const { return mean_scale_; }
  const std::optional<Rational>& variance_scale() const { return variance_scale_; }
  /// ζ_σ² = max(0, shift + discrete Laplace).
  std::int64_t variance_shift_steps() const { return variance_shift_; }
  /// Over all levels, P(ζ_σ² < the largest variance of a meter): what variances give away for certain, at most δ.
  double certain_loss() const;

 private:
  ParameterNoise() = default;

  std::optional<Rational> mean_scale_;
  std::optional<Rational> variance_scale_;
  std::int64_t variance_max_ = 0;
  std::int64_t variance_shift_ = 0;
  std::size_t levels_ = 1;
};

}  // namespace fugu
