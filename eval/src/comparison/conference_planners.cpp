#include "fugu/comparison/conference_planners.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fugu/strategy/dominant_secrets.hpp"
#include "fugu/strategy/relevant_policies.hpp"

namespace fugu {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What the rules do alike: follow the relevant policies, and decide anew when these change.
class ConferencePlanner : public Planner {
 public:
  void add(MeterId meter, const Policy& policy) override { relevant_.add(meter, policy); }
  void withdraw(MeterId meter, const Policy& policy) override { FUGU_CHECK(relevant_.withdraw(meter, policy)); }
  double rate(Slot slot) override {
    relevant_.advance(slot);
    if (relevant_.changed() || stale_) update();
    stale_ = false;
    return rate_;
  }
  void spent(double) override {}

 protected:
  virtual void update() = 0;

  RelevantPolicies relevant_{RelevantPolicies::Affected::ignored};
  double rate_ = kInfinity;
  bool stale_ = false;  // for another reason than that the relevant policies have changed
};

/// One sensitivity for all, that only grows.
class LargestSensitivity {
 public:
  explicit LargestSensitivity(std::uint64_t steps) : steps_(steps) {}
  double update(const RelevantPolicies& relevant) {
    steps_ = std::max(steps_, relevant.largest_sensitivity_steps());
    return static_cast<double>(steps_);
  }

 private:
  std::uint64_t steps_;
};

class LongestPatternPlanner final : public ConferencePlanner {
 public:
  explicit LongestPatternPlanner(std::uint64_t sensitivity_steps) : sensitivity_(sensitivity_steps) {}

  void add(MeterId meter, const Policy& policy) override {
    ConferencePlanner::add(meter, policy);
    window_slots_ = std::max(window_slots_, policy.length_slots);
    epsilon_ = std::min(epsilon_, policy.epsilon.to_double());
    stale_ = true;
  }

 private:
  void update() override {
    const double steps = sensitivity_.update(relevant_);
    rate_ = window_slots_ == 0 || steps == 0 ? kInfinity : epsilon_ / (steps * static_cast<double>(window_slots_));
  }

  LargestSensitivity sensitivity_;
  std::uint64_t window_slots_ = 0;
  double epsilon_ = kInfinity;
};

class DominantSecretPlanner final : public ConferencePlanner {
 private:
  void update() override {
    secrets_.update(relevant_);
    rate_ = secrets_.rate();
  }

  DominantSecrets secrets_;
};

class ApproximateDominantPlanner final : public ConferencePlanner {
 public:
  ApproximateDominantPlanner(const PlannerOptions& options, Theorem11 reading)
      : delta_(options.delta.value()), reading_(reading), sensitivity_(options.sensitivity_steps) {}

 private:
  void update() override {
    const double global_steps = sensitivity_.update(relevant_);
    double scale = 0;
    for (std::size_t i = 0; i < relevant_.size(); ++i) {
      const double epsilon = relevant_.epsilon(i);
      const double logarithm = std::log(std::exp(1.0) + epsilon / delta_);
      const auto length = static_cast<double>(relevant_.length_slots(i));
      const double steps = reading_ == Theorem11::as_printed
                               ? global_steps
                               : static_cast<double>(relevant_.sensitivity_steps(relevant_.meter(i)));
      scale = std::max(scale, steps * 2 / epsilon * std::sqrt(length * logarithm));
    }
    rate_ = 1 / scale;
  }

  double delta_;
  Theorem11 reading_;
  LargestSensitivity sensitivity_;
};

class RatesInRho final : public Planner {
 public:
  explicit RatesInRho(std::unique_ptr<Planner> rule) : rule_(std::move(rule)) {}
  void add(MeterId meter, const Policy& policy) override { rule_->add(meter, policy); }
  void withdraw(MeterId meter, const Policy& policy) override { rule_->withdraw(meter, policy); }
  double rate(Slot slot) override {
    const double rate = rule_->rate(slot);
    return rate * rate / 2;
  }
  void spent(double rate) override { rule_->spent(std::sqrt(2 * rate)); }

 private:
  std::unique_ptr<Planner> rule_;
};

}  // namespace

std::unique_ptr<Planner> make_conference_theorem_7(const PlannerOptions& options) {
  return std::make_unique<LongestPatternPlanner>(options.sensitivity_steps);
}

std::unique_ptr<Planner> make_conference_theorem_9() { return std::make_unique<DominantSecretPlanner>(); }

std::unique_ptr<Planner> make_conference_theorem_11(const PlannerOptions& options, Theorem11 reading) {
  FUGU_CHECK(options.delta.value() > 0);
  return std::make_unique<ApproximateDominantPlanner>(options, reading);
}

std::unique_ptr<Planner> make_conference_theorem_11_in_rho(const PlannerOptions& options) {
  return std::make_unique<RatesInRho>(make_conference_theorem_11(options));
}

Result<ComparedOutlook> make_compared_outlook(std::string_view name, const PlannerOptions& options) {
  const bool pure = options.delta.value() == 0;  // these rules have no other form
  if (pure && name == "conference-7")
    return ComparedOutlook{{"conference-7", make_conference_theorem_7(options)}, true};
  if (pure && name == "conference-9") return ComparedOutlook{{"conference-9", make_conference_theorem_9()}, true};
  auto sound = make_outlook_strategy(name, options);
  if (sound) return ComparedOutlook{*std::move(sound), false};
  Error unknown = std::move(sound).error();
  if (pure) unknown.message += "; to be compared with: conference-7, conference-9";
  return unknown;
}

}  // namespace fugu
