// Checks what is said about a network, and collects every mistake. Private to grid.
#pragma once

#include <string>
#include <vector>

#include "fugu/network/network.hpp"

namespace fugu::grid::detail {

/// Shortest text that is read back as the same number.
std::string number_text(double value);

/// Everything that concerns one record alone: its id, its parameters. Appends to `mistakes`.
void check_records(const NetworkData& data, const NetworkRules& rules, std::vector<std::string>& mistakes);

/// One error out of all of them.
Error error_of(const std::vector<std::string>& mistakes);

}  // namespace fugu::grid::detail
