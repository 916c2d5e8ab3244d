#include "fugu/study/collections.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "fugu/policy/policy_reader.hpp"
#include "fugu/strategy/tenat.hpp"

namespace fugu {

namespace {

constexpr std::int64_t kSlotMin = 15;
constexpr std::int64_t kMinutesPerDay = 1440;

std::uint64_t all_appliances_w(const HouseholdParameters& parameters) {
  double sum = 0;
  for (const ApplianceModel& appliance : parameters.appliances)
    sum += appliance.kind == ApplianceKind::cycling ? 0 : appliance.power_w;
  return static_cast<std::uint64_t>(std::ceil(sum));
}

/// With what makes the policies of a meter a book.
PolicyBook book_of(std::vector<Policy> policies) {
  PolicyBook book;
  book.assign(book.meter("household"), std::move(policies));
  return book;
}

}  // namespace

Result<Collections> simulate_collections(const CollectionOptions& options) {
  FUGU_ASSIGN(Neighbourhood street, Neighbourhood::make({.households = options.households,
                                                         .days = options.days,
                                                         .slot_min = kSlotMin,
                                                         .first_day = options.first_day,
                                                         .seed = options.seed,
                                                         .threads = options.threads},
                                                        HouseholdParameters::shipped()));
  const UsePolicyOptions wishes{.interval = options.interval,
                                .beyond = options.beyond,
                                .epsilon_min = options.epsilon_min,
                                .epsilon_max = options.epsilon_max,
                                .seed = options.seed,
                                .slot_min = kSlotMin,
                                .horizon_slots = options.days * static_cast<Slot>(street.slots_per_day())};
  std::vector<UsePolicies> makers;
  for (std::uint64_t i = 0; i < options.households; ++i) makers.emplace_back(wishes, i);
  std::vector<std::vector<UsePolicy>> made(options.households);
  while (street.next_day()) {
    for (std::size_t i = 0; i < makers.size(); ++i)
      makers[i].add(street.uses(i), (street.day() + 1) * kMinutesPerDay, made[i]);
  }
  Collections collections{.policies = {}, .sensitivity_w = all_appliances_w(street.parameters())};
  for (std::size_t i = 0; i < makers.size(); ++i) {
    makers[i].finish(made[i]);
    if (made[i].empty() && !options.allow_none)
      return Error{Cause::usage, "household h" + std::to_string(i) + " has no policy whose interval lies within " +
                                     std::to_string(options.days) +
                                     " days; expected more days, or intervals that are clipped at the horizon"};
    std::vector<Policy>& policies = collections.policies.emplace_back();
    for (const UsePolicy& wish : made[i]) policies.push_back(wish.policy);
    std::ranges::stable_sort(policies, {}, [](const Policy& policy) { return policy.interval.first; });
    collections.sensitivity_w =
        std::max(collections.sensitivity_w, largest_temporal_sensitivity_steps(book_of(policies)));
  }
  return collections;
}

namespace {

/// The part within the horizon; nothing when none is left.
std::optional<Policy> within_horizon(Policy policy, std::uint64_t slots, HorizonRule beyond) {
  const auto last = static_cast<Slot>(slots) - 1;
  if (policy.interval.first > last || (beyond == HorizonRule::drop && policy.interval.last > last)) return std::nullopt;
  policy.interval.last = std::min(policy.interval.last, last);
  policy.length_slots = std::min(policy.length_slots, policy.interval.slots());
  policy.shape = nullptr;
  return policy;
}

Result<std::vector<std::string>> files_of(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code failed;
  for (std::filesystem::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
    if (at->is_regular_file()) files.push_back(at->path().string());
  if (failed) return Error{Cause::bad_input, folder + ": cannot be read as a folder of policies: " + failed.message()};
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

Result<Collections> read_collections(const std::string& folder, std::uint64_t households, std::uint64_t slots,
                                     HorizonRule beyond) {
  FUGU_ASSIGN(const std::vector<std::string> files, files_of(folder));
  FUGU_ASSIGN(const UnitStep watt, UnitStep::parse("0.001"));
  Collections collections;
  for (const std::string& file : files) {
    FUGU_ASSIGN(Input input, Input::open(file));
    FUGU_ASSIGN(const PolicyBook book,
                read_policy_book(std::move(input), {.unit_step = watt, .repeats = Repeats::keep}));
    for (MeterId meter = 0; meter < book.meter_count() && collections.policies.size() < households; ++meter) {
      std::vector<Policy> policies;
      for (const Policy& policy : book.of(meter).policies())
        if (auto kept = within_horizon(policy, slots, beyond)) policies.push_back(*std::move(kept));
      if (policies.empty()) continue;
      collections.sensitivity_w =
          std::max(collections.sensitivity_w, largest_temporal_sensitivity_steps(book_of(policies)));
      collections.policies.push_back(std::move(policies));
    }
  }
  if (collections.policies.empty())
    return Error{Cause::bad_input,
                 folder + ": holds no policy within the " + std::to_string(slots) + " slots of the study"};
  return collections;
}

std::uint64_t Collections::digest(std::size_t household) const {
  std::vector<std::uint64_t> facts;
  for (const Policy& policy : policies[household]) {
    for (const std::uint64_t fact :
         {static_cast<std::uint64_t>(policy.interval.first), static_cast<std::uint64_t>(policy.interval.last),
          policy.length_slots, policy.magnitude_steps, policy.epsilon.units()})
      facts.push_back(fact);
  }
  return XXH3_64bits(facts.data(), facts.size() * sizeof(std::uint64_t));
}

std::uint64_t Collections::longest_interval_slots(std::size_t household) const {
  std::uint64_t longest = 0;
  for (const Policy& policy : policies[household]) longest = std::max(longest, policy.interval.slots());
  return longest;
}

PolicyBook Collections::book(std::size_t household, Budget epsilon) const {
  std::vector<Policy> own = policies[household];
  for (Policy& policy : own) policy.epsilon = epsilon;
  return book_of(std::move(own));
}

CollectionFeed::CollectionFeed(const std::vector<Policy>& policies, std::optional<Budget> epsilon, std::string meter)
    : policies_(policies), epsilon_(epsilon) {
  event_.meter = std::move(meter);
}

Result<const PolicyEvent*> CollectionFeed::next(Slot, const PolicyBook&) {
  if (next_ == policies_.size()) return nullptr;
  event_.policy = policies_[next_++];
  if (epsilon_) event_.policy.epsilon = *epsilon_;
  return &event_;
}

}  // namespace fugu
