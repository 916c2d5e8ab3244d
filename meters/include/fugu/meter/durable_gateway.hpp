// A gateway with its state on disk and its way out: saves, then sends, and goes on after a crash.
//
//     FUGU_ASSIGN(StateLock lock, StateLock::take("gateway.state"));
//     FUGU_ASSIGN(SigningTurn turn, SigningTurn::wait("gateway.state"));   // then read the keys
//     FUGU_ASSIGN(Gateway fresh, Gateway::make(rules, keys));
//     FUGU_ASSIGN(auto gateway, DurableGateway::open(std::move(fresh), std::move(lock), std::move(turn), sink));
//     FUGU_TRY(gateway.take({slot, meter, value_steps}));  …      // slot by slot
//     FUGU_TRY(gateway.send());                                   // when nothing comes for a while
//     FUGU_TRY(gateway.finish());
//
// Guarantee: a report leaves only after a state is durable that has it, so killed at any point the same program goes
// on: no number is given to two reports, nothing that was saved is lost, and what may have left is sent again under the
// same number, which the collector recognises. Nothing leaves without the state it was sent with: a way out that had
// reports before needs the state to go on with. With live readings the lagged form refuses gaps, which would show when
// the next reading was taken. docs/guarantees/temporal.md. One thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "fugu/base/file_version.hpp"
#include "fugu/meter/gateway.hpp"
#include "fugu/meter/meter_readings.hpp"
#include "fugu/meter/state_lock.hpp"

namespace fugu {

/// Where reports go.
class ReportSink {
 public:
  virtual ~ReportSink() = default;

  /// Whether reports went there before it was opened. Their numbers are used up: the gateway needs its state.
  virtual bool had_reports() const = 0;
  /// Sends the gateway's outbox. After an error the same reports are sent again.
  virtual Result<void> send(const Gateway& gateway) = 0;
  /// For messages.
  virtual const std::string& name() const = 0;
};

class DurableGateway {
 public:
  /// Goes on with the state that `lock` is of, or begins one where no report can have a number yet. `fresh` has taken
  /// nothing, and has keys that were read since it is its `turn`. Errors: those of Gateway::load() and check_new();
  /// reports without the state they were sent with.
  static Result<DurableGateway> open(Gateway fresh, StateLock lock, SigningTurn turn, std::unique_ptr<ReportSink> sink);

  /// Takes a reading; slots may not go back. What was due before its slot is sent now and then, or by send(). `where`
  /// it stands, for errors.
  Result<void> take(const MeterReadings::Row& row, const Location& where = {"readings", 0, 0});
  /// Saves, then sends what is due.
  Result<void> send();
  /// The last slot is over, or with `drain` all in which something is due: sends that.
  Result<void> finish(bool drain = false);

  /// Takes all readings, and sends whenever there are none for the moment. Live readings must have a row for every slot
  /// if the form is lagged: Cause::refused. When the file of keys at `keys_path` is another, its keys are used from the
  /// next row on: meters can join, leave and get new keys. `taken` is told after each.
  Result<void> run(MeterReadings& readings, const std::string& keys_path, bool drain,
                   const std::function<void()>& taken);

  const Gateway& gateway() const { return gateway_; }
  std::uint64_t sent() const { return sent_; }

 private:
  DurableGateway(Gateway gateway, StateLock lock, SigningTurn turn, std::unique_ptr<ReportSink> sink)
      : gateway_(std::move(gateway)), lock_(std::move(lock)), turn_(std::move(turn)), sink_(std::move(sink)) {}
  Result<void> wait_for_row(MeterReadings& readings);
  Result<void> adopt_if_changed(const std::string& keys_path);
  Result<void> check_gap(Slot slot, const Location& where);

  Gateway gateway_;
  StateLock lock_;
  SigningTurn turn_;
  std::unique_ptr<ReportSink> sink_;
  std::optional<Slot> now_;
  std::optional<Slot> sent_at_;
  std::uint64_t sent_ = 0;
  std::optional<FileVersion> keys_version_;
};

}  // namespace fugu
