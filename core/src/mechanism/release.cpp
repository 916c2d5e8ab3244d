#include "fugu/mechanism/release.hpp"

namespace fugu {

const Estimates& Release::estimates() {
  estimates_.slot = slot_;
  estimates_.entries.clear();
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const ReleasedValue& released = values_[i];
    if (!released.estimated) {
      recorded_[i].reset();
    } else if (released.sampled || loss_rates_[i] > 0 || recorded_[i] != released.value.steps) {
      // Recorded whenever the series was asked about, so that no answer is taken for the release.
      recorded_[i] = released.value.steps;
      estimates_.entries.push_back({static_cast<SeriesId>(i), released.value.steps, released.sampled});
    }
  }
  return estimates_;
}

}  // namespace fugu
