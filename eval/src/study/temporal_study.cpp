#include "fugu/study/temporal_study.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "fugu/filter/kalman_state.hpp"
#include "fugu/meter/collector.hpp"
#include "fugu/meter/keyed_words.hpp"
#include "fugu/metric/temporal.hpp"
#include "fugu/simulate/households.hpp"
#include "fugu/simulate/seeded_bits.hpp"
#include "fugu/simulate/simulation_noise.hpp"

namespace fugu {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kLaggedDelta = 1e-6;
/// In the first slots nothing arrives from before: aggregates are compared from here on.
constexpr std::size_t kWarmUpSlots = 60;
/// Approximate entropy takes time quadratic in the slots.
constexpr std::size_t kIrregularMeters = 20;
constexpr std::size_t kPatternLength = 2;
constexpr double kToleranceW = 50;
constexpr double kBinW = 50;

using Series = std::vector<double>;

/// One report on its way.
struct Sent {
  Slot slot, stamp, send;
  std::int64_t value;
};

/// Means and deviations of relative errors.
class RelativeErrors {
 public:
  void add(double estimate, double truth) {
    const double error = 100 * (estimate - truth) / truth;
    ++count_;
    sum_ += error;
    squares_ += error * error;
  }
  double mean() const { return sum_ / count_; }
  double rms() const { return std::sqrt(squares_ / count_); }
  double deviation() const { return std::sqrt(std::max(0.0, squares_ / count_ - mean() * mean())); }

 private:
  double count_ = 0, sum_ = 0, squares_ = 0;
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
        total_(TemporalStudy::kSlots) {}

  void add_meter(std::size_t meter, std::span<const std::int64_t> watts) {
    truth_.assign(watts.begin(), watts.end());
    realtime_.assign(watts.size(), 0);
    recorded_.assign(watts.size(), 0);
    switch (cell_.rival) {
      case TemporalRival::published:
      case TemporalRival::divided:
      case TemporalRival::lagged:
      case TemporalRival::delayed: send_moved(meter, watts); break;
      case TemporalRival::normal:
      case TemporalRival::laplace:
      case TemporalRival::laplace_local: send_perturbed(meter, watts); break;
    }
    measure(meter);
  }

  TemporalMeasures finish() {
    const auto meters = static_cast<double>(meters_);
    for (double* mean :
         {&sums_.distortion_realtime_w, &sums_.distortion_recorded_w, &sums_.cosine_realtime, &sums_.cosine_recorded,
          &sums_.entropy_realtime, &sums_.entropy_recorded, &sums_.entropy_truth})
      *mean /= meters;
    const double irregular = is_published() ? static_cast<double>(std::min(meters_, kIrregularMeters)) : kNone;
    for (double* mean : {&sums_.irregularity_realtime, &sums_.irregularity_recorded, &sums_.irregularity_truth})
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
    return sums_;
  }

 private:
  bool is_published() const { return cell_.rival == TemporalRival::published || cell_.rival == TemporalRival::divided; }
  bool is_moved() const { return is_published() || cell_.rival == TemporalRival::lagged; }

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
        if (cell_.rival == TemporalRival::delayed) stamp = send = slot + scheme_.delay().draw(words[part].delay);
        reports.push_back({slot, stamp, send, values[part]});
      }
    }
    return reports;
  }

  void send_moved(std::size_t meter, std::span<const std::int64_t> watts) {
    const std::vector<Sent> reports = moved_reports(meter, watts);
    const bool is_delayed = cell_.rival == TemporalRival::delayed;
    const double correction = is_delayed ? 1 : 1 / scheme_.timely_share();
    const auto slots = static_cast<Slot>(watts.size());
    std::uint64_t number = 0;
    for (const Sent& report : reports) {
      collector_.take(static_cast<NameTable::Id>(meter), {report.send, number++, report.stamp, report.value, {}});
      if (report.stamp < 0 || report.stamp >= slots) continue;
      const auto at = static_cast<std::size_t>(report.stamp);
      const auto value = static_cast<double>(report.value);
      recorded_[at] += value;
      if (is_delayed) total_[at] += value;
      if (report.send == report.stamp + scheme_.lag_slots()) realtime_[at] += value * correction;
    }
    count_queue(reports);
    if (is_moved()) count_order(reports);
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
    const double square = expected_square(watts, scheme_.shift());
    const auto steps = [](double value) {
      return Rational{static_cast<std::uint64_t>(std::max(1.0, std::round(value))), 1};
    };
    double variance = square;
    Rational scale = steps(std::sqrt(square / 2));
    if (cell_.rival == TemporalRival::laplace_local) {
      scale = steps(static_cast<double>(*std::max_element(watts.begin(), watts.end())) * cell_.b);
      variance = 2 * scale.to_double() * scale.to_double();
    }
    for (std::size_t i = 0; i < watts.size(); ++i) {
      const std::int64_t draw =
          cell_.rival == TemporalRival::normal ? noise.gaussian(steps(square)) : noise.laplace(scale);
      recorded_[i] = realtime_[i] = truth_[i] + static_cast<double>(draw);
      total_[i] += recorded_[i];
    }
    noise_variance_ += variance;
  }

  void measure(std::size_t meter) {
    sums_.distortion_realtime_w += distortion_deviation(truth_, realtime_);
    const double distortion = distortion_deviation(truth_, recorded_);
    sums_.distortion_recorded_w += distortion;
    sums_.cosine_realtime += cosine_similarity(truth_, realtime_);
    sums_.cosine_recorded += cosine_similarity(truth_, recorded_);
    sums_.entropy_realtime += binned_entropy(realtime_, kBinW);
    sums_.entropy_recorded += binned_entropy(recorded_, kBinW);
    sums_.entropy_truth += binned_entropy(truth_, kBinW);
    if (meter < kIrregularMeters && is_published()) {
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
        if (noise_variance_ > 0) filter.measure(total_[i], noise_variance_, 1);
        estimates[i].estimate = total_[i];
        estimates[i].smoothed = noise_variance_ > 0 ? filter.value() : total_[i];
      }
    }
    RelativeErrors plain, smoothed;
    for (std::size_t i = kWarmUpSlots; i < estimates.size(); ++i) {
      plain.add(estimates[i].estimate, truth_total_[i]);
      smoothed.add(estimates[i].smoothed, truth_total_[i]);
    }
    sums_.aggregation_mean_pct = plain.mean();
    sums_.aggregation_sd_pct = plain.deviation();
    sums_.aggregation_rms_pct = plain.rms();
    sums_.smoothed_mean_pct = smoothed.mean();
    sums_.smoothed_sd_pct = smoothed.deviation();
    sums_.smoothed_rms_pct = smoothed.rms();
  }

  TemporalCell cell_;
  TemporalScheme scheme_;
  unsigned parts_;
  std::uint64_t seed_;
  std::size_t meters_;
  Collector collector_;
  Series truth_, realtime_, recorded_;  // of the meter at hand
  std::vector<int> queue_change_;
  Series truth_total_, total_;
  double noise_variance_ = 0;  // of the total
  double perturbed_ = 0, shuffled_ = 0;
  double filtered_squares_ = 0, distorted_squares_ = 0;
  RelativeErrors accumulation_;
  TemporalMeasures sums_{};
};

constexpr std::array kRivals = {TemporalRival::published,    TemporalRival::divided, TemporalRival::lagged,
                                TemporalRival::delayed,      TemporalRival::normal,  TemporalRival::laplace,
                                TemporalRival::laplace_local};

}  // namespace

std::string_view name_of(TemporalRival rival) {
  switch (rival) {
    case TemporalRival::published: return "published";
    case TemporalRival::divided: return "published, two parts";
    case TemporalRival::lagged: return "lagged";
    case TemporalRival::delayed: return "EDA";
    case TemporalRival::normal: return "NDP";
    case TemporalRival::laplace: return "LDP";
    case TemporalRival::laplace_local: return "LDP, local sensitivity";
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
          {"approximate_entropy_realtime", &M::irregularity_realtime},
          {"approximate_entropy_recorded", &M::irregularity_recorded},
          {"approximate_entropy_truth", &M::irregularity_truth},
          {"distortion_realtime_w", &M::distortion_realtime_w},
          {"distortion_recorded_w", &M::distortion_recorded_w},
          {"cosine_realtime", &M::cosine_realtime},
          {"cosine_recorded", &M::cosine_recorded},
          {"entropy_realtime_nats", &M::entropy_realtime},
          {"entropy_recorded_nats", &M::entropy_recorded},
          {"entropy_truth_nats", &M::entropy_truth},
          {"aggregation_mean_pct", &M::aggregation_mean_pct},
          {"aggregation_sd_pct", &M::aggregation_sd_pct},
          {"aggregation_rms_pct", &M::aggregation_rms_pct},
          {"smoothed_mean_pct", &M::smoothed_mean_pct},
          {"smoothed_sd_pct", &M::smoothed_sd_pct},
          {"smoothed_rms_pct", &M::smoothed_rms_pct},
          {"accumulation_mean_pct", &M::accumulation_mean_pct},
          {"accumulation_sd_pct", &M::accumulation_sd_pct},
          {"accumulation_rms_pct", &M::accumulation_rms_pct},
          {"filtered_share", &M::filtered_share},
          {"queued_mean", &M::queued_mean},
          {"queued_most", &M::queued_most},
          {"lag_slots", &M::lag_slots}};
}

Result<TemporalStudy> TemporalStudy::make(const TemporalStudyOptions& options) {
  TemporalStudy study(options);
  FUGU_ASSIGN(auto street, Neighbourhood::make({.households = options.households,
                                                .days = 1,
                                                .slot_min = 1,
                                                .seed = options.seed,
                                                .threads = options.threads},
                                               HouseholdParameters::shipped()));
  FUGU_CHECK(street.next_day());
  for (std::size_t i = 0; i < options.households; ++i)
    study.watts_.emplace_back(street.watts(i).begin(), street.watts(i).end());
  for (const double b : options.b) {
    FUGU_TRY(TemporalScheme::published(b));
    for (const TemporalRival rival : kRivals) study.cells_.push_back({rival, b});
  }
  return study;
}

Result<TemporalMeasures> TemporalStudy::run(const TemporalCell& cell) const {
  auto scheme = cell.rival == TemporalRival::lagged
                    ? TemporalScheme::lagged({.epsilon = 1 / cell.b, .delta = kLaggedDelta})
                    : TemporalScheme::published(cell.b);
  if (!scheme) return scheme.error();
  // A seed of its own for each cell: neighbouring points of a curve do not share their luck.
  const auto thousandths = static_cast<std::uint64_t>(std::llround(cell.b * 1000));
  const std::uint64_t seed = options_.seed * 1'000'003 + thousandths * 16 + static_cast<std::uint64_t>(cell.rival);
  Row row(cell, *std::move(scheme), watts_.size(), seed);
  for (std::size_t meter = 0; meter < watts_.size(); ++meter) row.add_meter(meter, watts_[meter]);
  return row.finish();
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

}  // namespace fugu
