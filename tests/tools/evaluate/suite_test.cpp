#include "tools/evaluate/suite.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <opencv2/imgcodecs.hpp>

#include "base/content_hash.h"
#include "base/error.h"
#include "stages/decode/decode.h"
#include "storage/index_writer.h"
#include "tests/fixtures/drawing.h"
#include "tests/storage/encoded.h"
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
    codebook.projection.resize(4096);  // 64 x 64
    codebook.thresholds.resize(64);
    writer.set_codebook(codebook, {});
    std::vector<ImageToStore> images;
    for (const char name : {'a', 'b', 'c', 'd'}) {
      images.push_back(image(path(name), static_cast<std::uint8_t>(name), 3));
    }
    images.push_back(image(path('e'), 'a', 3));
    images.push_back(image(path('f'), 'f', 0));
    writer.publish(encoded(images));
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

// An image as recorded by an index, with its file.
StoredImage stored(const TemporaryFolder& folder, ImageId id, cv::Size size) {
  StoredImage image;
  image.id = id;
  image.paths = {(folder.path() / (std::to_string(id) + ".png")).native()};
  cv::imwrite(image.paths[0], draw_poster(id, size));
  const auto file = load_file(image.paths[0], {});
  image.content = std::get<LoadedFile>(file).content;
  image.width = size.width;
  image.height = size.height;
  image.feature_count = 1;
  return image;
}

SuiteOptions options_with(const std::string& name) {
  SuiteOptions options;
  options.kinds = variant_kinds();
  std::erase_if(options.kinds, [&](const VariantKind& kind) { return kind.name != name; });
  return options;
}

Match match_of(const StoredImage& image, const Homography& place) {
  Match match;
  match.image = image;
  match.pose.object_to_query = place;
  match.pose.quad = outline(place, image.width, image.height);
  return match;
}

TEST(Suite, LooksUpEveryStrengthOfEveryPhoto) {
  const TemporaryFolder folder;
  const Selection selection{{stored(folder, 1, {64, 48}), stored(folder, 2, {48, 64})}, {}};
  std::atomic<std::size_t> looked_up = 0;
  const SuiteResult result = run_suite(
      selection, options_with("jpeg"),
      [&](const DecodedImage&) {
        ++looked_up;
        return std::vector<Match>{};
      },
      Progress::Style::kQuiet);
  EXPECT_EQ(looked_up, 12U);
  EXPECT_EQ(result.photos, 2U);
  const auto rows = suite_rows(result);
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_EQ(rows[5].strength, 10);
  EXPECT_EQ(rows[5].queries, 2U);
  EXPECT_EQ(rows[5].recall_at_1, 0);
}

TEST(Suite, CountsWhatIsFirstAndWhatIsInItsPlace) {
  const TemporaryFolder folder;
  const StoredImage one = stored(folder, 1, {64, 48});
  const StoredImage other = stored(folder, 2, {64, 48});
  // Finds the photo first if it is 64 px wide and second if it is 32, always filling the picture.
  const LookUp look_up = [&](const DecodedImage& photo) {
    const double factor = photo.record.width / 64.0;
    const Homography place{{factor, 0, (factor - 1) / 2, 0, factor, (factor - 1) / 2, 0, 0, 1}};
    std::vector<Match> matches = {match_of(one, place), match_of(other, place)};
    if (photo.record.width < 48) std::swap(matches[0], matches[1]);
    return matches;
  };
  SuiteOptions options = options_with("scale");
  options.kinds[0].strengths = {0.5, 2};
  const SuiteResult scaled = run_suite({{one}, {}}, options, look_up, Progress::Style::kQuiet);
  const auto rows = suite_rows(scaled);
  EXPECT_EQ(rows[0].recall_at_1, 0);
  EXPECT_EQ(rows[0].located_at_75, 1);
  EXPECT_EQ(scaled.answers[0].rank, 2U);
  EXPECT_EQ(scaled.answers[0].first, other.paths[0]);
  EXPECT_EQ(rows[1].recall_at_1, 1);

  options = options_with("crop");
  options.kinds[0].strengths = {25};
  const SuiteResult cropped = run_suite({{one}, {}}, options, look_up, Progress::Style::kQuiet);
  EXPECT_EQ(suite_rows(cropped)[0].located_at_75, 0);
  EXPECT_NEAR(cropped.answers[0].iou, 0.25, 0.02);
}

TEST(Suite, AVariantDoesNotDependOnTheOthers) {
  const TemporaryFolder folder;
  const StoredImage one = stored(folder, 1, {160, 120});
  const StoredImage two = stored(folder, 2, {160, 120});
  SuiteOptions options = options_with("crop");
  std::mutex mutex;  // variants are looked up in parallel
  std::multiset<ContentHash> seen;
  const LookUp look_up = [&](const DecodedImage& photo) {
    const std::lock_guard lock(mutex);
    seen.insert(photo.record.content);
    return std::vector<Match>{};
  };
  run_suite({{one, two}, {}}, options, look_up, Progress::Style::kQuiet);
  const std::multiset<ContentHash> both = std::exchange(seen, {});
  ASSERT_EQ(both.size(), 14U);
  run_suite({{two}, {}}, options, look_up, Progress::Style::kQuiet);
  EXPECT_EQ(seen.size(), 7U);
  EXPECT_TRUE(std::ranges::includes(both, seen));
  options.seed = 2;
  const std::multiset<ContentHash> first_seed = std::exchange(seen, {});
  run_suite({{two}, {}}, options, look_up, Progress::Style::kQuiet);
  EXPECT_NE(seen, first_seed);
}

TEST(Suite, AVariantThatBecameTooSmallIsNotFound) {
  const TemporaryFolder folder;
  SuiteOptions options = options_with("scale");
  options.kinds[0].strengths = {0.25};
  const StoredImage small = stored(folder, 1, {40, 40});
  const LookUp never = [](const DecodedImage&) -> std::vector<Match> {
    ADD_FAILURE() << "looked up";
    return {};
  };
  const SuiteResult result = run_suite({{small}, {}}, options, never, Progress::Style::kQuiet);
  ASSERT_EQ(result.answers.size(), 1U);
  EXPECT_EQ(result.answers[0].rank, 0U);
}

TEST(Suite, APhotoThatHasChangedOrIsGoneIsLeftOut) {
  const TemporaryFolder folder;
  StoredImage changed = stored(folder, 1, {64, 48});
  changed.content[0] ^= 1;
  StoredImage gone = stored(folder, 2, {64, 48});
  gone.paths = {"/nowhere/gone.png"};
  const SuiteResult result = run_suite(
      {{changed, gone}, {{"/blank.png", "is blank"}}}, options_with("mirror"),
      [](const DecodedImage&) { return std::vector<Match>{}; }, Progress::Style::kQuiet);
  EXPECT_EQ(result.photos, 0U);
  EXPECT_TRUE(result.answers.empty());
  ASSERT_EQ(result.left_out.size(), 3U);
  EXPECT_EQ(result.left_out[0].path, "/blank.png");
  EXPECT_THAT(result.left_out[1].why, HasSubstr("changed"));
  EXPECT_THAT(result.left_out[2].why, HasSubstr("cannot be read"));
  EXPECT_EQ(suite_rows(result)[0].recall_at_1, 0);
}

TEST(Suite, LargePhotosAreReducedFirstAndLocatedAtTheirFullSize) {
  const TemporaryFolder folder;
  const StoredImage large = stored(folder, 1, {2048, 512});
  SuiteOptions options = options_with("brightness");
  options.kinds[0].strengths = {32};
  const LookUp look_up = [&](const DecodedImage& photo) {
    EXPECT_EQ(photo.record.width, kSuitePhotoSidePx);
    return std::vector<Match>{match_of(large, {{0.5, 0, -0.25, 0, 0.5, -0.25, 0, 0, 1}})};
  };
  const SuiteResult result = run_suite({{large}, {}}, options, look_up, Progress::Style::kQuiet);
  EXPECT_NEAR(result.answers.at(0).iou, 1, 1e-6);
}

}  // namespace
}  // namespace lookalike
