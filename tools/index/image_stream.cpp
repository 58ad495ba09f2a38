#include "tools/index/image_stream.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "stages/command/image_batches.h"

namespace lookalike {
namespace {

// Decoded images that may wait for the device.
constexpr std::size_t kWindowImages = 2 * kDeviceBatchImages;

}  // namespace

ImageStream::ImageStream(const std::vector<SourceFile>& files, const RunConfig& config,
                         KnownContents& known, StageTimes& times)
    : config_(config),
      known_(known),
      times_(times),
      items_(files.size(), decode_threads(config.images), kWindowImages,
             [this, &files](std::size_t i) {
               return times_.timed("decode", [&] { return read(files[i]); });
             }) {}

StreamItem ImageStream::read(const SourceFile& file) const {
  auto loaded = load_file(file.path, config_.images);
  if (auto* skipped = std::get_if<SkippedFile>(&loaded)) return std::move(*skipped);
  const LoadedFile& bytes = std::get<LoadedFile>(loaded);
  if (known_.contains(bytes.content)) return CopyOfImage{bytes.file, bytes.content};
  auto decoded = decode(bytes, WantedSize(config_.extract), config_.images);
  if (auto* skipped = std::get_if<SkippedFile>(&decoded)) return std::move(*skipped);
  return std::get<DecodedImage>(std::move(decoded));
}

std::optional<StreamItem> ImageStream::next() {
  std::optional<StreamItem> item = items_.next();
  if (!item) return item;
  if (const auto* image = std::get_if<DecodedImage>(&*item)) {
    const ImageRecord& record = image->record;
    // Decoded at the same time as another file of the same content.
    if (!known_.insert(record.content)) item = CopyOfImage{record.file, record.content};
  }
  return item;
}

std::vector<SourceFile> in_sample_order(const std::vector<SourceFile>& files,
                                        const RunConfig& config, StageTimes& times,
                                        const std::function<void()>& after_each) {
  // Contents settle what ranks do not, as in plan_sample.
  using Rank = std::pair<std::uint64_t, ContentHash>;
  constexpr Rank kLast = {std::numeric_limits<std::uint64_t>::max(), {}};
  OrderedParallel<Rank> ranks(
      files.size(), decode_threads(config.images), kWindowImages, [&](std::size_t i) {
        return times.timed("hash", [&] {
          const auto loaded = load_file(files[i].path, config.images);
          const auto* file = std::get_if<LoadedFile>(&loaded);
          return file ? Rank{sample_rank(file->content, config.codebook.seed), file->content}
                      : kLast;
        });
      });
  std::vector<std::pair<Rank, std::size_t>> order;
  while (const std::optional<Rank> rank = ranks.next()) {
    order.emplace_back(*rank, order.size());
    after_each();
  }
  std::sort(order.begin(), order.end());
  std::vector<SourceFile> sorted;
  for (const auto& [rank, index] : order) sorted.push_back(files[index]);
  return sorted;
}

}  // namespace lookalike
