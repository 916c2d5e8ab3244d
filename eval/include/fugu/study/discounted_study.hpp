// The evaluation of Farokhi's "Temporally Discounted Differential Privacy", repeated: daily averages of households over
// a year, expected relative error under plain, exponentially and hyperbolically discounted privacy, the paper's
// schedules against ours.
//
//     FUGU_ASSIGN(const DiscountedStudy study, DiscountedStudy::make({}));
//     FUGU_ASSIGN(ResultFile file, study.open("out", false));
//     FUGU_TRY(study.run(file, {}));
//     FUGU_ASSIGN(const std::string page, study.page());
//
// What is released is the sum over the households of a day, clamped each; the average is that sum over their number.
// The number is public (so the average is post-processing, with a sensitivity of clamp over number), or it is a second
// series that shares the budget. Noise is that of the kernel, the schedule that of the strategies of fugu publish.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/accounting/definition.hpp"
#include "fugu/base/result.hpp"
#include "fugu/mechanism/mechanism.hpp"
#include "fugu/report/html.hpp"
#include "fugu/study/result_file.hpp"

namespace fugu {

/// Households by day. They may join and leave.
struct Population {
  std::string name;
  std::vector<std::int64_t> sum_steps;   ///< of 0.01 kWh, over those present, each clamped
  std::vector<std::int64_t> households;  ///< present that day; at least 1
  // What days of households were before they were clamped (figure 1, left).
  std::vector<std::int64_t> days_by_kwh;  ///< how many had from i to i + 1 kWh
  std::int64_t days_above_clamp = 0;
  double largest_kwh = 0;
  double all_kwh = 0;
  double cut_kwh = 0;  ///< of it, what lay above the clamp

  std::size_t days() const { return sum_steps.size(); }
};

struct DiscountedStudyOptions {
  std::string data_folder = {};  ///< with sgsc_newcastle and citylearn_fontana; empty: simulated
  std::uint64_t households = 300;
  std::int64_t days = 365;
  double epsilon = 1;
  double clamp_kwh = 50;     ///< a household's day counts up to this: the public bound that noise is made for
  std::uint64_t runs = 200;  ///< where the number of households is protected: the error has no closed form there
  std::uint64_t seed = 1;
  unsigned threads = 0;
};

/// When the budget is spent: strategies of fugu publish.
enum class DiscountedSchedule : std::uint8_t { uniform, published, equal, planned, planned_largest };
std::string_view name_of(DiscountedSchedule schedule);

/// One row of the results: what is released, under which promise, by which schedule.
struct DiscountedCell {
  std::size_t population = 0;
  Protects protects = Protects::event;
  double factor = 0;  ///< α or β
  DiscountedSchedule schedule = DiscountedSchedule::uniform;
  bool count_protected = false;
};

/// What came of a cell. Without data when some day needs more noise than can be drawn, or less budget than can be
/// counted.
struct DiscountedCourse {
  std::vector<double> relative_error;  ///< expected, of the average, by day; empty without data
  double worst_share = 0;              ///< the most that counted in any slot, of ε; above 1 the promise is broken
  double gap = 0;                      ///< certificate of a plan; 0 elsewhere

  bool has_data() const { return !relative_error.empty(); }
  double mean_error() const;
};

class DiscountedStudy {
 public:
  static Result<DiscountedStudy> make(const DiscountedStudyOptions& options);

  const DiscountedStudyOptions& options() const { return options_; }
  const std::vector<Population>& populations() const { return populations_; }
  const std::vector<DiscountedCell>& cells() const { return cells_; }
  Result<DiscountedCourse> course(const DiscountedCell& cell) const;

  Result<ResultFile> open(const std::string& folder, bool restart) const;
  /// Adds the rows that are missing.
  Result<void> run(ResultFile& file, const std::function<void(std::size_t, std::size_t)>& progress) const;
  /// Figure 1 (left) in numbers: the days of households, and what the clamp cuts. Not protected by anything.
  report::Table days_table() const;
  /// The report: figures 1 to 3 of the paper, and what the schedules differ by. Shows true averages.
  Result<std::string> page() const;

 private:
  explicit DiscountedStudy(const DiscountedStudyOptions& options) : options_(options) {}
  void list_cells();
  /// How the cell's row begins.
  std::string key_of(const DiscountedCell& cell) const;
  std::uint64_t clamp_steps() const;
  Result<Definition> definition_of(const DiscountedCell& cell) const;
  Result<std::unique_ptr<Strategy>> strategy_of(const DiscountedCell& cell, double& gap) const;
  /// The error of an average whose number of households is noisy too: the mean over runs.
  Result<DiscountedCourse> measure(const DiscountedCell& cell) const;

  DiscountedStudyOptions options_;
  std::vector<Population> populations_;
  std::vector<DiscountedCell> cells_;
};

}  // namespace fugu
