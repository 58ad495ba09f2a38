#include "stages/match/relate/diffusion.h"

#include <cmath>
#include <map>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lookalike {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr bool kIsSure = true;
constexpr EdgeKind kByVotes = EdgeKind::kByVotes;

class DiffusionTest : public testing::Test {
 protected:
  void link(ImageId a, ImageId b, double weight, EdgeKind kind = EdgeKind::kObject) {
    edges_[a].push_back({b, weight, kind});
    edges_[b].push_back(reversed(edges_[a].back(), a));
  }
  std::vector<ReachedImage> reach(const std::vector<DiffusionSource>& sources,
                                  std::size_t most = 100) {
    read_ = 0;
    return diffuse(
        sources,
        [&](ImageId image) {
          ++read_;
          return edges_[image];
        },
        most);
  }
  static ReachedImage of(const std::vector<ReachedImage>& reached, ImageId image) {
    const auto found = std::ranges::find(reached, image, &ReachedImage::image);
    EXPECT_NE(found, reached.end()) << image;
    return found == reached.end() ? ReachedImage{} : *found;
  }

  std::map<ImageId, std::vector<Neighbour>> edges_;
  std::size_t read_ = 0;
};

TEST_F(DiffusionTest, WithoutEdgesSourcesKeepWhatTheyHave) {
  const auto reached = reach({{3, 0.5, kIsSure}, {4, 0.25}});
  ASSERT_EQ(reached.size(), 2U);
  EXPECT_EQ(reached[0].image, 3U);
  EXPECT_DOUBLE_EQ(reached[0].flow, 0.5);
  EXPECT_DOUBLE_EQ(reached[1].flow, 0.25);
}

TEST_F(DiffusionTest, FlowIsTheSumOfAllSteps) {
  link(1, 2, 0.5);
  // S = 0.5, so f1 = 1 + 0.45^2 + 0.45^4 + ..., and f2 = 0.45 f1.
  const auto reached = reach({{1, 1, kIsSure}});
  const double expected = 1 / (1 - 0.45 * 0.45);
  EXPECT_NEAR(of(reached, 1).flow, expected, 1e-3);
  EXPECT_NEAR(of(reached, 2).flow, 0.45 * expected, 1e-3);
}

TEST_F(DiffusionTest, ImagesWithManyEdgesPassOnALittleByEach) {
  link(1, 2, 1);
  for (ImageId image = 3; image < 7; ++image) link(1, image, 1);
  // S = 1 / sqrt(5 * 1).
  const double s = 0.9 / std::sqrt(5);
  EXPECT_NEAR(of(reach({{2, 1, kIsSure}}), 1).flow, s / (1 - 5 * s * s), 5e-3);
}

TEST_F(DiffusionTest, WhatManyPathsReachComesFirst) {
  for (const ImageId between : {2, 3, 4}) {
    link(1, between, 0.5);
    link(between, 5, 0.5);
  }
  link(1, 6, 0.5);
  link(6, 7, 0.9);
  const auto reached = reach({{1, 1, kIsSure}});
  EXPECT_GT(of(reached, 5).flow, of(reached, 7).flow);
}

TEST_F(DiffusionTest, PathsAreTheSurestOfVerifiedEdges) {
  link(1, 2, 0.9);
  link(2, 3, 0.9);
  link(1, 3, 0.5);
  link(3, 4, 0.9, kByVotes);
  link(1, 5, 0.9, kByVotes);
  const auto reached = reach({{1, 1, kIsSure}});
  EXPECT_THAT(of(reached, 1).path, IsEmpty());
  EXPECT_THAT(of(reached, 2).path, ElementsAre(1));
  EXPECT_THAT(of(reached, 3).path, ElementsAre(1, 2));
  EXPECT_THAT(of(reached, 4).path, IsEmpty());
  EXPECT_THAT(of(reached, 5).path, IsEmpty());
  EXPECT_GT(of(reached, 4).flow, 0);
}

TEST_F(DiffusionTest, PathsHaveTwoEdgesAtMost) {
  link(1, 2, 0.9);
  link(2, 3, 0.9);
  link(3, 4, 0.9);
  const auto reached = reach({{1, 1, kIsSure}});
  EXPECT_THAT(of(reached, 3).path, ElementsAre(1, 2));
  EXPECT_THAT(of(reached, 4).path, IsEmpty());
  EXPECT_GT(of(reached, 4).flow, 0);
  link(1, 3, 0.5);  // less sure than over 2, but shorter
  EXPECT_THAT(of(reach({{1, 1, kIsSure}}), 3).path, ElementsAre(1, 2));
  EXPECT_THAT(of(reach({{1, 1, kIsSure}}), 4).path, ElementsAre(1, 3));
}

TEST_F(DiffusionTest, NoPathLeadsFromOneThingOfACollageToAnother) {
  link(1, 2, 0.9, EdgeKind::kAround);
  link(2, 3, 0.9, EdgeKind::kInside);
  link(2, 4, 0.9);
  const auto reached = reach({{1, 1, kIsSure}});
  EXPECT_THAT(of(reached, 2).path, ElementsAre(1));
  EXPECT_THAT(of(reached, 3).path, IsEmpty());
  EXPECT_THAT(of(reached, 4).path, ElementsAre(1, 2));
  EXPECT_THAT(of(reach({{2, 1, kIsSure}}), 3).path, ElementsAre(2));
}

TEST_F(DiffusionTest, SuretyIsTheProductAlongThePath) {
  link(1, 2, 0.9);
  link(2, 3, 0.5);
  link(3, 4, 0.9, kByVotes);
  const auto reached = reach({{1, 0.8, kIsSure}});
  EXPECT_EQ(of(reached, 1).surety, 1);
  EXPECT_DOUBLE_EQ(of(reached, 2).surety, 0.8 * 0.9);
  EXPECT_DOUBLE_EQ(of(reached, 3).surety, 0.8 * 0.9 * 0.5);
  EXPECT_EQ(of(reached, 4).surety, 0);
}

TEST_F(DiffusionTest, PathsBeginAtSureSources) {
  link(1, 2, 0.9);
  link(2, 3, 0.9);
  const auto reached = reach({{1, 0.2}, {3, 0.9, kIsSure}});
  EXPECT_THAT(of(reached, 2).path, ElementsAre(3));
  EXPECT_THAT(of(reached, 1).path, ElementsAre(3, 2));
  EXPECT_THAT(of(reached, 3).path, IsEmpty());
  EXPECT_THAT(of(reach({{1, 0.2}}), 2).path, IsEmpty());
}

TEST_F(DiffusionTest, ReadsTheNearestImagesAlone) {
  for (ImageId image = 1; image < 50; ++image) link(image, image + 1, 0.9);
  link(1, 100, 0.95);
  const auto reached = reach({{1, 1, kIsSure}}, 3);
  EXPECT_EQ(read_, 3U);
  EXPECT_EQ(reached.size(), 4U);  // 1, 100 and 2 are read, 3 is reached
}

}  // namespace
}  // namespace lookalike
