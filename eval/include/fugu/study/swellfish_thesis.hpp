// Chapter 7 of the thesis again: twenty zones × 55 households' policies × every mechanism, run many times.
//
// Where a mechanism's noise follows from policies alone, the expected error is computed: Σ over slots of
// E|d + Laplace(b)| = |d| + b·e^(−|d|/b), where d is what the stream has moved since the released slot, and b that
// slot's planned scale. Mechanisms that decide by the data are run: those of the chapter by adaptive_runs.hpp, which
// releases what Simulation releases, RescueDP by Simulation, the kernel, accountant and strategy of `fugu publish`.
// In one zone of every household each mechanism runs through Simulation, too, to check the rest.
//
// Guarantee: rows depend on the options and on what their cell is, not on threads, order or other rows.
// docs/studies/swellfish-thesis.md has what differs from the print.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/report/html.hpp"
#include "fugu/strategy/policy_facts.hpp"
#include "fugu/study/collections.hpp"
#include "fugu/study/result_file.hpp"
#include "fugu/study/study.hpp"
#include "fugu/study/zones.hpp"

namespace fugu {

/// ε of the intrinsic part; kThesisEpsilon elsewhere.
inline constexpr std::array kThesisEpsilons = {0.01, 0.1, 1.0, 10.0};
inline constexpr double kThesisEpsilon = 1.0;

/// How a row came about.
enum class ThesisMethod : std::uint8_t {
  closed_form,  ///< computed from the plan
  fast_run,     ///< run_adaptive()
  simulation,   ///< Simulation
};
std::string_view name_of(ThesisMethod method);

struct ThesisMechanism {
  std::string_view name;      ///< in the thesis
  std::string_view strategy;  ///< in the registry
  ThesisMethod method;
  bool all_epsilons;  ///< else at ε = 1 only
};
std::span<const ThesisMechanism> thesis_mechanisms();

struct ThesisOptions {
  std::string data_folder = {};
  std::int64_t days = 0;  ///< 0: all
  std::size_t zones = kZones;
  std::uint64_t households = 55;     ///< of the simulated ones, or at most so many of one's own
  std::string policies_folder = {};  ///< read_collections(); empty: simulated households
  IntervalRule interval = IntervalRule::thesis;
  HorizonRule beyond = HorizonRule::clip;
  std::uint64_t runs = 2;          ///< at ε = 1
  std::uint64_t epsilon_runs = 1;  ///< at the other ε, at most `runs`
  std::uint64_t check_runs = 1;    ///< of rows that check others, at most `runs`
  std::uint64_t seed = 1;
  unsigned threads = 0;
};

/// How well the best test does (AUC) on the policy that lost most: on this one secret, and on all that the household
/// hides in its interval, which is what ε bounds. Computed at ε = 1 in one zone of each household, elsewhere NaN.
struct ThesisAttack {
  double alone_auc = std::numeric_limits<double>::quiet_NaN();
  double together_auc = std::numeric_limits<double>::quiet_NaN();
};

/// One row of results.csv.
struct ThesisRow {
  std::size_t mechanism = 0;  ///< in thesis_mechanisms()
  double epsilon = 0;
  std::size_t household = 0;
  std::size_t zone = 0;
  ThesisMethod method = ThesisMethod::closed_form;
  std::uint64_t runs = 0;  ///< 0 for a closed form
  double mae_kw = 0;       ///< over slots that are there, mean over runs
  double mre = 0;          ///< of these, over slots that are not zero
  double mre_sd = 0;       ///< of one run; NaN for a closed form and for a single run
  double sampled_share = 0;
  Verdict verdict = {};  ///< exact, over all policies: of the plan, or of the first run
  ThesisAttack attack = {};
};

class ThesisStudy {
 public:
  /// Makes zones and households. Errors: those of make_zones and simulate_collections, and zones or runs out of range.
  static Result<ThesisStudy> make(const ThesisOptions& options);

  const ThesisOptions& options() const { return options_; }
  const ZoneSet& zones() const { return zones_; }
  const Collections& collections() const { return collections_; }
  std::size_t slots() const { return zones_.slots(); }
  std::size_t row_count() const { return row_count_; }

  /// results.csv in `folder`, taken up or new.
  Result<ResultFile> open(const std::string& folder, bool restart) const;
  /// Runs what is not in `file` yet. `progress` gets the tasks that are done and all there are.
  Result<void> run(ResultFile& file, const std::function<void(std::size_t, std::size_t)>& progress) const;

  /// A row of the file; nothing when it is none.
  static std::optional<ThesisRow> parse_row(std::string_view row);

 private:
  /// What one thread computes at once: a closed form in all zones with all ε, fast runs in all zones, one simulation.
  struct Task {
    std::size_t mechanism = 0;
    std::size_t household = 0;
    ThesisMethod method = ThesisMethod::closed_form;
    double epsilon = 0;      // not of a closed form
    std::uint64_t runs = 0;  // not of a closed form
    std::size_t zone = 0;    // of a simulation
    std::size_t first_row = 0;
    std::size_t rows = 1;
  };
  struct Computed {
    std::vector<ThesisRow> rows;
    double seconds = 0;
  };
  struct Errors {
    double mae_kw = 0;
    double mre = 0;
    double sampled_share = 0;
  };

  ThesisStudy() = default;
  void list_tasks();
  void prepare_zones();
  Result<Computed> compute(const Task& task) const;
  Result<std::vector<ThesisRow>> plan(const Task& task) const;
  Result<std::vector<ThesisRow>> run_fast(const Task& task) const;
  Result<std::vector<ThesisRow>> simulate(const Task& task) const;
  Result<Mechanism> mechanism_of(const Task& task) const;
  Errors expected_errors(std::size_t zone, std::span<const double> rates, double epsilon) const;
  /// Of what was released: one value per slot, in W.
  Errors measured_errors(std::size_t zone, std::span<const std::int64_t> released_w, std::size_t sampled) const;
  /// One run through Simulation.
  Result<Errors> simulate_once(const Task& task, std::uint64_t run, std::vector<double>* rates) const;
  /// The exact losses at these rates, and the attack where there is one.
  void judge(const PolicyBook& book, std::span<const double> rates, ThesisRow& row) const;
  /// In this zone of the household everything runs through Simulation, too, and is attacked.
  std::size_t checked_zone(std::size_t household) const { return household % options_.zones; }
  /// What row number `i` of the task is about; nothing is measured yet.
  ThesisRow row_of(const Task& task, std::size_t i) const;
  static ThesisRow with_errors(ThesisRow row, std::span<const Errors> runs);
  std::uint64_t seed_of(const Task& task, std::size_t zone) const;
  std::string key_text(const ThesisRow& row) const;
  std::string row_text(const ThesisRow& row) const;

  ThesisOptions options_;
  ZoneSet zones_;
  Collections collections_;
  std::vector<std::vector<std::int64_t>> watts_;       // by zone; kMissingSteps where it is missing
  std::vector<std::vector<double>> relative_weights_;  // by zone: what 1 kW of error in a slot adds to the MRE
  std::vector<std::size_t> present_;                   // by zone
  std::vector<Task> tasks_;
  std::size_t row_count_ = 0;
};

/// Of each household: what Table 7.3 says, and what Theorems 13 and 14 predict from it.
std::vector<CollectionFacts> facts_of_collections(const ThesisStudy& study);
std::string collections_csv(const ThesisStudy& study, const std::vector<CollectionFacts>& facts);

/// Time per mechanism-slot, from timings.csv.
struct MechanismSpeed {
  std::string mechanism;
  std::string method;
  double slots = 0;
  double seconds = 0;
};
std::vector<MechanismSpeed> read_speeds(const std::string& timings_text);

/// For people: one row per mechanism at ε = 1.
report::Table thesis_summary(const ThesisStudy& study, const std::vector<ThesisRow>& rows);
/// The whole report: Tables 7.3 and 7.5 and Figures 7.3 to 7.5 redrawn, Theorems 13 and 14, verdicts, checks, speed.
std::string thesis_page(const ThesisStudy& study, const std::vector<ThesisRow>& rows,
                        const std::vector<MechanismSpeed>& speeds);

}  // namespace fugu
