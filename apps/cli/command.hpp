// What all sub-commands share: how they are added, how they end, how numbers and errors are shown.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "fugu/base/result.hpp"

namespace fugu::cli {

/// Exit codes of the design: 0 done, 1 the answer is no, 2 wrong usage or bad input, 3 refused, 4 the environment.
inline constexpr int kDone = 0;
inline constexpr int kAnswerIsNo = 1;

/// What a command returns: an exit code, or the error that main() reports and maps to one.
using Outcome = Result<int>;

/// Each registers itself below `app` and stores its outcome in `outcome` when it is run.
void add_publish(CLI::App& app, Outcome& outcome);
void add_plan(CLI::App& app, Outcome& outcome);
void add_audit(CLI::App& app, Outcome& outcome);
void add_attack(CLI::App& app, Outcome& outcome);
void add_metrics(CLI::App& app, Outcome& outcome);
void add_advise(CLI::App& app, Outcome& outcome);
void add_bench(CLI::App& app, Outcome& outcome);
void add_study(CLI::App& app, Outcome& outcome);
void add_simulate(CLI::App& app, Outcome& outcome);
void add_describe(CLI::App& app, Outcome& outcome);
void add_report(CLI::App& app, Outcome& outcome);
void add_key(CLI::App& app, Outcome& outcome);
void add_meter(CLI::App& app, Outcome& outcome);
void add_distributional(CLI::App& app, Outcome& outcome);
void add_grid(CLI::App& app, Outcome& outcome);
void add_querylog(CLI::App& app, Outcome& outcome);

/// `--option: message`, for what the library says about an option.
template <class T>
Result<T> of_option(const char* option, Result<T> result) {
  if (result) return result;
  return Error{result.error().cause, std::string(option) + ": " + result.error().message};
}

/// A note for people, on standard error.
void note(std::string_view text);

/// `warning: …` as a note. What was said before is not repeated: several commands read a file more than once.
void warn(const std::string& text);

/// Six significant digits, as people read them.
std::string short_number(double value);

}  // namespace fugu::cli
