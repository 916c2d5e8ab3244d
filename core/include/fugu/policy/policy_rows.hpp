// A policies file, read once: millions of rows, kept in a compact form until they are handed out.
#pragma once

#include <memory>

#include "fugu/policy/policy_reader.hpp"

namespace fugu {

class PolicyRows {
 public:
  /// Every row is right by itself, or the first that is not is the error. Limits and notice of `options.admission` are
  /// asked of every row; notice only of those that became known while the stream ran (`known` or `now` above 0).
  static Result<PolicyRows> read(Input input, const PolicyOptions& options);
  PolicyRows(PolicyRows&&) noexcept;
  PolicyRows& operator=(PolicyRows&&) noexcept;
  ~PolicyRows();

  bool empty() const;
  /// JSON Lines, or else CSV.
  bool is_json() const;

  /// Whether the rows are right together: no two say the same (unless `repeats` keeps them), none takes back what is
  /// not there, and no meter has more policies at a time than the rule admits. Before the first next().
  Result<void> check() const;

  /// Hands out the rows as a stream hears of them: first what is known from the beginning, in the order of the file,
  /// then what is known later or takes back, by `known`. False after the last. Each row's memory is given back.
  bool next(StatedPolicy& stated);

 private:
  friend Result<PolicyBook> read_policy_book(Input input, const PolicyOptions& options);
  class Impl;
  explicit PolicyRows(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace fugu
