// What a meter learns about the law of its own readings, before the stream begins.
//
// The learned law is piecewise even: at most kBinsMax bins of about equally many past readings, each from its smallest
// to its largest reading; a value that is frequent has a bin of its own.
//
// Guarantee: for a reading that is drawn from the learned law, rank() is uniform on 0 … 2^62 − 1, exactly: integers
// only, and the coin is thrown anew within the ranks of a value. A reading that the learned law holds for impossible
// gets one of the ranks around where its neighbours meet, or of the outermost bin. docs/guarantees/distributional.md.
// Secret: it is what is to be protected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/base/result.hpp"
#include "fugu/noise/bits.hpp"
#include "fugu/stream/aggregator.hpp"

namespace fugu {

/// A number below `bound` (at least 1), each equally likely, exactly.
std::uint64_t uniform_below(BitSource& bits, std::uint64_t bound);

class MeterProfile {
 public:
  static constexpr std::size_t kBinsMax = 256;  ///< and one more
  static constexpr unsigned kMassBits = 32;     ///< masses of bins add up to 2^32

  /// From past readings, at least one, all within `clamp`. The mean is rounded to the grid.
  static MeterProfile learn(std::vector<std::int64_t> readings_steps, const ClampRange& clamp);

  /// Of a law that could not be learned: what is sent in its place never looks at the reading.
  static MeterProfile unlearned(std::int64_t mean_steps, double variance_steps);
  bool learned() const { return !bins_.empty(); }
  /// The same ranks around another level.
  MeterProfile at_level(std::int64_t mean_steps, double variance_steps) const;

  std::int64_t mean_steps() const { return mean_; }
  double variance_steps() const { return variance_; }  ///< in squared steps

  /// Of a learned law.
  std::uint64_t rank(std::int64_t value_steps, BitSource& bits) const;
  /// The probability of a value under the learned law: for audits.
  double probability(std::int64_t value_steps) const;

  /// `mean,variance,first:last:mass;…`, and back; nothing when it is no such text.
  std::string text() const;
  static std::optional<MeterProfile> parse(std::string_view text, const ClampRange& clamp);

 private:
  struct Bin {
    std::int64_t first;
    std::int64_t last;
    std::uint64_t below;  // mass of the bins before
  };
  struct Ranks {
    std::uint64_t first;
    std::uint64_t count;
    bool possible;
  };
  Ranks ranks_of(std::int64_t value) const;
  std::uint64_t mass_up_to(std::size_t bin) const;

  std::int64_t mean_ = 0;
  double variance_ = 0;
  std::vector<Bin> bins_;  // by value
};

}  // namespace fugu
