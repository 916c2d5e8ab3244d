#include "fugu/strategy/share_split.hpp"

#include "fugu/base/rational.hpp"
#include "fugu/stream/decimal.hpp"
#include "fugu/stream/location.hpp"

namespace fugu {

namespace {

std::string as_decimal(std::uint64_t part) {
  return UnitStep::parse("0.000000001")->text(static_cast<std::int64_t>(part));
}

/// What a household gets that counts into these series.
std::uint64_t sum_of_parts(std::span<const SharePart> parts, std::span<const std::size_t> part_of,
                           std::span<const SeriesId> series) {
  std::vector<bool> counted(parts.size(), false);
  std::uint64_t sum = 0;
  for (const SeriesId id : series) {
    if (!counted[part_of[id]]) sum += parts[part_of[id]].part;
    counted[part_of[id]] = true;
  }
  return sum;
}

std::string list_of(std::span<const SeriesId> series, std::span<const std::string> names) {
  std::string text;
  for (const SeriesId id : series) text += (text.empty() ? "" : ", ") + shown_name(names[id]);
  return text;
}

}  // namespace

Budget SharePart::of(Budget share) const {
  return Budget::from_units(static_cast<std::uint64_t>(static_cast<uint128>(share.units()) * part / kWhole));
}

Result<ShareSplit> ShareSplit::make(std::vector<SharePart> parts, const Exposure& exposure,
                                    std::span<const std::string> names) {
  std::vector<std::size_t> part_of(exposure.series_count(), parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    FUGU_CHECK(!parts[i].series.empty());
    if (parts[i].part == 0 || parts[i].part > SharePart::kWhole)
      return Error{Cause::usage, "found the part " + as_decimal(parts[i].part) + " of a share for " +
                                     list_of(parts[i].series, names) + "; expected more than 0 and at most 1"};
    for (const SeriesId id : parts[i].series) {
      FUGU_CHECK(part_of[id] == parts.size());
      part_of[id] = i;
    }
  }
  for (const std::size_t part : part_of) FUGU_CHECK(part < parts.size());
  std::string wrong;
  for (std::size_t g = 0; g < exposure.signature_count(); ++g) {
    const std::uint64_t sum = sum_of_parts(parts, part_of, exposure.signature(g));
    if (sum <= SharePart::kWhole) continue;
    wrong += (wrong.empty() ? "" : "\n       ") + std::string("the parts of a household that counts into ") +
             list_of(exposure.signature(g), names) + " sum to " + as_decimal(sum) + "; expected at most 1";
  }
  if (!wrong.empty()) return Error{Cause::usage, wrong};
  ShareSplit split;
  split.parts_ = std::move(parts);
  return split;
}

}  // namespace fugu
