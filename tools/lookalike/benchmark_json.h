#pragma once

#include <nlohmann/json.hpp>

#include "kernels/benchmark/benchmark.h"

namespace lookalike {

// Returns the report as docs/schema/bench.json describes.
nlohmann::ordered_json benchmark_json(const BenchmarkReport& report);

}  // namespace lookalike
