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

CostTable::CostTable(const Exposure& exposure, Currency currency)
    : exposure_(exposure), currency_(currency), position_(exposure.signature_count(), 0) {}

void CostTable::clear() {
  for (const SignatureLoss& entry : losses_) position_[entry.signature] = 0;
  losses_.clear();
}

void CostTable::add(std::uint32_t signature, Budget loss) {
  if (position_[signature] == 0) {
    losses_.push_back({signature, Budget()});
    position_[signature] = static_cast<std::uint32_t>(losses_.size());
  }
  losses_[position_[signature] - 1].loss += loss;
}

Budget CostTable::laplace_loss(uint128 change, Rational scale) const {
  return Budget::from_units(multiply_divide_up(change, scale.den, Budget::kFractionBits, scale.num));
}

Budget CostTable::loss_of(NoiseKind noise, std::uint64_t change, Rational parameter, std::uint64_t slots) const {
  if (noise == NoiseKind::laplace) {
    const Budget e = laplace_loss(change, parameter);
    return currency_ == Currency::epsilon ? e : half_square_up(e, slots);
  }
  if (currency_ == Currency::epsilon) return kTooMuch;  // Gaussian noise keeps no pure promise
  const uint128 square = static_cast<uint128>(change) * change * slots;
  return Budget::from_units(multiply_divide_up(square, parameter.den, Budget::kFractionBits - 1, parameter.num));
}

Budget CostTable::loss_of_value(NoiseKind noise, std::uint64_t change, Rational parameter) {
  const bool known = last_.noise == noise && last_.change == change && last_.parameter.num == parameter.num &&
                     last_.parameter.den == parameter.den;
  if (!known) last_ = {noise, change, parameter, loss_of(noise, change, parameter, 1)};
  return last_.loss;
}

const std::vector<SignatureLoss>& CostTable::of_values(const Answer& answer) {
  if (answer.series.size() == 1) {  // no signature twice: nothing to look up
    const SeriesId series = answer.series[0];
    const Budget loss = loss_of_value(answer.noise, exposure_.sensitivity_steps(series), answer.parameter[0]);
    losses_.clear();
    for (const std::uint32_t signature : exposure_.signatures_of(series)) losses_.push_back({signature, loss});
    for (std::size_t i = 0; i < losses_.size(); ++i)
      position_[losses_[i].signature] = static_cast<std::uint32_t>(i) + 1;  // as add() leaves them for clear()
    return losses_;
  }
  for (std::size_t i = 0; i < answer.series.size(); ++i) {
    const SeriesId series = answer.series[i];
    const Budget loss = loss_of_value(answer.noise, exposure_.sensitivity_steps(series), answer.parameter_of(i));
    for (const std::uint32_t signature : exposure_.signatures_of(series)) add(signature, loss);
  }
  return losses_;
}

void CostTable::collect_changes(const Answer& answer) {
  for (const Change& change : changes_) position_[change.signature] = 0;
  changes_.clear();
  for (const SeriesId series : answer.series) {
    for (const std::uint32_t signature : exposure_.signatures_of(series)) {
      if (position_[signature] == 0) {
        changes_.push_back({signature, 0});
        position_[signature] = static_cast<std::uint32_t>(changes_.size());
      }
      changes_[position_[signature] - 1].steps += gain(answer.statistic) * exposure_.sensitivity_steps(series);
    }
  }
  for (const Change& change : changes_) position_[change.signature] = 0;
}

const std::vector<SignatureLoss>& CostTable::of_answer(const Answer& answer) {
  clear();
  if (answer.statistic == Statistic::value) return of_values(answer);
  const auto slots = static_cast<std::uint64_t>(answer.slot - answer.first_slot) + 1;
  collect_changes(answer);
  for (const Change& change : changes_)
    losses_.push_back({change.signature, loss_of(answer.noise, change.steps, answer.parameter[0], slots)});
  return losses_;
}

const std::vector<SignatureLoss>& CostTable::of_comparison(const Answer& answer, std::uint64_t rho_weight) {
  clear();
  collect_changes(answer);
  for (const Change& change : changes_) {
    const Budget e = laplace_loss(change.steps, answer.parameter[0]) +
                     laplace_loss(static_cast<uint128>(change.steps) * 2, answer.parameter[1]);
    losses_.push_back({change.signature, currency_ == Currency::epsilon ? e : half_square_up(e, rho_weight)});
  }
  return losses_;
}

}  // namespace fugu
