// A file that others write while it is read, by whole lines. Plain or gzip.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "fugu/base/file_version.hpp"
#include "fugu/base/result.hpp"

namespace fugu {

class GrowingFile {
 public:
  explicit GrowingFile(std::string path) : path_(std::move(path)) {}

  struct News {
    /// The file no longer begins with what was read of it.
    bool rewritten = false;
    /// Whole lines: those appended, or all when it was rewritten. Appended ones have as many line ends before them as
    /// there are lines before, so that lines keep their numbers; a CSV's header comes again. Empty: nothing is new.
    std::string text;
  };

  /// All of it, for the first time. Every line has an end: half a row could be taken for a whole one.
  Result<std::string> read_whole();
  /// What happened since the last call. An error is said once for each state of the file: it is gone, cannot be read,
  /// has no line, or its last line has stayed without an end.
  Result<News> look();
  /// What was read is of no use: when the file changes next, it counts as rewritten.
  void forget() { bytes_ = std::string::npos; }

 private:
  Result<std::string> read_lines();
  Result<News> news_in(const std::string& lines);
  void remember(const std::string& lines, std::size_t known);
  Error no_line_end() const;

  std::string path_;
  FileVersion seen_;
  std::size_t bytes_ = 0;                                                 // read so far; no file goes on after npos
  std::size_t hash_ = 0;                                                  // of these
  std::size_t lines_ = 0;                                                 // in these
  std::string header_;                                                    // of a CSV
  std::optional<std::chrono::steady_clock::time_point> half_line_since_;  // the last line has no end
};

}  // namespace fugu
