#pragma once

#include <cstdint>
#include <vector>

#include "storage/byte_stream.h"
#include "storage/index_types.h"

namespace lookalike {

// An image in the form in which an index stores it. Encoding needs no index, so the thread that has
// the image does it, and the one that writes the index only writes.
struct EncodedImage {
  ImageRecord image{};
  PixelSums sums{};
  bool blank = false;
  double norm = 0;                          // of its histogram: sqrt of the sum of squared counts
  Bytes histogram{};                        // by encode_histogram()
  std::vector<std::uint32_t> words{};       // of its features, ascending
  std::vector<std::uint64_t> signatures{};  // of its features, in the same order
};

// Throws Error(kInput) for a histogram that does not count the features, Error(kInternal) for a
// blank image with features.
EncodedImage encode_image(const ImageToStore& image);

}  // namespace lookalike
