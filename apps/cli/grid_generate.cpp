// fugu grid generate.
#include "fugu/network/feeder.hpp"
#include "grid.hpp"

namespace fugu::cli {

namespace {

constexpr std::size_t kPlacesMax = 100'000;  // junction boxes or customers: far beyond what one transformer feeds

constexpr const char* kExamples = R"(
Makes up a radial feeder at 0.4 kV: a transformer, junction boxes along a street with side streets, and a service cable
to each customer. Its shape is that of the feeder in the thesis. Equal options give equal files on every machine.
What the files hold: docs/concepts/networks.md.

Examples
  fugu grid generate --out street
  fugu grid generate --out suburb --junction-boxes 40 --customers 120 --industrial 10 --seed 7
)";

struct Arguments {
  grid::FeederOptions feeder;
  std::string out;
};

Outcome generate(const Arguments& arguments) {
  FUGU_ASSIGN(const grid::Network network, grid::make_feeder(arguments.feeder));
  FUGU_TRY(write_new_network(network, arguments.out));
  return kDone;
}

}  // namespace

void prepare_grid_generate(CLI::App& command, Outcome& outcome) {
  auto arguments = std::make_shared<Arguments>();
  grid::FeederOptions& feeder = arguments->feeder;
  const CLI::Range places(std::size_t{1}, kPlacesMax);
  command.footer(kExamples);
  command.add_option("--out", arguments->out, "Folder to write the network to; made if need be")->required();
  command.add_option("--junction-boxes", feeder.junction_boxes, "Junction boxes")->check(places)->capture_default_str();
  command.add_option("--customers", feeder.customers, "Customers")->check(places)->capture_default_str();
  command.add_option("--industrial", feeder.industrial, "How many of the customers are industrial")
      ->capture_default_str();
  command.add_option("--seed", feeder.seed, "Another seed makes another feeder")->capture_default_str();
  command.callback([arguments, &outcome] { outcome = generate(*arguments); });
}

}  // namespace fugu::cli
