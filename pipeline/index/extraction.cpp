#include "pipeline/index/extraction.h"

#include <utility>

#include "pipeline/image_batches.h"

namespace lookalike {
namespace {

// The next files: as many as hold a batch of images, with what lies between them.
std::vector<StreamItem> next_batch(ImageStream& stream) {
  std::vector<StreamItem> batch;
  std::size_t images = 0;
  while (images < kDeviceBatchImages) {
    std::optional<StreamItem> item = stream.next();
    if (!item) break;
    const bool image =
        std::holds_alternative<DecodedImage>(*item) || std::holds_alternative<CachedImage>(*item);
    images += image ? 1 : 0;
    batch.push_back(std::move(*item));
  }
  return batch;
}

std::vector<ExtractedItem> extract_batch(std::vector<StreamItem> batch, DeviceStages& device,
                                         FeatureCache& cache) {
  std::vector<ExtractedItem> items(batch.size());
  std::vector<DecodedImage> images;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (auto* image = std::get_if<DecodedImage>(&batch[i])) {
      images.push_back(std::move(*image));
      places.push_back(i);
    } else if (const auto* cached = std::get_if<CachedImage>(&batch[i])) {
      items[i] = cache.load(cached->file, cached->content);
    } else if (auto* copy = std::get_if<CopyOfImage>(&batch[i])) {
      items[i] = std::move(*copy);
    } else {
      items[i] = std::get<SkippedFile>(std::move(batch[i]));
    }
  }
  std::vector<ExtractedImage> extracted = device.extract(std::move(images));
  for (std::size_t i = 0; i < places.size(); ++i) items[places[i]] = std::move(extracted[i]);
  return items;
}

}  // namespace

std::size_t extract_stream(ImageStream& stream, DeviceStages& device, FeatureCache& cache,
                           Progress& progress,
                           const std::function<bool(std::vector<ExtractedItem>)>& accept) {
  std::size_t files = 0;
  while (true) {
    std::vector<StreamItem> batch = next_batch(stream);
    if (batch.empty()) return files;
    files += batch.size();
    const bool go_on = accept(extract_batch(std::move(batch), device, cache));
    progress.update(files);
    if (!go_on) return files;
  }
}

}  // namespace lookalike
