#include "base/held_file.h"

#include <filesystem>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/content_hash.h"
#include "base/error.h"
#include "tests/content_of.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class HeldFileTest : public testing::Test {
 protected:
  std::string at(const std::string& name) const { return folder_.path() / name; }
  std::string refusal(const std::string& name) const {
    try {
      const HeldFile file(at(name));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder_;
};

TEST_F(HeldFileTest, OnlyRegularFilesAreHeld) {
  folder_.write("a", "bytes");
  fs::create_symlink("a", at("link"));
  fs::create_directory(at("folder"));
  ::mkfifo(at("pipe").c_str(), 0600);
  EXPECT_EQ(refusal("a"), "");
  EXPECT_EQ(refusal("link"), at("link") + ": is a symbolic link");
  EXPECT_EQ(refusal("folder"), at("folder") + ": is no regular file");
  EXPECT_EQ(refusal("pipe"), at("pipe") + ": is no regular file");
  EXPECT_EQ(refusal("none"), at("none") + ": is gone");
  EXPECT_EQ(refusal("none/a"), at("none/a") + ": is gone");
  const HeldFile real = HeldFile::behind_links(at("link"));
  EXPECT_EQ(real.path(), at("link"));
  EXPECT_EQ(real.name(), "a");
}

TEST_F(HeldFileTest, FoldersBelowAnotherLieInIt) {
  fs::create_directories(at("in/real"));
  fs::create_directory_symlink(at("in/real"), at("in/link"));
  const HeldFolder in(at("in"));
  const auto refusal_below = [&](const std::string& path) {
    try {
      in.below(path, FolderLinks::kRefuse, true);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal_below("made/deep"), "");
  EXPECT_TRUE(fs::is_directory(at("in/made/deep")));
  EXPECT_EQ(refusal_below("link/deep"), at("in/link") + ": is a symbolic link");
  EXPECT_FALSE(fs::exists(at("in/real/deep")));
  EXPECT_THAT(refusal_below("../out"), HasSubstr("leads out of"));
  EXPECT_THAT(refusal_below("/out"), HasSubstr("leads out of"));
  folder_.write("in/real/a", "bytes");
  EXPECT_TRUE(in.below("link", FolderLinks::kFollow, false).look_at("a"));
}

TEST_F(HeldFileTest, BytesAreComparedAndHashedWhole) {
  std::string bytes(2'500'000, 'x');
  folder_.write("a", bytes);
  folder_.write("b", bytes);
  const ContentHash content = hash_content(bytes_of(bytes));
  const HeldFile a(at("a"));
  EXPECT_EQ(a.content(), content);
  EXPECT_TRUE(a.has_same_bytes(HeldFile(at("b"))));
  bytes.back() = 'y';
  folder_.write("b", bytes);
  EXPECT_FALSE(a.has_same_bytes(HeldFile(at("b"))));
  EXPECT_NE(HeldFile(at("b")).content(), content);
  bytes.pop_back();
  folder_.write("b", bytes);
  EXPECT_FALSE(a.has_same_bytes(HeldFile(at("b"))));
  EXPECT_FALSE(HeldFile(at("b")).has_same_bytes(a));
}

TEST_F(HeldFileTest, BytesThatCannotBeReadAreNotOtherBytes) {
  folder_.write("a", "bytes");
  const HeldFile a(at("a"));
  const HeldFile unreadable("/proc/self/mem");  // nothing is mapped at its start
  EXPECT_THROW((void)a.has_same_bytes(unreadable), Error);
  EXPECT_THROW((void)unreadable.has_same_bytes(a), Error);
  EXPECT_THROW((void)unreadable.content(), Error);
}

TEST_F(HeldFileTest, AFileIsStillThereIfItsPathLeadsToItAndItsBytes) {
  folder_.write("a", "bytes");
  folder_.write("b", "bytes");
  const HeldFile a(at("a"));
  const HeldFile b(at("b"));
  struct stat before = a.status();
  EXPECT_TRUE(a.is_still_there(b, &before));
  before.st_ctim.tv_sec -= 1;
  EXPECT_FALSE(a.is_still_there(b, &before));
  EXPECT_TRUE(a.is_still_there(b, nullptr));
  fs::rename(at("b"), at("a"));
  EXPECT_FALSE(a.is_still_there(b, nullptr));
  fs::remove(at("a"));
  EXPECT_FALSE(a.is_still_there(a, nullptr));
}

TEST_F(HeldFileTest, AttributesThatDecideWhoMayDoWhatAreCompared) {
  folder_.write("a", "bytes");
  folder_.write("b", "bytes");
  const HeldFile a(at("a"));
  const HeldFile b(at("b"));
  EXPECT_EQ(differing_attribute(a, b), std::nullopt);
  ::chmod(at("b").c_str(), 0640);
  EXPECT_EQ(differing_attribute(a, b), "mode");
  ::chmod(at("b").c_str(), 0644);
  ::chmod(at("a").c_str(), 0644);
  if (::setxattr(at("b").c_str(), "user.tag", "sea", 3, 0) == 0) {
    EXPECT_EQ(differing_attribute(a, b), "user.tag");
    ::setxattr(at("a").c_str(), "user.tag", "see", 3, 0);
    EXPECT_EQ(differing_attribute(a, b), "user.tag");
    ::setxattr(at("a").c_str(), "user.tag", "sea", 3, 0);
  }
  EXPECT_EQ(differing_attribute(a, b), std::nullopt);
  if (::chown(at("a").c_str(), 12345, 12345) == 0) {
    EXPECT_EQ(differing_attribute(a, b), "owner");
  }
}

}  // namespace
}  // namespace lookalike
