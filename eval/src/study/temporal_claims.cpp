// What the paper's text says about its figures, judged by the rows.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <ranges>
#include <span>

#include "fugu/estimation/similarity.hpp"
#include "fugu/metric/temporal.hpp"
#include "fugu/report/number.hpp"
#include "fugu/study/result_file.hpp"
#include "fugu/study/temporal_study.hpp"

namespace fugu {

namespace {

using report::format_fixed;
using Measure = double TemporalMeasures::*;
using Rival = TemporalRival;

/// Judges sentences one by one.
class Claims {
 public:
  Claims(const TemporalStudy& study, const std::vector<TemporalMeasures>& measures, const TemporalExample& example)
      : study_(study), measures_(measures), example_(example), b_(study.options().b) {
    FUGU_CHECK(measures.size() == study.cells().size());
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
  double value(Rival rival, Measure measure, double b) const {
    const auto& cells = study_.cells();
    const auto found = std::ranges::find_if(cells, [&](const TemporalCell& cell) {
      return cell.rival == rival && std::fabs(cell.b - b) < 1e-9;  // budgets come as 1/b
    });
    FUGU_CHECK(found != cells.end());
    return measures_[static_cast<std::size_t>(found - cells.begin())].*measure;
  }
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
    constexpr double kAbout = 2;  // a factor
    for (const auto& [rival, which] : kSensitivities) {
      const std::optional<double> boundary = worse_below(rival);
      add("16", std::string("shifts have less error than LDP below a budget of about 0.4, sensitivity: ").append(which),
          (boundary ? "below " + format_fixed(*boundary, 2) : "at every budget") + "; " +
              both(rival, &M::aggregation_rmse_pct, all.front()),
          boundary && *boundary > 0.4 / kAbout && *boundary < 0.4 * kAbout);
    }
    for (const auto& [rival, which] : kSensitivities) {
      const bool better = std::ranges::all_of(all, [&, noise = rival](double budget) {
        return value(noise, &M::accumulation_rmse_pct, 1 / budget) >
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
  const std::vector<TemporalMeasures>& measures_;
  const TemporalExample& example_;
  std::vector<double> b_;
  double near_one_ = 1, low_ = 0, high_ = 0;
  std::vector<TemporalClaim> claims_;
};

}  // namespace

Result<std::vector<TemporalClaim>> temporal_claims(const TemporalStudy& study,
                                                   const std::vector<TemporalMeasures>& measures) {
  FUGU_ASSIGN(const TemporalExample example, study.example());
  return Claims(study, measures, example).all();
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

}  // namespace fugu
