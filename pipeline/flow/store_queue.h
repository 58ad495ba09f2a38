#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

#include "base/bounded_queue.h"
#include "config/options.h"
#include "pipeline/flow/item.h"
#include "pipeline/flow/stage_times.h"
#include "storage/encoded_image.h"
#include "storage/index_writer.h"

namespace lookalike {

// The most that a StoreQueue holds.
struct StoreRoom {
  std::size_t batch_bytes = std::size_t{16} << 20;  // of features that are published at once
  std::size_t queued_images = 1024;                 // that wait for the disk: about a batch
};

// Stores items on its own thread, so that the device does not wait for the disk. Publishes batches
// of at least options.batch_images, each in one transaction, every options.publish_seconds. Sooner,
// it publishes a large batch while no item waits, and one that fills room.batch_bytes. Merges
// segments while no item waits, and otherwise keeps their number at or below options.max_segments.
// Nothing else may use the writer meanwhile.
class StoreQueue {
 public:
  StoreQueue(IndexWriter& writer, const StoreOptions& options, StageTimes& times,
             const StoreRoom& room = {});
  ~StoreQueue();  // drops queued items; published batches stay
  StoreQueue(const StoreQueue&) = delete;
  StoreQueue& operator=(const StoreQueue&) = delete;

  // Encodes and queues an item of ImageWords or KnownContent; the words of a blank image are not
  // stored. Throws as encode_image(), and what storing an earlier item threw: errors of
  // IndexWriter::publish(), and Error(kInternal) for KnownContent that neither the index nor an
  // earlier item has.
  void push(Item item);
  // Publishes the remaining items and merges the smallest segments, for a fifth of a second at
  // most. Throws as push().
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  struct Queued {
    EncodedImage image;
    bool is_known = false;  // KnownContent, of which only the file and the content are set
  };

  void run() noexcept;
  void rethrow();
  void merge_while_idle();
  void add(Queued queued);
  bool is_due();
  void publish();

  IndexWriter& writer_;
  const StoreOptions options_;
  StageTimes& times_;
  std::vector<EncodedImage> batch_;
  const std::size_t most_features_;
  std::size_t features_ = 0;  // in the batch
  Clock::time_point published_ = Clock::now();
  BoundedQueue<Queued> queue_;
  std::atomic<bool> is_complete_ = false;  // finish() was called
  std::exception_ptr failure_;             // written by the thread, read after its end
  std::jthread thread_;
};

}  // namespace lookalike
