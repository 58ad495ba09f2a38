#pragma once

#include <chrono>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

#include "base/bounded_queue.h"
#include "config/options.h"
#include "pipeline/flow/item.h"
#include "pipeline/flow/stage_times.h"
#include "storage/index_writer.h"

namespace lookalike {

// Stores items on a thread of its own, so that the device does not wait for the disk. It publishes
// batches of at least options.batch_images, each in one transaction: every options.publish_seconds,
// or as soon as they fill 16 MiB, so that a fast device makes few and large segments. It keeps the
// number of segments at options.max_segments. While it lives, the writer belongs to it.
class StoreQueue {
 public:
  StoreQueue(IndexWriter& writer, const StoreOptions& options, StageTimes& times);
  ~StoreQueue();  // drops what is queued; batches that were published stay
  StoreQueue(const StoreQueue&) = delete;
  StoreQueue& operator=(const StoreQueue&) = delete;

  // An item of ImageWords, which are left out when it is blank, or of KnownContent. Throws what
  // storing has thrown: as IndexWriter::publish(), and Error(kInternal) for KnownContent that
  // neither the index nor an earlier item has.
  void push(Item item);
  // Publishes what is left and merges small segments. Throws as push().
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  void run() noexcept;
  void rethrow();
  void add(Item item);
  void publish();

  IndexWriter& writer_;
  const StoreOptions options_;
  StageTimes& times_;
  std::vector<ImageToStore> batch_;
  std::size_t features_ = 0;  // of the batch
  Clock::time_point published_ = Clock::now();
  BoundedQueue<Item> queue_;
  std::exception_ptr failure_;  // written by the thread, read once it has ended
  std::jthread thread_;
};

}  // namespace lookalike
