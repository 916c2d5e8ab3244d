#include "fugu/mechanism/kernel.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "replay.hpp"

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

Error too_small_share() {
  return {Cause::usage,
          "the noise needed exceeds what can be drawn (scale 2^40 steps, or standard deviation 2^30 steps): choose a "
          "coarser --unit-step, a larger epsilon or a smaller window"};
}

// What a statistic is cut off at: with the largest noise added it still fits.
constexpr int128 kLargestStatistic = int128{1} << 61;

int128 distance_between(int128 a, int128 b) { return a < b ? b - a : a - b; }

/// ε per step of an answer, or ρ per squared step.
double rate_of(Currency currency, NoiseKind noise, double gain, double slots, Rational parameter) {
  const double p = parameter.to_double();
  if (noise == NoiseKind::gaussian) return gain * gain * slots / (2 * p);
  return currency == Currency::epsilon ? gain / p : gain * gain * slots / (2 * p * p);
}

double comparison_rate(Currency currency, double gain, double slots, Rational threshold, Rational statistic) {
  const double e = gain / threshold.to_double() + 2 * gain / statistic.to_double();
  return currency == Currency::epsilon ? e : e * e * slots / 2;
}

}  // namespace

Kernel::Kernel(Options options, std::unique_ptr<Noise> noise, LedgerWriter* ledger)
    : options_(std::move(options)),
      noise_(std::move(noise)),
      ledger_(ledger),
      all_(options_.exposure.series_count()),
      missing_(all_.size(), false),
      rate_(all_.size(), 0),
      memory_(options_.reach.slots + 1) {
  if (options_.definition.protects() == Protects::swellfish) {
    auto policies = make_policy_accountant(options_.definition, options_.exposure, options_.reach);
    policies_ = policies.get();
    accountant_ = std::move(policies);
  } else {
    accountant_ = make_accountant(options_.definition, options_.exposure, options_.reach);
  }
  std::iota(all_.begin(), all_.end(), SeriesId{0});
  for (const SeriesId series : all_) {
    std::size_t largest = 0;
    for (const std::uint32_t signature : options_.exposure.signatures_of(series))
      largest = std::max(largest, options_.exposure.signature(signature).size());
    crowd_of_all_.push_back(largest);
  }
}

// --- Policies -----------------------------------------------------------------------------------------------------

Result<MeterId> Kernel::state(const PolicyEvent& event) {
  FUGU_CHECK(policies_ != nullptr);
  return event.withdrawn ? policies_->withdraw(event.meter, event.policy)
                         : policies_->state(event.meter, event.signatures, event.policy);
}

// --- Life of a slot -----------------------------------------------------------------------------------------------

Result<void> Kernel::start_slot(Slot slot) {
  FUGU_CHECK(slot == slot_ + 1);
  if (!accountant_->covers(slot))
    return Error{Cause::refused, "slot " + std::to_string(slot) + " is beyond the horizon of " +
                                     std::to_string(window_slots()) + " slots that was promised"};
  slot_ = slot;
  accountant_->advance(slot);
  std::fill(rate_.begin(), rate_.end(), 0.0);
  return {};
}

Result<void> Kernel::begin(const SlotRow& row) {
  FUGU_CHECK(row.values.size() == all_.size());
  replay_ = nullptr;
  FUGU_TRY(start_slot(row.slot));
  memory_[static_cast<std::size_t>(slot_) % memory_.size()].assign(row.values.begin(), row.values.end());
  MissingSeries absent{slot_, {}};
  for (const SeriesId series : all_) {
    missing_[series] = row.values[series].missing();
    if (missing_[series]) absent.series.push_back(series);
  }
  any_missing_ = !absent.series.empty();
  if (ledger_ != nullptr && !absent.series.empty()) ledger_->append(LedgerRecord(std::move(absent)));
  return {};
}

Result<void> Kernel::begin_replay(Slot slot, const std::vector<SeriesId>& missing, Replay& replay) {
  replay_ = &replay;
  FUGU_TRY(start_slot(slot));
  std::fill(missing_.begin(), missing_.end(), false);
  for (const SeriesId series : missing) missing_[series] = true;
  any_missing_ = !missing.empty();
  return {};
}

double Kernel::end(std::int32_t utc_offset_s) {
  const double total = std::accumulate(rate_.begin(), rate_.end(), 0.0);
  if (ledger_ != nullptr && replay_ == nullptr) ledger_->append(LedgerRecord(SlotEnd{slot_, utc_offset_s, total}));
  return total;
}

void Kernel::forget_before(Slot slot) {
  remembered_from_ = slot;
  threshold_noise_.clear();
}

Slot Kernel::earliest_slot() const {
  return std::max({Slot{0}, remembered_from_, slot_ - static_cast<Slot>(options_.reach.slots)});
}

// --- From spending to noise ---------------------------------------------------------------------------------------

Result<Rational> Kernel::parameter_for(std::uint64_t change_steps, std::uint64_t slots, Budget share) const {
  if (share.units() == 0 && available().units() > 0) return too_small_share();
  if (share.units() == 0) return Error{Cause::refused, "nothing is left to spend in slot " + std::to_string(slot_)};
  if (options_.noise == NoiseKind::gaussian) {
    // c · (n·c) / (2 · variance) = share
    const double change = static_cast<double>(change_steps);
    if (change * change * static_cast<double>(slots) / (2 * share.to_double()) > kLargestVarianceSteps)
      return too_small_share();
    const uint128 square = static_cast<uint128>(change_steps) * change_steps * slots;
    return at_least(round_up(square << (Budget::kFractionBits - 1), share.units()), kSmallestVarianceSteps);
  }
  if (accountant_->currency() == Currency::rho) {
    // The pure loss e of n slots with n·e²/2 = share each; √ rounded down, so the charge stays within the share.
    const double e = std::sqrt(2 * share.to_double() / static_cast<double>(slots));
    share = Budget::round_down(e * (1 - 0x1p-40));
    if (share.units() == 0) return too_small_share();
  }
  if (static_cast<double>(change_steps) / share.to_double() > kLargestScaleSteps) return too_small_share();
  return at_least(round_up(static_cast<uint128>(change_steps) << Budget::kFractionBits, share.units()),
                  kSmallestScaleSteps);
}

Result<Rational> Kernel::parameter_at(double rate) const {
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 63;
  constexpr std::uint64_t kSmallest = std::uint64_t{1} << 18;  // scale 2^40
  const bool gaussian = options_.noise == NoiseKind::gaussian;
  if (!gaussian && accountant_->currency() == Currency::rho) rate = std::sqrt(2 * rate) * (1 - 0x1p-50);
  const double units = rate * (gaussian ? 0x1p64 : 0x1p58);
  if (!(units >= (gaussian ? 8 : kSmallest)))
    return Error{Cause::refused, "nothing is left to spend in slot " + std::to_string(slot_)};
  const std::uint64_t whole = units >= 0x1p63 ? kLargest : static_cast<std::uint64_t>(units);
  return Rational{std::uint64_t{1} << (gaussian ? 63 : 58), whole};
}

Result<Rational> Kernel::parameter_of_value(std::uint64_t change_steps, Budget share) {
  if (last_.change_steps != change_steps || last_.share != share) {
    FUGU_ASSIGN(const Rational parameter, parameter_for(change_steps, 1, share));
    last_ = {change_steps, share, parameter};
  }
  return last_.parameter;
}

std::uint64_t Kernel::largest_change(Statistic statistic, std::span<const SeriesId> series) const {
  std::unordered_map<std::uint32_t, std::uint64_t> change_of;
  std::uint64_t largest = 0;
  for (const SeriesId id : series) {
    for (const std::uint32_t signature : options_.exposure.signatures_of(id)) {
      std::uint64_t& change = change_of[signature];
      change += gain(statistic) * options_.exposure.sensitivity_steps(id);
      largest = std::max(largest, change);
    }
  }
  return largest;
}

std::uint64_t Kernel::largest_crowd(SeriesId series, std::span<const SeriesId> asked) const {
  std::uint64_t largest = 0;
  for (const std::uint32_t signature : options_.exposure.signatures_of(series)) {
    const std::vector<SeriesId>& members = options_.exposure.signature(signature);
    const auto crowd = std::count_if(asked.begin(), asked.end(), [&](SeriesId id) {
      return std::binary_search(members.begin(), members.end(), id);
    });
    largest = std::max(largest, static_cast<std::uint64_t>(crowd));
  }
  return largest;
}

// --- Charge, draw, record -----------------------------------------------------------------------------------------

Result<void> Kernel::charge() {
  if (!options_.enforced) {
    add_rates();
    return {};
  }
  FUGU_TRY(accountant_->admit(answer_));
  accountant_->commit();
  add_rates();
  return {};
}

void Kernel::add_rates() {
  const auto g = static_cast<double>(gain(answer_.statistic));
  const auto slots = static_cast<double>(answer_.slot - answer_.first_slot + 1);
  const Currency currency = accountant_->currency();
  const bool same_for_all = answer_.parameter.size() == 1 || answer_.is_comparison();
  double rate = 0;
  for (std::size_t i = 0; i < answer_.series.size(); ++i) {
    if (i == 0 || !same_for_all) {
      rate = answer_.is_comparison() ? comparison_rate(currency, g, slots, answer_.parameter[0], answer_.parameter[1])
                                     : rate_of(currency, answer_.noise, g, slots, answer_.parameter_of(i));
    }
    rate_[answer_.series[i]] += rate;
  }
}

std::int64_t Kernel::draw(Rational parameter) {
  if (answer_.noise == NoiseKind::none) return 0;
  return answer_.noise == NoiseKind::laplace ? noise_->laplace(parameter) : noise_->gaussian(parameter);
}

Result<void> Kernel::replay_answer() {
  FUGU_TRY(accountant_->admit(answer_));  // what was refused then is refused now, and was not recorded
  FUGU_ASSIGN(Answer recorded, replay_->take<Answer>());
  const bool fits = recorded.statistic == answer_.statistic && recorded.noise == answer_.noise &&
                    recorded.slot == answer_.slot && recorded.first_slot == answer_.first_slot &&
                    recorded.session == answer_.session && recorded.series == answer_.series &&
                    std::equal(recorded.parameter.begin(), recorded.parameter.end(), answer_.parameter.begin(),
                               answer_.parameter.end());
  if (!fits) return Replay::mismatch();
  answer_ = std::move(recorded);
  accountant_->commit();
  add_rates();
  return {};
}

void Kernel::check_series(std::span<const SeriesId> series) const {
  FUGU_CHECK(!series.empty());
  for (const SeriesId id : series) FUGU_CHECK(id < all_.size());
}

void Kernel::start_values() {
  is_values_at_ = false;
  answer_.statistic = Statistic::value;
  answer_.noise = options_.noise;
  answer_.first_slot = answer_.slot = slot_;
  answer_.session = 0;
  answer_.series.clear();
  answer_.parameter.clear();
}

Result<std::span<const std::optional<NoisyValue>>> Kernel::values(std::span<const SeriesId> series, Budget share) {
  check_series(series);
  start_values();
  const bool everything = series.data() == all_.data() && series.size() == all_.size();
  std::uint64_t crowd = 0;
  std::uint64_t sensitivity = 0;
  Rational parameter;
  bool uniform = true;
  for (const SeriesId id : series) {
    if (missing_[id]) continue;
    const std::uint64_t its_crowd = everything ? crowd_of_all_[id] : largest_crowd(id, series);
    const std::uint64_t its_sensitivity = options_.exposure.sensitivity_steps(id);
    if (its_crowd != crowd || its_sensitivity != sensitivity) {
      uniform = answer_.series.empty();
      crowd = its_crowd;
      sensitivity = its_sensitivity;
      FUGU_ASSIGN(parameter, parameter_of_value(sensitivity, share / crowd));
    }
    answer_.series.push_back(id);
    answer_.parameter.push_back(parameter);
  }
  if (uniform && !answer_.parameter.empty()) answer_.parameter.resize(1);
  return finish_values(series);
}

Result<std::span<const std::optional<NoisyValue>>> Kernel::values_at(std::span<const SeriesId> series, double rate) {
  const bool same_again = is_values_at_ && !any_missing_ && answer_.parameter.size() == 1 &&
                          std::equal(series.begin(), series.end(), answer_.series.begin(), answer_.series.end());
  if (same_again) {
    answer_.first_slot = answer_.slot = slot_;
    FUGU_ASSIGN(answer_.parameter[0], parameter_at(rate / static_cast<double>(crowd_of_all_[series[0]])));
    return finish_values(series);
  }
  check_series(series);
  start_values();
  std::uint64_t crowd = 0;
  Rational parameter;
  bool uniform = true;
  for (const SeriesId id : series) {
    if (missing_[id]) continue;
    if (crowd_of_all_[id] != crowd) {
      uniform = answer_.series.empty();
      crowd = crowd_of_all_[id];
      FUGU_ASSIGN(parameter, parameter_at(rate / static_cast<double>(crowd)));
    }
    answer_.series.push_back(id);
    answer_.parameter.push_back(parameter);
  }
  if (uniform && !answer_.parameter.empty()) answer_.parameter.resize(1);
  is_values_at_ = true;
  return finish_values(series);
}

Result<std::span<const std::optional<NoisyValue>>> Kernel::true_values(std::span<const SeriesId> series) {
  check_series(series);
  start_values();
  answer_.noise = NoiseKind::none;
  answer_.parameter.assign(1, Rational{0, 1});
  for (const SeriesId id : series) {
    if (!missing_[id]) answer_.series.push_back(id);
  }
  return finish_values(series);
}

Result<std::span<const std::optional<NoisyValue>>> Kernel::finish_values(std::span<const SeriesId> series) {
  if (!answer_.series.empty()) {
    if (replay_ != nullptr) {
      FUGU_TRY(replay_answer());
    } else {
      FUGU_TRY(charge());
      answer_.values.clear();
      for (std::size_t i = 0; i < answer_.series.size(); ++i)
        answer_.values.push_back(reveal(answer_.series[i], slot_) + draw(answer_.parameter_of(i)));
      if (ledger_ != nullptr) ledger_->append(answer_);
    }
  }
  values_.clear();
  std::size_t next = 0;
  for (const SeriesId id : series) {
    if (missing_[id]) {
      values_.emplace_back();
    } else {
      values_.emplace_back(NoisyValue{answer_.values[next], answer_.noise, answer_.parameter_of(next)});
      ++next;
    }
  }
  return std::span<const std::optional<NoisyValue>>(values_);
}

Result<Rational> Kernel::parameter_of(Statistic statistic, std::span<const SeriesId> series, Slot first_slot,
                                      Budget share) const {
  FUGU_CHECK(first_slot <= slot_);
  check_series(series);
  const auto slots = static_cast<std::uint64_t>(slot_ - first_slot) + 1;
  return parameter_for(largest_change(statistic, series), slots, share);
}

Result<NoisyValue> Kernel::single(Statistic statistic, std::span<const SeriesId> series,
                                  std::span<const std::int64_t> reference, Slot first_slot, Result<Rational> allowed) {
  if (first_slot < earliest_slot())
    return Error{Cause::refused, "slot " + std::to_string(first_slot) + " is no longer remembered"};
  FUGU_ASSIGN(const Rational parameter, std::move(allowed));
  is_values_at_ = false;
  answer_.statistic = statistic;
  answer_.noise = options_.noise;
  answer_.first_slot = first_slot;
  answer_.slot = slot_;
  answer_.session = 0;
  answer_.series.assign(series.begin(), series.end());
  answer_.parameter.assign(1, parameter);
  if (replay_ != nullptr) {
    FUGU_TRY(replay_answer());
  } else {
    FUGU_TRY(charge());
    answer_.values.assign(1, evaluate(statistic, series, reference, first_slot) + draw(parameter));
    if (ledger_ != nullptr) ledger_->append(answer_);
  }
  return NoisyValue{answer_.values[0], answer_.noise, answer_.parameter[0]};
}

Result<NoisyValue> Kernel::sum(std::span<const SeriesId> series, Budget share) {
  return single(Statistic::sum, series, {}, slot_, parameter_of(Statistic::sum, series, slot_, share));
}

Result<NoisyValue> Kernel::distance(std::span<const SeriesId> series, std::span<const std::int64_t> reference,
                                    Budget share) {
  FUGU_CHECK(reference.size() == series.size());
  return single(Statistic::distance, series, reference, slot_, parameter_of(Statistic::distance, series, slot_, share));
}

Result<NoisyValue> Kernel::distance_at(std::span<const SeriesId> series, std::span<const std::int64_t> reference,
                                       double rate) {
  FUGU_CHECK(reference.size() == series.size());
  check_series(series);
  // A meter changes the distance in every series it counts into; in ρ changes add up before they are squared.
  std::uint64_t crowd = 0;
  for (const SeriesId id : series) crowd = std::max(crowd, crowd_of_all_[id]);
  const auto each = static_cast<double>(crowd);
  return single(Statistic::distance, series, reference, slot_,
                parameter_at(rate / (currency() == Currency::rho ? each * each : each)));
}

Result<NoisyValue> Kernel::deviation(std::span<const SeriesId> series, Slot first_slot, Budget share) {
  return single(Statistic::deviation, series, {}, first_slot,
                parameter_of(Statistic::deviation, series, first_slot, share));
}

std::int64_t Kernel::true_distance(std::span<const SeriesId> series, std::span<const std::int64_t> reference) const {
  FUGU_CHECK(!options_.enforced && ledger_ == nullptr);
  return evaluate(Statistic::distance, series, reference, slot_);
}

// --- Sparse-vector sessions ---------------------------------------------------------------------------------------

Result<Threshold> Kernel::open_threshold(Statistic statistic, std::span<const SeriesId> series,
                                         std::int64_t threshold_steps, Budget share, Slot first_slot) {
  FUGU_CHECK(statistic != Statistic::value);
  check_series(series);
  if (accountant_->currency() == Currency::rho)
    share = Budget::round_down(std::sqrt(2 * share.to_double()) * (1 - 0x1p-40));
  if (share.units() < 2) return Error{Cause::refused, "nothing is left to spend in slot " + std::to_string(slot_)};
  const std::uint64_t change = largest_change(statistic, series);
  if (static_cast<double>(change) * 4 / share.to_double() > kLargestScaleSteps) return too_small_share();
  // Half for the threshold, half for the comparison, whose noise must hide twice the change.
  const std::uint64_t half = share.units() / 2;
  Threshold threshold;
  threshold.statistic_ = statistic;
  threshold.series_.assign(series.begin(), series.end());
  threshold.first_slot_ = first_slot;
  threshold.steps_ = threshold_steps;
  const uint128 scaled_change = static_cast<uint128>(change) << Budget::kFractionBits;
  threshold.threshold_scale_ = at_least(round_up(scaled_change, half), kSmallestScaleSteps);
  threshold.statistic_scale_ = at_least(round_up(scaled_change * 2, half), kSmallestScaleSteps);
  return threshold;
}

Result<bool> Kernel::exceeds(Threshold& threshold, std::span<const std::int64_t> reference) {
  FUGU_CHECK(threshold.open_ && !threshold.series_.empty());
  FUGU_CHECK(threshold.statistic_ != Statistic::distance || reference.size() == threshold.series_.size());
  const bool reaches_back = threshold.statistic_ == Statistic::deviation;
  is_values_at_ = false;
  answer_.statistic = threshold.statistic_;
  answer_.noise = NoiseKind::laplace;
  answer_.first_slot = reaches_back ? threshold.first_slot_ : slot_;
  answer_.slot = slot_;
  if (answer_.first_slot < earliest_slot())
    return Error{Cause::refused, "slot " + std::to_string(answer_.first_slot) + " is no longer remembered"};
  // Fresh noise is always a new session to the accountant: on the first comparison, after a restart in which the noise
  // was lost, and when a copy of a threshold outlives the session that another copy ended.
  auto noise = threshold_noise_.find(threshold.id_);
  const bool fresh = noise == threshold_noise_.end();
  answer_.session = fresh ? next_session_ : threshold.id_;
  answer_.series = threshold.series_;
  answer_.parameter = {threshold.threshold_scale_, threshold.statistic_scale_};
  if (replay_ != nullptr) {
    FUGU_TRY(replay_answer());
    if (fresh) noise = threshold_noise_.emplace(answer_.session, 0).first;  // forgotten when the replay ends
  } else {
    FUGU_TRY(charge());
    if (fresh) noise = threshold_noise_.emplace(answer_.session, noise_->laplace(threshold.threshold_scale_)).first;
    const std::int64_t noisy = evaluate(threshold.statistic_, threshold.series_, reference, answer_.first_slot) +
                               noise_->laplace(threshold.statistic_scale_);
    answer_.values.assign(1, int128{noisy} > int128{threshold.steps_} + noise->second ? 1 : 0);
    if (ledger_ != nullptr) ledger_->append(answer_);
  }
  if (fresh) ++next_session_;
  threshold.id_ = answer_.session;
  threshold.open_ = answer_.values[0] == 0;
  if (!threshold.open_) threshold_noise_.erase(threshold.id_);
  return answer_.values[0] != 0;
}

// --- True values --------------------------------------------------------------------------------------------------

std::int64_t Kernel::reveal(SeriesId series, Slot slot) const {
  return memory_[static_cast<std::size_t>(slot) % memory_.size()][series].reveal(RawKey());
}

std::int64_t Kernel::evaluate(Statistic statistic, std::span<const SeriesId> series,
                              std::span<const std::int64_t> reference, Slot first_slot) const {
  int128 total = 0;
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (statistic == Statistic::deviation) {
      total += deviation_of(series[i], first_slot);
    } else if (!missing_[series[i]]) {
      const int128 value = reveal(series[i], slot_);
      total += statistic == Statistic::distance ? distance_between(value, reference[i]) : value;
    }
  }
  // Cutting off moves two values no further apart, so the gain stays what it is; wrapping around would not.
  return static_cast<std::int64_t>(std::clamp<int128>(total, -kLargestStatistic, kLargestStatistic));
}

int128 Kernel::deviation_of(SeriesId series, Slot first_slot) const {
  std::vector<std::int64_t> present;
  for (Slot slot = first_slot; slot <= slot_; ++slot) {
    if (!memory_[static_cast<std::size_t>(slot) % memory_.size()][series].missing())
      present.push_back(reveal(series, slot));
  }
  if (present.empty()) return 0;
  const auto count = static_cast<int128>(present.size());
  const int128 sum = std::accumulate(present.begin(), present.end(), int128{0});
  int128 scaled = 0;  // count · Σ |value − mean|, an integer
  for (const std::int64_t value : present) scaled += std::max(count * value - sum, sum - count * value);
  return scaled / count;
}

}  // namespace fugu
