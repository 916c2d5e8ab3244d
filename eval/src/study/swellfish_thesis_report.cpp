// What the thesis study found, for people.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "fugu/metric/metric.hpp"
#include "fugu/report/number.hpp"
#include "fugu/simulate/simulation.hpp"
#include "fugu/study/swellfish_thesis.hpp"
#include "run_statistics.hpp"

namespace fugu {

namespace {

using report::Cell;
using report::Colour;
using report::Tone;
using Align = report::Column::Align;

constexpr double kWattsPerKw = 1000;

std::string text_of(double value) { return report::format_significant(value); }
std::string percent(double share) { return report::format_significant(share * 100).append(" %"); }

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) /
         static_cast<double>(std::max<std::size_t>(1, values.size()));
}

std::size_t find_mechanism(std::string_view name) {
  const auto all = thesis_mechanisms();
  const auto found = std::ranges::find(all, name, &ThesisMechanism::name);
  FUGU_CHECK(found != all.end());
  return static_cast<std::size_t>(found - all.begin());
}

/// The rows by what they are about.
class Rows {
 public:
  Rows(const ThesisStudy& study, const std::vector<ThesisRow>& rows) : study_(study) {
    for (const ThesisRow& row : rows) {
      const bool is_check =
          row.method == ThesisMethod::simulation && thesis_mechanisms()[row.mechanism].method != row.method;
      if (is_check) {
        checks_.push_back(&row);
      } else {
        by_cell_[{row.mechanism, row.epsilon, row.household, row.zone}] = &row;
      }
    }
  }

  const ThesisStudy& study() const { return study_; }
  std::size_t households() const { return study_.collections().policies.size(); }
  std::size_t zones() const { return study_.zones().zones.size(); }
  const ThesisRow& at(std::size_t mechanism, double epsilon, std::size_t household, std::size_t zone) const {
    return *by_cell_.at({mechanism, epsilon, household, zone});
  }
  bool has(std::size_t mechanism, double epsilon) const { return by_cell_.contains({mechanism, epsilon, 0, 0}); }
  const std::vector<const ThesisRow*>& checks() const { return checks_; }

  /// Of all households in a zone.
  template <class Value>
  std::vector<double> in_zone(std::size_t zone, const Value& value) const {
    std::vector<double> values;
    for (std::size_t household = 0; household < households(); ++household) values.push_back(value(household, zone));
    return values;
  }
  template <class Value>
  std::vector<double> in_all(const Value& value) const {
    std::vector<double> values;
    for (std::size_t zone = 0; zone < zones(); ++zone) {
      for (const double each : in_zone(zone, value)) values.push_back(each);
    }
    return values;
  }
  /// The relative error of one mechanism, or as a multiple of another's.
  auto mre(std::string_view name, double epsilon = kThesisEpsilon) const {
    return [this, mechanism = find_mechanism(name), epsilon](std::size_t household, std::size_t zone) {
      return at(mechanism, epsilon, household, zone).mre;
    };
  }
  auto effect(std::string_view name, std::string_view base, double epsilon = kThesisEpsilon) const {
    return [of = mre(name, epsilon), over = mre(base, epsilon)](std::size_t household, std::size_t zone) {
      return of(household, zone) / over(household, zone);
    };
  }
  auto mae_ratio(std::string_view name, std::string_view base) const {
    return [this, of = find_mechanism(name), over = find_mechanism(base)](std::size_t household, std::size_t zone) {
      return at(of, kThesisEpsilon, household, zone).mae_kw / at(over, kThesisEpsilon, household, zone).mae_kw;
    };
  }

 private:
  const ThesisStudy& study_;
  std::map<std::tuple<std::size_t, double, std::size_t, std::size_t>, const ThesisRow*> by_cell_;
  std::vector<const ThesisRow*> checks_;
};

/// One colour of a box plot: by zone, the values of all households.
struct BoxSeries {
  std::string label;
  Colour colour;
  std::function<std::vector<double>(std::size_t zone)> values;
};

template <class Value>
BoxSeries series_of(const Rows& rows, std::string label, Colour colour, Value value) {
  return {std::move(label), colour, [&rows, value](std::size_t zone) { return rows.in_zone(zone, value); }};
}

/// Zones side by side by mean load, logarithmic.
report::Chart box_chart(const Rows& rows, std::string title, std::string description, std::string axis,
                        const std::vector<BoxSeries>& all) {
  const std::vector<std::size_t> order = rows.study().zones().by_mean();
  double lowest = 0;
  double highest = 0;
  bool first = true;
  std::vector<std::vector<report::Spread>> spreads(all.size());
  const double width = 0.8 / static_cast<double>(all.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t s = 0; s < all.size(); ++s) {
      std::vector<double> logarithms = all[s].values(order[i]);
      for (double& value : logarithms) value = std::log10(std::max(value, 1e-12));
      const auto five = five_numbers(std::move(logarithms));
      const double x = static_cast<double>(i) - 0.4 + width * (static_cast<double>(s) + 0.5);
      const std::string hint = std::string(all[s].label)
                                   .append(", ")
                                   .append(rows.study().zones().zones[order[i]].name)
                                   .append(": median ")
                                   .append(text_of(std::pow(10, five[2])))
                                   .append(", ")
                                   .append(text_of(std::pow(10, five[0])))
                                   .append(" … ")
                                   .append(text_of(std::pow(10, five[4])));
      spreads[s].push_back({x, five[0], five[1], five[2], five[3], five[4], hint});
      lowest = first ? five[0] : std::min(lowest, five[0]);
      highest = first ? five[4] : std::max(highest, five[4]);
      first = false;
    }
  }
  std::vector<report::Tick> ticks;
  for (std::size_t i = 0; i < order.size(); ++i)
    ticks.push_back({static_cast<double>(i), rows.study().zones().zones[order[i]].name.substr(4)});
  report::Chart chart({.title = std::move(title),
                       .description = std::move(description),
                       .x = {.label = "zone, by increasing mean load",
                             .lo = -0.6,
                             .hi = static_cast<double>(order.size()) - 0.4,
                             .ticks = std::move(ticks)},
                       .y = {.label = std::move(axis), .ticks = report::decade_ticks({lowest, highest})}});
  for (std::size_t s = 0; s < all.size(); ++s)
    chart.add(report::BoxPlots({.label = all[s].label, .colour = all[s].colour, .width = width * 0.85},
                               std::move(spreads[s])));
  return chart;
}

std::vector<Cell> spread_cells(std::string name, const std::vector<double>& values, std::string thesis) {
  std::vector<Cell> cells = {{std::move(name)}};
  for (const double value : five_numbers(values)) cells.push_back({text_of(value)});
  cells.push_back({std::move(thesis)});
  return cells;
}

void add_facts(report::Page& page, const Rows& rows, const std::vector<CollectionFacts>& facts) {
  const ThesisStudy& study = rows.study();
  page.section("Zones and households");
  std::size_t missing = 0;
  std::size_t zeros = 0;
  for (const Zone& zone : study.zones().zones) {
    missing += zone.kw.size() - zone.present();
    zeros += zone.zeros();
  }
  page.paragraph(
      std::to_string(rows.zones()) + " zones (" + study.zones().source + "), " +
      report::format_count(static_cast<std::int64_t>(study.slots())) + " quarter hours each, of which " +
      report::format_count(static_cast<std::int64_t>(missing)) + " over all zones are missing and stay so, and " +
      report::format_count(static_cast<std::int64_t>(zeros)) + " are zero and have no relative error. " +
      std::to_string(rows.households()) + (study.options().policies_folder.empty() ? " simulated" : "") +
      " households with a collection of policies each, ΔQ = " +
      text_of(static_cast<double>(study.collections().sensitivity_w) / kWattsPerKw) + " kW (thesis: 27.57 kW).");
  std::vector<double> policies, longest, affected, tes, tenat, printed;
  for (const CollectionFacts& each : facts) {
    policies.push_back(static_cast<double>(each.policies));
    longest.push_back(static_cast<double>(each.longest_interval_slots));
    affected.push_back(static_cast<double>(each.most_affected_slots));
    tes.push_back(each.tes_effect);
    tenat.push_back(each.tenat_effect);
    printed.push_back(each.tenat_effect_printed);
  }
  report::Table table{.caption = "Table 7.3 again: what the collections are like",
                      .columns = {{"per household"},
                                  {"smallest", Align::number},
                                  {"lower quartile", Align::number},
                                  {"median", Align::number},
                                  {"upper quartile", Align::number},
                                  {"largest", Align::number},
                                  {"thesis"}}};
  table.rows.push_back(spread_cells("policies", policies, ""));
  table.rows.push_back(spread_cells("w: longest interval (slots)", longest, "240 … 40 553"));
  table.rows.push_back(spread_cells("largest δ(J) (slots)", affected, ""));
  table.rows.push_back(spread_cells("TeS effect", tes, "down to 0.01"));
  table.rows.push_back(spread_cells("TeNAT effect, w the longest interval", tenat, "orders of magnitude below 1"));
  table.rows.push_back(spread_cells("TeNAT effect, w the largest δ(J)", printed, ""));
  page.table(table);
}

void add_intrinsic(report::Page& page, const Rows& rows) {
  page.section("Intrinsic part: what each effect is worth");
  page.paragraph(
      "The relative error with the effect over that without, per zone; a box is over households. Below 1 the effect "
      "helps. ε = 1.");
  page.figure(box_chart(rows, "TeS effect", "Box plots per zone of the error ratio for Uniform, Sample, BD and BA.",
                        "MRE with TeS / MRE without",
                        {series_of(rows, "Uniform", Colour::blue, rows.effect("TeSUniform", "Uniform")),
                         series_of(rows, "Sample", Colour::ochre, rows.effect("TeSSample", "Sample")),
                         series_of(rows, "BD", Colour::vermilion, rows.effect("TeSBD", "BD")),
                         series_of(rows, "BA", Colour::green, rows.effect("TeSBA", "BA"))}),
              "Figure 7.3 again.");
  page.figure(box_chart(rows, "TeNAT effect", "Box plots per zone of the error ratio for Uniform and Sample.",
                        "MRE with TeNAT / MRE without",
                        {series_of(rows, "Uniform", Colour::blue, rows.effect("TeNATUniform", "Uniform")),
                         series_of(rows, "Sample", Colour::ochre, rows.effect("TeNATSample", "Sample"))}),
              "Figure 7.4 again.");
}

/// Of the thesis, Table 7.5.
struct PrintedErrors {
  std::string_view mechanism;
  std::array<double, kThesisEpsilons.size()> mre;
};
constexpr PrintedErrors kTable75[] = {{"TeSBD", {180.80, 18.10, 2.09, 0.43}},
                                      {"TeSBA", {112.82, 11.33, 1.14, 0.12}},
                                      {"Unicorn", {29.07, 2.91, 0.29, 0.03}}};

void add_epsilons(report::Page& page, const Rows& rows) {
  report::Table table{.caption = "Table 7.5 again, and the other mechanisms: mean MRE over all zones and households",
                      .columns = {{"mechanism"}}};
  for (const double epsilon : kThesisEpsilons) {
    table.columns.push_back({"ε = " + result_number(epsilon), Align::number});
    table.columns.push_back({"thesis", Align::number});
  }
  for (const ThesisMechanism& mechanism : thesis_mechanisms()) {
    if (!mechanism.all_epsilons) continue;
    std::vector<Cell> cells = {{std::string(mechanism.name)}};
    const auto printed = std::ranges::find(kTable75, mechanism.name, &PrintedErrors::mechanism);
    for (std::size_t i = 0; i < kThesisEpsilons.size(); ++i) {
      cells.push_back({text_of(mean_of(rows.in_all(rows.mre(mechanism.name, kThesisEpsilons[i]))))});
      cells.push_back({printed == std::end(kTable75) ? "" : text_of(printed->mre[i])});
    }
    table.rows.push_back(std::move(cells));
  }
  page.subsection("Influence of ε");
  page.table(table);
  page.paragraph(
      "As in the thesis the error of TeSBD, TeSBA and Unicorn falls nearly in proportion to ε as long as noise is most "
      "of it. The level is another: windows reach 40 553 slots there and some hundred here (Table 7.3 above), because "
      "no appliance of these households runs for months, and the noise of TeSBD and TeSBA grows with the window. "
      "UnicornIS and the Sample forms do not depend on ε much: they are wrong because they are old.");
}

void add_extrinsic(report::Page& page, const Rows& rows) {
  page.section("Extrinsic part: the mechanisms");
  page.paragraph("The relative error per zone at ε = 1; a box is over households.");
  page.figure(box_chart(rows, "Competitors", "Box plots per zone of the MRE of RescueDP, TeSBD and TeSBA.", "MRE",
                        {series_of(rows, "RescueDP (w-event)", Colour::slate, rows.mre("RescueDP")),
                         series_of(rows, "TeSBD", Colour::vermilion, rows.mre("TeSBD")),
                         series_of(rows, "TeSBA", Colour::ochre, rows.mre("TeSBA"))}),
              "Figure 7.5 again, upper plot.");
  page.figure(box_chart(rows, "Mechanisms of the Swellfish framework, and Narwhal",
                        "Box plots per zone of the MRE of UnicornIS, UnicornPS, Unicorn, Unicorn* and Narwhal.", "MRE",
                        {series_of(rows, "UnicornIS", Colour::ochre, rows.mre("UnicornIS")),
                         series_of(rows, "UnicornPS", Colour::blue, rows.mre("UnicornPS")),
                         series_of(rows, "Unicorn", Colour::purple, rows.mre("Unicorn")),
                         series_of(rows, "Unicorn* (not private)", Colour::slate, rows.mre("Unicorn*")),
                         series_of(rows, "Narwhal", Colour::green, rows.mre("Narwhal"))}),
              "Figure 7.5 again, lower plot, with Narwhal beside it.");
}

/// In how many zones `name` has the largest median error of `all`.
std::size_t zones_where_worst(const Rows& rows, std::string_view name, const std::vector<std::string_view>& all) {
  std::size_t count = 0;
  for (std::size_t zone = 0; zone < rows.zones(); ++zone) {
    const auto median = [&](std::string_view each) { return median_of(rows.in_zone(zone, rows.mre(each))); };
    count += std::ranges::all_of(all, [&](std::string_view each) { return median(each) <= median(name); }) ? 1 : 0;
  }
  return count;
}

void add_findings(report::Page& page, const Rows& rows) {
  const auto median = [&](const auto& value) { return text_of(median_of(rows.in_all(value))); };
  report::Table table{.caption = "What the thesis found, and what is found here (medians over zones and households)",
                      .columns = {{"thesis"}, {"here"}}};
  table.rows.push_back(
      {{"TeS lowers the MRE of Uniform, BD and BA by one to three orders of magnitude, most for BD"},
       {"to " + median(rows.effect("TeSUniform", "Uniform")) + " (Uniform), " + median(rows.effect("TeSBD", "BD")) +
        " (BD), " + median(rows.effect("TeSBA", "BA")) + " (BA) of what it was"}});
  table.rows.push_back({{"TeS does nothing for Sample"}, {"to " + median(rows.effect("TeSSample", "Sample"))}});
  table.rows.push_back(
      {{"(not in the thesis: slots without a policy are released all, and count for nothing)"},
       {"TeSSample-idle has " + median(rows.effect("TeSSample-idle", "TeSSample")) +
        " times the error of TeSSample, TeSBD-idle " + median(rows.effect("TeSBD-idle", "TeSBD")) +
        " times that of TeSBD, TeSBA-idle " + median(rows.effect("TeSBA-idle", "TeSBA")) + " times that of TeSBA"}});
  table.rows.push_back({{"TeNAT lowers the MRE of Uniform by an order of magnitude, that of Sample a little"},
                        {"to " + median(rows.effect("TeNATUniform", "Uniform")) + " (Uniform), " +
                         median(rows.effect("TeNATSample", "Sample")) + " (Sample)"}});
  table.rows.push_back({{"Of the framework's mechanisms UnicornIS is the worst but in zone 4"},
                        {"the worst of UnicornIS, UnicornPS and Unicorn in " +
                         std::to_string(zones_where_worst(rows, "UnicornIS", {"UnicornPS", "Unicorn"})) + " of " +
                         std::to_string(rows.zones()) + " zones"}});
  table.rows.push_back({{"UnicornPS, Unicorn and Unicorn* differ little"},
                        {"Unicorn has " + median(rows.effect("Unicorn", "UnicornPS")) + " times, Unicorn* " +
                         median(rows.effect("Unicorn*", "UnicornPS")) + " times the error of UnicornPS"}});
  table.rows.push_back(
      {{"(Narwhal is not in the thesis)"},
       {median(rows.effect("Narwhal", "UnicornPS")) + " times the error of UnicornPS, " +
        median(rows.effect("Narwhal", "Unicorn*")) + " times that of Unicorn*, which is not private"}});
  page.section("The findings, one by one");
  page.table(table);
}

/// A prediction of the ratio of two errors, and what came out.
std::vector<Cell> theorem_cells(const Rows& rows, std::string name, std::string_view of,
                                const std::vector<double>& predicted) {
  const auto computed = rows.mae_ratio(of, "Uniform");
  double farthest = 0;
  std::vector<double> all;
  for (std::size_t household = 0; household < rows.households(); ++household) {
    for (std::size_t zone = 0; zone < rows.zones(); ++zone) {
      all.push_back(computed(household, zone));
      farthest = std::max(farthest, std::abs(all.back() / predicted[household] - 1));
    }
  }
  // Measured: both mechanisms in the same zone, through Simulation.
  std::map<std::pair<std::size_t, std::size_t>, double> mae_of, mae_uniform;
  for (const ThesisRow* check : rows.checks()) {
    if (thesis_mechanisms()[check->mechanism].name == of) mae_of[{check->household, check->zone}] = check->mae_kw;
    if (thesis_mechanisms()[check->mechanism].name == "Uniform")
      mae_uniform[{check->household, check->zone}] = check->mae_kw;
  }
  double measured_farthest = 0;
  std::vector<double> measured;
  for (const auto& [cell, mae] : mae_of) {
    measured.push_back(mae / mae_uniform.at(cell));
    measured_farthest = std::max(measured_farthest, std::abs(measured.back() / predicted[cell.first] - 1));
  }
  return {{std::move(name)},   {text_of(mean_of(predicted))}, {text_of(mean_of(all))},
          {percent(farthest)}, {text_of(mean_of(measured))},  {percent(measured_farthest)}};
}

void add_theorems(report::Page& page, const Rows& rows, const std::vector<CollectionFacts>& facts) {
  std::vector<double> tes, tenat;
  for (const CollectionFacts& each : facts) {
    tes.push_back(each.tes_effect);
    tenat.push_back(each.tenat_effect);
  }
  report::Table table{.caption = "MAE as a share of Uniform's, mean over households",
                      .columns = {{"theorem"},
                                  {"predicted", Align::number},
                                  {"closed form", Align::number},
                                  {"farthest off", Align::number},
                                  {"measured", Align::number},
                                  {"farthest off", Align::number}}};
  table.rows.push_back(theorem_cells(rows, "13: TeSUniform, average of Δ_t/ΔQ", "TeSUniform", tes));
  table.rows.push_back(
      theorem_cells(rows, "14: TeNATUniform, average of max δ(J)/w, w the longest interval", "TeNATUniform", tenat));
  page.section("Theorems 13 and 14");
  page.paragraph(
      "Both predict an error from the policies alone. Where values are missing the average is over other slots, which "
      "is most of what a closed form is off by. Measured: through Simulation, in one zone per household. The thesis "
      "takes the largest δ(J) for w; only the longest interval is sound, for Uniform as well, and then the theorem "
      "holds with that w.");
  page.table(table);
}

void add_verdicts(report::Page& page, const std::vector<ThesisRow>& rows) {
  report::Table table{.caption = "Exact loss of every policy, as a share of its ε: of the plan, or of the first run",
                      .columns = {{"mechanism"},
                                  {"rows", Align::number},
                                  {"verdict"},
                                  {"worst", Align::number},
                                  {"mean over rows of the worst policy", Align::number},
                                  {"AUC, one secret", Align::number},
                                  {"AUC, all in its interval", Align::number}}};
  for (std::size_t m = 0; m < thesis_mechanisms().size(); ++m) {
    std::size_t count = 0, broken = 0;
    double worst = 0, sum = 0, alone = 0, together = 0;
    bool leaks = false;
    for (const ThesisRow& row : rows) {
      if (row.mechanism != m) continue;
      ++count;
      alone = std::fmax(alone, row.attack.alone_auc);
      together = std::fmax(together, row.attack.together_auc);
      broken += row.verdict.kind == Verdict::Kind::breaks ? 1 : 0;
      leaks = leaks || row.verdict.kind == Verdict::Kind::leaks;
      worst = std::max(worst, row.verdict.worst_share);
      sum += row.verdict.worst_share;
    }
    const bool good = !leaks && broken == 0;
    const std::string verdict = leaks  ? "NOT private: decides by the true stream"
                                : good ? "holds in all rows"
                                       : "BREAKS in " + std::to_string(broken) + " rows";
    table.rows.push_back({{std::string(thesis_mechanisms()[m].name)},
                          {report::format_count(static_cast<std::int64_t>(count))},
                          {verdict, good ? Tone::good : Tone::bad},
                          {text_of(worst)},
                          {text_of(sum / static_cast<double>(std::max<std::size_t>(1, count)))},
                          {report::format_fixed(alone, 3)},
                          {report::format_fixed(together, 3)}});
  }
  page.section("What was promised, and kept");
  page.paragraph(
      "A share far below 1 is budget that nobody needed: noise for nothing. RescueDP, Uniform, Sample, BD and BA "
      "protect whole windows; here is what the policies lose. AUC: how often the best test, which knows everything "
      "else, picks the stream in which it happened (0.5 is guessing, ε = 1 permits 0.731), for the policy that lost "
      "most at ε = 1; the largest over households. It attacks released values, not what a mechanism decides by the "
      "data.");
  page.table(table);
}

void add_checks(report::Page& page, const Rows& rows) {
  report::Table table{.caption = "MRE through Simulation over MRE as computed or run, one zone per household",
                      .columns = {{"mechanism"},
                                  {"method"},
                                  {"checks", Align::number},
                                  {"mean ratio", Align::number},
                                  {"standard error", Align::number},
                                  {"farthest from 1", Align::number}}};
  for (std::size_t m = 0; m < thesis_mechanisms().size(); ++m) {
    std::vector<double> ratios;
    double farthest = 0;
    for (const ThesisRow* check : rows.checks()) {
      if (check->mechanism != m) continue;
      ratios.push_back(check->mre / rows.at(m, check->epsilon, check->household, check->zone).mre);
      farthest = std::max(farthest, std::abs(ratios.back() - 1));
    }
    if (ratios.empty()) continue;
    const double mean = mean_of(ratios);
    double squares = 0;
    for (const double ratio : ratios) squares += (ratio - mean) * (ratio - mean);
    const auto count = static_cast<double>(ratios.size());
    table.rows.push_back({{std::string(thesis_mechanisms()[m].name)},
                          {std::string(name_of(thesis_mechanisms()[m].method))},
                          {report::format_count(static_cast<std::int64_t>(ratios.size()))},
                          {report::format_fixed(mean, 5)},
                          {ratios.size() < 2 ? "–" : report::format_fixed(std::sqrt(squares / (count - 1) / count), 5)},
                          {percent(farthest)}});
  }
  page.section("Closed forms and fast runs against Simulation");
  page.table(table);
}

void add_speed(report::Page& page, const std::vector<MechanismSpeed>& speeds) {
  report::Table table{.caption = "Computing time on one core, audits included",
                      .columns = {{"mechanism"},
                                  {"method"},
                                  {"mechanism-slots", Align::number},
                                  {"seconds", Align::number},
                                  {"ns per mechanism-slot", Align::number}}};
  double seconds = 0;
  for (const MechanismSpeed& speed : speeds) {
    seconds += speed.seconds;
    table.rows.push_back({{speed.mechanism},
                          {speed.method},
                          {text_of(speed.slots / 1e6).append(" million")},
                          {text_of(speed.seconds)},
                          {text_of(speed.seconds / speed.slots * 1e9)}});
  }
  page.section("Speed");
  page.paragraph("Together " + text_of(seconds / 60) +
                 " minutes on one core. A closed form counts once, whatever the number of runs it stands for.");
  page.table(table);
}

}  // namespace

report::Table thesis_summary(const ThesisStudy& study, const std::vector<ThesisRow>& all) {
  const Rows rows(study, all);
  report::Table table{.columns = {{"mechanism"},
                                  {"mean MRE", Align::number},
                                  {"median MRE", Align::number},
                                  {"largest MRE", Align::number},
                                  {"sampled", Align::number},
                                  {"worst loss/ε", Align::number},
                                  {"verdict"}}};
  for (std::size_t m = 0; m < thesis_mechanisms().size(); ++m) {
    const ThesisMechanism& mechanism = thesis_mechanisms()[m];
    const std::vector<double> errors = rows.in_all(rows.mre(mechanism.name));
    double worst = 0;
    Verdict::Kind kind = Verdict::Kind::holds;
    const auto sampled = rows.in_all([&](std::size_t household, std::size_t zone) {
      const ThesisRow& row = rows.at(m, kThesisEpsilon, household, zone);
      worst = std::max(worst, row.verdict.worst_share);
      if (row.verdict.kind != Verdict::Kind::holds) kind = row.verdict.kind;
      return row.sampled_share;
    });
    const auto five = five_numbers(errors);
    table.rows.push_back({{std::string(mechanism.name)},
                          {percent(mean_of(errors))},
                          {percent(five[2])},
                          {percent(five[4])},
                          {percent(mean_of(sampled))},
                          {text_of(worst)},
                          {std::string(name_of(kind)), kind == Verdict::Kind::holds ? Tone::good : Tone::bad}});
  }
  return table;
}

std::string thesis_page(const ThesisStudy& study, const std::vector<ThesisRow>& all,
                        const std::vector<MechanismSpeed>& speeds) {
  const Rows rows(study, all);
  const std::vector<CollectionFacts> facts = facts_of_collections(study);
  report::Page page({.title = "Swellfish, chapter 7 of the thesis, again",
                     .subtitle = "TeS and TeNAT effects, and the mechanisms, on " + study.zones().source});
  const ThesisOptions& options = study.options();
  page.paragraph(
      std::to_string(rows.zones()) + " zones × " + std::to_string(rows.households()) + " households × " +
      std::to_string(options.runs) + " runs at ε = 1 (" + std::to_string(options.epsilon_runs) +
      " at the other ε), seed " + std::to_string(options.seed) +
      ", fugu " FUGU_VERSION
      ". MRE is the mean of |released − true| / true over all slots that are there and not zero. Slots without a "
      "relevant policy are released as they are, as the thesis has it, but for the w-event mechanisms.");
  report::Table summary = thesis_summary(study, all);
  summary.caption = "All zones and households at ε = 1";
  page.table(summary);
  add_facts(page, rows, facts);
  add_intrinsic(page, rows);
  add_epsilons(page, rows);
  add_extrinsic(page, rows);
  add_findings(page, rows);
  add_theorems(page, rows, facts);
  add_verdicts(page, all);
  add_checks(page, rows);
  add_speed(page, speeds);
  return page.html();
}

}  // namespace fugu
