#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>

#include "base/error.h"
#include "kernels/surf/surf.h"
#include "tests/kernels/surf/feature_gates.h"

namespace lookalike {
namespace {

// An extraction by OpenCV's SURF on the CPU; reference/ has the figures.
struct Expected {
  std::string image;
  SurfParameters parameters;
  FeatureSet features;
};

Expected load_expected(const std::string& name) {
  const std::string path =
      LOOKALIKE_SOURCE_DIR "/tests/stages/extract/reference/" + name + ".yml.gz";
  const cv::FileStorage file(path, cv::FileStorage::READ);
  if (!file.isOpened()) throw Error(ErrorKind::kInput, "gates: cannot read " + path);
  Expected expected;
  expected.image = static_cast<std::string>(file["image"]);
  expected.parameters.hessian_threshold = static_cast<float>(file["hessian_threshold"]);
  expected.parameters.octaves = static_cast<int>(file["octaves"]);
  expected.parameters.layers = static_cast<int>(file["octave_layers"]);
  expected.parameters.upright = static_cast<int>(file["upright"]) != 0;
  const cv::Mat keypoints = file["keypoints"].mat();
  const cv::Mat descriptors = file["descriptors"].mat();
  for (int i = 0; i < keypoints.rows; ++i) {
    const auto* row = keypoints.ptr<float>(i);
    expected.features.keypoints.push_back({row[0], row[1], row[2], row[3], row[4],
                                           static_cast<int>(row[5]), static_cast<int>(row[6])});
  }
  expected.features.descriptors.assign(descriptors.begin<float>(), descriptors.end<float>());
  return expected;
}

cv::Mat load_photo(const std::string& name) {
  const std::string path = "/usr/share/doc/opencv-doc/examples/data/" + name;
  cv::Mat photo = cv::imread(path, cv::IMREAD_GRAYSCALE);
  if (photo.empty()) {
    throw Error(ErrorKind::kInput, "gates: cannot read " + path + " (of the package opencv-doc)");
  }
  return photo;
}

ImageView view(const cv::Mat& photo) {
  return {photo.data, photo.cols, photo.rows};
}

class SurfGates : public ::testing::TestWithParam<const char*> {};

TEST_P(SurfGates, DeviceAgreesWithOpenCv) {
  const Expected expected = load_expected(GetParam());
  const cv::Mat photo = load_photo(expected.image);
  OpenClSession session;
  Surf surf(session, expected.parameters);
  const std::vector<ImageView> images = {view(photo)};
  expect_gates_hold(surf.extract(images).front(), expected.features);
}

TEST_P(SurfGates, ReferenceAgreesWithOpenCv) {
  const Expected expected = load_expected(GetParam());
  const cv::Mat photo = load_photo(expected.image);
  expect_gates_hold(surf_reference(view(photo), expected.parameters), expected.features);
}

INSTANTIATE_TEST_SUITE_P(Photos, SurfGates,
                         ::testing::Values("box-h100", "box-h400", "box_in_scene-h400",
                                           "graf1-h400", "graf1-h400-upright", "graf3-h400",
                                           "home-h400"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

class SurfDeviceAndReference : public ::testing::TestWithParam<const char*> {};

// Photos without reference figures, with split sums.
TEST_P(SurfDeviceAndReference, Agree) {
  const cv::Mat photo = load_photo(GetParam());
  const SurfParameters parameters = {.hessian_threshold = 200, .descriptor_size = 128};
  OpenClSession session;
  Surf surf(session, parameters);
  const std::vector<ImageView> images = {view(photo)};
  expect_gates_hold(surf.extract(images).front(), surf_reference(view(photo), parameters));
}

INSTANTIATE_TEST_SUITE_P(Photos, SurfDeviceAndReference,
                         ::testing::Values("leuvenA.jpg", "baboon.jpg", "fruits.jpg"),
                         [](const auto& tested) {
                           const std::string name = tested.param;
                           return name.substr(0, name.find('.'));
                         });

}  // namespace
}  // namespace lookalike
