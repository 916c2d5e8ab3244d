// fugu querylog: mine a log of SQL queries by the distances between them.
#include "querylog.hpp"

namespace fugu::cli {

namespace {

constexpr QuerylogCommand kCommands[] = {
    {"distances", "how different is each query of a log from each other one?", prepare_querylog_distances},
    {"mine", "clusters and outliers, from distances alone", prepare_querylog_mine},
};

constexpr const char* kExamples = R"(
Distances are no differential privacy: they tell which queries are alike, and protect nobody who appears in the log.

Examples
  fugu querylog distances log.jsonl --schema schema.sql --distance structure --out matrix.csv
  fugu querylog mine matrix.csv --algorithm fast-pam --clusters 2
)";

}  // namespace

void add_querylog(CLI::App& app, Outcome& outcome) {
  CLI::App* querylog = app.add_subcommand("querylog", "Mine a log of SQL queries by the distances between them");
  querylog->footer(kExamples);
  querylog->require_subcommand(1);
  for (const QuerylogCommand& each : kCommands)
    each.prepare(*querylog->add_subcommand(each.name, each.summary), outcome);
}

}  // namespace fugu::cli
