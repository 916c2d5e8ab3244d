// Where the true values come from: `--stream`, or `--readings` with a series map. Shared by publish, metrics and
// report.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>

#include "fugu/accounting/membership.hpp"
#include "fugu/mechanism/run.hpp"
#include "fugu/stream/readings_reader.hpp"
#include "fugu/stream/series_map_file.hpp"
#include "fugu/stream/stream_reader.hpp"
#include "schedule_file.hpp"

namespace fugu {
class DistributionalStream;
}

namespace fugu::cli {

struct SourceOptions {
  std::string stream;
  std::string readings;
  std::string series_map;
  std::string households;
  std::string clamp;
  std::string clamp_by_series;  ///< a file that says it series by series
  std::string clamp_schedule;   ///< a file that says it slot by slot
  std::string unit_step = "1";
  std::string slot_length;
  std::string utc_offset;
  std::string time_column = "time";
  Slot grace_slots = 1;
  Slot gap_slots_max = kGapSlotsMax;
  std::string late = "error";
  bool strict = false;
  bool follow = false;          ///< the input is live
  bool close_by_clock = false;  ///< needs follow
  std::string distributional;   ///< fugu publish: state of fugu distributional prepare; meters send what it says

  void add_to(CLI::App& command);
  /// For commands that can follow a live input.
  void add_live_to(CLI::App& command);
};

/// An open stream of true values and its public facts.
class OpenSource {
 public:
  /// `earlier`: runs that the stream continues, by their clock and with their series.
  static Result<OpenSource> open(const SourceOptions& options, const EarlierRuns* earlier = nullptr);

  SlotSource& source() { return stream_ ? static_cast<SlotSource&>(*stream_) : *readings_; }
  const Clock& clock() const { return stream_ ? stream_->clock() : readings_->clock(); }
  const UnitStep& unit_step() const { return unit_step_; }
  const std::vector<std::string>& series() const { return stream_ ? stream_->series() : readings_->series(); }
  void skip_before(Slot slot) { stream_ ? stream_->skip_before(slot) : readings_->skip_before(slot); }

  /// Where the input says so (readings): by how much one meter changes a series, and who counts into what. Else
  /// nothing.
  std::optional<Counting> counting() const;
  /// Where readings are clamped to something else over time: the file that says how. Else nullptr.
  const ScheduleFile* clamp_schedule() const { return clamp_schedule_.get(); }
  /// What readings are clamped to, for the record.
  const std::string& clamp_text() const { return clamp_text_; }
  /// What it leads to: `largest` holds for all slots.
  Result<Exposure> exposure_over_time(const Exposure& largest, const RunClock& clock) const;
  /// A map that changes while the input is followed is taken when `judge` accepts it.
  void judge_maps_by(std::function<Result<void>(const Counting&)> judge) { *judge_ = std::move(judge); }
  /// Who counts into what; none for a stream of totals.
  CurrentMap series_map() const { return readings_ ? readings_->current_map() : CurrentMap(); }
  /// What meters send instead of their readings; nullptr when they send these.
  const DistributionalStream* distributional() const { return distributional_.get(); }
  /// How far the input has been read.
  const ReadProgress& progress() const { return *progress_; }
  /// What happened to the readings, for standard error. Empty for a stream.
  std::string summary() const;

 private:
  Result<void> read_clamp(const SourceOptions& options);
  Result<void> read_clamp_by_series(const SourceOptions& options, const SeriesMap& map);
  std::uint64_t change_of_one_meter() const;
  /// What rows are clamped to: a reading's bounds, or those of what meters can have sent.
  ClampRange range_of_rows() const;
  /// For ReadingsOptions::new_map.
  std::function<std::optional<SeriesMap>(const SeriesMap&)> follow_maps(const SeriesMapPaths& paths,
                                                                        const SeriesMapVersions& read) const;

  std::unique_ptr<StreamReader> stream_;
  std::unique_ptr<ReadingsReader> readings_;
  std::shared_ptr<DistributionalStream> distributional_;
  using Judge = std::function<Result<void>(const Counting&)>;
  std::shared_ptr<Judge> judge_ = std::make_shared<Judge>();  // shared with whoever follows the map
  std::shared_ptr<const ScheduleFile> clamp_schedule_;
  ClampRows clamps_;                             // of that file
  ClampRange clamp_;                             // in all slots and series
  std::vector<ClampRange> clamp_by_series_;      // where they differ
  std::vector<std::uint64_t> change_by_series_;  // then
  std::string clamp_text_;
  UnitStep unit_step_;
  std::shared_ptr<ReadProgress> progress_ = std::make_shared<ReadProgress>();
};

/// `K` for [0, K], or `LO:HI`, rounded away from 0 to the grid.
Result<ClampRange> parse_clamp(const UnitStep& unit_step, const std::string& text);
/// Parses a magnitude such as a sensitivity in the stream's unit, rounded up to the grid.
Result<std::uint64_t> parse_magnitude(const UnitStep& unit_step, const std::string& text, std::string_view option);
/// Says so when that made it larger.
void warn_if_rounded(const UnitStep& unit_step, const std::string& text, std::uint64_t steps, std::string_view option,
                     std::string_view finer = "--unit-step");

}  // namespace fugu::cli
