#include "fugu/study/swellfish_thesis.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "fugu/attack/attack.hpp"
#include "fugu/comparison/catalogue.hpp"
#include "fugu/comparison/conference_planners.hpp"
#include "fugu/simulate/simulation.hpp"
#include "fugu/strategy/outlook.hpp"
#include "fugu/stream/csv.hpp"
#include "fugu/study/adaptive_runs.hpp"
#include "fugu/study/ordered_tasks.hpp"
#include "run_statistics.hpp"

namespace fugu {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::string_view kHeader =
    "household,zone,mechanism,epsilon,method,runs,mae_kw,mre,mre_sd,sampled_share,verdict,worst_share,w,zone_mean_kw,"
    "alone_auc,together_auc";
constexpr std::string_view kTimingsHeader = "household,zone,mechanism,epsilon,method,runs,slots,seconds,ns_per_slot";
constexpr std::array kMethods = {ThesisMethod::closed_form, ThesisMethod::fast_run, ThesisMethod::simulation};
constexpr int kFormat = 3;
constexpr double kWattsPerKw = 1000;

constexpr ThesisMechanism kMechanisms[] = {
    {"Uniform", "uniform", ThesisMethod::closed_form, true},
    {"TeSUniform", "tes-uniform", ThesisMethod::closed_form, true},
    {"TeNATUniform", "tenat-uniform", ThesisMethod::closed_form, true},
    {"Sample", "sample", ThesisMethod::closed_form, true},
    {"TeSSample", "tes-sample", ThesisMethod::closed_form, true},
    {"TeSSample-idle", "tes-sample-idle", ThesisMethod::closed_form, true},
    {"TeNATSample", "tenat-sample", ThesisMethod::closed_form, true},
    {"BD", "bd", ThesisMethod::fast_run, true},
    {"TeSBD", "tes-bd", ThesisMethod::fast_run, true},
    {"TeSBD-idle", "tes-bd-idle", ThesisMethod::fast_run, true},
    {"BA", "ba", ThesisMethod::fast_run, true},
    {"TeSBA", "tes-ba", ThesisMethod::fast_run, true},
    {"TeSBA-idle", "tes-ba-idle", ThesisMethod::fast_run, true},
    {"RescueDP", "rescuedp", ThesisMethod::simulation, false},
    {"UnicornIS", "unicorn-is", ThesisMethod::closed_form, true},
    {"UnicornPS", "unicorn-ps", ThesisMethod::closed_form, true},
    {"Unicorn", "unicorn", ThesisMethod::fast_run, true},
    {"Unicorn*", "unicorn-star", ThesisMethod::fast_run, false},
    {"Narwhal", "narwhal", ThesisMethod::closed_form, true},
};

bool serves_policies(const ThesisMechanism& mechanism) {
  return find_in_catalogue(mechanism.strategy)->serves != Serves::windows;
}

}  // namespace

std::string_view name_of(ThesisMethod method) {
  switch (method) {
    case ThesisMethod::closed_form: return "closed form";
    case ThesisMethod::fast_run: return "run";
    case ThesisMethod::simulation: break;
  }
  return "simulation";
}

std::span<const ThesisMechanism> thesis_mechanisms() { return kMechanisms; }

Result<ThesisStudy> ThesisStudy::make(const ThesisOptions& options) {
  if (options.zones < 1 || options.zones > kZones) return Error{Cause::usage, "--zones: expected 1 to 20"};
  if (options.households < 1) return Error{Cause::usage, "--households: expected at least 1"};
  if (options.runs < 1 || options.epsilon_runs < 1 || options.check_runs < 1)
    return Error{Cause::usage, "runs: expected at least 1"};
  ThesisStudy study;
  study.options_ = options;
  study.options_.epsilon_runs = std::min(options.epsilon_runs, options.runs);
  study.options_.check_runs = std::min(options.check_runs, options.runs);
  FUGU_ASSIGN(study.zones_, make_zones({.data_folder = options.data_folder,
                                        .days = options.days,
                                        .seed = options.seed,
                                        .threads = options.threads}));
  study.zones_.zones.resize(options.zones);
  const auto slots_per_day = 24 * 60 / study.zones_.slot_min;
  FUGU_ASSIGN(study.collections_,
              !options.policies_folder.empty()
                  ? read_collections(options.policies_folder, options.households, study.slots(), options.beyond)
                  : simulate_collections({.households = options.households,
                                          .days = static_cast<std::int64_t>(study.slots()) / slots_per_day,
                                          .interval = options.interval,
                                          .beyond = options.beyond,
                                          .seed = options.seed,
                                          .threads = options.threads}));
  study.options_.households = study.collections_.policies.size();
  study.prepare_zones();
  study.list_tasks();
  return study;
}

void ThesisStudy::prepare_zones() {
  for (const Zone& zone : zones_.zones) {
    watts_.push_back(zone.watts());
    present_.push_back(zone.present());
    // As in the thesis there is no sanity bound, so a slot whose true value is zero has no relative error: a bound of
    // 1 kW would let five such slots in 158,000 decide about a zone.
    const auto count = static_cast<double>(zone.present() - zone.zeros());
    std::vector<double>& weights = relative_weights_.emplace_back();
    for (const double kw : zone.kw) weights.push_back(kw > 0 ? 1 / (kw * count) : 0);
  }
}

void ThesisStudy::list_tasks() {
  const auto add = [&](Task task) {
    task.first_row = row_count_;
    row_count_ += task.rows;
    tasks_.push_back(task);
  };
  for (std::size_t household = 0; household < options_.households; ++household) {
    for (std::size_t m = 0; m < std::size(kMechanisms); ++m) {
      const ThesisMethod method = kMechanisms[m].method;
      const Task usual{.mechanism = m, .household = household, .method = method, .epsilon = kThesisEpsilon};
      if (method == ThesisMethod::closed_form) {
        Task task = usual;
        task.rows = kThesisEpsilons.size() * options_.zones;
        add(task);
      }
      for (const double epsilon : kThesisEpsilons) {
        if (method == ThesisMethod::closed_form || (epsilon != kThesisEpsilon && !kMechanisms[m].all_epsilons))
          continue;
        Task task = usual;
        task.epsilon = epsilon;
        task.runs = epsilon == kThesisEpsilon ? options_.runs : options_.epsilon_runs;
        task.rows = method == ThesisMethod::fast_run ? options_.zones : 1;
        for (task.zone = 0; task.zone < options_.zones; task.zone += task.rows) add(task);
      }
      if (method == ThesisMethod::simulation) continue;
      Task check = usual;  // in one zone of each household, another one for the next
      check.method = ThesisMethod::simulation;
      check.zone = checked_zone(household);
      check.runs = options_.check_runs;
      add(check);
    }
  }
}

std::uint64_t ThesisStudy::seed_of(const Task& task, std::size_t zone) const {
  std::string content(kMechanisms[task.mechanism].strategy);
  content.append("|").append(result_number(task.epsilon));
  content.append("|").append(std::to_string(collections_.digest(task.household)));
  content.append("|").append(std::to_string(zones_.zones[zone].digest()));
  return XXH3_64bits_withSeed(content.data(), content.size(), options_.seed);
}

Result<Mechanism> ThesisStudy::mechanism_of(const Task& task) const {
  const ThesisMechanism& mechanism = kMechanisms[task.mechanism];
  const bool policies = serves_policies(mechanism);
  const std::uint64_t w = collections_.longest_interval_slots(task.household);
  FUGU_ASSIGN(const Epsilon epsilon, Epsilon::make(task.epsilon));
  FUGU_ASSIGN(Definition definition,
              policies ? Definition::make({.protects = Protects::swellfish,
                                           .epsilon = PromisedEpsilon::of_each_policy(),
                                           .exact_when_idle = true})
                       : Definition::make({.protects = Protects::w_event, .epsilon = epsilon, .window_slots = w}));
  FUGU_ASSIGN(Exposure exposure, Exposure::make({.sensitivity_steps = {collections_.sensitivity_w},
                                                 .signatures = Exposure::all_shared(1)}));
  FUGU_ASSIGN(auto strategy, make_from_catalogue(mechanism.strategy, {.policies = policies, .window_slots = w},
                                                 {.unit_steps = kWattsPerKw}));
  Mechanism made{std::move(definition), std::move(exposure), NoiseKind::laplace, std::move(strategy)};
  if (policies)
    made.policies = std::make_unique<CollectionFeed>(collections_.policies[task.household],
                                                     Budget::round_down(task.epsilon), "household");
  return made;
}

ThesisStudy::Errors ThesisStudy::expected_errors(std::size_t zone, std::span<const double> rates,
                                                 double epsilon) const {
  const std::vector<double>& truth = zones_.zones[zone].kw;
  const std::vector<double>& weights = relative_weights_[zone];
  double shown = 0;  // the truth of the slot whose release is shown; 0 before the first, as a consumer reads it
  double scale_kw = 0;
  double absolute = 0;
  double relative = 0;
  std::size_t sampled = 0;
  for (std::size_t t = 0; t < truth.size(); ++t) {
    if (std::isnan(truth[t])) continue;
    double error = 0;
    if (rates[t] > 0) {
      shown = truth[t];
      scale_kw = std::isinf(rates[t]) ? 0 : 1 / (rates[t] * epsilon * kWattsPerKw);
      error = scale_kw;
      ++sampled;
    } else {
      const double moved = std::abs(truth[t] - shown);
      error = scale_kw > 0 ? moved + scale_kw * std::exp(-moved / scale_kw) : moved;
    }
    absolute += error;
    relative += error * weights[t];
  }
  const auto count = static_cast<double>(present_[zone]);
  return {absolute / count, relative, static_cast<double>(sampled) / static_cast<double>(truth.size())};
}

Result<std::vector<ThesisRow>> ThesisStudy::plan(const Task& task) const {
  const ThesisMechanism& mechanism = kMechanisms[task.mechanism];
  FUGU_ASSIGN(const OutlookStrategy strategy,
              make_compared_outlook(mechanism.strategy, {.sensitivity_steps = collections_.sensitivity_w}));
  // Every rule is linear in ε when all policies have the same: one plan serves all.
  const PolicyBook book = collections_.book(task.household, Budget::round_down(kThesisEpsilon));
  const std::vector<double> rates =
      planned_rates(*strategy.planner, book, {.slots = {0, static_cast<Slot>(slots()) - 1}});
  ThesisRow judged{.mechanism = task.mechanism,
                   .epsilon = kThesisEpsilon,
                   .household = task.household,
                   .zone = checked_zone(task.household)};
  judge(book, rates, judged);
  std::vector<ThesisRow> rows;
  for (std::size_t i = 0; i < task.rows; ++i) {
    ThesisRow row = row_of(task, i);
    const Errors errors = expected_errors(row.zone, rates, row.epsilon);
    row = with_errors(row, {&errors, 1});
    row.verdict = judged.verdict;
    if (row.epsilon == judged.epsilon && row.zone == judged.zone) row.attack = judged.attack;
    rows.push_back(row);
  }
  return rows;
}

ThesisStudy::Errors ThesisStudy::measured_errors(std::size_t zone, std::span<const std::int64_t> released_w,
                                                 std::size_t sampled) const {
  const std::vector<std::int64_t>& truth = watts_[zone];
  const std::vector<double>& weights = relative_weights_[zone];
  double absolute = 0;
  double relative = 0;
  for (std::size_t t = 0; t < truth.size(); ++t) {
    if (truth[t] == kMissingSteps) continue;
    const auto error = static_cast<double>(std::abs(released_w[t] - truth[t]));
    absolute += error;
    relative += error * weights[t];
  }
  const auto count = static_cast<double>(present_[zone]);
  return {absolute / kWattsPerKw / count, relative / kWattsPerKw,
          static_cast<double>(sampled) / static_cast<double>(truth.size())};
}

Result<ThesisStudy::Errors> ThesisStudy::simulate_once(const Task& task, std::uint64_t run,
                                                       std::vector<double>* rates) const {
  FUGU_ASSIGN(Mechanism mechanism, mechanism_of(task));
  const bool enforced = !find_in_catalogue(kMechanisms[task.mechanism].strategy)->comparison_only;
  Simulation simulation(std::move(mechanism), std::make_unique<SimulationNoise>(seed_of(task, task.zone), run),
                        enforced);
  const std::vector<std::int64_t>& watts = watts_[task.zone];
  std::vector<std::int64_t> released;
  released.reserve(watts.size());
  SlotRow row{.values = {Raw()}};
  std::size_t sampled = 0;
  for (std::size_t t = 0; t < watts.size(); ++t) {
    row.slot = static_cast<Slot>(t);
    row.values[0] = raw_of(watts[t]);
    FUGU_ASSIGN(const Release* release, simulation.step(row));
    const ReleasedValue& value = release->values()[0];
    if (rates != nullptr) rates->push_back(release->loss_rates()[0]);
    sampled += value.sampled ? 1 : 0;
    released.push_back(value.known ? value.value.steps : 0);
  }
  return measured_errors(task.zone, released, sampled);
}

void ThesisStudy::judge(const PolicyBook& book, std::span<const double> rates, ThesisRow& row) const {
  const Interval all{0, static_cast<Slot>(rates.size()) - 1};
  const BookUse use = check_rates(book, all, rates, Delta::zero());
  row.verdict.worst_share = use.worst ? use.worst->use : 0;
  const bool leaks = find_in_catalogue(kMechanisms[row.mechanism].strategy)->leaks;
  row.verdict.kind = leaks                                    ? Verdict::Kind::leaks
                     : keeps_promise(row.verdict.worst_share) ? Verdict::Kind::holds
                                                              : Verdict::Kind::breaks;
  if (!use.worst || row.epsilon != kThesisEpsilon || row.zone != checked_zone(row.household)) return;
  const SlotNoise noise = SlotNoise::from_rates(all, NoiseKind::laplace, rates);
  const PolicyAttack attack = attack_policy(book.of(use.worst->meter), use.worst->policy, noise);
  row.attack = {attack.alone.auc, attack.together.auc};
}

ThesisRow ThesisStudy::row_of(const Task& task, std::size_t i) const {
  return {.mechanism = task.mechanism,
          .epsilon = task.method == ThesisMethod::closed_form ? kThesisEpsilons[i / options_.zones] : task.epsilon,
          .household = task.household,
          .zone = task.zone + i % options_.zones,
          .method = task.method,
          .runs = task.runs};
}

ThesisRow ThesisStudy::with_errors(ThesisRow row, std::span<const Errors> runs) {
  const auto count = static_cast<double>(runs.size());
  Errors mean;
  for (const Errors& errors : runs) {
    mean.mae_kw += errors.mae_kw / count;
    mean.mre += errors.mre / count;
    mean.sampled_share += errors.sampled_share / count;
  }
  double squares = 0;
  for (const Errors& errors : runs) squares += (errors.mre - mean.mre) * (errors.mre - mean.mre);
  row.mae_kw = mean.mae_kw;
  row.mre = mean.mre;
  row.mre_sd = runs.size() < 2 ? kNone : std::sqrt(squares / (count - 1));
  row.sampled_share = mean.sampled_share;
  return row;
}

Result<std::vector<ThesisRow>> ThesisStudy::simulate(const Task& task) const {
  std::vector<Errors> runs;
  std::vector<double> rates;
  for (std::uint64_t run = 0; run < task.runs; ++run) {
    FUGU_ASSIGN(const Errors errors, simulate_once(task, run, run == 0 ? &rates : nullptr));
    runs.push_back(errors);
  }
  const PolicyBook book = collections_.book(task.household, Budget::round_down(task.epsilon));
  std::vector rows{with_errors(row_of(task, 0), runs)};
  judge(book, rates, rows.back());
  return rows;
}

Result<std::vector<ThesisRow>> ThesisStudy::run_fast(const Task& task) const {
  const PolicyBook book = collections_.book(task.household, Budget::round_down(task.epsilon));
  const HouseholdTimeline timeline(book.of(0), slots());
  std::vector<ThesisRow> rows;
  std::vector<std::int64_t> released;
  std::vector<double> rates;
  std::vector<Errors> runs;
  for (std::size_t zone = 0; zone < options_.zones; ++zone) {
    AdaptiveRun run{.strategy = kMechanisms[task.mechanism].strategy,
                    .epsilon = task.epsilon,
                    .sensitivity_steps = collections_.sensitivity_w,
                    .seed = seed_of(task, zone)};
    runs.clear();
    for (run.run = 0; run.run < task.runs; ++run.run) {
      const std::size_t sampled = run_adaptive(timeline, run, watts_[zone], released, run.run == 0 ? &rates : nullptr);
      runs.push_back(measured_errors(zone, released, sampled));
    }
    rows.push_back(with_errors(row_of(task, zone), runs));
    judge(book, rates, rows.back());
  }
  return rows;
}

Result<ThesisStudy::Computed> ThesisStudy::compute(const Task& task) const {
  const double start_s = thread_seconds();
  Computed computed;
  FUGU_ASSIGN(computed.rows, task.method == ThesisMethod::closed_form ? plan(task)
                             : task.method == ThesisMethod::fast_run  ? run_fast(task)
                                                                      : simulate(task));
  computed.seconds = thread_seconds() - start_s;
  return computed;
}

std::string ThesisStudy::key_text(const ThesisRow& row) const {
  std::string text = "h" + std::to_string(row.household);
  text.append(",zone").append(std::to_string(row.zone + 1));
  text.append(",").append(kMechanisms[row.mechanism].name).append(",").append(result_number(row.epsilon));
  return text.append(",").append(name_of(row.method)).append(",").append(std::to_string(row.runs));
}

std::string ThesisStudy::row_text(const ThesisRow& row) const {
  std::string text = key_text(row);
  for (const double value : {row.mae_kw, row.mre, row.mre_sd, row.sampled_share})
    text.append(",").append(result_number(value));
  text.append(",").append(name_of(row.verdict.kind)).append(",").append(result_number(row.verdict.worst_share));
  text.append(",").append(std::to_string(collections_.longest_interval_slots(row.household)));
  for (const double value : {zones_.zones[row.zone].mean_kw(), row.attack.alone_auc, row.attack.together_auc})
    text.append(",").append(result_number(value));
  return text;
}

std::optional<ThesisRow> ThesisStudy::parse_row(std::string_view text) {
  const std::vector<std::string_view> cells = csv::split(text);
  if (cells.size() != csv::split(kHeader).size() || !cells[0].starts_with("h") || !cells[1].starts_with("zone"))
    return std::nullopt;
  ThesisRow row;
  const auto mechanism = std::ranges::find(kMechanisms, cells[2], &ThesisMechanism::name);
  if (mechanism == std::end(kMechanisms)) return std::nullopt;
  row.mechanism = static_cast<std::size_t>(mechanism - std::begin(kMechanisms));
  double household = 0, zone = 0, runs = 0;
  bool good = parse_result_number(cells[0].substr(1), household) && parse_result_number(cells[1].substr(4), zone) &&
              parse_result_number(cells[5], runs) && household >= 0 && zone >= 1 && runs >= 0;
  const auto method = std::ranges::find(kMethods, cells[4], [](ThesisMethod each) { return name_of(each); });
  if (method == kMethods.end()) return std::nullopt;
  row.method = *method;
  std::size_t at = 6;
  for (double* value : {&row.mae_kw, &row.mre, &row.mre_sd, &row.sampled_share})
    good = parse_result_number(cells[at++], *value) && good;
  good = parse_result_number(cells[3], row.epsilon) && parse_result_number(cells[11], row.verdict.worst_share) &&
         parse_result_number(cells[14], row.attack.alone_auc) &&
         parse_result_number(cells[15], row.attack.together_auc) && good;
  if (!good) return std::nullopt;
  row.household = static_cast<std::size_t>(household);
  row.zone = static_cast<std::size_t>(zone) - 1;
  row.runs = static_cast<std::uint64_t>(runs);
  for (const auto kind : {Verdict::Kind::holds, Verdict::Kind::breaks, Verdict::Kind::leaks}) {
    if (name_of(kind) != cells[10]) continue;
    row.verdict.kind = kind;
    return row;
  }
  return std::nullopt;
}

Result<ResultFile> ThesisStudy::open(const std::string& folder, bool restart) const {
  std::vector<ResultFact> facts = {{"study", "\"swellfish-thesis\""},
                                   {"format", std::to_string(kFormat)},
                                   {"fugu", "\"" FUGU_VERSION "\""},
                                   {"seed", std::to_string(options_.seed)},
                                   {"runs", std::to_string(options_.runs)},
                                   {"epsilon_runs", std::to_string(options_.epsilon_runs)},
                                   {"check_runs", std::to_string(options_.check_runs)},
                                   {"slots", std::to_string(slots())},
                                   {"households", std::to_string(options_.households)},
                                   {"zones", std::to_string(options_.zones)}};
  for (const Zone& zone : zones_.zones)
    facts.push_back(digest_fact(zone.name, zone.digest(), "other values in " + zone.name));
  for (std::size_t i = 0; i < options_.households; ++i)
    facts.push_back(digest_fact("h" + std::to_string(i), collections_.digest(i),
                                "other policies of household h" + std::to_string(i)));
  std::vector<std::string> keys;
  for (const Task& task : tasks_)
    for (std::size_t i = 0; i < task.rows; ++i) keys.push_back(key_text(row_of(task, i)));
  return ResultFile::open({.folder = folder,
                           .header = std::string(kHeader),
                           .keys = std::move(keys),
                           .facts = std::move(facts),
                           .timings_header = std::string(kTimingsHeader),
                           .readable = [](auto row) { return parse_row(row).has_value(); },
                           .restart = restart});
}

Result<void> ThesisStudy::run(ResultFile& file, const std::function<void(std::size_t, std::size_t)>& progress) const {
  const std::size_t done = file.rows().size();
  const auto first_open = std::ranges::find_if(tasks_, [&](const Task& t) { return t.first_row + t.rows > done; });
  const TaskOptions options{
      .threads = options_.threads, .from = static_cast<std::size_t>(first_open - tasks_.begin()), .progress = progress};
  const auto take = [&](std::size_t index, const Computed& computed) -> Result<void> {
    const Task& task = tasks_[index];
    // Of a task that was cut short by a kill, some rows are there.
    for (std::size_t i = file.rows().size() - task.first_row; i < computed.rows.size(); ++i) {
      const ThesisRow& row = computed.rows[i];
      const double seconds = computed.seconds / static_cast<double>(task.rows);
      const double mechanism_slots = static_cast<double>(slots() * std::max<std::uint64_t>(1, row.runs));
      std::string timing = key_text(row);
      timing.append(",").append(result_number(mechanism_slots)).append(",").append(result_number(seconds));
      timing.append(",").append(result_number(seconds / mechanism_slots * 1e9));
      FUGU_TRY(file.add(row_text(row), timing));
    }
    return {};
  };
  return run_in_order<Computed>(options, tasks_.size(), [this](std::size_t i) { return compute(tasks_[i]); }, take);
}

std::vector<CollectionFacts> facts_of_collections(const ThesisStudy& study) {
  std::vector<CollectionFacts> all;
  const Interval slots{0, static_cast<Slot>(study.slots()) - 1};
  for (std::size_t i = 0; i < study.collections().policies.size(); ++i) {
    const PolicyBook book = study.collections().book(i, Budget::round_down(1));
    all.push_back(facts_of(book.of(0), slots, study.collections().sensitivity_w));
  }
  return all;
}

std::string collections_csv(const ThesisStudy& study, const std::vector<CollectionFacts>& facts) {
  std::string text =
      "household,policies,sensitivity_kw,longest_interval_slots,most_affected_slots,tes_effect,tenat_effect,"
      "tenat_effect_printed\n";
  for (std::size_t i = 0; i < facts.size(); ++i) {
    text.append("h").append(std::to_string(i)).append(",").append(std::to_string(facts[i].policies));
    text.append(",").append(result_number(static_cast<double>(study.collections().sensitivity_w) / kWattsPerKw));
    text.append(",").append(std::to_string(facts[i].longest_interval_slots));
    text.append(",").append(std::to_string(facts[i].most_affected_slots));
    for (const double effect : {facts[i].tes_effect, facts[i].tenat_effect, facts[i].tenat_effect_printed})
      text.append(",").append(result_number(effect));
    text.append("\n");
  }
  return text;
}

std::vector<MechanismSpeed> read_speeds(const std::string& timings_text) {
  std::map<std::pair<std::string, std::string>, MechanismSpeed> speeds;
  for (std::size_t at = 0; at < timings_text.size();) {
    const std::size_t end = std::min(timings_text.find('\n', at), timings_text.size());
    const auto cells = csv::split(std::string_view(timings_text).substr(at, end - at));
    at = end + 1;
    double slots = 0, seconds = 0;
    if (cells.size() != csv::split(kTimingsHeader).size() || !parse_result_number(cells[6], slots) ||
        !parse_result_number(cells[7], seconds))
      continue;  // the header, or half a row after a kill
    MechanismSpeed& speed = speeds[{std::string(cells[2]), std::string(cells[4])}];
    speed.mechanism = cells[2];
    speed.method = cells[4];
    speed.slots += slots;
    speed.seconds += seconds;
  }
  std::vector<MechanismSpeed> ordered;
  for (const ThesisMechanism& mechanism : kMechanisms) {
    for (const ThesisMethod method : kMethods) {
      const auto found = speeds.find({std::string(mechanism.name), std::string(name_of(method))});
      if (found != speeds.end()) ordered.push_back(found->second);
    }
  }
  return ordered;
}

}  // namespace fugu
