#include "fugu/stream/readings_reader.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "fugu/stream/csv.hpp"
#include "readings_parser.hpp"
#include "readings_pipeline.hpp"

namespace fugu {
namespace {

constexpr std::chrono::seconds kLookAgain{1};  // at the wall clock, which may be set while we wait

Result<ReadingColumns> read_columns(LineReader& lines, const std::string& value_column) {
  const std::string expected = "a header with the columns time, meter and " + value_column;
  FUGU_ASSIGN(const auto header, csv::read_header(lines, expected));
  const auto names = csv::split(header);
  const auto position = [&](std::string_view name) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  const ReadingColumns columns{position("time"), position("meter"), position(value_column)};
  for (std::size_t found : {columns.time, columns.meter, columns.value}) {
    if (found == names.size()) return found_but_expected(lines.at(1), "other columns", expected);
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i == columns.time || i == columns.meter || i == columns.value) continue;
    return found_but_expected(lines.at(csv::column_of(names[i], header)), "column " + shown_name(names[i]),
                              "the columns time, meter and " + value_column + ", each once");
  }
  return columns;
}

std::string_view line_of(std::string_view block, std::uint32_t line) {
  for (; line > 0; --line) block.remove_prefix(block.find('\n') + 1);
  block = block.substr(0, block.find('\n'));
  if (block.ends_with('\r')) block.remove_suffix(1);
  return block;
}

/// How far behind the newest reading a slot can be open. By the clock: from now − grace to now + grace.
Slot open_slots(const ReadingsOptions& options) {
  return options.close_by_clock ? 2 * options.grace_slots : options.grace_slots;
}

}  // namespace

class ReadingsReader::Impl {
 public:
  static Result<std::unique_ptr<Impl>> open(Input input, SeriesMap map, ReadingsOptions options) {
    FUGU_CHECK(options.threads == 1 || options.threads == 2);
    FUGU_CHECK(!options.close_by_clock || options.wall_clock_s);
    LineReader lines(std::move(input), options.block_size);
    FUGU_ASSIGN(const ReadingColumns columns, read_columns(lines, options.value_column));
    auto shared_map = std::make_unique<const SeriesMap>(std::move(map));
    FUGU_ASSIGN(auto aggregator, Aggregator::make(*shared_map, {options.clamp, open_slots(options),
                                                                options.transform.get(), options.clamp_by_series}));
    return std::unique_ptr<Impl>(
        new Impl(std::move(lines), columns, std::move(shared_map), std::move(aggregator), std::move(options)));
  }

  void skip_before(Slot slot) { skip_before_ = slot; }

  Result<bool> next(SlotRow& row) {
    if (failure_) return *failure_;
    FUGU_ASSIGN(const Progress progress, advance(true));
    if (progress == Progress::end) return false;
    row.slot = aggregator_.oldest_open();
    row.utc_offset_s = utc_offset_s_;
    row.counting.reset();
    if (row.slot >= counts_from_) {
      row.counting = {maps_.back().get(), change_of_one_meter(), versions(), change_by_series_};
      counts_from_ = kNever;
    }
    aggregator_.close(row.values);
    FUGU_TRY(look_for_new_map());
    return true;
  }

  bool would_wait() {
    if (!live_ || failure_) return false;
    const auto progress = advance(false);
    if (!progress) failure_ = progress.error();
    return progress && *progress == Progress::waiting;
  }

  const SeriesMap& map() const { return *latest_map_; }
  CurrentMap current_map() const { return CurrentMap(&latest_map_); }
  const Clock& clock() const { return clock_; }
  const ReadingsCounters& counters() const { return counters_; }

 private:
  enum class Progress { slot_ready, waiting, end };

  Impl(LineReader lines, ReadingColumns columns, std::unique_ptr<const SeriesMap> map, Aggregator aggregator,
       ReadingsOptions options)
      : file_(lines.file()),
        live_(lines.is_live()),
        lines_(std::move(lines)),
        columns_(columns),
        aggregator_(std::move(aggregator)),
        options_(std::move(options)),
        change_by_series_(largest_changes(options_.clamp_by_series)) {
    hold(std::move(map));
  }

  void hold(std::unique_ptr<const SeriesMap> map) {
    latest_map_ = map.get();
    maps_.push_back(std::move(map));
  }

  std::uint64_t change_of_one_meter() const {
    return static_cast<std::uint64_t>(options_.transform ? options_.transform->change_steps()
                                                         : largest_change(options_.clamp));
  }

  std::span<const Digest> versions() const {
    return options_.transform ? options_.transform->versions() : std::span<const Digest>();
  }

  Result<void> look_for_new_map() {
    if (!live_ || !options_.new_map || aggregator_.change_pending()) return {};
    auto found = options_.new_map(map());
    if (!found || options_.transform) return {};           // a transform knows the meters of its own map only
    if (maps_.size() > 2) maps_.erase(maps_.begin() + 1);  // nothing counts by it any more; the first was handed out
    hold(std::make_unique<const SeriesMap>(*std::move(found)));
    counts_from_ = std::max(aggregator_.newest() + 1, aggregator_.oldest_open());
    FUGU_TRY(aggregator_.change_map(map(), counts_from_));
    if (pipeline_) pipeline_->look_up_meters_in(map());
    return {};
  }

  // Adds readings until the oldest open slot can be closed.
  Result<Progress> advance(bool may_wait) {
    if (!pipeline_) {
      if (!may_wait && !knows_start() && lines_->would_wait()) return Progress::waiting;
      FUGU_ASSIGN(const bool has_rows, start());
      if (!has_rows) return Progress::end;
    }
    while (true) {
      FUGU_ASSIGN(const bool slot_ready, add_block());
      if (slot_ready) return Progress::slot_ready;
      if (ended_) return aggregator_.oldest_open() <= aggregator_.newest() ? Progress::slot_ready : Progress::end;
      FUGU_ASSIGN(const bool waiting, next_block(may_wait && !options_.close_by_clock));
      if (!waiting) continue;
      if (options_.close_by_clock) {  // all that has arrived is counted: now the clock decides
        FUGU_ASSIGN(const std::chrono::seconds left, until_due());
        if (left <= left.zero()) return Progress::slot_ready;
        if (may_wait) {
          pipeline_->wait(std::min(left, kLookAgain));
          continue;
        }
      }
      return Progress::waiting;
    }
  }

  // How long the oldest open slot stays open.
  Result<std::chrono::seconds> until_due() const {
    const Slot slot = aggregator_.oldest_open();
    const std::int64_t over_s = std::max(clock_.start_of(slot + 1), opened_s_);
    const std::int64_t left_s = over_s + options_.grace_slots * clock_.slot_s() - options_.wall_clock_s();
    if (left_s <= 0 && slot > last_reported_ + options_.gap_slots_max) {
      return Error{Cause::bad_input, file_ + ": found no readings for the " + std::to_string(options_.gap_slots_max) +
                                         " slots before " + clock_.text(slot, utc_offset_s_) +
                                         "; expected some. If the input really paused, allow a larger gap"};
    }
    return std::chrono::seconds(left_s);
  }

  // By the clock, a stream that goes on needs no row to start with.
  bool knows_start() const { return options_.close_by_clock && options_.origin; }

  // Looks at the first row to set up the clock, then at blocks. False when there is no row.
  Result<bool> start() {
    if (knows_start()) {
      FUGU_TRY(start_at(*options_.origin));
    } else {
      FUGU_ASSIGN(const auto row, lines_->peek());
      if (!row) return false;
      const auto fields = csv::split(*row);
      if (fields.size() != 3) {
        return found_but_expected(lines_->ahead_at(1), csv::count_fields(fields.size()), "3 fields, as in the header");
      }
      const std::string_view time = fields[columns_.time];
      FUGU_TRY(start_clock(time, lines_->ahead_at(csv::column_of(time, *row))));
    }
    last_reported_ = aggregator_.newest();
    if (options_.clamp_over_time) {
      FUGU_ASSIGN(auto clamps, options_.clamp_over_time(clock_, utc_offset_s_));
      aggregator_.clamp_by(std::move(clamps));
    }
    if (options_.transform) options_.transform->start(clock_);
    auto rest = std::move(*lines_).release();
    lines_.reset();
    lines_before_ = rest.lines_read;
    pipeline_ = std::make_unique<ReadingsPipeline>(
        std::move(rest), ReadingsParser(map(), columns_, options_.unit_step, clock_, options_.default_utc_offset_s),
        live_ ? 1 : options_.threads);
    FUGU_TRY(next_block(true));
    return true;
  }

  Result<void> start_clock(std::string_view time, const Location& where) {
    if (const auto slot = parse_slot_number(time)) {
      if (options_.origin) {
        return found_but_expected(where, "a slot number", "time stamps, because an origin was given");
      }
      if (options_.close_by_clock) {
        return found_but_expected(where, "a slot number", "time stamps, because the clock closes slots");
      }
      aggregator_.start(skip_before_.value_or(*slot));
      return {};
    }
    Stamp first;
    const TimeFault fault = parse_stamp(time, options_.default_utc_offset_s, first);
    if (fault != TimeFault::none) {
      return found_but_expected(where, "time " + shown_time(time), csv::expected_first_time(fault));
    }
    FUGU_TRY(start_at(options_.origin.value_or(first)));
    if (!options_.origin && latest_slot() < 0) {
      return found_but_expected(where, "a first time ahead of this machine's clock", "times up to now");
    }
    return {};
  }

  Result<void> start_at(Stamp origin) {
    if (!options_.slot_s) {
      return Error{Cause::usage, file_ + ": found time stamps; expected a stated slot length, for example 15m"};
    }
    clock_ = Clock(origin.instant_s, *options_.slot_s);
    utc_offset_s_ = origin.utc_offset_s;
    if (options_.wall_clock_s) opened_s_ = options_.wall_clock_s();
    aggregator_.start(skip_before_.value_or(0));
    return {};
  }

  // The last slot for which a reading may have been taken by now.
  Slot latest_slot() const {
    if (!options_.wall_clock_s || !clock_.has_time()) return kSlotMax;
    return clock_.slot_around(options_.wall_clock_s()) + options_.grace_slots;
  }

  // Moves on to the next block. True when a live input has none yet.
  Result<bool> next_block(bool may_wait) {
    if (block_ != nullptr) lines_before_ += block_->parsed.lines;
    block_ = nullptr;
    run_ = reading_ = 0;
    FUGU_ASSIGN(const NextBlock found, pipeline_->next(may_wait));
    block_ = found.block;
    if (block_ != nullptr && !block_->parsed.rounding.empty() && !std::exchange(told_rounding_, true) && options_.warn)
      options_.warn(file_ + ": " + block_->parsed.rounding);
    ended_ = found.state == BlockReader::State::end;
    latest_ = latest_slot();
    if (found.state == BlockReader::State::line_too_long) {
      return found_but_expected({file_, lines_before_ + 1, 0}, "a line of more than 1 MiB", "shorter lines");
    }
    return found.state == BlockReader::State::waiting;
  }

  // Adds what is left of the block. True when a slot must be closed before going on.
  Result<bool> add_block() {
    if (block_ == nullptr) return false;
    const ParsedReadings& parsed = block_->parsed;
    for (; run_ < parsed.runs.size(); ++run_) {
      const auto [slot, end] = parsed.runs[run_];
      if (slot > latest_) {
        FUGU_TRY(note_early(end));
        continue;
      }
      const Slot gap_slots = slot - aggregator_.newest();
      if (gap_slots > options_.gap_slots_max) return too_far_ahead(gap_slots);
      if (aggregator_.must_close_before(slot)) return true;
      FUGU_TRY(add_run(slot, end));
    }
    if (!parsed.fault) return false;
    const RowFault& fault = *parsed.fault;
    return found_but_expected({file_, line(fault.line), fault.column}, fault.found, fault.expected);
  }

  Result<void> add_run(Slot slot, std::size_t end) {
    last_reported_ = std::max(last_reported_, slot);
    if (skip_before_ && slot < *skip_before_) {
      counters_.rows += end - reading_;
      counters_.skipped += end - reading_;
      reading_ = end;
      return {};
    }
    for (; reading_ < end; ++reading_) {
      const Reading& reading = block_->parsed.readings[reading_];
      ++counters_.rows;
      const Aggregator::Outcome outcome = aggregator_.add(slot, reading.meter, reading.value);
      if (outcome != Aggregator::Outcome::counted) FUGU_TRY(note(outcome, reading.line));
    }
    return {};
  }

  Result<void> note(Aggregator::Outcome outcome, std::uint32_t line_in_block) {
    switch (outcome) {
      case Aggregator::Outcome::counted: break;
      case Aggregator::Outcome::missing: ++counters_.missing; break;
      case Aggregator::Outcome::duplicate: ++counters_.duplicates; break;
      case Aggregator::Outcome::elsewhere: ++counters_.elsewhere; break;
      case Aggregator::Outcome::clamped: return note_clamped(line_in_block);
      case Aggregator::Outcome::late: return note_late(line_in_block);
    }
    return {};
  }

  Result<void> note_late(std::uint32_t line_in_block) {
    ++counters_.late;
    if (options_.late == LateRule::drop) return {};
    return time_error(line_in_block, "which is before the slots still open",
                      "readings no more than " + std::to_string(options_.grace_slots) +
                          " slots (the grace period) behind, from " +
                          clock_.text(aggregator_.oldest_open(), utc_offset_s_) + " on");
  }

  // Passes over readings up to `end` that are ahead of the wall clock.
  Result<void> note_early(std::size_t end) {
    constexpr std::string_view kFound = "which is ahead of this machine's clock";
    const std::string expected = "readings up to " + clock_.text(latest_, utc_offset_s_);
    const std::uint32_t line_in_block = block_->parsed.readings[reading_].line;
    if (options_.late == LateRule::error) return time_error(line_in_block, std::string(kFound), expected);
    if (counters_.early == 0 && options_.warn) {
      options_.warn(
          time_error(line_in_block, std::string(kFound), expected + "; it and others like it are dropped").message);
    }
    counters_.rows += end - reading_;
    counters_.early += end - reading_;
    reading_ = end;
    return {};
  }

  Result<void> note_clamped(std::uint32_t line_in_block) {
    constexpr std::string_view kFound = "a reading beyond the clamp";
    ++counters_.clamped;
    const Location where{file_, line(line_in_block), 0};
    if (options_.beyond == BeyondRule::error) return found_but_expected(where, kFound, "readings within it");
    if (counters_.clamped == 1 && options_.warn) {
      options_.warn(found_but_expected(where, kFound, "readings within it; it and others like it are clamped").message);
    }
    return {};
  }

  Error too_far_ahead(Slot gap_slots) const {
    return time_error(block_->parsed.readings[reading_].line, "which is far ahead of the readings before",
                      csv::expected_gap(options_.gap_slots_max, gap_slots, clock_));
  }

  Error time_error(std::uint32_t line_in_block, const std::string& found, const std::string& expected) const {
    const std::string_view row = line_of(block_->text.text(), line_in_block);
    const std::string_view time = pipeline_->parser().time_of(row);
    return found_but_expected({file_, line(line_in_block), csv::column_of(time, row)},
                              "time " + shown_time(time) + ", " + found, expected);
  }

  std::uint64_t line(std::uint32_t line_in_block) const { return lines_before_ + line_in_block + 1; }

  const std::string file_;
  const bool live_;
  std::optional<LineReader> lines_;  // until the first row; the pipeline takes over from there
  const ReadingColumns columns_;
  static constexpr Slot kNever = std::numeric_limits<Slot>::max();
  std::vector<std::unique_ptr<const SeriesMap>> maps_;  // the first, the latest, and one that open slots may need
  const SeriesMap* latest_map_ = nullptr;
  Slot counts_from_ = std::numeric_limits<Slot>::min();  // the slot whose row says so; kNever when said
  Aggregator aggregator_;
  const ReadingsOptions options_;
  const std::vector<std::uint64_t> change_by_series_;
  std::optional<Slot> skip_before_;
  Clock clock_;
  std::int32_t utc_offset_s_ = 0;
  ReadingsCounters counters_;
  std::unique_ptr<ReadingsPipeline> pipeline_;

  const ReadingsBlock* block_ = nullptr;  // the block whose readings are being added, and how far that is:
  std::size_t run_ = 0;
  std::size_t reading_ = 0;
  std::uint64_t lines_before_ = 0;  // lines of the file before the block
  Slot latest_ = kSlotMax;          // its readings for later slots are ahead of the wall clock

  std::int64_t opened_s_ = 0;  // when the clock was started, by the wall clock
  Slot last_reported_ = -1;    // the latest slot that got a reading; before that, the one before the first
  bool ended_ = false;
  bool told_rounding_ = false;
  std::optional<Error> failure_;  // found by would_wait(), to be reported by next()
};

Result<ReadingsReader> ReadingsReader::open(Input input, SeriesMap map, ReadingsOptions options) {
  FUGU_ASSIGN(auto impl, Impl::open(std::move(input), std::move(map), std::move(options)));
  return ReadingsReader(std::move(impl));
}

ReadingsReader::ReadingsReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ReadingsReader::ReadingsReader(ReadingsReader&&) noexcept = default;
ReadingsReader& ReadingsReader::operator=(ReadingsReader&&) noexcept = default;
ReadingsReader::~ReadingsReader() = default;

void ReadingsReader::skip_before(Slot slot) { impl_->skip_before(slot); }
Result<bool> ReadingsReader::next(SlotRow& row) { return impl_->next(row); }
bool ReadingsReader::would_wait() { return impl_->would_wait(); }
const std::vector<std::string>& ReadingsReader::series() const { return impl_->map().series(); }
const SeriesMap& ReadingsReader::series_map() const { return impl_->map(); }
CurrentMap ReadingsReader::current_map() const { return impl_->current_map(); }
const Clock& ReadingsReader::clock() const { return impl_->clock(); }
const ReadingsCounters& ReadingsReader::counters() const { return impl_->counters(); }

}  // namespace fugu
