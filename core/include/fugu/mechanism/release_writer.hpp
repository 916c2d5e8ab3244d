// Writes releases as CSV (filter/release_rows.hpp), one row per slot and series.
#pragma once

#include <fstream>
#include <string>

#include "fugu/filter/release_rows.hpp"
#include "fugu/mechanism/publisher.hpp"

namespace fugu {

/// Formats releases into memory; emit() writes them to a file descriptor. Rows are written whole or, when the disk is
/// full, cut at the end of the file; `find_resume_point` knows how to go on from there.
class ReleaseWriter final : public ReleaseSink {
 public:
  /// Cause::usage when the filter or the interval makes no sense. Does not own the descriptor.
  static Result<ReleaseWriter> make(ReleaseFormat format, int descriptor, std::string name);

  /// The header row, to be written before the first release of a file.
  void prepare_header();
  /// Everything up to and including this slot passes the filters but is not written: it was in an earlier run.
  void mute_until(Slot last_slot) { muted_until_ = last_slot; }
  /// What is not written because of mute_until() is compared with `path`, the file that the earlier run left behind. If
  /// a row differs, emit() writes nothing and returns Cause::refused.
  Result<void> expect_earlier(const std::string& path);

  void prepare(const Release& release) override;
  void leave_out(const Release& release) override;
  Result<void> emit() override;

 private:
  ReleaseWriter(ReleaseRows rows, int descriptor, std::string name);

  void append_rows(const Release& release);
  void compare_with_earlier(std::string_view rows);

  ReleaseRows rows_;
  int descriptor_;
  std::string name_;
  Slot muted_until_ = -1;
  std::ifstream earlier_;
  bool earlier_differs_ = false;
  std::string pending_;
};

/// Where to go on in a releases file that an earlier run left behind: bytes of whole slots, and the last whole slot
/// (−1 when there is none).
struct ResumePoint {
  std::uint64_t bytes = 0;
  Slot last_slot = -1;
};

/// Reads `path`, a releases file of that format. Cause::bad_input when it is something else; Cause::refused when it
/// says that it was simulated and the format does not.
Result<ResumePoint> find_resume_point(const std::string& path, const ReleaseFormat& format);

}  // namespace fugu
