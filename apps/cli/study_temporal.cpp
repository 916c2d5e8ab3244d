// fugu study temporal.
#include <algorithm>
#include <optional>

#include "fugu/study/ordered_tasks.hpp"
#include "fugu/study/result_file.hpp"
#include "fugu/study/temporal_study.hpp"
#include "progress.hpp"
#include "study.hpp"
#include "table.hpp"

namespace fugu::cli {

namespace {

constexpr const char* kExamples = R"(
Section 7 of the temporal paper: 1,000 households at one minute for a day, simulated or the hundred profiles of the
European test feeder in turn; shifts of b = 0.1 to 20 slots in one and in two parts, exponential delay (EDA), normal and
Laplace data perturbation (NDP, LDP), and our lagged form. Prints Table 2, and what the text says about figures 4 to 21
with what was found; the report redraws them. About a minute on two cores.

Examples
  fugu study temporal --out temporal
  fugu study temporal --out profiles --data DATA          # DATA/lvgrid/ieee_eulv/profiles_1min_kw_100.csv.gz
  fugu study temporal --out temporal-full --full          # b in steps of 0.1
  fugu study temporal --households 100 --out small        # seconds
)";

struct TemporalArguments {
  std::uint64_t households = 1000;
};

std::string header() {
  std::string text = "scheme,b";
  for (const TemporalColumn& column : temporal_columns()) text.append(",").append(column.name);
  return text;
}

std::string key_of(const TemporalCell& cell) {
  std::string name(name_of(cell.rival));
  std::erase(name, ',');
  return name.append(",").append(result_number(cell.b));
}

std::string row_of(const TemporalCell& cell, const TemporalMeasures& measures) {
  std::string text = key_of(cell);
  for (const TemporalColumn& column : temporal_columns())
    text.append(",").append(result_number(measures.*column.value));
  return text;
}

std::optional<TemporalMeasures> parse_row(std::string_view row) {
  if (std::ranges::count(row, ',') != std::ranges::count(header(), ',')) return std::nullopt;
  TemporalMeasures measures{};
  for (int skipped = 0; skipped < 2; ++skipped) row.remove_prefix(row.find(',') + 1);
  for (const TemporalColumn& column : temporal_columns()) {
    const std::size_t comma = std::min(row.find(','), row.size());
    if (!parse_result_number(row.substr(0, comma), measures.*column.value)) return std::nullopt;
    row.remove_prefix(std::min(comma + 1, row.size()));
  }
  return measures;
}

Outcome run_temporal(const TemporalArguments& own, const StudyArguments& arguments) {
  TemporalStudyOptions options{.households = own.households,
                               .data_folder = arguments.data,
                               .seed = arguments.seed,
                               .threads = arguments.threads};
  if (arguments.runs) return Error{Cause::usage, "--runs: this study has one run of a thousand meters; vary --seed"};
  if (arguments.full) {
    options.b.clear();
    for (int tenths = 1; tenths <= 20; ++tenths) options.b.push_back(tenths / 10.0);
  }
  FUGU_ASSIGN(const TemporalStudy study, TemporalStudy::make(options));
  std::vector<std::string> keys;
  for (const TemporalCell& cell : study.cells()) keys.push_back(key_of(cell));
  FUGU_ASSIGN(ResultFile file, ResultFile::open({.folder = arguments.out,
                                                 .header = header(),
                                                 .keys = std::move(keys),
                                                 .facts = {{"seed", std::to_string(options.seed)},
                                                           {"households", std::to_string(options.households)},
                                                           digest_fact("readings", study.digest(), "other readings"),
                                                           {"cells", std::to_string(study.cells().size())}},
                                                 .readable = [](auto row) { return parse_row(row).has_value(); },
                                                 .restart = arguments.restart}));
  Progress progress("cells");
  const auto show = [&](std::size_t done, std::size_t all) { progress.update_now(done, all); };
  const auto& cells = study.cells();
  FUGU_TRY(run_in_order<TemporalMeasures>(
      {.threads = arguments.threads, .from = file.rows().size(), .progress = show}, cells.size(),
      [&](std::size_t i) { return study.run(cells[i]); },
      [&](std::size_t i, const TemporalMeasures& measures) { return file.add(row_of(cells[i], measures)); }));
  FUGU_ASSIGN(const report::Table weights, temporal_weights_table());
  print_table(weights);
  std::vector<TemporalMeasures> measures;
  for (const std::string& row : file.rows()) measures.push_back(*parse_row(row));
  FUGU_ASSIGN(const std::vector<TemporalClaim> claims, temporal_claims(study, measures));
  print_table(temporal_claims_table(claims));
  if (!arguments.no_report) {
    FUGU_ASSIGN(const std::string page, temporal_page(study, measures));
    FUGU_TRY(write_file(arguments.out + "/report.html", page));
    FUGU_ASSIGN(const auto pictures, temporal_pictures(study, measures));
    for (const auto& [name, picture] : pictures) FUGU_TRY(write_file(arguments.out + "/" + name, picture));
  }
  note(std::to_string(cells.size()) + " cells: " + arguments.out + "/results.csv" +
       (arguments.no_report ? "" : ", " + arguments.out + "/report.html"));
  return kDone;
}

}  // namespace

RunStudy prepare_temporal(CLI::App& command, const StudyArguments& arguments) {
  auto own = std::make_shared<TemporalArguments>();
  command.footer(kExamples);
  command.add_option("--households", own->households, "Meters")
      ->capture_default_str()
      ->check(CLI::Range(std::uint64_t{2}, std::uint64_t{100'000}));
  return [own, &arguments] { return run_temporal(*own, arguments); };
}

}  // namespace fugu::cli
