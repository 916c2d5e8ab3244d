// Kernel, strategy and release at work: what publishing and simulation have in common.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "fugu/accounting/ledger.hpp"
#include "fugu/mechanism/mechanism.hpp"
#include "fugu/noise/noise.hpp"
#include "fugu/policy/admission.hpp"
#include "fugu/policy/feed.hpp"
#include "fugu/stream/source.hpp"

namespace fugu {

/// The choices that make a mechanism.
struct Mechanism {
  Definition definition;
  Exposure exposure;
  NoiseKind noise = NoiseKind::laplace;
  std::unique_ptr<Strategy> strategy;
  /// Under a swellfish definition: where its policies come from.
  std::unique_ptr<PolicyFeed> policies = nullptr;
  /// The administrator's rule about policies that come while the stream runs. Absent: all are admitted.
  std::optional<AdmissionRule> admission = {};
  /// What is published of an answer. Run fills it in from the filters of its format.
  PublishedSteps published = {};
  /// Outlives the run. Absent: a policy that is refused or cannot be read ends the stream.
  PolicyListener* listener = nullptr;
};

/// Kernel, strategy and release of one run, slot by slot.
///
/// Only Publisher can make one, and for evaluation a class named Simulation. That name is all that core says about
/// evaluation: the class is in the library eval, and a program that links core and strategies has none. It brings its
/// own noise, which has a seed, and may bring its own accountant, which counts what a flawed rule loses and refuses
/// nothing; it has no ledger. Publisher always has secure noise and the definition's own accountant.
class SlotRunner {
 public:
  SlotRunner(SlotRunner&&) noexcept;
  SlotRunner& operator=(SlotRunner&&) noexcept;
  ~SlotRunner();

  /// Takes in the policies that are known before the next slot; called by run(), too. True when there were any, so that
  /// a long list can be made durable in pieces. Fails where true values may be released and the feed cannot read all
  /// that was stated.
  Result<bool> take_policies(std::size_t at_most);
  /// Places the units that count elsewhere from the next slot on, if `row` says so; called by run(), too, and to be
  /// called before take_policies().
  Result<void> place_units(const SlotRow& row) {
    if (!must_place_ && (!row.counting || placed_in_ == row.slot)) [[likely]]
      return {};
    return place_now(row);
  }
  /// Runs the next slot on true values.
  Result<const Release*> run(const SlotRow& row);
  /// Runs the next slot with all series missing: no reading is in it, wherever units count.
  Result<const Release*> run_without_values(std::int32_t utc_offset_s);
  /// Runs the next slot on recorded answers; nullptr when the ledger ends.
  Result<const Release*> rerun(class Replay& replay);
  /// From now on nothing before the next slot is remembered.
  void forget();
  Slot next_slot() const { return release_.slot() + 1; }
  /// See Publisher.
  Result<void> check_counting(const Counting& counting) const;
  /// How often a unit began to count elsewhere in this run; recorded moves are not counted again.
  std::uint64_t units_moved() const { return units_moved_; }

 private:
  friend class Publisher;
  friend class Simulation;

  SlotRunner(Mechanism&& mechanism, std::unique_ptr<Noise> noise, LedgerWriter* ledger);
  SlotRunner(Mechanism&& mechanism, std::unique_ptr<Accountant> accountant, std::unique_ptr<Noise> noise,
             LedgerWriter* ledger);
  /// Lets the strategy decide about the slot that was begun. With a replay, its estimates must be the recorded ones.
  Result<void> finish(class Replay* replay);
  Result<void> place_now(const SlotRow& row);
  /// Whether what readings go through descends from what they went through before.
  Result<void> check_versions(std::span<const Digest> versions) const;
  void use_version(std::span<const Digest> versions);
  Result<void> record_estimates(class Replay* replay);
  /// The next event that is not on record; nullptr when there is none yet.
  Result<const PolicyEvent*> next_policy();
  /// The series its meter counts into are those of the map, where there is one.
  Result<void> consider(const PolicyEvent& event);
  Result<void> take(const PolicyEvent& event);
  Result<void> judge(const PolicyEvent& event) const;
  Result<void> go_on_without(const PolicyEvent& event, const Error& why);
  Result<void> go_on_without_reading(const Error& why);
  Result<MeterId> hold(const PolicyEvent& event);
  Result<void> replay_policy(const PolicyEvent& event, Slot slot);
  Result<bool> find_stated(const PolicyEvent& event);

  std::unique_ptr<Strategy> strategy_;
  std::unique_ptr<PolicyFeed> policies_;
  std::optional<AdmissionRule> admission_;
  PolicyListener* listener_;
  // By meter, each in the order of the feed: passed over while events on record were looked for. They are new, or were
  // refused.
  std::multimap<std::string, PolicyEvent> passed_over_;
  PolicyEvent event_;
  LedgerWriter* ledger_;
  bool must_place_ = false;  // a replay has placed units, and the source has not said yet where they count now
  Slot placed_in_ = -1;      // the slot before which the source last said where units count
  std::uint64_t units_moved_ = 0;
  std::optional<Digest> version_;  // of what readings went through last
  std::unique_ptr<class RunningKernel> kernel_;
  Release release_;
};

}  // namespace fugu
