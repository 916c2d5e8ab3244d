// fugu audit: does the promise hold, according to what was recorded?
#include "audit.hpp"

#include <cstdio>

#include "definition_options.hpp"
#include "released_file.hpp"
#include "run_facts.hpp"

namespace fugu::cli {

namespace {

struct AuditArguments {
  std::string ledger;
  std::string released;
  std::string distributional;  ///< state that the readings went through
  bool open_ended = false;
  HeadArguments heads;
  DefinitionOptions definition;
  std::string unit_step;  ///< empty: one that rounds no sensitivity or magnitude up by much
};

constexpr const char* kExamples = R"(
From a ledger: recomputes the guarantee from the recorded answers, in code that shares nothing with the code that
granted them. Released files are compared with the ledger to the byte, filters and error bands included. The report says
what was not checked. What has no ledger has a subcommand. Exit code 0 when everything holds, 1 when anything does not.

Examples
  fugu audit --ledger run.ledger --released released.csv
  fugu audit --ledger run.ledger --open                      the run is still going
  fugu audit --ledger run.ledger --head 5f2c…                continues what somebody saw, whose head they kept
  fugu audit --ledger run.ledger --key operator.key.pub      signed by the operator
  fugu audit --released released.csv --definition w-event --epsilon 1 --w 96 --sensitivity 10
  fugu audit --released released.csv --policies policies.csv
                                                             believes the stated loss rates; a ledger is better evidence
  fugu audit --ledger meters.ledger --distributional stream.state
                                                             readings went through that state (fugu distributional)
  fugu audit distributional --state stream.state             the state alone
  fugu audit temporal --epsilon 1 --delta 1e-6               what reports of fugu meter give away
)";

/// Names or policies that are listed before the rest is summed up.
constexpr std::size_t kNamed = 5;

std::string names_of(const std::vector<SeriesId>& ids, const std::vector<std::string>& series) {
  std::string names;
  for (std::size_t i = 0; i < ids.size() && i < kNamed; ++i) names += (i > 0 ? ", " : "") + series[ids[i]];
  if (ids.size() > kNamed) names += ", …";
  return names;
}

std::string slots_text(const Interval& interval) {
  return "slots " + std::to_string(interval.first) + " to " + std::to_string(interval.last);
}

std::string count_text(std::uint64_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// What the numbers of a report are about.
struct Stream {
  std::vector<std::string> series;
  double unit_step = 1;
};

/// "up to 2.1 for up to 3 slots, somewhere in slots 44 to 55"
std::string text_of(const Policy& policy, double unit_step) {
  return (policy.shape ? "a pattern of up to " : "up to ") +
         short_number(static_cast<double>(policy.magnitude_steps) * unit_step) + " for up to " +
         count_text(policy.length_slots, "slot") + ", somewhere in " + slots_text(policy.interval);
}

void print_windows(const AuditReport& report, const std::vector<std::string>& series) {
  std::printf("worst loss  %s = %s of %s promised", report.measure.c_str(), short_number(report.worst_loss).c_str(),
              short_number(report.promised).c_str());
  if (report.slots > 0 && !report.worst_series.empty())
    std::printf(", in slots %lld to %lld, for a meter in %s", static_cast<long long>(report.worst_first_slot),
                static_cast<long long>(report.worst_last_slot), names_of(report.worst_series, series).c_str());
  if (report.policies) std::printf(" (the floor, for everybody)");
  std::printf("\n");
}

void print_placement(const WorstPolicy& worst, double unit_step) {
  for (std::size_t i = 0; i < worst.placement.size() && i < kNamed; ++i) {
    const PolicyPlacement& placed = worst.placement[i];
    const bool own = placed.policy == worst.policy;
    std::printf("%-11s from slot %lld on: %s\n", i == 0 ? "when" : "", static_cast<long long>(placed.start),
                own ? "this" : text_of(placed.policy, unit_step).c_str());
  }
  if (worst.placement.size() > kNamed)
    std::printf("            and %zu more policies of the meter that overlap it\n", worst.placement.size() - kNamed);
}

void print_policies(const AuditReport& report, const Stream& stream) {
  std::printf("policies    %llu", static_cast<unsigned long long>(*report.policies));
  if (!report.worst_policy) {
    std::printf("\n");
    return;
  }
  const WorstPolicy& worst = *report.worst_policy;
  std::printf("; the worst may have lost %s = %s of %s promised, %s of what it allows\n", worst.measure.c_str(),
              short_number(worst.loss).c_str(), short_number(worst.promised).c_str(),
              short_number(worst.ratio).c_str());
  std::printf("that policy meter %s (in %s): %s, ε = %s\n", worst.meter.c_str(),
              names_of(worst.series, stream.series).c_str(), text_of(worst.policy, stream.unit_step).c_str(),
              short_number(worst.policy.epsilon.to_double()).c_str());
  print_placement(worst, stream.unit_step);
}

void print(const AuditReport& report, const Stream& stream) {
  std::printf("definition  %s\n", report.definition.c_str());
  std::printf("slots       %llu\nanswers     %llu\n", static_cast<unsigned long long>(report.slots),
              static_cast<unsigned long long>(report.answers));
  if (report.slots_left_out > 0)
    std::printf(
        "left out    %llu slots after a loss of records; that no later slot had been handed out is the operator's "
        "word\n",
        static_cast<unsigned long long>(report.slots_left_out));
  if (report.slots_not_in_file > 0)
    std::printf("released    %llu of these slots are not in the file\n",
                static_cast<unsigned long long>(report.slots_not_in_file));
  if (!report.measure.empty()) print_windows(report, stream.series);
  if (report.policies) print_policies(report, stream);
  for (const std::string& what : report.not_checked) std::printf("not checked %s\n", what.c_str());
  for (const std::string& finding : report.findings) std::printf("finding     %s\n", finding.c_str());
  if (report.findings_total > report.findings.size())
    std::printf("finding     and %llu more\n",
                static_cast<unsigned long long>(report.findings_total - report.findings.size()));
}

int verdict(bool holds) {
  std::printf("verdict     %s\n", holds ? "holds" : "FAILS");
  return holds ? kDone : kAnswerIsNo;
}

/// The state given for a run whose readings went through one: the one on record, or an error.
Result<std::optional<DistributionalState>> state_of_run(const LedgerHeader& run, const std::string& path) {
  if (path.empty()) return std::optional<DistributionalState>();
  const std::string* recorded = state_id_of(run);
  if (recorded == nullptr)
    return Error{Cause::usage, "--distributional: the ledger says that readings were summed as they are: leave it out"};
  FUGU_ASSIGN(DistributionalState state, DistributionalState::load(path));
  if (state.id() != *recorded)
    return found_but_expected({path, 0, 0}, "state " + state.id(), "the one that the ledger names, " + *recorded);
  return std::optional(std::move(state));
}

/// The other promise of such a run: what readings are like. Whether it holds, as far as it was looked at.
Result<bool> print_distributional(const LedgerHeader& run, const Households& households,
                                  const std::optional<DistributionalState>& state) {
  const std::string* recorded = state_id_of(run);
  if (recorded == nullptr) return true;
  std::printf("readings    went through the distributional transform of a state, which has a promise of its own\n");
  if (state) return print_audit(*state, most_drawn_for(households, *state));
  std::printf("state       %s: NOT AUDITED, give it to see about its promise (--distributional STATE)\n",
              recorded->c_str());
  return true;
}

Outcome audit_with_ledger(const AuditArguments& arguments) {
  FUGU_ASSIGN(const LedgerReader ledger, LedgerReader::open(arguments.ledger));
  const LedgerHeader& run = ledger.header();
  FUGU_ASSIGN(const auto state, state_of_run(run, arguments.distributional));
  FUGU_ASSIGN(AuditReport report, audit_ledger(arguments.ledger, {.open_ended = arguments.open_ended}));
  const auto unit_step = unit_step_of(run);
  if (!arguments.released.empty()) {
    FUGU_ASSIGN(const ReleaseFormat format, release_format_of(run));
    FUGU_ASSIGN(Input released, Input::open(arguments.released));
    FUGU_TRY(audit_releases_against_ledger(std::move(released), arguments.ledger, format, report));
  } else {
    report.not_checked.emplace_back("what was published: --released OUT.csv compares it with the ledger");
  }
  Households households;
  if (state) {
    FUGU_ASSIGN(households, households_on_record(arguments.ledger));
    audit_state(run, households, *state, report);
  }
  FUGU_TRY(audit_heads(arguments.ledger, arguments.heads, arguments.open_ended, report));
  print(report, {run.series, unit_step ? unit_step->to_double() : 1});
  FUGU_ASSIGN(const bool state_holds, print_distributional(run, households, state));
  return verdict(report.holds() && state_holds);
}

/// The finest grid that can count the sensitivities.
Result<UnitStep> finest_grid(const DefinitionOptions& about, std::size_t series, const ScheduleFile* schedule) {
  for (const char* step : {"0.000001", "0.0001", "0.01"}) {
    FUGU_ASSIGN(const UnitStep fine, UnitStep::parse(step));
    if (about.exposure_of_stream(fine, series, nullptr, schedule)) return fine;
  }
  return UnitStep::parse("1");
}

/// On what the released file itself states.
Outcome audit_without_ledger(const AuditArguments& arguments) {
  DefinitionOptions about = arguments.definition;
  const bool has_policies = about.policies.given();
  // Policies say themselves what may change. Without a word about what holds besides, nothing is checked of that.
  const bool unchecked_floor = has_policies && about.policies.floor.empty() && !about.policies.exact_when_idle;
  if (unchecked_floor) about.policies.exact_when_idle = true;
  FUGU_ASSIGN(const Definition definition, about.make());
  FUGU_ASSIGN(const std::vector<std::string> series, series_in(arguments.released));
  FUGU_ASSIGN(const auto schedule, about.read_schedule(series));
  const ScheduleFile* const varies = schedule ? &*schedule : nullptr;
  FUGU_ASSIGN(const UnitStep unit_step, arguments.unit_step.empty()
                                            ? finest_grid(about, series.size(), varies)
                                            : of_option("--unit-step", UnitStep::parse(arguments.unit_step)));
  FUGU_ASSIGN(Exposure exposure, about.exposure_of_stream(unit_step, series.size(), nullptr, varies));
  FUGU_ASSIGN(const RunClock clock, clock_in(arguments.released));
  if (schedule) {
    FUGU_ASSIGN(const SensitivityRows rows, SensitivityRows::of(*schedule, unit_step, series.size()));
    FUGU_ASSIGN(exposure, exposure_over_time(exposure, *schedule, rows, clock));
  }
  PolicyBook book;
  if (has_policies) {
    FUGU_ASSIGN(book, about.policies.read({.unit_step = unit_step,
                                           .clock = clock.clock,
                                           .utc_offset_s = clock.utc_offset_s,
                                           .default_utc_offset_s = clock.utc_offset_s,
                                           .series = series}));
  }
  FUGU_ASSIGN(Input input, Input::open(arguments.released));
  FUGU_ASSIGN(ReleaseReader reader, ReleaseReader::open(std::move(input), {clock.clock, series}));
  const ReleasedRows rows = [&](ReleaseRecord& row) { return reader.next(row); };
  FUGU_ASSIGN(AuditReport report, has_policies
                                      ? audit_stated_rates(rows, definition, exposure, book, unit_step.to_double())
                                      : audit_stated_rates(rows, definition, exposure, unit_step.to_double()));
  if (unchecked_floor)
    report.definition =
        "swellfish: the policies given; what holds besides was not looked at (--floor or --exact-when-idle)";
  note("the loss rates in the file are believed; audit the ledger for evidence");
  print(report, {series, unit_step.to_double()});
  return verdict(report.holds());
}

/// A ledger says itself what was promised: whoever gives another promise would believe that it was checked.
Result<void> check_promise_is_the_ledgers(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const bool is_promise = option->get_group() == "Promise" || option->get_group() == "Policies";
    if (is_promise && option->count() > 0)
      return Error{Cause::usage, option->get_name() +
                                     ": the ledger says what was promised; this is for audits without "
                                     "one. To check another promise: --released OUT.csv and no --ledger"};
  }
  return {};
}

}  // namespace

void add_audit(CLI::App& app, Outcome& outcome) {
  auto arguments = std::make_shared<AuditArguments>();
  CLI::App* command = app.add_subcommand("audit", "Recompute a guarantee from what was recorded");
  command->footer(kExamples);
  auto* ledger = command->add_option("--ledger", arguments->ledger, "The ledger of the run");
  command->add_option("--released", arguments->released, "Releases to compare with it");
  command->add_flag("--open", arguments->open_ended, "The run is still going: a ledger without an end is in order");
  command
      ->add_option("--distributional", arguments->distributional,
                   "State that the readings went through (publish --distributional): audits its promise as well")
      ->needs(ledger);
  arguments->heads.add_to(*command, ledger);
  arguments->definition.add_to(*command);
  command
      ->add_option("--unit-step", arguments->unit_step,
                   "Without a ledger: the grid that sensitivity and magnitudes are rounded up to")
      ->group("Promise");
  const auto options = command->get_options();
  add_audit_temporal(*command, outcome);
  add_audit_distributional(*command, outcome);
  command->require_subcommand(0, 1);
  for (CLI::App* part : command->get_subcommands({})) {
    for (CLI::Option* option : options) {
      if (option != command->get_help_ptr()) part->excludes(option);
    }
  }
  command->callback([arguments, command, &outcome]() -> void {
    if (!command->get_subcommands().empty()) return;  // it has done its work
    if (!arguments->ledger.empty()) {
      const auto checked = check_promise_is_the_ledgers(*command);
      outcome = checked ? audit_with_ledger(*arguments) : Outcome(checked.error());
    } else if (!arguments->released.empty()) {
      outcome = audit_without_ledger(*arguments);
    } else {
      outcome =
          Error{Cause::usage,
                "say what to audit: --ledger L, perhaps with --released OUT.csv; or a part, see: fugu help audit"};
    }
  });
}

}  // namespace fugu::cli
