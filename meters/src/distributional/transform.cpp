#include "fugu/distributional/transform.hpp"

#include <algorithm>
#include <cmath>

namespace fugu {

namespace {

constexpr double kAlways = 0x1p32;

}  // namespace

Result<DistributionalTransform> DistributionalTransform::make(const DistributionalPlan& plan,
                                                              std::vector<MeterProfile> profiles) {
  FUGU_TRY(plan.check());
  DistributionalTransform transform(plan, std::move(profiles));
  if (plan.form == DistributionalForm::capped) {
    FUGU_ASSIGN(ReferenceLaw law, ReferenceLaw::make(plan.alpha, plan.spread_steps, plan.half_width_steps));
    transform.law_ = std::make_shared<const ReferenceLaw>(std::move(law));
  }
  transform.measure_meters();
  return transform;
}

void DistributionalTransform::measure_meters() {
  if (plan_.form == DistributionalForm::bernoulli) return;
  const double largest = law_ ? law_->sd_steps() : static_cast<double>(plan_.spread_steps);
  for (const MeterProfile& profile : profiles_) {
    const double sd = std::sqrt(profile.variance_steps());
    if (sd > largest) ++squeezed_;
    // Capped, the swing of a draw is that of the public law. Using the reading's rank only so often makes the expected
    // swing that of the reading, as if the rest of the variance had been added.
    const double used = law_ ? std::min(1.0, sd / largest) : 1.0;
    keep_.push_back(static_cast<std::uint64_t>(used * plan_.sample * kAlways));
    // Hidden, whole squared steps, as the constant that hides their sum has them: a fraction would show through it.
    const double least = std::min<double>(kHiddenSdMinSteps, largest);
    sd_.push_back(std::sqrt(std::clamp(std::ceil(profile.variance_steps()), least * least, largest * largest)));
  }
}

ClampRange DistributionalTransform::range() const {
  if (plan_.form == DistributionalForm::bernoulli) return plan_.clamp;
  return {plan_.clamp.lo - plan_.half_width_steps, plan_.clamp.hi + plan_.half_width_steps};
}

std::int64_t DistributionalTransform::change_steps() const {
  // Present or not, a meter sends something near its mean, which its readings in the stream do not change.
  if (plan_.form != DistributionalForm::bernoulli) return 2 * plan_.half_width_steps;
  return largest_change(plan_.clamp);
}

double DistributionalTransform::sd_steps(MeterId meter) const { return law_ ? law_->sd_steps() : sd_[meter]; }

std::int64_t DistributionalTransform::at_rank(MeterId meter, std::uint64_t rank) const {
  const std::int64_t mean = profiles_[meter].mean_steps();
  if (law_) return mean + law_->at(rank);
  const double below = (static_cast<double>(rank) + 0.5) / static_cast<double>(ReferenceLaw::kRanks);
  const double upper =
      (static_cast<double>(ReferenceLaw::kRanks - rank) - 0.5) / static_cast<double>(ReferenceLaw::kRanks);
  const double z = below < upper ? -normal_upper_quantile(below) : normal_upper_quantile(upper);
  const std::int64_t swing = std::llround(sd_[meter] * z);
  return mean + std::clamp(swing, -plan_.half_width_steps, plan_.half_width_steps);
}

std::int64_t DistributionalTransform::of_reading(MeterId meter, std::int64_t clamped_steps, BitSource& bits) const {
  if (plan_.form == DistributionalForm::bernoulli) {
    const auto width = static_cast<std::uint64_t>(plan_.clamp.hi - plan_.clamp.lo);
    const auto above = static_cast<std::uint64_t>(clamped_steps - plan_.clamp.lo);
    return uniform_below(bits, width) < above ? plan_.clamp.hi : plan_.clamp.lo;
  }
  const bool used = bits.take64() >> 32 < keep_[meter];
  return used ? at_rank(meter, profiles_[meter].rank(clamped_steps, bits)) : of_absent(meter, bits);
}

std::int64_t DistributionalTransform::of_absent(MeterId meter, BitSource& bits) const {
  // As a reading of 0, so that nobody can tell it from one.
  if (plan_.form == DistributionalForm::bernoulli)
    return of_reading(meter, std::clamp<std::int64_t>(0, plan_.clamp.lo, plan_.clamp.hi), bits);
  return at_rank(meter, bits.take64() >> (64 - ReferenceLaw::kRankBits));
}

}  // namespace fugu
