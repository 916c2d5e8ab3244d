// Any bytes as a query: no crash, and what is not refused has characteristics, at distance 0 from themselves.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include "fugu/base/check.hpp"
#include "fugu/distance/access_area.hpp"
#include "fugu/distance/characteristic.hpp"
#include "fugu/sql/query_reader.hpp"

using namespace fugu;
using namespace fugu::querylog;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto schema = Schema::from_text(
      "schema.sql",
      "CREATE TABLE r (a integer NOT NULL CHECK (a BETWEEN 0 AND 100), b numeric(6, 2), c text, d date, e boolean);"
      "CREATE TABLE s (a integer, t timestamp, x double precision, p char(4));");
  static const Domains domains(*schema);
  const auto read = read_statement({reinterpret_cast<const char*>(data), size}, *schema);
  if (const auto* const refusal = std::get_if<Refusal>(&read)) {
    FUGU_CHECK(!refusal->construct.empty());
    FUGU_CHECK(refusal->position <= size + 1);
    return 0;
  }
  const auto& statement = std::get<Statement>(read);
  Dictionary dictionary;
  for (const auto characteristic : {tokens, features}) {
    const auto set = dictionary.numbers(characteristic(statement, *schema));
    FUGU_CHECK(set == dictionary.numbers(characteristic(statement, *schema)));
    FUGU_CHECK(mining::jaccard_distance(set, set).num == 0);
  }
  const AccessAreas areas = access_areas(statement, *schema, domains);
  FUGU_CHECK(access_area_distance(areas, areas, domains).num == 0);
  for (const auto& [attribute, area] : areas.areas) FUGU_CHECK(area.without(domains.of(attribute)).is_empty());
  return 0;
}
