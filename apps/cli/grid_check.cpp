// fugu grid check.
#include <algorithm>

#include "fugu/monitoring/monitor.hpp"
#include "grid.hpp"
#include "table.hpp"

namespace fugu::cli {

namespace {

Outcome check(const NetworkOptions& options) {
  FUGU_ASSIGN(const grid::Network network, options.read());
  double length_m = 0;
  std::size_t no_ampacity = 0;
  for (const grid::Line& line : network.lines()) {
    length_m += line.length_m;
    no_ampacity += !line.ampacity_a;
  }
  const auto kinds = grid::line_kinds(network);
  const auto residential = std::ranges::count(network.customers(), grid::CustomerKind::residential,
                                              [](const grid::Customer& customer) { return customer.kind; });
  const grid::Transformer& transformer = network.transformer();
  report::Table table{.columns = {{"what"}, {"value", report::Column::Align::number}}};
  const auto row = [&](const char* what, const std::string& value) { table.rows.push_back({{what}, {value}}); };
  row("nodes", std::to_string(network.nodes().size()));
  row("lines", std::to_string(network.lines().size()));
  row("  of them service cables", std::to_string(std::ranges::count(kinds, grid::LineKind::service)));
  row("  of them without ampacity", std::to_string(no_ampacity));
  row("length, km", short_number(length_m / 1000));
  row("customers", std::to_string(network.customers().size()));
  row("  of them residential", std::to_string(residential));
  row("transformer, kVA", short_number(transformer.rated_kva));
  row("transformer, kV", short_number(transformer.hv_kv) + " / " + short_number(transformer.lv_kv));
  row("radial", network.is_radial() ? "yes" : "no");
  print_table(table);
  note_unknown_ampacities(network, options.folder);
  return kDone;
}

}  // namespace

void prepare_grid_check(CLI::App& command, Outcome& outcome) {
  auto options = std::make_shared<NetworkOptions>();
  options->add_to(command);
  command.callback([options, &outcome] { outcome = check(*options); });
}

}  // namespace fugu::cli
