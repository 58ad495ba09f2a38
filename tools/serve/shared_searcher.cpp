#include "tools/serve/shared_searcher.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <sys/stat.h>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "pipeline/open_session.h"

namespace lookalike {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kBetweenLooks{1};
// Rest after a build, in times that the build took, so that a run that publishes all the time keeps
// the thread busy a fifth of it at most.
constexpr int kRestPerBuild = 4;

}  // namespace

SearchState::SearchState(const RunConfig& config, const OpenClSession& session, std::size_t number)
    : number_(number),
      index_(std::filesystem::path(config.store.database)),
      lists_(std::filesystem::path(config.store.database)),
      queue_(session.another_queue()),
      searcher_(index_, config, &queue_),
      counts_(lists_.counts()) {}

bool FileStamps::have_changed() {
  std::string now;
  for (const std::filesystem::path& file : files_) {
    struct stat is {};
    if (::stat(file.c_str(), &is) != 0 || is.st_size == 0) is = {};  // readers make an empty log
    now += fmt::format("{} {} {} {}.{:09}\n", is.st_dev, is.st_ino, is.st_size, is.st_mtim.tv_sec,
                       is.st_mtim.tv_nsec);
  }
  if (now == last_) return false;
  last_ = std::move(now);
  return true;
}

SharedSearcher::SharedSearcher(const RunConfig& config)
    : config_(config),
      session_(query_session_options(config.device)),
      stamps_({config.store.database, config.store.database + "-wal"}) {
  stamps_.have_changed();
  state_ = std::make_shared<SearchState>(config_, session_, 1);
  state_->searcher().prepare_extraction();
  watch_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
}

std::shared_ptr<SearchState> SharedSearcher::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

void SharedSearcher::watch(const std::stop_token& stop) {
  std::string failure;
  Clock::duration rest = kBetweenLooks;
  while (true) {
    std::shared_ptr<SearchState> now;
    {
      std::unique_lock lock(mutex_);
      waiting_.wait_for(lock, stop, rest, [] { return false; });
      if (stop.stop_requested()) return;
      now = state_;
    }
    rest = kBetweenLooks;
    if (!stamps_.have_changed() && failure.empty()) continue;
    const auto start = Clock::now();
    try {
      auto next = std::make_shared<SearchState>(config_, session_, now->number() + 1);
      next->searcher().prepare_extraction();
      const std::lock_guard lock(mutex_);
      state_.swap(next);
      failure.clear();
    } catch (const std::exception& error) {
      // The old state stays, and the next look tries again.
      if (failure != error.what()) {
        spdlog::warn("the index was written, but cannot be used: {}", error.what());
      }
      failure = error.what();
    }
    rest = std::max<Clock::duration>(rest, kRestPerBuild * (Clock::now() - start));
  }
}

}  // namespace lookalike
