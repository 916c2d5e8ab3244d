#include "fugu/distributional/meter_profile.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

#include "fugu/base/rational.hpp"
#include "fugu/distributional/reference_law.hpp"

namespace fugu {

namespace {

constexpr std::uint64_t kMass = std::uint64_t{1} << MeterProfile::kMassBits;
constexpr unsigned kMassShift = ReferenceLaw::kRankBits - MeterProfile::kMassBits;

template <class Number>
bool take_number(std::string_view& text, Number& value, char end) {
  const auto [rest, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  if (fault != std::errc() || text.empty() || text.front() != end) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::uint64_t uniform_below(BitSource& bits, std::uint64_t bound) {
  FUGU_CHECK(bound > 0);
  const std::uint64_t mask = std::bit_ceil(bound) - 1;  // bound ≤ 2^63
  while (true) {
    const std::uint64_t draw = bits.take64() & mask;
    if (draw < bound) return draw;
  }
}

MeterProfile MeterProfile::learn(std::vector<std::int64_t> readings_steps, const ClampRange& clamp) {
  FUGU_CHECK(!readings_steps.empty());
  std::sort(readings_steps.begin(), readings_steps.end());
  FUGU_CHECK(readings_steps.front() >= clamp.lo && readings_steps.back() <= clamp.hi);
  const std::size_t count = readings_steps.size();
  MeterProfile profile;
  double sum = 0;
  for (const std::int64_t value : readings_steps) sum += static_cast<double>(value);
  const double mean = sum / static_cast<double>(count);
  profile.mean_ = std::clamp<std::int64_t>(std::llround(mean), clamp.lo, clamp.hi);
  for (const std::int64_t value : readings_steps)
    profile.variance_ += (static_cast<double>(value) - mean) * (static_cast<double>(value) - mean);
  profile.variance_ /= static_cast<double>(count);

  const std::size_t per_bin = (2 * count + kBinsMax - 1) / kBinsMax;  // a bin before a frequent value may hold fewer
  for (std::size_t begin = 0; begin < count;) {
    std::size_t end = begin;
    do {  // values that are equal stay together, and one that fills a bin is not mixed with others
      const std::size_t run =
          static_cast<std::size_t>(std::upper_bound(readings_steps.begin() + static_cast<std::ptrdiff_t>(end),
                                                    readings_steps.end(), readings_steps[end]) -
                                   readings_steps.begin());
      if (end > begin && run - end >= per_bin) break;
      end = run;
    } while (end < count && end - begin < per_bin);
    profile.bins_.push_back({readings_steps[begin], readings_steps[end - 1],
                             static_cast<std::uint64_t>((static_cast<uint128>(begin) << kMassBits) / count)});
    begin = end;
  }
  return profile;
}

MeterProfile MeterProfile::unlearned(std::int64_t mean_steps, double variance_steps) {
  return MeterProfile().at_level(mean_steps, variance_steps);
}

MeterProfile MeterProfile::at_level(std::int64_t mean_steps, double variance_steps) const {
  MeterProfile profile = *this;
  profile.mean_ = mean_steps;
  profile.variance_ = variance_steps;
  return profile;
}

std::uint64_t MeterProfile::mass_up_to(std::size_t bin) const {
  return bin + 1 < bins_.size() ? bins_[bin + 1].below : kMass;
}

MeterProfile::Ranks MeterProfile::ranks_of(std::int64_t value) const {
  const auto after =
      std::upper_bound(bins_.begin(), bins_.end(), value, [](std::int64_t v, const Bin& bin) { return v < bin.first; });
  const auto index = static_cast<std::size_t>(std::max<std::ptrdiff_t>(after - bins_.begin() - 1, 0));
  const Bin& bin = bins_[index];
  const std::uint64_t begin = bin.below << kMassShift;
  const std::uint64_t mass = (mass_up_to(index) - bin.below) << kMassShift;
  if (value > bin.last && index + 1 < bins_.size()) {  // around where the bins meet, as far into one as into the other
    const std::uint64_t mass_above = (mass_up_to(index + 1) - bins_[index + 1].below) << kMassShift;
    const std::uint64_t half = std::min(mass, mass_above) / 2;
    return {begin + mass - half, 2 * half, false};
  }
  if (value < bin.first || value > bin.last) return {begin, mass, false};
  const auto place = static_cast<std::uint64_t>(value - bin.first);
  const auto width = static_cast<std::uint64_t>(bin.last - bin.first) + 1;
  const auto from = static_cast<std::uint64_t>(static_cast<uint128>(mass) * place / width);
  const auto to = static_cast<std::uint64_t>(static_cast<uint128>(mass) * (place + 1) / width);
  return {begin + from, to - from, true};
}

std::uint64_t MeterProfile::rank(std::int64_t value_steps, BitSource& bits) const {
  FUGU_CHECK(learned());
  const Ranks ranks = ranks_of(value_steps);
  return std::min(ranks.first + uniform_below(bits, std::max<std::uint64_t>(ranks.count, 1)), ReferenceLaw::kRanks - 1);
}

double MeterProfile::probability(std::int64_t value_steps) const {
  FUGU_CHECK(learned());
  const Ranks ranks = ranks_of(value_steps);
  if (!ranks.possible) return 0;
  return std::ldexp(static_cast<double>(ranks.count), -static_cast<int>(ReferenceLaw::kRankBits));
}

std::string MeterProfile::text() const {
  std::string text = std::to_string(mean_) + "," + std::to_string(std::bit_cast<std::uint64_t>(variance_)) + ",";
  for (std::size_t i = 0; i < bins_.size(); ++i) {
    text.append(std::to_string(bins_[i].first)).append(":").append(std::to_string(bins_[i].last)).append(":");
    text.append(std::to_string(mass_up_to(i) - bins_[i].below)).append(";");
  }
  return text;
}

std::optional<MeterProfile> MeterProfile::parse(std::string_view text, const ClampRange& clamp) {
  MeterProfile profile;
  std::uint64_t variance_bits = 0;
  if (!take_number(text, profile.mean_, ',') || !take_number(text, variance_bits, ',')) return std::nullopt;
  profile.variance_ = std::bit_cast<double>(variance_bits);
  std::uint64_t below = 0;
  while (!text.empty()) {
    Bin bin{0, 0, below};
    std::uint64_t mass = 0;
    if (!take_number(text, bin.first, ':') || !take_number(text, bin.last, ':') || !take_number(text, mass, ';'))
      return std::nullopt;
    const std::int64_t least = profile.bins_.empty() ? clamp.lo : profile.bins_.back().last + 1;
    if (bin.first < least || bin.last < bin.first || bin.last > clamp.hi || mass > kMass - below) return std::nullopt;
    below += mass;
    profile.bins_.push_back(bin);
  }
  const bool sound = (below == kMass || !profile.learned()) && profile.mean_ >= clamp.lo && profile.mean_ <= clamp.hi &&
                     profile.variance_ >= 0 && std::isfinite(profile.variance_);
  if (!sound) return std::nullopt;
  return profile;
}

}  // namespace fugu
