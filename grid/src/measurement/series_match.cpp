#include "fugu/measurement/series_match.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "fugu/stream/location.hpp"
#include "fugu/stream/name_table.hpp"

namespace fugu::grid {
namespace {

using Quantity = SeriesMeaning::Quantity;

constexpr std::string_view kTransformer = "transformer";  // no customer or node is called so: Network::make
constexpr std::size_t kNamed = 5;

/// "'A', 'B', 'C', 'D', 'E' and 7 more"
std::string names_text(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kNamed); ++i)
    text.append(i > 0 ? ", " : "").append(shown(names[i]));
  if (names.size() > kNamed) text += " and " + std::to_string(names.size() - kNamed) + " more";
  return text;
}

/// "1 customer is", "3 customers are"
std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return std::to_string(count).append(" ").append(count == 1 ? one : many);
}

class Matcher {
 public:
  Matcher(const Network& network, const SeriesMap* map, std::vector<std::string>& mistakes)
      : network_(network), map_(map), mistakes_(mistakes) {
    for (const Customer& customer : network.customers()) customers_.intern(customer.id);
  }

  /// The meanings of one file's series; of those of nobody, none that counts.
  std::vector<SeriesMeaning> match(std::span<const std::string> names, std::string_view file);
  void check_customers(MatchRules rules);
  std::vector<SumOfCustomers> take_sums() { return std::move(sums_); }

 private:
  /// What a name says by itself.
  std::optional<SeriesMeaning> by_name(std::string_view name) const;
  /// What the series map makes of it. Appends a mistake when that makes no sense.
  std::optional<SeriesMeaning> by_map(const std::string& name);
  void note(const SeriesMeaning& meaning, const std::string& name, std::string_view file);

  const Network& network_;
  const SeriesMap* map_;
  std::vector<std::string>& mistakes_;
  NameTable customers_;
  std::vector<SumOfCustomers> sums_;
  std::map<std::pair<Quantity, std::uint32_t>, std::string> said_;  // where each quantity was found
};

std::optional<SeriesMeaning> Matcher::by_name(std::string_view name) const {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot + 2 != name.size()) return std::nullopt;
  const std::string_view place = name.substr(0, dot);
  const char kind = name.back();
  if (place == kTransformer) {
    if (kind == 'p') return SeriesMeaning{Quantity::transformer_p};
    if (kind == 'q') return SeriesMeaning{Quantity::transformer_q};
    if (kind == 'v') return SeriesMeaning{Quantity::transformer_v};
  }
  if (kind == 'v') {
    if (const auto node = network_.find_node(place)) return SeriesMeaning{Quantity::node_v, *node};
    return std::nullopt;
  }
  const auto customer = customers_.find(place);
  if (!customer || (kind != 'p' && kind != 'q')) return std::nullopt;
  return SeriesMeaning{kind == 'p' ? Quantity::customer_p : Quantity::customer_q, *customer};
}

std::optional<SeriesMeaning> Matcher::by_map(const std::string& name) {
  if (map_ == nullptr) return std::nullopt;
  const auto series = std::ranges::find(map_->series(), name);
  if (series == map_->series().end()) return std::nullopt;
  const auto known = std::ranges::find(sums_, name, &SumOfCustomers::name);
  if (known != sums_.end()) return SeriesMeaning{Quantity::sum, static_cast<std::uint32_t>(known - sums_.begin())};
  const auto id = static_cast<SeriesId>(series - map_->series().begin());
  std::vector<SeriesMeaning> registers;
  std::vector<std::string> strangers;
  for (MeterId meter = 0; meter < map_->meter_count(); ++meter) {
    if (!std::ranges::binary_search(map_->series_of(meter), id)) continue;
    const auto meaning = by_name(map_->meter_name(meter));
    if (meaning && (meaning->quantity == Quantity::customer_p || meaning->quantity == Quantity::customer_q)) {
      registers.push_back(*meaning);
    } else {
      strangers.emplace_back(map_->meter_name(meter));
    }
  }
  const bool is_mixed = std::ranges::any_of(
      registers, [&](const SeriesMeaning& one) { return one.quantity != registers.front().quantity; });
  if (!strangers.empty() || is_mixed) {
    mistakes_.push_back("series " + shown(name) +
                        (is_mixed ? " adds up kW and kvar; expected registers of one kind, .p or .q"
                                  : " adds up " + counted(strangers.size(), "meter", "meters") +
                                        " of nobody in this network: " + names_text(strangers)));
    registers.clear();  // nothing is known by it
  }
  if (registers.size() == 1) return registers.front();  // a name of its own for one customer
  SumOfCustomers sum{.name = name};
  for (const SeriesMeaning& one : registers) {
    sum.is_reactive = one.quantity == Quantity::customer_q;
    sum.customers.push_back(one.index);
  }
  std::ranges::sort(sum.customers);
  sums_.push_back(std::move(sum));
  return SeriesMeaning{Quantity::sum, static_cast<std::uint32_t>(sums_.size() - 1)};
}

void Matcher::note(const SeriesMeaning& meaning, const std::string& name, std::string_view file) {
  std::string here = std::string(file).append(" series ").append(shown(name));
  const auto [at, is_new] = said_.try_emplace({meaning.quantity, meaning.index}, here);
  if (!is_new) mistakes_.push_back(here + " says what " + at->second + " says already; expected one of them");
}

std::vector<SeriesMeaning> Matcher::match(std::span<const std::string> names, std::string_view file) {
  std::vector<SeriesMeaning> meanings;
  std::vector<std::string> strangers;
  NameTable seen;
  for (const std::string& name : names) {
    if (seen.find(name)) {
      mistakes_.push_back(std::string(file).append(" series ").append(shown(name)) + " is there twice");
      meanings.emplace_back();
      continue;
    }
    seen.intern(name);
    // The map says what was summed up under a name; a name that it does not have speaks for itself.
    auto meaning = by_map(name);
    if (!meaning) meaning = by_name(name);
    meanings.push_back(meaning.value_or(SeriesMeaning()));
    if (meaning) {
      note(*meaning, name, file);
    } else {
      strangers.push_back(name);
    }
  }
  if (!strangers.empty()) {
    const std::size_t known = names.size() - strangers.size();
    mistakes_.push_back(
        std::to_string(strangers.size()).append(" ").append(file) +
        (strangers.size() == 1 ? " series is" : " series are") + " of nobody in this network: " +
        names_text(strangers) + "; " + std::to_string(known) + " of " + std::to_string(names.size()) + " match. " +
        (known == 0
             ? "The file belongs to another network"
             : "Expected CUSTOMER.p, CUSTOMER.q, transformer.p, .q or .v, NODE.v, or a sum that the series map has"));
  }
  return meanings;
}

void Matcher::check_customers(MatchRules rules) {
  std::vector<bool> is_in_a_sum(customers_.size(), false);
  for (const SumOfCustomers& sum : sums_) {
    for (const std::uint32_t customer : sum.customers) is_in_a_sum[customer] = true;
  }
  std::vector<std::string> unmeasured;
  std::vector<std::string> q_alone;
  for (std::uint32_t i = 0; i < customers_.size(); ++i) {
    const std::string& id = network_.customers()[i].id;
    const bool has_p = said_.contains({Quantity::customer_p, i});
    if (said_.contains({Quantity::customer_q, i}) && !has_p && !is_in_a_sum[i]) {
      q_alone.push_back(id);
    } else if (!has_p && !is_in_a_sum[i]) {
      unmeasured.push_back(id);
    }
  }
  if (!q_alone.empty()) {
    mistakes_.push_back(counted(q_alone.size(), "customer has", "customers have") +
                        " kvar and no kW: " + names_text(q_alone) + "; expected both, or kW alone");
  }
  if (!unmeasured.empty() && !rules.allow_unmeasured) {
    mistakes_.push_back(counted(unmeasured.size(), "customer has", "customers have") + " no measurement: " +
                        names_text(unmeasured) + "; expected one of each, unless customers without any are allowed");
  }
}

}  // namespace

SeriesMatch match_series(const Network& network, std::span<const std::string> released,
                         std::span<const std::string> measured, const SeriesMap* map, MatchRules rules,
                         std::vector<std::string>& mistakes) {
  Matcher matcher(network, map, mistakes);
  SeriesMatch match;
  match.released = matcher.match(released, "released");
  match.measured = matcher.match(measured, "measured");
  matcher.check_customers(rules);
  match.sums = matcher.take_sums();
  return match;
}

}  // namespace fugu::grid
