// The disk of the simulated world does what it says, or the world shows nothing.
#include "disk.hpp"

#include <gtest/gtest.h>

#include <set>

using fugu::test::Disk;

extern "C" {

ssize_t __wrap_write(int descriptor, const void* bytes, size_t count) {
  std::string path;
  Disk* disk = Disk::current();
  if (disk == nullptr || !disk->holds(descriptor, path)) return __real_write(descriptor, bytes, count);
  return disk->write(descriptor, path, {static_cast<const char*>(bytes), count}, -1);
}

ssize_t __wrap_pwrite(int descriptor, const void* bytes, size_t count, off_t at) {
  std::string path;
  Disk* disk = Disk::current();
  if (disk == nullptr || !disk->holds(descriptor, path)) return __real_pwrite(descriptor, bytes, count, at);
  return disk->write(descriptor, path, {static_cast<const char*>(bytes), count}, at);
}

int __wrap_ftruncate(int descriptor, off_t size) {
  std::string path;
  Disk* disk = Disk::current();
  return disk != nullptr && disk->holds(descriptor, path) ? disk->truncate(descriptor, size)
                                                          : __real_ftruncate(descriptor, size);
}

int __wrap_fdatasync(int descriptor) {
  std::string path;
  Disk* disk = Disk::current();
  return disk != nullptr && disk->holds(descriptor, path) ? disk->sync(descriptor, path) : __real_fdatasync(descriptor);
}

int __wrap_fsync(int descriptor) {
  std::string path;
  Disk* disk = Disk::current();
  return disk != nullptr && disk->holds(descriptor, path) ? disk->sync(descriptor, path) : __real_fsync(descriptor);
}
}

namespace fugu::test {
namespace {

// The world's files need no disk of this machine: theirs is simulated.
const bool kInMemory = std::filesystem::is_directory("/dev/shm") && ::setenv("TMPDIR", "/dev/shm", 0) == 0;

/// Writes "synced", syncs, writes "later" twice, and loses power.
std::string after_power_cut(std::uint64_t seed, Disk::Lies lies) {
  const TempDir dir;
  Disk disk(dir.path().string(), seed);
  disk.start(0, lies);
  const std::string path = dir / "file";
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  EXPECT_EQ(::write(file, "synced", 6), 6);
  EXPECT_EQ(::fdatasync(file), 0);
  EXPECT_EQ(::write(file, "later", 5), 5);
  EXPECT_EQ(::write(file, "later", 5), 5);
  ::close(file);
  EXPECT_EQ(read_file(path), "syncedlaterlater");
  disk.cut_power({path});
  return read_file(path);
}

TEST(Disk, LosesWhatWasNotSyncedAndNothingElse) {
  ASSERT_TRUE(kInMemory || !std::filesystem::is_directory("/dev/shm"));
  std::set<std::string> left;
  for (std::uint64_t seed = 0; seed < 300; ++seed) left.insert(after_power_cut(seed, Disk::Lies::never));
  EXPECT_EQ(left.size(), 11u) << "every prefix of what came after the sync";
  EXPECT_EQ(*left.begin(), "synced");
  EXPECT_EQ(*left.rbegin(), "syncedlaterlater");
}

TEST(Disk, ThatLiesLosesAll) {
  std::set<std::string> left;
  for (std::uint64_t seed = 0; seed < 300; ++seed) left.insert(after_power_cut(seed, Disk::Lies::always));
  EXPECT_EQ(*left.begin(), "");
}

TEST(Disk, NothingArrivesAfterTheMachineDied) {
  const TempDir dir;
  Disk disk(dir.path().string(), 1);
  disk.start(2, Disk::Lies::never);
  const std::string path = dir / "file";
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  EXPECT_EQ(::write(file, "first", 5), 5);
  EXPECT_EQ(::fdatasync(file), -1);
  EXPECT_EQ(::write(file, "second", 6), -1);
  ::close(file);
  EXPECT_TRUE(disk.dead());
  EXPECT_EQ(disk.durable(path), "");
  EXPECT_EQ(read_file(path), "first");
}

}  // namespace
}  // namespace fugu::test
