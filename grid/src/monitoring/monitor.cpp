#include "fugu/monitoring/monitor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fugu::grid {
namespace {

/// The closed lines at each node.
std::vector<std::vector<std::uint32_t>> lines_of_nodes(const Network& network) {
  std::vector<std::vector<std::uint32_t>> lines(network.nodes().size());
  for (std::uint32_t i = 0; i < network.lines().size(); ++i) {
    if (!network.lines()[i].is_closed) continue;
    lines[network.line_ends()[i].from].push_back(i);
    lines[network.line_ends()[i].to].push_back(i);
  }
  return lines;
}

}  // namespace

/// Takes away end after end of the network, and hands its customers on to the neighbour.
std::vector<LineKind> line_kinds(const Network& network) {
  std::vector<LineKind> kinds(network.lines().size(), LineKind::main);
  auto lines = lines_of_nodes(network);
  std::vector<std::uint32_t> customers(network.nodes().size());
  for (const std::uint32_t node : network.customer_nodes()) ++customers[node];
  std::vector<std::uint32_t> ends;
  const auto note_end = [&](std::uint32_t node) {
    if (node != network.root() && lines[node].size() == 1) ends.push_back(node);
  };
  for (std::uint32_t node = 0; node < network.nodes().size(); ++node) note_end(node);
  while (!ends.empty()) {
    const std::uint32_t node = ends.back();
    ends.pop_back();
    const std::uint32_t line = lines[node].front();
    const auto [from, to] = network.line_ends()[line];
    const std::uint32_t neighbour = from == node ? to : from;
    if (customers[node] == 1) kinds[line] = LineKind::service;
    customers[neighbour] += customers[node];
    std::erase(lines[neighbour], line);
    note_end(neighbour);
  }
  return kinds;
}

bool GridStates::is_solved(std::size_t stamp) const { return !std::isnan(voltage_v[stamp * nodes]); }

Result<Monitor> Monitor::make(const Network& network, const MonitoringLimits& limits) {
  const auto is_positive = [](double percent) { return percent > 0 && std::isfinite(percent); };
  if (!is_positive(limits.under_percent) || limits.under_percent >= 100) {
    return Error{Cause::usage, "the limit of undervoltage has to be above 0 % and below 100 %"};
  }
  if (!is_positive(limits.over_percent)) return Error{Cause::usage, "the limit of overvoltage has to be above 0 %"};
  if (!is_positive(limits.loading_percent)) return Error{Cause::usage, "the limit of loading has to be above 0 %"};
  return Monitor(network, limits);
}

Monitor::Monitor(const Network& network, const MonitoringLimits& limits)
    : flows_(network),
      nodes_(network.nodes().size()),
      root_(network.root()),
      nominal_v_(network.nominal_v()),
      least_v_(nominal_v_ * (100 - limits.under_percent) / 100),
      most_v_(nominal_v_ * (100 + limits.over_percent) / 100) {
  const std::vector<LineKind> kinds = line_kinds(network);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const auto ampacity_a = network.lines()[i].ampacity_a;
    lines_.push_back(
        {.kind = kinds[i],
         .most_a = ampacity_a ? *ampacity_a * limits.loading_percent / 100 : std::numeric_limits<double>::infinity(),
         .percent_per_ampere = ampacity_a ? 100 / *ampacity_a : 0});
  }
}

void Monitor::observe(const LoadFlow& flow, GridStates& states) const {
  FUGU_CHECK(flow.nodes == nodes_);
  const std::size_t stamps = flow.stamps();
  states.nodes = nodes_;
  states.lines = lines_.size();
  states.voltage_v.resize(stamps * nodes_);
  states.current_a.resize(stamps * lines_.size());
  for (std::size_t i = 0; i < flow.voltage_pu.size(); ++i) {
    states.voltage_v[i] = nominal_v_ * std::sqrt(std::norm(flow.voltage_pu[i]));
  }
  std::vector<double> to_a(lines_.size());
  for (std::size_t stamp = 0; stamp < stamps; ++stamp) {
    const auto current_a = std::span(states.current_a).subspan(stamp * lines_.size(), lines_.size());
    flows_.line_currents_a(flow.row(stamp), current_a, to_a);
    for (std::size_t i = 0; i < to_a.size(); ++i) current_a[i] = std::max(current_a[i], to_a[i]);
  }
}

std::vector<Violation> Monitor::violations(const GridStates& states, std::size_t first_stamp) const {
  FUGU_CHECK(states.nodes == nodes_ && states.lines == lines_.size());
  std::vector<Violation> found;
  // A comparison with what is no number is false: stamps without convergence have no violations.
  for (std::size_t stamp = 0; stamp < states.stamps(); ++stamp) {
    const auto voltages_v = states.voltages_v(stamp);
    for (std::uint32_t node = 0; node < nodes_; ++node) {
      if (node == root_ || !(is_under(voltages_v[node]) || is_over(voltages_v[node]))) continue;
      const auto kind = is_under(voltages_v[node]) ? ViolationKind::undervoltage : ViolationKind::overvoltage;
      found.push_back({first_stamp + stamp, kind, node, voltages_v[node]});
    }
    const auto currents_a = states.currents_a(stamp);
    for (std::uint32_t line = 0; line < lines_.size(); ++line) {
      if (!(currents_a[line] > lines_[line].most_a)) continue;
      const bool is_main = lines_[line].kind == LineKind::main;
      found.push_back({first_stamp + stamp, is_main ? ViolationKind::main_loading : ViolationKind::service_loading,
                       line, lines_[line].percent_per_ampere * currents_a[line]});
    }
  }
  return found;
}

void Monitor::count(const GridStates& states, ViolationCounts& counts) const {
  counts.under_by_node.resize(nodes_);
  counts.over_by_node.resize(nodes_);
  counts.overload_by_line.resize(lines_.size());
  counts.stamps += states.stamps();
  for (std::size_t stamp = 0; stamp < states.stamps(); ++stamp) counts.stamps_unsolved += !states.is_solved(stamp);
  for (const Violation& violation : violations(states)) {
    switch (violation.kind) {
      case ViolationKind::undervoltage:
        ++counts.undervoltages;
        ++counts.under_by_node[violation.place];
        break;
      case ViolationKind::overvoltage:
        ++counts.overvoltages;
        ++counts.over_by_node[violation.place];
        break;
      case ViolationKind::main_loading:
        ++counts.main_overloads;
        ++counts.overload_by_line[violation.place];
        break;
      case ViolationKind::service_loading:
        ++counts.service_overloads;
        ++counts.overload_by_line[violation.place];
        break;
    }
  }
}

}  // namespace fugu::grid
