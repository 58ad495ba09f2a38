#include "stages/match/refine/shared_part.h"

#include <vector>

#include <gtest/gtest.h>

namespace lookalike {
namespace {

constexpr int kColumns = 14;
constexpr int kRows = 20;
constexpr int kWidth = kColumns * kDetailCellPx;
constexpr int kHeight = kRows * kDetailCellPx;

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
  return shared_part(cells, features, kWidth, kHeight);
}

TEST(SharedPart, IsTheBandThatAloneAgrees) {
  const Quad band = {{{0, 32}, {224, 32}, {224, 96}, {0, 96}}};
  const auto found = part(cells_agreeing(2, 6), features_in(2, 6));
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, band);
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
