#include "fugu/mechanism/registry.hpp"

#include "fugu/mechanism/baselines.hpp"

namespace fugu {

namespace {

Result<std::unique_ptr<Strategy>> make_uniform(const StrategyParameters&) { return std::make_unique<EveryKth>(1); }

Result<std::unique_ptr<Strategy>> make_sample(const StrategyParameters& parameters) {
  return std::make_unique<EveryKth>(parameters.window_slots);
}

Result<std::unique_ptr<Strategy>> make_hybrid(const StrategyParameters& parameters) {
  if (!parameters.every_slots || *parameters.every_slots < 1)
    return Error{Cause::usage, "hybrid needs --every K: a release every K-th slot, K at least 1"};
  return std::make_unique<EveryKth>(*parameters.every_slots);
}

constexpr StrategyKind kKinds[] = {
    {"uniform", "every slot is released, each with the same share of the window's budget",
     "noise of scale sensitivity·w/ε in every slot, and no delay", "proved", "docs/guarantees/baselines.md",
     "--mechanism uniform --definition w-event --epsilon 1 --w 96 --sensitivity 10", make_uniform},
    {"sample", "one slot per window is released with the whole budget and repeated until the next",
     "noise of scale sensitivity/ε, plus what the stream moves within w − 1 slots", "proved",
     "docs/guarantees/baselines.md", "--mechanism sample --definition w-event --epsilon 1 --w 96 --sensitivity 10",
     make_sample},
    {"hybrid", "every K-th slot is released and repeated in between: from uniform (K = 1) to sample (K = w)",
     "noise of scale sensitivity·⌈w/K⌉/ε, plus what the stream moves within K − 1 slots", "proved",
     "docs/guarantees/baselines.md",
     "--mechanism hybrid --every 4 --definition w-event --epsilon 1 --w 96 --sensitivity 10", make_hybrid},
};

}  // namespace

std::span<const StrategyKind> strategy_kinds() { return kKinds; }

Result<std::unique_ptr<Strategy>> make_strategy(std::string_view name, const StrategyParameters& parameters) {
  std::string known;
  for (const StrategyKind& kind : kKinds) {
    if (kind.name == name) return kind.make(parameters);
    known += (known.empty() ? "" : ", ") + std::string(kind.name);
  }
  return Error{Cause::usage, "there is no mechanism '" + std::string(name) + "'; known are " + known};
}

}  // namespace fugu
