#include "fugu/policy/book.hpp"

#include <algorithm>

namespace fugu {

namespace {

bool earlier(const Policy& a, const Policy& b) {
  return a.interval.first != b.interval.first ? a.interval.first < b.interval.first : a.interval.last < b.interval.last;
}

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
    std::stable_sort(policies_.begin(), policies_.end(), earlier);
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

std::size_t Collection::begin_of(const Interval& interval) const {
  return static_cast<std::size_t>(std::lower_bound(latest_.begin(), latest_.end(), interval.first) - latest_.begin());
}

void Collection::update_latest(std::size_t from) {
  latest_.resize(policies_.size());
  for (std::size_t i = from; i < policies_.size(); ++i)
    latest_[i] = i == 0 ? policies_[i].interval.last : std::max(latest_[i - 1], policies_[i].interval.last);
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
