#include "running_kernel.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

#include "deviation.hpp"
#include "fugu/base/avx2.hpp"

namespace fugu {

namespace {

// The range of the samplers, with some room. More noise than needed at the lower end; an error at the upper one.
constexpr double kLargestScaleSteps = 0x1p40;
constexpr double kLargestVarianceSteps = 0x1p60;
constexpr Rational kSmallestScaleSteps{1, 32};
constexpr Rational kSmallestVarianceSteps{1, 32};

Rational at_least(Rational value, Rational smallest) {
  return value.to_double() < smallest.to_double() ? smallest : value;
}

[[gnu::cold, gnu::noinline]] Error too_small_share() {
  return {Cause::usage,
          "the noise needed exceeds what can be drawn (scale 2^40 steps, or standard deviation 2^30 steps): choose a "
          "coarser unit step, a larger epsilon or a smaller window"};
}

// Errors are made out of line, so that the functions of every slot stay small.
[[gnu::cold, gnu::noinline]] Error nothing_left(Slot slot) {
  return {Cause::refused, "nothing is left to spend in slot " + std::to_string(slot)};
}

[[gnu::cold, gnu::noinline]] Error forgotten(Slot slot) {
  return {Cause::refused, "slot " + std::to_string(slot) + " is no longer remembered"};
}

// What a statistic is cut off at: with the largest noise added it still fits.
constexpr int128 kLargestStatistic = int128{1} << 61;

/// As std::equal has it, which calls a function even for one: the usual number.
bool are_same(std::span<const SeriesId> a, std::span<const SeriesId> b) {
  if (a.size() != b.size()) return false;
  return a.size() == 1 ? a[0] == b[0] : std::equal(a.begin(), a.end(), b.begin());
}

std::uint64_t distance_between(std::int64_t a, std::int64_t b) {
  const auto x = static_cast<std::uint64_t>(a);
  const auto y = static_cast<std::uint64_t>(b);
  return a < b ? y - x : x - y;
}

/// Σ |value − mean| of those that are not missing, floored: as detail::scaled_deviation_portable has it, in more bits.
int128 long_deviation(std::span<const std::int64_t> values, std::int64_t missing) {
  int128 sum = 0;
  std::int64_t count = 0;
  for (const std::int64_t value : values) {
    if (value == missing) continue;
    sum += value;
    ++count;
  }
  if (count == 0) return 0;
  const auto floor = static_cast<std::int64_t>(sum / count - (sum % count < 0 ? 1 : 0));
  int128 sum_above = 0;
  std::int64_t above = 0;
  for (const std::int64_t value : values) {
    if (value <= floor) continue;  // as what is missing is
    sum_above += value;
    ++above;
  }
  return 2 * (count * sum_above - above * sum) / count;
}

/// ε per step of an answer, or ρ per squared step.
double loss_rate(Currency currency, NoiseKind noise, double gain, double slots, Rational parameter) {
  const double p = parameter.to_double();
  if (noise == NoiseKind::gaussian) return gain * gain * slots / (2 * p);
  return currency == Currency::epsilon ? gain / p : gain * gain * slots / (2 * p * p);
}

double comparison_loss_rate(Currency currency, double gain, Rational threshold, Rational statistic) {
  const double e = gain / threshold.to_double() + 2 * gain / statistic.to_double();
  return currency == Currency::epsilon ? e : e * e / 2;
}

}  // namespace

Error beyond_horizon(Slot slot, std::uint64_t horizon_slots) {
  return {Cause::refused, "slot " + std::to_string(slot) + " is beyond the horizon of " +
                              std::to_string(horizon_slots) + " slots that was promised"};
}

RunningKernel::RunningKernel(Options options, std::unique_ptr<Accountant> accountant, std::unique_ptr<Noise> noise,
                             LedgerWriter* ledger)
    : Kernel(options.definition, std::move(options.exposure), options.noise),
      reach_(options.reach),
      accountant_(std::move(accountant)),
      policies_(dynamic_cast<PolicyAccountant*>(accountant_.get())),
      horizon_(accountant_->horizon()),
      membership_(exposure_, reach_),
      noise_(std::move(noise)),
      ledger_(ledger),
      rate_(exposure_.series_count(), 0),
      memory_slots_(
          reach_.slots == 0 ? 0 : std::bit_ceil(std::max(reach_.slots + 1, std::uint64_t{detail::kDeviationBlock}))),
      memory_(2 * memory_slots_ * exposure_.series_count()),
      by_signature_(exposure_.signature_count()) {
  total_ = accountant_->total();
  window_slots_ = accountant_->window_slots();
  currency_ = accountant_->currency();
  all_.resize(exposure_.series_count());
  std::iota(all_.begin(), all_.end(), SeriesId{0});
  missing_.resize(all_.size(), 0);
}

Slot RunningKernel::earliest_slot() const {
  return std::max({Slot{0}, remembered_from_, slot_ - static_cast<Slot>(reach_.slots)});
}

// --- Between slots ------------------------------------------------------------------------------------------------

Result<MeterId> RunningKernel::state(const PolicyEvent& event) {
  FUGU_CHECK(policies_ != nullptr);
  return event.withdrawn ? policies_->withdraw(event.meter, event.policy)
                         : policies_->state(event.meter, event.signatures, event.policy);
}

Result<void> RunningKernel::place(const UnitPlaced& placed) {
  if (placed.slot != slot_ + 1)
    return Error{Cause::bad_input, "a unit is placed in slot " + std::to_string(placed.slot) + " while slot " +
                                       std::to_string(slot_ + 1) + " is about to begin"};
  return membership_.place(placed, accountant_, next_session_ - 1);
}

void RunningKernel::record_missing() {
  MissingSeries absent{slot_, {}};
  std::copy_if(all_.begin(), all_.end(), std::back_inserter(absent.series), [&](auto s) { return missing_[s] != 0; });
  ledger_->append(LedgerRecord(std::move(absent)));
}

Result<void> RunningKernel::begin_replay(Slot slot, const std::vector<SeriesId>& missing, Replay& replay) {
  replay_ = &replay;
  now_ = {};  // there are no true values to look at
  FUGU_TRY(start_slot(slot));
  std::fill(missing_.begin(), missing_.end(), 0);
  for (const SeriesId series : missing) missing_[series] = 1;
  any_missing_ = !missing.empty();
  return {};
}

void RunningKernel::forget_before(Slot slot) {
  remembered_from_ = slot;
  threshold_noise_.clear();
  free_noise_.clear();
}

// --- From spending to noise ---------------------------------------------------------------------------------------

Result<Rational> RunningKernel::parameter_for(std::uint64_t change_steps, std::uint64_t slots, Budget share) const {
  if (share.units() == 0 && available().units() > 0) return too_small_share();
  if (share.units() == 0) return nothing_left(slot_);
  if (noise_kind_ == NoiseKind::gaussian) {
    // c · (n·c) / (2 · variance) = share
    const double change = static_cast<double>(change_steps);
    if (change * change * static_cast<double>(slots) / (2 * share.to_double()) > kLargestVarianceSteps)
      return too_small_share();
    const uint128 square = static_cast<uint128>(change_steps) * change_steps * slots;
    return at_least(round_up(square << (Budget::kFractionBits - 1), share.units()), kSmallestVarianceSteps);
  }
  if (currency_ == Currency::rho) {
    // The pure loss e of n slots with n·e²/2 = share each; √ rounded down, so the charge stays within the share.
    const double e = std::sqrt(2 * share.to_double() / static_cast<double>(slots));
    share = Budget::round_down(e * (1 - 0x1p-40));
    if (share.units() == 0) return too_small_share();
  }
  if (static_cast<double>(change_steps) / share.to_double() > kLargestScaleSteps) return too_small_share();
  return at_least(round_up(static_cast<uint128>(change_steps) << Budget::kFractionBits, share.units()),
                  kSmallestScaleSteps);
}

Result<Rational> RunningKernel::parameter_at(double rate) const {
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 63;
  constexpr std::uint64_t kSmallest = std::uint64_t{1} << 18;  // scale 2^40
  const bool gaussian = noise_kind_ == NoiseKind::gaussian;
  if (!gaussian && currency_ == Currency::rho) rate = std::sqrt(2 * rate) * (1 - 0x1p-50);
  const double units = rate * (gaussian ? 0x1p64 : 0x1p58);
  if (!(units >= (gaussian ? 8 : kSmallest))) return nothing_left(slot_);
  const std::uint64_t whole = units >= 0x1p63 ? kLargest : static_cast<std::uint64_t>(units);
  return Rational{std::uint64_t{1} << (gaussian ? 63 : 58), whole};
}

Result<Rational> RunningKernel::parameter_of_value(std::uint64_t change_steps, Budget share) {
  if (last_parameter_.change_steps != change_steps || last_parameter_.share != share) {
    FUGU_ASSIGN(const Rational parameter, parameter_for(change_steps, 1, share));
    last_parameter_ = {change_steps, share, parameter};
  }
  return last_parameter_.parameter;
}

std::uint64_t RunningKernel::largest_change(Statistic statistic, std::span<const SeriesId> series) {
  if (series.size() == 1) return gain(statistic) * exposure_.sensitivity_steps(series[0]);
  std::uint64_t largest = 0;
  for (const SeriesId id : series) {
    for (const std::uint32_t signature : exposure_.signatures_of(id)) {
      std::uint64_t& change = by_signature_[signature];
      change += gain(statistic) * exposure_.sensitivity_steps(id);
      largest = std::max(largest, change);
    }
  }
  clear_by_signature(series);
  return largest;
}

std::vector<std::uint64_t> RunningKernel::series_per_meter_within(std::span<const SeriesId> asked) {
  for (const SeriesId id : asked) {
    for (const std::uint32_t signature : exposure_.signatures_of(id)) ++by_signature_[signature];
  }
  std::vector<std::uint64_t> per_meter;
  for (const SeriesId id : asked) {
    std::uint64_t largest = 0;
    for (const std::uint32_t signature : exposure_.signatures_of(id))
      largest = std::max(largest, by_signature_[signature]);
    per_meter.push_back(largest);
  }
  clear_by_signature(asked);
  return per_meter;
}

void RunningKernel::clear_by_signature(std::span<const SeriesId> series) {
  for (const SeriesId id : series) {
    for (const std::uint32_t signature : exposure_.signatures_of(id)) by_signature_[signature] = 0;
  }
}

// --- Charge, draw, record -----------------------------------------------------------------------------------------

[[gnu::always_inline]] inline Result<void> RunningKernel::charge(Answer& answer) {
  FUGU_TRY(accountant().charge(answer));
  return replay_ == nullptr ? Result<void>() : take_recorded(answer);
}

[[gnu::always_inline]] inline void RunningKernel::add_loss(const Scope& scope, double loss_rate) {
  any_charged_ = true;
  double* const rates = rate_.data();
  if (scope.is_all) {
    for (std::size_t i = 0; i < scope.series.size(); ++i) rates[i] += loss_rate;
  } else {
    for (const SeriesId id : scope.series) rates[id] += loss_rate;
  }
}

[[gnu::always_inline]] inline void RunningKernel::add_noise(Answer& answer) {
  if (answer.noise == NoiseKind::none) return;
  const std::span<std::int64_t> values(answer.values);
  if (answer.parameter.size() == 1) return noise_->add(answer.noise, answer.parameter[0], values);
  for (std::size_t i = 0; i < values.size(); ++i) noise_->add(answer.noise, answer.parameter[i], values.subspan(i, 1));
}

/// What was refused when it was live is refused now, and was not recorded: so the next answer is this one's.
Result<void> RunningKernel::take_recorded(Answer& answer) {
  FUGU_ASSIGN(Answer recorded, replay_->take<Answer>());
  const bool fits = recorded.statistic == answer.statistic && recorded.noise == answer.noise &&
                    recorded.slot == answer.slot && recorded.first_slot == answer.first_slot &&
                    recorded.session == answer.session && recorded.series == answer.series &&
                    std::equal(recorded.parameter.begin(), recorded.parameter.end(), answer.parameter.begin(),
                               answer.parameter.end());
  if (!fits) return Replay::mismatch();
  answer.values = std::move(recorded.values);
  return {};
}

void RunningKernel::check_series(std::span<const SeriesId> series) const {
  FUGU_CHECK(!series.empty());
  for (const SeriesId id : series) FUGU_CHECK(id < all_.size());
}

bool RunningKernel::is_same(const Request& request, std::span<const SeriesId> series, Request::Price price) const {
  return request.price == price && request.complete && !any_missing_ &&
         (request.of_all ? is_all(series) : are_same(series, request.series));
}

// --- Values -------------------------------------------------------------------------------------------------------

void RunningKernel::start_values(std::span<const SeriesId> series) {
  check_series(series);
  Request& request = values_request_;
  request.price = Request::Price::none;
  request.series.assign(series.begin(), series.end());
  request.of_all = is_all(series);
  request.answer.statistic = Statistic::value;
  request.answer.noise = noise_kind_;
  request.answer.series.clear();
  request.answer.parameter.clear();
}

void RunningKernel::add_value(SeriesId series, Rational parameter) {
  values_request_.answer.series.push_back(series);
  values_request_.answer.parameter.push_back(parameter);
}

void RunningKernel::end_values(Request::Price price, bool same_for_all) {
  Request& request = values_request_;
  request.price = price;
  request.complete = request.answer.series.size() == request.series.size();
  request.answer.form = next_form_++;
  request.answer.values.resize(request.answer.series.size());
  request.places.clear();
  if (!request.complete) {
    std::uint32_t next = 0;
    for (const SeriesId id : request.series)
      request.places.push_back(missing_[id] != 0 ? NoisyValues::kMissing : next++);
  }
  if (request.answer.series.empty()) return;
  if (same_for_all) request.answer.parameter.resize(1);
  request.loss_rate = loss_rate(currency_, request.answer.noise, 1, 1, request.answer.parameter[0]);
}

Result<NoisyValues> RunningKernel::ask_values() {
  Answer& answer = values_request_.answer;
  const NoisyValues values(answer, values_request_.places);
  const std::span<const SeriesId> series = answer.series;
  if (series.empty()) return values;
  const bool is_all = values_request_.of_all && values_request_.complete;
  answer.first_slot = answer.slot = slot_;
  FUGU_TRY(charge(answer));
  if (answer.parameter.size() == 1) {
    add_loss({series, is_all}, values_request_.loss_rate);
  } else {
    for (std::size_t i = 0; i < series.size(); ++i)
      add_loss({series.subspan(i, 1), false}, loss_rate(currency_, answer.noise, 1, 1, answer.parameter[i]));
  }
  if (replay_ != nullptr) return values;
  std::int64_t* const steps = answer.values.data();
  if (is_all) {
    for (std::size_t i = 0; i < series.size(); ++i) steps[i] = reveal(now_[i]);
  } else {
    for (std::size_t i = 0; i < series.size(); ++i) steps[i] = reveal(now_[series[i]]);
  }
  add_noise(answer);
  if (ledger_ != nullptr) ledger_->append(answer);
  return values;
}

Result<NoisyValues> RunningKernel::values(std::span<const SeriesId> series, Budget share) {
  Request& request = values_request_;
  if (request.share == share && is_same(request, series, Request::Price::share)) return ask_values();
  start_values(series);
  request.share = share;
  std::vector<std::uint64_t> asked_per_meter;  // empty: all, or a single one
  if (!request.of_all && series.size() > 1) asked_per_meter = series_per_meter_within(series);
  std::uint64_t per_meter = 0;
  std::uint64_t sensitivity = 0;
  Rational parameter;
  bool same_for_all = true;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const SeriesId id = series[i];
    if (missing_[id] != 0) continue;
    const std::uint64_t next_per_meter = request.of_all            ? exposure_.series_per_meter(id)
                                         : asked_per_meter.empty() ? 1
                                                                   : asked_per_meter[i];
    const std::uint64_t next_sensitivity = exposure_.sensitivity_steps(id, slot_);
    if (next_per_meter != per_meter || next_sensitivity != sensitivity) {
      same_for_all = per_meter == 0;
      per_meter = next_per_meter;
      sensitivity = next_sensitivity;
      FUGU_ASSIGN(parameter, parameter_of_value(sensitivity, share / per_meter));
    }
    add_value(id, parameter);
  }
  end_values(Request::Price::share, same_for_all);
  return ask_values();
}

Result<NoisyValues> RunningKernel::values_at(std::span<const SeriesId> series, double rate) {
  Request& request = values_request_;
  if (request.answer.parameter.size() == 1 && is_same(request, series, Request::Price::rate)) {
    if (request.rate == rate) return ask_values();
    request.price = Request::Price::none;
    FUGU_ASSIGN(const Rational parameter,
                parameter_at(rate / static_cast<double>(exposure_.series_per_meter(series[0]))));
    request.answer.parameter[0] = parameter;
    request.loss_rate = loss_rate(currency_, request.answer.noise, 1, 1, parameter);
    request.answer.form = next_form_++;
    request.rate = rate;
    request.price = Request::Price::rate;
    return ask_values();
  }
  start_values(series);
  request.rate = rate;
  std::uint64_t per_meter = 0;
  Rational parameter;
  bool same_for_all = true;
  for (const SeriesId id : series) {
    if (missing_[id] != 0) continue;
    if (exposure_.series_per_meter(id) != per_meter) {
      same_for_all = per_meter == 0;
      per_meter = exposure_.series_per_meter(id);
      FUGU_ASSIGN(parameter, parameter_at(rate / static_cast<double>(per_meter)));
    }
    add_value(id, parameter);
  }
  end_values(Request::Price::rate, same_for_all);
  return ask_values();
}

Result<NoisyValues> RunningKernel::true_values(std::span<const SeriesId> series) {
  if (is_same(values_request_, series, Request::Price::free)) return ask_values();
  start_values(series);
  values_request_.answer.noise = NoiseKind::none;
  for (const SeriesId id : series) {
    if (missing_[id] == 0) add_value(id, Rational{0, 1});
  }
  end_values(Request::Price::free, true);
  return ask_values();
}

// --- One number ---------------------------------------------------------------------------------------------------

Result<void> RunningKernel::check_remembered(Slot first_slot) const {
  if (first_slot >= earliest_slot()) return {};
  return forgotten(first_slot);
}

void RunningKernel::start_single(Statistic statistic, std::span<const SeriesId> series, Slot first_slot,
                                 Rational parameter) {
  Request& request = single_request_;
  request.series.assign(series.begin(), series.end());
  request.of_all = is_all(series);
  request.complete = first_slot == slot_;  // what reaches back changes its length
  Answer& answer = request.answer;
  answer.statistic = statistic;
  answer.noise = noise_kind_;
  answer.series.assign(series.begin(), series.end());
  answer.parameter.assign(1, parameter);
  answer.values.resize(1);
  answer.form = next_form_++;
  request.loss_rate = loss_rate(currency_, answer.noise, static_cast<double>(gain(statistic)),
                                static_cast<double>(slot_ - first_slot + 1), parameter);
}

Result<NoisyValue> RunningKernel::finish_single(std::span<const std::int64_t> reference, Slot first_slot) {
  Answer& answer = single_request_.answer;
  answer.first_slot = first_slot;
  answer.slot = slot_;
  FUGU_TRY(charge(answer));
  const Scope scope{answer.series, single_request_.of_all};
  add_loss(scope, single_request_.loss_rate);
  if (replay_ == nullptr) {
    answer.values[0] = evaluate(answer.statistic, scope, reference, first_slot);
    add_noise(answer);
    if (ledger_ != nullptr) ledger_->append(answer);
  }
  return NoisyValue{answer.values[0], answer.noise, answer.parameter[0]};
}

Result<NoisyValue> RunningKernel::ask_single(Statistic statistic, std::span<const SeriesId> series,
                                             std::span<const std::int64_t> reference, Slot first_slot, Budget share) {
  FUGU_CHECK(first_slot <= slot_);
  if (first_slot < slot_) FUGU_TRY(check_remembered(first_slot));
  Request& request = single_request_;
  const bool same = request.answer.statistic == statistic && request.share == share && first_slot == slot_ &&
                    is_same(request, series, Request::Price::share);
  if (!same) {
    check_series(series);
    request.price = Request::Price::none;
    const auto slots = static_cast<std::uint64_t>(slot_ - first_slot) + 1;
    FUGU_ASSIGN(const Rational parameter, parameter_for(largest_change(statistic, series), slots, share));
    start_single(statistic, series, first_slot, parameter);
    request.share = share;
    request.price = Request::Price::share;
  }
  return finish_single(reference, first_slot);
}

Result<NoisyValue> RunningKernel::sum(std::span<const SeriesId> series, Budget share) {
  return ask_single(Statistic::sum, series, {}, slot_, share);
}

Result<NoisyValue> RunningKernel::distance(std::span<const SeriesId> series, std::span<const std::int64_t> reference,
                                           Budget share) {
  FUGU_CHECK(reference.size() == series.size());
  return ask_single(Statistic::distance, series, reference, slot_, share);
}

Result<NoisyValue> RunningKernel::distance_at(std::span<const SeriesId> series, std::span<const std::int64_t> reference,
                                              double rate) {
  FUGU_CHECK(reference.size() == series.size());
  Request& request = single_request_;
  const bool same = request.answer.statistic == Statistic::distance && request.rate == rate &&
                    is_same(request, series, Request::Price::rate);
  if (!same) {
    check_series(series);
    request.price = Request::Price::none;
    // A meter changes the distance in every series it counts into; in ρ changes add up before they are squared.
    std::uint64_t per_meter = 0;
    for (const SeriesId id : series) per_meter = std::max(per_meter, exposure_.series_per_meter(id));
    const auto each = static_cast<double>(per_meter);
    FUGU_ASSIGN(const Rational parameter, parameter_at(rate / (currency_ == Currency::rho ? each * each : each)));
    start_single(Statistic::distance, series, slot_, parameter);
    request.rate = rate;
    request.price = Request::Price::rate;
  }
  return finish_single(reference, slot_);
}

Result<NoisyValue> RunningKernel::deviation(std::span<const SeriesId> series, Slot first_slot, Budget share) {
  return ask_single(Statistic::deviation, series, {}, first_slot, share);
}

// --- Sparse-vector sessions ---------------------------------------------------------------------------------------

Result<Threshold> RunningKernel::open_threshold(Statistic statistic, std::span<const SeriesId> series,
                                                std::int64_t threshold_steps, Budget share, Slot first_slot) {
  FUGU_CHECK(statistic != Statistic::value);
  check_series(series);
  if (currency_ == Currency::rho) share = Budget::round_down(std::sqrt(2 * share.to_double()) * (1 - 0x1p-40));
  if (share.units() < 2) return nothing_left(slot_);
  const std::uint64_t change = largest_change(statistic, series);
  if (static_cast<double>(change) * 4 / share.to_double() > kLargestScaleSteps) return too_small_share();
  // Half for the threshold, half for the comparison, whose noise must hide twice the change.
  const std::uint64_t half = share.units() / 2;
  const uint128 scaled_change = static_cast<uint128>(change) << Budget::kFractionBits;
  Threshold threshold;
  threshold.first_slot_ = first_slot;
  threshold.of_all_ = is_all(series);
  threshold.move_to(threshold_steps);
  Answer& request = threshold.request_;
  request.statistic = statistic;
  request.noise = NoiseKind::laplace;
  request.series.assign(series.begin(), series.end());
  request.parameter = {at_least(round_up(scaled_change, half), kSmallestScaleSteps),
                       at_least(round_up(scaled_change * 2, half), kSmallestScaleSteps)};
  request.values.resize(1);
  request.form = next_form_++;
  threshold.loss_rate_ =
      comparison_loss_rate(currency_, static_cast<double>(gain(statistic)), request.parameter[0], request.parameter[1]);
  return threshold;
}

void RunningKernel::keep_noise(Threshold& threshold, std::int64_t steps) {
  if (free_noise_.empty()) {
    free_noise_.push_back(threshold_noise_.size());
    threshold_noise_.emplace_back();
  }
  threshold.noise_ = free_noise_.back();
  free_noise_.pop_back();
  threshold_noise_[threshold.noise_] = {threshold.request_.session, steps};
}

void RunningKernel::forget_noise(const Threshold& threshold) {
  if (!is_drawn(threshold)) return;
  threshold_noise_[threshold.noise_] = {};
  free_noise_.push_back(threshold.noise_);
}

Result<bool> RunningKernel::exceeds(Threshold& threshold, std::span<const std::int64_t> reference) {
  Answer& answer = threshold.request_;
  FUGU_CHECK(threshold.open_ && !answer.series.empty());
  FUGU_CHECK(answer.statistic != Statistic::distance || reference.size() == answer.series.size());
  answer.first_slot = answer.statistic == Statistic::deviation ? threshold.first_slot_ : slot_;
  answer.slot = slot_;
  if (answer.first_slot < slot_) FUGU_TRY(check_remembered(answer.first_slot));
  // Fresh noise is always a new session to the accountant: on the first comparison, after a restart in which the noise
  // was lost, and when a copy of a threshold outlives the session that another copy ended.
  const bool fresh = !is_drawn(threshold);
  const std::uint64_t known = answer.session;
  if (fresh) answer.session = next_session_;
  auto asked = charge(answer);
  if (!asked) {
    answer.session = known;
    return std::move(asked).error();
  }
  const auto slots = static_cast<double>(slot_ - answer.first_slot + 1);
  const Scope scope{answer.series, threshold.of_all_};
  add_loss(scope, currency_ == Currency::epsilon ? threshold.loss_rate_ : threshold.loss_rate_ * slots);
  if (fresh) {
    ++next_session_;
    keep_noise(threshold, replay_ != nullptr ? 0 : noise_->laplace(answer.parameter[0]));  // forgotten after a replay
  }
  if (replay_ == nullptr) {
    const std::int64_t noisy =
        evaluate(answer.statistic, scope, reference, answer.first_slot) + noise_->laplace(answer.parameter[1]);
    answer.values[0] = noisy > threshold.steps_ + threshold_noise_[threshold.noise_].steps ? 1 : 0;
    if (ledger_ != nullptr) ledger_->append(answer);
  }
  const bool exceeded = answer.values[0] != 0;
  // In ρ a session that reaches further each time would cost more than is charged (docs/guarantees/approximate.md).
  const bool asked_once = currency_ == Currency::rho && answer.statistic == Statistic::deviation;
  threshold.open_ = !exceeded && !asked_once;
  if (!threshold.open_) forget_noise(threshold);
  return exceeded;
}

void RunningKernel::close(Threshold& threshold) {
  forget_noise(threshold);
  threshold.open_ = false;
}

// --- True values --------------------------------------------------------------------------------------------------

std::int64_t RunningKernel::evaluate(Statistic statistic, const Scope& scope, std::span<const std::int64_t> reference,
                                     Slot first_slot) const {
  if (statistic == Statistic::distance && scope.is_all && scope.series.size() > 1 && !any_missing_) {
    if (const std::uint64_t distance = distance_of_all(reference); distance != detail::kTooFar)
      return static_cast<std::int64_t>(distance);
  }
  const std::span<const SeriesId> series = scope.series;
  int128 total = 0;
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (statistic == Statistic::deviation) {
      total += deviation_of(series[i], first_slot);
    } else if (missing_[series[i]] == 0) {
      const std::int64_t value = reveal(now_[series[i]]);
      total += statistic == Statistic::distance ? int128{distance_between(value, reference[i])} : int128{value};
    }
  }
  // Cutting off moves two values no further apart, so the gain stays what it is; wrapping around would not.
  return static_cast<std::int64_t>(std::clamp<int128>(total, -kLargestStatistic, kLargestStatistic));
}

/// Where no total is missing; kTooFar when it has to be done in more bits.
std::uint64_t RunningKernel::distance_of_all(std::span<const std::int64_t> reference) const {
  std::array<std::int64_t, 256> values;
  std::uint64_t total = 0;
  for (std::size_t at = 0; at < now_.size(); at += values.size()) {
    const std::size_t count = std::min(values.size(), now_.size() - at);
    for (std::size_t i = 0; i < count; ++i) values[i] = reveal(now_[at + i]);
    const std::span<const std::int64_t> some(values.data(), count);
    const std::uint64_t distance = detail::has_avx2()
                                       ? detail::small_distance_avx2(some, reference.subspan(at, count))
                                       : detail::small_distance_portable(some, reference.subspan(at, count));
    if (distance == detail::kTooFar || (total += distance) > kLargestStatistic) return detail::kTooFar;
  }
  return total;
}

/// Σ |value − mean| over the slots from `first_slot` to now, floored.
int128 RunningKernel::deviation_of(SeriesId series, Slot first_slot) const {
  constexpr std::uint64_t kSmall = std::uint64_t{1} << 40;
  constexpr std::size_t kFew = 1 << 11;
  const std::size_t count = static_cast<std::size_t>(slot_ - first_slot) + 1;
  if (count == 1) return 0;
  const std::int64_t* const first = &memory_[2 * series * memory_slots_ + memory_position(first_slot)];
  if (count > kFew || largest_remembered_ >= kSmall || last_missing_slot_ >= first_slot)
    return long_deviation({first, count}, kMissing);
  const std::size_t blocks = (count + detail::kDeviationBlock - 1) / detail::kDeviationBlock;
  const std::span<const std::int64_t> values(first, blocks * detail::kDeviationBlock);
  const std::int64_t scaled = detail::has_avx2() ? detail::scaled_deviation_avx2(values, count)
                                                 : detail::scaled_deviation_portable(values, count);
  return scaled / static_cast<std::int64_t>(count);
}

}  // namespace fugu
