// Policies for tests: a feed from a list, and random books that grow.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "fugu/policy/book.hpp"
#include "fugu/policy/feed.hpp"

namespace fugu::test {

/// An event and the slot from which it is known.
struct KnownEvent {
  Slot known = 0;
  PolicyEvent event;
};

/// Hands out events in order of when they are known; one that is not admitted ends the stream.
class ListFeed final : public PolicyFeed {
 public:
  explicit ListFeed(std::vector<KnownEvent> events) : events_(std::move(events)) {
    std::stable_sort(events_.begin(), events_.end(), [](const auto& a, const auto& b) { return a.known < b.known; });
  }
  Result<const PolicyEvent*> next(Slot slot, const PolicyBook&) override {
    if (next_ == events_.size() || events_[next_].known > slot) return nullptr;
    return &events_[next_++].event;
  }

 private:
  std::vector<KnownEvent> events_;
  std::size_t next_ = 0;
};

using Random = std::mt19937_64;

inline std::uint64_t pick(Random& random, std::uint64_t from, std::uint64_t to) {
  return std::uniform_int_distribution<std::uint64_t>(from, to)(random);
}

/// One to three meters with up to a dozen policies each in `slots` slots; known in advance, or at some notice.
inline std::vector<KnownEvent> random_events(Random& random, Slot slots, bool growing) {
  std::vector<KnownEvent> events;
  const std::uint64_t meters = pick(random, 1, 3);
  for (std::uint64_t meter = 0; meter < meters; ++meter) {
    const std::uint64_t count = pick(random, 1, 12);
    for (std::uint64_t i = 0; i < count; ++i) {
      Policy policy;
      policy.interval.first = static_cast<Slot>(pick(random, 0, static_cast<std::uint64_t>(slots) - 1));
      policy.interval.last = policy.interval.first + static_cast<Slot>(pick(random, 0, 11));
      policy.length_slots = pick(random, 1, policy.interval.slots());
      policy.magnitude_steps = pick(random, 1, 300);
      policy.epsilon = Budget::round_down(std::vector<double>{0.3, 1, 1, 2.5}[pick(random, 0, 3)]);
      const Slot known =
          growing ? std::max<Slot>(0, policy.interval.first - static_cast<Slot>(pick(random, 0, 12))) : Slot{0};
      events.push_back({known, {.meter = "m" + std::to_string(meter), .policy = policy}});
    }
  }
  return events;
}

inline PolicyBook book_of(const std::vector<KnownEvent>& events) {
  PolicyBook book;
  for (const KnownEvent& known : events) book.add(book.meter(known.event.meter), known.event.policy);
  return book;
}

}  // namespace fugu::test
