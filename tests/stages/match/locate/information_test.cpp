#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/random.h"
#include "stages/match/locate/search_object.h"

namespace lookalike {
namespace {

constexpr double kAll = 1e9;

// Grey levels of grey(x, y) and some noise.
template <typename Grey>
GrayImage drawn(int width, int height, double noise, std::uint64_t seed, const Grey& grey) {
  Random random(seed);
  GrayImage image(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const double value = grey(x, y) + noise * random.normal();
      image.at(x, y) = static_cast<std::uint8_t>(std::clamp(std::lround(value), 0L, 255L));
    }
  }
  return image;
}

double nats(const GrayImage& object, const GrayImage& scene, double enough = kAll,
            bool reversed = false) {
  return information(SearchObject(object.view(), {}), scene.view(), {}, reversed, enough);
}

TEST(AutocorrelationProduct, IsTheSumOverAllShifts) {
  constexpr int kWidth = 5;
  constexpr int kHeight = 3;
  Random random(1);
  std::vector<double> a(kWidth * kHeight);
  std::vector<double> b(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = random.normal();
    b[i] = random.normal();
  }
  const auto autocorrelation = [&](const std::vector<double>& image, int right, int down) {
    double sum = 0;
    for (int y = std::max(0, -down); y < std::min(kHeight, kHeight - down); ++y) {
      for (int x = std::max(0, -right); x < std::min(kWidth, kWidth - right); ++x) {
        sum += image[static_cast<std::size_t>(y * kWidth + x)] *
               image[static_cast<std::size_t>((y + down) * kWidth + x + right)];
      }
    }
    return sum;
  };
  double expected = 0;
  for (int down = 1 - kHeight; down < kHeight; ++down) {
    for (int right = 1 - kWidth; right < kWidth; ++right) {
      expected += autocorrelation(a, right, down) * autocorrelation(b, right, down);
    }
  }
  EXPECT_NEAR(autocorrelation_product(a, b, kWidth, kHeight), expected, 1e-9 * expected);
}

TEST(AutocorrelationProduct, IsTheSquaresForASinglePixel) {
  EXPECT_NEAR(autocorrelation_product(std::vector{3.0}, std::vector{2.0}, 1, 1), 36, 1e-9);
}

TEST(AutocorrelationProduct, RejectsImagesOfAnotherSize) {
  const std::vector<double> six(6);
  const std::vector<double> four(4);
  EXPECT_THROW(autocorrelation_product(six, four, 3, 2), Error);
  EXPECT_THROW(autocorrelation_product(six, six, 2, 2), Error);
  EXPECT_THROW(autocorrelation_product({}, {}, 0, 0), Error);
}

TEST(Information, TextureThroughNoiseSaysMoreThanTwoEdgesThatAgree) {
  const auto texture = [](double noise, std::uint64_t seed) {
    Random random(9);
    return drawn(64, 64, noise, seed, [&](int, int) { return 128 + 20 * random.normal(); });
  };
  const auto edge = [](double at, std::uint64_t seed) {
    return drawn(64, 64, 2, seed, [&](int x, int) { return x < at ? 60.0 : 200.0; });
  };
  // Correlations of about 0.7 and 0.95.
  const double by_texture = nats(texture(0, 1), texture(20, 2));
  const double by_edge = nats(edge(32, 3), edge(33, 4));
  EXPECT_GT(by_texture, 200);
  EXPECT_LT(by_edge, 20);
}

TEST(Information, AnUnrelatedSceneGivesNone) {
  const auto noise = [](std::uint64_t seed) {
    return drawn(64, 64, 30, seed, [](int, int) { return 128.0; });
  };
  EXPECT_LT(nats(noise(1), noise(2)), 10);
}

TEST(Information, CountsTheNegativeWherePolarityIsReversed) {
  const GrayImage object = drawn(40, 40, 30, 1, [](int, int) { return 128.0; });
  GrayImage negative = object;
  for (std::uint8_t& pixel : negative.pixels) pixel = static_cast<std::uint8_t>(255 - pixel);
  EXPECT_GT(nats(object, negative, kAll, true), 200);
  EXPECT_EQ(nats(object, negative, kAll, false), 0);
}

TEST(Information, StopsWhereThereIsEnough) {
  const GrayImage object = drawn(64, 64, 30, 1, [](int, int) { return 128.0; });
  const double enough = nats(object, object, 20);
  EXPECT_GE(enough, 20);
  EXPECT_LT(enough, nats(object, object));
}

}  // namespace
}  // namespace lookalike
