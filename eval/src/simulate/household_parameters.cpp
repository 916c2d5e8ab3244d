#include "fugu/simulate/household_parameters.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>

#include "fugu/stream/csv.hpp"

namespace fugu {

namespace {

constexpr std::string_view kHeader = "section,name,quantity,value,unit,source";
constexpr std::size_t kColumns = 6;
constexpr std::size_t kRowsMax = 10'000;
constexpr std::size_t kAppliancesMax = 100;  // so that a slot's watt-minutes stay within 31 bits
constexpr double kMinutesPerDay = 1440;

/// What a figure may be.
struct Range {
  double min;
  double max;
};
constexpr Range kPercent = {0, 100};
constexpr Range kWatts = {0, 100'000};
constexpr Range kHours = {0, 30};

std::string text_of(Range range) {
  char text[64];
  std::snprintf(text, sizeof text, "%g to %g", range.min, range.max);
  return text;
}

/// The rows of the table by what they are about. Each is taken once; what nobody takes is a mistake.
class Rows {
 public:
  explicit Rows(std::string file) : file_(std::move(file)) {}

  Result<void> add(std::string_view line, std::uint64_t number) {
    const auto fields = csv::split(line);
    if (fields.size() != kColumns) {
      return found_but_expected({file_, number, 1}, csv::count_fields(fields.size()),
                                "6 fields: " + std::string(kHeader));
    }
    for (const std::size_t i : {0u, 1u, 2u, 3u, 5u}) {
      if (fields[i].empty())
        return found_but_expected({file_, number, csv::column_of(fields[i], line)}, "nothing", kWhat[i]);
    }
    Key key(fields[0], fields[1], fields[2]);
    if (fields[0] == "profile" || fields[0] == "appliance") note_name(std::string(fields[0]), std::string(fields[1]));
    const auto [at, is_new] =
        rows_.try_emplace(std::move(key), Row{std::string(fields[3]), number, csv::column_of(fields[3], line), false});
    if (!is_new) {
      return found_but_expected({file_, number, 1}, "a figure that line " + std::to_string(at->second.line) + " has",
                                "each figure once");
    }
    return {};
  }

  bool has(const std::string& section, const std::string& name, const std::string& quantity) const {
    return rows_.contains(Key(section, name, quantity));
  }
  const std::vector<std::string>& names(const std::string& section) { return names_[section]; }

  /// A word; `expected` says which.
  Result<std::string> word(const std::string& section, const std::string& name, const std::string& quantity) {
    FUGU_ASSIGN(const Row* row, take(section, name, quantity));
    return row->value;
  }

  /// One number, or `count` of them. One number for `count` is that number for each when `same_for_all`.
  Result<void> numbers(const std::string& section, const std::string& name, const std::string& quantity, Range range,
                       std::span<double> into, bool same_for_all = false) {
    FUGU_ASSIGN(const Row* row, take(section, name, quantity));
    const std::vector<std::optional<double>> values = parse(row->value);
    const bool counts = values.size() == into.size() || (same_for_all && values.size() == 1);
    if (!counts)
      return complain(*row, std::to_string(values.size()) + " numbers", count_text(into.size(), same_for_all));
    for (std::size_t i = 0; i < into.size(); ++i) {
      const std::optional<double>& value = values[values.size() == 1 ? 0 : i];
      if (!value) return complain(*row, shown(row->value), "numbers separated by blanks");
      if (!(*value >= range.min && *value <= range.max)) return complain(*row, shown(row->value), text_of(range));
      into[i] = *value;
    }
    return {};
  }

  Result<double> number(const std::string& section, const std::string& name, const std::string& quantity, Range range) {
    double value = 0;
    FUGU_TRY(numbers(section, name, quantity, range, {&value, 1}));
    return value;
  }

  Error complain_about(const std::string& section, const std::string& name, const std::string& quantity,
                       std::string_view expected) const {
    const auto at = rows_.find(Key(section, name, quantity));
    if (at == rows_.end()) return found_but_expected({file_, 0, 0}, shown(name), expected);
    return complain(at->second, shown(at->second.value), expected);
  }

  /// An error for the first row that was not taken.
  Result<void> none_left() const {
    const Row* first = nullptr;
    const Key* key = nullptr;
    for (const auto& [of, row] : rows_) {
      if (!row.taken && (first == nullptr || row.line < first->line)) {
        first = &row;
        key = &of;
      }
    }
    if (first == nullptr) return {};
    const auto& [section, name, quantity] = *key;
    return found_but_expected({file_, first->line, 1}, shown(section + "," + name + "," + quantity),
                              "a section, name and quantity of docs/concepts/households.md that goes with its kind");
  }

 private:
  using Key = std::tuple<std::string, std::string, std::string>;
  struct Row {
    std::string value;
    std::uint64_t line;
    std::size_t column;
    bool taken;
  };
  static constexpr std::string_view kWhat[kColumns] = {"a section", "a name", "a quantity",
                                                       "a value",   "a unit", "the source of the figure, or 'assumed'"};

  void note_name(std::string section, std::string name) {
    auto& names = names_[std::move(section)];
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }

  Result<const Row*> take(const std::string& section, const std::string& name, const std::string& quantity) {
    const auto at = rows_.find(Key(section, name, quantity));
    if (at == rows_.end()) {
      return found_but_expected({file_, 0, 0}, "no row " + shown(section + "," + name + "," + quantity),
                                "a row for each figure of the model");
    }
    at->second.taken = true;
    return &at->second;
  }

  Error complain(const Row& row, std::string_view found, std::string_view expected) const {
    return found_but_expected({file_, row.line, row.column}, found, expected);
  }

  static std::string count_text(std::size_t count, bool same_for_all) {
    if (count == 1) return "one number";
    return std::string(same_for_all ? "1 or " : "") + std::to_string(count) + " numbers separated by blanks";
  }

  static std::vector<std::optional<double>> parse(std::string_view text) {
    std::vector<std::optional<double>> values;
    while (true) {
      const std::size_t begin = text.find_first_not_of(' ');
      if (begin == std::string_view::npos) return values;
      text.remove_prefix(begin);
      const std::string_view word = text.substr(0, text.find(' '));
      double value = 0;
      const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), value);
      const bool is_number = fault == std::errc() && end == word.data() + word.size() && std::isfinite(value);
      values.push_back(is_number ? std::optional(value) : std::nullopt);
      text.remove_prefix(word.size());
    }
  }

  std::string file_;
  std::map<Key, Row> rows_;
  std::map<std::string, std::vector<std::string>> names_;
};

Result<Rows> read_rows(Input input) {
  LineReader lines(std::move(input));
  const std::string expected = "a header `" + std::string(kHeader) + "`";
  FUGU_ASSIGN(const auto header, csv::read_header(lines, expected));
  if (header != kHeader) return found_but_expected(lines.at(1), "other columns", expected);
  Rows rows(lines.file());
  for (std::size_t count = 0;; ++count) {
    FUGU_ASSIGN(const auto line, lines.next());
    if (!line) return rows;
    if (count == kRowsMax) return found_but_expected(lines.at(1), "one more row", "at most 10000 rows");
    FUGU_TRY(rows.add(*line, lines.line()));
  }
}

Result<HoursModel> hours(Rows& rows, const std::string& quantity) {
  double values[2] = {};
  FUGU_TRY(rows.numbers("people", "all", quantity, kHours, values));
  return HoursModel{values[0], values[1]};
}

Result<double> percent(Rows& rows, const std::string& section, const std::string& quantity) {
  FUGU_ASSIGN(const double value, rows.number(section, "all", quantity, kPercent));
  return value / 100;
}

Result<BySize> percent_by_size(Rows& rows, const std::string& section, const std::string& name,
                               const std::string& quantity) {
  BySize values = {};
  FUGU_TRY(rows.numbers(section, name, quantity, kPercent, values, true));
  for (double& value : values) value /= 100;
  return values;
}

Result<PeopleModel> people_of(Rows& rows) {
  PeopleModel people;
  FUGU_ASSIGN(people.goes_out, percent_by_size(rows, "people", "all", "goes_out"));
  FUGU_ASSIGN(people.out_wake, hours(rows, "out_wake"));
  FUGU_ASSIGN(people.out_leave, hours(rows, "out_leave"));
  FUGU_ASSIGN(people.out_return, hours(rows, "out_return"));
  FUGU_ASSIGN(people.home_wake, hours(rows, "home_wake"));
  FUGU_ASSIGN(people.weekend_wake, hours(rows, "weekend_wake"));
  FUGU_ASSIGN(people.sleep, hours(rows, "sleep"));
  FUGU_ASSIGN(people.errand_share, percent(rows, "people", "errand_share"));
  FUGU_ASSIGN(people.errand_start, hours(rows, "errand_start"));
  FUGU_ASSIGN(people.errand_length, hours(rows, "errand_length"));
  FUGU_ASSIGN(people.evening_share, percent(rows, "people", "evening_share"));
  FUGU_ASSIGN(people.evening_start, hours(rows, "evening_start"));
  FUGU_ASSIGN(people.evening_length, hours(rows, "evening_length"));
  return people;
}

Result<RestModel> rest_of(Rows& rows) {
  RestModel rest;
  FUGU_TRY(rows.numbers("rest", "all", "standby", kWatts, rest.standby_w, true));
  FUGU_ASSIGN(rest.active_person_w, rows.number("rest", "all", "active_person", kWatts));
  FUGU_ASSIGN(rest.light_first_w, rows.number("rest", "all", "light_first", kWatts));
  FUGU_ASSIGN(rest.light_next_w, rows.number("rest", "all", "light_next", kWatts));
  return rest;
}

Result<StartProfile> profile_of(Rows& rows, const std::string& name) {
  StartProfile profile;
  profile.name = name;
  const char* const days[kDayTypes] = {"weekday", "saturday", "sunday"};
  double sum = 0;
  for (std::size_t day = 0; day < kDayTypes; ++day) {
    FUGU_TRY(rows.numbers("profile", name, days[day], {0, 1e6}, profile.weights[day]));
    sum = std::accumulate(profile.weights[day].begin(), profile.weights[day].end(), sum);
  }
  if (!(sum > 0)) return rows.complain_about("profile", name, "weekday", "a weight above 0 in some hour of some day");
  return profile;
}

Result<ApplianceKind> kind_of(Rows& rows, const std::string& name) {
  FUGU_ASSIGN(const std::string kind, rows.word("appliance", name, "kind"));
  if (kind == "activity") return ApplianceKind::activity;
  if (kind == "timed") return ApplianceKind::timed;
  if (kind == "cycling") return ApplianceKind::cycling;
  return rows.complain_about("appliance", name, "kind", "activity, timed or cycling");
}

Result<std::size_t> profile_index(Rows& rows, const std::string& name, const std::vector<StartProfile>& profiles) {
  FUGU_ASSIGN(const std::string wanted, rows.word("appliance", name, "profile"));
  const auto at = std::find_if(profiles.begin(), profiles.end(), [&](const auto& each) { return each.name == wanted; });
  if (at == profiles.end()) return rows.complain_about("appliance", name, "profile", "the name of a profile");
  return static_cast<std::size_t>(at - profiles.begin());
}

Result<ApplianceModel> appliance_of(Rows& rows, const std::string& name, const std::vector<StartProfile>& profiles) {
  ApplianceModel model;
  model.name = name;
  FUGU_ASSIGN(model.kind, kind_of(rows, name));
  FUGU_ASSIGN(model.ownership, percent_by_size(rows, "appliance", name, "ownership"));
  FUGU_ASSIGN(model.power_w, rows.number("appliance", name, "power", {1, kWatts.max}));
  FUGU_ASSIGN(model.duration_min, rows.number("appliance", name, "duration", {1, kMinutesPerDay / 2}));
  if (model.kind == ApplianceKind::cycling) {
    FUGU_ASSIGN(model.period_min, rows.number("appliance", name, "period", {5, kMinutesPerDay}));
    if (!(model.period_min >= 1.2 * model.duration_min))  // periods vary by a tenth
      return rows.complain_about("appliance", name, "period", "at least 1.2 times the duration");
    return model;
  }
  if (rows.has("appliance", name, "duty")) {
    FUGU_ASSIGN(model.duty, rows.number("appliance", name, "duty", {0.05, 1}));
  }
  FUGU_ASSIGN(model.duration_spread, rows.number("appliance", name, "duration_spread", {0, 0.5}));
  FUGU_ASSIGN(model.cycles_per_year, rows.number("appliance", name, "cycles_per_year", {0, 10'000}));
  FUGU_ASSIGN(model.size_exponent, rows.number("appliance", name, "size_exponent", {-2, 2}));
  FUGU_ASSIGN(model.season, rows.number("appliance", name, "season", {-3, 3}));
  FUGU_ASSIGN(model.profile, profile_index(rows, name, profiles));
  return model;
}

Result<BySize> size_share_of(Rows& rows) {
  FUGU_ASSIGN(BySize shares, percent_by_size(rows, "households", "all", "size_share"));
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  if (!(std::abs(sum - 1) < 0.011))
    return rows.complain_about("households", "all", "size_share", "shares that sum to 100, up to rounding");
  for (double& share : shares) share /= sum;
  return shares;
}

}  // namespace

Result<HouseholdParameters> HouseholdParameters::read(Input input) {
  FUGU_ASSIGN(Rows rows, read_rows(std::move(input)));
  HouseholdParameters parameters;
  FUGU_ASSIGN(parameters.size_share, size_share_of(rows));
  FUGU_ASSIGN(parameters.reference_people, rows.number("households", "all", "reference_people", {0.5, 10}));
  FUGU_ASSIGN(parameters.holiday_weeks, rows.number("households", "all", "holiday_weeks", {0, 52}));
  FUGU_ASSIGN(parameters.power_spread, rows.number("households", "all", "power_spread", {0, 0.3}));
  FUGU_ASSIGN(parameters.people, people_of(rows));
  FUGU_ASSIGN(parameters.rest, rest_of(rows));
  for (const std::string& name : rows.names("profile")) {
    FUGU_ASSIGN(StartProfile profile, profile_of(rows, name));
    parameters.profiles.push_back(std::move(profile));
  }
  if (rows.names("appliance").size() > kAppliancesMax)
    return rows.complain_about("appliance", rows.names("appliance")[kAppliancesMax], "kind", "at most 100 appliances");
  for (const std::string& name : rows.names("appliance")) {
    FUGU_ASSIGN(ApplianceModel model, appliance_of(rows, name, parameters.profiles));
    parameters.appliances.push_back(std::move(model));
  }
  FUGU_TRY(rows.none_left());
  return parameters;
}

const HouseholdParameters& HouseholdParameters::shipped() {
  static const HouseholdParameters parameters = [] {
    auto read =
        HouseholdParameters::read(Input::from_memory("data/households.csv", std::string(shipped_household_table())));
    FUGU_CHECK(read.has_value());
    return *std::move(read);
  }();
  return parameters;
}

}  // namespace fugu
