// fugu study distributional.
#include "fugu/study/distributional_study.hpp"
#include "fugu/study/ordered_tasks.hpp"
#include "fugu/study/result_file.hpp"
#include "progress.hpp"
#include "study.hpp"
#include "table.hpp"

namespace fugu::cli {

namespace {

constexpr const char* kExamples = R"(
Section 6 of the paper on distributional privacy: sums over 1,000 meters whose readings follow a lognormal mixture, 10,000
times, against what they send instead; what the constants cost; an adversary who watches for long. With a data folder
also the autocorrelation of real households over days, and what law their readings have at a time of day. Under a minute
on two cores.

Examples
  fugu study distributional --out distributional
  fugu study distributional --out distributional --data DATA
  fugu study distributional --out quick --meters 100 --samples 1000
)";

/// Numbers as they are on file, so that the report of a run that was killed is that of one that was not.
Result<std::vector<DistributionalRow>> run_cases(const StudyArguments& arguments,
                                                 const DistributionalStudyOptions& options) {
  const auto cases = distributional_cases();
  std::vector<std::string> keys;
  for (const DistributionalCase& which : cases) keys.push_back(key_text(which));
  FUGU_ASSIGN(ResultFile file,
              ResultFile::open({.folder = arguments.out,
                                .header = distributional_header(),
                                .keys = std::move(keys),
                                .facts = {{"seed", std::to_string(options.seed)},
                                          {"meters", std::to_string(options.meters)},
                                          {"samples", std::to_string(options.samples)}},
                                .readable = [](auto row) { return parse_distributional_row(row).has_value(); },
                                .restart = arguments.restart}));
  if (!file.rows().empty())
    note(std::to_string(file.rows().size()) + " of " + std::to_string(cases.size()) + " cases are in " + arguments.out +
         " already");
  DistributionalRow drawn;
  Progress progress("cases");
  FUGU_TRY(run_in_order<DistributionalRow>(
      {.threads = options.threads,
       .from = file.rows().size(),
       .progress = [&](std::size_t done, std::size_t all) { progress.update_now(done, all); }},
      cases.size(), [&](std::size_t i) { return run_distributional_case(options, cases[i]); },
      [&](std::size_t i, DistributionalRow row) {
        const std::string text = row_text(cases[i], row);
        if (i == kDrawnCase) drawn = std::move(row);
        return file.add(text);
      }));
  if (drawn.readings.empty() && !arguments.no_report) {  // on file are no samples
    FUGU_ASSIGN(drawn, run_distributional_case(options, cases[kDrawnCase]));
  }
  std::vector<DistributionalRow> rows;
  for (const std::string& text : file.rows()) rows.push_back(*parse_distributional_row(text));
  rows[kDrawnCase].readings = std::move(drawn.readings);
  rows[kDrawnCase].sent = std::move(drawn.sent);
  return rows;
}

Outcome run_study(const StudyArguments& arguments, DistributionalStudyOptions options) {
  if (arguments.runs || arguments.full)
    return Error{Cause::usage, "--runs, --full: this study has one run of the paper's size; vary --seed, --samples"};
  options.seed = arguments.seed;
  options.threads = arguments.threads;
  options.data_folder = arguments.data;
  std::vector<DailyLoad> loads;
  if (!options.data_folder.empty()) {
    FUGU_ASSIGN(loads, read_daily_loads(options.data_folder));
  }
  FUGU_ASSIGN(const std::vector<DistributionalRow> rows, run_cases(arguments, options));
  print_table(distributional_summary(rows));
  if (!loads.empty()) print_table(load_shapes_table(load_shapes(loads, options.seed)));
  if (arguments.no_report) return kDone;
  FUGU_ASSIGN(const WatchCurve curve, watch_curve(options));
  FUGU_TRY(write_file(arguments.out + "/report.html", distributional_page(options, rows, curve, loads)));
  for (const StudyPicture& picture : distributional_pictures(rows, curve, loads))
    FUGU_TRY(write_file(arguments.out + "/" + picture.name, picture.svg));
  note("results.csv, report.html and its pictures in " + arguments.out);
  return kDone;
}

}  // namespace

RunStudy prepare_distributional(CLI::App& command, const StudyArguments& arguments) {
  auto options = std::make_shared<DistributionalStudyOptions>();
  command.footer(kExamples);
  command.add_option("--meters", options->meters, "Meters that are summed")
      ->check(CLI::Range(1U, 100'000U))
      ->capture_default_str();
  command.add_option("--samples", options->samples, "Slots")->check(CLI::Range(10U, 1'000'000U))->capture_default_str();
  return [&arguments, options] { return run_study(arguments, *options); };
}

}  // namespace fugu::cli
