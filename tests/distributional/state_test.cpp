// The state of a stream: constants drawn once, a file that is whole or not there, and the state of no other stream.
#include "fugu/distributional/state.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "fugu/simulate/simulation_noise.hpp"
#include "support/process.hpp"

namespace fugu::test {
namespace {

constexpr ClampRange kClamp{0, 100};

SeriesMap map_of(std::string text = "meter,series\na,north\nb,north\nb,city\n") {
  auto map = SeriesMap::read(Input::from_memory("map.csv", std::move(text)));
  EXPECT_TRUE(map);
  return *std::move(map);
}

const char* const kOneSeriesEach = "meter,series\na,north\nb,city\n";

DistributionalPlan plan_of(DistributionalForm form) {
  return {.form = form,
          .clamp = kClamp,
          .epsilon = 1,
          .delta = form == DistributionalForm::hidden ? 1e-6 : 0,
          .spread_steps = 10,
          .half_width_steps = 80};
}

Result<DistributionalState> prepared(DistributionalForm form, const SeriesMap& map) {
  return DistributionalState::prepare(
      plan_of(form), map, {MeterProfile::learn({1, 2, 3, 50}, kClamp), MeterProfile::learn({40, 60}, kClamp)});
}

DistributionalState make_state() {
  auto state = prepared(DistributionalForm::capped, map_of());
  EXPECT_TRUE(state);
  return *std::move(state);
}

Result<DistributionalState> read(std::string text) {
  return DistributionalState::read(Input::from_memory("stream.state", std::move(text)));
}

TEST(DistributionalState, IsItsText) {
  const DistributionalState state = make_state();
  const auto back = read(state.text());
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->text(), state.text());
  EXPECT_EQ(back->constants(), state.constants());
  EXPECT_EQ(back->id(), state.id());
  EXPECT_EQ(state.series_per_meter(), 2U);
  EXPECT_EQ(back->series_per_meter(), 2U);
  EXPECT_TRUE(back->check(map_of(), kClamp, UnitStep()));
}

TEST(DistributionalState, HiddenHasAVarianceToo) {
  const SeriesMap map = map_of(kOneSeriesEach);
  const auto state = prepared(DistributionalForm::hidden, map);
  ASSERT_TRUE(state) << state.error().message;
  EXPECT_GT(state->constants()[0].variance_steps, 0);
  const auto back = read(state->text());
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->constants(), state->constants());
}

// What a meter sends into two series is one draw: their covariance would be its variance, with nothing to hide it.
TEST(DistributionalState, HiddenIsRefusedForAMeterInTwoSeries) {
  const auto state = prepared(DistributionalForm::hidden, map_of());
  ASSERT_FALSE(state);
  EXPECT_EQ(state.error().cause, Cause::refused);
  EXPECT_NE(state.error().message.find("one series only"), std::string::npos) << state.error().message;
}

TEST(DistributionalState, IsReadableByItsOwnerOnlyWhateverLayBeside) {
  const TempDir directory;
  const std::string path = directory / "s.state";
  write_file(directory / "elsewhere", "");
  std::filesystem::create_symlink(directory / "elsewhere", path + ".new");
  ASSERT_TRUE(make_state().save(path));
  EXPECT_EQ(std::filesystem::status(path).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  EXPECT_EQ(read_file(directory / "elsewhere"), "");
  EXPECT_FALSE(std::filesystem::exists(path + ".new"));
}

TEST(DistributionalState, IsNeverDrawnTwice) {
  const TempDir directory;
  const std::string path = directory / "s.state";
  const DistributionalState first = make_state();
  ASSERT_TRUE(first.save(path));
  const auto again = make_state().save(path);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().cause, Cause::usage);
  EXPECT_EQ(read_file(path), first.text());
  const auto loaded = DistributionalState::load(path);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->constants(), first.constants());
  EXPECT_EQ(std::filesystem::status(path).permissions() & std::filesystem::perms::others_read,
            std::filesystem::perms::none);
}

TEST(DistributionalState, CutShortOrChangedIsAnErrorThatSaysSo) {
  const std::string text = make_state().text();
  for (std::size_t bytes = 0; bytes + 1 < text.size(); ++bytes) {
    const auto cut = read(text.substr(0, bytes));
    ASSERT_FALSE(cut) << bytes;
    EXPECT_EQ(cut.error().cause, Cause::bad_input);
  }
  const std::string half = text.substr(0, text.find("meter,b"));
  EXPECT_NE(read(half).error().message.find("must not be drawn again"), std::string::npos);
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    std::string changed = text;
    changed[i] = changed[i] == '3' ? '4' : '3';
    EXPECT_FALSE(read(changed)) << i;
  }
}

TEST(DistributionalState, OfAnotherStreamIsRefused) {
  const DistributionalState state = make_state();
  UnitStep tenth = *UnitStep::parse("0.1");
  const auto expect_refused = [](const Result<void>& checked, const char* word) {
    ASSERT_FALSE(checked) << word;
    EXPECT_EQ(checked.error().cause, Cause::refused);
    EXPECT_NE(checked.error().message.find(word), std::string::npos) << checked.error().message;
  };
  expect_refused(state.check(map_of(), {0, 99}, UnitStep()), "clamp");
  expect_refused(state.check(map_of(), kClamp, tenth), "unit step");
  expect_refused(state.check(map_of("meter,series\na,north\nb,north\nb,town\n"), kClamp, UnitStep()), "series");
  expect_refused(state.check(map_of("meter,series\na,north\nc,north\nc,city\n"), kClamp, UnitStep()), "meters");
  expect_refused(state.check(map_of("meter,series\na,north\nb,north\na,city\n"), kClamp, UnitStep()), "meters");
}

TEST(DistributionalStream, ReplacesReadingsFillsInMissingOnesAndAddsTheConstants) {
  DistributionalStream stream(make_state());
  const SeriesMap map = map_of();
  auto aggregator = Aggregator::make(map, {kClamp, 1, &stream});
  ASSERT_TRUE(aggregator);
  aggregator->start(0);
  EXPECT_EQ(aggregator->add(0, 0, Raw(500)), Aggregator::Outcome::clamped);
  std::vector<Raw> sums;
  aggregator->close(sums);
  EXPECT_EQ(sums.size(), 2U);
  EXPECT_EQ(stream.change_steps(), 160);
}

TEST(SlotNoise, IsTheConstantPlusFreshNoise) {
  SimulationNoise noise(1);
  EXPECT_EQ(slot_noise({7, 0}, noise), 7);
  double sum = 0;
  double squares = 0;
  constexpr int kSlots = 20'000;
  for (int i = 0; i < kSlots; ++i) {
    const auto drawn = static_cast<double>(slot_noise({7, 400}, noise));
    sum += drawn;
    squares += drawn * drawn;
  }
  const double mean = sum / kSlots;
  EXPECT_NEAR(mean, 7, 5 * 20 / std::sqrt(kSlots));  // false alarm below 1e-6
  EXPECT_NEAR(squares / kSlots - mean * mean, 400, 5 * 400 * std::sqrt(2.0 / kSlots));
}

}  // namespace
}  // namespace fugu::test
