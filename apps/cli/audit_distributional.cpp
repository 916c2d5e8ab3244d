// fugu audit distributional: what the state of a stream promises, and about what it says nothing.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "audit.hpp"

namespace fugu::cli {

Result<bool> print_audit(const DistributionalState& state, const HouseholdDraws& household) {
  const DistributionalPlan& plan = state.plan();
  FUGU_ASSIGN(const ParameterNoise laws, state.parameter_noise());
  const double unit = plan.unit_step.to_double();
  std::printf("state       %s\nversion     %s, with %zu before it\n", state.id().c_str(),
              to_hex(state.versions().back()).c_str(), state.versions().size() - 1);
  std::printf("form        %s\n", std::string(name_of(plan.form)).c_str());
  std::printf("transform   %s\n", state.at_meters() ? "at the meters: the promise holds against whoever adds up as well"
                                                    : "by whoever has this state, who sees readings");
  std::printf("per slot    one meter changes a total by %s at most\n",
              short_number(static_cast<double>(state.transform().change_steps()) * unit).c_str());
  if (plan.form == DistributionalForm::bernoulli) {
    std::printf("promise     everything but the mean is hidden; means are not protected: no ε holds for them\n");
    return false;
  }
  const double mean_scale = laws.mean_scale()->to_double();
  // A meter is protected in all its series and at all its levels together.
  const auto shared = static_cast<double>((state.at_meters() ? 1 : state.series_per_meter()) * plan.levels());
  const double mean_epsilon = static_cast<double>(plan.clamp.hi - plan.clamp.lo) * shared / mean_scale;
  std::printf("laws        learned by %s: %zu circumstance%s, %zu level%s\n", plan.circumstances.text().c_str(),
              plan.circumstances.count(), plan.circumstances.count() == 1 ? "" : "s", plan.levels(),
              plan.levels() == 1 ? "" : "s");
  std::printf("mean        constant%s of scale %s: ε = %s\n", plan.levels() == 1 ? "" : "s, one a level,",
              short_number(mean_scale * unit).c_str(), short_number(mean_epsilon).c_str());
  double epsilon = mean_epsilon;
  const double delta = laws.certain_loss();
  if (laws.variance_scale()) {
    const double variance_scale = laws.variance_scale()->to_double();
    const auto largest = static_cast<double>(plan.spread_steps) * static_cast<double>(plan.spread_steps);
    const double variance_epsilon = largest * static_cast<double>(plan.levels()) / variance_scale;
    epsilon += variance_epsilon;
    std::printf("variance    constant around %s: ε = %s, δ = %.3g\n",
                short_number(static_cast<double>(laws.variance_shift_steps()) * unit * unit).c_str(),
                short_number(variance_epsilon).c_str(), delta);
  } else {
    std::printf("variance    the same for every meter: no secret, nothing to pay\n");
  }
  const bool holds = epsilon <= plan.epsilon * (1 + 1e-12) && delta <= plan.delta;
  if (laws.variance_scale())
    std::printf("            in real arithmetic: normal draws are made in doubles, whose rounding is in no δ\n");
  std::printf(
      "promise     for one meter ε = %s, δ = %.3g; promised ε = %s, δ = %.3g: %s, while readings follow what was "
      "learned\n",
      short_number(epsilon).c_str(), delta, short_number(plan.epsilon).c_str(), plan.delta,
      holds ? "holds" : "does not hold");
  if (plan.reading_epsilon > 0) {
    FUGU_ASSIGN(const std::optional<Rational> scale, plan.reading_scale());
    std::printf("readings    noise of scale %s in each value: a reading has ε = %s from whoever gets the values\n",
                short_number(scale->to_double() * unit).c_str(), short_number(plan.reading_epsilon).c_str());
  } else if (state.at_meters()) {
    std::printf("NOT HIDDEN  single readings from whoever gets the values (prepare --meter --reading-epsilon)\n");
  }
  if (const auto draws = static_cast<double>(state.draws_for_one_meter()); draws > 1)
    std::printf(
        "changes     meters joined, left or moved: one of them has ε = %s, δ = %.3g; those that stayed as above\n",
        short_number(draws * epsilon).c_str(), draws * delta);
  if (household.meters > 1) {
    const auto all = static_cast<double>(household.draws);  // δ: one draw after the other, as for groups
    std::printf("household   one with %zu meters has ε = %s, δ = %.3g for all of them together\n", household.meters,
                short_number(all * epsilon).c_str(), std::min(1.0, all * std::exp((all - 1) * epsilon) * delta));
  }
  if (const std::string left_out = plan.circumstances.left_out(); !left_out.empty())
    std::printf("NOT HIDDEN  how readings differ by %s: laws were not learned by that\n", left_out.c_str());
  std::printf("NOT HIDDEN  habits that change after learning, and which reading follows which\n");
  return holds;
}

namespace {

Outcome audit_alone(const std::string& path) {
  FUGU_ASSIGN(const DistributionalState state, DistributionalState::load(path));
  FUGU_ASSIGN(const bool holds, print_audit(state));
  return holds ? kDone : kAnswerIsNo;
}

}  // namespace

void add_audit_distributional(CLI::App& audit, Outcome& outcome) {
  auto path = std::make_shared<std::string>();
  CLI::App* command = audit.add_subcommand("distributional", "What a state of fugu distributional promises");
  command->footer(R"(
Computed from the laws of the constants. Prints no constant and nothing of a profile. Exit code 1 when parameters are
not protected, as with bernoulli. For a run that went through it: fugu audit --ledger L --distributional STATE

Example
  fugu audit distributional --state stream.state
)");
  command->add_option("--state", *path, "State of the stream")->required();
  command->callback([path, &outcome] { outcome = audit_alone(*path); });
}

}  // namespace fugu::cli
