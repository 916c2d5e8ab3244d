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
/// those that overlap an interval looks at these and O(log n) others for each, even where one policy covers years.
class Collection {
 public:
  void add(const Policy& policy);
  /// Takes back one policy equal to this; false when there is none.
  bool remove(const Policy& policy);
  /// Replaces everything; cheaper than adding one by one.
  void assign(std::vector<Policy> policies);
  /// Drops policies whose interval ends before `slot`, once there are many of them.
  void forget_ended(Slot slot);

  std::span<const Policy> policies() const { return policies_; }
  bool empty() const { return policies_.empty(); }
  bool holds(const Policy& policy) const;

  /// Calls visit(policy) for each policy that overlaps `interval`, in order. `near`: the position of one of them
  /// or of a neighbour makes it cheap to find them; any other does no harm.
  template <class Visit>
  void for_overlapping(const Interval& interval, Visit&& visit, std::size_t near = 0) const {
    if (latest_.empty()) {  // few: just look
      for (const Policy& policy : policies_) {
        if (policy.interval.first > interval.last) return;
        if (policy.interval.last >= interval.first) visit(policy);
      }
      return;
    }
    const std::size_t end = first_from(interval.last + 1, near);
    const Slot earliest = interval.first - static_cast<Slot>(longest_slots_) + 1;  // none before it reaches so far
    for (std::size_t i = first_from(earliest, end); i < end;) {
      if (policies_[i].interval.last >= interval.first) {
        visit(policies_[i++]);
      } else {
        i = i % kBlock != 0 ? i + 1 : next_reaching(i, end, interval.first);
      }
    }
  }
  /// The first policy that begins in `slot` or later, as a position; that of the end when there is none. `near`: as
  /// above.
  std::size_t first_from(Slot slot, std::size_t near = 0) const;
  std::size_t count_overlapping(const Interval& interval) const;

 private:
  static constexpr std::size_t kBlock = 16;

  /// The first policy from position `i` on that does not end before `slot`; `end` or beyond when there is none before.
  std::size_t next_reaching(std::size_t i, std::size_t end, Slot slot) const;
  /// After policies from this position on have changed.
  void update_latest(std::size_t from);
  /// After one that reaches `last` was put at the end.
  void append_latest(Slot last);

  std::vector<Policy> policies_;
  std::uint64_t longest_slots_ = 0;  // interval there was
  // The last slot that any policy of a block reaches: for each block of kBlock policies, then for each block of kBlock
  // such blocks, and so on. Nothing for up to kBlock policies, which most meters have.
  std::vector<std::vector<Slot>> latest_;
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
  /// The same for all meters, which stay.
  void forget_ended(Slot slot);

 private:
  NameTable ids_;
  std::vector<Collection> collections_;
  std::size_t size_ = 0;
};

}  // namespace fugu
