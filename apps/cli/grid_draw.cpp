// fugu grid draw.
#include <filesystem>

#include "file_options.hpp"
#include "fugu/report/network_map.hpp"
#include "grid.hpp"
#include "table.hpp"

namespace fugu::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* kExamples = R"(
The page is one file that needs nothing from outside. Nodes stand where their coordinates are, when all have some;
otherwise the network is drawn as a tree, the busbar at the top. Point at a node or line to see what it is.

Examples
  fugu grid draw street --out street.html
)";

struct Arguments {
  NetworkOptions network;
  std::string out;
};

/// A page would take the place of a table.
Result<void> check_out(const Arguments& arguments) {
  std::error_code unknown;
  for (const auto& file : fs::directory_iterator(arguments.network.folder, unknown)) {
    if (file.path().extension() == ".csv" && same_file(file.path().string(), arguments.out)) {
      return Error{Cause::usage, "--out: found " + shown_name(arguments.out) +
                                     ", which is a file of the network; expected another, such as map.html"};
    }
  }
  return {};
}

Outcome draw(const Arguments& arguments) {
  FUGU_ASSIGN(const grid::Network network, arguments.network.read());
  FUGU_TRY(check_out(arguments));
  FUGU_ASSIGN(const std::string page,
              report::network_map_page({.network = network,
                                        .title = "Network " + name_of_network(arguments.network.folder),
                                        .subtitle = size_of(network)}));
  FUGU_TRY(write_file(arguments.out, page));
  return kDone;
}

}  // namespace

void prepare_grid_draw(CLI::App& command, Outcome& outcome) {
  auto arguments = std::make_shared<Arguments>();
  arguments->network.add_to(command);
  command.footer(kExamples);
  command.add_option("--out", arguments->out, "HTML page to write")->required();
  command.callback([arguments, &outcome] { outcome = draw(*arguments); });
}

}  // namespace fugu::cli
