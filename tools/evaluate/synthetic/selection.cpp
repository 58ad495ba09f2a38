#include "tools/evaluate/synthetic/selection.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "base/content_hash.h"
#include "base/error.h"

namespace lookalike {
namespace {

const std::string& path_of(const StoredImage& image) {
  return image.paths.front();
}

// Takes an image, or says why not.
void consider(StoredImage image, Selection& selection) {
  if (image.feature_count > 0) {
    selection.photos.push_back(std::move(image));
  } else {
    selection.left_out.push_back({path_of(image), image.blank ? "is blank" : "has no features"});
  }
}

void consider_files(const IndexReader& index, std::span<const SourceFile> files,
                    Selection& selection) {
  std::unordered_set<ImageId> seen;
  for (const SourceFile& file : files) {
    const std::optional<ImageId> id = index.find(file.path);
    if (!id) {
      selection.left_out.push_back({file.path, "is not in the index"});
    } else if (seen.insert(*id).second) {
      std::optional<StoredImage> image = index.image(*id);
      require(image.has_value(), "select_photos: an image that was found is not there");
      image->paths = {file.path};
      consider(std::move(*image), selection);
    }
  }
}

}  // namespace

Selection select_photos(const IndexReader& index,
                        const std::optional<std::span<const SourceFile>>& files, std::size_t count,
                        std::uint64_t seed) {
  Selection selection;
  if (files) {
    consider_files(index, *files, selection);
  } else {
    index.for_each_image([&](const StoredImage& image) { consider(image, selection); });
  }
  std::vector<StoredImage>& photos = selection.photos;
  if (photos.empty()) {
    throw Error(ErrorKind::kInput,
                fmt::format("evaluate: there is no photo to vary: {} are left out{}",
                            selection.left_out.size(),
                            selection.left_out.empty()
                                ? ""
                                : fmt::format(" (the first: {} {})", selection.left_out[0].path,
                                              selection.left_out[0].why)));
  }
  std::ranges::sort(photos, {}, [&](const StoredImage& image) {
    return std::pair(sample_rank(image.content, seed), image.id);
  });
  photos.resize(std::min(photos.size(), count));
  std::ranges::sort(photos, {}, path_of);
  return selection;
}

}  // namespace lookalike
