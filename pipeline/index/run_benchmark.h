#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "config/options.h"
#include "pipeline/flow/stage_times.h"

namespace lookalike {

// One run, measured.
struct MeasuredRun {
  double elapsed_s = 0;
  double calibrate_s = 0;                // of these, after the images
  std::map<std::string, double> busy_s;  // by stage but for calibration, summed over its threads
  std::vector<StageSpan> spans;

  double images_s() const { return elapsed_s - calibrate_s; }
  // The number of threads that worked on a stage.
  std::size_t threads(const std::string& stage) const;
  // The part of images_s() in which the threads of a stage were busy with it, [0, 1].
  double share(const std::string& stage) const;
  // The stage of the largest share among those that work at the same time.
  std::string binding_stage() const;
};

// What indexing a folder takes, beside decoding its images and nothing else.
struct RunBenchmark {
  std::size_t images = 0;  // that could be decoded
  std::string device;
  double decode_s = 0;        // decoding alone, on as many threads as a run
  MeasuredRun first;          // a first run, training and calibration included
  MeasuredRun with_codebook;  // into a new index that has the codebook of the first run

  double rate(double seconds) const { return static_cast<double>(images) / seconds; }
};

// Indexes config.images.folders twice, into files of `scratch`, a folder.
// Throws as scan_images and run_index.
RunBenchmark benchmark_runs(RunConfig config, const std::filesystem::path& scratch);

}  // namespace lookalike
