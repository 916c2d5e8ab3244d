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
#include "fugu/stream/slot.hpp"

namespace fugu {

struct TemporalStudyOptions {
  std::uint64_t households = 1000;
  std::vector<double> b = {0.1, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2};
  std::vector<double> small_budgets = {0.05, 0.1, 0.2, 0.3, 0.4};  ///< more points 1/b for figures 16 and 17
  std::string data_folder = {};                                    ///< with kTemporalProfiles; empty: simulated
  std::uint64_t seed = 1;
  unsigned threads = 0;  ///< of the simulation of households
};

/// A hundred households at one minute for a day, in kW. When there are more households than profiles, they are taken
/// in turn, each with shifts of its own.
inline constexpr const char* kTemporalProfiles = "lvgrid/ieee_eulv/profiles_1min_kw_100.csv.gz";

/// One way to send readings.
enum class TemporalRival : std::uint8_t {
  published,  ///< shifts by Laplace(0, b), λ = 1/b
  divided,    ///< the same with every reading in two parts
  lagged,     ///< ours, ε = 1/b and δ = 10^-6
  delayed,    ///< EDA: delays with mean b
  normal,     ///< NDP with the distortion that the published form has on average, meter by meter
  laplace,    ///< LDP with the same
  // LDP with ε = 1/b per slot and a sensitivity that is read off the data, so that none of them is private. The paper
  // says "local sensitivity" and not of what.
  laplace_largest,  ///< the largest reading of the meter
  laplace_reading,  ///< the reading itself
  laplace_change,   ///< the change since the reading before
};
std::string_view name_of(TemporalRival rival);

struct TemporalCell {
  TemporalRival rival;
  double b;
  bool small_budget = false;  ///< for figures 16 and 17 only
};

/// Mean over meters, or over slots from the second hour on; NaN where there is none. Per cent are of the truth.
///
/// Streams of a meter: `received` is what came in time (equation 4), `realtime` that times the correction factor
/// (equation 5), `recorded` everything by its stamp (equation 8), `arrivals` (EDA only) one reading a slot in the order
/// in which they arrive.
struct TemporalMeasures {
  double perturbed_exact, perturbed_printed, perturbed_measured;
  double shuffled_exact, shuffled_printed, shuffled_measured;
  double information_bound;  ///< Appendix B over the day, in nats
  /// Approximate entropy of the first meters.
  double irregularity_received, irregularity_realtime, irregularity_recorded, irregularity_truth;
  double distortion_received_w, distortion_realtime_w, distortion_recorded_w, distortion_arrivals_w;
  double cosine_realtime, cosine_recorded, cosine_arrivals;  ///< that of `received` is that of `realtime`
  double entropy_realtime, entropy_recorded, entropy_truth;  ///< over bins of 50 W
  /// Over 50 bins from a stream's least to its largest value. `doubled`: the true readings, the largest of them twice
  /// as large, which hides nothing.
  double ranged_realtime, ranged_recorded, ranged_truth, ranged_doubled;
  /// Of relative errors; rmse: the root of the mean squared error in per cent of the mean truth, as figures 16 to 21.
  double aggregation_mean_pct, aggregation_sd_pct, aggregation_rms_pct, aggregation_rmse_pct;
  double smoothed_mean_pct, smoothed_sd_pct, smoothed_rms_pct, smoothed_rmse_pct;
  double accumulation_mean_pct, accumulation_sd_pct, accumulation_rms_pct, accumulation_rmse_pct;
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

/// Figures 4 to 6: the published form at b = 1.
struct TemporalExample {
  static constexpr double kB = 1;
  std::vector<Slot> stamps;                  ///< of the first household, by the slot of measuring
  std::vector<double> truth_w, realtime_w;   ///< of the first household, by slot
  std::vector<double> total_w, estimated_w;  ///< of all, by slot
};

/// What the text says about a figure, and what was found.
struct TemporalClaim {
  std::string figure;
  std::string says;
  std::string found;
  bool holds;
};

class TemporalStudy {
 public:
  static Result<TemporalStudy> make(const TemporalStudyOptions& options);

  const TemporalStudyOptions& options() const { return options_; }
  const std::vector<TemporalCell>& cells() const { return cells_; }
  /// Depends on the seed and the cell alone. From any thread.
  Result<TemporalMeasures> run(const TemporalCell& cell) const;
  Result<TemporalExample> example() const;
  /// Mean and standard deviation of all readings, in W.
  std::array<double, 2> mean_and_deviation_w() const;
  /// Of all readings.
  std::uint64_t digest() const;

  static constexpr std::size_t kSlots = 1440;
  /// In the first slots nothing arrives from before: totals are compared from here on.
  static constexpr std::size_t kWarmUpSlots = 60;

 private:
  explicit TemporalStudy(const TemporalStudyOptions& options) : options_(options) {}

  TemporalStudyOptions options_;
  std::vector<TemporalCell> cells_;
  std::vector<std::vector<std::int64_t>> watts_;  // by household and slot
};

/// Sentences about figures 4 to 21, judged. `measures` are those of study.cells().
Result<std::vector<TemporalClaim>> temporal_claims(const TemporalStudy& study,
                                                   const std::vector<TemporalMeasures>& measures);
report::Table temporal_claims_table(const std::vector<TemporalClaim>& claims);
/// The page: Table 2, figures 4 to 21, the claims, what the lagged form costs.
Result<std::string> temporal_page(const TemporalStudy& study, const std::vector<TemporalMeasures>& measures);
/// Some of the figures as files of their own: names and SVG.
Result<std::vector<std::pair<std::string, std::string>>> temporal_pictures(
    const TemporalStudy& study, const std::vector<TemporalMeasures>& measures);
/// Table 2, by equation 7 and as printed.
Result<report::Table> temporal_weights_table();

}  // namespace fugu
