#include "plan_discounted.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "file_options.hpp"
#include "fugu/attack/attack.hpp"
#include "fugu/noise/law.hpp"
#include "fugu/report/number.hpp"
#include "fugu/simulate/simulation.hpp"
#include "fugu/strategy/registry.hpp"
#include "output_stream.hpp"
#include "source_options.hpp"
#include "table.hpp"
#include "time_axis.hpp"

namespace fugu::cli {

namespace {

/// No more than `planned` can plan for.
constexpr Slot kSlotsMax = 100'000;
constexpr Slot kSlotsUsual = 365;
/// Of slots and series: some hundred megabytes.
constexpr std::size_t kValuesMax = 4'000'000;

Error usage(std::string message) { return {Cause::usage, std::move(message)}; }

std::string number(double value) { return report::format_significant(value); }

/// Lets a strategy decide and looks what is left afterwards.
class Watched final : public Strategy {
 public:
  Watched(std::unique_ptr<Strategy> strategy, double& left) : strategy_(std::move(strategy)), left_(left) {}

  Result<void> step(Kernel& kernel, Release& release) override {
    FUGU_TRY(strategy_->step(kernel, release));
    left_ = kernel.available().to_double();
    return {};
  }
  Reach reach() const override { return strategy_->reach(); }

 private:
  std::unique_ptr<Strategy> strategy_;
  double& left_;
};

/// What the answers of a slot lose about the meter that loses most.
double largest_loss(const Release& release, const Exposure& exposure) {
  double largest = 0;
  for (std::size_t g = 0; g < exposure.signature_count(); ++g) {
    double loss = 0;
    for (const SeriesId id : exposure.signature(g))
      loss += release.loss_rates()[id] * static_cast<double>(exposure.sensitivity_steps(id, release.slot()));
    largest = std::max(largest, loss);
  }
  return largest;
}

PreviewSlot look_at(const Release& release, const Exposure& exposure, double left) {
  PreviewSlot slot{.loss = largest_loss(release, exposure), .left = left};
  for (const ReleasedValue& value : release.values()) {
    slot.scales_steps.push_back(value.value.parameter);
    slot.sampled |= value.sampled;
  }
  return slot;
}

}  // namespace

// --- From options to a plan ---------------------------------------------------------------------------------------

Result<void> DiscountedPlanRun::check() const {
  if (!arguments_.series_map.empty() && (!arguments_.series.empty() || arguments_.definition.budgets == "own"))
    return usage("--series-map says which series there are and who counts into them: leave --series and --budgets out");
  if ((arguments_.out == "-") + (arguments_.plot == "-") + (arguments_.html == "-") > 1)
    return usage("only one of --out, --plot and --html can go to standard output (-)");
  return check_different({{"--sensitivity-schedule", arguments_.definition.sensitivity_schedule},
                          {"--series-map", arguments_.series_map},
                          {"--out", arguments_.out},
                          {"--plot", arguments_.plot},
                          {"--html", arguments_.html}});
}

std::uint64_t DiscountedPlanRun::horizon() const {
  return static_cast<std::uint64_t>(arguments_.definition.horizon().value_or(slots_));
}

Result<void> DiscountedPlanRun::choose_slots() {
  slots_ = arguments_.slots.value_or(arguments_.definition.horizon().value_or(kSlotsUsual));
  if (slots_ < 1 || slots_ > kSlotsMax)
    return usage("--slots: found " + std::to_string(slots_) + "; expected 1 to " + std::to_string(kSlotsMax));
  if (static_cast<std::size_t>(slots_) > kValuesMax / series_.names.size())
    return usage("--slots: found " + std::to_string(slots_) + " slots of " + std::to_string(series_.names.size()) +
                 " series; expected at most " + std::to_string(kValuesMax) + " values");
  shown_ = {0, slots_ - 1};
  if (!arguments_.from.empty()) {
    FUGU_ASSIGN(shown_.first, slot_of_option(clock_, arguments_.from, "--from"));
  }
  if (!arguments_.until.empty()) {
    FUGU_ASSIGN(shown_.last, slot_of_option(clock_, arguments_.until, "--until"));
  }
  shown_.last = std::min(shown_.last, slots_ - 1);
  if (shown_.first < 0 || shown_.first > shown_.last)
    return usage("--from and --until leave no slot: the plan has slots 0 to " + std::to_string(slots_ - 1));
  return {};
}

/// As publish has it: of a stream, or of readings when a map is given, whose clamp --sensitivity stands for.
Result<Exposure> DiscountedPlanRun::exposure() const {
  const ScheduleFile* const schedule = schedule_ ? &*schedule_ : nullptr;
  const SeriesMap* const map = series_.map ? &*series_.map : nullptr;
  FUGU_ASSIGN(Exposure made, arguments_.definition.exposure_of_stream(unit_step_, series_.names.size(), map, schedule));
  SensitivityRows rows;
  if (schedule != nullptr) {
    FUGU_ASSIGN(rows, SensitivityRows::of(*schedule, unit_step_, series_.names.size()));
  }
  if (map != nullptr) {  // a household with several meters in a series changes it by so many times as much
    const std::vector<std::uint64_t> meters = map->meters_of_one_unit();
    Exposure::Options options{.sensitivity_steps = {}, .signatures = map->signatures()};
    for (SeriesId id = 0; id < meters.size(); ++id)
      options.sensitivity_steps.push_back(made.sensitivity_steps(id) * meters[id]);
    for (auto& row : rows.steps) std::ranges::transform(row, meters, row.begin(), std::multiplies<>());
    FUGU_ASSIGN(made, Exposure::make(std::move(options)));
  }
  return schedule == nullptr ? made : exposure_over_time(made, *schedule, rows, clock_);
}

Result<void> DiscountedPlanRun::read() {
  FUGU_ASSIGN(const Definition definition, arguments_.definition.make());
  definition_.emplace(definition);
  FUGU_ASSIGN(unit_step_, of_option("--unit-step", UnitStep::parse(arguments_.unit_step)));
  FUGU_ASSIGN(clock_, clock_from(arguments_.start, arguments_.slot_length));
  FUGU_ASSIGN(series_, read_planned_series(arguments_));
  FUGU_ASSIGN(schedule_, arguments_.definition.read_schedule(series_.names));
  FUGU_TRY(choose_slots());
  FUGU_ASSIGN(Exposure exposed, exposure());
  exposure_.emplace(std::move(exposed));
  return {};
}

// --- What strategies do -------------------------------------------------------------------------------------------

Result<Preview> DiscountedPlanRun::preview(const std::string& strategy, std::optional<std::uint64_t> every) const {
  FUGU_ASSIGN(auto made, make_strategy(strategy, {.discount = definition_->discount(),
                                                  .every_slots = every,
                                                  .horizon_slots = horizon(),
                                                  .least = arguments_.least == "mean" ? PlanLeast::mean_error
                                                                                      : PlanLeast::largest_error,
                                                  .noise_weight = noise_weights(*exposure_)}));
  Preview preview{.name = strategy};
  double left = 0;
  Simulation simulation(
      {*definition_, *exposure_, NoiseKind::laplace, std::make_unique<Watched>(std::move(made), left)},
      std::make_unique<SimulationNoise>(1));
  SlotRow row;
  row.values.assign(series_.names.size(), Raw(0));
  for (row.slot = 0; row.slot < slots_; ++row.slot) {
    FUGU_ASSIGN(const Release* release, simulation.step(row));
    preview.slots.push_back(look_at(*release, *exposure_, left));
  }
  return preview;
}

Result<void> DiscountedPlanRun::preview_all() {
  std::vector<std::string> names = arguments_.strategies;
  if (names.empty()) {
    for (const StrategyKind& kind : strategy_kinds())
      if (serves(kind, Serves::discounted)) names.emplace_back(kind.name);
  }
  for (const std::string& name : names) {
    auto seen = preview(name, name == "equal" ? arguments_.every : std::nullopt);
    if (!seen && arguments_.strategies.empty() && name != "equal") {
      left_out_ += (left_out_.empty() ? "" : "; ") + ("not shown: " + seen.error().message);
      continue;
    }
    FUGU_ASSIGN(Preview shown, std::move(seen));
    previews_.push_back(std::move(shown));
  }
  FUGU_ASSIGN(const Preview most, preview("equal", 1));
  for (const PreviewSlot& slot : most.slots) most_.push_back(slot.loss);
  const auto noise = [&](SeriesId id) { return most.slots.back().scales_steps[id].to_double(); };
  for (SeriesId id = 1; id < exposure_->series_count(); ++id)
    if (noise(id) > noise(told_)) told_ = id;
  return {};
}

double DiscountedPlanRun::scale(const Preview& preview, Slot slot) const {
  return in_units(preview.slots[static_cast<std::size_t>(slot)].scales_steps[told_].to_double());
}

// --- Words and tables ---------------------------------------------------------------------------------------------

std::string DiscountedPlanRun::sensitivity_fact() const {
  const auto text = [&](std::uint64_t steps) { return unit_step_.text(static_cast<std::int64_t>(steps)); };
  const bool several = exposure_->series_count() > 1;
  if (!exposure_->varies())
    return with_unit(text(exposure_->sensitivity_steps(told_))) + (several ? " in " + series_.names[told_] : "");
  std::uint64_t least = exposure_->sensitivity_steps(told_);
  std::uint64_t most = 0;
  for (Slot slot = 0; slot < slots_; ++slot) {
    least = std::min(least, exposure_->sensitivity_steps(told_, slot));
    most = std::max(most, exposure_->sensitivity_steps(told_, slot));
  }
  return "from " + text(least) + " to " + with_unit(text(most)) + (several ? " in " + series_.names[told_] : "") +
         ", as " + arguments_.definition.sensitivity_schedule + " says; it is public";
}

DiscountedPlanRun::Facts DiscountedPlanRun::facts() const {
  const std::size_t series = exposure_->series_count();
  Facts facts;
  facts.emplace_back("promise", definition_->text());
  facts.emplace_back("slots", time_text(shown_.first) + " to " + time_text(shown_.last));
  facts.emplace_back("series",
                     std::to_string(series) + (series_.map ? ", with the meters that " + arguments_.series_map + " says"
                                               : series == 1 ? ""
                                               : arguments_.definition.budgets == "own"
                                                   ? ", each with a budget of its own: no meter counts into two"
                                                   : ", budgets shared: a meter may count into all of them"));
  facts.emplace_back("sensitivity", sensitivity_fact());
  facts.emplace_back("data", "none: what is spent does not depend on it; a slot without a total would cost nothing");
  return facts;
}

report::Table DiscountedPlanRun::summary_table() const {
  using Align = report::Column::Align;
  const std::string of = exposure_->series_count() > 1 ? " of " + series_.names[told_] : "";
  report::Table table{.caption = "Noise" + of + (arguments_.unit.empty() ? "" : ", in " + arguments_.unit),
                      .columns = {{"strategy", Align::text},
                                  {"first scale", Align::number},
                                  {"mean", Align::number},
                                  {"largest", Align::number},
                                  {"last", Align::number},
                                  {"expected error", Align::number},
                                  {"repeated", Align::number},
                                  {"lost in all", Align::number},
                                  {"most that counts/ε", Align::number}}};
  for (const Preview& preview : previews_) {
    double sum = 0;
    double largest = 0;
    double error = 0;
    double lost = 0;
    double least_left = epsilon();
    Slot repeated = 0;
    for (Slot slot = shown_.first; slot <= shown_.last; ++slot) {
      const PreviewSlot& at = preview.slots[static_cast<std::size_t>(slot)];
      sum += scale(preview, slot);
      largest = std::max(largest, scale(preview, slot));
      error += in_units(NoiseLaw{NoiseKind::laplace, at.scales_steps[told_]}.expected_magnitude());
      lost += at.loss;
      least_left = std::min(least_left, at.left);
      repeated += at.sampled ? 0 : 1;
    }
    const auto count = static_cast<double>(shown_.slots());
    table.rows.push_back({{preview.name},
                          {number(scale(preview, shown_.first))},
                          {number(sum / count)},
                          {number(largest)},
                          {number(scale(preview, shown_.last))},
                          {number(error / count)},
                          {report::format_fixed(100 * static_cast<double>(repeated) / count, 0) + " %"},
                          {number(lost)},
                          {number(1 - least_left / epsilon())}});
  }
  return table;
}

/// Slots that lie ever further apart, and the last.
std::vector<Slot> DiscountedPlanRun::slots_to_tell() const {
  std::vector<Slot> told;
  for (const Slot age : {0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1'000, 2'000, 5'000, 10'000, 100'000}) {
    if (shown_.first + age < shown_.last) told.push_back(shown_.first + age);
  }
  told.push_back(shown_.last);
  return told;
}

report::Table DiscountedPlanRun::over_time_table() const {
  using Align = report::Column::Align;
  const std::string of = exposure_->series_count() > 1 ? " of " + series_.names[told_] : "";
  report::Table table{.caption = "Over time: scale" + of +
                                 ", what the slot loses, and what it leaves of ε = " + short_number(epsilon()),
                      .columns = {{clock_.clock.has_time() ? "time" : "slot", Align::number}}};
  if (exposure_->varies()) table.columns.push_back({"sensitivity", Align::number});
  for (const Preview& preview : previews_) {
    table.columns.push_back({preview.name, Align::number});
    table.columns.push_back({"loses", Align::number});
    table.columns.push_back({"left", Align::number});
  }
  for (const Slot slot : slots_to_tell()) {
    std::vector<report::Cell> row{{time_text(slot)}};
    if (exposure_->varies())
      row.push_back({unit_step_.text(static_cast<std::int64_t>(exposure_->sensitivity_steps(told_, slot)))});
    for (const Preview& preview : previews_) {
      const PreviewSlot& at = preview.slots[static_cast<std::size_t>(slot)];
      row.push_back({number(scale(preview, slot))});
      row.push_back({number(at.loss)});
      row.push_back({at.left < 1e-9 * epsilon() ? "0" : number(at.left)});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<std::string> DiscountedPlanRun::remarks() const {
  std::vector<std::string> lines;
  for (const Preview& preview : previews_) {
    if (preview.name == "planned")
      lines.push_back("planned: for " + std::to_string(horizon()) + " slots (--horizon), the least " +
                      arguments_.least + " expected error; afterwards as equal.");
    if (preview.name == "equal" && arguments_.every.value_or(1) > 1)
      lines.push_back("equal: released every " + std::to_string(*arguments_.every) +
                      " slots and repeated in between; what the stream moved since comes on top of the error.");
  }
  if (!left_out_.empty()) lines.push_back(left_out_ + ".");
  if (exposure_->series_count() > 1) lines.push_back("Other series have no more noise: --out has all of them.");
  return lines;
}

std::vector<std::string> DiscountedPlanRun::plain_words() const {
  std::vector<Slot> lengths{1, slots_};
  if (const Slot day = slots_per_day(clock_.clock); clock_.clock.has_time() && day > 1 && day < slots_)
    lengths.insert(lengths.begin() + 1, day);
  if (slots_ == 1) lengths.pop_back();
  std::vector<std::string> words;
  for (const Slot length : lengths) {
    const double loss = std::accumulate(most_.begin(), most_.begin() + length, 0.0);
    words.push_back(
        "What a meter did within " + (length == 1 ? "one slot" : std::to_string(length) + " slots, taken together") +
        ": at most ε = " + number(loss) + ", whatever the strategy. Who thinks it is 50:50 can get to at most " +
        odds_text(surest_belief(loss)) + ".");
  }
  words.emplace_back("Nothing bounds what a whole life loses: that is the price of noise that does not grow for ever.");
  return words;
}

// --- Files --------------------------------------------------------------------------------------------------------

Result<void> DiscountedPlanRun::write_csv() const {
  if (arguments_.out.empty()) return {};
  FUGU_ASSIGN(OutputStream out, OutputStream::open(arguments_.out));
  std::fprintf(out.get(), "%s,strategy,series,sensitivity,scale,expected_error,standard_deviation,loss,left,sampled\n",
               clock_.clock.has_time() ? "time" : "slot");
  for (Slot slot = shown_.first; slot <= shown_.last; ++slot) {
    const std::string time = time_text(slot);
    for (const Preview& preview : previews_) {
      const PreviewSlot& at = preview.slots[static_cast<std::size_t>(slot)];
      for (SeriesId id = 0; id < exposure_->series_count(); ++id) {
        const NoiseLaw law{NoiseKind::laplace, at.scales_steps[id]};
        const std::string sensitivity =
            unit_step_.text(static_cast<std::int64_t>(exposure_->sensitivity_steps(id, slot)));
        // 17 digits: the very scale that publish states.
        std::fprintf(out.get(), "%s,%s,%s,%s,%.17g,%.9g,%.9g,%.9g,%.9g,%d\n", time.c_str(), preview.name.c_str(),
                     series_.names[id].c_str(), sensitivity.c_str(), in_units(law.parameter.to_double()),
                     in_units(law.expected_magnitude()), in_units(std::sqrt(law.variance())), at.loss, at.left,
                     at.sampled ? 1 : 0);
      }
    }
  }
  return out.finish();
}

report::ChartStack DiscountedPlanRun::draw() const {
  constexpr report::Colour kColours[] = {report::Colour::vermilion, report::Colour::blue, report::Colour::ink};
  const std::string of = exposure_->series_count() > 1 ? " of " + series_.names[told_] : "";
  std::vector<report::Chart> charts;
  charts.emplace_back(report::Chart::Options{.title = "The noise of every release, and what counts of the promise",
                                             .description = "Noise scale of each strategy over time.",
                                             .x = time_axis(clock_, shown_, false),
                                             .y = {.label = "noise scale" + of, .unit = arguments_.unit, .lo = 0},
                                             .height_px = 380});
  charts.emplace_back(report::Chart::Options{.description = "What past and present losses count in each slot.",
                                             .x = time_axis(clock_, shown_, true),
                                             .y = {.label = "counts in the slot", .unit = "ε", .lo = 0},
                                             .height_px = 260});
  for (std::size_t i = previews_.size(); i-- > 0;) {
    const Preview& preview = previews_[i];
    std::vector<report::Point> scales;
    std::vector<report::Point> counted;
    for (Slot slot = shown_.first; slot <= shown_.last; ++slot) {
      const double left = preview.slots[static_cast<std::size_t>(slot)].left;
      for (const Slot x : {slot, slot + 1}) {  // the last slot needs its width, too
        scales.push_back({static_cast<double>(x), scale(preview, slot)});
        counted.push_back({static_cast<double>(x), epsilon() - left});
      }
    }
    const report::Line::Options style{.label = preview.name,
                                      .colour = kColours[i % std::size(kColours)],
                                      .width_px = i == 0 ? 2.25 : 1.5,
                                      .dashed = i == 2,
                                      .shape = report::Shape::steps};
    charts[0].add(report::Line(style, std::move(scales)));
    charts[1].add(report::Line(style, std::move(counted)));
  }
  return report::ChartStack(std::move(charts));
}

Result<void> DiscountedPlanRun::write_pictures() const {
  if (arguments_.plot.empty() && arguments_.html.empty()) return {};
  const report::ChartStack picture = draw();
  if (!arguments_.plot.empty()) FUGU_TRY(write_file(arguments_.plot, picture.standalone_svg()));
  if (arguments_.html.empty()) return {};
  report::Page page({.title = "Plan", .subtitle = "The noise of a discounted promise, before anything is released"});
  report::Table known{.columns = {{"about"}, {"what is planned"}}};
  for (const auto& [about, text] : facts()) known.rows.push_back({{about}, {text}});
  page.table(known).table(summary_table());
  for (const std::string& remark : remarks()) page.paragraph(remark);
  page.figure(picture,
              "Above: the noise of every release. Below: what counts in a slot, old losses less; never more than ε.");
  page.table(over_time_table());
  page.section("What an observer could still learn");
  for (const std::string& words : plain_words()) page.paragraph(words);
  return write_file(arguments_.html, page.html());
}

Outcome DiscountedPlanRun::run() {
  FUGU_TRY(check());
  FUGU_TRY(read());
  FUGU_TRY(preview_all());
  // What can be piped on has standard output for itself.
  const bool piped = arguments_.out == "-" || arguments_.plot == "-" || arguments_.html == "-";
  std::FILE* const to = piped ? stderr : stdout;
  for (const auto& [about, text] : facts()) std::fprintf(to, "%-11s %s\n", about.c_str(), text.c_str());
  for (const report::Table& table : {summary_table(), over_time_table()}) {
    std::fprintf(to, "\n%s\n", table.caption.c_str());
    print_table(table, "  ", to);
  }
  for (const std::string& remark : remarks()) print_wrapped(remark, "  ", to);
  std::fprintf(to, "\nWhat an observer could still learn\n");
  for (const std::string& words : plain_words()) print_wrapped(words, "  ", to);
  FUGU_TRY(write_csv());
  FUGU_TRY(write_pictures());
  return kDone;
}

}  // namespace fugu::cli
