// Two names for one file: who reads one and writes the other would destroy what it reads.
#include "fugu/base/same_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/temp_dir.hpp"

namespace fugu::test {
namespace {

class SameFile : public ::testing::Test {
 protected:
  SameFile() {
    write_file(dir_ / "a", "something");
    write_file(dir_ / "b", "something");
    std::filesystem::create_directory(dir_ / "folder");
    std::filesystem::create_symlink(dir_ / "a", dir_ / "link to a");
    std::filesystem::create_hard_link(dir_ / "a", dir_ / "other name of a");
    std::filesystem::create_symlink("new", dir_ / "link to new");
  }
  TempDir dir_;
};

TEST_F(SameFile, IsOneWhateverItsName) {
  EXPECT_TRUE(same_file(dir_ / "a", dir_ / "a"));
  EXPECT_TRUE(same_file(dir_ / "a", dir_ / "folder/../a"));
  EXPECT_TRUE(same_file(dir_ / "a", dir_ / "link to a"));
  EXPECT_TRUE(same_file(dir_ / "a", dir_ / "other name of a"));
  EXPECT_FALSE(same_file(dir_ / "a", dir_ / "b")) << "equal content is not the same file";
}

TEST_F(SameFile, MayBeOneThatDoesNotExistYet) {
  EXPECT_TRUE(same_file(dir_ / "new", dir_ / "folder/../new"));
  EXPECT_TRUE(same_file(dir_ / "new", dir_ / "link to new"));
  EXPECT_FALSE(same_file(dir_ / "new", dir_ / "newer"));
  EXPECT_FALSE(same_file(dir_ / "new", dir_ / "a"));
  EXPECT_FALSE(same_file(dir_ / "a", dir_ / "new"));
}

TEST_F(SameFile, IsNoStreamAndNoDevice) {
  EXPECT_FALSE(same_file("-", "-"));
  EXPECT_FALSE(same_file("", ""));
  EXPECT_FALSE(same_file("/dev/null", "/dev/null")) << "nothing is lost there";
}

TEST_F(SameFile, ALinkIsWrittenWhereItPoints) {
  EXPECT_EQ(path_written(dir_ / "link to new"), dir_ / "new");
  EXPECT_EQ(path_written(dir_ / "a"), dir_ / "a");
  std::filesystem::create_symlink("circle", dir_ / "circle");
  EXPECT_EQ(path_written(dir_ / "circle"), dir_ / "circle") << "and opening it fails";
}

}  // namespace
}  // namespace fugu::test
