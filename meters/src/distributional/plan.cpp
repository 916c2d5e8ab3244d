#include "fugu/distributional/plan.hpp"

#include <charconv>
#include <cmath>
#include <map>

#include "fugu/base/budget.hpp"
#include "fugu/distributional/reference_law.hpp"
#include "fugu/noise/discrete_laplace.hpp"

namespace fugu {

namespace {

std::string number(double value) {
  char text[32];
  const auto [end, fault] = std::to_chars(text, text + sizeof text, value);
  return std::string(text, end);
}

template <class Number>
bool parse_number(std::string_view text, Number& value) {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  return fault == std::errc() && end == text.data() + text.size();
}

/// Δ/ε as a rational that is not below it.
Result<Rational> scale_for(uint128 change_steps, Budget budget) {
  constexpr double kFarTooMuch = 0x1p60;  // round_up takes no more
  if (budget.units() > 0 && static_cast<double>(change_steps) / budget.to_double() < kFarTooMuch) {
    const Rational scale = round_up(change_steps << Budget::kFractionBits, budget.units());
    if (is_laplace_scale(scale)) return scale;
  }
  return Error{Cause::usage, "ε is too small for what a meter can change; choose a larger one or a larger unit step"};
}

}  // namespace

std::string_view name_of(DistributionalForm form) {
  switch (form) {
    case DistributionalForm::capped: return "capped";
    case DistributionalForm::hidden: return "hidden";
    case DistributionalForm::bernoulli: break;
  }
  return "bernoulli";
}

std::string slot_length_text(std::int64_t slot_s) {
  for (const auto& [unit_s, letter] : {std::pair(86400, 'd'), {3600, 'h'}, {60, 'm'}}) {
    if (slot_s % unit_s == 0) return std::to_string(slot_s / unit_s) + letter;
  }
  return std::to_string(slot_s) + 's';
}

std::int64_t hidden_half_width(std::int64_t spread_steps) { return 8 * spread_steps; }

Result<void> DistributionalPlan::check() const {
  std::string wrong;
  const auto complain = [&](std::string_view what) { wrong.append(wrong.empty() ? "" : "\n       ").append(what); };
  if (clamp.lo >= clamp.hi || clamp.lo < -kStepsMax || clamp.hi > kStepsMax)
    complain("the clamp must have its lower bound below its upper one, within 2^53 steps");
  if (form == DistributionalForm::bernoulli) {
    if (sample != 1) complain("sampling would change the mean of a Bernoulli reading: leave it out");
    if (!circumstances.none() || one_level)
      complain("a Bernoulli reading follows no learned law: it has no circumstances");
  } else {
    if (!Epsilon::make(epsilon)) complain("ε is missing or not between 0 and 32768");
    if (!(sample > 0 && sample <= 1)) complain("the sampled share must be above 0 and at most 1");
    if (spread_steps < 1 || spread_steps > ReferenceLaw::kHalfWidthMax)
      complain("the largest standard deviation must be above 0, and at most 2^20 unit steps");
    else if (static_cast<double>(spread_steps) > static_cast<double>(clamp.hi - clamp.lo) / 2 + 1)
      complain("the largest standard deviation is beyond half of the clamp, which no reading within it can have");
  }
  if (form == DistributionalForm::hidden) {
    if (!(delta > 0 && delta < 1)) complain("the hidden form needs a δ between 0 and 1: a variance cannot be negative");
    if (!(mean_share > 0 && mean_share < 1)) complain("the mean's share of ε must be between 0 and 1");
    if (spread_steps < kHiddenSdMinSteps)
      complain("the hidden form needs a standard deviation of at least two unit steps");
    if (alpha != 2) complain("the hidden form is Gaussian: other laws go with the capped form");
    if (half_width_steps < hidden_half_width(spread_steps) || half_width_steps > kStepsMax)
      complain("the hidden form must reach eight standard deviations to either side, and at most 2^53 steps");
  } else if (delta != 0) {
    complain("δ belongs to the hidden form; the others need none");
  }
  if (reading_epsilon != 0 && (form != DistributionalForm::capped || !Epsilon::make(reading_epsilon)))
    complain("the ε of single readings is between 0 and 32768, and belongs to the capped form");
  if (slot_s && (*slot_s < 1 || form == DistributionalForm::bernoulli))
    complain("a slot takes a second at least, and its length matters only to what is learned");
  if (!wrong.empty()) return Error{Cause::usage, wrong};
  return {};
}

Result<std::optional<Rational>> DistributionalPlan::reading_scale() const {
  if (reading_epsilon == 0) return std::optional<Rational>();
  FUGU_ASSIGN(const Rational scale,
              scale_for(2 * static_cast<uint128>(half_width_steps), Budget::round_down(reading_epsilon)));
  return std::optional<Rational>(scale);
}

std::string DistributionalPlan::text() const {
  std::string text = std::string("form=").append(name_of(form)).append(" unit-step=").append(unit_step.text(1));
  text.append(" lo=").append(std::to_string(clamp.lo)).append(" hi=").append(std::to_string(clamp.hi));
  text.append(" epsilon=").append(number(epsilon)).append(" delta=").append(number(delta));
  text.append(" mean-share=").append(number(mean_share)).append(" alpha=").append(number(alpha));
  text.append(" spread=").append(std::to_string(spread_steps));
  text.append(" half-width=").append(std::to_string(half_width_steps)).append(" sample=").append(number(sample));
  text.append(" by=").append(circumstances.text());
  text.append(" utc-offset=").append(std::to_string(circumstances.utc_offset_s()));
  text.append(" levels=").append(one_level ? "one" : "each");
  if (reading_epsilon != 0) text.append(" reading-epsilon=").append(number(reading_epsilon));
  if (slot_s) text.append(" slot-length=").append(std::to_string(*slot_s));
  return text;
}

Result<DistributionalPlan> DistributionalPlan::parse(std::string_view text) {
  std::map<std::string_view, std::string_view> facts;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    const std::size_t equals = word.find('=');
    if (equals != std::string_view::npos) facts[word.substr(0, equals)] = word.substr(equals + 1);
  }
  DistributionalPlan plan;
  bool found = false;
  for (const auto form : {DistributionalForm::capped, DistributionalForm::hidden, DistributionalForm::bernoulli}) {
    if (facts["form"] != name_of(form)) continue;
    plan.form = form;
    found = true;
  }
  const auto step = UnitStep::parse(facts["unit-step"]);
  found = found && step && parse_number(facts["lo"], plan.clamp.lo) && parse_number(facts["hi"], plan.clamp.hi) &&
          parse_number(facts["epsilon"], plan.epsilon) && parse_number(facts["delta"], plan.delta) &&
          parse_number(facts["mean-share"], plan.mean_share) && parse_number(facts["alpha"], plan.alpha) &&
          parse_number(facts["spread"], plan.spread_steps) &&
          parse_number(facts["half-width"], plan.half_width_steps) && parse_number(facts["sample"], plan.sample);
  if (facts.contains("by")) {  // a state of before there were circumstances has none
    std::int32_t utc_offset_s = 0;
    found = found && parse_number(facts["utc-offset"], utc_offset_s);
    auto circumstances = Circumstances::parse(facts["by"], utc_offset_s);
    found = found && circumstances && (facts["levels"] == "one" || facts["levels"] == "each");
    if (found) plan.circumstances = *circumstances;
    plan.one_level = facts["levels"] == "one";
  }
  if (facts.contains("reading-epsilon")) found = found && parse_number(facts["reading-epsilon"], plan.reading_epsilon);
  if (facts.contains("slot-length")) found = found && parse_number(facts["slot-length"], plan.slot_s.emplace());
  if (!found) return Error{Cause::bad_input, "found other parameters than fugu writes"};
  plan.unit_step = *step;
  FUGU_TRY(plan.check());
  return plan;
}

Result<ParameterNoise> ParameterNoise::make(const DistributionalPlan& plan, std::uint64_t series_per_meter) {
  FUGU_TRY(plan.check());
  FUGU_CHECK(series_per_meter > 0);
  ParameterNoise laws;
  if (plan.form == DistributionalForm::bernoulli) return laws;
  const bool hidden = plan.form == DistributionalForm::hidden;
  // What a meter sends into two series is the same draw: their covariance has the meter's variance, and no constant
  // that is added to either of them hides it.
  if (hidden && series_per_meter > 1)
    return Error{Cause::refused,
                 "in the hidden form a meter must count into one series only: the covariance of two would give its "
                 "variance away; use the capped form, or states of their own"};
  const Budget all = Budget::round_down(plan.epsilon);
  const Budget for_mean = hidden ? Budget::round_down(plan.epsilon * plan.mean_share) : all;
  laws.levels_ = plan.levels();
  FUGU_ASSIGN(
      laws.mean_scale_,
      scale_for(static_cast<uint128>(plan.clamp.hi - plan.clamp.lo) * series_per_meter * plan.levels(), for_mean));
  if (!hidden) return laws;
  laws.variance_max_ = plan.spread_steps * plan.spread_steps;
  const Budget for_variance = for_mean < all ? all - for_mean : Budget();
  FUGU_ASSIGN(laws.variance_scale_, scale_for(static_cast<uint128>(laws.variance_max_) * plan.levels(), for_variance));
  // P(Laplace ≤ −m) = q^m / (1 + q) must be at most the level's part of δ for m = shift − variance_max + 1: below that,
  // the release says for certain that the larger of two variances is not there.
  const double scale = laws.variance_scale_->to_double();
  const double delta = plan.delta / static_cast<double>(plan.levels());
  const double m = scale * -std::log(delta * (1 + std::exp(-1 / scale)));
  // One part in 2^40 more than needed, because logarithms are rounded.
  laws.variance_shift_ = laws.variance_max_ + std::max<std::int64_t>(0, std::llround(std::ceil(m * (1 + 0x1p-40))));
  return laws;
}

SeriesConstants ParameterNoise::draw(Noise& noise) const {
  SeriesConstants drawn;
  if (mean_scale_) drawn.mean_steps = noise.laplace(*mean_scale_);
  if (variance_scale_)
    drawn.variance_steps = std::max<std::int64_t>(0, variance_shift_ + noise.laplace(*variance_scale_));
  return drawn;
}

double ParameterNoise::certain_loss() const {
  if (!variance_scale_) return 0;
  const double inverse = 1 / variance_scale_->to_double();
  const auto m = static_cast<double>(variance_shift_ - variance_max_ + 1);
  return static_cast<double>(levels_) * std::exp(-m * inverse) / (1 + std::exp(-inverse));
}

}  // namespace fugu
