#include "fugu/mechanism/release_writer.hpp"

#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>

#include "fugu/noise/law.hpp"
#include "fugu/stream/line_reader.hpp"
#include "fugu/stream/location.hpp"

namespace fugu {

namespace {

std::string header_of(const ReleaseFormat& format) {
  std::string header = "time,series,value,scale,loss_rate,sampled";
  if (format.interval) header += ",lower,upper";
  if (format.simulated) header += ",simulated";
  return header;
}

}  // namespace

ReleaseWriter::ReleaseWriter(ReleaseFormat format, int descriptor, std::string name)
    : format_(std::move(format)),
      descriptor_(descriptor),
      name_(std::move(name)),
      noise_(format_.series.size()),
      rate_(format_.series.size()) {}

Result<ReleaseWriter> ReleaseWriter::make(ReleaseFormat format, int descriptor, std::string name) {
  if (format.interval && !(*format.interval > 0 && *format.interval < 1))
    return Error{Cause::usage, "--interval must be a probability between 0 and 1, for example 0.95"};
  if (format.interval && format.estimates)
    return Error{
        Cause::usage,
        "--interval states the noise of one answer; this mechanism releases estimates made of several: drop it"};
  ReleaseWriter writer(std::move(format), descriptor, std::move(name));
  if (writer.format_.filter.empty()) return writer;
  for (std::size_t i = 0; i < writer.format_.series.size(); ++i) {
    FUGU_ASSIGN(auto filter, make_filter_chain(writer.format_.filter));
    writer.filters_.push_back(std::move(filter));
  }
  const bool mixes = writer.format_.filter.find("kalman") != std::string::npos ||
                     writer.format_.filter.find("moving-average") != std::string::npos;
  if (writer.format_.interval && mixes)
    return Error{Cause::usage,
                 "--interval states the noise of one answer and cannot be combined with a filter that mixes several; "
                 "use it with truncate only, or drop it"};
  if (writer.format_.estimates && mixes)
    return Error{Cause::usage,
                 "this mechanism smooths on its own: use truncate, or no filter, or a mechanism without estimates"};
  return writer;
}

void ReleaseWriter::prepare_header() { pending_ += header_of(format_) + "\n"; }

void ReleaseWriter::append_number(double value) {
  char text[40];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  FUGU_CHECK(error == std::errc());
  pending_.append(text, end);
}

void ReleaseWriter::describe(const NoisyValue& value, NoiseText& text) const {
  const bool known = text.kind == value.noise && text.parameter.num == value.parameter.num &&
                     text.parameter.den == value.parameter.den;
  if (known) return;
  const NoiseLaw law{value.noise, value.parameter};
  const double unit = format_.unit_step.to_double();
  const double parameter = value.parameter.to_double();
  text.kind = value.noise;
  text.parameter = value.parameter;
  char digits[40];
  const double scale = (value.noise == NoiseKind::gaussian ? std::sqrt(parameter) : parameter) * unit;
  text.scale.assign(digits, std::to_chars(digits, digits + sizeof digits, scale).ptr);
  if (!filters_.empty()) text.variance = law.variance() * unit * unit;
  if (format_.interval) text.band_steps = law.magnitude_quantile(*format_.interval);
}

void ReleaseWriter::append_value(std::size_t series, const ReleasedValue& released, const NoiseText& noise) {
  if (filters_.empty()) {
    char text[UnitStep::kTextMax];
    pending_.append(text, format_.unit_step.format(released.value.steps, text));
    return;
  }
  const double unit = format_.unit_step.to_double();
  append_number(filters_[series]
                    ->apply({static_cast<double>(released.value.steps) * unit, noise.variance, released.sampled})
                    .value);
}

void ReleaseWriter::append_band(std::size_t series, const ReleasedValue& released, const NoiseText& noise) {
  for (const std::int64_t side : {-1, 1}) {
    pending_ += ',';
    if (!released.known) continue;
    // A true value within the range stays between the bounds when these are truncated too.
    ReleasedValue bound = released;
    bound.value.steps += side * noise.band_steps;
    append_value(series, bound, noise);
  }
}

void ReleaseWriter::append_rate(std::size_t series, double rate_per_step) {
  RateText& known = rate_[series];
  if (known.rate != rate_per_step) {
    known.rate = rate_per_step;
    const double unit = format_.unit_step.to_double();
    const std::size_t before = pending_.size();
    append_number(rate_per_step / (format_.currency == Currency::epsilon ? unit : unit * unit));
    known.text = pending_.substr(before);
    return;
  }
  pending_ += known.text;
}

void ReleaseWriter::append_row(std::string_view time, std::size_t series, const Release& release) {
  const ReleasedValue& released = release.values()[series];
  NoiseText& noise = noise_[series];
  pending_ += time;
  pending_ += ',';
  pending_ += format_.series[series];
  pending_ += ',';
  if (released.known) {
    if (!released.estimated) describe(released.value, noise);
    append_value(series, released, noise);
    pending_ += ',';
    if (!released.estimated) pending_ += noise.scale;
  } else {
    pending_ += ',';
  }
  pending_ += ',';
  append_rate(series, release.loss_rates()[series]);
  pending_ += released.sampled ? ",1" : ",0";
  if (format_.interval) append_band(series, released, noise);
  pending_ += format_.simulated ? ",1\n" : "\n";
}

void ReleaseWriter::prepare(const Release& release) {
  char time[kStampTextMax];
  const std::string_view text(time, format_.clock.format(release.slot(), release.utc_offset_s(), time));
  const std::size_t kept = pending_.size();
  for (std::size_t i = 0; i < release.values().size(); ++i) append_row(text, i, release);
  if (release.slot() > muted_until_) return;
  compare_with_earlier(std::string_view(pending_).substr(kept));
  pending_.resize(kept);
}

Result<void> ReleaseWriter::expect_earlier(const std::string& path) {
  earlier_.open(path, std::ios::binary);
  if (!earlier_) return Error{Cause::environment, path + ": reading failed: " + std::strerror(errno)};
  std::string header;
  std::getline(earlier_, header);
  return {};
}

void ReleaseWriter::compare_with_earlier(std::string_view rows) {
  if (!earlier_.is_open() || earlier_differs_) return;
  std::string earlier(rows.size(), '\0');
  earlier_.read(earlier.data(), static_cast<std::streamsize>(earlier.size()));
  earlier_differs_ = earlier != rows;
}

Result<void> ReleaseWriter::emit() {
  if (earlier_differs_)
    return Error{Cause::refused,
                 name_ + ": holds other releases than the ledger; it belongs to another run, or was changed"};
  std::string_view rest = pending_;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Error{Cause::environment, name_ + ": writing failed: " + std::strerror(errno)};
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  pending_.clear();
  return {};
}

Result<ResumePoint> find_resume_point(const std::string& path, const ReleaseFormat& format) {
  FUGU_ASSIGN(Input input, Input::open(path));
  // The last line may have been cut anywhere, so this reads bytes rather than records.
  std::string header = header_of(format) + "\n";
  ResumePoint point;
  std::uint64_t offset = 0;
  std::string line;
  std::size_t rows_of_slot = 0;
  bool in_header = true;
  std::vector<char> block(1 << 16);
  for (;;) {
    FUGU_ASSIGN(const std::size_t got, input.read(block));
    if (got == 0) break;
    for (std::size_t i = 0; i < got; ++i) {
      line += block[i];
      ++offset;
      if (block[i] != '\n') continue;
      if (in_header) {
        if (line != header)
          return found_but_expected({path, 1, 1}, "another header",
                                    "the releases this ledger belongs to: " + header_of(format));
        in_header = false;
        point.bytes = offset;
      } else if (++rows_of_slot == format.series.size()) {
        rows_of_slot = 0;
        Tick tick;
        const std::string_view time = std::string_view(line).substr(0, line.find(','));
        if (format.clock.parse(time, std::nullopt, tick) != TimeFault::none)
          return Error{Cause::bad_input, path + ": a row's time is not one of this stream's"};
        point = {offset, tick.slot};
      }
      line.clear();
    }
  }
  if (in_header && !header.starts_with(line))
    return found_but_expected({path, 1, 1}, "another header",
                              "the releases this ledger belongs to: " + header_of(format));
  return point;
}

}  // namespace fugu
