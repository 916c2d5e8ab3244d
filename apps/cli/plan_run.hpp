// One call of `fugu plan`: what is read, what is worked out from it, what is said about it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "command.hpp"
#include "definition_options.hpp"
#include "fugu/report/html.hpp"
#include "plan_outlook.hpp"
#include "policy_options.hpp"

namespace fugu::cli {

struct PlanArguments {
  DefinitionOptions definition;
  std::vector<std::string> series;
  std::string series_map;
  std::string households;
  std::vector<std::string> strategies;
  std::string unit_step = "1";
  std::string unit;
  std::optional<Slot> notice;
  std::optional<Slot> slots;
  std::optional<std::uint64_t> every;  ///< equal
  std::string least = "mean";          ///< planned
  std::string from;
  std::string until;
  std::string start;
  std::string slot_length = "15m";
  std::string meter;
  std::optional<double> target_error;
  std::size_t top = 5;
  std::string out;
  std::string plot;
  std::string html;
};

/// Names of the stream's series, and who counts into them where a map says so.
struct PlannedSeries {
  std::vector<std::string> names;
  std::optional<SeriesMap> map;
};
/// From the map, as given, or made up where only their number is.
Result<PlannedSeries> read_planned_series(const PlanArguments& arguments);

/// What an option says: a slot number, or a time where there are times.
Result<Slot> slot_of_option(const RunClock& clock, const std::string& text, const char* option);

/// One call of `fugu plan` about policies.
class PlanRun {
 public:
  explicit PlanRun(const PlanArguments& arguments) : arguments_(arguments) {}
  Outcome run();

 private:
  const PolicyArguments& policies() const { return arguments_.definition.policies; }
  double delta() const { return arguments_.definition.delta; }
  Result<void> check() const;
  Result<void> read();
  PolicyContext context() const;
  Result<void> read_book();
  Result<void> choose_slots();
  Result<void> choose_rules();
  Result<Exposure> exposure() const;
  double floor_rate(const Definition& floor) const;
  const Definition* floor() const { return outlook_.rules->definition.floor(); }
  NoiseKind noise() const { return outlook_.noise(); }

  /// When policies become known: all in advance, or as --notice or else the file says.
  enum class Known : std::uint8_t { in_advance, as_stated };
  Result<PlannedNoise> plan(const std::string& name, double epsilon_factor, Known known) const;
  std::string known_fact() const;
  double mean_error(const PlannedNoise& planned) const;
  Result<void> weigh_parts();
  void find_binding();
  double sum_of_shares(std::span<const BindingPolicy> binding) const;

  /// A row of the table for each strategy.
  struct ShownGroup {
    std::size_t part;
    SeriesGroup group;
  };
  std::vector<ShownGroup> groups_by_noise() const;
  std::string verdict(const PlannedNoise& strategy, const PlannedPart& planned) const;
  std::string noise_caption() const;
  report::Table strategies_table() const;
  std::vector<std::string> remarks() const;
  std::string_view meter_name(const BindingInPart& bound) const;
  std::vector<BindingInPart> policies_to_explain() const;
  std::string why_nothing_is_explained() const;
  report::Table binding_table() const;
  std::string dominating(const BindingInPart& bound, const Policy& policy) const;
  /// What the policies are like, and what that means.
  report::Table facts_table() const;
  std::string facts_words() const;
  struct Gains {
    report::Table table;
    bool loosening_costs = false;
  };
  Gains gains() const;
  std::vector<std::string> plain_words() const;
  struct Fact {
    std::string about;
    std::string text;
  };
  std::string series_fact() const;
  std::vector<Fact> facts() const;

  /// What --target-error found.
  struct Target {
    bool reached = false;
    std::vector<std::string> words;
  };
  Result<Target> solve_target() const;
  Result<double> mean_error_at(double factor) const;
  double smallest_factor() const;
  Result<std::optional<double>> find_factor(double error_now) const;

  int files_on_standard_output() const {
    return (arguments_.out == "-") + (arguments_.plot == "-") + (arguments_.html == "-");
  }
  Result<void> write_csv() const;
  Result<void> write_pictures(const Gains& gained, const std::optional<Target>& target) const;

  const PlanArguments& arguments_;
  PlanOutlook outlook_;
  std::optional<SeriesMap> map_;
  std::vector<StatedPolicy> late_;     // rows of the file that become known, or take something back, on the way
  std::vector<double> part_errors_;    // Σ expected error of narwhal over slots and series
  Slot stream_last_ = kPolicySlotMax;  // where the stream ends, when that is said
  bool ends_at_horizon_ = false;       // of the floor, though policies or --slots reach further
  bool has_span_ = false;
};

}  // namespace fugu::cli
