#include "pipeline/graph/equal_pictures.h"

#include <vector>

#include "storage/equal_sums.h"

namespace lookalike {

std::map<ImageId, ImageId> equal_pictures(const std::filesystem::path& database,
                                          const IndexReader& index,
                                          std::span<const ImageId> images) {
  std::map<ImageId, ImageId> equal;
  const std::vector<ImageId> first = first_with_equal_sums(database);
  std::map<ImageId, StoredFeatures> known;  // of the first images
  for (const ImageId image : images) {
    const ImageId earlier = image < first.size() ? first[image] : 0;
    if (earlier == 0 || earlier == image) continue;
    const auto [of_first, is_new] = known.try_emplace(earlier);
    if (is_new) of_first->second = index.features(earlier);
    if (index.features(image) == of_first->second) equal[image] = earlier;
  }
  return equal;
}

}  // namespace lookalike
