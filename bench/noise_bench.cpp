// One draw of noise: exact and secure, against the naive floating-point Laplace everyone starts with.
// The scale changes with every draw, as it does when a strategy spends what is left of a budget.
#include <benchmark/benchmark.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>

#include "fugu/noise/noise.hpp"
#include "fugu/simulate/simulation_noise.hpp"

namespace {

constexpr std::size_t kParameterCount = 4096;

/// Parameters within a quarter of `centre`, with the 2^60-fold resolution that a division of budgets leaves.
std::array<fugu::Rational, kParameterCount> parameters_around(double centre) {
  std::array<fugu::Rational, kParameterCount> parameters;
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> factor(0.75, 1.25);
  for (fugu::Rational& parameter : parameters) {
    int exponent = 0;
    const double mantissa = std::frexp(centre * factor(random), &exponent);
    parameter = {static_cast<std::uint64_t>(std::ldexp(mantissa, 60)), std::uint64_t{1} << (60 - exponent)};
  }
  return parameters;
}

double naive_draw(std::mt19937_64& random, double scale) {
  const double uniform = static_cast<double>(random() >> 11) * 0x1p-53 - 0.5;
  return -std::copysign(scale, uniform) * std::log(1.0 - 2.0 * std::fabs(uniform));
}

void naive_laplace(benchmark::State& state) {
  std::array<double, kParameterCount> scales;
  const auto parameters = parameters_around(static_cast<double>(state.range(0)));
  for (std::size_t i = 0; i < kParameterCount; ++i) scales[i] = parameters[i].to_double();
  std::mt19937_64 random(1);
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(naive_draw(random, scales[i++ % kParameterCount]));
}

template <class Draw>
void measure(benchmark::State& state, double centre, Draw draw) {
  const auto parameters = parameters_around(centre);
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(draw(parameters[i++ % kParameterCount]));
}

void laplace(benchmark::State& state, std::unique_ptr<fugu::Noise> noise) {
  benchmark::DoNotOptimize(noise);
  measure(state, static_cast<double>(state.range(0)), [&](fugu::Rational scale) { return noise->laplace(scale); });
}

void gaussian(benchmark::State& state, std::unique_ptr<fugu::Noise> noise) {
  benchmark::DoNotOptimize(noise);
  const auto sigma = static_cast<double>(state.range(0));
  measure(state, sigma * sigma, [&](fugu::Rational variance) { return noise->gaussian(variance); });
}

void secure_laplace(benchmark::State& state) { laplace(state, std::make_unique<fugu::SecureNoise>()); }
void simulation_laplace(benchmark::State& state) { laplace(state, std::make_unique<fugu::SimulationNoise>(1)); }
void secure_gaussian(benchmark::State& state) { gaussian(state, std::make_unique<fugu::SecureNoise>()); }
void simulation_gaussian(benchmark::State& state) { gaussian(state, std::make_unique<fugu::SimulationNoise>(1)); }

BENCHMARK(naive_laplace)->Arg(10)->Arg(1'000)->Arg(1'000'000);
BENCHMARK(secure_laplace)->Arg(10)->Arg(1'000)->Arg(1'000'000);
BENCHMARK(simulation_laplace)->Arg(10)->Arg(1'000)->Arg(1'000'000);
BENCHMARK(secure_gaussian)->Arg(1)->Arg(10)->Arg(1'000)->Arg(1'000'000);
BENCHMARK(simulation_gaussian)->Arg(1)->Arg(10)->Arg(1'000)->Arg(1'000'000);

}  // namespace

BENCHMARK_MAIN();
