#pragma once

#include <cstddef>
#include <exception>
#include <thread>
#include <variant>
#include <vector>

#include "base/bounded_queue.h"
#include "pipeline/index/extraction.h"
#include "pipeline/index/image_stream.h"
#include "pipeline/index/stage_times.h"
#include "stages/store/store_stage.h"

namespace lookalike {

using StoreItem = std::variant<ImageToStore, CopyOfImage>;

// Stores on a thread of its own, so that the device does not wait for the disk. While it lives,
// the writer belongs to it.
class StoreThread {
 public:
  StoreThread(IndexWriter& writer, const StoreOptions& options, StageTimes& times);
  ~StoreThread();  // drops what is queued; batches that were published stay
  StoreThread(const StoreThread&) = delete;
  StoreThread& operator=(const StoreThread&) = delete;

  // Both throw what storing has thrown. After finish() all is published.
  void push(StoreItem item);
  void finish();

 private:
  void run() noexcept;
  void rethrow();

  StageTimes& times_;
  StoreStage stage_;
  BoundedQueue<StoreItem> queue_;
  std::exception_ptr failure_;  // written by the thread, read once it has ended
  std::jthread thread_;
};

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
