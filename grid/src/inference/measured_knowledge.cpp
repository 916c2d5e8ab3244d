#include "fugu/inference/measured_knowledge.hpp"

#include <algorithm>
#include <cmath>

namespace fugu::grid {
namespace {

constexpr std::int64_t kSecondsPerDay = 86'400;
/// A busbar beyond is switched off, or its meter is.
constexpr double kLeastPu = 0.5;
constexpr double kMostPu = 1.5;

/// Nothing for a series that is not there.
std::span<const double> part(const std::vector<double>& values, std::size_t first, std::size_t count) {
  return values.empty() ? std::span<const double>() : std::span(values).subspan(first, count);
}

}  // namespace

MeasuredKnowledge::MeasuredKnowledge(const Network& network, const Measurements& measurements)
    : measurements_(measurements) {
  if (!measurements.transformer_v.is_there()) return;
  double latest_pu = 1;
  for (const double voltage_v : measurements.transformer_v.shown) {
    const double pu = voltage_v / network.nominal_v();
    const bool is_plausible = pu > kLeastPu && pu < kMostPu;  // not for what is no number
    if (is_plausible) latest_pu = pu;
    voltages_filled_ += !is_plausible;
    busbar_pu_.push_back(latest_pu);
  }
}

StateEstimatorOptions MeasuredKnowledge::options(std::int64_t slot_min) const {
  StateEstimatorOptions options;
  const Clock& clock = measurements_.time.clock;
  const std::int64_t slot_s = clock.has_time() ? clock.slot_s() : 60 * slot_min;
  const std::int64_t begin_s = clock.has_time()
                                   ? clock.start_of(measurements_.first_slot) + measurements_.time.utc_offset_s
                                   : measurements_.first_slot * slot_s;
  options.first_slot_of_day =
      static_cast<std::size_t>((begin_s % kSecondsPerDay + kSecondsPerDay) % kSecondsPerDay / slot_s);
  for (const VoltageSensor& sensor : measurements_.sensors) options.sensors.push_back(sensor.node);
  for (const MeasuredSum& sum : measurements_.sums) options.sums.push_back(sum.of);
  if (!busbar_pu_.empty()) options.load_flow.voltage_at = VoltageAt::busbar;
  return options;
}

GridKnowledge MeasuredKnowledge::batch(std::size_t first, std::size_t count) const {
  const std::size_t customers = measurements_.customers;
  const auto of_customers = [&](const std::vector<double>& values) {
    return std::span(values).subspan(first * customers, count * customers);
  };
  GridKnowledge known{.stamps = count,
                      .p_kw = of_customers(measurements_.p_kw),
                      .p_scale_kw = of_customers(measurements_.p_scale_kw),
                      .voltage_pu = part(busbar_pu_, first, count),
                      .noise = measurements_.noise};
  if (std::ranges::find(measurements_.has_q, true) != measurements_.has_q.end()) {
    known.q_kvar = of_customers(measurements_.q_kvar);
    known.q_scale_kvar = of_customers(measurements_.q_scale_kvar);
  }
  known.transformer_p_kw = part(measurements_.transformer_p_kw.answer, first, count);
  known.transformer_p_scale_kw = part(measurements_.transformer_p_kw.scale, first, count);
  known.transformer_q_kvar = part(measurements_.transformer_q_kvar.answer, first, count);
  known.transformer_q_scale_kvar = part(measurements_.transformer_q_kvar.scale, first, count);
  for (const VoltageSensor& sensor : measurements_.sensors)
    known.sensor_v.push_back(part(sensor.series.answer, first, count));
  for (const MeasuredSum& sum : measurements_.sums) {
    known.sum_value.push_back(part(sum.series.answer, first, count));
    known.sum_scale.push_back(part(sum.series.scale, first, count));
  }
  return known;
}

}  // namespace fugu::grid
