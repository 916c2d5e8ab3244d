// What is promised, from the command line. Shared by publish, plan and audit.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/accounting/definition.hpp"
#include "fugu/noise/noise.hpp"
#include "fugu/stream/decimal.hpp"
#include "policy_options.hpp"
#include "schedule_file.hpp"

namespace fugu::cli {

struct DefinitionOptions {
  std::string definition;
  std::optional<double> epsilon;
  double delta = 0;
  /// What definitions take besides ε and δ, by name: slots (w, horizon), or how past losses fade (alpha, beta).
  std::map<std::string_view, std::optional<std::int64_t>> slots;
  std::map<std::string_view, std::optional<double>> factors;
  std::string sensitivity;
  std::string sensitivity_schedule;  ///< a file that says it slot by slot
  std::string budgets = "shared";

  /// `--policies` and what goes with it make a swellfish definition.
  PolicyArguments policies;

  void add_to(CLI::App& command);
  /// What says which discounted promise, and what goes with it: ε, α, β, `--horizon` and `--sensitivity-schedule`.
  void add_discounted_to(CLI::App& command, const std::string& group);
  /// `--sensitivity-schedule` alone.
  void add_schedule_to(CLI::App& command, const std::string& group);
  /// `--budgets` alone.
  void add_budgets_to(CLI::App& command, const std::string& group);
  Result<Definition> make() const;
  bool discounted() const;
  /// Also taken by mechanisms that plan for so many slots.
  std::optional<std::int64_t> horizon() const { return slots.at("horizon"); }
  /// Where sensitivities vary: the file that says how, with a column for all of these series or one for each.
  Result<std::optional<ScheduleFile>> read_schedule(std::span<const std::string> series) const;
  /// For a stream of totals: sensitivities as given, or the largest of a schedule; budgets shared or own, or as a map
  /// says. Policies without a floor need no sensitivity: they say what may change.
  Result<Exposure> exposure_of_stream(const UnitStep& unit_step, std::size_t series, const SeriesMap* map = nullptr,
                                      const ScheduleFile* schedule = nullptr) const;

 private:
  Result<Definition> make_swellfish() const;
  bool has(std::string_view parameter) const;
};

/// Warns when (ε, δ) needs more noise than ε alone, as it does where a window has few answers about a meter.
void warn_if_delta_adds_noise(Epsilon epsilon, Delta delta, NoiseKind noise, std::uint64_t answers);

/// Of any series.
std::uint64_t largest_sensitivity_steps(const Exposure& exposure);

}  // namespace fugu::cli
