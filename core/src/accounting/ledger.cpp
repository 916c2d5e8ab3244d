#include "fugu/accounting/ledger.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

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

}  // namespace

struct LedgerReader::State {
  State(std::string file_path, File opened) : path(std::move(file_path)), file(std::move(opened)) {}

  /// Up to `count` bytes into `into`; fewer only at the end of the file.
  Result<std::size_t> read(char* into, std::size_t count);
  /// Whether `begun` and all that follows in the file are zeros.
  Result<bool> only_zeros(std::string_view begun);
  /// Reads the next frame into `payload`. False at the end, intact or torn.
  Result<bool> read_frame();

  std::string path;
  File file;
  std::optional<LedgerHeader> header;
  std::string payload;
  Decoder decoder;
  std::uint64_t intact_bytes = 0;
  std::uint64_t chain = 0;
  bool torn = false;
};

Result<std::size_t> LedgerReader::State::read(char* into, std::size_t count) {
  std::size_t total = 0;
  while (total < count) {
    const ssize_t got = ::read(file.get(), into + total, count - total);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return input_error(path, "cannot be read");
    if (got == 0) break;
    total += static_cast<std::size_t>(got);
  }
  return total;
}

Result<bool> LedgerReader::State::only_zeros(std::string_view begun) {
  char block[4096];
  while (!begun.empty()) {
    if (begun.find_first_not_of('\0') != std::string_view::npos) return false;
    FUGU_ASSIGN(const std::size_t got, read(block, sizeof block));
    begun = {block, got};
  }
  return true;
}

Result<bool> LedgerReader::State::read_frame() {
  char head[kFrameHeadBytes];
  FUGU_ASSIGN(const std::size_t head_bytes, read(head, sizeof head));
  if (head_bytes == 0) return false;
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) return system_error(path, "reading");
  const std::uint64_t rest = static_cast<std::uint64_t>(status.st_size) - intact_bytes;
  // A crash can leave the last frame half on disk; anything else means that the file was changed.
  torn = head_bytes < sizeof head || rest < sizeof head;
  if (torn) return false;
  const Error damaged{Cause::bad_input, path + ": damaged at byte " + std::to_string(intact_bytes) +
                                            ": the checksum does not match; restore the ledger from a backup"};
  const std::optional<FrameHead> frame = parse_frame_head(head, chain);
  if (!frame) {
    // A file that had grown but not been written when the power went ends in zeros.
    FUGU_ASSIGN(torn, only_zeros({head, sizeof head}));
    if (torn) return false;
    return damaged;
  }
  torn = frame->payload_bytes > rest - sizeof head;
  if (torn) return false;
  payload.resize(frame->payload_bytes);
  FUGU_ASSIGN(const std::size_t payload_bytes, read(payload.data(), payload.size()));
  if (payload_bytes < payload.size() || checksum(payload, chain) != frame->checksum) {
    torn = rest == kFrameHeadBytes + frame->payload_bytes;
    if (torn) return false;
    return damaged;
  }
  intact_bytes += kFrameHeadBytes + payload.size();
  chain = frame->checksum;
  return true;
}

LedgerReader::LedgerReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
LedgerReader::~LedgerReader() = default;
LedgerReader::LedgerReader(LedgerReader&&) noexcept = default;
LedgerReader& LedgerReader::operator=(LedgerReader&&) noexcept = default;

Result<LedgerReader> LedgerReader::open(const std::string& path) {
  File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return input_error(path, "cannot be opened");
  auto state = std::make_unique<State>(path, std::move(file));
  std::string magic(kMagic.size(), '\0');
  FUGU_ASSIGN(const std::size_t got, state->read(magic.data(), magic.size()));
  if (got < magic.size() || magic != kMagic)
    return Error{Cause::bad_input, path + ": not a fugu ledger (it must begin with \"" + std::string(kMagic) + "\")"};
  state->intact_bytes = kMagic.size();
  FUGU_ASSIGN(const bool has_header, state->read_frame());
  if (!has_header) return Error{Cause::bad_input, path + ": the ledger ends within its header"};
  auto header = LedgerHeader::from_text(state->payload);
  if (!header) return Error{Cause::bad_input, path + ": " + header.error().message};
  state->header = *std::move(header);
  return LedgerReader(std::move(state));
}

const LedgerHeader& LedgerReader::header() const { return *state_->header; }
std::uint64_t LedgerReader::intact_bytes() const { return state_->intact_bytes; }
std::uint64_t LedgerReader::chain() const { return state_->chain; }
bool LedgerReader::torn() const { return state_->torn; }

Result<std::optional<LedgerRecord>> LedgerReader::next() {
  while (state_->decoder.at_end()) {
    FUGU_ASSIGN(const bool more, state_->read_frame());
    if (!more) return std::optional<LedgerRecord>();
    state_->decoder.start(state_->payload);
  }
  std::optional<LedgerRecord> record = state_->decoder.next();
  if (!record)
    return Error{Cause::bad_input, state_->path + ": a record before byte " + std::to_string(state_->intact_bytes) +
                                       " cannot be read; it was written by another version or damaged"};
  return record;
}

struct LedgerWriter::State {
  State(std::string file_path, File opened) : path(std::move(file_path)), file(std::move(opened)) {}

  enum class Sync : std::uint8_t { now, later };
  Result<void> write_frame(std::string_view payload, Sync sync = Sync::now);

  std::string path;
  File file;
  std::uint64_t chain = 0;
  Encoder encoder;
  bool failed = false;
};

Result<void> LedgerWriter::State::write_frame(std::string_view payload, Sync sync) {
  FUGU_CHECK(payload.size() <= kLargestFrameBytes);
  // After a failure nobody knows what is on disk: a second attempt could follow half a frame, or a sync that was
  // reported once and forgotten. Only a new run, which reads the file, may go on.
  if (failed) return Error{Cause::environment, path + ": an earlier write failed; start again to resume"};
  failed = true;
  std::string frame = frame_head(payload, chain);
  frame += payload;
  FUGU_TRY(write_all(file.get(), frame, path));
  if (sync == Sync::now && ::fdatasync(file.get()) != 0) return system_error(path, "making durable");
  failed = false;
  chain = checksum(payload, chain);
  return {};
}

LedgerWriter::LedgerWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
LedgerWriter::~LedgerWriter() = default;
LedgerWriter::LedgerWriter(LedgerWriter&&) noexcept = default;
LedgerWriter& LedgerWriter::operator=(LedgerWriter&&) noexcept = default;

Result<LedgerWriter> LedgerWriter::create(const std::string& path, const LedgerHeader& header) {
  // Written under a name of our own first: a ledger either has its whole header or does not exist.
  const std::string draft = path + ".new" + std::to_string(::getpid());
  ::unlink(draft.c_str());  // left behind by a process of that number that was killed
  File file(::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600));
  if (file.get() < 0) return system_error(path, "creating");
  FUGU_TRY(take_lock(file.get(), path));
  auto state = std::make_unique<State>(path, std::move(file));
  FUGU_TRY(write_all(state->file.get(), kMagic, draft));
  FUGU_TRY(state->write_frame(header.to_text()));
  if (::link(draft.c_str(), path.c_str()) != 0) {
    const int reason = errno;
    ::unlink(draft.c_str());
    errno = reason;
    if (reason == EEXIST) return Error{Cause::usage, path + ": exists already"};
    return system_error(path, "creating");
  }
  ::unlink(draft.c_str());
  FUGU_TRY(sync_directory_of(path));
  return LedgerWriter(std::move(state));
}

Result<LedgerWriter> LedgerWriter::reopen(const std::string& path) {
  File file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (file.get() < 0) return system_error(path, "opening");
  FUGU_TRY(take_lock(file.get(), path));
  return LedgerWriter(std::make_unique<State>(path, std::move(file)));
}

Result<void> LedgerWriter::continue_after(const LedgerReader& reader) {
  if (::ftruncate(state_->file.get(), static_cast<off_t>(reader.intact_bytes())) != 0)
    return system_error(state_->path, "cutting off an unfinished frame");
  state_->chain = reader.chain();
  return {};
}

void LedgerWriter::append(const LedgerRecord& record) { state_->encoder.add(record); }
void LedgerWriter::append(const Answer& answer) { state_->encoder.add(answer); }
void LedgerWriter::append(const Estimates& estimates) { state_->encoder.add(estimates); }

void LedgerWriter::abandon_slot(Slot slot) {
  if (state_->encoder.has_open_answers()) {
    state_->encoder.add(LedgerRecord(Failed{slot}));
  } else {
    state_->encoder.discard_open_slot();
  }
}

std::size_t LedgerWriter::pending_bytes() const { return state_->encoder.bytes().size(); }

Result<void> LedgerWriter::commit() {
  FUGU_CHECK(!state_->encoder.within_slot());
  if (state_->encoder.bytes().empty()) return {};
  FUGU_TRY(state_->write_frame(state_->encoder.bytes()));
  state_->encoder.clear();
  return {};
}

Result<void> LedgerWriter::mark_delivered(Slot last_slot) {
  Encoder mark;
  mark.add(LedgerRecord(Delivered{last_slot}));
  return state_->write_frame(mark.bytes(), State::Sync::later);
}

}  // namespace fugu
