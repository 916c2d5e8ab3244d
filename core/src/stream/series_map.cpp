#include "fugu/stream/series_map.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "fugu/stream/csv.hpp"

namespace fugu {
namespace {

constexpr std::string_view kHeader = "a header `meter,series`";

// Whether the columns are in the order series, meter.
Result<bool> read_columns(LineReader& lines) {
  FUGU_ASSIGN(const auto header, csv::read_header(lines, kHeader));
  if (header == "meter,series") return false;
  if (header == "series,meter") return true;
  return found_but_expected(lines.at(1), "other columns", kHeader);
}

bool contains(const std::vector<SeriesId>& set, const std::vector<SeriesId>& subset) {
  return std::includes(set.begin(), set.end(), subset.begin(), subset.end());
}

}  // namespace

Result<SeriesMap> SeriesMap::read(Input input) {
  LineReader lines(std::move(input));
  FUGU_ASSIGN(const bool swapped, read_columns(lines));
  SeriesMap map;
  NameTable series;
  std::vector<Pair> pairs;
  while (true) {
    FUGU_ASSIGN(const auto line, lines.next());
    if (!line) break;
    auto fields = csv::split(*line);
    if (fields.size() != 2) return found_but_expected(lines.at(1), csv::count_fields(fields.size()), "2 fields");
    if (swapped) std::swap(fields[0], fields[1]);
    FUGU_TRY(csv::check_name(fields[0], lines.at(csv::column_of(fields[0], *line)), "a meter id"));
    FUGU_TRY(csv::check_name(fields[1], lines.at(csv::column_of(fields[1], *line)), "a series name"));
    pairs.push_back({map.meters_.intern(fields[0]), series.intern(fields[1]), lines.line()});
  }
  if (pairs.empty()) return found_but_expected({lines.file(), 0, 0}, "no rows", "a meter and its series in each row");
  for (SeriesId id = 0; id < series.size(); ++id) map.series_.emplace_back(series.name(id));
  FUGU_TRY(map.index(std::move(pairs), lines.file()));
  return map;
}

Result<void> SeriesMap::index(std::vector<Pair> pairs, std::string_view file) {
  const auto key = [](const Pair& pair) { return std::tuple(pair.meter, pair.series, pair.line); };
  std::sort(pairs.begin(), pairs.end(), [&](const Pair& a, const Pair& b) { return key(a) < key(b); });
  begins_.push_back(0);
  meters_in_.resize(series_.size());
  std::uint64_t repeated_line = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const bool same_meter = i > 0 && pairs[i].meter == pairs[i - 1].meter;
    if (same_meter && pairs[i].series == pairs[i - 1].series && (repeated_line == 0 || pairs[i].line < repeated_line)) {
      repeated_line = pairs[i].line;
    }
    if (i > 0 && !same_meter) begins_.push_back(i);
    memberships_.push_back(pairs[i].series);
    ++meters_in_[pairs[i].series];
  }
  begins_.push_back(pairs.size());
  if (repeated_line == 0) return {};
  return found_but_expected({file, repeated_line, 1}, "a meter and series that an earlier row has", "each pair once");
}

std::vector<std::vector<SeriesId>> SeriesMap::signatures() const {
  std::vector<std::vector<SeriesId>> sets;
  for (MeterId meter = 0; meter < meter_count(); ++meter) {
    sets.emplace_back(series_of(meter).begin(), series_of(meter).end());
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
