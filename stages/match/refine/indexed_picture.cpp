#include "stages/match/refine/indexed_picture.h"

#include <string>
#include <utility>
#include <variant>

namespace lookalike {

std::optional<DecodedImage> read_indexed(const StoredImage& image, WantedSize size,
                                         const ImagesOptions& limits) {
  for (const std::string& path : image.paths) {
    auto decoded = decode_file(path, size, limits);
    auto* picture = std::get_if<DecodedImage>(&decoded);
    if (picture != nullptr && picture->record.content == image.content) return std::move(*picture);
  }
  return std::nullopt;
}

}  // namespace lookalike
