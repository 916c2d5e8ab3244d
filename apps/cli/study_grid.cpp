// fugu study grid.
#include <algorithm>
#include <optional>

#include "fugu/study/grid_study.hpp"
#include "fugu/study/ordered_tasks.hpp"
#include "fugu/study/result_file.hpp"
#include "progress.hpp"
#include "study.hpp"
#include "table.hpp"

namespace fugu::cli {

namespace {

constexpr const char* kExamples = R"(
Chapter 6 of the thesis: can an operator run its grid on released numbers? Load flow on releases as the thesis does it,
beside state estimation from the same releases, and beside an operator that has no customer data at all. Each run of a
network has other homes and other noise (--runs); the thesis's trace has ten runs of noise, as there. A made-up feeder
with simulated homes takes some seconds; with a data folder, seven recorded networks and recorded homes take some minutes.

Examples
  fugu study grid --out grid
  fugu study grid --out grid --data DATA       # DATA/lvgrid, DATA/citylearn_fontana, DATA/sgsc_newcastle
  fugu study grid --out quick --days 3 --runs 1
)";

std::string header() {
  std::string text = "part,network,loads,scenario,noise,scale_kw,scale_kvar,method";
  for (const GridColumn& column : grid_columns()) text.append(",").append(column.name);
  return text;
}

std::string key_of(const GridCell& cell) {
  std::string text(name_of(cell.part));
  text.append(",").append(cell.place.network).append(",").append(cell.place.loads);
  text.append(cell.has_q ? ",pq," : ",p-only,").append(name_of(cell.noise));
  text.append(",").append(result_number(cell.scale_kw)).append(",").append(result_number(cell.scale_kvar));
  return text.append(",").append(name_of(cell.method));
}

std::string row_of(const GridCell& cell, const GridMeasures& measures) {
  std::string text = key_of(cell);
  for (const GridColumn& column : grid_columns()) text.append(",").append(result_number(measures.*column.value));
  return text;
}

std::optional<GridMeasures> parse_row(std::string_view row) {
  if (std::ranges::count(row, ',') != std::ranges::count(header(), ',')) return std::nullopt;
  GridMeasures measures{};
  for (int skipped = 0; skipped < 8; ++skipped) row.remove_prefix(row.find(',') + 1);
  for (const GridColumn& column : grid_columns()) {
    const std::size_t comma = std::min(row.find(','), row.size());
    if (!parse_result_number(row.substr(0, comma), measures.*column.value)) return std::nullopt;
    row.remove_prefix(std::min(comma + 1, row.size()));
  }
  return measures;
}

Outcome run_grid(GridStudyOptions options, const StudyArguments& arguments) {
  options.data_folder = arguments.data;
  options.seed = arguments.seed;
  options.runs = arguments.runs.value_or(arguments.full ? 10 : options.runs);
  FUGU_ASSIGN(const GridStudy study, GridStudy::make(options));
  const auto& cells = study.cells();
  std::vector<std::string> keys;
  for (const GridCell& cell : cells) keys.push_back(key_of(cell));
  FUGU_ASSIGN(
      ResultFile file,
      ResultFile::open(
          {.folder = arguments.out,
           .header = header(),
           .keys = std::move(keys),
           .facts = {{"seed", std::to_string(options.seed)},
                     {"days", std::to_string(options.days)},
                     {"runs", std::to_string(options.runs)},
                     {"data", "\"" + std::string(options.data_folder.empty() ? "simulated" : "recorded") + "\""},
                     {"cells", std::to_string(cells.size())}},
           .readable = [](auto row) { return parse_row(row).has_value(); },
           .restart = arguments.restart}));
  Progress progress("cells");
  const auto show = [&](std::size_t done, std::size_t all) { progress.update_now(done, all); };
  FUGU_TRY(run_in_order<GridMeasures>(
      {.threads = arguments.threads, .from = file.rows().size(), .progress = show}, cells.size(),
      [&](std::size_t i) { return study.run(cells[i]); },
      [&](std::size_t i, const GridMeasures& measures) { return file.add(row_of(cells[i], measures)); }));
  std::vector<GridMeasures> measures;
  for (const std::string& row : file.rows()) measures.push_back(*parse_row(row));
  for (const report::Table& table : grid_tables(study, measures)) print_table(table);
  if (!arguments.no_report) {
    FUGU_ASSIGN(const std::string page, grid_page(study, measures));
    FUGU_TRY(write_file(arguments.out + "/report.html", page));
  }
  note(std::to_string(cells.size()) + " cells: " + arguments.out + "/results.csv" +
       (arguments.no_report ? "" : ", " + arguments.out + "/report.html"));
  return kDone;
}

}  // namespace

RunStudy prepare_grid(CLI::App& command, const StudyArguments& arguments) {
  auto options = std::make_shared<GridStudyOptions>();
  command.footer(kExamples);
  command.add_option("--days", options->days, "Days of each network")->check(CLI::Range(2, 366))->capture_default_str();
  return [&arguments, options] { return run_grid(*options, arguments); };
}

}  // namespace fugu::cli
