#include "pipeline/index/run_benchmark.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>
#include <vector>

#include "pipeline/flow/item_stream.h"
#include "pipeline/index/index_run.h"
#include "pipeline/staged/single_stage.h"
#include "storage/index_writer.h"

namespace lookalike {
namespace {

// Threads that work on the same stages, with the name of the group.
struct StageGroup {
  const char* name;
  std::vector<const char*> stages;
};

// What a run may wait for. All but the graph, which comes after the images, overlap.
const std::vector<StageGroup>& groups() {
  static const std::vector<StageGroup> all = {
      {"decode", {"decode"}},
      {"lanes", {"upload", "variance", "extract", "assign", "records", "device"}},
      {"store", {"store", "merge"}},
      {"neighbours", {"neighbours"}}};
  return all;
}

MeasuredRun measured(const RunConfig& config, RunBenchmark& benchmark) {
  IndexRunReport report =
      run_index(config, Progress::Style::kQuiet, [] { return false; }, {.keep_spans = true});
  benchmark.device = report.device;
  const double calibrate_s = report.busy_seconds["calibrate"];
  report.busy_seconds.erase("calibrate");
  return {report.elapsed_seconds, calibrate_s, std::move(report.busy_seconds),
          std::move(report.spans)};
}

// Decodes all images as a run does and returns their number.
std::size_t decode_all(const RunConfig& config) {
  const ScanResult found = scan_images(config.images);
  StageTimes times;
  ItemStream stream(found.files, config, times, nullptr);
  std::size_t images = 0;
  for (auto batch = stream.next_batch(kStageBatchImages); !batch.empty();
       batch = stream.next_batch(kStageBatchImages)) {
    images += static_cast<std::size_t>(std::ranges::count_if(batch, &Item::is<DecodedImage>));
  }
  return images;
}

}  // namespace

std::size_t MeasuredRun::threads(const std::string& stage) const {
  std::set<std::size_t> threads;
  for (const StageSpan& span : spans) {
    if (span.stage == stage) threads.insert(span.thread);
  }
  return threads.size();
}

double MeasuredRun::share(const std::string& stage) const {
  const auto busy = busy_s.find(stage);
  if (busy == busy_s.end()) return 0;
  return busy->second / (static_cast<double>(threads(stage)) * images_s());
}

std::string MeasuredRun::binding_stage() const {
  const auto share_of = [&](const StageGroup& group) {
    double sum = 0;
    for (const char* stage : group.stages) sum += share(stage);
    return sum;
  };
  return std::ranges::max_element(groups(), {}, share_of)->name;
}

RunBenchmark benchmark_runs(RunConfig config, const std::filesystem::path& scratch) {
  RunBenchmark benchmark;
  decode_all(config);  // warms the file cache for all measurements
  const auto start = std::chrono::steady_clock::now();
  benchmark.images = decode_all(config);
  benchmark.decode_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  const std::string first = scratch / "first.db";
  config.store.database = first;
  benchmark.first = measured(config, benchmark);
  config.store.database = scratch / "second.db";
  {
    const IndexReader trained{std::filesystem::path(first)};
    IndexWriter(config.store.database).set_codebook(trained.codebook(), trained.settings());
  }
  benchmark.with_codebook = measured(config, benchmark);
  return benchmark;
}

}  // namespace lookalike
