#include "released_file.hpp"

#include <numeric>
#include <optional>

#include "fugu/stream/line_reader.hpp"
#include "fugu/stream/release_reader.hpp"
#include "fugu/stream/stamp.hpp"

namespace fugu::cli {

Result<std::vector<std::string>> series_in(const std::string& released) {
  FUGU_ASSIGN(Input input, Input::open(released));
  FUGU_ASSIGN(ReleaseReader rows, ReleaseReader::open(std::move(input), {}));
  ReleaseRecord row;
  for (;;) {
    FUGU_ASSIGN(const bool more, rows.next(row));
    if (!more) break;
  }
  if (rows.series().empty()) return Error{Cause::bad_input, released + ": holds no release"};
  return rows.series();
}

Result<RunClock> clock_in(const std::string& released) {
  FUGU_ASSIGN(Input input, Input::open(released));
  LineReader lines(std::move(input));
  FUGU_TRY(lines.next());  // the header
  std::optional<Stamp> first;
  std::int64_t last_s = 0;
  std::int64_t slot_s = 0;  // what all steps are multiples of: slots may be missing in the file
  for (;;) {
    FUGU_ASSIGN(const auto line, lines.next());
    if (!line) break;
    Stamp stamp;
    if (parse_stamp(line->substr(0, line->find(',')), std::nullopt, stamp) != TimeFault::none) break;
    if (first) slot_s = std::gcd(slot_s, stamp.instant_s - last_s);
    if (!first) first = stamp;
    last_s = stamp.instant_s;
  }
  return slot_s > 0 ? RunClock{Clock(first->instant_s, slot_s), first->utc_offset_s}
                    : RunClock{};  // slot numbers, or a single slot
}

}  // namespace fugu::cli
