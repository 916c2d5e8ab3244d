// fugu distributional: prepares a stream whose law gives nothing away, and lets meters join and leave it.
#include <cmath>

#include "command.hpp"
#include "fugu/distributional/learning.hpp"
#include "fugu/distributional/ledger_fit.hpp"
#include "fugu/distributional/meter_transform.hpp"
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

Who is trusted: with prepare and publish alone, whoever runs them sees readings, and readers of the release are kept out.
If meters must not trust whoever adds up, each prepares for itself (prepare --meter) and transforms its own readings (fugu
meter transform); gather makes the state that publish sums with. Constants add up then: n meters, √n times as large.

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
  std::string meter;
  double reading_epsilon = 0;
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
  if (arguments.meter.empty() == arguments.series_map.empty())
    complain("expected --series-map, for a stream whose readings come together here, or --meter, for one meter alone");
  if (arguments.hidden && !arguments.meter.empty())
    complain(
        "--hidden is not for --meter: a single meter hides its spread with less noise by having that of all others");
  if (arguments.reading_epsilon != 0 && arguments.meter.empty())
    complain("--reading-epsilon belongs to --meter: where readings come together, fugu publish adds less noise");
  if (!wrong.empty()) return Error{Cause::usage, wrong};

  DistributionalPlan plan;
  FUGU_ASSIGN(plan.unit_step, of_option("--unit-step", UnitStep::parse(arguments.unit_step)));
  FUGU_ASSIGN(plan.clamp, parse_clamp(plan.unit_step, arguments.clamp));
  plan.delta = arguments.delta;
  plan.sample = arguments.sample;
  plan.reading_epsilon = arguments.reading_epsilon;
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
  bool come_first;  ///< slots are as long as theirs, and hours those of the offset that they begin with, from now on
  std::string expected_meter = "a meter of the series map";
};

Result<Learned> learn(const Past& past, DistributionalPlan& plan, const SeriesMap& map,
                      const std::vector<MeterId>& wanted) {
  if (plan.form == DistributionalForm::bernoulli || wanted.empty()) return Learned();
  if (past.path.empty())
    return Error{Cause::usage, "--readings is missing: past readings, from which meters learn what theirs are like"};
  std::optional<std::int64_t> slot_s = plan.slot_s;
  if (!past.slot_length.empty()) {
    FUGU_ASSIGN(slot_s, of_option("--slot-length", parse_duration(past.slot_length)));
  }
  NameTable meters;
  for (MeterId meter = 0; meter < map.meter_count(); ++meter) meters.intern(map.meter_name(meter));
  FUGU_ASSIGN(Input input, Input::open(past.path));
  FUGU_ASSIGN(MeterReadings readings,
              MeterReadings::open(std::move(input), meters, {plan.unit_step, slot_s, warn, past.expected_meter}));
  if (past.come_first) {
    const ReportFormat& format = readings.format();
    FUGU_ASSIGN(plan.circumstances, Circumstances::parse(plan.circumstances.text(), format.utc_offset_s));
    if (format.clock.has_time()) plan.slot_s = format.clock.slot_s();
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

Result<SeriesMap> map_of(const PrepareArguments& arguments) {
  if (!arguments.meter.empty()) return of_option("--meter", map_of_one_meter(arguments.meter));
  FUGU_ASSIGN(Input input, Input::open(arguments.series_map));
  return SeriesMap::read(std::move(input));
}

Outcome prepare(const PrepareArguments& arguments) {
  FUGU_ASSIGN(DistributionalPlan plan, plan_of(arguments));
  FUGU_ASSIGN(const SeriesMap map, map_of(arguments));
  const bool alone = !arguments.meter.empty();
  std::vector<MeterId> all;
  for (MeterId meter = 0; meter < map.meter_count(); ++meter) all.push_back(meter);
  Past past{arguments.readings, arguments.slot_length, true};
  if (alone) past.expected_meter = "readings of this meter alone";
  FUGU_ASSIGN(Learned learned, learn(past, plan, map, all));
  FUGU_ASSIGN(const DistributionalState state,
              DistributionalState::prepare(plan, map, learned.profiles, learned.until_s));
  FUGU_TRY(state.save(arguments.out));
  note(std::string(name_of(plan.form)) + " state of " +
       (alone ? "meter " + shown_name(arguments.meter) + "; it stays at the meter, for the life of the stream"
              : std::to_string(map.meter_count()) + " meters; keep it for the life of the stream, and secret"));
  if (state.transform().squeezed() > 0) {
    note(std::to_string(state.transform().squeezed()) +
         " meters spread more than --spread allows: what they send swings less than their readings");
  }
  warn_about_learning(learned, plan);
  if (!alone) warn_about_size(state);
  return kDone;
}

/// Levels of the wanted meters of a map, in that order.
Result<std::vector<MeterLevels>> levels_of(const std::vector<MeterCard>& cards, const SeriesMap& map,
                                           const std::vector<MeterId>& wanted) {
  std::vector<const MeterCard*> by_meter(map.meter_count());
  for (const MeterCard& card : cards) {
    const auto meter = map.meter(card.meter);
    if (!meter)
      return Error{Cause::bad_input, "--cards: found one of meter " + shown_name(card.meter) +
                                         "; expected cards of meters in the series map"};
    by_meter[*meter] = &card;
  }
  std::vector<MeterLevels> levels;
  for (const MeterId meter : wanted) {
    if (by_meter[meter] == nullptr)
      return Error{Cause::bad_input, "--cards: found none of meter " + shown_name(map.meter_name(meter)) +
                                         "; expected one of each meter that is new in the series map"};
    levels.push_back(by_meter[meter]->levels);
  }
  return levels;
}

/// How far constants and noise of the meters put the totals off, typically.
void note_accuracy(const DistributionalState& state, const SeriesMap& map) {
  if (state.plan().form == DistributionalForm::bernoulli) return;
  const auto laws = state.parameter_noise();
  std::size_t most = 0;
  for (SeriesId id = 0; id < map.series().size(); ++id) most = std::max(most, map.meters_in(id));
  const auto off_by = [&](const Rational& scale) {
    return short_number(scale.to_double() * std::sqrt(2.0 * static_cast<double>(most)) *
                        state.plan().unit_step.to_double());
  };
  std::string text = "each meter adds constants of its own: they put a total of " + std::to_string(most) +
                     " meters off by about " + off_by(*laws->mean_scale()) + ", for good";
  const auto reading_scale = state.plan().reading_scale();
  if (reading_scale && *reading_scale)
    text += "; noise in their values adds about " + off_by(**reading_scale) + " in each slot";
  note(text);
}

struct GatherArguments {
  std::string cards;
  std::string series_map;
  std::string out;
};

Outcome gather(const GatherArguments& arguments) {
  FUGU_ASSIGN(Input card_input, Input::open(arguments.cards));
  FUGU_ASSIGN(const std::vector<MeterCard> cards, read_cards(std::move(card_input)));
  FUGU_ASSIGN(Input map_input, Input::open(arguments.series_map));
  FUGU_ASSIGN(const SeriesMap map, SeriesMap::read(std::move(map_input)));
  std::vector<MeterId> all;
  for (MeterId meter = 0; meter < map.meter_count(); ++meter) all.push_back(meter);
  FUGU_ASSIGN(const std::vector<MeterLevels> levels, levels_of(cards, map, all));
  FUGU_ASSIGN(const DistributionalState state, DistributionalState::gather(cards.front().plan, map, levels));
  FUGU_TRY(state.save(arguments.out));
  note("state of a sum over " + std::to_string(map.meter_count()) +
       " meters that transform: give fugu publish what they send, not readings");
  note_accuracy(state, map);
  return kDone;
}

struct ChangeArguments {
  std::string state;
  std::string series_map;
  std::string readings;
  std::string slot_length;
  std::string cards;
  std::string ledger;
  bool no_ledger = false;
};

std::string cost_text(const DistributionalPlan& plan) {
  if (plan.form == DistributionalForm::bernoulli) return "nothing is hidden about means, so it costs nothing";
  std::string cost = "each meter that joined or left pays ε = " + short_number(plan.epsilon);
  if (plan.delta > 0) cost += ", δ = " + short_number(plan.delta);
  return cost + " for it, one that moved twice that, nobody else anything; the constants of their series grow";
}

Outcome change_at_meters(const ChangeArguments& arguments, const DistributionalState& before, const SeriesMap& map) {
  if (!arguments.readings.empty())
    return Error{Cause::usage, "--readings: meters of this stream learn for themselves; give the --cards of new ones"};
  std::vector<MeterCard> cards;
  if (!arguments.cards.empty()) {
    FUGU_ASSIGN(Input input, Input::open(arguments.cards));
    FUGU_ASSIGN(cards, read_cards(std::move(input)));
    if (cards.front().plan.text() != before.plan().text())
      return Error{Cause::refused, "--cards: found other parameters than those of the state; expected the same"};
  }
  for (const MeterCard& card : cards) {
    const auto known = before.position_of(card.meter);
    if (known && before.means_of(*known) != card.levels)
      return Error{Cause::refused, "--cards: found another one of meter " + shown_name(card.meter) +
                                       " than before; expected a meter that prepared again to have a new name: it pays "
                                       "ε once more"};
  }
  FUGU_ASSIGN(const std::vector<MeterLevels> levels, levels_of(cards, map, before.newcomers(map)));
  FUGU_ASSIGN(const DistributionalState after, before.changed_levels(map, levels));
  FUGU_TRY(after.replace(arguments.state));
  note("the state has the meters of the new map; meters take their constants along, so nobody pays for it");
  note("start fugu publish again, with the new map");
  note_accuracy(after, map);
  return kDone;
}

/// For a state that was prepared before states said so, or from slot numbers.
Outcome state_slot_length(const ChangeArguments& arguments, const DistributionalState& before) {
  if (arguments.slot_length.empty())
    return Error{Cause::usage, "--series-map is missing: who counts into what from now on"};
  if (before.plan().slot_s)
    return Error{Cause::usage, "--slot-length: the state was learned from slots of " +
                                   slot_length_text(*before.plan().slot_s) +
                                   ", and says so already; to change who counts into what, give --series-map"};
  FUGU_ASSIGN(const std::int64_t slot_s, of_option("--slot-length", parse_duration(arguments.slot_length)));
  FUGU_ASSIGN(const DistributionalState after, before.with_slot_length(slot_s));
  FUGU_TRY(after.replace(arguments.state));
  note("the state says from now on that it was learned from slots of " + slot_length_text(slot_s) +
       "; nothing was drawn");
  return kDone;
}

/// Nothing for a stream without a ledger.
Result<std::optional<StateOnRecord>> record_of(const ChangeArguments& arguments) {
  if (arguments.ledger.empty() != arguments.no_ledger)
    return Error{
        Cause::usage,
        "say which ledger the stream is published into (--ledger), so that the state is seen to be the latest; "
        "or that it has none (--no-ledger): then nobody can see that"};
  if (arguments.no_ledger) return std::optional<StateOnRecord>();
  FUGU_ASSIGN(StateOnRecord record, state_on_record(arguments.ledger));
  return std::optional(std::move(record));
}

Outcome change(const ChangeArguments& arguments) {
  FUGU_ASSIGN(const auto record, record_of(arguments));
  FUGU_ASSIGN(const DistributionalState before, DistributionalState::load(arguments.state));
  if (record) FUGU_TRY(check_change(*record, before, std::nullopt));
  if (arguments.series_map.empty()) return state_slot_length(arguments, before);
  FUGU_ASSIGN(Input map_input, Input::open(arguments.series_map));
  FUGU_ASSIGN(const SeriesMap map, SeriesMap::read(std::move(map_input), before.series()));
  if (before.at_meters()) return change_at_meters(arguments, before, map);
  if (!arguments.cards.empty()) return Error{Cause::usage, "--cards belongs to a state of fugu distributional gather"};
  DistributionalPlan plan = before.plan();
  FUGU_ASSIGN(const Learned learned,
              learn({arguments.readings, arguments.slot_length, false}, plan, map, before.newcomers(map)));
  if (record) FUGU_TRY(check_change(*record, before, learned.until_s));
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
At a meter that does not trust whoever adds up, with the same options at every meter:
  fugu distributional prepare --meter h0 --readings h0-past.csv --slot-length 15m --clamp 10 --unit-step 0.01 \
                              --spread 1 --epsilon 1 --reading-epsilon 1 --out h0.state
)");
  prepare_command->add_option("--transform", arguments->transform, "gaussian, stable or bernoulli")
      ->check(CLI::IsMember({"gaussian", "stable", "bernoulli"}))
      ->capture_default_str();
  prepare_command->add_flag("--hidden", arguments->hidden, "Meters keep their own spread, which is hidden under δ");
  prepare_command->add_option("--readings", arguments->readings, "Past readings, CSV long, ordered by time");
  prepare_command->add_option("--series-map", arguments->series_map, "CSV meter,series: as of the stream");
  prepare_command->add_option("--meter", arguments->meter,
                              "Instead of a map: the state of this meter alone, which it keeps (fugu meter transform)");
  prepare_command->add_option("--reading-epsilon", arguments->reading_epsilon,
                              "--meter: noise in each value, so that a single reading is this well protected from "
                              "whoever adds up; without it, it is not");
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

void add_gather(CLI::App& command, Outcome& outcome) {
  auto arguments = std::make_shared<GatherArguments>();
  CLI::App* gather_command =
      command.add_subcommand("gather", "For a sum over meters that transform their own readings: its state");
  gather_command->footer(R"(
Takes the cards of all meters in the map (fugu meter card), one after the other in one file: cat cards/* > all.cards.
With the state fugu publish adds up what meters sent, within what a meter can have sent, and draws in the place of one
that is silent. It has no constants: meters added their own. Keep it, and keep it secret: its key is for those draws.

Give publish what meters sent, in one file with the header time,meter,sent; readings (time,meter,value) are refused.

Example
  fugu distributional gather --cards all.cards --series-map feeders.csv --out sum.state
)");
  gather_command->add_option("--cards", arguments->cards, "Cards of all meters, one after the other")->required();
  gather_command->add_option("--series-map", arguments->series_map, "CSV meter,series: as of the stream")->required();
  gather_command->add_option("--out", arguments->out, "State of the stream")->required();
  gather_command->callback([arguments, &outcome] { outcome = gather(*arguments); });
}

void add_change(CLI::App& command, Outcome& outcome) {
  auto arguments = std::make_shared<ChangeArguments>();
  CLI::App* change_command = command.add_subcommand("change", "Let meters join, leave or move, at a stated cost");
  change_command->footer(R"(
Replaces the state. Constants stay, and one more is drawn for each series that got or lost a meter: without it the
difference of totals before and after would be what the meter is like. Who joins, leaves or moves pays ε once more,
nobody else pays; but constants add up, so make many changes at once. A meter that stays in the map and does not report
any more costs nothing: draws of its law stay in the total.

Past readings are needed of meters that are new, and must end before the stream goes on. Where meters transform (gather),
their cards are needed instead; nothing is drawn, and nobody pays, because meters take their own constants along.

There is one latest state. Who restores an earlier one and changes it again draws twice for the same meters: the ledger
knows the state it was written with, and change, publish and audit refuse any other that does not descend from it.

Examples
  fugu distributional change --state stream.state --series-map feeders-new.csv --readings past.csv --ledger run.ledger
A state that does not say how long its slots were, because it is of before states did; nothing is drawn:
  fugu distributional change --state stream.state --slot-length 15m --ledger run.ledger
)");
  change_command->add_option("--state", arguments->state, "State of the stream; it is replaced")->required();
  change_command->add_option("--series-map", arguments->series_map, "CSV meter,series: as of now on");
  change_command->add_option("--ledger", arguments->ledger,
                             "Ledger that the stream is published into: shows that the state is the latest, and where "
                             "the stream goes on");
  change_command->add_flag("--no-ledger", arguments->no_ledger,
                           "Nothing was published with this state yet, or without a ledger");
  change_command->add_option("--readings", arguments->readings,
                             "Past readings of new meters, CSV long, ordered by time");
  change_command->add_option("--cards", arguments->cards,
                             "Where meters transform: cards of new ones (fugu meter card)");
  change_command->add_option("--slot-length", arguments->slot_length,
                             "Length of the slots that were learned from, when the state does not say it: 15m");
  change_command->callback([arguments, &outcome] { outcome = change(*arguments); });
}

}  // namespace

void add_distributional(CLI::App& app, Outcome& outcome) {
  CLI::App* command = app.add_subcommand("distributional", "Hide what readings are like in public circumstances");
  command->footer(kExamples);
  command->require_subcommand(1);
  add_prepare(*command, outcome);
  add_gather(*command, outcome);
  add_change(*command, outcome);
}

}  // namespace fugu::cli
