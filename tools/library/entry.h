#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/geometry.h"
#include "base/progress_listener.h"
#include "config/options.h"
#include "stages/decode/load.h"
#include "tools/library/lookalike.h"

// What every function of the library passes through.
namespace lookalike {

// Makes messages go to the receiver of on_message(), from the first call on.
void take_messages();

Failure::Kind kind_of(ErrorKind kind);

// Runs work(), and throws its errors as the header describes.
template <typename Work>
auto with_failures(const Work& work) {
  try {
    take_messages();
    return work();
  } catch (const Error& error) {
    throw Failure(kind_of(error.kind()), error.what());
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw Failure(Failure::Kind::kInternal, error.what());
  }
}

// Calls the functions that a caller passed. Keeps the first exception of theirs, after which
// none is called again and wants_to_stop() is true. Thread-safe except rethrow().
class Callbacks {
 public:
  Callbacks(const std::function<bool()>& stop, const ProgressReceiver& progress)
      : stop_(stop), progress_(progress) {}

  bool wants_to_stop() {
    return guarded([&] { return stop_ && stop_(); }).value_or(true);
  }
  void tell(const std::string& step, std::size_t done, std::size_t total) {
    if (!progress_) return;
    guarded([&] {
      progress_(step, done, total);
      return true;
    });
  }
  // Returns what call() returns; nothing once one has thrown.
  template <typename Call>
  std::optional<std::invoke_result_t<Call>> guarded(const Call& call) {
    if (has_thrown()) return std::nullopt;
    try {
      return call();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!thrown_) thrown_ = std::current_exception();
      return std::nullopt;
    }
  }
  // Tells each update of a Progress on this thread while the listener exists.
  ProgressListener listener() {
    return ProgressListener([this](const std::string& step, std::size_t done, std::size_t total) {
      tell(step, done, total);
    });
  }
  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  bool has_thrown() {
    const std::lock_guard lock(mutex_);
    return thrown_ != nullptr;
  }

  const std::function<bool()>& stop_;
  const ProgressReceiver& progress_;
  std::mutex mutex_;  // guards what follows
  std::exception_ptr thrown_;
};

// Applies settings, "TABLE.KEY=VALUE", to a configuration, or to the default one. Throws
// Error(kUsage), also for the table [run].
RunConfig configured(RunConfig config, const std::vector<std::string>& settings);
RunConfig configured(const std::string& database, const std::vector<std::string>& settings);

// Reads a photo, or takes its bytes.
std::variant<LoadedFile, SkippedFile> load_photo(const Photo& photo, const ImagesOptions& limits);

// Throws Error(kInput) for a photo that cannot be used.
[[noreturn]] void refuse(const SkippedFile& photo);

// Returns the value, or refuses the photo.
template <typename Value>
Value must_use(std::variant<Value, SkippedFile> result) {
  if (const auto* skipped = std::get_if<SkippedFile>(&result)) refuse(*skipped);
  return std::get<Value>(std::move(result));
}

inline std::array<Corner, 4> corners_of(const Quad& quad) {
  std::array<Corner, 4> corners;
  std::ranges::transform(quad, corners.begin(), [](const Point& point) {
    return Corner{point.x, point.y};
  });
  return corners;
}

}  // namespace lookalike
