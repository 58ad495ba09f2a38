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
#include "storage/artefact_files.h"

// What the programs of single stages share: the part of the images that a process takes, decoding
// them, and reading the artefact files of earlier stages.
namespace lookalike {

// The part of the work that one of several processes takes: items index, index + count, ...
struct Shard {
  std::size_t index = 0;
  std::size_t count = 1;

  bool owns(std::size_t item) const { return item % count == index; }
};

// "I/N" with I from 0 to N - 1. Throws Error(kUsage) for anything else.
Shard parse_shard(const std::string& text);

// Scans the folders. Throws Error(kUsage) when none are given, Error(kInput) when one of them
// cannot be scanned or there is no image under them.
ScanResult scan_images(const ImagesOptions& options);

// Images, or their records, that a stage executable takes at a time.
inline constexpr std::size_t kStageBatchImages = 16;

// Decodes the shard's images on several threads and hands them on in order, kStageBatchImages at a
// time. Returns what was skipped, by path.
std::vector<SkippedFile> for_each_image_batch(
    const RunConfig& config, const Shard& shard, const std::string& label, Progress::Style style,
    const std::function<void(std::span<const DecodedImage>)>& visit);

// Reports each file on stderr, by name and reason, and returns the exit code: 1 when there are any.
int report_skipped(const std::vector<SkippedFile>& skipped);

// Visits the records of several artefact files, in the order of the files.
template <typename Record, typename Visit>
void for_each_record(const std::vector<std::string>& files, Visit visit) {
  for (const std::string& file : files) {
    ArtefactReader<Record> reader(file);
    while (const std::optional<Record> record = reader.next()) visit(*record);
  }
}

// The statistics of several files, by the images' content.
using SumsByContent = std::unordered_map<ContentHash, PixelSums, ContentHasher>;
SumsByContent read_statistics(const std::vector<std::string>& files);

}  // namespace lookalike
