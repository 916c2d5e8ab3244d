#include "fugu/network/network.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "fugu/stream/location.hpp"
#include "mistakes.hpp"

namespace fugu::grid {
namespace {

using detail::number_text;
using Mistakes = std::vector<std::string>;

std::string named(std::string_view kind, std::string_view id) {
  return std::string(kind).append(" ").append(shown(id));
}

NameTable table_of(const std::vector<Node>& nodes) {
  NameTable table;
  for (const Node& node : nodes) table.intern(node.id);
  return table;
}

std::uint32_t look_up(const NameTable& nodes, const std::string& id, const std::string& subject, Mistakes& mistakes) {
  const auto found = nodes.find(id);
  if (!found) mistakes.push_back(subject + " names node " + shown(id) + ", which is not there");
  return found.value_or(Network::kNone);
}

/// Which nodes hang together.
class Parts {
 public:
  explicit Parts(std::size_t nodes) : up_(nodes) { std::iota(up_.begin(), up_.end(), 0U); }

  std::uint32_t of(std::uint32_t node) {
    while (up_[node] != node) node = up_[node] = up_[up_[node]];
    return node;
  }
  /// False when they hung together already.
  bool join(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t part = of(a);
    const bool is_new = part != of(b);
    up_[of(b)] = part;
    return is_new;
  }

 private:
  std::vector<std::uint32_t> up_;
};

/// "4 nodes that no closed line joins …: 'a', 'b', 'c' and 1 more".
std::string island_text(const std::vector<std::string_view>& ids) {
  constexpr std::size_t kShown = 5;
  std::string text = std::to_string(ids.size()) + (ids.size() == 1 ? " node has" : " nodes have") +
                     " no connection to the transformer:";
  for (std::size_t i = 0; i < std::min(ids.size(), kShown); ++i) text.append(i == 0 ? " " : ", ").append(shown(ids[i]));
  if (ids.size() > kShown) text.append(" and ").append(std::to_string(ids.size() - kShown)).append(" more");
  return text;
}

void check_islands(const NetworkData& data, std::uint32_t root, Parts& parts, Mistakes& mistakes) {
  std::vector<std::vector<std::string_view>> members(data.nodes.size());
  for (std::uint32_t node = 0; node < data.nodes.size(); ++node) members[parts.of(node)].push_back(data.nodes[node].id);
  for (std::uint32_t part = 0; part < members.size(); ++part) {
    if (!members[part].empty() && part != parts.of(root)) mistakes.push_back(island_text(members[part]));
  }
}

/// Two voltages of one level: nominal and rated ones differ by a few percent (0.4 and 0.42 kV).
bool is_other_level(double a_kv, double b_kv) {
  return std::isfinite(a_kv) && std::isfinite(b_kv) && std::abs(a_kv - b_kv) > 0.1 * std::max(a_kv, b_kv);
}

/// Lines that are closed between known nodes. Complains about loops and levels.
Parts join_parts(const NetworkData& data, std::span<const Network::Ends> ends, bool& is_radial, Mistakes* loops,
                 Mistakes& mistakes) {
  Parts parts(data.nodes.size());
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const auto [from, to] = ends[i];
    if (from == Network::kNone || to == Network::kNone || from == to) continue;
    const double from_kv = data.nodes[from].nominal_kv;
    const double to_kv = data.nodes[to].nominal_kv;
    if (std::isfinite(from_kv) && std::isfinite(to_kv) && from_kv != to_kv) {
      mistakes.push_back(named("line", data.lines[i].id) + " joins " + number_text(from_kv) + " kV and " +
                         number_text(to_kv) + " kV; expected one nominal_kv at both ends");
    }
    if (!data.lines[i].is_closed || parts.join(from, to)) continue;
    is_radial = false;
    if (loops != nullptr) {
      loops->push_back(named("line", data.lines[i].id) + " closes a loop between " + named("node", data.lines[i].from) +
                       " and " + named("node", data.lines[i].to) + "; expected a radial network");
    }
  }
  return parts;
}

struct Tree {
  std::vector<std::uint32_t> order;
  std::vector<std::uint32_t> parents;
  std::vector<std::uint32_t> parent_lines;
};

/// Breadth first.
Tree tree_of(const NetworkData& data, std::span<const Network::Ends> ends, std::uint32_t root) {
  const std::size_t nodes = data.nodes.size();
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> neighbours(nodes);  // node and line
  for (std::uint32_t line = 0; line < ends.size(); ++line) {
    if (!data.lines[line].is_closed) continue;
    neighbours[ends[line].from].emplace_back(ends[line].to, line);
    neighbours[ends[line].to].emplace_back(ends[line].from, line);
  }
  Tree tree{{root}, std::vector(nodes, Network::kNone), std::vector(nodes, Network::kNone)};
  for (std::size_t next = 0; next < tree.order.size(); ++next) {
    const std::uint32_t node = tree.order[next];
    for (const auto& [neighbour, line] : neighbours[node]) {
      if (neighbour == root || tree.parents[neighbour] != Network::kNone) continue;
      tree.parents[neighbour] = node;
      tree.parent_lines[neighbour] = line;
      tree.order.push_back(neighbour);
    }
  }
  return tree;
}

}  // namespace

Result<Network> make_network(NetworkData data, NetworkRules rules, std::vector<std::string> mistakes) {
  detail::check_records(data, rules, mistakes);
  Network network;
  network.node_ids_ = table_of(data.nodes);
  for (const Line& line : data.lines) {
    const std::string subject = named("line", line.id);
    const std::uint32_t from = look_up(network.node_ids_, line.from, subject, mistakes);
    network.line_ends_.push_back({from, look_up(network.node_ids_, line.to, subject, mistakes)});
  }
  for (const Customer& customer : data.customers) {
    network.customer_nodes_.push_back(
        look_up(network.node_ids_, customer.node, named("customer", customer.id), mistakes));
  }
  // Only where every node has one number, its place.
  const bool ids_are_places = network.node_ids_.size() == data.nodes.size();
  std::uint32_t root = Network::kNone;
  if (data.transformers.size() == 1) {
    const Transformer& transformer = data.transformers.front();
    root = look_up(network.node_ids_, transformer.lv_node, named("transformer", transformer.id), mistakes);
  }
  if (ids_are_places) {
    Mistakes loops;
    Parts parts = join_parts(data, network.line_ends_, network.is_radial_, rules.radial ? &loops : nullptr, mistakes);
    mistakes.insert(mistakes.end(), loops.begin(), loops.end());
    if (root != Network::kNone) {
      check_islands(data, root, parts, mistakes);
      const Transformer& transformer = data.transformers.front();
      if (is_other_level(transformer.lv_kv, data.nodes[root].nominal_kv)) {
        mistakes.push_back(named("transformer", transformer.id) + " has lv_kv " + number_text(transformer.lv_kv) +
                           "; expected about the nominal_kv of its node, " + number_text(data.nodes[root].nominal_kv));
      }
    }
  }
  if (!mistakes.empty()) return detail::error_of(mistakes);
  Tree tree = tree_of(data, network.line_ends_, root);
  network.order_ = std::move(tree.order);
  network.parents_ = std::move(tree.parents);
  network.parent_lines_ = std::move(tree.parent_lines);
  network.data_ = std::move(data);
  return network;
}

Result<Network> Network::make(NetworkData data, NetworkRules rules) { return make_network(std::move(data), rules, {}); }

}  // namespace fugu::grid
