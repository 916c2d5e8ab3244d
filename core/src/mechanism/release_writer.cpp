#include "fugu/mechanism/release_writer.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "fugu/stream/line_reader.hpp"
#include "fugu/stream/location.hpp"

namespace fugu {

ReleaseWriter::ReleaseWriter(ReleaseRows rows, int descriptor, std::string name)
    : rows_(std::move(rows)), descriptor_(descriptor), name_(std::move(name)) {}

Result<ReleaseWriter> ReleaseWriter::make(ReleaseFormat format, int descriptor, std::string name) {
  FUGU_ASSIGN(ReleaseRows rows, ReleaseRows::make(std::move(format)));
  return ReleaseWriter(std::move(rows), descriptor, std::move(name));
}

void ReleaseWriter::prepare_header() { pending_ += rows_.header() + "\n"; }

void ReleaseWriter::append_rows(const Release& release) {
  char time[kStampTextMax];
  const std::string_view text(time, rows_.format().clock.format(release.slot(), release.utc_offset_s(), time));
  for (std::size_t i = 0; i < release.values().size(); ++i) {
    const ReleasedValue& released = release.values()[i];
    rows_.append(text, i,
                 {.steps = released.value.steps,
                  .noise = released.value.noise,
                  .parameter = released.value.parameter,
                  .known = released.known,
                  .sampled = released.sampled,
                  .estimated = released.estimated,
                  .loss_rate = release.loss_rates()[i]},
                 pending_);
    pending_ += '\n';
  }
}

void ReleaseWriter::prepare(const Release& release) {
  const std::size_t kept = pending_.size();
  append_rows(release);
  if (release.slot() > muted_until_) return;
  compare_with_earlier(std::string_view(pending_).substr(kept));
  pending_.resize(kept);
}

void ReleaseWriter::leave_out(const Release& release) {
  const std::size_t kept = pending_.size();
  append_rows(release);
  pending_.resize(kept);
}

Result<void> ReleaseWriter::expect_earlier(const std::string& path) {
  earlier_.open(path, std::ios::binary);
  if (!earlier_) return Error{Cause::environment, path + ": reading failed: " + std::strerror(errno)};
  std::string header;
  std::getline(earlier_, header);
  return {};
}

void ReleaseWriter::compare_with_earlier(std::string_view rows) {
  if (!earlier_.is_open() || earlier_differs_) return;
  std::string earlier(rows.size(), '\0');
  earlier_.read(earlier.data(), static_cast<std::streamsize>(earlier.size()));
  earlier_differs_ = earlier != rows;
}

Result<void> ReleaseWriter::emit() {
  if (earlier_differs_)
    return Error{Cause::refused,
                 name_ + ": holds other releases than the ledger; it belongs to another run, or was changed"};
  std::string_view rest = pending_;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Error{Cause::environment, name_ + ": writing failed: " + std::strerror(errno)};
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  pending_.clear();
  return {};
}

namespace {

Error another_header(const std::string& path, std::string_view found, const std::string& expected) {
  if (found.ends_with(",simulated"))
    return Error{Cause::refused, path + ": holds simulated releases, which no ledger pays for; name another file"};
  return found_but_expected({path, 1, 1}, "another header", "the releases this ledger belongs to: " + expected);
}

}  // namespace

Result<ResumePoint> find_resume_point(const std::string& path, const ReleaseFormat& format) {
  FUGU_ASSIGN(Input input, Input::open(path));
  // The last line may have been cut anywhere, so this reads bytes rather than records.
  FUGU_ASSIGN(const ReleaseRows rows, ReleaseRows::make(format));
  const std::string header = rows.header();
  ResumePoint point;
  std::uint64_t offset = 0;
  std::string line;
  std::size_t rows_of_slot = 0;
  bool in_header = true;
  std::vector<char> block(1 << 16);
  for (;;) {
    FUGU_ASSIGN(const std::size_t got, input.read(block));
    if (got == 0) break;
    for (std::size_t i = 0; i < got; ++i) {
      ++offset;
      if (block[i] != '\n') {
        line += block[i];
        continue;
      }
      if (in_header) {
        if (line != header) return another_header(path, line, header);
        in_header = false;
        point.bytes = offset;
      } else if (++rows_of_slot == format.series.size()) {
        rows_of_slot = 0;
        Tick tick;
        const std::string_view time = std::string_view(line).substr(0, line.find(','));
        if (format.clock.parse(time, std::nullopt, tick) != TimeFault::none)
          return Error{Cause::bad_input, path + ": a row's time is not one of this stream's"};
        point = {offset, tick.slot};
      }
      line.clear();
    }
  }
  if (in_header && !header.starts_with(line)) return another_header(path, line, header);
  return point;
}

}  // namespace fugu
