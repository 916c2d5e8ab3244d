#include "fugu/filter/release_rows.hpp"

#include <charconv>
#include <cmath>

#include "fugu/noise/law.hpp"

namespace fugu {

namespace {

void append_number(double value, std::string& out) {
  char text[40];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  FUGU_CHECK(error == std::errc());
  out.append(text, end);
}

Result<void> check(const ReleaseFormat& format, const Filter* filter) {
  if (format.interval && !(*format.interval > 0 && *format.interval < 1))
    return Error{Cause::usage, "the interval must be a probability between 0 and 1, for example 0.95"};
  if (format.interval && format.estimates)
    return Error{
        Cause::usage,
        "an interval states the noise of one answer; this mechanism releases estimates made of several: drop it"};
  if (filter == nullptr) return {};
  if (format.interval && !filter->keeps_bands())
    return Error{Cause::usage,
                 "an interval states the noise of one answer and cannot be combined with a filter that mixes several; "
                 "use it with truncate only, or drop it"};
  if (format.estimates && filter->mixes_slots())
    return Error{Cause::usage,
                 "this mechanism smooths on its own: use truncate, or no filter, or a mechanism without estimates"};
  return {};
}

}  // namespace

ReleaseRows::ReleaseRows(ReleaseFormat format)
    : format_(std::move(format)), noise_(format_.series.size()), rate_(format_.series.size()) {}

Result<ReleaseRows> ReleaseRows::make(ReleaseFormat format) {
  ReleaseRows rows(std::move(format));
  if (!rows.format_.filter.empty()) {
    for (std::size_t i = 0; i < rows.format_.series.size(); ++i) {
      FUGU_ASSIGN(auto filter, make_filter_chain(rows.format_.filter));
      rows.filters_.push_back(std::move(filter));
    }
  }
  FUGU_TRY(check(rows.format_, rows.filters_.empty() ? nullptr : rows.filters_.front().get()));
  return rows;
}

std::string ReleaseRows::header() const {
  std::string header = "time,series,value,scale,";
  header += format_.currency == Currency::epsilon ? "loss_rate" : "loss_rate_rho";
  header += ",sampled";
  if (format_.interval) header += ",lower,upper";
  if (format_.simulated) header += ",simulated";
  return header;
}

void ReleaseRows::describe(const ReleasedRow& row, NoiseText& text) const {
  const bool known =
      text.kind == row.noise && text.parameter.num == row.parameter.num && text.parameter.den == row.parameter.den;
  if (known) return;
  const NoiseLaw law{row.noise, row.parameter};
  const double unit = format_.unit_step.to_double();
  const double parameter = row.parameter.to_double();
  text.kind = row.noise;
  text.parameter = row.parameter;
  text.scale.clear();
  append_number((row.noise == NoiseKind::gaussian ? std::sqrt(parameter) : parameter) * unit, text.scale);
  if (!filters_.empty()) text.variance = law.variance() * unit * unit;
  if (format_.interval) text.band_steps = law.magnitude_quantile(*format_.interval);
}

void ReleaseRows::append_value(std::size_t series, std::int64_t steps, bool sampled, const NoiseText& noise,
                               std::string& out) {
  if (filters_.empty()) {
    char text[UnitStep::kTextMax];
    out.append(text, format_.unit_step.format(steps, text));
    return;
  }
  const double unit = format_.unit_step.to_double();
  append_number(filters_[series]->apply({static_cast<double>(steps) * unit, noise.variance, sampled}).value, out);
}

void ReleaseRows::append_band(std::size_t series, const ReleasedRow& row, const NoiseText& noise, std::string& out) {
  for (const std::int64_t side : {-1, 1}) {
    out += ',';
    if (!row.known) continue;
    std::int64_t bound = 0;
    if (__builtin_add_overflow(row.steps, side * noise.band_steps, &bound)) bound = row.steps;  // a forged ledger's
    append_value(series, bound, row.sampled, noise, out);  // a filter that keeps bands makes a band of a band
  }
}

void ReleaseRows::append_rate(std::size_t series, double rate_per_step, std::string& out) {
  RateText& known = rate_[series];
  if (known.rate != rate_per_step) {
    known.rate = rate_per_step;
    const double unit = format_.unit_step.to_double();
    known.text.clear();
    append_number(rate_per_step / (format_.currency == Currency::epsilon ? unit : unit * unit), known.text);
  }
  out += known.text;
}

void ReleaseRows::append(std::string_view time, std::size_t series, const ReleasedRow& row, std::string& out) {
  NoiseText& noise = noise_[series];
  out += time;
  out += ',';
  out += format_.series[series];
  out += ',';
  if (row.known) {
    if (!row.estimated) describe(row, noise);
    append_value(series, row.steps, row.sampled, noise, out);
    out += ',';
    if (!row.estimated) out += noise.scale;
  } else {
    out += ',';
  }
  out += ',';
  append_rate(series, row.loss_rate, out);
  out += row.sampled ? ",1" : ",0";
  if (format_.interval) append_band(series, row, noise, out);
  if (format_.simulated) out += ",1";
}

}  // namespace fugu
