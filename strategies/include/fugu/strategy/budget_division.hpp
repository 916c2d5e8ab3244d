// BD and BA: release anew only when the stream has moved, and spend what that saves on the releases.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "fugu/mechanism/mechanism.hpp"
#include "fugu/strategy/release_allowance.hpp"
#include "fugu/strategy/share_noise.hpp"

namespace fugu {

struct SeriesBlocks;

struct BudgetDivisionOptions {
  Allocation allocation = Allocation::distribution;
  /// Series with similar releases decide on their own and are released as one sum that they share.
  bool grouped = false;
};

/// Budget distribution and budget absorption (Kellaris et al. 2014), with and without column grouping.
///
/// In every slot a noisy distance between the stream and the last release is compared with the noise that a new release
/// would have and the noise in the distance itself; only when the stream has moved further is it released anew. Part of
/// the window's budget pays for the decisions, the rest for releases, as ReleaseAllowance says. The first slot is
/// always released.
///
/// Guarantee: keeps every definition it runs under (the kernel sees to it) and is never refused.
///
/// Error: where the stream stands still, that of the last release; after a jump, noise of scale sensitivity/share, with
/// a share that is large when nothing else was released lately.
///
/// Cost: O(series) per slot, whatever w and the past; grouped, O(series·log series) in every tenth slot on top. Without
/// grouping no allocation per slot. docs/guarantees/bd-ba.md.
class BudgetDivision : public Strategy {
 public:
  explicit BudgetDivision(const BudgetDivisionOptions& options);
  ~BudgetDivision() override;

  Result<void> step(Kernel& kernel, Release& release) override;

  /// How many groups decide on their own, and how many series are released as part of a sum.
  std::size_t group_count() const { return groups_.size(); }
  std::size_t summed_series() const;

 protected:
  /// How far the stream is from the last releases, and how much of that noise may be.
  struct Moved {
    double steps = 0;
    double noise_steps = 0;
  };
  virtual Result<Moved> ask_distance(Kernel& kernel, std::span<const SeriesId> series,
                                     std::span<const std::int64_t> reference, Budget share) const;

 private:
  /// Range in members_.
  struct Members {
    std::size_t first = 0;
    std::size_t end = 0;
  };
  /// Series that are released in one request: as a sum, or each on its own.
  struct Part {
    Members members;
    bool summed = false;
    double weight = 0;  // of the noise in all of its members, given the part's share
  };
  /// Series that decide together.
  struct Group {
    Members members;
    std::vector<Part> parts;
    std::vector<std::uint32_t> accounts;
    std::uint64_t parts_per_meter = 1;  // of how many parts one meter can be
    double weight = 0;                  // of the noise if each is released on its own
    double weight_largest = 0;          // of one series among them
    bool newcomer = true;               // one was never released
    bool any_summed = false;
    bool measure_spread = false;  // released as sums in the slot before
    double spread_steps = 0;      // how far the members are from their shared release, as measured
  };
  /// What a slot looks like to a group, from public facts.
  struct View {
    std::size_t present = 0;
    double weight = 0;          // of the noise if each is released on its own
    double weight_largest = 0;  // of one series among them
    bool newcomer = false;      // present, and never released before
  };

  void prepare(const Kernel& kernel);
  std::span<const SeriesId> series_of(const Members& members) const;
  View look_at(const Kernel& kernel, const Release& release, const Group& group) const;
  void remember(const Release& release, Group& group);
  Budget candidate(const Group& group) const;
  Result<void> consider(Kernel& kernel, Release& release, Group& group);
  Result<Moved> ask_distance(Kernel& kernel, const Group& group) const;
  Result<void> release_each(Kernel& kernel, Release& release, std::span<const SeriesId> series, Budget share) const;
  Result<void> release_sum(Kernel& kernel, Release& release, std::span<const SeriesId> series, Budget share) const;
  Result<void> release_parts(Kernel& kernel, Release& release, Group& group, Budget share);
  void spend(const Group& group, Budget share);

  void regroup(const Kernel& kernel, const Release& release);
  void find_parts(const Release& release);
  void form_groups(const Exposure& exposure);
  void weigh(const Exposure& exposure);

  BudgetDivisionOptions options_;
  std::optional<ShareNoise> noise_;
  std::optional<ReleaseAllowance> allowance_;
  MeterReach reach_;
  Budget decision_;     // of each slot
  Budget per_window_;   // for releases
  Budget first_share_;  // what a series that was never released is worth at least
  std::unique_ptr<SeriesBlocks> blocks_;
  std::vector<SeriesId> members_;
  std::vector<Group> groups_;
  std::vector<double> weights_;          // by series, as a member of its group
  std::vector<std::int64_t> reference_;  // the last releases, in the order of members_

  // Used while regrouping.
  std::vector<Part> found_;
  std::vector<SeriesId> ordered_;
  std::vector<std::int64_t> published_;  // by series, as of the last regrouping
  std::vector<double> tolerance_steps_;
};

}  // namespace fugu
