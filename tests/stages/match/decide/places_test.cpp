#include "stages/match/decide/places.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lookalike {
namespace {

using testing::ElementsAre;

constexpr int kPlacesWidth = 400;
constexpr int kPlacesHeight = 300;

// Returns a sure match of a width x height image whose top-left corner lies at (x, y).
Match match_at(ImageId image, double x, double y, int width = 100, int height = 100) {
  Match match;
  match.image.id = image;
  match.evidence.inliers = 50;
  match.probability = 0.9;
  match.decision = Decision::kSameObject;
  match.pose.quad = outline(translation(x, y), width, height);
  return match;
}

Match guess(ImageId image) {
  Match match;
  match.image.id = image;
  match.decision = Decision::kSimilar;
  return match;
}

std::vector<std::size_t> numbers(std::vector<Match> matches) {
  const std::size_t places = number_places(matches, kPlacesWidth, kPlacesHeight);
  std::vector<std::size_t> numbers;
  numbers.reserve(matches.size());
  for (const Match& match : matches) numbers.push_back(match.place);
  EXPECT_EQ(places, numbers.empty() ? 0 : *std::ranges::max_element(numbers));
  return numbers;
}

TEST(NumberPlaces, MatchesThatOverlapShareAPlace) {
  EXPECT_THAT(numbers({}), ElementsAre());
  EXPECT_THAT(numbers({match_at(1, 0, 0), match_at(2, 200, 0), match_at(3, 20, 10),
                       match_at(4, 210, 5), match_at(5, 0, 180)}),
              ElementsAre(1, 2, 1, 2, 3));
}

TEST(NumberPlaces, ADetailIsAPlaceOfItsOwn) {
  EXPECT_THAT(numbers({match_at(1, 0, 0, kPlacesWidth, kPlacesHeight), match_at(2, 50, 50)}),
              ElementsAre(1, 2));
}

TEST(NumberPlaces, WhatLiesOutsideThePhotoDoesNotCount) {
  EXPECT_THAT(numbers({match_at(1, 0, 0, kPlacesWidth, kPlacesHeight),
                       match_at(2, -2000, -500, 3000, 1200)}),
              ElementsAre(1, 1));
}

TEST(NumberPlaces, MirroredOutlinesOverlapToo) {
  Match mirrored = match_at(2, 10, 10);
  std::swap(mirrored.pose.quad[0], mirrored.pose.quad[1]);
  std::swap(mirrored.pose.quad[2], mirrored.pose.quad[3]);
  EXPECT_THAT(numbers({match_at(1, 0, 0), mirrored}), ElementsAre(1, 1));
}

TEST(NumberPlaces, ARelatedImageIsWhereItsSourceIs) {
  Match related = guess(3);
  related.decision = Decision::kRelated;
  related.via.resize(1);
  related.via.front().id = 4;
  EXPECT_THAT(numbers({match_at(1, 0, 0), match_at(2, 200, 0), match_at(4, 210, 0), related}),
              ElementsAre(1, 2, 2, 2));
  related.via.front().id = 7;  // left out of the answer
  EXPECT_THAT(numbers({match_at(1, 0, 0), related}), ElementsAre(1, 2));
}

TEST(NumberPlaces, AnImageWithoutAPoseStandsAlone) {
  EXPECT_THAT(numbers({guess(1), guess(2)}), ElementsAre(1, 2));
}

TEST(ShowsSeveralThings, IfSureMatchesLieInDifferentPlaces) {
  const auto several = [](const std::vector<Match>& judged) {
    return shows_several_things(judged, kPlacesWidth, kPlacesHeight);
  };
  EXPECT_FALSE(several({}));
  EXPECT_FALSE(several({match_at(1, 0, 0), match_at(2, 10, 0)}));
  EXPECT_TRUE(several({match_at(1, 0, 0), match_at(2, 10, 0), match_at(3, 200, 0)}));
  Match part = match_at(3, 200, 0);
  part.decision = Decision::kPart;
  EXPECT_FALSE(several({match_at(1, 0, 0), part, guess(4)}));
}

TEST(DropGuesses, OnlyBesideSureMatches) {
  std::vector<Match> guesses = {guess(1), guess(2)};
  drop_guesses(guesses);
  EXPECT_EQ(guesses.size(), 2U);
  Match likely = match_at(4, 0, 0);
  likely.decision = Decision::kSimilar;
  likely.probability = 0.3;
  std::vector<Match> mixed = {match_at(3, 0, 0), likely, guess(1)};
  drop_guesses(mixed);
  EXPECT_EQ(mixed.size(), 2U);
}

}  // namespace
}  // namespace lookalike
