// A ledger as a file: the magic, then frames of {u32 payload bytes, u32 check of these, seal, payload}, little endian.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "fugu/accounting/ledger_store.hpp"
#include "fugu/base/durable_file.hpp"
#include "ledger_format.hpp"

namespace fugu {

namespace {

using namespace ledger_format;

using detail::File;
using detail::input_error;
using detail::sync_directory_of;
using detail::system_error;
using detail::write_all;

Result<void> take_lock(int descriptor, const std::string& path) {
  return detail::lock(descriptor, path, "another fugu is writing to this ledger");
}

/// A file under a name that nobody else uses; the name is gone in the end.
class Draft {
 public:
  explicit Draft(std::string path) : path_(std::move(path)) { remove(); }  // of a process that was killed
  ~Draft() { remove(); }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  const std::string& path() const { return path_; }

 private:
  void remove() const { ::unlink(path_.c_str()); }

  std::string path_;
};

class LedgerFile final : public LedgerStore {
 public:
  LedgerFile(std::string path, File file, std::uint64_t bytes)
      : path_(std::move(path)), file_(std::move(file)), bytes_(bytes) {}

  Result<void> append(const Digest& seal, std::string_view payload) override {
    std::string frame = frame_head(seal, payload.size(), bytes_);
    frame += payload;
    FUGU_TRY(write_all(file_.get(), frame, path_));
    bytes_ += frame.size();
    return {};
  }
  Result<void> sync() override {
    if (::fdatasync(file_.get()) != 0) return system_error(path_, "making durable");
    return {};
  }
  Result<void> keep(std::uint64_t position) override {
    if (::ftruncate(file_.get(), static_cast<off_t>(position)) != 0)
      return system_error(path_, "cutting off an unfinished frame");
    bytes_ = position;
    return {};
  }
  const std::string& name() const override { return path_; }

 private:
  std::string path_;
  File file_;
  std::uint64_t bytes_;
};

class LedgerFileFrames final : public LedgerFrames {
 public:
  LedgerFileFrames(std::string path, File file) : path_(std::move(path)), file_(std::move(file)) {}

  Result<void> read_magic();
  Result<bool> next(LedgerFrame& frame) override;
  std::uint64_t position() const override { return position_; }
  Result<bool> at_end() override {
    FUGU_ASSIGN(const std::uint64_t size, file_bytes());
    return size == position_;
  }
  bool torn() const override { return torn_; }
  const std::string& name() const override { return path_; }

 private:
  /// Up to `count` bytes into `into`; fewer only at the end of the file.
  Result<std::size_t> read(char* into, std::size_t count);
  Result<std::uint64_t> file_bytes() const;
  /// Whether `begun` and all that follows in the file are zeros.
  Result<bool> only_zeros(std::string_view begun);

  std::string path_;
  File file_;
  std::uint64_t position_ = 0;
  bool torn_ = false;
};

Result<std::size_t> LedgerFileFrames::read(char* into, std::size_t count) {
  std::size_t total = 0;
  while (total < count) {
    const ssize_t got = ::read(file_.get(), into + total, count - total);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return input_error(path_, "cannot be read");
    if (got == 0) break;
    total += static_cast<std::size_t>(got);
  }
  return total;
}

Result<std::uint64_t> LedgerFileFrames::file_bytes() const {
  struct stat status{};
  if (::fstat(file_.get(), &status) != 0) return system_error(path_, "reading");
  return static_cast<std::uint64_t>(status.st_size);
}

Result<bool> LedgerFileFrames::only_zeros(std::string_view begun) {
  char block[4096];
  while (!begun.empty()) {
    if (begun.find_first_not_of('\0') != std::string_view::npos) return false;
    FUGU_ASSIGN(const std::size_t got, read(block, sizeof block));
    begun = {block, got};
  }
  return true;
}

Result<void> LedgerFileFrames::read_magic() {
  std::string magic(kMagic.size(), '\0');
  FUGU_ASSIGN(const std::size_t got, read(magic.data(), magic.size()));
  if (magic == kMagicBefore)
    return Error{Cause::bad_input, path_ +
                                       ": a ledger of an older version, which did not chain its frames by hash; audit "
                                       "and resume it with that version"};
  if (got < magic.size() || magic != kMagic)
    return Error{Cause::bad_input, path_ + ": not a fugu ledger (it must begin with \"" + std::string(kMagic) + "\")"};
  position_ = kMagic.size();
  return {};
}

Result<bool> LedgerFileFrames::next(LedgerFrame& frame) {
  char head[kFrameHeadBytes];
  FUGU_ASSIGN(const std::size_t head_bytes, read(head, sizeof head));
  if (head_bytes == 0) return false;
  FUGU_ASSIGN(const std::uint64_t size, file_bytes());
  const std::uint64_t rest = size - std::min(position_, size);
  // A crash can leave the last frame half on disk; anything else means that the file was changed.
  torn_ = head_bytes < sizeof head || rest < sizeof head;
  if (torn_) return false;
  const std::optional<std::uint32_t> payload_bytes = parse_frame_head(head, position_, frame.seal);
  if (!payload_bytes) {
    // A file that had grown but not been written when the power went ends in zeros.
    FUGU_ASSIGN(torn_, only_zeros({head, sizeof head}));
    if (torn_) return false;
    return damaged_at(path_, position_);
  }
  torn_ = *payload_bytes > rest - sizeof head;
  if (torn_) return false;
  frame.payload.resize(*payload_bytes);
  FUGU_ASSIGN(const std::size_t got, read(frame.payload.data(), frame.payload.size()));
  if (got < frame.payload.size()) return damaged_at(path_, position_);
  position_ += sizeof head + frame.payload.size();
  return true;
}

}  // namespace

Result<std::unique_ptr<LedgerStore>> create_ledger_file(const std::string& path, const LedgerFrame& first) {
  // Written under a name of our own first: a ledger either has its whole header or does not exist.
  const Draft draft(path + ".new" + std::to_string(::getpid()));
  File file(::open(draft.path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600));
  if (file.get() < 0) return system_error(path, "creating");
  FUGU_TRY(take_lock(file.get(), path));
  FUGU_TRY(write_all(file.get(), kMagic, draft.path()));
  auto store = std::make_unique<LedgerFile>(path, std::move(file), kMagic.size());
  FUGU_TRY(store->append(first.seal, first.payload));
  FUGU_TRY(store->sync());
  if (::link(draft.path().c_str(), path.c_str()) != 0) {
    if (errno == EEXIST) return Error{Cause::usage, path + ": exists already"};
    return system_error(path, "creating");
  }
  FUGU_TRY(sync_directory_of(path));
  return std::unique_ptr<LedgerStore>(std::move(store));
}

Result<std::unique_ptr<LedgerStore>> open_ledger_file(const std::string& path) {
  File file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (file.get() < 0) return system_error(path, "opening");
  FUGU_TRY(take_lock(file.get(), path));
  return std::unique_ptr<LedgerStore>(std::make_unique<LedgerFile>(path, std::move(file), 0));
}

Result<std::unique_ptr<LedgerFrames>> read_ledger_file(const std::string& path) {
  File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return input_error(path, "cannot be opened");
  auto frames = std::make_unique<LedgerFileFrames>(path, std::move(file));
  FUGU_TRY(frames->read_magic());
  return std::unique_ptr<LedgerFrames>(std::move(frames));
}

}  // namespace fugu
