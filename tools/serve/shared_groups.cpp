#include "tools/serve/shared_groups.h"

#include <algorithm>
#include <cstdint>
#include <sys/stat.h>

#include <fmt/format.h>

#include "tools/command_line/command_line.h"

namespace lookalike {

// What one state of the index and of its pairs amounts to.
struct SharedGroups::Found {
  Found(std::size_t number, const IndexReader& index, const RunConfig& config)
      : searched(number),
        rejections(read_rejections(config.store.database)),
        state(load_pairs(config.store.database, pair_fingerprint(index.settings(), config.match))),
        images(indexed_images(index, {})),
        places(adopt_images(images, state)),
        groups(index, images, places, state, rejections,
               {.kinds = usual_kinds(),
                .min_probability = kUsualProbability,
                .scope = {},
                .match = config.match}) {}

  const std::size_t searched;  // the number of the state, of whose index the groups are
  const Rejections rejections;
  PairState state;
  const std::vector<IndexedImage> images;
  const std::vector<std::uint32_t> places;
  const Groups groups;
};

bool FileStamps::have_changed() {
  std::string now;
  for (const std::filesystem::path& file : files_) {
    struct stat is {};
    if (::stat(file.c_str(), &is) != 0) is = {};
    now += fmt::format("{} {} {} {}.{:09}\n", is.st_dev, is.st_ino, is.st_size, is.st_mtim.tv_sec,
                       is.st_mtim.tv_nsec);
  }
  if (now == last_) return false;
  last_ = std::move(now);
  return true;
}

SharedGroups::SharedGroups(const RunConfig& config)
    : config_(config),
      stamps_({pair_file(config.store.database), rejection_file(config.store.database)}) {}

SharedGroups::~SharedGroups() = default;

std::optional<Json> SharedGroups::page(SearchState& state, std::size_t after, std::size_t limit) {
  const std::lock_guard lock(mutex_);
  if (stamps_.have_changed() || !found_ || found_->searched != state.number()) {
    found_.reset();  // so that what fails now is tried again, not answered with what was
    found_ = std::make_unique<const Found>(state.number(), state.index(), config_);
  }
  const auto not_compared = static_cast<std::size_t>(
      std::ranges::count(found_->state.images, false, &ComparedImage::compared));
  if (not_compared == found_->state.images.size()) return std::nullopt;
  const Groups& groups = found_->groups;
  Json page = Json::array();
  const std::size_t first = std::min(after, groups.size());
  const std::size_t end = first + std::min(limit, groups.size() - first);
  for (std::size_t i = first; i < end; ++i) {
    page.push_back(with_schema(group_answer(i + 1, groups.group(i))));
  }
  return Json{{"groups", std::move(page)},
              {"total", groups.size()},
              {"not_compared", not_compared},
              {"next", end < groups.size() ? Json(end) : Json()}};
}

}  // namespace lookalike
