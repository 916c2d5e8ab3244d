#include "split_option.hpp"

#include "command.hpp"
#include "fugu/stream/csv.hpp"
#include "fugu/stream/decimal.hpp"
#include "fugu/stream/location.hpp"
#include "series_patterns.hpp"

namespace fugu::cli {

namespace {

constexpr const char* kOption = "--split";

/// In parts of SharePart::kWhole; nothing when it is no part of a whole, or has more decimals.
std::optional<std::uint64_t> parse_part(std::string_view text) {
  static const UnitStep step = *UnitStep::parse("0.000000001");
  std::int64_t part = 0;
  if (step.steps(text, part) != DecimalFault::none || !step.holds(text)) return std::nullopt;
  if (part < 1 || static_cast<std::uint64_t>(part) > SharePart::kWhole) return std::nullopt;
  return static_cast<std::uint64_t>(part);
}

}  // namespace

Result<ShareSplit> parse_split(const std::string& text, const Exposure& exposure, std::span<const std::string> series) {
  std::vector<SeriesPattern> patterns;
  std::vector<SharePart> parts;
  std::vector<std::string> mistakes;
  for (const std::string_view entry : csv::split(text)) {
    const std::size_t equals = entry.rfind('=');
    const auto part = equals == std::string_view::npos ? std::nullopt : parse_part(entry.substr(equals + 1));
    if (!part || equals == 0 || entry.find('*') != entry.rfind('*'))
      mistakes.push_back("found " + shown(entry) +
                         "; expected a series with at most one *, and more than 0 and at most 1 of the budget, such "
                         "as *.p=0.7");
    patterns.push_back({std::string(entry.substr(0, equals)), "entry " + std::to_string(patterns.size() + 1)});
    parts.push_back({{}, part.value_or(0)});
  }
  const std::vector<std::size_t> part_of = assign_patterns(patterns, series, mistakes);
  if (!mistakes.empty()) return Error{Cause::usage, error_of(kOption, mistakes).message};
  for (SeriesId id = 0; id < part_of.size(); ++id) parts[part_of[id]].series.push_back(id);
  return of_option(kOption, ShareSplit::make(std::move(parts), exposure, series));
}

}  // namespace fugu::cli
