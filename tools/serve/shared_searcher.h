#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "config/options.h"
#include "kernels/session/session.h"
#include "pipeline/searcher.h"
#include "storage/index_reader.h"
#include "storage/index_watch.h"

namespace lookalike {

// The published state of an index, for any number of threads.
class SearchState {
 public:
  SearchState(const RunConfig& config, const OpenClSession& session, std::size_t number);

  Searcher& searcher() { return searcher_; }
  const IndexReader& index() const { return index_; }
  std::size_t number() const { return number_; }  // from 1, of this process
  const IndexCounts& counts() const { return counts_; }

 private:
  const std::size_t number_;
  const IndexReader index_;
  OpenClSession queue_;  // features are extracted over it, and the kernels are those of all states
  Searcher searcher_;
  const IndexCounts counts_;
};

// One searcher for all requests, over the last published state of the index. A thread looks every
// second whether the index was written, and then builds a searcher beside the old one, which ends
// with its last request. It also empties the log of the index, for which it builds a searcher of
// the same state again: the readers of the old one were opened while the log was in use.
class SharedSearcher {
 public:
  // Throws as Searcher does.
  explicit SharedSearcher(const RunConfig& config);
  std::shared_ptr<SearchState> state() const;
  const DeviceInfo& device() const { return session_.device(); }

 private:
  void watch(const std::stop_token& stop);

  const RunConfig config_;
  OpenClSession session_;
  std::deque<IndexWatch> watched_;  // after the start, of the thread that watches
  mutable std::mutex mutex_;        // guards what follows
  std::condition_variable_any waiting_;
  std::shared_ptr<SearchState> state_;
  std::jthread watch_;
};

}  // namespace lookalike
