#include "fugu/policy/book.hpp"

#include <algorithm>

namespace fugu {

namespace {

bool earlier(const Policy& a, const Policy& b) {
  return a.interval.first != b.interval.first ? a.interval.first < b.interval.first : a.interval.last < b.interval.last;
}

}  // namespace

void Collection::add(const Policy& policy) {
  longest_slots_ = std::max(longest_slots_, policy.interval.slots());
  if (policies_.empty() || !earlier(policy, policies_.back())) {  // most come in order
    policies_.push_back(policy);
    return append_latest(policy.interval.last);
  }
  const auto at = std::upper_bound(policies_.begin(), policies_.end(), policy, earlier);
  const auto index = static_cast<std::size_t>(at - policies_.begin());
  policies_.insert(at, policy);
  update_latest(index);
}

bool Collection::remove(const Policy& policy) {
  const auto [begin, end] = std::equal_range(policies_.begin(), policies_.end(), policy, earlier);
  const auto found = std::find(begin, end, policy);
  if (found == end) return false;
  const auto index = static_cast<std::size_t>(found - policies_.begin());
  policies_.erase(found);
  update_latest(index);
  return true;
}

void Collection::assign(std::vector<Policy> policies) {
  policies_ = std::move(policies);
  if (!std::is_sorted(policies_.begin(), policies_.end(), earlier))
    std::sort(policies_.begin(), policies_.end(), earlier);
  longest_slots_ = 0;
  for (const Policy& policy : policies_) longest_slots_ = std::max(longest_slots_, policy.interval.slots());
  latest_.clear();
  update_latest(0);
}

void Collection::forget_ended(Slot slot) {
  // Only when about half of them may go, so that it costs each policy a constant over its life.
  if (policies_.empty() || policies_[policies_.size() / 2].interval.first >= slot) return;
  const auto ended = [&](const Policy& policy) { return policy.interval.last < slot; };
  if (std::erase_if(policies_, ended) == 0) return;
  latest_.clear();
  update_latest(0);
}

bool Collection::holds(const Policy& policy) const {
  const auto [begin, end] = std::equal_range(policies_.begin(), policies_.end(), policy, earlier);
  return std::find(begin, end, policy) != end;
}

std::size_t Collection::count_overlapping(const Interval& interval) const {
  std::size_t count = 0;
  for_overlapping(interval, [&](const Policy&) { ++count; });
  return count;
}

std::size_t Collection::first_from(Slot slot, std::size_t near) const {
  const auto begins_before = [](const Policy& policy, Slot at) { return policy.interval.first < at; };
  constexpr auto kStep = static_cast<std::ptrdiff_t>(kBlock);
  auto from = policies_.begin();
  auto to = policies_.end();
  if (near < policies_.size() && begins_before(policies_[near], slot)) {
    from += static_cast<std::ptrdiff_t>(near);
    if (to - from > kStep && !begins_before(from[kStep], slot)) to = from + kStep;
  } else if (near <= policies_.size()) {
    to = from + static_cast<std::ptrdiff_t>(near);
    if (to - from > kStep && begins_before(to[-kStep], slot)) from = to - kStep;
  }
  return static_cast<std::size_t>(std::lower_bound(from, to, slot, begins_before) - policies_.begin());
}

std::size_t Collection::next_reaching(std::size_t i, std::size_t end, Slot slot) const {
  while (i < end) {
    std::size_t skipped = 0;  // policies of the largest block that starts here and ends before `slot`
    std::size_t size = kBlock;
    for (const std::vector<Slot>& level : latest_) {
      if (i % size != 0 || level[i / size] >= slot) break;  // so do all larger blocks around it
      skipped = size;
      size *= kBlock;
    }
    if (skipped == 0 && policies_[i].interval.last >= slot) return i;
    i += std::max<std::size_t>(skipped, 1);
  }
  return end;
}

void Collection::append_latest(Slot last) {
  std::size_t below = policies_.size();
  for (std::vector<Slot>& level : latest_) {
    below = (below + kBlock - 1) / kBlock;
    level.resize(below, 0);
    level.back() = std::max(level.back(), last);
  }
  if (below > 1) update_latest(policies_.size() - 1);  // another level is needed, or the first
}

void Collection::update_latest(std::size_t from) {
  const std::size_t count = policies_.size();
  if (count <= kBlock) return latest_.clear();
  if (latest_.empty()) from = 0;
  std::size_t below = count;
  for (std::size_t k = 0; below > 1; ++k) {
    if (k == latest_.size()) {
      latest_.emplace_back();
      from = 0;
    }
    std::vector<Slot>& level = latest_[k];
    level.resize((below + kBlock - 1) / kBlock);
    from /= kBlock;
    for (std::size_t block = from; block < level.size(); ++block) {
      Slot latest = 0;
      for (std::size_t i = block * kBlock; i < std::min(below, (block + 1) * kBlock); ++i)
        latest = std::max(latest, k == 0 ? policies_[i].interval.last : latest_[k - 1][i]);
      level[block] = latest;
    }
    below = level.size();
    if (below == 1) latest_.resize(k + 1);
  }
}

MeterId PolicyBook::meter(std::string_view name) {
  const MeterId id = ids_.intern(name);
  if (id == collections_.size()) collections_.emplace_back();
  return id;
}

std::optional<MeterId> PolicyBook::find(std::string_view name) const { return ids_.find(name); }

void PolicyBook::add(MeterId meter, const Policy& policy) {
  collections_[meter].add(policy);
  ++size_;
}

bool PolicyBook::remove(MeterId meter, const Policy& policy) {
  const bool removed = collections_[meter].remove(policy);
  if (removed) --size_;
  return removed;
}

void PolicyBook::forget_ended(Slot slot) {
  size_ = 0;
  for (Collection& collection : collections_) {
    collection.forget_ended(slot);
    size_ += collection.policies().size();
  }
}

void PolicyBook::assign(MeterId meter, std::vector<Policy> policies) {
  size_ -= collections_[meter].policies().size();
  size_ += policies.size();
  collections_[meter].assign(std::move(policies));
}

}  // namespace fugu
