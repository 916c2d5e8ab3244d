// fugu distributional: prepares a stream whose law gives nothing away, and lets meters join and leave it.
#include <cmath>

#include "command.hpp"
#include "fugu/distributional/learning.hpp"
#include "fugu/distributional/state.hpp"
#include "source_options.hpp"

namespace fugu::cli {

namespace {

constexpr const char* kExamples = R"(
Per-slot noise hides readings. It does not hide what they are like on average: whoever watches long enough learns the
law of the released totals, and from it, knowing everybody else, a household's mean and spread. Here meters send
something with another law instead of their readings, and the law's parameters get noise that is drawn once.

  gaussian            each meter sends its mean plus a draw of one public law, placed by the rank of its reading among
                      its past ones. Only the sum of means shows, under ε. The spread is no secret: it is the same for all
  gaussian --hidden   each meter keeps its own spread; the sums of means and of variances show, under ε and δ. Adds less
                      variance when meters are many
  stable --alpha A    as gaussian, with heavier tails
  bernoulli           each meter sends one end of the clamp, by a coin as good as its reading. Needs no past readings, and
                      protects everything but the mean

Sums are still sums: their expectation is the same, up to the constant. docs/guarantees/distributional.md
What a state promises: fugu audit distributional --state stream.state

Laws are learned for each hour of the day (--by hour), or for each hour of weekdays and of weekends, by season (--by
hour,weekend,season). What is not in this list is not hidden: with --by none somebody who knows a household's daily
pattern finds it in the totals. Every hour has a constant of its own, and they share ε: 24 hours, constants 24 times as
large. With --one-level meters send one mean at all hours: one constant, but totals that do not follow the day either.

Example
  fugu distributional prepare --transform gaussian --readings past.csv --series-map feeders.csv --clamp 10 \
                              --unit-step 0.01 --slot-length 15m --spread 1 --epsilon 1 --out stream.state
  fugu publish --readings readings.csv --series-map feeders.csv --slot-length 15m --clamp 10 --unit-step 0.01 \
               --distributional stream.state --definition event --epsilon 1 --mechanism uniform \
               --ledger run.ledger --out released.csv
  fugu audit --ledger run.ledger --released released.csv --distributional stream.state
)";

struct PrepareArguments {
  std::string transform = "gaussian";
  bool hidden = false;
  std::string readings;
  std::string series_map;
  std::string clamp;
  std::string unit_step = "1";
  std::string slot_length;
  std::string spread;
  std::optional<double> width;
  std::optional<double> alpha;
  std::optional<double> epsilon;
  double delta = 0;
  double mean_share = 0.5;
  double sample = 1;
  std::string by = "hour";
  bool one_level = false;
  std::string out;
};

Result<DistributionalPlan> plan_of(const PrepareArguments& arguments) {
  const bool bernoulli = arguments.transform == "bernoulli";
  std::string wrong;
  const auto complain = [&](const char* what) { wrong.append(wrong.empty() ? "" : "\n       ").append(what); };
  if (arguments.hidden && arguments.transform != "gaussian") complain("--hidden belongs to --transform gaussian");
  if (arguments.alpha.has_value() != (arguments.transform == "stable"))
    complain("--alpha belongs to --transform stable, which needs it: 1 for Cauchy, 1.5, …");
  if (bernoulli && (arguments.epsilon || !arguments.spread.empty() || arguments.width))
    complain("--transform bernoulli has no ε, spread or width: it does not protect the mean and needs no noise");
  if (!bernoulli && !arguments.epsilon) complain("--epsilon is missing: how well parameters are hidden");
  if (!bernoulli && arguments.spread.empty()) complain("--spread is missing: how far what meters send may spread");
  if (arguments.hidden && arguments.width) complain("--width is 8 with --hidden: leave it out");
  if (arguments.width && !(*arguments.width >= 1 && *arguments.width <= 1000))
    complain("--width: expected 1 to 1000, in spreads");
  if (arguments.one_level && (bernoulli || arguments.by == "none"))
    complain("--one-level goes with --by: without circumstances a meter has one level anyway");
  if (!wrong.empty()) return Error{Cause::usage, wrong};

  DistributionalPlan plan;
  FUGU_ASSIGN(plan.unit_step, of_option("--unit-step", UnitStep::parse(arguments.unit_step)));
  FUGU_ASSIGN(plan.clamp, parse_clamp(plan.unit_step, arguments.clamp));
  plan.delta = arguments.delta;
  plan.sample = arguments.sample;
  if (bernoulli) {
    plan.form = DistributionalForm::bernoulli;
  } else {
    plan.form = arguments.hidden ? DistributionalForm::hidden : DistributionalForm::capped;
    plan.alpha = arguments.alpha.value_or(2);
    plan.epsilon = *arguments.epsilon;
    plan.mean_share = arguments.mean_share;
    plan.one_level = arguments.one_level;
    FUGU_ASSIGN(plan.circumstances, of_option("--by", Circumstances::parse(arguments.by)));
    FUGU_ASSIGN(const std::uint64_t spread, parse_magnitude(plan.unit_step, arguments.spread, "--spread"));
    plan.spread_steps = static_cast<std::int64_t>(spread);
    plan.half_width_steps =
        arguments.hidden
            ? hidden_half_width(plan.spread_steps)
            : std::llround(std::ceil(arguments.width.value_or(4) * static_cast<double>(plan.spread_steps)));
  }
  FUGU_TRY(plan.check());
  return plan;
}

/// Past readings of the meters in a map.
struct Past {
  std::string path;
  std::string slot_length;
  bool sets_offset;  ///< hours are those of the offset that they begin with, from now on
};

Result<Learned> learn(const Past& past, DistributionalPlan& plan, const SeriesMap& map,
                      const std::vector<MeterId>& wanted) {
  if (plan.form == DistributionalForm::bernoulli || wanted.empty()) return Learned();
  if (past.path.empty())
    return Error{Cause::usage, "--readings is missing: past readings, from which meters learn what theirs are like"};
  std::optional<std::int64_t> slot_s;
  if (!past.slot_length.empty()) {
    FUGU_ASSIGN(slot_s, of_option("--slot-length", parse_duration(past.slot_length)));
  }
  NameTable meters;
  for (MeterId meter = 0; meter < map.meter_count(); ++meter) meters.intern(map.meter_name(meter));
  FUGU_ASSIGN(Input input, Input::open(past.path));
  FUGU_ASSIGN(MeterReadings readings, MeterReadings::open(std::move(input), meters, {plan.unit_step, slot_s, warn}));
  if (past.sets_offset) {
    FUGU_ASSIGN(plan.circumstances, Circumstances::parse(plan.circumstances.text(), readings.format().utc_offset_s));
  }
  auto learned = learn_profiles(readings, meters, wanted, plan);
  if (!learned && learned.error().cause == Cause::usage)
    return Error{Cause::usage, learned.error().message + " (--by none)"};
  return learned;
}

void warn_about_learning(const Learned& learned, const DistributionalPlan& plan) {
  if (learned.meters_with_few > 0)
    warn(std::to_string(learned.meters_with_few) + " meters have fewer than " + std::to_string(kFewReadings) +
         " past readings" + (plan.circumstances.none() ? "" : " for some of the circumstances (--by)") +
         ": what they learned is inexact, and by how much is not hidden");
  if (learned.meters_with_unlearned > 0)
    warn(std::to_string(learned.meters_with_unlearned) +
         " meters have no past readings for some of the circumstances (--by): there they send draws around their mean "
         "that do not follow their readings");
}

void warn_about_size(const DistributionalState& state) {
  const std::vector<SeriesId> drowned = state.drowned();
  if (drowned.empty()) return;
  const auto laws = ParameterNoise::make(state.plan(), state.series_per_meter());
  warn("series " + shown_name(state.series()[drowned.front()]) +
       (drowned.size() > 1 ? " and " + std::to_string(drowned.size() - 1) + " more" : "") +
       ": too few meters: the constant, of scale " +
       short_number(laws->mean_scale()->to_double() * state.plan().unit_step.to_double()) +
       ", is larger than the total. What helps: a smaller --clamp" +
       (state.plan().levels() > 1 ? ", fewer circumstances in --by, --one-level" : "") +
       ", a larger --epsilon, more meters");
}

Outcome prepare(const PrepareArguments& arguments) {
  FUGU_ASSIGN(DistributionalPlan plan, plan_of(arguments));
  FUGU_ASSIGN(Input map_input, Input::open(arguments.series_map));
  FUGU_ASSIGN(const SeriesMap map, SeriesMap::read(std::move(map_input)));
  std::vector<MeterId> all;
  for (MeterId meter = 0; meter < map.meter_count(); ++meter) all.push_back(meter);
  FUGU_ASSIGN(Learned learned, learn({arguments.readings, arguments.slot_length, true}, plan, map, all));
  FUGU_ASSIGN(const DistributionalState state,
              DistributionalState::prepare(plan, map, learned.profiles, learned.until_s));
  FUGU_TRY(state.save(arguments.out));
  note(std::string(name_of(plan.form)) + " state of " + std::to_string(map.meter_count()) +
       " meters; keep it for the life of the stream, and secret");
  if (state.transform().squeezed() > 0) {
    note(std::to_string(state.transform().squeezed()) +
         " meters spread more than --spread allows: what they send swings less than their readings");
  }
  warn_about_learning(learned, plan);
  warn_about_size(state);
  return kDone;
}

struct ChangeArguments {
  std::string state;
  std::string series_map;
  std::string readings;
  std::string slot_length;
};

std::string cost_text(const DistributionalPlan& plan) {
  if (plan.form == DistributionalForm::bernoulli) return "nothing is hidden about means, so it costs nothing";
  std::string cost = "each meter that joined or left pays ε = " + short_number(plan.epsilon);
  if (plan.delta > 0) cost += ", δ = " + short_number(plan.delta);
  return cost + " for it, one that moved twice that, nobody else anything; the constants of their series grow";
}

Outcome change(const ChangeArguments& arguments) {
  FUGU_ASSIGN(const DistributionalState before, DistributionalState::load(arguments.state));
  FUGU_ASSIGN(Input map_input, Input::open(arguments.series_map));
  FUGU_ASSIGN(const SeriesMap map, SeriesMap::read(std::move(map_input), before.series()));
  DistributionalPlan plan = before.plan();
  FUGU_ASSIGN(const Learned learned,
              learn({arguments.readings, arguments.slot_length, false}, plan, map, before.newcomers(map)));
  FUGU_ASSIGN(const DistributionalState after, before.changed(map, learned.profiles, learned.until_s));
  FUGU_TRY(after.replace(arguments.state));
  note("the state has the meters of the new map: " + cost_text(before.plan()));
  note("start fugu publish again, with the new map");
  warn_about_learning(learned, plan);
  warn_about_size(after);
  return kDone;
}

void add_prepare(CLI::App& command, Outcome& outcome) {
  auto arguments = std::make_shared<PrepareArguments>();
  CLI::App* prepare_command =
      command.add_subcommand("prepare", "Learn from past readings and draw the constants, once");
  prepare_command->footer(R"(
Writes the state of a stream: parameters, what each meter learned, and the constants from the cryptographic source. A
file that is there is never overwritten: who draws constants again for the same stream lets them be averaged away.

Past readings must not be part of the stream that is released: what is learned from them is what ε protects. fugu
publish refuses a stream that begins before they end, if times are stamps; of slot numbers it cannot know.

Examples
  fugu distributional prepare --readings past.csv --series-map feeders.csv --slot-length 15m --clamp 10 \
                              --unit-step 0.01 --spread 1 --epsilon 1 --out stream.state
  fugu distributional prepare --hidden --delta 1e-6 --readings past.csv --series-map feeders.csv --clamp 10 \
                              --unit-step 0.01 --slot-length 15m --spread 1 --epsilon 1 --out stream.state
  fugu distributional prepare --transform bernoulli --series-map feeders.csv --clamp 10 --out stream.state
)");
  prepare_command->add_option("--transform", arguments->transform, "gaussian, stable or bernoulli")
      ->check(CLI::IsMember({"gaussian", "stable", "bernoulli"}))
      ->capture_default_str();
  prepare_command->add_flag("--hidden", arguments->hidden, "Meters keep their own spread, which is hidden under δ");
  prepare_command->add_option("--readings", arguments->readings, "Past readings, CSV long, ordered by time");
  prepare_command->add_option("--series-map", arguments->series_map, "CSV meter,series: as of the stream")->required();
  prepare_command->add_option("--clamp", arguments->clamp, "Public bound of a reading: K for [0, K], or LO:HI")
      ->required();
  prepare_command->add_option("--unit-step", arguments->unit_step, "Grid of all values")->capture_default_str();
  prepare_command->add_option("--slot-length", arguments->slot_length, "Length of a slot when times are stamps: 15m");
  prepare_command->add_option("--spread", arguments->spread,
                              "Public: standard deviation of what meters send, with --hidden the largest one");
  prepare_command->add_option("--width", arguments->width, "Where the public law is cut off, in spreads; 4 without it");
  prepare_command->add_option("--alpha", arguments->alpha, "stable: 0.5 to 2");
  prepare_command->add_option("--epsilon", arguments->epsilon,
                              "How well parameters are hidden, as long as readings follow what was learned");
  prepare_command->add_option("--delta", arguments->delta, "--hidden: how likely a variance may show");
  prepare_command->add_option("--mean-share", arguments->mean_share, "--hidden: the part of ε for means")
      ->capture_default_str();
  prepare_command->add_option("--sample", arguments->sample, "Share of slots in which a meter uses its reading")
      ->capture_default_str();
  prepare_command
      ->add_option(
          "--by", arguments->by,
          "What laws are learned for: hour, weekend, season, separated by commas, or none. Only what is in the "
          "list is hidden; constants grow with the number of circumstances")
      ->capture_default_str();
  prepare_command->add_flag("--one-level", arguments->one_level,
                            "One mean for all circumstances: small constants, but totals do not follow the day");
  prepare_command->add_option("--out", arguments->out, "State of the stream")->required();
  prepare_command->callback([arguments, &outcome] { outcome = prepare(*arguments); });
}

void add_change(CLI::App& command, Outcome& outcome) {
  auto arguments = std::make_shared<ChangeArguments>();
  CLI::App* change_command = command.add_subcommand("change", "Let meters join, leave or move, at a stated cost");
  change_command->footer(R"(
Replaces the state. Constants stay, and one more is drawn for each series that got or lost a meter: without it the
difference of totals before and after would be what the meter is like. Who joins, leaves or moves pays ε once more,
nobody else pays; but constants add up, so make many changes at once. A meter that stays in the map and does not report
any more costs nothing: draws of its law stay in the total.

Past readings are needed of meters that are new, and must end before the stream goes on.

Examples
  fugu distributional change --state stream.state --series-map feeders-new.csv --readings past.csv --slot-length 15m
)");
  change_command->add_option("--state", arguments->state, "State of the stream; it is replaced")->required();
  change_command->add_option("--series-map", arguments->series_map, "CSV meter,series: as of now on")->required();
  change_command->add_option("--readings", arguments->readings,
                             "Past readings of new meters, CSV long, ordered by time");
  change_command->add_option("--slot-length", arguments->slot_length, "Length of a slot when times are stamps: 15m");
  change_command->callback([arguments, &outcome] { outcome = change(*arguments); });
}

}  // namespace

void add_distributional(CLI::App& app, Outcome& outcome) {
  CLI::App* command = app.add_subcommand("distributional", "Hide what readings are like in public circumstances");
  command->footer(kExamples);
  command->require_subcommand(1);
  add_prepare(*command, outcome);
  add_change(*command, outcome);
}

}  // namespace fugu::cli
