#include "fugu/meter/durable_gateway.hpp"

#include <unistd.h>

#include <utility>

namespace fugu {

namespace {

constexpr Slot kSendEverySlots = 60;  // readings from a file come faster than states can be saved

}  // namespace

Result<DurableGateway> DurableGateway::open(Gateway fresh, StateLock lock, SigningTurn turn,
                                            std::unique_ptr<ReportSink> sink) {
  if (::access(lock.state_path().c_str(), F_OK) == 0) {
    FUGU_TRY(fresh.load(lock.state_path()));
  } else if (sink->had_reports()) {
    return found_but_expected({sink->name(), 0, 0}, "reports, and no state " + lock.state_path(),
                              "the state that they were sent with, whose numbers go on; if that is lost, new keys for "
                              "these meters and their collector (fugu meter keys), and new reports");
  } else {
    FUGU_TRY(fresh.check_new(lock.state_path()));
  }
  return DurableGateway(std::move(fresh), std::move(lock), std::move(turn), std::move(sink));
}

Result<void> DurableGateway::take(const MeterReadings::Row& row, const Location& where) {
  if (!now_ || row.slot > *now_) {
    for (auto due = gateway_.next_due(); due && *due < row.slot; due = gateway_.next_due()) gateway_.end_slot(*due);
    now_ = row.slot;
    if (!sent_at_ || row.slot - *sent_at_ >= kSendEverySlots) {
      FUGU_TRY(send());
      sent_at_ = row.slot;
    }
  }
  if (!row.value_steps || gateway_.measure(row.meter, row.slot, *row.value_steps) != Gateway::Measured::no_period)
    return {};
  return found_but_expected(where, "a reading outside of the calendar of periods",
                            "a calendar with a period for it: let it begin earlier, or append the periods to come");
}

Result<void> DurableGateway::send() {
  FUGU_TRY(gateway_.save(lock_.state_path()));
  FUGU_TRY(sink_->send(gateway_));
  sent_ += gateway_.outbox().size();
  gateway_.clear_outbox();
  return {};
}

Result<void> DurableGateway::finish(bool drain) {
  if (now_) gateway_.end_slot(*now_);
  if (drain) gateway_.drain();
  FUGU_TRY(send());
  return gateway_.save(lock_.state_path());  // what was sent need not be sent again
}

Result<void> DurableGateway::run(MeterReadings& readings, const std::string& keys_path, bool drain,
                                 const std::function<void()>& taken) {
  readings.follow(gateway_.meters());
  keys_version_ = version_of(keys_path);
  MeterReadings::Row row;
  while (true) {
    if (readings.is_live()) {
      FUGU_TRY(wait_for_row(readings));
      FUGU_TRY(adopt_if_changed(keys_path));  // the row may be of a meter that joined while it was waited for
    }
    FUGU_ASSIGN(const bool more, readings.next(row));
    if (!more) return finish(drain);
    if (readings.is_live()) FUGU_TRY(check_gap(row.slot, readings.here()));
    FUGU_TRY(take(row, readings.here()));
    taken();
  }
}

// Keys are replaced while nothing is signed that the state does not have: the number from which new ones count is the
// next one in the state.
Result<void> DurableGateway::wait_for_row(MeterReadings& readings) {
  if (!readings.would_wait()) return readings.wait();
  FUGU_TRY(send());
  return turn_.without([&] { return readings.wait(); });
}

Result<void> DurableGateway::adopt_if_changed(const std::string& keys_path) {
  const FileVersion version = version_of(keys_path);
  if (version == keys_version_) return {};
  FUGU_ASSIGN(Input input, Input::open(keys_path));
  FUGU_ASSIGN(const MeterKeyFile keys, MeterKeyFile::read(std::move(input)));
  FUGU_TRY(gateway_.adopt(keys, keys_path));
  keys_version_ = version;
  return {};
}

// A live gateway learns from its input that a slot is over. Over a gap, what was due in it would go out with the next
// reading, and show when that was taken.
Result<void> DurableGateway::check_gap(Slot slot, const Location& where) {
  if (!gateway_.rules().scheme.is_lagged() || !now_ || slot <= *now_ + 1) return {};
  FUGU_TRY(send());
  const Error error = found_but_expected(where, "a jump by " + std::to_string(slot - *now_) + " slots",
                                         "a row for every slot, as arrivals are promised to be protected: one meter "
                                         "is enough, and so is an empty value");
  return Error{Cause::refused, error.message};
}

}  // namespace fugu
