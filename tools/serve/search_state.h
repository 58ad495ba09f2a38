#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <thread>

#include "config/options.h"
#include "kernels/session/session.h"
#include "pipeline/searcher.h"
#include "storage/index_reader.h"
#include "storage/index_watch.h"
#include "tools/serve/published.h"

namespace lookalike {

// One published state of an index. Thread-safe.
class SearchState {
 public:
  SearchState(const RunConfig& config, const OpenClSession& session, std::size_t number);

  Searcher& searcher() { return searcher_; }
  const IndexReader& index() const { return index_; }
  std::size_t number() const { return number_; }  // 1 for the first of this process
  const IndexCounts& counts() const { return counts_; }

 private:
  const std::size_t number_;
  const IndexReader index_;
  OpenClSession queue_;  // extracts features; all states share its kernels
  Searcher searcher_;
  const IndexCounts counts_;
};

// The last published state of an index, for all requests. Every second a thread checks whether the
// index was written, and then builds the next state beside the present one, which lives until its
// last request ends. The thread also empties the log of the index. After that it builds the state
// again, because readers that were opened while the log was in use keep it from being emptied.
class SharedSearcher {
 public:
  // Throws as Searcher does.
  explicit SharedSearcher(const RunConfig& config);

  std::shared_ptr<SearchState> state() const { return state_.get(); }
  const DeviceInfo& device() const { return session_.device(); }

 private:
  void watch(const std::stop_token& stop);
  std::shared_ptr<SearchState> build(std::size_t number) const;

  const RunConfig config_;
  OpenClSession session_;
  std::deque<IndexWatch> watched_;  // used by watch_ alone once it runs
  Published<SearchState> state_;
  std::jthread watch_;
};

}  // namespace lookalike
