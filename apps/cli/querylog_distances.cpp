// fugu querylog distances.
#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "file_options.hpp"
#include "fugu/distance/access_area.hpp"
#include "fugu/distance/characteristic.hpp"
#include "fugu/mining/matrix_file.hpp"
#include "fugu/sql/log_reader.hpp"
#include "fugu/sql/query_reader.hpp"
#include "output_stream.hpp"
#include "querylog.hpp"

namespace fugu::cli {

namespace {

constexpr const char* kExamples = R"(
LOG has one JSON object a line, with the SQL text as "query"; or it is what PostgreSQL writes (jsonlog, csvlog, stderr). The
schema is a script of CREATE TABLE statements, or lines `table,column,type`. Queries are SELECT statements in the dialect
of PostgreSQL.

  token        the words, names and predicates that only one of two queries has, of those that either has
  structure    the same of what is selected, from where and by what, without constants
  access-area  by attribute: do they read the same values (0), some of the same (--overlap), or others (1)? The mean

The matrix has a line for each pair, `first,second,distance`: two lines of the log and an exact fraction. Definitions:
docs/concepts/query-distances.md. A query that is not understood ends the run. With --skip-unsupported it is left out of
the matrix, and how many were is said at the end.

The matrix is no differential privacy: who has it knows which queries are alike, and in what share.

Examples
  fugu querylog distances log.jsonl --schema schema.sql --distance token --out matrix.csv
  fugu querylog distances log.jsonl --schema schema.sql --distance access-area --overlap 1/3 --skip-unsupported
)";

struct DistancesArguments {
  std::string log;
  std::string schema;
  std::string distance;
  std::string overlap = "1/2";
  std::string out = "-";
  bool skip_unsupported = false;
};

/// Between 0 and 1, exclusive, with at most 1000 below the line.
Result<mining::Fraction> read_overlap(const std::string& text) {
  mining::Fraction overlap;
  const char* const end = text.data() + text.size();
  const auto num = std::from_chars(text.data(), end, overlap.num);
  const bool has_line = num.ec == std::errc{} && num.ptr != end && *num.ptr == '/';
  const auto den = std::from_chars(has_line ? num.ptr + 1 : end, end, overlap.den);
  const bool is_fraction = has_line && den.ec == std::errc{} && den.ptr == end;
  if (is_fraction && overlap.num > 0 && overlap.num < overlap.den && overlap.den <= 1000) return overlap;
  return Error{Cause::usage, "--overlap: found " + shown(text) + "; expected a fraction between 0 and 1, as 1/2"};
}

/// The characteristics of all queries; those that are refused are counted by the reason.
class Log {
 public:
  Log(const DistancesArguments& arguments, const querylog::Schema& schema)
      : arguments_(arguments), schema_(schema), domains_(schema) {}

  Result<void> read() {
    FUGU_ASSIGN(Input input, Input::open(arguments_.log));
    querylog::LogReader reader(std::move(input));
    while (true) {
      FUGU_ASSIGN(const auto query, reader.next());
      if (!query) return {};
      const auto read = querylog::read_statement(query->text, schema_);
      if (const auto* const refusal = std::get_if<querylog::Refusal>(&read)) {
        FUGU_TRY(skip(*refusal, {reader.file(), query->line, 0}));
        continue;
      }
      names_.push_back(query->line);
      add(std::get<querylog::Statement>(read));
    }
  }

  const std::vector<std::uint64_t>& names() const { return names_; }

  mining::DistanceMatrix distances(mining::Fraction overlap) const {
    if (arguments_.distance == "access-area") return querylog::access_area_distances(areas_, domains_, overlap);
    return mining::jaccard_distances(sets_);
  }

  void tell_skipped() const {
    std::size_t skipped = 0;
    for (const auto& [construct, count] : skipped_) skipped += count;
    if (skipped == 0) return;
    note("left out " + std::to_string(skipped) + " of " + std::to_string(names_.size() + skipped) + " queries:");
    std::vector<std::pair<std::size_t, std::string>> constructs;
    for (const auto& [construct, count] : skipped_) constructs.emplace_back(count, construct);
    std::ranges::stable_sort(constructs, std::greater<>(), [](const auto& each) { return each.first; });
    for (const auto& [count, construct] : constructs) note("  " + std::to_string(count) + " with " + construct);
  }

 private:
  Result<void> skip(const querylog::Refusal& refusal, const Location& where) {
    if (!arguments_.skip_unsupported) {
      return found_but_expected(where, refusal.text(),
                                "a query that is understood; --skip-unsupported leaves the others out");
    }
    ++skipped_[refusal.construct];
    return {};
  }

  void add(const querylog::Statement& statement) {
    if (arguments_.distance == "access-area") {
      areas_.push_back(querylog::access_areas(statement, schema_, domains_));
    } else if (arguments_.distance == "token") {
      sets_.push_back(dictionary_.numbers(querylog::tokens(statement, schema_)));
    } else {
      sets_.push_back(dictionary_.numbers(querylog::features(statement, schema_)));
    }
  }

  const DistancesArguments& arguments_;
  const querylog::Schema& schema_;
  querylog::Domains domains_;
  querylog::Dictionary dictionary_;
  std::vector<std::uint64_t> names_;  // lines of the log
  std::vector<mining::ElementSet> sets_;
  std::vector<querylog::AccessAreas> areas_;
  std::map<std::string, std::size_t> skipped_;
};

Outcome write_distances(const DistancesArguments& arguments) {
  FUGU_TRY(check_different({{"LOG", arguments.log}, {"--schema", arguments.schema}, {"--out", arguments.out}}));
  if (arguments.log == "-" && arguments.schema == "-") {
    return Error{Cause::usage, "LOG and --schema must be different files: found standard input for both"};
  }
  FUGU_ASSIGN(const mining::Fraction overlap, read_overlap(arguments.overlap));
  FUGU_ASSIGN(const querylog::Schema schema, querylog::Schema::read(arguments.schema));
  Log log(arguments, schema);
  FUGU_TRY(log.read());
  log.tell_skipped();
  if (log.names().size() < 2) {
    return found_but_expected({arguments.log}, std::to_string(log.names().size()) + " queries that are understood",
                              "at least two");
  }
  const mining::DistanceMatrix distances = log.distances(overlap);
  FUGU_ASSIGN(OutputStream out, OutputStream::open(arguments.out));
  std::fprintf(out.get(), "%s\n", mining::kMatrixHeader);
  for (std::size_t item = 1; item < distances.size(); ++item) {
    const std::string lines = mining::matrix_lines(distances, log.names(), item);
    std::fwrite(lines.data(), 1, lines.size(), out.get());
  }
  FUGU_TRY(out.finish());
  return kDone;
}

}  // namespace

void prepare_querylog_distances(CLI::App& command, Outcome& outcome) {
  auto arguments = std::make_shared<DistancesArguments>();
  command.footer(kExamples);
  command.add_option("log", arguments->log, "The log, or - for standard input")->required();
  command.add_option("--schema", arguments->schema, "The relations that queries name")->required();
  command.add_option("--distance", arguments->distance, "token, structure or access-area")
      ->required()
      ->check(CLI::IsMember({"token", "structure", "access-area"}));
  command.add_option("--overlap", arguments->overlap, "access-area: what areas count that overlap and differ")
      ->capture_default_str();
  command.add_flag("--skip-unsupported", arguments->skip_unsupported, "Leave out and count what is not understood");
  command.add_option("--out", arguments->out, "Where the matrix goes")->capture_default_str();
  command.callback([arguments, &outcome] { outcome = write_distances(*arguments); });
}

}  // namespace fugu::cli
