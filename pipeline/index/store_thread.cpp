#include "pipeline/index/store_thread.h"

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

}  // namespace lookalike
