#include "base/source_file.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;

class SourceFileTest : public testing::Test {
 protected:
  TemporaryFolder folder_;
  const std::string path_ = folder_.write("a", "12345");
};

TEST_F(SourceFileTest, AFileIsFoundThroughLinksAndNothingElseIs) {
  fs::create_symlink("a", folder_.path() / "link");
  const SourceFile file = look_at(path_).value();
  EXPECT_EQ(file.size_bytes, 5U);
  EXPECT_TRUE(is_same_state(look_at(folder_.path() / "link").value(), file));
  EXPECT_FALSE(look_at(folder_.path() / "none"));
  EXPECT_FALSE(look_at(folder_.path()));
}

TEST_F(SourceFileTest, AFileWrittenAnewUnderItsSizeAndTimeIsInAnotherState) {
  const SourceFile before = look_at(path_).value();
  const auto time = fs::last_write_time(path_);
  SourceFile after = before;
  // Some file systems count time in ticks of milliseconds.
  while (after.changed_ns == before.changed_ns) {
    folder_.write("a", "54321");
    fs::last_write_time(path_, time);
    after = look_at(path_).value();
  }
  EXPECT_EQ(after.size_bytes, before.size_bytes);
  EXPECT_EQ(after.modified_ns, before.modified_ns);
  EXPECT_FALSE(is_same_state(after, before));
}

TEST_F(SourceFileTest, AnotherInodeIsAnotherState) {
  const SourceFile before = look_at(path_).value();
  SourceFile other = before;
  ++other.inode;
  EXPECT_FALSE(is_same_state(before, other));
  other = before;
  other.path = "elsewhere";
  EXPECT_TRUE(is_same_state(before, other));
}

}  // namespace
}  // namespace lookalike
