// Discounted definitions: the accountant against sums over all pairs of slots, in fractions.
#include <gmp.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <vector>

#include "fugu/accounting/accountant.hpp"
#include "fugu/accounting/discount_modes.hpp"
#include "support/builders.hpp"

namespace fugu::test {
namespace {

/// A fraction of any size.
class Exact {
 public:
  explicit Exact(double value = 0) {
    mpq_init(value_);
    mpq_set_d(value_, value);
  }
  static Exact of(Budget budget) {
    Exact exact;
    mpq_set_ui(exact.value_, budget.units(), std::uint64_t{1} << Budget::kFractionBits);
    mpq_canonicalize(exact.value_);
    return exact;
  }
  Exact(const Exact& other) {
    mpq_init(value_);
    mpq_set(value_, other.value_);
  }
  Exact& operator=(const Exact& other) {
    mpq_set(value_, other.value_);
    return *this;
  }
  ~Exact() { mpq_clear(value_); }

  friend Exact operator+(Exact a, const Exact& b) {
    mpq_add(a.value_, a.value_, b.value_);
    return a;
  }
  friend Exact operator*(Exact a, const Exact& b) {
    mpq_mul(a.value_, a.value_, b.value_);
    return a;
  }
  friend Exact operator/(Exact a, const Exact& b) {
    mpq_div(a.value_, a.value_, b.value_);
    return a;
  }
  friend bool operator<=(const Exact& a, const Exact& b) { return mpq_cmp(a.value_, b.value_) <= 0; }
  double to_double() const { return mpq_get_d(value_); }

 private:
  mpq_t value_;
};

/// a(age) as it is defined.
Exact true_weight(const Discount& discount, std::size_t age) {
  if (discount.kind == Discount::Kind::hyperbolic)
    return Exact(1) / (Exact(1) + Exact(discount.factor) * Exact(static_cast<double>(age)));
  Exact weight(1);
  for (std::size_t i = 0; i < age; ++i) weight = weight * Exact(discount.factor);
  return weight;
}

/// Σ over k ≤ t of a(t − k) · spent[k], t the last slot.
Exact counted(const Discount& discount, const std::vector<Budget>& spent) {
  Exact sum;
  for (std::size_t k = 0; k < spent.size(); ++k)
    sum = sum + true_weight(discount, spent.size() - 1 - k) * Exact::of(spent[k]);
  return sum;
}

Definition discounted(const Discount& discount, double epsilon) {
  return *Definition::make(
      {.protects = discount.kind == Discount::Kind::exponential ? Protects::discounted_exp : Protects::discounted_hyp,
       .epsilon = *Epsilon::make(epsilon),
       .discount = discount.factor});
}

Discount random_discount() {
  if (*rc::gen::arbitrary<bool>())
    return {Discount::Kind::exponential, *rc::gen::element(1e-9, 0.1, 0.5, 0.9, 0.999, 1 - 0x1p-40)};
  return {Discount::Kind::hyperbolic, *rc::gen::element(0x1p-20, 1e-3, 0.3, 1.0, 4.0, 1000.0, 0x1p20)};
}

/// One series of sensitivity 1 that costs exactly `cost`.
Answer request_costing(Slot slot, Budget cost) {
  Answer answer;
  answer.slot = answer.first_slot = slot;
  answer.series = {0};
  answer.parameter = {{std::uint64_t{1} << Budget::kFractionBits, cost.units()}};
  return answer;
}

// --- The sum of exponentials ----------------------------------------------------------------------------------------

/// What the modes make of a loss of 1, one slot after the other; every 2^-96 counts.
class Pulse {
 public:
  explicit Pulse(std::vector<DiscountMode> modes) : modes_(std::move(modes)), states_(modes_.size()) {}
  double next() {
    uint128 sum = 0;
    for (std::size_t m = 0; m < modes_.size(); ++m) sum += states_[m] = modes_[m].step(states_[m], units_);
    units_ = 0;
    return static_cast<double>(sum) * 0x1p-96;
  }

 private:
  std::vector<DiscountMode> modes_;
  std::vector<uint128> states_;
  std::uint64_t units_ = std::uint64_t{1} << Budget::kFractionBits;
};

TEST(DiscountModes, AreNeverBelowTheHyperbolaAndHardlyAbove) {
  for (const double beta : {0x1p-20, 1e-4, 0.01, 0.3, 1.0, 3.7, 10.0, 1e4, 0x1p20}) {
    Pulse pulse(discount_modes({Discount::Kind::hyperbolic, beta}));
    for (int age = 1; age <= 20'000; ++age) {
      const double above = pulse.next() * (1 + beta * age) - 1;
      ASSERT_GE(above, 0x1p-33) << beta << " after " << age;  // so that an audit with 2^-72 sees that it holds
      ASSERT_LE(above, 0x1p-29) << beta << " after " << age;
    }
  }
}

/// Σ weight · ratio^age, in long doubles: for ages that cannot be walked to.
long double sum_of_modes(const std::vector<DiscountMode>& modes, long double age) {
  long double sum = 0;
  for (const DiscountMode& mode : modes)
    sum += std::ldexp(static_cast<long double>(mode.weight), -112) *
           std::exp(age * std::log1p(-std::ldexp(static_cast<long double>(mode.forgets), -64)));
  return sum;
}

TEST(DiscountModes, ReachAsFarAsTheySayAndAreSafeBeyond) {
  for (const double beta : {0x1p-20, 0.01, 1.0, 10.0, 0x1p20}) {
    const auto modes = discount_modes({Discount::Kind::hyperbolic, beta});
    EXPECT_LE(modes.size(), 100u);
    for (long double age = 1; age < 0x1p60L; age *= 1.37L) {
      const long double above = sum_of_modes(modes, age) * (1 + static_cast<long double>(beta) * age) - 1;
      EXPECT_GE(above, 0) << beta << " after " << age;
      EXPECT_TRUE(age > 0x1p32L || above <= 0x1p-29L) << beta << " after " << age;
    }
  }
}

TEST(DiscountModes, OneExactModeIsExponential) {
  for (const double alpha : {0.001, 0.3, 0.5, 0.999}) {
    const auto modes = discount_modes({Discount::Kind::exponential, alpha});
    ASSERT_EQ(modes.size(), 1u);
    EXPECT_TRUE(modes[0].weight == uint128{1} << 112);
    Pulse pulse(modes);
    for (int age = 1; age < 50; ++age) {
      const double expected = std::pow(alpha, age);
      ASSERT_NEAR(pulse.next(), expected, 1e-13 * expected + 0x1p-90);
    }
  }
}

// --- The accountant
// ---------------------------------------------------------------------------------------------------

RC_GTEST_PROP(DiscountedAccountant, AdmitsNothingThatBreaksThePromiseAndRefusesNothingThatFits, ()) {
  const Discount discount = random_discount();
  const double epsilon = *rc::gen::element(0.01, 1.0, 20.0);
  const auto accountant = make_accountant(discounted(discount, epsilon), expose_one(1));
  const Exact total = Exact::of(accountant->total());
  std::vector<Budget> spent;
  int admitted = 0;
  int refused = 0;
  for (Slot slot = 0; slot < 25; ++slot) {
    accountant->advance(slot);
    spent.emplace_back();
    const int asked = *rc::gen::inRange(0, 3);
    for (int i = 0; i < asked; ++i) {
      const Budget cost = Budget::round_down(epsilon * *rc::gen::element(0.001, 0.1, 0.4, 1.0));
      std::vector<Budget> with = spent;
      with.back() += cost;
      const Exact sum = counted(discount, with);
      const Budget before = accountant->available();
      const auto verdict = accountant->admit(request_costing(slot, cost));
      RC_ASSERT(verdict.has_value() == (cost <= before));
      if (verdict) {
        RC_ASSERT(sum <= total);
        accountant->commit();
        spent = with;
        RC_ASSERT(accountant->available() == before - cost);
        ++admitted;
      } else {
        RC_ASSERT(verdict.error().cause == Cause::refused);
        RC_ASSERT(total <= sum * Exact(1 + 0x1p-28));
        ++refused;
      }
    }
  }
  RC_CLASSIFY(admitted > 0 && refused > 0, "both admitted and refused");
}

/// Spends all there is in every slot. Returns what was spent.
std::vector<Budget> spend_all(Accountant& accountant, Slot slots) {
  std::vector<Budget> spent;
  for (Slot slot = 0; slot < slots; ++slot) {
    accountant.advance(slot);
    spent.push_back(accountant.available());
    EXPECT_GT(spent.back(), Budget()) << "slot " << slot;
    EXPECT_TRUE(accountant.admit(request_costing(slot, spent.back())));
    accountant.commit();
    EXPECT_EQ(accountant.available(), Budget());
  }
  return spent;
}

TEST(DiscountedAccountant, EqualityByHand) {
  const auto half = make_accountant(discounted({Discount::Kind::exponential, 0.5}, 1), expose_one(1));
  const std::vector<Budget> halves = spend_all(*half, 4);
  EXPECT_EQ(halves[0].to_double(), 1);
  for (std::size_t t = 1; t < 4; ++t) EXPECT_EQ(halves[t].to_double(), 0.5);

  const auto hyperbolic = make_accountant(discounted({Discount::Kind::hyperbolic, 1}, 1), expose_one(1));
  const std::vector<Budget> spent = spend_all(*hyperbolic, 365);
  EXPECT_EQ(spent[0].to_double(), 1);
  EXPECT_NEAR(spent[1].to_double(), 1.0 / 2, 1e-9);
  EXPECT_NEAR(spent[2].to_double(), 5.0 / 12, 1e-9);   // 1 − 1/3 − (1/2)/2
  EXPECT_NEAR(1 / spent[364].to_double(), 6.8, 0.05);  // the √k of the paper would have 41.6
}

TEST(DiscountedAccountant, EqualityIsPositiveForeverAndMeetsTheBound) {
  for (const Discount& discount : {Discount{Discount::Kind::exponential, 0.1},
                                   {Discount::Kind::exponential, 0.99},
                                   {Discount::Kind::hyperbolic, 1e-3},
                                   {Discount::Kind::hyperbolic, 1.0},
                                   {Discount::Kind::hyperbolic, 50.0}}) {
    const auto accountant = make_accountant(discounted(discount, 1), expose_one(1));
    const std::vector<Budget> spent = spend_all(*accountant, 300);
    for (const std::size_t t : {0u, 1u, 7u, 150u, 299u}) {
      const Exact sum = counted(discount, {spent.begin(), spent.begin() + static_cast<std::ptrdiff_t>(t) + 1});
      EXPECT_LE(sum.to_double(), 1);
      EXPECT_TRUE(sum <= Exact(1));
      EXPECT_GE(sum.to_double(), 1 - 0x1p-28);
    }
  }
}

TEST(DiscountedAccountant, RoundingDoesNotPileUp) {
  // So slow a discount that one unit of 2^-48 lost in every slot would add up to 2^-8 after 2^40 slots.
  const auto accountant = make_accountant(discounted({Discount::Kind::exponential, 1 - 0x1p-40}, 1), expose_one(1));
  accountant->advance(0);
  ASSERT_TRUE(accountant->admit(request_costing(0, Budget::round_down(0.5))));
  accountant->commit();
  accountant->advance(1'000'000);
  const double expected = 0.5 * std::exp(-1'000'000 * 0x1p-40);
  EXPECT_NEAR(1 - accountant->available().to_double(), expected, 0x1p-47);
}

TEST(DiscountedAccountant, AModeThatIsALittleTooSmallIsNoticed) {
  // The broken twin: what past losses count, without the part that rounds against us.
  const Discount discount{Discount::Kind::hyperbolic, 1};
  std::vector<DiscountMode> modes = discount_modes(discount);
  for (DiscountMode& mode : modes) mode.weight -= mode.weight >> 30;
  std::vector<uint128> states(modes.size());
  std::vector<Budget> spent;
  bool broken = false;
  for (int t = 0; t < 100 && !broken; ++t) {
    uint128 sum = 0;
    for (std::size_t m = 0; m < modes.size(); ++m)
      sum += states[m] = modes[m].step(states[m], spent.empty() ? 0 : spent.back().units());
    spent.push_back(Budget::from_units((std::uint64_t{1} << 48) - static_cast<std::uint64_t>(sum >> 48)));
    broken = !(counted(discount, spent) <= Exact(1));
  }
  EXPECT_TRUE(broken);
}

TEST(DiscountedAccountant, SeriesOfSeparateMetersHaveBudgetsOfTheirOwn) {
  const auto accountant =
      make_accountant(discounted({Discount::Kind::hyperbolic, 1}, 1), expose({1, 4}, Exposure::all_disjoint(2)));
  accountant->advance(0);
  ASSERT_TRUE(accountant->admit(request_costing(0, Budget::round_down(1))));
  accountant->commit();
  Answer other = request_costing(0, Budget::round_down(0.25));
  other.series = {1};
  ASSERT_TRUE(accountant->admit(other));  // sensitivity 4: costs 1
  accountant->commit();
  EXPECT_FALSE(accountant->admit(other));
}

TEST(DiscountedAccountant, AnAnswerAboutSeveralSlotsIsChargedForAllOfThem) {
  const auto accountant = make_accountant(discounted({Discount::Kind::exponential, 0.5}, 1), expose_one(1), {4});
  accountant->advance(4);
  Answer answer = request_costing(4, Budget::round_down(0.125));
  answer.statistic = Statistic::deviation;  // gain 2
  answer.first_slot = 1;                    // four slots
  ASSERT_TRUE(accountant->admit(answer));
  accountant->commit();
  EXPECT_EQ(accountant->available(), Budget());
}

TEST(DiscountedAccountant, EveryComparisonOfASessionIsCharged) {
  const auto accountant = make_accountant(discounted({Discount::Kind::exponential, 0.5}, 1), expose_one(1));
  accountant->advance(0);
  Answer answer = request_costing(0, Budget());
  answer.statistic = Statistic::distance;
  answer.session = 1;
  answer.parameter = {{4, 1}, {8, 1}};  // 1/4 + 2/8
  ASSERT_TRUE(accountant->admit(answer));
  accountant->commit();
  EXPECT_EQ(accountant->available().to_double(), 0.5);
  accountant->advance(1);
  answer.slot = answer.first_slot = 1;
  ASSERT_TRUE(accountant->admit(answer));
  accountant->commit();
  EXPECT_EQ(accountant->available().to_double(), 0.25);
}

TEST(Definition, DiscountedOptionsAreChecked) {
  const auto made = [](Protects protects, std::optional<double> discount) {
    return Definition::make({.protects = protects, .epsilon = *Epsilon::make(1), .discount = discount});
  };
  for (const double alpha : {0.0, 1.0, -0.5, 2.0, std::nan("")})
    EXPECT_FALSE(made(Protects::discounted_exp, alpha)) << alpha;
  for (const double beta : {0.0, -1.0, 1e-7, 1e7, std::nan("")})
    EXPECT_FALSE(made(Protects::discounted_hyp, beta)) << beta;
  EXPECT_FALSE(made(Protects::discounted_exp, std::nullopt));
  EXPECT_FALSE(made(Protects::event, 0.5));
  EXPECT_TRUE(made(Protects::discounted_exp, 1 - 0x1p-53));
  EXPECT_EQ(made(Protects::discounted_exp, 0.9)->text(), "discounted-exp, ε = 1, α = 0.9");
  EXPECT_EQ(made(Protects::discounted_hyp, 2)->text(), "discounted-hyp, ε = 1, β = 2");
  EXPECT_FALSE(Definition::make({.protects = Protects::discounted_exp,
                                 .epsilon = *Epsilon::make(1),
                                 .delta = *Delta::make(1e-6),
                                 .discount = 0.5}));
  EXPECT_FALSE(Definition::make(
      {.protects = Protects::discounted_exp, .epsilon = *Epsilon::make(1), .window_slots = 5, .discount = 0.5}));
}

}  // namespace
}  // namespace fugu::test
