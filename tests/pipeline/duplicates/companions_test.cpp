#include "pipeline/duplicates/companions.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(CompanionKind, IsReadFromNames) {
  const auto kind = [](const char* file, const char* picture) {
    return companion_kind(file, picture);
  };
  EXPECT_EQ(kind("IMG_1.xmp", "IMG_1.jpg"), CompanionKind::kXmp);
  EXPECT_EQ(kind("IMG_1.JPG.XMP", "IMG_1.JPG"), CompanionKind::kXmp);
  EXPECT_EQ(kind("IMG_1.AAE", "IMG_1.heic"), CompanionKind::kAae);
  EXPECT_EQ(kind("IMG_1.MOV", "IMG_1.HEIC"), CompanionKind::kVideo);
  EXPECT_EQ(kind("IMG_1.mp4", "IMG_1.jpg"), CompanionKind::kVideo);
  EXPECT_EQ(kind("IMG_1.CR2", "IMG_1.jpg"), CompanionKind::kRaw);
  EXPECT_EQ(kind("IMG_1.jpg", "IMG_1.CR2"), std::nullopt);
  EXPECT_EQ(kind("IMG_1.dng", "IMG_1.CR2"), std::nullopt);
  EXPECT_EQ(kind("IMG_1.jpg", "IMG_1.png"), std::nullopt);
  EXPECT_EQ(kind("IMG_10.xmp", "IMG_1.jpg"), std::nullopt);
  EXPECT_EQ(kind("IMG_1.xmp", "IMG_1.txt"), std::nullopt);
  EXPECT_EQ(kind("IMG_1.png.xmp", "IMG_1.jpg"), std::nullopt);
}

TEST(CompanionKind, KnowsWhatTakeoutMakesOfNames) {
  const auto is_takeout = [](const char* file, const char* picture) {
    return companion_kind(file, picture) == CompanionKind::kTakeout;
  };
  EXPECT_TRUE(is_takeout("IMG_1.jpg.json", "IMG_1.jpg"));
  EXPECT_TRUE(is_takeout("IMG_1.json", "IMG_1.jpg"));
  EXPECT_TRUE(is_takeout("IMG_1.jpg.supplemental-metadata.json", "IMG_1.jpg"));
  EXPECT_TRUE(
      is_takeout("IMG_20200101_120000123.jpg.supplemental-me.json", "IMG_20200101_120000123.jpg"));
  EXPECT_TRUE(is_takeout("PXL_20230101_123456789.PORTRAIT-01.COVER~2.jpg.json",
                         "PXL_20230101_123456789.PORTRAIT-01.COVER~2.jpg"));
  EXPECT_TRUE(is_takeout("0123456789012345678901234567890123456789012345.json",
                         "01234567890123456789012345678901234567890123456789.jpg"));
  EXPECT_TRUE(is_takeout("IMG_1.jpg(2).json", "IMG_1(2).jpg"));
  EXPECT_TRUE(is_takeout("IMG_1.jpg.supplemental-metadata(2).json", "IMG_1(2).jpg"));
  EXPECT_FALSE(is_takeout("IMG_1.jpg(2).json", "IMG_1.jpg"));
  EXPECT_FALSE(is_takeout("IMG_1.jpg.json", "IMG_1(2).jpg"));
  EXPECT_FALSE(is_takeout("IMG.json", "IMG_1.jpg"));
  EXPECT_FALSE(is_takeout("metadata.json", "IMG_1.jpg"));
}

class CompanionFinderTest : public testing::Test {
 protected:
  std::string at(const std::string& name) const { return folder_.path() / name; }
  void write(const std::string& name, const std::string& bytes = "x") {
    folder_.write(name, bytes);
  }

  TemporaryFolder folder_;
  CompanionFinder finder_;
};

TEST_F(CompanionFinderTest, FindsFilesAndTheirOtherOwners) {
  for (const char* name : {"a/IMG_1.jpg", "a/IMG_1.heic", "a/IMG_1.nef", "a/IMG_1.xmp",
                           "a/IMG_1.jpg.xmp", "a/IMG_2.xmp", "a/IMG_1.txt"}) {
    write(name);
  }
  std::filesystem::create_symlink("IMG_1.xmp", at("a/IMG_1.aae"));
  std::vector<std::string> found;
  for (const Companion& companion : finder_.companions_of(at("a/IMG_1.jpg"))) {
    found.push_back(companion.path);
  }
  EXPECT_THAT(found, ElementsAre(at("a/IMG_1.nef"), at("a/IMG_1.jpg.xmp"), at("a/IMG_1.xmp")));
  EXPECT_THAT(finder_.other_owners(at("a/IMG_1.xmp"), at("a/IMG_1.jpg")),
              ElementsAre(at("a/IMG_1.heic"), at("a/IMG_1.nef")));
  EXPECT_THAT(finder_.other_owners(at("a/IMG_1.jpg.xmp"), at("a/IMG_1.jpg")), IsEmpty());
  EXPECT_THAT(finder_.companions_of(at("none/IMG_1.jpg")), IsEmpty());
}

TEST_F(CompanionFinderTest, SaysWhatTheOtherPictureLacks) {
  write("a/IMG_1.jpg");
  write("a/IMG_1.MOV", "video");
  write("b/other.jpg");
  EXPECT_EQ(finder_.lost_without(at("b/other.jpg"), at("a/IMG_1.jpg")), std::nullopt);
  EXPECT_EQ(finder_.lost_without(at("a/IMG_1.jpg"), at("b/other.jpg")),
            "has IMG_1.MOV beside it, the other has no such file");
  write("c/other.jpg");
  write("c/other.mov", "VIDEO");
  EXPECT_THAT(finder_.lost_without(at("a/IMG_1.jpg"), at("c/other.jpg")).value(),
              HasSubstr("differs from what the other has"));
  write("d/other.jpg");
  write("d/other.mov", "video");
  EXPECT_EQ(finder_.lost_without(at("a/IMG_1.jpg"), at("d/other.jpg")), std::nullopt);
}

}  // namespace
}  // namespace lookalike
