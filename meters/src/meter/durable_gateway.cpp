#include "fugu/meter/durable_gateway.hpp"

#include <unistd.h>

#include <utility>

namespace fugu {

namespace {

constexpr Slot kSendEverySlots = 60;  // readings from a file come faster than states can be saved

}  // namespace

Result<DurableGateway> DurableGateway::open(Gateway fresh, StateLock lock, std::unique_ptr<ReportSink> sink) {
  if (::access(lock.state_path().c_str(), F_OK) == 0) {
    FUGU_TRY(fresh.load(lock.state_path()));
  } else if (sink->had_reports()) {
    return found_but_expected({sink->name(), 0, 0}, "reports, and no state " + lock.state_path(),
                              "the state that they were sent with, whose numbers go on; if that is lost, new keys for "
                              "these meters and their collector (fugu meter keys), and new reports");
  }
  return DurableGateway(std::move(fresh), std::move(lock), std::move(sink));
}

Result<void> DurableGateway::take(const MeterReadings::Row& row) {
  if (!now_ || row.slot > *now_) {
    for (auto due = gateway_.next_due(); due && *due < row.slot; due = gateway_.next_due()) gateway_.end_slot(*due);
    now_ = row.slot;
    if (!sent_at_ || row.slot - *sent_at_ >= kSendEverySlots) {
      FUGU_TRY(send());
      sent_at_ = row.slot;
    }
  }
  if (row.value_steps) gateway_.measure(row.meter, row.slot, *row.value_steps);
  return {};
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
  while (drain && gateway_.next_due()) gateway_.end_slot(*gateway_.next_due());
  FUGU_TRY(send());
  return gateway_.save(lock_.state_path());  // what was sent need not be sent again
}

Result<void> DurableGateway::run(MeterReadings& readings, bool drain, const std::function<void()>& taken) {
  MeterReadings::Row row;
  while (true) {
    if (readings.would_wait()) FUGU_TRY(send());
    FUGU_ASSIGN(const bool more, readings.next(row));
    if (!more) return finish(drain);
    if (readings.is_live()) FUGU_TRY(check_gap(row.slot, readings.here()));
    FUGU_TRY(take(row));
    taken();
  }
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
