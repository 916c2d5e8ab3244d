// Tries to prove that a mechanism breaks its promise.
//
// Runs it many times on two neighbouring streams, looks at whole transcripts, and searches for an event E with
// P(E) > e^ε·Q(E) + δ. Events are chosen on one half of the runs and tested on the other, with exact binomial bounds,
// so that an honest mechanism is accused with probability at most `alpha`, whatever events were tried.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace fugu::test {

/// All that an observer sees of one run: released values, flags, repeats, filtered values; the same length in all runs.
using Transcript = std::vector<double>;
/// One run, with noise from that stream of random numbers.
using OneRun = std::function<Transcript(std::uint64_t stream)>;

/// P(X ≥ k) for X binomial(n, p), by the continued fraction of the incomplete beta function.
inline double binomial_at_least(double k, double n, double p) {
  if (k <= 0) return 1;
  if (k > n || p <= 0) return 0;
  if (p >= 1) return 1;
  const double a = k;
  const double b = n - k + 1;
  const auto fraction = [](double x, double shape_a, double shape_b) {
    double c = 1;
    double d = 1 / std::max(1e-300, 1 - (shape_a + shape_b) * x / (shape_a + 1));
    double h = d;
    for (int m = 1; m < 5000; ++m) {
      const double even = m * (shape_b - m) * x / ((shape_a + 2 * m - 1) * (shape_a + 2 * m));
      d = 1 / (1 + even * d);
      c = 1 + even / c;
      h *= d * c;
      const double odd = -(shape_a + m) * (shape_a + shape_b + m) * x / ((shape_a + 2 * m) * (shape_a + 2 * m + 1));
      d = 1 / (1 + odd * d);
      c = 1 + odd / c;
      h *= d * c;
      if (std::fabs(d * c - 1) < 1e-14) break;
    }
    return h;
  };
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(p) + b * std::log1p(-p));
  return p < (a + 1) / (a + b + 2) ? front * fraction(p, a, b) / a : 1 - front * fraction(1 - p, b, a) / b;
}

/// The Clopper–Pearson bounds: below the true probability, or above it, but for a chance of `alpha`.
inline double lower_bound(std::size_t hits, std::size_t runs, double alpha) {
  double low = 0;
  double high = static_cast<double>(hits) / static_cast<double>(runs);
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    const double tail = binomial_at_least(static_cast<double>(hits), static_cast<double>(runs), middle);
    (tail < alpha ? low : high) = middle;
  }
  return low;
}
inline double upper_bound(std::size_t hits, std::size_t runs, double alpha) {
  return 1 - lower_bound(runs - hits, runs, alpha);
}

/// One number computed from a transcript. An event is one of these being above, below or equal to something.
struct Score {
  std::string name;
  std::function<double(const Transcript&)> of;
};

/// Single entries, their parities, sums and differences of two, the sum of all, and a direction learned from examples.
inline std::vector<Score> scores_for(const std::vector<Transcript>& first, const std::vector<Transcript>& second) {
  std::vector<Score> scores;
  const std::size_t length = first[0].size();
  const auto name = [](const char* what, std::size_t i) { return what + std::to_string(i); };
  for (std::size_t i = 0; i < length; ++i) {
    scores.push_back({name("entry ", i), [i](const Transcript& t) { return t[i]; }});
    scores.push_back({name("parity of entry ", i), [i](const Transcript& t) { return std::fabs(std::fmod(t[i], 2)); }});
    for (std::size_t j = 0; j < i; ++j) {
      const std::string both = std::to_string(j) + " and " + std::to_string(i);
      scores.push_back({"sum of entries " + both, [i, j](const Transcript& t) { return t[i] + t[j]; }});
      scores.push_back({"difference of entries " + both, [i, j](const Transcript& t) { return t[i] - t[j]; }});
    }
  }
  // Where two samples differ on average, weighted by how little an entry varies.
  std::vector<double> direction(length);
  for (std::size_t i = 0; i < length; ++i) {
    double mean[2] = {0, 0};
    double square = 0;
    for (const Transcript& t : first) mean[0] += t[i] / static_cast<double>(first.size());
    for (const Transcript& t : second) mean[1] += t[i] / static_cast<double>(second.size());
    for (const Transcript& t : first) square += (t[i] - mean[0]) * (t[i] - mean[0]);
    direction[i] = (mean[1] - mean[0]) / (square / static_cast<double>(first.size()) + 1e-9);
  }
  scores.push_back({"learned direction", [direction](const Transcript& t) {
                      double sum = 0;
                      for (std::size_t i = 0; i < t.size(); ++i) sum += direction[i] * t[i];
                      return sum;
                    }});
  // The same, but no entry counts for more than its noise allows: what tells sums of Laplace answers apart best.
  std::vector<double> middle(length);
  std::vector<double> half(length);
  for (std::size_t i = 0; i < length; ++i) {
    std::vector<double> a;
    std::vector<double> b;
    for (const Transcript& t : first) a.push_back(t[i]);
    for (const Transcript& t : second) b.push_back(t[i]);
    std::nth_element(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(a.size() / 2), a.end());
    std::nth_element(b.begin(), b.begin() + static_cast<std::ptrdiff_t>(b.size() / 2), b.end());
    middle[i] = (a[a.size() / 2] + b[b.size() / 2]) / 2;
    half[i] = (b[b.size() / 2] - a[a.size() / 2]) / 2;
  }
  scores.push_back({"clipped direction", [middle, half](const Transcript& t) {
                      double sum = 0;
                      for (std::size_t i = 0; i < t.size(); ++i) {
                        const double size = std::fabs(half[i]);
                        sum += std::copysign(1.0, half[i]) * std::clamp(t[i] - middle[i], -size, size);
                      }
                      return sum;
                    }});
  return scores;
}

struct Event {
  std::string name;
  std::function<bool(const Transcript&)> holds;
  bool first_likelier = false;  ///< which stream it is more likely under
  double excess = 0;            ///< how clearly it seemed to break the promise in training, in standard deviations
};

struct FalsifierOptions {
  double epsilon;
  double delta = 0;
  double alpha = 1e-6;
  std::size_t training_runs = 8000;
  std::size_t test_runs = 24000;
  std::size_t events = 12;
};

struct Verdict {
  bool broken = false;
  std::string evidence;  ///< the event and its bounds
};

class Falsifier {
 public:
  explicit Falsifier(FalsifierOptions options) : options_(options) {}

  /// Whether runs on two neighbouring streams can be told apart better than promised. Streams from `stream` on are
  /// used.
  Verdict examine(const OneRun& first, const OneRun& second, std::uint64_t stream = 0) const {
    const auto train_first = sample(first, options_.training_runs, stream);
    const auto train_second = sample(second, options_.training_runs, stream);
    const std::vector<Event> events = choose(train_first, train_second);
    return test(events, first, second, stream);
  }

 private:
  std::vector<Transcript> sample(const OneRun& run, std::size_t runs, std::uint64_t& stream) const {
    std::vector<Transcript> transcripts;
    transcripts.reserve(runs);
    for (std::size_t i = 0; i < runs; ++i) transcripts.push_back(run(stream++));
    return transcripts;
  }

  static std::vector<double> sorted(const Score& score, const std::vector<Transcript>& transcripts) {
    std::vector<double> values;
    values.reserve(transcripts.size());
    for (const Transcript& t : transcripts) values.push_back(score.of(t));
    std::sort(values.begin(), values.end());
    return values;
  }

  /// How far p exceeds e^ε·q + δ, in standard deviations of the estimate.
  double excess(double p_hits, double q_hits) const {
    const auto n = static_cast<double>(options_.training_runs);
    const double p = p_hits / n;
    const double q = q_hits / n;
    const double factor = std::exp(options_.epsilon);
    const double spread =
        std::sqrt((p * (1 - p) + factor * factor * q * (1 - q)) / n + (1 + factor * factor) / (n * n));
    return (p - factor * q - options_.delta) / spread;
  }

  std::vector<Event> choose(const std::vector<Transcript>& first, const std::vector<Transcript>& second) const {
    std::vector<Event> found;
    for (const Score& score : scores_for(first, second)) {
      const std::vector<double> a = sorted(score, first);
      const std::vector<double> b = sorted(score, second);
      // Thresholds: quantiles of both samples.
      std::vector<double> cuts;
      for (const auto* values : {&a, &b}) {
        for (const double level : {0.002, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 0.9, 0.97, 0.99, 0.998})
          cuts.push_back((*values)[static_cast<std::size_t>(level * static_cast<double>(values->size()))]);
      }
      std::sort(cuts.begin(), cuts.end());
      cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
      Event best;
      best.excess = -1e300;
      for (const double cut : cuts) {
        const auto below = [&](const std::vector<double>& v) {
          return static_cast<double>(std::lower_bound(v.begin(), v.end(), cut) - v.begin());
        };
        const auto up_to = [&](const std::vector<double>& v) {
          return static_cast<double>(std::upper_bound(v.begin(), v.end(), cut) - v.begin());
        };
        const auto n = static_cast<double>(options_.training_runs);
        consider(best, score, " ≤ ", cut, up_to(a), up_to(b), [](double x, double c) { return x <= c; });
        consider(best, score, " ≥ ", cut, n - below(a), n - below(b), [](double x, double c) { return x >= c; });
        consider(best, score, " = ", cut, up_to(a) - below(a), up_to(b) - below(b),
                 [](double x, double c) { return x == c; });
      }
      found.push_back(best);
    }
    const std::size_t kept = std::min(options_.events, found.size());
    std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(kept), found.end(),
                      [](const Event& x, const Event& y) { return x.excess > y.excess; });
    found.resize(kept);
    return found;
  }

  template <class Compare>
  void consider(Event& best, const Score& score, const char* relation, double cut, double first_hits,
                double second_hits, Compare compare) const {
    for (const bool first_likelier : {true, false}) {
      const double seems = first_likelier ? excess(first_hits, second_hits) : excess(second_hits, first_hits);
      if (seems <= best.excess) continue;
      best = {score.name + relation + std::to_string(cut),
              [of = score.of, cut, compare](const Transcript& t) { return compare(of(t), cut); }, first_likelier,
              seems};
    }
  }

  Verdict test(const std::vector<Event>& events, const OneRun& first, const OneRun& second,
               std::uint64_t stream) const {
    std::vector<std::size_t> hits_first(events.size());
    std::vector<std::size_t> hits_second(events.size());
    for (std::size_t i = 0; i < options_.test_runs; ++i) {
      const Transcript a = first(stream++);
      const Transcript b = second(stream++);
      for (std::size_t e = 0; e < events.size(); ++e) {
        if (events[e].holds(a)) ++hits_first[e];
        if (events[e].holds(b)) ++hits_second[e];
      }
    }
    const double alpha = options_.alpha / (2 * static_cast<double>(events.size()));
    Verdict verdict;
    double clearest = 0;
    for (std::size_t e = 0; e < events.size(); ++e) {
      const std::size_t likelier = events[e].first_likelier ? hits_first[e] : hits_second[e];
      const std::size_t other = events[e].first_likelier ? hits_second[e] : hits_first[e];
      const double p = lower_bound(likelier, options_.test_runs, alpha);
      const double q = upper_bound(other, options_.test_runs, alpha);
      const double over = p - std::exp(options_.epsilon) * q - options_.delta;
      if (over <= clearest) continue;
      clearest = over;
      verdict.broken = true;
      verdict.evidence = events[e].name + ": probability at least " + std::to_string(p) + " on one stream, at most " +
                         std::to_string(q) + " on the other";
    }
    return verdict;
  }

  FalsifierOptions options_;
};

}  // namespace fugu::test
