// Which series is what: names of released and measured series, matched to a network.
//
//     CUSTOMER.p, CUSTOMER.q              kW and kvar that a customer draws
//     transformer.p, .q, .v               kW and kvar through its lower side, downwards; V between phases at the busbar
//     NODE.v                              a voltage sensor, V between phases
//     any other name                      a sum, where a series map says which registers (CUSTOMER.p or .q) it adds up
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fugu/network/network.hpp"
#include "fugu/stream/series_map.hpp"

namespace fugu::grid {

/// What a series says something about.
struct SeriesMeaning {
  enum class Quantity : std::uint8_t {
    customer_p,
    customer_q,
    sum,
    transformer_p,
    transformer_q,
    transformer_v,
    node_v,
  };
  Quantity quantity = Quantity::sum;
  std::uint32_t index = 0;  ///< of the customer, the sum or the node; 0 for the transformer
  friend bool operator==(const SeriesMeaning&, const SeriesMeaning&) = default;
};

/// Of several customers: a junction box, a street.
struct SumOfCustomers {
  std::string name;
  bool is_reactive = false;                   ///< kvar; else kW
  std::vector<std::uint32_t> customers = {};  ///< ascending
  friend bool operator==(const SumOfCustomers&, const SumOfCustomers&) = default;
};

struct SeriesMatch {
  std::vector<SeriesMeaning> released;  ///< by series
  std::vector<SeriesMeaning> measured;
  std::vector<SumOfCustomers> sums;
};

struct MatchRules {
  /// Customers of whom nothing is known, not even a sum, are no mistake. Estimation can do without them.
  bool allow_unmeasured = false;
};

/// Names of the series of two files, each perhaps none. `map` may be null. Appends every mistake: series of nobody in
/// this network, a quantity that is said twice, a customer whose kvar are known without kW, customers without any
/// measurement. After a mistake the match is not to be used.
SeriesMatch match_series(const Network& network, std::span<const std::string> released,
                         std::span<const std::string> measured, const SeriesMap* map, MatchRules rules,
                         std::vector<std::string>& mistakes);

}  // namespace fugu::grid
