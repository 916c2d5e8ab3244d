#include "fugu/study/zones.hpp"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>

#include "fugu/metric/truth.hpp"
#include "fugu/simulate/households.hpp"
#include "fugu/stream/location.hpp"
#include "fugu/stream/stream_reader.hpp"

namespace fugu {

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr const char* kFile = "gefcom2012/load_kw.csv.gz";
constexpr std::int64_t kRealDays = 1650;  // 2004-01-01 … 2008-07-07
constexpr std::int64_t kHoursPerDay = 24;
constexpr std::size_t kQuarters = 4;

/// Mean load in kW of the real zones.
constexpr std::array<double, kZones> kMeanKw = {
    18'686.2,  173'908.1, 187'647.2, 499.9,    7'799.9,  181'707.2, 187'647.2, 3'746.1,   67'613.4, 32'612.5,
    108'167.2, 133'546.9, 19'701.2,  20'924.0, 62'428.4, 29'350.5,  32'938.0,  214'219.6, 78'503.4, 88'778.1};

std::string zone_name(std::size_t zone) { return "zone" + std::to_string(zone + 1); }

/// Where each zone is among the columns.
Result<std::array<std::size_t, kZones>> columns_of(const std::string& file, const std::vector<std::string>& series) {
  std::array<std::size_t, kZones> columns{};
  for (std::size_t zone = 0; zone < kZones; ++zone) {
    const std::string name = zone_name(zone) + "_kw";
    const auto found = std::find(series.begin(), series.end(), name);
    if (found == series.end())
      return found_but_expected({file, 1, 0}, "no column " + name, "timestamp,zone1_kw … zone20_kw: all twenty zones");
    columns[zone] = static_cast<std::size_t>(found - series.begin());
  }
  return columns;
}

/// A zone without any value cannot be what was meant.
Result<void> check_present(const ZoneSet& set, const std::string& file) {
  for (const Zone& zone : set.zones) {
    if (zone.present() == 0)
      return found_but_expected({file, 0, 0}, "no value in the column " + zone.name + "_kw", "load in kW");
  }
  return {};
}

ZoneSet empty_set(std::string source, bool simulated) {
  ZoneSet set{.zones = {}, .slot_min = 60, .source = std::move(source), .simulated = simulated};
  for (std::size_t zone = 0; zone < kZones; ++zone) set.zones.push_back({zone_name(zone), {}});
  return set;
}

}  // namespace

std::size_t Zone::present() const {
  return static_cast<std::size_t>(std::ranges::count_if(kw, [](double value) { return !std::isnan(value); }));
}

double Zone::mean_kw() const {
  double sum = 0;
  for (const double value : kw) sum += std::isnan(value) ? 0 : value;
  return sum / static_cast<double>(std::max<std::size_t>(1, present()));
}

std::size_t Zone::zeros() const { return static_cast<std::size_t>(std::ranges::count(kw, 0.0)); }

std::uint64_t Zone::digest() const { return XXH3_64bits(kw.data(), kw.size() * sizeof(double)); }

std::vector<std::int64_t> Zone::watts() const {
  std::vector<std::int64_t> steps;
  steps.reserve(kw.size());
  for (const double value : kw) steps.push_back(std::isnan(value) ? kMissingSteps : std::llround(value * 1000));
  return steps;
}

std::vector<std::size_t> ZoneSet::by_mean() const {
  std::vector<std::size_t> order(zones.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t zone) { return zones[zone].mean_kw(); });
  return order;
}

Result<ZoneSet> read_zones(const std::string& data_folder) {
  const std::string file = (std::filesystem::path(data_folder) / kFile).string();
  auto input = Input::open(file);
  if (!input)
    return Error{Cause::bad_input, file + ": found no load of zones (" + input.error().message +
                                       "); expected a data folder with " + kFile + ", or no --data to simulate zones"};
  FUGU_ASSIGN(
      StreamReader reader,
      StreamReader::open(
          *std::move(input),
          {.unit_step = {}, .slot_s = 3600, .origin = {}, .default_utc_offset_s = 0, .time_column = "timestamp"}));
  FUGU_ASSIGN(const auto columns, columns_of(file, reader.series()));
  TruthStream truth(reader, UnitStep().to_rational());
  ZoneSet set = empty_set("GEFCom 2012", false);
  TruthRow row;
  while (true) {
    FUGU_ASSIGN(const bool more, truth.next(row));
    if (!more) break;
    for (std::size_t zone = 0; zone < kZones; ++zone)
      set.zones[zone].kw.push_back(row.values[columns[zone]].value_or(kMissing));
  }
  FUGU_TRY(check_present(set, file));
  return set;
}

Result<ZoneSet> simulate_zones(const ZoneOptions& options) {
  if (options.households_per_zone < 1) return Error{Cause::usage, "households per zone: expected at least 1"};
  const std::int64_t days = options.days == 0 ? kRealDays : options.days;
  FUGU_ASSIGN(Neighbourhood street, Neighbourhood::make({.households = options.households_per_zone * kZones,
                                                         .days = days,
                                                         .slot_min = 60,
                                                         .first_day = kZonesFirstDay,
                                                         .seed = options.seed,
                                                         .threads = options.threads},
                                                        HouseholdParameters::shipped()));
  ZoneSet set = empty_set("simulated households", true);
  for (Zone& zone : set.zones) zone.kw.reserve(static_cast<std::size_t>(days * kHoursPerDay));
  while (street.next_day()) {
    for (std::size_t zone = 0; zone < kZones; ++zone) {
      std::array<std::int64_t, kHoursPerDay> sums_w{};
      for (std::size_t i = 0; i < options.households_per_zone; ++i) {
        const auto watts = street.watts(zone * options.households_per_zone + i);
        for (std::size_t hour = 0; hour < sums_w.size(); ++hour) sums_w[hour] += watts[hour];
      }
      for (const std::int64_t sum : sums_w) set.zones[zone].kw.push_back(static_cast<double>(sum) / 1000);
    }
  }
  for (std::size_t zone = 0; zone < kZones; ++zone) {
    const double factor = kMeanKw[zone] / set.zones[zone].mean_kw();
    for (double& value : set.zones[zone].kw) value = std::round(value * factor);
  }
  return set;
}

ZoneSet to_quarter_hours(const ZoneSet& hourly) {
  FUGU_CHECK(hourly.slot_min == 60);
  ZoneSet set{
      .zones = hourly.zones, .slot_min = 60 / kQuarters, .source = hourly.source, .simulated = hourly.simulated};
  for (Zone& zone : set.zones) {
    const std::vector<double> hours = std::move(zone.kw);
    zone.kw.assign(hours.size() * kQuarters, kMissing);
    for (std::size_t hour = 0; hour < hours.size(); ++hour) {
      const double here = hours[hour];
      const double next = hour + 1 < hours.size() ? hours[hour + 1] : kMissing;
      zone.kw[hour * kQuarters] = here;
      for (std::size_t quarter = 1; quarter < kQuarters; ++quarter)  // missing when one of the two is
        zone.kw[hour * kQuarters + quarter] = here + (next - here) * static_cast<double>(quarter) / kQuarters;
    }
  }
  return set;
}

Result<ZoneSet> make_zones(const ZoneOptions& options) {
  if (options.days < 0) return Error{Cause::usage, "days: expected at least 1"};
  FUGU_ASSIGN(ZoneSet hourly, options.data_folder.empty() ? simulate_zones(options) : read_zones(options.data_folder));
  ZoneSet set = to_quarter_hours(hourly);
  const auto wanted = static_cast<std::size_t>(options.days * kHoursPerDay) * kQuarters;
  if (wanted > set.slots())
    return Error{Cause::usage, "days: expected at most " + std::to_string(set.slots() / (kHoursPerDay * kQuarters)) +
                                   ", which is what the zones have"};
  for (Zone& zone : set.zones) {
    if (options.days > 0) zone.kw.resize(wanted);
    if (zone.present() == 0)
      return Error{Cause::bad_input, zone.name + " has no value within the days of the study: choose more days"};
  }
  return set;
}

}  // namespace fugu
