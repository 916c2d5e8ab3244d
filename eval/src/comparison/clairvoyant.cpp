#include "fugu/comparison/clairvoyant.hpp"

#include "fugu/metric/truth.hpp"

namespace fugu {

/// From the last releases; no total of the block is missing.
double ClairvoyantStrategy::true_distance(const Block& block) const {
  int128 distance = 0;
  for (std::size_t i = 0; i < block.series.size(); ++i) {
    const int128 apart = int128{TruthStream::steps(row_->values[block.series[i]])} - reference_[i];
    distance += apart < 0 ? -apart : apart;
  }
  return static_cast<double>(distance);
}

Result<double> ClairvoyantStrategy::release_relevant(Kernel& kernel, Release& release, const Block& block,
                                                     double rate) {
  FUGU_CHECK(row_ != nullptr);
  if (rate <= 0 || !comparable(kernel, release, block, reference_)) return release_at(kernel, release, block, rate);
  if (true_distance(block) <= expected_noise(kernel, block, rate)) return 0.0;
  return release_at(kernel, release, block, rate);
}

}  // namespace fugu
