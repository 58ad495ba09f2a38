#pragma once

#include <span>
#include <vector>

#include "storage/encoded_image.h"

namespace lookalike {

inline std::vector<EncodedImage> encoded(std::span<const ImageToStore> images) {
  std::vector<EncodedImage> all;
  all.reserve(images.size());
  for (const ImageToStore& image : images) all.push_back(encode_image(image));
  return all;
}

}  // namespace lookalike
