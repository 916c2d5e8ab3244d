#include "fugu/study/distributional_study.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <ranges>

#include "fugu/distributional/state.hpp"
#include "fugu/estimation/similarity.hpp"
#include "fugu/simulate/seeded_bits.hpp"
#include "fugu/simulate/simulation_noise.hpp"
#include "fugu/study/result_file.hpp"

namespace fugu {

namespace {

/// See the header: fitted to three printed numbers.
struct Component {
  double weight, mu, sigma;
};
constexpr Component kComponents[] = {{0.8752613, -3.2309745, 0.6}, {0.1247387, -0.6965865, 0.7}};

constexpr ClampRange kClamp{0, ReadingMixture::kSteps};
/// So many quantiles stand for a law that is known.
constexpr std::size_t kKnown = 100'000;

/// The last columns of results.csv.
constexpr double DistributionalRow::* kMeasures[] = {
    &DistributionalRow::correlation, &DistributionalRow::sd_readings,     &DistributionalRow::sd_sent,
    &DistributionalRow::sd_expected, &DistributionalRow::mean_difference, &DistributionalRow::skewness,
    &DistributionalRow::kurtosis};

double normal_cdf(double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; }

double unit(BitSource& bits) { return static_cast<double>(bits.take64() >> 11) * 0x1p-53; }

double mixture_cdf(double x) {
  if (x <= 0) return 0;
  double sum = 0;
  for (const Component& part : kComponents) sum += part.weight * normal_cdf((std::log(x) - part.mu) / part.sigma);
  return sum;
}

struct Moments {
  double mean = 0, sd = 0, skewness = 0, kurtosis = 0;
};

Moments moments_of(const std::vector<double>& values) {
  Moments found;
  const auto count = static_cast<double>(values.size());
  for (const double value : values) found.mean += value / count;
  double third = 0;
  double fourth = 0;
  double variance = 0;
  for (const double value : values) {
    const double d = value - found.mean;
    variance += d * d / count;
    third += d * d * d / count;
    fourth += d * d * d * d / count;
  }
  found.sd = std::sqrt(variance);
  if (variance > 0) {
    found.skewness = third / (variance * found.sd);
    found.kurtosis = fourth / (variance * variance) - 3;
  }
  return found;
}

DistributionalPlan plan_of(const DistributionalCase& which) {
  DistributionalPlan plan{.form = which.form, .clamp = kClamp, .alpha = which.alpha, .sample = which.sample};
  if (which.form == DistributionalForm::bernoulli) return plan;
  plan.epsilon = 1;
  plan.spread_steps = std::llround(which.spread * ReadingMixture::kSteps);
  plan.half_width_steps =
      which.form == DistributionalForm::hidden ? hidden_half_width(plan.spread_steps) : 4 * plan.spread_steps;
  if (which.form == DistributionalForm::hidden) plan.delta = 1e-6;
  return plan;
}

std::vector<MeterProfile> profiles_of(const DistributionalStudyOptions& options, const DistributionalCase& which,
                                      const ReadingMixture& mixture) {
  if (which.form == DistributionalForm::bernoulli) return {};
  if (which.past_readings == 0) {
    return std::vector<MeterProfile>(options.meters, MeterProfile::learn(mixture.quantiles(kKnown), kClamp));
  }
  SeededBits bits(options.seed, 1);
  std::vector<MeterProfile> profiles;
  for (std::size_t meter = 0; meter < options.meters; ++meter) {
    std::vector<std::int64_t> past(which.past_readings);
    for (std::int64_t& value : past) value = mixture.draw(bits);
    profiles.push_back(MeterProfile::learn(std::move(past), kClamp));
  }
  return profiles;
}

double expected_sd(const DistributionalStudyOptions& options, const DistributionalTransform& transform,
                   const ReadingMixture& mixture) {
  const auto meters = static_cast<double>(options.meters);
  if (transform.plan().form == DistributionalForm::bernoulli)
    return std::sqrt(meters * mixture.mean() * (1 - mixture.mean()));
  double variance = 0;
  for (std::size_t meter = 0; meter < options.meters; ++meter)
    variance += transform.sd_steps(meter) * transform.sd_steps(meter);
  return std::sqrt(variance) / ReadingMixture::kSteps;
}

}  // namespace

ReadingMixture::ReadingMixture() {
  const double inside = mixture_cdf(1);
  double below = 0;
  double square = 0;
  for (std::int64_t step = 0; step <= kSteps; ++step) {
    const double value = static_cast<double>(step) / kSteps;
    const double up_to = std::min(1.0, mixture_cdf(std::min(1.0, value + 0.5 / kSteps)) / inside);
    probability_.push_back(up_to - below);
    cumulative_.push_back(up_to);
    mean_ += (up_to - below) * value;
    square += (up_to - below) * value * value;
    below = up_to;
  }
  sd_ = std::sqrt(square - mean_ * mean_);
}

std::int64_t ReadingMixture::draw(BitSource& bits) const {
  const auto found = std::upper_bound(cumulative_.begin(), cumulative_.end(), unit(bits));
  return std::min<std::int64_t>(found - cumulative_.begin(), kSteps);
}

std::vector<std::int64_t> ReadingMixture::quantiles(std::size_t count) const {
  std::vector<std::int64_t> values;
  values.reserve(count);
  std::int64_t step = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double rank = (static_cast<double>(i) + 0.5) / static_cast<double>(count);
    while (step < kSteps && cumulative_[static_cast<std::size_t>(step)] <= rank) ++step;
    values.push_back(step);
  }
  return values;
}

double ReadingMixture::score_correlation() const {
  // E[x·Z] summed by parts: the density of Z at the ranks between two values.
  double sum = 0;
  for (std::size_t step = 0; step + 1 < cumulative_.size(); ++step) {
    const double tail = 1 - cumulative_[step];
    if (!(tail > 0 && tail < 1)) continue;
    const double z = normal_upper_quantile(tail);
    sum += std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi) / kSteps;
  }
  return sum / sd_;
}

std::vector<DistributionalCase> distributional_cases() {
  using enum DistributionalForm;
  return {
      {"own law (eq. 8)", hidden, 0.2},
      {"Bernoulli (eq. 9)", bernoulli},
      {"capped at 0.2", capped, 0.2},
      {"capped at 0.3", capped, 0.3},
      {"own law, from 200 readings", hidden, 0.2, 2, 1, 200},
      {"own law, from 2000 readings", hidden, 0.2, 2, 1, 2000},
      {"capped at 0.2, from 2000", capped, 0.2, 2, 1, 2000},
      {"stable 1.5, scale 0.1", capped, 0.1, 1.5},
      {"Cauchy, scale 0.1", capped, 0.1, 1},
      {"capped at 0.2, half sampled", capped, 0.2, 2, 0.5},
  };
}

Result<DistributionalRow> run_distributional_case(const DistributionalStudyOptions& options,
                                                  const DistributionalCase& which) {
  const ReadingMixture mixture;
  FUGU_ASSIGN(const DistributionalTransform transform,
              DistributionalTransform::make(plan_of(which), profiles_of(options, which, mixture)));
  DistributionalRow row;
  SeededBits reading_bits(options.seed, 2);  // all cases see the same readings
  SeededBits sent_bits(options.seed, 3);
  for (std::size_t sample = 0; sample < options.samples; ++sample) {
    std::int64_t readings = 0;
    std::int64_t sent = 0;
    for (MeterId meter = 0; meter < options.meters; ++meter) {
      const std::int64_t reading = mixture.draw(reading_bits);
      readings += reading;
      sent += transform.of_reading(meter, reading, sent_bits);
    }
    row.readings.push_back(static_cast<double>(readings) / ReadingMixture::kSteps);
    row.sent.push_back(static_cast<double>(sent) / ReadingMixture::kSteps);
  }
  const Moments of_readings = moments_of(row.readings);
  const Moments of_sent = moments_of(row.sent);
  row.correlation = pearson_correlation(row.readings, row.sent);
  row.sd_readings = of_readings.sd;
  row.sd_sent = of_sent.sd;
  row.sd_expected = expected_sd(options, transform, mixture);
  row.mean_difference = of_sent.mean - of_readings.mean;
  row.skewness = of_sent.skewness;
  row.kurtosis = of_sent.kurtosis;
  return row;
}

std::string distributional_header() {
  return "case,form,spread,alpha,sample,past_readings,correlation,sd_readings,sd_sent,sd_expected,mean_difference,"
         "skewness,kurtosis";
}

std::string key_text(const DistributionalCase& which) {
  std::string name = which.name;
  std::erase(name, ',');
  std::string text = name.append(",").append(name_of(which.form));
  for (const double value : {which.spread, which.alpha, which.sample, static_cast<double>(which.past_readings)})
    text.append(",").append(result_number(value));
  return text;
}

std::string row_text(const DistributionalCase& which, const DistributionalRow& row) {
  std::string text = key_text(which);
  for (const auto measure : kMeasures) text.append(",").append(result_number(row.*measure));
  return text;
}

std::optional<DistributionalRow> parse_distributional_row(std::string_view text) {
  DistributionalRow row;
  for (const auto measure : kMeasures | std::views::reverse) {  // from the end: what comes before is the key
    const std::size_t comma = text.rfind(',');
    if (comma == std::string_view::npos || !parse_result_number(text.substr(comma + 1), row.*measure))
      return std::nullopt;
    text = text.substr(0, comma);
  }
  return row;
}

namespace {

/// One of the two households.
struct Suspect {
  DistributionalTransform transform;
  const std::vector<std::int64_t>* readings;
};

double watched(const LongWatch& watch, const Suspect& suspect, const ParameterNoise& laws, ConstantsRule rule,
               std::uint64_t seed) {
  SeededBits bits(seed, 1);
  SimulationNoise noise(seed, 2);
  SeriesConstants drawn = rule == ConstantsRule::none ? SeriesConstants{} : laws.draw(noise);
  double sum = 0;
  double squares = 0;
  for (int slot = 0; slot < watch.slots; ++slot) {
    if (rule == ConstantsRule::redrawn) drawn = laws.draw(noise);
    const std::int64_t reading = (*suspect.readings)[uniform_below(bits, suspect.readings->size())];
    const auto released = static_cast<double>(suspect.transform.of_reading(0, reading, bits) +
                                              slot_noise(drawn, noise) + noise.laplace(watch.slot_scale));
    sum += released;
    squares += released * released;
  }
  const double mean = sum / watch.slots;
  return watch.statistic == LongWatch::Statistic::mean ? mean : squares / watch.slots - mean * mean;
}

}  // namespace

Result<double> advantage(const LongWatch& watch, ConstantsRule rule) {
  FUGU_ASSIGN(const ParameterNoise laws, ParameterNoise::make(watch.plan, 1));
  const auto suspect_of = [&](const std::vector<std::int64_t>& readings) -> Result<Suspect> {
    FUGU_ASSIGN(DistributionalTransform transform,
                DistributionalTransform::make(watch.plan, {MeterProfile::learn(readings, watch.plan.clamp)}));
    return Suspect{std::move(transform), &readings};
  };
  FUGU_ASSIGN(const Suspect first, suspect_of(watch.first));
  FUGU_ASSIGN(const Suspect second, suspect_of(watch.second));
  int difference = 0;
  for (int trial = 0; trial < watch.trials; ++trial) {
    const std::uint64_t seed = watch.seed * 1'000'003 + 2 * static_cast<std::uint64_t>(trial);
    if (watched(watch, first, laws, rule, seed) > watch.threshold) --difference;
    if (watched(watch, second, laws, rule, seed + 1) > watch.threshold) ++difference;
  }
  return static_cast<double>(difference) / watch.trials;
}

namespace {

constexpr int kHours = 24;

/// One of the two: what it reads in each hour, and what it sends of it.
struct HourlySuspect {
  std::vector<std::vector<std::int64_t>> by_hour;
  DistributionalTransform transform;
};

Result<HourlySuspect> hourly_suspect(const DistributionalPlan& plan,
                                     const std::vector<std::vector<std::int64_t>>& learned,
                                     std::vector<std::vector<std::int64_t>> by_hour) {
  std::vector<MeterProfile> profiles;
  std::vector<std::int64_t> all;
  for (const auto& values : learned) all.insert(all.end(), values.begin(), values.end());
  const MeterProfile whole = MeterProfile::learn(all, plan.clamp);
  if (plan.circumstances.none()) {
    profiles.push_back(whole);
  } else {
    for (const auto& values : learned) {
      const MeterProfile profile = MeterProfile::learn(values, plan.clamp);
      profiles.push_back(plan.one_level ? profile.at_level(whole.mean_steps(), whole.variance_steps()) : profile);
    }
  }
  FUGU_ASSIGN(DistributionalTransform transform, DistributionalTransform::make(plan, std::move(profiles)));
  return HourlySuspect{std::move(by_hour), std::move(transform)};
}

/// How much more the release looks like the household than like its twin; the overall level cancels out.
double resemblance(const HabitWatch& watch, const HourlySuspect& suspect, const ParameterNoise& laws, HabitRule rule,
                   const std::vector<double>& pattern, std::uint64_t seed) {
  SeededBits bits(seed, 1);
  SimulationNoise noise(seed, 2);
  const DistributionalPlan& plan = suspect.transform.plan();
  std::vector<SeriesConstants> drawn(plan.levels());
  if (rule != HabitRule::drifted) {
    for (SeriesConstants& constants : drawn) constants = laws.draw(noise);
  }
  double sum = 0;
  for (int day = 0; day < watch.days; ++day) {
    for (std::size_t hour = 0; hour < kHours; ++hour) {
      const std::size_t circumstance = plan.circumstances.none() ? 0 : hour;
      for (std::int64_t at_s = 0; at_s < 3600; at_s += watch.slot_s) {
        const std::vector<std::int64_t>& values = suspect.by_hour[hour];
        std::int64_t released = values[uniform_below(bits, values.size())];
        if (rule != HabitRule::readings)
          released = suspect.transform.of_reading(suspect.transform.law_of(0, circumstance), released, bits) +
                     slot_noise(drawn[plan.level_in(circumstance)], noise);
        sum += pattern[hour] * static_cast<double>(released + noise.laplace(watch.slot_scale));
      }
    }
  }
  return sum;
}

}  // namespace

Result<double> habit_advantage(const HabitWatch& watch, HabitRule rule) {
  std::vector<std::vector<std::int64_t>> later = watch.by_hour;
  std::rotate(later.begin(), later.begin() + kHours / 2, later.end());
  DistributionalPlan for_constants = watch.plan;
  if (rule == HabitRule::unshared) for_constants.circumstances = {};
  FUGU_ASSIGN(const ParameterNoise laws, ParameterNoise::make(for_constants, 1));
  std::vector<std::int64_t> at_any_hour;
  for (const auto& values : later) at_any_hour.insert(at_any_hour.end(), values.begin(), values.end());
  const std::vector<std::vector<std::int64_t>> before(kHours, at_any_hour);
  const bool drifted = rule == HabitRule::drifted;
  FUGU_ASSIGN(const HourlySuspect household,
              hourly_suspect(watch.plan, drifted ? before : watch.by_hour, watch.by_hour));
  FUGU_ASSIGN(const HourlySuspect twin, hourly_suspect(watch.plan, drifted ? before : later, later));
  std::vector<double> pattern(kHours);
  for (std::size_t hour = 0; hour < kHours; ++hour) {
    const auto mean = [](const std::vector<std::int64_t>& values) {
      double sum = 0;
      for (const std::int64_t value : values) sum += static_cast<double>(value);
      return sum / static_cast<double>(values.size());
    };
    pattern[hour] = mean(watch.by_hour[hour]) - mean(later[hour]);
  }
  int difference = 0;
  for (int trial = 0; trial < watch.trials; ++trial) {
    const std::uint64_t seed = watch.seed * 1'000'003 + 2 * static_cast<std::uint64_t>(trial);
    if (resemblance(watch, household, laws, rule, pattern, seed) > 0) ++difference;
    if (resemblance(watch, twin, laws, rule, pattern, seed + 1) > 0) --difference;
  }
  return static_cast<double>(difference) / watch.trials;
}

std::vector<std::vector<std::int64_t>> example_habits() {
  constexpr double kMeanSteps[kHours] = {45, 36, 32, 32, 32, 40,  81,  144, 108, 72,  63,  63,
                                         81, 72, 63, 68, 99, 171, 234, 252, 216, 162, 108, 63};
  constexpr double kSpread = 0.7;  // of the logarithm
  constexpr std::size_t kValues = 60;
  constexpr std::int64_t kLargestSteps = 1000;
  std::vector<std::vector<std::int64_t>> by_hour;
  for (const double mean : kMeanSteps) {
    std::vector<std::int64_t>& values = by_hour.emplace_back();
    for (std::size_t i = 0; i < kValues; ++i) {
      const double upper = 1 - (static_cast<double>(i) + 0.5) / kValues;
      const double reading = mean * std::exp(kSpread * normal_upper_quantile(upper) - kSpread * kSpread / 2);
      values.push_back(std::min<std::int64_t>(std::llround(reading), kLargestSteps));
    }
  }
  return by_hour;
}

double advantage_bound(double epsilon, double delta) {
  return (std::exp(epsilon) - 1 + 2 * delta) / (std::exp(epsilon) + 1);
}

Result<WatchCurve> watch_curve(const DistributionalStudyOptions& options) {
  LongWatch watch{.plan = {.form = DistributionalForm::capped,
                           .clamp = kClamp,
                           .epsilon = 1,
                           .spread_steps = 150,
                           .half_width_steps = 600},
                  .first = {0},
                  .second = {ReadingMixture::kSteps},
                  .slot_scale = {1200, 1},
                  .threshold = ReadingMixture::kSteps / 2.0,
                  .trials = 200,
                  .seed = options.seed};
  WatchCurve curve;
  curve.bound = advantage_bound(1, 0);
  for (const int slots : {1, 3, 10, 30, 100, 300, 1000, 3000}) {
    watch.slots = slots;
    curve.slots.push_back(slots);
    FUGU_ASSIGN(const double off, advantage(watch, ConstantsRule::none));
    FUGU_ASSIGN(const double once, advantage(watch, ConstantsRule::once));
    FUGU_ASSIGN(const double redrawn, advantage(watch, ConstantsRule::redrawn));
    curve.off.push_back(off);
    curve.once.push_back(once);
    curve.redrawn.push_back(redrawn);
  }
  return curve;
}

}  // namespace fugu
