// What fugu says about itself is true: every command it shows runs, every name it lists is explained, every proof is
// there.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "fugu/strategy/registry.hpp"
#include "support/released.hpp"

namespace fugu::test {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = fs::path(FUGU_TEST_DATA).parent_path().parent_path();
constexpr const char* kPromise = "--definition w-event --epsilon 1 --w 96 --sensitivity 10 --mechanism uniform";

std::string trimmed(std::string text) {
  text.erase(0, text.find_first_not_of(' '));
  const std::size_t remark = text.find("      ");  // what follows a wide gap explains the command
  if (remark != std::string::npos) text.resize(remark);
  return text;
}

/// The commands shown in a help text, continuation lines joined.
std::vector<std::string> commands_in(const std::string& help) {
  std::vector<std::string> commands;
  bool goes_on = false;
  for (const std::string& raw : lines_of(help)) {
    std::string line = trimmed(raw);
    const bool indented = raw.starts_with("  ");
    if (!goes_on && !(indented && (line.starts_with("fugu ") || line.starts_with("producer | fugu ")))) continue;
    const bool more = line.ends_with("\\");
    if (more) line.pop_back();
    if (goes_on) {
      commands.back() += line;
    } else {
      commands.push_back(line);
    }
    goes_on = more;
  }
  return commands;
}

Finished in_shell(const TempDir& directory, const std::string& command) {
  const std::string path = "PATH=" + fs::path(FUGU_BINARY).parent_path().string() + ":" + std::getenv("PATH");
  return run({"bash", "-c", "set -eo pipefail; " + command}, {},
             {.directory = directory.path(), .environment = {path}});
}

/// Streams and readings under the names that the examples use.
void prepare_inputs(const TempDir& directory) {
  ASSERT_EQ(in_shell(directory, "fugu simulate artificial --length 500 --season 96 --amplitude 500 --out totals.csv")
                .exit_code,
            0);
  write_file(directory / "policies.csv",
             "meter,start,end,length,magnitude,epsilon\nh0,10,21,3,2,1\nh0,18,33,8,1,1\nh1,12,15,1,2,0.5\n");
  write_file(directory / "uses.csv", "meter,appliance,start,minutes,kw\nh0,oven,200,40,2\n");
  std::string readings = "time,meter,value\n";
  for (int slot = 0; slot < 8; ++slot) {
    for (const char* meter : {"m1", "m2", "m3"}) {
      char row[80];
      std::snprintf(row, sizeof row, "2026-01-01T%02d:%02d:00+01:00,%s,0.25\n", slot / 4, slot % 4 * 15, meter);
      readings += row;
    }
  }
  write_file(directory / "readings.csv", readings);
  write_file(directory / "feeders.csv", "meter,series\nm1,east\nm2,east\nm3,west\nm3,town\n");
  write_file(directory / "homes.csv", "meter,series\nh0,east\nh1,west\nh1,town\n");
  write_file(directory / "day.csv", "time,sensitivity\n00:00,2\n06:00,10\n");
  write_file(directory / "clamps.csv", "time,clamp\n00:00,2\n06:00,10\n");
  write_file(directory / "ranges.csv", "series,clamp\n*.p,0:12\n*.q,-2:6\n");
  ASSERT_EQ(in_shell(directory,
                     "fugu simulate households --households 2 --days 1 --start 2026-01-01T00:00:00+01:00 --tan-phi 0.3 "
                     "--readings registers.csv --series-map customers.csv --household-map households.csv")
                .exit_code,
            0);
  write_file(directory / "schema.sql", "CREATE TABLE customer (name text, town text, debts integer);");
  write_file(directory / "log.jsonl",
             "{\"query\": \"SELECT name FROM customer WHERE town = 'Rome'\"}\n"
             "{\"query\": \"SELECT name FROM customer WHERE debts > 5\"}\n"
             "{\"query\": \"SELECT count(*) FROM customer GROUP BY town\"}\n");
  write_file(directory / "matrix.csv", "first,second,distance\n1,2,1/5\n1,4,3/4\n2,4,2/2\n");
  std::string past = readings;
  for (std::size_t at = 0; (at = past.find("2026-01-01", at)) != std::string::npos;) past.replace(at, 10, "2025-12-31");
  write_file(directory / "past.csv", past);
  ASSERT_EQ(in_shell(directory, "gzip -k readings.csv").exit_code, 0);
}

/// A state of fugu distributional and a run with it, under the names that the examples use.
void prepare_state(const TempDir& directory) {
  ASSERT_EQ(in_shell(directory,
                     "fugu distributional prepare --transform gaussian --readings past.csv --series-map feeders.csv "
                     "--slot-length 15m --clamp 10 --unit-step 0.01 --spread 1 --epsilon 1 --out stream.state; "
                     "fugu publish --readings readings.csv --series-map feeders.csv --slot-length 15m --clamp 10 "
                     "--unit-step 0.01 --distributional stream.state --definition event --epsilon 1 "
                     "--mechanism uniform --ledger meters.ledger --out meters.csv")
                .exit_code,
            0);
}

/// Runs under the names that the examples of audit, attack, metrics and report use.
void prepare_runs(const TempDir& directory) {
  const std::string publish = "fugu publish --stream totals.csv " + std::string(kPromise);
  ASSERT_EQ(in_shell(directory, "fugu key new --out operator.key").exit_code, 0);
  for (const char* files :
       {"--ledger run.ledger --out released.csv --key operator.key", "--ledger u.ledger --out u.csv",
        "--ledger s.ledger --out s.csv", "--out run1.csv", "--out run2.csv", "--out run3.csv"}) {
    const Finished finished = in_shell(directory, publish + " " + files);
    ASSERT_EQ(finished.exit_code, 0) << finished;
  }
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  if (const std::size_t at = text.find(from); at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

TEST(Help, TheTourRuns) {
  const TempDir directory;
  const Finished help = run_fugu(directory, "help");
  ASSERT_EQ(help.exit_code, 0);
  for (const char* name : {"plan", "publish", "audit", "attack", "metrics", "report", "advise", "bench", "study",
                           "meter", "distributional", "simulate", "querylog", "describe", "help"}) {
    EXPECT_NE(help.out.find(std::string("\n  ") + name), std::string::npos) << "does not list " << name << "\n"
                                                                            << help.out;
  }
  const std::vector<std::string> commands = commands_in(help.out);
  ASSERT_EQ(commands.size(), 12u) << help.out;
  for (const std::string& command : commands) {
    const Finished finished = in_shell(directory, command);
    EXPECT_EQ(finished.exit_code, 0) << command << "\n" << finished;
  }
  for (const char* file : {"totals.csv", "run.ledger", "released.csv", "report.html"})
    EXPECT_TRUE(fs::exists(directory / file)) << file;
  // A tour that publishes what is better not looked at would teach the wrong thing.
  std::string advise =
      replaced(commands[1], "publish --stream totals.csv --definition w-event", "advise --sample totals.csv");
  const std::size_t mechanism = advise.find("--mechanism ") + 12;
  const std::string chosen = advise.substr(mechanism, advise.find(" --interval") - mechanism);
  advise.resize(advise.find("--mechanism"));
  const Finished advice = in_shell(directory, advise);
  EXPECT_NE(advice.out.find("Use " + chosen + ":"), std::string::npos) << advise << "\n" << advice;
}

TEST(Help, EveryExampleOfEveryCommandRuns) {
  std::size_t examples = 0;
  const std::vector<std::string> tour = commands_in(run_fugu(TempDir(), "help").out);
  for (const char* name : {"plan", "publish", "audit", "attack", "metrics", "report", "advise", "bench", "study",
                           "simulate", "querylog", "describe"}) {
    const TempDir nowhere;
    const Finished help = run_fugu(nowhere, std::string("help ") + name);
    ASSERT_EQ(help.exit_code, 0) << name;
    EXPECT_NE(help.out.find(std::string("Usage: fugu ") + name), std::string::npos) << help.out.substr(0, 200);
    EXPECT_EQ(run_fugu(nowhere, std::string(name) + " --help").exit_code, 0);
    std::string text = help.out;
    for (const char* part : {"simulate artificial", "simulate policies", "simulate households", "audit temporal",
                             "audit distributional", "querylog distances", "querylog mine"})
      if (words(part)[0] == name) text += run_fugu(nowhere, std::string(part).append(" --help")).out;
    for (const std::string& command : commands_in(text)) {
      if (std::find(tour.begin(), tour.end(), command) != tour.end())
        continue;  // commands without examples show the tour
      const TempDir directory;
      prepare_inputs(directory);
      const bool needs_runs = std::string(name) == "audit" || std::string(name) == "attack" ||
                              std::string(name) == "metrics" || std::string(name) == "report" ||
                              std::string(name) == "describe";
      if (needs_runs) prepare_runs(directory);
      if (command.find("stream.state") != std::string::npos) prepare_state(directory);
      const Finished finished =
          in_shell(directory, replaced(replaced(replaced(command, "producer", "cat totals.csv"), "5f2c…",
                                                "$(sed -n 's/^seal //p' run.ledger.head)"),
                                       "…", kPromise));
      EXPECT_EQ(finished.exit_code, 0) << command << "\n" << finished;
      ++examples;
    }
  }
  EXPECT_GE(examples, 10u) << "the examples were not found in the help texts";
}

TEST(Help, ExamplesThatTellAStoryRunOneAfterTheOther) {
  for (const char* name : {"meter", "distributional"}) {
    const TempDir directory;
    prepare_inputs(directory);
    const std::vector<std::string> story = commands_in(run_fugu(directory, std::string("help ") + name).out);
    EXPECT_GE(story.size(), 3u) << name;
    for (const std::string& command : story) {
      const Finished finished = in_shell(directory, command);
      EXPECT_EQ(finished.exit_code, 0) << command << "\n" << finished;
    }
  }
}

TEST(Help, EveryCommandOfAHowToRuns) {
  for (const char* name : {"see-what-an-attacker-learns", "hide-when", "hide-habits", "let-losses-fade", "state-a-wish",
                           "judge-a-release", "ask-for-hosting-capacity", "monitor-a-feeder"}) {
    const TempDir directory;
    const std::string page = read_file((kSource / "docs" / "how-to" / (std::string(name) + ".md")).string());
    std::string wishes;  // rows that a page shows
    std::string day;
    for (const std::string& line : lines_of(page)) {
      if (line.starts_with("    meter,") || line.starts_with("    home,")) wishes.append(trimmed(line)).append("\n");
      if (line.starts_with("    time,") || line.find(":00,") == 6) day.append(trimmed(line)).append("\n");
    }
    if (!wishes.empty()) write_file(directory / "wishes.csv", wishes);
    if (!day.empty()) write_file(directory / "day.csv", day);
    const std::vector<std::string> commands = commands_in(page);
    EXPECT_FALSE(commands.empty()) << name;
    for (const std::string& command : commands) {
      const Finished finished = in_shell(directory, command);
      EXPECT_EQ(finished.exit_code, 0) << name << ": " << command << "\n" << finished;
    }
  }
}

TEST(Help, EveryStepOfProtectingAFeederRuns) {
  const TempDir directory;
  const std::string page = read_file((kSource / "docs" / "how-to" / "protect-a-feeder.md").string());
  std::string clamps;
  std::vector<std::string> steps;  // that are no commands of fugu
  for (const std::string& line : lines_of(page)) {
    const std::string text = trimmed(line);
    if (line.starts_with("    ") && (text == "series,clamp" || text.starts_with("*.")))
      clamps.append(text).append("\n");
    if (line.starts_with("    ") &&
        (text.starts_with("cp ") || text.starts_with("for ") || text.starts_with("printf ")))
      steps.push_back(text);
  }
  EXPECT_EQ(steps.size(), 3u);
  write_file(directory / "clamps.csv", clamps);
  std::vector<std::string> commands = commands_in(page);
  EXPECT_EQ(commands.size(), 12u);
  commands.insert(commands.begin() + 1, steps.begin(), steps.end());
  for (const std::string& command : commands) {
    const Finished finished = in_shell(directory, command);
    EXPECT_EQ(finished.exit_code, 0) << command << "\n" << finished;
  }
}

TEST(Help, ExamplesOfRequirementsRun) {
  const std::vector<std::string> commands = commands_in(run_fugu(TempDir(), "grid requirement --help").out);
  EXPECT_EQ(commands.size(), 5u);
  for (const std::string& command : commands) {
    const TempDir directory;
    const Finished finished = in_shell(directory, command);
    EXPECT_EQ(finished.exit_code, 0) << command << "\n" << finished;
  }
}

TEST(Help, VersionAndHelpFlags) {
  const TempDir directory;
  EXPECT_EQ(run_fugu(directory, "--version").out, "fugu " FUGU_VERSION "\n");
  EXPECT_EQ(run_fugu(directory, "--help").exit_code, 0);
  EXPECT_EQ(run_fugu(directory, "-h").exit_code, 0);
}

TEST(Help, AWordThatIsNoCommandIsNamed) {
  const TempDir directory;
  for (const auto& [command, word] : {std::pair{"publsh --help", "'publsh' of fugu;"},
                                      {"publsh", "'publsh' of fugu;"},
                                      {"meter nosuch", "'nosuch' of fugu meter;"},
                                      {"meter nosuch --help", "'nosuch' of fugu meter;"},
                                      {"simulate x --out y", "'x' of fugu simulate;"}}) {
    const Finished finished = run_fugu(directory, command);
    EXPECT_EQ(finished.exit_code, 2) << command << "\n" << finished;
    EXPECT_NE(finished.err.find(word), std::string::npos) << command << "\n" << finished;
    EXPECT_EQ(finished.out, "") << command;
  }
}

/// What `fugu describe NAME` says, by its first word.
std::string said(const std::string& description, const std::string& word) {
  for (const std::string& line : lines_of(description)) {
    const std::vector<std::string> parts = words(line);
    if (!parts.empty() && parts[0] == word && line.starts_with("  ")) {
      const std::size_t at = line.find_first_not_of(' ', 2 + word.size());
      return at == std::string::npos ? "" : line.substr(at);
    }
  }
  return "";
}

class Describe : public testing::Test {
 protected:
  void SetUp() override {
    const Finished list = run_fugu(directory_, "describe");
    ASSERT_EQ(list.exit_code, 0);
    for (const std::string& line : lines_of(list.out)) {
      if (line.starts_with("  ")) names_.push_back(words(line)[0]);
    }
    ASSERT_GE(names_.size(), 11u);
  }

  TempDir directory_;
  std::vector<std::string> names_;
};

TEST_F(Describe, ExplainsEveryName) {
  for (const char* name : {"event", "user", "w-event", "laplace", "gaussian", "uniform", "sample", "hybrid", "truncate",
                           "moving-average", "kalman"}) {
    EXPECT_NE(std::find(names_.begin(), names_.end(), name), names_.end()) << name << " is not listed";
  }
  for (const std::string& name : names_) {
    const Finished one = run_fugu(directory_, "describe " + name);
    EXPECT_EQ(one.exit_code, 0);
    EXPECT_TRUE(one.out.starts_with(name + " ("));
    for (const char* word : {"what", "promise", "status", "proof", "example"})
      EXPECT_NE(said(one.out, word), "") << name << " says nothing about its " << word << "\n" << one.out;
  }
}

TEST_F(Describe, WhatKeepsNoPromiseSaysSo) {
  const std::string list = run_fugu(directory_, "describe").out;
  for (const char* name : {"unicorn-star", "conference-7", "rescuedp-as-published", "bd-as-published"}) {
    EXPECT_TRUE(said(run_fugu(directory_, std::string("describe ").append(name)).out, "promise").starts_with("none"))
        << name;
    const std::size_t at = list.find(std::string("\n  ").append(name).append(" "));
    ASSERT_NE(at, std::string::npos) << list;
    EXPECT_NE(list.substr(at, list.find('\n', at + 1) - at).find("[no promise"), std::string::npos) << list;
  }
  EXPECT_TRUE(said(run_fugu(directory_, "describe narwhal").out, "promise").starts_with("keeps the definition"));
}

TEST_F(Describe, HybridSaysWhatAKBeyondTheWindowDoes) {
  EXPECT_NE(said(run_fugu(directory_, "describe hybrid").out, "what").find("a larger K counts as"), std::string::npos);
  EXPECT_NE(run_fugu(directory_, "publish --help").out.find("every w-th if K is larger"), std::string::npos);
}

TEST_F(Describe, EveryProofIsThere) {
  for (const std::string& name : names_) {
    const std::string page = said(run_fugu(directory_, "describe " + name).out, "proof");
    EXPECT_TRUE(fs::exists(kSource / page)) << name << ": " << page << " does not exist";
  }
  for (const char* page :
       {"w-event", "approximate", "noise", "baselines", "post-processing", "sparse-vector", "ledger", "threat-model"}) {
    EXPECT_TRUE(fs::exists(kSource / "docs" / "guarantees" / (std::string(page) + ".md"))) << page;
  }
}

TEST_F(Describe, EveryExampleRuns) {
  prepare_inputs(directory_);
  for (const std::string& name : names_) {
    std::string options = said(run_fugu(directory_, "describe " + name).out, "example");
    if (options.starts_with("fugu ")) {  // no option of fugu publish
      const Finished finished = in_shell(directory_, options);
      EXPECT_EQ(finished.exit_code, 0) << options << "\n" << finished;
      continue;
    }
    if (options.find("--definition") == std::string::npos && options.find("--policies") == std::string::npos)
      options += " --definition w-event --epsilon 1 --w 96";
    if (options.find("--sensitivity") == std::string::npos) options += " --sensitivity 10";
    if (options.find("--mechanism") == std::string::npos) options += " --mechanism uniform";
    const Finished finished = run_fugu(directory_, "publish --stream totals.csv " + options);
    EXPECT_EQ(finished.exit_code, 0) << options << "\n" << finished;
    EXPECT_EQ(lines_of(finished.out).size(), 501u) << options;
  }
}

TEST(Help, OfPublishListsEveryMechanismOfTheRegistry) {
  const TempDir directory;
  const Finished help = in_shell(directory, "fugu publish --help");
  ASSERT_EQ(help.exit_code, 0) << help;
  for (const StrategyKind& kind : strategy_kinds())
    EXPECT_NE(help.out.find(std::string(kind.name)), std::string::npos) << kind.name;
}

}  // namespace
}  // namespace fugu::test
