#include "fugu/distributional/transform.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fugu/noise/discrete_laplace.hpp"

namespace fugu {

namespace {

constexpr double kAlways = 0x1p32;
/// Where what is sent is cut off, in scales of the noise in it: sums have to have a bound. It costs nothing, as it
/// looks at nothing but what is sent and the mean.
constexpr double kNoiseReach = 64;

}  // namespace

Result<DistributionalTransform> DistributionalTransform::make(const DistributionalPlan& plan,
                                                              std::vector<MeterProfile> profiles) {
  FUGU_TRY(plan.check());
  DistributionalTransform transform(plan, std::move(profiles));
  if (plan.form == DistributionalForm::capped) {
    FUGU_ASSIGN(ReferenceLaw law, ReferenceLaw::make(plan.alpha, plan.spread_steps, plan.half_width_steps));
    transform.public_law_ = std::make_shared<const ReferenceLaw>(std::move(law));
  }
  FUGU_ASSIGN(transform.reading_scale_, plan.reading_scale());
  transform.reach_ = plan.half_width_steps;
  if (transform.reading_scale_)
    transform.reach_ += std::llround(std::ceil(kNoiseReach * transform.reading_scale_->to_double()));
  transform.measure_laws();
  return transform;
}

void DistributionalTransform::measure_laws() {
  if (plan_.form == DistributionalForm::bernoulli) return;
  const double largest = public_law_ ? public_law_->sd_steps() : static_cast<double>(plan_.spread_steps);
  bool squeezed = false;
  for (LawId law = 0; law < profiles_.size(); ++law) {
    const MeterProfile& profile = profiles_[law];
    const double sd = std::sqrt(profile.variance_steps());
    squeezed = squeezed || sd > largest;
    if ((law + 1) % plan_.circumstances.count() == 0 && std::exchange(squeezed, false)) ++squeezed_;
    // Capped, the swing of a draw is that of the public law. Using the reading's rank only so often makes the expected
    // swing that of the reading, as if the rest of the variance had been added. Where nothing was learned no rank of a
    // reading would be uniform: none is used.
    const double used = !profile.learned() ? 0.0 : public_law_ ? std::min(1.0, sd / largest) : 1.0;
    keep_.push_back(static_cast<std::uint64_t>(used * plan_.sample * kAlways));
    // Hidden, whole squared steps, as the constant that hides their sum has them: a fraction would show through it.
    const double least = std::min<double>(kHiddenSdMinSteps, largest);
    sd_.push_back(std::sqrt(std::clamp(std::ceil(profile.variance_steps()), least * least, largest * largest)));
  }
}

ClampRange DistributionalTransform::range() const {
  if (plan_.form == DistributionalForm::bernoulli) return plan_.clamp;
  return {plan_.clamp.lo - reach_, plan_.clamp.hi + reach_};
}

std::int64_t DistributionalTransform::change_steps() const {
  // Present or not, a meter sends something near its mean, which its readings in the stream do not change. Noise in it
  // is independent of them: whatever it is, one reading changes the rest by this much at most.
  if (plan_.form != DistributionalForm::bernoulli) return 2 * plan_.half_width_steps;
  return largest_change(plan_.clamp);
}

double DistributionalTransform::sd_steps(LawId law) const { return public_law_ ? public_law_->sd_steps() : sd_[law]; }

std::int64_t DistributionalTransform::at_rank(LawId law, std::uint64_t rank) const {
  const std::int64_t mean = profiles_[law].mean_steps();
  if (public_law_) return mean + public_law_->at(rank);
  const double below = (static_cast<double>(rank) + 0.5) / static_cast<double>(ReferenceLaw::kRanks);
  const double upper =
      (static_cast<double>(ReferenceLaw::kRanks - rank) - 0.5) / static_cast<double>(ReferenceLaw::kRanks);
  const double z = below < upper ? -normal_upper_quantile(below) : normal_upper_quantile(upper);
  const std::int64_t swing = std::llround(sd_[law] * z);
  return mean + std::clamp(swing, -plan_.half_width_steps, plan_.half_width_steps);
}

std::int64_t DistributionalTransform::with_noise(LawId law, std::int64_t value, BitSource& bits) const {
  if (!reading_scale_) return value;
  const std::int64_t mean = profiles_[law].mean_steps();
  return std::clamp(value + discrete_laplace(bits, *reading_scale_), mean - reach_, mean + reach_);
}

std::int64_t DistributionalTransform::of_reading(LawId law, std::int64_t clamped_steps, BitSource& bits) const {
  if (plan_.form == DistributionalForm::bernoulli) {
    const auto width = static_cast<std::uint64_t>(plan_.clamp.hi - plan_.clamp.lo);
    const auto above = static_cast<std::uint64_t>(clamped_steps - plan_.clamp.lo);
    return uniform_below(bits, width) < above ? plan_.clamp.hi : plan_.clamp.lo;
  }
  const bool used = bits.take64() >> 32 < keep_[law];
  if (!used) return of_absent(law, bits);
  return with_noise(law, at_rank(law, profiles_[law].rank(clamped_steps, bits)), bits);
}

std::int64_t DistributionalTransform::of_absent(LawId law, BitSource& bits) const {
  // As a reading of 0, so that nobody can tell it from one.
  if (plan_.form == DistributionalForm::bernoulli)
    return of_reading(law, std::clamp<std::int64_t>(0, plan_.clamp.lo, plan_.clamp.hi), bits);
  return with_noise(law, at_rank(law, bits.take64() >> (64 - ReferenceLaw::kRankBits)), bits);
}

}  // namespace fugu
