#include "audit_promise.hpp"

#include <cmath>

namespace fugu::audit {

void judge_worst_window(long double worst, const Definition& definition, AuditReport& report) {
  const double epsilon = definition.epsilon().value();
  bool kept = false;
  if (definition.delta().value() == 0) {
    report.measure = "ε";
    report.worst_loss = static_cast<double>(worst);
    report.promised = epsilon;
    kept = worst <= static_cast<long double>(epsilon);
  } else {
    const double log_delta = audit::log_delta(worst, epsilon);
    report.measure = "δ";
    report.worst_loss = std::exp(log_delta);
    report.promised = definition.delta().value();
    kept = log_delta <= std::log(report.promised);
  }
  if (!kept)
    report.add("the promise is broken: slots " + std::to_string(report.worst_first_slot) + " to " +
               std::to_string(report.worst_last_slot) + " lose more than was promised");
}

}  // namespace fugu::audit
