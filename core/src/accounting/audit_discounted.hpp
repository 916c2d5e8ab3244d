// The audit of discounted definitions.
#pragma once

#include <vector>

#include "audit_promise.hpp"

namespace fugu::audit {

/// Finds the slot in which most counts against any signature.
///
/// Works on whole numbers of GMP: αʲ as the fraction it is, 1/(1 + βj) in multiples of 2^-72 rounded up, all slots at
/// once as the product of two very long numbers. O(slots) and O(slots · log slots).
class DiscountedAudit final : public PromiseAudit {
 public:
  DiscountedAudit(const Definition& definition, const Exposure& exposure, std::size_t slots);

  using PromiseAudit::add;
  void begin_pass(SignatureRange range) override;
  void add(const Answer& answer) override;
  void add(std::size_t signature, Slot slot, Units loss) override;
  void end_pass() override;
  void judge(AuditReport& report) const override;
  bool loses_when_given() const override { return true; }

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
