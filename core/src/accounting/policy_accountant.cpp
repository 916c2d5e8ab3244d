#include "fugu/accounting/policy_accountant.hpp"

#include <algorithm>

#include "cost.hpp"

namespace fugu {

namespace {

// Weights of pairs are products of two magnitudes and must fit 64 bits.
constexpr std::uint64_t kMagnitudeStepsMaxRho = std::uint64_t{1} << 31;

/// Whether no series is changed by two lanes: then no series changes by more than the largest entry.
bool is_envelope(const Shape& shape) {
  return std::all_of(shape.alternatives.begin(), shape.alternatives.end(), [](const Profile& profile) {
    std::vector<std::optional<SeriesId>> named;
    for (const Lane& lane : profile.lanes) named.push_back(lane.series);
    std::sort(named.begin(), named.end());
    const bool twice = std::adjacent_find(named.begin(), named.end()) != named.end();
    return !twice && (named.size() == 1 || named.front().has_value());
  });
}

/// Whether a meter with any of these signatures counts into every series that the shape names.
bool reaches_lanes(const Shape& shape, const Exposure& exposure, std::span<const std::uint32_t> signatures) {
  const auto in_all = [&](SeriesId series) {
    if (series >= exposure.series_count()) return false;
    const auto& having = exposure.signatures_of(series);
    if (signatures.empty()) return having.size() == exposure.signature_count();
    return std::all_of(signatures.begin(), signatures.end(),
                       [&](std::uint32_t g) { return std::find(having.begin(), having.end(), g) != having.end(); });
  };
  for (const Profile& profile : shape.alternatives) {
    for (const Lane& lane : profile.lanes) {
      if (lane.series && !in_all(*lane.series)) return false;
    }
  }
  return true;
}

}  // namespace

Result<void> check_accountable(const Definition& definition, const Exposure& exposure,
                               std::span<const std::uint32_t> signatures, const Policy& policy) {
  const Currency currency = currency_of(definition);
  if (policy.interval.last < policy.interval.first || policy.magnitude_steps < 1 || policy.length_slots < 1 ||
      policy.length_slots > policy.interval.slots() || policy.epsilon.units() == 0)
    return Error{Cause::bad_input, "a policy needs a magnitude, a length that fits its interval, and an epsilon"};
  const std::uint64_t largest = currency == Currency::epsilon ? kMagnitudeStepsMax : kMagnitudeStepsMaxRho;
  if (policy.magnitude_steps > largest)
    return Error{Cause::bad_input, "the magnitude is more than " + std::to_string(largest) +
                                       " unit steps, too much to account: choose a coarser unit step"};
  if (std::any_of(signatures.begin(), signatures.end(), [&](auto g) { return g >= exposure.signature_count(); }))
    return Error{Cause::bad_input, "the meter's series are not those of this stream"};
  if (policy.shape && !reaches_lanes(*policy.shape, exposure, signatures))
    return Error{
        Cause::bad_input,
        "the profile names a series that its meter does not, or need not, count into: a series map says who does"};
  if (policy.shape && currency == Currency::rho && !is_envelope(*policy.shape))
    return Error{Cause::bad_input, "the profile changes a series in two ways at once: name each series once"};
  return {};
}

}  // namespace fugu
