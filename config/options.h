#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/image_formats.h"

// One plain struct per table of the configuration, with the defaults. config/fields.cpp has the
// meaning and the range of each key; here stand units and special values.
namespace lookalike {

struct ImagesOptions {
  std::vector<std::string> folders;
  std::vector<std::string> extensions = default_extensions();  // any case
  std::vector<std::string> exclude;                            // patterns of base/ignore_rules.h
  bool hidden = false;
  std::uint32_t max_file_mib = 512;
  std::uint32_t max_megapixels = 200;
  std::uint32_t max_pages = 1000;    // of a file
  std::uint32_t decode_threads = 0;  // 0: one per core
  double max_removed_share = 0.2;    // of a folder's files

  bool operator==(const ImagesOptions&) const = default;
};

struct DeviceOptions {
  std::string choice;                    // platform:type:name-or-index; empty: GPU, then CPU
  std::uint32_t memory_limit_mib = 0;    // 0: the device's own limit
  std::string on_out_of_memory = "cpu";  // "cpu", "stop"

  bool operator==(const DeviceOptions&) const = default;
};

struct ExtractOptions {
  double hessian_threshold = 10;    // response
  std::uint32_t brighten_to = 110;  // mean grey level
  std::uint32_t octaves = 4;
  std::uint32_t layers = 3;        // per octave
  std::uint32_t max_interval = 2;  // px; 0: as published
  std::uint32_t descriptor_size = 64;
  bool upright = false;                         // true: no orientation
  std::uint32_t max_features = 1000;            // per image, strongest first
  std::uint32_t longest_side_px = 1024;         // larger images are reduced
  std::uint32_t enlarge_to_px = 640;            // smaller images are enlarged
  std::string descriptor_form = "signed_root";  // "plain", "signed_root"

  bool operator==(const ExtractOptions&) const = default;
};

struct CodebookOptions {
  std::string reuse{};      // a file; empty: train
  std::uint32_t words = 0;  // 0: "auto"
  std::uint32_t cells = 0;  // 0: "auto"; 1: none
  std::uint32_t features_per_word = 40;
  std::uint32_t sample_images = 8192;
  std::uint32_t max_iterations = 10;
  double min_improvement = 0.002;  // of the objective, relative
  std::uint64_t seed = 1;

  bool operator==(const CodebookOptions&) const = default;
};

struct AssignOptions {
  std::string variant = "auto";  // or to_string(AssignKernel)

  bool operator==(const AssignOptions&) const = default;
};

struct VarianceOptions {
  double blank_below = 4;  // grey levels squared

  bool operator==(const VarianceOptions&) const = default;
};

struct StoreOptions {
  std::string database;  // a file
  std::uint32_t batch_images = 64;
  double publish_seconds = 2;
  std::uint32_t max_segments = 32;

  bool operator==(const StoreOptions&) const = default;
};

// The table [match], by step. Each step takes its part alone.

struct ReportOptions {
  std::uint32_t top = 10;
  std::string min_decision = "similar";  // "all", or to_string(Decision)
  double min_probability = 0;
  bool mirror = false;

  bool operator==(const ReportOptions&) const = default;
};

struct VoteOptions {
  std::uint32_t shortlist = 0;  // images; 0: "auto"
  std::uint32_t words_per_feature = 3;
  std::uint32_t expansion_hits = 3;
  bool second_look = true;

  bool operator==(const VoteOptions&) const = default;
};

struct VerifyOptions {
  std::uint32_t hamming_threshold = 24;  // bits; votes keep to it too
  std::uint32_t min_inliers = 6;
  double inlier_distance = 0.012;  // of the query's diagonal
  std::uint64_t seed = 1;

  bool operator==(const VerifyOptions&) const = default;
};

struct RefineOptions {
  std::uint32_t refine_candidates = 5;

  bool operator==(const RefineOptions&) const = default;
};

struct DecideOptions {
  bool resolve_overlaps = true;
  double same_probability = 0.4;
  double duplicate_correlation = 0.9;

  bool operator==(const DecideOptions&) const = default;
};

struct MatchOptions : ReportOptions, VoteOptions, VerifyOptions, RefineOptions, DecideOptions {
  std::vector<std::string> shards{};  // files, searched together with store.database
  std::string calibration{};          // a file; empty: the database searched first
  std::uint32_t cache_mib = 256;
  std::string device_voting = "auto";  // "auto", "on", "off"

  bool operator==(const MatchOptions&) const = default;
};

struct LocateOptions {
  std::string method = "auto";     // "auto", "features", "correlation"
  double min_turn_degrees = -180;  // clockwise as seen
  double max_turn_degrees = 180;
  double turn_step_degrees = 0;  // 0: "auto"
  double min_scale = 0.7;        // px of the scene per px of the object
  double max_scale = 1.4;
  double scale_step = 0;  // relative; 0: "auto"
  double min_correlation = 0.8;
  double margin = 0;              // correlation; 0: "auto"
  std::string polarity = "same";  // "same", "reversed", "either"
  double max_overlap = 0.3;       // intersection over union
  std::uint32_t max_hits = 100;

  bool operator==(const LocateOptions&) const = default;
};

struct RunOptions {
  std::string metrics;  // a file; empty: none
  std::uint32_t niceness = 0;

  bool operator==(const RunOptions&) const = default;
};

struct ServeOptions {
  std::string listen = "127.0.0.1:8765";  // ADDRESS:PORT or unix:/PATH
  std::vector<std::string> hosts;         // names that a proxy serves the page under
  std::string token_file;                 // empty: a random token for this run
  std::uint32_t max_body_mib = 64;
  std::uint32_t max_megapixels = 100;
  std::uint32_t max_connections = 256;
  std::uint32_t queue = 32;  // requests that wait
  std::uint32_t request_seconds = 60;

  bool operator==(const ServeOptions&) const = default;
};

struct RunConfig {
  ImagesOptions images;
  DeviceOptions device;
  ExtractOptions extract;
  CodebookOptions codebook;
  AssignOptions assign;
  VarianceOptions variance;
  StoreOptions store;
  MatchOptions match;
  LocateOptions locate;
  RunOptions run;
  ServeOptions serve;

  bool operator==(const RunConfig&) const = default;
};

}  // namespace lookalike
