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
  return {};
}

/// Uniform on (−1, 1), from the upper 53 bits.
double symmetric_uniform(std::mt19937_64& random) { return std::ldexp(static_cast<double>(random() >> 11), -52) - 1.0; }

}  // namespace

ArtificialStream::Magnitude ArtificialStream::Magnitude::of(double value, std::int64_t exponent) {
  int shift = 0;
  const double mantissa = std::frexp(value, &shift);
  return {mantissa, exponent + shift};
}

bool ArtificialStream::Magnitude::operator<(const Magnitude& other) const {
  if (mantissa == 0.0 || other.mantissa == 0.0) return mantissa < other.mantissa;
  return exponent != other.exponent ? exponent < other.exponent : mantissa < other.mantissa;
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

ArtificialStream::ArtificialStream(const ArtificialOptions& options, Magnitude largest)
    : options_(options),
      per_unit_(std::pow(10.0, options.decimals)),
      largest_(largest),
      seasons_(options),
      slots_left_(options.length_slots) {}

Result<ArtificialStream> ArtificialStream::make(const ArtificialOptions& options) {
  FUGU_TRY(validate(options));
  Seasons seasons(options);
  Magnitude largest;
  const std::int64_t streams = options.form == ArtificialForm::as_published ? kPublishedStreams : 1;
  for (std::int64_t stream = 0; stream < streams; ++stream) {
    for (std::int64_t slot = 0; slot < options.length_slots; ++slot) largest = std::max(largest, seasons.next());
  }
  return ArtificialStream(options, largest);
}

double ArtificialStream::next() {
  FUGU_CHECK(slots_left_ > 0);
  --slots_left_;
  const Magnitude magnitude = seasons_.next();
  // Below 2^-1000 of the largest is zero at any precision we print; the bound keeps ldexp's argument an int.
  const std::int64_t exponent = std::max<std::int64_t>(magnitude.exponent - largest_.exponent, -1000);
  const double share = std::ldexp(magnitude.mantissa / largest_.mantissa, static_cast<int>(exponent));
  const double value = options_.level + options_.amplitude * share;
  return std::round(value * per_unit_) / per_unit_;
}

Result<std::vector<double>> generate_artificial(const ArtificialOptions& options) {
  FUGU_ASSIGN(auto stream, ArtificialStream::make(options));
  std::vector<double> values;
  for (std::int64_t slot = 0; slot < options.length_slots; ++slot) values.push_back(stream.next());
  return values;
}

}  // namespace fugu
