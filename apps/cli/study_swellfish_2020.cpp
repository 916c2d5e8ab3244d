// fugu study swellfish-2020.
#include <fstream>
#include <iterator>

#include "fugu/study/swellfish_2020.hpp"
#include "progress.hpp"
#include "study.hpp"
#include "table.hpp"

namespace fugu::cli {

namespace {

constexpr const char* kExamples = R"(
Experiments 1 and 2 of the conference paper: the policies of 250 households at once, all mechanisms of Table II with the
parameters of Theorem 7, and beside them sound ones, UnicornPS and Narwhal. Every row says whether the promise was kept,
exactly, and what the best attack learns. docs/studies/swellfish-2020.md explains what differs from the print.

Examples
  fugu study swellfish-2020 --out conference                       12 weeks, simulated zones
  fugu study swellfish-2020 --out conference --data DATA           12 weeks of the GEFCom 2012 zones
  fugu study swellfish-2020 --out all --data DATA --full           all 4.5 years of them
  fugu study swellfish-2020 --out small --days 14 --zones 2 --households 5 --runs 2
  fugu study swellfish-2020 --out mine --policies my-policies      the policies of that folder, with their own ε
)";

Outcome run_conference(const StudyArguments& arguments, ConferenceOptions options) {
  options.data_folder = arguments.data;
  options.seed = arguments.seed;
  options.threads = arguments.threads;
  if (arguments.runs) options.runs = *arguments.runs;
  if (arguments.full) options.days = 0;
  FUGU_ASSIGN(const ConferenceStudy study, ConferenceStudy::make(options));
  FUGU_ASSIGN(ResultFile file, study.open(arguments.out, arguments.restart));
  {
    Progress progress("rows");
    FUGU_TRY(study.run(file, [&](std::size_t done, std::size_t all) { progress.update_now(done, all); }));
  }
  std::vector<ConferenceRow> rows;
  for (const std::string& text : file.rows()) rows.push_back(ConferenceStudy::parse_row(text).value());
  for (const int experiment : {1, 2}) {
    for (const report::Table& table :
         {conference_errors(study, rows, experiment), conference_secrets(rows, experiment)}) {
      std::printf("%s\n", table.caption.c_str());
      print_table(table, "  ");
    }
  }
  if (arguments.no_report) return kDone;
  std::ifstream timings(arguments.out + "/timings.csv");
  const std::string text{std::istreambuf_iterator<char>(timings), {}};
  FUGU_TRY(write_file(arguments.out + "/report.html", conference_page(study, rows, text)));
  return kDone;
}

}  // namespace

RunStudy prepare_swellfish_2020(CLI::App& command, const StudyArguments& arguments) {
  auto options = std::make_shared<ConferenceOptions>();
  command.footer(kExamples);
  command.add_option("--days", options->days, "From the first day of the zones on; 0: all")->capture_default_str();
  command.add_option("--zones", options->zones, "The first ones of the twenty")->capture_default_str();
  command.add_option("--households", options->households, "Whose policies are protected")->capture_default_str();
  command.add_option("--policies", options->policies_folder,
                     "Folder of policy files (slot numbers, kW) instead of simulated households: each meter is one");
  return [&arguments, options] { return run_conference(arguments, *options); };
}

}  // namespace fugu::cli
