#include "base/move_file.h"

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/source_file.h"
#include "tests/content_of.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;

class MoveFileTest : public testing::Test {
 protected:
  std::string at(const std::string& name) const { return folder_.path() / name; }
  static void move(const std::string& from, const std::string& to) {
    move_file(from, to, [] {});
  }
  // A folder on another file system than folder_; skips the test without one.
  std::string elsewhere() {
    struct stat here {};
    struct stat there {};
    ::stat(folder_.path().c_str(), &here);
    if (::stat("/dev/shm", &there) != 0 || here.st_dev == there.st_dev) return {};
    other_ = fs::path("/dev/shm") / folder_.path().filename();
    fs::create_directory(other_);
    return other_;
  }
  ~MoveFileTest() override {
    if (!other_.empty()) fs::remove_all(other_);
  }

  TemporaryFolder folder_;
  fs::path other_;
};

TEST_F(MoveFileTest, AFileIsRenamedIntoFoldersThatAreMade) {
  const SourceFile before = look_at(folder_.write("a", "bytes")).value();
  move(at("a"), at("x/y/b"));
  EXPECT_FALSE(fs::exists(at("a")));
  EXPECT_EQ(look_at(at("x/y/b")).value().inode, before.inode);
}

TEST_F(MoveFileTest, AnotherFileIsNeverReplaced) {
  folder_.write("a", "bytes");
  folder_.write("b", "other");
  EXPECT_THROW(move(at("a"), at("b")), Error);
  EXPECT_EQ(rename_to_new(at("a"), at("b")), EEXIST);
  EXPECT_EQ(content_of(at("a")), "bytes");
  EXPECT_EQ(content_of(at("b")), "other");
  EXPECT_THROW(move(at("none"), at("c")), Error);
}

TEST_F(MoveFileTest, AFileWithTheBytesUnderTheNewNameCompletesTheMove) {
  folder_.write("a", "bytes");
  folder_.write("b", "bytes");
  move(at("a"), at("b"));
  EXPECT_FALSE(fs::exists(at("a")));
  fs::create_hard_link(at("b"), at("c"));  // as a file system without renaming leaves
  move(at("b"), at("c"));
  EXPECT_FALSE(fs::exists(at("b")));
  EXPECT_EQ(content_of(at("c")), "bytes");
}

TEST_F(MoveFileTest, OnAnotherFileSystemItKeepsBytesModeTimeAndAttributes) {
  const std::string other = elsewhere();
  if (other.empty()) GTEST_SKIP() << "/dev/shm is no other file system";
  const std::string bytes(3'000'000, 'x');
  folder_.write("a", bytes);
  const auto tag = [](const std::string& file) {
    return ::setxattr(file.c_str(), "user.tag", "sea", 3, 0) == 0;
  };
  std::ofstream(other + "/probe") << "x";
  const bool can_be_tagged = tag(other + "/probe") && tag(at("a"));
  fs::permissions(at("a"), fs::perms(0640));
  const auto time = fs::last_write_time(at("a")) - std::chrono::hours(1000);
  fs::last_write_time(at("a"), time);
  move(at("a"), other + "/x/a");
  EXPECT_FALSE(fs::exists(at("a")));
  EXPECT_EQ(content_of(other + "/x/a"), bytes);
  EXPECT_EQ(fs::status(other + "/x/a").permissions(), fs::perms(0640));
  EXPECT_EQ(fs::last_write_time(other + "/x/a"), time);
  if (can_be_tagged) {
    EXPECT_EQ(::getxattr((other + "/x/a").c_str(), "user.tag", nullptr, 0), 3);
  }
  move(other + "/x/a", at("a"));
  EXPECT_EQ(content_of(at("a")), bytes);
}

TEST_F(MoveFileTest, KilledAtAnyStepItIsCompletedByDoingItAgain) {
  for (const bool is_far : {false, true}) {
    const std::string to = is_far ? elsewhere() : at("to");
    if (to.empty()) continue;
    for (int killed_at = 1; killed_at < 8; ++killed_at) {
      folder_.write("a", "bytes");
      const auto time = fs::last_write_time(at("a")) - std::chrono::hours(1000);
      fs::last_write_time(at("a"), time);
      const pid_t child = ::fork();
      if (child == 0) {
        int step = 0;
        move_file(at("a"), to + "/a", [&] {
          if (++step == killed_at) ::_exit(9);
        });
        ::_exit(0);
      }
      int status = 0;
      ASSERT_EQ(::waitpid(child, &status, 0), child);
      EXPECT_TRUE(fs::exists(at("a")) || fs::exists(to + "/a"));
      if (fs::exists(at("a"))) move(at("a"), to + "/a");
      EXPECT_FALSE(fs::exists(at("a")));
      EXPECT_EQ(content_of(to + "/a"), "bytes");
      EXPECT_EQ(fs::last_write_time(to + "/a"), time);
      fs::remove(to + "/a");
      EXPECT_TRUE(fs::is_empty(to));
    }
  }
}

TEST_F(MoveFileTest, BytesAreComparedWholeFilesThatCannotBeReadAreNotTheSame) {
  std::string bytes(2'500'000, 'x');
  folder_.write("a", bytes);
  folder_.write("b", bytes);
  EXPECT_TRUE(have_same_bytes(at("a"), at("b")));
  bytes.back() = 'y';
  folder_.write("b", bytes);
  EXPECT_FALSE(have_same_bytes(at("a"), at("b")));
  bytes.pop_back();
  folder_.write("b", bytes);
  EXPECT_FALSE(have_same_bytes(at("a"), at("b")));
  EXPECT_FALSE(have_same_bytes(at("a"), at("none")));
  EXPECT_FALSE(have_same_bytes(at("none"), at("none")));
}

}  // namespace
}  // namespace lookalike
