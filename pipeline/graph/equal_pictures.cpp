#include "pipeline/graph/equal_pictures.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "storage/equal_sums.h"

namespace lookalike {

std::map<ImageId, ImageId> equal_pictures(const std::filesystem::path& database,
                                          const IndexReader& index,
                                          std::span<const ImageId> images) {
  const std::vector<ImageId> first = first_with_equal_sums(database);
  std::vector<std::pair<ImageId, ImageId>> candidates;  // the earlier image, and the later one
  for (const ImageId image : images) {
    const ImageId earlier = image < first.size() ? first[image] : 0;
    if (earlier == 0 || earlier == image) continue;
    candidates.emplace_back(earlier, image);
  }
  std::ranges::sort(candidates);
  std::map<ImageId, ImageId> equal;
  ImageId known = 0;
  StoredFeatures features;  // of this image
  for (const auto& [earlier, image] : candidates) {
    if (std::exchange(known, earlier) != earlier) features = index.features(earlier);
    if (index.features(image) == features) equal[image] = earlier;
  }
  return equal;
}

}  // namespace lookalike
