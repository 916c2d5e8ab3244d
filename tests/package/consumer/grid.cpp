// The same somebody else, who runs a network: both solvers agree on a made-up feeder, and a page can be made of it.
// What has to be there is the first argument: `newton` when fugu was built with power-grid-model, else `sweep`.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fugu/loadflow/loadflow.hpp>
#include <fugu/network/feeder.hpp>
#include <fugu/report/network_map.hpp>
#include <string_view>
#include <vector>

namespace {

namespace grid = fugu::grid;

fugu::Result<grid::LoadFlow> solve(fugu::Result<grid::LoadFlowSolverPtr> solver, const grid::LoadBatch& batch) {
  if (!solver) return solver.error();
  grid::LoadFlow flow;
  FUGU_TRY((*solver)->solve(batch, flow));
  return flow;
}

fugu::Result<double> largest_difference_pu(const grid::Network& network) {
  const std::vector<double> p_kw(network.customers().size(), 2);
  const std::vector<double> q_kvar(network.customers().size(), 0.5);
  const grid::LoadBatch batch{.stamps = 1, .p_kw = p_kw, .q_kvar = q_kvar};
  FUGU_ASSIGN(const grid::LoadFlow swept, solve(grid::make_sweep(network), batch));
  if (!grid::has_newton_raphson()) return 0;
  FUGU_ASSIGN(const grid::LoadFlow newton, solve(grid::make_newton_raphson(network), batch));
  double largest = 0;
  for (std::size_t node = 0; node < swept.nodes; ++node) {
    largest = std::max(largest, std::abs(swept.voltage_pu[node] - newton.voltage_pu[node]));
  }
  return largest;
}

}  // namespace

int main(int count, char** arguments) {
  const bool wants_newton = count == 2 && arguments[1] == std::string_view("newton");
  if (grid::has_newton_raphson() != wants_newton) {
    std::fprintf(stderr, "power-grid-model is %s\n", wants_newton ? "missing" : "there unexpectedly");
    return 1;
  }
  const auto network = grid::make_feeder();
  if (!network) return 1;
  const auto difference_pu = largest_difference_pu(*network);
  if (!difference_pu) std::fprintf(stderr, "%s\n", difference_pu.error().message.c_str());
  const auto page = fugu::report::network_map_page({.network = *network, .title = "feeder"});
  return difference_pu && *difference_pu < 1e-8 && page && page->ends_with("</html>\n") ? 0 : 1;
}
