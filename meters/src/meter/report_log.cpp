#include "fugu/meter/report_log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "fugu/base/durable_file.hpp"

namespace fugu {

struct ReportLog::State {
  std::string path;
  detail::File file;
  bool is_stdout;
  bool had_reports;
};

ReportLog::ReportLog(std::unique_ptr<State> state) : state_(std::move(state)) {}
ReportLog::ReportLog(ReportLog&&) noexcept = default;
ReportLog::~ReportLog() = default;

namespace {

/// Bytes up to and including the last line end.
Result<off_t> whole_lines(int descriptor, const std::string& path) {
  off_t end = ::lseek(descriptor, 0, SEEK_END);
  if (end < 0) return detail::system_error(path, "reading");
  for (; end > 0; --end) {
    char last = 0;
    if (::pread(descriptor, &last, 1, end - 1) != 1) return detail::system_error(path, "reading");
    if (last == '\n') break;
  }
  return end;
}

}  // namespace

Result<ReportLog> ReportLog::open(const std::string& path) {
  const bool is_stdout = path == "-";
  detail::File file(is_stdout ? ::dup(STDOUT_FILENO) : ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (file.get() < 0) return detail::system_error(path, "opening");
  off_t end = 0;
  if (!is_stdout) {
    FUGU_TRY(detail::lock(file.get(), path, "another fugu meter is sending to this file"));
    FUGU_ASSIGN(end, whole_lines(file.get(), path));
    if (::ftruncate(file.get(), end) != 0 || ::lseek(file.get(), end, SEEK_SET) < 0)
      return detail::system_error(path, "cutting off an unfinished row");
  }
  const std::string header = std::string(kReportHeader).append("\n");
  if (end == 0) FUGU_TRY(detail::write_all(file.get(), header, path));
  if (!is_stdout) FUGU_TRY(detail::sync_directory_of(path));
  const bool had_reports = end > static_cast<off_t>(header.size());
  return ReportLog(std::make_unique<State>(State{path, std::move(file), is_stdout, had_reports}));
}

bool ReportLog::had_reports() const { return state_->had_reports; }
const std::string& ReportLog::name() const { return state_->path; }

Result<void> ReportLog::send(const Gateway& gateway) {
  std::string rows;
  for (const auto& [meter, report] : gateway.outbox())
    gateway.rules().format.append(rows, gateway.meters().name(meter), report);
  FUGU_TRY(detail::write_all(state_->file.get(), rows, state_->path));
  if (!state_->is_stdout && ::fdatasync(state_->file.get()) != 0)
    return detail::system_error(state_->path, "making durable");
  return {};
}

}  // namespace fugu
