#include "tools/lookalike/feature_table.h"

#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "pipeline/error.h"
#include "tests/temporary_folder.h"

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

TEST(WriteFeatureTable, WritesTheTable) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "features.csv").native();
  write_feature_table(file, two_numbers());
  std::ifstream stream(file);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(stream), {}), feature_table(two_numbers()));
}

TEST(WriteFeatureTable, AFileThatCannotBeWrittenIsAStorageError) {
  try {
    write_feature_table("/nowhere/features.csv", two_numbers());
    FAIL() << "written";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kStorage);
  }
}

}  // namespace
}  // namespace lookalike
