#include "pipeline/single_stage.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include "base/error.h"
#include "base/scan.h"
#include "base/text.h"
#include "config/scan_rules.h"
#include "pipeline/flow/item_stream.h"

namespace lookalike {
namespace {

// The shard's part of a list that is sorted by path.
template <typename T>
void keep_shard(std::vector<T>& items, const Shard& shard) {
  std::vector<T> own;
  for (std::size_t i = shard.index; i < items.size(); i += shard.count) {
    own.push_back(std::move(items[i]));
  }
  items = std::move(own);
}

}  // namespace

Shard parse_shard(const std::string& text) {
  const std::vector<std::string_view> parts = split(text, '/');
  const auto index = parse_number<std::size_t>(parts.front());
  const auto count = parse_number<std::size_t>(parts.back());
  if (parts.size() == 2 && index && count && *index < *count) return {*index, *count};
  throw Error(ErrorKind::kUsage,
              "--shard: must be I/N with I from 0 to N - 1, was \"" + text + "\"");
}

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
    throw Error(ErrorKind::kInput, fmt::format("scan: no images under {} (looked for .{})",
                                               fmt::join(options.folders, ", "),
                                               fmt::join(options.extensions, ", .")));
  }
  return found;
}

std::vector<SkippedFile> for_each_image_batch(
    const RunConfig& config, const Shard& shard, const std::string& label, Progress::Style style,
    const std::function<void(std::span<const DecodedImage>)>& visit) {
  ScanResult found = scan_images(config.images);
  keep_shard(found.files, shard);
  keep_shard(found.skipped, shard);
  StageTimes times;
  ItemStream stream(found.files, config, times, nullptr);
  Progress progress(label, "images", found.files.size(), style);
  std::size_t done = 0;
  const auto next_batch = [&] { return stream.next_batch(kStageBatchImages); };
  for (auto batch = next_batch(); !batch.empty(); batch = next_batch()) {
    done += static_cast<std::size_t>(std::ranges::count_if(batch, &Item::ends_file));
    visit(Gathered<DecodedImage>(batch).states);
    std::ranges::move(Gathered<SkippedFile>(batch).states, std::back_inserter(found.skipped));
    progress.update(done);
  }
  std::ranges::sort(found.skipped, {}, [](const SkippedFile& skip) { return skip.file.path; });
  return std::move(found.skipped);
}

int report_skipped(const std::vector<SkippedFile>& skipped) {
  for (const SkippedFile& file : skipped) {
    spdlog::warn("skipped {}: {}: {}", printable(file.file.path), file.reason, file.detail);
  }
  return skipped.empty() ? kExitDone : kExitSkippedItems;
}

SumsByContent read_statistics(const std::vector<std::string>& files) {
  SumsByContent sums;
  for_each_record<ImageStatistics>(files, [&](const ImageStatistics& statistics) {
    sums[statistics.image.content] = statistics.sums;
  });
  return sums;
}

}  // namespace lookalike
