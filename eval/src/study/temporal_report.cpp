// The page of the temporal study: the paper's table and figures, redrawn from the rows.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>

#include "fugu/meter/temporal_scheme.hpp"
#include "fugu/metric/temporal.hpp"
#include "fugu/report/number.hpp"
#include "fugu/report/svg.hpp"
#include "fugu/study/temporal_study.hpp"

namespace fugu {

namespace {

using Align = report::Column::Align;
using report::Chart;
using report::Colour;
using report::format_fixed;
using report::Line;
using Measure = double TemporalMeasures::*;
using Rival = TemporalRival;

/// One curve: a measure of a rival.
struct Curve {
  std::string label;
  Rival rival;
  Measure y;
  Colour colour;
  bool dashed = false;
};

class Figures {
 public:
  Figures(const TemporalStudy& study, const std::vector<TemporalMeasures>& measures)
      : study_(study), measures_(measures) {
    FUGU_CHECK(measures.size() == study.cells().size());
  }

  /// Against b.
  Chart over_b(const std::string& title, const std::string& what, const std::vector<Curve>& curves) const {
    return draw(title, "expected time delay b in slots", what, curves,
                [](const TemporalCell& cell, const auto&) { return cell.b; });
  }
  /// Against the budget 1/b, from the smallest. Errors differ by powers of ten: both axes are logarithms.
  Chart over_budget(const std::string& title, const std::string& what, const std::vector<Curve>& curves) const {
    const auto log_budget = [](const TemporalCell& cell, const auto&) { return -std::log10(cell.b); };
    std::vector<std::vector<report::Point>> lines;
    report::Interval x{HUGE_VAL, -HUGE_VAL}, y = x;
    for (const Curve& curve : curves) {
      lines.push_back(points(curve.rival, log_budget, curve.y, Budgets::all));
      for (report::Point& point : lines.back()) {
        point.y = std::log10(point.y);
        x = {std::min(x.lo, point.x), std::max(x.hi, point.x)};
        if (std::isfinite(point.y)) y = {std::min(y.lo, point.y), std::max(y.hi, point.y)};
      }
    }
    Chart::Options drawn = options(title, "privacy budget 1/b", what);
    drawn.x.ticks = report::decade_ticks(x);
    drawn.x.lo = x.lo;
    drawn.y.ticks = report::decade_ticks(y);
    Chart chart(drawn);
    for (std::size_t i = 0; i < curves.size(); ++i) {
      chart.add(Line({.label = curves[i].label, .colour = curves[i].colour, .dashed = curves[i].dashed},
                     std::move(lines[i])));
    }
    return chart;
  }
  /// Against another measure.
  Chart over(Measure x, const std::string& x_label, const std::string& title, const std::string& what,
             const std::vector<Curve>& curves) const {
    return draw(title, x_label, what, curves,
                [x](const TemporalCell&, const TemporalMeasures& measures) { return measures.*x; });
  }
  /// Mean with a band of one standard deviation, against b.
  Chart bands(const std::string& title, const std::string& what, Measure mean, Measure deviation,
              std::optional<std::pair<Measure, Measure>> smoothed) const {
    Chart chart(options(title, "expected time delay b in slots", what));
    chart.add(report::Band({.label = "± one standard deviation", .colour = Colour::blue}, spans(mean, deviation)));
    if (smoothed) {
      chart.add(report::Band({.label = "the same after a Kalman filter", .colour = Colour::green},
                             spans(smoothed->first, smoothed->second)));
    }
    const auto of_b = [](const TemporalCell& cell, const auto&) { return cell.b; };
    chart.add(Line({.label = "mean", .colour = Colour::blue}, points(Rival::published, of_b, mean)));
    if (smoothed) {
      chart.add(Line({.label = "mean after a Kalman filter", .colour = Colour::green},
                     points(Rival::published, of_b, smoothed->first)));
    }
    return chart;
  }

  const TemporalMeasures& at(Rival rival, double b) const {
    const auto& cells = study_.cells();
    const auto found = std::ranges::find_if(
        cells, [&](const TemporalCell& cell) { return cell.rival == rival && std::fabs(cell.b - b) < 1e-9; });
    FUGU_CHECK(found != cells.end());
    return measures_[static_cast<std::size_t>(found - cells.begin())];
  }

 private:
  using X = std::function<double(const TemporalCell&, const TemporalMeasures&)>;
  enum class Budgets : std::uint8_t { usual, all };

  static Chart::Options options(const std::string& title, const std::string& x, const std::string& y) {
    return {.title = title,
            .description = title + ": " + y + " against " + x + ".",
            .x = {.label = x},
            .y = {.label = y},
            .height_px = 340};
  }

  std::vector<report::Point> points(Rival rival, const X& x, Measure y, Budgets budgets = Budgets::usual) const {
    std::vector<report::Point> points;
    for (std::size_t i = 0; i < measures_.size(); ++i) {
      const TemporalCell& cell = study_.cells()[i];
      if (cell.rival != rival || (cell.small_budget && budgets == Budgets::usual)) continue;
      points.push_back({x(cell, measures_[i]), measures_[i].*y});
    }
    std::ranges::sort(points, {}, &report::Point::x);
    return points;
  }

  std::vector<report::Span> spans(Measure mean, Measure deviation) const {
    std::vector<report::Span> spans;
    for (std::size_t i = 0; i < measures_.size(); ++i) {
      if (study_.cells()[i].rival != Rival::published || study_.cells()[i].small_budget) continue;
      const double middle = measures_[i].*mean;
      const double width = measures_[i].*deviation;
      spans.push_back({study_.cells()[i].b, middle - width, middle + width});
    }
    return spans;
  }

  Chart draw(const std::string& title, const std::string& x_label, const std::string& what,
             const std::vector<Curve>& curves, const X& x) const {
    Chart chart(options(title, x_label, what));
    for (const Curve& curve : curves) {
      chart.add(Line({.label = curve.label, .colour = curve.colour, .dashed = curve.dashed},
                     points(curve.rival, x, curve.y)));
    }
    return chart;
  }

  const TemporalStudy& study_;
  const std::vector<TemporalMeasures>& measures_;
};

Chart shuffling(const Figures& figures) {
  using M = TemporalMeasures;
  return figures.over_b("Figure 8: shuffling probability", "share of neighbouring readings",
                        {{"one part, exact", Rival::published, &M::shuffled_exact, Colour::blue},
                         {"one part, measured", Rival::published, &M::shuffled_measured, Colour::ink, true},
                         {"one part, as printed", Rival::published, &M::shuffled_printed, Colour::vermilion},
                         {"two parts, exact", Rival::divided, &M::shuffled_exact, Colour::green},
                         {"two parts, measured", Rival::divided, &M::shuffled_measured, Colour::slate, true},
                         {"two parts, as printed", Rival::divided, &M::shuffled_printed, Colour::ochre}});
}

Chart distortion(const Figures& figures) {
  using M = TemporalMeasures;
  return figures.over_b("Figure 10: distortion standard deviation", "W",
                        {{"received in time, one part", Rival::published, &M::distortion_received_w, Colour::blue},
                         {"recorded, one part", Rival::published, &M::distortion_recorded_w, Colour::blue, true},
                         {"real-time estimate, one part", Rival::published, &M::distortion_realtime_w, Colour::purple},
                         {"received in time, two parts", Rival::divided, &M::distortion_received_w, Colour::green},
                         {"recorded, two parts", Rival::divided, &M::distortion_recorded_w, Colour::green, true},
                         {"EDA, in order of arrival", Rival::delayed, &M::distortion_arrivals_w, Colour::vermilion},
                         {"EDA, summed by slot", Rival::delayed, &M::distortion_recorded_w, Colour::vermilion, true}});
}

Chart ranged_entropies(const Figures& figures) {
  using M = TemporalMeasures;
  return figures.over_b(
      "Figure 12: entropy of the readings", "nats",
      {{"true readings", Rival::published, &M::ranged_truth, Colour::ink},
       {"true readings, the largest doubled", Rival::published, &M::ranged_doubled, Colour::ink, true},
       {"real-time, one part", Rival::published, &M::ranged_realtime, Colour::blue},
       {"recorded, one part", Rival::published, &M::ranged_recorded, Colour::blue, true},
       {"real-time, two parts", Rival::divided, &M::ranged_realtime, Colour::green},
       {"recorded, two parts", Rival::divided, &M::ranged_recorded, Colour::green, true},
       {"EDA, summed by slot", Rival::delayed, &M::ranged_recorded, Colour::vermilion, true}});
}

Chart realtime_error(const Figures& figures) {
  using M = TemporalMeasures;
  return figures.bands("Figure 13: error of the real-time total", "per cent of the truth", &M::aggregation_mean_pct,
                       &M::aggregation_sd_pct, std::pair{&M::smoothed_mean_pct, &M::smoothed_sd_pct});
}

Chart filter_resistance(const Figures& figures) {
  using M = TemporalMeasures;
  return figures.over_b("Figure 15: filter resistance", "share of the squared distortion left",
                        {{"published", Rival::published, &M::filtered_share, Colour::blue},
                         {"NDP, same distortion", Rival::normal, &M::filtered_share, Colour::vermilion},
                         {"LDP, same distortion", Rival::laplace, &M::filtered_share, Colour::ochre}});
}

constexpr const char* kRootMse = "root of the mean squared error, % of the mean";

std::vector<Curve> budget_curves(Measure y) {
  return {{"published", Rival::published, y, Colour::blue},
          {"lagged", Rival::lagged, y, Colour::purple},
          {"LDP, largest reading", Rival::laplace_largest, y, Colour::vermilion},
          {"LDP, reading itself", Rival::laplace_reading, y, Colour::ochre},
          {"LDP, last change", Rival::laplace_change, y, Colour::green}};
}

Chart budget_total(const Figures& figures) {
  using M = TemporalMeasures;
  auto curves = budget_curves(&M::aggregation_rmse_pct);
  curves.push_back({"published, Kalman filter", Rival::published, &M::smoothed_rmse_pct, Colour::blue, true});
  return figures.over_budget("Figure 16: error of the total against the budget", kRootMse, curves);
}

/// An evening, so that single readings can be seen.
constexpr std::size_t kShownFrom = 1080, kShownTo = 1200;

Chart shown_stamps(const TemporalExample& example) {
  std::vector<report::Point> points;
  for (std::size_t slot = kShownFrom; slot < kShownTo; ++slot) {
    const auto minute = static_cast<Slot>(slot);
    points.push_back({static_cast<double>(minute), static_cast<double>(example.stamps[slot] - minute)});
  }
  Chart chart({.title = "Figure 4: time perturbation (b = 1)",
               .description = "By how many slots the stamps of the first household's readings were moved.",
               .x = {.label = "minute of the reading"},
               .y = {.label = "slots that its stamp was moved by"},
               .height_px = 300});
  chart.add(report::Dots({.colour = Colour::blue, .size_px = 4}, std::move(points)));
  return chart;
}

Chart two_lines(const std::string& title, const std::string& description, const std::vector<double>& truth,
                const std::vector<double>& estimate, std::size_t from, std::size_t to, double unit) {
  const auto line = [&](const std::vector<double>& values) {
    std::vector<report::Point> points;
    for (std::size_t slot = from; slot < to; ++slot) points.push_back({static_cast<double>(slot), values[slot] / unit});
    return points;
  };
  Chart chart({.title = title,
               .description = description,
               .x = {.label = "minute of the day"},
               .y = {.label = "load", .unit = unit == 1 ? "W" : "kW"},
               .height_px = 340});
  chart.add(Line({.label = "estimated in real time", .colour = Colour::blue}, line(estimate)));
  chart.add(Line({.label = "true", .colour = Colour::ink}, line(truth)));
  return chart;
}

Chart shown_total(const TemporalExample& example) {
  return two_lines("Figure 6: the total of all households (b = 1)", "True and estimated total over the day.",
                   example.total_w, example.estimated_w, 0, TemporalStudy::kSlots, 1000);
}

void add_example(report::Page& page, const TemporalExample& example) {
  page.section("One day");
  page.figure(shown_stamps(example), "The first household from 6 to 8 pm.");
  page.figure(
      two_lines("Figure 5: a household's readings (b = 1)", "True and estimated readings of the first household.",
                example.truth_w, example.realtime_w, kShownFrom, kShownTo, 1),
      "The same household and time.");
  page.figure(shown_total(example), "All households, all day. In the first minutes nothing arrives from before.");
}

void add_privacy(report::Page& page, const Figures& figures) {
  using M = TemporalMeasures;
  page.section("How much is hidden");
  page.figure(figures.over_b("Figure 7: perturbation probability", "share of readings",
                             {{"one part, exact", Rival::published, &M::perturbed_exact, Colour::blue},
                              {"one part, measured", Rival::published, &M::perturbed_measured, Colour::ink, true},
                              {"two parts, exact", Rival::divided, &M::perturbed_exact, Colour::green},
                              {"two parts, measured", Rival::divided, &M::perturbed_measured, Colour::slate, true}}),
              "Chance that a reading, or a part of it, gets another slot. The printed formula is exact.");
  page.figure(shuffling(figures),
              "Chance that a reading gets a slot not before that of the next one. Equation 10 understates it.");
  page.figure(figures.over_b("Figure 9: approximate entropy", "approximate entropy",
                             {{"true readings", Rival::published, &M::irregularity_truth, Colour::ink},
                              {"received in time, one part", Rival::published, &M::irregularity_received, Colour::blue},
                              {"recorded, one part", Rival::published, &M::irregularity_recorded, Colour::blue, true},
                              {"received in time, two parts", Rival::divided, &M::irregularity_received, Colour::green},
                              {"recorded, two parts", Rival::divided, &M::irregularity_recorded, Colour::green, true}}),
              "Patterns of two readings, tolerance 50 W, the first twenty households.");
  page.figure(distortion(figures),
              "Root of the mean squared difference between a household's stream and its true readings. EDA once as the "
              "readings in the order in which they arrive, once summed by the slot of arrival.");
  page.figure(figures.over_b("Figure 11: cosine similarity", "cosine similarity",
                             {{"received in time, one part", Rival::published, &M::cosine_realtime, Colour::blue},
                              {"recorded, one part", Rival::published, &M::cosine_recorded, Colour::blue, true},
                              {"received in time, two parts", Rival::divided, &M::cosine_realtime, Colour::green},
                              {"recorded, two parts", Rival::divided, &M::cosine_recorded, Colour::green, true},
                              {"EDA, in order of arrival", Rival::delayed, &M::cosine_arrivals, Colour::vermilion},
                              {"EDA, summed by slot", Rival::delayed, &M::cosine_recorded, Colour::vermilion, true}}),
              "Of a household's stream and its true readings: smaller hides more.");
  page.figure(
      ranged_entropies(figures),
      "Of the distribution over 50 bins, as many as the paper's \"bin = 50\" may mean, from a stream's least to "
      "its largest value: wider bins as soon as two readings meet in a slot. EDA in order of arrival has the same "
      "readings, and so the entropy of the true ones.");
  page.figure(figures.over_b("Figure 12, read another way: bins of 50 W", "nats",
                             {{"true readings", Rival::published, &M::entropy_truth, Colour::ink},
                              {"real-time estimate, one part", Rival::published, &M::entropy_realtime, Colour::blue},
                              {"recorded, one part", Rival::published, &M::entropy_recorded, Colour::blue, true},
                              {"real-time estimate, two parts", Rival::divided, &M::entropy_realtime, Colour::green},
                              {"recorded, two parts", Rival::divided, &M::entropy_recorded, Colour::green, true},
                              {"EDA, summed by slot", Rival::delayed, &M::entropy_recorded, Colour::vermilion}}),
              "The same readings over bins that do not grow with the largest of them: sums of two readings are new "
              "values, and the entropy rises.");
}

void add_utility(report::Page& page, const Figures& figures) {
  using M = TemporalMeasures;
  page.section("What it is still good for");
  page.figure(realtime_error(figures),
              "Over slots, from the second hour on. The filter is told the chance variance of each estimate.");
  page.figure(figures.bands("Figure 14: error of a household's day", "per cent of the truth", &M::accumulation_mean_pct,
                            &M::accumulation_sd_pct, std::nullopt),
              "Over households, head-cutting: what is moved out of the day is missing. With ring-moving it is 0.");
  page.figure(filter_resistance(figures),
              "What a Kalman filter leaves that knows the variances: at 1 it gains nothing.");
}

void add_tradeoffs(report::Page& page, const Figures& figures) {
  using M = TemporalMeasures;
  const auto curves = [](Measure y) {
    return std::vector<Curve>{{"published", Rival::published, y, Colour::blue},
                              {"EDA", Rival::delayed, y, Colour::vermilion},
                              {"NDP", Rival::normal, y, Colour::green},
                              {"LDP", Rival::laplace, y, Colour::ochre}};
  };
  page.section("Utility against privacy");
  page.paragraph(
      "The budgets of figures 16 and 17 do not promise the same: for shifts it is when a reading was taken, for noise "
      "how much was read in a slot. The paper gives LDP a local sensitivity and does not say of what; it is read off "
      "the data in each of three ways, and in none of them private.");
  page.figure(budget_total(figures), "Over slots. Both axes are logarithms.");
  page.figure(figures.over_budget("Figure 17: error of a day against the budget", kRootMse,
                                  budget_curves(&M::accumulation_rmse_pct)),
              "Over households, head-cutting. Both axes are logarithms.");
  const std::string watts = "distortion standard deviation in W, recorded";
  const std::string cosine = "cosine similarity, recorded";
  page.figure(figures.over(&M::distortion_recorded_w, watts, "Figure 18: error of the total against distortion",
                           kRootMse, curves(&M::aggregation_rmse_pct)),
              "NDP and LDP get the distortion of the published form, household by household.");
  page.figure(figures.over(&M::cosine_recorded, cosine, "Figure 19: error of the total against similarity", kRootMse,
                           curves(&M::aggregation_rmse_pct)),
              "The same over cosine similarity.");
  page.figure(figures.over(&M::distortion_recorded_w, watts, "Figure 20: error of a day against distortion", kRootMse,
                           curves(&M::accumulation_rmse_pct)),
              "A household's day, head-cutting.");
  page.figure(figures.over(&M::cosine_recorded, cosine, "Figure 21: error of a day against similarity", kRootMse,
                           curves(&M::accumulation_rmse_pct)),
              "The same over cosine similarity.");
}

void add_costs(report::Page& page, const TemporalStudy& study, const Figures& figures) {
  page.section("What it costs");
  report::Table table{
      .caption =
          "Reports waiting per meter; lag in slots of our form at ε = 1/b, δ = 10^-6; Appendix B in nats a reading",
      .columns = {{"b", Align::number},
                  {"waiting, mean", Align::number},
                  {"waiting, most", Align::number},
                  {"two parts, most", Align::number},
                  {"lag", Align::number},
                  {"lagged, most", Align::number},
                  {"bound", Align::number}}};
  for (const double b : study.options().b) {
    const TemporalMeasures& published = figures.at(Rival::published, b);
    const TemporalMeasures& lagged = figures.at(Rival::lagged, b);
    table.rows.push_back({{report::format_significant(b)},
                          {format_fixed(published.queued_mean, 2)},
                          {format_fixed(published.queued_most, 0)},
                          {format_fixed(figures.at(Rival::divided, b).queued_most, 0)},
                          {format_fixed(lagged.lag_slots, 0)},
                          {format_fixed(lagged.queued_most, 0)},
                          {format_fixed(published.information_bound / TemporalStudy::kSlots, 2)}});
  }
  page.table(table);
}

}  // namespace

Result<report::Table> temporal_weights_table() {
  constexpr std::array kScales = {0.5, 1.0, 1.5, 2.0};
  constexpr std::array<std::array<double, 4>, 5> kPrinted = {{{0.7746, 0.5647, 0.4417, 0.3623},
                                                              {0.1949, 0.2751, 0.2716, 0.2509},
                                                              {0.0264, 0.1013, 0.1395, 0.1522},
                                                              {0.0036, 0.0372, 0.0716, 0.0923},
                                                              {0.0005, 0.0137, 0.0368, 0.0560}}};
  report::Table table{.caption = "Table 2: weights of slots in the estimate of a slot", .columns = {{"slot"}}};
  for (const double b : kScales) table.columns.push_back({"b = " + format_fixed(b, 1), Align::number});
  for (std::size_t k = 0; k < kPrinted.size(); ++k) {
    std::vector<report::Cell> row = {{k == 0 ? "current" : "last " + std::to_string(k)}};
    for (std::size_t i = 0; i < kScales.size(); ++i) {
      FUGU_ASSIGN(const TemporalScheme scheme, TemporalScheme::published(kScales[i]));
      const std::string text = format_fixed(scheme.weight_of_slot_before(static_cast<Slot>(k)), 4);
      const std::string printed = format_fixed(kPrinted[k][i], 4);
      row.push_back({text == printed ? text : text + " (printed: " + printed + ")",
                     text == printed ? report::Tone::plain : report::Tone::bad});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Result<std::string> temporal_page(const TemporalStudy& study, const std::vector<TemporalMeasures>& measures) {
  const Figures figures(study, measures);
  const auto [mean_w, deviation_w] = study.mean_and_deviation_w();
  report::Page page({.title = "Temporal perturbation",
                     .subtitle = std::to_string(study.options().households) + " households (" +
                                 (study.options().data_folder.empty() ? "simulated" : kTemporalProfiles) +
                                 "), 1,440 minutes, seed " + std::to_string(study.options().seed)});
  page.paragraph(
      "Section 7 of Yang, Ren, Yang and McCann, repeated: when readings were taken is hidden by moving their "
      "time stamps by b slots on average; how much was read stays exact. Readings: mean " +
      format_fixed(mean_w, 0) + " W, standard deviation " + format_fixed(deviation_w, 0) +
      " W (the paper's simulator: 273 W and 581 W).");
  page.note(
      "The published form protects time stamps only. Whoever sees when reports arrive has no promise: see "
      "docs/guarantees/temporal.md and fugu audit temporal.",
      report::Tone::bad);
  FUGU_ASSIGN(const report::Table weights, temporal_weights_table());
  page.table(weights);
  FUGU_ASSIGN(const std::vector<TemporalClaim> claims, temporal_claims(study, measures));
  page.table(temporal_claims_table(claims));
  FUGU_ASSIGN(const TemporalExample example, study.example());
  add_example(page, example);
  add_privacy(page, figures);
  add_utility(page, figures);
  add_tradeoffs(page, figures);
  add_costs(page, study, figures);
  return page.html();
}

Result<std::vector<std::pair<std::string, std::string>>> temporal_pictures(
    const TemporalStudy& study, const std::vector<TemporalMeasures>& measures) {
  const Figures figures(study, measures);
  FUGU_ASSIGN(const TemporalExample example, study.example());
  return std::vector<std::pair<std::string, std::string>>{
      {"temporal-figure-6.svg", shown_total(example).standalone_svg()},
      {"temporal-figure-8.svg", shuffling(figures).standalone_svg()},
      {"temporal-figure-10.svg", distortion(figures).standalone_svg()},
      {"temporal-figure-12.svg", ranged_entropies(figures).standalone_svg()},
      {"temporal-figure-13.svg", realtime_error(figures).standalone_svg()},
      {"temporal-figure-15.svg", filter_resistance(figures).standalone_svg()},
      {"temporal-figure-16.svg", budget_total(figures).standalone_svg()}};
}

}  // namespace fugu
