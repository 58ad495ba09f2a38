#include "tools/report/picture.h"

#include <utility>

#include "stages/decode/encode.h"
#include "stages/decode/reduced.h"

namespace lookalike {

std::variant<ReducedPhoto, SkippedFile> reduced_photo(const LoadedFile& photo, int longest_side_px,
                                                      const ImagesOptions& limits,
                                                      int jpeg_quality) {
  auto decoded = decode_reduced(photo, longest_side_px, limits);
  if (auto* skipped = std::get_if<SkippedFile>(&decoded)) return std::move(*skipped);
  const auto& [width, height, pixels] = std::get<ReducedPixels>(decoded);
  return ReducedPhoto{width, height, encode_image(".jpg", pixels, jpeg_quality)};
}

}  // namespace lookalike
