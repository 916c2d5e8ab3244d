// Characteristics as sets of texts, which do not show the role: `town` may be a relation or an attribute.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "fugu/distance/access_area.hpp"
#include "fugu/distance/characteristic.hpp"
#include "sql/builders.hpp"

namespace fugu::querylog::test {

using Texts = std::set<std::string>;

inline Texts texts(const Characteristic& characteristic) {
  Texts result;
  for (const Element& element : characteristic) result.insert(element.text());
  return result;
}

inline Texts tokens_of(std::string_view text, const Schema& schema = shop()) {
  return texts(tokens(read(text, schema), schema));
}
inline Texts features_of(std::string_view text, const Schema& schema = shop()) {
  return texts(features(read(text, schema), schema));
}

/// Distances of two queries.
enum class By { token, structure, access_area };
inline mining::Fraction distance(By by, std::string_view a, std::string_view b, const Schema& schema = shop()) {
  const Statement first = read(a, schema);
  const Statement second = read(b, schema);
  if (by == By::access_area) {
    const Domains domains(schema);
    return access_area_distance(access_areas(first, schema, domains), access_areas(second, schema, domains), domains);
  }
  const auto characteristic = by == By::token ? tokens : features;
  Dictionary dictionary;
  const auto set = dictionary.numbers(characteristic(first, schema));
  return mining::jaccard_distance(set, dictionary.numbers(characteristic(second, schema)));
}

/// `customer.town: ['a', 'b') NULL`, one an attribute.
inline Texts areas_of(std::string_view text, const Schema& schema = shop()) {
  Texts result;
  for (const auto& [attribute, area] : access_areas(read(text, schema), schema, Domains(schema)).areas) {
    result.insert(schema.relation_of(attribute).name + "." + schema.column(attribute).name + ": " + area.text());
  }
  return result;
}

}  // namespace fugu::querylog::test
