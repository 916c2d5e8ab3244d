// Which temporal perturbation, from the command line. Shared by meter and audit.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>

#include "fugu/meter/temporal_scheme.hpp"

namespace fugu::cli {

struct SchemeOptions {
  std::optional<double> b;
  std::optional<double> lambda;
  std::optional<double> epsilon;
  std::optional<double> delta;
  Slot move_slots = 1;
  unsigned parts = 1;

  void add_to(CLI::App& command);
  Result<TemporalScheme> scheme() const;
};

}  // namespace fugu::cli
