// Released values against the truth: what metrics and report measure.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fugu/metric/metric.hpp"
#include "fugu/metric/truth.hpp"
#include "fugu/noise/noise.hpp"
#include "fugu/stream/release_reader.hpp"
#include "run_facts.hpp"
#include "source_options.hpp"

namespace fugu::cli {

struct SeriesErrors {
  std::string name;
  std::optional<ErrorSummary> errors;
};

struct Evaluation {
  RunClock clock = {};  ///< the stream's, with the offset of its first stamp
  std::vector<SeriesErrors> series = {};
  std::optional<ErrorSummary> overall = {};
  /// Mean over slots of E|noise + (true value when it was answered − true value now)|: what the mean absolute error
  /// is expected to be for this stream and these scales. Without filters only; none when estimates were released,
  /// whose error follows from no scale.
  std::optional<double> predicted_mae = {};
};

/// One slot of one series, for whoever wants to draw it.
struct Observation {
  std::optional<double> truth;
  ReleaseRecord released;
};

struct EvaluationOptions {
  double sanity_bound = 1;
  NoiseKind noise = NoiseKind::laplace;
  std::function<void(const Observation&)> observe = {};
};

/// Compares `released` with the stream. Slots that only one of the two has are left out; a series of which nothing has
/// been released yet counts as 0.
Result<Evaluation> evaluate(const SourceOptions& stream, const std::string& released, const EvaluationOptions& options);

}  // namespace fugu::cli
