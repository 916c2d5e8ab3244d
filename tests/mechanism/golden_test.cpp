// The cases of tests/data through the library: the same bytes as the command line gives.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "fugu/mechanism/publisher.hpp"
#include "fugu/mechanism/release_writer.hpp"
#include "fugu/simulate/simulation.hpp"
#include "fugu/strategy/registry.hpp"
#include "fugu/stream/stream_reader.hpp"
#include "support/builders.hpp"
#include "support/temp_dir.hpp"

namespace fugu::test {
namespace {

namespace fs = std::filesystem;

/// The options of a command line, `--name value` each.
std::map<std::string, std::string> options_of(const std::string& command) {
  std::map<std::string, std::string> options;
  std::istringstream words(command);
  std::string name;
  std::string value;
  while (words >> name >> value) options[name] = value;
  return options;
}

Definition definition_of(const std::map<std::string, std::string>& options) {
  const std::string& kind = options.at("--definition");
  const double epsilon = std::stod(options.at("--epsilon"));
  if (kind == "event") return define(Protects::event, epsilon);
  if (kind == "user") return define(Protects::user, epsilon, 0, std::stoull(options.at("--horizon")));
  return define(Protects::w_event, epsilon, 0, std::stoull(options.at("--w")));
}

Exposure exposure_of(const std::map<std::string, std::string>& options, const UnitStep& unit, std::size_t series) {
  std::vector<std::uint64_t> sensitivity;
  std::istringstream list(options.at("--sensitivity"));
  for (std::string item; std::getline(list, item, ',');) {
    std::int64_t steps = 0;
    EXPECT_EQ(unit.steps(item, steps, Rounding::away), DecimalFault::none);
    sensitivity.push_back(static_cast<std::uint64_t>(steps));
  }
  sensitivity.resize(series, sensitivity[0]);
  const bool own = options.contains("--budgets") && options.at("--budgets") == "own";
  return expose(sensitivity, own ? Exposure::all_disjoint(series) : Exposure::all_shared(series));
}

/// What the case's command writes, made with the library.
std::string output_of(const fs::path& folder) {
  const auto options = options_of(read_file((folder / "command.txt").string()));
  const UnitStep unit = options.contains("--unit-step") ? *UnitStep::parse(options.at("--unit-step")) : UnitStep();
  StreamOptions stream;
  stream.unit_step = unit;
  auto source = StreamReader::open(*Input::open((folder / options.at("--stream")).string()), stream);
  EXPECT_TRUE(source) << reason(source);
  const Definition definition = definition_of(options);
  StrategyParameters parameters{.window_slots = definition.window_slots(), .every_slots = std::nullopt};
  if (options.contains("--every")) parameters.every_slots = std::stoull(options.at("--every"));
  Simulation simulation({definition, exposure_of(options, unit, source->series().size()), NoiseKind::laplace,
                         *make_strategy(options.at("--mechanism"), parameters)},
                        std::make_unique<SimulationNoise>(std::stoull(options.at("--seed"))));
  const TempDir dir;
  const int out = ::open((dir / "out.csv").c_str(), O_WRONLY | O_CREAT, 0600);
  std::unique_ptr<ReleaseWriter> writer;
  SlotRow row;
  for (;;) {
    const auto more = source->next(row);
    EXPECT_TRUE(more) << reason(more);
    if (!more || !*more) break;
    if (!writer) {  // the clock is known from the first row on
      ReleaseFormat format{.clock = source->clock(),
                           .unit_step = unit,
                           .series = source->series(),
                           .currency = Currency::epsilon,
                           .interval = std::nullopt,
                           .filter = options.contains("--filter") ? options.at("--filter") : "",
                           .simulated = true};
      if (options.contains("--interval")) format.interval = std::stod(options.at("--interval"));
      writer = std::make_unique<ReleaseWriter>(*ReleaseWriter::make(format, out, "out.csv"));
      writer->prepare_header();
    }
    const auto release = simulation.step(row);
    EXPECT_TRUE(release) << reason(release);
    if (!release) break;
    writer->prepare(**release);
  }
  EXPECT_TRUE(writer && writer->emit());
  ::close(out);
  return read_file(dir / "out.csv");
}

TEST(Golden, CasesGiveTheSameBytes) {
  std::size_t cases = 0;
  for (const auto& entry : fs::directory_iterator(FUGU_TEST_DATA)) {
    if (!fs::exists(entry.path() / "command.txt")) continue;
    ++cases;
    EXPECT_EQ(output_of(entry.path()), read_file((entry.path() / "expected.csv").string())) << entry.path().filename();
  }
  EXPECT_GE(cases, 3u);
}

}  // namespace
}  // namespace fugu::test
