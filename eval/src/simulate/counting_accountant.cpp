#include "fugu/simulate/counting_accountant.hpp"

#include <limits>

#include "fugu/accounting/definition_kind.hpp"
#include "fugu/accounting/policy_accountant.hpp"

namespace fugu {

namespace {

constexpr double kLargestEpsilon = 0x1p15;
constexpr Budget kBeyondCounting = Budget::from_units(std::numeric_limits<std::uint64_t>::max());

/// The same definition with the largest ε there is: its accountant counts alike, and grants what it can count.
Definition most_generous(const Definition& definition) {
  Definition::Options options = definition.options();
  options.epsilon = *Epsilon::make(kLargestEpsilon);
  auto made = Definition::make(options);
  FUGU_CHECK(made);
  return *made;
}

class CountingAccountant final : public Accountant {
 public:
  CountingAccountant(const Definition& definition, const Exposure& exposure, Reach reach)
      : total_(make_accountant(definition, exposure, reach)->total()),
        counter_(make_accountant(most_generous(definition), exposure, reach)) {}

  Currency currency() const override { return counter_->currency(); }
  Budget total() const override { return total_; }
  std::uint64_t window_slots() const override { return counter_->window_slots(); }
  Slot horizon() const override { return counter_->horizon(); }
  void advance(Slot slot) override { counter_->advance(slot); }
  Budget available() override { return left(counter_->available()); }
  Budget available(std::span<const SeriesId> series) override { return left(counter_->available(series)); }
  Budget worst() const override { return beyond_ ? kBeyondCounting : counter_->worst(); }
  Result<void> admit(const Answer& answer) override {
    admitted_ = counter_->admit(answer).has_value();
    return {};
  }
  void commit() override { admitted_ ? counter_->commit() : note_beyond(); }
  Result<void> charge(const Answer& answer) override {
    if (!counter_->charge(answer)) note_beyond();
    return {};
  }
  /// Nobody moves in a simulation.
  std::unique_ptr<Accountant> follow(std::uint32_t, const Exposure&) const override { return nullptr; }

 private:
  void note_beyond() { beyond_ = true; }
  Budget left(Budget of_counter) const {
    const Budget spent = counter_->total() - of_counter;
    return spent < total_ ? total_ - spent : Budget();
  }

  Budget total_;
  std::unique_ptr<Accountant> counter_;
  bool admitted_ = false;
  bool beyond_ = false;  // what was asked cannot be counted
};

/// Knows the policies, and charges them nothing.
class UncountedPolicies final : public PolicyAccountant {
 public:
  explicit UncountedPolicies(std::unique_ptr<PolicyAccountant> policies) : policies_(std::move(policies)) {}

  Currency currency() const override { return policies_->currency(); }
  Budget total() const override { return policies_->total(); }
  std::uint64_t window_slots() const override { return policies_->window_slots(); }
  Slot horizon() const override { return policies_->horizon(); }
  void advance(Slot slot) override { policies_->advance(slot); }
  Budget available() override { return policies_->available(); }
  Budget available(std::span<const SeriesId> series) override { return policies_->available(series); }
  Budget worst() const override { return policies_->worst(); }
  Result<void> admit(const Answer&) override { return {}; }
  void commit() override {}
  std::unique_ptr<Accountant> follow(std::uint32_t, const Exposure&) const override { return nullptr; }
  Result<MeterId> state(std::string_view meter, std::span<const std::uint32_t> signatures,
                        const Policy& policy) override {
    return policies_->state(meter, signatures, policy);
  }
  Result<MeterId> withdraw(std::string_view meter, const Policy& policy) override {
    return policies_->withdraw(meter, policy);
  }
  const PolicyBook& book() const override { return policies_->book(); }
  bool idle(SeriesId series) const override { return policies_->idle(series); }

 private:
  std::unique_ptr<PolicyAccountant> policies_;
};

}  // namespace

std::unique_ptr<Accountant> make_counting_accountant(const Definition& definition, const Exposure& exposure,
                                                     Reach reach) {
  if (definition.kind().has_policies)
    return std::make_unique<UncountedPolicies>(make_policy_accountant(definition, exposure, reach));
  return std::make_unique<CountingAccountant>(definition, exposure, reach);
}

}  // namespace fugu
