// A run that can be killed and started again: the whole of publishing with a ledger.
//
// A stream is published by any number of runs, one after the other, into one ledger and one file of releases. Each
// looks at what is there, goes on where the last one was, and refuses whatever would release a slot twice with
// different values, forget what was spent, or mix two streams. docs/how-to/embed.md shows all of it in a few lines.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "fugu/mechanism/publisher.hpp"
#include "fugu/mechanism/release_file.hpp"
#include "fugu/mechanism/release_writer.hpp"
#include "fugu/mechanism/run_facts.hpp"

namespace fugu {

struct RunFiles {
  std::string ledger;          ///< none when empty: the promise is then about this one run, which cannot be resumed
  std::string releases = "-";  ///< `-` is standard output
  /// Remembers the head of the ledger; LEDGER.head when empty, where a link to a ledger leads. On another disk it also
  /// recognises a ledger that was restored from a backup together with everything beside it.
  std::string head = {};
  std::optional<OperatorKey> key = {};  ///< signs heads
};

/// What makes runs the same stream, besides definition, exposure and noise. Facts: whatever else decides about what is
/// asked or released, by name, such as mechanism = uniform. A run with another identity is refused.
struct RunIdentity {
  ReleaseFormat format;           ///< its currency follows from the definition
  std::int32_t utc_offset_s = 0;  ///< of the first stamp
  std::map<std::string, std::string> facts = {};
};

/// How far earlier runs came, according to their ledger.
struct EarlierRuns {
  RunClock clock;
  std::vector<std::string> series;
  /// Which combinations of series one household may count into, and by how much. Holds for the ledger's life: a map of
  /// meters that changed since must stay within it (Membership::changes_to).
  std::optional<Exposure> exposure;
  std::int32_t utc_offset_s = 0;  ///< of the last slot
  Slot next_slot = 0;
  Slot delivered = -1;                       ///< the last slot known to have been handed out
  std::optional<Slot> left_out_before = {};  ///< after a loss of records, the stream went on with this slot
  bool torn = false;                         ///< the last write was not finished; it will be cut off
  LedgerHead head;                           ///< of all that the ledger holds
  bool head_known = true;            ///< false: there is no head file, so nothing shows that the ledger is the latest
  std::optional<LedgerHead> missed;  ///< the head file names this head, and the ledger does not contain it
};

/// Guarantee: as Publisher, over all runs with the same files (docs/guarantees/ledger.md). Memory dumps of the process
/// are switched off for good as soon as there is one: they would hold readings.
class Run {
 public:
  /// Locks the ledger and reads it to its end, or sees that there is none yet. Changes nothing.
  static Result<Run> open(RunFiles files);

  /// nullptr when this is the first run. A source that continues the stream takes clock and offset from here.
  const EarlierRuns* earlier() const { return earlier_ ? &*earlier_ : nullptr; }

  /// Starts, or resumes: what was recorded is handed out as far as it was not. The publisher expects the source to go
  /// on at its next_slot(). After a loss (EarlierRuns::missed, or when you know of one) `not_before` is the slot to go
  /// on with; see check_after_loss(). Cause::usage when the ledger was written with another identity, Cause::refused
  /// when going on would break what was promised. Valid as long as this Run.
  Result<Publisher*> begin(Mechanism mechanism, const RunIdentity& identity, std::optional<Slot> not_before = {});

 private:
  explicit Run(RunFiles files) : files_(std::move(files)) {}

  Result<void> check_files_differ() const;
  Result<void> look_at_start() const;
  Result<void> look_at_ledger();
  LedgerHeader header(const Mechanism& mechanism, const RunIdentity& identity) const;
  Result<void> start(Mechanism mechanism, const LedgerHeader& header);
  Result<void> resume(Mechanism mechanism, LedgerHeader header, const ReleaseFormat& format,
                      std::optional<Slot> not_before);
  /// Has the writer check and skip what was handed out before, as far as can be known.
  Result<void> find_handed_out(const ReleaseFormat& format);
  /// Beside the ledger itself, not beside a link to it: whatever name it goes by, there is one head.
  std::string usual_head_path() const;
  std::string head_path() const { return files_.head.empty() ? usual_head_path() : files_.head; }

  RunFiles files_;
  std::optional<EarlierRuns> earlier_;
  std::optional<LedgerWriter> ledger_;  // locked; the publisher's after begin()
  std::unique_ptr<ReleaseFile> releases_;
  std::unique_ptr<ReleaseWriter> writer_;
  std::unique_ptr<Publisher> publisher_;
};

}  // namespace fugu
