// Is this the ledger that somebody has seen before, and did its operator sign it?
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "fugu/accounting/audit.hpp"
#include "fugu/accounting/head_file.hpp"
#include "fugu/accounting/operator_key.hpp"

namespace fugu {

struct HeadQuestions {
  std::optional<Digest> head = {};    ///< somebody kept this head: the ledger must continue it
  std::optional<PublicKey> key = {};  ///< heads must be signed with it, the last one too
  bool open_ended = false;            ///< the run is still going: the last frames may not be signed yet
};

struct HeadReport {
  LedgerHead last;
  std::optional<LedgerHead> kept;       ///< the one that was kept, where it was found
  std::uint64_t signatures = 0;         ///< that are right
  std::uint64_t frames_not_signed = 0;  ///< after the last of them
};

/// Adds a finding to `report` for each question that is answered with no. A damaged ledger is looked at as far as it
/// can be read; that it is damaged is for audit_ledger() to say.
Result<HeadReport> audit_heads(const std::string& ledger, const HeadQuestions& questions, AuditReport& report);

}  // namespace fugu
