#include "fugu/stream/csv.hpp"

#include <algorithm>

#include "fugu/base/utf8.hpp"

namespace fugu::csv {

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t comma = line.find(',');
    fields.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

Result<std::string_view> read_header(LineReader& lines, std::string_view expected) {
  FUGU_ASSIGN(const auto header, lines.next());
  if (!header) return found_but_expected({lines.file(), 0, 0}, "an empty file", expected);
  return *header;
}

Result<void> check_name(std::string_view name, const Location& where, std::string_view what) {
  const auto is_unprintable = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (name.empty()) return found_but_expected(where, "nothing", what);
  if (name.find('"') != std::string_view::npos) {
    return found_but_expected(where, "a quote", std::string(what) + " without quotes");
  }
  if (std::any_of(name.begin(), name.end(), is_unprintable)) {
    return found_but_expected(where, "a control character", std::string(what) + " of printable characters");
  }
  if (!is_utf8(name)) return found_but_expected(where, "bytes that are not UTF-8", std::string(what) + " in UTF-8");
  return {};
}

std::string expected_first_time(TimeFault fault) {
  return std::string(fault == TimeFault::shape ? "a slot number such as 0, 1, 2, or " : "")
      .append(expected_stamp(fault));
}

std::string expected_gap(Slot gap_slots_max, Slot gap_slots, const Clock& clock) {
  return "a gap of at most " + std::to_string(gap_slots_max) +
         " slots; if the input really paused, allow a larger gap" +
         (clock.has_time() ? ": " + std::to_string(gap_slots) + " slots" : std::string());
}

std::string count_fields(std::size_t count) { return std::to_string(count) + (count == 1 ? " field" : " fields"); }

}  // namespace fugu::csv
