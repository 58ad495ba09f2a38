#include "pipeline/index/image_stream.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "pipeline/image_batches.h"
#include "stages/decode/image_header.h"

namespace lookalike {
namespace {

// Decoded images that may wait for the device.
constexpr std::size_t kWindowImages = 2 * kDeviceBatchImages;

// Files and images that are larger take turns.
constexpr std::uint64_t kLargeFileBytes = std::uint64_t{32} << 20U;
constexpr std::uint64_t kLargePixels = 32'000'000;  // of one byte

bool is_large(const LoadedFile& file) {
  const std::optional<ImageHeader> header = read_image_header(file.bytes);
  const std::uint64_t bytes_each = header && header->has_alpha ? 4 : 1;
  return header && header->width * header->height * bytes_each > kLargePixels;
}

}  // namespace

ImageStream::ImageStream(const std::vector<SourceFile>& files, const RunConfig& config,
                         KnownContents& known, const FeatureCache& cache, StageTimes& times)
    : config_(config),
      known_(known),
      cache_(cache),
      times_(times),
      items_(files.size(), decode_threads(config.images), kWindowImages,
             [this, &files](std::size_t i) {
               return times_.timed("decode", [&] { return read(files[i]); });
             }) {}

StreamItem ImageStream::read(const SourceFile& file) {
  std::unique_lock turn(large_, std::defer_lock);
  if (file.size_bytes > kLargeFileBytes) turn.lock();
  auto loaded = load_file(file.path, config_.images);
  if (auto* skipped = std::get_if<SkippedFile>(&loaded)) return std::move(*skipped);
  const LoadedFile& bytes = std::get<LoadedFile>(loaded);
  if (known_.contains(bytes.file, bytes.content)) {
    return CopyOfImage{bytes.file, bytes.content};
  }
  if (cache_.contains(bytes.content)) return CachedImage{bytes.file, bytes.content};
  if (!turn.owns_lock() && is_large(bytes)) turn.lock();
  auto decoded = decode(bytes, wanted_size(config_.extract), config_.images);
  if (auto* skipped = std::get_if<SkippedFile>(&decoded)) return std::move(*skipped);
  return std::get<DecodedImage>(std::move(decoded));
}

std::optional<StreamItem> ImageStream::next() {
  std::optional<StreamItem> item = items_.next();
  if (!item) return item;
  // Another file of the same content may have been read at the same time.
  if (const auto* image = std::get_if<DecodedImage>(&*item)) {
    const ImageRecord& record = image->record;
    if (!known_.insert(record.content)) item = CopyOfImage{record.file, record.content};
  } else if (const auto* cached = std::get_if<CachedImage>(&*item)) {
    if (!known_.insert(cached->content)) item = CopyOfImage{cached->file, cached->content};
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
