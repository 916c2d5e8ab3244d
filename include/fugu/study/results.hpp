// The results of a study on disk, in a folder:
//
//     results.csv   one row per cell, in the order of the study, written as they come
//     timings.csv   how long each cell took; differs from run to run, hence a file of its own
//     suite.toml    the suite as it was read
//     run.toml      what the results depend on besides: version, seed, runs, data
//
// Killed at any point, the study goes on where it stopped: rows that are whole are kept, half a row at the end is
// dropped. Results that belong to anything else are refused, with a word on what differs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fugu/study/study.hpp"

namespace fugu {

/// Comma-separated names of the columns of results.csv.
std::string_view results_header();

/// One row without its line end.
std::string results_row(const Study& study, const Cell& cell, const CellResult& result);

class ResultsFolder {
 public:
  /// Makes the folder, or takes up what is in it. `restart` throws away what is in it.
  static Result<ResultsFolder> open(const std::string& folder, const Study& study, bool restart);
  ResultsFolder(ResultsFolder&& other) noexcept;
  ResultsFolder& operator=(ResultsFolder&&) = delete;
  ~ResultsFolder();

  /// How many cells are on file already.
  std::size_t done() const { return results_.size(); }
  /// Results of the cells so far, in order.
  const std::vector<CellResult>& results() const { return results_; }
  /// Writes the row of the next cell.
  Result<void> add(const Study& study, const CellResult& result);

 private:
  ResultsFolder() = default;
  Result<void> take_up(const Study& study);
  Result<void> append(int descriptor, const std::string& path, const std::string& line) const;

  std::string folder_;
  int results_descriptor_ = -1;
  int timings_descriptor_ = -1;
  std::vector<CellResult> results_;
};

}  // namespace fugu
