#include "fugu/simulate/simulation.hpp"

#include "fugu/comparison/clairvoyant.hpp"
#include "fugu/simulate/counting_accountant.hpp"

namespace fugu {

namespace {

std::unique_ptr<Accountant> accountant_of(const Mechanism& mechanism, bool enforced) {
  const auto make = enforced ? make_accountant : make_counting_accountant;
  return make(mechanism.definition, mechanism.exposure, mechanism.strategy->reach());
}

}  // namespace

Simulation::Simulation(Mechanism mechanism, std::unique_ptr<SimulationNoise> noise, bool enforced)
    : Simulation(std::move(mechanism), accountant_of(mechanism, enforced), std::move(noise)) {}

Simulation::Simulation(Mechanism&& mechanism, std::unique_ptr<Accountant> accountant,
                       std::unique_ptr<SimulationNoise> noise)
    : clairvoyant_(dynamic_cast<ClairvoyantStrategy*>(mechanism.strategy.get())),
      accountant_(accountant.get()),
      runner_(std::move(mechanism), std::move(accountant), std::move(noise), nullptr) {}

void Simulation::show(const SlotRow& row) { clairvoyant_->look(row); }

double Simulation::worst_share() const { return accountant_->worst().to_double() / accountant_->total().to_double(); }

}  // namespace fugu
