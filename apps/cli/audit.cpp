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
  DefinitionOptions definition;
  std::optional<std::string> unit_step;  ///< 1; with policies a millionth
};

constexpr const char* kExamples = R"(
From a ledger: recomputes the guarantee from the recorded answers, in code that shares nothing with the code that
granted them. What has no ledger has a subcommand. Exit code 0 when everything holds, 1 when anything does not.

Examples
  fugu audit --ledger run.ledger --released released.csv
  fugu audit --ledger run.ledger --open                      the run is still going
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

/// "up to 2100 steps for up to 3 slots, somewhere in slots 44 to 55"
std::string text_of(const Policy& policy) {
  return (policy.shape ? "a pattern of up to " : "up to ") + count_text(policy.magnitude_steps, "step") +
         " for up to " + count_text(policy.length_slots, "slot") + ", somewhere in " + slots_text(policy.interval);
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

void print_placement(const WorstPolicy& worst) {
  for (std::size_t i = 0; i < worst.placement.size() && i < kNamed; ++i) {
    const PolicyPlacement& placed = worst.placement[i];
    const bool own = placed.policy == worst.policy;
    std::printf("%-11s from slot %lld on: %s\n", i == 0 ? "when" : "", static_cast<long long>(placed.start),
                own ? "this" : text_of(placed.policy).c_str());
  }
  if (worst.placement.size() > kNamed)
    std::printf("            and %zu more policies of the meter that overlap it\n", worst.placement.size() - kNamed);
}

void print_policies(const AuditReport& report, const std::vector<std::string>& series) {
  std::printf("policies    %llu", static_cast<unsigned long long>(*report.policies));
  if (!report.worst_policy) {
    std::printf("\n");
    return;
  }
  const WorstPolicy& worst = *report.worst_policy;
  std::printf("; the worst may have lost %s = %s of %s promised, %s of what it allows\n", worst.measure.c_str(),
              short_number(worst.loss).c_str(), short_number(worst.promised).c_str(),
              short_number(worst.ratio).c_str());
  std::printf("that policy meter %s (in %s): %s, ε = %s\n", worst.meter.c_str(), names_of(worst.series, series).c_str(),
              text_of(worst.policy).c_str(), short_number(worst.policy.epsilon.to_double()).c_str());
  print_placement(worst);
}

void print(const AuditReport& report, const std::vector<std::string>& series) {
  std::printf("definition  %s\n", report.definition.c_str());
  std::printf("slots       %llu\nanswers     %llu\n", static_cast<unsigned long long>(report.slots),
              static_cast<unsigned long long>(report.answers));
  if (!report.measure.empty()) print_windows(report, series);
  if (report.policies) print_policies(report, series);
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
  const std::string* recorded = distributional_state_of(run);
  if (recorded == nullptr)
    return Error{Cause::usage, "--distributional: the ledger says that readings were summed as they are: leave it out"};
  FUGU_ASSIGN(DistributionalState state, DistributionalState::load(path));
  if (state.id() != *recorded)
    return found_but_expected({path, 0, 0}, "state " + state.id(), "the one that the ledger names, " + *recorded);
  return std::optional(std::move(state));
}

/// The other promise of such a run: what readings are like, for ever. Whether it holds, as far as it was looked at.
Result<bool> print_distributional(const LedgerHeader& run, const std::optional<DistributionalState>& state) {
  const std::string* recorded = distributional_state_of(run);
  if (recorded == nullptr) return true;
  std::printf("readings    went through the distributional transform of a state, which has a promise of its own\n");
  if (state) return print_audit(*state);
  std::printf("state       %s: NOT AUDITED, give it to see about its promise (--distributional STATE)\n",
              recorded->c_str());
  return true;
}

Outcome audit_with_ledger(const AuditArguments& arguments) {
  FUGU_ASSIGN(const LedgerReader ledger, LedgerReader::open(arguments.ledger));
  const LedgerHeader& run = ledger.header();
  FUGU_ASSIGN(const auto state, state_of_run(run, arguments.distributional));
  FUGU_ASSIGN(AuditReport report, audit_ledger(arguments.ledger, {.open_ended = arguments.open_ended}));
  if (!arguments.released.empty()) {
    FUGU_ASSIGN(const RunClock clock, clock_of(run));
    FUGU_ASSIGN(const UnitStep unit_step, unit_step_of(run));
    FUGU_ASSIGN(Input input, Input::open(arguments.released));
    FUGU_ASSIGN(ReleaseReader rows, ReleaseReader::open(std::move(input), {clock.clock, run.series}));
    FUGU_TRY(audit_releases_against_ledger([&](ReleaseRecord& row) { return rows.next(row); }, arguments.ledger,
                                           unit_step.to_double(), report));
  }
  if (state) add_misfits(run, *state, report);
  print(report, run.series);
  FUGU_ASSIGN(const bool state_holds, print_distributional(run, state));
  return verdict(report.holds() && state_holds);
}

/// Policies say themselves what may change. Without a word about the floor, none is checked.
Outcome audit_policies_without_ledger(const AuditArguments& arguments) {
  DefinitionOptions about = arguments.definition;
  if (about.policies.floor.empty()) about.policies.exact_when_idle = true;
  FUGU_ASSIGN(const Definition definition, about.make());
  // A grid that rounds no magnitude up by much, unless the stream's is given.
  FUGU_ASSIGN(const UnitStep unit_step, UnitStep::parse(arguments.unit_step.value_or("0.000001")));
  FUGU_ASSIGN(const std::vector<std::string> series, series_in(arguments.released));
  FUGU_ASSIGN(const Exposure exposure, about.exposure_of_stream(unit_step, series.size()));
  FUGU_ASSIGN(const RunClock clock, clock_in(arguments.released));
  FUGU_ASSIGN(const PolicyBook book, about.policies.read({.unit_step = unit_step,
                                                          .clock = clock.clock,
                                                          .utc_offset_s = clock.utc_offset_s,
                                                          .default_utc_offset_s = clock.utc_offset_s,
                                                          .series = series}));
  FUGU_ASSIGN(Input input, Input::open(arguments.released));
  FUGU_ASSIGN(ReleaseReader rows, ReleaseReader::open(std::move(input), {clock.clock, series}));
  FUGU_ASSIGN(const AuditReport report, audit_stated_rates([&](ReleaseRecord& row) { return rows.next(row); },
                                                           definition, exposure, book, unit_step.to_double()));
  note("the loss rates in the file are believed; audit the ledger for evidence");
  print(report, series);
  return verdict(report.holds());
}

Outcome audit_without_ledger(const AuditArguments& arguments) {
  if (arguments.definition.policies.given()) return audit_policies_without_ledger(arguments);
  FUGU_ASSIGN(const Definition definition, arguments.definition.make());
  FUGU_ASSIGN(const UnitStep unit_step, UnitStep::parse(arguments.unit_step.value_or("1")));
  FUGU_ASSIGN(const std::vector<std::string> series, series_in(arguments.released));
  FUGU_ASSIGN(const Exposure exposure, arguments.definition.exposure_of_stream(unit_step, series.size()));
  FUGU_ASSIGN(Input input, Input::open(arguments.released));
  FUGU_ASSIGN(ReleaseReader rows, ReleaseReader::open(std::move(input), {std::nullopt, series}));
  FUGU_ASSIGN(const AuditReport report, audit_stated_rates([&](ReleaseRecord& row) { return rows.next(row); },
                                                           definition, exposure, unit_step.to_double()));
  note("the loss rates in the file are believed; audit the ledger for evidence");
  print(report, series);
  return verdict(report.holds());
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
      outcome = audit_with_ledger(*arguments);
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
