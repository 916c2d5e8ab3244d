// Results on disk, row by row: what `fugu bench` and every `fugu study` write, and take up again after a kill.
//
//     FUGU_ASSIGN(ResultFile file, ResultFile::open({.folder = out, .header = "zone,mae", .keys = {"zone1", "zone2"},
//                                                    .facts = {{"seed", "7"}}}));
//     for (std::size_t i = file.rows().size(); i < 2; ++i) FUGU_TRY(file.add(row_of(i)));
//
// In the folder lie
//
//     results.csv   one row each, in the order in which they are added
//     timings.csv   how long each took, when that is wanted; differs from run to run, hence a file of its own
//     results.sums  a checksum of each row, so that a number that was changed is noticed
//     run.toml      the facts that the rows depend on
//
// Killed at any point, whole rows are kept and half a row at the end is dropped. Rows that belong to other facts are
// refused, with a word on what differs; so are rows that are not those of this study in its order, and rows that are
// not as they were written, or have no results.sums. (Checksums find slips, not forgers; a row without its sum, after a
// power cut, is dropped.) A folder without results.csv in which one of the other files lies, or a report.html, is not
// ours: nothing there is replaced. One process at a time: the file is locked while it is open.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/base/result.hpp"

namespace fugu {

/// Something that rows depend on: a seed, a number of runs, the digest of a stream.
struct ResultFact {
  std::string name;
  std::string value;         ///< as TOML writes it: strings in quotes
  std::string differs = {};  ///< said when it does: "other values in zone 3"; without it name and both values are
};

/// A text that rows depend on, kept as a file beside them.
struct ResultCompanion {
  std::string name;
  std::string text;
  std::string differs;  ///< "another suite"
};

class ResultFile {
 public:
  struct Options {
    std::string folder;  ///< made when it is not there
    std::string header;  ///< of results.csv
    /// How each row begins that there will be, in order: the cells that say what it is about, without the comma after.
    std::vector<std::string> keys;
    std::vector<ResultFact> facts = {};
    std::vector<ResultCompanion> companions = {};
    std::string timings_header = {};     ///< empty: no timings.csv
    std::string program = "fugu study";  ///< named in run.toml and in messages
    /// Whether what follows the key can be read. Absent: when there are as many cells as the header has.
    std::function<bool(std::string_view row)> readable = {};
    /// Files that the caller makes of the rows: thrown away with them.
    std::vector<std::string> pages = {"report.html"};
    bool restart = false;  ///< throws away what is there
  };
  static Result<ResultFile> open(Options options);
  ResultFile(ResultFile&& other) noexcept;
  ResultFile& operator=(ResultFile&&) = delete;
  ~ResultFile();

  /// The rows on file, without line ends: those taken up and those added.
  const std::vector<std::string>& rows() const { return rows_; }
  /// Appends the row of the next key, and how long it took.
  Result<void> add(std::string row, std::string_view timing = {});

 private:
  ResultFile() = default;
  Result<void> check_nothing_is_replaced() const;
  Result<void> remove_pages() const;
  Result<void> start();
  Result<void> take_up(std::string_view text);
  Result<std::size_t> rows_with_sums() const;
  Result<void> write_sums() const;
  bool belongs(std::size_t index, std::string_view row) const;
  std::string path(std::string_view name) const;

  Options options_;
  int results_descriptor_ = -1;
  int timings_descriptor_ = -1;
  int sums_descriptor_ = -1;
  std::vector<std::string> rows_;
};

/// A number in a row: nine digits, or nothing for what is not a number.
std::string result_number(double value);
/// The same from a row; NaN for nothing. False when it is no number.
bool parse_result_number(std::string_view text, double& value);
/// A fact about values: tells other ones apart.
ResultFact digest_fact(std::string name, std::uint64_t digest, std::string differs);

}  // namespace fugu
