#include "pipeline/duplicates/pair.h"

#include <cmath>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lookalike {
namespace {

using testing::DoubleNear;

constexpr PictureSize kFull{800, 600};
constexpr PictureSize kQuarter{400, 300};

FoundPair pair_of(const Homography& map, double correlation = 0.98) {
  FoundPair pair;
  pair.first_to_second = map;
  pair.evidence = {.votes_excess = 8,
                   .shortlist = 100,
                   .pairs = 200,
                   .inliers = 150,
                   .effective_inliers = 120,
                   .coherence = 2,
                   .correlation = correlation,
                   .detail = correlation,
                   .difference = PictureDifference{}};
  return pair;
}

Relation relation(const FoundPair& pair, PictureSize first, PictureSize second) {
  return relation_of(pair, first, second, {}, {});
}

bool shows_all(const Relation& relation, PictureSize first, PictureSize second) {
  return what_is_hidden(relation, first, second).empty();
}

Homography turned_about_middle(PictureSize size, double degrees) {
  const double c = std::cos(degrees * std::numbers::pi / 180);
  const double s = std::sin(degrees * std::numbers::pi / 180);
  const Point at = middle(size.width, size.height);
  return translation(at.x, at.y) * Homography{{c, -s, 0, s, c, 0, 0, 0, 1}} *
         translation(-at.x, -at.y);
}

TEST(PairKinds, HaveNames) {
  for (const std::string_view name : pair_kind_names())
    EXPECT_EQ(to_string(*pair_kind(name)), name);
  EXPECT_EQ(pair_kind_names().front(), "exact");
  EXPECT_FALSE(pair_kind("copies"));
}

TEST(Relation, OfACopyIsWholeToWhole) {
  const Relation found = relation(pair_of(resizing(400, 300, 800, 600)), kQuarter, kFull);
  EXPECT_EQ(found.kind, PairKind::kCopy);
  EXPECT_THAT(found.first_shown, DoubleNear(1, 0.001));
  EXPECT_THAT(found.second_shown, DoubleNear(1, 0.001));
  EXPECT_THAT(found.scale, DoubleNear(2, 0.01));
  EXPECT_TRUE(shows_all(found, kQuarter, kFull));
  EXPECT_FALSE(shows_all(found, kFull, kQuarter));  // with fewer pixels
}

TEST(Relation, OfATrimmedCopySparesTheOriginalHoweverLargeTheCopyIs) {
  const PictureSize original{1000, 800};
  const PictureSize trimmed{1024, 819};  // 2 % a side, then enlarged
  const Homography map = resizing(960, 768, 1024, 819) * translation(-20, -16);
  const Relation found = relation(pair_of(map), original, trimmed);
  EXPECT_EQ(found.kind, PairKind::kCopy);
  EXPECT_THAT(found.first_shown, DoubleNear(0.92, 0.005));
  EXPECT_FALSE(shows_all(found, original, trimmed));
}

TEST(Relation, OfACropSaysWhichShowsTheOther) {
  const Homography map = translation(200, 100);
  const Relation found = relation(pair_of(map), kQuarter, kFull);
  EXPECT_EQ(found.kind, PairKind::kCrop);
  EXPECT_THAT(found.first_shown, DoubleNear(1, 0.001));
  EXPECT_THAT(found.second_shown, DoubleNear(0.25, 0.001));
  EXPECT_TRUE(shows_all(found, kQuarter, kFull));
  const Relation back = found.reversed(map, kFull);
  EXPECT_FALSE(shows_all(back, kFull, kQuarter));
  EXPECT_THAT(back.outline[0].x, DoubleNear(-200, 0.001));
}

TEST(Relation, OfACropInAReducedPictureSparesTheCrop) {
  // The larger picture shows the crop at half its resolution.
  const Relation found =
      relation(pair_of(translation(50, 50) * resizing(400, 300, 200, 150)), kQuarter, kFull);
  EXPECT_EQ(found.kind, PairKind::kCrop);
  EXPECT_FALSE(shows_all(found, kQuarter, kFull));
}

TEST(Relation, OfATurnedPictureHasItsAngle) {
  const Homography upside_down = turned_about_middle(kFull, 180);
  EXPECT_EQ(relation(pair_of(upside_down), kFull, kFull).kind, PairKind::kTurned);
  EXPECT_TRUE(shows_all(relation(pair_of(upside_down), kFull, kFull), kFull, kFull));
  const Homography map = turned_about_middle(kFull, 30);
  const Relation found = relation(pair_of(map), kFull, kFull);
  EXPECT_EQ(found.kind, PairKind::kTurned);
  EXPECT_THAT(found.turn_degrees, DoubleNear(30, 0.001));
  EXPECT_THAT(found.reversed(map, kFull).turn_degrees, DoubleNear(-30, 0.001));
  EXPECT_FALSE(shows_all(found, kFull, kFull));  // its corners are cut off
  const Relation inside =
      relation(pair_of(translation(200, 150) * turned_about_middle(kQuarter, 30)), kQuarter, kFull);
  EXPECT_EQ(inside.first_shown, 1);
  EXPECT_FALSE(shows_all(inside, kQuarter, kFull));  // one of them was resampled
}

// The view of a hand-held camera: one side of the picture is a little farther away.
Homography seen_at_an_angle(double departure) {
  return {{1, 0, 0, 0, 1, 0, departure / 400, 0, 1}};
}

TEST(Relation, OfAPhotoOfAPictureIsNoCopyOfItAndNeitherStandsForTheOther) {
  const Homography straight = translation(200, 100);
  const Homography photo = straight * seen_at_an_angle(0.05);
  ASSERT_EQ(relation(pair_of(straight), kQuarter, kFull).kind, PairKind::kCrop);
  const Relation found = relation(pair_of(photo), kQuarter, kFull);
  EXPECT_EQ(found.kind, PairKind::kObject);
  EXPECT_FALSE(shows_all(found, kQuarter, kFull));
  // The error of a pose is not a turn.
  const Homography inexact = straight * seen_at_an_angle(0.002);
  EXPECT_EQ(relation(pair_of(inexact), kQuarter, kFull).kind, PairKind::kCrop);
  // The position of one in the other does not matter.
  EXPECT_EQ(relation(pair_of(photo.inverse()), kFull, kQuarter).kind, PairKind::kObject);
  EXPECT_EQ(relation(pair_of(inexact.inverse()), kFull, kQuarter).kind, PairKind::kCrop);
}

TEST(Relation, OfASquashedPictureIsACopy) {
  const PictureSize squashed{800, 300};
  EXPECT_EQ(relation(pair_of(resizing(400, 300, 800, 300)), kQuarter, squashed).kind,
            PairKind::kCopy);
  const Homography on_its_side = {{0, -2, 599, 1, 0, 0, 0, 0, 1}};
  EXPECT_EQ(relation(pair_of(on_its_side), kQuarter, {600, 400}).kind, PairKind::kTurned);
  // A sheared picture, as from a slipping scanner, is another one.
  const Homography sheared = {{1, 0.1, 0, 0, 1, 0, 0, 0, 1}};
  EXPECT_EQ(relation(pair_of(sheared), kQuarter, kFull).kind, PairKind::kObject);
}

TEST(Relation, OfPicturesThatDifferVisiblySparesBoth) {
  FoundPair pair = pair_of({});
  ASSERT_TRUE(shows_all(relation(pair, kFull, kFull), kFull, kFull));
  pair.evidence.difference = PictureDifference{.largest = PictureDifference::kSeen};
  const Relation labelled = relation(pair, kFull, kFull);
  EXPECT_EQ(labelled.kind, PairKind::kVariant);
  EXPECT_EQ(what_is_hidden(labelled, kFull, kFull), kDiffers);
  pair.evidence.difference = PictureDifference{.lacks_colours = true};
  EXPECT_EQ(what_is_hidden(relation(pair, kFull, kFull), kFull, kFull), kHasOtherColours);
  pair.evidence.difference.reset();  // unknown
  EXPECT_EQ(relation(pair, kFull, kFull).kind, PairKind::kCopy);
  EXPECT_FALSE(shows_all(relation(pair, kFull, kFull), kFull, kFull));
}

TEST(Relation, OfTwoShotsIsOneObjectAndSparesBoth) {
  FoundPair pair = pair_of({});
  pair.evidence.difference = PictureDifference{.shots = {.moved = ShotSigns::kMoved}};
  EXPECT_EQ(relation(pair, kFull, kFull).kind, PairKind::kObject);
  EXPECT_FALSE(shows_all(relation(pair, kFull, kFull), kFull, kFull));
  pair.evidence.difference = PictureDifference{.shots = {.beyond = ShotSigns::kBeyond}};
  EXPECT_EQ(relation(pair, kFull, kFull).kind, PairKind::kObject);
  pair.evidence.difference =
      PictureDifference{.shots = {.moved = 0.04, .beyond = 0.002}};  // as of copies
  EXPECT_EQ(relation(pair, kFull, kFull).kind, PairKind::kCopy);
}

TEST(Relation, OfAMirrorImageTurnsAlikeFromEitherSide) {
  const Homography map =
      turned_about_middle(kFull, 20) * Homography{{-1, 0, 799, 0, 1, 0, 0, 0, 1}};
  FoundPair pair = pair_of(map);
  pair.mirrored = true;
  const Relation found = relation(pair, kFull, kFull);
  EXPECT_EQ(found.kind, PairKind::kMirrored);
  EXPECT_THAT(found.turn_degrees, DoubleNear(20, 0.001));
  EXPECT_THAT(found.reversed(map, kFull).turn_degrees, DoubleNear(20, 0.001));
  pair.first_to_second = {{-1, 0, 799, 0, 1, 0, 0, 0, 1}};
  EXPECT_TRUE(shows_all(relation(pair, kFull, kFull), kFull, kFull));
  EXPECT_FALSE(std::signbit(relation(pair, kFull, kFull).turn_degrees));  // 0, not -0
  pair.first_to_second = {{1, 0, 0, 0, -1, 599, 0, 0, 1}};
  EXPECT_EQ(relation(pair, kFull, kFull).turn_degrees, 180);  // upside down, then mirrored
}

TEST(Relation, OfAWholePictureHasAnOrientation) {
  const auto orientation = [](const Homography& map, PictureSize first, PictureSize second) {
    return orientation_of_whole(relation(pair_of(map), first, second));
  };
  EXPECT_EQ(orientation(resizing(400, 300, 800, 600), kQuarter, kFull), 1);
  EXPECT_EQ(orientation({{-1, 0, 799, 0, -1, 599, 0, 0, 1}}, kFull, kFull), 3);
  EXPECT_EQ(orientation({{0, -1, 599, 1, 0, 0, 0, 0, 1}}, kFull, {600, 800}), 6);
  EXPECT_EQ(orientation({{0, 1, 0, -1, 0, 799, 0, 0, 1}}, kFull, {600, 800}), 8);
  const Relation crop = relation(pair_of(translation(-80, 0)), kFull, {720, 600});
  EXPECT_EQ(orientation_of_whole(crop), std::nullopt);
  EXPECT_EQ(orientation(turned_about_middle(kFull, 30), kFull, kFull), std::nullopt);
  FoundPair mirrored = pair_of({{-1, 0, 799, 0, 1, 0, 0, 0, 1}});
  mirrored.mirrored = true;
  EXPECT_EQ(orientation_of_whole(relation(mirrored, kFull, kFull)), 2);
  mirrored.first_to_second = {{0, 1, 0, 1, 0, 0, 0, 0, 1}};
  EXPECT_EQ(orientation_of_whole(relation(mirrored, kFull, {600, 800})), 5);
}

TEST(Relation, OfPixelsThatDifferIsOneObjectAndSparesBoth) {
  const Relation found = relation(pair_of(translation(200, 100), 0.7), kQuarter, kFull);
  EXPECT_EQ(found.kind, PairKind::kObject);
  EXPECT_FALSE(shows_all(found, kQuarter, kFull));
}

TEST(Relation, OfWholePicturesThatDifferInPlacesIsNoCopy) {
  FoundPair siblings = pair_of({}, 0.93);
  siblings.evidence.detail = 0.75;
  EXPECT_EQ(relation(siblings, kFull, kFull).kind, PairKind::kObject);
  siblings.evidence.detail = 0.85;
  EXPECT_EQ(relation(siblings, kFull, kFull).kind, PairKind::kCopy);
  FoundPair plain = pair_of({}, 0.98);
  plain.evidence.detail = 0.2;  // few cells have texture
  EXPECT_EQ(relation(plain, kFull, kFull).kind, PairKind::kCopy);
  plain.mirrored = true;
  plain.evidence.correlation = 0.8;
  EXPECT_EQ(relation(plain, kFull, kFull).kind, PairKind::kObject);
}

TEST(Relation, OfASharedPartIsAPart) {
  FoundPair pair = pair_of(translation(200, 100), 0.3);
  pair.has_part = true;
  EXPECT_EQ(relation(pair, kQuarter, kFull).kind, PairKind::kPart);
}

}  // namespace
}  // namespace lookalike
