// Swellfish strategies through the real kernel: cost per slot of one meter over years, and how it grows with meters.
#include <benchmark/benchmark.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fugu/mechanism/publisher.hpp"
#include "fugu/simulate/simulation.hpp"
#include "fugu/simulate/wishes.hpp"
#include "fugu/strategy/registry.hpp"

namespace fugu {
namespace {

constexpr Slot kSlotsPerDay = 96;

/// One meter's policies, all given at the start. They are there before the clock starts: inventing them is no part of
/// what is measured, taking them in is.
class OneMeter final : public PolicyFeed {
 public:
  explicit OneMeter(std::span<const Policy> wishes) : wishes_(wishes) { event_.meter = "m0"; }
  Result<const PolicyEvent*> next(Slot, const PolicyBook&) override {
    if (wishes_.empty()) return nullptr;
    event_.policy = wishes_.front();
    wishes_ = wishes_.subspan(1);
    return &event_;
  }

 private:
  std::span<const Policy> wishes_;
  PolicyEvent event_;
};

/// Those of many meters on one day. Made on the way, which the clock counts, too: few are kept at a time.
class ManyMeters final : public PolicyFeed {
 public:
  ManyMeters(std::uint64_t meters, const WishOptions& options) : meters_(meters), options_(options) {}
  Result<const PolicyEvent*> next(Slot, const PolicyBook&) override {
    for (; position_ == wishes_.size(); ++meter_) {
      if (meter_ == meters_) return nullptr;
      wishes_ = simulated_wishes(options_, meter_, 0);
      position_ = 0;
      event_.meter = "m" + std::to_string(meter_);
    }
    event_.policy = wishes_[position_++];
    return &event_;
  }

 private:
  std::uint64_t meters_;
  WishOptions options_;
  std::uint64_t meter_ = 0;
  std::vector<Policy> wishes_;
  std::size_t position_ = 0;
  PolicyEvent event_;
};

Mechanism mechanism(std::string_view strategy, std::unique_ptr<PolicyFeed> book) {
  return {*Definition::make(
              {.protects = Protects::swellfish, .epsilon = PromisedEpsilon::of_each_policy(), .exact_when_idle = true}),
          *Exposure::make({.sensitivity_steps = {10'000}, .signatures = {{0}}}), NoiseKind::laplace,
          *make_strategy(strategy, {.policies = true}), std::move(book)};
}

/// All of it: taking in the policies that make_book() gives, planning, kernel, accountant and noise.
template <class MakeBook>
void run(benchmark::State& state, std::string_view strategy, std::uint64_t days, MakeBook&& make_book) {
  const Slot slots = static_cast<Slot>(days) * kSlotsPerDay;
  for (auto _ : state) {
    Simulation simulation(mechanism(strategy, make_book()), std::make_unique<SimulationNoise>(1));
    SlotRow row;
    row.values.push_back(Raw(1000));
    for (row.slot = 0; row.slot < slots; ++row.slot) {
      auto release = simulation.step(row);
      if (!release) state.SkipWithError(release.error().message.c_str());
      benchmark::DoNotOptimize(*release);
    }
  }
  state.counters["slot"] = benchmark::Counter(static_cast<double>(slots) * static_cast<double>(state.iterations()),
                                              benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

constexpr std::uint64_t kDays = 1564;  // 4.5 years: 150,144 quarter hours

void run_one_meter(benchmark::State& state, std::string_view strategy, double uses_per_day) {
  std::vector<Policy> wishes;
  for (std::uint64_t day = 0; day < kDays; ++day) {
    const std::vector<Policy> of_day = simulated_wishes({.uses_per_day = uses_per_day}, 0, day);
    wishes.insert(wishes.end(), of_day.begin(), of_day.end());
  }
  run(state, strategy, kDays, [&] { return std::make_unique<OneMeter>(wishes); });
}

void run_one_day(benchmark::State& state, std::string_view strategy, std::uint64_t meters) {
  run(state, strategy, 1, [&] { return std::make_unique<ManyMeters>(meters, WishOptions{.uses_per_day = 10}); });
}

void register_all() {
  for (const StrategyKind& kind : strategy_kinds()) {
    if (!serves(kind, Serves::policies)) continue;
    for (const int per_day : {10, 20}) {
      const std::string name = "one_meter/" + std::string(kind.name) + "/" + std::to_string(per_day) + "_a_day";
      benchmark::RegisterBenchmark(name.c_str(), [&kind, per_day](benchmark::State& state) {
        run_one_meter(state, kind.name, per_day);
      })->Unit(benchmark::kMillisecond);
    }
  }
  for (const char* strategy : {"unicorn-ps", "narwhal"}) {
    for (const std::uint64_t meters : {10'000u, 100'000u, 1'000'000u}) {
      const std::string name = "one_day/" + std::string(strategy) + "/" + std::to_string(meters) + "_meters";
      benchmark::RegisterBenchmark(
          name.c_str(), [strategy, meters](benchmark::State& state) { run_one_day(state, strategy, meters); })
          ->Unit(benchmark::kSecond)
          ->Iterations(1);
    }
  }
}

}  // namespace
}  // namespace fugu

int main(int argc, char** argv) {
  fugu::register_all();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
