// Reads policies: CSV with header `meter,start,end,length,magnitude,epsilon`, or JSON Lines with the same keys, told
// apart by their first character. docs/concepts/policies.md has the formats.
//
// Rules:
// - `start` and `end` name the first and the last slot, by number or by the time at which the slot starts.
// - A magnitude is rounded up to the grid, an ε down: what is promised is never less than what was asked for.
// - A row is right as a whole or an error. The error names file and line, what was found and what would be right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/policy/admission.hpp"
#include "fugu/policy/book.hpp"
#include "fugu/stream/block_reader.hpp"
#include "fugu/stream/clock.hpp"
#include "fugu/stream/decimal.hpp"
#include "fugu/stream/series_map.hpp"

namespace fugu {

/// Two rows that say the same: a slip, or two wishes (two televisions at once), which then count twice.
enum class Repeats : std::uint8_t {
  refuse,
  keep,
  /// Refuse in a file of up to kTypedRowsMax rows, which somebody may have typed; keep in longer ones, which programs
  /// write, and say so.
  by_size,
};
inline constexpr std::uint64_t kTypedRowsMax = 100;

struct PolicyOptions {
  UnitStep unit_step = {};                                ///< the stream's
  Clock clock = {};                                       ///< the stream's; without time, only slot numbers are read
  std::optional<std::int32_t> default_utc_offset_s = {};  ///< for stamps without one
  std::int32_t utc_offset_s = 0;                          ///< in which days and times of recurring wishes are meant
  /// The slot about to be released: recurring wishes without `since` begin there. Whether something else has begun is
  /// for admit() to say.
  Slot now = 0;
  CurrentMap map = {};  ///< meters that are not in it are an error; outlives the reader
  /// Names of the stream's series, by SeriesId, for profiles and patterns that name some. Taken from `map` when empty.
  std::vector<std::string> series = {};
  /// Limits on single policies hold for every row. The others need to see what a meter has: read_policy_book() checks
  /// them, who takes rows one by one asks admit().
  AdmissionRule admission = {};
  /// What the stream says that one meter can change in a slot: a magnitude above it, of all in a group together,
  /// contradicts it.
  std::optional<std::uint64_t> largest_change_steps = {};
  /// Whether what is to keep the policies can keep this one of this meter.
  std::function<Result<void>(std::string_view meter, const Policy&)> can_keep = nullptr;
  Repeats repeats = Repeats::refuse;                       ///< for read_policy_book()
  std::function<void(const std::string&)> warn = nullptr;  ///< told how many repeats were kept, and where
  /// Told once per reader, when the first magnitude is rounded up to the grid.
  std::function<void(const std::string&)> warn_rounding = nullptr;
  /// The input is the rest of a JSON Lines file, so its first character tells nothing.
  bool goes_on_in_json = false;
  std::size_t block_size = BlockReader::kBlockSize;
};

/// What one row says, or one occurrence of a row that comes back.
struct StatedPolicy {
  std::string meter;
  Policy policy;
  Slot known = 0;          ///< from which slot on it is known; not after its interval begins
  bool withdrawn = false;  ///< takes back an equal policy that was stated before
  std::uint64_t line = 0;
};

class PolicyReader {
 public:
  /// Reads the header of a CSV. A file that is empty is an error; a header alone states nothing.
  static Result<PolicyReader> open(Input input, PolicyOptions options);
  PolicyReader(PolicyReader&&) noexcept;
  PolicyReader& operator=(PolicyReader&&) noexcept;
  ~PolicyReader();

  /// The next policy; false at the end. After an error about a row, the next call goes on with the row after it, and
  /// nothing of the wrong row was handed out. On an error `stated` is unspecified.
  Result<bool> next(StatedPolicy& stated);
  /// True when next() would have to wait for a writer.
  bool would_wait();

  const std::string& file() const;
  /// JSON Lines, or else CSV.
  bool is_json() const;

 private:
  class Impl;
  explicit PolicyReader(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

/// Reads all policies of a file, less those taken back, or none: besides a wrong row, two that say the same (unless
/// `repeats` keeps them), taking back what is not there, and what `admission` does not allow are errors. Notice is
/// asked of rows that became known while the stream ran (`known` or `now` above 0).
Result<PolicyBook> read_policy_book(Input input, const PolicyOptions& options);

}  // namespace fugu
