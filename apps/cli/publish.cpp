// fugu publish: a stream goes in, a private stream comes out.
#include <algorithm>

#include "command.hpp"
#include "definition_options.hpp"
#include "file_options.hpp"
#include "fugu/accounting/definition_kind.hpp"
#include "fugu/accounting/policy_accountant.hpp"
#include "fugu/comparison/catalogue.hpp"
#include "fugu/distributional/ledger_fit.hpp"
#include "fugu/mechanism/run.hpp"
#include "fugu/simulate/simulation.hpp"
#include "progress.hpp"
#include "run_facts.hpp"
#include "source_options.hpp"
#include "split_option.hpp"

namespace fugu::cli {

namespace {

struct PublishOptions {
  SourceOptions source;
  DefinitionOptions definition;
  std::string mechanism;
  std::optional<std::uint64_t> every;
  std::string split;
  std::string least = "mean";
  std::optional<double> true_variance;
  std::string noise = "auto";
  std::string filter;
  std::optional<double> interval;
  std::string out = "-";
  std::string ledger;
  std::string head;
  std::string key;
  std::string not_before;
  std::optional<std::uint64_t> seed;
};

constexpr const char* kExamples = R"(
Examples
  A day of quarter hours protected as a whole (w = 96), one meter changes a total by 10 kW at most:
    fugu publish --stream totals.csv --definition w-event --epsilon 1 --w 96 --sensitivity 10 \
                 --mechanism hybrid --every 4 --unit-step 0.1 --interval 0.95 --out released.csv

  Readings of single meters, clamped to 10 kW, summed into feeders, with a ledger to audit and resume:
    fugu publish --readings readings.csv.gz --series-map feeders.csv --clamp 10 --unit-step 0.001 --slot-length 15m \
                 --definition w-event --epsilon 1 --w 96 --mechanism uniform --ledger run.ledger --out released.csv

  What households want hidden, when and how well; everybody else at least event level:
    fugu publish --stream totals.csv --policies policies.csv --floor event:1 --sensitivity 10 --unit-step 0.001 \
                 --mechanism narwhal --ledger run.ledger --out released.csv      (before: fugu plan --policies …)

  Every day counts, but yesterday's losses count half, those of a week ago an eighth (1/(1 + days)):
    fugu publish --stream totals.csv --definition discounted-hyp --beta 1 --epsilon 1 --sensitivity 50 \
                 --mechanism equal --ledger run.ledger --out released.csv        (or: planned --horizon 365)

  Readings clamped to less at night, when a meter can change less. clamps.csv: time,clamp / 00:00,2 / 06:00,10
    fugu publish --readings readings.csv --series-map feeders.csv --slot-length 15m --clamp-schedule clamps.csv \
                 --unit-step 0.01 --definition discounted-exp --alpha 0.9 --epsilon 1 --mechanism equal \
                 --ledger run.ledger --out released.csv       (totals: --sensitivity-schedule; before: fugu plan)

  Habits hidden as far as they were learned, see fugu distributional --help; per-slot noise as always:
    fugu publish --readings readings.csv --series-map feeders.csv --slot-length 15m --clamp 10 --unit-step 0.01 \
                 --distributional stream.state --definition event --epsilon 1 --mechanism uniform \
                 --ledger run.ledger --out released.csv

  Active and reactive power of each customer under one budget; ranges.csv: series,clamp / *.p,0:12 / *.q,-2:6
    fugu publish --readings registers.csv --series-map customers.csv --households households.csv --slot-length 15m \
                 --clamp-by-series ranges.csv --unit-step 0.001 --definition w-event --epsilon 1 --w 96 \
                 --mechanism uniform --split '*.p=0.7,*.q=0.3' --ledger run.ledger --out released.csv

  A live stream; kill it and start the same command again, it goes on where it was:
    producer | fugu publish --stream - --slot-length 15m --follow --ledger run.ledger --out released.csv …

Habits hidden as far as they were learned (--distributional): fugu distributional --help
What each choice promises: fugu describe uniform, fugu describe w-event, fugu describe truncate
)";

/// Yields the row that was read to learn about the stream, then the rest. Slot numbers count from 0: slots before the
/// first row are missing.
class Primed final : public SlotSource {
 public:
  explicit Primed(SlotSource& rest) : rest_(rest) {}

  /// Reads the first row; false when there is none.
  Result<bool> prime() {
    FUGU_ASSIGN(held_, rest_.next(row_));
    if (held_ && row_.slot > kLateStartMax)
      return Error{Cause::bad_input, "found a first slot number beyond " + std::to_string(kLateStartMax) +
                                         "; expected slots that count from 0"};
    return held_;
  }
  const SlotRow& first() const { return row_; }

  Result<bool> next(SlotRow& row) override {
    if (!held_) return rest_.next(row);
    if (next_slot_ < row_.slot) {
      row.slot = next_slot_++;
      row.utc_offset_s = row_.utc_offset_s;
      row.values.assign(series().size(), Raw());
      return true;
    }
    held_ = false;
    row = row_;
    return true;
  }
  bool would_wait() override { return !held_ && rest_.would_wait(); }
  const std::vector<std::string>& series() const override { return rest_.series(); }

 private:
  static constexpr Slot kLateStartMax = 100'000;

  SlotSource& rest_;
  SlotRow row_;
  Slot next_slot_ = 0;
  bool held_ = false;
};

/// Says what is not kept, and notes when the first of the policies that are begins.
class PolicyNotices final : public PolicyListener {
 public:
  explicit PolicyNotices(std::string file) : file_(std::move(file)) {}

  void accepted(const PolicyEvent& event) override {
    if (!event.withdrawn) earliest_ = std::min(earliest_, event.policy.interval.first);
  }
  void refused(const PolicyEvent& event, const Error& why) override {
    warn(file_ + ":" + std::to_string(event.line) + ": " + why.message + "; the policy is not kept");
  }
  void unreadable(const Error& why) override { warn(why.message); }

  /// Later than any slot while there is none.
  Slot earliest() const { return earliest_; }

 private:
  std::string file_;
  Slot earliest_ = kPolicySlotMax + 1;
};

/// One call of `fugu publish`.
class PublishRun {
 public:
  explicit PublishRun(const PublishOptions& options)
      : options_(options), notices_(options.definition.policies.policies) {}
  Outcome run();

 private:
  Result<void> check() const;
  Result<void> open_source(const EarlierRuns* earlier);
  Result<void> vary_exposure(const RunClock& clock, bool fresh);
  Result<ShareSplit> split() const;
  Result<Mechanism> mechanism(const RunClock& clock, bool fresh);
  bool has_policies() const;
  Result<std::unique_ptr<PolicyFeed>> policies(const RunClock& clock, bool fresh) const;
  Error with_option(Error error) const;
  RunIdentity identity(const RunClock& clock) const;
  NoiseKind noise() const;

  Result<RunFiles> files() const;
  Result<std::optional<Slot>> not_before(const RunClock& clock) const;
  Outcome start(std::optional<Run> run);  ///< a simulation without one
  Outcome resume(Run run);
  Outcome simulate(Mechanism made, const RunClock& clock, SlotSource& source);
  Outcome publish(Publisher& publisher, SlotSource& source);
  void say_summary(Slot slots, Slot before) const;
  void say_household_loss() const;
  void warn_if_nothing_was_hidden(Slot slots) const;
  void warn_about_delta() const;

  const PublishOptions& options_;
  std::optional<Definition> definition_;
  std::optional<OpenSource> source_;
  std::optional<ScheduleFile> schedule_;  // of a stream's sensitivities, when they vary
  std::optional<Exposure> exposure_;
  PolicyNotices notices_;
};

Result<void> PublishRun::check() const {
  std::string wrong;
  const auto complain = [&](const std::string& what) { wrong += (wrong.empty() ? "" : "\n       ") + what; };
  if (options_.mechanism.empty())
    complain(
        "--mechanism is missing: uniform, sample, hybrid, narwhal with --policies, or equal with a discounted "
        "definition (see: fugu describe)");
  const CatalogueEntry* kind = find_in_catalogue(options_.mechanism);
  if (kind != nullptr && kind->comparison_only && !options_.seed)
    complain(options_.mechanism + " is for comparison only and runs with --seed: it " + std::string(kind->status));
  if (options_.definition.policies.policies == "-") complain("--policies must be a file: a restart reads it again");
  if (options_.seed && !options_.ledger.empty())
    complain("--seed makes noise that anybody can subtract: it is for simulation and never goes with --ledger");
  if (options_.seed && options_.source.follow)
    complain("--seed makes noise that anybody can subtract: it is for simulation and never goes with --follow");
  for (const auto& [option, value] :
       {std::pair("--head", &options_.head), {"--key", &options_.key}, {"--not-before", &options_.not_before}}) {
    if (!value->empty() && options_.ledger.empty()) complain(std::string(option) + " is about a ledger: give --ledger");
  }
  if (options_.noise == "gaussian" && options_.definition.delta == 0)
    complain("--noise gaussian keeps no pure promise: give --delta as well, or use laplace");
  if (options_.every && options_.mechanism != "hybrid" && options_.mechanism != "equal")
    complain("--every belongs to --mechanism hybrid and equal");
  if (options_.least != "mean" && options_.mechanism != "planned") complain("--least belongs to --mechanism planned");
  if (options_.definition.discounted() && options_.definition.horizon() && options_.mechanism != "planned")
    complain("--horizon belongs to --mechanism planned when the definition is discounted");
  if (options_.seed && !options_.source.distributional.empty())
    complain("--seed is for simulation, and a distributional state has secret constants: leave one of them out");
  if (!options_.definition.policies.policies.empty() && !options_.source.distributional.empty())
    complain("--distributional does not go with --policies: what meters send does not change by what a policy says");
  if (!options_.source.clamp_schedule.empty() && options_.definition.policies.given())
    complain("--clamp-schedule does not go with --policies: they say themselves what may change when. Give --clamp");
  const bool varies = !options_.definition.sensitivity_schedule.empty() || !options_.source.clamp_schedule.empty();
  if (varies && kind != nullptr && !options_.definition.policies.given() && !kind->values_only)
    complain(options_.mechanism +
             " compares slots, and knows one sensitivity only: a schedule goes with equal, planned and published, or "
             "with uniform, sample and hybrid");
  if (options_.true_variance && options_.mechanism != "rescuedp-as-published")
    complain("--true-variance belongs to --mechanism rescuedp-as-published");
  if (const auto files = check_different({{"--stream", options_.source.stream},
                                          {"--readings", options_.source.readings},
                                          {"--series-map", options_.source.series_map},
                                          {"--households", options_.source.households},
                                          {"--distributional", options_.source.distributional},
                                          {"--policies", options_.definition.policies.policies},
                                          {"--sensitivity-schedule", options_.definition.sensitivity_schedule},
                                          {"--clamp-by-series", options_.source.clamp_by_series},
                                          {"--clamp-schedule", options_.source.clamp_schedule},
                                          {"--out", options_.out},
                                          {"--ledger", options_.ledger},
                                          {"--head", options_.head},
                                          {"--key", options_.key}});
      !files)
    complain(files.error().message);
  if (wrong.empty()) return {};
  const bool keeps_no_promise = kind != nullptr && kind->comparison_only && !options_.seed;
  const bool noise_is_known = options_.seed && (!options_.ledger.empty() || options_.source.follow);
  return Error{keeps_no_promise || noise_is_known ? Cause::refused : Cause::usage, wrong};
}

NoiseKind PublishRun::noise() const {
  if (options_.noise == "auto") return options_.definition.delta > 0 ? NoiseKind::gaussian : NoiseKind::laplace;
  return options_.noise == "gaussian" ? NoiseKind::gaussian : NoiseKind::laplace;
}

Result<void> PublishRun::open_source(const EarlierRuns* earlier) {
  FUGU_ASSIGN(OpenSource opened, OpenSource::open(options_.source, earlier));
  source_.emplace(std::move(opened));
  if (const auto counting = source_->counting()) {
    if (!options_.definition.sensitivity.empty() || !options_.definition.sensitivity_schedule.empty())
      return Error{Cause::usage,
                   "--sensitivity follows from --clamp when readings are given, --sensitivity-schedule from "
                   "--clamp-schedule: leave it out"};
    if (options_.definition.budgets != "shared")
      return Error{Cause::usage, "--budgets follows from --series-map when readings are given: leave it out"};
    // A stream that goes on keeps what it began with; the map may have changed since, within that.
    FUGU_ASSIGN(Exposure exposure, earlier != nullptr ? Result<Exposure>(*earlier->exposure) : exposure_of(*counting));
    exposure_.emplace(std::move(exposure));
  } else {
    FUGU_ASSIGN(schedule_, options_.definition.read_schedule(source_->series()));
    FUGU_ASSIGN(Exposure exposure,
                options_.definition.exposure_of_stream(source_->unit_step(), source_->series().size(), nullptr,
                                                       schedule_ ? &*schedule_ : nullptr));
    exposure_.emplace(std::move(exposure));
  }
  return {};
}

/// Where sensitivities vary, once it is known when slots are.
Result<void> PublishRun::vary_exposure(const RunClock& clock, bool fresh) {
  if (schedule_) {
    FUGU_ASSIGN(const SensitivityRows rows,
                SensitivityRows::of(*schedule_, source_->unit_step(), source_->series().size()));
    FUGU_ASSIGN(exposure_, exposure_over_time(*exposure_, *schedule_, rows, clock));
  } else if (source_->clamp_schedule() != nullptr && fresh) {  // else it is that of the ledger already
    FUGU_ASSIGN(exposure_, source_->exposure_over_time(*exposure_, clock));
  }
  return {};
}

Result<ShareSplit> PublishRun::split() const {
  if (options_.split.empty()) return ShareSplit();
  return parse_split(options_.split, *exposure_, source_->series());
}

bool PublishRun::has_policies() const { return definition_->kind().has_policies; }

Result<std::unique_ptr<PolicyFeed>> PublishRun::policies(const RunClock& clock, bool fresh) const {
  PolicyContext context{.unit_step = source_->unit_step(),
                        .clock = clock.clock,
                        .utc_offset_s = clock.utc_offset_s,
                        .default_utc_offset_s = clock.utc_offset_s,
                        .map = source_->series_map(),
                        .series = source_->series()};
  if (!source_->counting() && definition_->floor() != nullptr)
    context.largest_change_steps = largest_sensitivity_steps(*exposure_);
  for (std::size_t g = 0; g < exposure_->signature_count(); ++g) context.signatures.push_back(exposure_->signature(g));
  context.can_keep = [this](const std::vector<std::uint32_t>& signatures, const Policy& policy) {
    return check_accountable(*definition_, *exposure_, signatures, policy);
  };
  return options_.definition.policies.feed(context, fresh, options_.source.follow);
}

Result<Mechanism> PublishRun::mechanism(const RunClock& clock, bool fresh) {
  FUGU_TRY(vary_exposure(clock, fresh));
  // Every slot of the window is remembered for every signature.
  constexpr double kLargestMemoryCells = 0x1p28;
  if (definition_->kind().forgets &&
      static_cast<double>(definition_->window_slots()) * static_cast<double>(exposure_->signature_count()) >
          kLargestMemoryCells)
    return Error{Cause::usage,
                 "w times the number of separate budgets is too large to remember (2 GiB): choose a shorter window"};
  FUGU_ASSIGN(ShareSplit split, this->split());
  std::optional<double> true_variance = options_.true_variance;
  const double unit = source_->unit_step().to_double();
  if (true_variance) *true_variance /= unit * unit;
  auto strategy =
      make_from_catalogue(options_.mechanism,
                          {.policies = has_policies(),
                           .user_level = definition_->kind().has_horizon,
                           .discount = definition_->discount(),
                           .window_slots = definition_->kind().has_window() ? definition_->window_slots() : 1,
                           .every_slots = options_.every,
                           .horizon_slots = options_.definition.horizon(),
                           .least = options_.least == "mean" ? PlanLeast::mean_error : PlanLeast::largest_error,
                           .noise_weight = noise_weights(*exposure_),
                           .delta = definition_->delta(),
                           .split = std::move(split)},
                          {.unit_steps = 1 / unit, .true_variance = true_variance});
  if (!strategy) return with_option(std::move(strategy).error());
  Mechanism made{*definition_, *exposure_, noise(), *std::move(strategy)};
  if (has_policies()) {
    FUGU_ASSIGN(made.policies, policies(clock, fresh));
    FUGU_ASSIGN(made.admission, options_.definition.policies.admission(source_->unit_step()));
    made.listener = &notices_;
  }
  return made;
}

/// Names the option that gives a strategy what it lacks: the library does not know options.
Error PublishRun::with_option(Error error) const {
  const CatalogueEntry* kind = find_in_catalogue(options_.mechanism);
  if (kind == nullptr) return error;
  const std::string_view option = kind->takes == "every_slots"                          ? "--every K"
                                  : kind->takes == "horizon_slots"                      ? "--horizon N"
                                  : kind->takes == "true_variance"                      ? "--true-variance V"
                                  : kind->serves == Serves::policies && !has_policies() ? "--policies P.csv"
                                                                                        : "";
  if (!option.empty()) error.message += " (" + std::string(option) + ")";
  return error;
}

RunIdentity PublishRun::identity(const RunClock& clock) const {
  RunIdentity identity{.format = {.clock = clock.clock,
                                  .unit_step = source_->unit_step(),
                                  .series = source_->series(),
                                  .interval = options_.interval,
                                  .filter = options_.filter,
                                  .estimates = find_in_catalogue(options_.mechanism)->estimates},
                       .utc_offset_s = clock.utc_offset_s};
  auto& facts = identity.facts;
  facts["mechanism"] = options_.mechanism;
  if (options_.every) facts["every"] = std::to_string(*options_.every);
  if (!options_.split.empty()) facts["split"] = options_.split;
  if (options_.mechanism == "planned") {
    facts["horizon"] = std::to_string(options_.definition.horizon().value_or(0));
    facts["least"] = options_.least;
  }
  if (source_->counting()) facts["clamp"] = source_->clamp_text();
  if (source_->distributional() != nullptr)
    facts[kStateFact] = source_->distributional()->state().id();  // other constants: another stream
  return identity;
}

Result<RunFiles> PublishRun::files() const {
  RunFiles files{.ledger = options_.ledger, .releases = options_.out, .head = options_.head};
  if (!options_.key.empty()) {
    FUGU_ASSIGN(files.key, OperatorKey::load(options_.key));
  }
  return files;
}

Result<std::optional<Slot>> PublishRun::not_before(const RunClock& clock) const {
  if (options_.not_before.empty()) return std::optional<Slot>();
  if (const auto slot = parse_slot_number(options_.not_before)) return slot;
  Tick tick;
  const TimeFault fault = clock.clock.parse(options_.not_before, clock.utc_offset_s, tick);
  if (fault != TimeFault::none)
    return Error{Cause::usage, "--not-before: expected a slot number, or " + clock.clock.expected(fault)};
  return std::optional(tick.slot);
}

Outcome PublishRun::run() {
  FUGU_TRY(check());
  FUGU_ASSIGN(const Definition definition, options_.definition.make());
  definition_.emplace(definition);
  FUGU_ASSIGN(RunFiles files, this->files());
  if (options_.seed) return start(std::nullopt);
  FUGU_ASSIGN(Run run, Run::open(std::move(files)));
  return run.earlier() != nullptr ? resume(std::move(run)) : start(std::move(run));
}

void PublishRun::warn_about_delta() const {
  if (definition_->delta().value() == 0) return;
  if (has_policies()) return;  // each policy has its own ε and length
  std::uint64_t series = 1;    // of one meter
  for (SeriesId id = 0; id < exposure_->series_count(); ++id)
    series = std::max(series, exposure_->series_per_meter(id));
  const std::uint64_t window = definition_->window_slots();
  const std::uint64_t every = options_.mechanism == "sample" ? window : std::min(options_.every.value_or(1), window);
  warn_if_delta_adds_noise(definition_->epsilon(), definition_->delta(), noise(),
                           (window + every - 1) / every * series);
}

Outcome PublishRun::start(std::optional<Run> run) {
  FUGU_TRY(open_source(nullptr));
  const bool keeps_ledger = !options_.ledger.empty();
  Primed source(source_->source());
  FUGU_ASSIGN(const bool has_rows, source.prime());  // the clock is known from the first row on
  if (!has_rows && keeps_ledger) {
    note("the stream has no slots: nothing was released and no ledger started");
    return kDone;
  }
  const RunClock clock{source_->clock(), source.first().utc_offset_s};
  if (source_->distributional() != nullptr)
    FUGU_TRY(source_->distributional()->state().check_begin(clock.clock, source.first().slot));
  FUGU_ASSIGN(Mechanism made, mechanism(clock, true));
  warn_about_delta();
  if (!run) return simulate(std::move(made), clock, source);
  FUGU_ASSIGN(const auto first, not_before(clock));
  FUGU_ASSIGN(Publisher * publisher, run->begin(std::move(made), identity(clock), first));
  if (!keeps_ledger)
    warn(
        "no --ledger: nothing remembers what was spent, so this run can neither be audited in full nor resumed, and "
        "whoever publishes the same slots again spends again");
  return publish(*publisher, source);
}

Outcome PublishRun::resume(Run run) {
  const EarlierRuns earlier = *run.earlier();
  FUGU_TRY(open_source(&earlier));
  if (source_->distributional() != nullptr)
    FUGU_TRY(source_->distributional()->state().check_begin(earlier.clock.clock, earlier.next_slot));
  FUGU_ASSIGN(Mechanism made, mechanism(earlier.clock, false));
  FUGU_ASSIGN(const auto first, not_before(earlier.clock));
  if (!earlier.head_known)
    warn("the head file of " + options_.ledger +
         " is gone: if the ledger was restored from a backup, stop now; going on would release slots a second time");
  auto begun = run.begin(std::move(made), identity(earlier.clock), first);
  if (!begun && earlier.missed && !first)
    return Error{begun.error().cause, begun.error().message + " (say so with --not-before)"};
  FUGU_ASSIGN(Publisher * publisher, std::move(begun));
  source_->skip_before(publisher->next_slot());
  note("resuming at slot " + std::to_string(publisher->next_slot()) +
       (earlier.torn
            ? "; an unfinished record at the end of the ledger was cut off, nothing it would have paid for was released"
            : ""));
  return publish(*publisher, source_->source());
}

Outcome PublishRun::publish(Publisher& publisher, SlotSource& source) {
  const Slot first = publisher.next_slot();
  if (source_->distributional() != nullptr) {
    FUGU_TRY(publisher.check_counting(*source_->counting()));  // rows say so, too, but a live one may be long in coming
    say_household_loss();
  }
  source_->judge_maps_by([&](const Counting& counting) { return publisher.check_counting(counting); });
  {
    Progress progress("slots released");
    FUGU_TRY(publisher.run(source, {.live = options_.source.follow, .progress = [&](Slot slot) {
                                      progress.update(static_cast<std::uint64_t>(slot) + 1, source_->progress());
                                    }}));
  }  // its line is gone before the last words
  say_summary(publisher.next_slot() - first, first);
  if (publisher.units_moved() > 0)
    note("households and meters that moved to other series: " + std::to_string(publisher.units_moved()) +
         "; the ledger charges each in all series it has counted into lately");
  if (!options_.ledger.empty()) note("head of the ledger: " + to_hex(publisher.head().seal));
  warn_if_nothing_was_hidden(publisher.next_slot());
  return kDone;
}

Outcome PublishRun::simulate(Mechanism made, const RunClock& clock, SlotSource& source) {
  note("warning: --seed given: this is a simulation, the output is NOT private");
  const bool enforced = !find_in_catalogue(options_.mechanism)->comparison_only;
  if (!enforced) note("warning: " + options_.mechanism + " is for comparison only: nothing holds it to its promise");
  ReleaseFormat format = identity(clock).format;
  format.currency = definition_->delta().value() > 0 ? Currency::rho : Currency::epsilon;
  format.simulated = true;
  FUGU_ASSIGN(ReleaseFile out, ReleaseFile::open(options_.out));
  FUGU_ASSIGN(ReleaseWriter writer, ReleaseWriter::make(format, out.descriptor(), options_.out));
  FUGU_TRY(out.check_replaceable(ReleaseFile::By::simulation));
  FUGU_TRY(out.keep(0));
  writer.prepare_header();
  FUGU_ASSIGN(made.published, PublishedSteps::make(format.filter, format.unit_step));
  Simulation simulation(std::move(made), std::make_unique<SimulationNoise>(*options_.seed), enforced);
  Progress progress("slots simulated");
  SlotRow row;
  std::uint64_t slots = 0;
  for (;;) {
    FUGU_ASSIGN(const bool more, source.next(row));
    if (!more) break;
    FUGU_ASSIGN(const Release* release, simulation.step(row));
    writer.prepare(*release);
    ++slots;
    progress.update(slots, source_->progress());
    if (slots % 4096 == 0) FUGU_TRY(writer.emit());
  }
  FUGU_TRY(writer.emit());
  return kDone;
}

/// A state promises something to a meter, --households to a household.
void PublishRun::say_household_loss() const {
  const DistributionalState& state = source_->distributional()->state();
  const HouseholdDraws most = most_drawn_for(households_of(*source_->series_map().get()), state);
  if (most.meters < 2 || state.plan().form == DistributionalForm::bernoulli) return;
  warn("one household has " + std::to_string(most.meters) + " meters, of which each has the ε = " +
       short_number(state.plan().epsilon) + " of the distributional state: together ε = " +
       short_number(static_cast<double>(most.draws) * state.plan().epsilon) +
       ". For less, prepare with a smaller --epsilon");
}

void PublishRun::warn_if_nothing_was_hidden(Slot slots) const {
  if (!options_.definition.policies.exact_when_idle || slots == 0 || notices_.earliest() < slots) return;
  warn("--exact-when-idle: no policy was relevant in any slot: every value was released as it is");
}

void PublishRun::say_summary(Slot slots, Slot before) const {
  const std::string input = source_->summary();
  const std::string after = before > 0 ? ", from slot " + std::to_string(before) + " on," : "";
  note("released " + std::to_string(slots) + " slots" + after + " of " + std::to_string(source_->series().size()) +
       " series under " + definition_->text() + (input.empty() ? "" : "; " + input));
}

std::string strategies_that_serve(Serves which) {
  std::string names;
  for (const StrategyKind& kind : strategy_kinds()) {
    if (serves(kind, which)) names += (names.empty() ? "" : ", ") + std::string(kind.name);
  }
  return names;
}

}  // namespace

void add_publish(CLI::App& app, Outcome& outcome) {
  auto options = std::make_shared<PublishOptions>();
  CLI::App* command = app.add_subcommand("publish", "Release a stream under a privacy promise");
  command->footer(kExamples);
  options->source.add_to(*command);
  options->source.add_live_to(*command);
  command
      ->add_option("--distributional", options->source.distributional,
                   "State of fugu distributional prepare or gather: meters send what it says instead of their readings")
      ->group("Input");
  options->definition.add_to(*command);
  options->definition.policies.add_admission_to(*command);
  const std::string mechanism = "Mechanism";
  command
      ->add_option("--mechanism", options->mechanism,
                   strategies_that_serve(Serves::windows) +
                       "; with policies: " + strategies_that_serve(Serves::policies) +
                       "; discounted: " + strategies_that_serve(Serves::discounted) + " (see: fugu describe)")
      ->group(mechanism);
  command
      ->add_option("--every", options->every,
                   "hybrid, equal: release every K-th slot; hybrid: every w-th if K is larger")
      ->group(mechanism);
  command
      ->add_option("--split", options->split,
                   "uniform, sample, hybrid: parts of a household's budget by series, such as *.p=0.7,*.q=0.3; series "
                   "of one household with the same pattern divide its part; default: all divide equally")
      ->group(mechanism);
  command->add_option("--least", options->least, "planned: least mean or least largest expected error")
      ->check(CLI::IsMember({"mean", "largest"}))
      ->capture_default_str()
      ->group(mechanism);
  command
      ->add_option("--true-variance", options->true_variance,
                   "rescuedp-as-published: the variance of the whole true stream, which it leaks; simulation only")
      ->group(mechanism);
  command
      ->add_option("--noise", options->noise,
                   "laplace, gaussian (needs --delta), or auto: gaussian when --delta is given")
      ->check(CLI::IsMember({"auto", "laplace", "gaussian"}))
      ->capture_default_str()
      ->group(mechanism);
  command->add_option("--filter", options->filter, "Free post-processing, in order: truncate:0:5000,kalman")
      ->group(mechanism);
  const std::string output = "Output";
  command
      ->add_option(
          "--out", options->out,
          "Releases, CSV: time,series,value,scale,loss_rate (with --delta loss_rate_rho),sampled; - is standard output")
      ->capture_default_str()
      ->group(output);
  command->add_option("--interval", options->interval, "Append columns lower,upper: an error band, for example 0.95")
      ->group(output);
  command
      ->add_option("--ledger", options->ledger,
                   "Durable record of all answers: to audit, and to resume by the same command")
      ->group(output);
  command
      ->add_option("--head", options->head,
                   "File that remembers the head of the ledger, LEDGER.head if not given: recognises an older ledger; "
                   "best on another disk")
      ->group(output);
  command->add_option("--key", options->key, "Private key that signs the ledger's heads (see: fugu key new)")
      ->group(output);
  command
      ->add_option("--not-before", options->not_before,
                   "The latest ledger is lost: leave out all slots before this slot or time, which must lie a whole "
                   "window after the last slot handed out")
      ->group(output);
  command->add_option("--seed", options->seed, "Simulate with reproducible noise; the output is NOT private")
      ->group(output);
  command->callback([options, &outcome] { outcome = PublishRun(*options).run(); });
}

}  // namespace fugu::cli
