// The sub-commands of `fugu grid`. Another one is one file and one row of the table in grid.cpp.
#pragma once

#include <initializer_list>
#include <string>

#include "command.hpp"
#include "file_options.hpp"
#include "fugu/network/network_reader.hpp"

namespace fugu::cli {

struct GridCommand {
  const char* name;
  const char* summary;  ///< one line
  /// Adds options and examples to `command`, and a callback that stores the outcome.
  void (*prepare)(CLI::App& command, Outcome& outcome);
};

void prepare_grid_check(CLI::App& command, Outcome& outcome);
void prepare_grid_convert(CLI::App& command, Outcome& outcome);
void prepare_grid_draw(CLI::App& command, Outcome& outcome);
void prepare_grid_generate(CLI::App& command, Outcome& outcome);
void prepare_grid_monitor(CLI::App& command, Outcome& outcome);
void prepare_grid_loads(CLI::App& command, Outcome& outcome);
void prepare_grid_requirement(CLI::App& command, Outcome& outcome);
void prepare_grid_capacity(CLI::App& command, Outcome& outcome);

/// Which network, as all of them are told.
struct NetworkOptions {
  std::string folder;
  bool allow_loops = false;
  bool allow_unusual = false;

  void add_to(CLI::App& command);
  Result<grid::Network> read() const;
};

/// Says how many lines have no ampacity, if any: no overload is seen there.
void note_unknown_ampacities(const grid::Network& network, const std::string& folder);

/// `36 nodes, 35 lines, 25 customers`.
std::string size_of(const grid::Network& network);

/// Writes a network into a folder that holds none of its files yet, and says so.
Result<void> write_new_network(const grid::Network& network, const std::string& folder);

/// Nothing that is written takes the place of a file of the network in `folder`; else Cause::usage.
Result<void> check_not_of_network(const std::string& folder, std::initializer_list<FileOption> written);

/// The name of its folder.
std::string name_of_network(const std::string& folder);

}  // namespace fugu::cli
