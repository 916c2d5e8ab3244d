// Writes releases as CSV: `time,series,value,scale,loss_rate,sampled`, one row per slot and series.
#pragma once

#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fugu/filter/filter.hpp"
#include "fugu/mechanism/publisher.hpp"
#include "fugu/stream/clock.hpp"
#include "fugu/stream/decimal.hpp"

namespace fugu {

struct ReleaseFormat {
  Clock clock;
  UnitStep unit_step;
  std::vector<std::string> series;
  Currency currency = Currency::epsilon;  ///< of the loss rates
  /// Appends the columns `lower,upper`: the true value at the time of the answer lies between them with this
  /// probability over the noise. How far the stream has moved since, where a value is repeated, is not in it.
  std::optional<double> interval;
  /// Filters as for `--filter`, applied to each series on its own. With an interval or estimates, `truncate` only.
  std::string filter;
  /// The strategy releases estimates (Release::estimate): they have no scale, so there can be no interval.
  bool estimates = false;
  /// Appends the column `simulated`, 1 in each row: noise that can be repeated hides nothing, so such a file must not
  /// pass as a private one.
  bool simulated = false;
};

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
  Result<void> emit() override;

 private:
  ReleaseWriter(ReleaseFormat format, int descriptor, std::string name);

  /// What depends on the noise only, so that it is worked out once for many rows.
  struct NoiseText {
    NoiseKind kind = NoiseKind::laplace;
    Rational parameter{0, 1};
    std::string scale;
    double variance = 0;  // in unit²
    std::int64_t band_steps = 0;
  };
  struct RateText {
    double rate = -1;
    std::string text;
  };

  void describe(const NoisyValue& value, NoiseText& text) const;
  void append_row(std::string_view time, std::size_t series, const Release& release);
  void append_value(std::size_t series, const ReleasedValue& released, const NoiseText& noise);
  void append_band(std::size_t series, const ReleasedValue& released, const NoiseText& noise);
  void append_rate(std::size_t series, double rate_per_step);
  void append_number(double value);
  void compare_with_earlier(std::string_view rows);

  ReleaseFormat format_;
  int descriptor_;
  std::string name_;
  std::vector<std::unique_ptr<Filter>> filters_;  // one per series, or none
  std::vector<NoiseText> noise_;                  // last seen, per series
  std::vector<RateText> rate_;                    // likewise
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

/// Reads `path` (a releases file with `header`). Cause::bad_input when it is something else.
Result<ResumePoint> find_resume_point(const std::string& path, const ReleaseFormat& format);

}  // namespace fugu
