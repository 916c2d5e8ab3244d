// Any bytes as a ledger. Four times: as a file, as a header's text, as the payload of a frame whose seal is right
// (read, and audited under several promises), and as the records of a frame, which must survive encoding again.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "../core/src/accounting/ledger_format.hpp"
#include "fugu/accounting/audit.hpp"
#include "fugu/base/check.hpp"

using namespace fugu;

namespace {

/// A file in memory with a path.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : descriptor_(::memfd_create("ledger", MFD_CLOEXEC)) {
    FUGU_CHECK(descriptor_ >= 0);
    while (!bytes.empty()) {
      const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
      FUGU_CHECK(written > 0);
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

void read_to_the_end(const std::string& path) {
  auto reader = LedgerReader::open(path);
  if (!reader) return;
  for (;;) {
    const auto record = reader->next();
    if (!record || !*record) return;
  }
}

void check_frame(std::string_view payload, std::string_view promise) {
  std::string header("version 0\n");
  header.append(promise).append("series 1 a\nseries 5 b\nsignature 0 1\nsignature 1\n");
  std::string file(ledger_format::kMagic);
  Digest seal{};
  for (const std::string_view frame : {std::string_view(header), payload}) {
    seal = ledger_format::seal_of(frame, seal);
    file += ledger_format::frame_head(seal, frame.size(), file.size());
    file += frame;
  }
  const MemoryFile memory(file);
  read_to_the_end(memory.path());
  FUGU_CHECK(audit_ledger(memory.path()).has_value());
}

void check_records(std::string_view payload) {
  ledger_format::Decoder decoder;
  ledger_format::Encoder encoder;
  decoder.start(payload);
  while (!decoder.at_end()) {
    const auto record = decoder.next();
    if (!record) break;
    encoder.add(*record);
  }
  ledger_format::Decoder again;
  ledger_format::Encoder second;
  again.start(encoder.bytes());
  while (!again.at_end()) {
    const auto record = again.next();
    FUGU_CHECK(record.has_value());
    second.add(*record);
  }
  FUGU_CHECK(second.bytes() == encoder.bytes());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read_to_the_end(MemoryFile(bytes).path());
  if (const auto header = LedgerHeader::from_text(bytes))
    FUGU_CHECK(LedgerHeader::from_text(header->to_text()).has_value());
  for (const char* promise :
       {"definition w-event\nepsilon 1\ndelta 0\nwindow 3\n", "definition swellfish\ndelta 0\nidle exact\n",
        "definition swellfish\ndelta 1e-06\nfloor w-event 1 3\n"})
    check_frame(bytes, promise);
  check_records(bytes);
  return 0;
}
