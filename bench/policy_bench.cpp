// What policies cost: ns per row of a file that is loaded, ns per overlap query of a busy meter.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <string_view>

#include "fugu/policy/policy_reader.hpp"
#include "view.hpp"

namespace {

using namespace fugu;

constexpr int kMeters = 100'000;
constexpr int kRowsPerMeter = 10;
const Clock kClock(1774745100, 900);

enum class Order { by_meter, by_time };

std::string row_start(int meter, int row, bool stamps) {
  const Slot first = row * 96 + meter % 90;
  std::string text = "meter_" + std::to_string(1'000'000 + meter) + ",";
  text += stamps ? kClock.text(first, 3600) : std::to_string(first);
  text += "," + (stamps ? kClock.text(first + 12, 3600) : std::to_string(first + 12));
  return text;
}

std::string csv_text(Order order, bool stamps) {
  std::string made = "meter,start,end,length,magnitude,epsilon\n";
  for (int i = 0; i < kMeters * kRowsPerMeter; ++i) {
    const int meter = order == Order::by_meter ? i / kRowsPerMeter : i % kMeters;
    const int row = order == Order::by_meter ? i % kRowsPerMeter : i / kMeters;
    made += row_start(meter, row, stamps) + "," + std::to_string(1 + i % 8) + ",2." + std::to_string(i % 10) + ",0.5\n";
  }
  return made;
}

std::string json_text() {
  std::string made;
  for (int i = 0; i < kMeters; ++i) {
    made += R"({"meter": "meter_)" + std::to_string(1'000'000 + i) + R"(", "start": )" + std::to_string(i % 960) +
            R"(, "end": )" + std::to_string(i % 960 + 12) + R"(, "length": 3, "magnitude": 2.1, "epsilon": 0.5})" +
            "\n";
  }
  return made;
}

void load(benchmark::State& state, const std::string& text, int rows) {
  PolicyOptions options;
  options.unit_step = *UnitStep::parse("0.1");
  options.clock = kClock;
  for (auto _ : state) {
    const auto book = read_policy_book({"bench", std::make_unique<View>(text)}, options);
    if (!book) return state.SkipWithError(book.error().message.c_str());
    benchmark::DoNotOptimize(book->size());
  }
  state.SetItemsProcessed(rows * state.iterations());
  state.SetBytesProcessed(static_cast<std::int64_t>(text.size()) * state.iterations());
}

void policies_csv_numbers_by_meter(benchmark::State& state) {
  static const std::string text = csv_text(Order::by_meter, false);
  load(state, text, kMeters * kRowsPerMeter);
}
BENCHMARK(policies_csv_numbers_by_meter)->Unit(benchmark::kMillisecond);

void policies_csv_stamps_by_meter(benchmark::State& state) {
  static const std::string text = csv_text(Order::by_meter, true);
  load(state, text, kMeters * kRowsPerMeter);
}
BENCHMARK(policies_csv_stamps_by_meter)->Unit(benchmark::kMillisecond);

void policies_csv_stamps_by_time(benchmark::State& state) {
  static const std::string text = csv_text(Order::by_time, true);
  load(state, text, kMeters * kRowsPerMeter);
}
BENCHMARK(policies_csv_stamps_by_time)->Unit(benchmark::kMillisecond);

void policies_json(benchmark::State& state) {
  static const std::string text = json_text();
  load(state, text, kMeters);
}
BENCHMARK(policies_json)->Unit(benchmark::kMillisecond);

// A meter with a policy over everything and many short ones.
void overlap_beside_a_long_policy(benchmark::State& state) {
  const auto count = static_cast<Slot>(state.range(0));
  Collection collection;
  std::vector<Policy> policies = {{{0, 4 * count}, 1, 1, Budget::round_down(1)}};
  for (Slot i = 0; i < count; ++i) policies.push_back({{4 * i, 4 * i + 1}, 1, 1, Budget::round_down(1)});
  collection.assign(std::move(policies));
  Slot slot = 0;
  for (auto _ : state) {
    slot = (slot + 40'009) % (4 * count);
    benchmark::DoNotOptimize(collection.count_overlapping({slot, slot}));
  }
}
BENCHMARK(overlap_beside_a_long_policy)->Arg(10)->Arg(1000)->Arg(100'000);

}  // namespace

BENCHMARK_MAIN();
