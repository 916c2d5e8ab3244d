// What simulations of flawed rules are counted by: grants everything, and loses count of nothing.
#include "fugu/simulate/counting_accountant.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "support/builders.hpp"

namespace fugu::test {
namespace {

/// An answer that costs 1/scale.
Answer value_of_scale(Slot slot, Rational scale) {
  Answer answer;
  answer.first_slot = answer.slot = slot;
  answer.series = {0};
  answer.parameter = {scale};
  return answer;
}

TEST(CountingAccountant, CountsBeyondTheTotalAndLeavesNothing) {
  const Definition definitions[] = {define(Protects::event, 1), define(Protects::w_event, 1, 0, 3),
                                    define(Protects::user, 1, 0, 9)};
  for (const Definition& definition : definitions) {
    const auto honest = make_accountant(definition, expose_one(1));
    const auto counting = make_counting_accountant(definition, expose_one(1), {});
    EXPECT_EQ(counting->total(), honest->total());
    EXPECT_EQ(counting->window_slots(), honest->window_slots());
    EXPECT_EQ(counting->horizon(), honest->horizon());
    counting->advance(0);
    ASSERT_TRUE(counting->charge(value_of_scale(0, {4, 1})));
    EXPECT_EQ(counting->available().to_double(), 0.75);
    ASSERT_TRUE(counting->admit(value_of_scale(0, {1, 2})));
    counting->commit();
    EXPECT_EQ(counting->available(), Budget()) << definition.text();
    EXPECT_EQ(counting->worst().to_double(), 2.25) << definition.text();
  }
}

TEST(CountingAccountant, CountsInTheCurrencyOfThePromise) {
  const Definition definition = define(Protects::w_event, 1, 1e-6, 3);
  const auto honest = make_accountant(definition, expose_one(1));
  const auto counting = make_counting_accountant(definition, expose_one(1), {});
  EXPECT_EQ(counting->currency(), Currency::rho);
  EXPECT_EQ(counting->total(), honest->total());
  honest->advance(0);
  counting->advance(0);
  const Answer answer = value_of_scale(0, {100, 1});
  ASSERT_TRUE(honest->charge(answer));
  ASSERT_TRUE(counting->charge(answer));
  EXPECT_EQ(counting->available(), honest->available());
  EXPECT_EQ(counting->worst(), honest->worst());
}

TEST(CountingAccountant, LossesThatCannotBeCountedStayTooMuch) {
  const auto discounted =
      Definition::make({.protects = Protects::discounted_hyp, .epsilon = *Epsilon::make(1), .discount = 0x1p-20});
  for (const Definition& definition : {*discounted, define(Protects::w_event, 1, 0, 3)}) {
    const auto accountant = make_counting_accountant(definition, expose_one(1'000'000), {});
    for (Slot slot = 0; slot < 200; ++slot) {
      accountant->advance(slot);
      ASSERT_TRUE(accountant->charge(value_of_scale(slot, {1, 1})));
    }
    EXPECT_EQ(accountant->worst().units(), std::numeric_limits<std::uint64_t>::max()) << definition.text();
  }
}

}  // namespace
}  // namespace fugu::test
