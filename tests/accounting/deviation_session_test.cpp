// What sparse-vector sessions cost in ρ, by summing over all noise: interleaved with other answers, and those that
// reach further as they go on. docs/guarantees/approximate.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "fugu/accounting/accountant.hpp"
#include "support/builders.hpp"

namespace fugu::test {
namespace {

/// P(ν = k) of discrete Laplace noise.
double laplace_mass(int k, double scale) {
  const double q = std::exp(-1 / scale);
  return (1 - q) / (1 + q) * std::pow(q, std::abs(k));
}

/// P(ν > k).
double laplace_tail(int k, double scale) {
  const double q = std::exp(-1 / scale);
  return k >= 0 ? std::pow(q, k + 1) / (1 + q) : 1 - std::pow(q, -k) / (1 + q);
}

/// P(statistic + ν > threshold + τ) for discrete Laplace τ and ν, each of its own scale.
double probability_of_yes(int above_threshold, double threshold_scale, double statistic_scale) {
  constexpr int kFar = 400;  // beyond lies less than e^-50 of both
  double sum = 0;
  for (int tau = -kFar; tau <= kFar; ++tau)
    sum += laplace_mass(tau, threshold_scale) * laplace_tail(tau - above_threshold, statistic_scale);
  return sum;
}

/// D_α of two coins, times (α − 1).
double log_moment(double p, double q, double alpha) {
  return std::log(std::pow(p, alpha) * std::pow(q, 1 - alpha) + std::pow(1 - p, alpha) * std::pow(1 - q, 1 - alpha));
}

// A comparison that reaches over n slots, of which m change the statistic by `change` each: all n pay 2n − 1 shares, so
// the m do not pay too little.
TEST(DeviationSession, AskedOnceCostsNoMoreInRhoThanItsSlotsCarry) {
  constexpr int kChange = 2;
  for (const double threshold_scale : {3.0, 8.0}) {
    const double statistic_scale = 2 * threshold_scale;
    const double e = kChange / threshold_scale + 2 * kChange / statistic_scale;
    for (int n = 1; n <= 4; ++n) {
      const double carried = (2 * n - 1) * e * e / 2;
      for (int m = 1; m <= n; ++m) {
        for (int above = -40; above <= 40; ++above) {
          const double p = probability_of_yes(above, threshold_scale, statistic_scale);
          const double q = probability_of_yes(above + m * kChange, threshold_scale, statistic_scale);
          for (const double alpha : {1.01, 1.5, 2.0, 5.0, 20.0}) {
            ASSERT_LE(log_moment(p, q, alpha), (alpha - 1) * alpha * m * carried * (1 + 1e-9));
            ASSERT_LE(log_moment(q, p, alpha), (alpha - 1) * alpha * m * carried * (1 + 1e-9));
          }
        }
      }
    }
  }
}

/// A session of which any prefix is e-indistinguishable, with e = bounds[n] after n + 1 slots, and ρ charged so far.
struct Growing {
  std::vector<double> bounds;
  std::vector<double> charged;
};

/// The n-th slot raises the bound to n·e; `shares` says how many times e²/2 that costs.
Growing slot_by_slot(double e, int slots, double (*shares)(int n)) {
  Growing session;
  double sum = 0;
  for (int n = 1; n <= slots; ++n) {
    session.bounds.push_back(n * e);
    session.charged.push_back((sum += shares(n)) * e * e / 2);
  }
  return session;
}

/// The largest E[L^α · e^(−α(α−1)·charged)] that an adversary gets who decides after each slot whether a session goes
/// on, and spends what is left elsewhere. L is the likelihood ratio, as far from 1 as the bound allows. A rule of
/// charging is sound if this is at most 1 for every α.
double worst_moment(const Growing& session, double alpha) {
  const auto stopped = [&](std::size_t n, double log_ratio) {
    return std::exp(alpha * log_ratio - alpha * (alpha - 1) * session.charged[n]);
  };
  // Under the other stream L keeps its mean.
  const auto mean = [](double ratio, double bound, double high, double low) {
    const double p = (ratio - std::exp(-bound)) / (std::exp(bound) - std::exp(-bound));
    return p * high + (1 - p) * low;
  };
  std::size_t n = session.bounds.size() - 1;
  double high = stopped(n, session.bounds[n]);
  double low = stopped(n, -session.bounds[n]);
  for (; n > 0; --n) {
    const double before = session.bounds[n - 1];
    const double on_high = mean(std::exp(before), session.bounds[n], high, low);
    const double on_low = mean(std::exp(-before), session.bounds[n], high, low);
    high = std::max(stopped(n - 1, before), on_high);
    low = std::max(stopped(n - 1, -before), on_low);
  }
  return mean(1, session.bounds[0], high, low);
}

double odd_number(int n) { return 2.0 * n - 1; }
double square(int n) { return static_cast<double>(n) * n; }

constexpr std::array kOrders{1.001, 1.1, 1.5, 2.0, 5.0, 20.0, 100.0};

// The counterexample: raising (n − 1)²e²/2 to n²e²/2 slot by slot pays for a session of fixed length, and not for one
// whose length is chosen as it goes.
TEST(DeviationSession, ChargedSlotBySlotItWouldCostMoreInRho) {
  EXPECT_NEAR(worst_moment(slot_by_slot(0.1, 1, odd_number), 2), 1, 0.01);
  EXPECT_LE(worst_moment(slot_by_slot(0.1, 1, odd_number), 2), 1) << "asked in one slot there is nothing to choose";
  EXPECT_GT(worst_moment(slot_by_slot(0.1, 2, odd_number), 2), 1.001);
  EXPECT_GT(worst_moment(slot_by_slot(0.1, 8, odd_number), 2), 1.04);
}

TEST(DeviationSession, ChargedInFullWheneverItsBoundGrowsItIsPaidFor) {
  for (const double e : {0.001, 0.1, 0.5, 2.0}) {
    for (const double alpha : kOrders)
      EXPECT_LE(worst_moment(slot_by_slot(e, 8, square), alpha), 1 + 1e-12) << "e " << e << ", order " << alpha;
  }
}

// Under policies a slot may change the statistic by more than all before it, and each slot carries its own e²/2.
TEST(Session, OfSlotsThatChangeDifferentlyIsPaidForByWhatEachCarries) {
  std::mt19937_64 random(seed_or(7));
  std::uniform_real_distribution<double> log_change(-4, 1);
  for (int round = 0; round < 2000; ++round) {
    Growing session;
    double largest = 0;
    double sum = 0;
    for (int n = 0; n < 6; ++n) {
      const double e = std::exp(log_change(random));
      session.bounds.push_back(largest = std::max(largest, e));
      session.charged.push_back(sum += e * e / 2);
    }
    for (const double alpha : kOrders) ASSERT_LE(worst_moment(session, alpha), 1 + 1e-12) << "round " << round;
  }
}

TEST(Session, ATenthLessWouldNotPayForIt) {
  const double e = 0.1;
  EXPECT_GT(worst_moment({{e}, {0.9 * e * e / 2}}, 2), 1);
}

// --- A session between Gaussian answers -----------------------------------------------------------------------------

/// A session, by what it keeps to itself. What it says in a slot is one of `outcomes`.
struct HiddenSession {
  std::array<std::vector<double>, 2> start = {};  // by stream: how probable each hidden state is
  int outcomes = 2;
  /// By hidden state: how probable an outcome is in a slot in which the statistic is so far above the threshold.
  std::function<std::vector<double>(int outcome, int slot, int above_threshold)> likelihoods = {};
  bool ends = true;                   // with an outcome other than 0
  std::uint64_t threshold_scale = 4;  // that it is charged for; the statistic's is twice that, as the kernel has it

  double loss() const { return 2 / static_cast<double>(threshold_scale); }
};

/// The session of the kernel, asked several times in a slot. It says "yes" at the n-th comparison, or never (0). One
/// that goes on after "yes" tells how often it said it.
HiddenSession sparse_vector(std::uint64_t threshold_scale, int comparisons, bool ends_with_yes = true) {
  const auto scale = static_cast<double>(threshold_scale);
  const int far = 20 * static_cast<int>(threshold_scale);
  HiddenSession session{.outcomes = comparisons + 1, .ends = ends_with_yes, .threshold_scale = threshold_scale};
  for (int tau = -far; tau <= far; ++tau) {
    for (auto& start : session.start) start.push_back(laplace_mass(tau, scale));
  }
  session.likelihoods = [=](int yes, int, int above_threshold) {
    double ways = 1;
    for (int i = 0; i < yes && !ends_with_yes; ++i) ways = ways * (comparisons - i) / (i + 1);
    const int times_yes = ends_with_yes ? std::min(yes, 1) : yes;
    const int times_no = ends_with_yes && yes > 0 ? yes - 1 : comparisons - yes;
    std::vector<double> by_tau;
    for (int tau = -far; tau <= far; ++tau) {
      const double p = laplace_tail(tau - above_threshold, 2 * scale);
      by_tau.push_back(ways * std::pow(p, times_yes) * std::pow(1 - p, times_no));
    }
    return by_tau;
  };
  return session;
}

/// The session that tells most of all with the same loss: a coin tossed at the beginning, of which it says more and
/// more.
HiddenSession coin(std::uint64_t threshold_scale) {
  HiddenSession session{.ends = false, .threshold_scale = threshold_scale};
  const double p = 1 / (1 + std::exp(-session.loss()));
  session.start = {{{p, 1 - p}, {1 - p, p}}};
  session.likelihoods = [](int outcome, int slot, int) {
    const double right = slot == 0 ? 0.8 : 1;
    return outcome == 0 ? std::vector{right, 1 - right} : std::vector{1 - right, right};
  };
  return session;
}

/// Two streams and somebody who tells them apart, over two slots of one series. In each slot a session is asked at one
/// threshold, then the value with Gaussian noise. Each choice is made by what was seen before.
class Interleaved {
 public:
  static constexpr int kSlots = 2;
  static constexpr int kBeliefs = 3;  // rather the second stream, either, rather the first
  struct Choice {
    int change = 1;             // of the value, from the first stream, where it is 0, to the second
    int threshold = 0;          // of the session
    double part_of_left = 0.5;  // that the Gaussian answer costs; in the last slot all
  };
  using Choices = std::array<std::array<Choice, kBeliefs>, kSlots>;
  enum class Session : std::uint8_t { charged, forgotten };

  Interleaved(const Definition& definition, HiddenSession session, const Choices& choices,
              Session is = Session::charged)
      : definition_(definition), session_(std::move(session)), choices_(choices), is_(is) {}

  /// The smallest δ for which whole transcripts are (ε, δ)-indistinguishable, but for tails of less than 1e-8.
  double delta() {
    forth_ = back_ = 0;
    run_slot(0, {session_.start}, {});
    return std::max(forth_, back_);
  }

 private:
  /// A transcript so far: by stream, its probability together with that of each hidden state.
  struct Seen {
    std::array<std::vector<double>, 2> weights;
    bool open = true;  // the session

    double probability(std::size_t stream) const {
      return std::accumulate(weights[stream].begin(), weights[stream].end(), 0.0);
    }
  };
  /// What is asked in a slot.
  struct Plan {
    Choice choice;
    std::vector<Answer> charged;  // in this slot and before
    std::vector<double> masses;   // of the Gaussian noise, from far below 0 to as far above
  };

  static std::size_t belief(const Seen& seen) {
    const double log_ratio = std::log(seen.probability(0) / seen.probability(1));
    return log_ratio < -0.1 ? 0 : log_ratio > 0.1 ? 2 : 1;
  }

  /// The comparisons of a slot all cost what the first one costs.
  Answer comparison(int slot) const {
    return {.statistic = Statistic::sum,
            .first_slot = slot,
            .slot = slot,
            .session = 1,
            .series = {0},
            .parameter = {{session_.threshold_scale, 1}, {2 * session_.threshold_scale, 1}},
            .values = {}};
  }

  Plan plan(int slot, const Seen& seen, std::vector<Answer> charged) const {
    constexpr std::uint64_t kParts = 1024;
    const Choice& choice = choices_[static_cast<std::size_t>(slot)][belief(seen)];
    if (seen.open && is_ == Session::charged) charged.push_back(comparison(slot));
    const auto accountant = make_accountant(definition_, expose_one(1));
    for (const Answer& answer : charged) {
      accountant->advance(answer.slot);
      EXPECT_TRUE(accountant->charge(answer));
    }
    accountant->advance(slot);
    const double left = accountant->available().to_double();
    const double share = slot + 1 == kSlots ? left : left * choice.part_of_left;
    const auto variance_parts = static_cast<std::uint64_t>(std::ceil(kParts / (2 * share) * (1 + 1e-9)));
    charged.push_back({.statistic = Statistic::value,
                       .noise = NoiseKind::gaussian,
                       .first_slot = slot,
                       .slot = slot,
                       .series = {0},
                       .parameter = {{variance_parts, kParts}},
                       .values = {}});
    EXPECT_TRUE(accountant->charge(charged.back()));
    return {choice, std::move(charged), gaussian_masses(static_cast<double>(variance_parts) / kParts)};
  }

  static std::vector<double> gaussian_masses(double variance) {
    const int far = static_cast<int>(6.5 * std::sqrt(variance)) + 2;
    std::vector<double> masses;
    for (int k = -far; k <= far; ++k) masses.push_back(std::exp(-k * k / (2 * variance)));
    const double total = std::accumulate(masses.begin(), masses.end(), 0.0);
    for (double& mass : masses) mass /= total;
    return masses;
  }

  /// Kept, because many transcripts need the same.
  const std::vector<double>& likelihoods(int outcome, int slot, int above_threshold) {
    std::vector<double>& kept = likelihoods_[{outcome, slot, above_threshold}];
    if (kept.empty()) kept = session_.likelihoods(outcome, slot, above_threshold);
    return kept;
  }

  void run_slot(int slot, const Seen& before, const std::vector<Answer>& charged) {
    const Plan asked = plan(slot, before, charged);
    if (!before.open) return ask_value(slot, asked, before);
    for (int outcome = 0; outcome < session_.outcomes; ++outcome) {
      Seen seen = before;
      seen.open = outcome == 0 || !session_.ends;
      int statistic = 0;
      for (std::vector<double>& weights : seen.weights) {
        const auto& factors = likelihoods(outcome, slot, statistic - asked.choice.threshold);
        std::transform(weights.begin(), weights.end(), factors.begin(), weights.begin(), std::multiplies());
        statistic += asked.choice.change;
      }
      ask_value(slot, asked, seen);
    }
  }

  void ask_value(int slot, const Plan& asked, const Seen& before) {
    const double factor = std::exp(definition_.epsilon().value());
    const double first = before.probability(0);
    const double second = before.probability(1);
    for (std::size_t at = 1; at + 1 < asked.masses.size(); ++at) {
      const double here = asked.masses[at];
      const double there = asked.masses[static_cast<std::size_t>(static_cast<int>(at) - asked.choice.change)];
      if (slot + 1 < kSlots) {
        Seen seen = before;
        for (double& weight : seen.weights[0]) weight *= here;
        for (double& weight : seen.weights[1]) weight *= there;
        run_slot(slot + 1, seen, asked.charged);
      } else {
        forth_ += std::max(0.0, first * here - factor * second * there);
        back_ += std::max(0.0, second * there - factor * first * here);
      }
    }
  }

  Definition definition_;
  HiddenSession session_;
  Choices choices_;
  Session is_;
  std::map<std::array<int, 3>, std::vector<double>> likelihoods_;
  double forth_ = 0;  // δ, the first stream against the second
  double back_ = 0;
};

Definition two_slots() { return define(Protects::user, 1, 0.03, Interleaved::kSlots); }

Interleaved::Choices random_choices(std::mt19937_64& random) {
  Interleaved::Choices choices;
  for (auto& slot : choices) {
    for (auto& choice : slot) {
      choice.change = random() % 2 == 0 ? 1 : -1;
      choice.threshold = static_cast<int>(random() % 25) - 12;
      choice.part_of_left = 0.1 + 0.2 * static_cast<double>(random() % 5);
    }
  }
  return choices;
}

TEST(Session, BetweenGaussianAnswersKeepsThePromise) {
  std::mt19937_64 random(seed_or(11));
  for (int round = 0; round < 30; ++round) {
    const std::uint64_t scale = random() % 12 + 4;  // the session costs most of the budget, or little
    const int comparisons = static_cast<int>(random() % 8) + 1;
    const Interleaved::Choices choices = random_choices(random);
    ASSERT_LE(Interleaved(two_slots(), sparse_vector(scale, comparisons), choices).delta(), 0.03) << "round " << round;
    ASSERT_LE(Interleaved(two_slots(), coin(scale), choices).delta(), 0.03) << "round " << round;
  }
}

// Event level: the streams differ in one slot, and the session is asked in the other one too.
TEST(Session, ThatReachesOutOfTheWindowKeepsThePromise) {
  const Definition event = define(Protects::event, 1, 0.03);
  std::mt19937_64 random(seed_or(12));
  for (int round = 0; round < 20; ++round) {
    const std::uint64_t scale = random() % 12 + 4;
    Interleaved::Choices choices = random_choices(random);
    for (auto& choice : choices[random() % Interleaved::kSlots]) choice.change = 0;
    ASSERT_LE(Interleaved(event, sparse_vector(scale, 4), choices).delta(), 0.03) << "round " << round;
  }
}

TEST(Session, ThatIsNotChargedBreaksThePromise) {
  EXPECT_LE(Interleaved(two_slots(), coin(4), {}).delta(), 0.03);
  EXPECT_GT(Interleaved(two_slots(), coin(4), {}, Interleaved::Session::forgotten).delta(), 0.035);
}

// The same questions twice: a session that goes on after "yes", for what it has paid, tells too much.
TEST(Session, ThatGoesOnAfterYesBreaksThePromise) {
  constexpr int kComparisons = 28;
  Interleaved::Choices choices;
  for (auto& choice : choices[1]) choice.change = -1;
  EXPECT_LE(Interleaved(two_slots(), sparse_vector(4, kComparisons), choices).delta(), 0.03);
  EXPECT_GT(Interleaved(two_slots(), sparse_vector(4, kComparisons, false), choices).delta(), 0.035);
}

}  // namespace
}  // namespace fugu::test
