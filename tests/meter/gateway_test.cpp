// The meter's side: nothing lost, nothing twice, everything repeatable, and the state that survives a restart.
#include "fugu/meter/gateway.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "build.hpp"
#include "support/temp_dir.hpp"

namespace fugu::test {
namespace {

std::map<NameTable::Id, std::int64_t> sums_of(const std::vector<Gateway::Outgoing>& reports) {
  std::map<NameTable::Id, std::int64_t> sums;
  for (const auto& [meter, report] : reports) sums[meter] += report.value_steps;
  return sums;
}

void expect_nothing_lost(const std::vector<Gateway::Outgoing>& reports, std::size_t meters, Slot slots) {
  const auto sums = sums_of(reports);
  for (NameTable::Id meter = 0; meter < meters; ++meter) {
    std::int64_t sum = 0;
    for (Slot slot = 0; slot < slots; ++slot) sum += load_steps(meter, slot);
    EXPECT_EQ(sums.at(meter), sum) << meter;
  }
}

TEST(Gateway, SendsEveryReadingOnceToTheLastStep) {
  for (const unsigned parts : {1U, 2U, 16U}) {
    MeterRules rules = published_rules(2);
    rules.parts = parts;
    auto gateway = Gateway::make(rules, make_keys(20));
    run_slots(*gateway, 0, 300);
    gateway->drain();
    EXPECT_EQ(gateway->outbox().size(), 20 * 300 * parts);
    expect_nothing_lost(gateway->outbox(), 20, 300);
    EXPECT_EQ(gateway->counters().early, 0);
  }
}

TEST(Gateway, NumbersFollowSendingNotMeasuring) {
  auto gateway = Gateway::make(published_rules(2), make_keys(1));
  for (Slot slot = 0; slot < 500; ++slot) {
    gateway->measure(0, slot, slot);  // the value says when it was measured
    gateway->end_slot(slot);
  }
  gateway->drain();
  std::uint64_t next = 0;
  Slot arrival = 0;
  std::size_t same_slot_pairs = 0;
  std::size_t reversed = 0;
  for (std::size_t i = 0; i < gateway->outbox().size(); ++i) {
    const Report& report = gateway->outbox()[i].report;
    EXPECT_EQ(report.number, next++);
    EXPECT_GE(report.arrival, arrival);
    if (i > 0 && report.arrival == arrival) {
      ++same_slot_pairs;
      reversed += report.value_steps < gateway->outbox()[i - 1].report.value_steps;
    }
    arrival = report.arrival;
  }
  // Each is reversed with probability ½: outside ±5 deviations once in 1.7 million keys, and the keys are fixed.
  const auto pairs = static_cast<double>(same_slot_pairs);
  EXPECT_NEAR(static_cast<double>(reversed), pairs / 2, 5 * std::sqrt(pairs) / 2);
  EXPECT_GT(same_slot_pairs, 50);
}

TEST(Gateway, ShiftsAreAFunctionOfKeyRulesMeterAndSlot) {
  auto one = Gateway::make(published_rules(1), make_keys(5));
  auto same = Gateway::make(published_rules(1), make_keys(5));
  auto other = Gateway::make(published_rules(1), make_keys(5, 1));
  for (Gateway* gateway : {&*one, &*same, &*other}) {
    run_slots(*gateway, 0, 50);
    gateway->drain();
  }
  ASSERT_EQ(one->outbox().size(), same->outbox().size());
  for (std::size_t i = 0; i < one->outbox().size(); ++i) EXPECT_EQ(one->outbox()[i].report, same->outbox()[i].report);
  std::size_t moved = 0;
  for (std::size_t i = 0; i < one->outbox().size(); ++i)
    moved += one->outbox()[i].report.stamp != other->outbox()[i].report.stamp;
  EXPECT_GT(moved, 50);
}

/// The shift of each slot's reading of one meter.
std::vector<Slot> shifts_under(const MeterRules& rules, Slot slots) {
  auto gateway = Gateway::make(rules, make_keys(1));
  for (Slot slot = 0; slot < slots; ++slot) gateway->measure(0, slot, slot);  // the value says when it was measured
  gateway->drain();
  std::vector<Slot> shifts(static_cast<std::size_t>(slots));
  for (const auto& [meter, report] : gateway->outbox())
    shifts[static_cast<std::size_t>(report.value_steps)] = report.stamp - report.value_steps;
  return shifts;
}

// From the same bits all laws draw shifts of the same sign, as each is symmetric and a draw looks up a quantile.
TEST(Gateway, AnotherSchemeDrawsIndependently) {
  const auto opposite = [](const std::vector<Slot>& a, const std::vector<Slot>& b) {
    int count = 0;
    for (std::size_t i = 0; i < a.size(); ++i) count += (a[i] < 0 && b[i] > 0) || (a[i] > 0 && b[i] < 0);
    return count;
  };
  const auto shifts = shifts_under(published_rules(1), 1000);
  EXPECT_EQ(opposite(shifts, shifts_under(published_rules(1), 1000)), 0);
  MeterRules other_queue = published_rules(1);
  other_queue.queue_max = 1000;
  // Independent draws are opposite with probability above 0.18: below 100 of 1,000 by more than 6 deviations.
  for (const MeterRules& other : {published_rules(2), lagged_rules(1), lagged_rules(0.5), other_queue})
    EXPECT_GT(opposite(shifts, shifts_under(other, 1000)), 100);
}

// Calendars with boundaries at even and at odd slots: with the same stamps twice, reports could be matched, and each
// reading would lie where its two periods overlap, in one slot. A calendar that grew draws the same.
TEST(Gateway, AnotherCalendarDrawsIndependently) {
  const auto shifts = [](Slot first, Slot end) {
    std::string rows = "start,tariff\n";
    for (Slot start = first; start < end; start += 2) rows += std::to_string(start) + ",t\n";
    MeterRules rules = published_rules(1);
    rules.periods = *Periods::read(Input::from_memory("c", rows + std::to_string(end) + ",\n"), {});
    auto gateway = Gateway::make(rules, make_keys(1));
    for (Slot slot = 2; slot < 1000; ++slot) gateway->measure(0, slot, slot);
    gateway->drain();
    std::map<Slot, Slot> stamps;
    for (const auto& [meter, report] : gateway->outbox())
      if (!report.closes_after) stamps[report.value_steps] = report.stamp;
    return stamps;
  };
  const auto even = shifts(0, 1000);
  EXPECT_EQ(even, shifts(0, 1200));
  const auto odd = shifts(1, 1001);
  int opposite = 0;
  for (const auto& [slot, stamp] : even)
    opposite += (stamp < slot && odd.at(slot) > slot) || (stamp > slot && odd.at(slot) < slot);
  // As in AnotherSchemeDrawsIndependently: 0 with the same draws.
  EXPECT_GT(opposite, 100);
}

TEST(Gateway, TakesAReadingOnce) {
  auto gateway = Gateway::make(published_rules(1), make_keys(1));
  EXPECT_EQ(gateway->measure(0, 5, 10), Gateway::Measured::queued);
  EXPECT_EQ(gateway->measure(0, 5, 11), Gateway::Measured::seen);
  EXPECT_EQ(gateway->measure(0, 4, 11), Gateway::Measured::seen);
  gateway->drain();
  EXPECT_EQ(gateway->outbox().size(), 1);
  EXPECT_EQ(gateway->counters().seen, 2);
}

TEST(Gateway, DividesWhileTheLoadIsSteady) {
  MeterRules rules = published_rules(1);
  rules.parts = 4;
  rules.divide_below_steps = 20;
  auto gateway = Gateway::make(rules, make_keys(1));
  for (Slot slot = 0; slot < 100; ++slot) gateway->measure(0, slot, 1000);
  EXPECT_EQ(gateway->counters().divided, 100);
  for (Slot slot = 100; slot < 200; ++slot) gateway->measure(0, slot, slot % 2 == 0 ? 1000 : 2000);
  EXPECT_LT(gateway->counters().divided, 105);
  for (Slot slot = 200; slot < 400; ++slot) gateway->measure(0, slot, 1000);
  EXPECT_GT(gateway->counters().divided, 180) << "it takes about 100 slots to forget";
  gateway->drain();
  EXPECT_EQ(sums_of(gateway->outbox()).at(0), 300 * 1000 + 50 * 3000);
}

TEST(Gateway, AFullQueueSendsEarlyAndLosesNothing) {
  MeterRules rules = published_rules(20);
  rules.queue_max = 3;
  auto gateway = Gateway::make(rules, make_keys(4));
  run_slots(*gateway, 0, 200);
  gateway->drain();
  EXPECT_GT(gateway->counters().early, 100);
  EXPECT_LE(gateway->counters().queued_most, 3);
  EXPECT_EQ(gateway->outbox().size(), 4 * 200);
  expect_nothing_lost(gateway->outbox(), 4, 200);
}

TEST(Gateway, TheQueueOfTheLaggedFormCannotGetFull) {
  auto gateway = Gateway::make(lagged_rules(), make_keys(50));
  run_slots(*gateway, 0, 300);
  EXPECT_LE(gateway->counters().queued_most, gateway->queue_max());
  EXPECT_EQ(gateway->counters().early, 0);
  MeterRules tight = lagged_rules();
  tight.queue_max = gateway->queue_max() - 1;
  const auto refused = Gateway::make(tight, make_keys(1));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().cause, Cause::refused);
}

TEST(Gateway, TheLaggedFormRefusesWhatWouldShow) {
  MeterRules adaptive = {.scheme = *TemporalScheme::lagged({.epsilon = 1, .delta = 1e-4, .parts = 2}), .parts = 2};
  EXPECT_TRUE(Gateway::make(adaptive, make_keys(1)));
  adaptive.divide_below_steps = 10;
  MeterRules ring = with_periods(lagged_rules(), 96);
  ring.ring = true;
  MeterRules more_parts = lagged_rules();
  more_parts.parts = 2;
  for (const MeterRules& rules : {adaptive, ring, more_parts}) {
    const auto refused = Gateway::make(rules, make_keys(1));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().cause, Cause::refused);
  }
}

TEST(Gateway, RefusesRulesThatMakeNoSense) {
  MeterRules rules = published_rules(1);
  rules.parts = 0;
  EXPECT_FALSE(Gateway::make(rules, make_keys(1)));
  rules.parts = 17;
  EXPECT_FALSE(Gateway::make(rules, make_keys(1)));
  rules.parts = 1;
  rules.divide_below_steps = 5;
  EXPECT_FALSE(Gateway::make(rules, make_keys(1)));
  rules.divide_below_steps.reset();
  rules.ring = true;
  EXPECT_FALSE(Gateway::make(rules, make_keys(1))) << "a ring without periods";
}

TEST(Gateway, ARingKeepsEveryPeriodWhole) {
  MeterRules rules = with_periods(published_rules(3), 24);
  rules.ring = true;
  rules.parts = 2;
  auto gateway = Gateway::make(rules, make_keys(5));
  run_slots(*gateway, 0, 24 * 4);
  gateway->drain();
  std::map<std::pair<NameTable::Id, Slot>, std::int64_t> sums;
  for (const auto& [meter, report] : gateway->outbox())
    if (!report.closes_after) sums[{meter, report.stamp / 24}] += report.value_steps;
  EXPECT_EQ(sums.size(), 5 * 4);
  for (const auto& [key, sum] : sums) {
    std::int64_t truth = 0;
    for (Slot slot = key.second * 24; slot < (key.second + 1) * 24; ++slot) truth += load_steps(key.first, slot);
    EXPECT_EQ(sum, truth);
  }
}

TEST(Gateway, APeriodIsClosedWhenItIsOverAndAllOfItsReportsAreSent) {
  for (const MeterRules& rules : {with_periods(published_rules(3), 24), with_periods(lagged_rules(), 24)}) {
    auto gateway = Gateway::make(rules, make_keys(4));
    run_slots(*gateway, 0, 24 * 4 + 5);
    gateway->drain();
    std::map<std::pair<NameTable::Id, Slot>, std::uint64_t> sent;
    std::size_t closed = 0;
    for (const auto& [meter, report] : gateway->outbox()) {
      ASSERT_TRUE(report.period);
      if (!report.closes_after) {
        ++sent[{meter, *report.period}];
        continue;
      }
      ++closed;
      EXPECT_EQ(*report.closes_after, 24);
      EXPECT_EQ(sent.at({meter, *report.period}), 24) << "all of them left before";
      EXPECT_EQ(report.stamp, *report.period + 24);
      EXPECT_GE(report.arrival, *report.period + 23);
    }
    EXPECT_EQ(closed, 4 * 4) << "the fifth period is not over, however long it is drained";
    // It goes on.
    run_slots(*gateway, 24 * 4 + 5, 24 * 5);
    gateway->drain();
    EXPECT_EQ(std::ranges::count_if(gateway->outbox(), [](const auto& out) { return out.report.closes_after == 24; }),
              4 * 5);
  }
}

// The period comes with the report; stamp and arrival are drawn as without one, so moves within a period are as hidden.
TEST(Gateway, PeriodsDoNotChangeTheLawOfShifts) {
  const Slot slots = 1000;
  std::map<Slot, int> without;
  std::map<Slot, int> with;
  for (const Slot shift : shifts_under(lagged_rules(), slots)) ++without[shift];
  auto gateway = Gateway::make(with_periods(lagged_rules(), 10), make_keys(1));
  for (Slot slot = 0; slot < slots; ++slot) {
    gateway->measure(0, slot, slot);
    gateway->end_slot(slot);
  }
  gateway->drain();
  bool leaves = false;
  for (const auto& [meter, report] : gateway->outbox()) {
    if (report.closes_after) continue;
    EXPECT_EQ(report.arrival, report.stamp + gateway->rules().scheme.lag_slots());
    EXPECT_EQ(*report.period, report.value_steps / 10 * 10);
    leaves = leaves || report.stamp < *report.period || report.stamp >= *report.period + 10;
    ++with[report.stamp - report.value_steps];
  }
  EXPECT_TRUE(leaves) << "stamps leave their period";
  // Two draws of 1,000 each: P(0) = 0.46, so both counts have a deviation of 16.
  EXPECT_NEAR(without[0], with[0], 6 * std::sqrt(2.0) * 16);
}

TEST(Gateway, AReadingOutsideOfTheCalendarIsNotTaken) {
  MeterRules rules = published_rules(1);
  rules.periods = *Periods::read(Input::from_memory("c", "start,tariff\n10,day\n20,\n"), {});
  auto gateway = Gateway::make(rules, make_keys(1));
  EXPECT_EQ(gateway->measure(0, 9, 1), Gateway::Measured::no_period);
  EXPECT_EQ(gateway->measure(0, 10, 1), Gateway::Measured::queued);
  EXPECT_EQ(gateway->measure(0, 20, 1), Gateway::Measured::no_period);
  EXPECT_EQ(gateway->counters().readings, 1);
  // A calendar may grow at its end, and not change what was sent for.
  const std::string state = gateway->state();
  rules.periods = *Periods::read(Input::from_memory("c", "start,tariff\n10,day\n20,night\n30,\n"), {});
  EXPECT_TRUE(Gateway::make(rules, make_keys(1))->restore(Input::from_memory("s", state)));
  rules.periods = *Periods::read(Input::from_memory("c", "start,tariff\n10,day\n15,night\n30,\n"), {});
  const auto refused = Gateway::make(rules, make_keys(1))->restore(Input::from_memory("s", state));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("a period that the calendar does not have"), std::string::npos);
}

TEST(Gateway, KeysChangeWhileItRuns) {
  const MeterRules rules = with_periods(published_rules(1), 10);
  MeterKeyFile keys = make_keys(2);
  auto gateway = Gateway::make(rules, keys);
  run_slots(*gateway, 0, 5);
  const std::string old_state = gateway->state();
  const auto progress = *Gateway::progress_in(Input::from_memory("s", old_state), keys);
  ASSERT_TRUE(keys.add("m2", {}));
  ASSERT_TRUE(keys.rotate("m0", progress[0], {}));
  ASSERT_TRUE(keys.remove("m1", progress[1], {}));
  ASSERT_TRUE(gateway->adopt(keys, "keys"));
  EXPECT_EQ(gateway->meters().size(), 3);
  run_slots(*gateway, 5, 10);
  gateway->drain();
  EXPECT_EQ(gateway->counters().removed, 5);
  // Everything that was taken arrives, numbered without a break, and made with a key that the collector has.
  const CollectorKeyFile collector = collector_keys(keys);
  std::string text = std::string(kReportHeader).append("\n");
  for (const auto& [meter, report] : gateway->outbox()) ReportFormat{}.append(text, meter_name(meter), report);
  auto reader = ReportReader::open(Input::from_memory("r", text), collector, {.scheme = rules.scheme});
  ReportReader::Row row;
  std::map<NameTable::Id, std::int64_t> sums;
  std::map<NameTable::Id, std::uint64_t> next;
  while (*reader->next(row)) {
    sums[row.meter] += row.report.value_steps;
    EXPECT_EQ(row.report.number, next[row.meter]++);
  }
  EXPECT_EQ(sums[0], load_sum(0, 0, 10));
  EXPECT_EQ(sums[1], load_sum(1, 0, 5)) << "what waited was sent";
  EXPECT_EQ(sums[2], load_sum(2, 5, 10));
  EXPECT_GT(next[0], progress[0].next_number) << "both of its keys were used";
  // A state that was saved with the old key is still this meter's.
  EXPECT_TRUE(Gateway::make(rules, keys)->restore(Input::from_memory("s", old_state)));
  const auto gone = gateway->adopt(make_keys(1), "fewer.keys");
  ASSERT_FALSE(gone);
  EXPECT_NE(gone.error().message.find("fewer.keys: found no meter 'm1'"), std::string::npos) << gone.error().message;
}

// New shift keys draw again: from an older state, readings that were sent would be released a second time.
TEST(GatewayState, AStateFromBeforeNewKeysIsRefused) {
  const MeterRules rules = lagged_rules();
  MeterKeyFile keys = make_keys(2);
  auto gateway = Gateway::make(rules, keys);
  std::vector<std::string> states;
  for (Slot slot = 0; slot < 20; ++slot) {
    states.push_back(gateway->state());
    run_slots(*gateway, slot, slot + 1);
  }
  const std::string at_rotation = gateway->state();
  const auto progress = Gateway::progress_in(Input::from_memory("s", at_rotation), keys);
  ASSERT_TRUE(progress) << progress.error().message;
  EXPECT_EQ((*progress)[0].last_slot, 19);
  const auto rotated_since = [&](const MeterProgress& since) {
    MeterKeyFile with = make_keys(2);
    EXPECT_TRUE(with.rotate("m0", since, {}));
    return with;
  };
  keys = rotated_since((*progress)[0]);
  const auto restore = [&](const std::string& state, const MeterKeyFile& with) {
    return Gateway::make(rules, with)->restore(Input::from_memory("meter.state", state));
  };
  for (const std::string& older : states) {  // the first ones have sent nothing: only the slot tells them apart
    const auto refused = restore(older, keys);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().cause, Cause::refused);
    EXPECT_NE(refused.error().message.find("meter.state:4:1: found a state that meter 'm0' did not have"),
              std::string::npos)
        << refused.error().message;
    EXPECT_EQ(Gateway::progress_in(Input::from_memory("s", older), keys).error().cause, Cause::refused);
  }
  EXPECT_TRUE(restore(at_rotation, keys));
  EXPECT_EQ(Gateway::make(rules, keys)->check_new("none.state").error().cause, Cause::refused) << "no state at all";
  EXPECT_TRUE(Gateway::make(rules, make_keys(2))->check_new("none.state"));
  EXPECT_EQ(restore(Gateway::make(rules, make_keys(1))->state(), rotated_since({3, {}})).error().cause, Cause::refused);

  // The twin whose keys begin at an older state takes it, and sends the same readings under other stamps.
  const auto stamps_after = [&](const std::string& state, const MeterKeyFile& with) {
    auto next = Gateway::make(rules, with);
    EXPECT_TRUE(next->restore(Input::from_memory("s", state)));
    next->clear_outbox();
    run_slots(*next, 10, 20);
    next->drain();
    std::vector<Slot> stamps;
    for (const auto& [meter, report] : next->outbox())
      if (meter == 0) stamps.push_back(report.stamp);
    return stamps;
  };
  const MeterKeyFile twin =
      rotated_since((*Gateway::progress_in(Input::from_memory("s", states[10]), make_keys(2)))[0]);
  EXPECT_NE(stamps_after(states[10], twin), stamps_after(states[10], make_keys(2)));

  // Later states, and those of the other meter, go on.
  auto later = Gateway::make(rules, keys);
  ASSERT_TRUE(later->restore(Input::from_memory("s", at_rotation)));
  run_slots(*later, 20, 25);
  EXPECT_TRUE(restore(later->state(), keys));
}

TEST(Gateway, AdoptsKeysThatWereReplacedWhereItIs) {
  auto gateway = Gateway::make(published_rules(1), make_keys(2));
  run_slots(*gateway, 0, 5);
  const auto progress = *Gateway::progress_in(Input::from_memory("s", gateway->state()), make_keys(2));
  for (const MeterProgress& elsewhere : {MeterProgress{}, MeterProgress{progress[1].next_number, 3},
                                         MeterProgress{progress[1].next_number + 1, progress[1].last_slot}}) {
    MeterKeyFile keys = make_keys(2);
    ASSERT_TRUE(keys.rotate("m1", elsewhere, {}));
    const std::string before = gateway->state();
    EXPECT_EQ(gateway->adopt(keys, "keys").error().cause, Cause::refused);
    EXPECT_EQ(gateway->state(), before) << "nothing of it is taken over";
  }
  MeterKeyFile keys = make_keys(2);
  ASSERT_TRUE(keys.rotate("m1", progress[1], {}));
  EXPECT_TRUE(gateway->adopt(keys, "keys"));
  EXPECT_TRUE(gateway->adopt(keys, "keys")) << "the same again";
}

// Restarting after every slot, from text, gives the same reports as never restarting.
TEST(GatewayState, ARestartChangesNothing) {
  MeterRules adaptive = published_rules(2);
  adaptive.parts = 3;
  adaptive.divide_below_steps = 900;
  MeterRules early = published_rules(10);
  early.queue_max = 4;
  for (const MeterRules& rules : {adaptive, early, lagged_rules(), with_periods(lagged_rules(), 12)}) {
    auto straight = Gateway::make(rules, make_keys(3));
    run_slots(*straight, 0, 60);
    straight->drain();
    std::vector<Gateway::Outgoing> sent;
    std::string state;
    for (Slot slot = 0; slot <= 60; ++slot) {
      auto gateway = Gateway::make(rules, make_keys(3));
      if (!state.empty()) {
        ASSERT_TRUE(gateway->restore(Input::from_memory("state", state)));
      }
      if (slot < 60) {
        run_slots(*gateway, std::max<Slot>(0, slot - 2), slot + 1);  // readings that were taken before come again
      } else {
        gateway->drain();
      }
      sent.insert(sent.end(), gateway->outbox().begin(), gateway->outbox().end());
      gateway->clear_outbox();
      state = gateway->state();
    }
    ASSERT_EQ(sent.size(), straight->outbox().size());
    const auto by_number = [](const Gateway::Outgoing& a, const Gateway::Outgoing& b) {
      return std::pair(a.meter, a.report.number) < std::pair(b.meter, b.report.number);
    };
    auto expected = straight->outbox();
    std::sort(sent.begin(), sent.end(), by_number);
    std::sort(expected.begin(), expected.end(), by_number);
    for (std::size_t i = 0; i < sent.size(); ++i) EXPECT_EQ(sent[i].report, expected[i].report);
  }
}

TEST(GatewayState, WhatMayNotHaveBeenSentIsSentAgain) {
  auto gateway = Gateway::make(published_rules(1), make_keys(3));
  run_slots(*gateway, 0, 10);
  auto restarted = Gateway::make(published_rules(1), make_keys(3));
  ASSERT_TRUE(restarted->restore(Input::from_memory("state", gateway->state())));
  std::set<std::pair<NameTable::Id, std::uint64_t>> numbers;
  for (const auto& [meter, report] : gateway->outbox()) numbers.emplace(meter, report.number);
  for (const auto& [meter, report] : restarted->outbox()) EXPECT_EQ(numbers.erase({meter, report.number}), 1);
  EXPECT_TRUE(numbers.empty());
}

std::string error_of(const std::string& state, const MeterRules& rules, const MeterKeyFile& keys) {
  auto gateway = Gateway::make(rules, keys);
  const auto restored = gateway->restore(Input::from_memory("meter.state", state));
  return restored ? "" : restored.error().message;
}

TEST(GatewayState, ADamagedStateIsRefused) {
  auto gateway = Gateway::make(published_rules(2), make_keys(2));
  run_slots(*gateway, 0, 20);
  const std::string state = gateway->state();
  EXPECT_EQ(error_of(state, published_rules(2), make_keys(2)), "");
  // Cut short anywhere.
  for (std::size_t size = 0; size + 1 < state.size(); size += 7)
    EXPECT_NE(error_of(state.substr(0, size), published_rules(2), make_keys(2)), "") << size;
  // Any digit changed.
  for (std::size_t at = state.find('\n') + 1; at + 6 < state.size(); at += 13) {
    std::string changed = state;
    changed[at] = changed[at] == '1' ? '2' : '1';
    if (changed != state) {
      EXPECT_NE(error_of(changed, published_rules(2), make_keys(2)), "") << at;
    }
  }
}

// Every part has its own MAC; that all are there, each once, must show too.
TEST(GatewayState, AMeterCannotBeLeftOutOrDoubled) {
  auto gateway = Gateway::make(published_rules(2), make_keys(3));
  run_slots(*gateway, 0, 20);
  const std::string state = gateway->state();
  const auto error = [](const std::string& text) { return error_of(text, published_rules(2), make_keys(3)); };
  const std::size_t first = state.find("meter,m0,");
  const std::size_t second = state.find("meter,m1,");
  const std::size_t third = state.find("meter,m2,");
  const std::size_t end = state.rfind("end");
  std::string without = state.substr(0, second).append(state.substr(third));
  EXPECT_NE(error(without), "");
  without.replace(without.find("meters,3"), 8, "meters,2");
  EXPECT_NE(error(without).find("a state that was changed"), std::string::npos) << error(without);
  std::string doubled = state.substr(0, second).append(state.substr(first, second - first));
  doubled.append(state.substr(third));
  EXPECT_NE(error(doubled).find("a meter that an earlier part has"), std::string::npos) << error(doubled);
  const std::string more = state.substr(0, end).append(state.substr(first, second - first)).append("end\n");
  EXPECT_NE(error(more), "");
  std::string none = state.substr(0, first).append("end\n");
  none.replace(none.find("meters,3"), 8, "meters,0");
  EXPECT_NE(error(none), "");
  // Meters that are new to the keys begin with nothing.
  EXPECT_EQ(error_of(state, published_rules(2), make_keys(4)), "");
}

TEST(GatewayState, SaysWhyItIsRefused) {
  auto gateway = Gateway::make(published_rules(2), make_keys(2));
  run_slots(*gateway, 0, 20);
  const std::string state = gateway->state();
  EXPECT_NE(error_of(state, published_rules(1), make_keys(2)).find("meter.state:2:1: found 'rules,"),
            std::string::npos);
  EXPECT_NE(error_of(state, published_rules(2), make_keys(2, 1)).find("made with another key"), std::string::npos);
  EXPECT_NE(error_of(state, published_rules(2), make_keys(1)).find("the state of another meter"), std::string::npos);
  EXPECT_NE(error_of("time,value\n1,2\n", published_rules(2), make_keys(1)).find("a state file of fugu meter"),
            std::string::npos);
  const std::string cut = error_of(state.substr(0, state.rfind("end")), published_rules(2), make_keys(2));
  EXPECT_NE(cut.find("the end of the file"), std::string::npos);
  EXPECT_NE(cut.find("make new keys for these meters and their collector"), std::string::npos) << cut;
}

TEST(GatewayState, SavesAndLoads) {
  TempDir directory;
  auto gateway = Gateway::make(published_rules(2), make_keys(2));
  run_slots(*gateway, 0, 20);
  ASSERT_TRUE(gateway->save(directory / "state"));
  ASSERT_TRUE(gateway->save(directory / "state"));
  auto loaded = Gateway::make(published_rules(2), make_keys(2));
  ASSERT_TRUE(loaded->load(directory / "state"));
  EXPECT_EQ(loaded->state(), gateway->state());
  EXPECT_EQ(gateway->save(directory / "no/such/folder").error().cause, Cause::environment);
}

}  // namespace
}  // namespace fugu::test
