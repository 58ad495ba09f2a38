#include "storage/encoded_image.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "storage/blobs.h"

namespace lookalike {
namespace {

// At least 1, since a path of known content comes without a size.
std::uint32_t longer_side_px(const ImageRecord& image) {
  return static_cast<std::uint32_t>(std::max({image.width, image.height, 1}));
}

double euclidean_norm(const SparseHistogram& histogram) {
  double sum = 0;
  for (const WordCount& entry : histogram) sum += std::pow(entry.count, 2);
  return std::sqrt(sum);
}

}  // namespace

EncodedImage encode_image(const ImageToStore& image) {
  const std::vector<IndexedFeature>& features = image.words.features;
  require(!image.blank || features.empty(), "encode_image: a blank image with features");
  if (count_words(features, &IndexedFeature::word) != image.words.histogram) {
    throw Error(ErrorKind::kInput,
                image.words.image.file.path + ": its histogram does not count its features");
  }
  EncodedImage encoded{.image = image.words.image,
                       .sums = image.sums,
                       .blank = image.blank,
                       .norm = euclidean_norm(image.words.histogram),
                       .histogram = encode_histogram(features, longer_side_px(image.words.image))};
  encoded.words.reserve(features.size());
  encoded.signatures.reserve(features.size());
  for (const IndexedFeature& feature : features) {
    encoded.words.push_back(feature.word);
    encoded.signatures.push_back(feature.signature);
  }
  return encoded;
}

}  // namespace lookalike
