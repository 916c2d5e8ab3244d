// fugu metrics: how far are the released values from the truth?
#include <cstdio>

#include "command.hpp"
#include "evaluation.hpp"

namespace fugu::cli {

namespace {

struct MetricsArguments {
  SourceOptions stream;
  std::vector<std::string> released;
  double gamma = 1;
};

constexpr const char* kExamples = R"(
Prints CSV: file,series,slots,mae,rmse,mre; with several files (runs) also the median and the 0.95 quantile over runs.
MRE is the mean of |released − true| / max(|true|, gamma). Slots whose true value is missing do not count;
a series of which nothing has been released yet counts as 0.

Examples
  fugu metrics --stream totals.csv --released released.csv --gamma 10
  fugu metrics --stream totals.csv --released run1.csv run2.csv run3.csv
)";

void print_row(const std::string& file, const std::string& series, const ErrorSummary& errors) {
  std::printf("%s,%s,%lld,%s,%s,%s\n", file.c_str(), series.c_str(), static_cast<long long>(errors.slots),
              short_number(errors.mae).c_str(), short_number(errors.rmse).c_str(), short_number(errors.mre).c_str());
}

/// The quantiles over runs of all three errors.
Result<void> print_quantiles(const std::vector<ErrorSummary>& runs) {
  const std::vector<double> probabilities = {0.5, 0.95};
  const auto column = [&](double ErrorSummary::* member) {
    std::vector<double> values;
    for (const ErrorSummary& run : runs) values.push_back(run.*member);
    return quantiles(std::move(values), probabilities);
  };
  FUGU_ASSIGN(const auto mae, column(&ErrorSummary::mae));
  FUGU_ASSIGN(const auto rmse, column(&ErrorSummary::rmse));
  FUGU_ASSIGN(const auto mre, column(&ErrorSummary::mre));
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    std::printf("quantile %s of %zu runs,all,%lld,%s,%s,%s\n", short_number(probabilities[i]).c_str(), runs.size(),
                static_cast<long long>(runs.front().slots), short_number(mae[i]).c_str(), short_number(rmse[i]).c_str(),
                short_number(mre[i]).c_str());
  }
  return {};
}

Outcome print_metrics(const MetricsArguments& arguments) {
  if (arguments.released.empty()) return Error{Cause::usage, "--released is missing: the releases to measure"};
  std::vector<Evaluation> evaluations;  // all of them, or nothing is printed
  for (const std::string& file : arguments.released) {
    FUGU_ASSIGN(Evaluation evaluation, evaluate(arguments.stream, file, {.sanity_bound = arguments.gamma}));
    evaluations.push_back(std::move(evaluation));
  }
  std::vector<ErrorSummary> runs;
  std::printf("file,series,slots,mae,rmse,mre\n");
  for (std::size_t i = 0; i < evaluations.size(); ++i) {
    const std::string& file = arguments.released[i];
    const Evaluation& evaluation = evaluations[i];
    for (const SeriesErrors& series : evaluation.series) {
      if (series.errors) print_row(file, series.name, *series.errors);
    }
    if (evaluation.series.size() > 1) print_row(file, "all", *evaluation.overall);
    runs.push_back(*evaluation.overall);
  }
  if (runs.size() > 1) FUGU_TRY(print_quantiles(runs));
  return kDone;
}

}  // namespace

void add_metrics(CLI::App& app, Outcome& outcome) {
  auto arguments = std::make_shared<MetricsArguments>();
  CLI::App* command = app.add_subcommand("metrics", "Measure the error of releases against the true stream");
  command->footer(kExamples);
  arguments->stream.add_to(*command);
  command->add_option("--released", arguments->released, "Releases, one file per run");
  command->add_option("--gamma", arguments->gamma, "Sanity bound of the relative error, in the stream's unit")
      ->capture_default_str();
  command->callback([arguments, &outcome] { outcome = print_metrics(*arguments); });
}

}  // namespace fugu::cli
