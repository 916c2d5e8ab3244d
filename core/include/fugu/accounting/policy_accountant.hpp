// Keeps every policy of every meter, while policies come and go.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "fugu/accounting/accountant.hpp"
#include "fugu/policy/book.hpp"

namespace fugu {

/// The accountant of a swellfish definition: L(J) ≤ ε for every policy (loss_terms.hpp), and the floor if there is one.
///
/// Answers to total(), window_slots() and horizon() are the floor's: what everybody is promised besides the policies.
/// Without a floor (true values when idle) there is no such limit.
class PolicyAccountant : public Accountant {
 public:
  /// A policy holds from now on. `signatures`: those of which the meter has one; empty when it may be any.
  /// Stated twice, it counts twice. Cause::refused when its interval has begun: it must begin after the current slot;
  /// Cause::bad_input when its numbers cannot be accounted.
  virtual Result<MeterId> state(std::string_view meter, std::span<const std::uint32_t> signatures,
                                const Policy& policy) = 0;
  /// Takes back a policy whose interval has not begun. Nothing that was spent comes back.
  virtual Result<MeterId> withdraw(std::string_view meter, const Policy& policy) = 0;

  /// Policies in force. Those that ended may be gone from it.
  virtual const PolicyBook& book() const = 0;
  /// Whether no policy is relevant in the current slot for any meter that may count into the series.
  virtual bool idle(SeriesId series) const = 0;
};

/// Whether an accountant of this definition can hold such a policy; Cause::bad_input says why not. state() asks it; who
/// wants to know before there is anything to undo asks it first.
Result<void> check_accountable(const Definition& definition, const Exposure& exposure,
                               std::span<const std::uint32_t> signatures, const Policy& policy);

/// Exact and incremental. Per slot the work grows with the policies relevant in it, and of these only with the ones
/// that have come near their ε; it does not grow with the book or the past (docs/guarantees/swellfish.md).
std::unique_ptr<PolicyAccountant> make_policy_accountant(const Definition& definition, const Exposure& exposure,
                                                         Reach reach = {});

}  // namespace fugu
