#include "pipeline/index/index_sink.h"

#include <type_traits>
#include <utility>

namespace lookalike {
namespace {

// Images that may wait for the disk.
constexpr std::size_t kQueuedImages = 64;

void store(StoreStage& stage, StoreItem item) {
  std::visit(
      [&](auto&& value) {
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, ImageToStore>) {
          stage.add(std::forward<decltype(value)>(value));
        } else {
          stage.add_copy(value.file, value.content);
        }
      },
      std::move(item));
}

}  // namespace

StoreThread::StoreThread(IndexWriter& writer, const StoreOptions& options, StageTimes& times)
    : times_(times), stage_(writer, options), queue_(kQueuedImages), thread_([this] { run(); }) {}

StoreThread::~StoreThread() {
  queue_.abandon();
}

void StoreThread::push(StoreItem item) {
  if (!queue_.push(std::move(item))) rethrow();
}

void StoreThread::finish() {
  queue_.close();
  rethrow();
  times_.timed("store", [&] { stage_.finish(); });
}

void StoreThread::rethrow() {
  if (thread_.joinable()) thread_.join();
  if (failure_) std::rethrow_exception(failure_);
}

void StoreThread::run() noexcept {
  try {
    while (std::optional<StoreItem> item = queue_.pop()) {
      times_.timed("store", [&] { store(stage_, std::move(*item)); });
    }
  } catch (...) {
    failure_ = std::current_exception();
    queue_.abandon();
  }
}

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
