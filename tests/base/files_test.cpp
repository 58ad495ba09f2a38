#include "base/files.h"

#include <cerrno>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

TEST(ReadFile, GivesAllBytesOrTheFirstOnes) {
  const TemporaryFolder folder;
  const std::string text = std::string(100'000, 'x') + std::string("\0end", 4);
  std::ofstream(folder.path() / "file") << text;
  EXPECT_EQ(read_file(folder.path() / "file"), text);
  EXPECT_EQ(read_file(folder.path() / "file", 70'000), text.substr(0, 70'000));
  std::ofstream(folder.path() / "empty");
  EXPECT_EQ(read_file(folder.path() / "empty"), "");
}

TEST(ReadFile, SaysWhyItCannot) {
  const TemporaryFolder folder;
  EXPECT_FALSE(read_file(folder.path()));
  EXPECT_EQ(errno, EISDIR);
  EXPECT_FALSE(read_file(folder.path() / "missing"));
  EXPECT_EQ(errno, ENOENT);
}

}  // namespace
}  // namespace lookalike
