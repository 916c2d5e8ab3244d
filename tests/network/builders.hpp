// A small network to spoil.
#pragma once

#include "fugu/network/network.hpp"

namespace fugu::grid::test {

/// T - A - B, one customer at B.
inline NetworkData small_network() {
  NetworkData data;
  data.nodes = {{"T", 0.4, {}}, {"A", 0.4, {}}, {"B", 0.4, {}}};
  const auto line = [](std::string id, std::string from, std::string to) {
    return Line{.id = std::move(id),
                .from = std::move(from),
                .to = std::move(to),
                .length_m = 100,
                .r_ohm = 0.0208,
                .x_ohm = 0.008,
                .c_nf = 26.1,
                .ampacity_a = 270};
  };
  data.lines = {line("TA", "T", "A"), line("AB", "A", "B")};
  data.transformers = {{.id = "t",
                        .lv_node = "T",
                        .rated_kva = 250,
                        .hv_kv = 10,
                        .lv_kv = 0.4,
                        .uk_percent = 4,
                        .copper_loss_kw = 3.25,
                        .iron_loss_kw = 0.425}};
  data.customers = {{.id = "c", .node = "B"}};
  return data;
}

}  // namespace fugu::grid::test
