// The texts of one row → a policy. What CSV and JSON Lines have in common.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fugu/policy/pattern.hpp"
#include "fugu/policy/policy_reader.hpp"
#include "fugu/stream/json_line.hpp"
#include "fugu/stream/location.hpp"
#include "row_memo.hpp"

namespace fugu {

/// Texts of a row; empty when they are absent. They may be part of the line, which then gives errors their column.
struct RowText {
  std::string_view meter;
  std::string_view start;
  std::string_view end;
  std::string_view length;
  std::string_view magnitude;
  std::string_view epsilon;
  std::string_view group;
  std::string_view known;
};

/// Where a row is, to say where it is wrong.
struct RowPlace {
  std::string_view file;
  std::uint64_t line_number = 0;
  std::string_view line;

  /// `field` is what is wrong.
  Error wrong(std::string_view field, std::string_view found, std::string_view expected) const;
  /// `FILE:LINE: message`, for a message that says the rest.
  Error wrong(const Error& what) const;
};

/// Has a memory of earlier rows, as rows often repeat them.
class RowParser {
 public:
  explicit RowParser(PolicyOptions options);

  /// Meter and known. `stated` is replaced, but for what the others below set.
  Result<void> parse_frame(const RowText& row, const RowPlace& place, StatedPolicy& stated);
  /// ε.
  Result<void> parse_promise(const RowText& row, const RowPlace& place, Policy& policy);
  /// `length` and `magnitude`, for `group` individuals.
  Result<void> parse_event(const RowText& row, const RowPlace& place, Policy& policy);
  /// The same from a JSON `profile`, or from `patterns` with the `constraints` they obey, nullptr when there are none.
  Result<void> parse_profile(const json::Value& profile, const RowText& row, const RowPlace& place, Policy& policy);
  Result<void> parse_patterns(const json::Value& patterns, const json::Value* constraints, const RowText& row,
                              const RowPlace& place, Policy& policy);
  Result<Interval> parse_interval(const RowText& row, const RowPlace& place);
  /// The intervals of a JSON `repeat`.
  Result<std::vector<Interval>> parse_repeat(const json::Value& repeat, const RowPlace& place, Slot known) const;

  /// Whether the interval fits the rest of the policy, the clock and what was known when.
  Result<void> check(const StatedPolicy& stated, const RowText& row, const RowPlace& place) const;

 private:
  Result<void> check_meter(std::string_view meter, const RowPlace& place);
  Result<Slot> parse_slot(std::string_view what, std::string_view text, const RowPlace& place);
  Result<Budget> parse_epsilon(std::string_view text, const RowPlace& place) const;
  Result<std::uint64_t> parse_group(std::string_view text, const RowPlace& place) const;
  std::int64_t magnitude_steps(std::string_view text, const RowPlace& place);
  Result<std::uint64_t> of_group(std::int64_t steps, std::uint64_t group, const std::optional<std::string_view>& text,
                                 const RowPlace& place) const;
  Result<std::uint64_t> parse_magnitude(std::string_view text, bool may_be_zero, std::uint64_t group,
                                        const RowPlace& place);
  Result<Lane> parse_lane(const json::Value& value, std::uint64_t group, const RowPlace& place);
  Result<Constraints> parse_constraints(const json::Value& value, const RowPlace& place) const;
  Result<SeriesId> find_series(std::string_view name, const RowPlace& place) const;
  std::string expected_time(TimeFault fault) const;
  std::string slot_text(Slot slot) const;

  PolicyOptions options_;
  ByActivity<SeriesId> series_;
  Slot slot_max_;
  std::string last_meter_;
  std::string last_epsilon_text_;
  Budget last_epsilon_;
  DayMemo day_;
  StepsMemo magnitudes_;
};

}  // namespace fugu
