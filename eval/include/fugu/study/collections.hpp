// What households want hidden, for studies: one collection of policies per household, simulated or read.
//
//     FUGU_ASSIGN(const Collections made, simulate_collections({.households = 55, .days = 1650}));
//     mechanism.policies = std::make_unique<CollectionFeed>(made.policies[7], Budget::…, "h7");
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fugu/policy/book.hpp"
#include "fugu/policy/feed.hpp"
#include "fugu/simulate/use_policies.hpp"
#include "fugu/study/zones.hpp"

namespace fugu {

struct CollectionOptions {
  std::uint64_t households = 55;
  std::int64_t days = 7;
  std::int64_t first_day = kZonesFirstDay;  ///< as in HouseholdOptions
  IntervalRule interval = IntervalRule::thesis;
  HorizonRule beyond = HorizonRule::clip;
  double epsilon_min = 1;  ///< of each policy: as in UsePolicyOptions
  double epsilon_max = 1;
  bool allow_none = false;  ///< a household may be left without any policy
  std::uint64_t seed = 1;
  unsigned threads = 0;
};

/// Quarter hours, magnitudes in W.
struct Collections {
  std::vector<std::vector<Policy>> policies;  ///< by household, ordered by first slot
  /// ΔQ: all appliances of the table at once, as the thesis estimates it; or what some household can change in a slot
  /// by its policies, when that is more.
  std::uint64_t sensitivity_w = 1;

  std::uint64_t digest(std::size_t household) const;
  /// The longest interval: w of the w-event rules (thesis, Theorem 11).
  std::uint64_t longest_interval_slots(std::size_t household) const;
  /// All with this ε instead of their own.
  PolicyBook book(std::size_t household, Budget epsilon) const;
};

/// Cause::usage for options out of range, and when a household is left without any policy: `days` are too few, or
/// `beyond` drops what leaves the horizon.
Result<Collections> simulate_collections(const CollectionOptions& options);

/// The policies of one's own instead: every meter of every file of a folder is a household, files in the order of their
/// names, up to `households`. Slots are numbers, magnitudes in kW; the shape of a profile counts as its envelope. What
/// leaves the `slots` of the study is clipped, or dropped with its policy. ΔQ is the largest that any household can
/// change in a slot. Errors: those of read_policy_book, and a folder without a policy.
Result<Collections> read_collections(const std::string& folder, std::uint64_t households, std::uint64_t slots,
                                     HorizonRule beyond);

/// One meter's policies, all known before the first slot. `policies` must outlive it.
class CollectionFeed final : public PolicyFeed {
 public:
  /// With `epsilon`, that instead of their own.
  CollectionFeed(const std::vector<Policy>& policies, std::optional<Budget> epsilon, std::string meter);
  Result<const PolicyEvent*> next(Slot slot, const PolicyBook& in_force) override;

 private:
  const std::vector<Policy>& policies_;
  std::optional<Budget> epsilon_;
  std::size_t next_ = 0;
  PolicyEvent event_;
};

}  // namespace fugu
