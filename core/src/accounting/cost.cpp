#include "cost.hpp"

#include "fugu/accounting/zcdp.hpp"

namespace fugu {

namespace {

constexpr Budget kTooMuch = Budget::from_units(~std::uint64_t{0});

/// ceil(factor · e² / 2) of a loss e, in units.
Budget half_square_up(Budget e, std::uint64_t factor) {
  const uint128 square = static_cast<uint128>(e.units()) * e.units();
  // e² has 96 fraction bits: dividing by 2^49 leaves half of it with 48.
  return Budget::from_units(multiply_divide_up(square, factor, 0, std::uint64_t{1} << (Budget::kFractionBits + 1)));
}

}  // namespace

Currency currency_of(const Definition& definition) {
  return definition.delta().value() > 0 ? Currency::rho : Currency::epsilon;
}

Budget total_budget(const Definition& definition) {
  return definition.delta().value() > 0 ? zcdp_rho(definition.epsilon(), definition.delta())
                                        : Budget::round_down(definition.epsilon().value());
}

Budget times(Budget loss, std::uint64_t n) { return Budget::from_units(multiply_divide_up(loss.units(), n, 0, 1)); }

CostTable::CostTable(const Exposure& exposure, Currency currency)
    : exposure_(exposure), currency_(currency), position_(exposure.signature_count(), 0) {}

Budget CostTable::laplace_loss(uint128 change, Rational scale) const {
  return Budget::from_units(multiply_divide_up(change, scale.den, Budget::kFractionBits, scale.num));
}

Budget CostTable::loss_of(NoiseKind noise, std::uint64_t change, Rational parameter, std::uint64_t slots) const {
  if (noise == NoiseKind::none) return kTooMuch;
  if (noise == NoiseKind::laplace) {
    const Budget e = laplace_loss(change, parameter);
    return currency_ == Currency::epsilon ? e : half_square_up(e, slots);
  }
  if (currency_ == Currency::epsilon) return kTooMuch;  // Gaussian noise keeps no pure promise
  const uint128 square = static_cast<uint128>(change) * change * slots;
  return Budget::from_units(multiply_divide_up(square, parameter.den, Budget::kFractionBits - 1, parameter.num));
}

void CostTable::add_values(const Answer& answer, std::vector<SignatureLoss>& losses) {
  if (answer.series.size() == 1) {  // no signature twice: nothing to look up
    const SeriesId series = answer.series[0];
    const Budget loss = loss_of(answer.noise, exposure_.sensitivity_steps(series, answer.slot), answer.parameter[0], 1);
    for (const std::uint32_t signature : exposure_.signatures_of(series)) losses.push_back({signature, loss});
    return;
  }
  std::uint64_t last_change = 0;
  Rational last_parameter;
  Budget loss;
  for (std::size_t i = 0; i < answer.series.size(); ++i) {
    const std::uint64_t change = exposure_.sensitivity_steps(answer.series[i], answer.slot);
    const Rational parameter = answer.parameter_of(i);
    if (change != last_change || parameter.num != last_parameter.num || parameter.den != last_parameter.den) {
      loss = loss_of(answer.noise, change, parameter, 1);
      last_change = change;
      last_parameter = parameter;
    }
    for (const std::uint32_t signature : exposure_.signatures_of(answer.series[i])) {
      std::uint32_t& position = position_[signature];
      if (position == 0) {
        losses.push_back({signature, Budget()});
        position = static_cast<std::uint32_t>(losses.size());
      }
      losses[position - 1].loss += loss;
    }
  }
  for (const SignatureLoss& entry : losses) position_[entry.signature] = 0;
}

void CostTable::collect_changes(const Answer& answer) {
  changes_.clear();
  for (const SeriesId series : answer.series) {
    const std::uint64_t steps = gain(answer.statistic) * exposure_.sensitivity_steps(series);
    for (const std::uint32_t signature : exposure_.signatures_of(series)) {
      std::uint32_t& position = position_[signature];
      if (position == 0) {
        changes_.push_back({signature, 0});
        position = static_cast<std::uint32_t>(changes_.size());
      }
      changes_[position - 1].steps += steps;
    }
  }
  for (const Change& change : changes_) position_[change.signature] = 0;
}

void CostTable::make_row(Kept& kept) {
  kept.row.clear();
  const std::size_t signatures = position_.size();
  if (signatures == 1 || kept.losses.size() != signatures) return;
  kept.row.resize(signatures);
  for (const SignatureLoss& entry : kept.losses) kept.row[entry.signature] = entry.loss;
}

void CostTable::compute(const Answer& answer, Kept& kept) {
  kept.form = answer.form;
  kept.losses.clear();
  if (answer.statistic == Statistic::value) {
    add_values(answer, kept.losses);
  } else {
    const auto slots = static_cast<std::uint64_t>(answer.slot - answer.first_slot) + 1;
    collect_changes(answer);
    for (const Change& change : changes_)
      kept.losses.push_back({change.signature, loss_of(answer.noise, change.steps, answer.parameter[0], slots)});
  }
  make_row(kept);
}

Budget CostTable::comparison_loss(const Answer& answer, std::uint64_t change, std::uint64_t rho_weight) {
  const std::array<std::uint64_t, 6> asked{change,
                                           rho_weight,
                                           answer.parameter[0].num,
                                           answer.parameter[0].den,
                                           answer.parameter[1].num,
                                           answer.parameter[1].den};
  if (asked == last_comparison_) return last_comparison_loss_;
  const Budget e =
      laplace_loss(change, answer.parameter[0]) + laplace_loss(static_cast<uint128>(change) * 2, answer.parameter[1]);
  last_comparison_ = asked;
  return last_comparison_loss_ = currency_ == Currency::epsilon ? e : half_square_up(e, rho_weight);
}

void CostTable::compute_comparison(const Answer& answer, std::uint64_t rho_weight, Kept& kept) {
  kept.form = answer.form;
  kept.rho_weight = rho_weight;
  kept.losses.clear();
  collect_changes(answer);
  for (const Change& change : changes_)
    kept.losses.push_back({change.signature, comparison_loss(answer, change.steps, rho_weight)});
  make_row(kept);
}

}  // namespace fugu
