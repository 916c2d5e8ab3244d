// fugu study swellfish-thesis.
#include <chrono>
#include <fstream>
#include <iterator>

#include "fugu/study/swellfish_thesis.hpp"
#include "progress.hpp"
#include "study.hpp"
#include "table.hpp"

namespace fugu::cli {

namespace {

constexpr std::uint64_t kFullRuns = 100;
constexpr std::uint64_t kFullCheckRuns = 2;

constexpr const char* kExamples = R"(
Twenty zones, 55 simulated households that each hide every use of an appliance, and the mechanisms of chapter 7 with
Narwhal beside them. Mechanisms whose noise follows from policies alone are computed, the others run; in one zone of
each household everything runs through the kernel and accountant of fugu publish, to check both. Every row has the exact
audit of all policies. What differs from the print: docs/studies/swellfish-thesis.md

Examples
  fugu study swellfish-thesis --data DATA --out thesis             # about 5 minutes on two cores
  fugu study swellfish-thesis --data DATA --full --out thesis-full # 100 runs at ε = 1: an hour
  fugu study swellfish-thesis --days 28 --households 5 --zones 4 --out quick
  fugu study swellfish-thesis --policies my-policies --days 60 --out mine    # each meter of each file in that folder
)";

struct Own {
  ThesisOptions options;
  std::string interval = "thesis";
  std::string beyond = "clip";
};

Result<ThesisOptions> options_of(const StudyArguments& arguments, const Own& own) {
  ThesisOptions options = own.options;
  options.data_folder = arguments.data;
  options.seed = arguments.seed;
  options.threads = arguments.threads;
  if (arguments.full) {
    options.runs = kFullRuns;
    options.check_runs = kFullCheckRuns;
  }
  if (arguments.runs) options.runs = *arguments.runs;
  FUGU_ASSIGN(options.interval, of_option("--interval", parse_interval_rule(own.interval)));
  FUGU_ASSIGN(options.beyond, of_option("--beyond", parse_horizon_rule(own.beyond)));
  return options;
}

Result<void> run_rows(const ThesisStudy& study, ResultFile& file) {
  Progress progress("tasks");
  return study.run(file, [&](std::size_t done, std::size_t all) { progress.update_now(done, all); });
}

Result<void> write_report(const ThesisStudy& study, const std::vector<ThesisRow>& rows, const std::string& out) {
  std::ifstream timings(out + "/timings.csv", std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(timings), {});
  return write_file(out + "/report.html", thesis_page(study, rows, read_speeds(text)));
}

Outcome run_thesis(const StudyArguments& arguments, const Own& own) {
  FUGU_ASSIGN(const ThesisOptions options, options_of(arguments, own));
  FUGU_ASSIGN(const ThesisStudy study, ThesisStudy::make(options));
  FUGU_ASSIGN(ResultFile file, study.open(arguments.out, arguments.restart));
  const std::size_t kept = file.rows().size();
  if (kept > 0)
    note(std::to_string(kept) + " of " + std::to_string(study.row_count()) + " rows are in " + arguments.out +
         " already");
  const auto start = std::chrono::steady_clock::now();
  FUGU_TRY(run_rows(study, file));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::vector<ThesisRow> rows;
  for (const std::string& row : file.rows()) rows.push_back(*ThesisStudy::parse_row(row));
  print_table(thesis_summary(study, rows));
  FUGU_TRY(write_file(arguments.out + "/collections.csv", collections_csv(study, facts_of_collections(study))));
  if (!arguments.no_report) FUGU_TRY(write_report(study, rows, arguments.out));
  note(std::to_string(study.row_count() - kept) + " rows in " + short_number(took.count()) + " s: " + arguments.out +
       "/results.csv" + (arguments.no_report ? "" : ", " + arguments.out + "/report.html"));
  return kDone;
}

}  // namespace

RunStudy prepare_swellfish_thesis(CLI::App& command, const StudyArguments& arguments) {
  auto own = std::make_shared<Own>();
  command.footer(kExamples);
  command.add_option("--days", own->options.days, "From the first day of the zones on; 0: all")->capture_default_str();
  command.add_option("--zones", own->options.zones, "The first ones of the twenty")->capture_default_str();
  command.add_option("--households", own->options.households, "Each with its collection of policies")
      ->capture_default_str();
  CLI::Option* const interval =
      command.add_option("--interval", own->interval, "Where a simulated use is hidden: thesis or conference")
          ->capture_default_str();
  command
      .add_option("--policies", own->options.policies_folder,
                  "Folder of policy files (slot numbers, kW) instead of simulated households: each meter is one")
      ->excludes(interval);
  command.add_option("--beyond", own->beyond, "Intervals that leave the horizon: clip them or drop the policy")
      ->capture_default_str();
  return [&arguments, own] { return run_thesis(arguments, *own); };
}

}  // namespace fugu::cli
