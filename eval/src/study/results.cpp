#include "fugu/study/results.hpp"

#include <optional>
#include <span>

#include "fugu/stream/csv.hpp"

namespace fugu {

namespace {

constexpr std::string_view kHeader =
    "mechanism,stream,season,amplitude,epsilon,w,runs,mae,mae_p95,mre,mre_p95,rmse,rmse_p95,sampled_share,verdict,"
    "worst_share,season_autocorrelation,season_kept,level_error,amplitude_kept,peak_error_slots,changes_found,"
    "forecast_mae,experiment,level,sparsity,series,slots,anomaly_knn_auc,anomaly_lof_auc";
constexpr std::string_view kTimingsHeader = "mechanism,stream,epsilon,w,runs,seconds,ns_per_slot_and_series";
/// Columns that say which cell it is; the rest of a row is measured.
constexpr std::size_t kKeyColumns = 6;
constexpr int kFormat = 2;
/// Analyses that stand at the end of a row: columns are appended, never put in between.
constexpr std::size_t kLateAnalyses = 2;
constexpr std::size_t kEarlyAnalyses = CellResult::kAnalyses - kLateAnalyses;
constexpr std::size_t kColumnsBetween = 5;  // experiment to slots

std::string number(double value) { return result_number(value); }
std::string number(const std::optional<double>& value) { return value ? number(*value) : ""; }

std::string key_of(const Study& study, const Cell& cell) {
  const SuiteStream& stream = study.stream_of(cell).facts();
  const SuiteRequirement& requirement = study.requirement_of(cell);
  std::string key = cell.label;
  key.append(",").append(stream.name);
  key.append(",").append(number(stream.season_slots)).append(",").append(number(stream.amplitude));
  key.append(",").append(number(requirement.epsilon)).append(",");
  if (requirement.window_slots) key.append(std::to_string(*requirement.window_slots));
  return key;
}

std::optional<Verdict::Kind> parse_verdict(std::string_view text) {
  for (const auto kind : {Verdict::Kind::holds, Verdict::Kind::breaks, Verdict::Kind::leaks, Verdict::Kind::no_data}) {
    if (name_of(kind) == text) return kind;
  }
  return std::nullopt;
}

std::optional<CellResult> parse_row(std::string_view row) {
  const std::vector<std::string_view> cells = csv::split(row);
  if (cells.size() != csv::split(kHeader).size()) return std::nullopt;
  CellResult result;
  std::size_t at = kKeyColumns;
  double runs = 0;
  bool good = parse_result_number(cells[at++], runs);
  result.runs = static_cast<std::uint64_t>(runs > 0 ? runs : 0);
  for (double* value : {&result.mae, &result.mae_p95, &result.mre, &result.mre_p95, &result.rmse, &result.rmse_p95,
                        &result.sampled_share})
    good = parse_result_number(cells[at++], *value) && good;
  const auto verdict = parse_verdict(cells[at++]);
  good = parse_result_number(cells[at++], result.verdict.worst_share) && good;
  for (std::size_t i = 0; i < CellResult::kAnalyses; ++i) {
    if (i == kEarlyAnalyses) at += kColumnsBetween;
    good = parse_result_number(cells[at++], result.analyses[i]) && good;
  }
  if (!good || !verdict) return std::nullopt;
  result.verdict.kind = *verdict;
  return result;
}

/// What results depend on.
std::vector<ResultFact> facts_of(const Study& study) {
  std::vector<ResultFact> facts = {{"format", std::to_string(kFormat)},
                                   {"fugu", "\"" FUGU_VERSION "\""},
                                   {"seed", std::to_string(study.suite().seed)},
                                   {"runs", std::to_string(study.suite().runs)},
                                   {"as_published", study.as_published() ? "true" : "false"},
                                   {"cells", std::to_string(study.cells().size())}};
  for (std::size_t i = 0; i < study.streams().size(); ++i) {
    const PreparedStream& stream = study.streams()[i];
    facts.push_back(
        digest_fact("data_" + std::to_string(i), stream.digest(), "other values in the stream " + stream.facts().name));
    // A reader of the results sees it, whether the suite says it or not.
    if (stream.series() > 1)
      facts.push_back(
          {"budgets_" + std::to_string(i), stream.facts().budgets == SuiteBudgets::own ? "\"own\"" : "\"shared\""});
  }
  return facts;
}

}  // namespace

std::string_view results_header() { return kHeader; }

std::string results_row(const Study& study, const Cell& cell, const CellResult& result) {
  const PreparedStream& stream = study.stream_of(cell);
  std::string row = key_of(study, cell);
  row.append(",").append(std::to_string(result.runs));
  for (const double value :
       {result.mae, result.mae_p95, result.mre, result.mre_p95, result.rmse, result.rmse_p95, result.sampled_share})
    row.append(",").append(number(value));
  row.append(",").append(name_of(result.verdict.kind)).append(",").append(number(result.verdict.worst_share));
  const std::span<const double> analyses = result.analyses;
  for (const double value : analyses.first(kEarlyAnalyses)) row.append(",").append(number(value));
  row.append(",").append(study.requirement_of(cell).experiment);
  const auto* artificial = std::get_if<ArtificialOptions>(&stream.facts().source);
  row.append(",").append(artificial ? number(artificial->level) : "");
  row.append(",").append(artificial ? number(artificial->sparsity) : "");
  row.append(",").append(std::to_string(stream.series())).append(",").append(std::to_string(stream.slots()));
  for (const double value : analyses.last(kLateAnalyses)) row.append(",").append(number(value));
  return row;
}

Result<ResultsFolder> ResultsFolder::open(const std::string& folder, const Study& study, bool restart) {
  std::vector<std::string> keys;
  for (const Cell& cell : study.cells()) keys.push_back(key_of(study, cell));
  FUGU_ASSIGN(ResultFile file, ResultFile::open({.folder = folder,
                                                 .header = std::string(kHeader),
                                                 .keys = std::move(keys),
                                                 .facts = facts_of(study),
                                                 .companions = {{"suite.toml", study.suite().text, "another suite"}},
                                                 .timings_header = std::string(kTimingsHeader),
                                                 .program = "fugu bench",
                                                 .readable = [](auto row) { return parse_row(row).has_value(); },
                                                 .pages = {"report.html", "deterioration.csv"},
                                                 .restart = restart}));
  std::vector<CellResult> results;
  for (const std::string& row : file.rows()) results.push_back(*parse_row(row));
  return ResultsFolder(std::move(file), std::move(results));
}

Result<void> ResultsFolder::add(const Study& study, const CellResult& result) {
  const Cell& cell = study.cells()[results_.size()];
  const PreparedStream& stream = study.stream_of(cell);
  const SuiteRequirement& requirement = study.requirement_of(cell);
  const double values = static_cast<double>(result.runs * stream.slots() * stream.series());
  std::string timing = cell.label;
  timing.append(",").append(stream.facts().name).append(",").append(number(requirement.epsilon)).append(",");
  if (requirement.window_slots) timing.append(std::to_string(*requirement.window_slots));
  timing.append(",").append(std::to_string(result.runs)).append(",").append(number(result.seconds));
  timing.append(",").append(number(result.seconds / values * 1e9));
  std::string row = results_row(study, cell, result);
  results_.push_back(*parse_row(row));  // with the digits on file, as after a restart
  return file_.add(std::move(row), timing);
}

}  // namespace fugu
