#include "stages/match/decide/tell_apart.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stages/match/decide/decision.h"

namespace lookalike {
namespace {

using testing::ElementsAre;

constexpr Decision kSure = Decision::kSameObject;
constexpr Decision kPart = Decision::kPart;

// Returns a sure match of a 100 x 100 image whose top-left corner lies at (x, 0).
Match carton(ImageId image, double x = 0) {
  Match match;
  match.image.id = image;
  match.image.width = 100;
  match.image.height = 100;
  match.pose.object_to_query = translation(x, 0);
  match.evidence.inliers = 50;
  match.evidence.correlation = 0.3;
  match.decision = kSure;
  match.score = 100.0 - image;
  return match;
}

Match with_correlation(Match match, double correlation) {
  match.evidence.correlation = correlation;
  return match;
}

Match as_part(Match match) {
  match.decision = kPart;
  match.pose.part = outline({}, 30, 30);
  match.pose.quad = *match.pose.part;
  return match;
}

// A print that is shared, and nothing that tells its images apart.
constexpr RivalComparison kAlike{.agreement = 0.9};
constexpr OwnDetail kShown{6, 4.5, 1.0};
constexpr OwnDetail kLacking{6, 1.5, 1.5};
RivalComparison own_detail(OwnDetail of_first, OwnDetail of_second) {
  RivalComparison found = kAlike;
  found.of_first = of_first;
  found.of_second = of_second;
  return found;
}
RivalComparison colours_prefer(double first) {
  RivalComparison found = kAlike;
  found.by_colour = first;
  found.by_detail = first / 4;
  return found;
}

using Pair = std::pair<ImageId, ImageId>;

class TellApartTest : public testing::Test {
 protected:
  std::vector<Decision> told_apart(std::vector<Match> judged, const RivalComparison& found) {
    return told_apart(std::move(judged), [&](const Pair&) { return found; });
  }
  std::vector<Decision> told_apart(std::vector<Match> judged,
                                   const std::function<RivalComparison(const Pair&)>& found) {
    judged_ = std::move(judged);
    compared_.clear();
    tell_rivals_apart(judged_, [&](const Match& first, const Match& second) {
      compared_.emplace_back(first.image.id, second.image.id);
      return found(compared_.back());
    });
    std::vector<Decision> decisions;
    for (const Match& match : judged_) decisions.push_back(match.decision);
    return decisions;
  }

  std::vector<Match> judged_;
  std::vector<Pair> compared_;
};

TEST_F(TellApartTest, TheLoserIsAPartAndNamesTheWinner) {
  EXPECT_THAT(told_apart({carton(1), carton(2)}, colours_prefer(0.2)), ElementsAre(kSure, kPart));
  EXPECT_FALSE(judged_[0].rival.has_value());
  EXPECT_EQ(judged_[1].rival->id, 1);
}

TEST_F(TellApartTest, ASecondThatWinsTakesRankAndScore) {
  EXPECT_THAT(told_apart({carton(1), carton(2)}, colours_prefer(-0.2)), ElementsAre(kSure, kPart));
  EXPECT_EQ(judged_[0].image.id, 2);
  EXPECT_EQ(judged_[0].score, 99);
  EXPECT_EQ(judged_[1].score, 98);
  EXPECT_EQ(judged_[1].rival->id, 2);
}

TEST_F(TellApartTest, NoneIsSureIfThePhotoLacksTheDetailOfEach) {
  EXPECT_THAT(told_apart({carton(1), carton(2)}, own_detail(kLacking, kLacking)),
              ElementsAre(kPart, kPart));
  EXPECT_EQ(judged_[0].rival->id, 2);
  EXPECT_EQ(judged_[1].rival->id, 1);
  EXPECT_EQ(judged_[0].score, 99);
  EXPECT_THAT(told_apart({carton(1), carton(2)}, own_detail(kLacking, kShown)),
              ElementsAre(kPart, kSure));
}

TEST_F(TellApartTest, OneLosesIfThePhotoShowsTheOtherInPlaceOfItsOwnDetail) {
  const OwnDetail replaced{6, 1.5, 4.5};
  EXPECT_THAT(told_apart({carton(1), carton(2)}, own_detail(kShown, replaced)),
              ElementsAre(kSure, kPart));
  EXPECT_EQ(judged_[1].rival->id, 1);
  EXPECT_THAT(told_apart({carton(1), carton(2)}, own_detail(replaced, kShown)),
              ElementsAre(kSure, kPart));
  EXPECT_EQ(judged_[0].image.id, 2);
  EXPECT_EQ(judged_[0].score, 99);
  const Match agreeing = with_correlation(carton(2), 0.6);
  EXPECT_THAT(told_apart({carton(1), agreeing}, own_detail(kShown, replaced)),
              ElementsAre(kSure, kSure));
}

// Returns a match as decided about by its distinctive cells.
Match by_content(Match match, double own, double shared) {
  match.evidence.own_agreement = own;
  match.evidence.shared_agreement = shared;
  if (has_other_content_in_print(match.evidence)) match.decision = kPart;
  return match;
}

TEST_F(TellApartTest, AnImageThatShowsItsContentRanksBeforeOthersOfItsPrint) {
  const Match other = by_content(carton(1), 0.2, 0.9);
  EXPECT_THAT(told_apart({other, by_content(carton(2), 0.8, 0.9)}, kAlike),
              ElementsAre(kSure, kPart));
  EXPECT_EQ(judged_[0].image.id, 2);
  EXPECT_EQ(judged_[0].score, 99);
  EXPECT_EQ(judged_[1].score, 98);
  told_apart({other, by_content(carton(2, 500), 0.8, 0.9)}, kAlike);
  EXPECT_EQ(judged_[0].image.id, 1) << "it lies elsewhere";
  told_apart({other, carton(2)}, kAlike);
  EXPECT_EQ(judged_[0].image.id, 1) << "nothing is known of its content";
}

TEST_F(TellApartTest, WhereThePrintAgreesLittleTheClearlyBestImageIsShown) {
  const Match poor = by_content(carton(2), 0.3, 0.4);
  EXPECT_THAT(told_apart({by_content(carton(1), 0.05, 0.4), poor}, kAlike),
              ElementsAre(kSure, kPart));
  EXPECT_EQ(judged_[0].image.id, 2);
  EXPECT_THAT(told_apart({by_content(carton(1), 0.15, 0.4), poor}, kAlike),
              ElementsAre(kPart, kPart))
      << "hardly better";
  EXPECT_THAT(told_apart({by_content(carton(1), 0.3, 0.9)}, kAlike), ElementsAre(kPart))
      << "the print agrees well";
  EXPECT_THAT(told_apart({by_content(carton(1), 0.2, 0.2)}, kAlike), ElementsAre(kPart))
      << "other content agrees as well";
  EXPECT_THAT(told_apart({as_part(poor)}, kAlike), ElementsAre(kPart)) << "a part for all that";
  EXPECT_THAT(told_apart({by_content(carton(1), 0.8, 0.9), poor}, kAlike),
              ElementsAre(kSure, kPart))
      << "another one is shown";
}

TEST_F(TellApartTest, OtherViewsOfWhatIsShownStaySure) {
  EXPECT_THAT(told_apart({carton(1), carton(2)}, own_detail(kShown, kLacking)),
              ElementsAre(kSure, kSure));
}

TEST_F(TellApartTest, DetailAddsUpOverRivals) {
  const RivalComparison few = own_detail({2, 0.1, 0.1}, {2, 0.1, 0.1});
  EXPECT_THAT(told_apart({carton(1), carton(2)}, few), ElementsAre(kSure, kSure));
  EXPECT_THAT(told_apart({carton(1), carton(2), carton(3)}, few), ElementsAre(kPart, kSure, kSure));
}

TEST_F(TellApartTest, ANewBestIsComparedWithAllBeforeIt) {
  const std::vector<Match> cartons = {carton(1), carton(2), carton(3)};
  const auto third_wins = [](const Pair& pair) {
    if (pair == Pair{1, 2}) return kAlike;
    return colours_prefer(pair.first == 3 ? 0.2 : -0.2);
  };
  EXPECT_THAT(told_apart(cartons, third_wins), ElementsAre(kSure, kPart, kPart));
  EXPECT_THAT(compared_, ElementsAre(Pair{1, 2}, Pair{1, 3}, Pair{3, 2}));
  EXPECT_EQ(judged_[0].image.id, 3);
  EXPECT_EQ(judged_[1].rival->id, 3);
  EXPECT_EQ(judged_[2].rival->id, 3);
  // What the photo lacks of the first says nothing of the third.
  const auto first_lacks = [&](const Pair& pair) {
    return pair == Pair{1, 2} ? own_detail(kLacking, kLacking) : third_wins(pair);
  };
  EXPECT_THAT(told_apart(cartons, first_lacks), ElementsAre(kSure, kPart, kPart));
}

TEST_F(TellApartTest, ADuplicateIsTheBestOfItsPlaceAndNeverLoses) {
  Match duplicate = carton(1);
  duplicate.decision = Decision::kDuplicate;
  EXPECT_THAT(told_apart({duplicate, carton(2)}, colours_prefer(0.2)),
              ElementsAre(Decision::kDuplicate, kPart));
  EXPECT_THAT(told_apart({duplicate, carton(2)}, colours_prefer(-0.2)),
              ElementsAre(Decision::kDuplicate, kSure));
}

TEST_F(TellApartTest, TheFirstSixteenOfAPlaceAreCompared) {
  std::vector<Match> cartons;
  for (ImageId image = 1; image <= 20; ++image) cartons.push_back(carton(image));
  const auto decisions = told_apart(cartons, colours_prefer(0.2));
  EXPECT_EQ(std::ranges::count(decisions, kPart), 16);
  EXPECT_EQ(compared_.size(), 16U);
}

TEST_F(TellApartTest, APartIsARivalOverTheWholeOutlineButNotTheBest) {
  EXPECT_THAT(told_apart({carton(1), as_part(carton(2))}, own_detail(kLacking, kLacking)),
              ElementsAre(kPart, kPart));
  EXPECT_EQ(compared_.size(), 1U);
  EXPECT_THAT(told_apart({as_part(carton(1)), carton(2)}, own_detail(kLacking, kLacking)),
              ElementsAre(kPart, kSure));
  EXPECT_TRUE(compared_.empty());
}

TEST_F(TellApartTest, ImagesOfNoCommonPrintAreNotToldApart) {
  RivalComparison found = own_detail(kLacking, kLacking);
  found.agreement = 0.3;
  EXPECT_THAT(told_apart({carton(1), carton(2)}, found), ElementsAre(kSure, kSure));
}

TEST_F(TellApartTest, PixelsThatAgreeNeverLose) {
  const auto decisions = [&](double first, double second, const RivalComparison& found) {
    return told_apart({with_correlation(carton(1), first), with_correlation(carton(2), second)},
                      found);
  };
  EXPECT_THAT(decisions(0.3, 0.8, colours_prefer(0.2)), ElementsAre(kSure, kSure));
  EXPECT_THAT(decisions(0.6, 0.3, own_detail(kLacking, kLacking)), ElementsAre(kSure, kSure));
  EXPECT_THAT(decisions(0.3, 0.6, own_detail(kLacking, kLacking)), ElementsAre(kPart, kSure));
  EXPECT_THAT(decisions(0.6, 0.3, colours_prefer(-0.2)), ElementsAre(kSure, kPart));
  EXPECT_EQ(judged_[0].image.id, 2);
  EXPECT_THAT(decisions(0.8, 0.3, own_detail(kLacking, kLacking)), ElementsAre(kSure, kSure));
  EXPECT_THAT(decisions(0.8, 0.8, own_detail(kLacking, kLacking)), ElementsAre(kSure, kSure));
  EXPECT_TRUE(compared_.empty());
}

TEST_F(TellApartTest, OnlyMatchesInOnePlaceAreCompared) {
  EXPECT_THAT(told_apart({carton(1), carton(2, 60)}, colours_prefer(0.2)),
              ElementsAre(kSure, kSure));
  Match not_compared = carton(3);
  not_compared.evidence.correlation.reset();
  EXPECT_THAT(told_apart({carton(1), not_compared}, colours_prefer(0.2)),
              ElementsAre(kSure, kSure));
  EXPECT_TRUE(compared_.empty());
}

}  // namespace
}  // namespace lookalike
