#include "base/files.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
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
  EXPECT_EQ(read_start(folder.path() / "file", 70'000), text.substr(0, 70'000));
  EXPECT_EQ(read_start(folder.path() / "file", 200'000), text);
  std::ofstream(folder.path() / "empty");
  EXPECT_EQ(read_file(folder.path() / "empty"), "");
}

// Returns why neither function reads a file; its error number.
int refusal(const std::filesystem::path& file) {
  errno = 0;
  EXPECT_FALSE(read_file(file)) << file;
  const int reason = errno;
  EXPECT_FALSE(read_start(file, 10)) << file;
  EXPECT_EQ(errno, reason);
  return reason;
}

TEST(ReadFile, GivesReasonsForWhatItCannotRead) {
  const TemporaryFolder folder;
  EXPECT_EQ(refusal(folder.path()), EISDIR);
  EXPECT_EQ(refusal(folder / "missing"), ENOENT);
  EXPECT_EQ(refusal("/dev/zero"), ENOTSUP);
  EXPECT_EQ(why_unread(), "not a regular file");
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(refusal(folder / "fifo"), ENOTSUP) << "without waiting for a writer";
  const FileDescriptor both_ends(::open((folder / "fifo").c_str(), O_RDWR | O_NONBLOCK));
  EXPECT_EQ(refusal(folder / "fifo"), ENOTSUP) << "without waiting for bytes";
}

TEST(ReadFile, ReadsOnlyWhatItsKindAllows) {
  const TemporaryFolder folder;
  const std::string file = folder.write("file", "log of 12");
  EXPECT_EQ(read_file(file, {.most_bytes = 9}), "log of 12");
  EXPECT_FALSE(read_file(file, {.most_bytes = 8}));
  EXPECT_EQ(errno, EFBIG);
  EXPECT_EQ(read_file(file, {.beginning = "log of"}), "log of 12");
  for (const std::string_view other : {"log by", "log of 12 "}) {
    EXPECT_FALSE(read_file(file, {.beginning = other}));
    EXPECT_EQ(errno, EBADMSG);
    EXPECT_EQ(why_unread(), "a file of another kind");
  }
  std::filesystem::create_symlink("file", folder / "link");
  EXPECT_EQ(read_file(folder / "link"), "log of 12");
  EXPECT_FALSE(read_file(folder / "link", {.may_be_link = false}));
  EXPECT_EQ(errno, ELOOP);
}

TEST(ReadFile, LimitsFilesWithoutASize) {
  const std::string file = "/proc/self/environ";
  EXPECT_TRUE(read_file(file));
  EXPECT_FALSE(read_file(file, {.most_bytes = 3}));
  EXPECT_EQ(errno, EFBIG);
}

// A terabyte of nothing would end the process.
TEST(ReadFile, DoesNotReadAGiantOfAnotherKind) {
  const TemporaryFolder folder;
  const std::string file = folder.write("file", "");
  std::filesystem::resize_file(file, std::uintmax_t{1} << 40U);
  EXPECT_FALSE(read_file(file, {.most_bytes = 1'000'000}));
  EXPECT_EQ(errno, EFBIG);
  EXPECT_FALSE(read_file(file, {.beginning = "log of"}));
  EXPECT_EQ(errno, EBADMSG);
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

TEST(WriteAtomically, MayKeepAFileToItsOwner) {
  const TemporaryFolder folder;
  const auto rights = [](const std::filesystem::path& file) {
    return static_cast<unsigned>(std::filesystem::status(file).permissions());
  };
  const ::mode_t umask_before = ::umask(0);
  create_own_folders(folder / "new/below");
  EXPECT_EQ(rights(folder / "new"), 0700U);
  EXPECT_EQ(rights(folder / "new/below"), 0700U);
  const std::filesystem::path file = folder / "new/below/file";
  write_atomically(file, bytes_of("x"), false);
  EXPECT_EQ(rights(file), 0666U);
  write_atomically(file, bytes_of("y"), false, FileAccess::kOwner);
  EXPECT_EQ(rights(file), 0600U) << "whatever it was before";
  ::umask(umask_before);
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
  leave(".file.csv.1.7.lookalike-tmp");  // of another container, whose processes have numbers of
                                         // their own
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
  const std::vector<std::string> others = {
      ".file.csv.1.2.lookalike-tmp.bak", ".file.csv.1.lookalike-tmp",
      ".file.csv.1.b.lookalike-tmp",     ".file.csv..2.lookalike-tmp",
      ".other.csv.1.2.lookalike-tmp",    "file.csv.1.2.lookalike-tmp"};
  for (const std::string& name : others) leave(name);
  std::filesystem::create_directory(folder_.path() / ".file.csv.3.0.lookalike-tmp");
  std::filesystem::create_symlink(".other.csv.1.2.lookalike-tmp",
                                  folder_.path() / ".file.csv.4.0.lookalike-tmp");
  write_atomically(target_, bytes_of("whole"));
  EXPECT_EQ(folder_.names().size(), others.size() + 3);
}

TEST_F(TemporaryFiles, OfAllTargetsInAFolderAreRemovedAtOnce) {
  AtomicFile living(target_);
  for (const char* name : {".other.csv.1.2.lookalike-tmp", ".a.1.2.lookalike-tmp"}) leave(name);
  const std::vector<std::string> others = {"file",
                                           ".other.csv.1.2.tmp",
                                           ".1.2.lookalike-tmp",
                                           "..1.2.lookalike-tmp",
                                           ".a.b.2.lookalike-tmp",
                                           ".a.1.lookalike-tmp",
                                           ".a.1.2.lookalike-tmp2"};
  for (const std::string& name : others) leave(name);
  remove_left_behind(folder_ / "index.db");
  std::vector<std::string> expected = others;
  expected.push_back(living.temporary().filename());
  EXPECT_THAT(folder_.names(), testing::UnorderedElementsAreArray(expected));
}

}  // namespace
}  // namespace lookalike
