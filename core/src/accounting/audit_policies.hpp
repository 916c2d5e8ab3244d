// The policies that were ever in force, as the audit collects them: meter by meter, with who may be who.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/accounting/definition.hpp"
#include "fugu/policy/policy.hpp"
#include "fugu/stream/name_table.hpp"

namespace fugu::audit {

/// "the policy of meter m7 for slots 44 to 55 (up to 3 slots, 2100 steps, ε = 1)"
std::string describe(const Policy& policy, std::string_view meter);

/// Whether a lane of the policy's shape is about a series that does not exist.
bool names_unknown_series(const Policy& policy, const Exposure& exposure);

class PoliciesHeld {
 public:
  explicit PoliciesHeld(const Exposure& exposure);

  /// `signatures`: of which the meter has one; empty when it may be any. What is said about one meter at different
  /// times adds up: it may be all of them.
  void state(std::string_view meter, std::vector<std::uint32_t> signatures, const Policy& policy);
  /// From `slot` on the meter counts into other series: what it states then is kept there. False when a policy that it
  /// stated before reaches so far.
  bool move(std::string_view meter, Slot slot);
  /// Whether policies of the meter that reach to `slot` are held for series of that signature.
  bool holds_for(std::string_view meter, std::uint32_t signature, Slot slot) const;
  /// Takes back one policy equal to this; false when there is none.
  bool withdraw(std::string_view meter, const Policy& policy);
  /// After the last policy. What follows needs it.
  void close();

  std::size_t size() const { return held_.size() - withdrawn_; }
  std::size_t meter_count() const { return begins_.size() - 1; }
  std::string_view name(MeterId meter) const { return names_.name(meter).substr(0, names_.name(meter).find('\n')); }
  /// Positions of a meter's policies in force, in the order they were stated.
  std::span<const std::uint32_t> of(MeterId meter) const {
    return {order_.data() + begins_[meter], order_.data() + begins_[meter + 1]};
  }
  const Policy& policy(std::uint32_t position) const { return held_[position].policy; }
  MeterId meter(std::uint32_t position) const { return held_[position].meter; }
  /// All positions are below this.
  std::size_t positions() const { return held_.size(); }
  bool in_force(std::uint32_t position) const { return !held_[position].withdrawn; }

  /// Meters that may have the same signatures share a group.
  std::uint32_t group(MeterId meter) const { return group_of_meter_[meter]; }
  std::size_t group_count() const { return groups_.size(); }
  /// The signatures a meter of the group may have; of those that may have any, the widest: others lose no more.
  const std::vector<std::uint32_t>& signatures(std::uint32_t group) const { return groups_[group]; }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Held {
    Policy policy;
    MeterId meter = 0;
    std::uint32_t previous = kNone;  // position of the same meter's policy before
    bool withdrawn = false;
  };
  static constexpr std::uint32_t kAnyGroup = 0;

  /// A meter that moved is another one, by the name that of_now() gives.
  std::string of_now(std::string_view meter) const;
  /// No policy of the meter reaches to `slot`.
  bool are_over(std::string_view meter, Slot slot) const;
  MeterId intern(std::string_view meter);
  std::uint32_t group_with(std::vector<std::uint32_t> signatures);
  std::uint32_t joined(std::uint32_t group, std::uint32_t other);
  std::vector<std::uint32_t> widest_signatures() const;

  const Exposure& exposure_;
  NameTable names_;
  std::map<std::string, std::size_t, std::less<>> moves_;  // how often a meter moved
  std::deque<Held> held_;                                  // there may be many: growing must not copy them
  std::size_t withdrawn_ = 0;
  std::vector<std::uint32_t> group_of_meter_;
  std::vector<std::uint32_t> last_of_meter_;  // position of its latest policy
  std::vector<std::vector<std::uint32_t>> groups_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> group_ids_;
  std::vector<std::uint32_t> order_;  // positions in force, meter by meter
  std::vector<std::size_t> begins_ = {0};
};

/// Tells whether any policy is relevant to a series. Asked about later and later slots.
class Idleness {
 public:
  Idleness(const PoliciesHeld& policies, const Exposure& exposure);

  /// Whether in none of these slots a policy of a meter that may count into `series` is relevant.
  bool is_idle(SeriesId series, const Interval& slots);

 private:
  const PoliciesHeld& policies_;
  std::vector<std::uint32_t> by_begin_;  // positions of policies
  std::size_t begun_ = 0;                // that many of them have begun
  std::vector<Slot> busy_until_;         // by group: last slot of any policy that has begun, or −1
  std::vector<std::vector<std::uint32_t>> groups_of_series_;
};

}  // namespace fugu::audit
