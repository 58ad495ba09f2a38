#include "pipeline/index/index_sink.h"

#include <utility>

namespace lookalike {

IndexSink::IndexSink(DeviceStages& device, IndexWriter& writer, const RunConfig& config,
                     StageTimes& times)
    : device_(device), variance_(config.variance), store_(writer, config.store, times) {}

void IndexSink::accept(std::vector<ExtractedItem> items) {
  std::vector<ImageFeatures> features;
  for (ExtractedItem& item : items) {
    if (auto* image = std::get_if<ExtractedImage>(&item)) {
      features.push_back(std::move(image->features));
    }
  }
  std::vector<ImageWords> words = device_.assign(features);
  std::size_t next = 0;
  for (ExtractedItem& item : items) {
    if (const auto* image = std::get_if<ExtractedImage>(&item)) {
      store_.push(image_to_store(std::move(words[next++]), image->sums, variance_));
      blank_ += image->blank ? 1 : 0;
      ++indexed_;
    } else if (auto* copy = std::get_if<CopyOfImage>(&item)) {
      store_.push(std::move(*copy));
      ++indexed_;
    } else {
      skipped_.push_back(std::get<SkippedFile>(std::move(item)));
    }
  }
}

void IndexSink::finish() {
  store_.finish();
}

}  // namespace lookalike
