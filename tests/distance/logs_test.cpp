// Real logs: every query is measured, or refused with a construct; and what is measured agrees with slow code.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "distance/builders.hpp"
#include "fugu/sql/log_reader.hpp"
#include "support/temp_dir.hpp"

namespace fugu::querylog {
namespace {

namespace fs = std::filesystem;

const fs::path kLogs = fs::path(FUGU_SHARED_DATA) / "querylogs";

struct Log {
  std::size_t queries = 0;
  std::vector<Statement> statements;
  std::map<std::string, std::size_t> refused;
};

Log read_log(const std::string& file, const Schema& schema) {
  Log log;
  auto input = Input::open((kLogs / file).string());
  LogReader reader(*std::move(input));
  while (true) {
    const auto query = reader.next();
    EXPECT_TRUE(query) << query.error().message;
    if (!query || !*query) break;
    ++log.queries;
    auto read = read_statement((*query)->text, schema);
    if (auto* const statement = std::get_if<Statement>(&read)) {
      log.statements.push_back(std::move(*statement));
    } else {
      const auto& refusal = std::get<Refusal>(read);
      EXPECT_FALSE(refusal.construct.empty());
      ++log.refused[refusal.construct];
    }
  }
  std::printf("%s: %zu of %zu queries measured\n", file.c_str(), log.statements.size(), log.queries);
  for (const auto& [construct, count] : log.refused) std::printf("  %zu refused: %s\n", count, construct.c_str());
  return log;
}

/// Random pairs: the matrix against sets of texts, and access areas against themselves.
void check(const Log& log, const Schema& schema) {
  const Domains domains(schema);
  std::vector<std::size_t> chosen(std::min<std::size_t>(log.statements.size(), 200));
  std::mt19937 random(1);
  std::uniform_int_distribution<std::size_t> any(0, log.statements.size() - 1);
  for (std::size_t& each : chosen) each = any(random);
  for (const auto characteristic : {tokens, features}) {
    Dictionary dictionary;
    std::vector<mining::ElementSet> sets;
    std::vector<Characteristic> elements;
    for (const std::size_t each : chosen) {
      elements.push_back(characteristic(log.statements[each], schema));
      sets.push_back(dictionary.numbers(elements.back()));
    }
    const auto matrix = mining::jaccard_distances(sets);
    for (std::size_t a = 0; a < chosen.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        Characteristic both;
        std::ranges::set_intersection(elements[a], elements[b], std::back_inserter(both));
        const auto all = static_cast<std::uint32_t>(elements[a].size() + elements[b].size() - both.size());
        const mining::Fraction expected =
            all == 0 ? mining::Fraction{} : mining::Fraction{all - static_cast<std::uint32_t>(both.size()), all};
        ASSERT_EQ(matrix.fraction(a, b), expected);
      }
    }
  }
  std::vector<AccessAreas> areas;
  for (const std::size_t each : chosen) areas.push_back(access_areas(log.statements[each], schema, domains));
  const auto matrix = access_area_distances(areas, domains);
  for (std::size_t a = 0; a < areas.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      ASSERT_EQ(matrix.fraction(a, b), access_area_distance(areas[b], areas[a], domains));
      if (areas[a] == areas[b]) {
        ASSERT_EQ(matrix.fraction(a, b), mining::Fraction{});
      }
    }
  }
}

/// A description of tables in JSON as lines of a schema.
std::string lines_of_tables(const fs::path& path) {
  const auto tables = nlohmann::json::parse(fugu::test::read_file(path.string())).at(0);
  const std::map<std::string, std::string> types = {
      {"text", "text"}, {"number", "numeric"}, {"time", "timestamp"}, {"boolean", "boolean"}, {"other", "text"}};
  std::string lines = "table,column,type\n";
  std::set<std::string> seen;
  for (std::size_t i = 0; i < tables.at("column_names").size(); ++i) {
    const auto& column = tables.at("column_names").at(i);
    const int table = column.at(0);
    const std::string type = tables.at("column_types").at(i);
    if (table < 0) continue;
    const std::string name = tables.at("table_names").at(static_cast<std::size_t>(table));
    const std::string line = name + "," + std::string(column.at(1)) + ",";
    if (seen.insert(line).second) lines += line + types.at(type) + "\n";
  }
  return lines;
}

TEST(RealLogs, PublicBi) {
  if (!fs::exists(kLogs)) GTEST_SKIP() << "no shared data";
  const auto schema = Schema::read((kLogs / "public-bi-schema.sql").string());
  ASSERT_TRUE(schema) << schema.error().message;
  EXPECT_EQ(schema->relations().size(), 206u);
  const Log log = read_log("public-bi.jsonl", *schema);
  EXPECT_GE(log.statements.size(), log.queries * 95 / 100);
  check(log, *schema);
}

TEST(RealLogs, Advising) {
  if (!fs::exists(kLogs)) GTEST_SKIP() << "no shared data";
  const auto schema = Schema::read((kLogs / "advising-schema.csv").string());
  ASSERT_TRUE(schema) << schema.error().message;
  const Log log = read_log("advising.jsonl", *schema);
  EXPECT_GE(log.statements.size(), log.queries * 95 / 100);
  EXPECT_GT(log.refused.at("a column that is not in FROM"), 0u);  // "arizona" in the quotes of MySQL
  check(log, *schema);
}

TEST(RealLogs, StackExchange) {
  if (!fs::exists(kLogs)) GTEST_SKIP() << "no shared data";
  const auto schema = Schema::from_text("sede", lines_of_tables(kLogs / "sede-tables.json"));
  ASSERT_TRUE(schema) << schema.error().message;
  const Log log = read_log("sede.postgres.jsonl", *schema);
  EXPECT_GE(log.statements.size(), log.queries * 65 / 100);
  check(log, *schema);
}

}  // namespace
}  // namespace fugu::querylog
