#include "fugu/mechanism/release.hpp"

namespace fugu {

void Release::set(SeriesId series, const NoisyValue& value) {
  values_[series].value = value;
  values_[series].known = true;
  values_[series].sampled = true;
  values_[series].estimated = false;
}

void Release::estimate(SeriesId series, std::int64_t steps, bool sampled) {
  ReleasedValue& released = values_[series];
  released.value.steps = steps;
  released.known = released.estimated = true;
  released.sampled = sampled;
}

void Release::start(Slot slot, std::int32_t utc_offset_s) {
  slot_ = slot;
  utc_offset_s_ = utc_offset_s;
  for (ReleasedValue& value : values_) value.sampled = false;
}

const Estimates& Release::estimates() {
  estimates_.slot = slot_;
  estimates_.entries.clear();
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const ReleasedValue& released = values_[i];
    if (!released.estimated) {
      recorded_[i].reset();
    } else if (released.sampled || released.loss_rate > 0 || recorded_[i] != released.value.steps) {
      // Recorded whenever the series was asked about, so that no answer is taken for the release.
      recorded_[i] = released.value.steps;
      estimates_.entries.push_back({static_cast<SeriesId>(i), released.value.steps, released.sampled});
    }
  }
  return estimates_;
}

void Release::set(std::span<const SeriesId> series, std::span<const std::optional<NoisyValue>> answers) {
  FUGU_CHECK(series.size() == answers.size());
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (answers[i]) set(series[i], *answers[i]);
  }
}

}  // namespace fugu
