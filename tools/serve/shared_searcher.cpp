#include "tools/serve/shared_searcher.h"

#include <algorithm>
#include <chrono>
#include <exception>

#include <spdlog/spdlog.h>

#include "pipeline/open_session.h"

namespace lookalike {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kBetweenLooks{1};
// Rest after a build, in times that the build took, so that a run that publishes all the time keeps
// the thread busy a fifth of it at most.
constexpr int kRestPerBuild = 4;
constexpr std::uint64_t kLongLogBytes = std::uint64_t{16} << 20U;

}  // namespace

SearchState::SearchState(const RunConfig& config, const OpenClSession& session, std::size_t number)
    : number_(number),
      index_(searched_databases(config)),
      queue_(session.another_queue()),
      searcher_(index_, config, &queue_, QueryLoad::kMany),
      counts_(index_.counts()) {}

SharedSearcher::SharedSearcher(const RunConfig& config)
    : config_(config), session_(query_session_options(config.device)) {
  for (const std::filesystem::path& database : searched_databases(config)) {
    watched_.emplace_back(database);
  }
  if (!config.match.calibration.empty()) watched_.emplace_back(config.match.calibration);
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
  bool may_hold_log = true;  // whether the log may have been in use when the state was opened
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
    const auto start = Clock::now();
    try {
      bool has_changed = false;
      bool is_log_held = false;
      for (IndexWatch& watched : watched_) {
        has_changed |= watched.has_changed();
        is_log_held |= watched.empty_log(kLongLogBytes);
      }
      if (!has_changed && failure.empty() && !(is_log_held && may_hold_log)) continue;
      may_hold_log = has_changed || !is_log_held;
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
