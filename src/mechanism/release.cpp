#include "fugu/mechanism/release.hpp"

namespace fugu {

void Release::set(SeriesId series, const NoisyValue& value) {
  values_[series].value = value;
  values_[series].known = true;
  values_[series].sampled = true;
}

void Release::set(std::span<const SeriesId> series, std::span<const std::optional<NoisyValue>> answers) {
  FUGU_CHECK(series.size() == answers.size());
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (answers[i]) set(series[i], *answers[i]);
  }
}

}  // namespace fugu
