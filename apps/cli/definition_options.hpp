// What is promised, from the command line. Shared by publish and audit.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "fugu/accounting/definition.hpp"
#include "fugu/stream/decimal.hpp"
#include "policy_options.hpp"

namespace fugu::cli {

struct DefinitionOptions {
  std::string definition;
  std::optional<double> epsilon;
  double delta = 0;
  std::optional<std::int64_t> w;
  std::optional<std::int64_t> horizon;
  std::optional<double> alpha;
  std::optional<double> beta;
  std::string sensitivity;
  std::string budgets = "shared";

  /// `--policies` and what goes with it make a swellfish definition.
  PolicyArguments policies;

  void add_to(CLI::App& command);
  Result<Definition> make() const;
  bool discounted() const { return definition == "discounted-exp" || definition == "discounted-hyp"; }
  /// For a stream of totals: sensitivities as given, budgets shared or own. Policies without a floor need no
  /// sensitivity: they say what may change.
  Result<Exposure> exposure_of_stream(const UnitStep& unit_step, std::size_t series) const;

 private:
  Result<Definition> make_swellfish() const;
};

}  // namespace fugu::cli
