// The rate that the conference paper derives from the dominant secret of each meter.
#pragma once

#include <limits>
#include <vector>

#include "fugu/strategy/relevant_policies.hpp"

namespace fugu {

/// 1 / (Δ_t · max T / min ε) over a meter's relevant policies, the smallest over all meters. On its own it keeps no
/// promise (docs/guarantees/conference-rules.md): make_conference_repaired() scales it until it does.
class DominantSecrets {
 public:
  /// To be called when the relevant policies have changed.
  void update(const RelevantPolicies& relevant);
  /// Infinite when no policy is relevant.
  double rate() const { return rate_; }

 private:
  /// The longest pattern and the smallest ε of a meter's relevant policies.
  struct Dominant {
    double length_slots = 0;
    double epsilon = std::numeric_limits<double>::infinity();
  };

  std::vector<Dominant> of_meter_;  // valid for those with a relevant policy
  double rate_ = std::numeric_limits<double>::infinity();
};

}  // namespace fugu
