// Swellfish strategies through the real kernel: cost per slot of one meter over years, and how it grows with meters.
#include <benchmark/benchmark.h>

#include <limits>

#include "fugu/mechanism/planned.hpp"
#include "fugu/mechanism/publisher.hpp"
#include "fugu/simulate/wishes.hpp"

namespace fugu {
namespace {

constexpr Slot kSlotsPerDay = 96;

/// Gives every policy of `meters` meters on `days` days at the start.
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
  Result<void> refused(const Error&) override { return {}; }  // a wish across midnight may be one of the next day, too

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

/// The same rate always, low enough for every policy: what kernel and accountant cost by themselves.
class Constant final : public Planner {
 public:
  void add(MeterId, const Policy&) override {}
  void withdraw(MeterId, const Policy&) override {}
  double rate(Slot) override { return 0.2e-5; }
  void spent(double) override {}
};

Mechanism mechanism(std::uint64_t meters, std::uint64_t days, double uses_per_day, MakePlanner make_planner) {
  const auto floor = std::make_shared<const Definition>(
      *Definition::make({.protects = Protects::event, .epsilon = *Epsilon::make(100)}));
  return {*Definition::make({.protects = Protects::swellfish, .floor = floor}),
          *Exposure::make({.sensitivity_steps = {10'000}, .signatures = {{0}}}), NoiseKind::laplace,
          std::make_unique<PlannedStrategy>(std::move(make_planner)),
          std::make_unique<WholeBook>(meters, days, uses_per_day)};
}

void run(benchmark::State& state, std::uint64_t meters, std::uint64_t days, double uses_per_day,
         const MakePlanner& make_planner) {
  const Slot slots = static_cast<Slot>(days) * kSlotsPerDay;
  for (auto _ : state) {
    Simulation simulation(mechanism(meters, days, uses_per_day, make_planner), std::make_unique<SimulationNoise>(1));
    SlotRow row;
    row.values.push_back(Raw(1000));
    for (row.slot = 0; row.slot < slots; ++row.slot) {
      auto release = simulation.step(row);
      if (!release) state.SkipWithError(release.error().message.c_str());
      benchmark::DoNotOptimize(*release);
    }
  }
  state.counters["ns/slot"] =
      benchmark::Counter(static_cast<double>(slots) * static_cast<double>(state.iterations()) * 1e-9,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

constexpr std::uint64_t kDays = 1564;  // 4.5 years: 150,144 quarter hours

void BM_OneMeter(benchmark::State& state) {
  run(state, 1, kDays, static_cast<double>(state.range(0)), [](const Kernel&) { return std::make_unique<Constant>(); });
}
BENCHMARK(BM_OneMeter)->Arg(10)->Arg(20)->Unit(benchmark::kMillisecond);

void BM_ManyMeters(benchmark::State& state) {
  run(state, static_cast<std::uint64_t>(state.range(0)), 1, 10,
      [](const Kernel&) { return std::make_unique<Constant>(); });
}
BENCHMARK(BM_ManyMeters)->Arg(10'000)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace fugu
BENCHMARK_MAIN();
