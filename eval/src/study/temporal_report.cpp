// The page of the temporal study: the paper's table and figures, redrawn from the rows.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <ranges>
#include <span>

#include "fugu/estimation/similarity.hpp"
#include "fugu/meter/temporal_scheme.hpp"
#include "fugu/metric/temporal.hpp"
#include "fugu/report/number.hpp"
#include "fugu/report/svg.hpp"
#include "fugu/study/result_file.hpp"
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

/// Judges sentences one by one.
class Claims {
 public:
  Claims(const TemporalStudy& study, const Figures& figures, const TemporalExample& example)
      : study_(study), figures_(figures), example_(example), b_(study.options().b) {
    std::ranges::sort(b_);
    near_one_ = *std::ranges::min_element(b_, {}, [](double b) { return std::fabs(b - 1); });
    low_ = b_.front();
    high_ = b_.back();
  }

  std::vector<TemporalClaim> all() {
    add_illustrations();
    add_order();
    add_distortion();
    add_entropy();
    add_errors();
    add_budgets();
    add_same_distortion();
    return std::move(claims_);
  }

 private:
  using M = TemporalMeasures;

  void add(std::string figure, std::string says, std::string found, bool holds) {
    claims_.push_back({std::move(figure), std::move(says), std::move(found), holds});
  }
  double value(Rival rival, Measure measure, double b) const { return figures_.at(rival, b).*measure; }
  /// From the smallest b to the largest.
  std::string ends(Rival rival, Measure measure, int digits) const {
    const std::string first = format_fixed(value(rival, measure, low_), digits);
    const std::string last = format_fixed(value(rival, measure, high_), digits);
    return first == last ? first : first + " to " + last;
  }
  /// Whether the first is larger at every b from `from` on.
  bool larger(Rival rival, Measure measure, Rival other, Measure than, double from = 0) const {
    return std::ranges::all_of(b_,
                               [&](double b) { return b < from || value(rival, measure, b) > value(other, than, b); });
  }
  std::string against(Rival rival, Measure measure, Rival other, Measure than, int digits) const {
    return ends(rival, measure, digits) + " against " + ends(other, than, digits);
  }

  void add_illustrations() {
    double near = 0;
    for (std::size_t slot = 0; slot < example_.stamps.size(); ++slot)
      near += std::abs(example_.stamps[slot] - static_cast<Slot>(slot)) <= 3;
    near /= static_cast<double>(example_.stamps.size());
    add("4", "stamps lie near the time of measuring", format_fixed(100 * near, 1) + " % within three slots",
        near > 0.9);
    const double distortion = distortion_deviation(example_.truth_w, example_.realtime_w);
    const std::vector<double> mean(example_.truth_w.size(), mean_of(example_.truth_w));
    const double spread = distortion_deviation(example_.truth_w, mean);
    add("5", "a household's readings are largely distorted",
        "distortion " + format_fixed(distortion, 0) + " W, where the readings deviate by " + format_fixed(spread, 0) +
            " W",
        distortion > spread / 2);
    const auto compared = [](const std::vector<double>& values) {
      return std::span(values).subspan(TemporalStudy::kWarmUpSlots);
    };
    const double level = pearson_correlation(compared(example_.total_w), compared(example_.estimated_w));
    const double changes = pearson_correlation(changes_of(example_.total_w), changes_of(example_.estimated_w));
    add("6", "the estimated total fits well and shows similar dynamics",
        "correlation " + format_fixed(level, 2) + " of the totals, " + format_fixed(changes, 2) +
            " of their changes from minute to minute",
        level > 0.9);
  }
  static double mean_of(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  }
  static std::vector<double> changes_of(const std::vector<double>& totals) {
    std::vector<double> changes;
    for (std::size_t i = TemporalStudy::kWarmUpSlots; i < totals.size(); ++i)
      changes.push_back(totals[i] - totals[i - 1]);
    return changes;
  }

  void add_order() {
    const std::string at_one = " at b = " + result_number(near_one_);
    const double moved = value(Rival::published, &M::perturbed_measured, near_one_);
    add("7", "more than half of the readings are perturbed around b = 1", format_fixed(moved, 3) + at_one, moved > 0.5);
    const double shuffled = value(Rival::published, &M::shuffled_measured, near_one_);
    add("8", "about 20 % are shuffled at b = 1", format_fixed(shuffled, 3) + at_one, std::fabs(shuffled - 0.2) < 0.05);
    add("9", "approximate entropy is larger than that of the true readings",
        "recorded " + against(Rival::published, &M::irregularity_recorded, Rival::published, &M::irregularity_truth, 2),
        larger(Rival::published, &M::irregularity_recorded, Rival::published, &M::irregularity_truth) &&
            larger(Rival::published, &M::irregularity_received, Rival::published, &M::irregularity_truth));
    add("9", "two parts have less of it than one (recorded, b from 1)",
        against(Rival::divided, &M::irregularity_recorded, Rival::published, &M::irregularity_recorded, 2),
        larger(Rival::published, &M::irregularity_recorded, Rival::divided, &M::irregularity_recorded, near_one_));
    const double growth = value(Rival::published, &M::irregularity_received, high_) /
                          value(Rival::published, &M::irregularity_received, near_one_);
    add("9", "it keeps stable or drops with b (received in time, b from 1)",
        format_fixed(100 * (growth - 1), 1) + " % from b = " + result_number(near_one_) + " to " +
            result_number(high_) + "; below, it rises from that of the true readings",
        growth < 1.05);
  }

  void add_distortion() {
    bool rises = true;
    for (std::size_t i = 1; i < b_.size(); ++i)
      rises = rises && value(Rival::published, &M::distortion_recorded_w, b_[i]) >
                           value(Rival::published, &M::distortion_recorded_w, b_[i - 1]);
    add("10", "distortion increases with b", "recorded " + ends(Rival::published, &M::distortion_recorded_w, 0) + " W",
        rises);
    const auto compare = [&](const std::string& figure, const std::string& says, Rival rival, Measure measure,
                             Rival other, Measure than, int digits) {
      add(figure, says, against(rival, measure, other, than, digits), larger(rival, measure, other, than));
    };
    const std::string recorded = "recorded data have more than real-time data, ";
    compare("10", recorded + "if these are what is received (eq. 4)", Rival::published, &M::distortion_recorded_w,
            Rival::published, &M::distortion_received_w, 0);
    compare("10", recorded + "if these are corrected (eq. 5)", Rival::published, &M::distortion_recorded_w,
            Rival::published, &M::distortion_realtime_w, 0);
    const std::string eda = "real-time data have more than EDA, ";
    compare("10", eda + "if that is read in order of arrival", Rival::published, &M::distortion_received_w,
            Rival::delayed, &M::distortion_arrivals_w, 0);
    compare("10", eda + "if that is summed by slot", Rival::published, &M::distortion_received_w, Rival::delayed,
            &M::distortion_recorded_w, 0);
    compare("11", "EDA is more similar to the readings, read in order of arrival", Rival::delayed, &M::cosine_arrivals,
            Rival::published, &M::cosine_recorded, 3);
    compare("11", "EDA is more similar to the readings, summed by slot", Rival::delayed, &M::cosine_recorded,
            Rival::published, &M::cosine_recorded, 3);
  }

  void add_entropy() {
    const auto falls = [&](const std::string& bins, Measure realtime, Measure recorded, Measure truth) {
      double below_from = HUGE_VAL;  // next to b = 0 nothing has moved yet
      for (const double b : b_ | std::views::reverse) {
        if (std::max(value(Rival::published, realtime, b), value(Rival::published, recorded, b)) >=
            value(Rival::published, truth, b))
          break;
        below_from = b;
      }
      add("12", "entropy decreases and is below that of the true readings, " + bins,
          "recorded " + against(Rival::published, recorded, Rival::published, truth, 2) +
              (below_from < HUGE_VAL ? ", all below from b = " + result_number(below_from) : ""),
          below_from <= 0.5 && value(Rival::published, recorded, high_) <= value(Rival::published, recorded, low_));
    };
    falls("50 bins", &M::ranged_realtime, &M::ranged_recorded, &M::ranged_truth);
    falls("bins of 50 W", &M::entropy_realtime, &M::entropy_recorded, &M::entropy_truth);
    const double doubled = value(Rival::published, &M::ranged_doubled, low_);
    const double truth = value(Rival::published, &M::ranged_truth, low_);
    add("12", "less entropy means that more is hidden, 50 bins",
        format_fixed(doubled, 2) + " against " + format_fixed(truth, 2) +
            " for true readings of which only the largest is changed: doubled",
        doubled >= truth);
    add("12", "EDA has nearly the same as the true readings, read in order of arrival", "the same: the same readings",
        true);
    const double summed =
        value(Rival::delayed, &M::ranged_recorded, high_) / value(Rival::delayed, &M::ranged_truth, high_);
    add("12", "EDA has nearly the same as the true readings, summed by slot, 50 bins",
        against(Rival::delayed, &M::ranged_recorded, Rival::delayed, &M::ranged_truth, 2),
        std::fabs(summed - 1) < 0.05);
  }

  void add_errors() {
    const auto largest = [&](Measure measure) {
      double most = -HUGE_VAL;
      for (const double b : b_) most = std::max(most, std::fabs(value(Rival::published, measure, b)));
      return most;
    };
    add("13", "the mean error of the total is about 0",
        "at most " + format_fixed(largest(&M::aggregation_mean_pct), 2) + " %", largest(&M::aggregation_mean_pct) < 1);
    add("13", "a Kalman filter makes it more accurate",
        "rms " + against(Rival::published, &M::smoothed_rms_pct, Rival::published, &M::aggregation_rms_pct, 1),
        larger(Rival::published, &M::aggregation_rms_pct, Rival::published, &M::smoothed_rms_pct));
    const bool negative =
        std::ranges::all_of(b_, [&](double b) { return value(Rival::published, &M::accumulation_mean_pct, b) < 0; });
    add("14", "the mean error of a day is negative and much smaller",
        ends(Rival::published, &M::accumulation_mean_pct, 3) + " %",
        negative && larger(Rival::published, &M::aggregation_sd_pct, Rival::published, &M::accumulation_sd_pct));
    add("15", "a filter leaves more of the perturbation than of noise",
        "share left " + against(Rival::published, &M::filtered_share, Rival::normal, &M::filtered_share, 2),
        larger(Rival::published, &M::filtered_share, Rival::normal, &M::filtered_share));
  }

  /// Smallest first.
  std::vector<double> budgets() const {
    std::vector<double> all = study_.options().small_budgets;
    for (const double b : b_) all.push_back(1 / b);
    std::ranges::sort(all);
    return all;
  }

  /// The budget below which the rival's total is worse than that of shifts; nothing when it always is or never.
  std::optional<double> worse_below(Rival rival) const {
    const std::vector<double> all = budgets();
    const auto excess = [&](double budget) {
      return std::log(value(rival, &M::aggregation_rmse_pct, 1 / budget) /
                      value(Rival::published, &M::aggregation_rmse_pct, 1 / budget));
    };
    for (std::size_t i = 1; i < all.size(); ++i) {
      const double before = excess(all[i - 1]), after = excess(all[i]);
      if (before > 0 && after <= 0) return all[i - 1] * std::pow(all[i] / all[i - 1], before / (before - after));
    }
    return std::nullopt;
  }

  void add_budgets() {
    const std::vector<double> all = budgets();
    constexpr std::array kSensitivities = {std::pair{Rival::laplace_largest, "the largest reading"},
                                           std::pair{Rival::laplace_reading, "the reading itself"},
                                           std::pair{Rival::laplace_change, "the last change"}};
    const auto both = [&](Rival rival, Measure measure, double budget) {
      return format_fixed(value(Rival::published, measure, 1 / budget), 1) + " against " +
             format_fixed(value(rival, measure, 1 / budget), 1) + " % at " + format_fixed(budget, 2);
    };
    for (const auto& [rival, which] : kSensitivities) {
      const std::optional<double> boundary = worse_below(rival);
      add("16", std::string("shifts have less error than LDP below a budget of about 0.4, sensitivity: ").append(which),
          (boundary ? "below " + format_fixed(*boundary, 2) : "at every budget") + "; " +
              both(rival, &M::aggregation_rmse_pct, all.front()),
          boundary && *boundary > 0.4 / 1.5 && *boundary < 0.4 * 1.5);
    }
    for (const auto& [rival, which] : kSensitivities) {
      const bool better = std::ranges::all_of(all, [&, rival = rival](double budget) {
        return value(rival, &M::accumulation_rmse_pct, 1 / budget) >
               value(Rival::published, &M::accumulation_rmse_pct, 1 / budget);
      });
      add("17", std::string("days are more accurate with shifts, sensitivity: ").append(which),
          both(rival, &M::accumulation_rmse_pct, all.front()), better);
    }
  }

  void add_same_distortion() {
    add("18, 19", "with the same distortion the total is more accurate than with NDP",
        against(Rival::published, &M::aggregation_rmse_pct, Rival::normal, &M::aggregation_rmse_pct, 1),
        larger(Rival::normal, &M::aggregation_rmse_pct, Rival::published, &M::aggregation_rmse_pct));
    add("20, 21", "with the same distortion a day is more accurate than with NDP",
        against(Rival::published, &M::accumulation_rmse_pct, Rival::normal, &M::accumulation_rmse_pct, 2),
        larger(Rival::normal, &M::accumulation_rmse_pct, Rival::published, &M::accumulation_rmse_pct));
  }

  const TemporalStudy& study_;
  const Figures& figures_;
  const TemporalExample& example_;
  std::vector<double> b_;
  double near_one_ = 1, low_ = 0, high_ = 0;
  std::vector<TemporalClaim> claims_;
};

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

Result<std::vector<TemporalClaim>> temporal_claims(const TemporalStudy& study,
                                                   const std::vector<TemporalMeasures>& measures) {
  const Figures figures(study, measures);
  FUGU_ASSIGN(const TemporalExample example, study.example());
  return Claims(study, figures, example).all();
}

report::Table temporal_claims_table(const std::vector<TemporalClaim>& claims) {
  report::Table table{
      .caption = "What the text says about its figures, and what was found from the smallest b to the largest",
      .columns = {{"figure"}, {"says"}, {"found"}, {"verdict"}}};
  for (const TemporalClaim& claim : claims) {
    table.rows.push_back({{claim.figure},
                          {claim.says},
                          {claim.found},
                          {claim.holds ? "holds" : "fails", claim.holds ? report::Tone::good : report::Tone::bad}});
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
  FUGU_ASSIGN(const TemporalExample example, study.example());
  page.table(temporal_claims_table(Claims(study, figures, example).all()));
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
