// Made-up feeders, shaped like the one of the thesis (section 6.3: 1 transformer, 10 junction boxes, 25 customers of
// which 4 are industrial), whose own data are not published.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fugu/network/network.hpp"

namespace fugu::grid {

struct FeederOptions {
  std::size_t junction_boxes = 10;
  std::size_t customers = 25;
  std::size_t industrial = 4;  ///< of the customers
  std::uint64_t seed = 1;
};

/// A radial feeder at 0.4 kV: mains of NAYY 4x150 from box to box, a service cable to a connection box of its own for
/// each customer (NAYY 4x50, for industrial ones 4x150). Nodes are named T (busbar), J1…, C1…; customer k is at Ck. The
/// same options give the same network on every machine.
Result<Network> make_feeder(const FeederOptions& options = {});

}  // namespace fugu::grid
