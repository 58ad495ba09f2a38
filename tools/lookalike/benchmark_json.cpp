#include "tools/lookalike/benchmark_json.h"

namespace lookalike {
namespace {

using Json = nlohmann::ordered_json;

Json number_if(bool known, double value) {
  return known ? Json(value) : Json(nullptr);
}

Json row_json(const BenchmarkRow& row, const Ceilings& ceilings) {
  const bool run = row.note.empty();
  const auto share = share_of_ceiling(row, ceilings);
  return {{"kernel", row.kernel},
          {"sizes", row.sizes},
          {"variant", row.variant},
          {"chosen", row.chosen},
          {"peer", false},
          {"note", run ? Json(nullptr) : Json(row.note)},
          {"kernel_ms", number_if(run, row.timing.kernel_ms)},
          {"transfer_ms", number_if(run, row.timing.transfer_ms)},
          {"wall_ms", number_if(run, row.timing.wall_ms)},
          {"runs", row.timing.runs},
          {"unit", unit_name(row.unit)},
          {"rate", number_if(run, row.rate())},
          {"share_of_ceiling", number_if(share.has_value(), share.value_or(0))}};
}

}  // namespace

Json benchmark_json(const BenchmarkReport& report) {
  Json json = {{"device",
                {{"name", report.device.device},
                 {"platform", report.device.platform},
                 {"vendor", report.device.vendor},
                 {"driver", report.device.driver},
                 {"type", report.device.kind},
                 {"instructions", report.device.instructions}}},
               {"ceilings",
                {{"multiply_add_gflops", report.ceilings.multiply_add_gflops},
                 {"copy_gbs", report.ceilings.copy_gbs},
                 {"read_gbs", report.ceilings.read_gbs}}},
               {"results", Json::array()}};
  for (const BenchmarkRow& row : report.rows) {
    json["results"].push_back(row_json(row, report.ceilings));
  }
  return json;
}

}  // namespace lookalike
