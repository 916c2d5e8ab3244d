// A suite: the four elements of a study (thesis, section 5.2) in one TOML file: mechanisms, streams, requirements,
// metrics. The format is explained in docs/how-to/benchmark.md.
//
//     FUGU_ASSIGN(const Suite suite, parse_suite("my.toml", text));
//
// Lists in a [[stream]] or [[requirement]] span a grid: what comes out here is already spread out.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fugu/base/result.hpp"
#include "fugu/simulate/anomalies.hpp"
#include "fugu/simulate/artificial.hpp"
#include "fugu/simulate/sparse.hpp"

namespace fugu {

/// Where something stands in the suite, for error messages.
struct SuitePlace {
  std::uint64_t line = 0;
  std::size_t column = 0;
};

/// A mechanism of the registry: `name`, or `name:every`.
struct SuiteMechanism {
  std::string label;  ///< as in the suite: how it is called in results
  std::string name;
  std::optional<std::uint64_t> every_slots = std::nullopt;
  SuitePlace place = {};
};

/// All that the registry has for the requirement at hand.
inline constexpr std::string_view kAllMechanisms = "all";

/// A file below the data folder: CSV, wide, plain or gzip. Each row is a slot, whatever its first column says (months
/// differ in length); an empty cell is missing.
struct SuiteFile {
  std::string path;
  std::vector<std::string> series;  ///< columns to use; empty: all
  std::int64_t slots_max = 0;       ///< 0: all
};

/// Several series, and whether one meter may count into more than one of them: shared, as in fugu publish, unless the
/// suite says that none does.
enum class SuiteBudgets : std::uint8_t { own, shared };

struct SuiteStream {
  std::string name;
  std::variant<ArtificialOptions, SparseOptions, SuiteFile> source;
  /// Put into an artificial stream, and looked for in its releases.
  std::optional<AnomalyKind> anomalies = std::nullopt;
  std::optional<double> season_slots = std::nullopt;
  std::uint64_t period_slots = 0;  ///< how far apart seasons start, for the measures; 0 when there are none
  std::optional<double> amplitude = std::nullopt;
  std::string unit_step = "1";
  double sensitivity = 1;  ///< by how much one meter can change a series in one slot, in the stream's unit
  SuiteBudgets budgets = SuiteBudgets::shared;
  bool truncate = false;  ///< negative releases count as 0
  SuitePlace place = {};
};

/// Made-up policies (simulate/wishes.hpp) instead of windows.
struct SuitePolicies {
  std::uint64_t meters = 1;
  double per_day = 12;
  std::uint64_t seed = 1;
  /// ε of event level for everybody; without it, slots in which no policy is relevant are released as they are.
  std::optional<double> floor_epsilon = std::nullopt;

  friend bool operator==(const SuitePolicies&, const SuitePolicies&) = default;
};

/// What must be kept: w-event, or policies.
struct SuiteRequirement {
  std::string experiment;  ///< what it is part of: "vary-epsilon"
  double epsilon = 1;
  std::optional<std::uint64_t> window_slots = std::nullopt;  ///< absent with policies
  std::optional<SuitePolicies> policies = std::nullopt;
  SuitePlace place = {};
};

/// Measures besides MAE, RMSE and MRE, which every table has. Each costs time and is computed only when it is named.
enum class Measure : std::uint8_t { season, level, amplitude, peak, changes, forecast, anomalies };
inline constexpr std::size_t kMeasures = 7;

/// "season", "level", …
std::string_view name_of(Measure measure);

/// γ of the relative error: a number in the stream's unit, or a share of the sum of each series (as in the thesis).
struct SanityBound {
  double value = 1;
  bool is_share_of_sum = false;
};

/// Runs of each cell: more is a slip.
inline constexpr std::uint64_t kRunsMax = 1'000'000;

struct Suite {
  std::string name;
  std::string title;
  std::string description;
  std::uint64_t seed = 1;
  std::uint64_t runs = 100;
  SanityBound gamma;
  std::array<bool, kMeasures> measures = {};  ///< by Measure
  std::vector<SuiteMechanism> mechanisms;
  std::vector<SuiteStream> streams;
  std::vector<SuiteRequirement> requirements;
  std::string file;  ///< where it was read from, for messages
  std::string text;  ///< as read

  bool wants(Measure measure) const { return measures[static_cast<std::size_t>(measure)]; }
  bool wants_any_measure() const;
};

/// `FILE:LINE:COLUMN: found …; expected …` when it is not a suite, when a key is not known, or when the grid is empty.
Result<Suite> parse_suite(const std::string& file, std::string text);

/// The suites that come with fugu.
struct ShippedSuite {
  std::string_view name;
  std::string_view text;
};
std::span<const ShippedSuite> shipped_suites();

/// A shipped suite by name, or a file. An unknown name lists the known ones.
Result<Suite> find_suite(const std::string& name_or_file);

}  // namespace fugu
