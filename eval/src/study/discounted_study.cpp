#include "fugu/study/discounted_study.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "fugu/accounting/definition_kind.hpp"
#include "fugu/comparison/printed_shares.hpp"
#include "fugu/metric/truth.hpp"
#include "fugu/noise/law.hpp"
#include "fugu/simulate/dice.hpp"
#include "fugu/simulate/households.hpp"
#include "fugu/simulate/simulation.hpp"
#include "fugu/strategy/discounted.hpp"
#include "fugu/strategy/registry.hpp"
#include "fugu/stream/stream_reader.hpp"
#include "fugu/study/ordered_tasks.hpp"

namespace fugu {

namespace {

constexpr double kStepsPerKwh = 100;
/// Of Australians, 43 % moved house within five years (the paper's reason to discount): this many of a hundred a year.
constexpr double kMovesPerYear = 0.106;
constexpr double kDaysPerYear = 365;

constexpr double kAlphas[] = {0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99};
constexpr double kBetas[] = {0.01, 0.03, 0.1, 0.3, 1, 2, 3, 3.6, 4, 10, 30};
constexpr const char* kHeader =
    "population,definition,factor,schedule,count,mean_error,first_day,last_day,largest_error,worst_share,gap";

/// Adds the days of households up, one by one.
class Days {
 public:
  Days(std::string name, std::size_t days, double clamp_kwh) : clamp_kwh_(clamp_kwh) {
    population_.name = std::move(name);
    population_.sum_steps.resize(days);
    population_.households.resize(days);
  }
  void add(std::size_t day, double kwh) {
    population_.sum_steps[day] += std::llround(std::clamp(kwh, 0.0, clamp_kwh_) * kStepsPerKwh);
    ++population_.households[day];
    const auto bin = static_cast<std::size_t>(std::max(0.0, kwh));
    if (bin >= population_.days_by_kwh.size()) population_.days_by_kwh.resize(bin + 1);
    ++population_.days_by_kwh[bin];
    population_.days_above_clamp += kwh > clamp_kwh_ ? 1 : 0;
    population_.largest_kwh = std::max(population_.largest_kwh, kwh);
    population_.all_kwh += kwh;
    population_.cut_kwh += std::max(0.0, kwh - clamp_kwh_);
  }
  Population take() { return std::move(population_); }

 private:
  Population population_;
  double clamp_kwh_;
};

/// Everybody all year, and the same households where some come and some go.
Result<std::vector<Population>> simulate_populations(const DiscountedStudyOptions& options) {
  FUGU_ASSIGN(Neighbourhood street, Neighbourhood::make({.households = options.households,
                                                         .days = options.days,
                                                         .slot_min = 60,
                                                         .seed = options.seed,
                                                         .threads = options.threads},
                                                        HouseholdParameters::shipped()));
  const auto days = static_cast<std::size_t>(options.days);
  struct Stay {
    double first;
    double last;
  };
  std::vector<Stay> stays(options.households, {0, HUGE_VAL});
  for (std::size_t i = 1; i < stays.size(); ++i) {  // the first one stays: an average needs somebody
    Dice dice(options.seed, i, ~std::uint64_t{0});
    const double year_in = dice.uniform() / kMovesPerYear;
    const double year_out = dice.uniform() / kMovesPerYear;
    if (year_in < 1) stays[i].first = year_in * kDaysPerYear;
    if (year_out < 1) stays[i].last = year_out * kDaysPerYear;
    if (stays[i].first > stays[i].last) std::swap(stays[i].first, stays[i].last);
  }
  Days all("simulated", days, options.clamp_kwh);
  Days moving("simulated-moving", days, options.clamp_kwh);
  for (std::size_t day = 0; street.next_day(); ++day) {
    for (std::size_t i = 0; i < options.households; ++i) {
      const auto watts = street.watts(i);
      const double kwh = std::accumulate(watts.begin(), watts.end(), 0.0) / 1000;
      all.add(day, kwh);
      const auto today = static_cast<double>(day);
      if (stays[i].first <= today && today <= stays[i].last) moving.add(day, kwh);
    }
  }
  return std::vector<Population>{all.take(), moving.take()};
}

struct RealHouseholds {
  const char* name;
  const char* file;
  std::int64_t slot_s;
  std::int64_t origin_s;  ///< midnight of the first day
};

constexpr RealHouseholds kReal[] = {
    {"sgsc-newcastle", "sgsc_newcastle/load_kwh_10.csv.gz", 1800, 1'328'832'000},        // 2012-02-10
    {"citylearn-fontana", "citylearn_fontana/load_kwh_17.csv.gz", 3600, 1'469'923'200},  // 2016-07-31
};

/// A household is there on a day on which it has all readings. The study begins with the first day on which at least
/// half of the households are there, and ends after `days`, or with the data.
Result<Population> read_population(const RealHouseholds& real, const DiscountedStudyOptions& options) {
  const std::string file = (std::filesystem::path(options.data_folder) / real.file).string();
  FUGU_ASSIGN(Input input, Input::open(file));
  FUGU_ASSIGN(const UnitStep unit_step, UnitStep::parse("0.00001"));
  FUGU_ASSIGN(StreamReader reader, StreamReader::open(std::move(input), {.unit_step = unit_step,
                                                                         .slot_s = real.slot_s,
                                                                         .origin = Stamp{real.origin_s, 0},
                                                                         .default_utc_offset_s = 0,
                                                                         .time_column = "timestamp"}));
  TruthStream truth(reader, unit_step.to_rational());
  const std::size_t households = truth.series().size();
  const Slot slots_per_day = 86'400 / real.slot_s;
  std::vector<std::vector<double>> kwh;  // [day][household]; NaN once a reading is missing
  std::vector<Slot> readings;            // by day
  TruthRow row;
  while (true) {
    FUGU_ASSIGN(const bool more, truth.next(row));
    if (!more) break;
    const auto day = static_cast<std::size_t>(row.slot / slots_per_day);
    if (day >= kwh.size()) kwh.resize(day + 1, std::vector<double>(households));
    readings.resize(kwh.size());
    ++readings[day];
    for (std::size_t i = 0; i < households; ++i) kwh[day][i] += row.values[i].value_or(std::nan(""));
  }
  const auto present = [&](std::size_t day) {
    if (readings[day] < slots_per_day) return std::ptrdiff_t{0};
    return std::ranges::count_if(kwh[day], [](double value) { return !std::isnan(value); });
  };
  std::size_t first = 0;
  while (first < kwh.size() && 2 * static_cast<std::size_t>(present(first)) < households) ++first;
  while (!kwh.empty() && present(kwh.size() - 1) == 0) kwh.pop_back();
  const std::size_t days = std::min(static_cast<std::size_t>(options.days), kwh.size() - std::min(first, kwh.size()));
  if (days == 0)
    return Error{Cause::bad_input,
                 file + ": found no day on which half of the households have all readings; expected some"};
  Days sums(real.name, days, options.clamp_kwh);
  for (std::size_t day = 0; day < days; ++day) {
    if (present(first + day) == 0)
      return Error{Cause::bad_input, file + ": found a day without any household, number " +
                                         std::to_string(first + day) + "; expected at least one: choose fewer --days"};
    for (const double value : kwh[first + day]) {
      if (!std::isnan(value)) sums.add(day, value);
    }
  }
  return sums.take();
}

std::uint64_t digest_of(const std::vector<Population>& populations) {
  std::uint64_t digest = 0;
  for (const Population& population : populations) {
    digest = XXH3_64bits_withSeed(population.sum_steps.data(), population.days() * sizeof(std::int64_t), digest);
    digest = XXH3_64bits_withSeed(population.households.data(), population.days() * sizeof(std::int64_t), digest);
  }
  return digest;
}

/// The release of a day; nullptr when it needs more noise than can be drawn, or its share is less than can be counted.
Result<const Release*> release_of(Simulation& simulation, const SlotRow& row) {
  auto release = simulation.step(row);
  if (!release && release.error().cause != Cause::usage) return release;  // Cause::usage is too much noise, see kernel
  if (!release || !(**release)[0].sampled) return static_cast<const Release*>(nullptr);
  return release;
}

}  // namespace

std::string_view name_of(DiscountedSchedule schedule) {
  switch (schedule) {
    case DiscountedSchedule::uniform: return "uniform";
    case DiscountedSchedule::published: return "published";
    case DiscountedSchedule::equal: return "equal";
    case DiscountedSchedule::planned: return "planned";
    case DiscountedSchedule::planned_largest: return "planned-largest";
  }
  FUGU_CHECK(false);
  return {};
}

double DiscountedCourse::mean_error() const {
  return std::accumulate(relative_error.begin(), relative_error.end(), 0.0) /
         static_cast<double>(relative_error.size());
}

Result<DiscountedStudy> DiscountedStudy::make(const DiscountedStudyOptions& options) {
  if (options.days < 1 || options.days > 36'500) return Error{Cause::usage, "--days: expected 1 to 36500"};
  if (!(options.clamp_kwh >= 1 / kStepsPerKwh && options.clamp_kwh <= 1e6))
    return Error{Cause::usage, "--clamp: expected kWh a day from 0.01 to 1000000, for example 50"};
  const auto epsilon = Epsilon::make(options.epsilon);
  if (!epsilon) return Error{Cause::usage, "--epsilon: " + epsilon.error().message};
  DiscountedStudy study(options);
  if (options.data_folder.empty()) {
    FUGU_ASSIGN(study.populations_, simulate_populations(options));
  } else {
    for (const RealHouseholds& real : kReal) {
      FUGU_ASSIGN(Population population, read_population(real, options));
      study.populations_.push_back(std::move(population));
    }
  }
  for (const Population& population : study.populations_) {
    if (std::ranges::find(population.sum_steps, 0) != population.sum_steps.end())
      return Error{Cause::bad_input, population.name + ": found a day without consumption; expected some on every day"};
  }
  study.list_cells();
  return study;
}

void DiscountedStudy::list_cells() {
  using Schedule = DiscountedSchedule;
  for (std::size_t population = 0; population < populations_.size(); ++population) {
    cells_.push_back({population, Protects::event, 0, Schedule::uniform});
    cells_.push_back({population, Protects::user, 0, Schedule::uniform});
    cells_.push_back({population, Protects::user, 0, Schedule::published});
    const auto add = [&](Protects protects, double factor) {
      for (const Schedule schedule :
           {Schedule::published, Schedule::equal, Schedule::planned, Schedule::planned_largest})
        cells_.push_back({population, protects, factor, schedule});
    };
    for (const double alpha : kAlphas) add(Protects::discounted_exp, alpha);
    for (const double beta : kBetas) add(Protects::discounted_hyp, beta);
    cells_.push_back({population, Protects::discounted_exp, 0.9, Schedule::equal, true});
    cells_.push_back({population, Protects::discounted_hyp, 1, Schedule::equal, true});
  }
}

std::uint64_t DiscountedStudy::clamp_steps() const {
  return static_cast<std::uint64_t>(std::llround(options_.clamp_kwh * kStepsPerKwh));
}

Result<Definition> DiscountedStudy::definition_of(const DiscountedCell& cell) const {
  Definition::Options options{.protects = cell.protects, .epsilon = *Epsilon::make(options_.epsilon)};
  if (cell.protects.kind().discount) options.discount = cell.factor;
  if (cell.protects.kind().has_horizon) options.window_slots = static_cast<std::uint64_t>(options_.days);
  return Definition::make(options);
}

Result<std::unique_ptr<Strategy>> DiscountedStudy::strategy_of(const DiscountedCell& cell, double& gap) const {
  FUGU_ASSIGN(const Definition definition, definition_of(cell));
  using Schedule = DiscountedSchedule;
  if (cell.schedule == Schedule::published)  // also where it breaks its promise: that is what there is to see
    return std::unique_ptr<Strategy>(std::make_unique<PrintedShares>(definition.discount()));
  if (cell.schedule == Schedule::uniform) return make_strategy("uniform", {.window_slots = definition.window_slots()});
  if (cell.schedule == Schedule::equal) return make_strategy("equal", {.discount = definition.discount()});
  // The error of an average is the noise over the number of households, which is public: sensitivities that differ.
  std::vector<double> weights;
  for (const std::int64_t count : populations_[cell.population].households)
    weights.push_back(1 / static_cast<double>(count));
  DiscountedPlan plan =
      plan_discounted(*definition.discount(), weights,
                      cell.schedule == Schedule::planned ? PlanLeast::mean_error : PlanLeast::largest_error);
  gap = plan.gap;
  return std::unique_ptr<Strategy>(std::make_unique<PlannedShares>(std::move(plan.shares)));
}

Result<DiscountedCourse> DiscountedStudy::course(const DiscountedCell& cell) const {
  if (cell.count_protected) return measure(cell);
  DiscountedCourse course;
  const Population& population = populations_[cell.population];
  FUGU_ASSIGN(const Definition definition, definition_of(cell));
  FUGU_ASSIGN(const Exposure exposure, Exposure::make({.sensitivity_steps = {clamp_steps()}, .signatures = {{0}}}));
  FUGU_ASSIGN(auto strategy, strategy_of(cell, course.gap));
  Simulation simulation({definition, exposure, NoiseKind::laplace, std::move(strategy)},
                        std::make_unique<SimulationNoise>(options_.seed),
                        cell.schedule != DiscountedSchedule::published);
  SlotRow row;
  row.values.resize(1);
  for (std::size_t day = 0; day < population.days(); ++day) {
    row.slot = static_cast<Slot>(day);
    row.values[0] = Raw(population.sum_steps[day]);
    FUGU_ASSIGN(const Release* release, release_of(simulation, row));
    if (release == nullptr) return DiscountedCourse();
    const NoisyValue& value = (*release)[0].value;
    course.relative_error.push_back(NoiseLaw{value.noise, value.parameter}.expected_magnitude() /
                                    static_cast<double>(population.sum_steps[day]));
  }
  course.worst_share = simulation.worst_share();
  return course;
}

Result<DiscountedCourse> DiscountedStudy::measure(const DiscountedCell& cell) const {
  DiscountedCourse course;
  const Population& population = populations_[cell.population];
  FUGU_ASSIGN(const Definition definition, definition_of(cell));
  FUGU_ASSIGN(const Exposure exposure,
              Exposure::make({.sensitivity_steps = {clamp_steps(), 1}, .signatures = {{0, 1}}}));
  course.relative_error.assign(population.days(), 0);
  SlotRow row;
  row.values.resize(2);
  for (std::uint64_t run = 0; run < options_.runs; ++run) {
    FUGU_ASSIGN(auto strategy, strategy_of(cell, course.gap));
    Simulation simulation({definition, exposure, NoiseKind::laplace, std::move(strategy)},
                          std::make_unique<SimulationNoise>(options_.seed, run));
    for (std::size_t day = 0; day < population.days(); ++day) {
      row.slot = static_cast<Slot>(day);
      row.values[0] = Raw(population.sum_steps[day]);
      row.values[1] = Raw(population.households[day]);
      FUGU_ASSIGN(const Release* release, release_of(simulation, row));
      if (release == nullptr) return DiscountedCourse();
      const auto sum = static_cast<double>((*release)[0].value.steps);
      const auto count = static_cast<double>(std::max<std::int64_t>(1, (*release)[1].value.steps));
      const double truth =
          static_cast<double>(population.sum_steps[day]) / static_cast<double>(population.households[day]);
      course.relative_error[day] += std::abs(sum / count - truth) / truth / static_cast<double>(options_.runs);
    }
    course.worst_share = std::max(course.worst_share, simulation.worst_share());
  }
  return course;
}

std::string DiscountedStudy::key_of(const DiscountedCell& cell) const {
  std::string key = populations_[cell.population].name;
  key.append(",").append(fugu::name_of(cell.protects)).append(",");
  if (cell.protects.kind().discount) key.append(result_number(cell.factor));
  return key.append(",").append(name_of(cell.schedule)).append(cell.count_protected ? ",protected" : ",public");
}

Result<ResultFile> DiscountedStudy::open(const std::string& folder, bool restart) const {
  std::vector<std::string> keys;
  for (const DiscountedCell& cell : cells_) keys.push_back(key_of(cell));
  return ResultFile::open({.folder = folder,
                           .header = kHeader,
                           .keys = std::move(keys),
                           .facts = {{"study", "\"discounted\""},
                                     {"epsilon", result_number(options_.epsilon)},
                                     {"clamp_kwh", result_number(options_.clamp_kwh)},
                                     {"runs", std::to_string(options_.runs)},
                                     {"seed", std::to_string(options_.seed)},
                                     digest_fact("households", digest_of(populations_), "other households or days")},
                           .restart = restart});
}

Result<void> DiscountedStudy::run(ResultFile& file,
                                  const std::function<void(std::size_t, std::size_t)>& progress) const {
  const auto text_of = [&](const DiscountedCell& cell, const DiscountedCourse& course) {
    std::string row = key_of(cell);
    if (!course.has_data()) return row.append(6, ',');
    for (const double number : {course.mean_error(), course.relative_error.front(), course.relative_error.back(),
                                *std::ranges::max_element(course.relative_error), course.worst_share, course.gap})
      row.append(",").append(result_number(number));
    return row;
  };
  return run_in_order<DiscountedCourse>(
      {.threads = options_.threads, .from = file.rows().size(), .progress = progress}, cells_.size(),
      [&](std::size_t i) { return course(cells_[i]); },
      [&](std::size_t i, const DiscountedCourse& course) { return file.add(text_of(cells_[i], course)); });
}

}  // namespace fugu
