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

// Weights of pairs are products of two magnitudes and must fit 64 bits.
constexpr std::uint64_t kMagnitudeStepsMaxRho = std::uint64_t{1} << 31;

constexpr std::uint64_t kTooMuchRate = ~std::uint64_t{0};
constexpr uint128 kTooMuch = ~uint128{0};

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

/// Whether no series is changed by two lanes: then no series changes by more than the largest entry.
bool is_envelope(const Shape& shape) {
  return std::all_of(shape.alternatives.begin(), shape.alternatives.end(), [](const Profile& profile) {
    std::vector<std::optional<SeriesId>> named;
    for (const Lane& lane : profile.lanes) named.push_back(lane.series);
    std::sort(named.begin(), named.end());
    const bool twice = std::adjacent_find(named.begin(), named.end()) != named.end();
    return !twice && (named.size() == 1 || named.front().has_value());
  });
}

/// Whether a meter with any of these signatures counts into every series that the shape names.
bool reaches_lanes(const Shape& shape, const Exposure& exposure, std::span<const std::uint32_t> signatures) {
  const auto in_all = [&](SeriesId series) {
    if (series >= exposure.series_count()) return false;
    const auto& having = exposure.signatures_of(series);
    if (signatures.empty()) return having.size() == exposure.signature_count();
    return std::all_of(signatures.begin(), signatures.end(),
                       [&](std::uint32_t g) { return std::find(having.begin(), having.end(), g) != having.end(); });
  };
  for (const Profile& profile : shape.alternatives) {
    for (const Lane& lane : profile.lanes) {
      if (lane.series && !in_all(*lane.series)) return false;
    }
  }
  return true;
}

std::uint64_t narrow(uint128 units) { return units > kTooMuchRate ? kTooMuchRate : static_cast<std::uint64_t>(units); }

/// sum + weight · rate, or kTooMuch when that exceeds `limit` or the rate is one that was cut off.
uint128 add_weighted(uint128 sum, std::uint64_t weight, std::uint64_t rate, uint128 limit) {
  if (rate == kTooMuchRate || sum > limit) return kTooMuch;
  const uint128 product = static_cast<uint128>(weight) * rate;
  return product > limit - sum ? kTooMuch : sum + product;
}

/// Takes weight · rate away from what is left; false when that is not enough, or the rate is one that was cut off.
bool take_weighted(uint128& left, std::uint64_t weight, std::uint64_t rate) {
  const uint128 product = static_cast<uint128>(weight) * rate;
  if (rate == kTooMuchRate || product > left) return false;
  left -= product;
  return true;
}

/// The largest difference between running sums `length` apart, each of which fits `Word`.
template <class Word>
Word largest_window(std::span<const uint128> sums, std::size_t length) {
  Word largest = 0;
  for (std::size_t i = length; i < sums.size(); ++i)
    largest = std::max(largest, static_cast<Word>(static_cast<Word>(sums[i]) - static_cast<Word>(sums[i - length])));
  return largest;
}

/// The largest sum that is not kTooMuch.
constexpr uint128 kUnlimited = kTooMuch - 1;

}  // namespace

Result<void> check_accountable(const Definition& definition, const Exposure& exposure,
                               std::span<const std::uint32_t> signatures, const Policy& policy) {
  const Currency currency = currency_of(definition);
  if (policy.interval.last < policy.interval.first || policy.magnitude_steps < 1 || policy.length_slots < 1 ||
      policy.length_slots > policy.interval.slots() || policy.epsilon.units() == 0)
    return Error{Cause::bad_input, "a policy needs a magnitude, a length that fits its interval, and an epsilon"};
  const std::uint64_t largest = currency == Currency::epsilon ? kMagnitudeStepsMax : kMagnitudeStepsMaxRho;
  if (policy.magnitude_steps > largest)
    return Error{Cause::bad_input, "the magnitude is more than " + std::to_string(largest) +
                                       " unit steps, too much to account: choose a coarser --unit-step"};
  if (std::any_of(signatures.begin(), signatures.end(), [&](auto g) { return g >= exposure.signature_count(); }))
    return Error{Cause::bad_input, "the meter's series are not those of this stream"};
  if (policy.shape && !reaches_lanes(*policy.shape, exposure, signatures))
    return Error{
        Cause::bad_input,
        "the profile names a series that its meter does not, or need not, count into: a series map says who does"};
  if (policy.shape && currency == Currency::rho && !is_envelope(*policy.shape))
    return Error{Cause::bad_input, "the profile changes a series in two ways at once: name each series once"};
  return {};
}

SwellfishAccountant::SwellfishAccountant(const Definition& definition, const Exposure& exposure, Reach reach)
    : definition_(definition),
      exposure_(exposure),
      currency_(currency_of(definition)),
      weight_shift_(currency_ == Currency::epsilon ? kWeightShiftPure : kWeightShiftRho),
      floor_(definition.floor() != nullptr ? make_accountant(*definition.floor(), exposure, reach) : nullptr),
      reach_slots_(reach.slots),
      channels_(channels_of(exposure, currency_ == Currency::epsilon ? kReferenceStepsPure : kReferenceStepsRho)),
      cost_(channels_, currency_),
      watches_(channels_.signature_count()) {
  for (SeriesId series = 0; series < exposure.series_count(); ++series) {
    for (const std::uint32_t channel : channels_.signatures_of(series)) {
      if (channels_.signature(channel).size() != 1) continue;
      channel_of_series_.push_back(channel);
      break;
    }
  }
}

Budget SwellfishAccountant::total() const {
  return floor_ ? floor_->total() : Budget::from_units(std::uint64_t{1} << 63);
}

// --- Policies come and go -----------------------------------------------------------------------------------------

Result<MeterId> SwellfishAccountant::state(std::string_view name, std::span<const std::uint32_t> signatures,
                                           const Policy& policy) {
  if (policy.interval.first <= current_)
    return Error{Cause::refused, "the interval has begun: a policy must be stated before its first slot (" +
                                     std::to_string(policy.interval.first) + ") is released"};
  FUGU_TRY(check_accountable(definition_, exposure_, signatures, policy));
  const MeterId meter = book_.meter(name);
  if (meter == meters_.size()) {
    meters_.push_back({{signatures.begin(), signatures.end()}});
  } else if (!std::equal(signatures.begin(), signatures.end(), meters_[meter].signatures.begin(),
                         meters_[meter].signatures.end())) {
    return Error{Cause::bad_input, "the meter counted into other series when it stated its first policy"};
  }
  book_.add(meter, policy);
  has_shapes_ = has_shapes_ || (policy.shape && currency_ == Currency::epsilon);
  wake_at(meter, policy.interval.first);
  refresh_neighbours(meter, policy);
  return meter;
}

Result<MeterId> SwellfishAccountant::withdraw(std::string_view name, const Policy& policy) {
  if (policy.interval.first <= current_)
    return Error{Cause::refused, "the interval has begun: a policy that is being kept cannot be taken back"};
  const auto meter = book_.find(name);
  if (!meter || !book_.remove(*meter, policy)) return Error{Cause::refused, "no such policy was stated"};
  refresh_neighbours(*meter, policy);
  return *meter;
}

void SwellfishAccountant::refresh_neighbours(MeterId meter, const Policy& policy) {
  for (LiveId id = meters_[meter].first_live; id != kNone; id = lives_[id].next_of_meter) {
    Live& live = lives_[id];
    if (!live.policy.interval.overlaps(policy.interval)) continue;
    live.state == State::awake ? rebuild(live) : put_to_sleep(id);
  }
}

bool SwellfishAccountant::idle(SeriesId series) const {
  const auto& signatures = exposure_.signatures_of(series);
  return std::all_of(signatures.begin(), signatures.end(), [&](std::uint32_t g) { return watches_[g].relevant == 0; });
}

// --- Life of a slot -----------------------------------------------------------------------------------------------

void SwellfishAccountant::advance(Slot slot) {
  FUGU_CHECK(slot >= current_);
  if (floor_) floor_->advance(slot);
  while (current_ < slot) {
    ++current_;
    for (Watch& watch : watches_) watch.sums.push_back(watch.sums.back());
    ending_.run_until(current_, [this](const std::vector<LiveId>& ended) { end_policies(ended); });
    if (reach_slots_ > 0) {
      leaving_.run_until(current_, [this](const std::vector<LiveId>& left) {
        for (const LiveId id : left) release(id);
      });
    }
    beginning_.run_until(current_, [this](std::vector<MeterId>& meters) { begin_policies(meters); });
    if (current_ % 4096 == 0) trim_history();
  }
  if (sessions_.empty()) return;
  const Slot earliest = current_ - static_cast<Slot>(reach_slots_);
  std::erase_if(sessions_, [&](const auto& entry) { return entry.second.first < earliest; });
}

void SwellfishAccountant::wake_at(MeterId meter, Slot slot) {
  if (slot >= meters_[meter].begins_at) return;
  meters_[meter].begins_at = slot;
  beginning_.schedule(slot, meter);
}

void SwellfishAccountant::begin_policies(std::vector<MeterId>& meters) {
  std::sort(meters.begin(), meters.end());  // those one after another lie one after another in memory
  for (const MeterId meter : meters) begin_policies(meter);
}

void SwellfishAccountant::begin_policies(MeterId meter) {
  Meter& its = meters_[meter];
  if (its.begins_at != current_) return;  // was woken for it already
  const Collection& collection = book_.of(meter);
  const auto policies = collection.policies();
  std::size_t at = collection.first_from(current_, its.next);
  for (; at < policies.size() && policies[at].interval.first == current_; ++at) {
    for (const std::uint32_t g : its.signatures) make_live(meter, g, policies[at], at);
    if (!its.signatures.empty()) continue;
    for (std::uint32_t g = 0; g < exposure_.signature_count(); ++g) make_live(meter, g, policies[at], at);
  }
  its.next = static_cast<std::uint32_t>(at);
  its.begins_at = kNever;
  if (at < policies.size()) wake_at(meter, policies[at].interval.first);
}

void SwellfishAccountant::make_live(MeterId meter, std::uint32_t signature, const Policy& policy, std::size_t near) {
  if (free_.empty()) {
    free_.push_back(static_cast<LiveId>(lives_.size()));
    lives_.emplace_back();
  }
  const LiveId id = free_.back();
  free_.pop_back();
  Live& live = lives_[id];
  live.policy = policy;
  live.limit = static_cast<Units>(budget_of(policy.epsilon).units()) << weight_shift_;
  live.meter = meter;
  live.signature = signature;
  live.near = static_cast<std::uint32_t>(near);
  live.next_of_meter = meters_[meter].first_live;
  meters_[meter].first_live = id;
  ++watches_[signature].relevant;
  ending_.schedule(policy.interval.last + 1, id);
  put_to_sleep(id);
}

void SwellfishAccountant::end_policies(const std::vector<LiveId>& ended) {
  for (const LiveId id : ended) {
    --watches_[lives_[id].signature].relevant;
    if (reach_slots_ == 0) {
      release(id);
    } else {
      leaving_.schedule(current_ + static_cast<Slot>(reach_slots_), id);
    }
  }
}

void SwellfishAccountant::release(LiveId id) {
  Live& live = lives_[id];
  Watch& watch = watches_[live.signature];
  if (live.state == State::awake) {
    const LiveId last = watch.awake.back();
    watch.awake[live.position] = last;
    lives_[last].position = live.position;
    watch.awake.pop_back();
  }
  LiveId* link = &meters_[live.meter].first_live;
  while (*link != id) link = &lives_[*link].next_of_meter;
  *link = live.next_of_meter;
  live.state = State::free;
  ++live.version;
  live.rows.clear();
  live.shapes.clear();
  free_.push_back(id);
  forget_stale(watch.asleep);
  forget_stale(watch.asleep_rate);
}

/// Entries of policies that ended in their sleep stay in the queue until their time comes; not too many of them.
void SwellfishAccountant::forget_stale(std::priority_queue<Sleeper>& queue) const {
  if (queue.size() <= 64 || queue.size() <= 2 * lives_.size()) return;
  std::vector<Sleeper> kept;
  for (; !queue.empty(); queue.pop()) {
    if (lives_[queue.top().live].version == queue.top().version) kept.push_back(queue.top());
  }
  queue = std::priority_queue<Sleeper>(std::less<Sleeper>(), std::move(kept));
}

void SwellfishAccountant::trim_history() {
  Slot earliest = current_ - static_cast<Slot>(reach_slots_);
  for (const Live& live : lives_) {
    if (live.state != State::free) earliest = std::min(earliest, live.policy.interval.first);
  }
  const Slot drop = std::max<Slot>(0, earliest - 1) - history_first_;
  if (drop <= 0) return;
  book_.forget_ended(earliest);  // overlaps nothing that is still kept
  for (Watch& watch : watches_) watch.sums.erase(watch.sums.begin(), watch.sums.begin() + drop);
  history_first_ += drop;
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

// --- Asleep and awake ---------------------------------------------------------------------------------------------

void SwellfishAccountant::put_to_sleep(LiveId id) {
  Live& live = lives_[id];
  Units weights = 0;
  Units slot_weights = 0;
  bool shaped = false;
  const auto weigh = [&](Units weight, std::uint64_t length_slots) {
    weights += weight;
    slot_weights += weight * length_slots;
  };
  const Collection& collection = book_.of(live.meter);
  if (currency_ == Currency::epsilon) {
    const auto weigh_policy = [&](const Policy& psi) {
      weigh(psi.magnitude_steps, std::min(psi.length_slots, common(live.policy.interval, psi.interval).slots()));
      shaped = shaped || psi.shape;
    };
    collection.for_overlapping(live.policy.interval, weigh_policy, live.near);
  } else {
    for_loss_terms(collection, live.policy, currency_,
                   [&](const LossTerm& term) { weigh(term.weight, term.length_slots); });
  }
  if (shaped) return wake(id);  // the bounds are for plain policies
  live.rate_limit = narrow(live.limit / slot_weights);
  live.state = State::asleep;
  Watch& watch = watches_[live.signature];
  watch.asleep.push({watch.sums[index(live.policy.interval.first - 1)] + live.limit / weights, id, ++live.version});
}

void SwellfishAccountant::wake(LiveId id) {
  rebuild(lives_[id]);
  keep_awake(id);
}

void SwellfishAccountant::keep_awake(LiveId id) {
  Live& live = lives_[id];
  Watch& watch = watches_[live.signature];
  ++live.version;
  live.state = State::awake;
  live.position = static_cast<std::uint32_t>(watch.awake.size());
  watch.awake.push_back(id);
}

void SwellfishAccountant::settle(LiveId id, Units sum) {
  Live& live = lives_[id];
  rebuild(live);
  Units loss = live.closed;
  Units open_weights = 0;  // of terms that can still grow: by no more than the rates that are added
  for (const Row& row : live.rows) {
    loss = add_weighted(loss, row.weight, row.best, live.limit);
    open_weights += row.weight;
  }
  Watch& watch = watches_[live.signature];
  const Units now = watch.sums.back();
  const Units ahead = sum > now ? sum - now : 1;
  const bool can_tell = live.shapes.empty() && loss <= live.limit && open_weights > 0;
  const Units until = can_tell ? now + (live.limit - loss) / open_weights : 0;
  if (until < std::max(sum, now) + ahead) return keep_awake(id);  // it would be back at once
  live.rows.clear();
  watch.asleep.push({until, id, ++live.version});
}

void SwellfishAccountant::wake_up_to(std::uint32_t signature, Units sum) {
  Watch& watch = watches_[signature];
  const Units rate = sum - watch.sum_before();
  const auto next_of = [&](std::priority_queue<Sleeper>& queue, Units reached) {
    while (is_due(queue, reached)) {
      const Sleeper sleeper = queue.top();
      queue.pop();
      if (lives_[sleeper.live].version == sleeper.version) return sleeper.live;
    }
    return kNone;
  };
  for (LiveId id = next_of(watch.asleep_rate, rate); id != kNone; id = next_of(watch.asleep_rate, rate))
    settle(id, sum);
  for (LiveId id = next_of(watch.asleep, sum); id != kNone; id = next_of(watch.asleep, sum)) {
    Live& live = lives_[id];
    if (sleeps_by_rate(live, rate)) {
      watch.asleep_rate.push({live.rate_limit, id, ++live.version});
    } else {
      settle(id, sum);
    }
  }
}

bool SwellfishAccountant::sleeps_by_rate(const Live& live, Units rate) const {
  if (rate > live.rate_limit) return false;
  const std::vector<Units>& all = watches_[live.signature].sums;
  const Units* sums = &all[index(live.policy.interval.first - 1)];
  const Units* before = &all[index(std::min(current_ - 1, live.policy.interval.last))];
  for (; sums < before; ++sums) {
    if (sums[1] - sums[0] > live.rate_limit) return false;
  }
  return true;
}

void SwellfishAccountant::rebuild(Live& live) const {
  live.rows.clear();
  live.shapes.clear();
  live.closed = 0;
  const Collection& collection = book_.of(live.meter);
  if (currency_ != Currency::epsilon) {
    for_loss_terms(collection, live.policy, currency_, [&](const LossTerm& term) { add_row(live, term); });
    return;
  }
  const auto add = [&](const Policy& psi) {
    const Interval within = common(live.policy.interval, psi.interval);
    if (psi.shape) {
      live.shapes.push_back({psi, within, 0, {}});
    } else {
      add_row(live, {within, std::min(psi.length_slots, within.slots()), psi.magnitude_steps});
    }
  };
  collection.for_overlapping(live.policy.interval, add, live.near);
}

[[gnu::always_inline]] inline void SwellfishAccountant::add_row(Live& live, const LossTerm& term) const {
  const auto weight = static_cast<std::uint64_t>(term.weight);
  const std::uint64_t best = narrow(best_window(live.signature, term.interval, term.length_slots));
  if (term.interval.last < current_) {
    live.closed = add_weighted(live.closed, weight, best, kUnlimited);
  } else {
    live.rows.push_back({term.interval, term.length_slots, weight, best, best});
  }
}

// --- Sums of rates ------------------------------------------------------------------------------------------------

SwellfishAccountant::Units SwellfishAccountant::sum(std::uint32_t channel, Slot first, Slot last) const {
  const std::vector<Units>& sums = watches_[channel].sums;
  return sums[index(last)] - sums[index(first - 1)];
}

[[gnu::always_inline]] inline SwellfishAccountant::Units SwellfishAccountant::best_window(
    std::uint32_t channel, const Interval& interval, std::uint64_t length_slots) const {
  const Slot end = std::min(interval.last, current_);
  if (end < interval.first) return 0;
  const Units* before = &watches_[channel].sums[index(interval.first - 1)];
  const auto slots = static_cast<std::uint64_t>(end - interval.first) + 1;
  const Units all = before[slots] - before[0];
  if (slots <= length_slots) return all;
  const std::span sums(before, slots + 1);
  // No window has more than all of them: half the bits tell nearly always.
  return all > kTooMuchRate ? largest_window<Units>(sums, length_slots)
                            : largest_window<std::uint64_t>(sums, length_slots);
}

SwellfishAccountant::Units SwellfishAccountant::placed(const Profile& profile, Slot start, const Interval& within,
                                                       std::uint32_t signature) const {
  Units total = 0;
  for (const Lane& lane : profile.lanes) {
    const std::uint32_t channel = lane.series ? channel_of_series_[*lane.series] : signature;
    const Slot end = std::min({within.last, current_, start + static_cast<Slot>(lane.steps.size()) - 1});
    for (Slot slot = std::max(within.first, start); slot <= end; ++slot)
      total = add_weighted(total, lane.steps[static_cast<std::size_t>(slot - start)], narrow(sum(channel, slot, slot)),
                           kUnlimited);
  }
  return total;
}

SwellfishAccountant::Units SwellfishAccountant::best_placement(ShapeRow& row, std::uint32_t signature) const {
  Units best = row.best;
  const auto& alternatives = row.policy.shape->alternatives;
  row.next_start.resize(alternatives.size(), row.policy.interval.first);
  for (std::size_t a = 0; a < alternatives.size(); ++a) {
    const auto length = static_cast<Slot>(alternatives[a].lanes[0].steps.size());
    const Slot last = std::min({row.policy.interval.last - length + 1, row.within.last, current_});
    // Occurrences that ended before this slot are settled: they are looked at once more and never again.
    Slot& next = row.next_start[a];
    next = std::max(next, row.within.first - length + 1);
    for (; next <= last && next + length - 1 < current_; ++next)
      row.best = std::max(row.best, placed(alternatives[a], next, row.within, signature));
    for (Slot start = next; start <= last; ++start)
      best = std::max(best, placed(alternatives[a], start, row.within, signature));
  }
  return std::max(best, row.best);
}

// --- Losses -------------------------------------------------------------------------------------------------------

bool SwellfishAccountant::fits_with(Live& live, Units more) const {
  if (live.closed > live.limit) return false;
  const std::vector<Units>& sums = watches_[live.signature].sums;
  const Units sum = sums.back() + more;
  const Slot now = current_;
  Units left = live.limit - live.closed;
  std::size_t rows = live.rows.size();
  for (std::size_t i = 0; i < rows; ++i) {
    Row& row = live.rows[i];
    if (row.interval.last < now) {  // has ended: its maximum is final
      const Row ended = row;
      row = live.rows.back();
      live.rows.pop_back();
      --rows;
      --i;
      live.closed = add_weighted(live.closed, ended.weight, ended.best, kUnlimited);
      if (!take_weighted(left, ended.weight, ended.best)) return false;
    } else if (row.interval.first <= now) {
      const Slot from = std::max(row.interval.first, now - static_cast<Slot>(row.length_slots) + 1);
      row.candidate = std::max(row.best, narrow(sum - sums[index(from - 1)]));
      if (!take_weighted(left, row.weight, row.candidate)) return false;
    }
  }
  for (ShapeRow& row : live.shapes) {
    const Units placed = best_placement(row, live.signature);
    if (placed > left) return false;
    left -= placed;
  }
  return true;
}

SwellfishAccountant::Units SwellfishAccountant::room(Live& live, Units enough) const {
  const std::vector<Units>& sums = watches_[live.signature].sums;
  const Units now = sums[index(current_)];
  // The loss as a function of what is added is a maximum of lines: assume that all windows ending now are the largest
  // of their term, solve, and drop those that are not at the solution, which only gets smaller, until none is left.
  if (live.policy.interval.last < current_) return enough;
  if (live.closed > live.limit) return 0;
  std::vector<const Row*> open;
  Units fixed = live.closed;
  Units slope = 0;
  for (ShapeRow& row : live.shapes) {
    const Units placed = best_placement(row, live.signature);
    if (fixed > live.limit || placed > live.limit - fixed) return 0;
    fixed += placed;
    if (!row.within.contains(current_)) continue;
    std::uint64_t steepest = 0;
    for (const Profile& profile : row.policy.shape->alternatives)
      steepest = std::max<std::uint64_t>(steepest, profile.lanes.size() * row.policy.magnitude_steps);
    slope += steepest;
  }
  Units base = 0;  // of open terms, with windows that end now
  const auto window_now = [&](const Row& row) {
    return now - sums[index(std::max(row.interval.first, current_ - static_cast<Slot>(row.length_slots) + 1) - 1)];
  };
  for (const Row& row : live.rows) {
    if (row.interval.contains(current_)) {
      open.push_back(&row);
      base += window_now(row) * row.weight;
      slope += row.weight;
    } else {
      fixed += static_cast<Units>(row.weight) * row.best;
    }
  }
  for (;;) {
    if (slope == 0) return enough;
    if (fixed + base >= live.limit) return 0;
    const Units more = (live.limit - fixed - base) / slope;
    const auto smaller = [&](const Row* row) {
      if (window_now(*row) + more >= row->best) return false;
      fixed += static_cast<Units>(row->weight) * row->best;
      base -= window_now(*row) * row->weight;
      slope -= row->weight;
      return true;
    };
    if (std::erase_if(open, smaller) == 0) return std::min(more, enough);
  }
}

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
  std::vector<char> touched(watches_.size(), 0);
  for (const SeriesId id : series) {
    for (const std::uint32_t channel : channels_.signatures_of(id)) touched[channel] = 1;
  }
  Units least = kTooMuchRate;
  for (std::uint32_t g = 0; g < watches_.size(); ++g) {
    if (touched[g] == 0) continue;
    const Units now = watches_[g].sums.back();
    std::size_t seen = 0;
    const auto ask_awake = [&] {
      for (; seen < watches_[g].awake.size(); ++seen)
        least = std::min(least, room(lives_[watches_[g].awake[seen]], least));
    };
    ask_awake();
    // Only what would wake at that rate can have less room.
    const Units before = watches_[g].sum_before();
    for (;;) {
      if (is_due(watches_[g].asleep, now + least)) {
        wake_up_to(g, watches_[g].asleep.top().until + 1);
      } else if (is_due(watches_[g].asleep_rate, now + least - before)) {
        wake_up_to(g, before + watches_[g].asleep_rate.top().until + 1);
      } else {
        break;
      }
      ask_awake();
    }
  }
  return least;
}

// --- Answers ------------------------------------------------------------------------------------------------------

Result<void> SwellfishAccountant::admit_true_value(const Answer& answer) const {
  const bool permitted = definition_.exact_when_idle() && answer.statistic == Statistic::value &&
                         !answer.is_comparison() && answer.first_slot == answer.slot &&
                         std::all_of(answer.series.begin(), answer.series.end(), [&](SeriesId s) { return idle(s); });
  if (permitted) return {};
  return Error{Cause::refused, "slot " + std::to_string(current_) + ": a true value may be released only where no " +
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

void SwellfishAccountant::add_rates(const Staged& staged, bool add) {
  for (const SignatureLoss& entry : staged.losses) {
    const Units rate = add ? Units{entry.loss.units()} : -Units{entry.loss.units()};  // sums wrap around, and back
    Units* sums = &watches_[entry.signature].sums[index(staged.first)];
    Units total = 0;
    for (Slot slot = staged.first; slot <= current_; ++slot) {
      if (slot <= staged.last) total += rate;
      *sums++ += total;
    }
  }
}

[[gnu::always_inline]] inline void SwellfishAccountant::wake_for(const SignatureLoss& entry) {
  const Watch& watch = watches_[entry.signature];
  const Units sum = watch.sums.back() + entry.loss.units();
  if (is_due(watch.asleep, sum) || is_due(watch.asleep_rate, sum - watch.sum_before()))
    wake_up_to(entry.signature, sum);
}

[[gnu::always_inline]] inline bool SwellfishAccountant::fits_awake(const SignatureLoss& entry, bool added) {
  const Watch& watch = watches_[entry.signature];
  if (watch.relevant == 0) return true;
  if (entry.loss.units() == kTooMuchRate) return false;  // cut off: the true loss may be anything
  const Units more = added ? 0 : entry.loss.units();
  for (const LiveId id : watch.awake) {
    Live& live = lives_[id];
    if (live.policy.interval.last >= current_ && !fits_with(live, more)) return false;
  }
  return true;
}

void SwellfishAccountant::rebuild_all() {
  for (LiveId id = 0; id < lives_.size(); ++id) {
    if (lives_[id].state == State::asleep) {
      wake(id);
    } else if (lives_[id].state == State::awake) {
      rebuild(lives_[id]);
    }
  }
}

bool SwellfishAccountant::fits_in_past() {
  rebuild_all();
  return std::all_of(lives_.begin(), lives_.end(),
                     [&](Live& live) { return live.state == State::free || fits_with(live, 0); });
}

bool SwellfishAccountant::fits_when_added() {
  const bool in_past = staged_.first < current_;
  if (!in_past) {
    for (const SignatureLoss& entry : staged_.losses) wake_for(entry);
  }
  add_rates(staged_, true);
  const bool fits = in_past ? fits_in_past()
                            : std::all_of(staged_.losses.begin(), staged_.losses.end(),
                                          [this](const SignatureLoss& entry) { return fits_awake(entry, true); });
  add_rates(staged_, false);
  if (in_past) rebuild_all();  // window maxima without what is not charged yet
  return fits;
}

[[gnu::always_inline]] inline bool SwellfishAccountant::fits_now() {
  for (const SignatureLoss& entry : staged_.losses) {
    wake_for(entry);
    if (!fits_awake(entry, false)) return false;
  }
  return true;
}

[[gnu::always_inline]] inline Result<void> SwellfishAccountant::admit(const Answer& answer) {
  FUGU_CHECK(answer.slot == current_ && answer.first_slot >= 0 && answer.first_slot <= answer.slot);
  FUGU_CHECK(static_cast<std::uint64_t>(answer.slot - answer.first_slot) <= reach_slots_);
  staged_.last = staged_.first - 1;
  if (answer.noise == NoiseKind::none) return admit_true_value(answer);
  if (floor_) FUGU_TRY(floor_->admit(answer));
  stage(answer);
  const bool fits = staged_.first < current_ || has_shapes_ ? fits_when_added() : fits_now();
  if (fits) return {};
  staged_.last = staged_.first - 1;
  return refusal(answer);
}

[[gnu::cold, gnu::noinline]] Error SwellfishAccountant::refusal(const Answer& answer) const {
  return {Cause::refused, "slot " + std::to_string(current_) + ": a " + std::string(name_of(answer.statistic)) +
                              " answer would break a policy"};
}

[[gnu::always_inline]] inline void SwellfishAccountant::add_to_slot() {
  for (const SignatureLoss& entry : staged_.losses) {
    Watch& watch = watches_[entry.signature];
    watch.sums.back() += entry.loss.units();
    for (const LiveId id : watch.awake) {
      for (Row& row : lives_[id].rows) {
        if (row.interval.contains(current_)) row.best = row.candidate;
      }
    }
  }
}

[[gnu::always_inline]] inline void SwellfishAccountant::commit() {
  if (staged_.last < staged_.first) return;
  if (floor_) floor_->commit();
  if (staged_.first < current_) {
    add_rates(staged_, true);
    rebuild_all();
  } else {
    add_to_slot();
  }
  if (staged_.session != 0) sessions_[staged_.session] = {staged_.session_first, staged_.last};
  staged_.last = staged_.first - 1;
}

Result<void> SwellfishAccountant::charge(const Answer& answer) {
  FUGU_TRY(admit(answer));
  commit();
  return {};
}

std::unique_ptr<Accountant> SwellfishAccountant::follow(std::uint32_t, const Exposure&) const { return nullptr; }

}  // namespace fugu
