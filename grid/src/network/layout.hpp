// The columns of our own layout, in the order in which they are written. Private to network.
#pragma once

#include "table.hpp"

namespace fugu::grid::detail {

inline Columns node_columns() { return {{"node", "nominal_kv"}, {"x_m", "y_m"}}; }

inline Columns line_columns() {
  return {{"line", "from_node", "to_node", "length_m", "r_ohm", "x_ohm", "c_nf"}, {"ampacity_a", "state"}};
}

inline Columns transformer_columns() {
  return {{"transformer", "lv_node", "rated_kva", "hv_kv", "lv_kv", "uk_percent", "copper_loss_kw", "iron_loss_kw"},
          {"tap_percent", "source_pu", "frequency_hz"}};
}

inline Columns customer_columns() {
  return {{"customer", "node", "kind"},
          {"phase", "contracted_kw", "yearly_kwh", "power_factor", "profile", "profile_kw"}};
}

}  // namespace fugu::grid::detail
