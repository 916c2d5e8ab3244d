// What an operator measures itself: its transformer, and voltages at a few places. Simulated here from true loads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fugu/base/result.hpp"
#include "fugu/loadflow/loadflow.hpp"
#include "fugu/network/network.hpp"
#include "fugu/noise/bits.hpp"

namespace fugu::grid {

/// The ends of the mains where voltages say most, at most `count`: the node with the largest resistance from the
/// busbar, then always the one whose path adds most to the paths of those before. Never a node behind a service cable:
/// its voltage follows what one customer draws.
std::vector<std::uint32_t> main_ends(const Network& network, std::size_t count);

struct OwnMeterOptions {
  std::vector<std::uint32_t> sensors = {};  ///< nodes
  double power_sigma = 0;                   ///< relative error of kW and kvar
  double voltage_sigma_v = 0;
  unsigned threads = 0;  ///< of the load flow; 0: as many as the machine has
};

/// By stamp. Not a number where the load flow does not converge.
struct OwnMeters {
  std::vector<double> transformer_kw = {};  ///< through its lower side, downwards
  std::vector<double> transformer_kvar = {};
  std::vector<double> busbar_v = {};               ///< between phases
  std::vector<std::uint32_t> sensors = {};         ///< nodes
  std::vector<std::vector<double>> sensor_v = {};  ///< of each
  std::size_t unsolved = 0;                        ///< stamps
};

/// What the meters say when customers draw `loads`. For simulations: `bits` would be seeded ones.
Result<OwnMeters> measure(const Network& network, const LoadBatch& loads, const OwnMeterOptions& options,
                          BitSource& bits);

}  // namespace fugu::grid
