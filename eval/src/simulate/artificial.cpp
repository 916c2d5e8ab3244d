#include "fugu/simulate/artificial.hpp"

#include <algorithm>
#include <cmath>

namespace fugu {

namespace {

constexpr double kSeasonDeviationSlots = 2.0;
constexpr double kStartMean = 8.0;
constexpr double kStartDeviation = 2.0;
constexpr double kPublishedStartMin = 2.0;
constexpr double kPublishedStartMax = 4.0;
constexpr std::int64_t kPublishedStreams = 100;
constexpr double kPublishedGrowth = 1.3;
constexpr double kPublishedLevel = 2.0;
constexpr int kPublishedDecimals = 3;  // their values are not rounded
constexpr std::uint64_t kAuthorsSeed = 12345678;
constexpr std::int64_t kAuthorsShortestSeason = 4;

Result<void> validate(const ArtificialOptions& options) {
  const auto error = [](const char* message) { return Error{Cause::usage, message}; };
  // Written so that NaN fails.
  if (!(options.length_slots >= 1)) return error("length must be at least 1 slot");
  if (!(options.season_slots >= 2 && options.season_slots <= 1'000'000))
    return error("season must be 2 to 1000000 slots");
  if (!(options.amplitude > 0.0 && options.amplitude <= 1e12)) return error("amplitude must be above 0, at most 1e12");
  if (!(options.level >= 0.0 && options.level <= 1e12)) return error("level must be 0 to 1e12");
  if (!(options.sparsity >= 0.0 && options.sparsity < 1.0))
    return error("sparsity must be at least 0 and below 1: it is a fraction of the slots");
  if (!(options.growth > 1.0 && options.growth <= 100.0)) return error("growth must be above 1, at most 100");
  if (!(options.decimals >= 0 && options.decimals <= 6)) return error("decimals must be 0 to 6");
  if (options.form == ArtificialForm::authors && options.sparsity > 0)
    return error("sparsity must be 0 with the form authors: their streams have no downtime");
  if (options.form == ArtificialForm::authors && options.season_slots < kAuthorsShortestSeason)
    return error("season must be at least 4 slots with the form authors: theirs are never shorter");
  return {};
}

/// Uniform on (−1, 1), from the upper 53 bits.
double symmetric_uniform(std::mt19937_64& random) { return std::ldexp(static_cast<double>(random() >> 11), -52) - 1.0; }

}  // namespace

std::optional<ArtificialForm> parse_artificial_form(std::string_view name) {
  if (name == "thesis") return ArtificialForm::thesis;
  if (name == "as-published") return ArtificialForm::as_published;
  if (name == "authors") return ArtificialForm::authors;
  return std::nullopt;
}

ArtificialOptions artificial_defaults(ArtificialForm form) {
  ArtificialOptions options{.form = form};
  if (form == ArtificialForm::thesis) return options;
  options.growth = kPublishedGrowth;
  options.level = kPublishedLevel;
  options.decimals = kPublishedDecimals;
  if (form == ArtificialForm::authors) options.seed = kAuthorsSeed;
  return options;
}

// --- java.util.Random -----------------------------------------------------------------------------------------------

namespace {

constexpr std::uint64_t kJavaMultiplier = 0x5DEECE66D;
constexpr std::uint64_t kJavaMask = (std::uint64_t{1} << 48) - 1;

}  // namespace

JavaRandom::JavaRandom(std::uint64_t seed) : state_((seed ^ kJavaMultiplier) & kJavaMask) {}

std::uint64_t JavaRandom::next(int bits) {
  state_ = (state_ * kJavaMultiplier + 0xB) & kJavaMask;
  return state_ >> (48 - bits);
}

double JavaRandom::uniform() {
  const std::uint64_t high = next(26);  // one after the other: operands of + are evaluated in any order
  return std::ldexp(static_cast<double>((high << 27) + next(27)), -53);
}

double JavaRandom::normal() {
  if (second_) {
    const double variate = *second_;
    second_.reset();
    return variate;
  }
  for (;;) {
    const double x = 2 * uniform() - 1;
    const double y = 2 * uniform() - 1;
    const double square = x * x + y * y;
    if (square >= 1.0 || square == 0.0) continue;
    const double factor = std::sqrt(-2 * std::log(square) / square);
    second_ = y * factor;
    return x * factor;
  }
}

// --- Seasons --------------------------------------------------------------------------------------------------------

ArtificialStream::Magnitude ArtificialStream::Magnitude::of(double value, std::int64_t exponent) {
  int shift = 0;
  const double mantissa = std::frexp(value, &shift);
  return {mantissa, exponent + shift};
}

bool ArtificialStream::Magnitude::operator<(const Magnitude& other) const {
  if (mantissa == 0.0 || other.mantissa == 0.0) return mantissa < other.mantissa;
  return exponent != other.exponent ? exponent < other.exponent : mantissa < other.mantissa;
}

double ArtificialStream::Magnitude::share_of(const Magnitude& part) const {
  // Below 2^-1000 of the whole is zero at any precision we print; the bound keeps ldexp's argument an int.
  const std::int64_t difference = std::max<std::int64_t>(part.exponent - exponent, -1000);
  return std::ldexp(part.mantissa / mantissa, static_cast<int>(difference));
}

ArtificialStream::Seasons::Seasons(const ArtificialOptions& options)
    : form_(options.form),
      season_slots_(static_cast<double>(options.season_slots)),
      growth_(options.growth),
      downtime_per_slot_(options.sparsity / (1.0 - options.sparsity)),
      random_(options.seed) {}

/// Standard normal by Marsaglia's polar method, rounded to 2⁻²⁰: the last bit of std::log differs between platforms,
/// and rounding hides it but for a share of 2⁻³⁰ of all draws.
double ArtificialStream::Seasons::normal() {
  for (;;) {
    const double x = symmetric_uniform(random_);
    const double y = symmetric_uniform(random_);
    const double square = x * x + y * y;
    if (square >= 1.0 || square == 0.0) continue;
    const double variate = x * std::sqrt(-2.0 * std::log(square) / square);
    return std::ldexp(std::round(std::ldexp(variate, 20)), -20);
  }
}

double ArtificialStream::Seasons::start_value() {
  if (form_ == ArtificialForm::as_published) {
    const double middle = (kPublishedStartMin + kPublishedStartMax) / 2;
    return middle + (kPublishedStartMax - middle) * symmetric_uniform(random_);
  }
  for (;;) {
    const double start = kStartMean + kStartDeviation * normal();
    if (start >= 1.0) return start;
  }
}

void ArtificialStream::Seasons::start_season() {
  do {
    length_ = std::llround(season_slots_ + kSeasonDeviationSlots * normal());
  } while (length_ < 2);

  rising_.clear();
  rising_.push_back(Magnitude::of(start_value()));
  for (std::int64_t i = 1; i <= length_ / 2; ++i) {
    const Magnitude& before = rising_.back();
    rising_.push_back(Magnitude::of(growth_ * before.mantissa, before.exponent));
  }
  position_ = 0;
}

ArtificialStream::Magnitude ArtificialStream::Seasons::next() {
  if (downtime_left_ > 0) {
    --downtime_left_;
    return {};
  }
  if (position_ == length_) start_season();
  const std::int64_t i = position_++;
  if (position_ == length_) {
    downtime_due_ += static_cast<double>(length_) * downtime_per_slot_;
    const double whole = std::min(std::floor(downtime_due_), 0x1p62);
    downtime_left_ = static_cast<std::int64_t>(whole);
    downtime_due_ -= whole;
  }
  return rising_[static_cast<std::size_t>(std::min(i, length_ - i))];
}

ArtificialStream::AuthorsSeasons::AuthorsSeasons(const ArtificialOptions& options)
    : season_slots_(static_cast<double>(options.season_slots)), growth_(options.growth), random_(options.seed) {}

void ArtificialStream::AuthorsSeasons::start_season() {
  do {
    length_ = static_cast<std::int64_t>(random_.normal() * kSeasonDeviationSlots + season_slots_);
  } while (length_ < kAuthorsShortestSeason);
  value_ = Magnitude::of(random_.uniform() * (kPublishedStartMax - kPublishedStartMin) + kPublishedStartMin);
  position_ = 0;
}

ArtificialStream::Magnitude ArtificialStream::AuthorsSeasons::next() {
  if (position_ == length_) {
    start_season();
  } else {
    const double factor = position_ < length_ / 2 ? growth_ : 1 / growth_;
    value_ = Magnitude::of(value_.mantissa * factor, value_.exponent);
  }
  ++position_;
  return value_;
}

// --- The stream -----------------------------------------------------------------------------------------------------

ArtificialStream::AnySeasons ArtificialStream::seasons_of(const ArtificialOptions& options) {
  if (options.form == ArtificialForm::authors) return AuthorsSeasons(options);
  return Seasons(options);
}

ArtificialStream::ArtificialStream(const ArtificialOptions& options, Magnitude largest)
    : options_(options),
      per_unit_(std::pow(10.0, options.decimals)),
      largest_(largest),
      lowest_share_(options.form == ArtificialForm::authors ? largest.share_of(Magnitude::of(kPublishedStartMin))
                                                            : 0.0),
      seasons_(seasons_of(options)),
      slots_left_(options.length_slots) {}

Result<ArtificialStream> ArtificialStream::make(const ArtificialOptions& options) {
  FUGU_TRY(validate(options));
  AnySeasons any = seasons_of(options);
  Magnitude largest;
  const std::int64_t streams = options.form == ArtificialForm::thesis ? 1 : kPublishedStreams;
  const auto look_at = [&](auto& seasons) {
    for (std::int64_t stream = 0; stream < streams; ++stream) {
      seasons.start_stream();
      for (std::int64_t slot = 0; slot < options.length_slots; ++slot) largest = std::max(largest, seasons.next());
    }
  };
  std::visit(look_at, any);
  return ArtificialStream(options, largest);
}

double ArtificialStream::next() {
  FUGU_CHECK(slots_left_ > 0);
  --slots_left_;
  const Magnitude magnitude = std::visit([](auto& seasons) { return seasons.next(); }, seasons_);
  const double value = options_.level + options_.amplitude * (largest_.share_of(magnitude) - lowest_share_);
  return std::round(value * per_unit_) / per_unit_;
}

Result<std::vector<double>> generate_artificial(const ArtificialOptions& options) {
  FUGU_ASSIGN(auto stream, ArtificialStream::make(options));
  std::vector<double> values;
  for (std::int64_t slot = 0; slot < options.length_slots; ++slot) values.push_back(stream.next());
  return values;
}

}  // namespace fugu
