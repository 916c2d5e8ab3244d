// fugu simulate: streams and policies to try things on.
#include <cstdio>
#include <optional>

#include "command.hpp"
#include "fugu/simulate/artificial.hpp"
#include "fugu/simulate/wishes.hpp"
#include "fugu/stream/decimal.hpp"
#include "output_stream.hpp"
#include "policy_rows.hpp"
#include "simulate_households.hpp"

namespace fugu::cli {

namespace {

struct ArtificialArguments {
  ArtificialOptions stream;
  std::string form = "thesis";
  // Without these, the form decides.
  std::optional<double> level;
  std::optional<double> growth;
  std::optional<int> decimals;
  std::optional<std::uint64_t> seed;
  std::string name = "load";
  std::string start;
  std::string slot_length = "15m";
  std::string out = "-";
};

constexpr Slot kSlotsMax = 1'000'000'000;  // a file of about 15 GB

constexpr const char* kExamples = R"(
Examples
  fugu simulate artificial --length 2000 --season 96 --growth 1.05 --amplitude 12000 --level 4000 --out totals.csv
  fugu simulate artificial --start 2026-03-28T00:00:00+01:00 --slot-length 15m --season 96 --level 200
  fugu simulate artificial --form authors --season 80 --amplitude 10000 --out theirs.csv
)";

Result<ArtificialOptions> artificial_options(const ArtificialArguments& arguments) {
  const auto form = parse_artificial_form(arguments.form);
  if (!form)
    return Error{Cause::usage, "--form: found " + arguments.form + "; expected thesis, as-published or authors"};
  ArtificialOptions options = arguments.stream;
  const ArtificialOptions defaults = artificial_defaults(*form);
  options.form = *form;
  options.level = arguments.level.value_or(defaults.level);
  options.growth = arguments.growth.value_or(defaults.growth);
  options.decimals = arguments.decimals.value_or(defaults.decimals);
  options.seed = arguments.seed.value_or(defaults.seed);
  return options;
}

Outcome simulate_artificial(const ArtificialArguments& arguments) {
  if (arguments.name.empty() || arguments.name.find_first_of(",\"\r\n") != std::string::npos)
    return Error{Cause::usage, "--name: expected a name without commas, quotes and line breaks"};
  if (arguments.stream.length_slots > kSlotsMax)
    return Error{Cause::usage, "--length: expected at most " + std::to_string(kSlotsMax) + " slots"};
  FUGU_ASSIGN(const RunClock time, clock_from(arguments.start, arguments.slot_length));
  FUGU_ASSIGN(const ArtificialOptions options, artificial_options(arguments));
  FUGU_ASSIGN(ArtificialStream stream, ArtificialStream::make(options));
  FUGU_ASSIGN(OutputStream out, OutputStream::open(arguments.out));
  std::fprintf(out.get(), "time,%s\n", arguments.name.c_str());
  for (Slot slot = 0; slot < options.length_slots; ++slot) {
    std::fprintf(out.get(), "%s,%.*f\n", time.clock.text(slot, time.utc_offset_s).c_str(), options.decimals,
                 stream.next());
    if (std::ferror(out.get()) != 0) break;
  }
  FUGU_TRY(out.finish());
  return kDone;
}

struct WishArguments {
  WishOptions wishes;
  std::int64_t meters = 1;
  std::int64_t days = 7;
  std::string start;
  std::string out = "-";
};

constexpr const char* kPolicyExamples = R"(
Each use of an appliance becomes one policy, hidden in an interval four times as long as the use, around it. Slots are
quarter hours, magnitudes kW with up to three decimals: plan and publish with --unit-step 0.001.

Examples
  fugu simulate policies --meters 20 --days 7 --per-day 12 --epsilon 1 --out policies.csv
  fugu simulate policies --days 3 --epsilon 0.5 --seed 4 --start 2026-03-28T00:00:00+01:00
)";

Result<void> check_range(const char* option, std::int64_t found, std::int64_t most) {
  if (found >= 1 && found <= most) return {};
  return Error{Cause::usage,
               std::string(option) + ": found " + std::to_string(found) + "; expected 1 to " + std::to_string(most)};
}

Result<void> check(const WishArguments& arguments) {
  const auto epsilon = Epsilon::make(arguments.wishes.epsilon);
  if (!epsilon) return Error{Cause::usage, "--epsilon: " + epsilon.error().message};
  if (!(arguments.wishes.uses_per_day >= 0.1 && arguments.wishes.uses_per_day <= 1000))
    return Error{Cause::usage, "--per-day: expected 0.1 to 1000"};
  FUGU_TRY(check_range("--meters", arguments.meters, 10'000'000));
  return check_range("--days", arguments.days, 36'600);
}

Outcome simulate_policies(const WishArguments& arguments) {
  FUGU_TRY(check(arguments));
  FUGU_ASSIGN(const RunClock time, clock_from(arguments.start, "15m"));
  FUGU_ASSIGN(const UnitStep step, UnitStep::parse("0.001"));
  FUGU_ASSIGN(OutputStream out, OutputStream::open(arguments.out));
  write_policy_header(out.get());
  const auto meters = static_cast<std::uint64_t>(arguments.meters);
  const auto days = static_cast<std::uint64_t>(arguments.days);
  for (std::uint64_t meter = 0; meter < meters && std::ferror(out.get()) == 0; ++meter) {
    for (const Policy& wish : simulated_wishes_of_days(arguments.wishes, meter, days))
      write_policy(out.get(), "h" + std::to_string(meter), wish, time, step);
  }
  FUGU_TRY(out.finish());
  return kDone;
}

void add_artificial(CLI::App& command, Outcome& outcome) {
  auto arguments = std::make_shared<ArtificialArguments>();
  CLI::App* artificial = command.add_subcommand("artificial", "A seasonal stream (Schäler's thesis, Algorithm 3)");
  artificial->footer(kExamples);
  ArtificialOptions& stream = arguments->stream;
  artificial->add_option("--length", stream.length_slots, "Slots")->capture_default_str();
  artificial->add_option("--season", stream.season_slots, "Mean length of a season in slots")->capture_default_str();
  artificial->add_option("--amplitude", stream.amplitude, "Largest value above the level")->capture_default_str();
  artificial
      ->add_option("--form", arguments->form,
                   "thesis: as printed; as-published: the law of the authors' code; authors: their very streams")
      ->capture_default_str();
  artificial->add_option("--level", arguments->level, "Smallest value; 0, or 2 with the authors' forms");
  artificial
      ->add_option("--sparsity", stream.sparsity, "Share of slots at the level between seasons, from 0 to below 1")
      ->capture_default_str();
  artificial->add_option("--growth", arguments->growth,
                         "Growth per slot within a season; 1.5, or 1.3 with the authors' forms");
  artificial->add_option("--decimals", arguments->decimals, "Decimals of the values; 0, or 3 with the authors' forms");
  artificial->add_option("--seed", arguments->seed,
                         "Equal seeds give equal streams; 1, or 12345678 with --form authors");
  artificial->add_option("--name", arguments->name, "Name of the series")->capture_default_str();
  artificial->add_option("--start", arguments->start, "Time of the first slot; plain slot numbers without it");
  artificial->add_option("--slot-length", arguments->slot_length, "Length of a slot when --start is given")
      ->capture_default_str();
  artificial->add_option("--out", arguments->out, "Stream, CSV wide; - is standard output")->capture_default_str();
  artificial->callback([arguments, &outcome] { outcome = simulate_artificial(*arguments); });
}

void add_policies(CLI::App& command, Outcome& outcome) {
  auto arguments = std::make_shared<WishArguments>();
  CLI::App* policies = command.add_subcommand("policies", "What made-up households want hidden");
  policies->footer(kPolicyExamples);
  WishOptions& wishes = arguments->wishes;
  policies->add_option("--meters", arguments->meters, "Households, named h0, h1, …")->capture_default_str();
  policies->add_option("--days", arguments->days, "Days of 96 quarter hours")->capture_default_str();
  policies->add_option("--per-day", wishes.uses_per_day, "Policies of a household and day, on average")
      ->capture_default_str();
  policies->add_option("--epsilon", wishes.epsilon, "How well each is hidden")->capture_default_str();
  policies->add_option("--seed", wishes.seed, "Equal seeds give equal policies")->capture_default_str();
  policies->add_option("--start", arguments->start, "Time of the first slot; plain slot numbers without it");
  policies->add_option("--out", arguments->out, "Policies, CSV; - is standard output")->capture_default_str();
  policies->callback([arguments, &outcome] { outcome = simulate_policies(*arguments); });
}

}  // namespace

void add_simulate(CLI::App& app, Outcome& outcome) {
  CLI::App* command = app.add_subcommand("simulate", "Make streams and policies to try things on");
  command->require_subcommand(1);
  add_artificial(*command, outcome);
  add_policies(*command, outcome);
  add_households(*command, outcome);
}

}  // namespace fugu::cli
