// Zero-concentrated differential privacy: how promises with δ > 0 are counted.
#pragma once

#include "fugu/base/budget.hpp"

namespace fugu {

/// An upper bound on the δ for which ρ-zCDP implies (ε, δ): the minimum over Rényi orders of the conversion of
/// Canonne, Kamath and Steinke 2020, Proposition 12. Every order gives a bound, so an inexact minimum is still sound.
double zcdp_delta(double rho, double epsilon);

/// The largest ρ (rounded down) such that ρ-zCDP implies (ε, δ). δ must be positive.
///
/// Guarantee: answers whose ρ add up to at most this, with scales chosen adaptively, are (ε, δ)-indistinguishable.
/// Both noise laws are covered as drawn: the discrete Gaussian of variance v is c²/(2v)-zCDP against a shift by c
/// (exactly the continuous value, unlike its (ε, δ) curve), and an ε-indistinguishable answer is ε²/2-zCDP.
/// Proof: docs/guarantees/approximate.md.
Budget zcdp_rho(Epsilon epsilon, Delta delta);

}  // namespace fugu
