#include "stages/match/explain.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/stages/match/matcher_fixture.h"

namespace lookalike {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class ExplainTest : public MatcherTest {
 protected:
  static Explanation explain(const Query& query, int picture, const MatchOptions& options = {}) {
    const IndexReader reader(database());
    return Matcher(*session, reader, {}, options, kLoaders)
        .explain(query, *reader.find(path_of(picture)));
  }
  static ExplainedStep step(const Explanation& why, std::string_view name) {
    for (const ExplainedStep& one : steps_of(why)) {
      if (one.name == name) return one;
    }
    return {"there is no such step", false, {}};
  }
  // A photo of picture 2, large, and of picture 4, small.
  static Query two_pictures() {
    GrayImage photo(640, 480);
    paint(photo, 2, {{1.2, 0, 10, 0, 1.2, 20, 0, 0, 1}});
    paint(photo, 4, {{0.6, 0, 430, 0, 0.6, 300, 0, 0, 1}});
    return query_of(*session, photo);
  }
  static Query stranger() {
    const cv::Mat drawn = draw_picture(kWidth, kHeight, 99);
    GrayImage image(kWidth, kHeight);
    std::copy(drawn.datastart, drawn.dataend, image.pixels.begin());
    return query_of(*session, image);
  }
};

TEST_F(ExplainTest, AnUnsurePhotoIsExplainedByItsSecondLook) {
  Query query = view_of(3, tilted_);
  EXPECT_EQ(explain(query, 3).second_look, std::nullopt);
  query.first_look = 8;
  const Explanation why = explain(query, 3);
  EXPECT_EQ(why.query_features, 8U);
  EXPECT_EQ(why.second_look, query.features.size());
  EXPECT_EQ(why.pairs.size(), match(query).at(0).evidence.pairs);
  EXPECT_TRUE(steps_of(why).at(3).reason.starts_with("A second look"));
}

TEST_F(ExplainTest, TheStepsOfAMatchAreThoseOfTheQuery) {
  const Query query = view_of(3, tilted_);
  const Explanation why = explain(query, 3);
  const Match found = match(query).at(0);
  EXPECT_EQ(why.rank, 1U);
  EXPECT_TRUE(why.shortlisted);
  EXPECT_EQ(why.images, 6U);
  EXPECT_EQ(why.query_features, query.features.size());
  EXPECT_LE(why.common_words, std::min(why.query_words, why.image_words));
  EXPECT_EQ(why.pairs.size(), found.evidence.pairs);
  std::vector<PointPair> inliers;
  for (const ExplainedPair& pair : why.pairs) {
    if (pair.inlier) inliers.push_back(pair.places);
  }
  EXPECT_EQ(inliers, found.pose.inlier_pairs);
  EXPECT_EQ(why.attempt.inliers, found.evidence.inliers);
  EXPECT_EQ(why.match.evidence.correlation, found.evidence.correlation);
  EXPECT_EQ(why.match.pose.quad, found.pose.quad);
  EXPECT_EQ(why.match.probability, found.probability);
  EXPECT_EQ(why.match.decision, found.decision);
  EXPECT_EQ(why.answer_rank, 1U);
  EXPECT_EQ(why.total, 1U);
  double logit = 0;
  for (const EvidenceTerm& term : why.terms) logit += term.product();
  EXPECT_NEAR(why.match.probability, 1 / (1 + std::exp(-logit)), 1e-12);
  for (const ExplainedStep& one : steps_of(why)) EXPECT_TRUE(one.passed) << one.name;
  EXPECT_EQ(step(why, "answer").reason, "Listed: \"same_object\", number 1 of 1, in place 1.");
}

TEST_F(ExplainTest, AnImageBeyondTheShortlistIsVerifiedAllTheSame) {
  const Query query = two_pictures();
  const MatchOptions one_only = with(VoteOptions{.shortlist = 1});
  ASSERT_EQ(match(query, one_only).size(), 1U);
  const bool is_second = match(query, one_only).at(0).image.paths.front() == path_of(2);
  const Explanation why = explain(query, is_second ? 4 : 2, one_only);
  ASSERT_GT(why.rank, 1U);
  EXPECT_FALSE(why.shortlisted);
  EXPECT_FALSE(why.judged.has_value());
  EXPECT_FALSE(why.answer_rank.has_value());
  EXPECT_EQ(why.match.decision, Decision::kSameObject);
  const std::string rank = std::to_string(*why.rank);
  EXPECT_FALSE(step(why, "votes").passed);
  EXPECT_THAT(step(why, "votes").reason,
              HasSubstr("rank " + rank +
                        " by votes; only the first is verified, so a query does "
                        "not find it"));
  EXPECT_TRUE(step(why, "pose").passed);
  EXPECT_FALSE(step(why, "answer").passed);
  EXPECT_THAT(step(why, "answer").reason,
              HasSubstr("Verified, it would be \"same_object\"; a query verifies it with "
                        "match.shortlist = " +
                        rank));
  EXPECT_EQ(
      match(query, with(VoteOptions{.shortlist = static_cast<std::uint32_t>(*why.rank)})).size(),
      2U);
}

TEST_F(ExplainTest, WithoutAPoseItSaysWhatIsMissing) {
  const Explanation why = explain(stranger(), 0);
  EXPECT_LT(why.attempt.inliers, why.options.min_inliers);
  EXPECT_EQ(why.match.decision, Decision::kNone);
  EXPECT_THAT(why.terms, IsEmpty());
  EXPECT_FALSE(step(why, "pose").passed);
  EXPECT_THAT(step(why, "pose").reason, StartsWith("No pose: "));
  EXPECT_THAT(step(why, "pose").reason, HasSubstr("at least 6 are needed"));
  EXPECT_EQ(step(why, "refine").reason, "Not compared: there is no pose.");
  EXPECT_EQ(step(why, "probability").reason, "0: there is no pose.");
  EXPECT_EQ(step(why, "answer").reason,
            "Not listed: a query judges it \"none\"; it lists \"related\" and better.");
}

TEST_F(ExplainTest, WithoutPairsThatAgreeInTurnAndSizeItSaysSo) {
  Explanation why = explain(stranger(), 0);
  why.pairs.resize(8);
  why.agreeing_pairs = 5;
  EXPECT_EQ(step(why, "pose").reason,
            "No pose: 5 of 8 pairs agree in turn and size, and at least 6 are needed.");
}

TEST_F(ExplainTest, AFailedPoseNamesTheInliersFoundAndNeeded) {
  const Query query = view_of(3, tilted_);
  const auto inliers = match(query).at(0).evidence.inliers;
  const auto pairs = match(query).at(0).evidence.pairs;
  ASSERT_LT(inliers, pairs);
  const Explanation why = explain(
      query, 3, with(VoteOptions{.second_look = false}, VerifyOptions{.min_inliers = pairs}));
  EXPECT_THAT(step(why, "pose").reason, HasSubstr(" of " + std::to_string(pairs) + " pairs agree"));
  EXPECT_THAT(step(why, "pose").reason,
              HasSubstr("at least " + std::to_string(pairs) + " are needed"));
}

TEST_F(ExplainTest, AFlatPhotoHasNothingToCompare) {
  const Explanation why = explain(query_of(*session, GrayImage(kWidth, kHeight)), 0);
  EXPECT_EQ(why.query_features, 0U);
  EXPECT_FALSE(why.rank.has_value());
  EXPECT_THAT(why.pairs, IsEmpty());
  EXPECT_THAT(step(why, "features").reason, HasSubstr("The photo shows too little detail"));
  EXPECT_EQ(step(why, "words").reason, "None to compare.");
  EXPECT_FALSE(step(why, "answer").passed);
  EXPECT_THAT(step(why, "answer").reason, HasSubstr("got no vote"));
}

TEST_F(ExplainTest, AMatchBeyondTheTopIsFoundButNotListed) {
  const Query query = two_pictures();
  const auto matches = match(query);
  ASSERT_EQ(matches.size(), 2U);
  const bool last_is_2 = matches[1].image.paths.front() == path_of(2);
  const Explanation why = explain(query, last_is_2 ? 2 : 4, with(ReportOptions{.top = 1}));
  EXPECT_EQ(why.answer_rank, 2U);
  EXPECT_EQ(step(why, "answer").reason,
            "Found, but not listed: \"same_object\", number 2 of 2, in place 2; only the first "
            "place is listed.");
}

TEST_F(ExplainTest, AnImageThatTheRestOfThePhotoShowsIsExplainedByThat) {
  const Query query = three_pictures();
  const Explanation why = explain(query, 0, with(VoteOptions{.shortlist = 2}));
  ASSERT_TRUE(why.in_rest);
  for (const ExplainedStep& one : steps_of(why)) EXPECT_TRUE(one.passed) << one.name;
  EXPECT_THAT(step(why, "votes").reason,
              HasSubstr("found it by those of the part that no other match covers"));
  EXPECT_THAT(step(why, "answer").reason, StartsWith("Listed: \"same_object\", number 3 of 3"));
  const Match found = match(query, with(VoteOptions{.shortlist = 2})).at(2);
  EXPECT_EQ(why.pairs.size(), found.evidence.pairs);
  EXPECT_EQ(why.match.probability, found.probability);
  EXPECT_EQ(why.match.pose.quad, found.pose.quad);
  const Explanation alone =
      explain(query, 0, with(VoteOptions{.shortlist = 2, .second_look = false}));
  EXPECT_THAT(step(alone, "votes").reason, HasSubstr("a query does not find it"));
}

TEST_F(ExplainTest, AMirroredImageIsExplainedByTheMirror) {
  const Homography place = tilted_ * Homography{{-1, 0, kWidth - 1.0, 0, 1, 0, 0, 0, 1}};
  const Query query = view_of(3, place);
  EXPECT_FALSE(explain(query, 3).match.pose.mirrored);
  EXPECT_LT(explain(query, 3).match.decision, Decision::kSimilar);
  const Explanation why = explain(query, 3, with(ReportOptions{.mirror = true}));
  const Match found = match(query, with(ReportOptions{.mirror = true})).at(0);
  EXPECT_TRUE(why.match.pose.mirrored);
  EXPECT_EQ(why.match.pose.quad, found.pose.quad);
  EXPECT_EQ(why.answer_rank, 1U);
  std::vector<PointPair> inliers;
  for (const ExplainedPair& pair : why.pairs) {
    if (pair.inlier) inliers.push_back(pair.places);
  }
  ASSERT_EQ(inliers.size(), found.pose.inlier_pairs.size());
  for (std::size_t i = 0; i < inliers.size(); ++i) {
    EXPECT_LT(distance(inliers[i].scene, found.pose.inlier_pairs[i].scene), 1e-6);
  }
}

TEST_F(ExplainTest, AFileThatIsGoneIsNotCompared) {
  const IndexReader reader(database());
  const PictureLoaders nothing{[](const StoredImage&, WantedSize) { return std::nullopt; },
                               [](const StoredImage&, double) { return ColourImage{}; }};
  const Explanation why = Matcher(*session, reader, {}, {}, nothing)
                              .explain(view_of(3, tilted_), *reader.find(path_of(3)));
  EXPECT_TRUE(why.match.has_pose());
  EXPECT_FALSE(step(why, "refine").passed);
  EXPECT_THAT(step(why, "refine").reason, HasSubstr("cannot be read any more"));
}

TEST_F(ExplainTest, AnUnknownImageIsAnInputError) {
  const IndexReader reader(database());
  const Matcher matcher(*session, reader, {}, {}, kLoaders);
  try {
    matcher.explain(view_of(3, tilted_), 4711);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    EXPECT_THAT(error.what(), HasSubstr("no image 4711"));
  }
}

}  // namespace
}  // namespace lookalike
