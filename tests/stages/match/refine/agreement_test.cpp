#include "stages/match/refine/agreement.h"

#include <cstdint>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/random.h"

namespace lookalike {
namespace {

constexpr int kNoiseWidth = 160;
constexpr int kNoiseHeight = 128;  // 80 cells

GrayImage noise(std::uint64_t seed) {
  Random random(seed);
  GrayImage image(kNoiseWidth, kNoiseHeight);
  for (std::uint8_t& pixel : image.pixels) pixel = static_cast<std::uint8_t>(random.below(256));
  return image;
}

GrayImage all(std::uint8_t value) {
  GrayImage image(kNoiseWidth, kNoiseHeight);
  image.pixels.assign(image.pixels.size(), value);
  return image;
}

double agreement(const GrayImage& a, const GrayImage& b, const GrayImage& mask = all(255)) {
  return detail_agreement(compare_cells(a.view(), b.view(), mask.view()));
}

TEST(DetailAgreement, IsOneForEqualViewsButForThePriorCells) {
  EXPECT_NEAR(agreement(noise(1), noise(1)), 80 / (80 + kPriorCells), 1e-12);
}

TEST(DetailAgreement, IsAboutZeroForUnrelatedViews) {
  EXPECT_NEAR(agreement(noise(1), noise(2)), 0, 0.02);
}

TEST(DetailAgreement, LightAndContrastDoNotCount) {
  GrayImage dim = noise(1);
  for (std::uint8_t& pixel : dim.pixels) pixel = static_cast<std::uint8_t>(pixel / 4 + 20);
  EXPECT_NEAR(agreement(noise(1), dim), agreement(noise(1), noise(1)), 0.01);
}

TEST(DetailAgreement, LargeShapesInCommonSayLittle) {
  GrayImage a = noise(1);
  GrayImage b = noise(2);
  // Both are bright in their upper half, so that they correlate as wholes.
  for (GrayImage* image : {&a, &b}) {
    for (int y = 0; y < kNoiseHeight; ++y) {
      for (int x = 0; x < kNoiseWidth; ++x) {
        image->at(x, y) = static_cast<std::uint8_t>(image->at(x, y) / 8 + (y < 64 ? 200 : 0));
      }
    }
  }
  EXPECT_NEAR(agreement(a, b), 0, 0.02);
}

TEST(DetailAgreement, FewCellsAreNoProof) {
  GrayImage mask = all(0);
  for (int y = 0; y < 32; ++y) {
    for (int x = 0; x < 32; ++x) mask.at(x, y) = 255;  // four cells
  }
  EXPECT_NEAR(agreement(noise(1), noise(1), mask), 4 / (4 + kPriorCells), 1e-12);
  EXPECT_EQ(agreement(noise(1), noise(1), all(0)), 0);
}

TEST(DetailAgreement, FlatCellsOfTheObjectAreLeftOutAndThoseOfTheOtherAgreeInNothing) {
  EXPECT_EQ(agreement(all(90), noise(1)), 0);
  EXPECT_EQ(agreement(noise(1), all(90)), 0);
}

TEST(DetailAgreement, ViewsOfDifferentSizesAreABug) {
  const GrayImage narrow(kNoiseWidth - 1, kNoiseHeight);
  EXPECT_THROW(agreement(noise(1), narrow), Error);
  EXPECT_THROW(agreement(noise(1), noise(1), narrow), Error);
}

// A view with a picture between two black bars.
GrayImage between_bars(std::uint64_t seed) {
  GrayImage image = noise(seed);
  for (int y = 0; y < kNoiseHeight; ++y) {
    if (y >= 32 && y < 96) continue;
    for (int x = 0; x < kNoiseWidth; ++x) image.at(x, y) = static_cast<std::uint8_t>(x % 3);
  }
  return image;
}

TEST(WithoutBars, LeavesOutThoseThatBothViewsShow) {
  GrayImage telling = without_bars(between_bars(1).view(), between_bars(2).view(), all(255).view());
  EXPECT_EQ(telling.at(80, 16), 0);
  EXPECT_EQ(telling.at(80, 64), 255);
  EXPECT_EQ(telling.at(80, 112), 0);
}

TEST(WithoutBars, KeepsWhatIsFlatInOneView) {
  EXPECT_EQ(without_bars(between_bars(1).view(), noise(2).view(), all(255).view()).pixels,
            all(255).pixels);
  EXPECT_EQ(without_bars(noise(2).view(), between_bars(1).view(), all(255).view()).pixels,
            all(255).pixels);
}

TEST(WithoutBars, KeepsFlatGroundBesideDetail) {
  GrayImage framed = noise(1);
  for (int y = 32; y < 96; ++y) {
    for (int x = 32; x < 128; ++x) framed.at(x, y) = 200;
  }
  EXPECT_EQ(without_bars(framed.view(), framed.view(), all(255).view()).pixels, all(255).pixels);
}

TEST(WithoutBars, KeepsAllIfNothingElseIsLeft) {
  GrayImage mask = all(255);
  mask.at(3, 3) = 0;
  EXPECT_EQ(without_bars(all(90).view(), all(90).view(), mask.view()).pixels, mask.pixels);
}

constexpr int kColumns = 14;
constexpr int kRows = 20;
constexpr int kImageWidth = kColumns * kDetailCellPx;
constexpr int kImageHeight = kRows * kDetailCellPx;

// A view whose rows from `first` to before `end` agree; the others do not.
std::vector<DetailCell> cells_agreeing(int first, int end) {
  std::vector<DetailCell> cells;
  for (int row = 0; row < kRows; ++row) {
    for (int column = 0; column < kColumns; ++column) {
      const double noise = (row + column) % 2 == 0 ? 0.1 : -0.1;
      cells.push_back({column, row, row >= first && row < end ? 0.9 : noise});
    }
  }
  return cells;
}

// One in the middle of each cell of these rows.
std::vector<Point> features_in(int first, int end) {
  std::vector<Point> features;
  for (int row = first; row < end; ++row) {
    for (int column = 0; column < kColumns; ++column) {
      features.push_back({(column + 0.5) * kDetailCellPx, (row + 0.5) * kDetailCellPx});
    }
  }
  return features;
}

std::optional<Quad> part(const std::vector<DetailCell>& cells, const std::vector<Point>& features) {
  return shared_part(cells, features, kImageWidth, kImageHeight);
}

TEST(SharedPart, IsTheBandThatAloneAgrees) {
  const Quad band = {{{0, 32}, {224, 32}, {224, 96}, {0, 96}}};
  const auto found = part(cells_agreeing(2, 6), features_in(2, 6));
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, band);
}

TEST(SharedPart, HasARimOfCellsThatMayAgreeOrNot) {
  std::vector<DetailCell> cells = cells_agreeing(0, 0);
  for (DetailCell& cell : cells) {
    const bool in_part_or_rim =
        cell.column >= 2 && cell.column <= 11 && cell.row >= 3 && cell.row <= 12;
    if (in_part_or_rim) cell.correlation = 0.9;
  }
  std::vector<Point> features;  // in the part alone
  for (const Point& feature : features_in(4, 12)) {
    const double column = feature.x / kDetailCellPx;
    if (column > 3 && column < 11) features.push_back(feature);
  }
  EXPECT_EQ(part(cells, features), (Quad{{{48, 64}, {176, 64}, {176, 192}, {48, 192}}}));
}

TEST(SharedPart, IsNotHalfOfAnObject) {
  EXPECT_FALSE(part(cells_agreeing(0, 10), features_in(0, 10)));
}

TEST(SharedPart, IsNoneWhereTheRestAgreesWithoutFeatures) {
  EXPECT_FALSE(part(cells_agreeing(0, kRows), features_in(2, 6)));
}

TEST(SharedPart, FeaturesInCellsThatDisagreeAreChance) {
  std::vector<Point> features = features_in(2, 6);
  features.push_back({100, 300});
  EXPECT_EQ(part(cells_agreeing(2, 6), features), part(cells_agreeing(2, 6), features_in(2, 6)));
}

TEST(SharedPart, MayBeTwoBarsOnOppositeSides) {
  std::vector<DetailCell> cells = cells_agreeing(0, 2);
  for (DetailCell& cell : cells) {
    if (cell.row >= kRows - 2) cell.correlation = 0.9;
  }
  std::vector<Point> features = features_in(0, 2);
  for (const Point& feature : features_in(kRows - 2, kRows)) features.push_back(feature);
  EXPECT_EQ(part(cells, features), (Quad{{{0, 0}, {224, 0}, {224, 320}, {0, 320}}}));
  features.push_back(features_in(kRows / 2, kRows / 2 + 1).front());
  EXPECT_TRUE(part(cells, features)) << "by chance, where nothing agrees";
  for (DetailCell& cell : cells) {
    if (cell.row >= 6 && cell.row < 12) cell.correlation = 0.9;
  }
  EXPECT_FALSE(part(cells, features)) << "what lies between them agrees as well";
}

TEST(SharedPart, NeedsSomethingToDisagree) {
  std::vector<DetailCell> cells = cells_agreeing(2, 6);
  std::erase_if(cells, [](const DetailCell& cell) { return cell.row < 2 || cell.row >= 6; });
  EXPECT_FALSE(part(cells, features_in(2, 6)));
}

TEST(SharedPart, NeedsFeatures) {
  EXPECT_FALSE(part(cells_agreeing(2, 6), {}));
}

}  // namespace
}  // namespace lookalike
