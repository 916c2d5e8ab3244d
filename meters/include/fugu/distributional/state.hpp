// What a protected stream needs for all of its life: plan, profiles of its meters, and the constants, drawn once.
//
//     FUGU_ASSIGN(const auto state, DistributionalState::prepare(plan, map, profiles));    // once, before the stream
//     FUGU_TRY(state.save("stream.state"));
//     …
//     FUGU_ASSIGN(auto state, DistributionalState::load("stream.state"));                  // at each start
//     FUGU_TRY(state.check(map, clamp, unit_step));
//
// Guarantee: constants come from the cryptographic source and are drawn by prepare() alone, which never overwrites a
// file: no restart can draw again, and average them away. save() leaves a whole file or none. The file is not changed
// afterwards: profiles that went on learning would let one reading change later slots, for which nobody pays.
// What a meter sends for a reading follows from the state's key, the meter, the time and the reading: however often the
// same readings are published with one state, they are sent the same, so that nothing averages or compares draws.
// Secret: key, constants and profiles are what is protected; the file is readable by its owner only.
// docs/guarantees/distributional.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fugu/distributional/keyed_bits.hpp"
#include "fugu/distributional/transform.hpp"
#include "fugu/stream/input.hpp"

namespace fugu {

class DistributionalState {
 public:
  /// Draws id, key and constants. `profiles`: one per meter of the map, in its order; none for bernoulli.
  /// `learned_until_s`: where the readings end that they were learned from, in seconds since 1970, if that is known.
  static Result<DistributionalState> prepare(const DistributionalPlan& plan, const SeriesMap& map,
                                             std::vector<MeterProfile> profiles,
                                             std::optional<std::int64_t> learned_until_s = std::nullopt);

  /// Cause::usage when the file is there already.
  Result<void> save(const std::string& path) const;
  /// Errors name file and line: not such a file, cut short, changed.
  static Result<DistributionalState> load(const std::string& path);
  static Result<DistributionalState> read(Input input);
  std::string text() const;

  /// Whether this is the state of that stream. Cause::refused when it is not: its constants would protect nothing.
  Result<void> check(const SeriesMap& map, const ClampRange& clamp, const UnitStep& unit_step) const;

  /// Whether a stream that begins then has none of the readings that were learned from. Cause::refused when it has:
  /// what is learned from them is what ε protects.
  Result<void> check_begin(std::int64_t first_s) const;

  /// Tells states apart; no secret. The ledger has it.
  const std::string& id() const { return id_; }
  const SecretKey& key() const { return key_; }
  const DistributionalPlan& plan() const { return transform_.plan(); }
  const DistributionalTransform& transform() const { return transform_; }
  const std::vector<SeriesConstants>& constants() const { return constants_; }  ///< in the order of series()
  const std::vector<std::string>& series() const { return members_.series; }
  /// The most series that one meter counts into.
  std::uint64_t series_per_meter() const { return members_.series_per_meter(); }

 private:
  /// Who counts into what.
  struct Members {
    std::vector<std::string> series;
    std::vector<std::string> meters;  ///< `NAME|SERIES|SERIES…`
    explicit Members(const SeriesMap& map);
    Members() = default;
    std::uint64_t series_per_meter() const;
  };
  DistributionalState(DistributionalTransform transform, Members members)
      : transform_(std::move(transform)), members_(std::move(members)) {}

  std::string id_;
  SecretKey key_;
  DistributionalTransform transform_;
  Members members_;
  std::vector<SeriesConstants> constants_;  // by series
  std::optional<std::int64_t> learned_until_s_;
};

/// The publishing side: a transform whose draws follow from the state's key.
class DistributionalStream final : public ReadingTransform {
 public:
  explicit DistributionalStream(DistributionalState state) : state_(std::move(state)), bits_(state_.key()) {}

  const DistributionalState& state() const { return state_; }
  ClampRange range() const override { return state_.transform().range(); }
  std::int64_t change_steps() const override { return state_.transform().change_steps(); }
  void start(const Clock& clock) override { clock_ = clock; }
  std::int64_t of_reading(Slot slot, MeterId meter, std::int64_t clamped_steps) override;
  std::int64_t of_absent(Slot slot, MeterId meter) override;
  std::int64_t of_slot(Slot slot, SeriesId series) override;

 private:
  BitSource& bits_of(KeyedBits::Purpose purpose, Slot slot, std::uint32_t number);

  DistributionalState state_;
  KeyedBits bits_;
  Clock clock_;
};

/// N_j of one slot: the constants' mean plus a fresh discrete Gaussian of the constants' variance.
std::int64_t slot_noise(const SeriesConstants& constants, Noise& noise);
std::int64_t slot_noise(const SeriesConstants& constants, BitSource& bits);

}  // namespace fugu
