// fugu plan of a discounted promise: the noise of every slot, before anything is released.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "fugu/report/html.hpp"
#include "fugu/report/svg.hpp"
#include "plan_run.hpp"

namespace fugu::cli {

/// What a strategy does in one slot.
struct PreviewSlot {
  std::vector<Rational> scales_steps = {};  ///< of what each series shows: repeated where it is not sampled
  double loss = 0;                          ///< of the meter that loses most in this slot
  double left = 0;                          ///< of ε, when the slot is over
  bool sampled = false;
};

/// One strategy over all slots.
struct Preview {
  std::string name;
  std::vector<PreviewSlot> slots = {};
};

/// One call of `fugu plan --definition discounted-…`. Runs the kernel and strategies of `fugu publish`, with its
/// accountant, over a stream of zeros: what they spend does not depend on data.
class DiscountedPlanRun {
 public:
  explicit DiscountedPlanRun(const PlanArguments& arguments) : arguments_(arguments) {}
  Outcome run();

 private:
  Result<void> check() const;
  Result<void> read();
  Result<void> choose_slots();
  Result<Exposure> exposure() const;
  Result<Preview> preview(const std::string& strategy, std::optional<std::uint64_t> every) const;
  Result<void> preview_all();

  std::uint64_t horizon() const;
  double in_units(double steps) const { return steps * unit_step_.to_double(); }
  double scale(const Preview& preview, Slot slot) const;
  double epsilon() const { return definition_->epsilon().value(); }
  std::string time_text(Slot slot) const { return clock_.clock.text(slot, clock_.utc_offset_s); }
  std::string with_unit(const std::string& number) const {
    return arguments_.unit.empty() ? number : number + " " + arguments_.unit;
  }

  using Facts = std::vector<std::pair<std::string, std::string>>;
  Facts facts() const;
  std::string sensitivity_fact() const;
  report::Table summary_table() const;
  report::Table over_time_table() const;
  std::vector<Slot> slots_to_tell() const;
  std::vector<std::string> remarks() const;
  std::vector<std::string> plain_words() const;
  report::ChartStack draw() const;
  Result<void> write_csv() const;
  Result<void> write_pictures() const;

  const PlanArguments& arguments_;
  UnitStep unit_step_;
  RunClock clock_;
  PlannedSeries series_;
  std::optional<ScheduleFile> schedule_;
  std::optional<Definition> definition_;
  std::optional<Exposure> exposure_;
  Slot slots_ = 0;
  Interval shown_;
  SeriesId told_ = 0;  // the series that tables and pictures are about: that with the most noise
  std::vector<Preview> previews_;
  std::vector<double> most_;  // what the schedule that meets the bound with equality loses, slot by slot
  std::string left_out_;      // a strategy that is not shown, and why
};

}  // namespace fugu::cli
