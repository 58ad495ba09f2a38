#include "kernels/variants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "kernels/assign/assign.h"
#include "kernels/correlation/correlation.h"
#include "kernels/histogram/histogram.h"
#include "kernels/histogram/sorted.h"
#include "kernels/published/convolution/convolution.h"
#include "kernels/published/integral_image/integral_image.h"
#include "kernels/surf/surf.h"
#include "kernels/transpose/transpose.h"

namespace lookalike {
namespace {

enum class Shape { kRound, kSquare };

std::string_view to_string(Shape shape) {
  return shape == Shape::kRound ? "round" : "square";
}

// Expects the names of the variants from the first to `last`.
template <typename Variant>
void expect_names(Variant last, const std::vector<std::string_view>& names) {
  std::vector<std::string_view> found;
  for (std::size_t i = 0; i <= static_cast<std::size_t>(last); ++i) {
    found.push_back(to_string(static_cast<Variant>(i)));
  }
  EXPECT_EQ(found, names);
  EXPECT_EQ(kVariantNames<Variant>.size(), names.size());
}

TEST(ChooseVariant, TakesTheMeasuredVariantElseTheFirst) {
  const std::vector<Shape> shapes = {Shape::kRound, Shape::kSquare};
  const Tuning tuning({TuningFile{.measurements = {{"draw", {{"n", 1}}, "square", 1}}}});
  EXPECT_EQ(choose_variant(tuning, "draw", {{"n", 5}}, shapes), Shape::kSquare);
  EXPECT_EQ(choose_variant(tuning, "fill", {{"n", 5}}, shapes), Shape::kRound);
}

TEST(VariantNames, FollowTheOrderOfTheirEnums) {
  expect_names(AssignKernel::kCpu,
               {"auto", "gpu1", "gpu2", "gpu3", "gpu4", "gpu5", "fused", "matrix", "cpu"});
  expect_names(HistogramKernel::kSerial, {"auto", "atomic", "local", "serial"});
  expect_names(SortKernel::kSerial, {"auto", "rank", "bitonic", "serial"});
  expect_names(TransposeKernel::kBlocks, {"auto", "naive", "tiled", "blocks"});
  expect_names(ConvolutionKernel::kRegisters, {"auto", "tiled", "registers"});
  expect_names(IntegralKernel::kTiles, {"auto", "transposed", "tiles"});
  expect_names(CorrelationKernel::kFrequency,
               {"auto", "per_position", "tiled", "vector", "dot_product", "matrix", "frequency"});
  expect_names(SurfKernel::kGpu, {"auto", "cpu", "gpu"});
  EXPECT_EQ(to_string(AssignKernel::kGpu5), "gpu5");
  EXPECT_EQ(to_string(CorrelationKernel::kDotProduct), "dot_product");
}

}  // namespace
}  // namespace lookalike
