// All policies known: those of one meter (collection), and of all meters (book).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "fugu/policy/policy.hpp"
#include "fugu/stream/name_table.hpp"

namespace fugu {

/// The policies of one meter, whoever stated them, ordered by (first, last). Adding near the end is cheap; finding
/// those that overlap an interval looks at these and few others.
class Collection {
 public:
  void add(const Policy& policy);
  /// Takes back one policy equal to this; false when there is none.
  bool remove(const Policy& policy);
  /// Replaces everything; cheaper than adding one by one.
  void assign(std::vector<Policy> policies);

  std::span<const Policy> policies() const { return policies_; }
  bool empty() const { return policies_.empty(); }
  bool holds(const Policy& policy) const;

  /// Calls visit(policy) for each policy that overlaps `interval`, in order.
  template <class Visit>
  void for_overlapping(const Interval& interval, Visit&& visit) const {
    for (std::size_t i = begin_of(interval); i < policies_.size() && policies_[i].interval.first <= interval.last;
         ++i) {
      if (policies_[i].interval.last >= interval.first) visit(policies_[i]);
    }
  }
  std::size_t count_overlapping(const Interval& interval) const;

 private:
  /// No policy before this position reaches `interval`.
  std::size_t begin_of(const Interval& interval) const;
  void update_latest(std::size_t from);

  std::vector<Policy> policies_;
  std::vector<Slot> latest_;  // of policies 0 … i: the last slot any of them reaches
};

/// The collections of all meters.
class PolicyBook {
 public:
  /// The meter's id, given out in order of first mention.
  MeterId meter(std::string_view name);
  std::optional<MeterId> find(std::string_view name) const;
  /// Valid until the next new meter.
  std::string_view name(MeterId meter) const { return ids_.name(meter); }

  std::size_t meter_count() const { return collections_.size(); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const Collection& of(MeterId meter) const { return collections_[meter]; }

  void add(MeterId meter, const Policy& policy);
  bool remove(MeterId meter, const Policy& policy);
  void assign(MeterId meter, std::vector<Policy> policies);

 private:
  NameTable ids_;
  std::vector<Collection> collections_;
  std::size_t size_ = 0;
};

}  // namespace fugu
