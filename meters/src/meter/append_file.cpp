#include "fugu/meter/append_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

namespace fugu {

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

Result<AppendFile> AppendFile::open(const std::string& path, std::string_view header, std::string_view busy,
                                    Readers readers) {
  const bool is_stdout = path == "-";
  const mode_t mode = readers == Readers::owner ? 0600 : 0644;
  detail::File file(is_stdout ? ::dup(STDOUT_FILENO) : ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, mode));
  if (file.get() < 0) return detail::system_error(path, "opening");
  off_t end = 0;
  if (!is_stdout) {
    FUGU_TRY(detail::lock(file.get(), path, busy));
    FUGU_ASSIGN(end, whole_lines(file.get(), path));
    if (::ftruncate(file.get(), end) != 0 || ::lseek(file.get(), end, SEEK_SET) < 0)
      return detail::system_error(path, "cutting off an unfinished row");
  }
  const std::string first = std::string(header).append("\n");
  if (end == 0) FUGU_TRY(detail::write_all(file.get(), first, path));
  if (!is_stdout) FUGU_TRY(detail::sync_directory_of(path));
  return AppendFile(path, std::move(file), is_stdout, end > static_cast<off_t>(first.size()));
}

Result<void> AppendFile::append(std::string_view rows) {
  FUGU_TRY(detail::write_all(file_.get(), rows, path_));
  if (!is_stdout_ && ::fdatasync(file_.get()) != 0) return detail::system_error(path_, "making durable");
  return {};
}

}  // namespace fugu
