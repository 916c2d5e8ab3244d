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

/// Forged: the text of a state after a change, with the hash that it would have.
std::string sealed(std::string text) {
  text.resize(text.rfind("end,"));
  const std::string version = to_hex(sha256({text}));
  return text.append("end,").append(version).append("\n");
}

/// The same for formats before versions.
std::string sealed_before_versions(std::string text) {
  char end[32];
  std::snprintf(end, sizeof end, "end,%016llx\n",
                static_cast<unsigned long long>(XXH3_64bits(text.data(), text.size())));
  return text + end;
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
  EXPECT_GT(state->constants()[0][0].variance_steps, 0);
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
  const SeriesMap map = map_of();
  DistributionalStream stream(make_state(), map);
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
  auto stream = std::make_shared<DistributionalStream>(*read(state_text), map_of(kOneSeriesEach));
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
    other.replace(other.find("key,") + 4, 64, SecretKey::make().hex());
    redrawn[wide] = covariance(once, run_of(sealed(other), readings));
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
  text.replace(text.find(",4\n"), 2, ",1");
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

DistributionalPlan hourly_plan(DistributionalForm form = DistributionalForm::capped) {
  DistributionalPlan plan = plan_of(form);
  plan.circumstances = *Circumstances::parse("hour", 3600);
  plan.slot_s = 3600;
  return plan;
}

/// Learned that a meter reads its hour, or ten times `tens` more.
std::vector<MeterProfile> hourly_profiles(int tens = 0) {
  std::vector<MeterProfile> profiles;
  for (std::int64_t hour = 0; hour < 24; ++hour)
    profiles.push_back(MeterProfile::learn({hour + 10 * tens, hour + 10 * tens + 2}, kClamp));
  return profiles;
}

DistributionalState hourly_state(DistributionalForm form = DistributionalForm::capped) {
  std::vector<MeterProfile> profiles = hourly_profiles();
  for (const MeterProfile& profile : hourly_profiles(3)) profiles.push_back(profile);
  auto state = DistributionalState::prepare(hourly_plan(form), map_of(kOneSeriesEach), std::move(profiles));
  EXPECT_TRUE(state);
  return *std::move(state);
}

TEST(DistributionalState, HasLawsAndConstantsForEachCircumstance) {
  for (const DistributionalForm form : {DistributionalForm::capped, DistributionalForm::hidden}) {
    const DistributionalState state = hourly_state(form);
    EXPECT_EQ(state.constants()[0].size(), 24U);
    const auto back = read(state.text());
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(back->text(), state.text());
    EXPECT_EQ(back->constants(), state.constants());
    std::string cut = state.text();
    cut.erase(cut.find("also,"), cut.find("\n", cut.find("also,")) - cut.find("also,") + 1);
    EXPECT_FALSE(read(sealed(cut))) << "a law is missing";
  }
}

TEST(DistributionalStream, SendsByTheHourOfTheSlot) {
  const SeriesMap map = map_of(kOneSeriesEach);
  const DistributionalState state = hourly_state();
  DistributionalStream stream(state, map);
  stream.start(Clock(0, 3600));
  // The constant of the hour in the state's offset, which the law of the hour is around.
  for (const Slot slot : {Slot{0}, Slot{22}, Slot{23}, Slot{24}}) {
    const auto hour = static_cast<std::size_t>((slot + 1) % 24);
    EXPECT_EQ(stream.of_slot(slot, 1), state.constants()[1][hour].mean_steps);
    double sum = 0;
    for (int day = 0; day < 2000; ++day)
      sum += static_cast<double>(stream.of_reading(slot + 24 * day, 1, 30 + static_cast<std::int64_t>(hour)));
    EXPECT_NEAR(sum / 2000, 31 + static_cast<double>(hour), 6 * 10 / std::sqrt(2000.0));  // false alarm below 1e-6
  }
}

TEST(DistributionalState, CircumstancesNeedTimes) {
  const DistributionalState state = hourly_state();
  EXPECT_TRUE(state.check_begin(Clock(0, 3600), 5));
  const auto refused = state.check_begin(Clock(), 5);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().cause, Cause::refused);
  EXPECT_NE(refused.error().message.find("time stamps"), std::string::npos);
  EXPECT_TRUE(make_state().check_begin(Clock(), 5));
}

TEST(DistributionalState, IsForSlotsOfTheLengthThatItWasLearnedFrom) {
  const auto expect_refused = [](const Result<void>& checked, const char* word) {
    ASSERT_FALSE(checked) << word;
    EXPECT_EQ(checked.error().cause, Cause::refused);
    EXPECT_NE(checked.error().message.find(word), std::string::npos) << checked.error().message;
  };
  const DistributionalState hourly = hourly_state();
  EXPECT_TRUE(hourly.check_begin(Clock(0, 3600), 0));
  expect_refused(hourly.check_begin(Clock(0, 900), 0), "slots of 15m, the distributional state was learned from");
  expect_refused(read(hourly.text())->check_begin(Clock(0, 86400), 0), "slots of 1d");
  const DistributionalState unknown = make_state();
  EXPECT_TRUE(unknown.check_begin(Clock(), 0));
  expect_refused(unknown.check_begin(Clock(0, 90), 0), "--slot-length 90s");
  const auto stated = unknown.with_slot_length(900);
  ASSERT_TRUE(stated) << stated.error().message;
  EXPECT_EQ(stated->constants(), unknown.constants());
  EXPECT_EQ(stated->draws_for_one_meter(), 1U);
  EXPECT_EQ(stated->versions().size(), 2U);
  const auto back = read(stated->text());
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_TRUE(back->check_begin(Clock(0, 900), 0));
  expect_refused(back->check_begin(Clock(0, 3600), 0), "slots of 1h");
  expect_refused(back->check_begin(Clock(), 0), "slot numbers");
  const auto coin = DistributionalState::prepare({.form = DistributionalForm::bernoulli, .clamp = kClamp},
                                                 map_of("meter,series\na,north\n"), {});
  ASSERT_TRUE(coin);
  EXPECT_TRUE(coin->check_begin(Clock(0, 900), 0)) << "it learned nothing";
}

TEST(DistributionalState, OfOneLevelMustHaveOne) {
  DistributionalPlan plan = hourly_plan();
  plan.one_level = true;
  std::vector<MeterProfile> profiles;
  for (const MeterProfile& profile : hourly_profiles()) profiles.push_back(profile.at_level(12, 4));
  const auto state = DistributionalState::prepare(plan, map_of("meter,series\na,north\n"), profiles);
  ASSERT_TRUE(state);
  EXPECT_EQ(state->constants()[0].size(), 1U);
  EXPECT_TRUE(read(state->text()));
  // Forged, checksum and all: another mean at one hour would show through the one constant.
  std::string forged = state->text();
  forged.replace(forged.find("also,12,"), 8, "also,13,");
  EXPECT_FALSE(read(sealed(forged)));
}

// A stream that was begun before there were circumstances goes on as it was.
TEST(DistributionalState, OfTheVersionBeforeCircumstancesIsRead) {
  const std::string text =
      "fugu-distributional-state,2\nid,00\nkey,0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n"
      "plan,form=capped unit-step=1 lo=0 hi=100 epsilon=1 delta=0 mean-share=0.5 alpha=2 spread=10 half-width=40 "
      "sample=1\nseries,north,12,0\nmeter,a|north,5,0,0:10:4294967296;\n";
  const auto state = read(sealed_before_versions(text));
  ASSERT_TRUE(state) << state.error().message;
  EXPECT_TRUE(state->plan().circumstances.none());
  EXPECT_EQ(state->constants()[0][0].mean_steps, 12);
  // The file of before is the first version: a ledger knows it again, whoever reads it.
  ASSERT_EQ(state->versions().size(), 2U);
  EXPECT_EQ(state->versions()[0], sha256({text}));
  const auto again = read(state->text());
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_TRUE(std::ranges::equal(again->versions(), state->versions()));
}

TEST(DistributionalState, AVersionHasAllThatIsInTheStateAndTheOnesBefore) {
  const SeriesMap both = map_of("meter,series\na,north\nb,north\n");
  const SeriesMap one = map_of("meter,series\na,north\n");
  const auto first = prepared(DistributionalForm::capped, both);
  ASSERT_TRUE(first);
  ASSERT_EQ(first->versions().size(), 1U);
  const auto left = first->changed(one, {});
  const auto left_again = first->changed(one, {});  // as from a backup
  ASSERT_TRUE(left && left_again);
  ASSERT_EQ(left->versions().size(), 2U);
  EXPECT_EQ(left->versions()[0], first->versions()[0]);
  EXPECT_EQ(left_again->versions()[0], first->versions()[0]);
  EXPECT_NE(left->versions()[1], left_again->versions()[1]) << "other constants";
  const auto back = left->changed(both, {});
  ASSERT_TRUE(back);
  EXPECT_TRUE(std::ranges::equal(back->versions().first(2), left->versions()));
  EXPECT_TRUE(std::ranges::equal(read(back->text())->versions(), back->versions()));
  // Whoever cuts out how often was drawn gets another version, and so does who denies the one before.
  std::string forged = back->text();
  forged.erase(forged.find("draws,3\n"), 8);
  const auto cheaper = read(sealed(forged));
  ASSERT_TRUE(cheaper);
  EXPECT_NE(cheaper->versions().back(), back->versions().back());
  forged = back->text();
  forged.erase(forged.find("earlier,"), 8 + 64 + 1);
  const auto denied = read(sealed(forged));
  ASSERT_TRUE(denied);
  EXPECT_NE(denied->versions().back(), back->versions().back());
}

TEST(DistributionalState, WhoJoinsLeavesOrMovesPaysAndNobodyElse) {
  const SeriesMap first = map_of("meter,series\na,north\nb,north\nc,south\nd,west\n");
  const std::vector<MeterProfile> four(4, MeterProfile::learn({40, 60}, kClamp));
  const auto before = DistributionalState::prepare(plan_of(DistributionalForm::capped), first, four);
  ASSERT_TRUE(before);
  // b is gone, e is new, c moved; a and d stay.
  const auto map = SeriesMap::read(Input::from_memory("map.csv", "meter,series\ne,north\na,north\nc,north\nd,west\n"),
                                   before->series());
  ASSERT_TRUE(map);
  EXPECT_FALSE(before->check(*map, kClamp, UnitStep()));
  ASSERT_EQ(before->newcomers(*map), std::vector<MeterId>{0});
  const auto after = before->changed(*map, {MeterProfile::learn({7}, kClamp)});
  ASSERT_TRUE(after) << after.error().message;
  EXPECT_TRUE(after->check(*map, kClamp, UnitStep()));
  EXPECT_FALSE(after->check(first, kClamp, UnitStep()));
  EXPECT_EQ(after->id(), before->id()) << "the ledger goes on";
  for (SeriesId id = 0; id < 3; ++id) EXPECT_EQ(after->constants()[id][0], before->constants()[id][0]) << "never again";
  EXPECT_EQ(after->constants()[0].size(), 2U) << "north got and lost meters";
  EXPECT_EQ(after->constants()[1].size(), 2U) << "south lost one";
  EXPECT_EQ(after->constants()[2].size(), 1U) << "nothing changed in the west";
  EXPECT_EQ(after->draws_for_one_meter(), 3U) << "c was drawn for at first, then in two series";
  const std::string text = after->text();
  EXPECT_NE(text.find("meter,b,"), std::string::npos) << "remembered";
  EXPECT_NE(text.find("draws,3\n"), std::string::npos);
  EXPECT_EQ(read(text)->text(), text);
  // Who comes back is drawn for again, with the profile that was learned at first.
  const auto back = SeriesMap::read(
      Input::from_memory("map.csv", "meter,series\na,north\nb,north\nc,north\nd,west\ne,north\n"), before->series());
  EXPECT_TRUE(after->newcomers(*back).empty());
  const auto again = after->changed(*back, {});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->draws_for_one_meter(), 3U) << "b: at first, when it left, and now";
  EXPECT_EQ(again->constants()[0].size(), 3U);

  const auto same = after->changed(*map, {});
  ASSERT_FALSE(same);
  EXPECT_EQ(same.error().cause, Cause::usage);
  const auto twice = SeriesMap::read(
      Input::from_memory("map.csv", "meter,series\na,north\na,south\nb,north\nc,south\nd,west\n"), before->series());
  const auto refused = before->changed(*twice, {});
  ASSERT_FALSE(refused) << "constants are for meters in one series";
  EXPECT_EQ(refused.error().cause, Cause::refused);
}

TEST(DistributionalState, AMeterThatJoinsWithoutASeriesCanBeReadAgain) {
  const SeriesMap first = map_of("meter,series\na,north\nb,south\n");
  const std::vector<MeterProfile> two(2, MeterProfile::learn({40, 60}, kClamp));
  const auto before = DistributionalState::prepare(plan_of(DistributionalForm::capped), first, two);
  ASSERT_TRUE(before);
  const auto map =
      SeriesMap::read(Input::from_memory("map.csv", "meter,series\na,south\nb,south\nc,\n"), before->series());
  ASSERT_TRUE(map) << map.error().message;
  const auto after = before->changed(*map, {MeterProfile::learn({7}, kClamp)});
  ASSERT_TRUE(after) << after.error().message;
  const std::string text = after->text();
  EXPECT_NE(text.find("draws,0\n"), std::string::npos);
  const auto again = read(text);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->text(), text);
}

// The mean over a long time shows what the state says, before and after: their difference must not be the mean of who
// left. Broken twin: the same constants as before.
TEST(DistributionalStream, WhatALeaverWasLikeIsNotTheDifference) {
  const SeriesMap both = map_of("meter,series\na,north\nb,north\n");
  const SeriesMap one = map_of("meter,series\na,north\n");
  const auto level = [](const DistributionalState& state, const SeriesMap& map) {
    DistributionalStream stream(state, map);
    double sum = 0;
    constexpr int kSlots = 4000;
    for (Slot slot = 0; slot < kSlots; ++slot) {
      for (MeterId meter = 0; meter < map.meter_count(); ++meter)
        sum += static_cast<double>(stream.of_absent(slot, meter)) / kSlots;
      sum += static_cast<double>(stream.of_slot(slot, 0)) / kSlots;
    }
    return sum;
  };
  constexpr int kTrials = 60;
  int shows = 0;
  int shows_in_twin = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    const auto before =
        DistributionalState::prepare(plan_of(DistributionalForm::capped), both,
                                     {MeterProfile::learn({40}, kClamp), MeterProfile::learn({90}, kClamp)});
    const auto after = before->changed(one, {});
    ASSERT_TRUE(after);
    std::string broken = after->text();
    const std::size_t change = broken.find("change,");
    broken.erase(change, broken.find('\n', change) - change + 1);
    const auto twin = read(sealed(broken));
    ASSERT_TRUE(twin);
    const double at_first = level(*before, both);
    if (std::fabs(at_first - level(*after, one) - 90) < 5) ++shows;
    if (std::fabs(at_first - level(*twin, one) - 90) < 5) ++shows_in_twin;
  }
  // Within 5 of the truth by chance: 1 − e^(−5/100) = 0.05 of all trials; 20 of 60 happen once in 10^10 times.
  EXPECT_LT(shows, 20);
  EXPECT_EQ(shows_in_twin, kTrials);
}

TEST(DistributionalState, KnowsWhenConstantsAreLargerThanTotals) {
  EXPECT_EQ(make_state().drowned().size(), 2U) << "two meters, constants of scale 200";
  std::string text = "meter,series\n";
  for (int i = 0; i < 30; ++i) text.append("m").append(std::to_string(i)).append(",north\n");
  const auto many = DistributionalState::prepare(plan_of(DistributionalForm::capped), map_of(text),
                                                 std::vector<MeterProfile>(30, MeterProfile::learn({40}, kClamp)));
  ASSERT_TRUE(many);
  EXPECT_TRUE(many->drowned().empty()) << "1200 against 100";
}

TEST(DistributionalState, NamesWithABarAreRefused) {
  const auto state = DistributionalState::prepare({.form = DistributionalForm::bernoulli, .clamp = kClamp},
                                                  map_of("meter,series\na|b,north\n"), {});
  ASSERT_FALSE(state);
  EXPECT_EQ(state.error().cause, Cause::bad_input);
}

}  // namespace
}  // namespace fugu::test
