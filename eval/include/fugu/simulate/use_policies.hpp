// What a simulated household wants hidden: each use of an appliance becomes one policy.
//
// Uses of one appliance that follow each other without a slot between them are one use ("concatenated", thesis 7.2.1):
// as long as all of them, as large as the largest. A use takes every slot it touches, and its magnitude is the power of
// the appliance, so that no reading shows more of it. A use that runs on after the horizon ends with it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "fugu/policy/policy.hpp"
#include "fugu/simulate/households.hpp"

namespace fugu {

/// The interval in which a use of T slots is hidden.
enum class IntervalRule : std::uint8_t {
  conference,  ///< from 2T slots before the use to 2T after it: 5T (conference paper, section VI)
  thesis,      ///< 4T slots around the use (thesis, section 7.2.1): ⌊3T/2⌋ before it, the others after it
};

/// What becomes of a policy whose interval leaves the horizon.
enum class HorizonRule : std::uint8_t {
  clip,  ///< the interval is cut; it still contains the use
  drop,  ///< there is no such policy
};

/// By name, as above; an error of Cause::usage lists the names.
Result<IntervalRule> parse_interval_rule(std::string_view name);
Result<HorizonRule> parse_horizon_rule(std::string_view name);

struct UsePolicyOptions {
  IntervalRule interval = IntervalRule::thesis;
  HorizonRule beyond = HorizonRule::clip;
  /// ε of each policy: drawn evenly from here … there, in steps of 0.0001; equal for a fixed one.
  double epsilon_min = 1;
  double epsilon_max = 1;
  std::uint64_t seed = 1;
  std::int64_t slot_min = 15;
  Slot horizon_slots = 0;
};

struct UsePolicy {
  std::uint32_t appliance = 0;
  Policy policy;  ///< magnitude in W
};

/// The policies of one household, as its uses become known. A function of the options, the household's number and uses.
class UsePolicies {
 public:
  UsePolicies(const UsePolicyOptions& options, std::uint64_t household);

  /// Takes in the uses that begin on one day, by start, and appends the policies of those that cannot go on any more:
  /// the next use begins at minute `until_min` or later.
  void add(std::span<const ApplianceUse> uses, std::int64_t until_min, std::vector<UsePolicy>& policies);
  /// At the end: appends the policies that are left.
  void finish(std::vector<UsePolicy>& policies);

 private:
  /// A use that may go on.
  struct Open {
    std::uint32_t appliance;
    Interval slots;
    std::int32_t power_w;
  };
  void close(const Open& open, std::vector<UsePolicy>& policies);

  UsePolicyOptions options_;
  std::uint64_t household_;
  std::uint64_t closed_ = 0;
  std::vector<Open> open_;
};

/// A ready-made dominant secret: a week away, hidden in that week. It dominates every policy that is not longer than
/// a week, not larger than `magnitude_steps` and whose ε is not smaller.
Policy holiday_secret(Slot first, std::int64_t slot_min, std::uint64_t magnitude_steps, double epsilon);

}  // namespace fugu
