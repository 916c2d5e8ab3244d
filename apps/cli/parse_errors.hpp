// What is said about a command line that cannot be understood: what was found, what would be right, an example.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

namespace fugu::cli {

/// About the first word that names no command where there must be one.
std::optional<std::string> unknown_command(const CLI::App& app, int argc, char** argv);

/// Options of `app` and all commands below it that are whole numbers without a sign refuse what their type does not
/// hold: the parser would take -1, and 2^64, as 2^64 - 1.
void check_unsigned_numbers(CLI::App& app);

/// About what the parser has thrown while it read the arguments of `app`; several lines, without an end of line.
std::string about(const CLI::ParseError& error, const CLI::App& app);

}  // namespace fugu::cli
