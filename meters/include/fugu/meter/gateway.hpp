// What runs in or next to meters: takes readings, moves them in time, holds them back, sends them.
//
//     FUGU_ASSIGN(Gateway gateway, Gateway::make(rules, keys));
//     gateway.measure(meter, slot, 1250);  …                   // once per meter and slot
//     gateway.end_slot(slot);                                  // what is due gets a number and a MAC: the outbox
//
// In memory only, for simulations and for DurableGateway (durable_gateway.hpp), which saves before it sends: what sends
// reports uses that.
//
// Guarantee: that of the scheme (temporal_scheme.hpp). The shift of a reading is a function of the meter's shift key,
// the rules, meter, slot and part alone: measuring a slot again after a restart repeats it, and under other rules it is
// drawn independently. Values are not changed: per meter, the sum over all reports is the sum over all readings, to the
// last step. Reports that are due in the same slot go out in a keyed random order. docs/guarantees/temporal.md. State:
// see state_bytes(); time: one hash and a search in a small table per part, one hash per report
// (bench/meter_bench.cpp). One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fugu/meter/report.hpp"
#include "fugu/meter/temporal_scheme.hpp"

namespace fugu {

/// What all meters of a gateway have in common.
struct MeterRules {
  TemporalScheme scheme;
  unsigned parts = 1;  ///< random parts a reading is divided into, each moved on its own: 1 to 16
  /// Divide only while the recent standard deviation, in steps, is below this. Shows when the load is steady, so the
  /// lagged form, which promises something about what is seen, refuses it.
  std::optional<double> divide_below_steps = {};
  /// Reports carry the period that their reading was taken in: sums over a period are exact, whatever was moved out of
  /// it, and a promise is one about moves within a period.
  Periods periods = {};
  /// Ring-moving: stamps stay in their period as well. The lagged form refuses it: arrivals would not follow stamps.
  bool ring = false;
  /// Reports held back per meter at most; 0: as many as can ever be due, which is always enough. When a smaller queue
  /// is full, the report that is due first goes out at once, early, and is counted: nothing is lost. The lagged form
  /// refuses a queue that could get full.
  std::size_t queue_max = 0;
  ReportFormat format = {};
};

class Gateway {
 public:
  using MeterId = NameTable::Id;

  /// Errors: Cause::usage, or Cause::refused for what would break the lagged promise.
  static Result<Gateway> make(MeterRules rules, MeterKeyFile keys);

  const NameTable& meters() const { return keys_.meters; }
  const MeterRules& rules() const { return rules_; }
  /// Reports that a meter can have waiting at most.
  std::size_t queue_max() const { return queue_max_; }

  enum class Measured : std::uint8_t {
    queued,
    seen,       ///< a reading of this slot or a later one was taken before: after a restart, or given twice
    removed,    ///< the meter was removed
    no_period,  ///< the calendar of periods ends before this slot, or begins after it: nothing was taken
  };
  /// `value_steps` within ±kStepsMax.
  Measured measure(MeterId meter, Slot slot, std::int64_t value_steps);
  /// The slot is over: what is due by now goes to the outbox, and periods that are over are closed.
  void end_slot(Slot slot);
  /// The slot in which the next report is due, if one waits, or a period can be closed.
  std::optional<Slot> next_due() const;
  /// Whether a report of a reading waits.
  bool waits() const;
  /// Sends all that waits as if time went on. A period that is not over by end_slot() stays open.
  void drain();

  /// Goes on with other keys: new meters begin, replaced keys are used for what is sent from now on, removed meters
  /// take no more readings. Every meter of before must be there, if only as removed, and as far as it was when its keys
  /// were replaced (Cause::refused). `name` is the keys', for errors.
  Result<void> adopt(const MeterKeyFile& keys, const std::string& name);

  struct Outgoing {
    MeterId meter;
    Report report;
  };
  const std::vector<Outgoing>& outbox() const { return outbox_; }
  void clear_outbox() { outbox_.clear(); }

  /// Makes everything durable. A crash leaves the state before or after, never a mixture.
  Result<void> save(const std::string& path) const;
  /// Continues where save() was called. An error names the line: another rule, another gateway's meters, another key,
  /// a file that is cut short or was changed. Cause::refused for a state from before keys were replaced, unless nothing
  /// happened in between: new shift keys would move readings again that were sent.
  Result<void> load(const std::string& path);
  /// For a gateway that begins without a state: Cause::refused when the keys say that there was one.
  Result<void> check_new(const std::string& state_name) const;
  /// How far each meter of the keys is, by its id, in a state that load() would take. One that the state does not have
  /// has not begun.
  static Result<std::vector<MeterProgress>> progress_in(Input state, const MeterKeyFile& keys);
  /// The text of a state, for save(); and back, for load().
  std::string state() const;
  Result<void> restore(Input input);

  struct Counters {
    std::uint64_t readings = 0;
    std::uint64_t seen = 0;         ///< readings passed over
    std::uint64_t removed = 0;      ///< readings of removed meters, passed over
    std::uint64_t divided = 0;      ///< readings sent in parts
    std::uint64_t early = 0;        ///< reports that went out before they were due, because the queue was full
    std::uint64_t queued_most = 0;  ///< reports of one meter waiting at the same time
  };
  const Counters& counters() const { return counters_; }
  /// Bytes of one meter in memory, its keys included, with a queue of `queued` reports.
  static std::size_t state_bytes(std::size_t queued) {
    return sizeof(MeterKeys) + sizeof(State) + queued * sizeof(Queued);
  }

 private:
  struct Queued {
    Slot send;
    Slot stamp;
    std::int64_t value_steps;
    std::uint64_t order;  // random: among those of the same slot
    Slot period;          // its first slot, where periods are kept
    friend bool operator<(const Queued& a, const Queued& b) {
      return a.send != b.send ? a.send < b.send : a.order < b.order;
    }
  };
  struct OpenPeriod {
    Period period;
    std::uint64_t reports = 0;  // sent or waiting
  };
  struct State {
    std::uint64_t next_number = 0;
    std::optional<Slot> last_slot;
    double mean = 0;  // of recent readings, and their variance: the deviation recorder
    double variance = 0;
    std::vector<Queued> queue;     // sorted, the next one last
    std::vector<OpenPeriod> open;  // by start
    bool has_queued(const OpenPeriod& open_period) const;
    MeterProgress progress() const { return {next_number, last_slot}; }
  };
  /// A meter's part of a state.
  struct Section {
    MeterId meter;
    std::uint64_t line;             // of its head
    State state;                    // what the head says
    std::vector<std::string> rows;  // below it
  };

  Gateway(MeterRules rules, MeterKeyFile keys, std::size_t queue_max);
  SecretKey shift_key_of(const MeterKeys& keys);
  unsigned parts_now(State& state, std::int64_t value_steps);
  void enqueue(MeterId meter, Queued report, Slot now);
  void send(MeterId meter, const Queued& report, Slot now);
  void send_due(Slot now);
  void close_periods(Slot now);
  void sign_and_send(MeterId meter, Report report);
  std::string section(MeterId meter, const std::vector<const Report*>& outgoing) const;
  std::string rules_text() const;
  using TakeSection = std::function<Result<void>(Section)>;
  static Result<void> read_sections(LineReader& lines, const std::string& rules, const MeterKeyFile& keys,
                                    std::optional<Slot>& over, const TakeSection& take);
  static Result<Section> read_section(LineReader& lines, const std::string& common, const MeterKeyFile& keys,
                                      KeyedHash& hash);
  static Result<std::uint64_t> parse_head(std::string_view line, const Location& where, State& state);
  Result<void> restore_meter(Section section, const std::string& file);
  static Error not_where_keys_begin(const Location& where, std::string_view meter);

  MeterRules rules_;
  MeterKeyFile keys_;  // with the shift keys for these rules
  std::size_t queue_max_;
  Digest agreement_;
  std::optional<Slot> over_;  // the last slot that is
  std::vector<State> states_;
  std::vector<Outgoing> outbox_;
  Counters counters_;
  KeyedHash hash_;
};

}  // namespace fugu
