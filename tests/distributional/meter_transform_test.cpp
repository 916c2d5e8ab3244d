// A meter that transforms its own readings: what it sends, the card it gives, and the sum over many of them.
#include "fugu/distributional/meter_transform.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <set>

#include "fugu/simulate/seeded_bits.hpp"
#include "fugu/stream/readings_reader.hpp"

namespace fugu::test {
namespace {

constexpr ClampRange kClamp{0, 100};
const Clock kHours(0, 3600);
constexpr int kMeters = 5;
const char* const kMap = "meter,series\nm0,north\nm1,north\nm1,city\nm2,city\nm3,north\nm4,city\n";

SeriesMap read_map(std::string text) {
  auto map = SeriesMap::read(Input::from_memory("map.csv", std::move(text)));
  EXPECT_TRUE(map);
  return *std::move(map);
}

DistributionalPlan plan_of(std::string_view by = "hour", double reading_epsilon = 0) {
  return {.form = DistributionalForm::capped,
          .clamp = kClamp,
          .epsilon = 1,
          .spread_steps = 10,
          .half_width_steps = 40,
          .circumstances = *Circumstances::parse(by),
          .reading_epsilon = reading_epsilon};
}

std::string name_of_meter(int meter) { return std::string("m").append(std::to_string(meter)); }

/// What a meter has learned: other values in each circumstance, the more the higher its number.
DistributionalState state_of(const DistributionalPlan& plan, int meter) {
  std::vector<MeterProfile> profiles;
  for (std::size_t c = 0; c < plan.circumstances.count(); ++c) {
    const auto low = static_cast<std::int64_t>(c) + 2 * meter;
    profiles.push_back(MeterProfile::learn({low, low + 3, low + 20, low + 40}, plan.clamp));
  }
  if (plan.form == DistributionalForm::bernoulli) profiles.clear();
  auto state = DistributionalState::prepare(plan, *map_of_one_meter(name_of_meter(meter)), std::move(profiles));
  EXPECT_TRUE(state);
  return *std::move(state);
}

MeterTransform meter_of(const DistributionalState& state) {
  auto meter = MeterTransform::make(state);
  EXPECT_TRUE(meter);
  meter->start(kHours);
  return *std::move(meter);
}

std::optional<std::int64_t> reading_of(int meter, Slot slot) {
  if ((slot + meter) % 7 == 3) return std::nullopt;
  return (slot * 13 + meter * 29) % 130;  // some beyond the clamp
}

DistributionalState gathered(const std::vector<DistributionalState>& meters, const SeriesMap& map) {
  std::vector<MeterLevels> levels;
  for (const DistributionalState& state : meters) levels.push_back(meter_of(state).card().levels);
  auto state = DistributionalState::gather(meters.front().plan(), map, levels);
  EXPECT_TRUE(state);
  return *std::move(state);
}

std::vector<std::int64_t> sums_of(std::vector<Raw> sums) {
  std::vector<std::int64_t> steps;
  for (const Raw raw : sums) steps.push_back(std::bit_cast<std::int64_t>(raw));
  return steps;
}

/// Adds up what came in for a slot; nothing of meters that are left out.
std::vector<std::int64_t> added_up(const DistributionalState& state, const SeriesMap& map, Slot slot,
                                   const std::vector<std::optional<std::int64_t>>& sent) {
  DistributionalStream stream(state, map);
  stream.start(kHours);
  auto aggregator = Aggregator::make(map, {stream.range(), 0, &stream});
  EXPECT_TRUE(aggregator);
  aggregator->start(slot);
  for (MeterId meter = 0; meter < sent.size(); ++meter) {
    if (sent[meter]) aggregator->add(slot, meter, Raw(*sent[meter]));
  }
  std::vector<Raw> sums;
  aggregator->close(sums);
  return sums_of(sums);
}

/// What the central set-up makes of the readings of one meter with the same key, profile and constants.
std::int64_t centrally(const DistributionalState& state, Slot slot, std::optional<std::int64_t> reading) {
  const SeriesMap map = *map_of_one_meter(state.meter_name(0));
  DistributionalStream stream(state, map);
  stream.start(kHours);
  auto aggregator = Aggregator::make(map, {kClamp, 0, &stream});
  aggregator->start(slot);
  if (reading) aggregator->add(slot, 0, Raw(*reading));
  std::vector<Raw> sums;
  aggregator->close(sums);
  return sums_of(sums).front();
}

TEST(MeterTransform, SumsAreThoseOfTheCentralSetUp) {
  const SeriesMap map = read_map(kMap);
  const DistributionalPlan bernoulli{.form = DistributionalForm::bernoulli, .clamp = kClamp};
  for (const DistributionalPlan& plan : {plan_of("none"), plan_of("hour"), plan_of("hour", 1), bernoulli}) {
    std::vector<DistributionalState> states;
    for (int meter = 0; meter < kMeters; ++meter) states.push_back(state_of(plan, meter));
    const DistributionalState sum_state = gathered(states, map);
    for (Slot slot = 0; slot < 100; ++slot) {
      std::vector<std::optional<std::int64_t>> sent;
      std::vector<std::int64_t> central(2);
      for (int meter = 0; meter < kMeters; ++meter) {
        const auto& state = states[static_cast<std::size_t>(meter)];
        sent.push_back(meter_of(state).sent(slot, reading_of(meter, slot)));
        for (const SeriesId series : map.series_of(static_cast<MeterId>(meter)))
          central[series] += centrally(state, slot, reading_of(meter, slot));
      }
      ASSERT_EQ(added_up(sum_state, map, slot, sent), central) << plan.text() << " slot " << slot;
    }
  }
}

TEST(MeterTransform, AsksForTheStateOfOneMeter) {
  const SeriesMap two = read_map("meter,series\na,north\nb,north\n");
  const MeterProfile profile = MeterProfile::learn({1, 2}, kClamp);
  const auto whole = MeterTransform::make(*DistributionalState::prepare(plan_of("none"), two, {profile, profile}));
  ASSERT_FALSE(whole);
  EXPECT_NE(whole.error().message.find("of a whole stream"), std::string::npos) << whole.error().message;
  DistributionalPlan hidden = plan_of("none");
  hidden.form = DistributionalForm::hidden;
  hidden.delta = 1e-6;
  hidden.half_width_steps = 80;
  EXPECT_FALSE(MeterTransform::make(*DistributionalState::prepare(hidden, *map_of_one_meter("a"), {profile})));
  EXPECT_FALSE(MeterTransform::make(gathered({state_of(plan_of(), 0)}, *map_of_one_meter("m0"))));
  EXPECT_FALSE(map_of_one_meter("a,b"));
  EXPECT_FALSE(map_of_one_meter("a|b"));
  EXPECT_FALSE(map_of_one_meter(""));
}

TEST(MeterCard, HasWhatValuesAreDrawnAround) {
  const DistributionalState state = state_of(plan_of("hour"), 2);
  const MeterCard card = meter_of(state).card();
  ASSERT_EQ(card.levels.size(), 24U);
  EXPECT_EQ(card.levels[7], state.transform().profiles()[7].mean_steps() + state.constants()[0][7].mean_steps);
  EXPECT_NE(card.levels, state.means_of(0)) << "without constants, of scale 2400, a card would give the means away";
  EXPECT_EQ(meter_of(state_of(plan_of("none"), 1)).card().levels.size(), 1U);
}

Result<std::vector<MeterCard>> read(std::string text) {
  return read_cards(Input::from_memory("all.cards", std::move(text)));
}

TEST(MeterCard, IsItsTextAndCardsMayFollowEachOther) {
  std::string all;
  for (int meter = 0; meter < kMeters; ++meter) all += meter_of(state_of(plan_of("hour", 0.5), meter)).card().text();
  const auto cards = read(all);
  ASSERT_TRUE(cards) << cards.error().message;
  ASSERT_EQ(cards->size(), static_cast<std::size_t>(kMeters));
  std::string again;
  for (const MeterCard& card : *cards) again += card.text();
  EXPECT_EQ(again, all);
}

TEST(MeterCard, CutShortChangedRepeatedOrOfOtherMetersIsAnError) {
  const std::string card = meter_of(state_of(plan_of("none"), 0)).card().text();
  for (std::size_t bytes = 0; bytes + 1 < card.size(); ++bytes) EXPECT_FALSE(read(card.substr(0, bytes))) << bytes;
  for (std::size_t i = 0; i + 1 < card.size(); ++i) {
    std::string changed = card;
    changed[i] = changed[i] == '3' ? '4' : '3';
    EXPECT_FALSE(read(changed)) << i;
  }
  const auto twice = read(card + card);
  ASSERT_FALSE(twice);
  EXPECT_NE(twice.error().message.find("a second card of meter 'm0'"), std::string::npos) << twice.error().message;
  const auto other = read(card + meter_of(state_of(plan_of("hour"), 1)).card().text());
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().message.find("with other parameters"), std::string::npos) << other.error().message;
}

TEST(GatheredState, IsItsTextAndDrawsForSilentMetersTheSameEachTime) {
  const SeriesMap map = read_map(kMap);
  std::vector<DistributionalState> states;
  for (int meter = 0; meter < kMeters; ++meter) states.push_back(state_of(plan_of(), meter));
  const DistributionalState state = gathered(states, map);
  const auto back = DistributionalState::read(Input::from_memory("s", state.text()));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->text(), state.text());
  EXPECT_TRUE(back->at_meters());
  EXPECT_TRUE(back->check(map, kClamp, UnitStep()));
  EXPECT_FALSE(state.check(map, {0, 99}, UnitStep()));

  const std::int64_t level_north = meter_of(states[0]).card().levels[5] + meter_of(states[1]).card().levels[5] +
                                   meter_of(states[3]).card().levels[5];
  std::set<std::int64_t> seen;
  for (Slot day = 0; day < 50; ++day) {
    const Slot slot = 24 * day + 5;
    const std::vector<std::int64_t> sums = added_up(state, map, slot, {});
    EXPECT_EQ(added_up(*back, map, slot, {}), sums);
    EXPECT_LE(std::abs(sums[0] - level_north), 3 * 40) << "nobody sent: a total around the levels, not 0";
    seen.insert(sums[0]);
  }
  EXPECT_GT(seen.size(), 10U);
}

// Whoever adds up counts on a meter's value being near its level: what is beyond is cut off, so that a meter that went
// wrong changes a total no more than any other.
TEST(GatheredState, KeepsValuesWithinWhatAMeterCanHaveSent) {
  const SeriesMap map = *map_of_one_meter("m0");
  const DistributionalState meter = state_of(plan_of("none"), 0);
  const DistributionalState state = gathered({meter}, map);
  const std::int64_t level = meter_of(meter).card().levels[0];
  EXPECT_EQ(added_up(state, map, 0, {level + 1'000'000}).front(), level + 40);
  EXPECT_EQ(added_up(state, map, 0, {level - 1'000'000}).front(), level - 40);
  EXPECT_EQ(added_up(state, map, 0, {level + 17}).front(), level + 17);
}

TEST(GatheredState, MetersJoinLeaveAndMoveAndNobodyPays) {
  const SeriesMap before = read_map("meter,series\nm0,north\nm1,city\n");
  const DistributionalState state = gathered({state_of(plan_of(), 0), state_of(plan_of(), 1)}, before);
  const SeriesMap after = read_map("meter,series\nm2,north\nm1,city\nm1,north\n");
  ASSERT_EQ(state.newcomers(after).size(), 1U);
  const MeterLevels levels = meter_of(state_of(plan_of(), 2)).card().levels;
  const auto changed = state.changed_levels(after, {levels});
  ASSERT_TRUE(changed) << changed.error().message;
  EXPECT_EQ(changed->id(), state.id());
  EXPECT_EQ(changed->key().hex(), state.key().hex());
  EXPECT_EQ(changed->constants(), state.constants()) << "meters have their own";
  EXPECT_EQ(changed->draws_for_one_meter(), 1U);
  EXPECT_TRUE(changed->check(after, kClamp, UnitStep()));
  EXPECT_EQ(changed->means_of(*changed->position_of("m2")), levels);
  const auto back = DistributionalState::read(Input::from_memory("s", changed->text()));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->text(), changed->text());
}

/// How often a value above the level is sent for a reading of 100, less how often for one of 0: as much as somebody who
/// gets the value can know about the reading. The meter reads either half of the time.
double told_by_one_value(double reading_epsilon) {
  DistributionalPlan plan = plan_of("none", reading_epsilon);
  plan.half_width_steps = plan.spread_steps;
  const auto transform = DistributionalTransform::make(plan, {MeterProfile::learn({0, 100}, kClamp)});
  EXPECT_TRUE(transform);
  SeededBits bits(11);
  constexpr int kDraws = 100'000;
  int above = 0;
  for (int i = 0; i < kDraws; ++i) {
    above += transform->of_reading(0, 100, bits) > 50 ? 1 : 0;
    above -= transform->of_reading(0, 0, bits) > 50 ? 1 : 0;
  }
  return static_cast<double>(above) / kDraws;
}

TEST(ReadingNoise, ProtectsASingleReadingFromWhoeverGetsTheValue) {
  const double allowed = std::tanh(1.0 / 2) + 0.01;  // ε = 1, and a false alarm below 1e-6
  EXPECT_LE(told_by_one_value(1), allowed);
  EXPECT_GT(told_by_one_value(1), 0.15) << "the test sees something";
  EXPECT_GT(told_by_one_value(4), allowed) << "the broken twin, noise for a quarter of the change, must be caught";
  EXPECT_GT(told_by_one_value(0), 0.9) << "without noise of its own a value tells its reading";
}

TEST(ReadingNoise, HasTheScaleOfTheLargestChange) {
  const DistributionalPlan plan = plan_of("none", 0.5);
  const auto scale = plan.reading_scale();
  ASSERT_TRUE(scale && *scale);
  EXPECT_GE((*scale)->to_double(), 2 * 40 / 0.5);
  EXPECT_LT((*scale)->to_double(), 2 * 40 / 0.5 * (1 + 1e-6));
  const auto transform = DistributionalTransform::make(plan, {MeterProfile::learn({0, 100}, kClamp)});
  EXPECT_EQ(transform->change_steps(), 80) << "what is charged for each slot of a release stays";
  EXPECT_EQ(DistributionalPlan::parse(plan.text())->text(), plan.text());
  DistributionalPlan hidden = plan;
  hidden.form = DistributionalForm::hidden;
  hidden.delta = 1e-6;
  hidden.half_width_steps = 80;
  EXPECT_FALSE(hidden.check());
  DistributionalPlan negative = plan_of("none", -1);
  EXPECT_FALSE(negative.check());
}

}  // namespace
}  // namespace fugu::test
