#include "base/files.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
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

class TemporaryFiles : public testing::Test {
 protected:
  void leave(const std::string& name) const { std::ofstream(folder_.path() / name) << "half"; }

  const TemporaryFolder folder_;
  const std::filesystem::path target_ = folder_.path() / "file.csv";
};

TEST_F(TemporaryFiles, OfKilledProcessesAreRemovedByTheNextWrite) {
  const pid_t child = ::fork();
  if (child == 0) {
    static AtomicFile file(target_);
    file.write(bytes_of("half"));
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  leave(".file.csv.1.7.tmp");  // of another container, whose processes have numbers of their own
  ASSERT_EQ(folder_.names().size(), 2U);
  write_atomically(target_, bytes_of("whole"));
  EXPECT_THAT(folder_.names(), testing::ElementsAre("file.csv"));
  EXPECT_EQ(read_file(target_), "whole");
}

TEST_F(TemporaryFiles, OfLivingProcessesStay) {
  AtomicFile first(target_);
  first.write(bytes_of("first"));
  write_atomically(target_, bytes_of("second"));
  EXPECT_EQ(read_file(target_), "second");
  first.commit();
  EXPECT_EQ(read_file(target_), "first");
  EXPECT_THAT(folder_.names(), testing::ElementsAre("file.csv"));
}

TEST_F(TemporaryFiles, OfOtherNamesStay) {
  const std::vector<std::string> others = {".file.csv.1.2.tmp.bak", ".file.csv.1.tmp",
                                           ".file.csv.1.b.tmp",     ".file.csv..2.tmp",
                                           ".other.csv.1.2.tmp",    "file.csv.1.2.tmp"};
  for (const std::string& name : others) leave(name);
  std::filesystem::create_directory(folder_.path() / ".file.csv.3.0.tmp");
  std::filesystem::create_symlink(".other.csv.1.2.tmp", folder_.path() / ".file.csv.4.0.tmp");
  write_atomically(target_, bytes_of("whole"));
  EXPECT_EQ(folder_.names().size(), others.size() + 3);
}

}  // namespace
}  // namespace lookalike
