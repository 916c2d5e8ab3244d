#include "fugu/accounting/definition.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "fugu/accounting/definition_kind.hpp"

namespace fugu {

namespace {

constexpr std::uint64_t kLargestSensitivitySteps = std::uint64_t{1} << 40;

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.15g", value);
  return text;
}

Result<void> check_over_time(const Exposure::Options& options) {
  const auto fits = [](std::uint64_t now, std::uint64_t largest) { return now >= 1 && now <= largest; };
  bool all_fit = options.over_time.is_complete();
  for (const auto& row : options.over_time.rows)
    all_fit = all_fit && std::ranges::equal(row.value, options.sensitivity_steps, fits);
  if (all_fit) return {};
  return Error{Cause::usage,
               "sensitivities that vary must begin with slot 0 and have in every row one for each series, from one "
               "unit step to the largest"};
}

}  // namespace

double Discount::weight(std::uint64_t age_slots) const {
  const auto age = static_cast<double>(age_slots);
  return kind == Kind::exponential ? std::pow(factor, age) : 1 / (1 + factor * age);
}

std::optional<Discount> Definition::discount() const {
  if (!kind().discount) return std::nullopt;
  return Discount{*kind().discount, *options_.discount};
}

Result<Definition> Definition::make(const Options& options) {
  const DefinitionKind& kind = options.protects.kind();
  // A row from elsewhere could bring any accountant.
  FUGU_CHECK(protects_named(kind.name) == options.protects);
  if (!kind.has_policies && (!options.epsilon.one() || options.floor != nullptr || options.exact_when_idle))
    return Error{Cause::usage,
                 std::string(kind.name) + " needs epsilon; a floor and true values when idle belong to swellfish"};
  if (!kind.discount && options.discount)
    return Error{Cause::usage, std::string(kind.name) + " does not discount: no alpha or beta"};
  Options checked = options;
  FUGU_TRY(kind.check(checked));
  return Definition(checked);
}

std::string Definition::text() const {
  std::string text(kind().name);
  text += kind().has_policies ? ", each policy with its own ε" : ", ε = " + number(epsilon().value());
  if (delta().value() > 0) text += ", δ = " + number(delta().value());
  if (kind().has_policies)
    return text + (floor() != nullptr ? "; floor: " + floor()->text() : "; true values when idle");
  if (const std::string symbol(kind().parameter.symbol); !symbol.empty())
    text += ", " + symbol + " = " + (kind().discount ? number(*options_.discount) : std::to_string(window_slots()));
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
          "the sensitivity must be at least one unit step and at most 2^40 of them; choose a unit step to fit"};
  }
  if (!options.over_time.rows.empty()) FUGU_TRY(check_over_time(options));
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
  return Exposure({.sensitivity_steps = options_.sensitivity_steps,
                   .signatures = {std::move(series)},
                   .over_time = options_.over_time});
}

Result<Exposure> Exposure::varying(SlotSchedule<std::vector<std::uint64_t>> over_time) const {
  Options options = options_;
  options.over_time = std::move(over_time);
  return make(std::move(options));
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
