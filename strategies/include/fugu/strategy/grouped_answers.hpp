// Several similar series perturbed as one: the sum is asked, and every member gets its part of it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fugu/mechanism/kernel.hpp"

namespace fugu {

/// One member's part of a noisy sum.
struct PartOfSum {
  double value = 0;
  double noise_variance = 0;  ///< of the sum's noise in it; how far the member is off its expected part is not in it
};

/// Asks for sums of groups of series and divides them. The members' noise shrinks with the size of the group: a meter
/// changes the sum by as much as it changes a single member (or, when it counts into m of them, by m times as much).
///
/// Cost: O(members and their signatures); no memory taken in steady state.
class GroupedAnswers {
 public:
  /// The sum of `members`, which must be present and equally sensitive, so that each member's account pays `each`: a
  /// signature that holds m members is charged at most m·each. What comes back is
  ///     part = expected + (sum − Σ expected) / members,
  /// with the members' expected values pulled towards their mean as far as `expected_variance`, the variance of what is
  /// wrong with them, explains how they differ (James–Stein). `expected` is overwritten.
  Result<std::span<const PartOfSum>> ask(Kernel& kernel, std::span<const SeriesId> members, std::span<double> expected,
                                         double expected_variance, Budget each);

 private:
  std::uint64_t most_members_of_one_meter(const Exposure& exposure, std::span<const SeriesId> members);

  std::vector<std::uint64_t> counts_;  // by signature; zero between calls
  std::vector<PartOfSum> parts_;
};

}  // namespace fugu
