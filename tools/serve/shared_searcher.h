#pragma once

#include <condition_variable>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "config/options.h"
#include "kernels/session/session.h"
#include "pipeline/searcher.h"
#include "storage/index_reader.h"

namespace lookalike {

// The published state of an index, for any number of threads. It is opened twice: what is published
// in between is in list() alone, until the next state.
class SearchState {
 public:
  SearchState(const RunConfig& config, const OpenClSession& session, std::size_t number);

  Searcher& searcher() { return searcher_; }
  // Of this state: for what IndexReader allows several threads.
  const IndexReader& index() const { return index_; }
  // Calls read(index) with a reader that no other thread uses; all of it may be called.
  template <typename Read>
  auto list(const Read& read) {
    const std::lock_guard lock(listing_);
    return read(lists_);
  }
  std::size_t number() const { return number_; }  // from 1, of this process
  const IndexCounts& counts() const { return counts_; }

 private:
  const std::size_t number_;
  const IndexReader index_;
  const IndexReader lists_;
  std::mutex listing_;
  OpenClSession queue_;  // features are extracted over it, and the kernels are those of all states
  Searcher searcher_;
  const IndexCounts counts_;
};

// Whether files were written, replaced or removed: by times, sizes and numbers of the files.
class FileStamps {
 public:
  explicit FileStamps(std::vector<std::filesystem::path> files) : files_(std::move(files)) {}
  // Whether they differ from those of the last call that returned true; true at first.
  bool have_changed();

 private:
  std::vector<std::filesystem::path> files_;
  std::string last_;
};

// One searcher for all requests, over the last published state of the index. A thread looks every
// second whether the index was written, and then builds a searcher beside the old one, which ends
// with its last request.
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
  FileStamps stamps_;         // after the start, of the thread that watches
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable_any waiting_;
  std::shared_ptr<SearchState> state_;
  std::jthread watch_;
};

}  // namespace lookalike
