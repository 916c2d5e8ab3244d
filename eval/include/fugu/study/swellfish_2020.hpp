// Section VI of the conference paper again: twenty zones, the policies of 250 households at once, the mechanisms of
// Table II, and what the paper lacks: sound parameters, UnicornPS, Narwhal, an exact verdict and an attack in every
// row.
//
// Experiment 1: every household's policies. Experiment 2: the same and a dominant secret, a holiday in week one.
//
// Where noise follows from policies alone, rates are planned once and noise of that scale is added; RescueDP runs
// through Simulation. Values are then truncated at 0 and, where the mean scale exceeds the zone's threshold, replaced
// by the mean of the last day, RescueDP's excepted (section VI-A5).
//
// Guarantee: rows depend on the options and on what their cell is, not on threads, order or other rows.
// docs/studies/swellfish-2020.md has what differs from the print, and why.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/noise/noise.hpp"
#include "fugu/policy/book.hpp"
#include "fugu/report/html.hpp"
#include "fugu/study/result_file.hpp"
#include "fugu/study/study.hpp"
#include "fugu/study/zones.hpp"

namespace fugu {

/// δ of the paper, and its sensitivity for user level: the most a household in Germany can take.
inline constexpr double kConferenceDelta = 1.0 / 117'716'237;
inline constexpr std::uint64_t kUserLevelWatts = 48'000;

struct ConferenceMechanism {
  std::string_view name;
  bool printed;              ///< in Table II
  bool with_delta;           ///< promises (ε, δ)
  bool filtered_by_itself;   ///< RescueDP: no post-processing, and no plan
  std::string_view paper_1;  ///< MRE over the zones in experiment 1, as printed; empty when it has none
};
std::span<const ConferenceMechanism> conference_mechanisms();

struct ConferenceOptions {
  std::string data_folder = {};
  std::int64_t days = 84;  ///< from the first of the zones on; 0: all
  std::size_t zones = kZones;
  std::uint64_t households = 250;    ///< simulated ones, or at most so many of one's own
  std::string policies_folder = {};  ///< read_collections(); empty: simulated households
  std::uint64_t runs = 20;
  std::uint64_t seed = 1;
  unsigned threads = 0;
};

/// How well secrets are kept at some rates.
struct SecretsKept {
  Verdict verdict;
  double auc = 0.5;                 ///< of the best attack on the single secret that it does best on
  double belief = 0.5;              ///< the surest about any single secret, from 50:50
  double belief_permitted = 0.5;    ///< by the ε of that secret
  double together_auc = 0.5;        ///< about all that is hidden in the interval of the worst policy
  double together_belief = 0.5;     ///< the same, from 50:50
  double together_permitted = 0.5;  ///< by the ε of that policy
};

/// At these rates, one per slot from 0 on, as planners have them: per step of a Laplace answer, or ρ per squared step
/// of a Gaussian one. Under δ promises are kept when ρ proves that of each policy; where it does not, when the loss of
/// each policy that it leaves open is shown to be within its ε.
SecretsKept secrets_kept(const PolicyBook& book, std::span<const double> rates, NoiseKind kind, Delta delta);

/// One row of results.csv.
struct ConferenceRow {
  static constexpr std::size_t kWeeks = 12;

  int experiment = 1;
  std::size_t mechanism = 0;  ///< in conference_mechanisms()
  std::size_t zone = 0;
  std::uint64_t runs = 0;
  double mre = 0;     ///< mean over runs and over slots whose true value is there and not zero
  double mre_sd = 0;  ///< of one run
  double mae_kw = 0;
  bool filtered = false;      ///< by the moving average
  double mean_scale_kw = 0;   ///< over slots; NaN when it depends on the data
  std::uint64_t w_slots = 0;  ///< of a w-event rule; 0 for others
  SecretsKept kept = {};
  std::array<double, kWeeks> weeks = {};  ///< MRE of each week; NaN beyond the end
};

class ConferenceStudy {
 public:
  static constexpr std::size_t kExperiments = 2;

  /// Makes zones, households and both books. Errors: those of make_zones and simulate_collections, options out of
  /// range, and less than a week.
  static Result<ConferenceStudy> make(const ConferenceOptions& options);

  const ConferenceOptions& options() const { return options_; }
  const ZoneSet& zones() const { return zones_; }
  std::size_t slots() const { return zones_.slots(); }
  std::size_t row_count() const;
  const PolicyBook& book(int experiment) const { return experiments_[static_cast<std::size_t>(experiment - 1)].book; }

  /// Table III: what Theorem 7 makes of a book, and what the sound w is.
  struct Parameters {
    std::uint64_t longest_pattern_slots = 0;   ///< w of Theorem 7
    std::uint64_t longest_interval_slots = 0;  ///< w of the thesis
    double epsilon = 1;                        ///< the smallest
    std::uint64_t sensitivity_w = 0;           ///< largest temporal sensitivity
    double mean_secret_scale_w = 0;            ///< mean over policies of magnitude · length / ε: each by itself
  };
  const Parameters& parameters(int experiment) const {
    return experiments_[static_cast<std::size_t>(experiment - 1)].parameters;
  }
  /// From this mean noise scale on the moving average is applied: the zone's own mean distance from its last day's
  /// mean. Like the paper's thresholds it is taken from the data: no part of any promise.
  double threshold_kw(std::size_t zone) const { return thresholds_kw_[zone]; }

  Result<ResultFile> open(const std::string& folder, bool restart) const;
  /// Runs what is not in `file` yet. `progress` gets the rows that are done and all there are.
  Result<void> run(ResultFile& file, const std::function<void(std::size_t, std::size_t)>& progress) const;
  static std::optional<ConferenceRow> parse_row(std::string_view row);

 private:
  struct Experiment {
    PolicyBook book;
    Parameters parameters;
  };
  /// What is added to every zone alike.
  struct NoisePlan {
    NoiseKind kind = NoiseKind::laplace;
    std::vector<double> rates;  // per slot, as planners have them
    std::vector<Rational> laws;
    double mean_scale_kw = 0;
    SecretsKept kept;
  };
  struct Cell {
    int experiment = 1;
    std::size_t mechanism = 0;
    std::size_t zone = 0;
  };
  struct Computed {
    ConferenceRow row;
    double seconds = 0;
  };
  class Errors;

  ConferenceStudy() = default;
  Cell cell_at(std::size_t row) const;
  /// How the cell's row begins.
  std::string key_of(const Cell& cell) const;
  Result<NoisePlan> plan(const Cell& cell) const;
  Result<std::vector<double>> planned(const Cell& cell, NoiseKind& kind) const;
  std::vector<double> one_household_alone(const Experiment& experiment) const;
  std::uint64_t window_of(const Cell& cell) const;
  Result<Computed> compute(const Cell& cell, const NoisePlan& plan) const;
  void add_noise(const Cell& cell, const NoisePlan& plan, bool filtered, Errors& errors) const;
  Result<void> run_rescuedp(const Cell& cell, Errors& errors, std::vector<double>& rates) const;
  std::uint64_t seed_of(const Cell& cell) const;
  std::string row_text(const ConferenceRow& row) const;

  std::uint64_t policies_digest_ = 0;
  ConferenceOptions options_;
  ZoneSet zones_;
  std::array<Experiment, kExperiments> experiments_;
  std::vector<std::vector<std::int64_t>> watts_;  // by zone
  std::vector<double> thresholds_kw_;             // by zone
};

/// For people, one row per mechanism: errors over the zones; verdicts and attacks.
report::Table conference_errors(const ConferenceStudy& study, const std::vector<ConferenceRow>& rows, int experiment);
report::Table conference_secrets(const std::vector<ConferenceRow>& rows, int experiment);
/// Tables II and III, Figures 3 and 4, verdicts and attacks; `timings` is the text of timings.csv.
std::string conference_page(const ConferenceStudy& study, const std::vector<ConferenceRow>& rows,
                            const std::string& timings);

}  // namespace fugu
