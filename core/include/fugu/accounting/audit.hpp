// Recomputes a guarantee from what was recorded.
//
// Shares nothing with the accountants: it reads the ledger's answers (kind, noise, slots touched), adds up what they
// lose with arithmetic of its own (GMP), and compares the worst window, and the worst placement of every policy, with
// the promise. It does not believe any total or rate that is written somewhere; it checks them.
//
// What was published is compared with what follows from the ledger, to the byte. Filters and the text of rows are the
// writer's own code (filter/release_rows.hpp): they see recorded answers only, so what they make of them is as private.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fugu/accounting/definition.hpp"
#include "fugu/accounting/ledger.hpp"
#include "fugu/base/result.hpp"
#include "fugu/filter/release_rows.hpp"
#include "fugu/policy/book.hpp"
#include "fugu/stream/input.hpp"
#include "fugu/stream/release_reader.hpp"
#include "fugu/stream/slot.hpp"

namespace fugu {

/// One occurrence, placed where the answers give away most of it.
struct PolicyPlacement {
  Policy policy;
  /// Its first slot; it lies within the policy's own interval.
  Slot start = 0;
  /// Which of the shape's alternatives; 0 without a shape.
  std::size_t alternative = 0;
  /// What it contributes: ε; or the ρ of this policy alone, to which pairs of policies add.
  double loss = 0;
};

/// The policy that comes closest to its promise, or breaks it most.
struct WorstPolicy {
  std::string meter;
  Policy policy;
  /// What it may have lost, and what it was promised: ε, or δ at the policy's ε. `measure` says which.
  double loss = 0;
  double promised = 0;
  std::string measure;
  /// Loss over promise: of ε, or of the ρ that the policy's ε and δ allow. Above 1 when broken; infinite when nothing
  /// bounds the loss.
  double ratio = 0;
  /// The series that a meter which loses that much counts into.
  std::vector<SeriesId> series;
  /// What has to happen for that loss: one occurrence of each policy of the meter that overlaps the interval. With
  /// δ > 0 each is placed on its own, and the loss is an upper bound.
  std::vector<PolicyPlacement> placement;
};

/// What an audit found. The promise holds and the records are in order exactly when `findings` is empty.
struct AuditReport {
  std::string definition;  ///< "w-event, ε = 1, w = 120"
  std::uint64_t slots = 0;
  std::uint64_t answers = 0;
  /// The largest loss of any meter in any window, and the promise, both rounded against us: ε, or δ at the promised ε.
  /// For swellfish that is the floor.
  double worst_loss = 0;
  double promised = 0;
  /// "ε" or "δ": what the two numbers above are. Empty when nothing is promised about windows: swellfish without a
  /// floor.
  std::string measure;
  /// Where the worst window lies and which series the meter that loses most counts into.
  Slot worst_first_slot = 0;
  Slot worst_last_slot = 0;
  std::vector<SeriesId> worst_series;
  /// Swellfish only: how many policies were ever in force, and the worst of them, if there is any.
  std::optional<std::uint64_t> policies;
  std::optional<WorstPolicy> worst_policy;
  /// Slots that were left out because records of theirs may have been lost.
  std::uint64_t slots_left_out = 0;
  /// Slots that the ledger paid for and a file of releases does not have. No breach: rows may be kept elsewhere.
  std::uint64_t slots_not_in_file = 0;
  /// The state that readings went through, if they did, each time that it was another one. Whether these are versions
  /// of one state is for those to say who know states: see DistributionalState.
  std::vector<VersionUsed> versions;
  /// What nobody looked at, in words: "holds" says nothing about it.
  std::vector<std::string> not_checked;
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

/// Compares a file of releases with the ledger it claims to come from: it must have the header and, for every slot that
/// it has, the rows that `format` makes of the recorded answers and estimates, to the byte. Slots may be absent
/// as a whole; none may come twice or without being paid for. Adds findings to `report`.
///
/// Cause::refused for a file that says it was simulated; Cause::bad_input for what is no file of releases.
Result<void> audit_releases_against_ledger(Input released, const std::string& ledger_path, const ReleaseFormat& format,
                                           AuditReport& report);

/// Yields rows in the order of the file; false at the end.
using ReleasedRows = std::function<Result<bool>(ReleaseRecord&)>;

/// Without a ledger: checks a definition against the loss rates that the releases themselves state. Believes them, as
/// long as they are not below what the stated scales cost; a ledger is better evidence. Cause::usage when the rates are
/// in another currency than the definition's, Cause::refused when they were simulated.
Result<AuditReport> audit_stated_rates(const ReleasedRows& rows, const Definition& definition, const Exposure& exposure,
                                       double unit_step);

/// The same for swellfish, whose `policies` are given. Any meter may have any of the signatures.
Result<AuditReport> audit_stated_rates(const ReleasedRows& rows, const Definition& definition, const Exposure& exposure,
                                       const PolicyBook& policies, double unit_step);

}  // namespace fugu
