// fugu grid convert.
#include "grid.hpp"

namespace fugu::cli {

namespace {

constexpr const char* kExamples = R"(
Reads a network in any layout that is known and writes it in ours: R, X and C of whole lines, a nominal voltage for every
node. Columns that fugu does not use are left out.

Examples
  fugu grid convert ieee_eulv --out feeder
)";

struct Arguments {
  NetworkOptions network;
  std::string out;
};

Outcome convert(const Arguments& arguments) {
  FUGU_ASSIGN(const grid::Network network, arguments.network.read());
  FUGU_TRY(write_new_network(network, arguments.out));
  return kDone;
}

}  // namespace

void prepare_grid_convert(CLI::App& command, Outcome& outcome) {
  auto arguments = std::make_shared<Arguments>();
  arguments->network.add_to(command);
  command.footer(kExamples);
  command.add_option("--out", arguments->out, "Folder to write the network to; made if need be")->required();
  command.callback([arguments, &outcome] { outcome = convert(*arguments); });
}

}  // namespace fugu::cli
