#include "fugu/network/network_reader.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numbers>

#include "fugu/stream/location.hpp"
#include "layout.hpp"
#include "mistakes.hpp"
#include "table.hpp"

namespace fugu::grid {
namespace {

namespace fs = std::filesystem;
using detail::Columns;
using detail::Table;

/// Reads the files of one layout, and remembers what is wrong with them.
class FolderReader {
 public:
  explicit FolderReader(std::string folder) : folder_(std::move(folder)) {}

  Result<Network> read(NetworkLayout layout, NetworkRules rules) {
    switch (layout) {
      case NetworkLayout::fugu: FUGU_TRY(read_fugu()); break;
      case NetworkLayout::ieee_eulv: FUGU_TRY(read_ieee_eulv()); break;
      case NetworkLayout::simbench: FUGU_TRY(read_simbench()); break;
    }
    // What follows from a missing column would only hide it.
    if (!is_complete_) return with_folder(detail::error_of(mistakes_));
    auto network = make_network(std::move(data_), rules, std::move(mistakes_));
    if (!network) return with_folder(network.error());
    return network;
  }

 private:
  Error with_folder(const Error& error) const { return {error.cause, folder_ + ": " + error.message}; }

  Result<Table> table(std::string_view file, const Columns& columns) {
    auto table = Table::read((fs::path(folder_) / file).string(), columns, mistakes_);
    if (table) is_complete_ = is_complete_ && table->is_complete();
    return table;
  }

  double number(const Table& table, std::size_t row, std::string_view column) {
    return table.number(row, column, mistakes_);
  }
  static std::string text(const Table& table, std::size_t row, std::string_view column) {
    return std::string(table.text(row, column));
  }

  Result<void> read_fugu() {
    FUGU_ASSIGN(const Table nodes, table("nodes.csv", detail::node_columns()));
    FUGU_ASSIGN(const Table lines, table("lines.csv", detail::line_columns()));
    FUGU_ASSIGN(const Table transformers, table("transformers.csv", detail::transformer_columns()));
    FUGU_ASSIGN(const Table customers, table("customers.csv", detail::customer_columns()));
    for (std::size_t row = 0; row < nodes.rows(); ++row) data_.nodes.push_back(node(nodes, row));
    for (std::size_t row = 0; row < lines.rows(); ++row) data_.lines.push_back(line(lines, row));
    for (std::size_t row = 0; row < transformers.rows(); ++row) {
      data_.transformers.push_back(transformer(transformers, row));
    }
    for (std::size_t row = 0; row < customers.rows(); ++row) data_.customers.push_back(customer(customers, row));
    return {};
  }

  Node node(const Table& from, std::size_t row) {
    Node node{text(from, row, "node"), number(from, row, "nominal_kv"), {}};
    const bool is_placed = !from.text(row, "x_m").empty() || !from.text(row, "y_m").empty();
    if (is_placed) node.position = {number(from, row, "x_m"), number(from, row, "y_m")};
    return node;
  }

  Line line(const Table& from, std::size_t row) {
    return {.id = text(from, row, "line"),
            .from = text(from, row, "from_node"),
            .to = text(from, row, "to_node"),
            .length_m = number(from, row, "length_m"),
            .r_ohm = number(from, row, "r_ohm"),
            .x_ohm = number(from, row, "x_ohm"),
            .c_nf = number(from, row, "c_nf"),
            .ampacity_a = from.optional_number(row, "ampacity_a", mistakes_),
            .is_closed = from.word(row, "state", {"closed", "open"}, mistakes_) == 0};
  }

  Transformer transformer(const Table& from, std::size_t row) {
    data_.frequency_hz = from.number_or(row, "frequency_hz", 50, mistakes_);
    return {.id = text(from, row, "transformer"),
            .lv_node = text(from, row, "lv_node"),
            .rated_kva = number(from, row, "rated_kva"),
            .hv_kv = number(from, row, "hv_kv"),
            .lv_kv = number(from, row, "lv_kv"),
            .uk_percent = number(from, row, "uk_percent"),
            .copper_loss_kw = number(from, row, "copper_loss_kw"),
            .iron_loss_kw = number(from, row, "iron_loss_kw"),
            .tap_percent = from.number_or(row, "tap_percent", 0, mistakes_),
            .source_pu = from.number_or(row, "source_pu", 1, mistakes_)};
  }

  Customer customer(const Table& from, std::size_t row) {
    const std::size_t kind = from.word(row, "kind", {"residential", "industrial"}, mistakes_);
    return {.id = text(from, row, "customer"),
            .node = text(from, row, "node"),
            .kind = kind == 0 ? CustomerKind::residential : CustomerKind::industrial,
            .phase = phase(from, row),
            .contracted_kw = from.optional_number(row, "contracted_kw", mistakes_),
            .yearly_kwh = from.optional_number(row, "yearly_kwh", mistakes_),
            .power_factor = from.optional_number(row, "power_factor", mistakes_),
            .profile = text(from, row, "profile"),
            .profile_kw = from.optional_number(row, "profile_kw", mistakes_)};
  }

  std::optional<int> phase(const Table& from, std::size_t row) {
    if (from.text(row, "phase").empty()) return std::nullopt;
    return static_cast<int>(from.word(row, "phase", {"1", "2", "3"}, mistakes_)) + 1;
  }

  /// What the IEEE and the SimBench layout have in common.
  Transformer lv_bus_transformer(const Table& from, std::size_t row, std::string_view uk_column) {
    return {.id = text(from, row, "transformer"),
            .lv_node = text(from, row, "lv_bus"),
            .rated_kva = number(from, row, "s_kva"),
            .hv_kv = number(from, row, "hv_kv"),
            .lv_kv = number(from, row, "lv_kv"),
            .uk_percent = number(from, row, uk_column)};
  }

  Result<void> read_ieee_eulv() {
    FUGU_ASSIGN(const Table buses, table("buses.csv", {{"bus", "x_m", "y_m"}}));
    FUGU_ASSIGN(const Table lines,
                table("lines.csv", {{"line", "from_bus", "to_bus", "length_km", "r1_ohm_per_km", "x1_ohm_per_km"},
                                    {},
                                    {"r0_ohm_per_km", "x0_ohm_per_km", "linecode"}}));
    FUGU_ASSIGN(const Table loads,
                table("loads.csv", {{"load", "bus", "phase", "kw_base", "pf", "profile"}, {}, {"kv_ln"}}));
    FUGU_ASSIGN(
        const Table transformers,
        table(
            "transformer.csv",
            {{"transformer", "lv_bus", "hv_kv", "lv_kv", "s_kva", "x_percent", "source_pu"}, {}, {"hv_bus", "conn"}}));
    for (std::size_t row = 0; row < transformers.rows(); ++row) {
      data_.transformers.push_back(lv_bus_transformer(transformers, row, "x_percent"));
      data_.transformers.back().source_pu = number(transformers, row, "source_pu");
    }
    for (std::size_t row = 0; row < buses.rows(); ++row) {
      data_.nodes.push_back(
          {text(buses, row, "bus"), level_kv(), Position{number(buses, row, "x_m"), number(buses, row, "y_m")}});
    }
    for (std::size_t row = 0; row < lines.rows(); ++row) {
      const double km = number(lines, row, "length_km");
      data_.lines.push_back({.id = text(lines, row, "line"),
                             .from = text(lines, row, "from_bus"),
                             .to = text(lines, row, "to_bus"),
                             .length_m = 1000 * km,
                             .r_ohm = km * number(lines, row, "r1_ohm_per_km"),
                             .x_ohm = km * number(lines, row, "x1_ohm_per_km")});
    }
    for (std::size_t row = 0; row < loads.rows(); ++row) {
      data_.customers.push_back({.id = text(loads, row, "load"),
                                 .node = text(loads, row, "bus"),
                                 .phase = phase(loads, row),
                                 .power_factor = number(loads, row, "pf"),
                                 .profile = text(loads, row, "profile"),
                                 .profile_kw = number(loads, row, "kw_base")});
    }
    return {};
  }

  Result<void> read_simbench() {
    FUGU_ASSIGN(const Table lines, table("lines.csv", {{"line", "from_bus", "to_bus", "length_km", "r_ohm_per_km",
                                                        "x_ohm_per_km", "b_us_per_km", "imax_a"},
                                                       {},
                                                       {"type"}}));
    FUGU_ASSIGN(const Table loads, table("loads.csv", {{"load", "bus", "p_kw", "q_kvar", "profile"}, {}, {"s_kva"}}));
    FUGU_ASSIGN(
        const Table transformers,
        table("transformer.csv",
              {{"transformer", "lv_bus", "s_kva", "hv_kv", "lv_kv", "uk_percent", "pcu_kw", "pfe_kw"}, {}, {"type"}}));
    for (std::size_t row = 0; row < transformers.rows(); ++row) {
      Transformer transformer = lv_bus_transformer(transformers, row, "uk_percent");
      transformer.copper_loss_kw = number(transformers, row, "pcu_kw");
      transformer.iron_loss_kw = number(transformers, row, "pfe_kw");
      data_.transformers.push_back(std::move(transformer));
    }
    for (std::size_t row = 0; row < lines.rows(); ++row) add_simbench_line(lines, row);
    for (std::size_t row = 0; row < loads.rows(); ++row) add_simbench_load(loads, row);
    return {};
  }

  void add_simbench_line(const Table& lines, std::size_t row) {
    // Susceptance to capacitance: 1 µS at 50 Hz are 3.18 nF.
    const double nf_per_us = 1e3 / (2 * std::numbers::pi * data_.frequency_hz);
    const double km = number(lines, row, "length_km");
    Line line{.id = text(lines, row, "line"),
              .from = text(lines, row, "from_bus"),
              .to = text(lines, row, "to_bus"),
              .length_m = 1000 * km,
              .r_ohm = km * number(lines, row, "r_ohm_per_km"),
              .x_ohm = km * number(lines, row, "x_ohm_per_km"),
              .c_nf = km * number(lines, row, "b_us_per_km") * nf_per_us,
              .ampacity_a = number(lines, row, "imax_a")};
    // The layout has no list of buses: they are what lines and the transformer name.
    add_bus(line.from);
    add_bus(line.to);
    data_.lines.push_back(std::move(line));
  }

  void add_bus(const std::string& id) {
    if (known_.find(id)) return;
    known_.intern(id);
    data_.nodes.push_back({id, level_kv(), {}});
  }

  void add_simbench_load(const Table& loads, std::size_t row) {
    const double p_kw = number(loads, row, "p_kw");
    const std::string profile = text(loads, row, "profile");
    data_.customers.push_back({.id = text(loads, row, "load"),
                               .node = text(loads, row, "bus"),
                               .kind = profile.starts_with("H") ? CustomerKind::residential : CustomerKind::industrial,
                               .contracted_kw = p_kw,
                               .power_factor = p_kw / std::hypot(p_kw, number(loads, row, "q_kvar")),
                               .profile = profile,
                               .profile_kw = p_kw});
  }

  /// Layouts without nominal voltages have that of the transformer. Without one, which is complained about, any will
  /// do.
  double level_kv() const {
    return data_.transformers.empty() ? std::numeric_limits<double>::infinity() : data_.transformers.front().lv_kv;
  }

  std::string folder_;
  NetworkData data_;
  NameTable known_;
  std::vector<std::string> mistakes_;
  bool is_complete_ = true;
};

}  // namespace

std::span<const std::string_view> files_of(NetworkLayout layout) {
  static constexpr std::array<std::string_view, 4> kFugu = {"nodes.csv", "lines.csv", "transformers.csv",
                                                            "customers.csv"};
  static constexpr std::array<std::string_view, 4> kIeee = {"buses.csv", "lines.csv", "loads.csv", "transformer.csv"};
  switch (layout) {
    case NetworkLayout::fugu: return kFugu;
    case NetworkLayout::ieee_eulv: return kIeee;
    case NetworkLayout::simbench: return std::span(kIeee).subspan(1);  // all but the buses
  }
  return {};
}

Result<NetworkLayout> layout_of(const std::string& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) {
    return Error{Cause::usage, folder + ": found no folder of that name; expected one that holds a network"};
  }
  for (const auto layout : {NetworkLayout::fugu, NetworkLayout::ieee_eulv, NetworkLayout::simbench}) {
    const auto is_there = [&](std::string_view file) { return fs::exists(fs::path(folder) / file, ignored); };
    if (std::ranges::all_of(files_of(layout), is_there)) return layout;
  }
  return found_but_expected({folder, 0, 0}, "files of no layout that is known",
                            "nodes.csv, lines.csv, transformers.csv and customers.csv (ours), or buses.csv, lines.csv, "
                            "loads.csv and transformer.csv (IEEE European LV), or lines.csv, loads.csv and "
                            "transformer.csv (SimBench)");
}

Result<Network> read_network(const std::string& folder, NetworkRules rules) {
  FUGU_ASSIGN(const NetworkLayout layout, layout_of(folder));
  return FolderReader(folder).read(layout, rules);
}

Result<Network> with_bills(const Network& network, const std::string& file) {
  std::vector<std::string> mistakes;
  FUGU_ASSIGN(const Table bills, Table::read(file, {.required = {"customer", "yearly_kwh"}}, mistakes));
  NetworkData data = network.data();
  NameTable customers;
  for (Customer& customer : data.customers) {
    customers.intern(customer.id);
    customer.yearly_kwh.reset();
  }
  std::vector<bool> is_known(data.customers.size(), false);
  for (std::size_t row = 0; row < bills.rows(); ++row) {
    const std::string id(bills.text(row, "customer"));
    const double kwh = bills.number(row, "yearly_kwh", mistakes);
    const auto at = customers.find(id);
    if (!at) {
      mistakes.push_back("found a bill of '" + id + "', who is no customer of this network");
    } else if (is_known[*at]) {
      mistakes.push_back("found two bills of '" + id + "'; expected one");
    } else if (!(kwh >= 0)) {
      mistakes.push_back("the bill of '" + id + "' has no kWh, or less than 0; expected 0 or more");
    } else {
      is_known[*at] = true;
      if (kwh > 0 && std::isfinite(kwh)) data.customers[*at].yearly_kwh = kwh;
    }
  }
  if (!mistakes.empty()) {
    const Error error = detail::error_of(mistakes);
    return Error{error.cause, file + ": " + error.message};
  }
  return Network::make(std::move(data), {.radial = network.is_radial(), .usual_values = false});
}

}  // namespace fugu::grid
