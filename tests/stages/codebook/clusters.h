#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "base/random.h"
#include "storage/row_file.h"

namespace lookalike {

inline constexpr std::size_t kDimensions = 64;

// Features [count][64] around `clusters` random centres of length about 1, feature i near centre
// i % clusters, at a distance of about `spread`.
inline std::vector<float> clustered_features(std::size_t count, std::size_t clusters, double spread,
                                             std::uint64_t seed) {
  Random random(seed);
  std::vector<double> centres(clusters * kDimensions);
  for (double& value : centres) value = random.normal() / 8;
  std::vector<float> features(count * kDimensions);
  for (std::size_t i = 0; i < features.size(); ++i) {
    const std::size_t row = i / kDimensions;
    const double centre = centres[row % clusters * kDimensions + i % kDimensions];
    features[i] = static_cast<float>(centre + spread * random.normal() / 8);
  }
  return features;
}

// Features as training reads them.
inline RowFile row_file(const std::vector<float>& features) {
  RowFile file(std::filesystem::temp_directory_path(), kDimensions);
  file.write(0, {features, kDimensions});
  return file;
}

}  // namespace lookalike
