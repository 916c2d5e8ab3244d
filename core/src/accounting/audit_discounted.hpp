// The audit of discounted definitions.
#pragma once

#include <vector>

#include "audit_answers.hpp"
#include "fugu/accounting/audit.hpp"

namespace fugu::audit {

/// Finds the slot in which most counts against any signature, in as many passes over the answers as the caller likes:
/// begin_pass(), all answers below `slots`, end_pass().
///
/// Works on whole numbers of GMP: αʲ as the fraction it is, 1/(1 + βj) in multiples of 2^-72 rounded up, all slots at
/// once as the product of two very long numbers. O(slots) and O(slots · log slots).
class DiscountedAudit {
 public:
  DiscountedAudit(const Definition& definition, const Exposure& exposure, std::size_t slots);

  void begin_pass(SignatureRange range);
  void add(const Answer& answer);
  /// A loss in units of 2^-60 of a signature within the range.
  void add(std::size_t signature, Slot slot, Units loss);
  void end_pass();
  /// After the last pass.
  void judge(AuditReport& report) const;

 private:
  struct Worst {
    Units loss = 0;
    std::size_t slot = 0;
  };
  Worst worst_exponential(const std::vector<Units>& losses) const;
  Worst worst_hyperbolic(const std::vector<Units>& losses);

  const Definition& definition_;
  const Exposure& exposure_;
  std::size_t slots_;
  SignatureRange range_;
  std::vector<std::vector<Units>> losses_;  // [signature of the range][slot]
  std::vector<std::uint64_t> weights_;      // 1/(1 + βj), packed as factors are; made once
  Worst worst_;
  std::size_t worst_signature_ = 0;
};

}  // namespace fugu::audit
