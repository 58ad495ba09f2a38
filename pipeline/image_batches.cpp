#include "pipeline/image_batches.h"

#include <algorithm>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/error.h"
#include "base/parallel.h"
#include "base/text.h"

namespace lookalike {
namespace {

using Decoded = std::variant<DecodedImage, SkippedFile>;

// The shard's part of a list that is sorted by path.
template <typename Item>
void keep_shard(std::vector<Item>& items, const Shard& shard) {
  std::vector<Item> kept;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (shard.owns(i)) kept.push_back(std::move(items[i]));
  }
  items = std::move(kept);
}

}  // namespace

std::size_t decode_threads(const ImagesOptions& options) {
  return options.decode_threads > 0 ? options.decode_threads
                                    : std::max(1U, std::thread::hardware_concurrency());
}

ScanResult scan_images(const ImagesOptions& options) {
  if (options.folders.empty()) {
    throw Error(ErrorKind::kUsage, "images.folders: name at least one folder, with --images");
  }
  ScanResult found = scan_folders(options.folders, options.extensions);
  for (const ScannedFolder& folder : found.folders) {
    if (folder.problem.empty()) continue;
    throw Error(ErrorKind::kInput, fmt::format("{}: {}", printable(folder.path), folder.problem));
  }
  if (found.files.empty() && found.skipped.empty()) {
    throw Error(ErrorKind::kInput, fmt::format("scan: no images under {} (looked for .{})",
                                               fmt::join(options.folders, ", "),
                                               fmt::join(options.extensions, ", .")));
  }
  return found;
}

std::vector<SkippedFile> for_each_image_batch(
    const RunConfig& config, const Shard& shard, const std::string& label, Progress::Style style,
    const std::function<void(const std::vector<DecodedImage>&)>& visit) {
  ScanResult found = scan_images(config.images);
  keep_shard(found.files, shard);
  keep_shard(found.skipped, shard);
  OrderedParallel<Decoded> decoder(found.files.size(), decode_threads(config.images),
                                   2 * kDeviceBatchImages, [&](std::size_t i) {
                                     return decode_file(found.files[i].path,
                                                        wanted_size(config.extract), config.images);
                                   });
  Progress progress(label, "images", found.files.size(), style);
  std::vector<DecodedImage> batch;
  std::size_t done = 0;
  const auto hand_on = [&] {
    visit(batch);
    batch.clear();
    progress.update(done);
  };
  while (std::optional<Decoded> decoded = decoder.next()) {
    ++done;
    if (auto* skipped = std::get_if<SkippedFile>(&*decoded)) {
      found.skipped.push_back(std::move(*skipped));
    } else {
      batch.push_back(std::get<DecodedImage>(std::move(*decoded)));
    }
    if (batch.size() == kDeviceBatchImages) hand_on();
  }
  hand_on();
  std::ranges::sort(found.skipped, {},
                    [](const SkippedFile& skipped) { return skipped.file.path; });
  return std::move(found.skipped);
}

int report_skipped(const std::vector<SkippedFile>& skipped) {
  for (const SkippedFile& file : skipped) {
    spdlog::warn("skipped {}: {}: {}", printable(file.file.path), file.reason, file.detail);
  }
  return skipped.empty() ? kExitDone : kExitSkippedItems;
}

}  // namespace lookalike
