// What meters send instead of their readings, so that the law of what they send is the one their plan allows.
//
//     FUGU_ASSIGN(const DistributionalTransform transform, DistributionalTransform::make(plan, profiles));
//     transform.of_reading(transform.law_of(meter, circumstance), clamped_steps, bits);
//
// Guarantee: if a meter's readings follow its profile in the circumstance, what it sends has exactly the law of the
// plan's form, whatever the profile: capped in integers, mean + public law; bernoulli with an exact coin, no profile
// needed; hidden up to rounding to the grid. Always within change_steps() of anything else that the meter could have
// sent. Cost: two words of random bits and two searches. Constant: any number of threads, each with its own bits.
// docs/guarantees/distributional.md.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "fugu/distributional/meter_profile.hpp"
#include "fugu/distributional/plan.hpp"
#include "fugu/distributional/reference_law.hpp"

namespace fugu {

class DistributionalTransform {
 public:
  /// Position of a profile: those of the first meter in each circumstance, then of the second, …
  using LawId = std::size_t;

  /// As many profiles per meter as circumstances; none for bernoulli. Errors: those of the plan and of its law.
  static Result<DistributionalTransform> make(const DistributionalPlan& plan, std::vector<MeterProfile> profiles);

  ClampRange range() const;
  std::int64_t change_steps() const;
  LawId law_of(std::size_t meter, std::size_t circumstance) const {
    return meter * plan_.circumstances.count() + circumstance;
  }
  std::int64_t of_reading(LawId law, std::int64_t clamped_steps, BitSource& bits) const;
  std::int64_t of_absent(LawId law, BitSource& bits) const;
  /// How far what is sent can be from the meter's mean. Not for bernoulli.
  std::int64_t reach_steps() const { return reach_; }

  const DistributionalPlan& plan() const { return plan_; }
  const std::vector<MeterProfile>& profiles() const { return profiles_; }
  /// Standard deviation of what a meter sends around its mean, in steps. Not for bernoulli.
  double sd_steps(LawId law) const;
  /// Meters whose readings deviate more than the plan allows in some circumstance: what they send swings less.
  std::size_t squeezed() const { return squeezed_; }

 private:
  DistributionalTransform(const DistributionalPlan& plan, std::vector<MeterProfile> profiles)
      : plan_(plan), profiles_(std::move(profiles)) {}
  void measure_laws();
  std::int64_t at_rank(LawId law, std::uint64_t rank) const;
  std::int64_t with_noise(LawId law, std::int64_t value, BitSource& bits) const;

  DistributionalPlan plan_;
  std::vector<MeterProfile> profiles_;
  std::shared_ptr<const ReferenceLaw> public_law_;  // capped
  std::vector<std::uint64_t> keep_;                 // by law, of 2^32: how often the rank of the reading is used
  std::vector<double> sd_;                          // by law, hidden
  std::optional<Rational> reading_scale_;           // of the noise in each value
  std::int64_t reach_ = 0;
  std::size_t squeezed_ = 0;
};

}  // namespace fugu
