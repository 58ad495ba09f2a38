#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "stages/match/decide/places.h"
#include "tests/stages/match/matcher_fixture.h"

namespace lookalike {
namespace {

TEST_F(MatcherTest, PictureIsFoundFirstAndInItsPlace) {
  const auto matches = match(view_of(3, tilted_));
  ASSERT_FALSE(matches.empty());
  const Match& best = matches.front();
  EXPECT_EQ(best.image.paths, std::vector<std::string>{path_of(3)});
  EXPECT_GT(best.evidence.inliers, 30U);
  EXPECT_EQ(best.pose.inlier_pairs.size(), best.evidence.inliers);
  ASSERT_TRUE(best.evidence.correlation.has_value());
  EXPECT_GT(*best.evidence.correlation, 0.95);
  EXPECT_GT(best.score, best.evidence.inliers / 2.0);
  const Quad expected = outline(tilted_, kWidth, kHeight);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_LT(distance(best.pose.quad[i], expected[i]), 1) << i;
}

TEST_F(MatcherTest, PicturesInOnePhotoAreEachFoundInTheirPlace) {
  const std::vector<Homography> poses = {Homography{{0.9, 0, 10, 0, 0.9, 20, 0, 0, 1}},
                                         Homography{{0.8, -0.2, 370, 0.2, 0.8, 200, 0, 0, 1}}};
  GrayImage photo(640, 480);
  paint(photo, 2, poses[0]);
  paint(photo, 4, poses[1]);
  const auto matches = match(query_of(*session, photo));
  ASSERT_EQ(matches.size(), 2U);
  for (const Match& found : matches) {
    EXPECT_EQ(found.decision, Decision::kSameObject);
    const bool is_first = found.image.paths.front() == path_of(2);
    EXPECT_EQ(found.image.paths.front(), path_of(is_first ? 2 : 4));
    const Quad expected = outline(poses[is_first ? 0 : 1], kWidth, kHeight);
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_LT(distance(found.pose.quad[i], expected[i]), 2) << i;
  }
  EXPECT_NE(matches[0].image.id, matches[1].image.id);
}

TEST_F(MatcherTest, APictureThatTheOthersCrowdOutIsFoundInTheRestOfThePhoto) {
  const Query query = three_pictures();
  const auto found_with = [&](const VoteOptions& votes) {
    std::vector<std::string> paths;
    for (const Match& found : match(query, with(votes))) {
      EXPECT_EQ(found.decision, Decision::kSameObject);
      paths.push_back(found.image.paths.front());
    }
    return paths;
  };
  EXPECT_THAT(found_with({.shortlist = 2, .second_look = false}),
              testing::UnorderedElementsAre(path_of(2), path_of(4)));
  EXPECT_THAT(found_with({.shortlist = 2}),
              testing::UnorderedElementsAre(path_of(0), path_of(2), path_of(4)));
}

// An index of a poster and of another picture that bears the poster's emblem in another place.
class SharedEmblemTest : public MatcherTest {
 protected:
  static constexpr int kEmblemPx = 96;

  SharedEmblemTest() {
    poster_ = draw_picture(kWidth, kHeight, 31);
    cv::Mat other = draw_picture(kWidth, kHeight, 32);
    poster_(cv::Rect(190, 60, kEmblemPx, kEmblemPx))
        .copyTo(other(cv::Rect(30, 30, kEmblemPx, kEmblemPx)));
    cv::imwrite(at("poster.png"), poster_);
    cv::imwrite(at("other.png"), other);
    cv::Mat plain(kHeight, kWidth, CV_8U, cv::Scalar(90));
    cv::circle(plain, {100, 100}, 20, cv::Scalar(200), cv::FILLED);
    cv::imwrite(at("plain.png"), plain);
    publish_with({path_of(0), path_of(2)});
  }

  // Replaces the index by one of the three and of further files.
  void publish_with(const std::vector<std::string>& further) {
    reader_.reset();
    std::filesystem::remove(at("emblem.db"));
    std::vector<ImageFeatures> features = {
        features_of(at("poster.png")), features_of(at("other.png")), features_of(at("plain.png"))};
    for (const std::string& path : further) features.push_back(features_of(path));
    publish(features, at("emblem.db"));
    reader_.emplace(at("emblem.db"));
  }

  static std::string at(const char* name) { return folder->path() / name; }
  std::vector<Match> find(const cv::Mat& photo, MatchOptions options) {
    options.min_decision = "all";
    GrayImage image(photo.cols, photo.rows);
    std::copy(photo.datastart, photo.dataend, image.pixels.begin());
    const Query query = query_of(*session, image);
    return Matcher(*session, *reader_, {}, options, kLoaders).match(query).matches;
  }
  // The match of a file; one without a pose when there is none.
  static Match of(const std::vector<Match>& matches, const std::string& path) {
    const auto found = std::ranges::find_if(
        matches, [&](const Match& match) { return match.image.paths.front() == path; });
    return found == matches.end() ? Match{} : *found;
  }

  // Adds an edge of the graph to the edges of `from`.
  void link(const char* from, const char* to, double weight = 0.9,
            EdgeKind kind = EdgeKind::kObject) {
    const ImageNeighbours image = {*reader_->find(at(from)),
                                   {{*reader_->find(at(to)), weight, kind}}};
    reader_.reset();
    IndexWriter(at("emblem.db")).put_neighbours({&image, 1}, 3);
    reader_.emplace(at("emblem.db"));
  }
  static std::vector<std::string> paths_of(const std::vector<StoredImage>& images) {
    std::vector<std::string> paths;
    paths.reserve(images.size());
    for (const StoredImage& image : images) paths.push_back(image.paths.front());
    return paths;
  }

  cv::Mat poster_;
  std::optional<IndexReader> reader_;
};

TEST_F(SharedEmblemTest, TheGraphLeadsToWhatTheQueryHasOnlyInCommonWithAMatch) {
  // The emblem is covered in the photo, so the other picture shares nothing with it.
  cv::Mat photo = poster_.clone();
  photo(cv::Rect(160, 0, kWidth - 160, kHeight)).setTo(128);
  EXPECT_EQ(of(find(photo, {}), at("other.png")).decision, Decision::kNone);
  link("poster.png", "other.png");
  link("other.png", "plain.png");
  const auto matches = find(photo, {});
  EXPECT_EQ(matches[0].image.paths.front(), at("poster.png"));
  EXPECT_EQ(matches[1].image.paths.front(), at("other.png"));
  EXPECT_EQ(matches[2].image.paths.front(), at("plain.png"));
  EXPECT_EQ(matches[1].decision, Decision::kRelated);
  EXPECT_FALSE(is_found(matches[1].decision));
  EXPECT_THAT(paths_of(matches[1].via), testing::ElementsAre(at("poster.png")));
  EXPECT_THAT(paths_of(matches[2].via), testing::ElementsAre(at("poster.png"), at("other.png")));
  EXPECT_EQ(of(find(photo, with(RelateOptions{.related = false})), at("other.png")).decision,
            Decision::kNone);
}

TEST_F(SharedEmblemTest, WhatLittleReachesIsNotRelated) {
  cv::Mat photo = poster_.clone();
  photo(cv::Rect(160, 0, kWidth - 160, kHeight)).setTo(128);
  link("poster.png", "other.png", 0.05);
  const auto matches = find(photo, {});
  EXPECT_EQ(matches[1].image.paths.front(), at("other.png"));
  EXPECT_EQ(matches[1].decision, Decision::kNone);
}

TEST_F(SharedEmblemTest, WhatNoSureEnoughPathReachesIsNotRelated) {
  cv::Mat photo = poster_.clone();
  photo(cv::Rect(160, 0, kWidth - 160, kHeight)).setTo(128);
  link("plain.png", "poster.png", 0.8, EdgeKind::kByVotes);  // much flows over it
  link("poster.png", "other.png", 0.35);
  link("other.png", "plain.png", 0.35);
  const auto matches = find(photo, {});
  EXPECT_EQ(of(matches, at("other.png")).decision, Decision::kRelated);
  const Match plain = of(matches, at("plain.png"));
  EXPECT_EQ(plain.decision, Decision::kNone);
  EXPECT_GT(plain.flow, of(matches, at("other.png")).flow);
}

TEST_F(SharedEmblemTest, NothingFlowsFromAPart) {
  cv::Mat photo = draw_picture(kWidth, kHeight, 33);
  poster_(cv::Rect(20, 20, 96, 96)).copyTo(photo(cv::Rect(110, 80, 96, 96)));
  ASSERT_EQ(of(find(photo, {}), at("poster.png")).decision, Decision::kPart);
  link("poster.png", "plain.png");
  EXPECT_EQ(of(find(photo, {}), at("plain.png")).flow, 0);
}

TEST_F(SharedEmblemTest, WhatTheGraphReachesIsRelatedThoughVotesAloneWouldMakeItSimilar) {
  std::vector<std::string> further;  // enough images for votes to stand out
  for (unsigned seed = 100; seed < 120; ++seed) {
    further.push_back(at((std::to_string(seed) + ".png").c_str()));
    cv::imwrite(further.back(), draw_picture(kWidth, kHeight, seed));
  }
  publish_with(further);
  // The photo shows both, the other picture with fewer features than a pose needs here.
  cv::Mat photo;
  cv::hconcat(poster_, cv::imread(at("other.png"), cv::IMREAD_GRAYSCALE), photo);
  const std::uint32_t inliers = of(find(photo, {}), at("other.png")).evidence.inliers;
  const MatchOptions options = with(VerifyOptions{.min_inliers = inliers + 1});

  ASSERT_TRUE(is_guess(of(find(photo, options), at("other.png"))));
  link("poster.png", "other.png");
  const Match related = of(find(photo, options), at("other.png"));
  EXPECT_EQ(related.decision, Decision::kRelated);
  EXPECT_THAT(paths_of(related.via), testing::ElementsAre(at("poster.png")));
}

TEST_F(SharedEmblemTest, EdgesByVotesChangeTheOrderAlone) {
  cv::Mat photo = poster_.clone();
  photo(cv::Rect(160, 0, kWidth - 160, kHeight)).setTo(128);
  link("poster.png", "plain.png", 0.4, EdgeKind::kByVotes);
  const auto matches = find(photo, {});
  EXPECT_EQ(matches[1].image.paths.front(), at("plain.png"));
  EXPECT_EQ(matches[1].decision, Decision::kNone);
  EXPECT_TRUE(matches[1].via.empty());
}

TEST_F(SharedEmblemTest, MatchOnFeaturesThatASurerOneExplainsIsDroppedUnlessAllAreWanted) {
  EXPECT_TRUE(of(find(poster_, with(DecideOptions{.resolve_overlaps = false})), at("other.png"))
                  .has_pose());
  const auto matches = find(poster_, with(DecideOptions{.resolve_overlaps = true}));
  EXPECT_TRUE(of(matches, at("poster.png")).has_pose());
  EXPECT_FALSE(of(matches, at("other.png")).has_pose());
}

TEST_F(SharedEmblemTest, AnExplanationNamesTheSurerMatchThatTookTheFeatures) {
  GrayImage image(poster_.cols, poster_.rows);
  std::copy(poster_.datastart, poster_.dataend, image.pixels.begin());
  const Matcher matcher(*session, *reader_, {}, {}, kLoaders);
  const Explanation why =
      matcher.explain(query_of(*session, image), *reader_->find(at("other.png")));
  EXPECT_TRUE(why.match.has_pose()) << "alone";
  ASSERT_TRUE(why.judged.has_value());
  EXPECT_FALSE(why.judged->has_pose()) << "beside the poster";
  ASSERT_TRUE(why.rival.has_value());
  EXPECT_EQ(lookalike::path_of(why.rival->match), at("poster.png"));
  EXPECT_GT(why.rival->features, 0U);
  const ExplainedStep last = steps_of(why).back();
  EXPECT_FALSE(last.passed);
  EXPECT_NE(last.reason.find("are features of a surer match, " + at("poster.png")),
            std::string::npos)
      << last.reason;
}

TEST_F(SharedEmblemTest, TheVeryFileIsFoundThoughItHasTooFewFeatures) {
  const auto decoded = std::get<DecodedImage>(decode_file(at("plain.png"), 1024, {}));
  const Query query = {decoded, features_of(at("plain.png")).features};
  ASSERT_LT(query.features.size(), MatchOptions().min_inliers);
  const auto matches = Matcher(*session, *reader_, {}, {}, kLoaders).match(query).matches;
  ASSERT_EQ(matches.size(), 1U);
  EXPECT_EQ(matches.front().image.paths.front(), at("plain.png"));
  EXPECT_EQ(matches.front().decision, Decision::kDuplicate);
}

TEST_F(MatcherTest, InlierPairsAgreeWithThePose) {
  const auto matches = match(view_of(1, tilted_));
  ASSERT_FALSE(matches.empty());
  for (const auto& [on_object, in_query] : matches.front().pose.inlier_pairs) {
    EXPECT_LT(distance(matches.front().pose.object_to_query.apply(on_object), in_query), 10);
  }
}

TEST_F(MatcherTest, OtherPicturesAreNotFound) {
  const cv::Mat other = draw_picture(kWidth, kHeight, 99);
  GrayImage image(kWidth, kHeight);
  std::copy(other.datastart, other.dataend, image.pixels.begin());
  EXPECT_TRUE(match(query_of(*session, image)).empty());
}

TEST_F(MatcherTest, FlatQueryFindsNothing) {
  EXPECT_TRUE(match(query_of(*session, GrayImage(kWidth, kHeight))).empty());
}

TEST_F(MatcherTest, MoreInliersThanThereAreFindNothing) {
  EXPECT_TRUE(match(view_of(3, tilted_), with(VerifyOptions{.min_inliers = 1000})).empty());
}

TEST_F(MatcherTest, WeakMatchesAreReportedOnlyWhenAskedFor) {
  const Query query = view_of(3, tilted_);
  const auto matches = match(query);
  ASSERT_EQ(matches.size(), 1U);
  EXPECT_EQ(matches.front().decision, Decision::kSameObject);
  const auto all = match(query, with(ReportOptions{.min_decision = "all"}));
  ASSERT_GT(all.size(), 1U);
  EXPECT_EQ(all.back().decision, Decision::kNone);
  EXPECT_TRUE(match(query, with(ReportOptions{.min_decision = "duplicate"})).empty());
}

TEST_F(MatcherTest, ProbabilityIsThatOfTheCalibration) {
  const IndexReader reader(database());
  const Calibration nothing_is_sure = {{-50, 0, 0, 0, 0}};
  EXPECT_TRUE(Matcher(*session, reader, nothing_is_sure, {}, kLoaders)
                  .match(view_of(3, tilted_))
                  .matches.empty());
}

TEST_F(MatcherTest, VotingAndPairingFollowTheOptions) {
  const Query query = view_of(3, tilted_);
  EXPECT_EQ(
      match(query, with(ReportOptions{.min_decision = "all"}, VoteOptions{.shortlist = 1})).size(),
      1U);
  const auto pairs = [&](const MatchOptions& options) {
    return match(query, options).at(0).evidence.pairs;
  };
  const std::uint32_t usual = pairs(with(ReportOptions{.min_decision = "all"}));
  EXPECT_LT(
      pairs(with(ReportOptions{.min_decision = "all"}, VerifyOptions{.hamming_threshold = 4})),
      usual);
  EXPECT_LT(pairs(with(ReportOptions{.min_decision = "all"}, VoteOptions{.words_per_feature = 1})),
            usual);
  MatchOptions uncached = with(ReportOptions{.min_decision = "all"});
  uncached.cache_mib = 0;
  EXPECT_EQ(pairs(uncached), usual);
}

TEST_F(MatcherTest, SecondLookTakesAllFeaturesWhenNoMatchOfTheFirstIsSure) {
  Query query = view_of(3, tilted_);
  const auto sure = match(query);
  ASSERT_EQ(sure.size(), 1U);
  query.first_look = query.features.size();
  EXPECT_EQ(match(query).at(0).evidence.pairs, sure.front().evidence.pairs);
  query.first_look = 8;
  EXPECT_TRUE(match(query, with(VoteOptions{.second_look = false})).empty());
  const auto matches = match(query);
  ASSERT_EQ(matches.size(), 1U);
  EXPECT_EQ(matches.front().decision, Decision::kSameObject);
  EXPECT_GT(matches.front().evidence.pairs, sure.front().evidence.pairs);  // of more words each
}

TEST_F(MatcherTest, CopyIsADuplicate) {
  const auto matches = match(view_of(2, {{2, 0, 0.5, 0, 2, 0.5, 0, 0, 1}}));
  ASSERT_FALSE(matches.empty());
  EXPECT_EQ(matches.front().decision, Decision::kDuplicate);
}

TEST_F(MatcherTest, TopLimitsThePlacesAndChangesNothingElse) {
  MatchOptions options = with(ReportOptions{.min_decision = "all"});
  const Query query = view_of(3, tilted_);
  const auto all = match(query, options);
  ASSERT_GT(all.size(), 2U);
  for (const std::uint32_t top : {1U, 2U}) {
    options.top = top;
    const auto first = match(query, options);
    std::size_t compared = 0;
    for (const Match& expected : all) {
      if (expected.place > top) continue;
      ASSERT_LT(compared, first.size());
      EXPECT_EQ(first[compared].image.id, expected.image.id);
      EXPECT_EQ(first[compared].probability, expected.probability);
      ++compared;
    }
    EXPECT_EQ(first.size(), compared);
  }
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
    EXPECT_EQ(once[i].pose.quad, again[i].pose.quad);
  }
}

}  // namespace
}  // namespace lookalike
