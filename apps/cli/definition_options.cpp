#include "definition_options.hpp"

#include <cmath>
#include <cstdio>
#include <numbers>
#include <sstream>

#include "command.hpp"
#include "fugu/accounting/zcdp.hpp"
#include "source_options.hpp"

namespace fugu::cli {

void DefinitionOptions::add_budgets_to(CLI::App& command, const std::string& group) {
  command
      .add_option("--budgets", budgets,
                  "Several series of a stream: shared when a meter may count into more than one, own when none does")
      ->check(CLI::IsMember({"shared", "own"}))
      ->capture_default_str()
      ->group(group);
}

void DefinitionOptions::add_to(CLI::App& command) {
  const std::string group = "Promise";
  command
      .add_option("--definition", definition,
                  "event, user, w-event, swellfish, discounted-exp or discounted-hyp (see: fugu describe w-event)")
      ->check(CLI::IsMember({"event", "user", "w-event", "swellfish", "discounted-exp", "discounted-hyp"}))
      ->group(group);
  command.add_option("--epsilon", epsilon, "How well: 0.1 is strong, 1 usual, 10 weak. There is no default")
      ->group(group);
  command
      .add_option("--delta", delta, "0 for a pure promise, else a probability far below one in the number of meters")
      ->capture_default_str()
      ->group(group);
  command.add_option("--w", w, "w-event: length of the protected window in slots")->group(group);
  command
      .add_option("--horizon", horizon,
                  "user: the largest number of slots that will ever be released; --mechanism planned: how many there "
                  "will be")
      ->group(group);
  command
      .add_option("--alpha", alpha, "discounted-exp: a loss of j slots ago counts alpha^j, for example 0.9; below 1")
      ->group(group);
  command.add_option("--beta", beta, "discounted-hyp: a loss of j slots ago counts 1/(1 + beta j), for example 1")
      ->group(group);
  command
      .add_option("--sensitivity", sensitivity,
                  "By how much one meter can change each series in a slot: one number, or one per series (10,3). "
                  "Not with --readings, where the clamp says it")
      ->group(group);
  add_budgets_to(command, group);
  policies.add_to(command);
}

Result<Definition> DefinitionOptions::make_swellfish() const {
  if (!policies.given()) return Error{Cause::usage, "--policies is missing: swellfish keeps what a policies file says"};
  if (epsilon || w || horizon || alpha || beta)
    return Error{Cause::usage,
                 "--epsilon, --w, --horizon, --alpha and --beta do not go with --policies: each policy says its own, "
                 "and --floor says "
                 "what holds for everybody"};
  const auto checked_delta = Delta::make(delta);
  if (!checked_delta) return Error{Cause::usage, "--delta: " + checked_delta.error().message};
  return policies.definition(*checked_delta);
}

Result<Definition> DefinitionOptions::make() const {
  if (definition == "swellfish" || (definition.empty() && policies.given())) return make_swellfish();
  if (policies.given() || !policies.floor.empty() || policies.exact_when_idle)
    return Error{Cause::usage, "--policies, --floor and --exact-when-idle belong to --definition swellfish"};
  if (policies.about_policies())
    return Error{
        Cause::usage,
        "--notice, --largest-magnitude, --smallest-epsilon, --most-overlapping and --repeats say which policies "
        "are admitted: give --policies, or leave them out"};
  // All that is wrong at once: nobody wants to correct a command line one error at a time.
  std::string wrong;
  const auto complain = [&](const std::string& what) { wrong += (wrong.empty() ? "" : "\n       ") + what; };
  if (definition.empty())
    complain("--definition is missing: event, user, w-event or a discounted one (or give --policies)");
  if (!epsilon) complain("--epsilon is missing: there is no default, choose how well to protect (for example 1)");
  const auto checked_epsilon = Epsilon::make(epsilon.value_or(1));
  if (!checked_epsilon) complain("--epsilon: " + checked_epsilon.error().message);
  const auto checked_delta = Delta::make(delta);
  if (!checked_delta) complain("--delta: " + checked_delta.error().message);
  if (definition == "w-event" && !w) complain("--w is missing: the length of the protected window in slots");
  if (definition == "user" && !horizon) complain("--horizon is missing: the largest number of slots ever released");
  if (definition != "w-event" && w) complain("--w belongs to --definition w-event");
  if (definition != "user" && !discounted() && horizon)
    complain("--horizon belongs to --definition user, or to --mechanism planned of a discounted one");
  if ((w && *w < 1) || (horizon && *horizon < 1)) complain("--w and --horizon must be at least 1 slot");
  if (definition == "discounted-exp" && !alpha) complain("--alpha is missing: between 0 and 1, for example 0.9");
  if (definition == "discounted-hyp" && !beta) complain("--beta is missing: above 0, for example 1");
  if (definition != "discounted-exp" && alpha) complain("--alpha belongs to --definition discounted-exp");
  if (definition != "discounted-hyp" && beta) complain("--beta belongs to --definition discounted-hyp");
  if (discounted() && delta > 0) complain("--delta: discounted definitions are pure promises: leave it out");
  if (!wrong.empty()) return Error{Cause::usage, wrong};
  std::optional<std::uint64_t> window;
  if (w) window = static_cast<std::uint64_t>(*w);
  if (horizon && definition == "user") window = static_cast<std::uint64_t>(*horizon);
  return Definition::make({.protects = *protects_named(definition),
                           .epsilon = *checked_epsilon,
                           .delta = *checked_delta,
                           .window_slots = window,
                           .discount = alpha ? alpha : beta});
}

Result<Exposure> DefinitionOptions::exposure_of_stream(const UnitStep& unit_step, std::size_t series,
                                                       const SeriesMap* map) const {
  if (sensitivity.empty() && !policies.exact_when_idle)
    return Error{
        Cause::usage,
        "--sensitivity is missing: by how much one meter can change a series in one slot, in the stream's unit"};
  Exposure::Options exposure;
  if (sensitivity.empty()) exposure.sensitivity_steps.assign(series, 1);
  std::stringstream list(sensitivity);
  for (std::string item; std::getline(list, item, ',');) {
    FUGU_ASSIGN(const std::uint64_t steps, parse_magnitude(unit_step, item, "--sensitivity"));
    warn_if_rounded(unit_step, item, steps, "--sensitivity");
    exposure.sensitivity_steps.push_back(steps);
  }
  if (exposure.sensitivity_steps.size() == 1) exposure.sensitivity_steps.resize(series, exposure.sensitivity_steps[0]);
  if (exposure.sensitivity_steps.size() != series)
    return Error{Cause::usage, "--sensitivity: found " + std::to_string(exposure.sensitivity_steps.size()) +
                                   " numbers; expected one, or one for each of the " + std::to_string(series) +
                                   " series"};
  exposure.signatures = map != nullptr     ? map->signatures()
                        : budgets == "own" ? Exposure::all_disjoint(series)
                                           : Exposure::all_shared(series);
  return Exposure::make(std::move(exposure));
}

void warn_if_delta_adds_noise(Epsilon epsilon, Delta delta, NoiseKind noise, std::uint64_t answers) {
  if (delta.value() == 0) return;  // advise asks for any promise
  const auto count = static_cast<double>(answers);
  const double rho = zcdp_rho(epsilon, delta).to_double();
  const double without = std::numbers::sqrt2 * count / epsilon.value();
  const double with = std::sqrt(count / (2 * rho)) * (noise == NoiseKind::laplace ? std::numbers::sqrt2 : 1);
  if (with <= without) return;
  char text[256];
  std::snprintf(text, sizeof text,
                "--delta adds noise here: of %llu %s per window and meter it has a standard deviation of %.3g "
                "sensitivities, and of %.3g without --delta",
                static_cast<unsigned long long>(answers), answers == 1 ? "value" : "values", with, without);
  warn(text);
}

std::uint64_t largest_sensitivity_steps(const Exposure& exposure) {
  std::uint64_t largest = 0;
  for (SeriesId id = 0; id < exposure.series_count(); ++id) largest = std::max(largest, exposure.sensitivity_steps(id));
  return largest;
}

}  // namespace fugu::cli
