#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/warp/warp.h"
#include "pipeline/error.h"
#include "stages/assign/assign_stage.h"
#include "stages/codebook/codebook_stage.h"
#include "stages/extract/extract_stage.h"
#include "stages/match/match.h"
#include "stages/match/quad.h"
#include "storage/index_writer.h"
#include "tests/stages/match/photos.h"
#include "tests/stages/pictures.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;

constexpr int kWidth = 320;
constexpr int kHeight = 240;

// An index of five pictures that are drawn into a folder, and of number 1 at twice the size.
class MatcherTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    session_ = std::make_unique<OpenClSession>();
    folder_ = fs::temp_directory_path() / "lookalike-matcher-test";
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::vector<ImageFeatures> features;
    for (int i = 0; i < 6; ++i) {
      cv::imwrite(path_of(i), picture(i));
      const DecodedImage image = std::get<DecodedImage>(decode_file(path_of(i), 1024, {}));
      features.push_back(ExtractStage(*session_, {}).run({&image, 1}).front());
    }
    publish(features);
  }
  static void TearDownTestSuite() {
    fs::remove_all(folder_);
    session_.reset();
  }

  static cv::Mat picture(int i) {
    const cv::Mat drawn = draw_picture(kWidth, kHeight, static_cast<unsigned>(i == 5 ? 1 : i) + 1);
    cv::Mat result;
    cv::resize(drawn, result, {}, i == 5 ? 2 : 1, i == 5 ? 2 : 1, cv::INTER_CUBIC);
    return result;
  }
  static std::string path_of(int picture) {
    return (folder_ / (std::to_string(picture) + ".png")).string();
  }
  static std::string database() { return (folder_ / "index.db").string(); }

  static void publish(const std::vector<ImageFeatures>& features) {
    const CodebookOptions options = {.words = 64, .features_per_word = 16};
    const Sample sample = take_sample(
        [&](const auto& visit) {
          for (const ImageFeatures& image : features) visit(image);
        },
        options, folder_);
    const Codebook codebook = train_codebook(*session_, sample, options);
    IndexWriter writer(database());
    writer.set_codebook(codebook, {});
    std::vector<ImageToStore> images;
    for (const ImageWords& words : AssignStage(*session_, codebook, {}).run(features)) {
      images.push_back({words, {}, false});
    }
    writer.publish(images);
  }

  // The picture seen through a map, on a flat table.
  static Query view_of(int picture, const Homography& picture_to_view) {
    const auto decoded = std::get<DecodedImage>(decode_file(path_of(picture), 1024, {}));
    Warp warp(*session_);
    return query_of(*session_,
                    warp.warp(decoded.pixels.view(), picture_to_view.inverse(), 640, 480).image);
  }

  // Paints the picture over what a photo shows.
  static void paint(GrayImage& photo, int picture, const Homography& picture_to_photo) {
    const auto decoded = std::get<DecodedImage>(decode_file(path_of(picture), 1024, {}));
    Warp warp(*session_);
    const Warped seen =
        warp.warp(decoded.pixels.view(), picture_to_photo.inverse(), photo.width, photo.height);
    for (std::size_t i = 0; i < photo.pixels.size(); ++i) {
      if (seen.mask.pixels[i] != 0) photo.pixels[i] = seen.image.pixels[i];
    }
  }

  static std::vector<Match> match(const Query& query, const MatchOptions& options = {}) {
    const IndexReader reader(database());
    return Matcher(*session_, reader, options, {}).match(query);
  }

  static inline std::unique_ptr<OpenClSession> session_;
  static inline fs::path folder_;
  const Homography tilted_{{1.1, -0.4, 180, 0.4, 1.0, 60, 6e-4, -2e-4, 1}};
};

TEST_F(MatcherTest, PictureIsFoundFirstAndInItsPlace) {
  const auto matches = match(view_of(3, tilted_));
  ASSERT_FALSE(matches.empty());
  const Match& best = matches.front();
  EXPECT_EQ(best.image.paths, std::vector<std::string>{path_of(3)});
  EXPECT_GT(best.evidence.inliers, 30U);
  EXPECT_EQ(best.inlier_pairs.size(), best.evidence.inliers);
  ASSERT_TRUE(best.evidence.correlation.has_value());
  EXPECT_GT(*best.evidence.correlation, 0.95);
  EXPECT_GT(best.score, best.evidence.inliers / 2.0);
  const Quad expected = outline(tilted_, kWidth, kHeight);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_LT(distance(best.quad[i], expected[i]), 1) << i;
}

TEST_F(MatcherTest, PicturesInOnePhotoAreEachFoundInTheirPlace) {
  const std::vector<Homography> poses = {Homography{{0.9, 0, 10, 0, 0.9, 20, 0, 0, 1}},
                                         Homography{{0.8, -0.2, 370, 0.2, 0.8, 200, 0, 0, 1}}};
  GrayImage photo(640, 480);
  paint(photo, 2, poses[0]);
  paint(photo, 4, poses[1]);
  const auto matches = match(query_of(*session_, photo));
  ASSERT_EQ(matches.size(), 2U);
  for (const Match& found : matches) {
    EXPECT_EQ(found.decision, Decision::kSameObject);
    const bool is_first = found.image.paths.front() == path_of(2);
    EXPECT_EQ(found.image.paths.front(), path_of(is_first ? 2 : 4));
    const Quad expected = outline(poses[is_first ? 0 : 1], kWidth, kHeight);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_LT(distance(found.quad[i], expected[i]), 2) << i;
  }
  EXPECT_NE(matches[0].image.id, matches[1].image.id);
}

TEST_F(MatcherTest, WithoutRerankingVotesDecideTheOrder) {
  const Query query = view_of(3, tilted_);
  const auto matches = match(query, {.report = "all", .rerank = false});
  ASSERT_GT(matches.size(), 1U);
  for (std::size_t i = 1; i < matches.size(); ++i) {
    EXPECT_GE(matches[i - 1].evidence.votes, matches[i].evidence.votes);
  }
}

TEST_F(MatcherTest, ExpansionKeepsTheMatchItStartsFrom) {
  const Query query = view_of(3, tilted_);
  const auto plain = match(query);
  const auto expanded = match(query, {.expansion_hits = 2});
  ASSERT_FALSE(expanded.empty());
  EXPECT_EQ(expanded.front().image.id, plain.front().image.id);
  EXPECT_EQ(expanded.front().evidence.inliers, plain.front().evidence.inliers);
}

TEST_F(MatcherTest, InlierPairsAgreeWithThePose) {
  const auto matches = match(view_of(1, tilted_));
  ASSERT_FALSE(matches.empty());
  for (const auto& [on_object, in_query] : matches.front().inlier_pairs) {
    EXPECT_LT(distance(matches.front().object_to_query.apply(on_object), in_query), 10);
  }
}

TEST_F(MatcherTest, PictureWhoseFileIsGoneIsStillFound) {
  const Query query = view_of(0, tilted_);
  fs::rename(path_of(0), path_of(0) + ".away");
  const auto matches = match(query);
  fs::rename(path_of(0) + ".away", path_of(0));
  ASSERT_FALSE(matches.empty());
  EXPECT_EQ(matches.front().image.paths, std::vector<std::string>{path_of(0)});
  EXPECT_FALSE(matches.front().evidence.correlation.has_value());
}

TEST_F(MatcherTest, FileThatWasReplacedIsNotCorrelated) {
  const Query query = view_of(2, tilted_);
  fs::rename(path_of(2), path_of(2) + ".away");
  fs::copy_file(path_of(4), path_of(2));
  const auto matches = match(query);
  fs::rename(path_of(2) + ".away", path_of(2));
  ASSERT_FALSE(matches.empty());
  EXPECT_FALSE(matches.front().evidence.correlation.has_value());
}

TEST_F(MatcherTest, NoCandidatesToSharpenLeavesCorrelationOut) {
  const auto matches = match(view_of(2, tilted_), {.locate_candidates = 0});
  ASSERT_FALSE(matches.empty());
  EXPECT_FALSE(matches.front().evidence.correlation.has_value());
  EXPECT_FALSE(matches.front().moved_px.has_value());
}

TEST_F(MatcherTest, HowFarPixelsMovedTheCornersIsTold) {
  const Query query = view_of(2, tilted_);
  const auto before = match(query, {.locate_candidates = 0});
  const auto after = match(query);
  ASSERT_FALSE(before.empty() || after.empty());
  ASSERT_TRUE(after.front().moved_px.has_value());
  EXPECT_GT(*after.front().moved_px, 0);
  EXPECT_DOUBLE_EQ(*after.front().moved_px,
                   furthest_corner_px(before.front().quad, after.front().quad));
}

TEST_F(MatcherTest, OtherPicturesAreNotFound) {
  const cv::Mat other = draw_picture(kWidth, kHeight, 99);
  GrayImage image(kWidth, kHeight);
  std::copy(other.datastart, other.dataend, image.pixels.begin());
  EXPECT_TRUE(match(query_of(*session_, image)).empty());
}

TEST_F(MatcherTest, FlatQueryFindsNothing) {
  EXPECT_TRUE(match(query_of(*session_, GrayImage(kWidth, kHeight))).empty());
}

TEST_F(MatcherTest, MoreInliersThanThereAreFindNothing) {
  EXPECT_TRUE(match(view_of(3, tilted_), {.min_inliers = 1000}).empty());
}

TEST_F(MatcherTest, WeakMatchesAreReportedOnlyWhenAskedFor) {
  const Query query = view_of(3, tilted_);
  const auto matches = match(query);
  ASSERT_EQ(matches.size(), 1U);
  EXPECT_EQ(matches.front().decision, Decision::kSameObject);
  const auto all = match(query, {.report = "all"});
  ASSERT_GT(all.size(), 1U);
  EXPECT_EQ(all.back().decision, Decision::kNone);
  EXPECT_TRUE(match(query, {.report = "duplicate"}).empty());
}

TEST_F(MatcherTest, CopyIsADuplicate) {
  const auto matches = match(view_of(2, {{2, 0, 0.5, 0, 2, 0.5, 0, 0, 1}}));
  ASSERT_FALSE(matches.empty());
  EXPECT_EQ(matches.front().decision, Decision::kDuplicate);
}

TEST_F(MatcherTest, TopLimitsTheMatches) {
  MatchOptions loose = {.report = "all", .locate_candidates = 0};
  const Query query = view_of(3, tilted_);
  ASSERT_GT(match(query, loose).size(), 2U);
  loose.top = 2;
  EXPECT_EQ(match(query, loose).size(), 2U);
}

TEST_F(MatcherTest, SameQueryGivesTheSameMatches) {
  const Query query = view_of(4, tilted_);
  const auto once = match(query);
  const auto again = match(query);
  ASSERT_FALSE(once.empty());
  ASSERT_EQ(once.size(), again.size());
  for (std::size_t i = 0; i < once.size(); ++i) {
    EXPECT_EQ(once[i].image.id, again[i].image.id);
    EXPECT_EQ(once[i].score, again[i].score);
    EXPECT_EQ(once[i].quad, again[i].quad);
  }
}

TEST_F(MatcherTest, MirroredCopyIsFoundOnlyWhenAskedFor) {
  // Left and right exchanged, and moved to the right by the picture's width.
  const Homography mirror{{-1, 0, kWidth - 1.0, 0, 1, 0, 0, 0, 1}};
  const Homography place = tilted_ * mirror;
  const Query query = view_of(3, place);
  EXPECT_THAT(match(query), testing::IsEmpty());
  const auto matches = match(query, {.mirror = true});
  ASSERT_EQ(matches.size(), 1U);
  const Match& best = matches.front();
  EXPECT_TRUE(best.mirrored);
  EXPECT_EQ(best.image.paths, std::vector<std::string>{path_of(3)});
  EXPECT_EQ(best.decision, Decision::kSameObject);
  EXPECT_GT(best.evidence.correlation.value_or(0), 0.95);
  const Quad expected = outline(place, kWidth, kHeight);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_LT(distance(best.quad[i], expected[i]), 1) << i;
  for (const auto& [on_object, in_query] : best.inlier_pairs) {
    EXPECT_LT(distance(best.object_to_query.apply(on_object), in_query), 10);
  }
}

TEST_F(MatcherTest, WhatIsNotMirroredIsTheSameWithTheMirror) {
  const Query query = view_of(3, tilted_);
  const auto plain = match(query);
  const auto both = match(query, {.mirror = true});
  ASSERT_EQ(both.size(), plain.size());
  EXPECT_FALSE(both.front().mirrored);
  EXPECT_EQ(both.front().score, plain.front().score);
  EXPECT_EQ(both.front().quad, plain.front().quad);
}

TEST_F(MatcherTest, IndexedImageFindsItsLikesButNotItself) {
  const IndexReader reader(database());
  const ImageId copy = reader.find(path_of(5)).value();
  const auto matches = Matcher(*session_, reader, {}, {}).match_indexed(copy);
  ASSERT_EQ(matches.size(), 1U);
  EXPECT_EQ(matches.front().image.paths, std::vector<std::string>{path_of(1)});
  EXPECT_GT(matches.front().evidence.correlation.value_or(0), 0.95);
  const Quad expected = outline({{2, 0, 0.5, 0, 2, 0.5, 0, 0, 1}}, kWidth, kHeight);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_LT(distance(matches.front().quad[i], expected[i]), 2) << i;
  }
}

TEST_F(MatcherTest, IndexedImageWhoseFileIsGoneIsStillLookedUp) {
  const IndexReader reader(database());
  Matcher matcher(*session_, reader, {}, {});
  fs::rename(path_of(5), path_of(5) + ".away");
  const auto matches = matcher.match_indexed(reader.find(path_of(5)).value());
  fs::rename(path_of(5) + ".away", path_of(5));
  ASSERT_EQ(matches.size(), 1U);
  EXPECT_FALSE(matches.front().evidence.correlation.has_value());
}

TEST_F(MatcherTest, AnImageThatTheIndexDoesNotHaveIsAnInputError) {
  const IndexReader reader(database());
  Matcher matcher(*session_, reader, {}, {});
  try {
    matcher.match_indexed(4000);
    FAIL() << "answered";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    EXPECT_THAT(error.what(), testing::HasSubstr("4000"));
  }
}

}  // namespace
}  // namespace lookalike
