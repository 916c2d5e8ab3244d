#include "series_clamps.hpp"

#include "fugu/stream/csv.hpp"
#include "fugu/stream/input.hpp"
#include "fugu/stream/line_reader.hpp"
#include "series_patterns.hpp"
#include "source_options.hpp"

namespace fugu::cli {

namespace {

constexpr std::string_view kHeader = "series,clamp";

/// The rows of the file, and what is wrong with them.
struct ClampFile {
  std::vector<SeriesPattern> patterns;
  std::vector<ClampRange> ranges;  // one for each pattern
  std::string text;
  std::vector<std::string> mistakes;
};

/// Of what is wrong in a row, the first.
Result<void> check_fields(const std::vector<std::string_view>& fields, const Location& where) {
  if (fields.size() != 2) return found_but_expected(where, csv::count_fields(fields.size()), csv::count_fields(2));
  FUGU_TRY(csv::check_name(fields[0], where, "a series name"));
  if (fields[0].find('*') != fields[0].rfind('*'))
    return found_but_expected(where, "several * in a series name", "one at most, such as *.p");
  return {};
}

/// A row whose clamp is wrong still says which series it is about.
void add_row(ClampFile& file, std::string_view line, const UnitStep& unit_step, Location where) {
  const auto fields = csv::split(line);
  if (const auto fit = check_fields(fields, where); !fit) {
    file.mistakes.push_back(fit.error().message);
    return;
  }
  const std::string pattern(fields[0]);
  const std::string clamp(fields[1]);
  const auto range = parse_clamp(unit_step, clamp);
  where.column = csv::column_of(fields[1], line);
  if (!range)
    file.mistakes.push_back(
        found_but_expected(where, "no range", "a bound such as 12 for 0 to 12, or LO:HI with LO below HI").message);
  file.patterns.push_back({pattern, std::string(where.file) + ":" + std::to_string(where.line)});
  file.ranges.push_back(range ? *range : ClampRange());
  file.text += (file.text.empty() ? "" : ", ") + pattern + " " + clamp;
}

Result<ClampFile> read_rows(const std::string& path, const UnitStep& unit_step) {
  FUGU_ASSIGN(Input input, Input::open(path));
  LineReader lines(std::move(input));
  const std::string expected = "a header `" + std::string(kHeader) + "`";
  FUGU_ASSIGN(const auto header, csv::read_header(lines, expected));
  if (header != kHeader) return found_but_expected(lines.at(1), "other columns", expected);
  ClampFile file;
  for (;;) {
    FUGU_ASSIGN(const auto line, lines.next());
    if (!line) break;
    add_row(file, *line, unit_step, lines.at(1));
  }
  return file;
}

}  // namespace

Result<SeriesClamps> SeriesClamps::read(const std::string& path, const UnitStep& unit_step,
                                        std::span<const std::string> series) {
  FUGU_ASSIGN(ClampFile file, read_rows(path, unit_step));
  const std::vector<std::size_t> row_of_series = assign_patterns(file.patterns, series, file.mistakes);
  if (!file.mistakes.empty()) return error_of(path, file.mistakes);
  SeriesClamps clamps{.ranges = {}, .text = std::move(file.text)};
  for (const std::size_t row : row_of_series) clamps.ranges.push_back(file.ranges[row]);
  return clamps;
}

}  // namespace fugu::cli
