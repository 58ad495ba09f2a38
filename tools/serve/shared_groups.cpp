#include "tools/serve/shared_groups.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "tools/command_line/command_line.h"

namespace lookalike {

// What one state of the index and of its pairs amounts to.
struct SharedGroups::Found {
  Found(std::size_t number, const IndexReader& index,
        std::shared_ptr<const Rejections> rejected_pairs, const RunConfig& config)
      : searched(number),
        rejections(std::move(rejected_pairs)),
        state(load_pairs(config.store.database, pair_fingerprint(index.settings(), config.match))),
        images(indexed_images(index, {})),
        places(adopt_images(images, state)),
        groups(index, images, places, state, *rejections,
               {.kinds = usual_kinds(),
                .min_probability = kUsualProbability,
                .scope = {},
                .match = config.match}) {
    for (std::size_t i = 0; i < images.size(); ++i) {
      not_compared += images[i].has_features && !state.images[places[i]].compared ? 1 : 0;
    }
  }

  const std::size_t searched;  // the number of the state, of whose index the groups are
  const std::shared_ptr<const Rejections> rejections;
  PairState state;
  const std::vector<IndexedImage> images;
  const std::vector<std::uint32_t> places;
  const Groups groups;
  std::size_t not_compared = 0;  // of those that have features
};

SharedGroups::SharedGroups(const RunConfig& config, SharedRejections& rejections)
    : config_(config), rejections_(rejections), stamps_({pair_file(config.store.database)}) {}

SharedGroups::~SharedGroups() = default;

std::optional<Json> SharedGroups::page(SearchState& state, std::size_t after, std::size_t limit) {
  const std::lock_guard lock(mutex_);
  auto rejections = rejections_.read();
  if (stamps_.have_changed() || !found_ || found_->searched != state.number() ||
      found_->rejections != rejections) {
    found_.reset();  // so that what fails now is tried again, not answered with what was
    found_ = std::make_unique<const Found>(state.number(), state.index(), std::move(rejections),
                                           config_);
  }
  if (found_->not_compared > 0 &&
      std::ranges::none_of(found_->state.images, &ComparedImage::compared)) {
    return std::nullopt;
  }
  const Groups& groups = found_->groups;
  Json page = Json::array();
  const std::size_t first = std::min(after, groups.size());
  const std::size_t end = first + std::min(limit, groups.size() - first);
  for (std::size_t i = first; i < end; ++i) {
    page.push_back(with_schema(group_answer(i + 1, groups.group(i))));
  }
  return Json{{"groups", std::move(page)},
              {"total", groups.size()},
              {"not_compared", found_->not_compared},
              {"next", end < groups.size() ? Json(end) : Json()}};
}

}  // namespace lookalike
