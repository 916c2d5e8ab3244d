#include "fugu/stream/input.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <thread>
#include <utility>

#include "fugu/base/durable_file.hpp"
#include "gzip.hpp"

namespace fugu {
namespace {

class Descriptor final : public ByteSource {
 public:
  Descriptor(std::string name, int fd, bool owned, std::shared_ptr<ReadProgress> progress)
      : name_(std::move(name)), fd_(fd), owned_(owned), progress_(std::move(progress)) {
    struct stat status{};
    live_ = fstat(fd_, &status) != 0 || !S_ISREG(status.st_mode);
    if (progress_ && !live_) progress_->bytes_total = static_cast<std::uint64_t>(status.st_size);
  }
  ~Descriptor() override {
    if (owned_) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  Result<std::size_t> read(std::span<char> into) override {
    while (true) {
      const ssize_t size = ::read(fd_, into.data(), into.size());
      if (size >= 0) {
        if (progress_) progress_->bytes += static_cast<std::uint64_t>(size);
        return static_cast<std::size_t>(size);
      }
      if (errno != EINTR) return detail::input_error(name_, "cannot be read");
    }
  }

  bool would_wait() override {
    if (!live_) return false;
    pollfd request{fd_, POLLIN, 0};
    return poll(&request, 1, 0) == 0;
  }

  void wait(std::chrono::milliseconds at_most) override {
    pollfd request{fd_, POLLIN, 0};
    poll(&request, 1, static_cast<int>(std::min<std::int64_t>(at_most.count(), std::numeric_limits<int>::max())));
  }

  bool is_live() const override { return live_; }

 private:
  std::string name_;
  int fd_;
  bool owned_;
  bool live_ = false;
  std::shared_ptr<ReadProgress> progress_;
};

class Memory final : public ByteSource {
 public:
  explicit Memory(std::string bytes) : bytes_(std::move(bytes)) {}

  Result<std::size_t> read(std::span<char> into) override {
    const std::size_t size = std::min(into.size(), bytes_.size() - at_);
    std::copy_n(bytes_.data() + at_, size, into.data());
    at_ += size;
    return size;
  }

  bool would_wait() override { return false; }
  bool is_live() const override { return false; }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

}  // namespace

void ByteSource::wait(std::chrono::milliseconds at_most) {
  std::this_thread::sleep_for(std::min(at_most, std::chrono::milliseconds(10)));
}

Result<Input> Input::open(const std::string& path, std::shared_ptr<ReadProgress> progress) {
  if (path == "-") {
    const std::string name = "standard input";
    return Input(name, std::make_unique<Descriptor>(name, STDIN_FILENO, false, std::move(progress)));
  }
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return detail::input_error(path, "cannot be opened");
  return Input(path, std::make_unique<Descriptor>(path, fd, true, std::move(progress)));
}

Input Input::from_memory(std::string name, std::string bytes) {
  return {std::move(name), std::make_unique<Memory>(std::move(bytes))};
}

Input::Input(std::string name, std::unique_ptr<ByteSource> source)
    : name_(std::move(name)), source_(decode_gzip(name_, std::move(source))) {}

}  // namespace fugu
