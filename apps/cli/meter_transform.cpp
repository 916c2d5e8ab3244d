// fugu meter card and transform: a meter that does not trust who adds up its readings.
#include "file_options.hpp"
#include "fugu/distributional/meter_sender.hpp"
#include "meter.hpp"
#include "progress.hpp"

namespace fugu::cli {

namespace {

Result<MeterTransform> load_meter(const std::string& path) {
  FUGU_ASSIGN(DistributionalState state, DistributionalState::load(path));
  auto meter = MeterTransform::make(std::move(state));
  if (!meter) return Error{meter.error().cause, path + ": " + meter.error().message};
  return meter;
}

// --- fugu meter card
// --------------------------------------------------------------------------------------------------

struct CardArguments {
  std::string state;
  std::string out;
};

Outcome write_card(const CardArguments& arguments) {
  FUGU_TRY(check_different({{"--state", arguments.state}, {"--out", arguments.out}}));
  FUGU_ASSIGN(const MeterTransform meter, load_meter(arguments.state));
  FUGU_TRY(detail::replace_durably(arguments.out, meter.card().text()));
  note("card of meter " + shown_name(meter.meter()) + ": give it to whoever adds up, once; the state stays here");
  return kDone;
}

void add_card(CLI::App& command, Outcome& outcome) {
  auto arguments = std::make_shared<CardArguments>();
  CLI::App* card = command.add_subcommand("card", "What the sum has to know of a meter that transforms its readings");
  card->footer(R"(
A card has the meter's name, the public parameters, and the levels that its values are drawn around, noise included: no
more than what a long watch of its values shows, and ε covers. With it, whoever adds up fills in when the meter is
silent. From the same state it is always the same. Cards are not signed: bring them over a channel that is.

Example
  fugu meter card --state h0.state --out h0.card
)");
  card->add_option("--state", arguments->state, "State of this meter: fugu distributional prepare --meter")->required();
  card->add_option("--out", arguments->out, "The card")->required();
  card->callback([arguments, &outcome] { outcome = write_card(*arguments); });
}

// --- fugu meter transform
// ---------------------------------------------------------------------------------------------

struct TransformArguments {
  std::string state;
  std::string readings = "-";
  std::string slot_length;
  std::string journal;
  std::string out = "-";
  Slot gap_slots_max = kGapSlotsMax;
};

std::string summary_of(const MeterSender& sender) {
  std::string text = std::to_string(sender.readings()) + " readings, " + std::to_string(sender.sent()) + " values sent";
  if (sender.filled() > 0) text += ", " + std::to_string(sender.filled()) + " of them for slots without a row";
  if (sender.known() > 0) text += "; " + std::to_string(sender.known()) + " readings had been taken before";
  return text;
}

Outcome transform(const TransformArguments& arguments) {
  FUGU_TRY(check_different({{"--state", arguments.state},
                            {"--readings", arguments.readings},
                            {"--journal", arguments.journal},
                            {"--out", arguments.out}}));
  FUGU_ASSIGN(const auto slot_s, slot_length_of(arguments.slot_length));
  FUGU_ASSIGN(MeterTransform meter, load_meter(arguments.state));
  const DistributionalPlan plan = meter.state().plan();
  NameTable names;
  names.intern(meter.meter());
  const auto progress = std::make_shared<ReadProgress>();
  FUGU_ASSIGN(Input input, Input::open(arguments.readings, progress));
  FUGU_ASSIGN(MeterReadings readings,
              MeterReadings::open(std::move(input), names,
                                  {plan.unit_step, slot_s, warn,
                                   "meter " + shown_name(meter.meter()) + ", whose state this is, and no other"}));
  if (readings.empty()) {
    note("no readings: nothing is sent");
    return kDone;
  }
  FUGU_ASSIGN(MeterSender sender, MeterSender::open(std::move(meter), readings.format(),
                                                    {arguments.journal, arguments.out}, arguments.gap_slots_max));
  if (plan.form == DistributionalForm::bernoulli)
    note("everything but the mean is protected from whoever gets the values");
  else if (plan.reading_epsilon == 0)
    note(
        "what readings are like is protected from whoever gets the values, single readings are not: prepare with "
        "--reading-epsilon for that");
  {
    Progress taken("readings taken");
    FUGU_TRY(sender.run(readings, [&] { taken.update(sender.readings(), *progress); }));
  }  // its line is gone before the last words
  note(summary_of(sender));
  return kDone;
}

void add_transform(CLI::App& command, Outcome& outcome) {
  auto arguments = std::make_shared<TransformArguments>();
  CLI::App* transform_command =
      command.add_subcommand("transform", "Send other values than the readings, so that their law gives nothing away");
  transform_command->footer(R"(
Runs at one meter, with a state that was prepared there (fugu distributional prepare --meter): its key, what it learned
of its own readings, its own constants. Reads CSV `time,meter,value`, ordered by time, and appends what is sent as
`time,meter,sent`. Nothing else leaves. Sum the values of all meters with fugu distributional gather and fugu publish,
which knows them from readings by the name of that column.

What readings are like is protected, with the state's ε, from everybody, whoever adds up included. A single reading is
protected from whoever adds up only when the state was prepared with --reading-epsilon.

From its first slot on, a meter sends a value for every slot: a missing reading is replaced by a draw of its law. The
journal has a keyed hash of every reading that was used, and is durable before a value leaves. Killed at any point, give
the same command again: the same readings give the same values, also with an older journal or none, because draws follow
from the state's key. Another reading for a slot that was sent is refused (exit code 3): both values would show how far
apart they are. An --out file that is there gets what it does not have yet; without the journal that its values were sent
with it is refused, as it might hold readings.

Examples
  fugu meter transform --state h0.state --readings h0.csv --slot-length 15m --journal h0.journal --out h0.sent.csv
  tail -n +1 -f live.csv | fugu meter transform --state h0.state --slot-length 15m --journal h0.journal \
                                                --out h0.sent.csv
)");
  transform_command->add_option("--state", arguments->state, "State of this meter")->required();
  transform_command
      ->add_option("--readings", arguments->readings, "Readings, CSV long, ordered by time; - is standard input")
      ->capture_default_str();
  transform_command->add_option("--slot-length", arguments->slot_length, "Length of a slot when times are stamps: 15m");
  transform_command->add_option("--journal", arguments->journal, "Which slots were sent; made when it is not there")
      ->required();
  transform_command->add_option("--out", arguments->out, "What is sent, CSV time,meter,sent; - is standard output")
      ->capture_default_str();
  transform_command
      ->add_option("--gap-max", arguments->gap_slots_max,
                   "A row that would pass over more slots is an error: a typo, or an outage to confirm")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  transform_command->callback([arguments, &outcome] { outcome = transform(*arguments); });
}

}  // namespace

void add_meter_transform(CLI::App& command, Outcome& outcome) {
  add_card(command, outcome);
  add_transform(command, outcome);
}

}  // namespace fugu::cli
