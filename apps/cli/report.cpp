// fugu report: truth, releases, errors and audits of one or more runs on one page.
#include "command.hpp"
#include "evaluation.hpp"
#include "file_options.hpp"
#include "fugu/accounting/audit.hpp"
#include "fugu/accounting/ledger.hpp"
#include "fugu/report/html.hpp"
#include "fugu/report/svg.hpp"
#include "table.hpp"
#include "time_axis.hpp"

namespace fugu::cli {

namespace {

struct ReportArguments {
  SourceOptions stream;
  std::vector<std::string> runs;
  std::string title = "Released stream";
  std::string unit;
  Slot first_slot = 0;
  Slot slots = 500;
  std::string out;
  std::string picture;
};

constexpr const char* kExamples = R"(
Prints a table on standard output and writes one self-contained HTML page with plots of every run, one for each of up
to 12 series. For people who may see the true stream: the page shows it.

Examples
  fugu report --stream totals.csv --run uniform=u.csv,u.ledger --run sample=s.csv,s.ledger --out report.html
  fugu report --stream totals.csv --run hybrid=released.csv --slots 300 --picture release.svg
)";

/// One `--run LABEL=RELEASED[,LEDGER]`.
struct Run {
  std::string label;
  std::string released;
  std::string ledger;
};

Result<Run> parse_run(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::size_t comma = text.find(',', equals == std::string::npos ? 0 : equals);
  if (equals == std::string::npos || equals == 0 || equals + 1 >= text.size())
    return Error{Cause::usage, "--run: expected LABEL=RELEASED.csv or LABEL=RELEASED.csv,LEDGER"};
  Run run{text.substr(0, equals), text.substr(equals + 1, comma == std::string::npos ? comma : comma - equals - 1), ""};
  if (comma != std::string::npos) run.ledger = text.substr(comma + 1);
  return run;
}

/// More are not drawn: nobody would look at them.
constexpr std::size_t kSeriesDrawnMax = 12;

/// What a series looks like in the slots to be drawn.
struct Drawing {
  std::vector<report::Point> truth;
  std::vector<report::Point> released;
  std::vector<report::Span> band;
};

struct RunResult {
  Run run;
  std::string guarantee = "not stated (no ledger)";
  std::string audit = "no ledger";
  bool audit_holds = false;
  std::string filter;  ///< what the releases went through; empty when nothing, or when no ledger says so
  Evaluation evaluation;
  std::vector<Drawing> drawings;  ///< of the first series
  Interval drawn{0, -1};          ///< the slots in them
};

Result<RunResult> examine(const ReportArguments& arguments, const Run& run) {
  RunResult result;
  result.run = run;
  EvaluationOptions options;
  if (!run.ledger.empty()) {
    FUGU_ASSIGN(const AuditReport audit, audit_ledger(run.ledger));
    result.guarantee = audit.definition;
    result.audit_holds = audit.holds();
    result.audit =
        std::string(audit.holds() ? "holds" : "FAILS") + ": " + audit.measure + " = " + short_number(audit.worst_loss);
    FUGU_ASSIGN(const LedgerReader reader, LedgerReader::open(run.ledger));
    const auto noise = reader.header().facts.find("noise");
    if (noise != reader.header().facts.end() && noise->second == "gaussian") options.noise = NoiseKind::gaussian;
    const auto filter = reader.header().facts.find("filter");
    if (filter != reader.header().facts.end()) result.filter = filter->second;
  }
  Slot last = -1;
  options.observe = [&](const Observation& seen) {
    const ReleaseRecord& record = seen.released;
    last = std::max(last, record.slot);
    if (record.series >= kSeriesDrawnMax || record.slot < arguments.first_slot ||
        record.slot - arguments.first_slot >= arguments.slots)
      return;
    if (result.drawn.slots() == 0) result.drawn.first = record.slot;
    result.drawn.last = record.slot;
    if (record.series >= result.drawings.size()) result.drawings.resize(record.series + 1);
    Drawing& drawing = result.drawings[record.series];
    const auto x = static_cast<double>(record.slot);
    if (seen.truth) drawing.truth.push_back({x, *seen.truth});
    if (record.known) drawing.released.push_back({x, record.value});
    if (record.lower && record.upper) drawing.band.push_back({x, *record.lower, *record.upper});
  };
  FUGU_ASSIGN(result.evaluation, evaluate(arguments.stream, run.released, options));
  if (result.drawings.empty())
    return Error{Cause::usage, "--first-slot: found " + std::to_string(arguments.first_slot) + "; the releases of " +
                                   run.label + " end with slot " + std::to_string(last)};
  return result;
}

report::Chart draw(const ReportArguments& arguments, const RunResult& result, std::size_t series) {
  const std::string& name = result.evaluation.series[series].name;
  const Drawing& drawing = result.drawings[series];
  const bool several = result.evaluation.series.size() > 1;
  report::Chart chart({.title = arguments.title + ": " + result.run.label + (several ? ", " + name : ""),
                       .description = "True and released values of " + name + " over time, with the error band.",
                       .x = time_axis(result.evaluation.clock, result.drawn, true),
                       .y = {.label = name, .unit = arguments.unit}});
  if (!drawing.band.empty())
    chart.add(report::Band({.label = "error band", .colour = report::Colour::blue, .shape = report::Shape::steps},
                           drawing.band));
  chart.add(report::Line({.label = "released", .colour = report::Colour::blue, .shape = report::Shape::steps},
                         drawing.released));
  chart.add(report::Line({.label = "true", .colour = report::Colour::ink, .width_px = 1.25}, drawing.truth));
  return chart;
}

report::Table make_table(const std::vector<RunResult>& results) {
  using Align = report::Column::Align;
  report::Table table{.caption = "Strategies under their promises",
                      .columns = {{"strategy", Align::text},
                                  {"guarantee", Align::text},
                                  {"measured MAE", Align::number},
                                  {"predicted MAE", Align::number},
                                  {"audit", Align::text}}};
  for (const RunResult& result : results) {
    const report::Tone tone = result.run.ledger.empty() ? report::Tone::plain
                              : result.audit_holds      ? report::Tone::good
                                                        : report::Tone::bad;
    table.rows.push_back({{result.run.label},
                          {result.guarantee},
                          {short_number(result.evaluation.overall->mae)},
                          {result.evaluation.predicted_mae ? short_number(*result.evaluation.predicted_mae) : "–"},
                          {result.audit, tone}});
  }
  return table;
}

/// What the predicted error does not know.
std::string filter_remark(const std::vector<RunResult>& results) {
  std::string filtered;
  for (const RunResult& result : results) {
    if (!result.filter.empty())
      filtered += (filtered.empty() ? "" : ", ") + result.run.label + " (" + result.filter + ")";
  }
  if (filtered.empty()) return {};
  return "Filtered: " + filtered +
         ". Predicted MAE is that of the releases before the filter, which is there to make the error smaller: the "
         "measured one, after it, may be far below.";
}

/// "Slots 0 to 287 of north" or the same in times.
std::string what_is_drawn(const RunResult& result, std::size_t series) {
  const RunClock& time = result.evaluation.clock;
  const auto text = [&](Slot slot) { return time.clock.text(slot, time.utc_offset_s); };
  return (time.clock.has_time() ? "From " : "Slots ") + text(result.drawn.first) + " to " + text(result.drawn.last) +
         " of " + result.evaluation.series[series].name;
}

std::string make_page(const ReportArguments& arguments, const std::vector<RunResult>& results) {
  report::Page page(
      {.title = arguments.title, .subtitle = "True and released values, what they cost, and how far they are apart"});
  page.note("This page shows the true stream. It is for those who may see it.");
  page.table(make_table(results));
  page.paragraph(
      "Predicted MAE is what the noise scales and the movement of the stream between two answers lead to expect; the "
      "measured one is that of this single run. The audit recomputes the guarantee from the ledger's answers.");
  if (const std::string remark = filter_remark(results); !remark.empty()) page.note(remark);
  for (const RunResult& result : results) {
    page.section(result.run.label);
    for (std::size_t series = 0; series < result.drawings.size(); ++series)
      page.figure(draw(arguments, result, series), what_is_drawn(result, series) + ". " + result.guarantee + ".");
    const std::size_t all = result.evaluation.series.size();
    if (all > result.drawings.size())
      page.paragraph("Not drawn: " + std::to_string(all - result.drawings.size()) + " more of the " +
                     std::to_string(all) + " series. The errors in the table are those of all.");
  }
  return page.html();
}

/// What is written must not destroy what is read.
Result<void> check_files(const ReportArguments& arguments, const Run& run) {
  return check_different({{"--stream", arguments.stream.stream},
                          {"--readings", arguments.stream.readings},
                          {"--series-map", arguments.stream.series_map},
                          {"the releases of --run", run.released},
                          {"the ledger of --run", run.ledger},
                          {"--out", arguments.out},
                          {"--picture", arguments.picture}});
}

Outcome make_report(const ReportArguments& arguments) {
  if (arguments.runs.empty())
    return Error{Cause::usage, "--run is missing: LABEL=RELEASED.csv,LEDGER for each run to show"};
  if (arguments.slots < 1) return Error{Cause::usage, "--slots: expected at least 1"};
  if (arguments.first_slot < 0) return Error{Cause::usage, "--first-slot: expected 0 or more"};
  std::vector<Run> runs;
  for (const std::string& text : arguments.runs) {
    FUGU_ASSIGN(Run run, parse_run(text));
    FUGU_TRY(check_files(arguments, run));
    runs.push_back(std::move(run));
  }
  std::vector<RunResult> results;
  for (const Run& run : runs) {
    FUGU_ASSIGN(RunResult result, examine(arguments, run));
    results.push_back(std::move(result));
  }
  print_table(make_table(results));
  if (const std::string remark = filter_remark(results); !remark.empty()) print_wrapped(remark);
  if (!arguments.out.empty()) FUGU_TRY(write_file(arguments.out, make_page(arguments, results)));
  if (!arguments.picture.empty())
    FUGU_TRY(write_file(arguments.picture, draw(arguments, results.front(), 0).standalone_svg()));
  return kDone;
}

}  // namespace

void add_report(CLI::App& app, Outcome& outcome) {
  auto arguments = std::make_shared<ReportArguments>();
  CLI::App* command = app.add_subcommand("report", "Compare runs with the truth on one HTML page");
  command->footer(kExamples);
  arguments->stream.add_to(*command);
  command->add_option("--run", arguments->runs, "LABEL=RELEASED.csv[,LEDGER], once per run");
  command->add_option("--title", arguments->title, "Title of the page")->capture_default_str();
  command->add_option("--unit", arguments->unit, "Unit of the values, for the axis");
  command->add_option("--first-slot", arguments->first_slot, "First slot to draw")->capture_default_str();
  command->add_option("--slots", arguments->slots, "How many slots to draw")->capture_default_str();
  command->add_option("--out", arguments->out, "HTML page to write");
  command->add_option("--picture", arguments->picture,
                      "SVG file to write: the plot of the first series of the first run");
  command->callback([arguments, &outcome] { outcome = make_report(*arguments); });
}

}  // namespace fugu::cli
