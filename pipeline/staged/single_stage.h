#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/content_hash.h"
#include "base/progress.h"
#include "base/scan.h"
#include "config/options.h"
#include "pipeline/staged/shard.h"
#include "stages/codebook/sample.h"
#include "storage/artefact_files.h"

// Helpers of the stage executables: listing and decoding images, and reading the artefact files of
// earlier stages.
namespace lookalike {

// Scans the folders. Throws Error(kUsage) when none is given, Error(kInput) when a folder cannot be
// scanned or none has an image.
ScanResult scan_images(const ImagesOptions& options);

// The images that one process works on.
struct ImageList {
  std::vector<SourceFile> files;     // by path
  std::vector<SkippedFile> skipped;  // by the scan
  // All folders could be read, so that only the images in `skipped` are missing.
  bool is_whole = true;
};

// Returns the shard's part of the files that a manifest lists, or that scan_images() finds if
// `manifest` is empty. Holds only the shard's part in memory. Throws as scan_images(), and
// Error(kInput) for a manifest that cannot be read or lists no file, and for a shard with several
// files of which none exists.
ImageList list_images(const ImagesOptions& options, const std::string& manifest,
                      const FileShard& shard);

// Images, or their records, per batch of a stage executable.
inline constexpr std::size_t kStageBatchImages = 16;

// Decodes images on several threads and visits them in order, kStageBatchImages at a time. Returns
// the skipped files, including those of the scan, by path.
std::vector<SkippedFile> for_each_image_batch(
    const RunConfig& config, ImageList images, const std::string& label, Progress::Style style,
    const std::function<void(std::span<const DecodedImage>)>& visit);

// Visits the records of several artefact files in order.
template <typename Record, typename Visit>
void for_each_record(const std::vector<std::string>& files, Visit visit) {
  for (const std::string& file : files) {
    ArtefactReader<Record> reader(file);
    while (std::optional<Record> record = reader.next()) visit(*record);
  }
}

using SumsByContent = std::unordered_map<ContentHash, PixelSums, ContentHasher>;
// Reads files of statistics.
SumsByContent read_statistics(const std::vector<std::string>& files);

// Returns the features in `files` that training may use: of first pages that are not blank by their
// sums, as in a run of `lookalike index`. The sums must outlive the source.
FeatureSource trainable_features(const std::vector<std::string>& files, const SumsByContent& sums,
                                 const VarianceOptions& options);

}  // namespace lookalike
