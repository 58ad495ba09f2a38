#pragma once

#include <cstddef>
#include <vector>

#include "config/options.h"
#include "storage/index_writer.h"

namespace lookalike {

// An image of which everything is known, as the index wants it: a blank one (its variance is below
// the minimum) keeps its statistics and loses its features.
ImageToStore image_to_store(ImageWords words, const PixelSums& sums,
                            const VarianceOptions& options);

// Stage store: publishes images in batches of options.batch_images, each in one transaction, and
// keeps the number of segments at options.max_segments.
class StoreStage {
 public:
  StoreStage(IndexWriter& writer, const StoreOptions& options);

  // Published at once when it fills a batch.
  void add(ImageToStore image);
  // A file whose content is in the index, or was added before: no features needed.
  // Throws Error(kInternal) when it is neither.
  void add_copy(const SourceFile& file, const ContentHash& content);
  // Publishes what is left. Without it, what was added since the last batch is not in the index.
  void finish();

 private:
  void publish();

  IndexWriter& writer_;
  const StoreOptions options_;
  std::vector<ImageToStore> batch_;
};

}  // namespace lookalike
