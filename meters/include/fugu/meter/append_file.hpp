// A file of rows that only grows, each batch durable before append() returns: what meters send, and what they remember.
#pragma once

#include <string>
#include <string_view>

#include "fugu/base/durable_file.hpp"

namespace fugu {

class AppendFile {
 public:
  enum class Readers : bool { owner, everybody };

  /// Goes on with a file that is there, after cutting off a row that a crash left unfinished; otherwise begins one with
  /// `header`. `-` is standard output, which is not made durable. Locked while it is open: Cause::environment, saying
  /// `busy`, when another process has it.
  static Result<AppendFile> open(const std::string& path, std::string_view header, std::string_view busy,
                                 Readers readers = Readers::everybody);

  /// Whether there was more than a header when it was opened.
  bool had_rows() const { return had_rows_; }
  bool is_stdout() const { return is_stdout_; }
  const std::string& path() const { return path_; }
  /// Whole rows, with their line ends.
  Result<void> append(std::string_view rows);

 private:
  AppendFile(std::string path, detail::File file, bool is_stdout, bool had_rows)
      : path_(std::move(path)), file_(std::move(file)), is_stdout_(is_stdout), had_rows_(had_rows) {}

  std::string path_;
  detail::File file_;
  bool is_stdout_;
  bool had_rows_;
};

}  // namespace fugu
