// Artificial seasonal streams: Algorithm 3 ("Data Generator") of the thesis, section 5.3.2.1.
//
// Each season dices its length from a normal distribution (mean `season_slots`, standard deviation 2) and its start
// value from one with mean 8 and standard deviation 2, grows by `growth` per slot up to its middle and shrinks
// symmetrically. Values are then scaled so that the largest of the stream becomes level + amplitude:
//
//     value = level + amplitude · season value / largest season value        (rounded to `decimals`)
//
// With level 0 that is the algorithm as printed. What the text leaves open is settled so: a season of n slots has the
// growth exponents min(i, n − i) for i = 0 … n − 1, so the next season's start closes the symmetric shape; season
// lengths are rounded and diced again below 2 slots, start values are diced again below 1. The authors' public code
// differs from the print: ArtificialForm::authors is what it makes, as_published has its law and any seed.
//
// A stream is a function of its options alone, on every platform: the generator and the normal variates are our own
// arithmetic, not the standard library's distributions. It is test data; nothing here is fit to protect anything.
//
//     FUGU_ASSIGN(auto stream, ArtificialStream::make({.length_slots = 400, .season_slots = 40, .amplitude = 600}));
//     for (Slot slot = 0; slot < 400; ++slot) use(stream.next());
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string_view>
#include <variant>
#include <vector>

#include "fugu/base/result.hpp"
#include "fugu/stream/slot.hpp"

namespace fugu {

/// Where a season starts and what the stream is scaled by.
enum class ArtificialForm : std::uint8_t {
  thesis,  ///< as printed: start normal around 8, scaled by the stream's own largest value
  /// As the authors' code has it: start uniform in [2, 4), scaled by the largest value over 100 streams of which this
  /// is the first, so that a stream usually stays below its amplitude. Their growth is 1.3 and their level 2.
  as_published,
  /// The authors' own streams, value by value, with their seed 12345678: their generator (Java's linear congruential
  /// one), their dicing, and the first of 100 streams that are scaled together. A season ends one or two slots below
  /// its start. They have no downtime.
  authors,
};

/// `thesis`, `as-published`, `authors`; nullopt for anything else.
std::optional<ArtificialForm> parse_artificial_form(std::string_view name);

/// What the stream looks like. Amplitude and level are in the stream's unit.
struct ArtificialOptions {
  std::int64_t length_slots = 1000;  ///< at least 1
  std::int64_t season_slots = 40;    ///< mean season length without downtime, 2 … 1,000,000
  double amplitude = 1000.0;         ///< positive: the largest value is level + amplitude
  double level = 0.0;                ///< the smallest query result; not negative

  /// Fraction of slots in downtime, exactly at `level`, between seasons: each season of n slots is followed by
  /// n·sparsity/(1 − sparsity) of them, so seasons start every season_slots/(1 − sparsity) slots. 0, as published, to
  /// below 1. Rounding to `decimals` may bring further slots, at the ends of seasons, down to the level.
  double sparsity = 0.0;

  double growth = 1.5;  ///< factor per slot in the growing phase; above 1, at most 100
  ArtificialForm form = ArtificialForm::thesis;
  int decimals = 0;        ///< of the values: 0 for counts … 6
  std::uint64_t seed = 1;  ///< equal seeds give equal streams
};

/// The options of a form where nothing else is said: growth, level, decimals and seed are the form's own.
ArtificialOptions artificial_defaults(ArtificialForm form);

/// The random numbers of java.util.Random, whose algorithm is part of Java's specification: 48 bits, linear
/// congruential. nextGaussian() is Marsaglia's polar method, which makes two at a time.
class JavaRandom {
 public:
  explicit JavaRandom(std::uint64_t seed);
  double uniform();  ///< nextDouble(): in [0, 1)
  double normal();   ///< nextGaussian()

 private:
  std::uint64_t next(int bits);

  std::uint64_t state_;
  std::optional<double> second_;  // of the last two normal numbers
};

/// Yields the stream slot by slot in constant memory. Copying one copies its position.
class ArtificialStream {
 public:
  /// Takes time proportional to the length: the stream is generated once to find its largest value.
  /// An error of Cause::usage names the option that is out of range.
  static Result<ArtificialStream> make(const ArtificialOptions& options);

  /// The value of the next slot. Must be called at most length_slots times.
  double next();

 private:
  /// mantissa · 2^exponent with mantissa in [½, 1), or 0: seasons of thousands of slots grow beyond a double.
  struct Magnitude {
    double mantissa = 0.0;
    std::int64_t exponent = 0;
    static Magnitude of(double value, std::int64_t exponent = 0);
    bool operator<(const Magnitude& other) const;
    double share_of(const Magnitude& part) const;  ///< part / this
  };

  /// The unscaled stream of the forms thesis and as_published.
  class Seasons {
   public:
    explicit Seasons(const ArtificialOptions& options);
    Magnitude next();
    void start_stream() {}  ///< streams go on where the one before ended

   private:
    void start_season();
    double start_value();
    double normal();

    ArtificialForm form_;
    double season_slots_;
    double growth_;
    double downtime_per_slot_;  // sparsity / (1 − sparsity)
    std::mt19937_64 random_;

    std::vector<Magnitude> rising_;  // of the current season: start value to peak
    std::int64_t length_ = 0;
    std::int64_t position_ = 0;
    double downtime_due_ = 0.0;  // carries fractions of a slot from season to season
    std::int64_t downtime_left_ = 0;
  };

  /// The unscaled stream of the authors' code.
  class AuthorsSeasons {
   public:
    explicit AuthorsSeasons(const ArtificialOptions& options);
    Magnitude next();
    void start_stream() { position_ = length_; }  ///< the rest of a season is left out

   private:
    void start_season();

    double season_slots_;
    double growth_;
    JavaRandom random_;
    Magnitude value_;
    std::int64_t length_ = 0;
    std::int64_t position_ = 0;
  };

  using AnySeasons = std::variant<Seasons, AuthorsSeasons>;
  static AnySeasons seasons_of(const ArtificialOptions& options);

  ArtificialStream(const ArtificialOptions& options, Magnitude largest);

  ArtificialOptions options_;
  double per_unit_;  // 10^decimals
  Magnitude largest_;
  double lowest_share_;  // of the largest value: what lies at the level
  AnySeasons seasons_;
  std::int64_t slots_left_;
};

/// The whole stream at once.
Result<std::vector<double>> generate_artificial(const ArtificialOptions& options);

}  // namespace fugu
