// Which of two secrets, or of two collections, asks for more.
//
// A secret is the more conservative the longer and larger its event and the smaller its ε (conference paper, Section
// III-B). That is a partial order: of two secrets it may be that neither dominates the other.
#pragma once

#include <optional>

#include "fugu/policy/book.hpp"

namespace fugu {

/// `a` is at least as long and as large and its ε is at most that of `b`; intervals do not matter. Reflexive and
/// transitive. A shape is covered by its envelope, and by a shape that has, for each of its alternatives, one of the
/// same length that is at least as large everywhere; a shape covers nothing else.
bool dominates(const Policy& a, const Policy& b);

/// The same, and the interval of `a` contains that of `b`: whoever is promised `a` alone is promised `b` alone.
bool dominates_throughout(const Policy& a, const Policy& b);

/// The least plain policy that dominates, throughout, all those relevant in `slot`: the largest magnitude, greatest
/// length and smallest ε among them, over all their intervals. Mostly nobody stated it. Nothing when none is relevant.
std::optional<Policy> dominant(const Collection& collection, Slot slot);

/// Whether the dominant secret of `a` dominates that of `b` in `slot`. Everything dominates a collection of which
/// nothing is relevant.
bool dominates_at(const Collection& a, const Collection& b, Slot slot);

}  // namespace fugu
