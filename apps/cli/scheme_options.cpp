#include "scheme_options.hpp"

namespace fugu::cli {

void SchemeOptions::add_to(CLI::App& command) {
  command.add_option("--b", b, "Published form: mean shift in slots, 0.01 to 1000");
  command.add_option("--lambda", lambda, "Published form: rate of the delay of reports moved back; 1/B without it");
  command.add_option("--epsilon", epsilon, "Lagged form: ε for a reading that is moved");
  command.add_option("--delta", delta, "Lagged form: δ for a reading that is moved");
  command.add_option("--move", move_slots, "Lagged form: by how many slots a reading may be moved")
      ->capture_default_str();
  command.add_option("--parts", parts, "Random parts a reading is divided into, each moved on its own")
      ->capture_default_str();
}

Result<TemporalScheme> SchemeOptions::scheme() const {
  const bool is_lagged = epsilon || delta;
  if (b.has_value() == is_lagged)
    return Error{Cause::usage, "expected either --b (published form) or --epsilon and --delta (lagged form)"};
  if (!is_lagged) {
    if (lambda && !(*lambda > 0)) return Error{Cause::usage, "--lambda: expected a number above 0"};
    return TemporalScheme::published(*b, lambda);
  }
  if (!epsilon || !delta) return Error{Cause::usage, "the lagged form needs both --epsilon and --delta"};
  if (lambda) return Error{Cause::usage, "--lambda belongs to the published form"};
  return TemporalScheme::lagged({*epsilon, *delta, move_slots, parts});
}

}  // namespace fugu::cli
