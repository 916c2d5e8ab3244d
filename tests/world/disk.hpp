// A disk that can lose what was not synced, beneath the real files of one folder.
//
// The test program is linked so that write, pwrite, ftruncate, fsync and fdatasync of the library come here first
// (disk_test.cpp, tests/CMakeLists.txt). Each of them is an event. At the chosen event the machine dies: a write gets a
// part of its bytes onto the disk, and from then on nothing does. After a kill files are as they are; after a power cut
// a file has what was synced, and of the later changes the first few, the last of these perhaps in part. A write into
// the first sector of a file that it does not grow is whole or not there, as on real disks.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/temp_dir.hpp"

extern "C" {
ssize_t __real_write(int descriptor, const void* bytes, size_t count);
ssize_t __real_pwrite(int descriptor, const void* bytes, size_t count, off_t at);
int __real_ftruncate(int descriptor, off_t size);
int __real_fdatasync(int descriptor);
int __real_fsync(int descriptor);
}

namespace fugu::test {

class Disk {
 public:
  /// What a broken disk does not do when it is asked to sync.
  enum class Lies : std::uint8_t { never, always, about_earlier_runs };

  Disk(std::string folder, std::uint64_t seed) : folder_(std::move(folder)), random_(seed) { current() = this; }
  ~Disk() { current() = nullptr; }
  Disk(const Disk&) = delete;
  Disk& operator=(const Disk&) = delete;

  /// The disk that files are on; nullptr for the machine's own.
  static Disk*& current() {
    static Disk* disk = nullptr;
    return disk;
  }

  /// A machine that dies at the `events`-th change or sync from now; 0: it does not.
  void start(std::uint64_t events, Lies lies) {
    left_ = events;
    lies_ = lies;
    dead_ = false;
    written_.clear();
  }
  bool dead() const { return dead_; }
  /// Told of every byte that reached a file, and of its name.
  std::function<void(const std::string& path, std::string_view bytes)> watch;

  /// What of a file is durable.
  const std::string& durable(const std::string& path) { return file_at(path).durable; }
  /// The power goes: files lose what they may.
  void cut_power(const std::vector<std::string>& paths) {
    for (const std::string& path : paths) {
      if (::access(path.c_str(), F_OK) != 0) continue;
      File& file = file_at(path);
      std::string left = file.durable;
      const std::size_t kept = random_() % (file.changes.size() + 1);
      for (std::size_t i = 0; i < kept; ++i) file.changes[i].apply(left);
      if (kept < file.changes.size() && random_() % 2 == 0) file.changes[kept].torn(random_).apply(left);
      put(path, left);
    }
  }
  /// Durably; the file stays the same one.
  void put(const std::string& path, const std::string& bytes) {
    write_file(path, bytes);
    file_at(path) = {bytes, {}};
  }

  // What the library's calls become.
  bool holds(int descriptor, std::string& path) const {
    char name[512];
    const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
    const ssize_t length = ::readlink(link.c_str(), name, sizeof name);
    if (length <= 0) return false;
    path.assign(name, static_cast<std::size_t>(length));
    return path.size() > folder_.size() && path.starts_with(folder_);
  }
  ssize_t write(int descriptor, const std::string& path, std::string_view bytes, off_t at) {
    if (dead_) return fail();
    const bool dies = is_last_event();
    if (dies)
      bytes = bytes.substr(0, is_whole(at, bytes) ? random_() % 2 * bytes.size() : random_() % (bytes.size() + 1));
    if (!bytes.empty() && !write_now(descriptor, path, bytes, at)) return -1;
    return dies ? fail() : static_cast<ssize_t>(bytes.size());
  }
  int truncate(int descriptor, off_t size) {
    if (dead_ || is_last_event()) return fail();
    if (File* file = file_of(descriptor)) file->changes.push_back({.at = size, .bytes = {}, .cuts = true});
    return __real_ftruncate(descriptor, size);
  }
  int sync(int descriptor, const std::string& path) {
    if (dead_ || is_last_event()) return fail();
    File* file = file_of(descriptor);
    if (file == nullptr || lies_ == Lies::always) return 0;
    if (lies_ == Lies::about_earlier_runs && !written_.contains(path)) return 0;
    for (const Change& change : file->changes) change.apply(file->durable);
    file->changes.clear();
    return 0;
  }

 private:
  /// Only the head file is written at its begin again and again; the first write of another may come whole, too.
  static bool is_whole(off_t at, std::string_view bytes) { return at == 0 && bytes.size() <= 512; }

  struct Change {
    off_t at = 0;
    std::string bytes;
    bool cuts = false;

    void apply(std::string& content) const {
      const auto from = static_cast<std::size_t>(at);
      if (cuts || content.size() < from + bytes.size()) content.resize(from + bytes.size());
      content.replace(from, bytes.size(), bytes);
    }
    /// What a power cut leaves of a change that was on its way.
    Change torn(std::mt19937_64& random) const {
      if (cuts || is_whole(at, bytes)) return *this;
      return {at, bytes.substr(0, random() % (bytes.size() + 1)), false};
    }
  };
  struct File {
    std::string durable;
    std::vector<Change> changes;  // since, in order
  };

  int fail() {
    errno = EIO;
    return -1;
  }
  bool is_last_event() {
    dead_ = left_ == 1;
    if (left_ > 0) --left_;
    return dead_;
  }
  bool write_now(int descriptor, const std::string& path, std::string_view bytes, off_t at) {
    written_.insert(path);
    File* file = file_of(descriptor);
    const ssize_t count = at < 0 ? __real_write(descriptor, bytes.data(), bytes.size())
                                 : __real_pwrite(descriptor, bytes.data(), bytes.size(), at);
    if (count != static_cast<ssize_t>(bytes.size())) return false;
    if (at < 0) at = ::lseek(descriptor, 0, SEEK_CUR) - count;
    if (file != nullptr) file->changes.push_back({at, std::string(bytes), false});
    if (watch) watch(path, bytes);
    return true;
  }
  File* file_of(int descriptor) {
    struct stat status{};
    if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return nullptr;
    if (status.st_size == 0) files_.erase(status.st_ino);  // a new file, perhaps in the place of one that is gone
    return &files_[status.st_ino];
  }
  File& file_at(const std::string& path) {
    struct stat status{};
    ::stat(path.c_str(), &status);
    return files_[status.st_ino];
  }

  std::string folder_;
  std::mt19937_64 random_;
  std::map<ino_t, File> files_;  // by inode: a ledger gets its name when its header is durable
  std::uint64_t left_ = 0;
  Lies lies_ = Lies::never;
  std::set<std::string> written_;  // files, since start()
  bool dead_ = false;
};

}  // namespace fugu::test
