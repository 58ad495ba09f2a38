#include "kernels/correlation/correlation_image.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "kernels/correlation/correlation.h"
#include "tests/kernels/correlation/every_correlation.h"
#include "tests/kernels/correlation/pictures.h"

namespace lookalike {
namespace {

class CorrelationImageTest : public EveryCorrelation {
 protected:
  std::vector<float> read(const CorrelationMaps& maps, std::size_t index) {
    const CorrelationMaps::Place& place = maps.places[index];
    std::vector<float> map;
    for (int y = 0; y < place.height; ++y) {
      std::vector<float> row(static_cast<std::size_t>(place.width));
      session().read<float>(maps.values, row,
                            place.offset + static_cast<std::size_t>(y * place.pitch));
      map.insert(map.end(), row.begin(), row.end());
    }
    return map;
  }
};

INSTANTIATE_TEST_SUITE_P(EveryDevice, CorrelationImageTest, every_form(), name_of);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CorrelationImageTest);

TEST_P(CorrelationImageTest, ManyPatternsGiveTheMapsOfTheReference) {
  const GrayImage scene = noise(101, 83, 40);
  CorrelationImage image(session(), scene.view());
  const GrayImage wide = noise(70, 5, 41);
  const GrayImage square = noise(16, 16, 42);
  const GrayImage other = noise(16, 16, 43);
  const GrayImage mask = noise(16, 16, 44, 0, 1);
  const std::vector<CorrelationPattern> patterns = {{wide.view()},
                                                    {square.view()},
                                                    {other.view(), mask.view()},
                                                    {other.view()},
                                                    {square.view(), mask.view()}};
  const CorrelationMaps maps = correlation().maps(image, patterns);
  ASSERT_EQ(maps.places.size(), patterns.size());
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    SCOPED_TRACE("pattern " + std::to_string(i));
    expect_near_or_both_undefined(
        read(maps, i), correlation_reference(scene.view(), patterns[i].pixels, patterns[i].mask));
  }
}

TEST_P(CorrelationImageTest, MaskedPixelsCountNowhere) {
  GrayImage scene = noise(60, 50, 45);
  GrayImage pattern = crop(scene.view(), 21, 17, 20, 12);
  GrayImage mask = noise(20, 12, 0, 255, 255);
  for (int y = 0; y < 12; ++y) {
    for (int x = 0; x < 7; ++x) {
      mask.at(x, y) = 0;
      pattern.at(x, y) = static_cast<std::uint8_t>(255 - pattern.at(x, y));
    }
  }
  CorrelationImage image(session(), scene.view());
  const CorrelationPattern masked = {pattern.view(), mask.view()};
  const auto peak = correlation().best_matches(image, {&masked, 1}).front();
  ASSERT_TRUE(peak);
  EXPECT_NEAR(peak->x, 21, 0.5);
  EXPECT_NEAR(peak->y, 17, 0.5);
  EXPECT_GE(peak->correlation, 0.999999F);
}

TEST_P(CorrelationImageTest, WindowsFlatUnderTheMaskAreUndefined) {
  GrayImage scene = noise(40, 20, 46);
  for (int y = 0; y < 20; ++y) {
    for (int x = 10; x < 20; ++x) scene.at(x, y) = 200;
  }
  const GrayImage pattern = noise(12, 6, 47);
  GrayImage mask = noise(12, 6, 0, 1, 1);
  for (int y = 0; y < 6; ++y) mask.at(0, y) = mask.at(11, y) = 0;
  CorrelationImage image(session(), scene.view());
  const std::vector<float> map = correlation().map(image, {pattern.view(), mask.view()});
  EXPECT_TRUE(std::isnan(map[9]));
  EXPECT_FALSE(std::isnan(map[8]));
  expect_near_or_both_undefined(map,
                                correlation_reference(scene.view(), pattern.view(), mask.view()));
}

TEST_P(CorrelationImageTest, MaskOfNothingIsUndefinedEverywhere) {
  const GrayImage scene = noise(20, 20, 48);
  const GrayImage pattern = noise(5, 5, 49);
  const GrayImage nothing = noise(5, 5, 0, 0, 0);
  CorrelationImage image(session(), scene.view());
  const CorrelationPattern masked = {pattern.view(), nothing.view()};
  EXPECT_FALSE(correlation().best_matches(image, {&masked, 1}).front());
}

TEST_P(CorrelationImageTest, MaskOfAnotherSizeIsABug) {
  const GrayImage scene = noise(20, 20, 50);
  const GrayImage pattern = noise(5, 5, 51);
  const GrayImage mask = noise(5, 4, 52);
  CorrelationImage image(session(), scene.view());
  EXPECT_THROW(correlation().map(image, {pattern.view(), mask.view()}), Error);
}

TEST_P(CorrelationImageTest, NoPatternsGiveNoMaps) {
  const GrayImage scene = noise(20, 20, 53);
  CorrelationImage image(session(), scene.view());
  EXPECT_TRUE(correlation().maps(image, {}).places.empty());
  EXPECT_TRUE(correlation().best_matches(image, {}).empty());
}

}  // namespace
}  // namespace lookalike
