// The sub-commands of `fugu querylog`. Another one is one file and one row of the table in querylog.cpp.
#pragma once

#include "command.hpp"

namespace fugu::cli {

struct QuerylogCommand {
  const char* name;
  const char* summary;  ///< one line
  /// Adds options and examples to `command`, and a callback that stores the outcome.
  void (*prepare)(CLI::App& command, Outcome& outcome);
};

void prepare_querylog_distances(CLI::App& command, Outcome& outcome);
void prepare_querylog_mine(CLI::App& command, Outcome& outcome);

}  // namespace fugu::cli
