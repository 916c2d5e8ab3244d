// What is promised: which two streams must look alike, and how alike.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/base/budget.hpp"
#include "fugu/base/result.hpp"
#include "fugu/stream/slot.hpp"
#include "fugu/stream/slot_schedule.hpp"

namespace fugu {

struct DefinitionKind;

/// Which changes of a stream an observer must not notice. In each, one meter may change by up to its sensitivity in
/// every slot concerned, in all series it counts into at once. A row of the table of definitions (definition_kind.hpp).
class Protects {
 public:
  static const Protects event;      ///< what a meter did in any single slot
  static const Protects user;       ///< everything a meter did, in a stream of at most `window_slots` slots
  static const Protects w_event;    ///< whatever a meter did within any `window_slots` consecutive slots
  static const Protects swellfish;  ///< what each policy says, as well as it says: docs/guarantees/swellfish.md
  /// Everything a meter did, past losses counting αʲ after j slots: docs/guarantees/discounted.md
  static const Protects discounted_exp;
  static const Protects discounted_hyp;  ///< the same, past losses counting 1/(1 + βj)

  constexpr Protects(const DefinitionKind& kind) : kind_(&kind) {}  // NOLINT(google-explicit-constructor): a row is one
  const DefinitionKind& kind() const { return *kind_; }
  friend bool operator==(Protects, Protects) = default;

 private:
  const DefinitionKind* kind_;
};

std::string_view name_of(Protects protects);
/// nullopt when there is none of that name.
std::optional<Protects> protects_named(std::string_view name);

/// How much a loss counts some slots later: from 1, never less than before.
struct Discount {
  enum class Kind : std::uint8_t { exponential, hyperbolic };
  Kind kind;
  double factor;  ///< α, between 0 and 1, or β, from 2⁻²⁰ to 2²⁰

  /// αʲ or 1/(1 + βj). In doubles: for planning, never for accounting.
  double weight(std::uint64_t age_slots) const;
};

/// ε of a promise, or the statement that each policy has its own. There is no default.
class PromisedEpsilon {
 public:
  PromisedEpsilon(Epsilon epsilon) : one_(epsilon) {}  // NOLINT(google-explicit-constructor): an Epsilon is one
  static PromisedEpsilon of_each_policy() { return PromisedEpsilon(); }

  /// Absent when each policy has its own.
  const std::optional<Epsilon>& one() const { return one_; }

 private:
  PromisedEpsilon() = default;
  std::optional<Epsilon> one_;
};

/// The longest w: what was spent is remembered slot by slot.
inline constexpr std::uint64_t kLargestWindowSlots = std::uint64_t{1} << 24;

/// A promise. Immutable once made; there is no default ε.
///
/// Guarantee: transcripts, whole transcripts, of two streams that differ as `protects` says are
/// (ε, δ)-indistinguishable. Proof: docs/guarantees/w-event.md, docs/guarantees/approximate.md. Discounted
/// definitions promise something else, in every slot t: Σ over k ≤ t of a(t − k) · loss of slot k is at most ε.
class Definition {
 public:
  struct Options {
    Protects protects;
    PromisedEpsilon epsilon;
    Delta delta = Delta::zero();
    /// w for w-event, the horizon for user level; absent for all others.
    std::optional<std::uint64_t> window_slots = std::nullopt;
    /// α or β; for discounted definitions only.
    std::optional<double> discount = std::nullopt;
    /// swellfish: another definition that holds for everybody besides the policies, with the same δ.
    std::shared_ptr<const Definition> floor = nullptr;
    /// swellfish without a floor: slots in which no policy is relevant may be released as they are.
    bool exact_when_idle = false;
  };
  static Result<Definition> make(const Options& options);

  Protects protects() const { return options_.protects; }
  const DefinitionKind& kind() const { return options_.protects.kind(); }
  /// As they were checked and completed.
  const Options& options() const { return options_; }
  /// Not for swellfish.
  Epsilon epsilon() const { return *options_.epsilon.one(); }
  Delta delta() const { return options_.delta; }
  /// Where the kind has_window(): w, the horizon, or 1.
  std::uint64_t window_slots() const { return *options_.window_slots; }
  /// For discounted definitions; absent for all others.
  std::optional<Discount> discount() const;
  /// nullptr when there is none.
  const Definition* floor() const { return options_.floor.get(); }
  bool exact_when_idle() const { return options_.exact_when_idle; }

  /// "w-event, ε = 1, w = 120"
  std::string text() const;

 private:
  explicit Definition(const Options& options) : options_(options) {}
  Options options_;
};

/// Public facts about who counts into what, from which the accountant knows how far one meter reaches.
class Exposure {
 public:
  struct Options {
    /// By how many grid steps one meter can change each series in one slot: 1 to 2^40, one entry per series.
    std::vector<std::uint64_t> sensitivity_steps;
    /// Sets of series that one and the same meter may count into. Every series must be in at least one.
    std::vector<std::vector<SeriesId>> signatures;
    /// Where it is less in some slots: as above, slot by slot. Without rows, always the same.
    SlotSchedule<std::vector<std::uint64_t>> over_time = {};
  };
  static Result<Exposure> make(Options options);
  /// The same meters and series, with sensitivities that vary. Public: they must not follow from any reading.
  Result<Exposure> varying(SlotSchedule<std::vector<std::uint64_t>> over_time) const;
  /// Of one unit alone, which counts into `series` of this stream and into no others.
  Exposure of_one_unit(std::vector<SeriesId> series) const;

  /// Any meter may count into every series: all series share one budget.
  static std::vector<std::vector<SeriesId>> all_shared(std::size_t series);
  /// No meter counts into two series: every series has a budget of its own.
  static std::vector<std::vector<SeriesId>> all_disjoint(std::size_t series);

  std::size_t series_count() const { return options_.sensitivity_steps.size(); }
  std::size_t signature_count() const { return options_.signatures.size(); }
  /// In any slot: at least what it is in each.
  std::uint64_t sensitivity_steps(SeriesId series) const { return options_.sensitivity_steps[series]; }
  std::uint64_t sensitivity_steps(SeriesId series, Slot slot) const {
    return varies() ? options_.over_time.at(slot)[series] : sensitivity_steps(series);
  }
  bool varies() const { return !options_.over_time.rows.empty(); }
  const SlotSchedule<std::vector<std::uint64_t>>& over_time() const { return options_.over_time; }
  const std::vector<SeriesId>& signature(std::size_t index) const { return options_.signatures[index]; }
  /// The first signature that contains all of these series; nothing when none does.
  std::optional<std::uint32_t> signature_with(std::span<const SeriesId> series) const;
  /// The signatures that contain a series.
  const std::vector<std::uint32_t>& signatures_of(SeriesId series) const { return signatures_of_[series]; }
  /// Into how many series the meter counts that counts into `series` and most others.
  std::uint64_t series_per_meter(SeriesId series) const { return series_per_meter_[series]; }

 private:
  explicit Exposure(Options options);
  Options options_;
  std::vector<std::vector<std::uint32_t>> signatures_of_;
  std::vector<std::uint64_t> series_per_meter_;
};

}  // namespace fugu
