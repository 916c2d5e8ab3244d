// The thesis' two effects and its composition theorem, by hand and against the exact loss.
#include "fugu/strategy/tenat.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "fugu/policy/dominance.hpp"
#include "fugu/strategy/policy_facts.hpp"
#include "support/swellfish_reference.hpp"

namespace fugu::test {
namespace {

/// Figure 7.2 of the thesis, in steps of 0.1 kW.
PolicyBook figure() { return book_of({{policy_of(2, 3, 1, 10), policy_of(3, 6, 2, 22)}}); }

TEST(Tenat, FigureOfTheThesis) {
  const PolicyBook book = figure();
  const Collection& collection = book.of(0);
  EXPECT_EQ(affected_slots(collection, collection.policies()[0]), 2u);
  EXPECT_EQ(affected_slots(collection, collection.policies()[1]), 3u);
  EXPECT_EQ(temporal_sensitivity_steps(collection, 1), 0u);
  EXPECT_EQ(temporal_sensitivity_steps(collection, 2), 10u);
  EXPECT_EQ(temporal_sensitivity_steps(collection, 3), 32u);
  EXPECT_EQ(temporal_sensitivity_steps(collection, 4), 22u);
  EXPECT_EQ(largest_temporal_sensitivity_steps(book), 32u);
}

TEST(Tenat, EffectsOfTheFigure) {
  const PolicyBook book = figure();
  // Slots 1 … 8: sensitivities 0 10 32 22 22 22 0 0, largest δ(J) 0 2 3 3 3 3 0 0.
  const CollectionFacts facts = facts_of(book.of(0), {1, 8}, 32);
  EXPECT_DOUBLE_EQ(facts.tes_effect, 108.0 / 32 / 8);
  EXPECT_EQ(facts.longest_interval_slots, 4u);
  EXPECT_DOUBLE_EQ(facts.tenat_effect, 14.0 / 4 / 8);
}

TEST(PolicyFacts, OfABookTheMeterThatAsksForMostCounts) {
  const PolicyBook book = book_of({{policy_of(2, 3, 1, 10), policy_of(3, 6, 2, 22)}, {policy_of(2, 2, 1, 30)}});
  const CollectionFacts facts = facts_of(book, {1, 8}, 32);
  EXPECT_EQ(facts.policies, 3u);
  EXPECT_DOUBLE_EQ(facts.tes_effect, (108.0 + 20) / 32 / 8);
  EXPECT_DOUBLE_EQ(facts.tenat_effect, 14.0 / 4 / 8);
  EXPECT_DOUBLE_EQ(facts.tenat_effect_printed, 14.0 / 3 / 8);
  EXPECT_EQ(facts_of(book.of(0), {20, 30}, 32).tes_effect, 0) << "nothing is relevant there";
}

RC_GTEST_PROP(PolicyFacts, DominanceIsThatOfEverySlot, ()) {
  const PolicyBook book = random_book();
  const Interval slots{2, 25};
  const std::vector<std::uint64_t> dominated = dominated_slots(book, slots);
  for (MeterId meter = 0; meter < book.meter_count(); ++meter) {
    std::uint64_t expected = 0;
    for (Slot slot = slots.first; slot <= slots.last; ++slot) {
      bool all = dominant(book.of(meter), slot).has_value();
      for (MeterId other = 0; other < book.meter_count() && all; ++other)
        all = dominates_at(book.of(meter), book.of(other), slot);
      expected += all ? 1 : 0;
    }
    RC_ASSERT(dominated[meter] == expected);
  }
}

TEST(Tenat, AffectedSlotsAreAtMostTheInterval) {
  const PolicyBook book = book_of({{policy_of(0, 1, 2, 1), policy_of(0, 1, 2, 1), policy_of(1, 5, 4, 1)}});
  EXPECT_EQ(affected_slots(book.of(0), book.of(0).policies()[0]), 2u);
  EXPECT_EQ(affected_slots(book.of(0), book.of(0).policies()[2]), 5u);  // 4 + 1 + 1, cut
}

TEST(Tenat, MetersDoNotMeet) {
  const PolicyBook book = book_of({{policy_of(0, 3, 1, 5)}, {policy_of(0, 3, 1, 7)}});
  EXPECT_EQ(temporal_sensitivity_steps(book, 2), 7u);
  EXPECT_EQ(affected_slots(book.of(0), book.of(0).policies()[0]), 1u);
}

TEST(Tenat, ChargesTheProductOfSumsWhereTheSumOfProductsIsLost) {
  // Magnitudes 1 and 9, patterns of 9 slots and 1: an occurrence of each changes at most 9 + 9 step-slots, the theorem
  // counts all 10 slots at 10 steps.
  const PolicyBook book = book_of({{policy_of(0, 19, 9, 1), policy_of(0, 19, 1, 9)}});
  const std::vector<double> rates(20, 1.0 / 18);
  EXPECT_NEAR(reference_use(book, rates), 1, 1e-12);
  EXPECT_NEAR(tenat_use(book, {0, 19}, rates), 100.0 / 18, 1e-12);
}

RC_GTEST_PROP(Tenat, NeverBelowTheExactLoss, ()) {
  const PolicyBook book = random_book();
  const auto hundredths = *rc::gen::container<std::vector<int>>(30, rc::gen::inRange(0, 100));
  std::vector<double> rates;
  for (const int rate : hundredths) rates.push_back(0.01 * rate);
  RC_ASSERT(tenat_use(book, {0, 29}, rates) >= reference_use(book, rates) * (1 - 1e-12));
}

RC_GTEST_PROP(Tenat, AccountantSpendsUpToTheTheoremAndNotBeyond, ()) {
  const PolicyBook random = random_book();
  const PolicyBook one = book_of({{random.of(0).policies().begin(), random.of(0).policies().end()}});
  const Collection& collection = one.of(0);
  TenatAccountant accountant(collection);
  std::vector<double> rates;
  for (Slot slot = 0; slot < 30; ++slot) {
    accountant.advance(slot);
    const auto steps = static_cast<double>(temporal_sensitivity_steps(collection, slot));
    const double available = accountant.available();
    RC_ASSERT((steps == 0) == (available == std::numeric_limits<double>::infinity()));
    if (steps == 0) {
      rates.push_back(0);
      continue;
    }
    // All that is allowed holds, and anything more does not.
    rates.push_back(available / steps);
    RC_ASSERT(tenat_use(one, {0, slot}, rates) <= 1 + 1e-9);
    rates.back() += 1e-6;
    RC_ASSERT(tenat_use(one, {0, slot}, rates) > 1);
    const double part = *rc::gen::element(0.0, 0.1, 0.5, 1.0);
    rates.back() = part * available / steps;
    accountant.spend(part * available);
  }
  RC_ASSERT(reference_use(one, rates) <= 1 + 1e-9);
}

}  // namespace
}  // namespace fugu::test
