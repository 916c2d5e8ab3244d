// PeGaSuS and AdaPub as the VLDB 2023 benchmark ran them: to be compared with SlotGroups.
#pragma once

#include "fugu/mechanism/mechanism.hpp"

namespace fugu {

/// What they do wrong: every group is a single slot, so the fifth of ε that pays for groups buys nothing, and nothing
/// is smoothed. docs/guarantees/{pegasus,adapub}.md.
class GroupsOfOne final : public Strategy {
 public:
  Result<void> step(Kernel& kernel, Release& release) override;
};

}  // namespace fugu
