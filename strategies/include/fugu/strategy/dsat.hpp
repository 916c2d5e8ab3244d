// DSAT_w: releases anew when a noisy threshold is exceeded, and moves the threshold to keep a sampling rate.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fugu/mechanism/mechanism.hpp"
#include "fugu/strategy/share_noise.hpp"
#include "fugu/strategy/spent_in_window.hpp"

namespace fugu {

struct DsatOptions {
  /// Of the slots of a window, which part may be released at most.
  double rate = 0.15;
};

/// Distance-based sampling with an adaptive threshold (Li et al. 2015) under a window.
///
/// A sparse-vector session tells when the stream has moved away from the last release by more than a threshold; then it
/// is released anew, with 1/c of what part 1 − k of the window's budget gives, at most c times per window. The
/// threshold rises when samples come too fast and sinks as the last one grows old, so that between c/2 and c samples
/// fall into a window. The first slot is always released.
///
/// Guarantee: keeps every definition it runs under (the kernel sees to it), and is never refused unless it was
/// restarted within the window, which costs a session; then it repeats. At most c samples in any window; at least ⌈c/2⌉
/// in any in which the limit did not stop it.
///
/// Error: noise of scale sensitivity·c/((1−k)·ε), plus what the stream moves unnoticed.
///
/// Cost: O(series) per slot, whatever w and the past. No allocation per slot. docs/guarantees/dsat.md.
class Dsat final : public Strategy {
 public:
  explicit Dsat(const DsatOptions& options = {}) : options_(options) {}
  Result<void> step(Kernel& kernel, Release& release) override;

  /// How many releases fit into a window, and which part of the budget decides about them.
  std::uint64_t samples_per_window() const { return samples_; }
  double decision_part() const { return decision_part_; }

 private:
  enum class Verdict : std::uint8_t { repeat, release };

  void prepare(const Kernel& kernel);
  bool any_present(const Kernel& kernel) const;
  bool has_newcomer(const Kernel& kernel, const Release& release) const;
  void remember(const Release& release);
  std::size_t released_lately(Slot slot);
  Result<Verdict> decide(Kernel& kernel, const Release& release);
  Result<Verdict> decide_by_session(Kernel& kernel);
  Result<void> release_all(Kernel& kernel, Release& release);
  std::int64_t threshold_steps(Slot age) const;
  void adapt(Slot gap);

  DsatOptions options_;
  std::uint64_t window_slots_ = 0;
  std::uint64_t samples_ = 0;  // c
  double decision_part_ = 0;   // k
  double gap_slots_ = 0;       // aimed at between two samples
  Slot gap_max_slots_ = 0;
  Budget session_share_;
  Budget release_share_;
  double level_steps_ = 0;  // of the threshold, for a young release
  double level_least_steps_ = 0;
  SpentInWindow releases_;
  Slot last_release_ = 0;
  std::optional<Threshold> session_;
  std::vector<std::int64_t> reference_;  // the last releases
  bool newcomers_ = true;                // some series was never released
};

}  // namespace fugu
