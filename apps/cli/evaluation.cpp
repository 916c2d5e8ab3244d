#include "evaluation.hpp"

#include <cmath>

#include "fugu/noise/law.hpp"

namespace fugu::cli {

namespace {

/// A scale read from a file is a double: close enough for a prediction.
Rational rational_near(double value) {
  constexpr double kDenominator = 0x1p20;
  return {static_cast<std::uint64_t>(std::max(1.0, std::round(value * kDenominator))),
          static_cast<std::uint64_t>(kDenominator)};
}

/// Follows one series to predict its error: remembers the true value at the last answer.
class Predictor {
 public:
  void add(const Observation& seen, NoiseKind noise, double unit_step, StableSum& sum) {
    if (!seen.truth) return;
    if (!seen.released.known) {
      sum.add(std::abs(*seen.truth));
      return;
    }
    if (seen.released.sampled) answered_truth_ = seen.truth;
    if (!answered_truth_ || !seen.released.scale) return;
    const double parameter = std::pow(*seen.released.scale / unit_step, noise == NoiseKind::gaussian ? 2 : 1);
    const auto drift_steps = static_cast<std::int64_t>(std::llround((*answered_truth_ - *seen.truth) / unit_step));
    if (*seen.released.scale <= 0) {
      sum.add(std::abs(static_cast<double>(drift_steps)) * unit_step);
      return;
    }
    sum.add(NoiseLaw{noise, rational_near(parameter)}.expected_magnitude_around(drift_steps) * unit_step);
  }

 private:
  std::optional<double> answered_truth_;
};

}  // namespace

Result<Evaluation> evaluate(const SourceOptions& stream, const std::string& released,
                            const EvaluationOptions& options) {
  FUGU_ASSIGN(OpenSource source, OpenSource::open(stream));
  TruthStream truth(source.source(), source.unit_step().to_rational());
  const double unit_step = source.unit_step().to_double();
  const std::vector<std::string> names = truth.series();

  FUGU_ASSIGN(const ErrorAccumulator empty, ErrorAccumulator::make({.sanity_bound = options.sanity_bound}));
  std::vector<ErrorAccumulator> errors(names.size(), empty);
  ErrorAccumulator overall = empty;
  std::vector<Predictor> predictors(names.size());
  StableSum predicted;
  bool predictable = true;

  TruthRow row;
  FUGU_ASSIGN(bool more_truth, truth.next(row));  // now the clock is known
  Evaluation evaluation{.clock = {source.clock(), row.utc_offset_s}};
  FUGU_ASSIGN(Input input, Input::open(released));
  FUGU_ASSIGN(ReleaseReader rows, ReleaseReader::open(std::move(input), {source.clock(), names}));
  ReleaseRecord record;
  for (;;) {
    FUGU_ASSIGN(const bool more, rows.next(record));
    if (!more) break;
    while (more_truth && row.slot < record.slot) {
      FUGU_ASSIGN(more_truth, truth.next(row));
    }
    if (!more_truth) break;
    if (row.slot != record.slot) continue;
    // Before the first release of a series the value is 0, as in fugu bench: leaving these slots out would flatter it.
    const Observation seen{row.values[record.series], record};
    errors[record.series].add(seen.truth, record.value);
    overall.add(seen.truth, record.value);
    predictable = predictable && record.scale.has_value();
    predictors[record.series].add(seen, options.noise, unit_step, predicted);
    if (options.observe) options.observe(seen);
  }

  for (std::size_t i = 0; i < names.size(); ++i) evaluation.series.push_back({names[i], errors[i].summary()});
  evaluation.overall = overall.summary();
  if (!evaluation.overall)
    return Error{Cause::bad_input, released + ": has no slot in common with the stream; are the times the same?"};
  if (predictable) evaluation.predicted_mae = predicted.value() / static_cast<double>(evaluation.overall->slots);
  return evaluation;
}

}  // namespace fugu::cli
