// Any bytes as a schema: no crash, and what is accepted has relations with columns of a type and a domain.
#include <cstddef>
#include <cstdint>
#include <string>

#include "fugu/base/check.hpp"
#include "fugu/distance/access_area.hpp"
#include "fugu/sql/schema.hpp"

using namespace fugu;
using namespace fugu::querylog;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto schema = Schema::from_text("schema", {reinterpret_cast<const char*>(data), size});
  if (!schema) {
    FUGU_CHECK(!schema.error().message.empty());
    return 0;
  }
  FUGU_CHECK(!schema->relations().empty());
  const Domains domains(*schema);
  for (std::uint32_t relation = 0; relation < schema->relations().size(); ++relation) {
    const Relation& known = schema->relations()[relation];
    FUGU_CHECK(schema->relation(known.name) == relation);
    for (std::uint32_t column = 0; column < known.columns.size(); ++column) {
      FUGU_CHECK(known.column(known.columns[column].name) == column);
      FUGU_CHECK(!known.columns[column].type.word.empty());
      FUGU_CHECK(domains.of({relation, column}) == domains.of({relation, column}));
    }
  }
  return 0;
}
