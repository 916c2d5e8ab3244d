#include "gzip.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

namespace fugu {
namespace {

constexpr std::size_t kCompressedBlock = 128 * 1024;
constexpr char kMagic[2] = {'\x1f', '\x8b'};

/// zlib's state machine with its lifetime tied to an object.
class Inflater {
 public:
  Inflater() {
    constexpr int kGzipOnly = 15 + 16;  // the largest window, and a gzip header
    FUGU_CHECK(inflateInit2(&stream_, kGzipOnly) == Z_OK);
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  z_stream& operator*() { return stream_; }
  z_stream* operator->() { return &stream_; }

 private:
  z_stream stream_{};
};

class MaybeGzip final : public ByteSource {
 public:
  MaybeGzip(std::string name, std::unique_ptr<ByteSource> source)
      : name_(std::move(name)), source_(std::move(source)) {}

  Result<std::size_t> read(std::span<char> into) override {
    if (kind_ == Kind::unknown) FUGU_TRY(look());
    return kind_ == Kind::gzip ? read_gzip(into) : read_plain(into);
  }

  bool would_wait() override { return !failure_ && buffered() == 0 && !output_pending_ && source_->would_wait(); }
  void wait(std::chrono::milliseconds at_most) override { source_->wait(at_most); }
  bool is_live() const override { return source_->is_live(); }

 private:
  enum class Kind { unknown, plain, gzip };

  std::size_t buffered() const { return end_ - begin_; }

  // Reads once more into the buffer. False at the end of the source.
  Result<bool> fill() {
    if (begin_ == end_) begin_ = end_ = 0;
    buffer_.resize(kCompressedBlock);
    FUGU_ASSIGN(const std::size_t size, source_->read(std::span(buffer_).subspan(end_)));
    end_ += size;
    return size > 0;
  }

  // The first two bytes tell the kind.
  Result<void> look() {
    bool more = true;
    while (more && buffered() < sizeof kMagic) {
      FUGU_ASSIGN(more, fill());
    }
    const bool gzip = buffered() >= sizeof kMagic && std::memcmp(buffer_.data(), kMagic, sizeof kMagic) == 0;
    kind_ = gzip ? Kind::gzip : Kind::plain;
    if (gzip) inflater_.emplace();
    return {};
  }

  Result<std::size_t> read_plain(std::span<char> into) {
    if (buffered() == 0) return source_->read(into);
    const std::size_t size = std::min(into.size(), buffered());
    std::copy_n(buffer_.data() + begin_, size, into.data());
    begin_ += size;
    return size;
  }

  Result<std::size_t> read_gzip(std::span<char> into) {
    while (!failure_) {
      if (buffered() == 0 && !output_pending_) {
        FUGU_ASSIGN(const bool more, fill());
        if (!more && !inside_member_) return std::size_t{0};
        if (!more) return fail("gzip data that ends early", "a complete gzip file");
      }
      const std::size_t size = inflate_into(into);
      if (size > 0) return size;
    }
    return *failure_;
  }

  // Decodes from the buffer. Sets failure_ when the data is damaged; what was decoded before still counts.
  std::size_t inflate_into(std::span<char> into) {
    const std::size_t room = std::min<std::size_t>(into.size(), std::size_t{1} << 30);
    inside_member_ = true;
    (*inflater_)->next_in = reinterpret_cast<unsigned char*>(buffer_.data() + begin_);
    (*inflater_)->avail_in = static_cast<unsigned>(buffered());
    (*inflater_)->next_out = reinterpret_cast<unsigned char*>(into.data());
    (*inflater_)->avail_out = static_cast<unsigned>(room);
    const int status = inflate(&**inflater_, Z_NO_FLUSH);
    begin_ = end_ - (*inflater_)->avail_in;
    output_pending_ = status == Z_OK && (*inflater_)->avail_out == 0;
    if (status == Z_STREAM_END) {
      inside_member_ = false;
      FUGU_CHECK(inflateReset(&**inflater_) == Z_OK);
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      fail("damaged gzip data", "a gzip file that `gzip --test` accepts");
    }
    return room - (*inflater_)->avail_out;
  }

  Error fail(const char* found, const char* expected) {
    failure_ = Error{Cause::bad_input, name_ + ": found " + found + "; expected " + expected};
    return *failure_;
  }

  std::string name_;
  std::unique_ptr<ByteSource> source_;
  Kind kind_ = Kind::unknown;
  std::vector<char> buffer_;  // bytes begin_ to end_ were read from the source and not yet used
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::optional<Inflater> inflater_;
  bool inside_member_ = false;
  bool output_pending_ = false;  // the last call filled its output: zlib may hold more
  std::optional<Error> failure_;
};

}  // namespace

std::unique_ptr<ByteSource> decode_gzip(std::string name, std::unique_ptr<ByteSource> source) {
  return std::make_unique<MaybeGzip>(std::move(name), std::move(source));
}

}  // namespace fugu
