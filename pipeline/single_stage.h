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
#include "pipeline/shard.h"
#include "stages/codebook/sample.h"
#include "storage/artefact_files.h"

// What the programs of single stages share: the images that a process takes, decoding them, and
// reading the artefact files of earlier stages.
namespace lookalike {

// Scans the folders. Throws Error(kUsage) when none are given, Error(kInput) when one of them
// cannot be scanned or there is no image under them.
ScanResult scan_images(const ImagesOptions& options);

// The images that a process takes.
struct ImageList {
  std::vector<SourceFile> files;     // by path
  std::vector<SkippedFile> skipped;  // by the scan
  // Whether all of the folders could be read, so that no image is missing but those in `skipped`.
  bool is_whole = true;
};

// The shard's part of the files that a manifest lists or, where `manifest` is empty, of those that
// scan_images() finds. A manifest is read record by record: memory holds the shard's part alone.
// Throws as scan_images(), and Error(kInput) for a manifest that cannot be read or lists no file,
// and for a shard of several files none of which is there.
ImageList list_images(const ImagesOptions& options, const std::string& manifest,
                      const Shard& shard);

// Images, or their records, that a stage executable takes at a time.
inline constexpr std::size_t kStageBatchImages = 16;

// Decodes the images on several threads and hands them on in order, kStageBatchImages at a time.
// Returns what was skipped, the scan's part included, by path.
std::vector<SkippedFile> for_each_image_batch(
    const RunConfig& config, ImageList images, const std::string& label, Progress::Style style,
    const std::function<void(std::span<const DecodedImage>)>& visit);

// Visits the records of several artefact files, in the order of the files.
template <typename Record, typename Visit>
void for_each_record(const std::vector<std::string>& files, Visit visit) {
  for (const std::string& file : files) {
    ArtefactReader<Record> reader(file);
    while (std::optional<Record> record = reader.next()) visit(*record);
  }
}

// The sums of several files of statistics, by the images' content.
using SumsByContent = std::unordered_map<ContentHash, PixelSums, ContentHasher>;
SumsByContent read_statistics(const std::vector<std::string>& files);

// The features in the files that training may use, as a run does: of first pages that the sums do
// not show to be blank. The sums must outlive the source.
FeatureSource trainable_features(const std::vector<std::string>& files, const SumsByContent& sums,
                                 const VarianceOptions& options);

}  // namespace lookalike
