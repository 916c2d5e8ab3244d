// The parts of the page with the map that are not C++, and its data. Private to report.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/monitoring/monitor.hpp"
#include "fugu/report/network_map.hpp"

namespace fugu::report::detail {

/// Class of a node's colour, from lowest to highest voltage: v0 to v6. The outer ones are violations.
inline constexpr std::size_t kVoltageClasses = 7;
/// Class of a line's colour and width: l0 to l3. The last is a violation. Lines without loading are l-none.
inline constexpr std::size_t kLoadingClasses = 4;

std::string_view network_map_style();
std::string_view network_map_script();

/// What the script reads, as the text of a script element: no `<` is in it. Of each `step`-th stamp.
std::string network_map_data(const NetworkMap& map, const grid::Monitor& monitor, std::size_t step);

/// One view as bytes; network_map_script.cpp reads them. Per stamp:
///
///     0 | 1 | 2                  no convergence (then nothing follows) | no violations | violations
///     bits                       after 2 only: nodes, then lines in the network's order, lowest bit first
///     voltages, then currents    as variable-length integers, in tenths of V above nominal and of A
///
/// Nodes stand in Network::order, each as the difference from its parent; then follow the lines to their parents, each
/// as the difference from the line before it, then all other lines. Neighbours hardly differ: a byte is usually enough.
std::string encode_states(const grid::Network& network, const grid::Monitor& monitor, const grid::GridStates& states,
                          std::size_t step);

}  // namespace fugu::report::detail
