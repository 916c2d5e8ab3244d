// The accountant of discounted definitions: cost per slot, which must not grow with the stream.
#include <benchmark/benchmark.h>

#include "fugu/accounting/accountant.hpp"
#include "fugu/strategy/discounted.hpp"

namespace fugu {
namespace {

/// Spends all there is in every slot. Argument: slots.
void spend_all(benchmark::State& state, Protects protects, double discount) {
  const auto definition =
      Definition::make({.protects = protects, .epsilon = *Epsilon::make(1.0), .discount = discount});
  const auto exposure = Exposure::make({.sensitivity_steps = {1}, .signatures = {{0}}});
  const auto slots = static_cast<Slot>(state.range(0));
  Answer answer;
  answer.series = {0};
  for (auto _ : state) {
    const auto accountant = make_accountant(*definition, *exposure);
    for (Slot slot = 0; slot < slots; ++slot) {
      accountant->advance(slot);
      answer.slot = answer.first_slot = slot;
      answer.parameter = {{std::uint64_t{1} << Budget::kFractionBits, accountant->available().units()}};
      if (!accountant->admit(answer)) state.SkipWithError("refused");
      accountant->commit();
    }
    benchmark::DoNotOptimize(accountant->worst());
  }
  state.counters["slot"] = benchmark::Counter(static_cast<double>(slots) * static_cast<double>(state.iterations()),
                                              benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void exponential(benchmark::State& state) { spend_all(state, Protects::discounted_exp, 0.9); }
void hyperbolic(benchmark::State& state) { spend_all(state, Protects::discounted_hyp, 1); }
BENCHMARK(exponential)->RangeMultiplier(10)->Range(1'000, 10'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(hyperbolic)->RangeMultiplier(10)->Range(1'000, 10'000'000)->Unit(benchmark::kMillisecond);

/// A plan of least mean error. Argument: slots.
void plan(benchmark::State& state) {
  const std::vector<double> weights(static_cast<std::size_t>(state.range(0)), 1.0);
  for (auto _ : state)
    benchmark::DoNotOptimize(
        plan_discounted({Discount::Kind::hyperbolic, 0.1}, weights, PlanLeast::mean_error).objective);
}
BENCHMARK(plan)->Arg(365)->Arg(8'760)->Arg(35'040)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fugu

BENCHMARK_MAIN();
