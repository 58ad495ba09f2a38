#include "pipeline/index/spool.h"

namespace lookalike {
namespace {

// No pixels are in them, so that batches may be larger than where images are decoded.
constexpr std::size_t kReplayImages = 32;

}  // namespace

void Spool::add(std::vector<ExtractedItem> items) {
  for (ExtractedItem& item : items) {
    if (auto* image = std::get_if<ExtractedImage>(&item)) {
      const ImageRecord& record = image->features.image;
      if (!image->blank) {
        images_.emplace_back(record.file, record.content);
        cache_.add(std::move(*image));
        continue;
      }
      ++blank_;
      cache_.add(*image);
    }
    if (const auto* skipped = std::get_if<SkippedFile>(&item)) skipped_.push_back(*skipped);
    others_.push_back(std::move(item));
  }
}

void Spool::finish() {
  cache_.flush();
}

FeatureSource Spool::features() const {
  return [this](const std::function<void(const ImageFeatures&)>& visit) {
    for (const auto& [file, content] : images_) visit(cache_.load(file, content).features);
  };
}

void Spool::replay(const std::function<void(std::vector<ExtractedItem>)>& accept) {
  std::vector<ExtractedItem> batch;
  for (const auto& [file, content] : images_) {
    batch.emplace_back(cache_.load(file, content));
    if (batch.size() == kReplayImages) accept(std::exchange(batch, {}));
  }
  accept(std::move(batch));
  accept(std::exchange(others_, {}));
}

}  // namespace lookalike
