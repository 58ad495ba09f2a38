#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "config/options.h"
#include "pipeline/flow/stage_times.h"

namespace lookalike {

// Measurements of one run.
struct MeasuredRun {
  double elapsed_s = 0;
  double calibrate_s = 0;                // part of elapsed_s, after the images
  std::map<std::string, double> busy_s;  // by stage except calibration, summed over threads
  std::vector<StageSpan> spans;

  double images_s() const { return elapsed_s - calibrate_s; }
  // Returns the number of threads that worked on a stage.
  std::size_t threads(const std::string& stage) const;
  // Returns the part of images_s(), [0, 1], in which the threads of a stage were busy with it.
  double share(const std::string& stage) const;
  // Returns the bottleneck, the threads with the largest share: "decode", "lanes" for all stages of
  // the device, "store" with merging, or "neighbours" for the graph.
  std::string binding_stage() const;
};

// The time to index a folder, and to decode its images only.
struct RunBenchmark {
  std::size_t images = 0;  // decoded successfully
  std::string device;
  double decode_s = 0;        // decoding only, on as many threads as a run
  MeasuredRun first;          // a first run, with training and calibration
  MeasuredRun with_codebook;  // into a new index with the codebook of the first run

  double rate(double seconds) const { return static_cast<double>(images) / seconds; }
};

// Indexes config.images.folders twice, into files in the folder `scratch`. Throws as scan_images()
// and run_index().
RunBenchmark benchmark_runs(RunConfig config, const std::filesystem::path& scratch);

}  // namespace lookalike
