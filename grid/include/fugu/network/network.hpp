// A low-voltage network: nodes, lines, one transformer, customers.
//
// One-phase equivalent. A network is computed as if its three phases carried the same load. Voltages are between phases
// (0.4 kV), powers are sums over the phases, currents are those of one conductor, and lines have their
// positive-sequence R, X and C. A customer on one phase counts as a third of its power on each. What is lost is
// unbalance: a conductor that serves one-phase customers alone carries up to three times the current given here, and
// the voltage between its phase and neutral drops up to six times as far. docs/concepts/networks.md says more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/base/result.hpp"
#include "fugu/stream/name_table.hpp"

namespace fugu::grid {

/// A number that has to be given. It is refused when it still has this value.
inline constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

/// Metres in any plane frame.
struct Position {
  double x_m = 0;
  double y_m = 0;
  friend bool operator==(const Position&, const Position&) = default;
};

struct Node {
  std::string id;
  double nominal_kv = kMissing;  ///< between phases
  std::optional<Position> position = {};
};

/// A cable or overhead line. R, X and C are those of its whole length.
struct Line {
  std::string id;
  std::string from;  ///< id of a node
  std::string to;
  double length_m = kMissing;
  double r_ohm = kMissing;
  double x_ohm = kMissing;                ///< 0: neglected
  double c_nf = 0;                        ///< 0: neglected
  std::optional<double> ampacity_a = {};  ///< without it there is no loading
  bool is_closed = true;                  ///< an open line carries nothing and joins nothing
};

/// Feeds the network from the level above, whose voltage does not depend on the load here.
struct Transformer {
  std::string id;
  std::string lv_node;  ///< the busbar: root of the network
  double rated_kva = kMissing;
  double hv_kv = kMissing;
  double lv_kv = kMissing;
  double uk_percent = kMissing;  ///< short-circuit voltage
  double copper_loss_kw = 0;     ///< at rated load
  double iron_loss_kw = 0;       ///< half of it on each side; no magnetising current
  double tap_percent = 0;        ///< turns of the upper winding above nominal: 2.5 lowers the voltage here by 2.5 %
  double source_pu = 1;          ///< voltage of the level above, in parts of hv_kv
};

enum class CustomerKind : std::uint8_t {
  residential,
  industrial,  ///< every business: farm, shop, workshop
};

struct Customer {
  std::string id;
  std::string node;
  CustomerKind kind = CustomerKind::residential;
  std::optional<int> phase = {};             ///< 1, 2 or 3 when connected to one phase only
  std::optional<double> contracted_kw = {};  ///< the most it may draw
  std::optional<double> yearly_kwh = {};
  std::optional<double> power_factor = {};  ///< of its load, lagging
  std::string profile = {};                 ///< load profile that the source of the network names; empty: none
  std::optional<double> profile_kw = {};    ///< what a profile's value of 1 stands for
};

/// What a file or a program says about a network. Not checked.
struct NetworkData {
  double frequency_hz = 50;
  std::vector<Node> nodes = {};
  std::vector<Line> lines = {};
  std::vector<Transformer> transformers = {};
  std::vector<Customer> customers = {};
};

/// What is required of a network besides being one.
struct NetworkRules {
  bool radial = true;        ///< no loops
  bool usual_values = true;  ///< parameters as they occur in low-voltage networks: finds units off by a thousand
};

/// A network that passed all checks: parameters are there and make sense, ids are unique and known, every node is
/// connected to the one transformer. Nodes, lines and customers are known by their place in the data.
class Network {
 public:
  /// An error lists every mistake, one a line.
  static Result<Network> make(NetworkData data, NetworkRules rules = {});

  const NetworkData& data() const { return data_; }
  std::span<const Node> nodes() const { return data_.nodes; }
  std::span<const Line> lines() const { return data_.lines; }
  const Transformer& transformer() const { return data_.transformers.front(); }
  std::span<const Customer> customers() const { return data_.customers; }

  /// The same for all nodes.
  double nominal_v() const { return 1000 * data_.nodes.front().nominal_kv; }

  struct Ends {
    std::uint32_t from;
    std::uint32_t to;
  };
  /// The nodes of each line.
  std::span<const Ends> line_ends() const { return line_ends_; }
  /// The node of each customer.
  std::span<const std::uint32_t> customer_nodes() const { return customer_nodes_; }
  std::optional<std::uint32_t> find_node(std::string_view id) const { return node_ids_.find(id); }

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  /// The busbar of the transformer.
  std::uint32_t root() const { return order_.front(); }
  /// Closed lines form a tree.
  bool is_radial() const { return is_radial_; }
  /// All nodes, the root first, each after its parent; nodes of the same distance (in lines) from the root stand
  /// together. With loops, a tree of shortest paths.
  std::span<const std::uint32_t> order() const { return order_; }
  /// The neighbour towards the root, and the line to it. kNone for the root.
  std::uint32_t parent(std::size_t node) const { return parents_[node]; }
  std::uint32_t parent_line(std::size_t node) const { return parent_lines_[node]; }

 private:
  friend Result<Network> make_network(NetworkData data, NetworkRules rules, std::vector<std::string> mistakes);
  Network() = default;

  NetworkData data_;
  NameTable node_ids_;
  std::vector<Ends> line_ends_;
  std::vector<std::uint32_t> customer_nodes_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> parents_;
  std::vector<std::uint32_t> parent_lines_;
  bool is_radial_ = true;
};

/// For readers: Network::make with the mistakes that were found before. An infinite number is one of those, and is not
/// complained about again.
Result<Network> make_network(NetworkData data, NetworkRules rules, std::vector<std::string> mistakes);

}  // namespace fugu::grid
