// fugu grid draw.
#include "fugu/report/network_map.hpp"
#include "grid.hpp"
#include "table.hpp"

namespace fugu::cli {

namespace {

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

Outcome draw(const Arguments& arguments) {
  FUGU_TRY(check_not_of_network(arguments.network.folder, {{"--out", arguments.out}}));
  FUGU_ASSIGN(const grid::Network network, arguments.network.read());
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
