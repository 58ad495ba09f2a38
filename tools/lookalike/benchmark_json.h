#pragma once

#include <nlohmann/json.hpp>

#include "kernels/benchmark/benchmark.h"

namespace lookalike {

// {"device": {"name", "platform", "vendor", "driver", "type", "instructions"},
//  "ceilings": {"multiply_add_gflops", "copy_gbs", "read_gbs"},
//  "results": [{"kernel", "sizes": {name: number}, "variant", "chosen", "peer", "note",
//  "kernel_ms", "transfer_ms", "wall_ms", "runs", "unit", "rate", "share_of_ceiling"}]}
// "peer" is false, as peers are no longer among the results. What was not run has a note and null
// in place of numbers; the share is null where there is no ceiling.
nlohmann::ordered_json benchmark_json(const BenchmarkReport& report);

}  // namespace lookalike
