#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>

#include "config/options.h"
#include "pipeline/answers.h"
#include "pipeline/groups/compare.h"
#include "pipeline/groups/groups.h"
#include "pipeline/groups/pair_file.h"
#include "tools/serve/shared_rejections.h"
#include "tools/serve/shared_searcher.h"

namespace lookalike {

// The groups that the last run of `lookalike duplicates` found, as it reports them unless asked for
// more, for any number of threads. Images that were not compared yet are in no group.
class SharedGroups {
 public:
  // The rejections must outlive it.
  SharedGroups(const RunConfig& config, SharedRejections& rejections);
  ~SharedGroups();

  // {"groups": [as group_answer()], "total", "not_compared", "next"}: groups after the given
  // number, at most `limit`; next is null at the end. Images without features count as compared.
  // Nothing when no image was compared yet. The first call after a change finds the groups, which
  // takes seconds for a large index; calls meanwhile wait for them.
  std::optional<Json> page(SearchState& state, std::size_t after, std::size_t limit);

 private:
  struct Found;

  const RunConfig config_;
  SharedRejections& rejections_;
  std::mutex mutex_;  // guards what follows
  FileStamps stamps_;
  std::unique_ptr<const Found> found_;
};

}  // namespace lookalike
