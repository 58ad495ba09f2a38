#include "tools/lookalike/feature_table.h"

#include <string>

#include <gtest/gtest.h>

namespace lookalike {
namespace {

FeatureSet two_numbers() {
  FeatureSet features{.descriptor_size = 2, .keypoints = {}, .descriptors = {0.1F, -0.25F}};
  features.keypoints.push_back({.x = 1.5F,
                                .y = 2,
                                .size = 20,
                                .angle_degrees = 90,
                                .response = 1234.5F,
                                .octave = 1,
                                .laplacian_sign = -1});
  return features;
}

TEST(FeatureTable, HasAHeaderAndARowAFeature) {
  EXPECT_EQ(feature_table(two_numbers()),
            "x,y,size,angle,response,octave,class_id,d0,d1\n"
            "1.5,2,20,90,1234.5,1,-1,0.1,-0.25\n");
}

TEST(FeatureTable, NoFeaturesLeaveTheHeader) {
  EXPECT_EQ(feature_table({.descriptor_size = 1, .keypoints = {}, .descriptors = {}}),
            "x,y,size,angle,response,octave,class_id,d0\n");
}

TEST(FeatureTable, NumbersReadBackToTheSameFloats) {
  FeatureSet features = two_numbers();
  features.descriptors = {1.0F / 3, 1e-30F};
  const std::string table = feature_table(features);
  const std::size_t at = table.rfind("-1,") + 3;
  EXPECT_EQ(std::stof(table.substr(at)), 1.0F / 3);
  EXPECT_EQ(std::stof(table.substr(table.rfind(',') + 1)), 1e-30F);
}

TEST(FeatureTableKind, IsATableWithTheHeaderOfEitherDescriptorSize) {
  const auto is_table = feature_table_kind().is_earlier;
  for (const std::size_t size : {64, 128}) {
    const std::string table =
        feature_table({.descriptor_size = size, .keypoints = {}, .descriptors = {}});
    EXPECT_TRUE(is_table(table + "1,2,3"));
    EXPECT_FALSE(is_table(table.substr(0, table.size() - 1)));
  }
  EXPECT_FALSE(is_table(feature_table(two_numbers())));
  EXPECT_FALSE(is_table("x,y\n1,2\n"));
}

}  // namespace
}  // namespace lookalike
