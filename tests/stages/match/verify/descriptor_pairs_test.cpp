#include "stages/match/verify/descriptor_pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace lookalike {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// Features in a plane of descriptor space; the keypoint's x tells them apart.
struct Plane {
  FeatureSet features;

  void add(float a, float b, std::int32_t sign = 1) {
    std::vector<float> descriptor(64, 0);
    descriptor[0] = a;
    descriptor[1] = b;
    features.keypoints.push_back({.x = static_cast<float>(features.size()),
                                  .size = 20,
                                  .angle_degrees = 30,
                                  .laplacian_sign = sign});
    features.descriptors.insert(features.descriptors.end(), descriptor.begin(), descriptor.end());
  }
};

class PairDescriptors : public ::testing::Test {
 protected:
  std::vector<DescriptorPair> pair() {
    return pair_descriptors(session_, object_.features, scene_.features);
  }

  OpenClSession session_;
  Plane object_;
  Plane scene_;
};

TEST_F(PairDescriptors, MostDistinctPairComesFirst) {
  object_.add(0, 0);
  object_.add(10, 0);
  scene_.add(9, 0);  // 1 from the second, 9 from the first
  scene_.add(0, 0);  // on the first
  const auto pairs = pair();
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[0], (DescriptorPair{0, 1, 0}));
  EXPECT_EQ(pairs[1].object, 1U);
  EXPECT_EQ(pairs[1].scene, 0U);
  EXPECT_NEAR(pairs[1].ratio, 1.0 / 9, 1e-5);
}

TEST_F(PairDescriptors, FeatureBetweenTwoOfTheOtherSideIsNotDistinct) {
  object_.add(0, 0);
  object_.add(10, 0);
  scene_.add(5, 1);
  scene_.add(5, -1);
  EXPECT_THAT(pair(), IsEmpty());
}

TEST_F(PairDescriptors, SignsMustAgree) {
  object_.add(0, 0, 1);
  object_.add(10, 0, -1);
  object_.add(20, 0, -1);
  scene_.add(1, 0, -1);
  scene_.add(30, 0, -1);
  for (const DescriptorPair& found : pair()) EXPECT_NE(found.object, 0U);
}

TEST_F(PairDescriptors, EveryCopyOfARepeatedFeatureIsPaired) {
  object_.add(0, 0);
  object_.add(50, 0);
  scene_.add(1, 0);
  scene_.add(0, 1);
  std::vector<std::uint32_t> scenes;
  for (const DescriptorPair& found : pair()) {
    if (found.object == 0) scenes.push_back(found.scene);
  }
  EXPECT_THAT(scenes, UnorderedElementsAre(0U, 1U));
}

TEST_F(PairDescriptors, SingleFeaturesPairUp) {
  object_.add(0, 0);
  scene_.add(3, 0);
  EXPECT_THAT(pair(), ElementsAre(DescriptorPair{0, 0, 0}));
}

TEST_F(PairDescriptors, NothingPairsWithNothing) {
  EXPECT_THAT(pair(), IsEmpty());
  object_.add(0, 0);
  EXPECT_THAT(pair(), IsEmpty());
}

TEST_F(PairDescriptors, SizesMustAgree) {
  scene_.features.descriptor_size = 128;
  EXPECT_THROW(pair(), Error);
}

TEST(OneToOne, EarlierPairsKeepTheirFeatures) {
  const std::vector<DescriptorPair> pairs = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {1, 1, 0}};
  EXPECT_THAT(one_to_one(pairs), ElementsAre(pairs[0], pairs[3]));
}

TEST(PlacesOf, ComeFromTheKeypointsOfBothSides) {
  Plane object;
  Plane scene;
  object.add(0, 0);
  scene.add(0, 0);
  scene.add(0, 0);
  const std::vector<DescriptorPair> pairs = {{0, 1, 0}};
  const auto places = places_of(pairs, object.features, scene.features);
  ASSERT_EQ(places.size(), 1U);
  EXPECT_EQ(places[0].object.x, 0);
  EXPECT_EQ(places[0].scene.x, 1);
  EXPECT_EQ(places[0].scene.size, 20);
  EXPECT_EQ(places[0].scene.angle_degrees, 30);
}

}  // namespace
}  // namespace lookalike
