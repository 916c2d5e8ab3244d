// How much of the order and shape of a meter's readings temporal perturbation hides: the measures of the paper, exact
// for slots where it prints an approximation, and as printed. Evaluation only. docs/guarantees/temporal.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fugu/meter/shift_law.hpp"

namespace fugu {

/// P(some part of a reading gets another slot), Definition 1.
double perturbation_probability(const ShiftLaw& law, unsigned parts);
/// Equation 3: 1 − (1 − e^(−1/(2b)))^n. The same for the rounded Laplace law.
double printed_perturbation_probability(double b, unsigned parts);

/// P(some part of a reading gets a slot not before that of some part of the next reading), Definition 2:
/// 1 − Σ_m P(earliest of the later parts = m)·P(one earlier part ≤ m)^n.
double shuffling_probability(const ShiftLaw& law, unsigned parts);
/// Equation 10: 1 − (1 − ½e^(−1/b))^(n²). Takes the chance of a Laplace time above 1 for that of a difference of two,
/// slots for times, and n² dependent events for independent ones.
double printed_shuffling_probability(double b, unsigned parts);
/// P(difference of two Laplace(b) times ≥ 1) = ½e^(−1/b)(1 + 1/(2b)): what equation 10 should start from.
double overtaking_probability(double b);

/// What an adversary who sees all arrivals up to slot `slots` learns at most about when things were measured, by
/// Appendix B, in nats: Σ_t max(ln(1 + tλ), ln(1 + t/b)).
double printed_information_bound(double b, double lambda, std::uint64_t slots);

/// Pincus's approximate entropy: how often patterns of `length` values that agree within `tolerance` go on alike;
/// larger is less regular. Time O(values²).
double approximate_entropy(std::span<const double> values, std::size_t length, double tolerance);
/// Entropy in nats of the values' distribution over bins of `width`.
double binned_entropy(std::span<const double> values, double width);
/// The same over `bins` bins of equal width from the least to the largest value. Not changed by a factor.
double ranged_entropy(std::span<const double> values, std::size_t bins);
/// Root of the mean of (a − b)²: the distortion standard deviation.
double distortion_deviation(std::span<const double> a, std::span<const double> b);
/// Σab / √(Σa²·Σb²); 0 when one of them is all zeros.
double cosine_similarity(std::span<const double> a, std::span<const double> b);

/// What a Kalman filter makes of a perturbed stream when it knows the variance of the perturbation and by how much the
/// true stream moves per slot: an adversary who is told more than the scheme lets out.
std::vector<double> kalman_attack(std::span<const double> observed, double movement_variance, double noise_variance);

}  // namespace fugu
