// What an answer costs each signature: the arithmetic that all accountants share.
#pragma once

#include <vector>

#include "fugu/accounting/accountant.hpp"

namespace fugu {

/// ρ when δ > 0, else ε.
Currency currency_of(const Definition& definition);
/// ε of a pure definition, the ρ that implies (ε, δ) otherwise; rounded down.
Budget total_budget(const Definition& definition);

/// What the n-th slot of a session carries in ρ when all slots may change by equally much: it raises (n − 1)² to n².
constexpr std::uint64_t session_weight_equal(std::uint64_t n) { return 2 * n - 1; }
/// The same when each may change by something else: (Σ c)² ≤ Σ j(j+1)·c_j², since Σ 1/(j(j+1)) ≤ 1.
constexpr std::uint64_t session_weight_any(std::uint64_t n) { return n * (n + 1); }

struct SignatureLoss {
  std::uint32_t signature;
  Budget loss;
};

/// Computes losses at full sensitivity, rounded up. Keeps its buffers between calls.
class CostTable {
 public:
  /// `exposure` must outlive the table.
  CostTable(const Exposure& exposure, Currency currency);

  /// The loss of each touched signature in each of the touched slots (every touched slot carries the same).
  ///
  /// An answer of which n slots change by c each loses n·c/scale: linear, so each slot carries c/scale. In ρ it loses
  /// (n·c)²/(2·variance), of which each slot carries an n-th: a window that holds m of the n slots is charged
  /// m·n·c²/(2v) ≥ (m·c)²/(2v).
  const std::vector<SignatureLoss>& of_answer(const Answer& answer);

  /// As above for a comparison, per newly touched slot: e, or rho_weight·e²/2.
  const std::vector<SignatureLoss>& of_comparison(const Answer& answer, std::uint64_t rho_weight);

 private:
  const std::vector<SignatureLoss>& of_values(const Answer& answer);
  /// Fills changes_ with gain · Σ sensitivity over the answer's series, per touched signature.
  void collect_changes(const Answer& answer);
  Budget laplace_loss(uint128 change, Rational scale) const;
  Budget loss_of(NoiseKind noise, std::uint64_t change, Rational parameter, std::uint64_t slots) const;
  /// loss_of for a single slot, remembered from one call to the next: most streams repeat one noise scale.
  Budget loss_of_value(NoiseKind noise, std::uint64_t change, Rational parameter);
  void add(std::uint32_t signature, Budget loss);
  void clear();

  const Exposure& exposure_;
  Currency currency_;
  std::vector<SignatureLoss> losses_;
  std::vector<std::uint32_t> position_;  // of a signature in losses_ or changes_, plus 1; 0 when absent
  struct LastValue {
    NoiseKind noise = NoiseKind::laplace;
    std::uint64_t change = 0;
    Rational parameter;
    Budget loss;
  };
  LastValue last_;
  struct Change {
    std::uint32_t signature;
    std::uint64_t steps;
  };
  std::vector<Change> changes_;
};

}  // namespace fugu
