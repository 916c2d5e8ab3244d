// Publishes a stream of totals from a program of your own: with a ledger, and resumed by starting it again.
//   embed FILE     reads slot numbers and totals (CSV: time,NAME…), `-` for standard input; writes embed.csv
#include <cstdio>

#include "fugu/mechanism/run.hpp"
#include "fugu/strategy/registry.hpp"
#include "fugu/stream/stream_reader.hpp"

using namespace fugu;

namespace {

constexpr std::uint64_t kWindowSlots = 96;       // a day of quarter hours is protected as a whole
constexpr std::uint64_t kSensitivitySteps = 10;  // one household changes a total by 10 at most

Result<void> publish(const std::string& path) {
  FUGU_ASSIGN(Run run, Run::open({.ledger = "embed.ledger", .releases = "embed.csv"}));
  FUGU_ASSIGN(Input input, Input::open(path));
  FUGU_ASSIGN(StreamReader source, StreamReader::open(std::move(input), {}));
  const std::size_t series = source.series().size();
  FUGU_ASSIGN(const Epsilon epsilon, Epsilon::make(1));
  FUGU_ASSIGN(const Definition definition,
              Definition::make({.protects = Protects::w_event, .epsilon = epsilon, .window_slots = kWindowSlots}));
  FUGU_ASSIGN(const Exposure exposure,
              Exposure::make({.sensitivity_steps = std::vector<std::uint64_t>(series, kSensitivitySteps),
                              .signatures = Exposure::all_shared(series)}));
  FUGU_ASSIGN(auto strategy, make_strategy("uniform", {.window_slots = kWindowSlots}));
  RunIdentity identity{.format = {}, .facts = {{"mechanism", "uniform"}}};
  identity.format.series = source.series();
  FUGU_ASSIGN(Publisher * publisher,
              run.begin({definition, exposure, NoiseKind::laplace, std::move(strategy)}, identity));
  source.skip_before(publisher->next_slot());
  return publisher->run(source, {.live = true});
}

}  // namespace

int main(int argc, char** argv) {
  const auto done = publish(argc > 1 ? argv[1] : "-");
  if (!done) std::fprintf(stderr, "embed: %s\n", done.error().message.c_str());
  return done ? 0 : exit_code(done.error().cause);
}
