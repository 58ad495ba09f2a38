#include "pipeline/groups/groups.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "pipeline/groups/compare.h"
#include "pipeline/groups/pair_file.h"
#include "tools/serve/handlers.h"
#include "tools/serve/request.h"

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

  const std::shared_ptr<const Rejections> rejections;
  PairState state;
  const std::vector<IndexedImage> images;
  const std::vector<std::uint32_t> places;
  const Groups groups;
  std::size_t not_compared = 0;  // images with features
};

namespace {

// Returns the groups, found once per change of the index, the pairs or the rejections. That takes
// seconds for a large index; other requests for groups wait meanwhile.
std::shared_ptr<const FoundGroups> current_groups(const SearchState& state, ServeContext& context) {
  const RunConfig& config = context.config;
  const std::string version =
      fmt::format("{} {}{}", state.number(), version_of({pair_file(config.store.database)}),
                  rejections_version(config));
  return context.groups.get(version, [&] {
    return std::make_shared<const FoundGroups>(state.index(), current_rejections(context), config);
  });
}

}  // namespace

HttpResponse list_groups(const HttpRequest& request, SearchState& state, ServeContext& context) {
  check_parameters(request, {"after", "limit"});
  const Slice slice(request, 20, 100);
  const auto found = current_groups(state, context);
  if (found->not_compared > 0 &&
      std::ranges::none_of(found->state.images, &ComparedImage::compared)) {
    throw Refused(409, ErrorKind::kInput, "not_compared",
                  "no images have been compared yet; run lookalike duplicates");
  }
  const Groups& groups = found->groups;
  Json page = Json::array();
  const std::size_t first = std::min<std::size_t>(slice.after, groups.size());
  const std::size_t end = first + std::min<std::size_t>(slice.limit, groups.size() - first);
  for (std::size_t i = first; i < end; ++i) {
    page.push_back(with_schema(group_answer(i + 1, groups.group(i))));
  }
  return json_response({{"groups", std::move(page)},
                        {"total", groups.size()},
                        {"not_compared", found->not_compared},
                        {"next", end < groups.size() ? Json(end) : Json()}});
}

}  // namespace lookalike
