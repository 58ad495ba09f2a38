#pragma once

#include <cstddef>
#include <vector>

#include "pipeline/index/extraction.h"
#include "pipeline/index/store_thread.h"

namespace lookalike {

// The end of the pipeline: assigns words and stores. Files that were skipped are kept for the end
// of the run.
class IndexSink {
 public:
  IndexSink(DeviceStages& device, IndexWriter& writer, const RunConfig& config, StageTimes& times);

  void accept(std::vector<ExtractedItem> items);
  void finish();

  std::size_t indexed() const { return indexed_; }  // files, copies and blanks included
  std::size_t blank() const { return blank_; }
  const std::vector<SkippedFile>& skipped() const { return skipped_; }

 private:
  DeviceStages& device_;
  const VarianceOptions variance_;
  StoreThread store_;
  std::vector<SkippedFile> skipped_;
  std::size_t indexed_ = 0;
  std::size_t blank_ = 0;
};

}  // namespace lookalike
