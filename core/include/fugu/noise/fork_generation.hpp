// Counts forks, so that a child does not reuse random bits its parent has buffered.
#pragma once

#include <atomic>
#include <cstdint>

namespace fugu::detail {

/// How many forks lie between the first process that watched and this one. Never decreases.
inline std::atomic<std::uint64_t> fork_generation{0};

/// Starts counting. Calls after the first do nothing. Processes made by a bare clone(2) or vfork are not seen.
void watch_forks();

}  // namespace fugu::detail
