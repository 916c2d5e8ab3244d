// A network as an HTML page that people can read: the feeder drawn, nodes coloured by voltage and lines by loading,
// what one looks at beside what another sees (true, released, estimated), with a slider over time.
//
// The page is one file that needs nothing from outside, not even to be served. Its only script is ours; the content
// security policy lets no other run and nothing be loaded. #t=37 at the end of its address opens it at stamp 37.
//
// What the views hold is on the page in full, to 0.1 V and 0.1 A: a page with true states is for those who may see
// them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fugu/base/result.hpp"
#include "fugu/monitoring/monitor.hpp"
#include "fugu/network/network.hpp"

namespace fugu::report {

/// What somebody knows of the network at each stamp.
struct MapView {
  std::string name;
  const grid::GridStates* states;
};

struct NetworkMap {
  const grid::Network& network;
  std::string title;
  std::string subtitle = {};
  grid::MonitoringLimits limits = {};
  std::vector<std::string> times = {};  ///< what each stamp is called; empty: its number
  /// All of the same stamps. Without views or stamps the page is the drawing alone.
  std::vector<MapView> views = {};
  /// The first view is what really happened: violations that the others miss or invent are marked and counted. Without
  /// a truth nobody knows which these are, and the page speaks of none.
  bool first_is_truth = false;
  std::vector<std::string> notes = {};
  /// How many voltages and currents the page holds at most, about 1.5 bytes each: beyond, it shows each k-th stamp and
  /// says so. 906 nodes, 672 stamps and 3 views are 3,651,000.
  std::size_t values_max = 4'000'000;
};

/// An error when the limits make no sense.
Result<std::string> network_map_page(const NetworkMap& map);

}  // namespace fugu::report
