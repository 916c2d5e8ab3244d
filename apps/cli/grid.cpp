// fugu grid: what an operator sees of a low-voltage network.
#include "grid.hpp"

#include <algorithm>
#include <filesystem>

#include "fugu/stream/location.hpp"

namespace fugu::cli {

namespace {

constexpr GridCommand kCommands[] = {
    {"check", "read a network, list every mistake in it or sum it up", prepare_grid_check},
    {"draw", "draw a network on an HTML page", prepare_grid_draw},
    {"generate", "make up a feeder", prepare_grid_generate},
    {"convert", "write a network of another layout in ours", prepare_grid_convert},
    {"loads", "make up what customers draw, or take recorded homes", prepare_grid_loads},
    {"requirement", "how much noise hides the use of an appliance, and what noise of some scale hides",
     prepare_grid_requirement},
    {"monitor", "voltages, loadings and violations from released numbers, estimated and drawn", prepare_grid_monitor},
    {"capacity", "which feeder is out of limits first when customers buy cars, heat pumps or panels",
     prepare_grid_capacity},
};

constexpr const char* kExamples = R"(
A tour: a street, a week of its loads, noise that hides a use of most appliances, what the operator still sees
  fugu grid generate --out street
  fugu grid check street
  fugu grid loads street --days 7 --out true.csv --measured own.csv --readings readings.csv --series-map map.csv \
                  --households households.csv
  fugu grid requirement --scale 1
  fugu publish --readings readings.csv --series-map map.csv --households households.csv --clamp=-12:12 \
               --unit-step 0.001 --definition event --epsilon 10 --mechanism uniform --ledger run.ledger --out released.csv
  fugu grid monitor street --released released.csv --measured own.csv --truth true.csv --map street.html
  fugu grid capacity street --loads true.csv --released released.csv --measured own.csv --device ev --share 0.3

The folder of a network: docs/concepts/networks.md. Names of series: docs/concepts/measurements.md.
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

std::string name_of_network(const std::string& folder) {
  const std::filesystem::path path = std::filesystem::path(folder).lexically_normal();
  return (path.has_filename() ? path.filename() : path.parent_path().filename()).string();
}

void note_unknown_ampacities(const grid::Network& network, const std::string& folder) {
  const auto unknown =
      std::ranges::count_if(network.lines(), [](const grid::Line& line) { return !line.ampacity_a.has_value(); });
  if (unknown > 0)
    note(folder + ": " + std::to_string(unknown) + " lines have no ampacity: overloads there are not seen");
}

std::string size_of(const grid::Network& network) {
  return std::to_string(network.nodes().size()) + " nodes, " + std::to_string(network.lines().size()) + " lines, " +
         std::to_string(network.customers().size()) + " customers";
}

Result<void> write_new_network(const grid::Network& network, const std::string& folder) {
  for (const std::string_view file : grid::files_of(grid::NetworkLayout::fugu)) {
    std::error_code unknown;
    if (std::filesystem::exists(std::filesystem::path(folder) / file, unknown)) {
      return Error{Cause::usage, "--out: found " + std::string(file) + " in " + shown_name(folder) +
                                     ", which would be lost; expected a folder without a network"};
    }
  }
  FUGU_TRY(grid::write_network(network, folder));
  note("wrote " + size_of(network) + " to " + shown_name(folder));
  return {};
}

Result<void> check_not_of_network(const std::string& folder, std::initializer_list<FileOption> written) {
  FUGU_ASSIGN(const grid::NetworkLayout layout, grid::layout_of(folder));
  for (const FileOption& file : written) {
    for (const std::string_view name : grid::files_of(layout)) {
      if (same_file((std::filesystem::path(folder) / name).string(), file.path)) {
        return Error{Cause::usage, std::string(file.option) + ": found " + shown_name(file.path) +
                                       ", which is a file of the network; expected another name"};
      }
    }
  }
  return {};
}

void add_grid(CLI::App& app, Outcome& outcome) {
  CLI::App* grid =
      app.add_subcommand("grid", "See a low-voltage network as its operator does, through released values");
  grid->footer(kExamples);
  grid->require_subcommand(1);
  for (const GridCommand& each : kCommands) each.prepare(*grid->add_subcommand(each.name, each.summary), outcome);
}

}  // namespace fugu::cli
