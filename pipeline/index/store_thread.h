#pragma once

#include <exception>
#include <thread>
#include <variant>

#include "base/bounded_queue.h"
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

}  // namespace lookalike
