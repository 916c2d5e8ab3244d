#include "fugu/study/temporal_study.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <span>

#include "fugu/filter/kalman_state.hpp"
#include "fugu/meter/collector.hpp"
#include "fugu/meter/keyed_words.hpp"
#include "fugu/metric/temporal.hpp"
#include "fugu/metric/truth.hpp"
#include "fugu/simulate/households.hpp"
#include "fugu/simulate/seeded_bits.hpp"
#include "fugu/simulate/simulation_noise.hpp"
#include "fugu/stream/stream_reader.hpp"

namespace fugu {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kLaggedDelta = 1e-6;
/// Approximate entropy takes time quadratic in the slots.
constexpr std::size_t kIrregularMeters = 20;
constexpr std::size_t kPatternLength = 2;
constexpr double kToleranceW = 50;
constexpr double kBinW = 50;
constexpr std::size_t kBins = 50;

using Series = std::vector<double>;

/// One report on its way.
struct Sent {
  Slot slot, stamp, send;
  std::int64_t value;
};

/// Errors in per cent: of the truth at hand, or, as mean squared errors are, of what it is on average.
class Errors {
 public:
  void add(double estimate, double truth) {
    const double error = 100 * (estimate - truth) / truth;
    ++count_;
    sum_ += error;
    squares_ += error * error;
    truths_ += truth;
    plain_squares_ += (estimate - truth) * (estimate - truth);
  }
  double mean() const { return sum_ / count_; }
  double rms() const { return std::sqrt(squares_ / count_); }
  double deviation() const { return std::sqrt(std::max(0.0, squares_ / count_ - mean() * mean())); }
  double root_mse() const { return 100 * std::sqrt(plain_squares_ / count_) / (truths_ / count_); }

 private:
  double count_ = 0, sum_ = 0, squares_ = 0, truths_ = 0, plain_squares_ = 0;
};

/// The squared distortion of the recorded stream that a scheme leads to on average: what shifts in, and by chance.
double expected_square(std::span<const std::int64_t> truth, const ShiftLaw& law) {
  const auto slots = static_cast<Slot>(truth.size());
  double squares = 0;
  for (Slot t = 0; t < slots; ++t) {
    double mean = 0, variance = 0;
    for (Slot k = std::max(law.lowest(), t - slots + 1); k <= std::min(law.highest(), t); ++k) {
      const double p = law.probability(k);
      const auto value = static_cast<double>(truth[static_cast<std::size_t>(t - k)]);
      mean += p * value;
      variance += p * (1 - p) * value * value;
    }
    const double bias = mean - static_cast<double>(truth[static_cast<std::size_t>(t)]);
    squares += bias * bias + variance;
  }
  return squares / static_cast<double>(slots);
}

/// One rival on all households.
class Row {
 public:
  Row(const TemporalCell& cell, TemporalScheme scheme, std::size_t meters, std::uint64_t seed)
      : cell_(cell),
        scheme_(std::move(scheme)),
        parts_(cell.rival == TemporalRival::divided ? 2 : 1),
        seed_(seed),
        meters_(meters),
        collector_(*Collector::make(scheme_, meters, {.first_slot = 0, .slots = TemporalStudy::kSlots})),
        truth_total_(TemporalStudy::kSlots),
        total_(TemporalStudy::kSlots),
        noise_variance_(TemporalStudy::kSlots) {}

  void add_meter(std::size_t meter, std::span<const std::int64_t> watts) {
    truth_.assign(watts.begin(), watts.end());
    received_.assign(watts.size(), 0);
    recorded_.assign(watts.size(), 0);
    switch (cell_.rival) {
      case TemporalRival::published:
      case TemporalRival::divided:
      case TemporalRival::lagged:
      case TemporalRival::delayed: send_moved(meter, watts); break;
      case TemporalRival::normal:
      case TemporalRival::laplace:
      case TemporalRival::laplace_largest:
      case TemporalRival::laplace_reading:
      case TemporalRival::laplace_change: send_perturbed(meter, watts); break;
    }
    realtime_ = received_;
    for (double& value : realtime_) value /= timely_share();
    measure(meter);
  }

  std::vector<Slot> stamps_of(std::size_t meter, std::span<const std::int64_t> watts) {
    std::vector<Slot> stamps;
    for (const Sent& report : moved_reports(meter, watts)) stamps.push_back(report.stamp);
    return stamps;
  }
  /// Of the meter that was added last.
  const Series& realtime() const { return realtime_; }
  const Series& truth_total() const { return truth_total_; }
  Series estimated_total() const {
    Series totals;
    for (const SlotEstimate& one : collector_.estimates()) totals.push_back(one.estimate);
    return totals;
  }

  TemporalMeasures finish() {
    const auto meters = static_cast<double>(meters_);
    for (double* mean : {&sums_.distortion_received_w, &sums_.distortion_realtime_w, &sums_.distortion_recorded_w,
                         &sums_.cosine_realtime, &sums_.cosine_recorded, &sums_.entropy_realtime,
                         &sums_.entropy_recorded, &sums_.entropy_truth, &sums_.ranged_realtime, &sums_.ranged_recorded,
                         &sums_.ranged_truth, &sums_.ranged_doubled})
      *mean /= meters;
    const double delayed = is_delayed() ? meters : kNone;
    for (double* mean : {&sums_.distortion_arrivals_w, &sums_.cosine_arrivals}) *mean /= delayed;
    const double irregular = has_irregularity() ? static_cast<double>(std::min(meters_, kIrregularMeters)) : kNone;
    for (double* mean : {&sums_.irregularity_received, &sums_.irregularity_realtime, &sums_.irregularity_recorded,
                         &sums_.irregularity_truth})
      *mean /= irregular;
    const double readings = meters * TemporalStudy::kSlots;
    sums_.queued_mean /= readings;
    sums_.perturbed_measured = is_moved() ? perturbed_ / readings : kNone;
    sums_.shuffled_measured = is_moved() ? shuffled_ / (readings - meters) : kNone;
    sums_.filtered_share = filtered_squares_ / distorted_squares_;
    sums_.lag_slots = static_cast<double>(scheme_.lag_slots());
    set_probabilities();
    compare_totals();
    sums_.accumulation_mean_pct = accumulation_.mean();
    sums_.accumulation_sd_pct = accumulation_.deviation();
    sums_.accumulation_rms_pct = accumulation_.rms();
    sums_.accumulation_rmse_pct = accumulation_.root_mse();
    return sums_;
  }

 private:
  bool is_published() const { return cell_.rival == TemporalRival::published || cell_.rival == TemporalRival::divided; }
  bool is_moved() const { return is_published() || cell_.rival == TemporalRival::lagged; }
  bool has_irregularity() const { return is_published() && !cell_.small_budget; }
  bool is_delayed() const { return cell_.rival == TemporalRival::delayed; }
  bool is_local() const { return cell_.rival >= TemporalRival::laplace_largest; }
  /// Of what is measured, the share that `received_` has on average.
  double timely_share() const { return is_moved() ? scheme_.timely_share() : 1; }

  void set_probabilities() {
    sums_.perturbed_exact = is_moved() ? perturbation_probability(scheme_.shift(), parts_) : kNone;
    sums_.shuffled_exact = is_moved() ? shuffling_probability(scheme_.shift(), parts_) : kNone;
    sums_.perturbed_printed = is_published() ? printed_perturbation_probability(cell_.b, parts_) : kNone;
    sums_.shuffled_printed = is_published() ? printed_shuffling_probability(cell_.b, parts_) : kNone;
    sums_.information_bound =
        is_published() ? printed_information_bound(cell_.b, 1 / cell_.b, TemporalStudy::kSlots) : kNone;
  }

  std::vector<Sent> moved_reports(std::size_t meter, std::span<const std::int64_t> watts) {
    SeededBits bits(seed_, meter);
    std::vector<Sent> reports;
    std::array<detail::PartWords, 2> words;
    std::array<std::int64_t, 2> values;
    for (std::size_t i = 0; i < watts.size(); ++i) {
      for (unsigned part = 0; part < parts_; ++part) words[part] = {bits.take64(), bits.take64(), bits.take64(), 0};
      detail::divide(watts[i], {words.data(), parts_}, {values.data(), parts_});
      const auto slot = static_cast<Slot>(i);
      for (unsigned part = 0; part < parts_; ++part) {
        auto [stamp, send] = scheme_.dispatch(slot, words[part].shift, words[part].delay);
        if (is_delayed()) stamp = send = slot + scheme_.delay().draw(words[part].delay);
        reports.push_back({slot, stamp, send, values[part]});
      }
    }
    return reports;
  }

  void send_moved(std::size_t meter, std::span<const std::int64_t> watts) {
    const std::vector<Sent> reports = moved_reports(meter, watts);
    const auto slots = static_cast<Slot>(watts.size());
    std::uint64_t number = 0;
    for (const Sent& report : reports) {
      collector_.take(static_cast<NameTable::Id>(meter), {report.send, number++, report.stamp, report.value, {}});
      if (report.stamp < 0 || report.stamp >= slots) continue;
      const auto at = static_cast<std::size_t>(report.stamp);
      const auto value = static_cast<double>(report.value);
      recorded_[at] += value;
      if (is_delayed()) total_[at] += value;
      if (report.send == report.stamp + scheme_.lag_slots()) received_[at] += value;
    }
    count_queue(reports);
    if (is_moved()) count_order(reports);
    if (is_delayed()) measure_arrivals(reports);
  }

  /// Whoever does not sum by slot sees one reading after the other, out of order.
  void measure_arrivals(std::vector<Sent> reports) {
    std::ranges::stable_sort(reports, {}, &Sent::send);
    Series arrivals;
    for (const Sent& report : reports) arrivals.push_back(static_cast<double>(report.value));
    sums_.distortion_arrivals_w += distortion_deviation(truth_, arrivals);
    sums_.cosine_arrivals += cosine_similarity(truth_, arrivals);
  }

  void count_queue(const std::vector<Sent>& reports) {
    queue_change_.assign(2 * TemporalStudy::kSlots, 0);
    for (const Sent& report : reports) {
      ++queue_change_[static_cast<std::size_t>(report.slot)];
      const auto end = static_cast<std::size_t>(report.send);
      if (end < queue_change_.size()) --queue_change_[end];
    }
    double queued = 0;
    for (std::size_t slot = 0; slot < TemporalStudy::kSlots; ++slot) {
      queued += queue_change_[slot];
      sums_.queued_mean += queued;
      sums_.queued_most = std::max(sums_.queued_most, queued);
    }
  }

  void count_order(const std::vector<Sent>& reports) {
    Slot latest_before = std::numeric_limits<Slot>::min();
    for (std::size_t i = 0; i < reports.size(); i += parts_) {
      Slot earliest = reports[i].stamp, latest = reports[i].stamp;
      bool moved = false;
      for (std::size_t part = i; part < i + parts_; ++part) {
        earliest = std::min(earliest, reports[part].stamp);
        latest = std::max(latest, reports[part].stamp);
        moved = moved || reports[part].stamp != reports[part].slot;
      }
      perturbed_ += moved;
      shuffled_ += i > 0 && latest_before >= earliest;
      latest_before = latest;
    }
  }

  void send_perturbed(std::size_t meter, std::span<const std::int64_t> watts) {
    SimulationNoise noise(seed_, meter);
    const auto steps = [](double value) {
      return Rational{static_cast<std::uint64_t>(std::max(1.0, std::round(value))), 1};
    };
    const double square = is_local() ? 0 : expected_square(watts, scheme_.shift());
    const Rational fixed = cell_.rival == TemporalRival::normal ? steps(square) : steps(std::sqrt(square / 2));
    const std::int64_t largest = *std::ranges::max_element(watts);
    for (std::size_t i = 0; i < watts.size(); ++i) {
      const Rational scale = is_local() ? steps(cell_.b * local_sensitivity_w(watts, i, largest)) : fixed;
      const bool is_normal = cell_.rival == TemporalRival::normal;
      const std::int64_t draw = is_normal ? noise.gaussian(scale) : noise.laplace(scale);
      noise_variance_[i] += is_normal ? scale.to_double() : 2 * scale.to_double() * scale.to_double();
      recorded_[i] = received_[i] = truth_[i] + static_cast<double>(draw);
      total_[i] += recorded_[i];
    }
  }

  double local_sensitivity_w(std::span<const std::int64_t> watts, std::size_t slot, std::int64_t largest) const {
    if (cell_.rival == TemporalRival::laplace_largest) return static_cast<double>(largest);
    if (cell_.rival == TemporalRival::laplace_reading || slot == 0) return static_cast<double>(watts[slot]);
    return static_cast<double>(std::abs(watts[slot] - watts[slot - 1]));
  }

  void measure(std::size_t meter) {
    sums_.distortion_received_w += distortion_deviation(truth_, received_);
    sums_.distortion_realtime_w += distortion_deviation(truth_, realtime_);
    const double distortion = distortion_deviation(truth_, recorded_);
    sums_.distortion_recorded_w += distortion;
    sums_.cosine_realtime += cosine_similarity(truth_, realtime_);
    sums_.cosine_recorded += cosine_similarity(truth_, recorded_);
    sums_.entropy_realtime += binned_entropy(realtime_, kBinW);
    sums_.entropy_recorded += binned_entropy(recorded_, kBinW);
    sums_.entropy_truth += binned_entropy(truth_, kBinW);
    sums_.ranged_realtime += ranged_entropy(realtime_, kBins);
    sums_.ranged_recorded += ranged_entropy(recorded_, kBins);
    sums_.ranged_truth += ranged_entropy(truth_, kBins);
    Series doubled = truth_;
    *std::ranges::max_element(doubled) *= 2;
    sums_.ranged_doubled += ranged_entropy(doubled, kBins);
    if (meter < kIrregularMeters && has_irregularity()) {
      sums_.irregularity_received += approximate_entropy(received_, kPatternLength, kToleranceW);
      sums_.irregularity_realtime += approximate_entropy(realtime_, kPatternLength, kToleranceW);
      sums_.irregularity_recorded += approximate_entropy(recorded_, kPatternLength, kToleranceW);
      sums_.irregularity_truth += approximate_entropy(truth_, kPatternLength, kToleranceW);
    }
    attack(distortion);
    double truth = 0, recorded = 0;
    for (std::size_t i = 0; i < truth_.size(); ++i) {
      truth += truth_[i];
      recorded += recorded_[i];
      truth_total_[i] += truth_[i];
    }
    accumulation_.add(recorded, truth);
  }

  void attack(double distortion) {
    double movement = 0;
    for (std::size_t i = 1; i < truth_.size(); ++i)
      movement += (truth_[i] - truth_[i - 1]) * (truth_[i] - truth_[i - 1]) / static_cast<double>(truth_.size() - 1);
    const Series filtered = kalman_attack(recorded_, movement, std::max(1e-9, distortion * distortion));
    const double left = distortion_deviation(truth_, filtered);
    filtered_squares_ += left * left;
    distorted_squares_ += distortion * distortion;
  }

  void compare_totals() {
    std::vector<SlotEstimate> estimates = collector_.estimates();
    if (!is_moved()) {
      TrackingKalman filter;
      for (std::size_t i = 0; i < total_.size(); ++i) {
        // Delays add no noise that a filter could know of.
        if (noise_variance_[i] > 0) filter.measure(total_[i], noise_variance_[i], 1);
        estimates[i].estimate = total_[i];
        estimates[i].smoothed = noise_variance_[i] > 0 ? filter.value() : total_[i];
      }
    }
    Errors plain, smoothed;
    for (std::size_t i = TemporalStudy::kWarmUpSlots; i < estimates.size(); ++i) {
      plain.add(estimates[i].estimate, truth_total_[i]);
      smoothed.add(estimates[i].smoothed, truth_total_[i]);
    }
    sums_.aggregation_mean_pct = plain.mean();
    sums_.aggregation_sd_pct = plain.deviation();
    sums_.aggregation_rms_pct = plain.rms();
    sums_.aggregation_rmse_pct = plain.root_mse();
    sums_.smoothed_mean_pct = smoothed.mean();
    sums_.smoothed_sd_pct = smoothed.deviation();
    sums_.smoothed_rms_pct = smoothed.rms();
    sums_.smoothed_rmse_pct = smoothed.root_mse();
  }

  TemporalCell cell_;
  TemporalScheme scheme_;
  unsigned parts_;
  std::uint64_t seed_;
  std::size_t meters_;
  Collector collector_;
  Series truth_, received_, realtime_, recorded_;  // of the meter at hand
  std::vector<int> queue_change_;
  Series truth_total_, total_;
  Series noise_variance_;  // of the total, by slot
  double perturbed_ = 0, shuffled_ = 0;
  double filtered_squares_ = 0, distorted_squares_ = 0;
  Errors accumulation_;
  TemporalMeasures sums_{};
};

constexpr std::array kRivals = {
    TemporalRival::published,       TemporalRival::divided,         TemporalRival::lagged,
    TemporalRival::delayed,         TemporalRival::normal,          TemporalRival::laplace,
    TemporalRival::laplace_largest, TemporalRival::laplace_reading, TemporalRival::laplace_change};
/// Those of figures 16 and 17.
constexpr std::array kBudgetRivals = {TemporalRival::published, TemporalRival::lagged, TemporalRival::laplace_largest,
                                      TemporalRival::laplace_reading, TemporalRival::laplace_change};

std::uint64_t seed_of(std::uint64_t study_seed, const TemporalCell& cell) {
  // A seed of its own for each cell: neighbouring points of a curve do not share their luck.
  const auto thousandths = static_cast<std::uint64_t>(std::llround(cell.b * 1000));
  return study_seed * 1'000'003 + thousandths * 16 + static_cast<std::uint64_t>(cell.rival);
}

using Households = std::vector<std::vector<std::int64_t>>;

Result<Households> simulate_households(const TemporalStudyOptions& options) {
  FUGU_ASSIGN(auto street, Neighbourhood::make({.households = options.households,
                                                .days = 1,
                                                .slot_min = 1,
                                                .seed = options.seed,
                                                .threads = options.threads},
                                               HouseholdParameters::shipped()));
  FUGU_CHECK(street.next_day());
  Households watts;
  for (std::size_t i = 0; i < options.households; ++i)
    watts.emplace_back(street.watts(i).begin(), street.watts(i).end());
  return watts;
}

Result<Households> read_profiles(const TemporalStudyOptions& options) {
  const std::string file = (std::filesystem::path(options.data_folder) / kTemporalProfiles).string();
  auto input = Input::open(file);
  if (!input) {
    return Error{Cause::bad_input, file + ": found no profiles (" + input.error().message +
                                       "); expected a data folder with " + kTemporalProfiles + ", or no --data"};
  }
  FUGU_ASSIGN(const UnitStep watt, UnitStep::parse("0.001"));
  FUGU_ASSIGN(StreamReader reader, StreamReader::open(*std::move(input), {.unit_step = watt, .time_column = "minute"}));
  TruthStream truth(reader, Rational{1, 1});
  Households profiles(truth.series().size());
  TruthRow row;
  while (true) {
    FUGU_ASSIGN(const bool more, truth.next(row));
    if (!more) break;
    for (std::size_t i = 0; i < profiles.size(); ++i) {
      if (!row.values[i])
        return Error{Cause::bad_input, file + ": found an empty cell of " + truth.series()[i] + " in minute " +
                                           std::to_string(row.slot) + "; expected complete profiles"};
      profiles[i].push_back(std::llround(*row.values[i]));
    }
  }
  if (profiles.empty() || profiles.front().size() != TemporalStudy::kSlots)
    return Error{Cause::bad_input, file + ": found " + std::to_string(profiles.empty() ? 0 : profiles.front().size()) +
                                       " minutes; expected 1440"};
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    const auto [least, largest] = std::ranges::minmax(profiles[i]);
    if (least < 0 || largest == 0)
      return Error{Cause::bad_input, file + ": found " + (least < 0 ? "a negative load" : "no load at all") + " in " +
                                         truth.series()[i] + "; expected consumption"};
  }
  Households watts;
  for (std::size_t i = 0; i < options.households; ++i) watts.push_back(profiles[i % profiles.size()]);
  return watts;
}

}  // namespace

std::string_view name_of(TemporalRival rival) {
  switch (rival) {
    case TemporalRival::published: return "published";
    case TemporalRival::divided: return "published, two parts";
    case TemporalRival::lagged: return "lagged";
    case TemporalRival::delayed: return "EDA";
    case TemporalRival::normal: return "NDP";
    case TemporalRival::laplace: return "LDP";
    case TemporalRival::laplace_largest: return "LDP, largest reading";
    case TemporalRival::laplace_reading: return "LDP, reading itself";
    case TemporalRival::laplace_change: return "LDP, last change";
  }
  FUGU_CHECK(false);
  return "";
}

std::vector<TemporalColumn> temporal_columns() {
  using M = TemporalMeasures;
  return {{"perturbed_exact", &M::perturbed_exact},
          {"perturbed_printed", &M::perturbed_printed},
          {"perturbed_measured", &M::perturbed_measured},
          {"shuffled_exact", &M::shuffled_exact},
          {"shuffled_printed", &M::shuffled_printed},
          {"shuffled_measured", &M::shuffled_measured},
          {"information_bound_nats", &M::information_bound},
          {"approximate_entropy_received", &M::irregularity_received},
          {"approximate_entropy_realtime", &M::irregularity_realtime},
          {"approximate_entropy_recorded", &M::irregularity_recorded},
          {"approximate_entropy_truth", &M::irregularity_truth},
          {"distortion_received_w", &M::distortion_received_w},
          {"distortion_realtime_w", &M::distortion_realtime_w},
          {"distortion_recorded_w", &M::distortion_recorded_w},
          {"distortion_arrivals_w", &M::distortion_arrivals_w},
          {"cosine_realtime", &M::cosine_realtime},
          {"cosine_recorded", &M::cosine_recorded},
          {"cosine_arrivals", &M::cosine_arrivals},
          {"entropy_realtime_nats", &M::entropy_realtime},
          {"entropy_recorded_nats", &M::entropy_recorded},
          {"entropy_truth_nats", &M::entropy_truth},
          {"entropy_50_bins_realtime_nats", &M::ranged_realtime},
          {"entropy_50_bins_recorded_nats", &M::ranged_recorded},
          {"entropy_50_bins_truth_nats", &M::ranged_truth},
          {"entropy_50_bins_doubled_nats", &M::ranged_doubled},
          {"aggregation_mean_pct", &M::aggregation_mean_pct},
          {"aggregation_sd_pct", &M::aggregation_sd_pct},
          {"aggregation_rms_pct", &M::aggregation_rms_pct},
          {"aggregation_rmse_pct", &M::aggregation_rmse_pct},
          {"smoothed_mean_pct", &M::smoothed_mean_pct},
          {"smoothed_sd_pct", &M::smoothed_sd_pct},
          {"smoothed_rms_pct", &M::smoothed_rms_pct},
          {"smoothed_rmse_pct", &M::smoothed_rmse_pct},
          {"accumulation_mean_pct", &M::accumulation_mean_pct},
          {"accumulation_sd_pct", &M::accumulation_sd_pct},
          {"accumulation_rms_pct", &M::accumulation_rms_pct},
          {"accumulation_rmse_pct", &M::accumulation_rmse_pct},
          {"filtered_share", &M::filtered_share},
          {"queued_mean", &M::queued_mean},
          {"queued_most", &M::queued_most},
          {"lag_slots", &M::lag_slots}};
}

Result<TemporalStudy> TemporalStudy::make(const TemporalStudyOptions& options) {
  TemporalStudy study(options);
  FUGU_ASSIGN(study.watts_, options.data_folder.empty() ? simulate_households(options) : read_profiles(options));
  for (const double b : options.b) {
    FUGU_TRY(TemporalScheme::published(b));
    for (const TemporalRival rival : kRivals) study.cells_.push_back({rival, b});
  }
  for (const double budget : options.small_budgets) {
    FUGU_TRY(TemporalScheme::published(1 / budget));
    for (const TemporalRival rival : kBudgetRivals) study.cells_.push_back({rival, 1 / budget, true});
  }
  return study;
}

Result<TemporalMeasures> TemporalStudy::run(const TemporalCell& cell) const {
  auto scheme = cell.rival == TemporalRival::lagged
                    ? TemporalScheme::lagged({.epsilon = 1 / cell.b, .delta = kLaggedDelta})
                    : TemporalScheme::published(cell.b);
  if (!scheme) return scheme.error();
  Row row(cell, *std::move(scheme), watts_.size(), seed_of(options_.seed, cell));
  for (std::size_t meter = 0; meter < watts_.size(); ++meter) row.add_meter(meter, watts_[meter]);
  return row.finish();
}

Result<TemporalExample> TemporalStudy::example() const {
  const TemporalCell cell{TemporalRival::published, TemporalExample::kB};
  FUGU_ASSIGN(TemporalScheme scheme, TemporalScheme::published(cell.b));
  Row row(cell, std::move(scheme), watts_.size(), seed_of(options_.seed, cell));
  TemporalExample example;
  example.stamps = row.stamps_of(0, watts_.front());
  for (std::size_t meter = 0; meter < watts_.size(); ++meter) {
    row.add_meter(meter, watts_[meter]);
    if (meter == 0) example.realtime_w = row.realtime();
  }
  example.truth_w.assign(watts_.front().begin(), watts_.front().end());
  example.total_w = row.truth_total();
  example.estimated_w = row.estimated_total();
  return example;
}

std::array<double, 2> TemporalStudy::mean_and_deviation_w() const {
  double sum = 0, squares = 0;
  for (const auto& meter : watts_) {
    for (const std::int64_t value : meter) {
      sum += static_cast<double>(value);
      squares += static_cast<double>(value) * static_cast<double>(value);
    }
  }
  const double count = static_cast<double>(watts_.size() * kSlots);
  const double mean = sum / count;
  return {mean, std::sqrt(squares / count - mean * mean)};
}

std::uint64_t TemporalStudy::digest() const {
  std::uint64_t digest = 0;
  for (const auto& meter : watts_)
    digest = XXH3_64bits_withSeed(meter.data(), meter.size() * sizeof(std::int64_t), digest);
  return digest;
}

}  // namespace fugu
