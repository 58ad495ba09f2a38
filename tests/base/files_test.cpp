#include "base/files.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
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

TEST(LeadsTo, AFileUntilAnotherTakesItsName) {
  const TemporaryFolder folder;
  const std::filesystem::path name = folder.path() / "file";
  std::ofstream{name};
  const FileDescriptor file(::open(name.c_str(), O_RDONLY));
  std::filesystem::create_symlink(name, folder.path() / "link");
  EXPECT_TRUE(leads_to(name, file));
  EXPECT_TRUE(leads_to(folder.path() / "link", file));
  std::ofstream(folder.path() / "other");
  std::filesystem::rename(folder.path() / "other", name);
  EXPECT_FALSE(leads_to(name, file));
  std::filesystem::remove(name);
  EXPECT_FALSE(leads_to(name, file));
}

}  // namespace
}  // namespace lookalike
