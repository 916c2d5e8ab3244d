#include "fugu/stream/series_map.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "fugu/stream/csv.hpp"
#include "fugu/stream/location.hpp"

namespace fugu {
namespace {

/// Rows of two names each, in either order of the columns.
class Pairs {
 public:
  enum class Empty : bool { refused, allowed };
  /// `other`: what the second column is called; `empty`: whether it may be empty.
  static Result<Pairs> open(Input input, std::string other, Empty empty) {
    Pairs pairs(LineReader(std::move(input)), std::move(other));
    pairs.may_be_empty_ = empty == Empty::allowed;
    const std::string expected = "a header `meter," + pairs.other_ + "`";
    FUGU_ASSIGN(const auto header, csv::read_header(pairs.lines_, expected));
    pairs.swapped_ = header == pairs.other_ + ",meter";
    if (!pairs.swapped_ && header != "meter," + pairs.other_)
      return found_but_expected(pairs.lines_.at(1), "other columns", expected);
    return pairs;
  }

  /// False at the end. Meter and other name stay valid until the next call.
  Result<bool> next(std::string_view& meter, std::string_view& other) {
    FUGU_ASSIGN(const auto line, lines_.next());
    if (!line) return false;
    const auto fields = csv::split(*line);
    if (fields.size() != 2) return found_but_expected(lines_.at(1), csv::count_fields(fields.size()), "2 fields");
    meter = fields[swapped_ ? 1 : 0];
    other = fields[swapped_ ? 0 : 1];
    FUGU_TRY(csv::check_name(meter, lines_.at(csv::column_of(meter, *line)), "a meter id"));
    if (other.empty() && may_be_empty_) return true;
    FUGU_TRY(csv::check_name(other, lines_.at(csv::column_of(other, *line)), "a " + other_ + " name"));
    return true;
  }

  const LineReader& lines() const { return lines_; }

 private:
  Pairs(LineReader lines, std::string other) : lines_(std::move(lines)), other_(std::move(other)) {}

  LineReader lines_;
  std::string other_;
  bool swapped_ = false;
  bool may_be_empty_ = false;
};

bool contains(const std::vector<SeriesId>& set, const std::vector<SeriesId>& subset) {
  return std::includes(set.begin(), set.end(), subset.begin(), subset.end());
}

}  // namespace

Result<SeriesMap> SeriesMap::read(Input input, std::span<const std::string> series) {
  return read(std::move(input), series, {});
}

Result<SeriesMap> SeriesMap::read_again(Input input, const SeriesMap& earlier) {
  return read(std::move(input), earlier.series_, earlier.meters_);
}

Result<SeriesMap> SeriesMap::read(Input input, std::span<const std::string> given, NameTable meters) {
  FUGU_ASSIGN(Pairs rows, Pairs::open(std::move(input), "series", Pairs::Empty::allowed));
  SeriesMap map;
  map.meters_ = std::move(meters);
  NameTable series;
  for (const std::string& name : given) series.intern(name);
  std::vector<Pair> pairs;
  std::string_view meter;
  std::string_view name;
  for (;;) {
    FUGU_ASSIGN(const bool more, rows.next(meter, name));
    if (!more) break;
    const MeterId id = map.meters_.intern(meter);
    if (name.empty()) continue;  // known, and counts into nothing
    if (!given.empty() && !series.find(name))
      return found_but_expected(rows.lines().at(1), "a series that the stream did not begin with",
                                "one of the series of the first map: another set of series needs another ledger");
    pairs.push_back({id, series.intern(name), rows.lines().line()});
  }
  const std::string_view file = rows.lines().file();
  if (pairs.empty()) return found_but_expected({file, 0, 0}, "no rows", "a meter and its series in each row");
  for (SeriesId id = 0; id < series.size(); ++id) map.series_.emplace_back(series.name(id));
  FUGU_TRY(map.index(std::move(pairs), file));
  return map;
}

Result<void> SeriesMap::index(std::vector<Pair> pairs, std::string_view file) {
  const auto key = [](const Pair& pair) { return std::tuple(pair.meter, pair.series, pair.line); };
  std::sort(pairs.begin(), pairs.end(), [&](const Pair& a, const Pair& b) { return key(a) < key(b); });
  begins_.assign(1, 0);
  meters_in_.resize(series_.size());
  std::uint64_t repeated_line = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const bool repeated = i > 0 && pairs[i].meter == pairs[i - 1].meter && pairs[i].series == pairs[i - 1].series;
    if (repeated && (repeated_line == 0 || pairs[i].line < repeated_line)) repeated_line = pairs[i].line;
    begins_.resize(pairs[i].meter + std::size_t{1}, i);  // where meters begin up to this one: some may have none
    memberships_.push_back(pairs[i].series);
    ++meters_in_[pairs[i].series];
  }
  begins_.resize(meter_count() + 1, pairs.size());
  if (repeated_line == 0) return {};
  return found_but_expected({file, repeated_line, 1}, "a meter and series that an earlier row has", "each pair once");
}

Result<void> SeriesMap::read_households(Input input) {
  FUGU_ASSIGN(Pairs rows, Pairs::open(std::move(input), "household", Pairs::Empty::refused));
  NameTable units;
  constexpr UnitId kNone = ~UnitId{0};
  std::vector<UnitId> unit_of(meter_count(), kNone);
  NameTable named;                          // meters, also those that the series map does not have
  NameTable households;                     // likewise
  std::vector<NameTable::Id> household_of;  // by named meter
  std::string_view meter;
  std::string_view household;
  for (;;) {
    FUGU_ASSIGN(const bool more, rows.next(meter, household));
    if (!more) break;
    if (named.find(meter))
      return found_but_expected(rows.lines().at(1), "a meter that an earlier row has", "each meter once");
    named.intern(meter);
    household_of.push_back(households.intern(household));
    const auto id = meters_.find(meter);
    if (id) unit_of[*id] = units.intern(household);
  }
  // A policy of that name would be somebody else's.
  const auto is_another_household = [&](std::string_view name) {
    const auto of_that_name = households.find(name);
    const auto row = named.find(name);
    return of_that_name && !(row && household_of[*row] == *of_that_name);
  };
  const auto ambiguous = [&](std::string_view name) {
    return Error{Cause::bad_input, std::string(rows.lines().file()) + ": found household " + shown_name(name) +
                                       ", which is also the id of a meter that is not in it; expected another name, " +
                                       "or a row that puts the meter into it"};
  };
  for (NameTable::Id row = 0; row < named.size(); ++row) {
    if (is_another_household(named.name(row))) return ambiguous(named.name(row));
  }
  for (MeterId id = 0; id < unit_of.size(); ++id) {
    if (is_another_household(meter_name(id))) return ambiguous(meter_name(id));
    if (unit_of[id] == kNone) unit_of[id] = units.intern(meter_name(id));
  }
  series_of_unit_.resize(units.size());
  for (MeterId id = 0; id < unit_of.size(); ++id) {
    std::vector<SeriesId>& set = series_of_unit_[unit_of[id]];
    set.insert(set.end(), series_of(id).begin(), series_of(id).end());
  }
  for (std::vector<SeriesId>& set : series_of_unit_) {
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
  }
  units_ = std::move(units);
  unit_of_ = std::move(unit_of);
  return {};
}

std::string_view SeriesMap::unit_of(std::string_view meter_name) const {
  const auto id = meter(meter_name);
  return id ? unit_name(unit_of(*id)) : meter_name;
}

std::vector<std::uint64_t> SeriesMap::meters_of_one_unit() const {
  std::vector<std::uint64_t> most(series_.size(), 1);
  if (!units_) return most;
  std::map<std::pair<UnitId, SeriesId>, std::uint64_t> meters;
  for (MeterId meter = 0; meter < meter_count(); ++meter) {
    for (const SeriesId series : series_of(meter)) {
      const std::uint64_t count = ++meters[{unit_of(meter), series}];
      most[series] = std::max(most[series], count);
    }
  }
  return most;
}

std::vector<std::vector<SeriesId>> SeriesMap::signatures() const {
  std::vector<std::vector<SeriesId>> sets;
  for (UnitId unit = 0; unit < unit_count(); ++unit) {
    const auto series = series_of_unit(unit);
    if (!series.empty()) sets.emplace_back(series.begin(), series.end());
  }
  const auto larger_first = [](const auto& a, const auto& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  };
  std::sort(sets.begin(), sets.end(), larger_first);
  sets.erase(std::unique(sets.begin(), sets.end()), sets.end());

  std::vector<std::vector<SeriesId>> kept;
  std::vector<std::vector<std::size_t>> kept_with(series_.size());  // which of the kept hold a series
  for (auto& set : sets) {
    const auto fewest = [&](SeriesId a, SeriesId b) { return kept_with[a].size() < kept_with[b].size(); };
    const auto& rivals = kept_with[*std::min_element(set.begin(), set.end(), fewest)];
    if (std::any_of(rivals.begin(), rivals.end(), [&](std::size_t i) { return contains(kept[i], set); })) continue;
    for (SeriesId series : set) kept_with[series].push_back(kept.size());
    kept.push_back(std::move(set));
  }
  return kept;
}

}  // namespace fugu
