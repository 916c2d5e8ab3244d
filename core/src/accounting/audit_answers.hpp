// What one recorded answer gives away: the audit's own reading of answers, shared by its parts.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "audit_arithmetic.hpp"
#include "fugu/accounting/answer.hpp"
#include "fugu/accounting/definition.hpp"

namespace fugu::audit {

/// How strongly an answer reacts to one step: the audit's own table.
std::uint64_t reaction(Statistic statistic);
std::uint64_t slots_touched(const Answer& answer);
/// Whether every series exists; if not, nothing can be said about the answer.
bool names_known_series(const Answer& answer, const Exposure& exposure);

/// Whether the noise of the answer keeps a promise of that kind at all: Gaussian noise keeps no pure one, and nothing
/// is known about comparisons with it.
bool has_known_loss(const Answer& answer, bool pure);

/// What the answer loses when `slots` of the slots it touches change by `change` steps each: ε, or ρ, in units of
/// 2^-bits.
Units loss_of(const Answer& answer, Rational parameter, bool pure, std::uint64_t change, std::uint64_t slots,
              unsigned bits = kLossBits);

/// The rate the kernel should have stated for one series of the answer: ε per step or ρ per squared step. Rounded where
/// the kernel rounds, as released rates are compared to the byte.
double rate_of(const Answer& answer, std::size_t index, bool pure);

/// By how much a series is taken to change in a slot.
enum class Change : std::uint8_t { whole_sensitivity, one_step };

/// A range of signatures: those whose tables fit into memory at once.
struct SignatureRange {
  std::size_t first = 0;
  std::size_t count = 0;
  bool contains(std::size_t signature) const { return signature >= first && signature < first + count; }
};

/// By how many steps the answer changes for the meter of each signature in range.
std::map<std::size_t, std::uint64_t> changes(const Answer& answer, const Exposure& exposure, SignatureRange range,
                                             Change change);

/// All comparisons of one session: what they have in common and the slots they touched.
struct Session {
  Answer like;
  Slot first;
  Slot last;
  bool ended = false;
};

using Sessions = std::map<std::uint64_t, Session>;

/// "slot 7: "
std::string in_slot(Slot slot);
/// An infinity is near itself only, and nothing is near what is not a number.
bool nearly(double a, double b);

}  // namespace fugu::audit
