#include "audit_rates.hpp"

#include <algorithm>
#include <limits>

namespace fugu::audit {

namespace {

constexpr std::size_t kBranch = 8;
/// Trees of maxima that are remembered, in slots of the stream.
constexpr std::size_t kMaximaSlots = std::size_t{1} << 24;

}  // namespace

Units add(Units a, Units b) {
  Units sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? kUnbounded : sum;
}

Units multiply(Units a, Units b) {
  Units product = 0;
  return __builtin_mul_overflow(a, b, &product) ? kUnbounded : product;
}

long double loss_as_number(Units loss) {
  return loss == kUnbounded ? std::numeric_limits<long double>::infinity() : up_to_long_double(loss, kRateBits);
}

// --- One column ---------------------------------------------------------------------------------------------------

void RateColumn::add(Slot first, Slot last, Units rate) {
  for (Slot slot = first; slot <= last; ++slot) {
    Units& cell = sums_[index(slot) + 1];
    cell = std::min(cell + std::min(rate, kTooMuch), kTooMuch);
  }
}

void RateColumn::seal() {
  for (std::size_t i = 1; i < sums_.size(); ++i) sums_[i] += sums_[i - 1];
}

Interval RateColumn::within(const Interval& interval) const {
  return {std::max<Slot>(interval.first, 0), std::min(interval.last, static_cast<Slot>(slots()) - 1)};
}

Units RateColumn::sum(const Interval& interval) const {
  const Interval part = within(interval);
  if (part.last < part.first) return 0;
  const Units total = sums_[index(part.last) + 1] - sums_[index(part.first)];
  return total >= kTooMuch ? kUnbounded : total;
}

const RateColumn::Maxima& RateColumn::maxima(std::size_t length) const {
  if (const auto found = maxima_.find(length); found != maxima_.end()) return found->second;
  if (maxima_slots_ + slots() > kMaximaSlots) {
    maxima_.clear();
    maxima_slots_ = 0;
  }
  maxima_slots_ += slots();
  Maxima& levels = maxima_[length];
  std::vector<Units> below(slots() - length + 1);
  for (std::size_t start = 0; start < below.size(); ++start) below[start] = window(start, length);
  while (below.size() > kBranch) {
    std::vector<Units> level((below.size() + kBranch - 1) / kBranch);
    for (std::size_t i = 0; i < below.size(); ++i) level[i / kBranch] = std::max(level[i / kBranch], below[i]);
    levels.push_back(level);
    below = std::move(level);
  }
  return levels;
}

Units RateColumn::largest(const Interval& interval, std::uint64_t length_slots) const {
  const Interval part = within(interval);
  if (part.last < part.first) return 0;
  if (length_slots >= part.slots()) return sum(part);
  const auto length = static_cast<std::size_t>(length_slots);
  std::size_t first = index(part.first);
  std::size_t end = index(part.last) + 2 - length;  // one past the last start
  Units best = 0;
  const auto look = [&](std::size_t from, std::size_t to, const auto& at) {
    for (std::size_t i = from; i < to; ++i) best = std::max(best, at(i));
  };
  const auto at_start = [&](std::size_t start) { return window(start, length); };
  if (end - first <= 2 * kBranch) {
    look(first, end, at_start);
  } else {
    // Up the tree: what does not fill a whole entry of the level above is looked at where it is.
    const Maxima& levels = maxima(length);
    for (std::size_t level = 0;; ++level) {
      const auto at_level = [&](std::size_t i) { return level == 0 ? at_start(i) : levels[level - 1][i]; };
      const std::size_t whole_first = (first + kBranch - 1) / kBranch;
      const std::size_t whole_end = end / kBranch;
      if (level == levels.size() || whole_first >= whole_end) {
        look(first, end, at_level);
        break;
      }
      look(first, whole_first * kBranch, at_level);
      look(whole_end * kBranch, end, at_level);
      first = whole_first;
      end = whole_end;
    }
  }
  return best >= kTooMuch ? kUnbounded : best;
}

Slot RateColumn::argmax(const Interval& interval, std::uint64_t length_slots) const {
  const Interval part = within(interval);
  if (part.last < part.first || length_slots >= part.slots()) return std::max(part.first, interval.first);
  const auto length = static_cast<Slot>(length_slots);
  Slot best = part.first;
  for (Slot start = part.first; start + length - 1 <= part.last; ++start) {
    if (sum({start, start + length - 1}) > sum({best, best + length - 1})) best = start;
  }
  return best;
}

// --- All columns --------------------------------------------------------------------------------------------------

LossRates::LossRates(const Exposure& exposure, bool pure, std::size_t slots, SignatureRange range,
                     const std::vector<SeriesId>& named_series)
    : exposure_(exposure), pure_(pure), slots_(slots), range_(range), by_signature_(range.count, RateColumn(slots)) {
  for (const SeriesId series : named_series) by_series_.try_emplace(series, slots);
}

void LossRates::add_to_series(SeriesId series, const Interval& slots, Units rate) {
  if (const auto named = by_series_.find(series); named != by_series_.end())
    named->second.add(slots.first, slots.last, rate);
}

void LossRates::add_value(const Answer& answer) {
  for (std::size_t i = 0; i < answer.series.size(); ++i) {
    const Rational p = answer.parameter_of(i);
    if (p.num != cached_parameter_.num || p.den != cached_parameter_.den || answer.noise != cached_noise_) {
      cached_parameter_ = p;
      cached_noise_ = answer.noise;
      cached_rate_ = loss_of(answer, p, pure_, 1, 1, kRateBits);
    }
    add_stated(answer.series[i], answer.slot, cached_rate_);
  }
}

void LossRates::add_statistic(const Answer& answer, const Interval& slots, std::uint64_t times) {
  const auto rate = [&](std::uint64_t change) {
    return multiply(loss_of(answer, answer.parameter[0], pure_, change, 1, kRateBits), pure_ ? 1 : times);
  };
  for (const auto& [g, change] : changes(answer, exposure_, range_, Change::one_step))
    by_signature_[g - range_.first].add(slots.first, slots.last, rate(change));
  if (by_series_.empty()) return;
  for (const SeriesId series : answer.series) add_to_series(series, slots, rate(reaction(answer.statistic)));
}

void LossRates::add(const Answer& answer) {
  if (!answer.is_comparison()) {
    if (answer.statistic == Statistic::value) {
      add_value(answer);
    } else {
      // (Σ of n changes)² ≤ n · Σ of their squares.
      add_statistic(answer, {answer.first_slot, answer.slot}, slots_touched(answer));
    }
    return;
  }
  if (answer.statistic == Statistic::deviation) return;  // its session is added as a whole
  const auto [found, is_new] = asked_.try_emplace(answer.session, answer.slot);
  if (!is_new && answer.slot <= found->second) return;
  found->second = answer.slot;
  add_statistic(answer, {answer.slot, answer.slot}, 1);
}

void LossRates::add(const Sessions& sessions) {
  for (const auto& [id, session] : sessions) {
    if (session.like.statistic != Statistic::deviation || session.last >= static_cast<Slot>(slots_)) continue;
    if (pure_) {
      add_statistic(session.like, {session.first, session.last}, 1);
      continue;
    }
    // (Σ of changes)² ≤ Σ of w · change² whenever Σ 1/w ≤ 1, and Σ 1/(j·(j+1)) < 1 however long the session gets.
    for (Slot slot = session.first; slot <= session.last; ++slot) {
      const auto j = static_cast<std::uint64_t>(slot - session.first) + 1;
      add_statistic(session.like, {slot, slot}, j * (j + 1));
    }
  }
}

void LossRates::add_stated(SeriesId series, Slot slot, Units rate) {
  for (const std::uint32_t g : exposure_.signatures_of(series)) {
    if (range_.contains(g)) by_signature_[g - range_.first].add(slot, slot, rate);
  }
  add_to_series(series, {slot, slot}, rate);
}

void LossRates::seal() {
  for (RateColumn& column : by_signature_) column.seal();
  for (auto& [series, column] : by_series_) column.seal();
}

}  // namespace fugu::audit
