// Keeps a second gateway away from the state of the first: both would give the same numbers to different reports.
//
//     FUGU_ASSIGN(const StateLock lock, StateLock::take("gateway.state"));    // before load(); held until it is gone
//
// An advisory lock on PATH.lock, which stays behind: the state itself is another file after every save(). A process
// that is killed gives it back.
#pragma once

#include <functional>
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

/// Whose turn it is: a gateway reads its keys and signs with them, or somebody replaces them by what its state says. A
/// gateway has its turn all the time, except while it waits for readings and all that it signed is in its state.
///
/// An advisory lock on STATE.turn.lock, as above.
class SigningTurn {
 public:
  /// Waits until it is free. `waits` is told if that is not at once.
  static Result<SigningTurn> wait(const std::string& state_path, const std::function<void()>& waits = {});
  /// Gives it back for as long as `meanwhile` takes.
  Result<void> without(const std::function<Result<void>()>& meanwhile);

 private:
  SigningTurn(std::string path, std::shared_ptr<const detail::File> file)
      : path_(std::move(path)), file_(std::move(file)) {}
  std::string path_;
  std::shared_ptr<const detail::File> file_;
};

}  // namespace fugu
