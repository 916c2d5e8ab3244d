// Runs a suite: every mechanism on every stream under every requirement, each many times, on all cores.
//
//     FUGU_ASSIGN(const Study study, Study::make(suite, {.data_folder = "data"}));
//     study.run({.threads = 4}, [&](std::size_t cell, const CellResult& result) { … return Result<void>(); });
//
// Guarantee: the numbers of a cell depend on the suite's seed and on what the cell is, not on the number of threads, on
// the order, or on which other cells there are. Every run goes through Simulation: the kernel and the accountant of
// `fugu publish`, with seeded noise.
// Cost: what Simulation::step costs, and about 5 ns per slot and series more (bench/study_bench.cpp).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fugu/comparison/catalogue.hpp"
#include "fugu/simulate/simulation.hpp"
#include "fugu/study/prepared_stream.hpp"
#include "fugu/study/suite.hpp"

namespace fugu {

/// What is released without looking at the data, or with perfect knowledge of one number of it: what every mechanism
/// has to beat.
enum class Yardstick : std::uint8_t { zero, best_constant, last_public };
inline constexpr std::array kYardsticks = {Yardstick::zero, Yardstick::best_constant, Yardstick::last_public};
std::string_view name_of(Yardstick yardstick);
/// What it releases of a series in every slot.
double constant_of(Yardstick yardstick, const PreparedStream& stream, std::size_t series);

/// Who counts into what, as the facts of a stream say.
Result<Exposure> exposure_of(const PreparedStream& stream);

/// One row of the results.
struct Cell {
  std::string label;                         ///< of the mechanism or yardstick
  const CatalogueEntry* strategy = nullptr;  ///< nullptr for a yardstick
  std::optional<std::uint64_t> every_slots = std::nullopt;
  Yardstick yardstick = Yardstick::zero;
  std::size_t stream = 0;
  std::size_t requirement = 0;
};

/// Whether what was promised was kept.
struct Verdict {
  enum class Kind : std::uint8_t {
    holds,    ///< nothing lost more than was promised: for published forms, in these runs
    breaks,   ///< some window or policy lost more than ε
    leaks,    ///< it was given something of the true stream for nothing
    no_data,  ///< a yardstick: nothing was looked at
  };
  Kind kind = Kind::holds;
  /// The largest loss of any window, or of any policy of a published form, as a share of ε; NaN when not measured.
  double worst_share = 1;
};
std::string_view name_of(Verdict::Kind kind);

/// Mean over runs and, where a risk-averse owner would ask, the 0.95 quantile.
struct CellResult {
  std::uint64_t runs = 0;
  double mae = 0, mae_p95 = 0, mre = 0, mre_p95 = 0, rmse = 0, rmse_p95 = 0;
  double sampled_share = 0;  ///< of slots and series, those with an answer of their own
  Verdict verdict;
  /// NaN where the suite does not name them: season (autocorrelation), season kept, level error, amplitude kept, peak
  /// error, changes found, forecast error; anomalies found by nearest neighbours, and by the local outlier factor.
  static constexpr std::size_t kAnalyses = 9;
  std::array<double, kAnalyses> analyses = {};
  double seconds = 0;  ///< of computing time, over all runs; not reproducible
};

/// One run, to be drawn: the first series.
struct ExampleRun {
  std::vector<double> truth;
  std::vector<double> released;
  std::vector<double> half_width;  ///< of the 95 % interval of the noise; NaN where it is not known
};

class Study {
 public:
  struct Options {
    std::string data_folder = {};
    bool as_published = false;                         ///< adds the forms that break their promise, to be compared with
    std::optional<std::uint64_t> seed = std::nullopt;  ///< instead of the suite's
    std::optional<std::uint64_t> runs = std::nullopt;
  };
  /// Prepares streams and checks that every mechanism exists and serves every requirement.
  static Result<Study> make(Suite suite, const Options& options);

  const Suite& suite() const { return suite_; }
  bool as_published() const { return as_published_; }
  const std::vector<Cell>& cells() const { return cells_; }
  const PreparedStream& stream_of(const Cell& cell) const { return streams_[cell.stream]; }
  const SuiteRequirement& requirement_of(const Cell& cell) const { return suite_.requirements[cell.requirement]; }
  const std::vector<PreparedStream>& streams() const { return streams_; }

  struct RunOptions {
    unsigned threads = 0;  ///< 0: as many as there are cores
    std::size_t from = 0;  ///< cells before this one are done
    /// Called about ten times a second with the runs that are done and all there are to do.
    std::function<void(std::uint64_t, std::uint64_t)> progress = {};
  };
  /// Called in order of cells, from the calling thread. An error of it ends the study.
  using TakeResult = std::function<Result<void>(std::size_t cell, const CellResult& result)>;
  /// After an error in a cell, all cells before it have been handed out.
  Result<void> run(const RunOptions& options, const TakeResult& take) const;

  /// The first run of a cell, at most `slots` slots.
  Result<ExampleRun> example(const Cell& cell, std::size_t slots) const;

 private:
  friend class StudyRunner;

  Study() = default;
  Result<void> list_mechanisms(bool as_published);
  Result<void> check_size() const;
  Result<void> check_mechanism(const SuiteMechanism& mechanism) const;
  Result<void> prepare_requirements();
  void list_cells();
  StrategyParameters parameters_of(const SuiteRequirement& requirement,
                                   const std::optional<std::uint64_t>& every_slots) const;
  /// What the policies of a cell have lost at most, at these rates.
  double worst_policy_share(const Cell& cell, std::span<const double> rates) const;
  Result<Mechanism> mechanism_of(const Cell& cell) const;
  /// Seed of the noise of all runs of a cell: the run is the stream of the generator.
  std::uint64_t seed_of(const Cell& cell) const;
  Error in_cell(const Cell& cell, const Error& error) const;

  Suite suite_;
  bool as_published_ = false;
  std::vector<PreparedStream> streams_;
  std::vector<Cell> mechanisms_;  // stream and requirement still open
  std::vector<Cell> cells_;
  std::vector<Definition> definitions_;  // by requirement
  std::vector<Exposure> exposures_;      // by stream
  /// By requirement and stream: what made-up households state. Shared by all runs.
  std::vector<std::vector<std::shared_ptr<const std::vector<PolicyEvent>>>> policies_;
};

}  // namespace fugu
