#include "fugu/simulate/household_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "fugu/metric/truth.hpp"
#include "fugu/stream/stream_reader.hpp"

namespace fugu {

namespace {

constexpr std::size_t kNightFrom = 2;
constexpr std::size_t kNightTo = 5;
constexpr std::int64_t kHour_s = 3600;

/// Where recorded households lie in a data folder.
struct Recorded {
  const char* name;
  const char* file;
  std::int64_t slot_s;
  std::int64_t origin_s;  ///< midnight of the first day
  double kw_per_unit;
  bool (*is_household)(std::string_view series);
};

/// Four of Fontana's loads are exactly 0 in 11 to 52 % of all hours: clipped, not measured.
bool is_measured_in_fontana(std::string_view series) {
  return series != "b07_kwh" && series != "b12_kwh" && series != "b14_kwh" && series != "b15_kwh";
}
bool is_any(std::string_view) { return true; }
bool is_load_of_ausgrid(std::string_view series) { return series == "gc_load_kw"; }
bool is_total_of_sceaux(std::string_view series) { return series == "total_kwh"; }

constexpr Recorded kRecorded[] = {
    {"SGSC Newcastle", "sgsc_newcastle/load_kwh_10.csv.gz", 1800, 1'328'832'000, 2, is_any},  // 2012-02-10
    {"CityLearn Fontana", "citylearn_fontana/load_kwh_17.csv.gz", kHour_s, 1'469'923'200, 1,
     is_measured_in_fontana},  // 2016-07-31
    {"Ausgrid customer 12", "ausgrid_customer12/load_pv_kw.csv.gz", 1800, 1'309'478'400, 1,
     is_load_of_ausgrid},                                                                            // 2011-07-01
    {"UCI Sceaux", "uci_household/load_kwh.csv.gz", kHour_s, 1'166'227'200, 1, is_total_of_sceaux},  // 2006-12-16
};

std::string path_of(const Recorded& recorded, const std::string& data_folder) {
  return (std::filesystem::path(data_folder) / recorded.file).string();
}

/// Collects the slots of one series into days of hours. An hour with a slot missing is missing.
class Hours {
 public:
  explicit Hours(const Recorded& recorded)
      : slots_per_hour_(static_cast<std::size_t>(kHour_s / recorded.slot_s)),
        factor_(recorded.kw_per_unit / static_cast<double>(slots_per_hour_)) {}

  void add(const std::optional<double>& value) {
    hours_kw_[next_slot_ / slots_per_hour_] += value ? *value * factor_ : std::nan("");
    if (++next_slot_ == kDayHours * slots_per_hour_) end_day();
  }
  LoadStatistics take() {
    while (next_slot_ > 0) add(std::nullopt);
    return load_;
  }

 private:
  void end_day() {
    load_.add_day(hours_kw_);
    hours_kw_ = {};
    next_slot_ = 0;
  }
  std::size_t slots_per_hour_;
  double factor_;
  std::array<double, kDayHours> hours_kw_ = {};
  std::size_t next_slot_ = 0;
  LoadStatistics load_;
};

Result<HouseholdSet> read_set(const Recorded& recorded, const std::string& data_folder) {
  FUGU_ASSIGN(Input input, Input::open(path_of(recorded, data_folder)));
  FUGU_ASSIGN(const UnitStep unit_step, UnitStep::parse("0.00001"));
  FUGU_ASSIGN(StreamReader reader, StreamReader::open(std::move(input), {.unit_step = unit_step,
                                                                         .slot_s = recorded.slot_s,
                                                                         .origin = Stamp{recorded.origin_s, 0},
                                                                         .default_utc_offset_s = 0,
                                                                         .time_column = "timestamp"}));
  TruthStream truth(reader, unit_step.to_rational());
  std::vector<Hours> series(truth.series().size(), Hours(recorded));
  TruthRow row;
  while (true) {
    FUGU_ASSIGN(const bool more, truth.next(row));
    if (!more) break;
    for (std::size_t i = 0; i < series.size(); ++i) series[i].add(row.values[i]);
  }
  std::vector<HouseholdFigures> households;
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (!recorded.is_household(truth.series()[i])) continue;
    const HouseholdFigures figures = series[i].take().figures();
    if (!std::isnan(figures.mean_kw)) households.push_back(figures);
  }
  if (households.empty())
    return Error{Cause::bad_input, path_of(recorded, data_folder) + ": found no load of a household; expected some"};
  return HouseholdSet{recorded.name, households.size(), median_figures(households)};
}

}  // namespace

void LoadStatistics::Sequence::add(double value) {
  const bool is_there = !std::isnan(value);
  if (is_there) {
    count += 1;
    sum += value;
    squares += value * value;
    if (has_last) {
      pairs += 1;
      firsts += last;
      seconds += value;
      products += last * value;
    }
  }
  last = value;
  has_last = is_there;
}

double LoadStatistics::Sequence::autocorrelation() const {
  const double covariance = products / pairs - mean() * (firsts + seconds) / pairs + mean() * mean();
  return covariance / variance();
}

void LoadStatistics::add_day(std::span<const double, kDayHours> hours_kw) {
  for (std::size_t hour = 0; hour < kDayHours; ++hour) {
    const double kw = hours_kw[hour];
    hours_.add(kw);
    if (std::isnan(kw)) continue;
    hour_sums_[hour] += kw;
    hour_counts_[hour] += 1;
  }
  days_.add(std::accumulate(hours_kw.begin(), hours_kw.end(), 0.0));  // NaN when an hour is missing
}

HouseholdFigures LoadStatistics::figures() const {
  std::array<double, kDayHours> mean_day_kw;
  for (std::size_t hour = 0; hour < kDayHours; ++hour) mean_day_kw[hour] = hour_sums_[hour] / hour_counts_[hour];
  const double mean_kw = std::accumulate(mean_day_kw.begin(), mean_day_kw.end(), 0.0) / kDayHours;
  const double night_kw = std::accumulate(mean_day_kw.begin() + kNightFrom, mean_day_kw.begin() + kNightTo, 0.0) /
                          static_cast<double>(kNightTo - kNightFrom);
  return {.mean_kw = hours_.mean(),
          .night_share = night_kw / mean_kw,
          .hour_to_hour = hours_.autocorrelation(),
          .day_to_day = days_.autocorrelation(),
          .hour_spread = std::sqrt(hours_.variance()) / hours_.mean(),
          .day_spread = std::sqrt(days_.variance()) / days_.mean(),
          .peak_share = *std::max_element(mean_day_kw.begin(), mean_day_kw.end()) / mean_kw};
}

HouseholdFigures median_figures(std::span<const HouseholdFigures> households) {
  HouseholdFigures median;
  for (const HouseholdFigure& figure : kHouseholdFigures) {
    std::vector<double> values;
    for (const HouseholdFigures& household : households) {
      if (!std::isnan(household.*figure.value)) values.push_back(household.*figure.value);
    }
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    median.*figure.value = values.empty()           ? std::nan("")
                           : values.size() % 2 == 1 ? values[half]
                                                    : (values[half - 1] + values[half]) / 2;
  }
  return median;
}

Result<std::vector<HouseholdSet>> read_household_sets(const std::string& data_folder) {
  std::vector<HouseholdSet> sets;
  std::string known;
  for (const Recorded& recorded : kRecorded) {
    known.append(known.empty() ? "" : ", ").append(recorded.file);
    if (!std::filesystem::exists(path_of(recorded, data_folder))) continue;
    FUGU_ASSIGN(HouseholdSet set, read_set(recorded, data_folder));
    sets.push_back(std::move(set));
  }
  if (sets.empty())
    return Error{Cause::bad_input, data_folder + ": found no recorded households; expected one of " + known};
  return sets;
}

}  // namespace fugu
