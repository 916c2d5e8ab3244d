// fugu bench: many mechanisms on many streams under many requirements, and what came of it.
#include <chrono>
#include <cstdio>

#include "command.hpp"
#include "fugu/study/results.hpp"
#include "fugu/study/study_report.hpp"
#include "progress.hpp"
#include "source_options.hpp"
#include "table.hpp"

namespace fugu::cli {

namespace {

struct BenchArguments {
  std::string suite;
  std::string out;
  std::string print;
  Study::Options study;
  unsigned threads = 0;
  bool restart = false;
  bool no_report = false;
  bool list = false;
};

constexpr const char* kExamples = R"(
A suite is a TOML file that names mechanisms, streams, requirements (ε, w) and metrics; every combination is run many
times with seeded noise, through the kernel and accountant of fugu publish. The folder given with --out gets
  results.csv   a row per combination, as they come; the same seed gives the same bytes, whatever the threads
  report.html   heat maps, curves, examples, verdicts: one file that needs nothing from outside
and what is needed to go on after a kill: give the same command again.

Examples
  fugu bench --list
  fugu bench --suite smoke --out smoke
  fugu bench --print smoke > mine.toml
  fugu bench --suite smoke --as-published --threads 2 --seed 7 --out seven

Write your own suite, read the results: docs/how-to/benchmark.md
)";

Outcome list_suites() {
  using Align = report::Column::Align;
  report::Table table{.columns = {{"suite", Align::text},
                                  {"streams", Align::number},
                                  {"requirements", Align::number},
                                  {"runs", Align::number},
                                  {"what", Align::text}}};
  for (const ShippedSuite& shipped : shipped_suites()) {
    FUGU_ASSIGN(const Suite suite, find_suite(std::string(shipped.name)));
    table.rows.push_back({{suite.name},
                          {std::to_string(suite.streams.size())},
                          {std::to_string(suite.requirements.size())},
                          {std::to_string(suite.runs)},
                          {suite.description}});
  }
  print_table(table);
  return kDone;
}

Outcome print_suite(const std::string& name) {
  FUGU_ASSIGN(const Suite suite, find_suite(name));
  std::fwrite(suite.text.data(), 1, suite.text.size(), stdout);
  return kDone;
}

void warn_of_rounding(const Study& study) {
  for (const PreparedStream& stream : study.streams())
    warn_if_rounded(stream.unit_step(), short_number(stream.facts().sensitivity), stream.sensitivity_steps(),
                    "sensitivity of " + stream.facts().name, "unit step");
}

Result<void> run_cells(const BenchArguments& arguments, const Study& study, ResultsFolder& folder) {
  Progress progress("runs");
  const auto show = [&](std::uint64_t done, std::uint64_t all) { progress.update_now(done, all); };
  return study.run({.threads = arguments.threads, .from = folder.done(), .progress = show},
                   [&](std::size_t, const CellResult& result) { return folder.add(study, result); });
}

Result<void> write_report(const Study& study, const ResultsFolder& folder, const std::string& out) {
  FUGU_ASSIGN(const std::string page, study_page(study, folder.results()));
  FUGU_TRY(write_file(out + "/report.html", page));
  return write_file(out + "/deterioration.csv", deterioration_csv(study, folder.results()));
}

Outcome run_bench(const BenchArguments& arguments) {
  if (arguments.list) return list_suites();
  if (!arguments.print.empty()) return print_suite(arguments.print);
  if (arguments.suite.empty()) return Error{Cause::usage, "--suite is missing: a name (see --list) or a TOML file"};
  FUGU_ASSIGN(Suite suite, find_suite(arguments.suite));
  const std::string out = arguments.out.empty() ? "bench-" + suite.name : arguments.out;
  FUGU_ASSIGN(const Study study, Study::make(std::move(suite), arguments.study));
  warn_of_rounding(study);
  FUGU_ASSIGN(ResultsFolder folder, ResultsFolder::open(out, study, arguments.restart));
  const std::size_t kept = folder.done();
  if (kept > 0)
    note(std::to_string(kept) + " of " + std::to_string(study.cells().size()) + " cells are in " + out + " already");
  const auto start = std::chrono::steady_clock::now();
  FUGU_TRY(run_cells(arguments, study, folder));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  print_table(study_summary(study, folder.results()));
  if (!arguments.no_report) FUGU_TRY(write_report(study, folder, out));
  note(std::to_string(study.cells().size() - kept) + " cells in " + short_number(took.count()) + " s: " + out +
       "/results.csv" + (arguments.no_report ? "" : ", " + out + "/report.html"));
  return kDone;
}

}  // namespace

void add_bench(CLI::App& app, Outcome& outcome) {
  auto arguments = std::make_shared<BenchArguments>();
  CLI::App* command = app.add_subcommand("bench", "Compare mechanisms on many streams and requirements");
  command->footer(kExamples);
  command->add_option("--suite", arguments->suite, "A shipped suite by name, or a TOML file");
  command->add_option("--out", arguments->out, "Folder for the results; bench-NAME without it");
  command->add_option("--data", arguments->study.data_folder, "Folder in which the suite's stream files lie");
  command->add_option("--threads", arguments->threads, "Threads; all cores without it")->check(CLI::Range(1U, 4096U));
  command->add_option("--seed", arguments->study.seed, "Instead of the suite's seed");
  command->add_option("--runs", arguments->study.runs, "Instead of the suite's number of runs")
      ->check(CLI::Range(std::uint64_t{1}, kRunsMax));
  command->add_flag("--as-published", arguments->study.as_published,
                    "Adds the forms that break their promise, with the verdict beside their numbers");
  command->add_flag("--restart", arguments->restart, "Throws away the results that are in the folder");
  command->add_flag("--no-report", arguments->no_report, "Only the CSV files");
  command->add_flag("--list", arguments->list, "Lists the suites that come with fugu");
  command->add_option("--print", arguments->print, "Prints a suite: a start for your own");
  command->callback([arguments, &outcome] { outcome = run_bench(*arguments); });
}

}  // namespace fugu::cli
