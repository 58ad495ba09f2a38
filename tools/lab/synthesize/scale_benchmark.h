#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/progress.h"
#include "config/options.h"
#include "tools/lab/synthesize/synthesize.h"

namespace lookalike {

// What a step took of the process and of the disk.
struct StepCost {
  double wall_s = 0;
  double cpu_s = 0;
  std::uint64_t written_bytes = 0;  // to files, the log included
  std::uint64_t read_bytes = 0;     // from the disk; 0 for what the file cache has
  std::uint64_t called_bytes = 0;   // read by calls, from the file cache or the disk
  std::uint64_t reads = 0;          // calls
};

// A step of queries, nearest rank, ms.
struct Percentiles {
  double p50 = 0;
  double p95 = 0;
  double p99 = 0;
};
Percentiles percentiles(std::vector<double> values);

// Milliseconds of matching, beyond decoding and extraction, by step.
struct QueryFigures {
  std::size_t queries = 0;
  Percentiles matching;
  Percentiles words, voting, verification;
  Percentiles rest;  // pixels, and what no step has
  StepCost each;     // mean; extraction included
};

struct ScaleBenchmark {
  std::string device;
  std::uint64_t images = 0, postings = 0, segments = 0, words = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t largest_log_bytes = 0;  // while it was built
  double synthesis_cpu_s = 0;           // of the build: making the images, estimated from 10,000
  StepCost build;
  std::uint64_t build_memory_bytes = 0;
  StepCost start;  // of a query: opening the index, norms, codebook; the file cache is warm
  QueryFigures warm, cold;
  double recall_at_1 = 0;  // of the planted near-duplicates
  std::uint64_t query_memory_bytes = 0;
  std::uint64_t added = 0;  // images
  StepCost add;
  std::uint64_t compared = 0;  // images, the last added, with all before them
  StepCost graph;              // of these; pictures of synthetic images cannot be read
  std::uint64_t graph_memory_bytes = 0;
  std::uint64_t removed = 0;  // files at once
  StepCost open_writer;
  StepCost remove_one;  // median of ten
  StepCost remove_many;
  StepCost merge;  // into one segment
  std::uint64_t merge_log_bytes = 0;
  std::uint64_t store_memory_bytes = 0;  // of adding, removing and merging
};

// Makes a synthetic index in `scratch`, a folder that holds nothing else of use, and measures it:
//   - building it from words, by size alone, not by the clock;
//   - finding the planted copies by the photos of the sample, under config.match: once unmeasured,
//     once with warm caches, and 20 of them by a searcher that has just opened the index, after
//     posix_fadvise() has dropped the file from the system's cache. What caches lie beyond the
//     system, such as a host's, stays warm;
//   - adding images, completing the neighbour graph of the last ones, removing and merging.
// Removes the index. Memory is the peak of the process in each part (VmHWM, reset in between), the
// sample included.
// Throws Error(kInput) for a sample whose photos are gone, Error(kStorage) when `scratch` has less
// free space than the index will need, and what synthesize() throws.
ScaleBenchmark benchmark_scale(const std::filesystem::path& sample,
                               const SynthesisOptions& synthesis, const RunConfig& config,
                               const std::filesystem::path& scratch, Progress::Style style);

}  // namespace lookalike
