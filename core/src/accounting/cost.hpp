// What an answer costs each signature: the arithmetic that all accountants share.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "fugu/accounting/accountant.hpp"

namespace fugu {

/// ρ when δ > 0, else ε.
Currency currency_of(const Definition& definition);
/// ε of a pure definition, the ρ that implies (ε, δ) otherwise; rounded down.
Budget total_budget(const Definition& definition);
/// n times the loss; too much to be granted when that cannot be counted.
Budget times(Budget loss, std::uint64_t n);

/// What each new slot of a session carries in ρ when it reaches its n-th and all may change by equally much. The kernel
/// asks a session of several slots once (docs/guarantees/approximate.md); one that went on would raise (n − 1)² to n²,
/// which is enough for a length that is fixed beforehand.
constexpr std::uint64_t session_weight_equal(std::uint64_t n) { return 2 * n - 1; }
/// The same when each may change by something else: (Σ c)² ≤ Σ j(j+1)·c_j², since Σ 1/(j(j+1)) ≤ 1.
constexpr std::uint64_t session_weight_any(std::uint64_t n) { return n * (n + 1); }

/// The largest of what a function says of each signature that these series touch.
template <class Function>
Budget largest_of(const Exposure& exposure, std::span<const SeriesId> series, Function of_signature) {
  Budget largest;
  for (const SeriesId id : series) {
    for (const std::uint32_t g : exposure.signatures_of(id)) largest = std::max(largest, of_signature(g));
  }
  return largest;
}

struct SignatureLoss {
  std::uint32_t signature;
  Budget loss;
};

/// What an answer costs, by signatures that it touches.
struct Losses {
  std::span<const SignatureLoss> entries;
  std::span<const Budget> row;  ///< the same by signature, when there are several and all are touched; else empty
};

/// Computes losses at full sensitivity, rounded up. Remembers the last of each kind of request (Answer::form): most
/// strategies keep asking for the same. What it returns is valid until the next call for the same statistic.
class CostTable {
 public:
  /// `exposure` must outlive the table.
  CostTable(const Exposure& exposure, Currency currency);

  /// The loss of each touched signature in each of the touched slots (every touched slot carries the same).
  ///
  /// An answer of which n slots change by c each loses n·c/scale: linear, so each slot carries c/scale. In ρ it loses
  /// (n·c)²/(2·variance), of which each slot carries an n-th: a window that holds m of the n slots is charged
  /// m·n·c²/(2v) ≥ (m·c)²/(2v).
  Losses of_answer(const Answer& answer) {
    Kept& kept = answers_[static_cast<std::size_t>(answer.statistic)];
    if (!kept.is_of(answer, 0)) compute(answer, kept);
    return {kept.losses, kept.row};
  }

  /// As above for a comparison, per newly touched slot: e, or rho_weight·e²/2.
  Losses of_comparison(const Answer& answer, std::uint64_t rho_weight) {
    if (currency_ == Currency::epsilon) rho_weight = 0;  // plays no part
    Kept& kept = comparisons_[static_cast<std::size_t>(answer.statistic)];
    if (!kept.is_of(answer, rho_weight)) compute_comparison(answer, rho_weight, kept);
    return {kept.losses, kept.row};
  }

 private:
  struct Kept {
    std::uint64_t form = 0;
    std::uint64_t rho_weight = 0;
    std::vector<SignatureLoss> losses;
    std::vector<Budget> row;

    bool is_of(const Answer& answer, std::uint64_t weight) const {
      return form != 0 && form == answer.form && rho_weight == weight;
    }
  };
  struct Change {
    std::uint32_t signature;
    std::uint64_t steps;
  };

  void compute(const Answer& answer, Kept& kept);
  void compute_comparison(const Answer& answer, std::uint64_t rho_weight, Kept& kept);
  void add_values(const Answer& answer, std::vector<SignatureLoss>& losses);
  void make_row(Kept& kept);
  /// Fills changes_ with gain · Σ sensitivity over the answer's series, per touched signature.
  void collect_changes(const Answer& answer);
  Budget laplace_loss(uint128 change, Rational scale) const;
  Budget loss_of(NoiseKind noise, std::uint64_t change, Rational parameter, std::uint64_t slots) const;

  /// Remembers the last: sessions of many series ask alike.
  Budget comparison_loss(const Answer& answer, std::uint64_t change, std::uint64_t rho_weight);

  const Exposure& exposure_;
  Currency currency_;
  std::array<Kept, 4> answers_;          // by statistic
  std::array<Kept, 4> comparisons_;      // likewise
  std::vector<std::uint32_t> position_;  // of a signature in a list being filled, plus 1; 0 when absent
  std::vector<Change> changes_;
  std::array<std::uint64_t, 6> last_comparison_ = {};
  Budget last_comparison_loss_;
};

}  // namespace fugu
