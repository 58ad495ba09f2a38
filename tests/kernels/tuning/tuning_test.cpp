#include "kernels/tuning/tuning.h"

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace lookalike {
namespace {

enum class Shape { kRound, kSquare };

std::string_view to_string(Shape shape) {
  return shape == Shape::kRound ? "round" : "square";
}

TuningFile file_with(std::vector<Measurement> measurements) {
  return {.measurements = std::move(measurements)};
}

std::optional<std::string> fastest(const Tuning& tuning, const TuningSizes& sizes,
                                   const std::vector<std::string>& variants = {"a", "b"}) {
  return tuning.fastest("kernel", sizes, variants);
}

TEST(OctavesBetween, AreThoseOfEachSizeSquaredAndSummed) {
  EXPECT_DOUBLE_EQ(octaves_between({{"a", 8}, {"b", 1}}, {{"a", 1}, {"b", 16}}), 5);
  EXPECT_EQ(octaves_between({{"a", 0}}, {{"a", 1}}), 0);
  EXPECT_TRUE(std::isinf(octaves_between({{"a", 1}}, {{"b", 1}})));
  EXPECT_TRUE(std::isinf(octaves_between({{"a", 1}}, {{"a", 1}, {"b", 1}})));
}

TEST(Tuning, FastestVariantAtTheNearestSizesWins) {
  const Tuning tuning({file_with({{"kernel", {{"n", 100}}, "a", 1},
                                  {"kernel", {{"n", 100}}, "b", 2},
                                  {"kernel", {{"n", 10000}}, "a", 50},
                                  {"kernel", {{"n", 10000}}, "b", 40}})});
  EXPECT_EQ(fastest(tuning, {{"n", 100}}), "a");
  EXPECT_EQ(fastest(tuning, {{"n", 10000}}), "b");
  EXPECT_EQ(fastest(tuning, {{"n", 0}}), "a");
  EXPECT_EQ(fastest(tuning, {{"n", 900}}), "a");
  EXPECT_EQ(fastest(tuning, {{"n", 1100}}), "b");
}

TEST(Tuning, HalfWayBetweenSizesTheSmallerCount) {
  const Tuning tuning(
      {file_with({{"kernel", {{"n", 1024}}, "a", 1}, {"kernel", {{"n", 64}}, "b", 1}})});
  EXPECT_EQ(fastest(tuning, {{"n", 256}}), "b");
}

TEST(Tuning, OfEquallyFastVariantsTheFirstGuessWins) {
  const Tuning tuning(
      {file_with({{"kernel", {{"n", 1}}, "a", 2}, {"kernel", {{"n", 1}}, "b", 2}})});
  EXPECT_EQ(fastest(tuning, {{"n", 1}}, {"a", "b"}), "a");
  EXPECT_EQ(fastest(tuning, {{"n", 1}}, {"b", "a"}), "b");
}

TEST(Tuning, VariantsThatTheDeviceCannotRunDoNotCount) {
  const Tuning tuning({file_with({{"kernel", {{"n", 1}}, "matrix", 1},
                                  {"kernel", {{"n", 1}}, "b", 3},
                                  {"kernel", {{"n", 1}}, "a", 2}})});
  EXPECT_EQ(fastest(tuning, {{"n", 1}}), "a");
  EXPECT_EQ(fastest(tuning, {{"n", 1}}, {"c"}), std::nullopt);
}

TEST(Tuning, OtherKernelsAndOtherSizesSayNothing) {
  const Tuning tuning(
      {file_with({{"other", {{"n", 1}}, "a", 1}, {"kernel", {{"width", 1}}, "a", 1}})});
  EXPECT_EQ(fastest(tuning, {{"n", 1}}), std::nullopt);
}

TEST(Tuning, FirstFileThatKnowsTheKernelDecides) {
  const TuningFile own = file_with({{"other", {{"n", 1}}, "a", 1}});
  const TuningFile shipped = file_with({{"kernel", {{"n", 1000}}, "b", 1}});
  const TuningFile alike = file_with({{"kernel", {{"n", 1}}, "a", 1}});
  EXPECT_EQ(fastest(Tuning({own, shipped, alike}), {{"n", 1}}), "b");
}

TEST(ChooseVariant, TakesTheMeasuredVariantElseTheFirst) {
  const std::vector<Shape> shapes = {Shape::kRound, Shape::kSquare};
  const Tuning tuning({file_with({{"draw", {{"n", 1}}, "square", 1}})});
  EXPECT_EQ(choose_variant(tuning, "draw", {{"n", 5}}, shapes), Shape::kSquare);
  EXPECT_EQ(choose_variant(tuning, "fill", {{"n", 5}}, shapes), Shape::kRound);
}

}  // namespace
}  // namespace lookalike
