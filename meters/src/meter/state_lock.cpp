#include "fugu/meter/state_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <utility>

#include "fugu/base/durable_file.hpp"

namespace fugu {

namespace {

Result<void> wait_for(int descriptor, const std::string& path) {
  while (::flock(descriptor, LOCK_EX) != 0)
    if (errno != EINTR) return detail::system_error(path, "locking");
  return {};
}

}  // namespace

Result<StateLock> StateLock::take(const std::string& state_path) {
  const std::string path = state_path + ".lock";
  auto file = std::make_shared<const detail::File>(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (file->get() < 0) return detail::system_error(path, "opening");
  FUGU_TRY(detail::lock(file->get(), state_path, "another fugu meter works with this state"));
  return StateLock(state_path, std::move(file));
}

Result<SigningTurn> SigningTurn::wait(const std::string& state_path, const std::function<void()>& waits) {
  const std::string path = state_path + ".turn.lock";
  auto file = std::make_shared<const detail::File>(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (file->get() < 0) return detail::system_error(path, "opening");
  if (::flock(file->get(), LOCK_EX | LOCK_NB) != 0) {
    if (waits) waits();
    FUGU_TRY(wait_for(file->get(), path));
  }
  return SigningTurn(path, std::move(file));
}

Result<void> SigningTurn::without(const std::function<Result<void>()>& meanwhile) {
  if (::flock(file_->get(), LOCK_UN) != 0) return detail::system_error(path_, "unlocking");
  FUGU_TRY(meanwhile());
  return wait_for(file_->get(), path_);
}

}  // namespace fugu
