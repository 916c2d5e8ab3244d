// fugu audit temporal: what stamps and arrivals of a perturbed stream give away.
#include <algorithm>
#include <cstdio>

#include "audit.hpp"
#include "scheme_options.hpp"

namespace fugu::cli {

namespace {

/// The promise looked at from both sides: who sees stamps, and who sees arrivals.
Outcome audit_scheme(const SchemeOptions& options) {
  FUGU_ASSIGN(const TemporalScheme scheme, options.scheme());
  const unsigned parts = options.parts;
  const Slot moved = options.move_slots;
  if (parts < 1 || moved < 1) return Error{Cause::usage, "--parts and --move: expected at least 1"};
  const double report_epsilon = static_cast<double>(moved) / scheme.b();
  const double epsilon = report_epsilon * parts;
  const double stamps = scheme.shift().delta(moved, report_epsilon) * parts;
  const double arrivals = std::min(1.0, scheme.arrival().delta(moved, report_epsilon) * parts);
  std::printf("a reading moved by %lld slots, b = %s, %u parts, lag %lld slots\n", static_cast<long long>(moved),
              short_number(scheme.b()).c_str(), parts, static_cast<long long>(scheme.lag_slots()));
  std::printf("who sees stamps     ε = %s, δ ≤ %.3g\n", short_number(epsilon).c_str(), stamps);
  const bool holds = scheme.is_lagged() && arrivals <= scheme.promise()->delta;
  if (holds) {
    std::printf("who sees arrivals   ε = %s, δ ≤ %.3g, promised %.3g: holds\n", short_number(epsilon).c_str(), arrivals,
                scheme.promise()->delta);
    return kDone;
  }
  std::printf("who sees arrivals   no promise: whatever ε, δ ≥ %.3g, the chance that a report goes out at once\n",
              scheme.arrival().probability(0));
  return kAnswerIsNo;
}

}  // namespace

void add_audit_temporal(CLI::App& audit, Outcome& outcome) {
  auto options = std::make_shared<SchemeOptions>();
  CLI::App* command = audit.add_subcommand("temporal", "What stamps and arrivals of fugu meter give away");
  command->footer(R"(
Sums the law that shifts are drawn from, over all outcomes. Exit code 1 when arrival times carry no promise, as in the
published form (--b).

Example
  fugu audit temporal --epsilon 1 --delta 1e-6
)");
  options->add_to(*command);
  command->callback([options, &outcome] { outcome = audit_scheme(*options); });
}

}  // namespace fugu::cli
