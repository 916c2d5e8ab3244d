#include <filesystem>
#include <fstream>

#include "fugu/base/durable_file.hpp"
#include "fugu/network/network_reader.hpp"
#include "layout.hpp"
#include "mistakes.hpp"

namespace fugu::grid {
namespace {

namespace fs = std::filesystem;

/// The text of one file, row by row.
class TableText {
 public:
  explicit TableText(const detail::Columns& columns) {
    for (const auto& names : {columns.required, columns.optional}) {
      for (const std::string_view name : names) field(name);
    }
    end_row();
  }

  TableText& field(std::string_view text) {
    if (!is_row_empty_) text_ += ',';
    text_ += text;
    is_row_empty_ = false;
    return *this;
  }
  TableText& field(double value) { return field(detail::number_text(value)); }
  TableText& field(const std::optional<double>& value) { return value ? field(*value) : field(""); }
  void end_row() {
    text_ += '\n';
    is_row_empty_ = true;
  }

  const std::string& text() const { return text_; }

 private:
  std::string text_;
  bool is_row_empty_ = true;
};

std::string nodes_text(const Network& network) {
  TableText table(detail::node_columns());
  for (const Node& node : network.nodes()) {
    const auto& at = node.position;
    table.field(node.id).field(node.nominal_kv);
    table.field(at ? std::optional(at->x_m) : std::nullopt).field(at ? std::optional(at->y_m) : std::nullopt).end_row();
  }
  return table.text();
}

std::string lines_text(const Network& network) {
  TableText table(detail::line_columns());
  for (const Line& line : network.lines()) {
    table.field(line.id).field(line.from).field(line.to).field(line.length_m);
    table.field(line.r_ohm).field(line.x_ohm).field(line.c_nf).field(line.ampacity_a);
    table.field(line.is_closed ? "closed" : "open").end_row();
  }
  return table.text();
}

std::string transformers_text(const Network& network) {
  TableText table(detail::transformer_columns());
  const Transformer& each = network.transformer();
  table.field(each.id).field(each.lv_node).field(each.rated_kva).field(each.hv_kv).field(each.lv_kv);
  table.field(each.uk_percent).field(each.copper_loss_kw).field(each.iron_loss_kw).field(each.tap_percent);
  table.field(each.source_pu).field(network.data().frequency_hz).end_row();
  return table.text();
}

std::string customers_text(const Network& network) {
  TableText table(detail::customer_columns());
  for (const Customer& customer : network.customers()) {
    table.field(customer.id).field(customer.node);
    table.field(customer.kind == CustomerKind::residential ? "residential" : "industrial");
    table.field(customer.phase ? std::to_string(*customer.phase) : std::string());
    table.field(customer.contracted_kw).field(customer.yearly_kwh).field(customer.power_factor);
    table.field(customer.profile).field(customer.profile_kw).end_row();
  }
  return table.text();
}

Result<void> write_text(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) return fugu::detail::system_error(path.string(), "writing");
  return {};
}

}  // namespace

Result<void> write_network(const Network& network, const std::string& folder) {
  std::error_code fault;
  fs::create_directories(folder, fault);
  if (fault) return Error{Cause::environment, folder + ": making the folder failed: " + fault.message()};
  const fs::path at(folder);
  FUGU_TRY(write_text(at / "nodes.csv", nodes_text(network)));
  FUGU_TRY(write_text(at / "lines.csv", lines_text(network)));
  FUGU_TRY(write_text(at / "transformers.csv", transformers_text(network)));
  return write_text(at / "customers.csv", customers_text(network));
}

}  // namespace fugu::grid
