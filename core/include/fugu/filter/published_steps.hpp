// What is published of an answer, in steps: what a strategy compares the stream with.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "fugu/filter/filter.hpp"
#include "fugu/stream/decimal.hpp"

namespace fugu {

/// Truncation inside the loop (thesis, Algorithm 2): nobody sees the answer −3 of a count, everybody sees 0, so 0 is
/// what a strategy goes on with. A function of the answer and of public parameters: post-processing, free of charge.
class PublishedSteps {
 public:
  /// Answers are published as they are.
  PublishedSteps() = default;
  /// Filters as for `--filter`. A chain that mixes slots works on what leaves the loop: then it is as without.
  static Result<PublishedSteps> make(std::string_view filters, const UnitStep& unit_step);

  /// Rounded to a step where a filter's range or grid lies between two.
  std::int64_t of(std::int64_t steps) const { return filter_ == nullptr ? steps : filtered(steps); }

 private:
  std::int64_t filtered(std::int64_t steps) const;

  std::shared_ptr<Filter> filter_;  // looks at one slot only, so it has no state and copies may share it
  double unit_ = 1;
};

}  // namespace fugu
