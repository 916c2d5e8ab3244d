// Networks in folders of CSV files. docs/concepts/networks.md describes the layouts.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "fugu/network/network.hpp"

namespace fugu::grid {

/// How a network is laid out in files.
enum class NetworkLayout : std::uint8_t {
  fugu,       ///< nodes.csv, lines.csv, transformers.csv, customers.csv: ours
  ieee_eulv,  ///< buses.csv, lines.csv, loads.csv, transformer.csv: the IEEE European LV test feeder
  simbench,   ///< lines.csv, loads.csv, transformer.csv: SimBench LV grids
};

/// The names of its files.
std::span<const std::string_view> files_of(NetworkLayout layout);

/// Which layout the files of a folder have, by their names. An error says what was looked for.
Result<NetworkLayout> layout_of(const std::string& folder);

/// Reads the network in `folder`, whatever its layout. Columns are found by name, in any order; one that the layout
/// does not know is a mistake. Files may be gzipped inside, not in name. An error lists every mistake of all files.
Result<Network> read_network(const std::string& folder, NetworkRules rules = {});

/// The same network with the bills of a CSV file, `customer,yearly_kwh`, instead of those it has. Customers without a
/// row have none; nor has somebody who used 0 kWh. An error lists every mistake.
Result<Network> with_bills(const Network& network, const std::string& file);

/// Writes nodes.csv, lines.csv, transformers.csv and customers.csv into `folder`, which is made if need be. What is
/// read back is the same, to the last digit.
Result<void> write_network(const Network& network, const std::string& folder);

}  // namespace fugu::grid
