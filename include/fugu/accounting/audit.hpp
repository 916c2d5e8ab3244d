// Recomputes a guarantee from what was recorded.
//
// Shares nothing with the accountants: it reads the ledger's answers (kind, noise, slots touched), adds up what they
// lose with arithmetic of its own (GMP), and compares the worst window with the promise. It does not believe any total
// or rate that is written somewhere; it checks them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "fugu/accounting/definition.hpp"
#include "fugu/core/result.hpp"
#include "fugu/stream/release_reader.hpp"
#include "fugu/stream/slot.hpp"

namespace fugu {

/// What an audit found. The promise holds and the records are in order exactly when `findings` is empty.
struct AuditReport {
  std::string definition;  ///< "w-event, ε = 1, w = 120"
  std::uint64_t slots = 0;
  std::uint64_t answers = 0;
  /// The largest loss of any meter in any window, and the promise, both rounded against us: ε, or δ at the promised ε.
  double worst_loss = 0;
  double promised = 0;
  /// "ε" or "δ": what the two numbers above are.
  std::string measure;
  /// Where the worst window lies and which series the meter that loses most counts into.
  Slot worst_first_slot = 0;
  Slot worst_last_slot = 0;
  std::vector<SeriesId> worst_series;
  /// What is wrong, in words. Capped at kFindingsMax; `findings_total` counts all.
  std::vector<std::string> findings;
  std::uint64_t findings_total = 0;

  static constexpr std::size_t kFindingsMax = 20;
  bool holds() const { return findings_total == 0; }
  void add(std::string finding);
};

struct AuditOptions {
  /// Accept a ledger without an end: the run is still going, or was stopped on purpose.
  bool open_ended = false;
};

/// Audits a ledger. A promise that does not hold is a finding, not an error; an unreadable file is an error.
Result<AuditReport> audit_ledger(const std::string& path, const AuditOptions& options = {});

/// Yields rows in the order of the file; false at the end.
using ReleasedRows = std::function<Result<bool>(ReleaseRecord&)>;

/// Compares released rows with the ledger they claim to come from: every row's slot is paid for, no
/// row comes twice, scale, rate and sampled flag are those of the recorded answers, and, unless the ledger says that
/// values were filtered, so is the value. Adds findings to `report`. Values are in units of `unit_step`.
Result<void> audit_releases_against_ledger(const ReleasedRows& rows, const std::string& ledger_path, double unit_step,
                                           AuditReport& report);

/// Without a ledger: checks a definition against the loss rates that the releases themselves state. Believes them; a
/// ledger is better evidence.
Result<AuditReport> audit_stated_rates(const ReleasedRows& rows, const Definition& definition, const Exposure& exposure,
                                       double unit_step);

}  // namespace fugu
