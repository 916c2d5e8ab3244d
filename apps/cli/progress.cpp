#include "progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace fugu::cli {

namespace {

constexpr auto kInterval = std::chrono::milliseconds(100);
constexpr std::uint32_t kCallsPerLook = 256;  // reading the clock for every slot would cost more than the slot
constexpr int kBarWidth = 30;

}  // namespace

Progress::Progress(std::string unit)
    : unit_(std::move(unit)),
      enabled_(::isatty(STDERR_FILENO) == 1),
      next_(std::chrono::steady_clock::now() + kInterval) {}

Progress::~Progress() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

void Progress::update(std::uint64_t count, const ReadProgress& input) {
  if (++calls_ % kCallsPerLook == 0) update_now(count, input);
}

void Progress::update_now(std::uint64_t count, const ReadProgress& input) {
  if (!enabled_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + kInterval;
  draw(count, input);
}

void Progress::update_now(std::uint64_t done, std::uint64_t all) {
  ReadProgress share;
  share.bytes = done;
  share.bytes_total = all;
  update_now(done, share);
}

void Progress::draw(std::uint64_t count, const ReadProgress& input) {
  drawn_ = true;
  const std::uint64_t total = input.bytes_total;
  if (total == 0) {
    std::fprintf(stderr, "\r\033[K%llu %s", static_cast<unsigned long long>(count), unit_.c_str());
  } else {
    const double share = std::min(1.0, static_cast<double>(input.bytes) / static_cast<double>(total));
    const int filled = static_cast<int>(share * kBarWidth);
    std::fprintf(stderr, "\r\033[K[%s%s] %3d%%  %llu %s", std::string(static_cast<std::size_t>(filled), '#').c_str(),
                 std::string(static_cast<std::size_t>(kBarWidth - filled), '.').c_str(), static_cast<int>(share * 100),
                 static_cast<unsigned long long>(count), unit_.c_str());
  }
  std::fflush(stderr);
}

}  // namespace fugu::cli
