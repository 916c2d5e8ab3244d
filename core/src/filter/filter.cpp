#include "fugu/filter/filter.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace fugu {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr std::array kKinds = {
    FilterKind{.name = "truncate",
               .usage = "truncate[:LO:HI[:STEP]]",
               .example = "truncate:0:5000",
               .description = "clamps to the query's range (without bounds: negative values to 0), rounds to a step"},
    FilterKind{.name = "moving-average",
               .usage = "moving-average:SLOTS",
               .example = "moving-average:5",
               .description = "plain mean of the last released values, repeats included"},
    FilterKind{
        .name = "kalman",
        .usage = "kalman[:PROCESS_VARIANCE]",
        .example = "kalman:25",
        .description = "random-walk Kalman filter weighted by each answer's noise (without a variance: learned)"},
};

Error usage_error(std::string message) { return {Cause::usage, std::move(message)}; }

/// Shortest text that reads back as the same number, whatever the locale.
std::string shortest(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

template <class... Parts>
std::string concat(const Parts&... parts) {
  std::string text;
  (text.append(std::string_view(parts)), ...);
  return text;
}

std::string quoted(std::string_view text) { return concat("'", text, "'"); }

/// The error that every bad specification of a known filter ends in.
Error wrong_use(std::string_view spec, const FilterKind& kind, std::string_view why) {
  return usage_error(
      concat("filter ", quoted(spec), ": ", why, "; write ", kind.usage, ", for example ", kind.example));
}

template <class Number>
std::optional<Number> parse(std::string_view text) {
  Number number{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Parses every parameter of a specification as a number.
Result<std::vector<double>> parse_numbers(std::string_view spec, const FilterKind& kind,
                                          std::span<const std::string_view> texts) {
  std::vector<double> numbers;
  for (const auto text : texts) {
    const auto number = parse<double>(text);
    if (!number || std::isnan(*number)) return wrong_use(spec, kind, concat(quoted(text), " is not a number"));
    numbers.push_back(*number);
  }
  return numbers;
}

/// The multiple of `step` closest to `value`, as the double closest to that multiple where 1/step is whole (0.1, 0.01):
/// 3 steps of 0.1 are then 0.3 and not 0.30000000000000004.
double nearest_multiple(double value, double step) {
  if (std::isinf(value)) return value;
  const double per_unit = std::round(1.0 / step);
  if (per_unit * step == 1.0) return std::round(value * per_unit) / per_unit;
  return std::round(value / step) * step;
}

bool is_multiple(double value, double step) {
  if (std::isinf(value)) return true;
  return std::abs(nearest_multiple(value, step) - value) <= 1e-9 * std::max(step, std::abs(value));
}

template <class MadeFilter>
Result<std::unique_ptr<Filter>> boxed(Result<MadeFilter> made, std::string_view spec, const FilterKind& kind) {
  if (!made) return wrong_use(spec, kind, made.error().message);
  return std::unique_ptr<Filter>(std::make_unique<MadeFilter>(*std::move(made)));
}

Result<std::unique_ptr<Filter>> make_truncate(std::string_view spec, const FilterKind& kind,
                                              std::span<const std::string_view> parameters) {
  Truncate::Options options{.lo = 0.0, .hi = kInfinity};
  if (parameters.size() == 1 || parameters.size() > 3)
    return wrong_use(spec, kind, "takes no parameters, two bounds, or two bounds and a step");
  FUGU_ASSIGN(const auto numbers, parse_numbers(spec, kind, parameters));
  if (numbers.size() >= 2) {
    options.lo = numbers[0];
    options.hi = numbers[1];
  }
  if (numbers.size() == 3) options.step = numbers[2];
  return boxed(Truncate::make(options), spec, kind);
}

Result<std::unique_ptr<Filter>> make_moving_average(std::string_view spec, const FilterKind& kind,
                                                    std::span<const std::string_view> parameters) {
  if (parameters.size() != 1) return wrong_use(spec, kind, "takes one parameter, the window in slots");
  const auto window_slots = parse<std::int64_t>(parameters[0]);
  if (!window_slots) return wrong_use(spec, kind, concat(quoted(parameters[0]), " is not a whole number of slots"));
  return boxed(MovingAverage::make({.window_slots = *window_slots}), spec, kind);
}

Result<std::unique_ptr<Filter>> make_kalman(std::string_view spec, const FilterKind& kind,
                                            std::span<const std::string_view> parameters) {
  if (parameters.size() > 1) return wrong_use(spec, kind, "takes at most one parameter, the process variance");
  FUGU_ASSIGN(const auto numbers, parse_numbers(spec, kind, parameters));
  Kalman::Options options;
  if (!numbers.empty()) options.process_variance = numbers[0];
  return boxed(Kalman::make(options), spec, kind);
}

}  // namespace

Estimate Filter::apply(const Estimate& released) {
  FUGU_CHECK(std::isfinite(released.value));
  FUGU_CHECK(std::isfinite(released.variance) && released.variance >= 0.0);
  return next(released);
}

Result<Truncate> Truncate::make(const Options& options) {
  const bool ordered = options.lo <= options.hi && options.lo < kInfinity && options.hi > -kInfinity;
  if (!ordered) return usage_error("the lower bound must not exceed the upper bound");
  if (!options.step) return Truncate(options);

  const double step = *options.step;
  if (!(step > 0.0) || std::isinf(step)) return usage_error("the step must be positive and finite");
  if (!is_multiple(options.lo, step) || !is_multiple(options.hi, step))
    return usage_error("the bounds must be multiples of the step");
  // The bounds join the grid, so that a clamped value is a fixed point of rounding.
  return Truncate({.lo = nearest_multiple(options.lo, step), .hi = nearest_multiple(options.hi, step), .step = step});
}

std::string Truncate::name() const {
  const std::string step = options_.step ? concat(":", shortest(*options_.step)) : "";
  return concat("truncate:", shortest(options_.lo), ":", shortest(options_.hi), step);
}

Estimate Truncate::next(const Estimate& released) {
  Estimate result = released;
  if (options_.step) {
    const double step = *options_.step;
    result.value = nearest_multiple(released.value, step);
    if (result.value != released.value) result.variance += step * step / 12.0;
  }
  result.value = std::clamp(result.value, options_.lo, options_.hi);
  return result;
}

Result<MovingAverage> MovingAverage::make(const Options& options) {
  if (options.window_slots < 1 || options.window_slots > kWindowSlotsMax)
    return usage_error(concat("the window must be 1 to ", std::to_string(kWindowSlotsMax), " slots"));
  return MovingAverage(options);
}

std::string MovingAverage::name() const { return concat("moving-average:", std::to_string(options_.window_slots)); }

Estimate MovingAverage::next(const Estimate& released) {
  const Entry entry{released.value, std::sqrt(released.variance), released.sampled};
  if (ring_.size() < static_cast<std::size_t>(options_.window_slots)) {
    ring_.push_back(entry);
  } else {
    ring_[oldest_] = entry;
    oldest_ = (oldest_ + 1) % ring_.size();
  }

  // Summed afresh in every slot: a running sum would carry the rounding of values that left long ago.
  const double count = static_cast<double>(ring_.size());
  double mean = 0.0;
  double variance = 0.0;
  double answer_deviation = 0.0;  // of one answer's share in the mean, its repeats included
  for (std::size_t i = 0; i < ring_.size(); ++i) {
    const Entry& slot = ring_[(oldest_ + i) % ring_.size()];
    mean += slot.value / count;
    if (slot.sampled) {
      variance += answer_deviation * answer_deviation;
      answer_deviation = 0.0;
    }
    answer_deviation += slot.deviation / count;
  }
  variance += answer_deviation * answer_deviation;
  return {mean, variance, released.sampled};
}

Result<Kalman> Kalman::make(const Options& options) {
  if (options.process_variance && !(*options.process_variance >= 0.0 && *options.process_variance < kInfinity))
    return usage_error("the process variance must be finite and not negative");
  return Kalman(options);
}

std::string Kalman::name() const {
  return options_.process_variance ? concat("kalman:", shortest(*options_.process_variance)) : "kalman";
}

double Kalman::process_variance() const { return options_.process_variance.value_or(learned_.per_slot()); }

Estimate Kalman::next(const Estimate& released) {
  slots_since_answer_ += 1.0;
  if (!released.sampled) {
    if (!state_.started()) return released;  // nothing measured yet: nothing to predict from
    state_.predict(process_variance());
    return {state_.value(), state_.variance(), false};
  }
  learned_.add(released.value, released.variance, slots_since_answer_);
  slots_since_answer_ = 0.0;
  if (state_.started()) state_.predict(process_variance());
  state_.correct(released.value, released.variance);
  return {state_.value(), state_.variance(), true};
}

std::string FilterChain::name() const {
  std::string name;
  for (const auto& filter : filters_) {
    if (!name.empty()) name += ',';
    name += filter->name();
  }
  return name;
}

bool FilterChain::mixes_slots() const {
  return std::ranges::any_of(filters_, [](const auto& filter) { return filter->mixes_slots(); });
}

bool FilterChain::keeps_bands() const {
  return std::ranges::all_of(filters_, [](const auto& filter) { return filter->keeps_bands(); });
}

Estimate FilterChain::next(const Estimate& released) {
  Estimate estimate = released;
  for (const auto& filter : filters_) estimate = filter->apply(estimate);
  return estimate;
}

std::span<const FilterKind> filter_kinds() { return kKinds; }

Result<std::unique_ptr<Filter>> make_filter(std::string_view spec) {
  const auto parts = split(spec, ':');
  const auto parameters = std::span(parts).subspan(1);
  const auto kind = std::ranges::find(kKinds, parts[0], &FilterKind::name);
  if (kind == kKinds.end()) {
    std::string message = concat("unknown filter ", quoted(parts[0]), "; write one of");
    for (std::size_t i = 0; i < kKinds.size(); ++i) {
      message += i == 0 ? " " : ", ";
      message += kKinds[i].usage;
    }
    return usage_error(std::move(message));
  }
  if (kind->name == "truncate") return make_truncate(spec, *kind, parameters);
  if (kind->name == "moving-average") return make_moving_average(spec, *kind, parameters);
  return make_kalman(spec, *kind, parameters);
}

Result<std::unique_ptr<Filter>> make_filter_chain(std::string_view specs) {
  std::vector<std::unique_ptr<Filter>> filters;
  for (const auto spec : split(specs, ',')) {
    FUGU_ASSIGN(auto filter, make_filter(spec));
    filters.push_back(std::move(filter));
  }
  return std::unique_ptr<Filter>(std::make_unique<FilterChain>(std::move(filters)));
}

}  // namespace fugu
