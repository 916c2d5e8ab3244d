// Where the nodes of a network go on paper: by their coordinates, or as a tidy tree.
#pragma once

#include <vector>

#include "fugu/network/network.hpp"

namespace fugu::report {

/// A node's place: x to the right, y downwards.
struct Place {
  double x = 0;
  double y = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

/// All places lie between 0 and `width`, 0 and `height`.
struct NetworkDrawing {
  bool is_geographic = false;
  double width = 0;
  double height = 0;
  std::vector<Place> nodes = {};  ///< in the network's order
};

/// By coordinates, north up and to scale, when all nodes have them and they are not all the same; else by draw_tree.
NetworkDrawing draw_network(const grid::Network& network);

/// The busbar at the top, every line one row further down. From each node the way to the most remote one goes straight
/// down, and what branches off stands beside it: mains are vertical, service cables stick out to both sides. Closed
/// lines of a radial network do not cross, and no two nodes share a place.
NetworkDrawing draw_tree(const grid::Network& network);

}  // namespace fugu::report
