#include "tools/lookalike/benchmark_json.h"

#include <gtest/gtest.h>

namespace lookalike {
namespace {

BenchmarkReport example() {
  BenchmarkReport report{
      .device = {.platform = "P", .vendor = "V", .device = "D", .driver = "1", .kind = "GPU"},
      .ceilings = {.multiply_add_gflops = 1000, .copy_gbs = 80, .read_gbs = 50}};
  report.rows = {{.kernel = "assign",
                  .sizes = {{"words", 64}},
                  .variant = "fused",
                  .chosen = true,
                  .timing = {.kernel_ms = 2, .transfer_ms = 0.25, .wall_ms = 3, .runs = 5},
                  .amount = 1e9},
                 {.kernel = "assign", .variant = "gpu1", .note = "failed: x"},
                 {.kernel = "surf",
                  .variant = "layers",
                  .timing = {.kernel_ms = 20, .wall_ms = 20},
                  .unit = WorkUnit::kPixels,
                  .amount = 1e9}};
  return report;
}

TEST(BenchmarkJson, HoldsTheDeviceItsCeilingsAndEveryRow) {
  const auto json = benchmark_json(example());
  EXPECT_EQ(json["device"]["name"], "D");
  EXPECT_EQ(json["ceilings"]["copy_gbs"], 80);
  ASSERT_EQ(json["results"].size(), 3U);
  EXPECT_EQ(json["results"][0].dump(),
            "{\"kernel\":\"assign\",\"sizes\":{\"words\":64},\"variant\":\"fused\",\"chosen\":true,"
            "\"peer\":false,\"note\":null,\"kernel_ms\":2.0,\"transfer_ms\":0.25,\"wall_ms\":3.0,"
            "\"runs\":5,\"unit\":\"GFLOP/s\",\"rate\":500.0,\"share_of_ceiling\":0.5}");
}

TEST(BenchmarkJson, WhatIsNotKnownIsNull) {
  const auto json = benchmark_json(example());
  EXPECT_EQ(json["results"][1]["note"], "failed: x");
  EXPECT_TRUE(json["results"][1]["kernel_ms"].is_null());
  EXPECT_TRUE(json["results"][2]["share_of_ceiling"].is_null());
}

}  // namespace
}  // namespace lookalike
