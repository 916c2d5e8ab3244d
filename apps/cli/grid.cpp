// fugu grid: what an operator sees of a low-voltage network.
#include "grid.hpp"

namespace fugu::cli {

namespace {

constexpr GridCommand kCommands[] = {
    {"check", "read a network, list every mistake in it or sum it up", prepare_grid_check},
    {"loads", "make up what customers draw, or take recorded homes", prepare_grid_loads},
    {"capacity", "which feeder is out of limits first when customers buy cars, heat pumps or panels",
     prepare_grid_capacity},
};

constexpr const char* kExamples = R"(
Examples
  fugu grid check NETWORK        the folder of a network; which files it holds: docs/concepts/networks.md
  fugu grid loads NETWORK        loads of its customers, for all that follows
  fugu grid capacity NETWORK --loads loads.csv --share 0.3
)";

}  // namespace

void NetworkOptions::add_to(CLI::App& command) {
  command.add_option("network", folder, "Folder with the network's files: ours, IEEE European LV or SimBench")
      ->required();
  command.add_flag("--allow-loops", allow_loops, "Loops are no mistake");
  command.add_flag("--allow-unusual", allow_unusual, "Parameters that low-voltage networks do not have are no mistake");
}

Result<grid::Network> NetworkOptions::read() const {
  return grid::read_network(folder, {.radial = !allow_loops, .usual_values = !allow_unusual});
}

void add_grid(CLI::App& app, Outcome& outcome) {
  CLI::App* grid =
      app.add_subcommand("grid", "See a low-voltage network as its operator does, through released values");
  grid->footer(kExamples);
  grid->require_subcommand(1);
  for (const GridCommand& each : kCommands) each.prepare(*grid->add_subcommand(each.name, each.summary), outcome);
}

}  // namespace fugu::cli
