// Keeps one promise: knows what was spent, grants what may still be spent, refuses the rest.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "fugu/accounting/answer.hpp"
#include "fugu/accounting/definition.hpp"
#include "fugu/base/budget.hpp"
#include "fugu/base/result.hpp"

namespace fugu {

/// The accountant of a definition over the series of one stream. Slots go forward only; not thread-safe.
///
/// Amounts are losses *at full sensitivity*: what it costs when one meter changes by its whole sensitivity. A
/// definition that protects smaller changes scales them down itself, so strategies can think in one currency.
///
/// Guarantee: as long as every answer drawn was charged here first and none was refused, the definition holds for the
/// whole transcript, whatever the strategy did and however it chose its requests (docs/guarantees/w-event.md).
class Accountant {
 public:
  static constexpr Slot kNoHorizon = std::numeric_limits<Slot>::max();

  virtual ~Accountant() = default;

  virtual Currency currency() const = 0;
  /// What a request may cost at most when nothing else is asked within the window: ε, or ρ.
  virtual Budget total() const = 0;
  /// The window of the definition: w, the horizon, or 1. (Discounted definitions have none: 1.)
  virtual std::uint64_t window_slots() const = 0;

  /// The first slot that the promise does not extend to: from there on nothing may be released.
  virtual Slot horizon() const { return kNoHorizon; }
  /// Moves to `slot`, which must not be before the current one.
  virtual void advance(Slot slot) = 0;

  /// The most that one more request on the current slot may cost each meter, so that nothing promised can break,
  /// whatever is asked later. (Later spending can always be zero: repeat the last release.)
  virtual Budget available() = 0;
  /// The same of a request about these series alone, which may have more left than others.
  virtual Budget available(std::span<const SeriesId> series) = 0;
  /// The most that any meter was charged for a window so far. (Not for policies, whose windows have an ε each.)
  virtual Budget worst() const = 0;

  /// Checks whether the answer may be drawn: Cause::refused when it would break the promise. Charges nothing yet, so
  /// that several accountants can be asked before any is charged. Reads statistic, noise, slots, session, series and
  /// parameter; not the values.
  virtual Result<void> admit(const Answer& answer) = 0;
  /// Charges every slot and series touched by the answer that admit() was asked about last, and granted.
  virtual void commit() = 0;
  /// The accountant of a unit that had `signature` until now and counts into other series from the next slot on. It has
  /// the past of the signature; `unit` is an exposure of one signature with all series that an answer may be charged
  /// for. nullptr when there is nothing to follow: what was lost before does not count any more.
  virtual std::unique_ptr<Accountant> follow(std::uint32_t signature, const Exposure& unit) const = 0;
  /// Whether a unit may move to other series before the next slot; Cause::refused says why not.
  virtual Result<void> check_move(std::string_view /*unit*/) const { return {}; }
  /// Whether a unit that counts nowhere now may begin to count into series of that signature: Cause::refused when what
  /// it was promised is being kept in another one.
  virtual Result<void> check_joins(std::string_view /*unit*/, std::uint32_t /*signature*/) const { return {}; }
  /// After so many slots nothing is left of a loss. Absent when losses count for ever.
  virtual std::optional<std::uint64_t> remembers_slots() const { return std::nullopt; }

  /// Both at once: charges the answer, or refuses it.
  virtual Result<void> charge(const Answer& answer) {
    FUGU_TRY(admit(answer));
    commit();
    return {};
  }
};

/// How many slots back a request may reach (Statistic::deviation), besides the current one.
struct Reach {
  std::uint64_t slots = 0;
};

/// The exact accountant of `definition`. (For one of policies, make_policy_accountant() gives a handle to them.)
std::unique_ptr<Accountant> make_accountant(const Definition& definition, const Exposure& exposure, Reach reach = {});

}  // namespace fugu
