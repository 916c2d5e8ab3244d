// Which strategy to choose, before anything is published: from public facts about the stream, or from a public sample.
//
//     FUGU_ASSIGN(const Advisor advisor, Advisor::make({.stream = StreamFacts{.amplitude = 500, .period_slots = 96},
//                                                       .sensitivity = 10}));
//     FUGU_ASSIGN(const Advice advice, advisor.rank({.epsilon = 1, .window_slots = 96}));
//     advice.ranked.front().label;  // "hybrid --every 6"
//
// Guarantee: none is needed. Facts and sample are public by declaration; no protected stream is read here.
// Error: Uniform, Sample and the hybrid are predicted by their closed forms in MAE, RMSE and MRE (the law of the noise
// is the kernel's own, the movement is the stream's); all else by seeded runs of Simulation, the kernel and accountant
// of `fugu publish`. A prediction is as good as the facts: docs/how-to/choose-a-mechanism.md.
// Cost: about 15 strategies × 128 runs of the stream, fewer runs where that would be more than a second or two.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fugu/accounting/definition.hpp"
#include "fugu/strategy/registry.hpp"
#include "fugu/study/prepared_stream.hpp"
#include "fugu/study/study.hpp"

namespace fugu {

/// What is predicted, as the columns of results.csv are called. All are distances here: |kept − 1| for season_kept,
/// amplitude_kept and changes_found, |error| for level_error, the distance to the true one for season_autocorrelation.
enum class AdviceMetric : std::uint8_t {
  mae,
  rmse,
  mre,
  season_autocorrelation,
  season_kept,
  level_error,
  amplitude_kept,
  peak_error_slots,
  changes_found,
  forecast_mae,
};
std::string_view name_of(AdviceMetric metric);
/// Cause::usage with the list of names when there is none of that name.
Result<AdviceMetric> find_advice_metric(std::string_view name);

/// What is publicly known of a stream that cannot be shown. Streams are made up that have these facts
/// (simulate/artificial.hpp).
struct StreamFacts {
  double amplitude = 0;            ///< largest minus smallest value, about; in the stream's unit
  std::uint64_t period_slots = 0;  ///< of a season
  double level = 0;                ///< the smallest value
  std::int64_t length_slots = 1000;
  std::size_t series = 1;
  double sparsity = 0;  ///< share of slots at the level, between seasons
  /// Factor per slot towards the peak of a season. Absent: whatever makes a season rise tenfold from foot to peak, as
  /// loads and counts do over a day; 1.5, as in the thesis, makes long seasons a short peak in a flat stream.
  std::optional<double> growth = std::nullopt;
};

/// A stream that may be shown to everybody: an earlier year, another district, a simulation.
struct PublicSample {
  std::string file;                        ///< CSV, wide, plain or gzip: each row a slot
  std::optional<std::size_t> series = {};  ///< how many there must be
  std::optional<std::uint64_t> period_slots = {};
};

struct AdviceOptions {
  std::variant<StreamFacts, PublicSample> stream;
  double sensitivity = 1;  ///< by how much one meter can change a series in a slot, in the stream's unit
  std::string unit_step = "1";
  SuiteBudgets budgets = SuiteBudgets::shared;
  Delta delta = Delta::zero();
  AdviceMetric metric = AdviceMetric::mae;
  double gamma = 1;  ///< of mre
  std::uint64_t seed = 1;
};

/// w-event with these.
struct AdviceRequirement {
  double epsilon = 1;
  std::uint64_t window_slots = 1;
};

/// One candidate and what is expected of it.
struct Prediction {
  std::string label;                       ///< "hybrid --every 6", "zero"
  const StrategyKind* strategy = nullptr;  ///< nullptr for a yardstick, which does not look at the data
  std::optional<std::uint64_t> every_slots = std::nullopt;
  double error = 0;           ///< mean over streams and runs
  double spread = 0;          ///< standard deviation of one run on one such stream
  double standard_error = 0;  ///< of `error`
  bool closed_form = false;
  std::vector<double> by_stream = {};  ///< mean over runs, stream by stream
  /// What the error is made of, as measured in the stream's unit: mean distance of the release from the truth of its
  /// latest sample, and of that from the truth now.
  double noise_part = 0;
  double staleness_part = 0;
  double samples_per_window = 0;  ///< of windows no longer than the stream
  /// How many runs there were, and in how many of them the error was not that of the true values. 0 runs for what is
  /// not judged by runs.
  std::uint64_t runs = 0;
  std::uint64_t runs_with_error = 0;
  /// How much error the runs may have failed to show, where too few of them show any: an error that is hardly ever seen
  /// is rare, no more; that it is 0 does not follow. 0 where runs, or a closed form, do tell.
  double unseen_error = 0;
  std::string cannot_run = {};  ///< why there is no prediction; empty when there is one
};

struct Advice {
  AdviceRequirement requirement;
  /// Best first, yardsticks among them; those that cannot run last.
  std::vector<Prediction> ranked;

  const Prediction& best_yardstick() const;
  /// nullptr when no strategy can run. One whose error is known goes before those that runs do not tell apart from it.
  const Prediction* best_strategy() const;
  /// Whether looking at the data is predicted to be worth it.
  bool looking_helps() const;
};

/// Whether the predictions differ by more than two standard errors of their difference, and by more than goes unseen.
bool told_apart(const Prediction& a, const Prediction& b);

/// What reaches a target.
struct TargetSolution {
  bool reached = false;
  AdviceRequirement requirement = {};  ///< the smallest ε, or the largest w, when it is reached
  std::string label = {};              ///< of the strategy that reaches it
  double closest = 0;                  ///< the smallest error that was told, when it is not reached; may be infinite
  /// A strategy that may do better than what is said here: its runs show too few errors to tell. Empty: there is none.
  std::string too_rare_to_tell = {};
};

class Advisor {
 public:
  /// ε of a target is found to within this factor, and rounded up to four digits.
  static constexpr double kEpsilonTolerance = 1.01;
  static constexpr double kEpsilonLeast = 0x1p-10;
  static constexpr double kEpsilonMost = 0x1p15;

  /// Makes or reads the streams. Cause::usage for facts that make no sense, Cause::bad_input for a sample that cannot
  /// be read, is empty, or has another number of series.
  static Result<Advisor> make(const AdviceOptions& options);

  /// All strategies for windows that are fit to publish, the hybrid at its best K, and the yardsticks.
  Result<Advice> rank(const AdviceRequirement& requirement) const;
  /// The smallest ε with which some strategy's predicted error is at most `target`. Errors are taken to fall with ε;
  /// runs share their random numbers, so that this is so but for strategies that change their mind. A strategy that
  /// is judged by runs reaches a target only when runs do show its errors or what they may fail to show is within the
  /// target.
  Result<TargetSolution> solve_epsilon(double target, std::uint64_t window_slots) const;
  /// The largest w, at most the stream's length, likewise.
  Result<TargetSolution> solve_window(double target, double epsilon) const;

  /// The error of the true values themselves: 0, but for forecasts.
  double exact_error() const;
  const std::vector<PreparedStream>& streams() const { return streams_; }
  std::uint64_t runs_per_stream() const { return runs_; }
  const AdviceOptions& options() const { return options_; }

 private:
  /// What one run came to.
  struct Outcome {
    double error = 0;
    double noise_part = 0;
    double staleness_part = 0;
    double sampled_share = 0;
  };
  struct Candidate {
    const StrategyKind* strategy = nullptr;
    std::optional<std::uint64_t> every_slots = std::nullopt;
    bool keeps_a_schedule() const;
    std::string label() const;
  };

  Advisor() = default;
  Result<void> make_up(const Suite& suite, SuiteStream facts, const StreamFacts& wanted);
  Result<void> read(const Suite& suite, SuiteStream facts, const PublicSample& sample);
  void choose_runs();
  void measure_the_truth();

  bool has_closed_form() const { return options_.metric <= AdviceMetric::mre; }
  double error_of(const PreparedStream& stream, std::span<const double> released) const;
  double analysis_error(const StreamAnalysis& analysis, std::span<const double> truth,
                        std::span<const double> released) const;

  Result<Definition> definition_of(const AdviceRequirement& requirement) const;
  Result<Mechanism> mechanism_of(const Candidate& candidate, const AdviceRequirement& requirement) const;
  /// Calls `take(index, value)` for every slot and series of one run.
  template <class Take>
  Result<void> simulate(const Candidate& candidate, const AdviceRequirement& requirement, std::size_t stream,
                        std::uint64_t run, const Take& take) const;
  Result<Outcome> run(const Candidate& candidate, const AdviceRequirement& requirement, std::size_t stream,
                      std::uint64_t run) const;
  Result<double> expected_error(const Candidate& candidate, const AdviceRequirement& requirement,
                                std::size_t stream) const;

  /// Mean errors stream by stream, and what they rest on as in Prediction.
  struct StreamErrors {
    std::vector<double> means = {};
    std::uint64_t runs = 0;
    std::uint64_t runs_with_error = 0;
  };
  /// A strategy's error under one requirement; `unseen` as in Prediction.
  struct ErrorAt {
    double error;
    double unseen = 0;
    bool reaches(double target) const { return error <= target; }
    bool surely_reaches(double target) const { return error <= target && (unseen == 0 || error + unseen <= target); }
  };
  /// Of a candidate, as cheaply as it goes.
  Result<StreamErrors> errors_by_stream(const Candidate& candidate, const AdviceRequirement& requirement,
                                        std::uint64_t runs) const;
  Result<Prediction> predict(const Candidate& candidate, const AdviceRequirement& requirement) const;
  Prediction yardstick(Yardstick yardstick) const;

  /// One per strategy that is fit for the requirement.
  std::vector<const StrategyKind*> strategies() const;
  /// The strategy with its parameters; of the hybrid with the best K. Empty where it makes no sense.
  Result<std::optional<Candidate>> best_of(const StrategyKind& strategy, const AdviceRequirement& requirement) const;
  /// The error of best_of(); infinite where it cannot run.
  ErrorAt error_at(const StrategyKind& strategy, const AdviceRequirement& requirement) const;
  /// As Prediction::unseen_error: as often wrong as goes unseen, each time as wrong as not looking at the data.
  double unseen_error(std::uint64_t runs, std::uint64_t runs_with_error) const;

  AdviceOptions options_;
  std::vector<PreparedStream> streams_;
  std::vector<double> exact_errors_;  // of the true values, stream by stream
  std::optional<Exposure> exposure_;
  std::uint64_t runs_ = 1;
};

}  // namespace fugu
