// fugu distributional: prepares a stream whose law gives nothing away.
#include <cmath>

#include "command.hpp"
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

struct Learned {
  std::vector<MeterProfile> profiles = {};
  std::optional<std::int64_t> until_s = {};
};

Result<Learned> learn(const PrepareArguments& arguments, const DistributionalPlan& plan, const SeriesMap& map) {
  if (plan.form == DistributionalForm::bernoulli) return Learned();
  if (arguments.readings.empty())
    return Error{Cause::usage, "--readings is missing: past readings, from which meters learn what theirs are like"};
  std::optional<std::int64_t> slot_s;
  if (!arguments.slot_length.empty()) {
    FUGU_ASSIGN(slot_s, of_option("--slot-length", parse_duration(arguments.slot_length)));
  }
  NameTable meters;
  for (MeterId meter = 0; meter < map.meter_count(); ++meter) meters.intern(map.meter_name(meter));
  FUGU_ASSIGN(Input input, Input::open(arguments.readings));
  FUGU_ASSIGN(MeterReadings readings, MeterReadings::open(std::move(input), meters, {plan.unit_step, slot_s, warn}));
  Learned learned;
  FUGU_ASSIGN(learned.profiles, learn_profiles(readings, meters, plan.clamp));
  learned.until_s = readings.end_s();
  return learned;
}

Outcome prepare(const PrepareArguments& arguments) {
  FUGU_ASSIGN(const DistributionalPlan plan, plan_of(arguments));
  FUGU_ASSIGN(Input map_input, Input::open(arguments.series_map));
  FUGU_ASSIGN(const SeriesMap map, SeriesMap::read(std::move(map_input)));
  FUGU_ASSIGN(Learned learned, learn(arguments, plan, map));
  FUGU_ASSIGN(const DistributionalState state,
              DistributionalState::prepare(plan, map, std::move(learned.profiles), learned.until_s));
  FUGU_TRY(state.save(arguments.out));
  note(std::string(name_of(plan.form)) + " state of " + std::to_string(map.meter_count()) +
       " meters; keep it for the life of the stream, and secret");
  if (state.transform().squeezed() > 0) {
    note(std::to_string(state.transform().squeezed()) +
         " meters spread more than --spread allows: what they send swings less than their readings");
  }
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
  prepare_command->add_option("--epsilon", arguments->epsilon, "How well parameters are hidden, for ever");
  prepare_command->add_option("--delta", arguments->delta, "--hidden: how likely a variance may show");
  prepare_command->add_option("--mean-share", arguments->mean_share, "--hidden: the part of ε for means")
      ->capture_default_str();
  prepare_command->add_option("--sample", arguments->sample, "Share of slots in which a meter uses its reading")
      ->capture_default_str();
  prepare_command->add_option("--out", arguments->out, "State of the stream")->required();
  prepare_command->callback([arguments, &outcome] { outcome = prepare(*arguments); });
}

}  // namespace

void add_distributional(CLI::App& app, Outcome& outcome) {
  CLI::App* command = app.add_subcommand("distributional", "Hide what readings are like, however long the stream");
  command->footer(kExamples);
  command->require_subcommand(1);
  add_prepare(*command, outcome);
}

}  // namespace fugu::cli
