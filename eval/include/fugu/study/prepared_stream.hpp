// A stream of a study, ready to be run over again and again: made once, read by all threads.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fugu/metric/analysis.hpp"
#include "fugu/stream/decimal.hpp"
#include "fugu/stream/source.hpp"
#include "fugu/study/suite.hpp"

namespace fugu {

/// Values lie slot by slot: [slot · series + series].
class PreparedStream {
 public:
  /// Generates it, or reads it below `data_folder`; `suite` says what else is needed of it. A file that is not there,
  /// or that lacks a series, is an error that names the line of the suite.
  static Result<PreparedStream> make(const Suite& suite, const SuiteStream& stream, const std::string& data_folder);

  /// Of values that are at hand, in the stream's unit and slot by slot; they are rounded to its steps. What `stream`
  /// says of its source does not matter.
  static Result<PreparedStream> of_values(const Suite& suite, const SuiteStream& stream, std::span<const double> values,
                                          std::size_t series);

  const SuiteStream& facts() const { return facts_; }
  std::size_t slots() const { return rows_.size(); }
  std::size_t series() const { return series_; }
  const UnitStep& unit_step() const { return unit_step_; }
  std::uint64_t sensitivity_steps() const { return sensitivity_steps_; }
  std::span<const SlotRow> rows() const { return rows_; }
  /// In the stream's unit; NaN where it is missing.
  std::span<const double> truth() const { return truth_; }
  bool has_missing() const { return present_ < truth_.size(); }
  /// Values that are there.
  std::size_t present() const { return present_; }
  /// 1 / max(|truth|, γ); 0 where the truth is missing.
  std::span<const double> relative_weights() const { return relative_weights_; }
  /// One for each series; empty when no measure needs it. Where the truth is missing it sees the value before.
  std::span<const StreamAnalysis> analyses() const { return analyses_; }
  /// By slot: where the suite put an anomaly; empty when it put none.
  const std::vector<bool>& anomalies() const { return anomalies_; }
  /// The median of each series: no constant has a smaller mean absolute error.
  std::span<const double> best_constants() const { return best_constants_; }
  /// The first value of each series: what a consumer knew who was told before the stream went private.
  std::span<const double> first_values() const { return first_values_; }
  /// Of all values that are there, in squared steps.
  double variance_steps() const { return variance_steps_; }
  /// Tells streams with other values apart.
  std::uint64_t digest() const { return digest_; }

  // The analyses point to values in here.
  PreparedStream(PreparedStream&&) = default;
  PreparedStream& operator=(PreparedStream&&) = default;
  PreparedStream(const PreparedStream&) = delete;
  PreparedStream& operator=(const PreparedStream&) = delete;
  ~PreparedStream() = default;

 private:
  PreparedStream() = default;
  Result<void> set_facts(const Suite& suite, const SuiteStream& stream);
  void take(std::span<const double> values, std::size_t series);
  Result<void> read(const Suite& suite, const SuiteFile& file, const std::string& data_folder);
  void add_row(std::span<const std::optional<std::int64_t>> steps);
  void finish(const Suite& suite);
  void measure_variance();
  void analyse();

  SuiteStream facts_;
  UnitStep unit_step_;
  std::uint64_t sensitivity_steps_ = 1;
  std::size_t series_ = 1;
  std::size_t present_ = 0;
  std::vector<SlotRow> rows_;
  std::vector<double> truth_;
  std::vector<double> relative_weights_;
  std::vector<double> best_constants_;
  std::vector<double> first_values_;
  std::vector<std::vector<double>> without_gaps_;  // per series, what analyses_ look at
  std::vector<StreamAnalysis> analyses_;
  std::vector<bool> anomalies_;
  double variance_steps_ = 0;
  std::uint64_t digest_ = 0;
};

}  // namespace fugu
