#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "document.hpp"
#include "network_map_parts.hpp"

namespace fugu::report::detail {

namespace {

using Json = nlohmann::ordered_json;

/// Appends to a view's bytes.
class Bytes {
 public:
  void byte(unsigned value) { text_.push_back(static_cast<char>(static_cast<unsigned char>(value))); }
  /// Small magnitudes of either sign take one byte: seven bits each, lowest first, the highest bit says that more
  /// follow.
  void integer(std::int64_t value) {
    auto bits = static_cast<std::uint64_t>(value < 0 ? -2 * value - 1 : 2 * value);
    for (; bits >= 0x80; bits >>= 7) byte(static_cast<unsigned>(bits & 0x7f) | 0x80);
    byte(static_cast<unsigned>(bits));
  }
  std::string finish() && { return std::move(text_); }

 private:
  std::string text_;
};

/// Whole tenths. What no network has is cut off, so that sums stay within what the script counts with.
std::int64_t tenths(double value) { return std::llround(10 * std::clamp(value, -1e7, 1e7)); }

/// The line to the parent of each node but the root, in the network's order, then all other lines.
std::vector<std::uint32_t> lines_in_order(const grid::Network& network) {
  std::vector<std::uint32_t> lines;
  std::vector<bool> is_listed(network.lines().size());
  for (const std::uint32_t node : network.order()) {
    if (node == network.root()) continue;
    lines.push_back(network.parent_line(node));
    is_listed[lines.back()] = true;
  }
  for (std::uint32_t line = 0; line < is_listed.size(); ++line) {
    if (!is_listed[line]) lines.push_back(line);
  }
  return lines;
}

/// The line before each one on its way from the root; kNone where there is none.
std::vector<std::uint32_t> lines_before(const grid::Network& network) {
  std::vector<std::uint32_t> before(network.lines().size(), grid::Network::kNone);
  for (const std::uint32_t node : network.order()) {
    if (node != network.root()) before[network.parent_line(node)] = network.parent_line(network.parent(node));
  }
  return before;
}

/// kNone as -1, which JavaScript has a meaning for.
Json indices(std::span<const std::uint32_t> values) {
  Json list = Json::array();
  for (const std::uint32_t value : values) {
    list.push_back(value == grid::Network::kNone ? -1 : static_cast<std::int64_t>(value));
  }
  return list;
}

Json nodes_json(const grid::Network& network) {
  std::vector<Json> nodes;
  for (const grid::Node& node : network.nodes()) nodes.push_back({{"id", node.id}, {"customers", Json::array()}});
  for (std::size_t i = 0; i < network.customers().size(); ++i) {
    const grid::Customer& customer = network.customers()[i];
    const bool is_residential = customer.kind == grid::CustomerKind::residential;
    nodes[network.customer_nodes()[i]]["customers"].push_back(customer.id +
                                                              (is_residential ? ", residential" : ", industrial"));
  }
  return nodes;
}

Json lines_json(const grid::Network& network) {
  const std::vector<grid::LineKind> kinds = grid::line_kinds(network);
  Json lines = Json::array();
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const grid::Line& line = network.lines()[i];
    Json entry = {{"id", line.id},
                  {"ends", line.from + " to " + line.to},
                  {"length_m", std::round(10 * line.length_m) / 10},
                  {"kind", kinds[i] == grid::LineKind::service ? "service cable" : "main"}};
    if (line.ampacity_a) entry["ampacity_a"] = *line.ampacity_a;
    if (!line.is_closed) entry["open"] = true;
    lines.push_back(std::move(entry));
  }
  return lines;
}

Json stamps_json(const NetworkMap& map, std::size_t stamps, std::size_t step) {
  Json list = Json::array();
  for (std::size_t stamp = 0; stamp < stamps; stamp += step) {
    list.push_back(map.times.empty() ? std::to_string(stamp) : map.times[stamp]);
  }
  return list;
}

}  // namespace

std::string encode_states(const grid::Network& network, const grid::Monitor& monitor, const grid::GridStates& states,
                          std::size_t step) {
  const std::vector<std::uint32_t> lines = lines_in_order(network);
  const std::vector<std::uint32_t> before = lines_before(network);
  const std::vector<grid::Violation> violations = monitor.violations(states);
  auto violation = violations.begin();
  std::vector<std::int64_t> tenth_v(states.nodes);
  std::vector<std::int64_t> tenth_a(states.lines);
  Bytes bytes;
  for (std::size_t stamp = 0; stamp < states.stamps(); stamp += step) {
    violation = std::find_if(violation, violations.end(), [&](const auto& each) { return each.stamp >= stamp; });
    if (!states.is_solved(stamp)) {
      bytes.byte(0);
      continue;
    }
    std::vector<unsigned> bits((states.nodes + states.lines + 7) / 8);
    const auto first = violation;
    for (; violation != violations.end() && violation->stamp == stamp; ++violation) {
      const bool is_node =
          violation->kind == grid::ViolationKind::undervoltage || violation->kind == grid::ViolationKind::overvoltage;
      const std::size_t bit = violation->place + (is_node ? 0 : states.nodes);
      bits[bit / 8] |= 1U << (bit % 8);
    }
    bytes.byte(first == violation ? 1 : 2);
    if (first != violation) {
      for (const unsigned eight : bits) bytes.byte(eight);
    }
    for (const std::uint32_t node : network.order()) {
      tenth_v[node] = tenths(states.voltages_v(stamp)[node] - network.nominal_v());
      bytes.integer(tenth_v[node] - (node == network.root() ? 0 : tenth_v[network.parent(node)]));
    }
    for (const std::uint32_t line : lines) {
      tenth_a[line] = tenths(states.currents_a(stamp)[line]);
      bytes.integer(tenth_a[line] - (before[line] == grid::Network::kNone ? 0 : tenth_a[before[line]]));
    }
  }
  return std::move(bytes).finish();
}

std::string network_map_data(const NetworkMap& map, const grid::Monitor& monitor, std::size_t step) {
  const grid::Network& network = map.network;
  std::vector<std::uint32_t> parents;
  for (std::size_t node = 0; node < network.nodes().size(); ++node) parents.push_back(network.parent(node));
  Json data = {{"nominal_v", network.nominal_v()},
               {"under_percent", map.limits.under_percent},
               {"over_percent", map.limits.over_percent},
               {"loading_percent", map.limits.loading_percent},
               {"nodes", nodes_json(network)},
               {"lines", lines_json(network)},
               {"root", network.root()},
               {"order", indices(network.order())},
               {"parents", indices(parents)},
               {"line_order", indices(lines_in_order(network))},
               {"lines_before", indices(lines_before(network))},
               {"first_is_truth", map.first_is_truth},
               {"step", step},
               {"times", stamps_json(map, map.views.empty() ? 0 : map.views.front().states->stamps(), step)},
               {"views", Json::array()}};
  for (const MapView& view : map.views) {
    data["views"].push_back(
        {{"name", view.name}, {"states", base64(encode_states(network, monitor, *view.states, step))}});
  }
  const std::string text = data.dump(-1, ' ', false, Json::error_handler_t::replace);
  // The only character that can end a script element early, or begin a comment in it. It occurs in strings only.
  std::string safe;
  safe.reserve(text.size());
  for (const char letter : text) {
    if (letter == '<') {
      safe += "\\u003c";
    } else {
      safe += letter;
    }
  }
  return safe;
}

}  // namespace fugu::report::detail
