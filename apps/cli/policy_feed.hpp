// A policies file as a feed of events, also one that changes while the stream runs.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/policy/feed.hpp"
#include "fugu/policy/policy_reader.hpp"

namespace fugu::cli {

/// Which set of series holds all that a meter counts into.
class Membership {
 public:
  Membership(const SeriesMap* map, std::vector<std::vector<SeriesId>> signatures)
      : map_(map), signatures_(std::move(signatures)) {}

  /// Empty when the meter may count into anything.
  std::vector<std::uint32_t> of(std::string_view meter) const;

 private:
  const SeriesMap* map_;
  std::vector<std::vector<SeriesId>> signatures_;
};

struct PolicyFeedOptions {
  std::string path;
  PolicyOptions reading;
  Membership membership;
  bool strict;  ///< a fresh run: the file was found in order as a whole, and stays so
  bool live;    ///< look again before each slot, unless it is a gzip file
  std::function<void(const std::string&)> warn;
};

/// What is in the file at first comes as a whole. Of a live one, rows that were appended come next. A file that changed
/// in another way (edited, replaced, cut off) is read anew: what it said before is recognised, what is new is judged
/// like an appended row, and policies that are gone from it stay in force and are named through `warn`.
Result<std::unique_ptr<PolicyFeed>> open_policy_file(PolicyFeedOptions options);

}  // namespace fugu::cli
