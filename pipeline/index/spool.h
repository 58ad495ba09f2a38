#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "pipeline/index/extraction.h"
#include "pipeline/index/feature_cache.h"
#include "stages/codebook/sample.h"

namespace lookalike {

// The training sample: what was extracted before there is a codebook, in order. Features are in
// the cache, the little rest in memory.
class Spool {
 public:
  explicit Spool(FeatureCache& cache) : cache_(cache) {}

  void add(std::vector<ExtractedItem> items);
  void finish();  // after it, the spool can be read

  std::size_t images() const { return images_.size(); }  // that are not blank
  std::size_t blank() const { return blank_; }
  const std::vector<SkippedFile>& skipped() const { return skipped_; }

  // The features of images that are not blank, in the order of adding.
  FeatureSource features() const;
  // Hands everything on, in batches: images first, what refers to them and the rest after them.
  void replay(const std::function<void(std::vector<ExtractedItem>)>& accept);

 private:
  FeatureCache& cache_;
  std::vector<std::pair<SourceFile, ContentHash>> images_;
  std::vector<ExtractedItem> others_;  // blank images, copies and skipped files
  std::vector<SkippedFile> skipped_;
  std::size_t blank_ = 0;
};

}  // namespace lookalike
