#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/locate_options.h"
#include "config/match_options.h"
#include "config/run_options.h"

// One plain struct per table of the configuration. The value here is the default; unit and range
// stand beside it; config/fields.cpp has them for loading, --help and default.toml.
namespace lookalike {

// [images]: what is indexed.
struct ImagesOptions {
  std::vector<std::string> folders;  // searched to the bottom
  std::vector<std::string> extensions = {"jpg",  "jpeg", "png", "webp", "tif",
                                         "tiff", "bmp",  "pgm", "ppm",  "jp2"};  // any case
  std::uint32_t max_file_mib = 512;    // 1..65536; larger files are skipped
  std::uint32_t max_megapixels = 200;  // 1..1000; larger images are skipped before decoding
  std::uint32_t decode_threads = 0;    // 0..256; 0: one per core
  double max_removed_share = 0.2;      // 0..1, of a folder's files; more removals are withheld

  bool operator==(const ImagesOptions&) const = default;
};

// [device]: where kernels run.
struct DeviceOptions {
  std::string choice;                    // platform:type:name-or-index; empty: GPU, then CPU
  std::uint32_t memory_limit_mib = 0;    // 0..1048576; 0: the device's own limit
  std::string on_out_of_memory = "cpu";  // "cpu": go on there and say so; "stop"

  bool operator==(const DeviceOptions&) const = default;
};

// [extract]: SURF.
struct ExtractOptions {
  double hessian_threshold = 100;        // 0..1e6, response
  std::uint32_t octaves = 4;             // 1..6
  std::uint32_t layers = 3;              // 1..8, per octave
  std::uint32_t descriptor_size = 64;    // 64 or 128
  bool upright = false;                  // true: features are not turned, faster
  std::uint32_t max_features = 1000;     // 1..100000 per image, strongest first
  std::uint32_t longest_side_px = 1024;  // 64..16384; larger images are reduced first
  std::uint32_t enlarge_to_px = 640;     // 0..4096; images with a shorter longest side are enlarged
  std::string descriptor_form = "signed_root";  // "plain", "signed_root"

  bool operator==(const ExtractOptions&) const = default;
};

// [codebook]: k-means.
struct CodebookOptions {
  std::uint32_t words = 0;               // 0: "auto", else 1..262144
  std::uint32_t features_per_word = 40;  // 1..1024: how many train each word
  std::uint32_t sample_images = 8192;    // 1..1000000: images that training may look at
  std::uint32_t max_iterations = 10;     // 1..1000
  double min_improvement = 0.01;         // 0..1, of the objective, relative
  std::uint64_t seed = 1;

  bool operator==(const CodebookOptions&) const = default;
};

// [assign]
struct AssignOptions {
  std::string kernel = "auto";  // as to_string(AssignKernel)

  bool operator==(const AssignOptions&) const = default;
};

// [variance]
struct VarianceOptions {
  double minimum = 4;  // 0..16256.25 grey levels squared; below it an image is recorded as blank

  bool operator==(const VarianceOptions&) const = default;
};

// [store]
struct StoreOptions {
  std::string database;             // the index's file
  std::uint32_t batch_images = 64;  // 1..4096: published together, in one transaction
  std::uint32_t max_segments = 10;  // 1..1000: more are merged

  bool operator==(const StoreOptions&) const = default;
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

  bool operator==(const RunConfig&) const = default;
};

}  // namespace lookalike
