// Strategies that decide by the data, run by the hundred thousand: one series, one meter whose policies are all known.
//
// Simulation takes policies, charges and requests one by one, as publishing must: half a microsecond a slot with the
// policies of a household. A study runs the same policies thousands of times, so here what follows from them alone is
// worked out once (HouseholdTimeline), and a slot is the rule and its noise, about 30 ns.
//
// Guarantee: none is needed, nothing here publishes. It is the same arithmetic and the same draws as Simulation's:
// equal seeds give equal releases, bit by bit (tests/study/adaptive_runs_test.cpp), and the promise is audited by
// check_rates() on the rates that come out.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "fugu/base/budget.hpp"
#include "fugu/policy/book.hpp"
#include "fugu/study/zones.hpp"

namespace fugu {

/// What one meter's policies come to, slot by slot: pieces in which the same policies are relevant.
class HouseholdTimeline {
 public:
  /// Whatever ε the policies have: a run has one for all.
  HouseholdTimeline(const Collection& collection, std::size_t slots);

  /// A relevant policy. `place` is its own as long as it is relevant, and somebody else's afterwards.
  struct Relevant {
    std::uint32_t place = 0;
    bool begins = false;  ///< with this piece
    Slot last = 0;
    std::uint64_t affected_slots = 0;  ///< δ(J)
  };
  struct Piece {
    Slot first = 0;
    Slot last = 0;
    std::uint64_t sensitivity_steps = 0;  ///< Δ_t; 0 when nothing is relevant
    std::size_t relevant_begin = 0;
    std::size_t relevant_end = 0;
  };
  std::span<const Piece> pieces() const { return pieces_; }
  std::span<const Relevant> relevant(const Piece& piece) const {
    return std::span(relevant_).subspan(piece.relevant_begin, piece.relevant_end - piece.relevant_begin);
  }
  std::size_t places() const { return places_; }
  std::size_t slots() const { return slots_; }
  std::uint64_t longest_interval_slots() const { return longest_interval_slots_; }

 private:
  std::vector<Piece> pieces_;
  std::vector<Relevant> relevant_;
  std::size_t places_ = 0;
  std::size_t slots_ = 0;
  std::uint64_t longest_interval_slots_ = 0;
};

struct AdaptiveRun {
  std::string_view strategy;  ///< bd, ba, tes-bd, tes-ba, the last two with -idle, unicorn or unicorn-star
  double epsilon = 1;
  std::uint64_t sensitivity_steps = 1;  ///< ΔQ
  std::uint64_t seed = 1;
  std::uint64_t run = 0;
};

/// Whether there is a rule of that name here.
bool is_adaptive_rule(std::string_view strategy);

/// Releases `truth`, one value (or kMissingSteps) per slot of the timeline, with exact values where nothing is relevant
/// (as under
/// --exact-when-idle). `released` gets what is shown in each slot, 0 before the first; `rates`, when wanted, what each
/// slot loses per step. Returns in how many slots something new was released.
std::size_t run_adaptive(const HouseholdTimeline& timeline, const AdaptiveRun& run, std::span<const std::int64_t> truth,
                         std::vector<std::int64_t>& released, std::vector<double>* rates);

}  // namespace fugu
