#include "fugu/study/grid_loads.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <numeric>
#include <optional>
#include <utility>

#include "fugu/hosting/device.hpp"
#include "fugu/network/feeder.hpp"
#include "fugu/simulate/dice.hpp"
#include "fugu/simulate/households.hpp"
#include "fugu/stream/csv.hpp"
#include "fugu/stream/line_reader.hpp"
#include "fugu/stream/stamp.hpp"

namespace fugu {

namespace {

constexpr std::int64_t kMinutesPerDay = 1440;
constexpr std::size_t kDaysPerWeek = 7;
constexpr std::int64_t kDaysMax = 3660;
constexpr double kDaysPerYear = 365;

/// Seeds of what is drawn apart from each other.
constexpr std::uint64_t kSampleSeed = 0x73616d706c65;
constexpr std::uint64_t kHomeSeed = 0x686f6d65;
constexpr std::uint64_t kCarSeed = 0x636172;
constexpr std::uint64_t kBusinessSeed = 0x627573;
constexpr std::uint64_t kFactorSeed = 0x706661;

// Sources

bool is_any(std::string_view) { return true; }
/// Four of Fontana's loads are exactly 0 in 11 to 52 % of all hours: clipped, not measured.
bool is_measured_in_fontana(std::string_view column) {
  return column != "b07_kwh" && column != "b12_kwh" && column != "b14_kwh" && column != "b15_kwh";
}
bool is_active_power(std::string_view column) { return column.ends_with("_p_pu"); }

struct SourceRow {
  LoadSource source;
  std::string_view name;
  const char* file;
  const char* time_column;
  std::int64_t slot_min;
  double kw_per_unit;
  bool (*is_home)(std::string_view column);
};
constexpr std::array<SourceRow, 5> kSources = {{
    {LoadSource::simulated, "simulated", "", "", 0, 0, is_any},
    {LoadSource::citylearn, "citylearn", "citylearn_fontana/load_kwh_17.csv.gz", "timestamp", 60, 1,
     is_measured_in_fontana},
    {LoadSource::sgsc, "sgsc", "sgsc_newcastle/load_kwh_10.csv.gz", "timestamp", 30, 2, is_any},
    {LoadSource::ieee, "ieee", "lvgrid/ieee_eulv/profiles_1min_kw_100.csv.gz", "minute", 1, 1, is_any},
    {LoadSource::simbench, "simbench", "lvgrid/simbench_profiles_15min_pu.csv.gz", "timestamp", 15, 1, is_active_power},
}};
const SourceRow& row_of(LoadSource source) { return kSources[static_cast<std::size_t>(source)]; }

/// Recorded loads in slots of `slot_min`, from the first Monday on, in whole weeks; or one day of no known weekday.
struct Recording {
  std::vector<std::string> names = {};
  std::vector<std::vector<double>> kw = {};  ///< by home; NaN where it is missing

  std::size_t slots() const { return kw.front().size(); }
};

/// Slots from the first row of a file to the first Monday's midnight.
std::size_t slots_to_monday(Stamp first, std::int64_t slot_min) {
  constexpr std::int64_t kFirstMonday_s = 4 * 86'400;
  constexpr std::int64_t kWeek_s = 7 * 86'400;
  const std::int64_t since_s = ((first.instant_s - kFirstMonday_s) % kWeek_s + kWeek_s) % kWeek_s;
  return static_cast<std::size_t>((kWeek_s - since_s) % kWeek_s / (60 * slot_min));
}

/// Slots of another length: held constant in shorter ones, means in longer ones.
std::vector<double> in_slots_of(std::int64_t slot_min, std::int64_t recorded_min, const std::vector<double>& kw) {
  std::vector<double> result;
  if (recorded_min >= slot_min) {
    const auto times = static_cast<std::size_t>(recorded_min / slot_min);
    for (const double value : kw) result.insert(result.end(), times, value);
    return result;
  }
  const auto step = static_cast<std::size_t>(slot_min / recorded_min);
  for (std::size_t first = 0; first + step <= kw.size(); first += step) {
    const auto begin = kw.begin() + static_cast<std::ptrdiff_t>(first);
    result.push_back(std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(step), 0.0) /
                     static_cast<double>(step));
  }
  return result;
}

/// NaN for an empty cell.
Result<double> number(std::string_view field, const LineReader& lines, std::size_t column) {
  if (field.empty()) return std::nan("");
  double value = 0;
  const auto [end, fault] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (fault != std::errc() || end != field.data() + field.size() || !std::isfinite(value))
    return found_but_expected(lines.at(column), "no number", "a load, or an empty cell where it is missing");
  return value;
}

/// Reads a file of recorded loads, row after row. Times are those of the place, and those of SimBench say 2:00 twice
/// when summer time ends; so rows count, and only the first time is read.
class RecordedFile {
 public:
  RecordedFile(const SourceRow& source, LineReader lines) : source_(source), lines_(std::move(lines)) {}

  /// Every home from the first row on, as it was recorded.
  Result<Recording> read() {
    FUGU_TRY(read_header());
    while (true) {
      FUGU_ASSIGN(const auto line, lines_.next());
      if (!line) break;
      FUGU_TRY(read_row(*line));
    }
    return std::move(recording_);
  }
  /// None where rows have no date.
  const std::optional<Stamp>& first() const { return first_; }

 private:
  Result<void> read_header() {
    const std::string expected = std::string(source_.time_column) + " and homes";
    FUGU_ASSIGN(const std::string_view header, csv::read_header(lines_, expected));
    const auto fields = csv::split(header);
    fields_ = fields.size();
    for (std::size_t column = 1; column < fields.size(); ++column) {
      if (!source_.is_home(fields[column])) continue;
      columns_.push_back(column);
      recording_.names.emplace_back(fields[column].substr(0, fields[column].find('_')));
    }
    recording_.kw.resize(columns_.size());
    if (fields.front() != source_.time_column || columns_.empty())
      return found_but_expected(lines_.at(1), "another header", expected);
    return {};
  }
  Result<void> read_row(std::string_view line) {
    const auto fields = csv::split(line);
    if (fields.size() != fields_)
      return found_but_expected(lines_.at(1), csv::count_fields(fields.size()), csv::count_fields(fields_));
    Stamp stamp;
    if (recording_.slots() == 0 && parse_stamp(fields.front(), 0, stamp) == TimeFault::none) first_ = stamp;
    for (std::size_t home = 0; home < columns_.size(); ++home) {
      const std::string_view field = fields[columns_[home]];
      FUGU_ASSIGN(const double value, number(field, lines_, csv::column_of(field, line)));
      recording_.kw[home].push_back(value * source_.kw_per_unit);
    }
    return {};
  }

  const SourceRow& source_;
  LineReader lines_;
  std::size_t fields_ = 0;
  std::vector<std::size_t> columns_;
  std::optional<Stamp> first_;
  Recording recording_;
};

/// A gap takes the value of another week, so there has to be one.
Result<void> check_gaps_can_be_filled(const Recording& recording, std::size_t period, const std::string& file) {
  for (std::size_t home = 0; home < recording.kw.size(); ++home) {
    const std::vector<double>& kw = recording.kw[home];
    for (std::size_t first = 0; first < period; ++first) {
      std::size_t at = first;
      while (at < kw.size() && std::isnan(kw[at])) at += period;
      if (at < kw.size()) continue;
      return found_but_expected({file, 0, 0},
                                "a home without a value at some time of the week, " + shown_name(recording.names[home]),
                                "at least one week that has it; of a single day all values");
    }
  }
  return {};
}

Result<Recording> read_recording(const GridLoadOptions& options) {
  const SourceRow& source = row_of(options.source);
  const std::string path = (std::filesystem::path(options.data_folder) / source.file).string();
  auto input = Input::open(path);
  if (!input) {
    return Error{Cause::bad_input, path + ": found no recorded loads (" + input.error().message +
                                       "); expected a data folder with " + source.file};
  }
  RecordedFile file(source, LineReader(*std::move(input)));
  FUGU_ASSIGN(Recording recording, file.read());
  const auto day = static_cast<std::size_t>(kMinutesPerDay / source.slot_min);
  const std::size_t whole = file.first() ? kDaysPerWeek * day : day;
  const std::size_t skipped = file.first() ? slots_to_monday(*file.first(), source.slot_min) : 0;
  const std::size_t slots = recording.slots() < skipped ? 0 : (recording.slots() - skipped) / whole * whole;
  if (slots == 0)
    return found_but_expected({path, 0, 0}, "too few rows",
                              "a whole week from a Monday on, or a whole day without dates");
  for (auto& kw : recording.kw) {
    const auto begin = kw.begin() + static_cast<std::ptrdiff_t>(skipped);
    kw = in_slots_of(options.slot_min, source.slot_min, {begin, begin + static_cast<std::ptrdiff_t>(slots)});
  }
  const auto whole_min = static_cast<std::int64_t>(whole) * source.slot_min;
  FUGU_TRY(check_gaps_can_be_filled(recording, static_cast<std::size_t>(whole_min / options.slot_min), path));
  return recording;
}

// Customers

/// Everything that is drawn for one set of loads.
class Maker {
 public:
  Maker(const grid::Network& network, const GridLoadOptions& options)
      : network_(network),
        options_(options),
        slots_per_day_(static_cast<std::size_t>(kMinutesPerDay / options.slot_min)) {
    loads_.stamps = static_cast<std::size_t>(options.days) * slots_per_day_;
    loads_.customers = network.customers().size();
    loads_.slot_min = options.slot_min;
    loads_.p_kw.assign(loads_.stamps * loads_.customers, 0);
    loads_.q_kvar.assign(loads_.stamps * loads_.customers, 0);
    for (std::uint32_t i = 0; i < network.customers().size(); ++i) {
      if (network.customers()[i].kind == grid::CustomerKind::residential) residential_.push_back(i);
    }
  }

  Result<GridLoads> make() {
    if (options_.source == LoadSource::simulated) {
      FUGU_TRY(add_simulated());
    } else {
      FUGU_ASSIGN(const Recording recording, read_recording(options_));
      FUGU_TRY(add_recorded(recording));
    }
    for (std::size_t i = 0; i < loads_.customers; ++i) {
      if (network_.customers()[i].kind == grid::CustomerKind::industrial && !has_load(i)) add_business(i);
    }
    add_reactive();  // before cars: they draw none
    add_cars();
    round_and_bill();
    return std::move(loads_);
  }

 private:
  double& p_kw(std::size_t stamp, std::size_t customer) { return loads_.p_kw[stamp * loads_.customers + customer]; }
  double& q_kvar(std::size_t stamp, std::size_t customer) { return loads_.q_kvar[stamp * loads_.customers + customer]; }
  bool has_load(std::size_t customer) const { return has_profile_.size() > customer && has_profile_[customer]; }

  Result<void> add_simulated();
  Result<void> add_recorded(const Recording& recording);
  Result<void> add_homes(const Recording& recording, const std::vector<std::size_t>& homes);
  void add_recorded_to(std::size_t customer, const Recording& recording, std::size_t home, std::size_t week);
  void add_day_profiles(std::size_t customer, const Recording& recording, const std::vector<std::size_t>& homes,
                        std::size_t number);
  void add_business(std::size_t customer);
  void add_reactive();
  void add_cars();
  void round_and_bill();
  std::vector<std::size_t> homes_of_part(const std::vector<std::size_t>& homes) const;
  std::vector<std::size_t> shuffled(std::vector<std::size_t> items, std::uint64_t what) const;

  const grid::Network& network_;
  const GridLoadOptions& options_;
  std::size_t slots_per_day_;
  std::vector<std::uint32_t> residential_;
  std::vector<bool> has_profile_;  // by customer: businesses with a recorded load of their own
  GridLoads loads_;
};

Result<void> Maker::add_simulated() {
  if (residential_.empty()) return {};
  FUGU_ASSIGN(Neighbourhood street, Neighbourhood::make({.households = residential_.size(),
                                                         .days = options_.days,
                                                         .slot_min = options_.slot_min,
                                                         .seed = options_.seed,
                                                         .threads = options_.threads},
                                                        HouseholdParameters::shipped()));
  for (std::size_t first = 0; street.next_day(); first += slots_per_day_) {
    for (std::size_t home = 0; home < residential_.size(); ++home) {
      const auto watts = street.watts(home);
      for (std::size_t slot = 0; slot < watts.size(); ++slot)
        p_kw(first + slot, residential_[home]) = static_cast<double>(watts[slot]) / 1000;
    }
  }
  return {};
}

std::vector<std::size_t> Maker::homes_of_part(const std::vector<std::size_t>& homes) const {
  if (options_.part == LoadPart::all) return homes;
  std::vector<std::size_t> result;
  for (std::size_t i = options_.part == LoadPart::sample ? 1 : 0; i < homes.size(); i += 2) result.push_back(homes[i]);
  return result;
}

std::vector<std::size_t> Maker::shuffled(std::vector<std::size_t> items, std::uint64_t what) const {
  Dice dice(options_.seed, what, 0);
  for (std::size_t left = items.size(); left > 1; --left)
    std::swap(items[left - 1], items[static_cast<std::size_t>(dice.uniform() * static_cast<double>(left))]);
  return items;
}

Result<void> Maker::add_recorded(const Recording& recording) {
  std::vector<std::size_t> homes;
  std::vector<std::size_t> farms;
  for (std::size_t i = 0; i < recording.names.size(); ++i)
    (options_.source == LoadSource::simbench && !recording.names[i].starts_with('H') ? farms : homes).push_back(i);
  homes = shuffled(homes_of_part(homes), kHomeSeed);
  if (homes.empty()) {
    return Error{Cause::bad_input, "the source of the loads has one home only: it cannot be split into two parts"};
  }
  has_profile_.assign(loads_.customers, false);
  for (const std::size_t farm : farms) {
    for (std::size_t i = 0; i < loads_.customers; ++i) {
      const grid::Customer& customer = network_.customers()[i];
      if (customer.kind != grid::CustomerKind::industrial || customer.profile != recording.names[farm]) continue;
      has_profile_[i] = true;
      add_recorded_to(i, recording, farm, 0);
    }
  }
  return add_homes(recording, homes);
}

Result<void> Maker::add_homes(const Recording& recording, const std::vector<std::size_t>& homes) {
  const std::size_t weeks = recording.slots() / (kDaysPerWeek * slots_per_day_);
  for (std::size_t number = 0; number < residential_.size(); ++number) {
    const std::size_t customer = residential_[number];
    if (weeks == 0) {
      add_day_profiles(customer, recording, homes, number);
      continue;
    }
    const auto named = std::ranges::find(homes, network_.customers()[customer].profile,
                                         [&](std::size_t home) { return std::string_view(recording.names[home]); });
    const std::size_t home = named != homes.end() ? *named : homes[number % homes.size()];
    // Two customers of one home are as many weeks apart as the recording allows, from a week of the home's own on.
    const std::size_t round = number / homes.size();
    const std::size_t rounds = 1 + (residential_.size() - 1) / homes.size();
    const auto first =
        static_cast<std::size_t>(Dice(options_.seed, kHomeSeed, home).uniform() * static_cast<double>(weeks));
    add_recorded_to(customer, recording, home, (first + round * weeks / rounds) % weeks);
  }
  return {};
}

void Maker::add_recorded_to(std::size_t customer, const Recording& recording, std::size_t home, std::size_t week) {
  const std::size_t week_slots = kDaysPerWeek * slots_per_day_;
  const std::vector<double>& kw = recording.kw[home];
  const double scale =
      options_.source == LoadSource::simbench ? network_.customers()[customer].profile_kw.value_or(1) : 1;
  for (std::size_t stamp = 0; stamp < loads_.stamps; ++stamp) {
    std::size_t at = (stamp + week * week_slots) % kw.size();
    loads_.filled += std::isnan(kw[at]);
    while (std::isnan(kw[at])) at = (at + week_slots) % kw.size();  // ends: some week has a value
    p_kw(stamp, customer) = kw[at] * scale;
  }
}

void Maker::add_day_profiles(std::size_t customer, const Recording& recording, const std::vector<std::size_t>& homes,
                             std::size_t number) {
  for (std::size_t stamp = 0; stamp < loads_.stamps; ++stamp) {
    const std::size_t day = stamp / slots_per_day_;
    const std::size_t home = homes[(number + day * residential_.size()) % homes.size()];
    p_kw(stamp, customer) = recording.kw[home][stamp % slots_per_day_];
  }
}

/// Power of a business at each hour of a working day, of its most. A made-up shape: work from 7 to 17 o'clock with a
/// break, little at night.
constexpr std::array<double, 24> kWorkingDay = {0.15, 0.15, 0.15, 0.15, 0.15, 0.25, 0.50, 0.85, 1.00, 1.00, 1.00, 0.95,
                                                0.80, 0.90, 0.95, 0.90, 0.75, 0.50, 0.35, 0.25, 0.20, 0.15, 0.15, 0.15};
constexpr double kWeekend = 0.2;
constexpr double kMostOfContracted = 0.3;
constexpr double kUsualContracted_kw = 40;

void Maker::add_business(std::size_t customer) {
  const double most_kw = kMostOfContracted * network_.customers()[customer].contracted_kw.value_or(kUsualContracted_kw);
  for (std::size_t day = 0; day < static_cast<std::size_t>(options_.days); ++day) {
    Dice dice(options_.seed ^ kBusinessSeed, customer, day);
    const double of_day = most_kw * dice.bell(1, 0.1);
    const bool is_weekend = day % kDaysPerWeek >= 5;
    for (std::size_t slot = 0; slot < slots_per_day_; ++slot) {
      const std::size_t hour = slot * kWorkingDay.size() / slots_per_day_;
      p_kw(day * slots_per_day_ + slot, customer) =
          of_day * (is_weekend ? kWeekend : kWorkingDay[hour]) * dice.bell(1, 0.1);
    }
  }
}

/// The factor of the network or one from 0.90 to 0.99, all lagging; over a day kvar per kW swing by a tenth.
void Maker::add_reactive() {
  for (std::size_t i = 0; i < loads_.customers; ++i) {
    Dice dice(options_.seed ^ kFactorSeed, i, 0);
    const double drawn = 0.90 + 0.09 * dice.uniform();
    const double phase = dice.uniform();
    const double factor = network_.customers()[i].power_factor.value_or(drawn);
    const double share = std::sqrt(1 - factor * factor) / factor;
    for (std::size_t stamp = 0; stamp < loads_.stamps; ++stamp) {
      const double day = static_cast<double>(stamp) / static_cast<double>(slots_per_day_);
      q_kvar(stamp, i) = p_kw(stamp, i) * share * (1 + 0.1 * std::sin(2 * std::numbers::pi * (day + phase)));
    }
  }
}

void Maker::add_cars() {
  std::vector<std::size_t> owners = shuffled({residential_.begin(), residential_.end()}, kCarSeed);
  owners.resize(static_cast<std::size_t>(std::llround(options_.ev_share * static_cast<double>(owners.size()))));
  std::ranges::sort(owners);
  std::vector<double> car_kw(loads_.stamps);
  for (const std::size_t owner : owners) {
    loads_.cars.push_back(static_cast<std::uint32_t>(owner));
    std::ranges::fill(car_kw, 0.0);
    grid::add_device({grid::DeviceKind::car, options_.ev_kw}, options_.seed, owner, options_.slot_min, car_kw);
    for (std::size_t stamp = 0; stamp < loads_.stamps; ++stamp) p_kw(stamp, owner) += car_kw[stamp];
  }
}

void Maker::round_and_bill() {
  for (auto* values : {&loads_.p_kw, &loads_.q_kvar}) {
    for (double& value : *values) value = std::round(value * 1000) / 1000;
  }
  const double hours = static_cast<double>(options_.slot_min) / 60;
  for (std::size_t i = 0; i < loads_.customers; ++i) {
    double kwh = 0;
    for (std::size_t stamp = 0; stamp < loads_.stamps; ++stamp) kwh += p_kw(stamp, i) * hours;
    loads_.yearly_kwh.push_back(kwh * kDaysPerYear / static_cast<double>(options_.days));
  }
}

Result<void> check(const GridLoadOptions& options) {
  constexpr std::array<std::int64_t, 4> kSlots = {1, 15, 30, 60};
  if (std::ranges::find(kSlots, options.slot_min) == kSlots.end())
    return Error{Cause::usage, "slot length: expected 1, 15, 30 or 60 minutes"};
  if (options.days < 1 || options.days > kDaysMax) return Error{Cause::usage, "days: expected 1 to 3660"};
  if (!(options.ev_share >= 0 && options.ev_share <= 1))
    return Error{Cause::usage, "share of customers with a car: expected 0 to 1"};
  if (!(options.ev_kw > 0) || !std::isfinite(options.ev_kw))
    return Error{Cause::usage, "charging power: expected a number of kW above 0"};
  if (options.source != LoadSource::simulated && options.data_folder.empty())
    return Error{Cause::usage, "recorded loads: expected the data folder they lie in"};
  return {};
}

}  // namespace

Result<LoadSource> parse_load_source(std::string_view text) {
  for (const SourceRow& row : kSources) {
    if (row.name == text) return row.source;
  }
  return Error{Cause::usage,
               "found '" + std::string(text) + "'; expected simulated, citylearn, sgsc, ieee or simbench"};
}

Result<LoadPart> parse_load_part(std::string_view text) {
  if (text == "all") return LoadPart::all;
  if (text == "evaluated") return LoadPart::evaluated;
  if (text == "sample") return LoadPart::sample;
  return Error{Cause::usage, "found '" + std::string(text) + "'; expected all, evaluated or sample"};
}

grid::LoadBatch GridLoads::batch(std::size_t first, std::size_t count) const {
  return {.stamps = count,
          .p_kw = std::span(p_kw).subspan(first * customers, count * customers),
          .q_kvar = std::span(q_kvar).subspan(first * customers, count * customers)};
}

Result<GridLoads> make_grid_loads(const grid::Network& network, const GridLoadOptions& options) {
  FUGU_TRY(check(options));
  GridLoadOptions drawn = options;  // nothing of a sample is drawn as it is for the other part: cars, businesses, homes
  if (options.part == LoadPart::sample) drawn.seed ^= kSampleSeed;
  return Maker(network, drawn).make();
}

Result<grid::HouseholdModel> learn_homes(GridLoadOptions options) {
  constexpr std::size_t kHomes = 60;
  constexpr std::int64_t kDays = 56;
  options.part = LoadPart::sample;
  options.days = kDays;
  FUGU_ASSIGN(const grid::Network homes, grid::make_feeder({.customers = kHomes, .industrial = 0}));
  FUGU_ASSIGN(const GridLoads loads, make_grid_loads(homes, options));
  grid::HouseholdSample sample{.slot_min = loads.slot_min, .kw = std::vector<std::vector<double>>(kHomes)};
  for (std::size_t i = 0; i < loads.p_kw.size(); ++i) sample.kw[i % kHomes].push_back(loads.p_kw[i]);
  return grid::HouseholdModel::learn(sample);
}

}  // namespace fugu
