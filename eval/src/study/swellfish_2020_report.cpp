// The page of the study: Tables II and III, Figures 3 and 4, what was promised and what an attacker learns.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "fugu/attack/attack.hpp"
#include "fugu/report/number.hpp"
#include "fugu/stream/csv.hpp"
#include "fugu/study/swellfish_2020.hpp"
#include "run_statistics.hpp"

namespace fugu {

namespace {

using Align = report::Column::Align;
using report::format_fixed;
using report::format_significant;

constexpr double kWattsPerKw = 1000;
constexpr double kLargestDrawn = 10;  // an MRE of 1000 %, as in the paper

std::string percent(double share) { return std::isnan(share) ? "–" : format_significant(100 * share).append(" %"); }
std::string odds(double belief) { return std::isnan(belief) ? "–" : odds_text(belief); }

/// The rows of a mechanism in an experiment, by zone.
std::vector<const ConferenceRow*> rows_of(const std::vector<ConferenceRow>& rows, int experiment,
                                          std::size_t mechanism) {
  std::vector<const ConferenceRow*> found;
  for (const ConferenceRow& row : rows)
    if (row.experiment == experiment && row.mechanism == mechanism) found.push_back(&row);
  return found;
}

report::Cell verdict_cell(const Verdict& verdict) {
  if (verdict.kind == Verdict::Kind::no_data) return {"protects one at a time"};
  if (verdict.kind == Verdict::Kind::breaks)
    return {"BREAKS, " + format_significant(verdict.worst_share) + " of 1", report::Tone::bad};
  return {"holds, " + format_significant(verdict.worst_share) + " of 1", report::Tone::good};
}

/// The zone in which something is largest; of one plan it is the same in all.
template <class Of>
const ConferenceRow* largest(const std::vector<const ConferenceRow*>& rows, Of of) {
  return *std::ranges::max_element(rows, {}, [&](const ConferenceRow* row) { return of(row->kept); });
}

report::Table parameters_table(const ConferenceStudy& study) {
  report::Table table{.caption = "Table III: w is the longest pattern (Theorem 7), or, sound, the longest interval",
                      .columns = {{"experiment"},
                                  {"w", Align::number},
                                  {"paper", Align::number},
                                  {"sound w", Align::number},
                                  {"ε", Align::number},
                                  {"paper", Align::number},
                                  {"sensitivity, kW", Align::number},
                                  {"paper", Align::number},
                                  {"policies", Align::number}}};
  for (const int experiment : {1, 2}) {
    const auto& about = study.parameters(experiment);
    table.rows.push_back({{std::to_string(experiment)},
                          {std::to_string(about.longest_pattern_slots)},
                          {experiment == 1 ? "65" : "672"},
                          {std::to_string(about.longest_interval_slots)},
                          {format_significant(about.epsilon)},
                          {"0.1"},
                          {format_significant(static_cast<double>(about.sensitivity_w) / kWattsPerKw)},
                          {"3.92"},
                          {report::format_count(static_cast<std::int64_t>(study.book(experiment).size()))}});
  }
  return table;
}

/// Powers of ten from `lo` on, as a share or per cent.
std::vector<report::Tick> decades(double lo, double hi) {
  std::vector<report::Tick> ticks;
  for (double power = std::ceil(lo); power <= hi; ++power) ticks.push_back({power, percent(std::pow(10, power))});
  return ticks;
}

report::Axis error_axis(double smallest) {
  const double lo = std::floor(std::log10(std::max(smallest, 1e-8)));
  const double hi = std::log10(kLargestDrawn);
  return {.label = "MRE, logarithmic", .lo = lo, .hi = hi, .ticks = decades(lo, hi)};
}

constexpr report::Colour kColours[] = {report::Colour::blue,   report::Colour::vermilion, report::Colour::green,
                                       report::Colour::purple, report::Colour::ochre,     report::Colour::slate,
                                       report::Colour::ink};

/// MRE of the mechanisms for which `drawn` holds, by zone.
template <class Drawn>
report::Chart zones_chart(const ConferenceStudy& study, const std::vector<ConferenceRow>& rows, int experiment,
                          const std::string& title, Drawn drawn) {
  const std::vector<std::size_t> order = study.zones().by_mean();
  std::vector<report::Tick> ticks;
  for (std::size_t i = 0; i < order.size(); ++i)
    ticks.push_back({static_cast<double>(i), study.zones().zones[order[i]].name.substr(4)});
  double smallest = kLargestDrawn;
  for (const ConferenceRow& row : rows)
    if (row.experiment == experiment && drawn(row.mechanism)) smallest = std::min(smallest, row.mre);
  report::Chart chart({.title = title,
                       .description = "Mean relative error of each mechanism in each zone.",
                       .x = {.label = "zone, by increasing mean load", .ticks = ticks},
                       .y = error_axis(smallest)});
  std::size_t colour = 0;
  for (std::size_t m = 0; m < conference_mechanisms().size(); ++m) {
    if (!drawn(m)) continue;
    std::vector<report::Point> points;
    const auto found = rows_of(rows, experiment, m);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto row = std::ranges::find(found, order[i], &ConferenceRow::zone);
      if (row != found.end()) points.push_back({static_cast<double>(i), std::log10(std::max((*row)->mre, 1e-8))});
    }
    chart.add(report::Line({.label = std::string(conference_mechanisms()[m].name),
                            .colour = kColours[colour % std::size(kColours)],
                            .dashed = conference_mechanisms()[m].with_delta},
                           points));
    ++colour;
  }
  return chart;
}

/// Error over twelve weeks, a line a zone but the smallest, as the paper draws it.
report::Chart weeks_chart(const ConferenceStudy& study, const std::vector<ConferenceRow>& rows, std::size_t mechanism) {
  const std::size_t left_out = study.zones().by_mean().front();
  double smallest = kLargestDrawn;
  std::vector<std::vector<report::Point>> lines;
  for (const ConferenceRow* row : rows_of(rows, 2, mechanism)) {
    if (row->zone == left_out && study.zones().zones.size() > 1) continue;
    std::vector<report::Point>& points = lines.emplace_back();
    for (std::size_t week = 0; week < ConferenceRow::kWeeks; ++week) {
      if (std::isnan(row->weeks[week])) continue;
      smallest = std::min(smallest, row->weeks[week]);
      points.push_back({static_cast<double>(week + 1), std::log10(std::max(row->weeks[week], 1e-8))});
    }
  }
  report::Chart chart({.title = std::string(conference_mechanisms()[mechanism].name),
                       .description = "Mean relative error in each of twelve weeks, one line for each zone.",
                       .x = {.label = "week"},
                       .y = error_axis(smallest),
                       .height_px = 260});
  for (const auto& points : lines) chart.add(report::Line({.colour = report::Colour::blue, .width_px = 1}, points));
  return chart;
}

report::Table speed_table(const std::string& timings) {
  std::map<std::string, std::pair<double, double>, std::less<>> sums;  // slots, seconds
  for (std::size_t at = 0; at < timings.size();) {
    const std::size_t end = std::min(timings.find('\n', at), timings.size());
    const auto cells = csv::split(std::string_view(timings).substr(at, end - at));
    at = end + 1;
    double slots = 0, seconds = 0;
    if (cells.size() != 6 || !parse_result_number(cells[3], slots) || !parse_result_number(cells[4], seconds))
      continue;  // the header, or half a row after a kill
    auto& sum = sums[std::string(cells[1])];
    sum.first += slots;
    sum.second += seconds;
  }
  report::Table table{.caption = "Computing time",
                      .columns = {{"mechanism"},
                                  {"mechanism-slots", Align::number},
                                  {"seconds", Align::number},
                                  {"ns per mechanism-slot", Align::number}}};
  for (const ConferenceMechanism& mechanism : conference_mechanisms()) {
    const auto found = sums.find(mechanism.name);
    if (found == sums.end()) continue;
    const auto& [slots, seconds] = found->second;
    table.rows.push_back({{std::string(mechanism.name)},
                          {report::format_count(static_cast<std::int64_t>(slots))},
                          {format_significant(seconds)},
                          {format_significant(seconds / slots * 1e9)}});
  }
  return table;
}

}  // namespace

report::Table conference_errors(const ConferenceStudy& study, const std::vector<ConferenceRow>& rows, int experiment) {
  report::Table table{.caption = "Experiment " + std::to_string(experiment) +
                                 ": MRE over the zones. Filtered: in how many zones a moving average smooths what is "
                                 "released, because its noise is above the zone's threshold",
                      .columns = {{"mechanism"},
                                  {"smallest (zone)", Align::number},
                                  {"median", Align::number},
                                  {"largest (zone)", Align::number},
                                  {"paper", Align::number},
                                  {"mean scale, kW", Align::number},
                                  {"filtered", Align::number}}};
  for (std::size_t m = 0; m < conference_mechanisms().size(); ++m) {
    const ConferenceMechanism& mechanism = conference_mechanisms()[m];
    const auto found = rows_of(rows, experiment, m);
    if (found.empty()) continue;
    std::vector<std::pair<double, std::size_t>> errors;
    std::size_t filtered = 0;
    for (const ConferenceRow* row : found) {
      errors.emplace_back(row->mre, row->zone);
      filtered += row->filtered ? 1 : 0;
    }
    std::ranges::sort(errors);
    std::vector<double> alone;
    for (const auto& [error, zone] : errors) alone.push_back(error);
    const auto with_zone = [&](const std::pair<double, std::size_t>& one) {
      return percent(one.first) + " (" + study.zones().zones[one.second].name.substr(4) + ")";
    };
    table.rows.push_back({{std::string(mechanism.name)},
                          {with_zone(errors.front())},
                          {percent(median_of(std::move(alone)))},
                          {with_zone(errors.back())},
                          {experiment == 1 ? std::string(mechanism.paper_1) : std::string()},
                          {mechanism.filtered_by_itself ? "–" : format_significant(found.front()->mean_scale_kw)},
                          {mechanism.filtered_by_itself ? "–" : std::to_string(filtered)}});
  }
  return table;
}

report::Table conference_secrets(const std::vector<ConferenceRow>& rows, int experiment) {
  report::Table table{.caption = "Experiment " + std::to_string(experiment) + ": what was kept",
                      .columns = {{"mechanism"},
                                  {"promise"},
                                  {"AUC", Align::number},
                                  {"one secret: 50:50", Align::number},
                                  {"permitted", Align::number},
                                  {"together: 50:50", Align::number},
                                  {"permitted", Align::number}}};
  for (std::size_t m = 0; m < conference_mechanisms().size(); ++m) {
    const auto found = rows_of(rows, experiment, m);
    if (found.empty()) continue;
    // RescueDP has rates of its own in each zone: the worst count.
    const ConferenceRow* surest = largest(found, [](const SecretsKept& kept) { return kept.belief; });
    const ConferenceRow* worst = largest(found, [](const SecretsKept& kept) { return kept.verdict.worst_share; });
    const ConferenceRow* clearest = largest(found, [](const SecretsKept& kept) { return kept.auc; });
    table.rows.push_back({{std::string(conference_mechanisms()[m].name)},
                          verdict_cell(worst->kept.verdict),
                          {format_fixed(clearest->kept.auc, 3)},
                          {odds(surest->kept.belief)},
                          {odds(surest->kept.belief_permitted)},
                          {odds(worst->kept.together_belief)},
                          {odds(worst->kept.together_permitted)}});
  }
  return table;
}

std::string conference_page(const ConferenceStudy& study, const std::vector<ConferenceRow>& rows,
                            const std::string& timings) {
  report::Page page({.title = "Swellfish, the conference paper's evaluation again",
                     .subtitle = "Section VI: " + std::to_string(study.zones().zones.size()) + " zones (" +
                                 study.zones().source + "), " + std::to_string(study.options().households) +
                                 " households, " + std::to_string(study.slots()) + " quarter hours, " +
                                 std::to_string(study.options().runs) + " runs"});
  page.paragraph(
      "For every mechanism: the error; the exact worst loss of all policies as a share of what was promised; and what "
      "the "
      "best attack learns: the AUC of the test on the single secret it does best on, what 50:50 becomes at most about "
      "any "
      "single secret and about all that is hidden in the interval of the worst policy, each beside what ε permits.");
  page.table(parameters_table(study));
  page.section("Experiment 1: the policies of all households");
  page.table(conference_errors(study, rows, 1));
  page.table(conference_secrets(rows, 1));
  const auto printed = [](std::size_t m) { return conference_mechanisms()[m].printed; };
  const auto added = [](std::size_t m) { return !conference_mechanisms()[m].printed; };
  page.figure(zones_chart(study, rows, 1, "Figure 3: the mechanisms of Table II", printed),
              "Cut off at 1000 %, as in the paper. Dashed: promises with δ.");
  page.figure(zones_chart(study, rows, 1, "What the paper lacks", added),
              "Sound parameters, repaired and later mechanisms, and the noise of one household at a time.");
  page.section("Experiment 2: with a holiday in week one that dominates");
  page.table(conference_errors(study, rows, 2));
  page.table(conference_secrets(rows, 2));
  for (std::size_t m = 0; m < conference_mechanisms().size(); ++m)
    page.figure(weeks_chart(study, rows, m), "Figure 4: a line for each zone but the one with the smallest load.");
  page.section("Where the differences to the print come from");
  page.paragraph(
      "The paper's pure Swellfish errors, 0.0064 % of zone 18 and 2.95 % of zone 4, both mean noise of about 14 kW. "
      "Protecting everybody takes, in every slot, the largest scale that any household asks for. Ours: one secret by "
      "itself takes " +
      format_significant(study.parameters(1).mean_secret_scale_w / kWattsPerKw) +
      " kW on average, one household by itself what its row above says, and all of them what the row of Swellfish "
      "says. "
      "The print is near the first of these. Uniform's error is its scale, w times sensitivity over ε; the print "
      "agrees "
      "with that, and both w and the sensitivity of our households are larger than theirs.");
  page.paragraph(
      "Thresholds of the moving average were not published. Ours: a zone's own mean distance from the mean of its last "
      "day. Like theirs they are taken from the data and are no part of any promise.");
  page.section("Speed").table(speed_table(timings));
  return page.html();
}

}  // namespace fugu
