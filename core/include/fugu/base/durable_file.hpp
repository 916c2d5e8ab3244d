// Files that must survive a crash: what the ledger and the state of a meter share.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "fugu/base/result.hpp"

namespace fugu::detail {

/// `PATH: DOING failed: …`, with what errno says.
Error system_error(const std::string& path, std::string_view doing);

/// `PATH: DOING: …` for a file that somebody names to be read (`cannot be opened`): wrong usage when there is none, or
/// a directory instead.
Error input_error(const std::string& path, std::string_view doing);

/// An open file that closes itself.
class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File();
  File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  File& operator=(File&&) = delete;
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

/// Keeps other processes that do the same away for as long as the file is open. Cause::environment, saying `busy`, when
/// one is there already.
Result<void> lock(int descriptor, const std::string& path, std::string_view busy);

Result<void> write_all(int descriptor, std::string_view bytes, const std::string& path);

/// A file is only found again after a power cut if its directory is durable too.
Result<void> sync_directory_of(const std::string& path);

/// Replaces the whole file, readable by its owner only: a crash leaves the old content or the new, never a mixture.
Result<void> replace_durably(const std::string& path, std::string_view bytes);
/// The same for a file that must not be there yet. False, and nothing is changed, when it is.
Result<bool> create_durably(const std::string& path, std::string_view bytes);

}  // namespace fugu::detail
