// The fugu command line: parses, calls the library, prints. One place maps errors to exit codes.
#include <array>
#include <csignal>
#include <cstdio>
#include <set>
#include <sstream>

#include "command.hpp"
#include "parse_errors.hpp"

namespace fugu::cli {

void note(std::string_view text) { std::fprintf(stderr, "fugu: %.*s\n", static_cast<int>(text.size()), text.data()); }

void warn(const std::string& text) {
  static std::set<std::string> said;
  constexpr std::size_t kRememberedMax = 1000;  // a live run may warn for years
  if (said.contains(text)) return;
  if (said.size() < kRememberedMax) said.insert(text);
  note("warning: " + text);
}

std::string short_number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

namespace {

constexpr const char* kTeach = R"(
A first tour: a district's load of 4,000 to 16,000 kW, which one household changes by 10 kW at most
  fugu simulate artificial --length 2000 --season 96 --growth 1.05 --amplitude 12000 --level 4000 --out totals.csv
  fugu publish --stream totals.csv --definition w-event --epsilon 1 --w 96 --sensitivity 10 \
               --mechanism hybrid --every 4 --interval 0.95 --ledger run.ledger --out released.csv
  fugu audit   --ledger run.ledger --released released.csv
  fugu metrics --stream totals.csv --released released.csv
  fugu report  --stream totals.csv --run hybrid=released.csv,run.ledger --out report.html

With what households want hidden, when and how well
  fugu simulate policies --meters 3 --days 7 --epsilon 1 --out policies.csv
  fugu plan    --policies policies.csv --unit-step 0.001
  fugu publish --stream totals.csv --policies policies.csv --floor event:1 --sensitivity 10 --unit-step 0.001 \
               --mechanism narwhal --ledger wishes.ledger --out wishes.csv
  fugu attack  --released wishes.csv --policies policies.csv --unit-step 0.001

Which mechanism to choose, and which is best for which stream
  fugu advise  --amplitude 12000 --level 4000 --period 96 --sensitivity 10 --epsilon 1 --w 96
  fugu bench   --suite smoke --out smoke

Hide when a meter measured, and keep how much (fugu meter --help)
  fugu meter lag --slot-length 15m

Hide what readings are like on average, however long the stream: fugu distributional --help

What the words mean: fugu describe; fugu describe w-event; fugu help publish
Exit codes: 0 done, 1 the answer is no (an audit that fails), 2 wrong usage or bad input, 3 refused for privacy,
            4 the environment failed (disk, pipe)
)";

/// `fugu help [command]`.
void add_help(CLI::App& app, Outcome& outcome) {
  auto topic = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("help", "Explain fugu, or one of its commands");
  command->add_option("command", *topic, "The command to explain");
  command->callback([&app, &outcome, topic] {
    if (topic->empty()) {
      // app.help() would explain the command that was given, which is `help`.
      std::fputs(app.get_formatter()->make_help(&app, "fugu", CLI::AppFormatMode::Normal).c_str(), stdout);
      outcome = kDone;
      return;
    }
    for (CLI::App* other : app.get_subcommands([](CLI::App*) { return true; })) {
      if (other->get_name() != *topic) continue;
      std::fputs(other->help("fugu").c_str(), stdout);
      outcome = kDone;
      return;
    }
    outcome = Error{Cause::usage, "there is no command '" + *topic + "'; see: fugu help"};
  });
}

/// The library knows no options. Which one says what an error asks for.
std::string option_hint(const std::string& message) {
  constexpr std::array<std::pair<const char*, const char*>, 10> kHints{{
      {"UTC offset stated", "--utc-offset"},
      {"allow a larger gap", "--gap-max"},
      {"stated slot length", "--slot-length"},
      {"state the slot length", "--slot-length"},
      {"time column has another name", "--time-column"},
      {"choose a unit step", "--unit-step"},
      {"interval states the noise", "--interval"},
      {"the interval must be a probability", "--interval"},
      {"as open", "--open"},
      {"customers without any are allowed", "--allow-unmeasured"},
  }};
  for (const auto& [words, option] : kHints) {
    const bool named = message.find(option) != std::string::npos;
    if (!named && message.find(words) != std::string::npos) return std::string(" (option ") + option + ")";
  }
  return {};
}

int run(int argc, char** argv) {
  CLI::App app("fugu publishes statistics of live streams of personal data under provable privacy.", "fugu");
  app.set_version_flag("--version", "fugu " FUGU_VERSION);
  app.require_subcommand(1);
  app.footer(kTeach);
  Outcome outcome = kDone;
  add_plan(app, outcome);
  add_publish(app, outcome);
  add_audit(app, outcome);
  add_attack(app, outcome);
  add_metrics(app, outcome);
  add_report(app, outcome);
  add_advise(app, outcome);
  add_bench(app, outcome);
  add_study(app, outcome);
  add_key(app, outcome);
  add_meter(app, outcome);
  add_distributional(app, outcome);
  add_grid(app, outcome);
  add_querylog(app, outcome);
  add_simulate(app, outcome);
  add_describe(app, outcome);
  add_help(app, outcome);
  check_unsigned_numbers(app);
  if (const auto unknown = unknown_command(app, argc, argv)) {  // also with --help, which would explain the rest
    note(*unknown);
    return exit_code(Cause::usage);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& shown) {
    return app.exit(shown);  // --help and --version
  } catch (const CLI::ParseError& error) {
    std::istringstream lines(about(error, app));
    for (std::string line; std::getline(lines, line);) note(line);
    return exit_code(Cause::usage);
  } catch (const std::exception& error) {
    note(std::string("error: ") + error.what());  // no memory left, for example
    return exit_code(Cause::environment);
  }
  if (outcome && std::fflush(stdout) != 0) {
    note("error: standard output: writing failed");
    return exit_code(Cause::environment);
  }
  if (outcome) return *outcome;
  note("error: " + outcome.error().message + option_hint(outcome.error().message));
  return exit_code(outcome.error().cause);
}

}  // namespace

}  // namespace fugu::cli

int main(int argc, char** argv) {
  // A consumer that goes away is an error of a write, not a reason to die without a word.
  std::signal(SIGPIPE, SIG_IGN);
  return fugu::cli::run(argc, argv);
}
