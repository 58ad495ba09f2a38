#include "kernels/correlation/correlation.h"

#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "kernels/cases.h"
#include "kernels/correlation/window_products.h"
#include "tests/kernels/correlation/pictures.h"
#include "tests/kernels/shared_session.h"

namespace lookalike {
namespace {

// A device and a form of the kernels.
using Form = std::tuple<std::string, CorrelationKernel, bool>;

std::string form_name(const ::testing::TestParamInfo<Form>& info) {
  const auto [device, kernel, double_precision] = info.param;
  return "Device" + device.substr(2) + "_" + std::string(to_string(kernel)) +
         (double_precision ? "_double" : "_float");
}

// Every form on every device.
class CorrelationTest : public ::testing::TestWithParam<Form> {
 protected:
  // While OpenCL is still loaded.
  static void TearDownTestSuite() { compiled().clear(); }

  // Compiled once a form, which takes most of the time.
  Correlation& correlation() {
    std::unique_ptr<Correlation>& correlation = compiled()[GetParam()];
    if (!correlation) {
      const auto& [device, kernel, double_precision] = GetParam();
      correlation = std::make_unique<Correlation>(
          session(), CorrelationOptions{.kernel = kernel, .double_precision = double_precision});
    }
    return *correlation;
  }

  std::optional<CorrelationPeak> best_match(const ImageView& image, const ImageView& pattern) {
    const CorrelationPair pair = {image, pattern};
    return correlation().best_matches({&pair, 1}).front();
  }

  void expect_map_like_reference(const ImageView& image, const ImageView& pattern) {
    const std::vector<float> map = correlation().map(image, pattern);
    EXPECT_EQ(difference(map, correlation_reference(image, pattern), 1e-6), "");
    for (const float value : map) ASSERT_FALSE(std::abs(value) > 1.0F);
  }

  static OpenClSession& session() { return shared_session(std::get<0>(GetParam())); }

 private:
  // The forms that tests have used so far.
  static std::map<Form, std::unique_ptr<Correlation>>& compiled() {
    static std::map<Form, std::unique_ptr<Correlation>> compiled;
    return compiled;
  }
};

// Every form that works on each device, in both precisions.
std::vector<Form> all_forms() {
  if (list_devices().empty()) return {{"::0", CorrelationKernel::kAuto, true}};  // which fails
  std::vector<Form> forms;
  for (const std::string& device : every_device()) {
    for (const CorrelationKernel kernel : correlation_kernels(shared_session(device))) {
      forms.emplace_back(device, kernel, true);
      forms.emplace_back(device, kernel, false);
    }
  }
  return forms;
}

INSTANTIATE_TEST_SUITE_P(EveryDevice, CorrelationTest, ::testing::ValuesIn(all_forms()), form_name);

TEST_P(CorrelationTest, ExactCropIsFoundAtItsPixel) {
  const GrayImage image = noise(131, 97, 1);
  for (const auto& [x, y, width, height] : std::vector<std::array<int, 4>>{
           {0, 0, 24, 24}, {107, 73, 24, 24}, {37, 21, 7, 50}, {64, 4, 33, 17}, {100, 40, 5, 3}}) {
    const GrayImage pattern = crop(image.view(), x, y, width, height);
    const auto peak = best_match(image.view(), pattern.view());
    ASSERT_TRUE(peak);
    EXPECT_NEAR(peak->x, x, 0.5);
    EXPECT_NEAR(peak->y, y, 0.5);
    EXPECT_GE(peak->correlation, 0.999999F);
    EXPECT_LE(peak->correlation, 1.0F);
  }
}

TEST_P(CorrelationTest, LargeBrightPatternIsExact) {
  const GrayImage image = noise(302, 301, 3, 254, 255);
  const GrayImage pattern = crop(image.view(), 1, 1, 300, 300);
  expect_map_like_reference(image.view(), pattern.view());
  EXPECT_GE(correlation().map(image.view(), pattern.view())[4], 0.999999F);
}

TEST_P(CorrelationTest, FlatWindowsAreUndefinedAndOthersAreNot) {
  GrayImage image = noise(40, 30, 5);
  for (int y = 4; y < 20; ++y) {
    for (int x = 7; x < 25; ++x) image.at(x, y) = 255;
  }
  const GrayImage pattern = noise(6, 5, 6);
  const std::vector<float> map = correlation().map(image.view(), pattern.view());
  EXPECT_TRUE(std::isnan(map[4 * 35 + 7]));
  EXPECT_FALSE(std::isnan(map[4 * 35 + 6]));
  expect_map_like_reference(image.view(), pattern.view());
}

TEST_P(CorrelationTest, OneGreyLevelInALargeBrightWindowIsDefined) {
  GrayImage image = noise(280, 280, 1, 255, 255);
  image.at(140, 140) = 254;
  const GrayImage pattern = crop(image.view(), 0, 0, 279, 279);
  EXPECT_GE(correlation().map(image.view(), pattern.view())[0], 0.999999F);
}

TEST_P(CorrelationTest, FlatPatternIsUndefinedEverywhere) {
  const GrayImage image = noise(30, 30, 7);
  const GrayImage flat = noise(4, 4, 0, 255, 255);
  for (const float value : correlation().map(image.view(), flat.view())) {
    EXPECT_TRUE(std::isnan(value));
  }
  EXPECT_FALSE(best_match(image.view(), flat.view()));
}

TEST_P(CorrelationTest, PatternOfOnePixelIsUndefinedEverywhere) {
  const GrayImage image = noise(20, 10, 8);
  const GrayImage pixel = noise(1, 1, 9);
  EXPECT_FALSE(best_match(image.view(), pixel.view()));
}

TEST_P(CorrelationTest, GainAndOffsetDoNotMatter) {
  const GrayImage image = noise(60, 50, 11, 40, 140);
  GrayImage pattern = crop(image.view(), 13, 22, 20, 16);
  for (std::uint8_t& pixel : pattern.pixels) pixel = static_cast<std::uint8_t>(2 * pixel - 50);
  const auto peak = best_match(image.view(), pattern.view());
  ASSERT_TRUE(peak);
  EXPECT_GE(peak->correlation, 0.999999F);
  for (std::uint8_t& pixel : pattern.pixels) pixel = static_cast<std::uint8_t>(255 - pixel);
  const std::vector<float> negative = correlation().map(image.view(), pattern.view());
  EXPECT_LE(negative[22 * 41 + 13], -0.999999F);
}

TEST_P(CorrelationTest, PatternAsLargeAsTheImageGivesOnePosition) {
  const GrayImage image = noise(37, 29, 12);
  const std::vector<float> map = correlation().map(image.view(), image.view());
  ASSERT_EQ(map.size(), 1U);
  EXPECT_GE(map[0], 0.999999F);
  const auto peak = best_match(image.view(), image.view());
  ASSERT_TRUE(peak);
  EXPECT_EQ(peak->x, 0);
  EXPECT_EQ(peak->y, 0);
}

TEST_P(CorrelationTest, ManyPairsGiveWhatEachGivesAlone) {
  std::vector<GrayImage> images;
  std::vector<GrayImage> patterns;
  std::vector<CorrelationPair> pairs;
  for (int i = 0; i < 40; ++i) {
    const int extra = i % 7;
    const auto seed = static_cast<std::uint64_t>(i);
    images.push_back(noise(48 + 9 * extra, 48 - extra, seed));
    patterns.push_back(noise(24 - extra, 20 + extra, 100 + seed, i == 5 ? 9 : 0, i == 5 ? 9 : 255));
  }
  for (std::size_t i = 0; i < images.size(); ++i) {
    pairs.push_back({images[i].view(), patterns[i].view()});
  }
  const auto together = correlation().best_matches(pairs);
  ASSERT_EQ(together.size(), pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto alone = best_match(pairs[i].image, pairs[i].pattern);
    ASSERT_EQ(together[i].has_value(), alone.has_value());
    ASSERT_EQ(alone.has_value(), i != 5);
    if (!alone) continue;
    EXPECT_EQ(together[i]->x, alone->x);
    EXPECT_EQ(together[i]->y, alone->y);
    EXPECT_EQ(together[i]->correlation, alone->correlation);
  }
}

TEST_P(CorrelationTest, PatternsForOneImageGiveWhatEachGivesAlone) {
  const GrayImage scene = noise(101, 83, 40);
  const GrayImage other_scene = noise(101, 83, 41);
  const GrayImage wide = noise(70, 5, 42);
  std::vector<GrayImage> patterns;
  std::vector<CorrelationPair> pairs = {{scene.view(), wide.view()}};
  for (std::uint64_t seed = 43; seed < 48; ++seed) patterns.push_back(noise(16, 16, seed));
  for (const GrayImage& pattern : patterns) pairs.push_back({scene.view(), pattern.view()});
  pairs.push_back({other_scene.view(), patterns[0].view()});
  const auto together = correlation().best_matches(pairs);
  ASSERT_EQ(together.size(), pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto alone = best_match(pairs[i].image, pairs[i].pattern);
    ASSERT_TRUE(alone && together[i]) << i;
    EXPECT_EQ(together[i]->x, alone->x) << i;
    EXPECT_EQ(together[i]->y, alone->y) << i;
    EXPECT_EQ(together[i]->correlation, alone->correlation) << i;
  }
}

TEST_P(CorrelationTest, TieGoesToTheTopmostThenTheLeftmost) {
  GrayImage image = noise(70, 60, 13);
  const GrayImage pattern = noise(8, 8, 14);
  for (const auto& [left, top] : {std::array{50, 20}, std::array{30, 20}, std::array{5, 40}}) {
    for (int y = 0; y < 8; ++y) {
      for (int x = 0; x < 8; ++x) image.at(left + x, top + y) = pattern.view().at(x, y);
    }
  }
  const auto peak = best_match(image.view(), pattern.view());
  ASSERT_TRUE(peak);
  EXPECT_NEAR(peak->x, 30, 0.5);
  EXPECT_NEAR(peak->y, 20, 0.5);
}

TEST_P(CorrelationTest, PeakLiesBetweenPixels) {
  for (const auto& [dx, dy] : {std::pair{0.0, 0.0}, std::pair{0.3, -0.25}, std::pair{-0.45, 0.4}}) {
    const GrayImage image = waves(60, 60, 20 + dx, 18 + dy);
    const GrayImage pattern = waves(24, 24);
    const auto peak = best_match(image.view(), pattern.view());
    ASSERT_TRUE(peak);
    EXPECT_NEAR(peak->x, 20 + dx, 0.1);
    EXPECT_NEAR(peak->y, 18 + dy, 0.1);
  }
}

TEST_P(CorrelationTest, PeakOnTheBorderStaysThere) {
  const GrayImage image = waves(48, 40);
  const GrayImage pattern = crop(image.view(), 24, 0, 24, 24);
  const auto peak = best_match(image.view(), pattern.view());
  ASSERT_TRUE(peak);
  EXPECT_EQ(peak->x, 24);
  EXPECT_EQ(peak->y, 0);
}

TEST_P(CorrelationTest, PeakBesideUndefinedValuesStaysOnThatAxis) {
  // Only one column of windows is defined, so that x stays whole.
  GrayImage image = noise(9, 60, 0, 100, 100);
  const GrayImage pattern = waves(1, 36, 0, 3);
  for (int y = 0; y < 60; ++y) image.at(4, y) = waves(1, 60, 0, 7.3).view().at(0, y);
  const auto peak = best_match(image.view(), pattern.view());
  ASSERT_TRUE(peak);
  EXPECT_EQ(peak->x, 4);
  EXPECT_NEAR(peak->y, 4.3, 0.1);
}

TEST_P(CorrelationTest, PatternThatDoesNotFitIsABug) {
  const GrayImage image = noise(10, 10, 1);
  const GrayImage wide = noise(11, 2, 1);
  EXPECT_THROW(correlation().map(image.view(), wide.view()), Error);
  EXPECT_THROW(correlation().map(image.view(), {}), Error);
  EXPECT_THROW(best_match(wide.view(), image.view()), Error);
}

TEST_P(CorrelationTest, TwoImagesCorrelateAsAMapOfOnePosition) {
  for (const int width : {1, 7, 8, 9, 65, 333}) {
    const GrayImage a = noise(width, 31, 20);
    const GrayImage b = noise(width, 31, 21);
    const auto rho = correlation().correlate(a.view(), b.view());
    ASSERT_TRUE(rho);
    EXPECT_NEAR(*rho, correlation_reference(a.view(), b.view()).front(), 1e-6);
  }
}

TEST_P(CorrelationTest, MaskedPixelsDoNotCountInTheCorrelationOfTwoImages) {
  GrayImage a = noise(45, 32, 22);
  const GrayImage b = crop(a.view(), 0, 0, 45, 32);
  GrayImage mask = noise(45, 32, 0, 200, 200);
  for (int x = 0; x < 45; x += 2) {
    a.at(x, x % 32) = static_cast<std::uint8_t>(255 - a.at(x, x % 32));
    mask.at(x, x % 32) = 0;
  }
  EXPECT_EQ(correlation().correlate(a.view(), b.view(), mask.view()), 1.0F);
  EXPECT_LT(*correlation().correlate(a.view(), b.view()), 0.9999F);
}

TEST_P(CorrelationTest, TheCorrelationOfNothingIsUndefined) {
  const GrayImage image = noise(12, 12, 23);
  const GrayImage flat = noise(12, 12, 0, 77, 77);
  const GrayImage mask = noise(12, 12, 0, 0, 0);
  EXPECT_FALSE(correlation().correlate(image.view(), flat.view()));
  EXPECT_FALSE(correlation().correlate(image.view(), image.view(), mask.view()));
  EXPECT_FALSE(correlation().correlate({}, {}));
}

TEST_P(CorrelationTest, ImagesOfDifferentSizesAreABug) {
  const GrayImage image = noise(12, 12, 24);
  const GrayImage other = noise(12, 11, 24);
  EXPECT_THROW(correlation().correlate(image.view(), other.view()), Error);
  EXPECT_THROW(correlation().correlate(image.view(), image.view(), other.view()), Error);
}

// One pair takes 0.9 MB, the images of all 0.4 MB.
TEST(CorrelationMemoryTest, PairsThatDoNotFitTogetherAreTakenInParts) {
  std::vector<GrayImage> images;
  std::vector<GrayImage> patterns;
  for (int i = 0; i < 12; ++i) {
    images.push_back(noise(200, 160, 70 + static_cast<std::uint64_t>(i)));
    patterns.push_back(crop(images.back().view(), 10 * i, 3 + i, 24, 24));
  }
  std::vector<CorrelationPair> pairs;
  for (std::size_t i = 0; i < images.size(); ++i) {
    pairs.push_back({images[i].view(), patterns[i].view()});
  }
  OpenClSession session({.memory_limit_bytes = 1'200'000});
  Correlation correlation(session, {.kernel = CorrelationKernel::kVector});
  const auto peaks = correlation.best_matches(pairs);
  ASSERT_EQ(peaks.size(), images.size());
  for (std::size_t i = 0; i < peaks.size(); ++i) {
    ASSERT_TRUE(peaks[i]) << i;
    EXPECT_EQ(std::round(peaks[i]->x), 10 * static_cast<float>(i)) << i;
    EXPECT_EQ(std::round(peaks[i]->y), 3 + static_cast<float>(i)) << i;
  }
}

// Pixels are not read. The map of 8 x 8 pixels in side x side takes 16 bytes a position with
// its statistics, and 8 more for sums.
CorrelationPair pair_of(const std::uint8_t* pixels, int side) {
  return {{pixels, side, side}, {pixels, 8, 8}};
}

TEST(FittingTest, PairsAreTakenUntilTheyFillHalfAGibibyte) {
  constexpr std::array<std::uint8_t, 4> kPixels{};
  const std::vector<CorrelationPair> pairs = {pair_of(&kPixels[0], 3000),
                                              pair_of(&kPixels[1], 3000),
                                              pair_of(&kPixels[2], 3000), pair_of(&kPixels[3], 16)};
  EXPECT_EQ(fitting(pairs, true), 2U);
  EXPECT_EQ(fitting(std::span(pairs).subspan(1), true), 3U);
}

TEST(FittingTest, ProductsTakeRoomWhereTheyAreStored) {
  constexpr std::array<std::uint8_t, 2> kPixels{};
  const std::vector<CorrelationPair> pairs = {pair_of(&kPixels[0], 3000),
                                              pair_of(&kPixels[1], 3000)};
  EXPECT_EQ(fitting(pairs, true), 2U);
  EXPECT_EQ(fitting(pairs, false), 1U);
}

TEST(FittingTest, AnImageThatIsSharedTakesNoMoreRoom) {
  constexpr std::uint8_t kPixel{};
  const std::vector<CorrelationPair> pairs(9, pair_of(&kPixel, 3000));
  EXPECT_EQ(fitting(pairs, true), 9U);
}

TEST(FittingTest, APairThatIsTooLargeIsTakenAlone) {
  constexpr std::uint8_t kPixel{};
  const std::vector<CorrelationPair> pairs = {pair_of(&kPixel, 32768), pair_of(&kPixel, 16)};
  EXPECT_EQ(fitting(pairs, true), 1U);
}

}  // namespace
}  // namespace lookalike
