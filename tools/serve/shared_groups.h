#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/options.h"
#include "pipeline/answers.h"
#include "pipeline/groups/compare.h"
#include "pipeline/groups/duplicates.h"
#include "pipeline/groups/pair_file.h"
#include "tools/serve/shared_searcher.h"

namespace lookalike {

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

// The groups that the last run of `lookalike duplicates` found, as it reports them unless asked for
// more, for any number of threads. Images that were not compared yet are in no group.
class SharedGroups {
 public:
  explicit SharedGroups(const RunConfig& config);
  ~SharedGroups();

  // {"groups": [as group_answer()], "total", "not_compared", "next"}: groups after the given
  // number, at most `limit`; next is null at the end. Nothing when no image was compared yet. The
  // first call after a change finds the groups, and calls meanwhile wait for them.
  std::optional<Json> page(SearchState& state, std::size_t after, std::size_t limit);

 private:
  struct Found;

  const RunConfig config_;
  std::mutex mutex_;  // guards what follows
  FileStamps stamps_;
  std::unique_ptr<const Found> found_;
};

}  // namespace lookalike
