#include "tools/serve/search_state.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>

#include <spdlog/spdlog.h>

#include "pipeline/device/open_session.h"

namespace lookalike {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kBetweenLooks{1};
// Rest after a build as a multiple of the build's time: a run that publishes all the time keeps the
// thread busy for at most a fifth of it.
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
  state_.set(build(1));
  watch_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
}

std::shared_ptr<SearchState> SharedSearcher::build(std::size_t number) const {
  auto state = std::make_shared<SearchState>(config_, session_, number);
  state->searcher().prepare_extraction();
  return state;
}

void SharedSearcher::watch(const std::stop_token& stop) {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any stopped;
  std::string failure;
  bool may_hold_log = true;  // whether the log may have been in use when the state was opened
  Clock::duration rest = kBetweenLooks;
  while (!stopped.wait_for(lock, stop, rest, [&] { return stop.stop_requested(); })) {
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
      state_.set(build(state_.get()->number() + 1));
      failure.clear();
    } catch (const std::exception& error) {
      // Keep the present state and try again.
      if (failure != error.what()) {
        spdlog::warn("the index was written but cannot be used: {}", error.what());
      }
      failure = error.what();
    }
    rest = std::max<Clock::duration>(rest, kRestPerBuild * (Clock::now() - start));
  }
}

}  // namespace lookalike
