#include "fugu/study/swellfish_2020.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "fugu/attack/attack.hpp"
#include "fugu/comparison/conference_planners.hpp"
#include "fugu/filter/filter.hpp"
#include "fugu/simulate/simulation.hpp"
#include "fugu/strategy/outlook.hpp"
#include "fugu/strategy/registry.hpp"
#include "fugu/strategy/tenat.hpp"
#include "fugu/stream/csv.hpp"
#include "fugu/study/collections.hpp"
#include "fugu/study/ordered_tasks.hpp"
#include "run_statistics.hpp"

namespace fugu {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr int kFormat = 3;
constexpr double kWattsPerKw = 1000;
constexpr std::int64_t kSlotMin = 15;
constexpr std::size_t kDaySlots = 96;
constexpr std::size_t kWeekSlots = 7 * kDaySlots;
constexpr double kEpsilonMin = 0.1;
constexpr double kEpsilonMax = 1;
constexpr std::string_view kTimingsHeader = "experiment,mechanism,zone,slots,seconds,ns_per_slot";

enum : std::size_t {
  kSwellfish,
  kSwellfishDelta,
  kSwellfishDeltaArgued,
  kUniform,
  kUniformDelta,
  kRescue,
  kUser,
  kUserDelta,
  kAlone,
  kUniformSound,
  kRescueSound,
  kRepaired,
  kUnicorn,
  kNarwhal,
  kNarwhalDelta,
};
constexpr ConferenceMechanism kMechanisms[] = {
    {"Swellfish", true, false, false, "0.0064–2.95 %"},
    {"Swellfish (δ)", true, true, false, "slightly above"},
    {"Swellfish (δ) with Δ_t", true, true, false, "slightly above"},
    {"Uniform w-event", true, false, false, "1.35–73.75 %"},
    {"Uniform w-event (δ)", true, true, false, "slightly above"},
    {"RescueDP", true, false, true, "4.5–69.3 %"},
    {"user level", true, false, false, "above 100 %"},
    {"user level (δ)", true, true, false, "above 100 %"},
    {"Swellfish of one household", false, false, false, ""},
    {"Uniform w-event (sound w)", false, false, false, ""},
    {"RescueDP (sound w)", false, false, true, ""},
    {"Swellfish (repaired)", false, false, false, ""},
    {"UnicornPS", false, false, false, ""},
    {"Narwhal", false, false, false, ""},
    {"Narwhal (δ)", false, true, false, ""},
};
constexpr std::size_t kCount = std::size(kMechanisms);

std::string header() {
  std::string text =
      "experiment,mechanism,zone,runs,mre,mre_sd,mae_kw,filtered,mean_scale_kw,w,verdict,worst_share,auc,belief,"
      "belief_permitted,together_auc,together_belief,together_permitted";
  for (std::size_t week = 1; week <= ConferenceRow::kWeeks; ++week) text += ",mre_week" + std::to_string(week);
  return text;
}

/// Conference paper, Theorem 10: Laplace noise under (ε, δ) for a window of w.
double theorem_10_scale(double sensitivity, double w, double epsilon, double delta) {
  return sensitivity * (2 / epsilon) * std::sqrt(w * std::log(std::numbers::e + epsilon / delta));
}

Delta delta_of(const ConferenceMechanism& mechanism) {
  const auto delta = Delta::make(mechanism.with_delta ? kConferenceDelta : 0);
  FUGU_CHECK(delta.has_value());
  return *delta;
}

Rational law_of(double rate, NoiseKind kind) {
  if (std::isinf(rate)) return {};
  constexpr std::uint64_t kParts = 1 << 16;
  const double parameter = kind == NoiseKind::laplace ? 1 / rate : 0.5 / rate;
  return round_up(static_cast<uint128>(std::ceil(parameter * kParts)), kParts);
}

/// Which single secret gives away most at these rates.
struct SingleSecret {
  double largest_loss = 0;
  Policy surest;    ///< which has that loss
  Policy clearest;  ///< whose Σ of squared losses is largest: what AUC grows with
};
SingleSecret clearest_secret(const PolicyBook& book, std::span<const double> rates) {
  std::vector<double> sums(rates.size() + 1, 0.0);
  std::vector<double> squares(rates.size() + 1, 0.0);
  for (std::size_t t = 0; t < rates.size(); ++t) {
    const double rate = std::isinf(rates[t]) ? 0 : rates[t];  // nothing is relevant there
    sums[t + 1] = sums[t] + rate;
    squares[t + 1] = squares[t] + rate * rate;
  }
  SingleSecret found;
  double clearest = -1;
  const Interval slots{0, static_cast<Slot>(rates.size()) - 1};
  for (MeterId meter = 0; meter < book.meter_count(); ++meter) {
    for (const Policy& policy : book.of(meter).policies()) {
      const Interval within = common(policy.interval, slots);
      const auto length = static_cast<std::size_t>(std::min(policy.length_slots, within.slots()));
      double most = 0;
      double most_squares = 0;
      for (auto start = static_cast<std::size_t>(within.first);
           start + length <= static_cast<std::size_t>(within.last) + 1; ++start) {
        most = std::max(most, sums[start + length] - sums[start]);
        most_squares = std::max(most_squares, squares[start + length] - squares[start]);
      }
      const auto change = static_cast<double>(policy.magnitude_steps);
      if (change * most > found.largest_loss) {
        found.largest_loss = change * most;
        found.surest = policy;
      }
      if (change * change * most_squares > clearest) {
        clearest = change * change * most_squares;
        found.clearest = policy;
      }
    }
  }
  return found;
}

/// The policy that is kept worst, and what the best attack on all that is hidden in its interval finds.
struct WorstKept {
  Policy policy;
  AttackMeasures together;
  Verdict verdict;

  bool breaks() const { return verdict.kind == Verdict::Kind::breaks; }
};

/// `rates` are those of the noise in the currency of δ. Without δ the largest use decides. With δ uses are in ρ, which
/// within its limit is a proof and above it none: the loss of every policy above it is looked at, and the largest
/// decides; what is not shown to be within ε counts as broken. Absent when no policy overlaps the slots.
std::optional<WorstKept> worst_kept(const PolicyBook& book, const SlotNoise& noise, std::span<const double> rates,
                                    Delta delta) {
  std::vector<PolicyUse> doubtful;
  std::optional<PolicyUse> most;
  for_policy_uses(book, noise.slots, rates, delta, [&](MeterId meter, const Policy& policy, double use) {
    if (!most || use > most->use) most = PolicyUse{meter, policy, use};
    if (delta.value() > 0 && !keeps_promise(use)) doubtful.push_back({meter, policy, use});
  });
  if (!most) return std::nullopt;
  if (doubtful.empty()) doubtful.push_back(*most);
  std::optional<WorstKept> worst;
  for (const auto& [meter, policy, use] : doubtful) {
    const AttackMeasures together = attack_policy(book.of(meter), policy, noise, delta.value()).together;
    const bool breaks = !keeps_promise(use) && (delta.value() == 0 || !together.within);
    const double share = delta.value() == 0 ? use : together.largest_loss / policy.epsilon.to_double();
    if (worst && std::pair(breaks, share) <= std::pair(worst->breaks(), worst->verdict.worst_share)) continue;
    worst = {policy, together, {breaks ? Verdict::Kind::breaks : Verdict::Kind::holds, share}};
  }
  return worst;
}

}  // namespace

std::span<const ConferenceMechanism> conference_mechanisms() { return kMechanisms; }

SecretsKept secrets_kept(const PolicyBook& book, std::span<const double> rates, NoiseKind kind, Delta delta) {
  // Under (ε, δ) a Laplace answer of rate x counts as ρ = x²/2.
  std::vector<double> currency(rates.begin(), rates.end());
  if (delta.value() > 0 && kind == NoiseKind::laplace)
    for (double& rate : currency) rate = rate * rate / 2;
  const SlotNoise noise = SlotNoise::from_rates({0, static_cast<Slot>(rates.size()) - 1}, kind, rates);
  const std::optional<WorstKept> worst = worst_kept(book, noise, currency, delta);
  SecretsKept kept;
  kept.verdict = worst ? worst->verdict : Verdict{Verdict::Kind::holds, 0};
  if (!worst) return kept;
  kept.together_auc = worst->together.auc;
  kept.together_belief = worst->together.belief;
  kept.together_permitted = surest_belief(worst->policy.epsilon.to_double());

  std::vector<double> per_step;  // of any law: one over the scale
  for (const double scale : noise.scales_steps[0]) per_step.push_back(1 / scale);
  const SingleSecret single = clearest_secret(book, per_step);
  const AttackMeasures alone =
      measure_attack(LossDistribution::of(exposed_answers(place_alone(single.clearest, noise), noise)),
                     single.clearest.epsilon.to_double(), delta.value());
  const bool with_delta = delta.value() > 0;
  kept.auc = alone.auc;
  kept.belief = with_delta ? alone.belief : surest_belief(single.largest_loss);
  kept.belief_permitted = surest_belief((with_delta ? single.clearest : single.surest).epsilon.to_double());
  return kept;
}

Result<ConferenceStudy> ConferenceStudy::make(const ConferenceOptions& options) {
  if (options.zones < 1 || options.zones > kZones) return Error{Cause::usage, "--zones: expected 1 to 20"};
  if (options.runs < 1) return Error{Cause::usage, "--runs: expected at least 1"};
  if (options.days != 0 && options.days < 7)
    return Error{Cause::usage, "--days: expected at least 7, the week of the dominant secret, or 0 for all"};
  ConferenceStudy study;
  study.options_ = options;
  FUGU_ASSIGN(study.zones_, make_zones({.data_folder = options.data_folder,
                                        .days = options.days,
                                        .seed = options.seed,
                                        .threads = options.threads}));
  study.zones_.zones.resize(options.zones);
  FUGU_ASSIGN(const Collections made,
              !options.policies_folder.empty()
                  ? read_collections(options.policies_folder, options.households, study.slots(), HorizonRule::clip)
                  : simulate_collections({.households = options.households,
                                          .days = static_cast<std::int64_t>(study.slots() / kDaySlots),
                                          .interval = IntervalRule::conference,
                                          .epsilon_min = kEpsilonMin,
                                          .epsilon_max = kEpsilonMax,
                                          .seed = options.seed,
                                          .threads = options.threads}));
  study.options_.households = made.policies.size();
  for (std::size_t i = 0; i < made.policies.size(); ++i) {
    const std::uint64_t parts[] = {study.policies_digest_, made.digest(i)};
    study.policies_digest_ = XXH3_64bits(parts, sizeof parts);
  }
  for (std::size_t e = 0; e < kExperiments; ++e) {
    auto& [book, parameters] = study.experiments_[e];
    for (std::size_t i = 0; i < made.policies.size(); ++i)
      book.assign(book.meter("h" + std::to_string(i)), made.policies[i]);
    if (e == 1) {
      const Parameters& usual = study.experiments_[0].parameters;
      book.add(0, holiday_secret(0, kSlotMin, usual.sensitivity_w, std::min(usual.epsilon, kEpsilonMin)));
    }
    parameters.sensitivity_w = largest_temporal_sensitivity_steps(book);
    for (MeterId meter = 0; meter < book.meter_count(); ++meter) {
      for (const Policy& policy : book.of(meter).policies()) {
        parameters.longest_pattern_slots = std::max(parameters.longest_pattern_slots, policy.length_slots);
        parameters.longest_interval_slots = std::max(parameters.longest_interval_slots, policy.interval.slots());
        parameters.epsilon = std::min(parameters.epsilon, policy.epsilon.to_double());
        parameters.mean_secret_scale_w += static_cast<double>(policy.magnitude_steps * policy.length_slots) /
                                          policy.epsilon.to_double() / static_cast<double>(book.size());
      }
    }
  }
  for (const Zone& zone : study.zones_.zones) {
    study.watts_.push_back(zone.watts());
    FUGU_ASSIGN(MovingAverage day, MovingAverage::make({.window_slots = kDaySlots}));
    double distance = 0;
    for (const double kw : zone.kw)
      if (!std::isnan(kw)) distance += std::abs(day.apply({.value = kw}).value - kw);
    study.thresholds_kw_.push_back(distance / static_cast<double>(zone.present()));
  }
  return study;
}

std::size_t ConferenceStudy::row_count() const { return kExperiments * kCount * options_.zones; }

ConferenceStudy::Cell ConferenceStudy::cell_at(std::size_t row) const {
  return {.experiment = static_cast<int>(row / (kCount * options_.zones)) + 1,
          .mechanism = row / options_.zones % kCount,
          .zone = row % options_.zones};
}

std::uint64_t ConferenceStudy::window_of(const Cell& cell) const {
  const Parameters& about = parameters(cell.experiment);
  switch (cell.mechanism) {
    case kUniform:
    case kUniformDelta:
    case kRescue: return about.longest_pattern_slots;
    case kUniformSound:
    case kRescueSound: return about.longest_interval_slots;
    case kUser:
    case kUserDelta: return slots();
    default: return 0;
  }
}

/// Each household alone under Theorem 9, the mean of their scales: what somebody would see who protects one household
/// at a time.
std::vector<double> ConferenceStudy::one_household_alone(const Experiment& experiment) const {
  std::vector<double> scales(slots(), 0.0);
  for (MeterId meter = 0; meter < experiment.book.meter_count(); ++meter) {
    PolicyBook alone;
    const auto policies = experiment.book.of(meter).policies();
    alone.assign(alone.meter("household"), {policies.begin(), policies.end()});
    const auto planner = make_conference_theorem_9();
    const std::vector<double> rates = planned_rates(*planner, alone, {.slots = {0, static_cast<Slot>(slots()) - 1}});
    for (std::size_t t = 0; t < scales.size(); ++t)
      scales[t] += 1 / rates[t] / static_cast<double>(experiment.book.meter_count());
  }
  std::vector<double> rates;
  for (const double scale : scales) rates.push_back(1 / scale);
  return rates;
}

/// Rates as planners have them: per step of a Laplace answer, or ρ per squared step of a Gaussian one.
Result<std::vector<double>> ConferenceStudy::planned(const Cell& cell, NoiseKind& kind) const {
  const Experiment& experiment = experiments_[static_cast<std::size_t>(cell.experiment - 1)];
  const Parameters& about = experiment.parameters;
  const auto sensitivity = static_cast<double>(about.sensitivity_w);
  const auto constant = [&](double scale) { return std::vector<double>(slots(), 1 / scale); };
  const auto w = static_cast<double>(window_of(cell));
  switch (cell.mechanism) {
    case kAlone: return one_household_alone(experiment);
    case kUniform:
    case kUniformSound: return constant(sensitivity * w / about.epsilon);
    case kUniformDelta: return constant(theorem_10_scale(sensitivity, w, about.epsilon, kConferenceDelta));
    case kUser: return constant(kUserLevelWatts * w / about.epsilon);
    case kUserDelta: return constant(theorem_10_scale(kUserLevelWatts, w, about.epsilon, kConferenceDelta));
    default: break;
  }
  const std::string_view name = cell.mechanism == kSwellfish  ? "conference-9"
                                : cell.mechanism == kRepaired ? "conference-repaired"
                                : cell.mechanism == kUnicorn  ? "unicorn-ps"
                                                              : "narwhal";
  const Delta delta = delta_of(kMechanisms[cell.mechanism]);
  const PlannerOptions options{.sensitivity_steps = about.sensitivity_w, .delta = delta};
  const OutlookOptions outlook{.slots = {0, static_cast<Slot>(slots()) - 1}, .delta = delta};
  if (cell.mechanism == kSwellfishDelta || cell.mechanism == kSwellfishDeltaArgued) {
    const auto planner = make_conference_theorem_11(
        options, cell.mechanism == kSwellfishDelta ? Theorem11::as_printed : Theorem11::as_argued);
    return planned_rates(*planner, experiment.book, outlook);
  }
  FUGU_ASSIGN(const ComparedOutlook strategy, make_compared_outlook(name, options));
  kind = noise_for(delta);
  return planned_rates(*strategy.planner, experiment.book, outlook);
}

Result<ConferenceStudy::NoisePlan> ConferenceStudy::plan(const Cell& cell) const {
  NoisePlan made;
  FUGU_ASSIGN(made.rates, planned(cell, made.kind));
  for (const double rate : made.rates) {
    FUGU_CHECK(rate > 0);  // none of these repeats a release
    made.laws.push_back(law_of(rate, made.kind));
    made.mean_scale_kw += scale_at(rate, made.kind) / kWattsPerKw / static_cast<double>(slots());
  }
  made.kept = cell.mechanism == kAlone
                  ? SecretsKept{{Verdict::Kind::no_data, kNone}, kNone, kNone, kNone, kNone, kNone, kNone}
                  : secrets_kept(book(cell.experiment), made.rates, made.kind, delta_of(kMechanisms[cell.mechanism]));
  return made;
}

std::uint64_t ConferenceStudy::seed_of(const Cell& cell) const {
  std::string content(kMechanisms[cell.mechanism].name);
  content.append("|").append(std::to_string(cell.experiment));
  content.append("|").append(std::to_string(zones_.zones[cell.zone].digest()));
  return XXH3_64bits_withSeed(content.data(), content.size(), options_.seed);
}

/// Sums up errors, run by run.
class ConferenceStudy::Errors {
 public:
  explicit Errors(const std::vector<double>& truth_kw) : truth_kw_(truth_kw) {}

  void begin_run() {
    relative_ = absolute_ = 0;
    present_ = positive_ = 0;
  }
  /// Not for slots in which the truth is missing. Where it is zero there is no relative error (the data have such).
  void add(std::size_t slot, double released_kw) {
    const double error = std::abs(released_kw - truth_kw_[slot]);
    absolute_ += error;
    ++present_;
    if (truth_kw_[slot] == 0) return;
    const double relative = error / truth_kw_[slot];
    relative_ += relative;
    ++positive_;
    const std::size_t week = slot / kWeekSlots;
    if (week >= ConferenceRow::kWeeks) return;
    weeks_[week] += relative;
    ++week_count_[week];
  }
  void end_run() {
    mre_.push_back(relative_ / static_cast<double>(positive_));
    mae_.push_back(absolute_ / static_cast<double>(present_));
  }
  void fill(ConferenceRow& row) const {
    std::tie(row.mre, row.mre_sd) = mean_and_deviation(mre_);
    row.mae_kw = mean_and_deviation(mae_).first;
    for (std::size_t week = 0; week < ConferenceRow::kWeeks; ++week)
      row.weeks[week] = weeks_[week] / static_cast<double>(week_count_[week]);  // NaN for none
  }

 private:
  const std::vector<double>& truth_kw_;
  double relative_ = 0;
  double absolute_ = 0;
  std::size_t present_ = 0;
  std::size_t positive_ = 0;  // of these
  std::array<double, ConferenceRow::kWeeks> weeks_ = {};
  std::array<std::size_t, ConferenceRow::kWeeks> week_count_ = {};
  std::vector<double> mre_;
  std::vector<double> mae_;
};

void ConferenceStudy::add_noise(const Cell& cell, const NoisePlan& plan, bool filtered, Errors& errors) const {
  const std::vector<double>& truth = zones_.zones[cell.zone].kw;
  const std::uint64_t seed = seed_of(cell);
  for (std::uint64_t run = 0; run < options_.runs; ++run) {
    SimulationNoise noise(seed, run);
    auto day = MovingAverage::make({.window_slots = kDaySlots});
    errors.begin_run();
    for (std::size_t t = 0; t < truth.size(); ++t) {
      if (std::isnan(truth[t])) continue;
      const std::int64_t steps = std::isinf(plan.rates[t])         ? 0
                                 : plan.kind == NoiseKind::laplace ? noise.laplace(plan.laws[t])
                                                                   : noise.gaussian(plan.laws[t]);
      const double released = std::max(0.0, truth[t] + static_cast<double>(steps) / kWattsPerKw);
      errors.add(t, filtered ? day->apply({.value = released}).value : released);
    }
    errors.end_run();
  }
}

/// `rates` are those of the first run.
Result<void> ConferenceStudy::run_rescuedp(const Cell& cell, Errors& errors, std::vector<double>& rates) const {
  const Parameters& about = parameters(cell.experiment);
  FUGU_ASSIGN(const Epsilon epsilon, Epsilon::make(about.epsilon));
  for (std::uint64_t run = 0; run < options_.runs; ++run) {
    FUGU_ASSIGN(Definition definition,
                Definition::make({.protects = Protects::w_event, .epsilon = epsilon, .window_slots = window_of(cell)}));
    FUGU_ASSIGN(Exposure exposure,
                Exposure::make({.sensitivity_steps = {about.sensitivity_w}, .signatures = Exposure::all_shared(1)}));
    FUGU_ASSIGN(auto strategy, make_strategy("rescuedp", {.window_slots = window_of(cell)}));
    Simulation simulation({std::move(definition), std::move(exposure), NoiseKind::laplace, std::move(strategy)},
                          std::make_unique<SimulationNoise>(seed_of(cell), run));
    SlotRow row{.values = {Raw()}};
    errors.begin_run();
    for (std::size_t t = 0; t < slots(); ++t) {
      row.slot = static_cast<Slot>(t);
      row.values[0] = raw_of(watts_[cell.zone][t]);
      FUGU_ASSIGN(const Release* release, simulation.step(row));
      const ReleasedValue& value = release->values()[0];
      if (run == 0) rates.push_back(release->loss_rates()[0]);
      if (row.values[0].missing()) continue;
      errors.add(t, value.known ? static_cast<double>(value.value.steps) / kWattsPerKw : 0);
    }
    errors.end_run();
  }
  return {};
}

Result<ConferenceStudy::Computed> ConferenceStudy::compute(const Cell& cell, const NoisePlan& plan) const {
  const double start_s = thread_seconds();
  Computed computed;
  computed.row = {.experiment = cell.experiment,
                  .mechanism = cell.mechanism,
                  .zone = cell.zone,
                  .runs = options_.runs,
                  .mean_scale_kw = plan.mean_scale_kw,
                  .w_slots = window_of(cell),
                  .kept = plan.kept};
  ConferenceRow& row = computed.row;
  Errors errors(zones_.zones[cell.zone].kw);
  if (kMechanisms[cell.mechanism].filtered_by_itself) {
    std::vector<double> rates;
    FUGU_TRY(run_rescuedp(cell, errors, rates));
    computed.seconds = thread_seconds() - start_s;
    row.mean_scale_kw = kNone;
    row.kept = secrets_kept(book(cell.experiment), rates, NoiseKind::laplace, delta_of(kMechanisms[cell.mechanism]));
  } else {
    row.filtered = plan.mean_scale_kw > thresholds_kw_[cell.zone];
    add_noise(cell, plan, row.filtered, errors);
    computed.seconds = thread_seconds() - start_s;
  }
  errors.fill(row);
  return computed;
}

std::string ConferenceStudy::key_of(const Cell& cell) const {
  std::string key = std::to_string(cell.experiment);
  key.append(",").append(kMechanisms[cell.mechanism].name);
  return key.append(",").append(zones_.zones[cell.zone].name);
}

std::string ConferenceStudy::row_text(const ConferenceRow& row) const {
  std::string text = key_of({row.experiment, row.mechanism, row.zone});
  text.append(",").append(std::to_string(row.runs));
  for (const double value : {row.mre, row.mre_sd, row.mae_kw}) text.append(",").append(result_number(value));
  text.append(",").append(row.filtered ? "1" : "0").append(",").append(result_number(row.mean_scale_kw));
  text.append(",").append(std::to_string(row.w_slots)).append(",").append(name_of(row.kept.verdict.kind));
  const SecretsKept& kept = row.kept;
  for (const double value : {kept.verdict.worst_share, kept.auc, kept.belief, kept.belief_permitted, kept.together_auc,
                             kept.together_belief, kept.together_permitted})
    text.append(",").append(result_number(value));
  for (const double week : row.weeks) text.append(",").append(result_number(week));
  return text;
}

std::optional<ConferenceRow> ConferenceStudy::parse_row(std::string_view text) {
  const std::vector<std::string_view> cells = csv::split(text);
  if (cells.size() != csv::split(header()).size() || !cells[2].starts_with("zone")) return std::nullopt;
  const auto mechanism = std::ranges::find(kMechanisms, cells[1], &ConferenceMechanism::name);
  if (mechanism == std::end(kMechanisms)) return std::nullopt;
  ConferenceRow row;
  row.mechanism = static_cast<std::size_t>(mechanism - std::begin(kMechanisms));
  double experiment = 0, zone = 0, runs = 0, filtered = 0, w = 0;
  SecretsKept& kept = row.kept;
  std::vector<std::pair<std::size_t, double*>> numbers = {{0, &experiment},
                                                          {3, &runs},
                                                          {4, &row.mre},
                                                          {5, &row.mre_sd},
                                                          {6, &row.mae_kw},
                                                          {7, &filtered},
                                                          {8, &row.mean_scale_kw},
                                                          {9, &w},
                                                          {11, &kept.verdict.worst_share},
                                                          {12, &kept.auc},
                                                          {13, &kept.belief},
                                                          {14, &kept.belief_permitted},
                                                          {15, &kept.together_auc},
                                                          {16, &kept.together_belief},
                                                          {17, &kept.together_permitted}};
  for (std::size_t week = 0; week < ConferenceRow::kWeeks; ++week) numbers.emplace_back(18 + week, &row.weeks[week]);
  bool good = parse_result_number(cells[2].substr(4), zone) && zone >= 1;
  for (const auto& [at, number] : numbers) good = parse_result_number(cells[at], *number) && good;
  if (!good || (experiment != 1 && experiment != 2)) return std::nullopt;
  row.experiment = static_cast<int>(experiment);
  row.zone = static_cast<std::size_t>(zone) - 1;
  row.runs = static_cast<std::uint64_t>(runs);
  row.filtered = filtered != 0;
  row.w_slots = static_cast<std::uint64_t>(w);
  for (const auto kind : {Verdict::Kind::holds, Verdict::Kind::breaks, Verdict::Kind::no_data}) {
    if (name_of(kind) != cells[10]) continue;
    kept.verdict.kind = kind;
    return row;
  }
  return std::nullopt;
}

Result<ResultFile> ConferenceStudy::open(const std::string& folder, bool restart) const {
  std::vector<ResultFact> facts = {{"study", "\"swellfish-2020\""},
                                   {"format", std::to_string(kFormat)},
                                   {"fugu", "\"" FUGU_VERSION "\""},
                                   {"seed", std::to_string(options_.seed)},
                                   {"runs", std::to_string(options_.runs)},
                                   {"slots", std::to_string(slots())},
                                   {"households", std::to_string(options_.households)},
                                   {"zones", std::to_string(options_.zones)},
                                   {"policies", std::to_string(book(1).size())}};
  for (const Zone& zone : zones_.zones)
    facts.push_back(digest_fact(zone.name, zone.digest(), "other values in " + zone.name));
  facts.push_back(digest_fact("households_policies", policies_digest_, "other policies of the households"));
  std::vector<std::string> keys;
  for (std::size_t row = 0; row < row_count(); ++row) keys.push_back(key_of(cell_at(row)));
  return ResultFile::open({.folder = folder,
                           .header = header(),
                           .keys = std::move(keys),
                           .facts = std::move(facts),
                           .timings_header = std::string(kTimingsHeader),
                           .readable = [](auto row) { return parse_row(row).has_value(); },
                           .restart = restart});
}

Result<void> ConferenceStudy::run(ResultFile& file,
                                  const std::function<void(std::size_t, std::size_t)>& progress) const {
  const std::size_t done = file.rows().size();
  // A plan serves all zones; of those whose rows are there, none is needed.
  std::vector<NoisePlan> plans(kExperiments * kCount);
  const auto make_plan = [&](std::size_t index) -> Result<NoisePlan> {
    const Cell cell = cell_at(index * options_.zones);
    if (kMechanisms[cell.mechanism].filtered_by_itself) return NoisePlan{};
    return plan(cell);
  };
  FUGU_TRY(run_in_order<NoisePlan>({.threads = options_.threads,
                                    .from = done / options_.zones,
                                    .progress = [&](std::size_t, std::size_t) { progress(done, row_count()); }},
                                   plans.size(), make_plan, [&](std::size_t index, NoisePlan made) -> Result<void> {
                                     plans[index] = std::move(made);
                                     return {};
                                   }));
  const auto take = [&](std::size_t index, const Computed& computed) -> Result<void> {
    const ConferenceRow& row = computed.row;
    const double mechanism_slots = static_cast<double>(slots() * row.runs);
    std::string timing = key_of(cell_at(index));
    timing.append(",").append(result_number(mechanism_slots)).append(",").append(result_number(computed.seconds));
    timing.append(",").append(result_number(computed.seconds / mechanism_slots * 1e9));
    return file.add(row_text(row), timing);
  };
  return run_in_order<Computed>(
      {.threads = options_.threads, .from = done, .progress = progress}, row_count(),
      [&](std::size_t i) { return compute(cell_at(i), plans[i / options_.zones]); }, take);
}

}  // namespace fugu
