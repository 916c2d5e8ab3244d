#include "fugu/sql/log_reader.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support/temp_dir.hpp"

namespace fugu::querylog {
namespace {

TEST(Logs, AreReadLineByLine) {
  LogReader reader(
      Input::from_memory("l", "{\"query\": \"SELECT 1\", \"label\": 3}\n\n{\"id\": \"x\", \"query\": \"SELECT\\n2\"}"));
  auto query = reader.next();
  ASSERT_TRUE(query) << query.error().message;
  EXPECT_EQ((*query)->text, "SELECT 1");
  query = reader.next();
  EXPECT_EQ((*query)->line, 3u);
  EXPECT_EQ((*query)->text, "SELECT\n2");
  EXPECT_FALSE(*reader.next());
}

TEST(Logs, SayWhatIsWrongWithALine) {
  const auto error = [](const std::string& text) {
    LogReader reader(Input::from_memory("l", text));
    return reader.next().error().message;
  };
  const std::string object = "; expected one JSON object, such as {\"query\": \"SELECT …\"}";
  EXPECT_EQ(error("SELECT secret"), "l:1:1: found text that is no JSON" + object);
  EXPECT_EQ(error("{\"sql\": \"SELECT 1\"}"), "l:1: found no key 'query'" + object);
  EXPECT_EQ(error("{\"query\": 5}"), "l:1: found a number as 'query'; expected SQL text");
  EXPECT_EQ(error("[\"secret\"]"), "l:1: found an array" + object);
}

/// All queries of a log, each after its line.
std::vector<std::string> queries(LogReader reader) {
  std::vector<std::string> result;
  while (true) {
    const auto query = reader.next();
    if (!query) return {query.error().message};
    if (!*query) return result;
    result.push_back(std::to_string((*query)->line) + ": " + (*query)->text);
  }
}

std::vector<std::string> queries_in(const std::string& name) {
  return queries(LogReader(*Input::open(std::string(FUGU_TEST_DATA "/querylog/") + name)));
}

// One session, as PostgreSQL 15 wrote it in its three formats at once.
TEST(PostgresLogs, HaveTheSameQueriesInEachFormat) {
  const std::vector<std::string> expected = {
      "CREATE TABLE customer (name text, town text, debts integer);",
      "SELECT name FROM customer WHERE town = 'O''Hare, \"x\"'\n  AND debts > 5;",
      "SELECT 1;",
      "SELECT * FROM missing;",
      "SET log_duration = on;",
      "SELECT town FROM customer;",
      "SELECT name FROM customer WHERE debts > '5';",
      "SELECT name\nFROM customer",
  };
  for (const char* const file : {"postgres.json", "postgres.csv", "postgres.log"}) {
    std::vector<std::string> found = queries_in(file);
    std::uint64_t line = 0;
    for (std::string& query : found) {
      const std::uint64_t at = std::stoull(query);
      EXPECT_GT(at, line) << file;
      line = at;
      query.erase(0, query.find(": ") + 2);
    }
    EXPECT_EQ(found, expected) << file;
  }
}

std::vector<std::string> queries_of(const std::string& text) {
  return queries(LogReader(Input::from_memory("l", text)));
}

TEST(PostgresLogs, DoNotTakeTextOfAQueryForAMessage) {
  EXPECT_EQ(queries_of("2026-01-01 LOG:  statement: SELECT 'ERROR:  x, LOG:  statement: SELECT 2'\n"
                       "2026-01-01 ERROR:  no LOG:  statement: SELECT 3\n\tLOG:  statement: SELECT 4\n"),
            (std::vector<std::string>{"1: SELECT 'ERROR:  x, LOG:  statement: SELECT 2'"}));
}

TEST(PostgresLogs, PutParametersInTheirPlace) {
  const auto query = [](const std::string& text, const std::string& detail) {
    const auto found =
        queries_of("x LOG:  execute p: " + text + "\nx DETAIL:  " + detail + "\nx LOG:  statement: end\n");
    EXPECT_EQ(found.size(), 2u);
    return found[0].substr(3);
  };
  EXPECT_EQ(query("SELECT $2, '$1', $1, \"$1\" -- $1", "parameters: $1 = 'a''b, $2', $2 = NULL"),
            "SELECT NULL, '$1', 'a''b, $2', \"$1\" -- $1");
  EXPECT_EQ(query("SELECT $1", "Parameters: $1 = '5'"), "SELECT '5'");
  // What is not understood stays, and is refused as a parameter.
  for (const char* const detail : {"parameters: $1 = 'open", "parameters: $1 = 'a' $2 = 'b'", "parameters: $2 = 'a'",
                                   "parameters: $1 = five", "parameters: ", "parameters: $1 = 'a', "}) {
    EXPECT_EQ(query("SELECT $1", detail), "SELECT $1") << detail;
  }
  EXPECT_EQ(query("SELECT $2", "parameters: $1 = '5'"), "SELECT $2");
  EXPECT_EQ(query("SELECT $1 'open", "parameters: $1 = '5'"), "SELECT $1 'open");
}

TEST(PostgresLogs, KeepEmptyLinesAndQuotes) {
  EXPECT_EQ(
      queries_of("2026-01-01 00:00:00.000 UTC,,,,,,,,,,,LOG,00000,\"statement: SELECT '\"\"a\"\",\n\nb'\",,,,,,,,,\n"),
      (std::vector<std::string>{"1: SELECT '\"a\",\n\nb'"}));
  EXPECT_EQ(queries_of("x LOG:  statement: SELECT '\n\t\n\t\ta'\n"), (std::vector<std::string>{"1: SELECT '\n\n\ta'"}));
}

TEST(PostgresLogs, RefuseWhatIsNoRecord) {
  const std::string stamp = "2026-01-01 00:00:00.000 UTC,";
  EXPECT_EQ(queries_of(stamp + "a,b\n"),
            std::vector<std::string>{"l:1: found another record; expected a record of PostgreSQL's csvlog"});
  EXPECT_EQ(
      queries_of(stamp + "\"secret\n"),
      std::vector<std::string>{"l:1: found a quote that is not closed; expected a record of PostgreSQL's csvlog"});
  EXPECT_EQ(
      queries_of("x LOG:  started\nsecret\n"),
      std::vector<std::string>{"l:2: found another line; expected a message of PostgreSQL, as … LOG:  statement: …"});
}

}  // namespace
}  // namespace fugu::querylog
