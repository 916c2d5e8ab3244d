#include "fugu/study/daily_loads.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "fugu/distributional/reference_law.hpp"
#include "fugu/estimation/similarity.hpp"
#include "fugu/metric/truth.hpp"
#include "fugu/simulate/seeded_bits.hpp"
#include "fugu/stream/stream_reader.hpp"

namespace fugu {

namespace {

constexpr const char* kFile = "sgsc_newcastle/load_kwh_10.csv.gz";
constexpr std::int64_t kSlotSeconds = 1800;
constexpr std::size_t kNoon = 24;

/// The normal scores of `count` ordered values.
std::vector<double> normal_scores(std::size_t count) {
  std::vector<double> scores;
  for (std::size_t i = 0; i < count; ++i)
    scores.push_back(-normal_upper_quantile((static_cast<double>(i) + 0.5) / static_cast<double>(count)));
  return scores;
}

struct Normal {
  double weight = 1, mean = 0, sd = 1;

  double density(double x) const {
    const double z = (x - mean) / sd;
    return weight / sd * std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  }
};

/// A component of one value alone would have any density.
constexpr double kLeastSd = 0.1;

/// The normal law of values that count by their weights, of which there are `total` in all.
Normal fitted(std::span<const double> values, std::span<const double> weights, double total) {
  double count = 1e-9;
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    count += weights[i];
    sum += weights[i] * values[i];
  }
  const double mean = sum / count;
  for (std::size_t i = 0; i < values.size(); ++i) squares += weights[i] * (values[i] - mean) * (values[i] - mean);
  return {count / total, mean, std::max(kLeastSd, std::sqrt(squares / count))};
}

double log_likelihood(std::span<const double> values, std::span<const Normal> parts) {
  double sum = 0;
  for (const double value : values) {
    double density = 1e-300;
    for (const Normal& part : parts) density += part.density(value);
    sum += std::log(density);
  }
  return sum;
}

/// Two normal laws by expectation and maximisation, from the lower and the upper half on.
std::array<Normal, 2> fitted_pair(std::vector<double> values) {
  std::ranges::sort(values);
  const auto total = static_cast<double>(values.size());
  std::array<std::vector<double>, 2> weights;
  for (std::size_t i = 0; i < values.size(); ++i) {
    weights[0].push_back(2 * i < values.size() ? 1 : 0);
    weights[1].push_back(1 - weights[0].back());
  }
  std::array<Normal, 2> parts;
  constexpr int kRounds = 200;
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t part = 0; part < 2; ++part) parts[part] = fitted(values, weights[part], total);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double first = parts[0].density(values[i]) + 1e-300;
      weights[0][i] = first / (first + parts[1].density(values[i]) + 1e-300);
      weights[1][i] = 1 - weights[0][i];
    }
  }
  return parts;
}

}  // namespace

Result<std::vector<DailyLoad>> read_daily_loads(const std::string& data_folder) {
  const std::string file = (std::filesystem::path(data_folder) / kFile).string();
  auto input = Input::open(file);
  if (!input) {
    return Error{Cause::bad_input, file + ": found no load of households (" + input.error().message +
                                       "); expected a data folder with " + kFile + ", or no --data"};
  }
  FUGU_ASSIGN(const UnitStep watt_hours, UnitStep::parse("0.001"));
  FUGU_ASSIGN(StreamReader reader, StreamReader::open(*std::move(input), {.unit_step = watt_hours,
                                                                          .slot_s = kSlotSeconds,
                                                                          .origin = {},
                                                                          .default_utc_offset_s = 0,
                                                                          .time_column = "timestamp"}));
  TruthStream truth(reader, watt_hours.to_rational());
  // By household and half hour: the run of days so far, until it is long enough.
  std::vector<DailyLoad> runs;
  for (const std::string& household : reader.series()) {
    for (std::size_t half_hour = 0; half_hour < kHalfHours; ++half_hour) runs.push_back({household, half_hour, {}});
  }
  TruthRow row;
  while (true) {
    FUGU_ASSIGN(const bool more, truth.next(row));
    if (!more) break;
    const auto slot = static_cast<std::size_t>(reader.clock().origin_s() / kSlotSeconds + row.slot);
    for (std::size_t home = 0; home < reader.series().size(); ++home) {
      std::vector<double>& run = runs[home * kHalfHours + slot % kHalfHours].kwh;
      if (run.size() == kDailyLoadDays) continue;
      if (row.values[home]) {
        run.push_back(*row.values[home]);
      } else {
        run.clear();
      }
    }
  }
  std::erase_if(runs, [](const DailyLoad& run) { return run.kwh.size() < kDailyLoadDays; });
  if (runs.empty()) {
    return Error{Cause::bad_input, file + ": found no household with " + std::to_string(kDailyLoadDays) +
                                       " days in a row; expected at least one"};
  }
  return runs;
}

std::vector<DailyAutocorrelation> daily_autocorrelations(const std::vector<DailyLoad>& loads) {
  constexpr std::pair<std::size_t, const char*> kTimes[] = {{0, "midnight"}, {14, "7 am"}, {36, "6 pm"}};
  std::vector<DailyAutocorrelation> all;
  for (const DailyLoad& load : loads) {
    for (const auto& [half_hour, time] : kTimes) {
      if (load.half_hour != half_hour) continue;
      DailyAutocorrelation found{load.household, time, {}};
      const std::span<const double> values(load.kwh);
      for (std::size_t lag = 1; lag + kAutocorrelationPairs <= kDailyLoadDays; ++lag) {
        found.by_lag.push_back(
            pearson_correlation(values.subspan(0, kAutocorrelationPairs), values.subspan(lag, kAutocorrelationPairs)));
      }
      all.push_back(std::move(found));
    }
  }
  return all;
}

double share_outside_band(const std::vector<DailyAutocorrelation>& all) {
  const double band = 1.96 / std::sqrt(static_cast<double>(kAutocorrelationPairs));
  double outside = 0;
  double count = 0;
  for (const DailyAutocorrelation& one : all) {
    for (const double value : one.by_lag) {
      outside += std::fabs(value) > band ? 1 : 0;
      ++count;
    }
  }
  return outside / count;
}

double score_correlation(std::span<const double> values) {
  std::vector<double> ordered(values.begin(), values.end());
  std::ranges::sort(ordered);
  return pearson_correlation(ordered, normal_scores(ordered.size()));
}

double least_normal_score_correlation(std::size_t count, std::uint64_t seed) {
  constexpr std::size_t kDraws = 10'000;
  constexpr double kLevel = 0.05;
  SeededBits bits(seed);
  std::vector<double> found;
  std::vector<double> values(count);
  for (std::size_t draw = 0; draw < kDraws; ++draw) {
    for (double& value : values)
      value = normal_upper_quantile((static_cast<double>(bits.take64() >> 12) + 0.5) * 0x1p-52);
    found.push_back(score_correlation(values));
  }
  std::ranges::sort(found);
  return found[static_cast<std::size_t>(kLevel * kDraws)];
}

bool is_mixture(std::span<const double> kwh) {
  std::vector<double> logs;
  for (const double value : kwh) logs.push_back(std::log(std::max(0.001, value)));
  const std::vector<double> ones(logs.size(), 1);
  const auto count = static_cast<double>(logs.size());
  const std::array<Normal, 1> one = {fitted(logs, ones, count)};
  const std::array<Normal, 2> two = fitted_pair(logs);
  constexpr double kMoreParameters = 3;  // two parameters against five
  return 2 * (log_likelihood(logs, two) - log_likelihood(logs, one)) > kMoreParameters * std::log(count);
}

std::vector<LoadShape> load_shapes(const std::vector<DailyLoad>& loads, std::uint64_t seed) {
  const double least_normal = least_normal_score_correlation(kDailyLoadDays, seed);
  std::vector<LoadShape> shapes;
  for (const DailyLoad& load : loads) {
    if (shapes.empty() || shapes.back().household != load.household) shapes.push_back({.household = load.household});
    LoadShape& shape = shapes.back();
    const double correlation = score_correlation(load.kwh);
    ++shape.half_hours;
    shape.not_normal += correlation < least_normal ? 1 : 0;
    shape.mixtures += is_mixture(load.kwh) ? 1 : 0;
    shape.least = std::min(shape.least, correlation);
    shape.largest = std::max(shape.largest, correlation);
    if (load.half_hour == kNoon) shape.noon = correlation;
  }
  return shapes;
}

}  // namespace fugu
