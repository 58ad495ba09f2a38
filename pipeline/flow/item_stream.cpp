#include "pipeline/flow/item_stream.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

#include "stages/decode/decode.h"
#include "stages/decode/decoders.h"

namespace lookalike {
namespace {

// Decoded images that may wait for the device.
constexpr std::size_t kWaitingImages = 32;

// Larger files and images take turns. So a thread holds less than 100 MB otherwise, and photos of
// 12 megapixels are decoded side by side in every format.
constexpr std::uint64_t kLargeFileBytes = std::uint64_t{32} << 20U;
constexpr std::uint64_t kLargePixelBytes = 64'000'000;

// Readers of some formats know no grey.
bool is_large(const ImageHeader& header) {
  const bool is_gray = !header.has_alpha && header.format != ImageFormat::kHeif;
  return header.width * header.height * (is_gray ? 1 : 4) > kLargePixelBytes;
}

std::size_t decode_threads(const ImagesOptions& options) {
  return options.decode_threads > 0 ? options.decode_threads : core_count();
}

}  // namespace

bool KnownContents::insert(const ContentHash& content) {
  const std::lock_guard lock(mutex_);
  return contents_.insert(content).second;
}

bool KnownContents::contains(const SourceFile& file, const ContentHash& content) const {
  const auto expected = expected_.find(file.path);
  if (expected != expected_.end() && expected->second == content) return true;
  const std::lock_guard lock(mutex_);
  return contents_.contains(content);
}

ItemStream::ItemStream(const std::vector<SourceFile>& files, const RunConfig& config,
                       StageTimes& times, KnownContents* known)
    : config_(config),
      known_(known),
      items_(files.size(), decode_threads(config.images), kWaitingImages,
             [this, &files, &times](std::size_t i) {
               return times.timed("decode", [&] { return read(files[i]); });
             }) {}

Item ItemStream::read(const SourceFile& file) {
  std::unique_lock turn(large_, std::defer_lock);
  if (file.size_bytes > kLargeFileBytes) turn.lock();
  auto loaded = load_file(file.path, config_.images);
  if (auto* skipped = std::get_if<SkippedFile>(&loaded)) {
    return {.file = skipped->file, .state = std::move(*skipped)};
  }
  const LoadedFile& bytes = std::get<LoadedFile>(loaded);
  Item item{.file = bytes.file, .content = bytes.content};
  if (known_ && known_->contains(item.file, item.content)) {
    item.state = KnownContent{};
  } else if (known_ && known_->is_cached(item.content)) {
    item.state = CachedFeatures{};
  } else {
    auto checked = check_header(bytes, config_.images);
    if (auto* skipped = std::get_if<SkippedFile>(&checked)) {
      item.state = std::move(*skipped);
      return item;
    }
    const auto& header = std::get<ImageHeader>(checked);
    if (!turn.owns_lock() && is_large(header)) turn.lock();
    std::visit([&](auto&& result) { item.state = std::move(result); },
               decode(bytes, header, wanted_size(config_.extract), config_.images));
  }
  return item;
}

std::vector<Item> ItemStream::next_batch(std::size_t images) {
  std::vector<Item> batch;
  while (images > 0) {
    std::optional<Item> item = items_.next();
    if (!item) break;
    if (item->is<DecodedImage>() || item->is<CachedFeatures>()) {
      // Another file of the same content may have been read at the same time.
      const bool is_new = known_ == nullptr || known_->insert(item->content);
      if (!is_new) item->state = KnownContent{};
      images -= is_new ? 1 : 0;
    }
    batch.push_back(*std::move(item));
  }
  return batch;
}

std::vector<SourceFile> in_sample_order(const std::vector<SourceFile>& files,
                                        const RunConfig& config, StageTimes& times,
                                        const std::function<void()>& after_each) {
  // Contents settle what ranks do not, as in plan_sample.
  using Rank = std::pair<std::uint64_t, ContentHash>;
  constexpr Rank kLast = {std::numeric_limits<std::uint64_t>::max(), {}};
  OrderedParallel<Rank> ranks(
      files.size(), decode_threads(config.images), kWaitingImages, [&](std::size_t i) {
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
  std::ranges::sort(order);
  std::vector<SourceFile> sorted;
  for (const auto& [rank, index] : order) sorted.push_back(files[index]);
  return sorted;
}

}  // namespace lookalike
