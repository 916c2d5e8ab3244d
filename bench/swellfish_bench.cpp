// Swellfish strategies through the real kernel: cost per slot of one meter over years, and how it grows with meters.
#include <benchmark/benchmark.h>

#include <string>

#include "fugu/mechanism/publisher.hpp"
#include "fugu/mechanism/registry.hpp"
#include "fugu/simulate/wishes.hpp"

namespace fugu {
namespace {

constexpr Slot kSlotsPerDay = 96;

/// Gives every policy of `meters` meters on `days` days at the start. Made on the way: few are kept at a time.
class WholeBook final : public PolicyFeed {
 public:
  WholeBook(std::uint64_t meters, std::uint64_t days, double uses_per_day) : meters_(meters), days_(days) {
    options_.uses_per_day = uses_per_day;
  }
  Result<const PolicyEvent*> next(Slot) override {
    while (position_ == wishes_.size()) {
      if (meter_ == meters_) return nullptr;
      wishes_ = simulated_wishes(options_, meter_, day_);
      position_ = 0;
      event_.meter = "m" + std::to_string(meter_);
      if (++day_ == days_) {
        day_ = 0;
        ++meter_;
      }
    }
    event_.policy = wishes_[position_++];
    return &event_;
  }
  Result<void> admit(const PolicyEvent&, Slot) override { return {}; }
  void accepted(const PolicyEvent&) override {}
  Result<void> refused(const PolicyEvent&, const Error& why) override { return why; }

 private:
  WishOptions options_;
  std::uint64_t meters_;
  std::uint64_t days_;
  std::uint64_t meter_ = 0;
  std::uint64_t day_ = 0;
  std::vector<Policy> wishes_;
  std::size_t position_ = 0;
  PolicyEvent event_;
};

Mechanism mechanism(std::string_view strategy, std::uint64_t meters, std::uint64_t days, double uses_per_day) {
  return {*Definition::make(
              {.protects = Protects::swellfish, .epsilon = PromisedEpsilon::of_each_policy(), .exact_when_idle = true}),
          *Exposure::make({.sensitivity_steps = {10'000}, .signatures = {{0}}}), NoiseKind::laplace,
          *make_strategy(strategy, {.policies = true}), std::make_unique<WholeBook>(meters, days, uses_per_day)};
}

/// All of it: taking in the policies, planning, kernel, accountant and noise.
void run(benchmark::State& state, std::string_view strategy, std::uint64_t meters, std::uint64_t days,
         double uses_per_day) {
  const Slot slots = static_cast<Slot>(days) * kSlotsPerDay;
  for (auto _ : state) {
    Simulation simulation(mechanism(strategy, meters, days, uses_per_day), std::make_unique<SimulationNoise>(1));
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

void register_all() {
  for (const StrategyKind& kind : strategy_kinds()) {
    if (!serves(kind, Serves::policies) || kind.comparison_only) continue;
    for (const int per_day : {10, 20}) {
      const std::string name = "one_meter/" + std::string(kind.name) + "/" + std::to_string(per_day) + "_a_day";
      benchmark::RegisterBenchmark(name.c_str(), [&kind, per_day](benchmark::State& state) {
        run(state, kind.name, 1, kDays, per_day);
      })->Unit(benchmark::kMillisecond);
    }
  }
  for (const char* strategy : {"unicorn-ps", "narwhal"}) {
    for (const std::uint64_t meters : {10'000u, 100'000u, 1'000'000u}) {
      const std::string name = "one_day/" + std::string(strategy) + "/" + std::to_string(meters) + "_meters";
      benchmark::RegisterBenchmark(name.c_str(),
                                   [strategy, meters](benchmark::State& state) { run(state, strategy, meters, 1, 10); })
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
