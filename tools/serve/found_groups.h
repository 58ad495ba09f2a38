#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/work_limits.h"
#include "pipeline/duplicates/compare.h"
#include "pipeline/duplicates/groups.h"
#include "pipeline/duplicates/pair_file.h"
#include "tools/serve/handlers.h"

namespace lookalike {

// The groups that `lookalike duplicates` lists by default, for one state of the index, its compared
// pairs and the rejections. Images that were not compared are in no group.
struct FoundGroups {
  FoundGroups(const IndexReader& index, std::shared_ptr<const Rejections> rejected_pairs,
              const RunConfig& config)
      : rejections(std::move(rejected_pairs)),
        state(load_pairs(config.store.database, pair_fingerprint(index.settings(), config.match))),
        images(indexed_images(index, {})),
        places(adopt_images(images, state)),
        groups(index, images, places, state, *rejections,
               configured({.kinds = usual_kinds(), .min_probability = kUsualProbability}, config)) {
    for (std::size_t i = 0; i < images.size(); ++i) {
      not_compared += images[i].has_features && !state.images[places[i]].compared ? 1 : 0;
    }
  }

  // Returns all groups with the state of their files, which are looked at once. Throws Overdue and
  // LargeImage; the next call then goes on where this one ended. Thread-safe.
  const std::vector<Group>& with_files() const {
    const std::lock_guard lock(mutex_);
    while (with_files_.size() < groups.size()) {
      check_time();
      with_files_.push_back(groups.group(with_files_.size()));
    }
    return with_files_;
  }

  const std::shared_ptr<const Rejections> rejections;
  PairState state;
  const std::vector<IndexedImage> images;
  const std::vector<std::uint32_t> places;
  const Groups groups;
  std::size_t not_compared = 0;  // images with features

 private:
  mutable std::mutex mutex_;
  mutable std::vector<Group> with_files_;
};

// Returns the groups, found once per change of the index, the pairs or the rejections; other
// requests for groups wait meanwhile.
std::shared_ptr<const FoundGroups> current_groups(const SearchState& state, ServeContext& context);

// Once somebody has asked for groups, finds them again after each run or comparison, so that they
// are ready for the next request: when nothing has been written for some seconds, on a thread of
// its own.
class GroupsKeeper {
 public:
  explicit GroupsKeeper(ServeContext& context);

 private:
  std::jthread watch_;
};

}  // namespace lookalike
