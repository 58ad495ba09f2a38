#include "stages/store/store_stage.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace lookalike {

ImageToStore image_to_store(ImageWords words, const PixelSums& sums,
                            const VarianceOptions& options) {
  ImageToStore image;
  image.words = std::move(words);
  image.sums = sums;
  image.blank = sums.variance() < options.minimum;
  if (image.blank) {
    image.words.features.clear();
    image.words.histogram.clear();
  }
  return image;
}

StoreStage::StoreStage(IndexWriter& writer, const StoreOptions& options)
    : writer_(writer), options_(options) {}

void StoreStage::add(ImageToStore image) {
  batch_.push_back(std::move(image));
  if (batch_.size() >= options_.batch_images) publish();
}

// publish() gives content that is present nothing but the path, so copies go with the batch.
void StoreStage::add_copy(const SourceFile& file, const ContentHash& content) {
  const auto same_content = [&](const ImageToStore& image) {
    return image.words.image.content == content;
  };
  require(std::ranges::any_of(batch_, same_content) || writer_.contains(content),
          "StoreStage::add_copy: the content is not in the index");
  ImageToStore copy;
  copy.words.image.file = file;
  copy.words.image.content = content;
  add(std::move(copy));
}

void StoreStage::finish() {
  if (!batch_.empty()) publish();
}

void StoreStage::publish() {
  writer_.publish(batch_);
  batch_.clear();
  writer_.merge_segments(options_.max_segments);
}

}  // namespace lookalike
