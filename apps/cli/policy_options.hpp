// Policies, from the command line. Shared by publish, plan, audit and attack.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fugu/accounting/definition.hpp"
#include "fugu/policy/policy_file.hpp"
#include "fugu/policy/policy_rows.hpp"

namespace fugu::cli {

/// What a policies file is read with: the stream's grid and clock, and who counts into what.
struct PolicyContext {
  UnitStep unit_step = {};
  Clock clock = {};
  std::int32_t utc_offset_s = 0;
  std::optional<std::int32_t> default_utc_offset_s = {};
  CurrentMap map = {};
  std::vector<std::string> series = {};
  /// Sets of series one meter may count into, as in the Exposure; needed with a map only.
  std::vector<std::vector<SeriesId>> signatures = {};
  /// Whether a meter with these signatures can have such a policy here.
  std::function<Result<void>(const std::vector<std::uint32_t>& signatures, const Policy&)> can_keep = nullptr;
  std::optional<std::uint64_t> largest_change_steps = {};  ///< what --sensitivity says that one meter can change
};

struct PolicyArguments {
  std::string policies;
  std::string floor;
  bool exact_when_idle = false;
  Slot notice_slots = 0;
  std::string largest_magnitude;
  std::optional<double> smallest_epsilon;
  std::optional<std::size_t> most_overlapping;
  std::string repeats = "auto";

  /// `--policies`, and how the file is read.
  void add_file_to(CLI::App& command);
  /// The same, and what holds where no policy is relevant.
  void add_to(CLI::App& command);
  /// The administrator's rule of what is admitted.
  void add_admission_to(CLI::App& command);

  bool given() const { return !policies.empty(); }
  /// Whether something is said that has a meaning with a file only.
  bool about_policies() const;
  /// The swellfish definition these options make, with this δ.
  Result<Definition> definition(Delta delta) const;
  /// The administrator's rule.
  Result<AdmissionRule> admission(const UnitStep& unit_step) const;
  Result<PolicyOptions> reading(const PolicyContext& context) const;
  /// Reads the whole file, or nothing.
  Result<PolicyBook> read(const PolicyContext& context) const;
  /// The same, as rows.
  Result<PolicyRows> read_rows(const PolicyContext& context) const;
  /// The file as a feed. `fresh`: nothing was released yet. `live`: rows may be appended while the stream runs.
  Result<std::unique_ptr<PolicyFeed>> feed(const PolicyContext& context, bool fresh, bool live) const;
};

/// Parses `event:EPS`, `w-event:EPS:W` or `user:EPS:HORIZON`.
Result<Definition> parse_floor(const std::string& text, Delta delta);

}  // namespace fugu::cli
