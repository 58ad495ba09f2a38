#include "tools/library/entry.h"

#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include <fmt/format.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include "base/path_set.h"
#include "base/program.h"
#include "base/text.h"
#include "config/load.h"

namespace lookalike {
namespace {

// Passes messages to the receiver without holding a lock: it may call the library.
class Receiver : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  void receive_by(std::function<void(Severity, const std::string&)> receive) {
    const std::lock_guard lock(guard_);
    receive_.swap(receive);
  }

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    try {
      std::unique_lock lock(guard_);
      const std::function<void(Severity, const std::string&)> receive = receive_;
      lock.unlock();
      if (!receive) return;
      receive(message.level >= spdlog::level::warn ? Severity::kWarning : Severity::kInfo,
              std::string(message.payload.data(), message.payload.size()));
    } catch (...) {  // spdlog would print the exception
    }
  }
  void flush_() override {}

  std::mutex guard_;
  std::function<void(Severity, const std::string&)> receive_;
};

// Returns the sink that gets all messages from the first call on.
Receiver& receiver() {
  static const std::shared_ptr<Receiver> only = [] {
    auto made = std::make_shared<Receiver>();
    logger() = std::make_shared<spdlog::logger>("lookalike", made);
    return made;
  }();
  return *only;
}

}  // namespace

void take_messages() {
  receiver();
}

Failure::Kind kind_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kUsage:
      return Failure::Kind::kUsage;
    case ErrorKind::kInput:
      return Failure::Kind::kInput;
    case ErrorKind::kDevice:
      return Failure::Kind::kDevice;
    case ErrorKind::kStorage:
      return Failure::Kind::kStorage;
    case ErrorKind::kInternal:
      break;
  }
  return Failure::Kind::kInternal;
}

RunConfig configured(RunConfig config, const std::vector<std::string>& settings) {
  for (const std::string& setting : settings) apply_setting(config, setting, "settings");
  check_ranges(config);
  if (config.run != RunOptions{}) {
    throw Error(ErrorKind::kUsage,
                "settings: run.metrics and run.niceness are the program's alone");
  }
  return config;
}

RunConfig configured(const std::string& database, const std::vector<std::string>& settings) {
  RunConfig config = configured(RunConfig(), settings);
  config.store.database = normal_path(database);
  return config;
}

std::variant<LoadedFile, SkippedFile> load_photo(const Photo& photo, const ImagesOptions& limits) {
  if (photo.bytes()) return loaded_bytes(photo.path(), *photo.bytes());
  return load_file(photo.path(), limits);
}

void refuse(const SkippedFile& photo) {
  throw Error(ErrorKind::kInput,
              fmt::format("{}: {}: {}", printable(photo.file.path), photo.reason, photo.detail));
}

Photo Photo::encoded(std::vector<std::uint8_t> bytes) {
  Photo photo("photo in memory");
  photo.bytes_ = std::move(bytes);
  return photo;
}

// As PNM, the plainest file of pixels, so that they pass through all that other photos do.
Photo Photo::from_pixels(std::span<const std::uint8_t> pixels, int width, int height,
                         int channels) {
  return with_failures([&] {
    const bool is_image = width > 0 && height > 0 && (channels == 1 || channels == 3);
    if (!is_image || pixels.size() != static_cast<std::size_t>(width) *
                                          static_cast<std::size_t>(height) *
                                          static_cast<std::size_t>(channels)) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("pixels: must be height x width x channels with 1 or 3 channels, "
                              "were {} x {} x {} and {} values",
                              height, width, channels, pixels.size()));
    }
    const std::string header =
        fmt::format("P{}\n{} {}\n255\n", channels == 1 ? 5 : 6, width, height);
    std::vector<std::uint8_t> bytes;
    bytes.reserve(header.size() + pixels.size());
    bytes.assign(header.begin(), header.end());
    bytes.insert(bytes.end(), pixels.begin(), pixels.end());
    Photo photo("pixels in memory");
    photo.bytes_ = std::move(bytes);
    return photo;
  });
}

void on_message(std::function<void(Severity, const std::string&)> receive) {
  with_failures([&] { receiver().receive_by(std::move(receive)); });
}

}  // namespace lookalike
