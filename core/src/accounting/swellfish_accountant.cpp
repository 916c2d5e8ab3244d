#include "swellfish_accountant.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "fugu/accounting/zcdp.hpp"

namespace fugu {

namespace {

// A rate is the loss of a change by this many steps: fine enough for the largest noise, and not above what a Budget
// holds for the smallest.
constexpr std::uint64_t kReferenceStepsPure = std::uint64_t{1} << 10;
constexpr std::uint64_t kReferenceStepsRho = std::uint64_t{1} << 8;
constexpr unsigned kWeightShiftPure = 10;  // log2 of the reference
constexpr unsigned kWeightShiftRho = 16;   // and of its square

constexpr Slot kSlotsBetweenTrims = 4096;

/// The signatures, and every series that is not one of them.
Exposure channels_of(const Exposure& exposure, std::uint64_t reference_steps) {
  Exposure::Options options;
  options.sensitivity_steps.assign(exposure.series_count(), reference_steps);
  for (std::size_t g = 0; g < exposure.signature_count(); ++g) options.signatures.push_back(exposure.signature(g));
  for (SeriesId series = 0; series < exposure.series_count(); ++series) {
    const std::vector<SeriesId> alone{series};
    if (std::find(options.signatures.begin(), options.signatures.end(), alone) == options.signatures.end())
      options.signatures.push_back(alone);
  }
  auto made = Exposure::make(std::move(options));
  FUGU_CHECK(made.has_value());
  return *std::move(made);
}

/// Which channel is that of a series alone.
std::vector<std::uint32_t> channels_of_series(const Exposure& channels) {
  std::vector<std::uint32_t> channel_of_series;
  for (SeriesId series = 0; series < channels.series_count(); ++series) {
    for (const std::uint32_t channel : channels.signatures_of(series)) {
      if (channels.signature(channel).size() != 1) continue;
      channel_of_series.push_back(channel);
      break;
    }
  }
  return channel_of_series;
}

}  // namespace

SwellfishAccountant::SwellfishAccountant(const Definition& definition, const Exposure& exposure, Reach reach,
                                         Decides decides)
    : definition_(definition),
      exposure_(exposure),
      currency_(currency_of(definition)),
      weight_shift_(currency_ == Currency::epsilon ? kWeightShiftPure : kWeightShiftRho),
      decides_(decides),
      floor_(definition.floor() != nullptr ? make_accountant(*definition.floor(), exposure, reach) : nullptr),
      reach_slots_(reach.slots),
      channels_(channels_of(exposure, currency_ == Currency::epsilon ? kReferenceStepsPure : kReferenceStepsRho)),
      cost_(channels_, currency_),
      rates_(channels_.signature_count()),
      exact_(rates_, channels_of_series(channels_), currency_),
      index_(book_, rates_, exact_, reach_slots_) {}

Budget SwellfishAccountant::total() const {
  return floor_ ? floor_->total() : Budget::from_units(std::uint64_t{1} << 63);
}

// --- Policies come and go -----------------------------------------------------------------------------------------

Result<MeterId> SwellfishAccountant::state(std::string_view name, std::span<const std::uint32_t> signatures,
                                           const Policy& policy) {
  if (policy.interval.first <= rates_.slot())
    return Error{Cause::refused, "the interval has begun: a policy must be stated before its first slot (" +
                                     std::to_string(policy.interval.first) + ") is released"};
  FUGU_TRY(check_accountable(definition_, exposure_, signatures, policy));
  const MeterId meter = book_.meter(name);
  if (meter == meters_.size()) {
    meters_.push_back({{signatures.begin(), signatures.end()}});
  } else if (meters_[meter].signatures.empty()) {
    // Its other policies are kept wherever it may count: that holds for this one as well.
  } else if (!std::equal(signatures.begin(), signatures.end(), meters_[meter].signatures.begin(),
                         meters_[meter].signatures.end())) {
    if (!check_move(name))
      return Error{Cause::bad_input, "the meter counts into other series than in its other policies, which are kept"};
    meters_[meter].signatures.assign(signatures.begin(), signatures.end());
  }
  book_.add(meter, policy);
  has_shapes_ = has_shapes_ || (policy.shape && currency_ == Currency::epsilon);
  begin_at(meter, policy.interval.first);
  index_.refresh_neighbours(meter, policy);
  return meter;
}

Result<MeterId> SwellfishAccountant::withdraw(std::string_view name, const Policy& policy) {
  if (policy.interval.first <= rates_.slot())
    return Error{Cause::refused, "the interval has begun: a policy that is being kept cannot be taken back"};
  const auto meter = book_.find(name);
  if (!meter || !book_.remove(*meter, policy)) return Error{Cause::refused, "no such policy was stated"};
  index_.refresh_neighbours(*meter, policy);
  return *meter;
}

bool SwellfishAccountant::idle(SeriesId series) const {
  const auto& signatures = exposure_.signatures_of(series);
  return std::none_of(signatures.begin(), signatures.end(), [&](std::uint32_t g) { return index_.is_relevant(g); });
}

Budget SwellfishAccountant::budget_of(Budget epsilon) {
  if (currency_ == Currency::epsilon) return epsilon;
  const auto [found, is_new] = budgets_.try_emplace(epsilon);
  if (is_new) {
    const auto checked = Epsilon::make(epsilon.to_double());
    found->second = checked ? zcdp_rho(*checked, definition_.delta()) : Budget();
  }
  return found->second;
}

// --- Life of a slot -----------------------------------------------------------------------------------------------

void SwellfishAccountant::advance(Slot slot) {
  FUGU_CHECK(slot >= rates_.slot());
  if (floor_) floor_->advance(slot);
  while (rates_.slot() < slot) {
    rates_.begin_slot();
    index_.end_policies();
    beginning_.run_until(rates_.slot(), [this](std::vector<MeterId>& meters) { begin_policies(meters); });
    if (rates_.slot() % kSlotsBetweenTrims == 0) trim_history();
  }
  if (sessions_.empty()) return;
  const Slot earliest = slot - static_cast<Slot>(reach_slots_);
  std::erase_if(sessions_, [&](const auto& entry) { return entry.second.first < earliest; });
}

void SwellfishAccountant::begin_at(MeterId meter, Slot slot) {
  if (slot >= meters_[meter].begins_at) return;
  meters_[meter].begins_at = slot;
  beginning_.schedule(slot, meter);
}

void SwellfishAccountant::begin_policies(std::vector<MeterId>& meters) {
  std::sort(meters.begin(), meters.end());  // those one after another lie one after another in memory
  for (const MeterId meter : meters) begin_policies(meter);
}

void SwellfishAccountant::begin_policies(MeterId id) {
  Meter& meter = meters_[id];
  const Slot now = rates_.slot();
  if (meter.begins_at != now) return;  // its policies have begun already
  const Collection& collection = book_.of(id);
  const auto policies = collection.policies();
  std::size_t at = collection.first_from(now, meter.next);
  for (; at < policies.size() && policies[at].interval.first == now; ++at) {
    const Units limit = static_cast<Units>(budget_of(policies[at].epsilon).units()) << weight_shift_;
    for (const std::uint32_t g : meter.signatures) index_.begin(id, g, policies[at], at, limit);
    if (!meter.signatures.empty()) continue;
    for (std::uint32_t g = 0; g < exposure_.signature_count(); ++g) index_.begin(id, g, policies[at], at, limit);
  }
  meter.next = static_cast<std::uint32_t>(at);
  meter.begins_at = kNever;
  if (at < policies.size()) begin_at(id, policies[at].interval.first);
}

void SwellfishAccountant::trim_history() {
  const Slot earliest = index_.earliest_slot(rates_.slot() - static_cast<Slot>(reach_slots_));
  if (rates_.forget_before(earliest)) book_.forget_ended(earliest);  // overlaps nothing that is still kept
}

// --- What is left -------------------------------------------------------------------------------------------------

Budget SwellfishAccountant::available() {
  std::vector<SeriesId> all(exposure_.series_count());
  std::iota(all.begin(), all.end(), SeriesId{0});
  return available(all);
}

Budget SwellfishAccountant::available(std::span<const SeriesId> series) {
  const Budget floor = floor_ ? floor_->available(series) : Budget::from_units(std::uint64_t{1} << 63);
  const Units least = least_room(series);
  if (least == kTooMuchRate) return floor;
  // From the loss at the reference change to that at full sensitivity; charges are rounded up once per series.
  std::uint64_t sensitivity = std::numeric_limits<std::uint64_t>::max();
  for (const SeriesId id : series) sensitivity = std::min(sensitivity, exposure_.sensitivity_steps(id));
  const Units rounding = series.size();
  if (least <= rounding) return Budget();
  Units share = (least - rounding) * sensitivity >> (currency_ == Currency::epsilon ? kWeightShiftPure : 0);
  if (currency_ == Currency::rho) {
    if (share > (kTooMuch >> 48)) return floor;
    share = share * std::min<std::uint64_t>(sensitivity, std::uint64_t{1} << 40) >> kWeightShiftRho;
  }
  return std::min(floor, Budget::from_units(narrow(share)));
}

SwellfishAccountant::Units SwellfishAccountant::least_room(std::span<const SeriesId> series) {
  std::vector<char> touched(rates_.channels(), 0);
  for (const SeriesId id : series) {
    for (const std::uint32_t channel : channels_.signatures_of(id)) touched[channel] = 1;
  }
  Units least = kTooMuchRate;
  for (std::uint32_t channel = 0; channel < touched.size(); ++channel) {
    if (touched[channel] != 0) least = index_.least_room(channel, least);
  }
  return least;
}

// --- Answers ------------------------------------------------------------------------------------------------------

Result<void> SwellfishAccountant::admit_true_value(const Answer& answer) const {
  const bool permitted = definition_.exact_when_idle() && answer.statistic == Statistic::value &&
                         !answer.is_comparison() && answer.first_slot == answer.slot &&
                         std::all_of(answer.series.begin(), answer.series.end(), [&](SeriesId s) { return idle(s); });
  if (permitted) return {};
  return Error{Cause::refused, "slot " + std::to_string(rates_.slot()) +
                                   ": a true value may be released only where no " +
                                   "policy is relevant, and where this was chosen"};
}

[[gnu::always_inline]] inline void SwellfishAccountant::stage(const Answer& answer) {
  staged_.session = answer.session;
  staged_.first = answer.first_slot;
  staged_.last = answer.slot;
  if (answer.is_comparison()) {
    stage_comparison(answer);
  } else {
    staged_.losses = cost_.of_answer(answer).entries;
  }
}

/// A session is charged for each slot it reaches, once.
void SwellfishAccountant::stage_comparison(const Answer& answer) {
  const auto known = sessions_.find(answer.session);
  staged_.session_first = known != sessions_.end() ? known->second.first : answer.first_slot;
  if (known != sessions_.end()) staged_.first = std::max(staged_.first, known->second.last + 1);
  const bool reaches_back = answer.statistic == Statistic::deviation;
  const auto reached = static_cast<std::uint64_t>(staged_.last - staged_.session_first) + 1;
  if (staged_.first > staged_.last) {
    staged_.losses = {};
  } else {
    staged_.losses = cost_.of_comparison(answer, reaches_back ? session_weight_any(reached) : 1).entries;
  }
}

/// Adds what is staged to the sums; a second time with `sign` −1 takes it back.
void SwellfishAccountant::add_staged(int sign) {
  for (const SignatureLoss& entry : staged_.losses) {
    const Units rate = entry.loss.units();
    rates_.add(entry.signature, {staged_.first, staged_.last}, sign > 0 ? rate : -rate);
  }
}

/// For what the index does not compute: answers that touch earlier slots.
bool SwellfishAccountant::fits_exactly() {
  add_staged(1);
  const bool fits = index_.all_fit_exactly();
  add_staged(-1);
  return fits;
}

/// With shapes: their rates are looked up among the sums.
bool SwellfishAccountant::fits_when_added() {
  for (const SignatureLoss& entry : staged_.losses) index_.wake_for(entry);
  add_staged(1);
  const bool fits = std::all_of(staged_.losses.begin(), staged_.losses.end(),
                                [this](const SignatureLoss& entry) { return index_.fits_awake(entry, true); });
  add_staged(-1);
  return fits;
}

[[gnu::always_inline]] inline bool SwellfishAccountant::fits_now() {
  for (const SignatureLoss& entry : staged_.losses) {
    index_.wake_for(entry);
    if (!index_.fits_awake(entry, false)) return false;
  }
  return true;
}

[[gnu::always_inline]] inline bool SwellfishAccountant::fits() {
  if (staged_.first < rates_.slot() || decides_ == Decides::exact_loss) return fits_exactly();
  return has_shapes_ ? fits_when_added() : fits_now();
}

[[gnu::always_inline]] inline Result<void> SwellfishAccountant::admit(const Answer& answer) {
  FUGU_CHECK(answer.slot == rates_.slot() && answer.first_slot >= 0 && answer.first_slot <= answer.slot);
  FUGU_CHECK(static_cast<std::uint64_t>(answer.slot - answer.first_slot) <= reach_slots_);
  staged_.last = staged_.first - 1;
  if (answer.noise == NoiseKind::none) return admit_true_value(answer);
  if (floor_) FUGU_TRY(floor_->admit(answer));
  stage(answer);
  if (fits()) return {};
  staged_.last = staged_.first - 1;
  return refusal(answer);
}

[[gnu::cold, gnu::noinline]] Error SwellfishAccountant::refusal(const Answer& answer) const {
  return {Cause::refused, "slot " + std::to_string(rates_.slot()) + ": a " + std::string(name_of(answer.statistic)) +
                              " answer would break a policy"};
}

[[gnu::always_inline]] inline void SwellfishAccountant::commit() {
  if (staged_.last < staged_.first) return;
  if (floor_) floor_->commit();
  if (staged_.first < rates_.slot()) {
    add_staged(1);
    index_.rebuild_all();
  } else {
    for (const SignatureLoss& entry : staged_.losses) {
      rates_.add_now(entry.signature, entry.loss.units());
      index_.confirm(entry.signature);
    }
  }
  if (staged_.session != 0) sessions_[staged_.session] = {staged_.session_first, staged_.last};
  staged_.last = staged_.first - 1;
}

Result<void> SwellfishAccountant::charge(const Answer& answer) {
  FUGU_TRY(admit(answer));
  commit();
  return {};
}

// --- Units that move ----------------------------------------------------------------------------------------------

std::unique_ptr<Accountant> SwellfishAccountant::follow(std::uint32_t signature, const Exposure& unit) const {
  return floor_ ? floor_->follow(signature, unit) : nullptr;
}

std::optional<std::uint64_t> SwellfishAccountant::remembers_slots() const {
  return floor_ ? floor_->remembers_slots() : 0;
}

Result<void> SwellfishAccountant::check_move(std::string_view unit) const {
  const auto meter = book_.find(unit);
  if (!meter) return {};
  Slot last = -1;
  for (const Policy& policy : book_.of(*meter).policies()) last = std::max(last, policy.interval.last);
  last += static_cast<Slot>(reach_slots_);  // answers may touch slots of an interval that has ended
  if (last <= rates_.slot()) return {};
  return Error{Cause::refused, "household or meter " + std::string(unit) + " has policies until slot " +
                                   std::to_string(last) +
                                   " and cannot move to other series before: give it no series in the map until then"};
}

Result<void> SwellfishAccountant::check_joins(std::string_view unit, std::uint32_t signature) const {
  const auto meter = book_.find(unit);
  if (!meter) return {};
  const std::vector<std::uint32_t>& kept = meters_[*meter].signatures;
  if (kept.empty() || std::ranges::find(kept, signature) != kept.end()) return {};
  return check_move(unit);
}

}  // namespace fugu
