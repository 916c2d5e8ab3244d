#include "fugu/measurement/measurements.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "../network/mistakes.hpp"
#include "fugu/accounting/audit.hpp"
#include "fugu/stream/location.hpp"
#include "fugu/stream/release_reader.hpp"
#include "wide_reader.hpp"

namespace fugu::grid {
namespace {

using Quantity = SeriesMeaning::Quantity;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// What a file has, before its values are looked at. Slots are those of its own clock.
struct Outline {
  std::vector<std::string> series = {};
  Slot first = 0;
  Slot last = -1;  ///< before `first`: there is no file
  Slot slots = 0;  ///< that have a row
  bool is_there() const { return last >= first; }

  void add(Slot slot) {
    if (slots == 0) first = slot;
    if (slots == 0 || slot != last) ++slots;
    last = slot;
  }
};

struct ReleaseOutline : Outline {
  Currency currency = Currency::epsilon;
  bool simulated = false;
};

Result<ReleaseReader> open_release(const TimedFile& file) {
  FUGU_ASSIGN(Input input, Input::open(file.path));
  return ReleaseReader::open(std::move(input), {.clock = file.time.clock, .series = {}});
}

Result<ReleaseOutline> outline_release(const TimedFile& file) {
  ReleaseOutline outline;
  if (file.path.empty()) return outline;
  FUGU_ASSIGN(ReleaseReader reader, open_release(file));
  ReleaseRecord record;
  while (true) {
    FUGU_ASSIGN(const bool more, reader.next(record));
    if (!more) break;
    outline.add(record.slot);
    outline.currency = record.currency;
    outline.simulated = record.simulated;
  }
  outline.series = reader.series();
  if (!outline.is_there()) return found_but_expected({file.path, 0, 0}, "no release", "at least one");
  return outline;
}

Result<Outline> outline_measured(const TimedFile& file) {
  Outline outline;
  if (file.path.empty()) return outline;
  FUGU_ASSIGN(detail::WideReader reader, detail::WideReader::open(file.path, file.time.clock));
  outline.series = reader.series();
  while (true) {
    FUGU_ASSIGN(const bool more, reader.next());
    if (!more) break;
    outline.add(reader.slot());
  }
  if (!outline.is_there()) return found_but_expected({file.path, 0, 0}, "no row", "at least one");
  return outline;
}

/// The time that both files share, in slots of the first one's clock.
struct Axis {
  RunClock time = {};
  Slot first = 0;
  Slot last = -1;
  Slot measured_offset = 0;  ///< a slot of the measured file plus this is one of the axis
};

std::string slots_text(const Clock& clock) {
  return clock.has_time() ? "slots of " + std::to_string(clock.slot_s()) + " s" : "slot numbers";
}

/// A time that is mistyped can be a thousand years ahead: more gaps than anybody has memory for.
void check_gaps(const TimedFile& file, const Outline& outline, std::vector<std::string>& mistakes) {
  constexpr Slot kMostSlotsPerRow = 10;
  constexpr Slot kAlwaysTaken = 10'000;
  if (outline.last - outline.first > kAlwaysTaken + kMostSlotsPerRow * outline.slots)
    mistakes.push_back(file.path +
                       ": fewer than one in ten slots from the first to the last has a row; is a time "
                       "mistyped?");
}

/// The audit of a release takes each slot by itself, so it does not miss those that were cut out.
void check_whole(const TimedFile& file, const Outline& outline, std::vector<std::string>& mistakes) {
  const Slot missing = outline.last - outline.first + 1 - outline.slots;
  if (missing > 0)
    mistakes.push_back(file.path + ": lacks " + std::to_string(missing) +
                       " of the slots from its first to its last; a release that follows from a ledger has them all");
}

Axis common_axis(const MeasurementFiles& files, const Outline& released, const Outline& measured,
                 std::vector<std::string>& mistakes) {
  if (!measured.is_there()) return {files.released.time, released.first, released.last};
  if (!released.is_there()) return {files.measured.time, measured.first, measured.last};
  const Clock& a = files.released.time.clock;
  const Clock& b = files.measured.time.clock;
  Axis axis{.time = files.released.time};
  if (a.has_time() != b.has_time() || a.slot_s() != b.slot_s()) {
    mistakes.push_back("the release has " + slots_text(a) + ", the measured file has " + slots_text(b) +
                       "; expected the same");
    return axis;
  }
  if (a.has_time()) {
    const auto offset = a.slot_at(b.origin_s());
    if (!offset) {
      mistakes.emplace_back(
          "the slots of the measured file begin within those of the release; expected the same slots");
      return axis;
    }
    axis.measured_offset = *offset;
  }
  axis.first = std::max(released.first, measured.first + axis.measured_offset);
  axis.last = std::min(released.last, measured.last + axis.measured_offset);
  if (axis.last < axis.first)
    mistakes.emplace_back("the release and the measured file have no slot in common; expected the same time");
  return axis;
}

/// Where the values of a series go.
struct Target {
  double* answer = nullptr;
  double* scale = nullptr;
  double* shown = nullptr;
  std::size_t stride = 1;
};

/// Fills one set of measurements.
class Filler {
 public:
  Filler(const Network& network, const SeriesMatch& match, const Axis& axis) : axis_(axis) {
    result_.stamps = static_cast<std::size_t>(axis.last - axis.first + 1);
    result_.customers = network.customers().size();
    result_.time = axis.time;
    result_.first_slot = axis.first;
    for (auto* powers : {&result_.p_kw, &result_.p_scale_kw, &result_.q_kvar, &result_.q_scale_kvar,
                         &result_.shown_p_kw, &result_.shown_q_kvar})
      powers->assign(result_.stamps * result_.customers, kNone);
    result_.has_p.assign(result_.customers, false);
    result_.has_q.assign(result_.customers, false);
    result_.is_released.assign(result_.customers, false);
    for (const SumOfCustomers& sum : match.sums) result_.sums.push_back({sum, {}});
    for (const auto* meanings : {&match.released, &match.measured}) {
      for (const SeriesMeaning& meaning : *meanings) {
        if (meaning.quantity == Quantity::node_v) result_.sensors.push_back({meaning.index, {}});
      }
    }
  }

  Result<void> read_release(const TimedFile& file, const SeriesMatch& match, std::vector<std::string>& mistakes);
  Result<void> read_measured(const TimedFile& file, const SeriesMatch& match);
  Measurements take() { return std::move(result_); }

 private:
  std::vector<Target> targets_of(const std::vector<SeriesMeaning>& meanings);
  Target target_of(const SeriesMeaning& meaning);
  Target target_in(MeasuredSeries& series);
  MeasuredSeries& series_of(const SeriesMeaning& meaning);
  void set(const Target& target, std::size_t stamp, const ReleaseRecord& record);
  void count_gaps(const std::vector<Target>& targets);

  const Axis& axis_;
  Measurements result_;
};

MeasuredSeries& Filler::series_of(const SeriesMeaning& meaning) {
  switch (meaning.quantity) {
    case Quantity::transformer_p: return result_.transformer_p_kw;
    case Quantity::transformer_q: return result_.transformer_q_kvar;
    case Quantity::transformer_v: return result_.transformer_v;
    case Quantity::node_v: return std::ranges::find(result_.sensors, meaning.index, &VoltageSensor::node)->series;
    default: return result_.sums[meaning.index].series;
  }
}

Target Filler::target_in(MeasuredSeries& series) {
  for (auto* values : {&series.answer, &series.scale, &series.shown}) values->assign(result_.stamps, kNone);
  return {series.answer.data(), series.scale.data(), series.shown.data()};
}

Target Filler::target_of(const SeriesMeaning& meaning) {
  const std::size_t i = meaning.index;
  if (meaning.quantity == Quantity::customer_p) {
    result_.has_p[i] = true;
    return {&result_.p_kw[i], &result_.p_scale_kw[i], &result_.shown_p_kw[i], result_.customers};
  }
  if (meaning.quantity == Quantity::customer_q) {
    result_.has_q[i] = true;
    return {&result_.q_kvar[i], &result_.q_scale_kvar[i], &result_.shown_q_kvar[i], result_.customers};
  }
  return target_in(series_of(meaning));
}

std::vector<Target> Filler::targets_of(const std::vector<SeriesMeaning>& meanings) {
  std::vector<Target> targets;
  for (const SeriesMeaning& meaning : meanings) targets.push_back(target_of(meaning));
  return targets;
}

void Filler::set(const Target& target, std::size_t stamp, const ReleaseRecord& record) {
  const std::size_t at = stamp * target.stride;
  target.shown[at] = record.value;
  if (!record.sampled) {
    ++result_.counts.repeated;
  } else if (!record.scale) {
    ++result_.counts.estimates;
  } else {
    target.answer[at] = record.value;
    target.scale[at] = *record.scale;
    ++result_.counts.answers;
  }
}

void Filler::count_gaps(const std::vector<Target>& targets) {
  for (const Target& target : targets) {
    for (std::size_t stamp = 0; stamp < result_.stamps; ++stamp)
      result_.counts.gaps += std::isnan(target.shown[stamp * target.stride]);
  }
}

Result<void> Filler::read_release(const TimedFile& file, const SeriesMatch& match, std::vector<std::string>& mistakes) {
  FUGU_ASSIGN(ReleaseReader reader, open_release(file));
  const std::vector<Target> targets = targets_of(match.released);
  for (const SeriesMeaning& meaning : match.released) {
    if (meaning.quantity == Quantity::customer_p || meaning.quantity == Quantity::customer_q) {
      result_.is_released[meaning.index] = true;
    } else {
      series_of(meaning).is_released = true;
    }
  }
  std::vector<Slot> last(targets.size(), -1);
  std::uint64_t twice = 0;
  ReleaseRecord record;
  while (true) {
    FUGU_ASSIGN(const bool more, reader.next(record));
    if (!more) break;
    twice += std::exchange(last[record.series], record.slot) == record.slot;
    if (!record.known || record.slot < axis_.first || record.slot > axis_.last) continue;
    // Written so that what is not a number fails.
    const bool is_usable = std::fabs(record.value) <= detail::kMostPower &&
                           (!record.scale || (*record.scale >= 0 && *record.scale <= detail::kMostPower));
    if (!is_usable) {
      return found_but_expected(reader.row(),
                                "a value or scale of series " + shown(reader.series()[record.series]) +
                                    " that is too large, or a negative scale",
                                "values of at most 1e9 kW or kvar, and scales from 0 to 1e9");
    }
    set(targets[record.series], static_cast<std::size_t>(record.slot - axis_.first), record);
  }
  if (twice > 0)
    mistakes.push_back(file.path + ": " + std::to_string(twice) + " rows are of a slot and series that had one before");
  count_gaps(targets);
  return {};
}

Result<void> Filler::read_measured(const TimedFile& file, const SeriesMatch& match) {
  FUGU_ASSIGN(detail::WideReader reader, detail::WideReader::open(file.path, file.time.clock));
  const std::vector<Target> targets = targets_of(match.measured);
  while (true) {
    FUGU_ASSIGN(const bool more, reader.next());
    if (!more) break;
    const Slot slot = reader.slot() + axis_.measured_offset;
    if (slot < axis_.first || slot > axis_.last) continue;
    for (std::size_t i = 0; i < targets.size(); ++i) {
      if (std::isnan(reader.values()[i])) continue;
      ReleaseRecord record;  // an exact value
      record.value = reader.values()[i];
      set(targets[i], static_cast<std::size_t>(slot - axis_.first), record);
    }
  }
  count_gaps(targets);
  return {};
}

/// Of a series, or of one customer among `stride`.
void forget(std::vector<double>& values, std::size_t first = 0, std::size_t stride = 1) {
  for (std::size_t i = first; i < values.size(); i += stride) values[i] = kNone;
}

/// Mean magnitude; not a number for none.
double mean_size(const std::vector<double>& values, std::size_t first = 0, std::size_t stride = 1) {
  double sum = 0;
  double count = 0;
  for (std::size_t i = first; i < values.size(); i += stride) {
    if (std::isnan(values[i])) continue;
    sum += std::fabs(values[i]);
    ++count;
  }
  return count > 0 ? sum / count : kNone;
}

/// Finds units that are off: of voltages, and of powers that are known exactly. What has noise may be anything.
void check_units(const Network& network, const Measurements& measurements, const SeriesMatch& match,
                 std::vector<std::string>& mistakes) {
  constexpr double kLeastOfNominal = 0.7;
  constexpr double kMostOfNominal = 1.3;
  constexpr double kMostOfRated = 3;
  const auto check_v = [&](const MeasuredSeries& series, const std::string& name) {
    const double mean_pu = mean_size(series.shown) / network.nominal_v();
    if (mean_pu < kLeastOfNominal || mean_pu > kMostOfNominal)
      mistakes.push_back("series " + shown(name) + " is far from the nominal " +
                         detail::number_text(network.nominal_v()) + " V; expected volts between phases");
  };
  check_v(measurements.transformer_v, "transformer.v");
  for (const VoltageSensor& sensor : measurements.sensors)
    check_v(sensor.series, network.nodes()[sensor.node].id + ".v");
  const double most_kw = kMostOfRated * network.transformer().rated_kva;
  for (const SeriesMeaning& meaning : match.measured) {
    const std::size_t i = meaning.index;
    const auto check_p = [&](double mean_kw, const std::string& name) {
      if (mean_kw > most_kw)
        mistakes.push_back("series " + shown(name) +
                           " is on average more than three times what the transformer is rated "
                           "for; expected kW or kvar");
    };
    const auto& customers = network.customers();
    if (meaning.quantity == Quantity::customer_p)
      check_p(mean_size(measurements.shown_p_kw, i, measurements.customers), customers[i].id + ".p");
    if (meaning.quantity == Quantity::customer_q)
      check_p(mean_size(measurements.shown_q_kvar, i, measurements.customers), customers[i].id + ".q");
    if (meaning.quantity == Quantity::transformer_p)
      check_p(mean_size(measurements.transformer_p_kw.shown), "transformer.p");
    if (meaning.quantity == Quantity::transformer_q)
      check_p(mean_size(measurements.transformer_q_kvar.shown), "transformer.q");
  }
}

/// The law of the noise, of a release that follows from its ledger.
Result<NoiseKind> check_ledger(const MeasurementFiles& files, const std::vector<std::string>& released) {
  FUGU_ASSIGN(const LedgerReader ledger, LedgerReader::open(files.ledger));
  const LedgerHeader& run = ledger.header();
  const auto is_of_run = [&](const std::string& name) {
    return std::ranges::find(run.series, name) != run.series.end();
  };
  if (!std::ranges::all_of(released, is_of_run)) {
    return found_but_expected({files.ledger, 0, 0}, "a ledger of other series than those of the release",
                              "the ledger of the run that made it. This one may belong to another network");
  }
  FUGU_ASSIGN(AuditReport report, audit_ledger(files.ledger, {.open_ended = true}));
  FUGU_ASSIGN(const ReleaseFormat format, release_format_of(run));
  FUGU_ASSIGN(Input input, Input::open(files.released.path));
  FUGU_TRY(audit_releases_against_ledger(std::move(input), files.ledger, format, report));
  if (!report.holds()) {
    return Error{Cause::bad_input, files.released.path + ": the release does not follow from the ledger " +
                                       files.ledger + ", or breaks its promise: " + report.findings.front() +
                                       "; fugu audit lists all"};
  }
  const auto noise = run.facts.find("noise");
  return noise != run.facts.end() && noise->second == "gaussian" ? NoiseKind::gaussian : NoiseKind::laplace;
}

}  // namespace

Result<Measurements> read_measurements(const Network& network, const MeasurementFiles& files, MatchRules rules) {
  if (files.released.path.empty() && files.measured.path.empty())
    return Error{Cause::usage, "expected releases, or a file of measured values, or both"};
  if (!files.ledger.empty() && files.released.path.empty())
    return Error{Cause::usage, "a ledger is compared with the release that it made: expected one"};
  FUGU_ASSIGN(const ReleaseOutline released, outline_release(files.released));
  FUGU_ASSIGN(const Outline measured, outline_measured(files.measured));
  std::vector<std::string> mistakes;
  const SeriesMatch match = match_series(network, released.series, measured.series, files.map, rules, mistakes);
  const Axis axis = common_axis(files, released, measured, mistakes);
  check_gaps(files.released, released, mistakes);
  check_gaps(files.measured, measured, mistakes);
  if (!files.ledger.empty()) check_whole(files.released, released, mistakes);
  if (!mistakes.empty()) return detail::error_of(mistakes);
  NoiseKind noise = released.currency == Currency::rho ? NoiseKind::gaussian : NoiseKind::laplace;
  if (!files.ledger.empty()) {
    FUGU_ASSIGN(noise, check_ledger(files, released.series));
  }
  Filler filler(network, match, axis);
  if (released.is_there()) FUGU_TRY(filler.read_release(files.released, match, mistakes));
  if (measured.is_there()) FUGU_TRY(filler.read_measured(files.measured, match));
  Measurements result = filler.take();
  check_units(network, result, match, mistakes);
  if (!mistakes.empty()) return detail::error_of(mistakes);
  result.noise = noise;
  result.simulated = released.simulated;
  const auto left_out = [&](const Outline& file) {
    return file.is_there() ? static_cast<std::uint64_t>(file.last - file.first + 1) - result.stamps : 0;
  };
  result.counts.released_left_out = left_out(released);
  result.counts.measured_left_out = left_out(measured);
  return result;
}

Measurements without_release(Measurements measurements) {
  for (std::size_t i = 0; i < measurements.customers; ++i) {
    if (!measurements.is_released[i]) continue;
    for (auto* values :
         {&measurements.p_kw, &measurements.q_kvar, &measurements.shown_p_kw, &measurements.shown_q_kvar})
      forget(*values, i, measurements.customers);
  }
  std::vector<MeasuredSeries*> all = {&measurements.transformer_p_kw, &measurements.transformer_q_kvar,
                                      &measurements.transformer_v};
  for (MeasuredSum& sum : measurements.sums) all.push_back(&sum.series);
  for (VoltageSensor& sensor : measurements.sensors) all.push_back(&sensor.series);
  for (MeasuredSeries* series : all) {
    if (!series->is_released) continue;
    forget(series->answer);
    forget(series->shown);
  }
  return measurements;
}

Result<PlainLoads> plain_loads(const Network& network, const Measurements& measurements) {
  std::vector<std::string> mistakes;
  for (std::size_t i = 0; i < measurements.customers; ++i) {
    if (!measurements.has_p[i])
      mistakes.push_back("customer " + shown(network.customers()[i].id) + " has no kW of its own; expected a series");
  }
  if (!mistakes.empty()) return detail::error_of(mistakes);
  PlainLoads loads{.stamps = measurements.stamps, .p_kw = measurements.shown_p_kw, .q_kvar = measurements.shown_q_kvar};
  const std::size_t customers = measurements.customers;
  const auto fill = [&](std::vector<double>& values, std::size_t at) {
    if (!std::isnan(values[at])) return;
    values[at] = at >= customers ? values[at - customers] : 0;
    ++loads.filled;
  };
  for (std::size_t stamp = 0; stamp < loads.stamps; ++stamp) {
    for (std::size_t i = 0; i < customers; ++i) {
      const std::size_t at = stamp * customers + i;
      fill(loads.p_kw, at);
      if (measurements.has_q[i]) {
        fill(loads.q_kvar, at);
      } else {
        loads.q_kvar[at] = 0;
      }
    }
  }
  return loads;
}

}  // namespace fugu::grid
