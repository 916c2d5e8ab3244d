#include "fugu/distributional/meter_sender.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "checked_lines.hpp"
#include "fugu/stream/csv.hpp"

namespace fugu {

namespace {

constexpr std::string_view kMagic = "fugu-meter-journal,1";
constexpr std::size_t kSendEveryBytes = 65'536;  // readings from a file come faster than they can be made durable

std::string header_of(const DistributionalState& state, const Clock& clock) {
  return std::string(kMagic)
      .append(",")
      .append(state.id())
      .append(",")
      .append(clock.has_time() ? std::to_string(clock.slot_s()) : "slots");
}

void append_bytes(std::string& message, std::uint64_t value) {
  for (int i = 0; i < 8; ++i) message += static_cast<char>(value >> (8 * i));
}

/// The slots that a file of sent values has.
struct OutSlots {
  Slot first = 0;
  Slot last = 0;
};

Result<std::optional<OutSlots>> slots_of(const std::string& path, std::string_view meter, const ReportFormat& format) {
  NameTable names;
  names.intern(meter);
  std::optional<std::int64_t> slot_s;
  if (format.clock.has_time()) slot_s = format.clock.slot_s();
  FUGU_ASSIGN(Input input, Input::open(path));
  FUGU_ASSIGN(MeterReadings rows, MeterReadings::open(std::move(input), names,
                                                      {.unit_step = format.unit_step,
                                                       .slot_s = slot_s,
                                                       .expected_meter = "what this meter sent, and nobody else",
                                                       .value_column = std::string(kSentColumn)}));
  if (!rows.empty() && !(rows.format().clock == format.clock))
    return found_but_expected({path, 2, 1}, "times of other slots", "those of the readings");
  std::optional<OutSlots> slots;
  MeterReadings::Row row;
  while (true) {
    FUGU_ASSIGN(const bool more, rows.next(row));
    if (!more) return slots;
    slots = {slots ? slots->first : row.slot, row.slot};
  }
}

/// Whether what is in the file can have been sent with the journal: it might hold readings, and would be handed on.
Result<void> check_sent(const std::string& path, const OutSlots& out, const SentSlots& journal) {
  if (!journal.hashes.empty() && out.first >= journal.first) return {};
  const Error error = found_but_expected({path, 2, 1}, "values of slots that the journal does not begin with",
                                         "the journal that they were sent with, or another file");
  return Error{Cause::refused, error.message};
}

}  // namespace

Result<SentSlots> SentSlots::read(Input input, std::string_view header, const Clock& clock) {
  LineReader lines(std::move(input));
  FUGU_ASSIGN(const auto first_line, lines.next());
  if (!first_line || !first_line->starts_with(kMagic))
    return found_but_expected({lines.file(), 1, 1}, "another file", "a journal of fugu meter transform");
  if (*first_line != header) {
    const Error error = found_but_expected(lines.at(1), "the journal of another state, or of slots of another length",
                                           "the one that was begun with this state");
    return Error{Cause::refused, error.message};
  }
  SentSlots slots;
  while (true) {
    FUGU_ASSIGN(const auto line, lines.next());
    if (!line) return slots;
    const std::size_t comma = std::min(line->find(','), line->size());
    std::int64_t time = 0;
    std::array<unsigned char, 8> hash{};
    const bool sound = comma < line->size() && detail::parse_whole(line->substr(0, comma), time) && time >= -kSlotMax &&
                       time <= kSlotMax && from_hex(line->substr(comma + 1), hash);
    const std::optional<Slot> slot = !sound ? std::nullopt : clock.has_time() ? clock.slot_at(time) : time;
    if (slot && slots.hashes.empty()) slots.first = *slot;
    if (!slot || *slot != slots.next())
      return found_but_expected(lines.at(1), "something else", "the next slot of a journal as fugu meter wrote it");
    std::uint64_t word = 0;
    for (const unsigned char byte : hash) word = word << 8 | byte;
    slots.hashes.push_back(word);
  }
}

MeterSender::MeterSender(MeterTransform transform, const ReportFormat& format, AppendFile journal, AppendFile out,
                         Slot gap_slots_max)
    : transform_(std::move(transform)),
      format_(format),
      journal_(std::move(journal)),
      out_(std::move(out)),
      gap_slots_max_(gap_slots_max) {
  transform_.start(format_.clock);
}

Result<MeterSender> MeterSender::open(MeterTransform transform, const ReportFormat& format, const Files& files,
                                      Slot gap_slots_max) {
  const std::string header = header_of(transform.state(), format.clock);
  FUGU_ASSIGN(AppendFile journal, AppendFile::open(files.journal, header, "another fugu meter works with this journal",
                                                   AppendFile::Readers::owner));
  FUGU_ASSIGN(Input journal_input, Input::open(files.journal));
  FUGU_ASSIGN(SentSlots slots, SentSlots::read(std::move(journal_input), header, format.clock));
  FUGU_ASSIGN(AppendFile out, AppendFile::open(files.out, std::string("time,meter,").append(kSentColumn),
                                               "another fugu meter is sending to this file"));
  MeterSender sender(std::move(transform), format, std::move(journal), std::move(out), gap_slots_max);
  sender.slots_ = std::move(slots);
  if (!sender.out_.is_stdout()) {
    FUGU_ASSIGN(const auto out_slots, slots_of(files.out, sender.transform_.meter(), format));
    if (out_slots) {
      FUGU_TRY(check_sent(files.out, *out_slots, sender.slots_));
      sender.out_last_ = out_slots->last;
    }
  }
  return sender;
}

std::int64_t MeterSender::time_of(Slot slot) const {
  return format_.clock.has_time() ? format_.clock.start_of(slot) : slot;
}

std::uint64_t MeterSender::hash_of(Slot slot, std::optional<std::int64_t> value_steps) {
  const ClampRange& clamp = transform_.state().plan().clamp;
  std::string message = "journal";
  append_bytes(message, static_cast<std::uint64_t>(time_of(slot)));
  if (value_steps) append_bytes(message, static_cast<std::uint64_t>(std::clamp(*value_steps, clamp.lo, clamp.hi)));
  return word_of(hash_(transform_.state().key(), message), 0);
}

void MeterSender::add_row(Slot slot, std::optional<std::int64_t> value_steps) {
  if (out_last_ && slot <= *out_last_) return;
  out_rows_.append(format_.time_text(slot)).append(",").append(transform_.meter()).append(",");
  out_rows_.append(format_.unit_step.text(transform_.sent(slot, value_steps))).append("\n");
  ++rows_;
}

void MeterSender::add(Slot slot, std::optional<std::int64_t> value_steps) {
  if (slots_.hashes.empty()) slots_.first = slot;
  slots_.hashes.push_back(hash_of(slot, value_steps));
  journal_rows_.append(std::to_string(time_of(slot))).append(",").append(detail::hex_of(slots_.hashes.back()));
  journal_rows_ += '\n';
  add_row(slot, value_steps);
}

Result<void> MeterSender::check_known(const MeterReadings::Row& row, const Location& where) {
  if (row.slot >= slots_.first &&
      slots_.hashes[static_cast<std::size_t>(row.slot - slots_.first)] == hash_of(row.slot, row.value_steps))
    return {};
  FUGU_TRY(send());
  const Error error =
      row.slot < slots_.first
          ? found_but_expected(where, "a slot before the first one that was sent", "readings from then on")
          : found_but_expected(
                where,
                "another reading than the one that was sent for this slot, or one for a slot that "
                "was sent without",
                "one reading for each slot: of a correction both values would show how far apart they are");
  return Error{Cause::refused, error.message};
}

Result<void> MeterSender::check_new(Slot slot, const Location& where) {
  if (slots_.hashes.empty()) return transform_.state().check_begin(format_.clock, slot);
  const Slot gap = slot - slots_.next();
  if (gap <= gap_slots_max_) return {};
  FUGU_TRY(send());
  return found_but_expected(where, "a time too far ahead", csv::expected_gap(gap_slots_max_, gap, format_.clock));
}

Result<void> MeterSender::take(const MeterReadings::Row& row, const Location& where) {
  ++readings_;
  if (!slots_.hashes.empty() && row.slot < slots_.next()) {
    FUGU_TRY(check_known(row, where));
    ++known_;
    add_row(row.slot, row.value_steps);
  } else {
    FUGU_TRY(check_new(row.slot, where));
    for (Slot slot = slots_.next(); !slots_.hashes.empty() && slot < row.slot; ++slot) {
      add(slot, std::nullopt);
      ++filled_;
    }
    add(row.slot, row.value_steps);
  }
  return out_rows_.size() + journal_rows_.size() < kSendEveryBytes ? Result<void>() : send();
}

Result<void> MeterSender::send() {
  if (!journal_rows_.empty()) FUGU_TRY(journal_.append(journal_rows_));
  journal_rows_.clear();
  if (!out_rows_.empty()) FUGU_TRY(out_.append(out_rows_));
  out_rows_.clear();
  sent_ += std::exchange(rows_, 0);
  return {};
}

Result<void> MeterSender::run(MeterReadings& readings, const std::function<void()>& taken) {
  MeterReadings::Row row;
  while (true) {
    if (readings.would_wait()) FUGU_TRY(send());
    FUGU_ASSIGN(const bool more, readings.next(row));
    if (!more) return send();
    FUGU_TRY(take(row, readings.here()));
    taken();
  }
}

}  // namespace fugu
