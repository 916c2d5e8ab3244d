#include "fugu/meter/state_lock.hpp"

#include <fcntl.h>

#include <utility>

#include "fugu/base/durable_file.hpp"

namespace fugu {

Result<StateLock> StateLock::take(const std::string& state_path) {
  const std::string path = state_path + ".lock";
  auto file = std::make_shared<const detail::File>(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (file->get() < 0) return detail::system_error(path, "opening");
  FUGU_TRY(detail::lock(file->get(), state_path, "another fugu meter works with this state"));
  return StateLock(state_path, std::move(file));
}

}  // namespace fugu
