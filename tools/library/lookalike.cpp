#include "tools/library/lookalike.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <new>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include "base/content_hash.h"
#include "base/error.h"
#include "base/path_set.h"
#include "base/program.h"
#include "base/text.h"
#include "config/load.h"
#include "pipeline/index/index_run.h"
#include "pipeline/searcher.h"
#include "storage/output_file.h"

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

// Runs work(), and throws its errors as the header describes.
template <typename Work>
auto with_failures(const Work& work) {
  try {
    receiver();
    return work();
  } catch (const Error& error) {
    throw Failure(kind_of(error.kind()), error.what());
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw Failure(Failure::Kind::kInternal, error.what());
  }
}

RunConfig configured(const std::string& database, const std::vector<std::string>& settings) {
  RunConfig config;
  for (const std::string& setting : settings) apply_setting(config, setting, "settings");
  check_ranges(config);
  if (config.run != RunOptions{}) {
    throw Error(ErrorKind::kUsage,
                "settings: run.metrics and run.niceness are the program's alone");
  }
  config.store.database = normal_path(database);
  return config;
}

Found found_of(const Match& match) {
  Found found = {.path = path_of(match),
                 .paths = match.image.paths,
                 .decision = std::string(to_string(match.decision)),
                 .probability = match.probability,
                 .correlation = match.evidence.correlation,
                 .place = match.place,
                 .mirrored = match.mirrored};
  if (match.has_pose()) {
    auto& outline = found.outline.emplace();
    std::ranges::transform(match.quad, outline.begin(), [](const Point& point) {
      return Corner{point.x, point.y};
    });
  }
  return found;
}

}  // namespace

struct Finder::Impl {
  Impl(const std::string& database, const std::vector<std::string>& settings)
      : config(configured(database, settings)),
        index(std::filesystem::path(config.store.database)),
        searcher(index, config) {}

  std::vector<Found> find(std::variant<Query, SkippedFile> photo) {
    if (const auto* unread = std::get_if<SkippedFile>(&photo)) {
      throw Error(ErrorKind::kInput, fmt::format("{}: {}: {}", printable(unread->file.path),
                                                 unread->reason, unread->detail));
    }
    std::vector<Found> found;
    const QueryResult result = searcher.search(std::get<Query>(photo));
    std::ranges::transform(result.matches, std::back_inserter(found), found_of);
    return found;
  }

  const RunConfig config;
  const IndexReader index;
  Searcher searcher;
};

Finder::Finder(const std::string& database, const std::vector<std::string>& settings)
    : impl_(with_failures([&] { return std::make_unique<Impl>(database, settings); })) {}
Finder::~Finder() = default;
Finder::Finder(Finder&&) noexcept = default;
Finder& Finder::operator=(Finder&&) noexcept = default;

std::vector<Found> Finder::find(const std::string& file) const {
  return with_failures([&] { return impl_->find(impl_->searcher.load(file)); });
}

std::vector<Found> Finder::find_encoded(std::span<const std::uint8_t> bytes) const {
  return with_failures([&] {
    return impl_->find(
        impl_->searcher.load(loaded_bytes("photo in memory", {bytes.begin(), bytes.end()})));
  });
}

Update update_index(const std::string& database, const std::vector<std::string>& folders,
                    const std::vector<std::string>& settings, const std::function<bool()>& stop) {
  std::exception_ptr thrown;
  const auto asked_to_stop = [&] {
    if (thrown) return true;
    try {
      return stop && stop();
    } catch (...) {
      thrown = std::current_exception();
      return true;
    }
  };
  const Update done = with_failures([&] {
    RunConfig config = configured(database, settings);
    for (const std::string& folder : folders) config.images.folders.push_back(normal_path(folder));
    OutputGuard guard;
    for (const std::string& folder : config.images.folders) {
      guard.protect_folder(folder, config.images.extensions);
    }
    guard.claim_index("database", config.store.database);
    const IndexRunReport report = run_index(config, Progress::Style::kQuiet, asked_to_stop);
    Update update = {.indexed = report.indexed,
                     .unchanged = report.unchanged,
                     .removed = report.removed,
                     .moved = report.moved,
                     .withheld = report.withheld,
                     .unused = {},
                     .unreachable = {},
                     .stopped = report.stopped};
    for (const SkippedFile& skipped : report.skipped) {
      update.unused.push_back({skipped.file.path, skipped.reason, skipped.detail});
    }
    for (const RootReport& root : report.roots) {
      if (root.state == "unreachable") update.unreachable.push_back(root.path);
    }
    return update;
  });
  if (thrown) std::rethrow_exception(thrown);
  return done;
}

void on_message(std::function<void(Severity, const std::string&)> receive) {
  with_failures([&] { receiver().receive_by(std::move(receive)); });
}

}  // namespace lookalike
