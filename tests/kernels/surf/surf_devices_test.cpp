#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/surf/surf.h"
#include "tests/kernels/shared_session.h"
#include "tests/kernels/surf/feature_gates.h"
#include "tests/kernels/surf/pgm.h"
#include "tests/kernels/surf/synthetic_images.h"

namespace lookalike {
namespace {

using ::testing::Each;
using ::testing::Field;
using ::testing::Gt;
using ::testing::SizeIs;

// The photos of a folder of binary .pgm files, when LOOKALIKE_GATE_IMAGES names one, and two
// drawn images otherwise.
std::vector<GrayImage> gate_images() {
  const char* folder = std::getenv("LOOKALIKE_GATE_IMAGES");
  if (folder == nullptr) return {blob_image(400, 300, 23), checker_image(320, 240, 23.7, 0.7)};
  std::vector<GrayImage> images;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".pgm") images.push_back(read_pgm(entry.path()));
  }
  return images;
}

TEST(Surf, EveryDeviceMatchesTheReferenceOnGateImages) {
  const std::vector<GrayImage> images = gate_images();
  ASSERT_THAT(images, Each(Field(&GrayImage::pixels, SizeIs(Gt(0U)))));
  ASSERT_FALSE(images.empty());
  std::vector<ImageView> views;
  views.reserve(images.size());
  for (const GrayImage& image : images) views.push_back(image.view());
  std::vector<FeatureSet> expected;
  for (const ImageView& view : views) {
    expected.push_back(surf_reference(view, {.hessian_threshold = 400}));
  }
  const std::vector<Device> devices = list_devices();
  for (std::size_t i = 0; i < devices.size(); ++i) {
    OpenClSession& session = shared_session("::" + std::to_string(i));
    for (const SurfKernel kernel : surf_kernels(session)) {
      SCOPED_TRACE(devices[i].info.name + ", " + std::string(to_string(kernel)));
      Surf surf(session, {.hessian_threshold = 400}, kernel);
      const std::vector<FeatureSet> features = surf.extract(views);
      for (std::size_t k = 0; k < views.size(); ++k) expect_gates_hold(features[k], expected[k]);
    }
  }
}

}  // namespace
}  // namespace lookalike
