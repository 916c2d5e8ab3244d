// fugu study swellfish-thesis.
#include <chrono>

#include "fugu/study/swellfish_thesis.hpp"
#include "progress.hpp"
#include "study.hpp"
#include "table.hpp"

namespace fugu::cli {

namespace {

Outcome run_thesis(const StudyArguments& arguments, ThesisOptions options) {
  options.data_folder = arguments.data;
  options.seed = arguments.seed;
  options.threads = arguments.threads;
  if (arguments.runs) options.runs = *arguments.runs;
  FUGU_ASSIGN(const ThesisStudy study, ThesisStudy::make(options));
  FUGU_ASSIGN(ResultFile file, study.open(arguments.out, arguments.restart));
  const auto start = std::chrono::steady_clock::now();
  {
    Progress progress("tasks");
    ReadProgress share;
    FUGU_TRY(study.run(file, [&](std::size_t done, std::size_t all) {
      share.bytes = done;
      share.bytes_total = all;
      progress.update_now(done, share);
    }));
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  note(short_number(took.count()) + " s");
  return kDone;
}

}  // namespace

RunStudy prepare_swellfish_thesis(CLI::App& command, const StudyArguments& arguments) {
  auto options = std::make_shared<ThesisOptions>();
  command.add_option("--days", options->days, "From the first day of the zones on; 0: all");
  command.add_option("--zones", options->zones, "The first ones of the twenty")->capture_default_str();
  command.add_option("--households", options->households, "Each with its collection of policies")
      ->capture_default_str();
  return [&arguments, options] { return run_thesis(arguments, *options); };
}

}  // namespace fugu::cli
