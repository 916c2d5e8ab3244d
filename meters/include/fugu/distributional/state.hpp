// What a protected stream needs for all of its life: plan, profiles of its meters, and the constants, drawn once.
//
//     FUGU_ASSIGN(const auto state, DistributionalState::prepare(plan, map, profiles));    // once, before the stream
//     FUGU_TRY(state.save("stream.state"));
//     …
//     FUGU_ASSIGN(auto state, DistributionalState::load("stream.state"));                  // at each start
//     FUGU_TRY(state.check(map, clamp, unit_step));
//     …
//     FUGU_ASSIGN(const auto after, state.changed(new_map, profiles_of_newcomers));        // some joined, some left
//     FUGU_TRY(after.replace("stream.state"));
//
// Guarantee: constants come from the cryptographic source. prepare() draws the first ones and never overwrites a file;
// changed() keeps them and adds others, in series whose meters changed, so that only those who joined, left or moved
// pay once more. No restart can draw again, and average them away. A ledger has the version that it was written with,
// and goes on with a descendant of it only: who changes an earlier state once more draws again for the same meters,
// which publishing refuses and an audit finds. save() and replace() leave a whole file or none. Publishing does not
// change the file: profiles that went on learning would let one reading change later slots, for which nobody pays. What
// a meter sends for a reading follows from the state's key, the meter, the time and the reading: however often the same
// readings are published with one state, they are sent the same, so that nothing averages or compares draws. Secret:
// key, constants and profiles are what is protected; the file is readable by its owner only.
// docs/guarantees/distributional.md.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fugu/distributional/keyed_bits.hpp"
#include "fugu/distributional/transform.hpp"
#include "fugu/stream/input.hpp"

namespace fugu {

/// What a meter's values are drawn around, with its constants, by level of the plan; none for bernoulli. Public.
using MeterLevels = std::vector<std::int64_t>;

/// The column of what meters sent instead of their readings, which have a column `value`: so that neither is taken for
/// the other, and nothing is transformed twice.
inline constexpr std::string_view kSentColumn = "sent";

class DistributionalState {
 public:
  /// Draws id, key and constants. `profiles`: for each meter of the map, in its order, one per circumstance of the
  /// plan; none for bernoulli. `learned_until_s`: where the readings end that they were learned from, in seconds since
  /// 1970, if that is known. Cause::bad_input when a name has a `|`.
  static Result<DistributionalState> prepare(const DistributionalPlan& plan, const SeriesMap& map,
                                             std::vector<MeterProfile> profiles,
                                             std::optional<std::int64_t> learned_until_s = std::nullopt);

  /// For a sum over meters that transform their readings themselves, see MeterTransform: `levels` of each meter of the
  /// map. Draws id and key; constants are the meters' own.
  static Result<DistributionalState> gather(const DistributionalPlan& plan, const SeriesMap& map,
                                            const std::vector<MeterLevels>& levels);

  /// Cause::usage when the file is there already.
  Result<void> save(const std::string& path) const;
  /// Errors name file and line: not such a file, cut short, changed.
  static Result<DistributionalState> load(const std::string& path);
  static Result<DistributionalState> read(Input input);
  std::string text() const;

  /// Whether this is the state of that stream. Cause::refused when it is not: its constants would protect nothing.
  Result<void> check(const SeriesMap& map, const ClampRange& clamp, const UnitStep& unit_step) const;

  /// Whether a stream that goes on at that slot has none of the readings that were learned from, slots as long as
  /// theirs, and times that say which circumstance it is. Cause::refused when not.
  Result<void> check_begin(const Clock& clock, Slot first) const;

  /// The meters of a map that this state has no profile of: changed() needs one for each, in this order.
  std::vector<MeterId> newcomers(const SeriesMap& map) const;
  /// The state from when on meters count as `map` says, which must have the same series. Draws one more constant for
  /// each series that got or lost a meter: those meters pay for it, nobody else. Meters that are gone are remembered.
  /// Cause::usage when nothing changed, refused when a meter counts into more series than the constants are for.
  Result<DistributionalState> changed(const SeriesMap& map, std::vector<MeterProfile> newcomers,
                                      std::optional<std::int64_t> learned_until_s = std::nullopt) const;
  /// The same where meters transform: newcomers come with their levels. Nothing is drawn, and nobody pays.
  Result<DistributionalState> changed_levels(const SeriesMap& map, const std::vector<MeterLevels>& newcomers) const;
  /// The same state, learned from slots of this length: for one that does not say so itself. Nothing is drawn.
  Result<DistributionalState> with_slot_length(std::int64_t slot_s) const;
  /// Puts this state in the place of the one that it was changed from.
  Result<void> replace(const std::string& path) const;

  /// Tells states apart; no secret, and a change keeps it. The ledger has it.
  const std::string& id() const { return id_; }
  /// A hash of each version of this state, oldest first; the last is of this one, with all that is in it. No secret:
  /// the key is part of what is hashed. The ledger has those that were used (Counting::versions).
  std::span<const Digest> versions() const { return versions_; }
  const SecretKey& key() const { return key_; }
  /// Meters transform their readings themselves: what comes in is summed.
  bool at_meters() const { return at_meters_; }
  const DistributionalPlan& plan() const { return transform_.plan(); }
  const DistributionalTransform& transform() const { return transform_; }
  /// By series, in the order of series(): as many as the plan has levels, as often as they were drawn.
  const std::vector<std::vector<SeriesConstants>>& constants() const { return constants_; }
  const std::vector<std::string>& series() const { return series_; }
  /// The most series that one meter can count into: the constants are for that.
  std::uint64_t series_per_meter() const { return series_per_meter_; }
  /// How often constants were drawn for one meter, at most: as often it pays ε and δ. 1 unless somebody joined later,
  /// left or moved.
  std::uint64_t draws_for_one_meter() const;
  std::uint64_t draws_for(std::size_t position) const { return members_[position].draws; }
  /// The laws that constants were drawn from: by prepare() and changed(), or by each meter.
  Result<ParameterNoise> parameter_noise() const;
  std::size_t meter_count() const { return members_.size(); }
  std::string_view meter_name(std::size_t position) const { return members_[position].name; }
  /// Means of a meter by level of the plan; where meters transform, with their constants. None for bernoulli.
  MeterLevels means_of(std::size_t position) const;
  /// Position of a meter in this state; nothing when it has none.
  std::optional<std::size_t> position_of(std::string_view meter) const;
  /// Series whose constants are, typically, larger than the sum of their meters' means.
  std::vector<SeriesId> drowned() const;

 private:
  struct Member {
    std::string name;
    std::vector<SeriesId> series;  // none when it is gone
    std::uint64_t draws = 1;
    std::string text(const std::vector<std::string>& names) const;
  };
  explicit DistributionalState(DistributionalTransform transform) : transform_(std::move(transform)) {}

  Result<void> take_members(const SeriesMap& map);
  void draw_id_and_key();
  /// What is in the state now becomes a version; last of all.
  void add_version();
  std::string text_after(std::span<const Digest> earlier) const;
  void index_members();
  Result<void> check_slots(const Clock& clock) const;
  bool is_consistent() const;

  std::string id_;
  std::vector<Digest> versions_;
  SecretKey key_;
  bool at_meters_ = false;
  DistributionalTransform transform_;
  std::vector<std::string> series_;
  std::vector<Member> members_;
  NameTable names_;  // of the members
  std::uint64_t series_per_meter_ = 1;
  std::vector<std::vector<SeriesConstants>> constants_;
  std::optional<std::int64_t> learned_until_s_;
};

/// The publishing side: a transform whose draws follow from the state's key. Where meters transform, what they sent is
/// kept within what they can have sent, and the key is for draws in the place of what did not come.
class DistributionalStream final : public ReadingTransform {
 public:
  /// `state` was checked with `map`.
  DistributionalStream(DistributionalState state, const SeriesMap& map);

  const DistributionalState& state() const { return state_; }
  /// Of the rows that it takes, for ReadingsOptions: readings, or what meters made of them.
  std::string_view value_column() const { return state_.at_meters() ? kSentColumn : "value"; }
  ClampRange range() const override;
  std::int64_t change_steps() const override { return state_.transform().change_steps(); }
  std::span<const Digest> versions() const override { return state_.versions(); }
  void start(const Clock& clock) override { clock_ = clock; }
  std::int64_t of_reading(Slot slot, MeterId meter, std::int64_t clamped_steps) override;
  std::int64_t of_absent(Slot slot, MeterId meter) override;
  std::int64_t of_slot(Slot slot, SeriesId series) override;

 private:
  BitSource& bits_of(KeyedBits::Purpose purpose, Slot slot, std::size_t number);
  std::size_t circumstance_of(Slot slot) const;
  std::int64_t sent_by_meter(std::size_t law, std::int64_t sent_steps) const;

  DistributionalState state_;
  std::vector<std::optional<std::size_t>> position_;  // in the state, by meter of the map
  KeyedBits bits_;
  Clock clock_;
};

/// N_j of one slot: the constants' mean plus a fresh discrete Gaussian of the constants' variance.
std::int64_t slot_noise(const SeriesConstants& constants, Noise& noise);
std::int64_t slot_noise(const SeriesConstants& constants, BitSource& bits);

}  // namespace fugu
