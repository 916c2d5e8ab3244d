#include "fugu/accounting/definition.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace fugu {

namespace {

constexpr std::uint64_t kLargestHorizonSlots = std::uint64_t{1} << 40;
constexpr std::uint64_t kLargestSensitivitySteps = std::uint64_t{1} << 40;
// Beyond these a year is as good as undiscounted, or only the present counts; the accountant's sum of exponentials is
// made for what lies between.
constexpr double kSmallestBeta = 0x1p-20;
constexpr double kLargestBeta = 0x1p20;

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.15g", value);
  return text;
}

}  // namespace

std::string_view name_of(Protects protects) {
  switch (protects) {
    case Protects::event: return "event";
    case Protects::user: return "user";
    case Protects::w_event: return "w-event";
    case Protects::swellfish: return "swellfish";
    case Protects::discounted_exp: return "discounted-exp";
    case Protects::discounted_hyp: return "discounted-hyp";
  }
  FUGU_CHECK(false);
  return {};
}

std::optional<Protects> protects_named(std::string_view name) {
  for (const Protects candidate : {Protects::event, Protects::user, Protects::w_event, Protects::swellfish,
                                   Protects::discounted_exp, Protects::discounted_hyp}) {
    if (name == name_of(candidate)) return candidate;
  }
  return std::nullopt;
}

namespace {

Result<void> check_swellfish(const Definition::Options& options) {
  if (options.epsilon.one() || options.window_slots)
    return Error{Cause::usage, "swellfish has no epsilon or window of its own: each policy states them"};
  if ((options.floor != nullptr) == options.exact_when_idle)
    return Error{Cause::usage,
                 "say what holds where no policy is relevant: a floor for everybody, or true values (one of the two)"};
  if (options.floor == nullptr) return {};
  if (options.floor->protects() == Protects::swellfish || options.floor->discount())
    return Error{Cause::usage, "the floor must be event, user or w-event: something that holds for everybody"};
  if (options.floor->delta().value() != options.delta.value())
    return Error{Cause::usage, "the floor must have the same delta as the policies"};
  return {};
}

Result<void> check_discounted(const Definition::Options& options) {
  const std::string name(name_of(options.protects));
  if (options.window_slots) return Error{Cause::usage, name + " has no window: it reaches back over the whole stream"};
  if (options.delta.value() > 0)
    return Error{Cause::usage, name + " is a pure promise: delta must be 0 (leave it out)"};
  if (!options.discount)
    return Error{Cause::usage, name + " needs " + (options.protects == Protects::discounted_exp ? "alpha" : "beta") +
                                   ": how fast past losses count less"};
  const double factor = *options.discount;
  if (options.protects == Protects::discounted_exp && !(factor > 0 && factor < 1))
    return Error{Cause::usage, "alpha must be a number between 0 and 1 (exclusive), for example 0.9"};
  if (options.protects == Protects::discounted_hyp && !(factor >= kSmallestBeta && factor <= kLargestBeta))
    return Error{Cause::usage, "beta must be a number from 1e-6 to 1e6 (exactly: 2^-20 to 2^20), for example 1"};
  return {};
}

}  // namespace

double Discount::weight(std::uint64_t age_slots) const {
  const auto age = static_cast<double>(age_slots);
  return kind == Kind::exponential ? std::pow(factor, age) : 1 / (1 + factor * age);
}

std::optional<Discount> Definition::discount() const {
  if (!options_.discount) return std::nullopt;
  return Discount{protects() == Protects::discounted_exp ? Discount::Kind::exponential : Discount::Kind::hyperbolic,
                  *options_.discount};
}

Result<Definition> Definition::make(const Options& options) {
  Options checked = options;
  if (options.protects == Protects::swellfish) {
    FUGU_TRY(check_swellfish(options));
  } else if (!options.epsilon.one() || options.floor != nullptr || options.exact_when_idle) {
    return Error{Cause::usage, std::string(name_of(options.protects)) +
                                   " needs epsilon; a floor and true values when idle belong to swellfish"};
  }
  const bool discounted = options.protects == Protects::discounted_exp || options.protects == Protects::discounted_hyp;
  if (!discounted && options.discount)
    return Error{Cause::usage, std::string(name_of(options.protects)) + " does not discount: no alpha or beta"};
  switch (options.protects) {
    case Protects::event:
      if (options.window_slots && *options.window_slots != 1)
        return Error{Cause::usage, "event level protects single slots: w must be absent (or 1)"};
      checked.window_slots = 1;
      break;
    case Protects::w_event:
      if (!options.window_slots) return Error{Cause::usage, "w-event needs w, the length of the window in slots"};
      if (*options.window_slots < 1 || *options.window_slots > kLargestWindowSlots)
        return Error{Cause::usage,
                     "w must be a whole number of slots from 1 to " + std::to_string(kLargestWindowSlots)};
      break;
    case Protects::user:
      if (!options.window_slots)
        return Error{Cause::usage,
                     "user level needs a horizon: the largest number of slots that will ever be released"};
      if (*options.window_slots < 1 || *options.window_slots > kLargestHorizonSlots)
        return Error{Cause::usage, "the horizon must be a whole number of slots from 1 to 2^40"};
      break;
    case Protects::discounted_exp:
    case Protects::discounted_hyp: FUGU_TRY(check_discounted(options)); break;
    case Protects::swellfish: break;
  }
  return Definition(checked);
}

std::string Definition::text() const {
  if (protects() == Protects::swellfish) {
    std::string text = "swellfish, each policy with its own ε";
    if (delta().value() > 0) text += ", δ = " + number(delta().value());
    return text + (floor() != nullptr ? "; floor: " + floor()->text() : "; true values when idle");
  }
  std::string text(name_of(protects()));
  text += ", ε = " + number(epsilon().value());
  if (delta().value() > 0) text += ", δ = " + number(delta().value());
  if (protects() == Protects::w_event) text += ", w = " + std::to_string(window_slots());
  if (const auto how = discount())
    text += (how->kind == Discount::Kind::exponential ? ", α = " : ", β = ") + number(how->factor);
  if (protects() == Protects::user) text += ", horizon = " + std::to_string(window_slots());
  return text;
}

std::vector<std::vector<SeriesId>> Exposure::all_shared(std::size_t series) {
  std::vector<SeriesId> all(series);
  std::iota(all.begin(), all.end(), SeriesId{0});
  return {all};
}

std::vector<std::vector<SeriesId>> Exposure::all_disjoint(std::size_t series) {
  std::vector<std::vector<SeriesId>> each;
  for (std::size_t i = 0; i < series; ++i) each.push_back({static_cast<SeriesId>(i)});
  return each;
}

Result<Exposure> Exposure::make(Options options) {
  const std::size_t series = options.sensitivity_steps.size();
  if (series == 0) return Error{Cause::usage, "there must be at least one series"};
  for (const std::uint64_t steps : options.sensitivity_steps) {
    if (steps < 1 || steps > kLargestSensitivitySteps)
      return Error{
          Cause::usage,
          "the sensitivity must be at least one unit step and at most 2^40 of them; choose --unit-step to fit"};
  }
  std::vector<bool> covered(series, false);
  for (auto& signature : options.signatures) {
    std::sort(signature.begin(), signature.end());
    signature.erase(std::unique(signature.begin(), signature.end()), signature.end());
    for (const SeriesId id : signature) {
      if (id >= series) return Error{Cause::usage, "a signature names a series that does not exist"};
      covered[id] = true;
    }
  }
  if (std::find(covered.begin(), covered.end(), false) != covered.end())
    return Error{Cause::usage, "every series needs at least one meter that may count into it"};
  return Exposure(std::move(options));
}

Exposure Exposure::of_one_unit(std::vector<SeriesId> series) const {
  return Exposure({.sensitivity_steps = options_.sensitivity_steps, .signatures = {std::move(series)}});
}

std::optional<std::uint32_t> Exposure::signature_with(std::span<const SeriesId> series) const {
  const std::size_t all = options_.signatures.size();
  if (series.empty()) return all > 0 ? std::optional<std::uint32_t>(0) : std::nullopt;
  for (const std::uint32_t g : signatures_of_[series.front()]) {
    const std::vector<SeriesId>& signature = options_.signatures[g];
    if (std::includes(signature.begin(), signature.end(), series.begin(), series.end())) return g;
  }
  return std::nullopt;
}

Exposure::Exposure(Options options)
    : options_(std::move(options)),
      signatures_of_(options_.sensitivity_steps.size()),
      series_per_meter_(options_.sensitivity_steps.size(), 0) {
  for (std::size_t s = 0; s < options_.signatures.size(); ++s) {
    const std::vector<SeriesId>& signature = options_.signatures[s];
    for (const SeriesId id : signature) {
      signatures_of_[id].push_back(static_cast<std::uint32_t>(s));
      series_per_meter_[id] = std::max(series_per_meter_[id], static_cast<std::uint64_t>(signature.size()));
    }
  }
}

}  // namespace fugu
