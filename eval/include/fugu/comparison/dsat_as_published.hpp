// DSAT_w as the VLDB 2023 benchmark ran it, flaws included: to be compared with Dsat.
#pragma once

#include <cstdint>
#include <vector>

#include "fugu/mechanism/mechanism.hpp"
#include "fugu/strategy/spent_in_window.hpp"

namespace fugu {

/// Can break its promise. What it does wrong: releases are counted from slot t − w to t − 2, so one more than c falls
/// into a window; the measured rate is divided in integers and is always 0, so the threshold sinks to 0 and loses its
/// noise there; the split between decisions and releases is rounded to 0 or to its upper limit; the number of rows is
/// asked for with 0.1 ε on top of ε. docs/guarantees/dsat.md.
class DsatAsPublished final : public Strategy {
 public:
  /// `unit_steps`: steps in a unit of the data, which threshold and noise are in.
  explicit DsatAsPublished(double unit_steps = 1) : unit_steps_(unit_steps) {}
  Result<void> step(Kernel& kernel, Release& release) override;

  /// Which part of the budget decides.
  double decision_part() const { return decision_part_; }

 private:
  Result<void> prepare(Kernel& kernel);
  bool has_newcomer(const Kernel& kernel, const Release& release) const;
  std::size_t released_lately(Slot slot);
  Result<bool> has_moved(Kernel& kernel);
  Result<void> release_all(Kernel& kernel, Release& release);

  double unit_steps_;
  std::uint64_t window_slots_ = 0;
  std::uint64_t samples_ = 0;  // c
  double decision_part_ = 0;   // k
  double total_ = 0;
  double distance_scale_ = 0;  // per unit of ε
  double threshold_ = 0;
  SpentInWindow releases_;
  Slot last_release_ = 0;
  std::vector<std::int64_t> reference_;  // the last releases
};

}  // namespace fugu
