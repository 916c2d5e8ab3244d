// Public circumstances on which the law of a reading may depend: hour of the day, weekend or not, season.
//
// Guarantee: which circumstance a slot has follows from the time of its start alone, which is public. Hours and days
// are those of one fixed offset: where clocks change, habits move by an hour against it.
// docs/guarantees/distributional.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fugu/base/result.hpp"

namespace fugu {

class Circumstances {
 public:
  /// None: all times are alike.
  Circumstances() = default;
  /// `hour`, `weekend` and `season`, separated by commas, each once, in any order; or `none`. Errors: Cause::usage.
  static Result<Circumstances> parse(std::string_view text, std::int32_t utc_offset_s = 0);

  bool none() const { return count() == 1; }
  /// How many different ones there are: at least 1, at most 24 · 2 · 4.
  std::size_t count() const;
  /// The one of a slot that starts then, below count().
  std::size_t at(std::int64_t instant_s) const;
  std::int32_t utc_offset_s() const { return utc_offset_s_; }
  /// As parse() reads it.
  std::string text() const;
  /// The ones that were left out, in the same form; empty when none were.
  std::string left_out() const;

 private:
  bool hour_ = false;
  bool weekend_ = false;
  bool season_ = false;
  std::int32_t utc_offset_s_ = 0;
};

}  // namespace fugu
