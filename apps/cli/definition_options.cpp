#include "definition_options.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <sstream>

#include "command.hpp"
#include "fugu/accounting/definition_kind.hpp"
#include "fugu/accounting/zcdp.hpp"
#include "source_options.hpp"

namespace fugu::cli {

namespace {

std::string option_of(std::string_view parameter) { return "--" + std::string(parameter); }

/// "a, b or c"
std::string one_of(const std::vector<std::string>& names) {
  std::string text = names.front();
  for (std::size_t i = 1; i < names.size(); ++i) text += (i + 1 < names.size() ? ", " : " or ") + names[i];
  return text;
}

}  // namespace

void DefinitionOptions::add_budgets_to(CLI::App& command, const std::string& group) {
  command
      .add_option("--budgets", budgets,
                  "Several series of a stream: shared when a meter may count into more than one, own when none does")
      ->check(CLI::IsMember({"shared", "own"}))
      ->capture_default_str()
      ->group(group);
}

void DefinitionOptions::add_schedule_to(CLI::App& command, const std::string& group) {
  command
      .add_option("--sensitivity-schedule", sensitivity_schedule,
                  "Instead of --sensitivity, CSV time,sensitivity (or time,<series>…): each row holds from its time on "
                  "until the next; times of day (06:00) come again every day. Public, so never read off the data")
      ->group(group);
}

void DefinitionOptions::add_discounted_to(CLI::App& command, const std::string& group) {
  std::vector<std::string> names;
  for (const DefinitionKind* kind : definition_kinds()) {
    if (kind->discount) names.emplace_back(kind->name);
  }
  command.add_option("--definition", definition, one_of(names) + " (see: fugu describe " + names.front() + ")")
      ->check(CLI::IsMember(names))
      ->group(group);
  command.add_option("--epsilon", epsilon, "How well: 0.1 is strong, 1 usual, 10 weak. There is no default")
      ->group(group);
  for (const DefinitionKind* kind : definition_kinds()) {
    const std::string_view name = kind->parameter.name;
    if (kind->discount)
      command
          .add_option(option_of(name), factors[name],
                      std::string(kind->name) + ": " + std::string(kind->parameter.help))
          ->group(group);
    if (kind->has_horizon)
      command.add_option(option_of(name), slots[name], "planned: how many slots there will be; --slots when left out")
          ->group(group);
  }
  add_schedule_to(command, group);
}

void DefinitionOptions::add_to(CLI::App& command) {
  const std::string group = "Promise";
  std::vector<std::string> names;
  for (const DefinitionKind* kind : definition_kinds()) names.emplace_back(kind->name);
  command.add_option("--definition", definition, one_of(names) + " (see: fugu describe w-event)")
      ->check(CLI::IsMember(names))
      ->group(group);
  command.add_option("--epsilon", epsilon, "How well: 0.1 is strong, 1 usual, 10 weak. There is no default")
      ->group(group);
  command
      .add_option("--delta", delta, "0 for a pure promise, else a probability far below one in the number of meters")
      ->capture_default_str()
      ->group(group);
  for (const DefinitionKind* kind : definition_kinds()) {
    const std::string_view name = kind->parameter.name;
    if (name.empty()) continue;
    std::string help = std::string(kind->name) + ": " + std::string(kind->parameter.help);
    if (kind->has_horizon) help += "; --mechanism planned: how many there will be";
    CLI::Option* option = kind->has_window() ? command.add_option(option_of(name), slots[name], help)
                                             : command.add_option(option_of(name), factors[name], help);
    option->group(group);
  }
  command
      .add_option("--sensitivity", sensitivity,
                  "By how much one meter can change each series in a slot: one number, or one per series (10,3). "
                  "Not with --readings, where the clamp says it")
      ->group(group);
  add_schedule_to(command, group);
  add_budgets_to(command, group);
  policies.add_to(command);
}

Result<Definition> DefinitionOptions::make_swellfish() const {
  if (!policies.given()) return Error{Cause::usage, "--policies is missing: swellfish keeps what a policies file says"};
  const auto given = [this](const DefinitionKind* kind) { return has(kind->parameter.name); };
  if (epsilon || std::ranges::any_of(definition_kinds(), given))
    return Error{Cause::usage,
                 "--epsilon, --w, --horizon, --alpha and --beta do not go with --policies: each policy says its own, "
                 "and --floor says "
                 "what holds for everybody"};
  if (!sensitivity_schedule.empty())
    return Error{Cause::usage,
                 "--sensitivity-schedule does not go with --policies: they say themselves what may change when. Give "
                 "--sensitivity, the largest, for the floor"};
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
  for (const DefinitionKind* kind : definition_kinds()) {
    const auto& [name, symbol, help, missing] = kind->parameter;
    const bool wanted = definition == kind->name;
    if (wanted && !name.empty() && !has(name)) complain(option_of(name) + " is missing: " + std::string(missing));
    if (wanted || !has(name) || (kind->has_horizon && discounted())) continue;
    complain(option_of(name) + " belongs to --definition " + std::string(kind->name) +
             (kind->has_horizon ? ", or to --mechanism planned of a discounted one" : ""));
  }
  if (std::ranges::any_of(slots, [](const auto& given) { return given.second && *given.second < 1; }))
    complain("--w and --horizon must be at least 1 slot");
  if (discounted() && delta > 0) complain("--delta: discounted definitions are pure promises: leave it out");
  if (!wrong.empty()) return Error{Cause::usage, wrong};
  const DefinitionKind& kind = protects_named(definition)->kind();
  Definition::Options options{.protects = kind, .epsilon = *checked_epsilon, .delta = *checked_delta};
  if (const std::string_view name = kind.parameter.name; kind.discount) {
    options.discount = factors.at(name);
  } else if (!name.empty()) {
    options.window_slots = static_cast<std::uint64_t>(*slots.at(name));
  }
  return Definition::make(options);
}

bool DefinitionOptions::has(std::string_view parameter) const {
  const auto as_slots = slots.find(parameter);
  const auto as_factor = factors.find(parameter);
  return (as_slots != slots.end() && as_slots->second) || (as_factor != factors.end() && as_factor->second);
}

bool DefinitionOptions::discounted() const {
  const auto protects = protects_named(definition);
  return protects && protects->kind().discount;
}

Result<std::optional<ScheduleFile>> DefinitionOptions::read_schedule(std::span<const std::string> series) const {
  if (sensitivity_schedule.empty()) return std::optional<ScheduleFile>();
  if (!sensitivity.empty())
    return Error{Cause::usage, "--sensitivity-schedule says it for every slot: leave --sensitivity out"};
  FUGU_ASSIGN(ScheduleFile file, ScheduleFile::read(sensitivity_schedule, "sensitivity", series));
  return std::optional(std::move(file));
}

Result<Exposure> DefinitionOptions::exposure_of_stream(const UnitStep& unit_step, std::size_t series,
                                                       const SeriesMap* map, const ScheduleFile* schedule) const {
  if (sensitivity.empty() && schedule == nullptr && !policies.exact_when_idle)
    return Error{
        Cause::usage,
        "--sensitivity is missing: by how much one meter can change a series in one slot, in the stream's unit"};
  Exposure::Options exposure;
  if (schedule != nullptr) {
    FUGU_ASSIGN(const SensitivityRows rows, SensitivityRows::of(*schedule, unit_step, series));
    exposure.sensitivity_steps = rows.largest();
  } else if (sensitivity.empty()) {
    exposure.sensitivity_steps.assign(series, 1);
  }
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
