// Keeps a second gateway away from the state of the first: both would give the same numbers to different reports.
//
//     FUGU_ASSIGN(const StateLock lock, StateLock::take("gateway.state"));    // before load(); held until it is gone
//
// An advisory lock on PATH.lock, which stays behind: the state itself is another file after every save(). A process
// that is killed gives it back.
#pragma once

#include <memory>
#include <string>

#include "fugu/base/result.hpp"

namespace fugu {

namespace detail {
class File;
}

class StateLock {
 public:
  /// Cause::environment when another process has it.
  static Result<StateLock> take(const std::string& state_path);
  const std::string& state_path() const { return state_path_; }

 private:
  StateLock(std::string state_path, std::shared_ptr<const detail::File> file)
      : state_path_(std::move(state_path)), file_(std::move(file)) {}
  std::string state_path_;
  std::shared_ptr<const detail::File> file_;
};

}  // namespace fugu
