// A small schema, and statements read against it.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <variant>

#include "fugu/sql/query_reader.hpp"
#include "fugu/sql/schema.hpp"

namespace fugu::querylog::test {

/// The relation of the thesis's Table 2.2 and some around it.
inline const Schema& shop() {
  static const auto schema = Schema::from_text("shop.sql", R"(
      CREATE TABLE customer (customer_id integer PRIMARY KEY, firstname varchar(20), lastname varchar(20),
                             town varchar(20), debts numeric(8, 2), since date, active boolean NOT NULL);
      CREATE TABLE town (town varchar(20) NOT NULL, people integer NOT NULL CHECK (people BETWEEN 0 AND 40000000));
      CREATE TABLE purchase (customer_id integer NOT NULL REFERENCES customer, item smallint, price double precision,
                             at timestamp);
      CREATE TABLE r (a integer NOT NULL, b integer, c text);
      CREATE TABLE s (a integer NOT NULL, d integer);)");
  EXPECT_TRUE(schema) << schema.error().message;
  return *schema;
}

inline Statement read(std::string_view text, const Schema& schema = shop()) {
  auto result = read_statement(text, schema);
  if (const auto* const refusal = std::get_if<Refusal>(&result)) {
    ADD_FAILURE() << text << "\n" << refusal->text();
    return {};
  }
  return std::get<Statement>(std::move(result));
}

/// Why it is refused; "none" when it is read.
inline std::string refusal(std::string_view text, const Schema& schema = shop()) {
  const auto result = read_statement(text, schema);
  const auto* const found = std::get_if<Refusal>(&result);
  return found == nullptr ? "none" : found->text();
}

inline std::string repeated(std::string_view part, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += part;
  return text;
}

}  // namespace fugu::querylog::test
