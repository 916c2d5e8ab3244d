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
  /// Ring-moving: stamps stay in the period of this many slots in which the reading was taken, so sums over a period
  /// are exact. Shows on which side of its ends a reading was, so the lagged form refuses it. 0: none.
  Slot ring_slots = 0;
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
    seen,  ///< a reading of this slot or a later one was taken before: after a restart, or given twice
  };
  /// `value_steps` within ±kStepsMax.
  Measured measure(MeterId meter, Slot slot, std::int64_t value_steps);
  /// The slot is over: what is due by now goes to the outbox.
  void end_slot(Slot slot);
  /// The slot in which the next report is due, if one waits.
  std::optional<Slot> next_due() const;

  struct Outgoing {
    MeterId meter;
    Report report;
  };
  const std::vector<Outgoing>& outbox() const { return outbox_; }
  void clear_outbox() { outbox_.clear(); }

  /// Makes everything durable. A crash leaves the state before or after, never a mixture.
  Result<void> save(const std::string& path) const;
  /// Continues where save() was called. An error names the line: another rule, another gateway's meters, another key,
  /// a file that is cut short or was changed.
  Result<void> load(const std::string& path);
  /// The text of a state, for save(); and back, for load().
  std::string state() const;
  Result<void> restore(Input input);

  struct Counters {
    std::uint64_t readings = 0;
    std::uint64_t seen = 0;         ///< readings passed over
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
    friend bool operator<(const Queued& a, const Queued& b) {
      return a.send != b.send ? a.send < b.send : a.order < b.order;
    }
  };
  struct State {
    std::uint64_t next_number = 0;
    std::optional<Slot> last_slot;
    double mean = 0;  // of recent readings, and their variance: the deviation recorder
    double variance = 0;
    std::vector<Queued> queue;  // sorted, the next one last
  };

  Gateway(MeterRules rules, MeterKeyFile keys, std::size_t queue_max);
  unsigned parts_now(State& state, std::int64_t value_steps);
  void enqueue(MeterId meter, Queued report, Slot now);
  void send(MeterId meter, const Queued& report, Slot now);
  std::string section(MeterId meter, const std::vector<const Report*>& outgoing) const;
  std::string rules_text() const;
  Result<MeterId> restore_meter(LineReader& lines, std::string_view head, const std::string& common);
  Result<std::optional<MeterId>> parse_head(std::string_view line, const Location& where, State& state,
                                            std::uint64_t& rows) const;

  MeterRules rules_;
  MeterKeyFile keys_;
  std::size_t queue_max_;
  std::vector<State> states_;
  std::vector<Outgoing> outbox_;
  Counters counters_;
  KeyedHash hash_;
};

}  // namespace fugu
