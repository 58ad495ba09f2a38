#include "base/scan.h"

#include <fcntl.h>
#include <filesystem>
#include <limits.h>
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/rights.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ScanTest : public ::testing::Test {
 protected:
  ScanResult scan(const std::vector<std::string>& folders) const {
    const std::vector<std::string> extensions = {"jpg", "png"};
    Omissions left_out;
    return scan_folders(folders, {.extensions = extensions, .exclude = {}, .hidden = true},
                        left_out);
  }
  // Returns the found paths, relative to the folder.
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const SourceFile& file : scan({folder_.path().native()}).files) {
      found.push_back(file.path.substr(folder_.path().native().size() + 1));
    }
    return found;
  }
  // Creates a folder whose path has this number of bytes.
  fs::path deep_folder(std::size_t bytes) const {
    fs::path deep = folder_.path();
    while (deep.native().size() + 202 < bytes) deep /= std::string(200, 'n');
    deep /= std::string(bytes - deep.native().size() - 1, 'n');
    fs::create_directories(deep);
    return deep;
  }

  TemporaryFolder folder_;
};

TEST(ImageName, EndsInADotAndAnExtensionInAnyCase) {
  const std::vector<std::string> extensions = {"jpg", "Jp2"};
  for (const char* name : {"a.jpg", "a.JPG", "b/.jpg", "a.tar.jP2", "\xff.jpg"}) {
    EXPECT_TRUE(is_image_name(name, extensions)) << name;
  }
  for (const char* name : {"", "jpg", "ajpg", "a.jpg/b", "a.jpge", "a.png", "a."}) {
    EXPECT_FALSE(is_image_name(name, extensions)) << name;
  }
}

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

TEST_F(ScanTest, SizeTimesAndInodeAreThoseOfTheFile) {
  const std::string path = folder_.write("a.jpg", "12345");
  struct timespec times[2] = {{1, 0}, {1'000'000'007, 42}};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  const std::int64_t changed =
      std::int64_t{status.st_ctim.tv_sec} * 1'000'000'000 + status.st_ctim.tv_nsec;
  const ScanResult result = scan({folder_.path().native()});
  EXPECT_THAT(result.files, ElementsAre(SourceFile{path, 5, 1'000'000'007'000'000'042, changed,
                                                   status.st_ino, 1}));
}

TEST_F(ScanTest, LinkToAFileIsFollowed) {
  folder_.write("real/a.jpg", "x");
  fs::create_symlink("real/a.jpg", folder_.path() / "link.jpg");
  EXPECT_THAT(names(), ElementsAre("link.jpg", "real/a.jpg"));
}

TEST_F(ScanTest, FifoIsReportedAndNotOpened) {
  ASSERT_EQ(::mkfifo((folder_.path() / "pipe.jpg").c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo((folder_.path() / "pipe").c_str(), 0600), 0);
  const ScanResult result = scan({folder_.path().native()});
  EXPECT_TRUE(result.files.empty());
  ASSERT_EQ(result.skipped.size(), 1U);
  EXPECT_EQ(result.skipped[0].file.path, folder_.path() / "pipe.jpg");
  EXPECT_EQ(result.skipped[0].reason, "not_a_file");
  EXPECT_EQ(result.skipped[0].detail, "not a regular file");
}

TEST_F(ScanTest, BrokenLinkIsReported) {
  fs::create_symlink("nowhere", folder_.path() / "broken.jpg");
  const ScanResult result = scan({folder_.path().native()});
  ASSERT_EQ(result.skipped.size(), 1U);
  EXPECT_THAT(result.skipped[0].file.path, HasSubstr("broken.jpg"));
  EXPECT_EQ(result.skipped[0].reason, "not_a_file");
}

TEST_F(ScanTest, LinkIntoAClosedFolderIsUnreadable) {
  const fs::path closed = fs::path(folder_.write("closed/a.jpg", "x")).parent_path();
  fs::create_symlink("../closed/a.jpg", folder_.write("open/b.jpg", "x") + ".link.jpg");
  fs::permissions(closed, fs::perms::none);
  ScanResult result;
  {
    const WithoutRootRights nobody;
    result = scan({folder_.path() / "open"});
  }
  fs::permissions(closed, kOpenFolder);
  ASSERT_EQ(result.skipped.size(), 1U);
  EXPECT_EQ(result.skipped[0].reason, "unreadable");
}

TEST_F(ScanTest, FolderThatCannotBeReadOrSearchedIsReportedAndTheOthersAreRead) {
  folder_.write("a/a.jpg", "x");
  const fs::path closed = fs::path(folder_.write("closed/a.jpg", "x")).parent_path();
  const fs::path listed = fs::path(folder_.write("listed/a.jpg", "x")).parent_path();
  fs::permissions(closed, fs::perms::none);
  fs::permissions(listed, kReadOnly);
  ScanResult result;
  {
    const WithoutRootRights nobody;
    result = scan({folder_.path().native()});
  }
  fs::permissions(closed, kOpenFolder);
  fs::permissions(listed, kOpenFolder);
  ASSERT_EQ(result.files.size(), 1U);
  EXPECT_EQ(result.files[0].path, folder_.path() / "a/a.jpg");
  ASSERT_EQ(result.skipped.size(), 2U);
  EXPECT_EQ(result.skipped[0].file.path, closed);
  EXPECT_EQ(result.skipped[1].file.path, listed);
}

TEST_F(ScanTest, NamedFolderThatCannotBeReadIsAProblemOfItsOwn) {
  folder_.write("a/a.jpg", "x");
  const fs::path closed = fs::path(folder_.write("closed/a.jpg", "x")).parent_path();
  fs::permissions(closed, fs::perms::none);
  ScanResult result;
  {
    const WithoutRootRights nobody;
    result = scan({closed.native(), folder_.path() / "a"});
  }
  fs::permissions(closed, kOpenFolder);
  EXPECT_EQ(result.files.size(), 1U);
  EXPECT_TRUE(result.skipped.empty());
  ASSERT_EQ(result.folders.size(), 2U);
  EXPECT_EQ(result.folders[0].problem, "cannot be read");
  EXPECT_EQ(result.folders[1].problem, "");
}

// Here lstat() fails because the path is too long; any other failure has the same effect.
TEST_F(ScanTest, FolderThatCannotBeLookedAtIsReported) {
  const std::string name(200, 'n');
  const fs::path deep = deep_folder(PATH_MAX - 100);
  const int parent = ::open(deep.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(::mkdirat(parent, name.c_str(), 0700), 0);
  const ScanResult result = scan({folder_.path().native()});
  ASSERT_EQ(result.skipped.size(), 1U);
  EXPECT_EQ(result.skipped[0].file.path, deep / name);
  EXPECT_THAT(result.skipped[0].detail, HasSubstr("too long"));
  ::unlinkat(parent, name.c_str(), AT_REMOVEDIR);
  ::close(parent);
}

TEST_F(ScanTest, CanBeEndedAtAnyEntry) {
  folder_.write("a.txt", "x");
  folder_.write("b/b.jpg", "x");
  const std::vector<std::string> folders = {folder_.path().native()};
  for (int entries = 1; entries <= 3; ++entries) {
    int left = entries;
    const auto end_at_last = [&] {
      if (--left == 0) throw Error(ErrorKind::kInternal, "ended");
    };
    Omissions left_out;
    EXPECT_THROW(scan_folders(folders, {}, left_out, end_at_last), Error) << entries;
  }
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

TEST_F(ScanTest, FolderThatIsMissingOrNoneHasAProblem) {
  const std::string file = folder_.write("a.jpg", "x");
  const ScanResult result = scan({folder_.path() / "missing", file, folder_.path() / "."});
  ASSERT_EQ(result.folders.size(), 3U);
  EXPECT_EQ(result.folders[0].problem, "no such folder");
  EXPECT_EQ(result.folders[1].problem, "not a folder");
  EXPECT_EQ(result.folders[2].path, folder_.path());
  EXPECT_EQ(result.files.size(), 1U);
}

// /proc and /sys are other file systems than /.
TEST_F(ScanTest, FoldersThatBeginAnotherFileSystemAreListed) {
  ScanResult result = scan({folder_.path()});
  ASSERT_EQ(result.folders[0].devices.size(), 1U);
  const FolderDevice here = result.folders[0].devices[0];
  EXPECT_EQ(here.path, folder_.path());
  result = scan({"/proc/sys/kernel/random"});
  ASSERT_EQ(result.folders[0].devices.size(), 1U);
  EXPECT_FALSE(is_same_file_system(here, result.folders[0].devices[0]));
}

TEST_F(ScanTest, FileSystemIsKnownByItsOwnNumberRatherThanByItsDevice) {
  EXPECT_TRUE(is_same_file_system({"/a", 1, 7}, {"/a", 2, 7}));
  EXPECT_FALSE(is_same_file_system({"/a", 1, 7}, {"/a", 1, 8}));
  EXPECT_TRUE(is_same_file_system({"/a", 1, 0}, {"/a", 1, 8}));
  EXPECT_FALSE(is_same_file_system({"/a", 1, 0}, {"/a", 2, 0}));
}

TEST_F(ScanTest, FolderBelowAnotherNamedOneHasItsOwnEntry) {
  folder_.write("a/b/b.jpg", "x");
  const ScanResult result = scan({folder_.path() / "a", folder_.path() / "a/b"});
  EXPECT_EQ(result.files.size(), 1U);
  ASSERT_EQ(result.folders.size(), 2U);
  EXPECT_EQ(result.folders[1].devices.size(), 1U);
}

TEST_F(ScanTest, OneFileIsAddedWhateverItsName) {
  ScanResult result;
  add_file(folder_.write("notes.txt", "1234"), result);
  add_file(folder_.path() / "none.jpg", result);
  ASSERT_EQ(result.files.size(), 1U);
  EXPECT_EQ(result.files[0].size_bytes, 4U);
  ASSERT_EQ(result.skipped.size(), 1U);
}

class ScanByRules : public ScanTest {
 protected:
  // Returns the found paths, relative to the folder; fills left_out_.
  std::vector<std::string> names(const std::vector<std::string>& exclude, bool hidden = false) {
    const std::vector<std::string> folders = {folder_.path().native()};
    const std::vector<std::string> extensions = {"jpg"};
    left_out_ = {};
    std::vector<std::string> found;
    for (const SourceFile& file :
         scan_folders(folders, {extensions, exclude, hidden}, left_out_).files) {
      found.push_back(file.path.substr(folders.front().size() + 1));
    }
    return found;
  }

  Omissions left_out_;
};

TEST_F(ScanByRules, HiddenFilesAreLeftOutAndCounted) {
  for (const char* name : {"a.jpg", ".b.jpg", ".c/c.jpg", ".notes"}) folder_.write(name, "x");
  EXPECT_THAT(names({}), ElementsAre("a.jpg"));
  EXPECT_EQ(left_out_.hidden, 2U);
  EXPECT_THAT(names({}, true), ElementsAre(".b.jpg", ".c/c.jpg", "a.jpg"));
  EXPECT_EQ(left_out_.hidden, 0U);
}

TEST_F(ScanByRules, SystemFoldersAreLeftOutWhateverIsHidden) {
  const std::vector<std::string> folders = {"@eaDir",     "#Recycle",    "$Recycle.Bin/S-1-5-21",
                                            "lost+found", ".Trash-1000", "found.000"};
  for (const std::string& folder : folders) folder_.write("x/" + folder + "/a.jpg", "x");
  for (const char* name : {"a.jpg", "recycle/b.jpg", "x/found/c.jpg", "y/#recycle"}) {
    folder_.write(name, "x");
  }
  for (const bool hidden : {false, true}) {
    EXPECT_THAT(names({}, hidden), ElementsAre("a.jpg", "recycle/b.jpg", "x/found/c.jpg"));
    EXPECT_EQ(left_out_.system_folders, folders.size());
    EXPECT_EQ(left_out_.hidden, 0U);
  }
}

TEST_F(ScanByRules, AFolderThatIsNamedIsScannedWhateverItsName) {
  for (const std::string name : {".photos", "@Recycle", "$RECYCLE.BIN/S-1-5-21"}) {
    folder_.write(name + "/a.jpg", "x");
    const std::vector<std::string> folders = {folder_.path() / name};
    const std::vector<std::string> extensions = {"jpg"};
    EXPECT_EQ(scan_folders(folders, {extensions, {}, false}, left_out_).files.size(), 1U) << name;
  }
}

TEST_F(ScanByRules, PatternsLeaveOutFilesAndFolders) {
  for (const char* name : {"a.jpg", "small-a.jpg", "old/b.jpg", "x/old/c.jpg"}) {
    folder_.write(name, "x");
  }
  EXPECT_THAT(names({"small-*"}), ElementsAre("a.jpg", "old/b.jpg", "x/old/c.jpg"));
  EXPECT_EQ(left_out_.excluded, 1U);
  EXPECT_THAT(names({"/old/", "a.jpg"}), ElementsAre("small-a.jpg", "x/old/c.jpg"));
  EXPECT_EQ(left_out_.excluded, 2U);
}

TEST_F(ScanByRules, AFileOfPatternsHoldsForItsFolderAndGoesBeforeThoseAbove) {
  for (const char* name : {"a.jpg", "x/a.jpg", "x/b.jpg", "x/y/a.jpg"}) folder_.write(name, "x");
  folder_.write("x/.lookalikeignore", "a.jpg\n!b.jpg\n");
  EXPECT_THAT(names({}), ElementsAre("a.jpg", "x/b.jpg"));
  EXPECT_THAT(names({"b.jpg"}), ElementsAre("a.jpg", "x/b.jpg"));
  EXPECT_EQ(left_out_.excluded, 2U);
}

TEST_F(ScanByRules, AFolderWhosePatternsCannotBeReadIsReportedAndNotScanned) {
  for (const char* name : {"a.jpg", "v/a.jpg", "w/a.jpg", "x/a.jpg", "y/a.jpg", "z/a.jpg"}) {
    folder_.write(name, "x");
  }
  fs::resize_file(folder_.write("v/.lookalikeignore", ""), std::uintmax_t{1} << 32U);
  ASSERT_EQ(::mkfifo((folder_ / "w/.lookalikeignore").c_str(), 0600), 0);
  fs::create_directory(folder_.path() / "x/.lookalikeignore");
  fs::create_symlink("nowhere", folder_.path() / "y/.lookalikeignore");
  folder_.write("z/.lookalikeignore", "a.jpg");
  fs::permissions(folder_.path() / "z/.lookalikeignore", fs::perms::none);
  fs::permissions(folder_.path(), kOpenFolder);
  const std::vector<std::string> folders = {folder_.path().native(), folder_.path() / "x"};
  const std::vector<std::string> extensions = {"jpg"};
  const WithoutRootRights as_nobody;
  const ScanResult found = scan_folders(folders, {extensions, {}, false}, left_out_);
  ASSERT_EQ(found.files.size(), 1U);
  EXPECT_EQ(found.files[0].path, folder_.path() / "a.jpg");
  std::vector<std::string> skipped;
  for (const SkippedFile& one : found.skipped) skipped.push_back(one.file.path);
  EXPECT_THAT(skipped, ElementsAre(folder_ / "v", folder_ / "w", folder_ / "y", folder_ / "z"));
  EXPECT_EQ(found.skipped.back().detail,
            "folder is not scanned: its .lookalikeignore cannot be read");
  EXPECT_EQ(found.folders[1].problem, "is not scanned: its .lookalikeignore cannot be read");
}

TEST_F(ScanByRules, PatternsWhoseReadingFailsEndNoScan) {
  for (const char* name : {"a.jpg", "x/a.jpg"}) folder_.write(name, "x");
  fs::create_symlink("/proc/self/mem", folder_.path() / "x/.lookalikeignore");  // EIO at its start
  EXPECT_THAT(names({}), ElementsAre("a.jpg"));
}

TEST_F(ScanByRules, AFolderWhosePathIsTooLongForPatternsIsNotScanned) {
  folder_.write((deep_folder(PATH_MAX - 8) / "a.jpg").native(), "x");
  EXPECT_THAT(names({}), ElementsAre());
}

TEST_F(ScanByRules, OtherFilesAreCountedByEnding) {
  for (const char* name : {"a.jpg", "b.HEIC", "x/c.heic", "d.mov", "README", ".notes"}) {
    folder_.write(name, "x");
  }
  names({});
  EXPECT_EQ(left_out_.other_types,
            (std::map<std::string, std::size_t>{{"", 1}, {"heic", 2}, {"mov", 1}}));
  EXPECT_EQ(other_types_text(left_out_),
            "4 other files left out (2 HEIC, 1 video, 1 without ending)");
  EXPECT_EQ(other_types_text({}), "");
  const std::vector<std::string> folders = {"/a"};
  EXPECT_STREQ(no_images(folders, left_out_).what(),
               "no images under /a: 4 other files left out (2 HEIC, 1 video, 1 without ending); "
               "`lookalike formats` lists what is read");
}

// Folders "given" and "other", and links between them.
class ScanOfLinks : public ScanTest {
 protected:
  ScanOfLinks() {
    for (const char* name :
         {"given/a.jpg", "given/below/b.jpg", "other/c.jpg", "other/below/d.jpg"}) {
      folder_.write(name, "x");
    }
  }
  void link(const std::string& name, const std::string& target) const {
    fs::create_directory_symlink(target, folder_.path() / name);
  }
  // Returns the found paths, relative to the folder; fills left_out_ and found_.
  std::vector<std::string> names(bool follow_links, const std::vector<std::string>& exclude = {}) {
    const std::vector<std::string> folders = {folder_.path() / "given"};
    const std::vector<std::string> extensions = {"jpg"};
    left_out_ = {};
    found_ = scan_folders(folders, {extensions, exclude, false, follow_links}, left_out_);
    std::vector<std::string> names;
    for (const SourceFile& file : found_.files) {
      names.push_back(file.path.substr(folder_.path().native().size() + 1));
    }
    return names;
  }

  Omissions left_out_;
  ScanResult found_;
};

TEST_F(ScanOfLinks, LinksToOtherFoldersAreNamed) {
  link("given/linked", "../other");
  link("given/linked.jpg", "../other");
  link("given/inside", "below");
  folder_.write("given/.hidden/e.jpg", "x");
  link("given/shown", ".hidden");
  link("given/below/loop", "..");
  link("given/above", "../..");
  link("given/nowhere", "missing");
  EXPECT_THAT(names(false), ElementsAre("given/a.jpg", "given/below/b.jpg"));
  const std::string given = folder_.path() / "given";
  EXPECT_THAT(left_out_.linked_folders,
              ElementsAre(given + "/linked", given + "/linked.jpg", given + "/shown"));
  EXPECT_EQ(left_out_.other_types, (std::map<std::string, std::size_t>{{"", 1}}));  // nowhere
  left_out_.linked_folders = {given + "/linked"};
  EXPECT_EQ(linked_folders_text(left_out_), "1 link to a folder is not followed: " + given +
                                                "/linked; index what it leads to as well, or set "
                                                "images.follow_links");
  left_out_.linked_folders = {"/a", "/b", "/c", "/d"};
  EXPECT_EQ(linked_folders_text(left_out_),
            "4 links to folders are not followed: /a, /b, /c, ...; index what they lead to as "
            "well, or set images.follow_links");
  EXPECT_EQ(linked_folders_text({}), "");
  EXPECT_THAT(no_images(std::vector<std::string>{"/x"}, left_out_).what(),
              HasSubstr("4 links to folders are not followed"));
}

TEST_F(ScanOfLinks, FollowedLinksGiveEachFolderOnceAndEndInLoops) {
  link("given/z", "../other");
  link("given/y", "../other/below");  // first by its path
  link("given/loop", ".");
  link("given/below/loop", "..");
  link("given/above", "../..");
  link("other/back", "../given");
  link("other/loop", "../other");
  link("other/below/again", "../../other");
  folder_.write("third/e.jpg", "x");
  link("other/on", "../third");
  EXPECT_THAT(names(true), ElementsAre("given/a.jpg", "given/below/b.jpg", "given/y/d.jpg",
                                       "given/z/c.jpg", "given/z/on/e.jpg"));
  EXPECT_THAT(left_out_.linked_folders, IsEmpty());
  EXPECT_THAT(found_.skipped, IsEmpty());
}

TEST_F(ScanOfLinks, RulesHoldForFollowedLinks) {
  link("given/private", "../other");
  link("given/.hidden", "../other");
  folder_.write("given/.lookalikeignore", "below/\n");
  EXPECT_THAT(names(true), ElementsAre("given/a.jpg", "given/private/c.jpg"));
  EXPECT_THAT(names(true, {"private"}), ElementsAre("given/a.jpg"));
  EXPECT_EQ(left_out_.hidden, 1U);
}

TEST_F(ScanOfLinks, AFollowedLinkToAClosedFolderIsUnreadable) {
  link("given/linked", "../other");
  fs::permissions(folder_.path() / "other", fs::perms::none);
  fs::permissions(folder_.path(), kOpenFolder);
  const WithoutRootRights as_nobody;
  names(true);
  ASSERT_EQ(found_.skipped.size(), 1U);
  EXPECT_EQ(found_.skipped[0].file.path, folder_.path() / "given/linked");
  EXPECT_TRUE(may_hide_files(found_.skipped[0]));
}

TEST_F(ScanByRules, TheRuleThatLeavesAFileOutIsKnown) {
  folder_.write("b/.lookalikeignore", "*-small.jpg\n");
  const std::string folder = folder_.path().native();
  const std::vector<std::string> exclude = {"drafts/"};
  const std::vector<std::string> extensions = {"jpg"};
  const auto why = [&](const std::string& file, bool hidden = false) {
    return why_left_out(folder + '/' + file, folder, {extensions, exclude, hidden});
  };
  EXPECT_EQ(why("a.jpg"), LeftOut::kNot);
  EXPECT_EQ(why("a.png"), LeftOut::kByEnding);
  EXPECT_EQ(why(".x/a.jpg"), LeftOut::kHidden);
  EXPECT_EQ(why(".x/a.jpg", true), LeftOut::kNot);
  EXPECT_EQ(why("x/@Recycle/y/a.jpg", true), LeftOut::kInSystemFolder);
  EXPECT_EQ(why("x/drafts/y/a.jpg"), LeftOut::kByPattern);
  EXPECT_EQ(why("drafts"), LeftOut::kByEnding);
  EXPECT_EQ(why("b/a-small.jpg"), LeftOut::kByIgnoreFile);
  EXPECT_EQ(why("a-small.jpg"), LeftOut::kNot);
  fs::create_directory_symlink("b", folder_.path() / "linked");
  EXPECT_EQ(why("linked/a.jpg"), LeftOut::kByLink);
  fs::create_symlink("b/a.jpg", folder_.path() / "linked.jpg");
  EXPECT_EQ(why("linked.jpg"), LeftOut::kNot);
}

}  // namespace
}  // namespace lookalike
