#include "parse_errors.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

namespace fugu::cli {

namespace {

/// A command and how it is called: `fugu meter lag`.
struct Command {
  const CLI::App* app;
  std::string path;
};

Command chosen_in(const CLI::App& app) {
  Command chosen{&app, "fugu"};
  for (auto below = app.get_subcommands(); !below.empty(); below = chosen.app->get_subcommands()) {
    chosen.app = below.front();
    chosen.path.append(" ").append(chosen.app->get_name());
  }
  return chosen;
}

std::string names_of_commands(const CLI::App& app) {
  std::string names;
  for (const CLI::App* each : app.get_subcommands([](const CLI::App*) { return true; }))
    names.append(names.empty() ? "" : ", ").append(each->get_name());
  return names;
}

/// The first of the examples that its help shows; commands over several lines as one. Empty when there is none.
std::string example_of(const Command& command) {
  const std::string text = command.app->get_footer();
  const std::size_t begin = text.find("  " + command.path + " ");
  if (begin == std::string::npos) return "";
  std::string example;
  for (std::size_t at = begin;;) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    const std::size_t first = line.find_first_not_of(' ');
    const bool goes_on = line.ends_with(" \\");
    example.append(line.substr(first, line.size() - first - (goes_on ? 1 : 0)));
    if (!goes_on || end == text.size()) return example.substr(0, example.find("  "));  // words may follow after a gap
    at = end + 1;
  }
}

/// Letters to insert, take away or replace to get from one word to the other.
std::size_t edits_between(const std::string& a, const std::string& b) {
  std::vector<std::size_t> edits(b.size() + 1);
  std::iota(edits.begin(), edits.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(edits[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = edits[j + 1];
      edits[j + 1] = std::min({replaced, edits[j] + 1, diagonal + 1});
    }
  }
  return edits.back();
}

/// `; did you mean --ledger?` when an option is called nearly so.
std::string suggestion(const CLI::App& app, const std::string& option) {
  std::size_t fewest = option.size() / 3;  // of --w anything is a neighbour
  std::string nearest;
  for (const CLI::Option* each : app.get_options()) {
    const std::string name = each->get_name();
    const std::size_t edits = edits_between(option, name);
    if (edits >= fewest) continue;
    fewest = edits;
    nearest = name;
  }
  return nearest.empty() ? "" : "; did you mean " + nearest + "?";
}

/// What an option takes, in words.
std::string expected_by(const CLI::App& app, const std::string& option) {
  const CLI::Option* found = app.get_option_no_throw(option);
  const std::string type = found == nullptr ? "" : found->get_type_name();
  if (type.starts_with("INT") || type.starts_with("UINT")) return "a whole number, such as 96";
  return type.starts_with("FLOAT") ? "a number, such as 0.5" : "a value";
}

/// What follows `before` in `text`, up to `after`; empty when it does not begin so.
std::string between(const std::string& text, const std::string& before, const std::string& after) {
  if (!text.starts_with(before)) return "";
  return text.substr(before.size(), text.find(after, before.size()) - before.size());
}

/// About the value of an option; what the parser says where that is clear.
std::string about_value(const CLI::App& app, const CLI::ParseError& error) {
  const std::string text = error.what();
  if (const std::string option = between(text, "Could not convert: ", " = "); !option.empty())
    return option + ": found '" + text.substr(text.find(" = ") + 3) + "'; expected " + expected_by(app, option);
  const std::string option = between(text, "", ": ");
  if (text.ends_with(" missing")) return option + ": found nothing after it; expected " + expected_by(app, option);
  if (text.find(": At Most 1 required") != std::string::npos) return option + ": found more than once; expected once";
  return text;
}

/// About arguments that the command does not take.
std::string about_extras(const Command& command, const std::string& first) {
  if (first.starts_with("-")) {
    const std::string option = first.substr(0, first.find('='));
    if (command.app->get_option_no_throw(option) != nullptr)
      return command.path + ": found option '" + option + "' after --; expected it before";
    return command.path + ": found option '" + option + "', which it does not have" + suggestion(*command.app, option);
  }
  const auto options = command.app->get_options();
  const bool takes_words = std::ranges::any_of(options, &CLI::Option::get_positional);
  return command.path + ": found '" + first + "'; expected " +
         (takes_words ? "no more words" : "options, which begin with --");
}

/// Empty when `text` is in range, and when it is no number at all: the parser says so.
std::string out_of_unsigned_range(const std::string& text) {
  errno = 0;
  std::ignore = std::strtoull(text.c_str(), nullptr, 0);
  const bool is_negative = text.find('-') != std::string::npos;
  if (!is_negative && errno != ERANGE) return "";
  return "found '" + text + "'; expected a whole number from 0 to " + std::to_string(UINT64_MAX);
}

}  // namespace

void check_unsigned_numbers(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    if (option->get_type_name().starts_with("UINT")) option->check(out_of_unsigned_range);
  }
  for (CLI::App* below : app.get_subcommands([](CLI::App*) { return true; })) check_unsigned_numbers(*below);
}

std::optional<std::string> unknown_command(const CLI::App& app, int argc, char** argv) {
  Command at{&app, "fugu"};
  for (int i = 1; i < argc && argv[i][0] != '-'; ++i) {
    const std::string names = names_of_commands(*at.app);
    if (names.empty()) return std::nullopt;  // what follows are arguments
    const auto known = at.app->get_subcommands([&](const CLI::App* each) { return each->get_name() == argv[i]; });
    if (known.empty()) {
      std::string text = "there is no command '" + std::string(argv[i]) + "' of " + at.path + "; known are " + names;
      const bool has_options = at.app->get_options().size() > 1;  // besides --help
      if (const std::string example = example_of(at); has_options && at.app != &app && !example.empty())
        text.append(", or without one of them: ").append(example);
      return text + "; see: " + (at.app == &app ? "fugu help" : at.path + " --help");
    }
    at = {known.front(), at.path + " " + argv[i]};
  }
  return std::nullopt;
}

std::string about(const CLI::ParseError& error, const CLI::App& app) {
  const Command command = chosen_in(app);
  const std::vector<std::string> extras = app.remaining(true);
  const bool is_extra = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !extras.empty();
  const bool needs_command = command.app->get_require_subcommand_min() > 0;
  std::string text = needs_command ? command.path + ": expected a command: " + names_of_commands(*command.app)
                     : is_extra    ? about_extras(command, extras.front())
                                   : about_value(*command.app, error);
  if (const std::string example = example_of(command); !example.empty()) text.append("\nfor example: ").append(example);
  return text + "\nsee: " + (command.app == &app ? "fugu help" : command.path + " --help");
}

}  // namespace fugu::cli
