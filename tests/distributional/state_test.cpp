// The state of a stream: constants drawn once, a file that is whole or not there, and the state of no other stream.
#include "fugu/distributional/state.hpp"

#include <gtest/gtest.h>
#include <xxhash.h>

#include <bit>
#include <cmath>
#include <set>

#include "fugu/simulate/simulation_noise.hpp"
#include "fugu/stream/readings_reader.hpp"
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

/// Readings of meter a, uniform on 50 ± `swing`; meter b is silent.
std::string readings_of(std::int64_t swing, int slots) {
  SeededBits bits(7);
  std::string text = "time,meter,value\n";
  for (int slot = 0; slot < slots; ++slot) {
    const auto place = static_cast<std::int64_t>(uniform_below(bits, static_cast<std::uint64_t>(2 * swing + 1)));
    text += std::to_string(slot) + ",a," + std::to_string(50 - swing + place) + "\n";
  }
  return text;
}

DistributionalState state_of_swing(std::int64_t swing, DistributionalForm form) {
  std::vector<std::int64_t> past;
  for (std::int64_t value = 50 - swing; value <= 50 + swing; ++value) past.push_back(value);
  auto state = DistributionalState::prepare(plan_of(form), map_of(kOneSeriesEach),
                                            {MeterProfile::learn(past, kClamp), MeterProfile::learn({50}, kClamp)});
  EXPECT_TRUE(state);
  return *std::move(state);
}

/// What one run with that state publishes before the kernel's noise: the sums of both series.
std::vector<std::int64_t> run_of(const std::string& state_text, const std::string& readings, Slot first = 0) {
  auto stream = std::make_shared<DistributionalStream>(*read(state_text));
  ReadingsOptions options;
  options.clamp = kClamp;
  options.transform = stream;
  auto reader = ReadingsReader::open(Input::from_memory("r.csv", readings), map_of(kOneSeriesEach), options);
  EXPECT_TRUE(reader);
  reader->skip_before(first);
  std::vector<std::int64_t> sums;
  SlotRow row;
  while (*reader->next(row)) {
    for (const Raw raw : row.values) sums.push_back(std::bit_cast<std::int64_t>(raw));
  }
  return sums;
}

double covariance(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  double sum_a = 0;
  double sum_b = 0;
  double products = 0;
  for (std::size_t i = 0; i < a.size(); i += 2) {  // the series of meter a
    sum_a += static_cast<double>(a[i]);
    sum_b += static_cast<double>(b[i]);
    products += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  }
  const auto slots = static_cast<double>(a.size() / 2);
  return products / slots - sum_a / slots * (sum_b / slots);
}

// With two ledgers the same readings are published twice. Were they sent anew, the covariance of both would have the
// spread of the readings, which only what is drawn once may hide.
TEST(DistributionalStream, SendsTheSameHoweverOftenTheSameReadingsArePublished) {
  for (const DistributionalForm form :
       {DistributionalForm::capped, DistributionalForm::hidden, DistributionalForm::bernoulli}) {
    const std::string readings = readings_of(5, 300);
    const DistributionalState state =
        form == DistributionalForm::bernoulli
            ? *DistributionalState::prepare({.form = form, .clamp = kClamp}, map_of(kOneSeriesEach), {})
            : state_of_swing(5, form);
    const std::vector<std::int64_t> once = run_of(state.text(), readings);
    EXPECT_EQ(run_of(state.text(), readings), once);
    const std::vector<std::int64_t> later = run_of(state.text(), readings, 100);
    EXPECT_TRUE(std::equal(later.begin(), later.end(), once.begin() + 200, once.end())) << "a run that resumes";
    EXPECT_GT(std::set<std::int64_t>(once.begin(), once.end()).size(), form == DistributionalForm::bernoulli ? 1U : 9U)
        << "but anew in each slot";
  }
}

TEST(DistributionalStream, TwoReleasesTogetherShowNoSpread) {
  constexpr int kSlots = 20'000;
  // Capped: what is sent has the public law, sd 10, whatever the reading's spread; twice the same has its variance.
  double shared[2];
  double redrawn[2];
  for (int wide = 0; wide < 2; ++wide) {
    const std::int64_t swing = wide == 1 ? 15 : 1;
    const std::string readings = readings_of(swing, kSlots);
    const DistributionalState state = state_of_swing(swing, DistributionalForm::capped);
    const std::vector<std::int64_t> once = run_of(state.text(), readings);
    shared[wide] = covariance(once, run_of(state.text(), readings));
    // The broken twin: another key, as when each run draws anew.
    std::string other = state.text();
    other = other.substr(0, other.rfind("end,"));
    other.replace(other.find("key,") + 4, 64, SecretKey::make().hex());
    char end[32];
    std::snprintf(end, sizeof end, "end,%016llx\n",
                  static_cast<unsigned long long>(XXH3_64bits(other.data(), other.size())));
    redrawn[wide] = covariance(once, run_of(other + end, readings));
  }
  const double tolerance = 6 * 100 * std::sqrt(2.0 / kSlots);  // false alarm below 1e-8
  EXPECT_NEAR(shared[0], shared[1], 2 * tolerance);
  EXPECT_GT(redrawn[1] - redrawn[0], 4 * tolerance) << "the twin must show the spread, or this test sees nothing";
}

TEST(KeyedBits, FollowFromKeyPurposeTimeAndNumber) {
  const SecretKey key = SecretKey::make();
  KeyedBits bits(key);
  const auto first = [&](KeyedBits& source, KeyedBits::Purpose purpose, std::int64_t time, std::uint32_t number) {
    source.start(purpose, time, number);
    for (int i = 0; i < 40; ++i) source.take64();  // beyond one block
    return source.take64();
  };
  using Purpose = KeyedBits::Purpose;
  const std::uint64_t word = first(bits, Purpose::reading, -7, 3);
  EXPECT_NE(first(bits, Purpose::absent, -7, 3), word);
  EXPECT_NE(first(bits, Purpose::reading, 7, 3), word);
  EXPECT_NE(first(bits, Purpose::reading, -7, 4), word);
  EXPECT_EQ(first(bits, Purpose::reading, -7, 3), word);
  KeyedBits same(key);
  EXPECT_EQ(first(same, Purpose::reading, -7, 3), word);
  KeyedBits other(SecretKey::make());
  EXPECT_NE(first(other, Purpose::reading, -7, 3), word);
}

TEST(DistributionalState, OfAnEarlierVersionIsNotRead) {
  std::string text = make_state().text();
  text.replace(text.find(",2\n"), 2, ",1");
  const auto found = read(text);
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message.find("an earlier fugu"), std::string::npos) << found.error().message;
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
