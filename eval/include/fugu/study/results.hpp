// The results of a study on disk, in a folder:
//
//     results.csv   one row per cell, in the order of the study, written as they come
//     timings.csv   how long each cell took; differs from run to run, hence a file of its own
//     suite.toml    the suite as it was read
//     run.toml      what the results depend on besides: version, seed, runs, data
//
// What happens after a kill, and to results that belong to anything else: result_file.hpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fugu/study/result_file.hpp"
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

  /// How many cells are on file already.
  std::size_t done() const { return results_.size(); }
  /// Results of the cells so far, in order.
  const std::vector<CellResult>& results() const { return results_; }
  /// Writes the row of the next cell.
  Result<void> add(const Study& study, const CellResult& result);

 private:
  ResultsFolder(ResultFile file, std::vector<CellResult> results)
      : file_(std::move(file)), results_(std::move(results)) {}

  ResultFile file_;
  std::vector<CellResult> results_;
};

}  // namespace fugu
