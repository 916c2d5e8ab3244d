// The evaluation of distributional privacy: a thousand meters whose readings follow a lognormal mixture, what they send
// instead, and an adversary who watches for long.
//
// The paper prints no parameters of its mixture, only three numbers that follow from it. Ours has two components whose
// spreads are round numbers, 0.6 and 0.7; the other three parameters solve for the printed numbers: standard deviations
// 4.82 of the sum of 1,000 readings and 9.15 of their Bernoulli form, and a correlation of 0.7 between readings and
// their normal scores. So these three agree by construction; what else is found is found.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/distributional/transform.hpp"
#include "fugu/report/html.hpp"
#include "fugu/study/daily_loads.hpp"

namespace fugu {

/// The law of readings on 0 … 1 in steps of 0.001.
class ReadingMixture {
 public:
  ReadingMixture();

  static constexpr std::int64_t kSteps = 1000;
  std::int64_t draw(BitSource& bits) const;
  /// As many values as asked for, at equal distances of rank: what a meter that knows its law would have seen.
  std::vector<std::int64_t> quantiles(std::size_t count) const;
  double probability(std::int64_t steps) const { return probability_[static_cast<std::size_t>(steps)]; }
  double mean() const { return mean_; }  ///< of readings between 0 and 1
  double sd() const { return sd_; }
  /// Of a reading and its normal score.
  double score_correlation() const;

 private:
  std::vector<double> probability_;
  std::vector<double> cumulative_;
  double mean_ = 0;
  double sd_ = 0;
};

struct DistributionalStudyOptions {
  std::size_t meters = 1000;
  std::size_t samples = 10'000;
  std::uint64_t seed = 1;
  unsigned threads = 0;
  std::string data_folder = {};  ///< empty: no check of real households
};

/// One way to send.
struct DistributionalCase {
  std::string name;
  DistributionalForm form = DistributionalForm::capped;
  double spread = 0;  ///< of the public law, or the largest
  double alpha = 2;
  double sample = 1;
  std::size_t past_readings = 0;  ///< that each meter learned from; 0: it knows its law
};
std::vector<DistributionalCase> distributional_cases();

/// Sums over all meters, sample by sample, before any noise.
struct DistributionalRow {
  double correlation = 0;  ///< of the sum of readings and the sum of what is sent
  double sd_readings = 0;
  double sd_sent = 0;
  double sd_expected = 0;  ///< of what is sent, if meters had learned well
  double mean_difference = 0;
  double skewness = 0;  ///< of what is sent
  double kurtosis = 0;  ///< the same, beyond 3
  std::vector<double> readings;
  std::vector<double> sent;
};
Result<DistributionalRow> run_distributional_case(const DistributionalStudyOptions& options,
                                                  const DistributionalCase& which);
std::string distributional_header();
/// How the case's row begins.
std::string key_text(const DistributionalCase& which);
std::string row_text(const DistributionalCase& which, const DistributionalRow& row);
/// The same from a row on file, without its samples. Nothing when it cannot be read.
std::optional<DistributionalRow> parse_distributional_row(std::string_view text);
/// The case whose samples are drawn.
inline constexpr std::size_t kDrawnCase = 0;

/// An adversary who knows everybody else, so that a household's own contribution is left, and wants to know which of
/// two households it is.
struct LongWatch {
  DistributionalPlan plan;
  std::vector<std::int64_t> first;   ///< readings of the one household, each equally likely
  std::vector<std::int64_t> second;  ///< of the other
  Rational slot_scale;               ///< of the Laplace noise in each slot
  enum class Statistic : std::uint8_t { mean, variance } statistic = Statistic::mean;
  double threshold = 0;  ///< above it the adversary says "the second"
  int slots = 0;
  int trials = 0;
  std::uint64_t seed = 1;
};
enum class ConstantsRule : std::uint8_t {
  none,     ///< protection off
  once,     ///< as they should be
  redrawn,  ///< broken: new ones in every slot
};
/// How much more often the adversary says "the second" of the second than of the first: 0 is a coin, 1 is certainty.
Result<double> advantage(const LongWatch& watch, ConstantsRule rule);
/// The largest that (ε, δ) allows.
double advantage_bound(double epsilon, double delta);

/// An adversary who knows everybody else, and what a household is like at each hour. It has to tell the household from
/// a twin that does everything twelve hours later.
struct HabitWatch {
  DistributionalPlan plan;                         ///< its circumstances: by hour, or none
  std::vector<std::vector<std::int64_t>> by_hour;  ///< 24 lists: readings of the household, each equally likely
  Rational slot_scale;                             ///< of the Laplace noise in each slot
  std::int64_t slot_s = 900;
  int days = 0;
  int trials = 0;
  std::uint64_t seed = 1;
};
enum class HabitRule : std::uint8_t {
  readings,  ///< protection off: readings as they are, under per-slot noise
  as_planned,
  unshared,  ///< broken: every hour's constants have all of ε
  drifted,   ///< both learned when their days had no pattern yet; whoever watched then knows the constants
};
/// As advantage() above.
Result<double> habit_advantage(const HabitWatch& watch, HabitRule rule);
/// A made-up household in steps of 0.01 kW, up to 10 kW: little at night, a breakfast, a long evening.
std::vector<std::vector<std::int64_t>> example_habits();

/// What the adversary reaches, by how long it watches.
struct WatchCurve {
  std::vector<int> slots;
  std::vector<double> off, once, redrawn;
  double bound = 0;
};
Result<WatchCurve> watch_curve(const DistributionalStudyOptions& options);

/// Rows are those of distributional_cases(), in order; that of kDrawnCase has its samples.
report::Table distributional_summary(const std::vector<DistributionalRow>& rows);
/// Figures for pages: file name and SVG.
struct StudyPicture {
  std::string name;
  std::string svg;
};
/// `loads` of real households may be empty.
std::vector<StudyPicture> distributional_pictures(const std::vector<DistributionalRow>& rows, const WatchCurve& curve,
                                                  const std::vector<DailyLoad>& loads);
report::Table load_shapes_table(const std::vector<LoadShape>& shapes);
/// Figures 2, 3 and 4 redrawn, all cases, what the constants cost, the adversary.
std::string distributional_page(const DistributionalStudyOptions& options, const std::vector<DistributionalRow>& rows,
                                const WatchCurve& curve, const std::vector<DailyLoad>& loads);

}  // namespace fugu
