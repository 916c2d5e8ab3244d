// What reading costs: ns per row of readings with one and two threads, per row of a wide stream.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <string_view>

#include "fugu/stream/readings_reader.hpp"
#include "fugu/stream/stream_reader.hpp"
#include "view.hpp"

namespace {

using namespace fugu;

Input view(std::string_view bytes) { return {"bench", std::make_unique<View>(bytes)}; }

constexpr int kMeters = 10'000;
constexpr int kSlots = 60;
constexpr int kStreamRows = 300'000;

std::string meter_name(int meter) {
  std::string digits = std::to_string(meter);
  return "meter_" + std::string(5 - digits.size(), '0') + digits;
}

const std::string& map_text() {
  static const std::string text = [] {
    std::string made = "meter,series\n";
    for (int meter = 0; meter < kMeters; ++meter) {
      made += meter_name(meter) + ",feeder_" + std::to_string(meter % 20) + "\n";
    }
    return made;
  }();
  return text;
}

// `stride` 1: meters in the order of the series map; otherwise in an order that changes from slot to slot.
std::string readings_text(int stride) {
  const Clock clock(1774745100, 900);
  const UnitStep unit = *UnitStep::parse("0.001");
  std::string made = "time,meter,value\n";
  int meter = 0;
  for (int slot = 0; slot < kSlots; ++slot) {
    const std::string time = clock.text(slot, 3600);
    for (int i = 0; i < kMeters; ++i) {
      meter = stride == 1 ? i : (meter + stride + slot * 2) % kMeters;
      made += time + "," + meter_name(meter) + "," + unit.text(i * 37 % 1000) + "\n";
    }
  }
  return made;
}

std::string stream_text() {
  const Clock clock(1774745100, 900);
  std::string made = "time,load\n";
  for (int row = 0; row < kStreamRows; ++row) {
    made += clock.text(row, 3600) + "," + std::to_string(row * 37 % 100'000) + "\n";
  }
  return made;
}

void drain(SlotSource& source, benchmark::State& state) {
  SlotRow row;
  while (true) {
    const auto more = source.next(row);
    if (!more) state.SkipWithError(more.error().message.c_str());
    if (!more || !*more) return;
    benchmark::DoNotOptimize(row.values.data());
  }
}

void report(benchmark::State& state, std::size_t rows, std::size_t bytes) {
  state.SetItemsProcessed(static_cast<std::int64_t>(rows) * state.iterations());
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * state.iterations());
}

void read_readings(benchmark::State& state, const std::string& text) {
  ReadingsOptions options;
  options.unit_step = *UnitStep::parse("0.001");
  options.clamp = {0, 5000};
  options.slot_s = 900;
  options.late = LateRule::drop;
  options.threads = static_cast<unsigned>(state.range(0));
  for (auto _ : state) {
    auto map = SeriesMap::read(view(map_text()));
    auto reader = ReadingsReader::open(view(text), *std::move(map), options);
    drain(*reader, state);
  }
  report(state, std::size_t{kMeters} * kSlots, text.size());
}

void readings_in_order(benchmark::State& state) {
  static const std::string text = readings_text(1);
  read_readings(state, text);
}
BENCHMARK(readings_in_order)->ArgName("threads")->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

void readings_in_changing_order(benchmark::State& state) {
  static const std::string text = readings_text(4321);
  read_readings(state, text);
}
BENCHMARK(readings_in_changing_order)->ArgName("threads")->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

void wide_stream(benchmark::State& state) {
  static const std::string text = stream_text();
  for (auto _ : state) {
    auto reader = StreamReader::open(view(text), {});
    drain(*reader, state);
  }
  report(state, kStreamRows, text.size());
}
BENCHMARK(wide_stream)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
