#include "tools/evaluate/synthetic/selection.h"

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "storage/index_writer.h"
#include "tests/temporary_folder.h"

namespace lookalike {
namespace {

using testing::HasSubstr;

ImageToStore image(const std::string& path, std::uint8_t content, std::size_t features) {
  ImageToStore image;
  image.words.image = {{path, 1, 1}, {content}, 10, 10};
  image.words.features.resize(features);
  if (features > 0) image.words.histogram = {{0, static_cast<std::uint32_t>(features)}};
  image.sums = {100, 1000, 20000};
  image.blank = features == 0;
  return image;
}

// An index of /a.png to /f.png, where f is blank and e has the same content as a.
class SelectionTest : public testing::Test {
 protected:
  SelectionTest() {
    IndexWriter writer(database());
    Codebook codebook;
    codebook.words.resize(64);
    codebook.projection.resize(64 * 64);
    codebook.thresholds.resize(64);
    writer.set_codebook(codebook, {});
    std::vector<ImageToStore> images;
    for (const char name : {'a', 'b', 'c', 'd'}) {
      images.push_back(image(path(name), static_cast<std::uint8_t>(name), 3));
    }
    images.push_back(image(path('e'), 'a', 3));
    images.push_back(image(path('f'), 'f', 0));
    writer.publish(images);
  }
  static std::string path(char name) { return std::string("/") + name + ".png"; }
  std::filesystem::path database() const { return folder_.path() / "index.db"; }

  static std::vector<std::string> names(const Selection& selection) {
    std::vector<std::string> names;
    for (const StoredImage& photo : selection.photos) names.push_back(photo.paths.front());
    return names;
  }

  TemporaryFolder folder_;
};

TEST_F(SelectionTest, TakesTheWholeIndexButWhatHasNoFeatures) {
  const Selection all = select_photos(IndexReader(database()), std::nullopt, 100, 1);
  EXPECT_THAT(names(all), testing::ElementsAre("/a.png", "/b.png", "/c.png", "/d.png"));
  ASSERT_EQ(all.left_out.size(), 1U);
  EXPECT_EQ(all.left_out[0].path, "/f.png");
  EXPECT_EQ(all.left_out[0].why, "is blank");
}

TEST_F(SelectionTest, OfAFolderTakesEachContentOnceAndSaysWhatTheIndexLacks) {
  const std::vector<SourceFile> files = {{"/b.png"}, {"/a.png"}, {"/e.png"}, {"/x.png"}};
  const Selection some =
      select_photos(IndexReader(database()), std::span<const SourceFile>(files), 100, 1);
  EXPECT_THAT(names(some), testing::ElementsAre("/a.png", "/b.png"));
  ASSERT_EQ(some.left_out.size(), 1U);
  EXPECT_EQ(some.left_out[0].path, "/x.png");
  EXPECT_THAT(some.left_out[0].why, HasSubstr("not in the index"));
}

TEST_F(SelectionTest, TakesNoMoreThanAskedForAndTheSeedChooses) {
  const IndexReader index(database());
  std::set<std::vector<std::string>> chosen;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto two = names(select_photos(index, std::nullopt, 2, seed));
    EXPECT_EQ(two.size(), 2U);
    EXPECT_TRUE(std::is_sorted(two.begin(), two.end()));
    EXPECT_EQ(two, names(select_photos(index, std::nullopt, 2, seed)));
    chosen.insert(two);
  }
  EXPECT_GT(chosen.size(), 2U);
}

TEST_F(SelectionTest, NothingThatRemainsIsAnInputError) {
  const std::vector<SourceFile> files = {{"/x.png"}};
  try {
    select_photos(IndexReader(database()), std::span<const SourceFile>(files), 100, 1);
    FAIL() << "selected";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    EXPECT_THAT(error.what(), HasSubstr("/x.png is not in the index"));
  }
}

}  // namespace
}  // namespace lookalike
