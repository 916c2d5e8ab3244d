#include "grid_estimate.hpp"

#include <algorithm>

#include "fugu/inference/household_sample.hpp"
#include "fugu/network/network_reader.hpp"
#include "fugu/stream/decimal.hpp"
#include "fugu/stream/line_reader.hpp"
#include "fugu/stream/series_map_file.hpp"
#include "fugu/study/grid_loads.hpp"
#include "released_file.hpp"

namespace fugu::cli {

namespace {

constexpr std::size_t kBatch = 672;

/// A file without a clock has to count slots; an error says where it does not.
Result<void> check_counts_slots(const std::string& path) {
  FUGU_ASSIGN(Input input, Input::open(path));
  LineReader lines(std::move(input));
  FUGU_TRY(lines.next());  // the header
  for (bool is_first = true;; is_first = false) {
    FUGU_ASSIGN(const auto line, lines.next());
    if (!line && is_first) return {};  // whoever reads the values says that there are none
    if (!line) {
      return found_but_expected({path, 0, 0}, "one time stamp alone, which does not say how long a slot is",
                                "times of two slots or more, or slot numbers");
    }
    const std::string_view time = line->substr(0, line->find(','));
    if (is_first && parse_slot_number(time)) return {};
    Stamp stamp;
    const TimeFault fault = parse_stamp(time, std::nullopt, stamp);
    if (fault == TimeFault::none) continue;
    return found_but_expected(lines.at(1), shown_time(time),
                              "a slot number, or a time with its offset, such as 2026-03-02T00:00:00+01:00");
  }
}

Result<grid::TimedFile> timed(const std::string& path) {
  grid::TimedFile file{.path = path, .time = {}};
  if (path.empty()) return file;
  FUGU_ASSIGN(file.time, clock_in(path));
  if (!file.time.clock.has_time()) FUGU_TRY(check_counts_slots(path));
  return file;
}

void note_counts(const OperatorFiles& files, const grid::Measurements& measurements) {
  const grid::MeasurementCounts& counts = measurements.counts;
  const auto say = [](std::uint64_t count, const std::string& what) {
    if (count > 0) note(std::to_string(count) + " " + what);
  };
  if (measurements.simulated) warn(files.released + ": the noise came from a seed, so these releases are not private");
  say(counts.gaps,
      "values are missing: nothing is known there; where releases are taken as they are, the value before stands in");
  say(counts.repeated, "releases repeat an earlier one: they say nothing new about their slot");
  say(counts.estimates, "releases are made of several answers: their noise is not known, so they are not used");
  say(counts.released_left_out, "slots of the release have no measurements and are left out");
  say(counts.measured_left_out, "measured slots have no release and are left out");
}

}  // namespace

void OperatorFiles::add_to(CLI::App& command) {
  command.add_option("--released", released, "Releases of customers' kW and kvar: CUSTOMER.p, CUSTOMER.q, or sums");
  command.add_option("--measured", measured,
                     "What the operator measures itself, CSV wide: transformer.p, .q, .v, NODE.v, other customers");
  command.add_option("--series-map", series_map, "Which registers released sums add up, as for fugu publish");
  command.add_option(
      "--ledger", ledger,
      "Refuse releases that do not follow from this ledger, or break its promise. It tells which run they are of; "
      "which network, only names of series tell");
  command.add_option("--bills", bills,
                     "What customers use in a year, CSV customer,yearly_kwh, instead of the network's");
  command.add_option(
      "--homes", homes,
      "Public sample of homes, CSV wide, kW, from midnight on: what households are like. Simulated homes "
      "without it");
  command.add_option("--slot-length", slot_length, "Of files that count slots; slot 0 begins at midnight")
      ->capture_default_str();
  command.add_flag("--allow-unmeasured", allow_unmeasured, "Customers of whom nothing is known are no mistake");
}

void note_simulated_homes(const std::string& homes) {
  if (homes.empty())
    note("estimates know homes from simulated ones: a public sample of recorded homes near yours (--homes) is better");
}

Result<grid::Network> billed(grid::Network network, const std::string& bills) {
  if (bills.empty()) return network;
  return grid::with_bills(network, bills);
}

Result<OperatorView> read_operator_view(const grid::Network& network, const OperatorFiles& files) {
  if (files.released.empty() && files.measured.empty())
    return Error{Cause::usage, "expected --released, --measured or both"};
  OperatorView view{.network = network, .measurements = {}, .slot_min = 0, .map = {}};
  if (!files.series_map.empty()) {
    FUGU_ASSIGN(view.map, read_series_map({.map = files.series_map}));
  }
  grid::MeasurementFiles wanted{.map = view.map ? &*view.map : nullptr, .ledger = files.ledger};
  FUGU_ASSIGN(wanted.released, timed(files.released));
  FUGU_ASSIGN(wanted.measured, timed(files.measured));
  FUGU_ASSIGN(view.measurements,
              grid::read_measurements(network, wanted, {.allow_unmeasured = files.allow_unmeasured}));
  FUGU_ASSIGN(std::int64_t slot_s, of_option("--slot-length", parse_duration(files.slot_length)));
  if (view.measurements.time.clock.has_time()) slot_s = view.measurements.time.clock.slot_s();
  if (slot_s < 60 || slot_s > 3600 || 3600 % slot_s != 0 || slot_s % 60 != 0)
    return Error{Cause::usage, "found slots of " + std::to_string(slot_s) +
                                   " s; expected whole minutes that divide an hour (--slot-length, where files count "
                                   "slots)"};
  view.slot_min = slot_s / 60;
  note_counts(files, view.measurements);
  return view;
}

Estimation::Estimation(const OperatorView& view, grid::HouseholdModel model)
    : view_(&view),
      model_(std::make_unique<grid::HouseholdModel>(std::move(model))),
      own_measurements_(std::make_unique<grid::Measurements>(grid::without_release(view.measurements))),
      all_(std::make_unique<grid::MeasuredKnowledge>(view.network, view.measurements)),
      own_(std::make_unique<grid::MeasuredKnowledge>(view.network, *own_measurements_)) {}

Result<Estimation> Estimation::make(const OperatorView& view, const OperatorFiles& files) {
  std::optional<grid::HouseholdModel> model;
  if (files.homes.empty()) {
    FUGU_ASSIGN(model, learn_homes({.slot_min = view.slot_min}));
  } else {
    FUGU_ASSIGN(const grid::TimedFile file, timed(files.homes));
    FUGU_ASSIGN(const grid::HouseholdSample sample, grid::read_household_sample(file, view.slot_min));
    FUGU_ASSIGN(model, of_option("--homes", grid::HouseholdModel::learn(sample)));
  }
  Estimation made(view, std::move(*model));
  if (made.all_->voltages_filled() > 0)
    note(std::to_string(made.all_->voltages_filled()) +
         " readings of the busbar's voltage are missing or implausible: the one before stands in");
  return made;
}

Result<grid::StateEstimator> Estimation::estimator(grid::Prior prior) const {
  grid::StateEstimatorOptions options = knowledge(prior).options(view_->slot_min);
  options.prior = prior;
  options.model = model_.get();
  return grid::StateEstimator::make(view_->network, std::move(options));
}

Result<grid::PlainLoads> Estimation::loads(grid::Prior prior) const {
  FUGU_ASSIGN(grid::StateEstimator made, estimator(prior));
  grid::PlainLoads loads{.stamps = view_->measurements.stamps};
  grid::GridEstimate batch;
  for (std::size_t first = 0; first < loads.stamps; first += kBatch) {
    FUGU_TRY(made.estimate(knowledge(prior).batch(first, std::min(kBatch, loads.stamps - first)), batch));
    loads.p_kw.insert(loads.p_kw.end(), batch.p_kw.begin(), batch.p_kw.end());
    loads.q_kvar.insert(loads.q_kvar.end(), batch.q_kvar.begin(), batch.q_kvar.end());
  }
  return loads;
}

}  // namespace fugu::cli
