#include "kernels/surf/surf.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "kernels/surf/tone.h"
#include "tests/kernels/shared_session.h"
#include "tests/kernels/surf/feature_gates.h"
#include "tests/kernels/surf/synthetic_images.h"

namespace lookalike {
namespace {

using ::testing::Each;
using ::testing::Field;
using ::testing::Gt;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<ImageView> views_of(const std::vector<GrayImage>& images) {
  std::vector<ImageView> views;
  for (const GrayImage& image : images) views.push_back(image.view());
  return views;
}

// Runs with each form of the kernels.
class SurfTest : public ::testing::TestWithParam<SurfKernel> {
 protected:
  static FeatureSet extract(const GrayImage& image, const SurfParameters& parameters,
                            const GrayImage& mask = {}) {
    Surf surf(shared_session(), parameters, GetParam());
    const std::vector<ImageView> images = {image.view()};
    const std::vector<ImageView> masks = {mask.view()};
    return surf.extract(images, masks).front();
  }

  void expect_reference(const GrayImage& image, const SurfParameters& parameters) {
    const FeatureSet expected = surf_reference(image.view(), parameters);
    EXPECT_GT(expected.size(), 10U) << "too few to say anything";
    expect_gates_hold(extract(image, parameters), expected);
  }
};

TEST_P(SurfTest, BlobsMatchTheReference) {
  expect_reference(blob_image(320, 240, 1), {});
}

TEST_P(SurfTest, OddSizesMatchTheReference) {
  expect_reference(blob_image(257, 131, 2), {});
  expect_reference(blob_image(93, 301, 3), {});
}

TEST_P(SurfTest, NoiseMatchesTheReference) {
  expect_reference(noise_image(150, 170, 4), {.hessian_threshold = 1000});
}

TEST_P(SurfTest, CheckersMatchTheReference) {
  expect_reference(checker_image(240, 200, 17.3, 0.4), {});
}

TEST_P(SurfTest, DarkImagesAreBrightenedAndBrightOnesBesideThemStay) {
  const GrayImage bright = noise_image(150, 170, 4);
  GrayImage dark = bright;
  for (std::uint8_t& pixel : dark.pixels) pixel = static_cast<std::uint8_t>(pixel / 6);
  const SurfParameters parameters = {.hessian_threshold = 500, .brighten_to = 110};
  expect_reference(dark, parameters);

  Surf surf(shared_session(), parameters, GetParam());
  const std::vector<FeatureSet> together = surf.extract(views_of({bright, dark}));
  EXPECT_EQ(together[0].keypoints, extract(bright, {.hessian_threshold = 500}).keypoints);
  EXPECT_EQ(together[1].keypoints, extract(dark, parameters).keypoints);
  GrayImage toned = dark;
  brighten(toned, 110);
  EXPECT_EQ(together[1].keypoints, extract(toned, {.hessian_threshold = 500}).keypoints);
  EXPECT_GT(together[1].size(), 2 * extract(dark, {.hessian_threshold = 500}).size());
}

TEST_P(SurfTest, LargeKeypointsAreDescribedInTheImageHalved) {
  const GrayImage image = blob_image(331, 257, 8);
  const FeatureSet published = extract(image, {});
  for (const int interval : {2, 3, 4, 8}) {
    expect_reference(image, {.max_interval = interval});
    const FeatureSet found = extract(image, {.max_interval = interval});
    ASSERT_EQ(found.keypoints, published.keypoints);
    std::size_t other = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const double apart = descriptor_distance(found, i, published, i);
      const bool is_large = found.keypoints[i].size * 1.2F / 9 > static_cast<float>(interval);
      EXPECT_LE(apart, is_large ? 0.25 : 0) << i;
      if (apart > 0) ++other;
    }
    EXPECT_GT(other, 10U) << interval;
  }
}

TEST_P(SurfTest, OtherOctavesAndLayersMatchTheReference) {
  const GrayImage image = blob_image(280, 300, 5);
  expect_reference(image, {.hessian_threshold = 50, .octaves = 1, .layers = 1});
  expect_reference(image, {.hessian_threshold = 50, .octaves = 6, .layers = 2});
  expect_reference(image, {.hessian_threshold = 50, .octaves = 6, .layers = 2, .max_interval = 2});
  expect_reference(image, {.hessian_threshold = 50, .octaves = 2, .layers = 8});
}

TEST_P(SurfTest, UprightMatchesTheReference) {
  const GrayImage image = blob_image(200, 220, 6);
  const SurfParameters parameters = {.upright = true};
  expect_reference(image, parameters);
  for (const Keypoint& keypoint : extract(image, parameters).keypoints) {
    EXPECT_EQ(keypoint.angle_degrees, 270);
  }
}

TEST_P(SurfTest, SplitSumsMatchTheReference) {
  expect_reference(blob_image(220, 200, 7), {.descriptor_size = 128});
}

TEST_P(SurfTest, NoFeaturesWhereNoFilterFits) {
  for (const auto& [width, height] : {std::pair(0, 0), {1, 1}, {8, 8}, {400, 8}, {20, 26}}) {
    EXPECT_THAT(extract(noise_image(width, height, 8), {.hessian_threshold = 0}).keypoints,
                IsEmpty())
        << width << " x " << height;
  }
}

TEST_P(SurfTest, SmallestImageThatHoldsAKeypointMatchesTheReference) {
  for (int side = 27; side < 44; ++side) {
    const GrayImage image = blob_image(side, side + 1, 9);
    const SurfParameters parameters = {.hessian_threshold = 0};
    expect_gates_hold(extract(image, parameters), surf_reference(image.view(), parameters));
  }
}

TEST_P(SurfTest, FlatImageHasNoFeatures) {
  EXPECT_THAT(extract(flat_image(200, 200, 255), {.hessian_threshold = 0}).keypoints, IsEmpty());
}

TEST_P(SurfTest, BlobIsFoundAtItsCentreWithItsSign) {
  for (const double height : {100.0, -100.0}) {
    GrayImage image = flat_image(161, 141, 128);
    add_blob(image, 80.3, 70.6, 5, height);
    const FeatureSet features = extract(image, {});
    ASSERT_FALSE(features.keypoints.empty());
    const Keypoint& strongest = features.keypoints.front();
    EXPECT_NEAR(strongest.x, 80.3, 0.5);
    EXPECT_NEAR(strongest.y, 70.6, 0.5);
    EXPECT_EQ(strongest.laplacian_sign, height > 0 ? -1 : 1);
  }
}

TEST_P(SurfTest, BlobOfTwiceTheSizeHasAKeypointOfTwiceTheSize) {
  const auto size_at = [this](double sigma) {
    GrayImage image = flat_image(200, 200, 128);
    add_blob(image, 100, 100, sigma, 100);
    return extract(image, {}).keypoints.at(0).size;
  };
  EXPECT_NEAR(size_at(8) / size_at(4), 2, 0.2);
}

TEST_P(SurfTest, TurnedImageTurnsItsFeatures) {
  const GrayImage image = blob_image(240, 240, 10);
  const FeatureSet straight = extract(image, {});
  FeatureSet turned = extract(turned_image(image), {});
  for (Keypoint& keypoint : turned.keypoints) {
    const float x = keypoint.x;
    keypoint.x = keypoint.y;
    keypoint.y = 239 - x;
  }
  std::size_t found = 0;
  std::size_t alike = 0;
  for (std::size_t i = 0; i < straight.size(); ++i) {
    const auto j = find_same(turned, straight.keypoints[i]);
    if (!j) continue;
    ++found;
    const float apart = turned.keypoints[*j].angle_degrees - straight.keypoints[i].angle_degrees;
    const float beyond_quarter = std::remainder(apart - 90, 360.0F);
    if (std::abs(beyond_quarter) < 6 && descriptor_distance(straight, i, turned, *j) < 0.35)
      ++alike;
  }
  EXPECT_GT(found, straight.size() * 8 / 10);
  EXPECT_GT(alike, found * 8 / 10);
}

TEST_P(SurfTest, DescriptorsHaveLengthOne) {
  for (const std::size_t size : {std::size_t{64}, std::size_t{128}}) {
    const FeatureSet features = extract(blob_image(160, 160, 11), {.descriptor_size = size});
    ASSERT_THAT(features.keypoints, SizeIs(Gt(10U)));
    for (std::size_t i = 0; i < features.size(); ++i) {
      double square = 0;
      const MatrixView<const float> descriptors = features.descriptor_matrix();
      for (const float value : descriptors.row(i)) square += value * value;
      EXPECT_NEAR(square, 1, 1e-5);
    }
  }
}

TEST_P(SurfTest, SignedRootsAreThoseOfTheHost) {
  const GrayImage image = blob_image(200, 150, 5);
  FeatureSet expected = extract(image, {});
  ASSERT_GT(expected.size(), 10U);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    take_signed_roots(std::span(expected.descriptors).subspan(i * 64, 64));
  }
  const FeatureSet found = extract(image, {.signed_roots = true});
  EXPECT_EQ(found.keypoints, expected.keypoints);
  if (shared_session().device().rounds_exactly) {
    EXPECT_EQ(found.descriptors, expected.descriptors);
  } else {
    EXPECT_THAT(found.descriptors,
                testing::Pointwise(testing::FloatNear(1e-6F), expected.descriptors));
  }
}

TEST_P(SurfTest, FeaturesStayOnTheDeviceImageByImage) {
  const std::vector<GrayImage> images = {blob_image(160, 120, 6), flat_image(5, 5, 0),
                                         blob_image(93, 131, 7)};
  OpenClSession& session = shared_session();
  Surf surf(session, {}, GetParam());
  const std::vector<FeatureSet> expected = surf.extract(views_of(images));
  DeviceImages uploaded(session);
  uploaded.upload(views_of(images));
  std::vector<FeatureSet> found(images.size());
  surf.find(uploaded, [&](const FoundFeatures& batch) {
    for (std::size_t i = 0; i < batch.images.size(); ++i) {
      FeatureSet& set = found.at(batch.images[i]);
      const auto [first, count] = batch.range(i);
      set.keypoints.assign(batch.keypoints.data() + first, batch.keypoints.data() + first + count);
      set.descriptors.resize(set.size() * 64);
      session.read<float>(batch.descriptors, set.descriptors, first * 64);
    }
  });
  for (std::size_t i = 0; i < images.size(); ++i) {
    EXPECT_EQ(found[i].keypoints, expected[i].keypoints);
    EXPECT_EQ(found[i].descriptors, expected[i].descriptors);
  }
  EXPECT_THAT(found[1].keypoints, IsEmpty());
}

TEST_P(SurfTest, StrongestComeFirstAndTheCapKeepsThem) {
  const GrayImage image = blob_image(240, 200, 12);
  const FeatureSet all = extract(image, {});
  EXPECT_TRUE(
      std::is_sorted(all.keypoints.begin(), all.keypoints.end(),
                     [](const Keypoint& a, const Keypoint& b) { return a.response > b.response; }));
  const FeatureSet capped = extract(image, {.max_features = 20});
  ASSERT_EQ(capped.size(), 20U);
  ASSERT_EQ(capped.descriptors.size(), 20U * 64);
  EXPECT_TRUE(std::equal(capped.keypoints.begin(), capped.keypoints.end(), all.keypoints.begin()));
  EXPECT_TRUE(
      std::equal(capped.descriptors.begin(), capped.descriptors.end(), all.descriptors.begin()));
}

TEST_P(SurfTest, MaskKeepsTheKeypointsUnderIt) {
  const GrayImage image = blob_image(240, 200, 13);
  GrayImage mask = flat_image(240, 200, 0);
  for (int y = 0; y < 200; ++y) {
    for (int x = 0; x < 120; ++x) mask.at(x, y) = 1;
  }
  const auto left = [](const Keypoint& keypoint) { return std::lround(keypoint.x) < 120; };
  const FeatureSet all = extract(image, {});
  const FeatureSet masked = extract(image, {}, mask);
  const auto expected = std::count_if(all.keypoints.begin(), all.keypoints.end(), left);
  EXPECT_THAT(expected, Gt(10));
  EXPECT_EQ(masked.size(), static_cast<std::size_t>(expected));
  EXPECT_TRUE(std::all_of(masked.keypoints.begin(), masked.keypoints.end(), left));
  EXPECT_EQ(surf_reference(image.view(), {}, mask.view()).size(), masked.size());
}

TEST_P(SurfTest, NothingIsFoundUnderAnEmptyMask) {
  EXPECT_THAT(extract(blob_image(100, 100, 14), {}, flat_image(100, 100, 0)).keypoints, IsEmpty());
}

TEST_P(SurfTest, MismatchedMasksAreRefused) {
  OpenClSession& session = shared_session();
  Surf surf(session, {}, GetParam());
  const GrayImage image = flat_image(60, 50, 0);
  const GrayImage mask = flat_image(50, 60, 1);
  const std::vector<ImageView> images = {image.view()};
  const std::vector<ImageView> wrong_size = {mask.view()};
  const std::vector<ImageView> too_many = {image.view(), image.view()};
  for (const auto& masks : {wrong_size, too_many}) {
    try {
      surf.extract(images, masks);
      FAIL() << "must be refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kInternal);
    }
  }
}

TEST_P(SurfTest, ParametersOutOfRangeAreRefused) {
  OpenClSession& session = shared_session();
  for (const SurfParameters& wrong :
       {SurfParameters{.hessian_threshold = -1}, SurfParameters{.hessian_threshold = NAN},
        SurfParameters{.octaves = 0}, SurfParameters{.octaves = 7}, SurfParameters{.layers = 0},
        SurfParameters{.layers = 9}, SurfParameters{.descriptor_size = 65},
        SurfParameters{.max_interval = 1}}) {
    EXPECT_THROW(Surf(session, wrong, GetParam()), Error);
    EXPECT_THROW(surf_reference({}, wrong), Error);
  }
}

TEST_P(SurfTest, TwoRunsAgreeBitForBit) {
  const GrayImage image = blob_image(300, 200, 19);
  OpenClSession& session = shared_session();
  Surf surf(session, {}, GetParam());
  const std::vector<ImageView> images = {image.view()};
  const FeatureSet first = surf.extract(images).front();
  const FeatureSet second = surf.extract(images).front();
  EXPECT_EQ(first.keypoints, second.keypoints);
  EXPECT_EQ(first.descriptors, second.descriptors);
}

TEST_P(SurfTest, NoKeypointIsLostWhenThereAreManyMoreThanUsual) {
  const GrayImage image = noise_image(400, 340, 20);
  const SurfParameters parameters = {.hessian_threshold = 0, .upright = true};
  const FeatureSet features = extract(image, parameters);
  EXPECT_THAT(features.keypoints, SizeIs(Gt(400U * 340 / 32)));  // the room that is taken first
  expect_gates_hold(features, surf_reference(image.view(), parameters));
}

TEST_P(SurfTest, OutOfMemoryIsReportedAndASmallerImageStillWorks) {
  OpenClSession session({.memory_limit_bytes = 3'000'000});
  Surf surf(session, {}, GetParam());
  const GrayImage large = blob_image(500, 400, 21);
  const GrayImage small = blob_image(100, 90, 22);
  const std::vector<ImageView> large_images = {large.view()};
  const std::vector<ImageView> small_images = {small.view()};
  EXPECT_THROW(surf.extract(large_images), DeviceOutOfMemory);
  EXPECT_EQ(surf.extract(small_images).front().keypoints, extract(small, {}).keypoints);
}

TEST_P(SurfTest, TiesAreBrokenBySizeOctaveAndPlace) {
  // The same picture twice side by side: every keypoint has a twin of the same response.
  const GrayImage half = blob_image(128, 100, 50);
  GrayImage image(256, 100);
  for (int y = 0; y < 100; ++y) {
    for (int x = 0; x < 256; ++x) image.at(x, y) = half.view().at(x % 128, y);
  }
  const std::vector<Keypoint> keypoints = extract(image, {}).keypoints;
  EXPECT_TRUE(
      std::is_sorted(keypoints.begin(), keypoints.end(), [](const Keypoint& a, const Keypoint& b) {
        return std::tie(a.response, a.size, a.octave, a.y, b.x) >
               std::tie(b.response, b.size, b.octave, b.y, a.x);
      }));
  const auto tie = std::adjacent_find(
      keypoints.begin(), keypoints.end(),
      [](const Keypoint& a, const Keypoint& b) { return a.response == b.response; });
  EXPECT_NE(tie, keypoints.end());
}

TEST_P(SurfTest, ImagesOfManySizesTogetherAreAsAlone) {
  const std::vector<GrayImage> images = {blob_image(120, 90, 15),  GrayImage(),
                                         blob_image(200, 210, 16), flat_image(1, 1, 3),
                                         blob_image(200, 210, 17), blob_image(64, 64, 18),
                                         blob_image(90, 301, 19)};
  // Large images are halved more often than small ones beside them.
  const SurfParameters parameters = {.brighten_to = 140, .max_interval = 2};
  OpenClSession& session = shared_session();
  Surf surf(session, parameters, GetParam());
  const std::vector<FeatureSet> together = surf.extract(views_of(images));
  ASSERT_EQ(together.size(), images.size());
  for (std::size_t i = 0; i < images.size(); ++i) {
    const FeatureSet alone = extract(images[i], parameters);
    EXPECT_EQ(together[i].keypoints, alone.keypoints) << i;
    EXPECT_EQ(together[i].descriptors, alone.descriptors) << i;
  }
  EXPECT_THAT(surf.extract({}), IsEmpty());
}

TEST_P(SurfTest, MasksCapsAndImagesTogetherAreAsAlone) {
  const std::vector<GrayImage> images = {blob_image(150, 120, 31), blob_image(90, 140, 32),
                                         blob_image(150, 120, 33), blob_image(80, 80, 34)};
  const std::vector<GrayImage> masks = {flat_image(150, 120, 1), GrayImage(),
                                        checker_image(150, 120, 40, 0.3), flat_image(80, 80, 0)};
  const SurfParameters parameters = {.max_features = 15};
  OpenClSession& session = shared_session();
  Surf surf(session, parameters, GetParam());
  const std::vector<FeatureSet> together = surf.extract(views_of(images), views_of(masks));
  for (std::size_t i = 0; i < images.size(); ++i) {
    const FeatureSet alone = extract(images[i], parameters, masks[i]);
    EXPECT_EQ(together[i].keypoints, alone.keypoints) << i;
    EXPECT_EQ(together[i].descriptors, alone.descriptors) << i;
  }
  EXPECT_THAT(together[0].keypoints, SizeIs(15));
  EXPECT_THAT(together[3].keypoints, IsEmpty());
}

TEST_P(SurfTest, BatchThatDoesNotFitIsHalved) {
  std::vector<GrayImage> images;
  for (std::uint64_t seed = 0; seed < 9; ++seed) {
    images.push_back(blob_image(110, 100, 40 + seed));
  }
  OpenClSession session({.memory_limit_bytes = 2'000'000});
  Surf surf(session, {}, GetParam());
  const std::vector<FeatureSet> together = surf.extract(views_of(images));
  for (std::size_t i = 0; i < images.size(); ++i) {
    EXPECT_EQ(together[i].keypoints, extract(images[i], {}).keypoints) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(, SurfTest, ::testing::Values(SurfKernel::kCpu, SurfKernel::kGpu),
                         [](const auto& form) { return std::string(to_string(form.param)); });

// Reads a binary 8-bit PGM file without comments. Throws Error(kInput) on any other.
GrayImage read_pgm(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string magic;
  int width = 0;
  int height = 0;
  int most = 0;
  file >> magic >> width >> height >> most;
  file.get();
  if (!file || magic != "P5" || most != 255) {
    throw Error(ErrorKind::kInput, "PGM: not a binary 8-bit PGM file: " + path.string());
  }
  GrayImage image(width, height);
  file.read(reinterpret_cast<char*>(image.pixels.data()),
            static_cast<std::streamsize>(image.pixels.size()));
  return image;
}

// Returns the photos of a folder of binary .pgm files, when LOOKALIKE_GATE_IMAGES names one, and
// two drawn images otherwise.
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
  const std::vector<ImageView> views = views_of(images);
  std::vector<FeatureSet> expected;
  for (const ImageView& view : views) {
    expected.push_back(surf_reference(view, {.hessian_threshold = 400}));
  }
  for (const std::string& device : every_device()) {
    OpenClSession& session = shared_session(device);
    for (const SurfKernel kernel : surf_kernels(session)) {
      SCOPED_TRACE(session.device().name + ", " + std::string(to_string(kernel)));
      Surf surf(session, {.hessian_threshold = 400}, kernel);
      const std::vector<FeatureSet> features = surf.extract(views);
      for (std::size_t k = 0; k < views.size(); ++k) expect_gates_hold(features[k], expected[k]);
    }
  }
}

}  // namespace
}  // namespace lookalike
