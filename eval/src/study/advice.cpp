#include "fugu/study/advice.hpp"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <unordered_map>

#include "fugu/noise/law.hpp"
#include "fugu/simulate/simulation.hpp"
#include "fugu/strategy/outlook.hpp"
#include "fugu/stream/location.hpp"

namespace fugu {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr std::array<std::string_view, 10> kMetricNames = {"mae",
                                                           "rmse",
                                                           "mre",
                                                           "season_autocorrelation",
                                                           "season_kept",
                                                           "level_error",
                                                           "amplitude_kept",
                                                           "peak_error_slots",
                                                           "changes_found",
                                                           "forecast_mae"};

/// Streams that are made up from facts: their differences are part of the spread.
constexpr std::size_t kStreamsMost = 16;
constexpr std::size_t kStreamsLeast = 4;
/// Runs of one strategy over all streams: the mean is then known to a tenth of a run's spread.
constexpr std::uint64_t kRunsInAll = 128;
/// Slots and series of all runs of all strategies: about a second.
constexpr std::uint64_t kValuesInAll = 8'000'000;
/// The best K of a hybrid is looked for with fewer runs than it is then judged by.
constexpr std::uint64_t kRunsShareForK = 8;
/// A spread needs a few.
constexpr std::uint64_t kRunsLeast = 4;
/// Runs that must show an error before its mean is believed: of five rare events, the mean is known to a factor of two.
constexpr std::uint64_t kRunsThatTell = 5;
/// From foot to peak of a season, when nothing is said.
constexpr double kRise = 10;
constexpr std::size_t kSeriesMost = 10'000;
constexpr std::int64_t kValuesMost = std::int64_t{1} << 24;

bool needs_period(AdviceMetric metric) {
  return metric == AdviceMetric::season_autocorrelation || metric == AdviceMetric::season_kept ||
         metric == AdviceMetric::peak_error_slots;
}

/// What has to be prepared of a stream for a metric.
std::optional<Measure> measure_of(AdviceMetric metric) {
  switch (metric) {
    case AdviceMetric::mae:
    case AdviceMetric::rmse:
    case AdviceMetric::mre: return std::nullopt;
    case AdviceMetric::season_autocorrelation:
    case AdviceMetric::season_kept: return Measure::season;
    case AdviceMetric::level_error: return Measure::level;
    case AdviceMetric::amplitude_kept: return Measure::amplitude;
    case AdviceMetric::peak_error_slots: return Measure::peak;
    case AdviceMetric::changes_found: return Measure::changes;
    case AdviceMetric::forecast_mae: break;
  }
  return Measure::forecast;
}

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

/// Of one value around the mean of all; 0 for a single value.
double deviation_of(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const double mean = mean_of(values);
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

/// Sums of the three errors over the values that have a truth.
class Errors {
 public:
  explicit Errors(const PreparedStream& stream) : stream_(stream) {}
  /// Of value `i`: its (expected) magnitude and square.
  void add(std::size_t i, double magnitude, double square) {
    absolute_ += magnitude;
    squared_ += square;
    relative_ += magnitude * stream_.relative_weights()[i];
  }
  double value(AdviceMetric metric) const {
    const auto count = static_cast<double>(stream_.present());
    if (metric == AdviceMetric::mae) return absolute_ / count;
    return metric == AdviceMetric::mre ? relative_ / count : std::sqrt(squared_ / count);
  }

 private:
  const PreparedStream& stream_;
  double absolute_ = 0, squared_ = 0, relative_ = 0;
};

/// E|N + offset| by offset: streams come back to where they were, and a sum over a Gaussian's integers is long.
class ExpectedMagnitudes {
 public:
  double around(const NoiseLaw& law, std::int64_t offset) {
    if (!(law.parameter == parameter_)) known_.clear();
    parameter_ = law.parameter;
    const auto [entry, is_new] = known_.try_emplace(std::abs(offset), 0.0);
    if (is_new) entry->second = law.expected_magnitude_around(entry->first);
    return entry->second;
  }

 private:
  Rational parameter_;
  std::unordered_map<std::int64_t, double> known_;
};

Error usage(std::string message) { return {Cause::usage, std::move(message)}; }

/// All that is wrong with the facts, at once.
Result<void> check(const StreamFacts& facts) {
  std::string wrong;
  const auto complain = [&](const char* what) { wrong.append(wrong.empty() ? "" : "; ").append(what); };
  if (!(facts.amplitude > 0 && std::isfinite(facts.amplitude))) complain("the amplitude must be positive and finite");
  if (facts.period_slots < 2 || facts.period_slots > 1'000'000) complain("the period must be 2 to 1,000,000 slots");
  if (!(facts.level >= 0 && std::isfinite(facts.level))) complain("the level must be at least 0");
  if (facts.length_slots < 2) complain("the length must be at least 2 slots");
  if (facts.series < 1 || facts.series > kSeriesMost) complain("the number of series must be 1 to 10,000");
  if (!(facts.sparsity >= 0 && facts.sparsity < 1)) complain("the sparsity must be from 0 to below 1");
  if (wrong.empty() && facts.length_slots > kValuesMost / static_cast<std::int64_t>(facts.series))
    complain("length times number of series must be at most 2^24");
  if (!wrong.empty()) return usage(wrong);
  return {};
}

std::uint64_t ceil_divide(std::uint64_t a, std::uint64_t b) { return (a - 1) / b + 1; }

/// The K between 1 and w, exclusive, that are worth trying on so many slots: of those with equally many releases per
/// window, the smallest has the same noise and the least delay. Where they are many, steps of a tenth will do: the
/// error is flat around the best.
std::vector<std::uint64_t> hybrid_steps(std::uint64_t window_slots, std::uint64_t slots) {
  constexpr std::size_t kMany = 100;
  std::vector<std::uint64_t> steps;
  for (std::uint64_t k = 2; k < window_slots && k <= std::max<std::uint64_t>(2, slots); ++k) {
    if (ceil_divide(window_slots, k) < ceil_divide(window_slots, k - 1)) steps.push_back(k);
  }
  if (steps.size() <= kMany) return steps;
  std::vector<std::uint64_t> thinned = {steps.front()};
  for (const std::uint64_t k : steps) {
    if (k >= thinned.back() + std::max<std::uint64_t>(1, thinned.back() / 10)) thinned.push_back(k);
  }
  return thinned;
}

/// Four significant digits, not below.
double rounded_up(double epsilon) {
  const double unit = std::pow(10, std::floor(std::log10(epsilon)) - 3);
  return std::ceil(epsilon / unit * (1 - 1e-12)) * unit;
}

}  // namespace

std::string_view name_of(AdviceMetric metric) { return kMetricNames[static_cast<std::size_t>(metric)]; }

Result<AdviceMetric> find_advice_metric(std::string_view name) {
  std::string known;
  for (std::size_t i = 0; i < kMetricNames.size(); ++i) {
    if (kMetricNames[i] == name) return static_cast<AdviceMetric>(i);
    known.append(known.empty() ? "" : ", ").append(kMetricNames[i]);
  }
  return usage("there is no metric " + shown(name) + "; known are " + known);
}

const Prediction& Advice::best_yardstick() const {
  return *std::ranges::find_if(ranked, [](const Prediction& each) { return each.strategy == nullptr; });
}

const Prediction* Advice::best_strategy() const {
  const Prediction* best = nullptr;
  for (const Prediction& each : ranked) {
    if (each.strategy == nullptr || !each.cannot_run.empty()) continue;
    if (best == nullptr) best = &each;
    if (best->unseen_error == 0) break;
    if (each.unseen_error == 0 && !told_apart(*best, each)) return &each;
  }
  return best;
}

bool Advice::looking_helps() const {
  const Prediction* best = best_strategy();
  return best != nullptr && best->error < best_yardstick().error;
}

bool told_apart(const Prediction& a, const Prediction& b) {
  const double difference = std::abs(a.error - b.error);
  if (difference <= std::max(a.unseen_error, b.unseen_error)) return false;
  // The same streams: what they share does not count.
  if (a.by_stream.size() > 1) {
    std::vector<double> differences;
    for (std::size_t i = 0; i < a.by_stream.size(); ++i) differences.push_back(a.by_stream[i] - b.by_stream[i]);
    return difference > 2 * deviation_of(differences) / std::sqrt(static_cast<double>(differences.size()));
  }
  return difference > 2 * std::hypot(a.standard_error, b.standard_error);
}

bool Advisor::Candidate::keeps_a_schedule() const {
  return strategy->name == "uniform" || strategy->name == "sample" || strategy->name == "hybrid";
}

std::string Advisor::Candidate::label() const {
  std::string label(strategy->name);
  if (every_slots) label.append(" --every ").append(std::to_string(*every_slots));
  return label;
}

Result<Advisor> Advisor::make(const AdviceOptions& options) {
  if (!(options.gamma > 0 && std::isfinite(options.gamma))) return usage("gamma must be positive");
  Advisor made;
  made.options_ = options;
  Suite suite;
  suite.gamma = {.value = options.gamma};
  if (const auto measure = measure_of(options.metric)) suite.measures[static_cast<std::size_t>(*measure)] = true;
  SuiteStream facts;
  facts.unit_step = options.unit_step;
  facts.sensitivity = options.sensitivity;
  facts.budgets = options.budgets;
  if (const auto* wanted = std::get_if<StreamFacts>(&options.stream)) {
    suite.file = "the facts";
    FUGU_TRY(made.make_up(suite, std::move(facts), *wanted));
  } else {
    const auto& sample = std::get<PublicSample>(options.stream);
    suite.file = sample.file;
    FUGU_TRY(made.read(suite, std::move(facts), sample));
  }
  FUGU_ASSIGN(made.exposure_, exposure_of(made.streams_.front()));
  made.choose_runs();
  made.measure_the_truth();
  if (std::isnan(made.exact_error()))
    return usage(std::string(name_of(options.metric)) +
                 " cannot be measured on this stream, which has no season or is constant");
  return made;
}

Result<void> Advisor::make_up(const Suite& suite, SuiteStream facts, const StreamFacts& wanted) {
  FUGU_TRY(check(wanted));
  FUGU_ASSIGN(const UnitStep unit_step, UnitStep::parse(options_.unit_step));
  if (wanted.amplitude < unit_step.to_double())
    return usage("the amplitude is below one unit step: give a finer --unit-step");
  facts.period_slots =
      static_cast<std::uint64_t>(std::llround(static_cast<double>(wanted.period_slots) / (1 - wanted.sparsity)));
  ArtificialOptions shape{
      .length_slots = wanted.length_slots,
      .season_slots = static_cast<std::int64_t>(wanted.period_slots),
      .amplitude = wanted.amplitude,
      .level = wanted.level,
      .sparsity = wanted.sparsity,
      .growth = wanted.growth.value_or(std::pow(kRise, 2.0 / static_cast<double>(wanted.period_slots))),
      .decimals = 6};
  const auto slots = static_cast<std::size_t>(wanted.length_slots);
  std::vector<double> values(slots * wanted.series);
  const std::size_t affordable = kValuesInAll / (values.size() * strategies().size());
  for (std::size_t stream = 0; stream < std::clamp(affordable, kStreamsLeast, kStreamsMost); ++stream) {
    for (std::size_t s = 0; s < wanted.series; ++s) {
      shape.seed = options_.seed + stream * wanted.series + s;
      FUGU_ASSIGN(const std::vector<double> one, generate_artificial(shape));
      for (std::size_t t = 0; t < slots; ++t) values[t * wanted.series + s] = one[t];
    }
    FUGU_ASSIGN(PreparedStream prepared, PreparedStream::of_values(suite, facts, values, wanted.series));
    streams_.push_back(std::move(prepared));
  }
  return {};
}

Result<void> Advisor::read(const Suite& suite, SuiteStream facts, const PublicSample& sample) {
  if (needs_period(options_.metric) && !sample.period_slots)
    return usage(std::string(name_of(options_.metric)) + " needs the period of the sample: --period");
  std::error_code ignored;
  if (!std::filesystem::exists(sample.file, ignored))
    return Error{Cause::bad_input, sample.file + ": there is no such file"};
  facts.source = SuiteFile{.path = sample.file, .series = {}};
  facts.period_slots = sample.period_slots.value_or(0);
  FUGU_ASSIGN(PreparedStream prepared, PreparedStream::make(suite, facts, "."));
  if (sample.series && prepared.series() != *sample.series)
    return found_but_expected({sample.file}, std::to_string(prepared.series()) + " series",
                              std::to_string(*sample.series) + ", as --series says");
  streams_.push_back(std::move(prepared));
  return {};
}

void Advisor::choose_runs() {
  const PreparedStream& stream = streams_.front();
  const std::uint64_t values_per_run = stream.slots() * stream.series() * strategies().size();
  const std::uint64_t affordable = std::clamp(kValuesInAll / values_per_run, kRunsLeast, kRunsInAll);
  runs_ = std::max<std::uint64_t>(1, affordable / streams_.size());
}

double Advisor::analysis_error(const StreamAnalysis& analysis, std::span<const double> truth,
                               std::span<const double> released) const {
  switch (options_.metric) {
    case AdviceMetric::season_autocorrelation: return std::abs(analysis.season(released) - analysis.season(truth));
    case AdviceMetric::season_kept: return std::abs(analysis.season_kept(released) - 1);
    case AdviceMetric::level_error: return std::abs(analysis.level_error(released));
    case AdviceMetric::amplitude_kept: return std::abs(analysis.amplitude_kept(released) - 1);
    case AdviceMetric::peak_error_slots: return analysis.peak_error_slots(released);
    case AdviceMetric::changes_found: return 1 - analysis.changes_found(released);
    default: break;
  }
  return analysis.forecast_mae(released);
}

double Advisor::error_of(const PreparedStream& stream, std::span<const double> released) const {
  const std::size_t series = stream.series();
  if (has_closed_form()) {
    Errors errors(stream);
    for (std::size_t i = 0; i < released.size(); ++i) {
      const double error = std::abs(released[i] - stream.truth()[i]);
      if (!std::isnan(error)) errors.add(i, error, error * error);
    }
    return errors.value(options_.metric);
  }
  std::vector<double> one(stream.slots());
  std::vector<double> truth(stream.slots());
  double sum = 0;
  std::size_t measured = 0;
  for (std::size_t s = 0; s < series; ++s) {
    double before = stream.first_values()[s];
    for (std::size_t t = 0; t < one.size(); ++t) {
      one[t] = released[t * series + s];
      if (const double value = stream.truth()[t * series + s]; !std::isnan(value)) before = value;
      truth[t] = before;
    }
    const double error = analysis_error(stream.analyses()[s], truth, one);
    if (std::isnan(error)) continue;
    sum += error;
    ++measured;
  }
  return measured == 0 ? kNone : sum / static_cast<double>(measured);
}

void Advisor::measure_the_truth() {
  for (const PreparedStream& stream : streams_) {
    std::vector<double> released(stream.truth().begin(), stream.truth().end());
    const std::size_t series = stream.series();
    for (std::size_t i = 0; i < released.size(); ++i) {
      if (std::isnan(released[i])) released[i] = i < series ? stream.first_values()[i] : released[i - series];
    }
    exact_errors_.push_back(error_of(stream, released));
  }
}

double Advisor::exact_error() const { return mean_of(exact_errors_); }

Result<Definition> Advisor::definition_of(const AdviceRequirement& requirement) const {
  FUGU_ASSIGN(const Epsilon epsilon, Epsilon::make(requirement.epsilon));
  return Definition::make({.protects = Protects::w_event,
                           .epsilon = epsilon,
                           .delta = options_.delta,
                           .window_slots = requirement.window_slots});
}

Result<Mechanism> Advisor::mechanism_of(const Candidate& candidate, const AdviceRequirement& requirement) const {
  FUGU_ASSIGN(Definition definition, definition_of(requirement));
  FUGU_ASSIGN(auto strategy, candidate.strategy->make({.window_slots = requirement.window_slots,
                                                       .every_slots = candidate.every_slots,
                                                       .delta = options_.delta}));
  return Mechanism{std::move(definition), *exposure_, noise_for(options_.delta), std::move(strategy)};
}

template <class Take>
Result<void> Advisor::simulate(const Candidate& candidate, const AdviceRequirement& requirement, std::size_t stream,
                               std::uint64_t run, const Take& take) const {
  FUGU_ASSIGN(Mechanism mechanism, mechanism_of(candidate, requirement));
  // Neither ε nor w nor K: what is compared shares its random numbers.
  const std::string_view name = candidate.strategy->name;
  const std::uint64_t seed = XXH3_64bits_withSeed(name.data(), name.size(), options_.seed);
  Simulation simulation(std::move(mechanism), std::make_unique<SimulationNoise>(seed, stream * kRunsInAll + run));
  std::size_t i = 0;
  for (const SlotRow& row : streams_[stream].rows()) {
    FUGU_ASSIGN(const Release* release, simulation.step(row));
    for (const ReleasedValue& value : release->values()) take(i++, value);
  }
  return {};
}

Result<Advisor::Outcome> Advisor::run(const Candidate& candidate, const AdviceRequirement& requirement,
                                      std::size_t stream_index, std::uint64_t run) const {
  const PreparedStream& stream = streams_[stream_index];
  const double step = stream.unit_step().to_double();
  const std::span<const double> truth = stream.truth();
  std::vector<double> released(truth.size());
  std::vector<double> latest(stream.series(), 0.0);  // truth of the latest sample; 0 is released before the first
  Outcome outcome;
  FUGU_TRY(simulate(candidate, requirement, stream_index, run, [&](std::size_t i, const ReleasedValue& value) {
    const std::size_t series = i % latest.size();
    released[i] = value.known ? static_cast<double>(value.value.steps) * step : 0.0;
    outcome.sampled_share += value.sampled ? 1 : 0;
    if (std::isnan(truth[i])) return;
    if (value.sampled) latest[series] = truth[i];
    outcome.noise_part += std::abs(released[i] - latest[series]);
    outcome.staleness_part += std::abs(latest[series] - truth[i]);
  }));
  outcome.sampled_share /= static_cast<double>(truth.size());
  outcome.noise_part /= static_cast<double>(stream.present());
  outcome.staleness_part /= static_cast<double>(stream.present());
  outcome.error = error_of(stream, released);
  return outcome;
}

Result<double> Advisor::expected_error(const Candidate& candidate, const AdviceRequirement& requirement,
                                       std::size_t stream_index) const {
  const PreparedStream& stream = streams_[stream_index];
  const double step = stream.unit_step().to_double();
  const std::span<const double> truth = stream.truth();
  std::vector<double> latest(stream.series(), 0.0);
  ExpectedMagnitudes magnitudes;
  Errors errors(stream);
  double variance = 0;
  std::optional<Rational> parameter;
  // One run tells when there is a release and with which noise; what the noise came out as is not used.
  FUGU_TRY(simulate(candidate, requirement, stream_index, 0, [&](std::size_t i, const ReleasedValue& value) {
    if (std::isnan(truth[i])) return;
    const std::size_t series = i % latest.size();
    if (value.sampled) latest[series] = truth[i];
    const double moved = latest[series] - truth[i];
    if (!value.known) return errors.add(i, std::abs(moved), moved * moved);
    const NoiseLaw law{value.value.noise, value.value.parameter};
    if (!parameter || !(*parameter == law.parameter)) variance = law.variance();
    parameter = law.parameter;
    errors.add(i, magnitudes.around(law, std::llround(moved / step)) * step, variance * step * step + moved * moved);
  }));
  return errors.value(options_.metric);
}

Result<Advisor::StreamErrors> Advisor::errors_by_stream(const Candidate& candidate,
                                                        const AdviceRequirement& requirement,
                                                        std::uint64_t runs) const {
  StreamErrors errors;
  for (std::size_t stream = 0; stream < streams_.size(); ++stream) {
    if (has_closed_form() && candidate.keeps_a_schedule()) {
      FUGU_ASSIGN(const double expected, expected_error(candidate, requirement, stream));
      errors.means.push_back(expected);
      continue;
    }
    double sum = 0;
    for (std::uint64_t i = 0; i < runs; ++i) {
      FUGU_ASSIGN(const Outcome outcome, run(candidate, requirement, stream, i));
      sum += outcome.error;
      errors.runs_with_error += outcome.error != exact_errors_[stream] ? 1 : 0;
    }
    errors.runs += runs;
    errors.means.push_back(sum / static_cast<double>(runs));
  }
  return errors;
}

Result<Prediction> Advisor::predict(const Candidate& candidate, const AdviceRequirement& requirement) const {
  Prediction prediction{.label = candidate.label(),
                        .strategy = candidate.strategy,
                        .every_slots = candidate.every_slots,
                        .closed_form = has_closed_form() && candidate.keeps_a_schedule()};
  std::vector<double> errors;
  double sampled_share = 0;
  for (std::size_t stream = 0; stream < streams_.size(); ++stream) {
    for (std::uint64_t i = 0; i < runs_; ++i) {
      FUGU_ASSIGN(const Outcome outcome, run(candidate, requirement, stream, i));
      errors.push_back(outcome.error);
      prediction.runs_with_error += outcome.error != exact_errors_[stream] ? 1 : 0;
      prediction.noise_part += outcome.noise_part;
      prediction.staleness_part += outcome.staleness_part;
      sampled_share += outcome.sampled_share;
    }
    prediction.by_stream.push_back(mean_of(std::span(errors).last(runs_)));
  }
  const auto count = static_cast<double>(errors.size());
  prediction.noise_part /= count;
  prediction.staleness_part /= count;
  const auto window = std::min<std::uint64_t>(requirement.window_slots, streams_.front().slots());
  prediction.samples_per_window = sampled_share / count * static_cast<double>(window);
  prediction.spread = deviation_of(errors);
  prediction.runs = errors.size();
  if (prediction.closed_form) {
    FUGU_ASSIGN(const StreamErrors expected, errors_by_stream(candidate, requirement, runs_));
    prediction.by_stream = expected.means;
    prediction.runs = prediction.runs_with_error = 0;
  }
  prediction.unseen_error = unseen_error(prediction.runs, prediction.runs_with_error);
  prediction.error = mean_of(prediction.by_stream);
  const auto streams = static_cast<double>(streams_.size());
  prediction.standard_error = streams_.size() > 1      ? deviation_of(prediction.by_stream) / std::sqrt(streams)
                              : prediction.closed_form ? 0
                                                       : prediction.spread / std::sqrt(count);
  return prediction;
}

Prediction Advisor::yardstick(Yardstick yardstick) const {
  Prediction prediction{.label = std::string(name_of(yardstick))};
  for (const PreparedStream& stream : streams_) {
    std::vector<double> released(stream.truth().size());
    for (std::size_t i = 0; i < released.size(); ++i) released[i] = constant_of(yardstick, stream, i % stream.series());
    prediction.by_stream.push_back(error_of(stream, released));
  }
  prediction.error = mean_of(prediction.by_stream);
  prediction.spread = deviation_of(prediction.by_stream);
  prediction.standard_error = prediction.spread / std::sqrt(static_cast<double>(streams_.size()));
  return prediction;
}

std::vector<const StrategyKind*> Advisor::strategies() const {
  std::vector<const StrategyKind*> fit;
  for (const StrategyKind& kind : strategy_kinds()) {
    if (serves(kind, Serves::windows)) fit.push_back(&kind);
  }
  return fit;
}

Result<std::optional<Advisor::Candidate>> Advisor::best_of(const StrategyKind& strategy,
                                                           const AdviceRequirement& requirement) const {
  if (strategy.name != "hybrid") return std::optional(Candidate{.strategy = &strategy});
  const std::uint64_t runs = std::max<std::uint64_t>(1, runs_ / kRunsShareForK);
  std::optional<Candidate> best;
  double least = kInfinite;
  for (const std::uint64_t k : hybrid_steps(requirement.window_slots, streams_.front().slots())) {
    const Candidate candidate{.strategy = &strategy, .every_slots = k};
    FUGU_ASSIGN(const StreamErrors errors, errors_by_stream(candidate, requirement, runs));
    const double error = mean_of(errors.means);
    if (best && !(error < least)) continue;
    best = candidate;
    least = error;
  }
  return best;
}

Result<Advice> Advisor::rank(const AdviceRequirement& requirement) const {
  FUGU_TRY(definition_of(requirement));
  Advice advice{.requirement = requirement, .ranked = {}};
  for (const StrategyKind* strategy : strategies()) {
    const auto cannot = [&](const Error& why) {
      Prediction none{.label = std::string(strategy->name), .strategy = strategy, .error = kInfinite};
      none.cannot_run = why.message;
      advice.ranked.push_back(std::move(none));
    };
    auto candidate = best_of(*strategy, requirement);
    if (!candidate) {
      cannot(candidate.error());
      continue;
    }
    if (!*candidate) continue;
    auto prediction = predict(**candidate, requirement);
    if (!prediction) {
      cannot(prediction.error());
      continue;
    }
    advice.ranked.push_back(*std::move(prediction));
  }
  for (const Yardstick each : kYardsticks) advice.ranked.push_back(yardstick(each));
  std::ranges::stable_sort(advice.ranked, {}, &Prediction::error);
  return advice;
}

Advisor::ErrorAt Advisor::error_at(const StrategyKind& strategy, const AdviceRequirement& requirement) const {
  const auto candidate = best_of(strategy, requirement);
  if (!candidate || !*candidate) return {kInfinite};
  const auto errors = errors_by_stream(**candidate, requirement, runs_);
  if (!errors) return {kInfinite};
  return {mean_of(errors->means), unseen_error(errors->runs, errors->runs_with_error)};
}

double Advisor::unseen_error(std::uint64_t runs, std::uint64_t runs_with_error) const {
  if (runs_with_error >= std::min(runs, kRunsThatTell)) return 0;
  double not_looking = kInfinite;
  for (const Yardstick each : kYardsticks) not_looking = std::min(not_looking, yardstick(each).error);
  // What can go wrong by itself: a value, where values are counted, or a whole run.
  const std::uint64_t chances = runs * (has_closed_form() ? streams_.front().present() : 1);
  const double share = std::min(1.0, static_cast<double>(kRunsThatTell) / static_cast<double>(chances));
  return (options_.metric == AdviceMetric::rmse ? std::sqrt(share) : share) * not_looking;
}

namespace {

/// Moves `kept`, which reaches the target with the error `found`, as far towards `end` as it still does. `halfway` lies
/// between what does and what does not, and is nothing once they are close enough.
template <class Value, class Halfway, class ErrorWith, class ErrorAt>
void go_towards(Value end, Halfway halfway, ErrorWith error_with, double target, Value& kept, ErrorAt& found) {
  const auto keeps = [&](Value value) {
    const ErrorAt there = error_with(value);
    if (!there.reaches(target)) return false;
    kept = value;
    found = there;
    return true;
  };
  if (keeps(end)) return;
  while (const auto middle = halfway(kept, end)) {
    if (!keeps(*middle)) end = *middle;
  }
}

}  // namespace

Result<TargetSolution> Advisor::solve_epsilon(double target, std::uint64_t window_slots) const {
  FUGU_TRY(definition_of({.epsilon = kEpsilonMost, .window_slots = window_slots}));
  TargetSolution solution{.requirement = {.epsilon = kEpsilonMost, .window_slots = window_slots}, .closest = kInfinite};
  for (const StrategyKind* strategy : strategies()) {
    const auto with = [&](double epsilon) { return error_at(*strategy, {epsilon, window_slots}); };
    const auto halfway = [](double reaches, double fails) {
      return reaches / fails > kEpsilonTolerance ? std::optional(std::sqrt(reaches * fails)) : std::nullopt;
    };
    // Only who does better than the best so far is looked at closely.
    double enough = solution.reached ? solution.requirement.epsilon / kEpsilonTolerance : kEpsilonMost;
    if (enough < kEpsilonLeast) break;
    ErrorAt found = with(enough);
    if (found.unseen == 0) solution.closest = std::min(solution.closest, found.error);
    if (!found.reaches(target)) continue;
    go_towards(kEpsilonLeast, halfway, with, target, enough, found);
    if (!found.surely_reaches(target)) {
      solution.too_rare_to_tell = strategy->name;
      continue;
    }
    solution.reached = true;
    solution.requirement.epsilon = rounded_up(enough);
    solution.label = strategy->name;
  }
  return solution;
}

Result<TargetSolution> Advisor::solve_window(double target, double epsilon) const {
  FUGU_TRY(definition_of({.epsilon = epsilon, .window_slots = 1}));
  const std::uint64_t most = streams_.front().slots();
  TargetSolution solution{.requirement = {.epsilon = epsilon, .window_slots = 0}, .closest = kInfinite};
  for (const StrategyKind* strategy : strategies()) {
    const auto with = [&](std::uint64_t window) { return error_at(*strategy, {epsilon, window}); };
    const auto halfway = [](std::uint64_t reaches, std::uint64_t fails) {
      return fails - reaches > 1 ? std::optional(reaches + (fails - reaches) / 2) : std::nullopt;
    };
    std::uint64_t kept = solution.requirement.window_slots + 1;
    if (kept > most) break;
    ErrorAt found = with(kept);
    if (found.unseen == 0) solution.closest = std::min(solution.closest, found.error);
    if (!found.reaches(target)) continue;
    go_towards(most, halfway, with, target, kept, found);
    if (!found.surely_reaches(target)) {
      solution.too_rare_to_tell = strategy->name;
      continue;
    }
    solution.reached = true;
    solution.requirement.window_slots = kept;
    solution.label = strategy->name;
  }
  return solution;
}

}  // namespace fugu
