// What a customer wants hidden, as a magnitude and a length: Tables 6.3 and 6.4 of Schäler's thesis.
//
// A use of an appliance changes the customer's active power by its power for the length of its cycle. Noise of one
// scale in every slot hides it with ε = power · slots / scale: the changes of its slots add up. That holds wherever the
// use begins. One that begins within a slot touches one slot more, but the first and the last of them only in part:
// readings are means over a slot, so all changes together are power · cycle, whatever slots they fall into.
#pragma once

#include <cstdint>

namespace fugu::grid {

struct Requirement {
  double p_kw = 0;                 ///< by which the power changes in a slot, at most
  std::uint64_t length_slots = 0;  ///< w
};

/// One use of an appliance; its cycle is rounded up to whole slots. All must be positive.
Requirement one_use(double power_w, double cycle_min, double slot_min);
/// One use directly after the other: the larger power, both lengths.
Requirement followed_by(const Requirement& first, const Requirement& second);
/// Both at the same time: both powers, the longer length.
Requirement in_parallel(const Requirement& first, const Requirement& second);

/// The scale of the noise of P that hides it with `epsilon`, of which P gets `part` (the thesis's α): p·w/(ε·α).
double noise_scale_kw(const Requirement& requirement, double epsilon, double part = 1);
/// The other way round: with which ε noise of that scale hides it.
double epsilon_at(const Requirement& requirement, double scale_kw, double part = 1);

}  // namespace fugu::grid
