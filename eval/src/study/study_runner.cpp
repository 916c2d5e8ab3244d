// The runs of a study: a pool of threads that take tasks in order, and one thread that hands results out in order.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <limits>
#include <map>
#include <mutex>
#include <thread>

#include "fugu/metric/anomaly.hpp"
#include "fugu/metric/metric.hpp"
#include "fugu/noise/law.hpp"
#include "fugu/simulate/simulation.hpp"
#include "fugu/study/study.hpp"

namespace fugu {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kQuantile = 0.95;
/// A task is about this many slots and series: long enough not to be felt, short enough to spread over cores.
constexpr std::uint64_t kTaskValues = 2'000'000;
/// Neighbours that anomaly detectors look at, as the VLDB 2023 benchmark ran them.
constexpr std::size_t kKnnNeighbours = 10;
constexpr std::size_t kLofNeighbours = 20;
constexpr std::size_t kKnnColumn = 7;  // in CellResult::analyses
constexpr std::size_t kLofColumn = 8;
/// Sums of losses are in doubles: this much above ε is rounding.
constexpr double kRounding = 1e-9;
constexpr auto kProgressInterval = std::chrono::milliseconds(100);

/// What one run measures.
struct RunOutcome {
  double mae = 0, rmse = 0, mre = 0, sampled_share = 0;
  double worst_share = kNone;
  std::array<double, CellResult::kAnalyses> analyses = {};
};

/// What a thread keeps from run to run, so that no slot allocates.
struct Workspace {
  std::vector<double> released;    // [slot · series + series], in the stream's unit
  std::vector<double> rates;       // by slot, of the first series: for policies in runs without an accountant
  std::vector<double> one_series;  // of `released`
};

/// What a consumer reads: 0 until there is something.
double released_steps(const ReleasedValue& value) { return value.known ? static_cast<double>(value.value.steps) : 0.0; }

/// Below which releases are cut off.
double least_released(const PreparedStream& stream) {
  return stream.facts().truncate ? 0.0 : -std::numeric_limits<double>::infinity();
}

struct ErrorSums {
  double absolute = 0, squared = 0, relative = 0;
};

/// Four sums side by side: they do not wait for each other, and their order does not depend on anything.
template <bool kHasMissing>
ErrorSums sum_errors(const PreparedStream& stream, const std::vector<double>& released) {
  constexpr std::size_t kLanes = 4;
  const double* const truth = stream.truth().data();
  const double* const weight = stream.relative_weights().data();
  std::array<double, kLanes> absolute{}, squared{}, relative{};
  const auto add = [&](std::size_t lane, std::size_t i) {
    double error = std::abs(released[i] - truth[i]);
    if constexpr (kHasMissing) error = std::isnan(error) ? 0.0 : error;
    absolute[lane] += error;
    squared[lane] += error * error;
    relative[lane] += error * weight[i];
  };
  std::size_t i = 0;
  for (; i + kLanes <= released.size(); i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) add(lane, i + lane);
  }
  for (; i < released.size(); ++i) add(0, i);
  const auto total = [](const auto& lanes) { return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]); };
  return {total(absolute), total(squared), total(relative)};
}

void measure_errors(const PreparedStream& stream, const std::vector<double>& released, RunOutcome& outcome) {
  const ErrorSums sums =
      stream.has_missing() ? sum_errors<true>(stream, released) : sum_errors<false>(stream, released);
  const auto count = static_cast<double>(std::max<std::size_t>(1, stream.present()));
  outcome.mae = sums.absolute / count;
  outcome.rmse = std::max(outcome.mae, std::sqrt(sums.squared / count));
  outcome.mre = sums.relative / count;
}

/// The measures that the suite names of one series; NaN for the others.
std::array<double, CellResult::kAnalyses> analyse(const Suite& suite, const StreamAnalysis& analysis,
                                                  std::span<const double> released) {
  const auto wanted = [&](Measure measure, double (StreamAnalysis::*value)(std::span<const double>) const) {
    return suite.wants(measure) ? (analysis.*value)(released) : kNone;
  };
  // Anomalies are not about one series: measure_anomalies().
  return {wanted(Measure::season, &StreamAnalysis::season),
          wanted(Measure::season, &StreamAnalysis::season_kept),
          wanted(Measure::level, &StreamAnalysis::level_error),
          wanted(Measure::amplitude, &StreamAnalysis::amplitude_kept),
          wanted(Measure::peak, &StreamAnalysis::peak_error_slots),
          wanted(Measure::changes, &StreamAnalysis::changes_found),
          wanted(Measure::forecast, &StreamAnalysis::forecast_mae),
          kNone,
          kNone};
}

void measure_anomalies(const Suite& suite, const PreparedStream& stream, std::span<const double> released,
                       RunOutcome& outcome) {
  if (!suite.wants(Measure::anomalies) || stream.anomalies().empty() || stream.slots() < 2) return;
  outcome.analyses[kKnnColumn] = roc_auc(knn_scores(released, kKnnNeighbours), stream.anomalies());
  outcome.analyses[kLofColumn] = roc_auc(lof_scores(released, kLofNeighbours), stream.anomalies());
}

/// A mean over what is a number.
class Mean {
 public:
  void add(double value) {
    if (std::isnan(value)) return;
    sum_ += value;
    ++count_;
  }
  double value() const { return count_ == 0 ? kNone : sum_ / static_cast<double>(count_); }

 private:
  double sum_ = 0;
  std::uint64_t count_ = 0;
};

void measure_analyses(const Suite& suite, const PreparedStream& stream, Workspace& work, RunOutcome& outcome) {
  outcome.analyses.fill(kNone);
  if (stream.analyses().empty()) return;
  std::array<Mean, CellResult::kAnalyses> means;
  const std::size_t series = stream.series();
  for (std::size_t s = 0; s < series; ++s) {
    std::span<const double> released = work.released;
    if (series > 1) {
      work.one_series.resize(stream.slots());
      for (std::size_t t = 0; t < work.one_series.size(); ++t) work.one_series[t] = work.released[t * series + s];
      released = work.one_series;
    }
    const auto of_series = analyse(suite, stream.analyses()[s], released);
    for (std::size_t i = 0; i < means.size(); ++i) means[i].add(of_series[i]);
  }
  for (std::size_t i = 0; i < means.size(); ++i) outcome.analyses[i] = means[i].value();
  measure_anomalies(suite, stream, work.released, outcome);
}

/// The verdict on a cell, from the worst of its runs.
Verdict verdict_of(const Cell& cell, double worst_share) {
  if (cell.strategy == nullptr) return {Verdict::Kind::no_data, 0};
  if (cell.strategy->leaks) return {Verdict::Kind::leaks, worst_share};
  return {worst_share > 1 + kRounding ? Verdict::Kind::breaks : Verdict::Kind::holds, worst_share};
}

double quantile_of(std::vector<double> values) {
  auto found = quantiles(std::move(values), std::array{kQuantile});
  return found ? found->front() : kNone;
}

}  // namespace

/// One call of Study::run.
class StudyRunner {
 public:
  StudyRunner(const Study& study, const Study::RunOptions& options, const Study::TakeResult& take)
      : study_(study), options_(options), take_(take), next_cell_(options.from), states_(study.cells().size()) {
    for (std::size_t i = options.from; i < study.cells().size(); ++i) runs_to_do_ += runs_of(study.cells()[i]);
  }

  Result<void> run() {
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < (options_.threads == 0 ? cores : options_.threads); ++i)
      threads.emplace_back([this] { work(); });
    auto done = hand_out();
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    for (std::thread& thread : threads) thread.join();
    return done;
  }

  static Result<RunOutcome> run_mechanism(const Study& study, const Cell& cell, std::uint64_t seed, std::uint64_t run,
                                          Workspace& work) {
    const PreparedStream& stream = study.stream_of(cell);
    FUGU_ASSIGN(Mechanism mechanism, study.mechanism_of(cell));
    const bool enforced = !cell.strategy->comparison_only;
    Simulation simulation(std::move(mechanism), std::make_unique<SimulationNoise>(seed, run), enforced);
    const double step = stream.unit_step().to_double();
    const double least = least_released(stream);
    const std::size_t series = stream.series();
    work.released.resize(stream.slots() * series);
    const bool policies_unkept = study.requirement_of(cell).policies && !enforced;
    work.rates.clear();
    std::uint64_t sampled = 0;
    std::size_t i = 0;
    for (const SlotRow& row : stream.rows()) {
      FUGU_ASSIGN(const Release* release, simulation.step(row));
      for (const ReleasedValue& value : release->values()) {
        work.released[i] = std::max(least, released_steps(value) * step);
        sampled += value.sampled ? 1 : 0;
        ++i;
      }
      if (policies_unkept) work.rates.push_back(release->loss_rates().front());
    }
    RunOutcome outcome;
    outcome.sampled_share = static_cast<double>(sampled) / static_cast<double>(i);
    if (policies_unkept) {
      outcome.worst_share = study.worst_policy_share(cell, work.rates);
    } else if (study.requirement_of(cell).window_slots) {
      outcome.worst_share = simulation.worst_share();
    }
    measure_errors(stream, work.released, outcome);
    measure_analyses(study.suite(), stream, work, outcome);
    return outcome;
  }

 private:
  struct CellState {
    std::vector<RunOutcome> outcomes;
    std::uint64_t runs_left = 0;
    double seconds = 0;
  };
  struct Task {
    std::size_t cell = 0;
    std::uint64_t first_run = 0;
    std::uint64_t last_run = 0;  // exclusive
    CellState* state = nullptr;
  };
  struct Failure {
    std::size_t cell;
    Error error;
  };

  /// A yardstick comes out the same every time.
  std::uint64_t runs_of(const Cell& cell) const { return cell.strategy == nullptr ? 1 : study_.suite().runs; }

  std::size_t end() const { return failure_ ? failure_->cell : study_.cells().size(); }

  std::optional<Task> next_task() {
    const std::lock_guard lock(mutex_);
    if (stop_ || next_cell_ >= end()) return std::nullopt;
    const Cell& cell = study_.cells()[next_cell_];
    const std::uint64_t runs = runs_of(cell);
    auto& state = states_[next_cell_];
    if (!state) {
      state = std::make_unique<CellState>();
      state->outcomes.resize(runs);
      state->runs_left = runs;
    }
    const PreparedStream& stream = study_.stream_of(cell);
    const std::uint64_t at_once = std::max<std::uint64_t>(1, kTaskValues / (stream.slots() * stream.series()));
    const Task task{next_cell_, next_run_, std::min(runs, next_run_ + at_once), state.get()};
    next_run_ = task.last_run;
    if (next_run_ == runs) {
      ++next_cell_;
      next_run_ = 0;
    }
    return task;
  }

  void work() {
    Workspace space;
    while (const auto task = next_task()) {
      const auto start = std::chrono::steady_clock::now();
      auto done = run_task(*task, space);
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      const std::lock_guard lock(mutex_);
      if (!done && task->cell < end())
        failure_ = {task->cell, study_.in_cell(study_.cells()[task->cell], done.error())};
      task->state->seconds += took.count();
      task->state->runs_left -= task->last_run - task->first_run;
      if (task->state->runs_left == 0) changed_.notify_one();
      if (!done) changed_.notify_one();
    }
  }

  Result<void> run_task(const Task& task, Workspace& space) {
    const Cell& cell = study_.cells()[task.cell];
    const std::uint64_t seed = study_.seed_of(cell);
    for (std::uint64_t run = task.first_run; run < task.last_run; ++run) {
      if (cell.strategy == nullptr) {
        task.state->outcomes[run] = run_yardstick(cell, space);
      } else {
        FUGU_ASSIGN(task.state->outcomes[run], run_mechanism(study_, cell, seed, run, space));
      }
      runs_done_.fetch_add(1, std::memory_order_relaxed);
    }
    return {};
  }

  RunOutcome run_yardstick(const Cell& cell, Workspace& work) const {
    const PreparedStream& stream = study_.stream_of(cell);
    const std::size_t series = stream.series();
    work.released.resize(stream.slots() * series);
    for (std::size_t i = 0; i < work.released.size(); ++i)
      work.released[i] = constant_of(cell.yardstick, stream, i % series);
    RunOutcome outcome;
    measure_errors(stream, work.released, outcome);
    measure_analyses(study_.suite(), stream, work, outcome);
    return outcome;
  }

  static CellResult summarise(const Cell& cell, const CellState& state) {
    CellResult result;
    std::vector<double> mae, mre, rmse;
    Mean mean_mae, mean_mre, mean_rmse, sampled;
    std::array<Mean, CellResult::kAnalyses> analyses;
    double worst = kNone;
    for (const RunOutcome& run : state.outcomes) {
      mae.push_back(run.mae), mre.push_back(run.mre), rmse.push_back(run.rmse);
      mean_mae.add(run.mae), mean_mre.add(run.mre), mean_rmse.add(run.rmse), sampled.add(run.sampled_share);
      if (!(worst >= run.worst_share)) worst = run.worst_share;
      for (std::size_t i = 0; i < analyses.size(); ++i) analyses[i].add(run.analyses[i]);
    }
    result.runs = state.outcomes.size();
    result.mae = mean_mae.value(), result.mre = mean_mre.value(), result.rmse = mean_rmse.value();
    result.mae_p95 = quantile_of(std::move(mae));
    result.mre_p95 = quantile_of(std::move(mre));
    result.rmse_p95 = quantile_of(std::move(rmse));
    result.sampled_share = sampled.value();
    result.verdict = verdict_of(cell, worst);
    for (std::size_t i = 0; i < analyses.size(); ++i) result.analyses[i] = analyses[i].value();
    result.seconds = state.seconds;
    return result;
  }

  /// Waits for one cell after the other.
  Result<void> hand_out() {
    std::unique_lock lock(mutex_);
    for (std::size_t cell = options_.from; cell < end();) {
      if (!states_[cell] || states_[cell]->runs_left > 0) {
        changed_.wait_for(lock, kProgressInterval);
        if (options_.progress) options_.progress(runs_done_, runs_to_do_);
        continue;
      }
      const std::unique_ptr<CellState> state = std::move(states_[cell]);
      lock.unlock();
      FUGU_TRY(take_(cell, summarise(study_.cells()[cell], *state)));
      lock.lock();
      ++cell;
    }
    if (failure_) return failure_->error;
    return {};
  }

  const Study& study_;
  const Study::RunOptions& options_;
  const Study::TakeResult& take_;
  std::uint64_t runs_to_do_ = 0;
  std::atomic<std::uint64_t> runs_done_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t next_cell_;
  std::uint64_t next_run_ = 0;
  std::vector<std::unique_ptr<CellState>> states_;  // of cells begun and not yet handed out
  std::optional<Failure> failure_;                  // of the first cell that failed
  bool stop_ = false;
};

Result<void> Study::run(const RunOptions& options, const TakeResult& take) const {
  return StudyRunner(*this, options, take).run();
}

Result<ExampleRun> Study::example(const Cell& cell, std::size_t slots) const {
  FUGU_CHECK(cell.strategy != nullptr);
  const PreparedStream& stream = stream_of(cell);
  FUGU_ASSIGN(Mechanism mechanism, mechanism_of(cell));
  Simulation simulation(std::move(mechanism), std::make_unique<SimulationNoise>(seed_of(cell), 0),
                        !cell.strategy->comparison_only);
  const double step = stream.unit_step().to_double();
  ExampleRun example;
  for (std::size_t t = 0; t < std::min(slots, stream.slots()); ++t) {
    FUGU_ASSIGN(const Release* release, simulation.step(stream.rows()[t]));
    const ReleasedValue& value = release->values().front();
    example.truth.push_back(stream.truth()[t * stream.series()]);
    example.released.push_back(std::max(least_released(stream), released_steps(value) * step));
    const bool noisy = value.known && !value.estimated && value.value.noise != NoiseKind::none;
    const NoiseLaw law{value.value.noise, value.value.parameter};
    example.half_width.push_back(noisy ? static_cast<double>(law.magnitude_quantile(kQuantile)) * step : kNone);
  }
  return example;
}

}  // namespace fugu
