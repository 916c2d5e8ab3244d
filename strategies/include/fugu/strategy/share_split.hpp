// Which part of a household's share goes to which of its series: Algorithm 5 of Schäler's thesis, and its α.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fugu/accounting/definition.hpp"
#include "fugu/base/budget.hpp"
#include "fugu/base/result.hpp"

namespace fugu {

/// Series that get a part of each household's share. A household that counts into several of them divides the part
/// equally.
struct SharePart {
  static constexpr std::uint64_t kWhole = 1'000'000'000;

  std::vector<SeriesId> series;
  std::uint64_t part = 0;  ///< of kWhole, so that sums of parts are exact

  /// Rounded down.
  Budget of(Budget share) const;
};

/// Parts of which no household gets more than the whole. Without any, each household's series share equally.
///
/// Guarantee: requests for the series of each part, at that part of a share, cost a household at most the share.
class ShareSplit {
 public:
  ShareSplit() = default;
  /// Every series is in exactly one part, and no part is 0. Cause::usage names, by `names`, each combination of series
  /// that some household counts into and whose parts are more than the whole.
  static Result<ShareSplit> make(std::vector<SharePart> parts, const Exposure& exposure,
                                 std::span<const std::string> names);

  bool is_given() const { return !parts_.empty(); }
  std::span<const SharePart> parts() const { return parts_; }

 private:
  std::vector<SharePart> parts_;
};

}  // namespace fugu
