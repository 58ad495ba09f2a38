#include "pipeline/duplicates/cluster.h"

#include <algorithm>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lookalike {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Images = std::vector<std::uint32_t>;

constexpr double kDoubtful = 0.97;

Link copy(std::uint32_t a, std::uint32_t b) {
  return {a, b, PairKind::kCopy, 0.9999};
}
Link object(std::uint32_t a, std::uint32_t b, double probability = kDoubtful) {
  return {a, b, PairKind::kObject, probability};
}

std::vector<Images> clusters_of(
    const std::vector<Link>& links,
    const std::vector<std::pair<std::uint32_t, std::uint32_t>>& apart = {}) {
  return clusters(10, links, apart);
}

TEST(Clusters, AreConnectedComponentsOfAtLeastTwo) {
  EXPECT_THAT(clusters_of({}), IsEmpty());
  EXPECT_THAT(clusters_of({copy(7, 3), copy(1, 2), copy(2, 9)}),
              ElementsAre(Images{1, 2, 9}, Images{3, 7}));
}

TEST(Clusters, ADoubtfulPairJoinsAnImageToAGroupButNotTwoGroups) {
  EXPECT_THAT(clusters_of({object(1, 2)}), ElementsAre(Images{1, 2}));
  EXPECT_THAT(clusters_of({copy(1, 2), object(2, 3)}), ElementsAre(Images{1, 2, 3}));
  EXPECT_THAT(clusters_of({copy(1, 2), object(2, 3), copy(3, 4)}),
              ElementsAre(Images{1, 2}, Images{3, 4}));
}

TEST(Clusters, ASurePairOrASecondDoubtfulOneJoinsTwoGroups) {
  EXPECT_THAT(clusters_of({copy(1, 2), object(2, 3, 0.9995), copy(3, 4)}),
              ElementsAre(Images{1, 2, 3, 4}));
  EXPECT_THAT(clusters_of({copy(1, 2), {2, 3, PairKind::kCrop, kDoubtful}, copy(3, 4)}),
              ElementsAre(Images{1, 2, 3, 4}));
  EXPECT_THAT(clusters_of({copy(1, 2), object(2, 3), object(1, 4), copy(3, 4)}),
              ElementsAre(Images{1, 2, 3, 4}));
}

TEST(Clusters, OfAChainTheWeakestBridgeIsCutFirst) {
  EXPECT_THAT(
      clusters_of({object(0, 1), object(1, 2), object(2, 3, 0.96), object(3, 4), object(4, 5)}),
      ElementsAre(Images{0, 1, 2}, Images{3, 4, 5}));
}

TEST(Clusters, RejectedPairsStayApartEvenIfOthersJoinThem) {
  EXPECT_THAT(clusters_of({copy(1, 2)}, {{2, 1}}), IsEmpty());
  // 3 joins the image with the stronger link.
  EXPECT_THAT(clusters_of({copy(1, 3), {2, 3, PairKind::kCrop, 0.9999}}, {{1, 2}}),
              ElementsAre(Images{1, 3}));
  EXPECT_THAT(clusters_of({copy(1, 3), copy(2, 4), {3, 4, PairKind::kCrop, 0.999}}, {{1, 2}}),
              ElementsAre(Images{1, 3}, Images{2, 4}));
}

TEST(Clusters, ADoubtfulPairJoinsNoTwoGroupsWhereARejectionKeepsTheirOtherLinksApart) {
  const Link crop_of_2{2, 5, PairKind::kCrop, 0.9999};
  const Link crop_of_3{5, 3, PairKind::kCrop, 0.9999};
  EXPECT_THAT(
      clusters_of({copy(1, 2), copy(3, 4), crop_of_2, crop_of_3, object(2, 3)}, {{1, 5}, {4, 5}}),
      ElementsAre(Images{1, 2}, Images{3, 4}));
}

TEST(Clusters, DoNotDependOnTheOrderOfLinks) {
  std::vector<Link> links = {copy(1, 2),   object(2, 3), object(3, 4), copy(5, 4), object(4, 6),
                             object(6, 7), copy(7, 8),   object(1, 8), copy(0, 9), object(9, 5)};
  const auto expected = clusters_of(links, {{0, 1}});
  for (int i = 0; i < 50; ++i) {
    std::ranges::next_permutation(links, {}, [](const Link& link) { return link.a * 16 + link.b; });
    std::swap(links[0].a, links[0].b);
    EXPECT_EQ(clusters_of(links, {{1, 0}}), expected);
  }
}

TEST(Joints, AreTheSurestPairsBetweenParts) {
  const auto crop = [](std::uint32_t a, std::uint32_t b, double probability) {
    return Link{a, b, PairKind::kCrop, probability};
  };
  // Two pictures with two copies each; the surer of two pairs joins them.
  EXPECT_THAT(joints(std::vector<Link>{copy(1, 2), copy(1, 3), copy(6, 7), copy(6, 8),
                                       crop(2, 7, 0.96), crop(1, 6, 0.98)}),
              ElementsAre(5U));
  // A part of one image, or a copy, holds nothing together.
  EXPECT_THAT(joints(std::vector<Link>{copy(1, 2), copy(2, 3), copy(3, 4), crop(4, 5, 0.98)}),
              IsEmpty());
  // Three parts in a row: the weakest first.
  EXPECT_THAT(joints(std::vector<Link>{copy(1, 2), crop(2, 3, 0.99), copy(3, 4), crop(4, 5, 0.97),
                                       copy(5, 6)}),
              ElementsAre(3U, 1U));
  EXPECT_THAT(joints({}), IsEmpty());
}

}  // namespace
}  // namespace lookalike
