// Networks and loads for load flows.
#pragma once

#include <filesystem>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "fugu/loadflow/loadflow.hpp"
#include "fugu/network/feeder.hpp"
#include "fugu/network/network_reader.hpp"

namespace fugu::grid::test {

struct Loads {
  std::size_t stamps = 0;
  std::vector<double> p_kw = {};
  std::vector<double> q_kvar = {};
  std::vector<double> voltage_pu = {};

  LoadBatch batch() const { return {stamps, p_kw, q_kvar, voltage_pu}; }
};

/// Between 0.2·kw fed in and kw drawn.
inline Loads random_loads(const Network& network, std::size_t stamps, double kw, std::uint32_t seed = 1) {
  std::mt19937 words(seed);
  const auto unit = [&] { return static_cast<double>(words() >> 8) / 0x1p24; };
  Loads loads{.stamps = stamps};
  for (std::size_t i = 0; i < stamps * network.customers().size(); ++i) {
    loads.p_kw.push_back(kw * (1.2 * unit() - 0.2));
    loads.q_kvar.push_back(kw * (0.5 * unit() - 0.1));
  }
  return loads;
}

/// Generated networks, and the recorded ones where they are.
inline std::vector<std::pair<std::string, Network>> all_networks() {
  std::vector<std::pair<std::string, Network>> networks;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    networks.emplace_back("feeder " + std::to_string(seed), *make_feeder({.seed = seed}));
  }
  networks.emplace_back("large feeder", *make_feeder({.junction_boxes = 40, .customers = 120, .industrial = 10}));
  const std::filesystem::path recorded = std::filesystem::path(FUGU_SHARED_DATA) / "lvgrid";
  if (!std::filesystem::exists(recorded)) return networks;
  for (const char* name : {"ieee_eulv", "simbench_rural1", "simbench_rural2", "simbench_rural3", "simbench_semiurb4",
                           "simbench_semiurb5", "simbench_urban6"}) {
    networks.emplace_back(name, *read_network((recorded / name).string()));
  }
  return networks;
}

inline LoadFlow solved(const Result<LoadFlowSolverPtr>& solver, const Loads& loads) {
  LoadFlow flow;
  const auto done = (*solver)->solve(loads.batch(), flow);
  FUGU_CHECK(done.has_value());
  return flow;
}

}  // namespace fugu::grid::test
