// The evaluation of temporal perturbation (Yang, Ren, Yang, McCann, section 7), repeated: households at one minute for
// a day, shifts of b slots, against exponential delay (EDA) and normal and Laplace data perturbation (NDP, LDP), and
// the lagged form. Evaluation only. docs/studies/temporal.md.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fugu/base/result.hpp"
#include "fugu/report/html.hpp"

namespace fugu {

struct TemporalStudyOptions {
  std::uint64_t households = 1000;
  std::vector<double> b = {0.1, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2};
  std::uint64_t seed = 1;
  unsigned threads = 0;  ///< of the simulation of households
};

/// One way to send readings.
enum class TemporalRival : std::uint8_t {
  published,      ///< shifts by Laplace(0, b), λ = 1/b
  divided,        ///< the same with every reading in two parts
  lagged,         ///< ours, ε = 1/b and δ = 10^-6
  delayed,        ///< EDA: delays with mean b
  normal,         ///< NDP with the distortion that the published form has on average, meter by meter
  laplace,        ///< LDP with the same
  laplace_local,  ///< LDP with ε = 1/b per slot and the largest reading of the meter for sensitivity, which is not
                  ///< private
};
std::string_view name_of(TemporalRival rival);

struct TemporalCell {
  TemporalRival rival;
  double b;
};

/// Mean over meters, or over slots from the second hour on; NaN where there is none. Per cent are of the truth.
struct TemporalMeasures {
  double perturbed_exact, perturbed_printed, perturbed_measured;
  double shuffled_exact, shuffled_printed, shuffled_measured;
  double information_bound;                                                 ///< Appendix B over the day, in nats
  double irregularity_realtime, irregularity_recorded, irregularity_truth;  ///< approximate entropy of the first meters
  double distortion_realtime_w, distortion_recorded_w;
  double cosine_realtime, cosine_recorded;
  double entropy_realtime, entropy_recorded, entropy_truth;
  double aggregation_mean_pct, aggregation_sd_pct, aggregation_rms_pct;
  double smoothed_mean_pct, smoothed_sd_pct, smoothed_rms_pct;
  double accumulation_mean_pct, accumulation_sd_pct, accumulation_rms_pct;
  double filtered_share;  ///< of the squared distortion, what a Kalman filter that knows the variances leaves
  double queued_mean, queued_most;
  double lag_slots;
};

/// A measure by name, for files and charts.
struct TemporalColumn {
  std::string_view name;
  double TemporalMeasures::* value;
};
std::vector<TemporalColumn> temporal_columns();

class TemporalStudy {
 public:
  static Result<TemporalStudy> make(const TemporalStudyOptions& options);

  const TemporalStudyOptions& options() const { return options_; }
  const std::vector<TemporalCell>& cells() const { return cells_; }
  /// Depends on the seed and the cell alone. From any thread.
  Result<TemporalMeasures> run(const TemporalCell& cell) const;
  /// Mean and standard deviation of all readings, in W.
  std::array<double, 2> mean_and_deviation_w() const;

  static constexpr std::size_t kSlots = 1440;

 private:
  explicit TemporalStudy(const TemporalStudyOptions& options) : options_(options) {}

  TemporalStudyOptions options_;
  std::vector<TemporalCell> cells_;
  std::vector<std::vector<std::int64_t>> watts_;  // by household and slot
};

/// The page: Table 2, figures 7 to 21, what the lagged form costs. `measures` are those of study.cells().
Result<std::string> temporal_page(const TemporalStudy& study, const std::vector<TemporalMeasures>& measures);
/// Some of the figures as files of their own: names and SVG.
std::vector<std::pair<std::string, std::string>> temporal_pictures(const TemporalStudy& study,
                                                                   const std::vector<TemporalMeasures>& measures);
/// Table 2, by equation 7 and as printed.
Result<report::Table> temporal_weights_table();

}  // namespace fugu
