// Comma-separated fields: no quoting, no escapes, so a field holds neither comma nor quote nor line end.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/stream/clock.hpp"
#include "fugu/stream/line_reader.hpp"

namespace fugu::csv {

/// The fields of `line`, at least one.
std::vector<std::string_view> split(std::string_view line);

/// Column, from 1, at which `field` starts in the `line` it is part of.
inline std::size_t column_of(std::string_view field, std::string_view line) {
  return static_cast<std::size_t>(field.data() - line.data()) + 1;
}

/// Reads the header line. An empty file is an error that says what was expected.
Result<std::string_view> read_header(LineReader& lines, std::string_view expected);

/// The error for a name that is empty, is not UTF-8, or holds quotes or control characters, if it is such a name.
/// `what` says what the name is for: "a series name".
Result<void> check_name(std::string_view name, const Location& where, std::string_view what);

/// What would be right in the time column of the first row, which may also hold a slot number.
std::string expected_first_time(TimeFault fault);

/// What would be right instead of a time that moves the stream on by `gap_slots`, more than `gap_slots_max`. How many
/// there are is said of stamps only: a plain number may be a reading in the wrong column.
std::string expected_gap(Slot gap_slots_max, Slot gap_slots, const Clock& clock);

/// "3 fields", "1 field".
std::string count_fields(std::size_t count);

}  // namespace fugu::csv
