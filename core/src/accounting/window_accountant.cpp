#include "window_accountant.hpp"

#include <algorithm>
#include <bit>

#include "budget_rows.hpp"
#include "fugu/base/avx2.hpp"

namespace fugu {

namespace {

constexpr std::size_t kRoomAtFirst = 1 << 20;  // losses; for long windows more is made when it is needed
/// Added to the number of a session that somebody paid for before they moved.
constexpr std::uint64_t kEndedByMove = std::uint64_t{1} << 63;

}  // namespace

WindowAccountant::WindowAccountant(const Definition& definition, const Exposure& exposure, Reach reach)
    : definition_(definition),
      exposure_(exposure),
      currency_(currency_of(definition)),
      total_(total_budget(definition)),
      window_(definition.window_slots()),
      reach_(reach.slots),
      signatures_(exposure.signature_count()),
      rows_(static_cast<std::size_t>(window_ + reach.slots)),
      current_row_(rows_ - 1),
      window_sum_(signatures_),
      recent_(std::bit_ceil(2 * exposure.series_count())),
      cost_(exposure_, currency_) {
  carried_.reserve(std::min(rows_ * signatures_, kRoomAtFirst));
}

inline void WindowAccountant::step() {
  ++current_;
  if (++current_row_ == rows_) current_row_ = 0;
  if (static_cast<std::uint64_t>(current_) < rows_) carried_.resize(carried_.size() + signatures_);
  if (static_cast<std::uint64_t>(current_) >= window_) {
    Budget* const now = &carried_[row_back(0)];
    const Budget* const leaving = &carried_[row_back(static_cast<std::size_t>(window_))];
    for (std::size_t g = 0; g < signatures_; ++g) {
      const Budget loss = leaving[g];  // may be where `now` is
      now[g] = Budget();
      give_back(window_sum_[g], loss);
    }
  }
  if (reviews_) {
    reviews_->run_until(current_, [this](const std::vector<std::uint64_t>& due) {
      for (const std::uint64_t id : due) review_session(id);
    });
  }
}

/// Of a stream of which nothing was asked for so long that nothing is left of what was.
[[gnu::noinline]] void WindowAccountant::leap(Slot slot) {
  current_ = slot;  // in the same row: all are alike now
  std::fill(carried_.begin(), carried_.end(), Budget());
  std::fill(window_sum_.begin(), window_sum_.end(), Budget());
}

void WindowAccountant::advance(Slot slot) {
  FUGU_CHECK(slot >= current_);
  if (static_cast<std::uint64_t>(slot - current_) >= rows_) [[unlikely]] {
    if (carried_.size() == rows_ * signatures_ && !reviews_) return leap(slot);
  }
  while (current_ < slot) step();
}

Budget WindowAccountant::available() { return left(*std::max_element(window_sum_.begin(), window_sum_.end())); }

Budget WindowAccountant::available(std::span<const SeriesId> series) {
  return left(largest_of(exposure_, series, [&](std::uint32_t g) { return window_sum_[g]; }));
}

void WindowAccountant::review_later(std::uint64_t id, Slot slot) {
  if (!reviews_) {
    reviews_.emplace();
    reviews_->run_until(current_, [](const std::vector<std::uint64_t>&) {});
  }
  reviews_->schedule(slot, id);
}

void WindowAccountant::review_session(std::uint64_t id) {
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return;
  SessionSpan& session = found->second;
  if (session.in_window) {
    const Slot leaves = session.last + static_cast<Slot>(window_);
    if (leaves > current_) return review_later(id, leaves);
    for (const SignatureLoss& entry : session.losses) give_back(window_sum_[entry.signature], entry.loss);
    session.in_window = false;
  }
  if (remembered(session.last)) return review_later(id, session.last + static_cast<Slot>(rows_));
  if (recent(id) == &session) recent(id) = nullptr;
  sessions_.erase(found);
}

SessionSpan* WindowAccountant::session_of(const Answer& answer) {
  SessionSpan*& latest = recent(answer.session);
  if (latest != nullptr && latest->id == answer.session) return latest;
  const auto found = sessions_.find(answer.session);
  return found == sessions_.end() ? nullptr : latest = &found->second;
}

Result<void> WindowAccountant::admit(const Answer& answer) {
  FUGU_CHECK(answer.slot == current_ && answer.first_slot >= 0 && answer.first_slot <= answer.slot);
  FUGU_CHECK(static_cast<std::uint64_t>(answer.slot - answer.first_slot) <= reach_);
  answer.is_comparison() ? stage_comparison(answer) : stage(answer);
  staged_.worst = worst_window();
  if (staged_.worst <= total_) return {};
  staged_.last = staged_.first - 1;
  return refusal(answer);
}

Error WindowAccountant::refusal(const Answer& answer) const {
  return {Cause::refused, "the privacy budget of slot " + std::to_string(current_) + " is spent: a " +
                              std::string(name_of(answer.statistic)) + " answer would break the promise"};
}

Result<void> WindowAccountant::charge(const Answer& answer) {
  FUGU_CHECK(answer.slot == current_);
  if (answer.is_comparison()) return charge_comparison(answer);
  if (answer.first_slot == current_) return charge_now(answer, cost_.of_answer(answer));
  return Accountant::charge(answer);
}

Result<void> WindowAccountant::charge_comparison(const Answer& answer) {
  SessionSpan* const known = session_of(answer);
  if (known == nullptr) return Accountant::charge(answer);
  if (answer.statistic != Statistic::deviation) {
    if (!known->in_window || known->form == 0 || known->form != answer.form) return Accountant::charge(answer);
    known->last = current_;  // the same question again: the window has paid for it
    return {};
  }
  if (!known->losses.empty() || known->first != answer.first_slot || known->last + 1 != current_)
    return Accountant::charge(answer);
  const auto slots = static_cast<std::uint64_t>(current_ - known->first);
  FUGU_CHECK(slots <= reach_);
  FUGU_TRY(charge_now(answer, cost_.of_comparison(answer, session_weight_equal(slots + 1))));
  known->last = current_;
  return {};
}

/// Nearly all answers: only the window that ends now holds the slot they touch.
inline Result<void> WindowAccountant::charge_now(const Answer& answer, const Losses& losses) {
  if (!losses.row.empty()) return charge_row(answer, losses.row);
  Budget worst;
  for (const SignatureLoss& entry : losses.entries) worst = std::max(worst, window_sum_[entry.signature] + entry.loss);
  if (worst > total_) return refusal(answer);
  worst_ = std::max(worst_, worst);
  Budget* const now = &carried_[row_back(0)];
  for (const SignatureLoss& entry : losses.entries) {
    now[entry.signature] += entry.loss;
    window_sum_[entry.signature] += entry.loss;
  }
  return {};
}

/// As above, of all signatures at once.
Result<void> WindowAccountant::charge_row(const Answer& answer, std::span<const Budget> losses) {
  const bool vectors = detail::has_avx2();
  const Budget worst = (vectors ? detail::largest_sum_avx2 : detail::largest_sum_portable)(window_sum_, losses);
  if (worst > total_) return refusal(answer);
  worst_ = std::max(worst_, worst);
  const auto add = vectors ? detail::add_row_avx2 : detail::add_row_portable;
  add(losses, {&carried_[row_back(0)], signatures_});
  add(losses, window_sum_);
  return {};
}

Budget WindowAccountant::worst_window() const {
  Budget worst;
  for (const SignatureLoss& entry : staged_.losses) worst = std::max(worst, worst_window_of(entry));
  return worst;
}

void WindowAccountant::stage(const Answer& answer) {
  staged_.losses = cost_.of_answer(answer).entries;
  staged_.first = answer.first_slot;
  staged_.last = answer.slot;
  staged_.session = 0;
  staged_.known = nullptr;
  staged_.once_per_window = false;
}

void WindowAccountant::stage_comparison(const Answer& answer) {
  SessionSpan* const known = session_of(answer);
  staged_.session = answer.session;
  staged_.form = answer.form;
  staged_.known = known;
  staged_.once_per_window = answer.statistic != Statistic::deviation;
  staged_.session_first = known != nullptr ? known->first : answer.first_slot;
  if (staged_.once_per_window) {
    staged_.losses = cost_.of_comparison(answer, 1).entries;
    staged_.first = staged_.last = answer.slot;
    return;
  }
  // A session reaches over [first, last]; only the slots it has not reached yet are charged.
  FUGU_CHECK(known == nullptr || (known->losses.empty() && known->first == answer.first_slot));
  staged_.first = known != nullptr ? known->last + 1 : answer.first_slot;
  staged_.last = answer.slot;
  const auto before = static_cast<std::uint64_t>(staged_.first - staged_.session_first);
  const auto added = static_cast<std::uint64_t>(staged_.last - staged_.first + 1);
  staged_.losses = {};
  if (added > 0) staged_.losses = cost_.of_comparison(answer, session_weight_equal(before + added)).entries;
}

Budget WindowAccountant::sessions_cost(std::uint32_t signature, Slot window_first, Slot window_last) const {
  Budget sum;
  for (const auto& [id, session] : sessions_) {
    if (session.first > window_last || session.last < window_first) continue;
    for (const SignatureLoss& entry : session.losses) {
      if (entry.signature == signature) sum += entry.loss;
    }
  }
  return sum;
}

Budget WindowAccountant::worst_window_of(const SignatureLoss& entry) const {
  if (staged_.first == current_) {
    Budget sum = window_sum_[entry.signature] + entry.loss;
    // The window already pays for this session if it was asked within the window.
    if (staged_.known == nullptr || !staged_.known->in_window) return sum;
    const std::vector<SignatureLoss>& paid = staged_.known->losses;
    auto at = static_cast<std::size_t>(&entry - staged_.losses.data());  // the same question has it at the same place
    if (at >= paid.size() || paid[at].signature != entry.signature) {
      const auto same = [&](const SignatureLoss& loss) { return loss.signature == entry.signature; };
      at = static_cast<std::size_t>(std::find_if(paid.begin(), paid.end(), same) - paid.begin());
    }
    if (at < paid.size()) give_back(sum, paid[at].loss);
    return sum;
  }
  // Past slots are touched: look at every window that holds one of them, sliding its end from the first to now.
  const auto width = static_cast<Slot>(window_);
  Budget carried;
  Budget worst;
  for (Slot s = std::max<Slot>(0, staged_.first - width + 1); s < staged_.first; ++s) {
    if (remembered(s)) carried += carried_[row(s) + entry.signature];
  }
  for (Slot end = staged_.first; end <= current_; ++end) {
    carried += carried_[row(end) + entry.signature] + entry.loss;
    const Budget sum = carried + sessions_cost(entry.signature, end - width + 1, end);
    worst = std::max(worst, sum);
    if (worst > total_) break;
    const Slot start = end - width + 1;  // leaves before the next round
    if (remembered(start)) give_back(carried, carried_[row(start) + entry.signature]);
    if (start >= staged_.first) give_back(carried, entry.loss);
  }
  return worst;
}

void WindowAccountant::commit() {
  if (staged_.last < staged_.first) return;
  worst_ = std::max(worst_, staged_.worst);
  staged_.once_per_window ? commit_once_per_window() : commit_per_slot();
  staged_.last = staged_.first - 1;
}

void WindowAccountant::commit_once_per_window() {
  if (staged_.known == nullptr)
    staged_.known =
        &sessions_.try_emplace(staged_.session, SessionSpan{staged_.session, current_, current_, {}}).first->second;
  SessionSpan& session = *staged_.known;
  if (session.in_window) {
    for (const SignatureLoss& paid : session.losses) give_back(window_sum_[paid.signature], paid.loss);
  } else {
    review_later(staged_.session, current_ + static_cast<Slot>(window_));
  }
  session.losses.assign(staged_.losses.begin(), staged_.losses.end());
  session.form = staged_.form;
  session.last = current_;
  session.in_window = true;
  for (const SignatureLoss& entry : session.losses) window_sum_[entry.signature] += entry.loss;
}

void WindowAccountant::commit_per_slot() {
  for (Slot slot = staged_.first; slot <= staged_.last; ++slot) {
    const bool in_window = slot > current_ - static_cast<Slot>(window_);
    for (const SignatureLoss& entry : staged_.losses) {
      carried_[row(slot) + entry.signature] += entry.loss;
      if (in_window) window_sum_[entry.signature] += entry.loss;
    }
  }
  if (staged_.session == 0) return;
  if (staged_.known != nullptr) {
    staged_.known->last = staged_.last;
    return;
  }
  sessions_.try_emplace(staged_.session, SessionSpan{staged_.session, staged_.session_first, staged_.last, {}});
  review_later(staged_.session, staged_.last + static_cast<Slot>(rows_));
}

// --- Units that move ----------------------------------------------------------------------------------------------

std::unique_ptr<Accountant> WindowAccountant::follow(std::uint32_t signature, const Exposure& unit) const {
  auto made = std::make_unique<WindowAccountant>(definition_, unit, Reach{reach_});
  made->current_ = current_;
  made->current_row_ = current_row_;
  for (std::size_t at = signature; at < carried_.size(); at += signatures_) made->carried_.push_back(carried_[at]);
  made->window_sum_ = {window_sum_[signature]};
  for (const auto& [id, session] : sessions_) made->follow_session(session, signature);
  return made;
}

/// A session that costs once per window stays paid for by windows that hold a comparison of it, but whoever moved pays
/// again for comparisons to come, as for a new session. One that costs per slot goes on: its slots are paid for.
void WindowAccountant::follow_session(const SessionSpan& session, std::uint32_t signature) {
  SessionSpan copy = session;
  copy.losses.clear();
  if (!session.losses.empty()) {
    const auto paid = std::find_if(session.losses.begin(), session.losses.end(),
                                   [&](const SignatureLoss& entry) { return entry.signature == signature; });
    if (paid == session.losses.end()) return;
    copy.losses.push_back({0, paid->loss});
    copy.id |= kEndedByMove;
  }
  sessions_.try_emplace(copy.id, copy);
  review_later(copy.id, current_ + 1);
}

}  // namespace fugu
