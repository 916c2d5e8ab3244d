// Runs a mechanism on a stream with seeded noise.
#pragma once

#include <memory>

#include "fugu/mechanism/slot_runner.hpp"
#include "fugu/simulate/simulation_noise.hpp"

namespace fugu {

/// Runs a mechanism with fast, seeded noise: the same kernel and strategy as in publishing. What comes out is not
/// private: it never takes a ledger or a sink.
class Simulation {
 public:
  /// With `enforced` false nothing is refused: to see what a rule that breaks its promise would release.
  Simulation(Mechanism mechanism, std::unique_ptr<SimulationNoise> noise, bool enforced = true);
  /// The release stays valid until the next call.
  Result<const Release*> step(const SlotRow& row) {
    if (clairvoyant_ != nullptr) show(row);
    return runner_.run(row);
  }

  /// The most any meter lost within a window so far, as a share of what was promised: above 1 it is broken, which can
  /// happen without enforcement only. Under policies, of the floor.
  double worst_share() const;

 private:
  Simulation(Mechanism&& mechanism, std::unique_ptr<Accountant> accountant, std::unique_ptr<SimulationNoise> noise);
  /// To a strategy that looks at the true stream.
  void show(const SlotRow& row);

  class ClairvoyantStrategy* clairvoyant_;  // the strategy, when it is one
  Accountant* accountant_;                  // the kernel's
  SlotRunner runner_;
};

}  // namespace fugu
