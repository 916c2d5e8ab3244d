// fugu study discounted.
#include "fugu/study/discounted_study.hpp"
#include "progress.hpp"
#include "study.hpp"
#include "table.hpp"

namespace fugu::cli {

namespace {

constexpr const char* kExamples = R"(
Examples
  fugu study discounted --out discounted                # 300 simulated households, a year of days
  fugu study discounted --out real --data DATA          # ten and seventeen real ones: DATA/sgsc_newcastle, …
  fugu study discounted --out strict --epsilon 0.1 --clamp 30

What the schedules are: fugu describe equal, fugu describe planned, fugu describe published
)";

Outcome run_discounted(const StudyArguments& arguments, DiscountedStudyOptions options) {
  options.data_folder = arguments.data;
  options.seed = arguments.seed;
  options.threads = arguments.threads;
  if (arguments.runs) options.runs = *arguments.runs;
  FUGU_ASSIGN(const DiscountedStudy study, DiscountedStudy::make(options));
  FUGU_ASSIGN(ResultFile file, study.open(arguments.out, arguments.restart));
  {
    Progress progress("rows");
    FUGU_TRY(study.run(file, [&](std::size_t done, std::size_t all) { progress.update_now(done, all); }));
  }
  print_table(study.days_table());
  if (!arguments.no_report) {
    FUGU_ASSIGN(const std::string page, study.page());
    FUGU_TRY(write_file(arguments.out + "/report.html", page));
  }
  note(std::to_string(file.rows().size()) + " rows in " + arguments.out + "/results.csv" +
       (arguments.no_report ? "" : ", " + arguments.out + "/report.html"));
  return kDone;
}

}  // namespace

RunStudy prepare_discounted(CLI::App& command, const StudyArguments& arguments) {
  auto options = std::make_shared<DiscountedStudyOptions>();
  command.footer(kExamples);
  command.add_option("--households", options->households, "Simulated ones")->capture_default_str();
  command.add_option("--days", options->days, "Length")->capture_default_str();
  command.add_option("--epsilon", options->epsilon, "Of every promise")->capture_default_str();
  command.add_option("--clamp", options->clamp_kwh, "kWh that a household's day counts at most; sets the noise")
      ->capture_default_str();
  return [&arguments, options] { return run_discounted(arguments, *options); };
}

}  // namespace fugu::cli
