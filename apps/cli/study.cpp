// fugu study: the evaluations of the papers, repeated.
#include "study.hpp"

#include "table.hpp"

namespace fugu::cli {

namespace {

constexpr StudyKind kStudies[] = {
    {"swellfish-2020", "section VI of the conference paper: its mechanisms, whether they keep their promise, attacks",
     prepare_swellfish_2020},
    {"discounted", "daily averages of households over a year under discounted privacy: the paper's schedules and ours",
     prepare_discounted},
    {"swellfish-thesis", "chapter 7 of the thesis: what the TeS and TeNAT effects are worth, and nineteen mechanisms",
     prepare_swellfish_thesis},
    {"temporal", "temporal perturbation: when is hidden, how much is kept; against delay and noise", prepare_temporal},
    {"distributional", "what meters send so that the law of their sum gives nothing away, and who watches for long",
     prepare_distributional},
    {"grid", "chapter 6 of the thesis: whether an operator can run its grid on released numbers, and how it could",
     prepare_grid},
};

constexpr const char* kExamples = R"(
A study repeats an evaluation of a paper with the kernel, accountants and strategies of fugu publish, on real load when
a data folder is given and on simulated zones otherwise. The folder given with --out gets
  results.csv   a row per combination, as they come; the same seed gives the same bytes, whatever the threads
  report.html   the paper's tables and figures redrawn: one file that needs nothing from outside
and what is needed to go on after a kill: give the same command again.

Examples
  fugu study
  fugu study swellfish-thesis --help
  fugu study swellfish-thesis --days 14 --households 3 --zones 4 --out quick
)";

Outcome list_studies() {
  report::Table table{.columns = {{"study"}, {"what"}}};
  for (const StudyKind& kind : kStudies) table.rows.push_back({{kind.name}, {kind.summary}});
  print_table(table);
  return kDone;
}

void add_options(CLI::App& command, StudyArguments& arguments) {
  command.add_option("--out", arguments.out, "Folder for the results; study-NAME without it");
  command.add_option("--data", arguments.data, "Folder with real data; simulated without it");
  command.add_option("--runs", arguments.runs, "Runs of each combination, instead of the study's number")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000}));
  command.add_option("--threads", arguments.threads, "Threads; all cores without it")->check(CLI::Range(1U, 4096U));
  command.add_option("--seed", arguments.seed, "Equal seeds give equal results")->capture_default_str();
  command.add_flag("--full", arguments.full, "As large as the paper's, which takes longer");
  command.add_flag("--restart", arguments.restart, "Throws away the results that are in the folder");
  command.add_flag("--no-report", arguments.no_report, "Only the CSV files");
}

}  // namespace

void add_study(CLI::App& app, Outcome& outcome) {
  CLI::App* study = app.add_subcommand("study", "Repeat an evaluation of a paper");
  study->footer(kExamples);
  study->callback([study, &outcome] {
    if (study->get_subcommands().empty()) outcome = list_studies();
  });
  for (const StudyKind& kind : kStudies) {
    auto arguments = std::make_shared<StudyArguments>();
    CLI::App* command = study->add_subcommand(kind.name, kind.summary);
    add_options(*command, *arguments);
    const RunStudy run = kind.prepare(*command, *arguments);
    command->callback([arguments, run, name = kind.name, &outcome] {
      if (arguments->out.empty()) arguments->out = std::string("study-").append(name);
      outcome = run();
    });
  }
}

}  // namespace fugu::cli
