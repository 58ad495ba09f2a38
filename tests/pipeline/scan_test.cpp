#include "pipeline/scan.h"

#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pipeline/error.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ScanTest : public ::testing::Test {
 protected:
  ScanResult scan(const std::vector<std::string>& folders) const {
    const std::vector<std::string> extensions = {"jpg", "png"};
    return scan_folders(folders, extensions);
  }
  // Found paths, relative to the folder.
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const SourceFile& file : scan({folder_.path().native()}).files) {
      found.push_back(file.path.substr(folder_.path().native().size() + 1));
    }
    return found;
  }

  TemporaryFolder folder_;
};

TEST_F(ScanTest, FindsImagesToTheBottomSortedByBytes) {
  folder_.write("b/c/deep.png", "x");
  folder_.write("a.jpg", "x");
  folder_.write("B.jpg", "x");
  folder_.write("notes.txt", "x");
  EXPECT_THAT(names(), ElementsAre("B.jpg", "a.jpg", "b/c/deep.png"));
}

TEST_F(ScanTest, ExtensionIsTakenInAnyCase) {
  folder_.write("a.JPG", "x");
  folder_.write("b.Png", "x");
  folder_.write("jpg", "x");
  EXPECT_THAT(names(), ElementsAre("a.JPG", "b.Png"));
}

TEST_F(ScanTest, NameThatIsNotUtf8KeepsItsBytes) {
  folder_.write("\xff\xfe.jpg", "x");
  EXPECT_THAT(names(), ElementsAre("\xff\xfe.jpg"));
}

TEST_F(ScanTest, SizeAndTimeAreThoseOfTheFile) {
  const std::string path = folder_.write("a.jpg", "12345");
  struct timespec times[2] = {{1, 0}, {1'000'000'007, 42}};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  const ScanResult result = scan({folder_.path().native()});
  EXPECT_THAT(result.files, ElementsAre(SourceFile{path, 5, 1'000'000'007'000'000'042}));
}

TEST_F(ScanTest, LinkToAFileIsFollowedLinkToAFolderIsNot) {
  folder_.write("real/a.jpg", "x");
  fs::create_symlink("real/a.jpg", folder_.path() / "link.jpg");
  fs::create_directory_symlink("..", folder_.path() / "real" / "loop");
  EXPECT_THAT(names(), ElementsAre("link.jpg", "real/a.jpg"));
}

TEST_F(ScanTest, FifoIsPassedOver) {
  ASSERT_EQ(::mkfifo((folder_.path() / "pipe.jpg").c_str(), 0600), 0);
  EXPECT_THAT(names(), ElementsAre());
}

TEST_F(ScanTest, BrokenLinkIsReported) {
  fs::create_symlink("nowhere", folder_.path() / "broken.jpg");
  const ScanResult result = scan({folder_.path().native()});
  ASSERT_EQ(result.skipped.size(), 1U);
  EXPECT_THAT(result.skipped[0].file.path, HasSubstr("broken.jpg"));
  EXPECT_EQ(result.skipped[0].reason, "unreadable");
}

TEST_F(ScanTest, FileUnderTwoFoldersIsListedOnce) {
  const std::string path = folder_.write("in/a.jpg", "x");
  const ScanResult result = scan({folder_.path() / "in/../in", folder_.path().native()});
  ASSERT_EQ(result.files.size(), 1U);
  EXPECT_EQ(result.files[0].path, path);
}

TEST_F(ScanTest, RelativeFolderGivesAbsolutePaths) {
  folder_.write("a.jpg", "x");
  const ScanResult result = scan({fs::relative(folder_.path()).native()});
  ASSERT_EQ(result.files.size(), 1U);
  EXPECT_EQ(result.files[0].path, folder_.path() / "a.jpg");
}

TEST_F(ScanTest, MissingFolderIsAnInputError) {
  try {
    scan({folder_.path() / "missing"});
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    EXPECT_THAT(error.what(), HasSubstr("no such folder"));
  }
}

TEST_F(ScanTest, FileGivenAsFolderIsAnInputError) {
  EXPECT_THROW(scan({folder_.write("a.jpg", "x")}), Error);
}

}  // namespace
}  // namespace lookalike
