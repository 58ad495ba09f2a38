#include "pipeline/staged/single_stage.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/page_name.h"
#include "base/text.h"
#include "config/scan_rules.h"
#include "pipeline/flow/item_stream.h"
#include "stages/variance/variance_stage.h"

namespace lookalike {

ScanResult scan_images(const ImagesOptions& options) {
  if (options.folders.empty()) {
    throw Error(ErrorKind::kUsage, "images.folders: name at least one folder, with --images");
  }
  Omissions left_out;
  ScanResult found = scan_folders(options.folders, scan_rules(options), left_out);
  for (const ScannedFolder& folder : found.folders) {
    if (folder.problem.empty()) continue;
    throw Error(ErrorKind::kInput, fmt::format("{}: {}", printable(folder.path), folder.problem));
  }
  if (found.files.empty() && found.skipped.empty()) {
    throw no_images(options.folders, left_out);
  }
  return found;
}

ImageList list_images(const ImagesOptions& options, const std::string& manifest,
                      const FileShard& shard) {
  ImageList images;
  if (manifest.empty()) {
    ScanResult found = scan_images(options);
    images.is_whole = std::ranges::none_of(found.skipped, &may_hide_files);
    keep_shard(found.files, shard);
    keep_shard(found.skipped, shard);
    images.files = std::move(found.files);
    images.skipped = std::move(found.skipped);
    return images;
  }
  std::size_t seen = 0;
  for_each_record<SourceFile>({manifest}, [&](SourceFile& file) {
    if (shard.owns(seen++)) images.files.push_back(std::move(file));
  });
  if (seen == 0) throw Error(ErrorKind::kInput, manifest + ": lists no file");
  const auto exists = [](const SourceFile& file) {
    std::error_code unknown;
    return std::filesystem::exists(file.path, unknown);
  };
  if (images.files.size() > 1 && std::ranges::none_of(images.files, exists)) {
    throw Error(ErrorKind::kInput,
                fmt::format("{}: none of the {} files of this shard exists: is their folder "
                            "mounted on this machine?",
                            manifest, images.files.size()));
  }
  return images;
}

std::vector<SkippedFile> for_each_image_batch(
    const RunConfig& config, ImageList images, const std::string& label, Progress::Style style,
    const std::function<void(std::span<const DecodedImage>)>& visit) {
  StageTimes times;
  ItemStream stream(images.files, config, times, nullptr);
  Progress progress(label, "images", images.files.size(), style);
  std::size_t done = 0;
  const auto next_batch = [&] { return stream.next_batch(kStageBatchImages); };
  for (auto batch = next_batch(); !batch.empty(); batch = next_batch()) {
    done += static_cast<std::size_t>(std::ranges::count_if(batch, &Item::ends_file));
    visit(Gathered<DecodedImage>(batch).states);
    std::ranges::move(Gathered<SkippedFile>(batch).states, std::back_inserter(images.skipped));
    progress.update(done);
  }
  std::ranges::sort(images.skipped, {}, [](const SkippedFile& skip) { return skip.file.path; });
  return std::move(images.skipped);
}

SumsByContent read_statistics(const std::vector<std::string>& files) {
  SumsByContent sums;
  for_each_record<ImageStatistics>(files, [&](const ImageStatistics& statistics) {
    sums[statistics.image.content] = statistics.sums;
  });
  return sums;
}

FeatureSource trainable_features(const std::vector<std::string>& files, const SumsByContent& sums,
                                 const VarianceOptions& options) {
  return [files, &sums, options](const auto& visit) {
    for_each_record<ImageFeatures>(files, [&](const ImageFeatures& image) {
      if (page_of(image.image.file.path).number > 1) return;
      const auto found = sums.find(image.image.content);
      if (found == sums.end() || !is_blank(found->second, options)) visit(image);
    });
  };
}

}  // namespace lookalike
