// fugu simulate households.
#pragma once

#include "command.hpp"

namespace fugu::cli {

/// Registers itself below `simulate`.
void add_households(CLI::App& simulate, Outcome& outcome);

}  // namespace fugu::cli
