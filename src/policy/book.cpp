#include "fugu/policy/book.hpp"

#include <algorithm>

namespace fugu {

namespace {

bool earlier(const Policy& a, const Policy& b) {
  return a.interval.first != b.interval.first ? a.interval.first < b.interval.first : a.interval.last < b.interval.last;
}

constexpr std::size_t kBlock = 16;

// How many blocks of `size` cover `count` policies.
std::size_t blocks(std::size_t count, std::size_t size) { return (count + size - 1) / size; }

}  // namespace

void Collection::add(const Policy& policy) {
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

std::size_t Collection::end_of(const Interval& interval) const {
  const auto begins_after = [](Slot slot, const Policy& policy) { return slot < policy.interval.first; };
  return static_cast<std::size_t>(std::upper_bound(policies_.begin(), policies_.end(), interval.last, begins_after) -
                                  policies_.begin());
}

std::size_t Collection::next_reaching(std::size_t i, std::size_t end, Slot slot) const {
  while (i < end) {
    std::size_t skipped = 0;  // policies of the largest block that starts here and ends before `slot`
    std::size_t level = 0;    // where the blocks of that size begin in latest_
    for (std::size_t size = kBlock; i % size == 0 && level < latest_.size(); size *= kBlock) {
      if (latest_[level + i / size] >= slot) break;  // so do all larger blocks around it
      skipped = size;
      level += blocks(policies_.size(), size);
    }
    if (skipped == 0 && policies_[i].interval.last >= slot) return i;
    i += std::max<std::size_t>(skipped, 1);
  }
  return end;
}

void Collection::update_latest(std::size_t from) {
  const std::size_t count = policies_.size();
  if (count <= kBlock) return latest_.clear();
  if (latest_.empty()) from = 0;
  latest_.resize(blocks(count, kBlock));
  for (std::size_t block = from / kBlock; block < latest_.size(); ++block) {
    Slot latest = 0;
    for (std::size_t i = block * kBlock; i < std::min(count, (block + 1) * kBlock); ++i)
      latest = std::max(latest, policies_[i].interval.last);
    latest_[block] = latest;
  }
  // Larger blocks are few, so they are made anew.
  for (std::size_t begin = 0, end = latest_.size(); end - begin > 1; begin = end, end = latest_.size()) {
    for (std::size_t at = begin; at < end; at += kBlock) {
      const auto first = latest_.begin() + static_cast<std::ptrdiff_t>(at);
      const Slot latest = *std::max_element(first, first + static_cast<std::ptrdiff_t>(std::min(kBlock, end - at)));
      latest_.push_back(latest);
    }
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

void PolicyBook::assign(MeterId meter, std::vector<Policy> policies) {
  size_ -= collections_[meter].policies().size();
  size_ += policies.size();
  collections_[meter].assign(std::move(policies));
}

}  // namespace fugu
