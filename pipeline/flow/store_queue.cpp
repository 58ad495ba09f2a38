#include "pipeline/flow/store_queue.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.h"

namespace lookalike {
namespace {

// Bytes of a feature in an EncodedImage: its word, its signature, and its part of the histogram.
constexpr std::size_t kFeatureBytes = 4 + 8 + 9;
// Features that are published while nothing waits. An estimate: fewer would write the rows of
// 65,536 words too often. On an H200, half a million and a million differ less than runs do.
constexpr std::size_t kManyFeatures = 500'000;
// Segments that are left while nothing else is to be stored: more would slow queries.
constexpr std::size_t kFewSegments = 8;
// Postings that the end of a run merges: a fifth of a second's work.
constexpr std::uint64_t kMostAtEnd = 2'000'000;

}  // namespace

StoreQueue::StoreQueue(IndexWriter& writer, const StoreOptions& options, StageTimes& times,
                       const StoreRoom& room)
    : writer_(writer),
      options_(options),
      times_(times),
      most_features_(room.batch_bytes / kFeatureBytes),
      queue_(room.queued_images),
      thread_([this] { run(); }) {}

StoreQueue::~StoreQueue() {
  queue_.abandon();
}

void StoreQueue::push(Item item) {
  ImageToStore image{.words = {}, .sums = item.sums, .blank = item.blank};
  const bool is_known = item.is<KnownContent>();
  if (is_known) {
    image.words.image.content = item.content;
  } else {
    auto& words = std::get<ImageWords>(item.state);
    image.words.image = words.image;
    if (!item.blank) image.words = std::move(words);
  }
  image.words.image.file = std::move(item.file);
  if (!queue_.push({encode_image(image), is_known})) rethrow();
}

void StoreQueue::finish() {
  is_complete_ = true;
  queue_.close();
  rethrow();
}

void StoreQueue::rethrow() {
  if (thread_.joinable()) thread_.join();
  if (failure_) std::rethrow_exception(failure_);
}

void StoreQueue::run() noexcept {
  try {
    while (true) {
      merge_while_idle();
      std::optional<Queued> item = queue_.pop();
      if (!item) break;
      times_.timed("store", [&] { add(*std::move(item)); });
    }
    if (!is_complete_) return;
    times_.timed("store", [&] { publish(); });
    times_.timed("merge", [&] { writer_.merge_small_segments(kMostAtEnd); });
  } catch (...) {
    failure_ = std::current_exception();
    queue_.abandon();
  }
}

void StoreQueue::merge_while_idle() {
  while (!queue_.is_ready()) {
    if (!times_.timed("merge", [&] { return writer_.merge_a_step(kFewSegments); })) return;
  }
}

void StoreQueue::add(Queued queued) {
  EncodedImage& image = queued.image;
  // publish() adds only a path to content that is present, so copies can go with the batch.
  if (queued.is_known) {
    const auto has_content = [&](const EncodedImage& other) {
      return other.image.content == image.image.content;
    };
    require(std::ranges::any_of(batch_, has_content) || writer_.contains(image.image.content),
            "StoreQueue: the content is not in the index");
  }
  features_ += image.words.size();
  batch_.push_back(std::move(image));
  if (is_due()) publish();
}

// True if the batch is to be published before another item is added.
bool StoreQueue::is_due() {
  if (batch_.size() < options_.batch_images) return false;
  const std::chrono::duration<double> interval(options_.publish_seconds);
  return features_ >= most_features_ || Clock::now() - published_ >= interval ||
         (features_ >= kManyFeatures && !queue_.is_ready());
}

void StoreQueue::publish() {
  if (batch_.empty()) return;
  writer_.publish(batch_);
  batch_.clear();
  features_ = 0;
  published_ = Clock::now();
  times_.timed("merge", [&] { writer_.merge_segments(options_.max_segments); });
}

}  // namespace lookalike
